/** A stand-in that answers: over HTTP on this machine, or as a `fetch` within this process. */
import { createServer } from 'node:http';
import { portOf } from '../support/ports';
import { anthropic } from './anthropic';
import { type Cached, PromptCache } from './cache';
import { chat } from './chat';
import { deepseek, mistral } from './compatible';
import type { Api, WaitHeaders } from './provider';
import { type About, type Failed, type Frame, type Reply, type Said, settled } from './replies';
import { responses } from './responses';
import type { Body } from './rules/anthropic-api';
import { isRecord, type Judge, type Limits, type Problem, type Refusal } from './rules/rule';

/** The APIs that there are stand-ins for. */
export const APIS = { anthropic, chat, responses, mistral, deepseek } as const satisfies Record<string, Api>;

/** The name of a stand-in. */
export type ProviderKind = keyof typeof APIS;

/** The names of all stand-ins. */
export const KINDS: readonly ProviderKind[] = ['anthropic', 'chat', 'responses', 'mistral', 'deepseek'];

/** A request that a stand-in got. */
export interface Received {
  /** The number of the request, from 1. */
  readonly n: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The request as a value; undefined for what is no JSON. */
  readonly body: unknown;
  /** The status that it was answered with. */
  status: number;
  /** The rule that refused it. */
  problem?: Problem;
  /** The part of it that was in the prompt cache, with `cache`. */
  cached?: Cached;
}

/** A limit of requests within any time of a length. */
export interface Rate {
  readonly requests: number;
  readonly windowMs: number;
  readonly now: () => number;
  /** Those of the provider where absent. */
  readonly headers?: WaitHeaders;
}

/** Answers and limits of a stand-in. */
export interface ProviderOptions {
  /** The answers in their order, or what makes each. Refused requests use up none. */
  readonly replies: readonly Reply[] | ((request: Received) => Reply | Promise<Reply>);
  readonly limits?: Limits;
  /** More requests than these within a window are answered with 429. */
  readonly rate?: Rate;
  /** True where marks of Anthropic fill a cache, by which replies count their tokens. */
  readonly cache?: boolean;
  /** The only key that is taken; any, where absent. */
  readonly key?: string;
}

/** A stand-in within this process. */
export interface InProcess {
  readonly requests: readonly Received[];
  /** Pass it to a package of the AI SDK in place of the network. */
  readonly fetch: typeof globalThis.fetch;
  /** The verdict on a request by this stand-in's limits. */
  readonly problem: Judge;
}

/** A stand-in on this machine. */
export interface Served extends InProcess {
  /** The beginning of the API's addresses, version included. */
  readonly url: string;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncGenerator<string>;
}

const JSON_HEADERS = { 'content-type': 'application/json' };

/** A stand-in that is called without a socket. */
export function provider(kind: ProviderKind, options: ProviderOptions): InProcess {
  const { handle, requests, problem } = standIn(APIS[kind], options);
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const headers = Object.fromEntries([...request.headers]);
    const answer = await handle(new URL(request.url).pathname, headers, await request.text());
    const body = typeof answer.body === 'string' ? answer.body : stream(answer.body);
    return new Response(body, { status: answer.status, headers: answer.headers });
  };
  return { requests, fetch, problem };
}

/** A stand-in over HTTP, on a free port of this machine. Close it. */
export async function startProvider(kind: ProviderKind, options: ProviderOptions): Promise<Served> {
  const { handle, requests, problem } = standIn(APIS[kind], options);
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const answer = await handle(path, headers, Buffer.concat(parts).toString());
    response.writeHead(answer.status, { ...answer.headers });
    if (typeof answer.body === 'string') return response.end(answer.body);
    response.flushHeaders();
    try {
      for await (const text of answer.body) await new Promise((sent) => response.write(text, sent));
      return response.end();
    } catch {
      return response.destroy();
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${portOf(server)}/v1`;
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
  return { url, close, requests, fetch: (input, init) => globalThis.fetch(input, init), problem };
}

function standIn(api: Api, options: ProviderOptions) {
  const requests: Received[] = [];
  const cache = options.cache ? new PromptCache() : undefined;
  const begun: number[] = [];
  let used = 0;
  const problem: Judge = (request, limits) => api.problem(request, { ...options.limits, ...limits });
  const next = async (request: Received): Promise<Reply> => {
    if (typeof options.replies === 'function') return options.replies(request);
    const reply = options.replies[used];
    used += 1;
    return reply ?? { status: 500, message: `No reply is scripted for request ${request.n}.` };
  };
  const handle = async (path: string, headers: Record<string, string>, text: string): Promise<Answer> => {
    const request: Received = { n: requests.length + 1, path, headers, text, body: parsed(text), status: 200 };
    requests.push(request);
    const refusal = refused(api, options, request, begun) ?? problem(text);
    if (refusal !== undefined) {
      request.status = refusal.status;
      if ('rule' in refusal) request.problem = refusal;
      return failed(refusal, 'headers' in refusal ? refusal.headers : {});
    }
    if (cache) request.cached = cache.ask(request.body as Body);
    const reply = await next(request);
    if ('status' in reply) request.status = reply.status;
    return answerOf(api, reply, request);
  };
  return { handle, requests, problem };
}

/** A refusal before the body is read: of the path, the key, or the rate. */
function refused(
  api: Api,
  { key, rate }: ProviderOptions,
  { path, headers }: Received,
  begun: number[],
): (Refusal & { readonly headers: Readonly<Record<string, string>> }) | undefined {
  const refuse = (failure: Failed, more: Record<string, string> = {}) => ({ ...api.failure(failure), headers: more });
  if (!path.endsWith(api.path)) return refuse({ status: 404, message: `Not found: ${path}` });
  if (key !== undefined && headers[api.key.header] !== api.key.before + key)
    return refuse({ status: 401, message: 'Invalid API key.', code: 'invalid_api_key' });
  if (rate === undefined) return undefined;
  const now = rate.now();
  const within = begun.filter((at) => now - at < rate.windowMs);
  const oldest = within.at(-rate.requests);
  if (within.length >= rate.requests && oldest !== undefined) {
    const failure = { status: 429, message: 'Too many requests.', code: 'rate_limit_exceeded' };
    return refuse(failure, waitHeaders(rate.headers ?? api.waits, Math.ceil(oldest + rate.windowMs - now)));
  }
  begun.push(now);
  return undefined;
}

function waitHeaders(headers: WaitHeaders, ms: number): Record<string, string> {
  if (headers === 'none') return {};
  const seconds = { 'retry-after': String(Math.ceil(ms / 1_000)) };
  return headers === 'seconds' ? seconds : { ...seconds, 'retry-after-ms': String(ms) };
}

async function answerOf(api: Api, answer: Reply, { n, body, cached }: Received): Promise<Answer> {
  const reply = cached === undefined || 'status' in answer ? answer : counted(answer, cached);
  if ('status' in reply) {
    const { retryAfter, headers = {} } = reply;
    const wait = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    if (reply.body !== undefined) return { status: reply.status, headers: { ...wait, ...headers }, body: reply.body };
    return failed(api.failure(reply), { ...wait, ...headers });
  }
  const asked = isRecord(body) ? body : {};
  const about: About = { n, model: String(asked.model) };
  if (asked.stream === true) {
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: written(reply, api.events(reply, about)),
    };
  }
  await settled(reply);
  if (reply.failure !== undefined) return failed(api.failure({ status: 500, ...reply.failure }), {});
  return { status: 200, headers: JSON_HEADERS, body: JSON.stringify(api.whole(reply, about)) };
}

/** A reply with the counts of the cache, where the test scripts none. */
function counted(said: Said, { read, written }: Cached): Said {
  if (said.tokens !== undefined) return said;
  return { ...said, tokens: { input: read + written + 10, cached: read, cacheWritten: written } };
}

function failed({ status, body }: Refusal, headers: Readonly<Record<string, string>>): Answer {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify(body) };
}

/** The events of a reply as they are sent, up to where its stream breaks. */
async function* written({ broken }: Said, frames: Generator<Frame>): AsyncGenerator<string> {
  let sent = 0;
  for (const one of frames) {
    if (typeof one !== 'string') {
      await one.wait;
      continue;
    }
    if (broken !== undefined && sent === broken.after) {
      if (broken.how === 'ended') return;
      // What was sent is read before the connection goes, as over a network.
      await new Promise((turn) => setImmediate(turn));
      throw new TypeError('terminated');
    }
    yield one;
    sent += 1;
  }
}

/** A body that is read piece by piece. */
function stream(pieces: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      } catch (error) {
        controller.error(error);
      }
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
