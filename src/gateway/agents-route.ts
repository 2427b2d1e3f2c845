/**
 * Requests to agents: the address, the right, the input, the call, the answer.
 *
 * Keeps A22, A25.
 */

import { access, isUpgrade } from '../access/auth';
import type { HookResponse, VerbAnswer } from '../engine/object/object-calls';
import type { ParsedAddress } from '../protocol/address';
import { failure, refuse } from '../protocol/errors';
import { isObject, type Json, type JsonLike, type JsonObject } from '../protocol/json';
import { traceparentIn } from '../protocol/trace';
import { openSocket } from '../sockets/open';
import { checked } from '../verbs/input';
import { afterEvent } from '../verbs/reads/event-stream';
import { withBase } from '../verbs/reads/links';
import type { Verb } from '../verbs/verb';
import { askFromRequest } from './agents/from-request';
import { adviceForAddress, adviceForPath } from './agents/route-advice';
import { type AgentAsk, refuseUnknownClass } from './ask-agent';
import { fileResponse, rangeOf, uploadFacts } from './files-http';
import { askRoot, rootStub } from './objects';
import { accessProblem, problemResponse } from './problem';
import { queryInput, readJson, refuseEncoded } from './request-body';
import type { RequestContext } from './request-context';
import { type Route, rawPath, routeOf } from './route';

/** Answers a request below `/agents/`. @param path where that lies, if the request was for another name of it */
export async function answerAgentRequest(context: RequestContext, path?: string): Promise<Response> {
  const { request, requestId, base } = context;
  const route = routeOf(path ?? rawPath(request.url).slice(base.length));
  const { address, verbs } = route;
  if (isUpgrade(request) && address.rest.length === 0) return upgrade(context, address);
  const verb = verbs.get(request.method === 'HEAD' ? 'GET' : request.method);
  const question = { address: address.address, action: verb?.action ?? 'read' } as const;
  const allowed = await access(request, question, context.access);
  if (!allowed.ok) return accessProblem(allowed.error, requestId);
  if (verbs.size === 0)
    refuse('not_found', `There is no such route.${adviceForPath(address, base)} See ${base}/openapi.json for all.`);
  const allow = allowOf(verbs);
  if (request.method === 'OPTIONS')
    return new Response(null, { status: 204, headers: { allow, 'x-request-id': requestId } });
  if (verb === undefined) {
    const says = `This route takes ${allow}.${adviceForAddress(address, base)}`;
    return problemResponse(failure('method_not_allowed', says), requestId, { allow });
  }
  refuseUnknownClass(context, address);
  const input = await inputOf(verb, request, route);
  const more = verb.also?.(address.address, checked(verb.input, input));
  for (const question of more ?? []) {
    const also = await access(request, question, context.access);
    if (!also.ok) return accessProblem(also.error, requestId);
  }
  const ask: AgentAsk = {
    address,
    verb,
    input,
    caller: allowed.grant.subject,
    idempotencyKey: request.headers.get('idempotency-key') ?? undefined,
    bytes: request.body ?? undefined,
    traceparent: traceparentIn(request.headers.get('traceparent')),
    token: allowed.token,
    request,
  };
  const answer = await askFromRequest(context, ask);
  if (answer.ok) return success(context, verb, answer);
  return answer.response ? authorsResponse(answer.response, requestId) : problemResponse(answer.error, requestId);
}

/** Opens a socket: the right is checked before its agent is looked for. */
async function upgrade(context: RequestContext, address: ParsedAddress): Promise<Response> {
  const { request, requestId, exports, authorizer, log } = context;
  const opens = { ...context.access, socket: 'opens' } as const;
  const allowed = await access(request, { address: address.address, action: 'read' }, opens);
  if (!allowed.ok) return accessProblem(allowed.error, requestId);
  if (!context.classes.has(address.root.className)) refuse('not_found');
  const stub = () => rootStub(exports, address.root);
  return openSocket(request, { authorizer, token: allowed.token, caller: allowed.grant.subject }, address, {
    ask: (call) => askRoot(() => stub().offshoot(call), log),
    fetch: (upgrading) => stub().fetch(upgrading),
  });
}

function allowOf(verbs: ReadonlyMap<string, Verb>): string {
  const methods = [...verbs.keys()];
  if (verbs.has('GET')) methods.push('HEAD');
  return [...methods, 'OPTIONS'].join(', ');
}

async function inputOf(verb: Verb, request: Request, { path }: Route): Promise<Json> {
  const query = queryInput(request.url);
  if (verb.method === 'POST') {
    if (Object.keys(query).length > 0)
      refuse('invalid_request', 'This route accepts parameters in the body, not in the query.');
    const body = (await readJson(request)) ?? {};
    return path === undefined || !isObject(body) ? body : { ...body, path };
  }
  const named = path === undefined ? query : { ...query, path };
  return { ...named, ...headerInput(verb, request) };
}

/** What of the input lies in the headers. */
function headerInput({ http }: Verb, request: Request): JsonObject {
  switch (http?.reads) {
    case 'upload':
      refuseEncoded(request);
      return uploadFacts(request);
    case 'range':
      return { ...rangeOf(request) };
    case 'last-event-id': {
      const id = request.headers.get('last-event-id') ?? '';
      return id === '' ? {} : lastEvent(id);
    }
    default:
      return {};
  }
}

function lastEvent(id: string): { from: number; rested: boolean } {
  const after = afterEvent(id);
  return after ?? refuse('invalid_request', 'Last-Event-ID must be the id of the last event that was received.');
}

function success(
  { request, requestId, base }: RequestContext,
  verb: Verb,
  answer: VerbAnswer & { ok: true },
): Response {
  const headers = new Headers({
    'cache-control': 'no-store',
    'x-request-id': requestId,
  });
  const { body, bytes, status = verb.status } = answer;
  const response =
    status !== 204 && bytes
      ? bytesResponse({ request, requestId }, verb, body, bytes, headers)
      : jsonResponse(withBase(verb, body, base), status, headers);
  if (status === 204) bytes?.cancel().catch(() => undefined);
  if (request.method !== 'HEAD') return response;
  response.body?.cancel().catch(() => undefined);
  return new Response(null, response);
}

/** The response of an author's `onBeforeSubAgent`. */
function authorsResponse({ status, headers: given, body }: HookResponse, requestId: string): Response {
  const headers = new Headers(given.map(([name, value]): [string, string] => [name, value]));
  headers.set('x-request-id', requestId);
  return new Response(body === '' ? null : body, { status, headers });
}

function bytesResponse(
  { request, requestId }: Pick<RequestContext, 'request' | 'requestId'>,
  verb: Verb,
  body: JsonLike,
  bytes: ReadableStream<Uint8Array>,
  headers: Headers,
): Response {
  if (verb.http?.answers === 'file') return fileResponse(request, body, bytes, requestId, headers);
  headers.set('content-type', 'text/event-stream; charset=utf-8');
  // Proxies that gather a response before they pass it on would stop a live stream; so would those that compress it.
  headers.set('cache-control', 'no-store, no-transform');
  headers.set('x-accel-buffering', 'no');
  return new Response(bytes, { headers });
}

function jsonResponse(body: JsonLike, status: number, headers: Headers): Response {
  if (status === 204) return new Response(null, { status, headers });
  headers.set('content-type', 'application/json');
  return new Response(JSON.stringify(body), { status, headers });
}
