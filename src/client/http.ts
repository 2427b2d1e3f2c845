/** Requests to a server: JSON in, JSON out, and each way of failing as its own error. */
import { isObject, type JsonObject } from '../protocol/json';
import { ClientError, Refused, Unreachable } from './errors';

/** Where and as whom to ask. */
export interface Api {
  /** Without a slash at its end. */
  readonly base: string;
  /** The bearer token, or a function that returns it, called for each request and once more after a 401. */
  readonly token?: string | (() => string | Promise<string>);
  readonly fetch: typeof fetch;
}

/** A request. `timeoutMs` bounds the wait for the whole answer (for `openStream`: for its first byte). */
export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Sent as JSON. What cannot be JSON is refused by the server with the field's name. */
  readonly body?: object;
  /** Sent as they are, in the place of `body`. */
  readonly bytes?: Blob | ArrayBuffer | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** An http or https URL without user, query and fragment; a path of the page's own server; or nothing. */
const BASE = /^(https?:\/\/[^/?#@\\\s]+)?(\/(?!\/)[^?#\\\s]*)?$/u;
/** A path that every URL keeps as it is: no `.` or `..` between its slashes, and no query before the last segment. */
const PATH = /^(\/(?!\.\.?([/?]|$))([\w.~!'()*-]|%(?!2e)[\da-f]{2})+)+(\?[\w.~!'()*+%&=-]*)?$/iu;

/** The base of a server's URLs. @throws {ClientError} for any other text */
export function baseOf(baseUrl: string): string {
  if (BASE.test(baseUrl)) return baseUrl.replace(/\/+$/u, '');
  throw new ClientError(`baseUrl is "${baseUrl}": write it like https://agents.example, or leave it empty.`);
}

/**
 * The URL of a path at a server.
 * @throws {ClientError} for a path that could lead to another server, which would be sent the token, or to another agent;
 *   and outside of a page, for a base without a server
 */
export function urlOf({ base, fetch }: Pick<Api, 'base' | 'fetch'>, path: string): string {
  if (PATH.test(path)) {
    // A `fetch` of the app's own may know the server without its name.
    if (!base.startsWith('http') && pageOrigin() === '' && fetch === globalThis.fetch)
      throw new ClientError(
        `"${path}" has no server, because this is not a browser page: pass createClient a full baseUrl, such as http://localhost:8787.`,
      );
    return base + path;
  }
  throw new ClientError(
    `"${path}" is not the address of an agent, such as /agents/planner/one. Make names with rootNameOf.`,
  );
}

/**
 * The origin that a path of the page leads to, such as `https://agents.example`; empty where there is none, as in Node. It
 * is that of `fetch`, also in a page with a `<base>` and in a frame whose page is text (`about:srcdoc`).
 */
export function pageOrigin(): string {
  // Types of the page and of the Worker have no more than `fetch` in common.
  const scope: { readonly fetch?: unknown; readonly document?: unknown; readonly location?: unknown } = globalThis;
  const { document, location } = scope;
  const base = isObject(document) ? document.baseURI : isObject(location) ? location.href : undefined;
  return typeof base === 'string' && base.startsWith('http') ? new URL(base).origin : '';
}

/** An answer that is as long as this is not read to its end: no status document comes near it. Unit: characters. */
const MAX_ANSWER_CHARS = 32 * 1_048_576;

/**
 * Sends a request and gives the answer's JSON.
 * @throws {Refused} when the server answers with an error
 * @throws {Unreachable} when nothing answers in time, or something answers that is no Offshoot server
 * @throws the signal's reason when it aborts
 */
export async function requestJson<Answer extends object = JsonObject>(
  api: Api,
  path: string,
  request: ApiRequest,
): Promise<Answer> {
  const timeout = AbortSignal.timeout(request.timeoutMs);
  const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
  try {
    const response = await send(api, path, request, signal);
    const text = await response.text();
    if (text.length > MAX_ANSWER_CHARS) throw new Unreachable(`The answer of ${api.base}${path} is too long.`);
    return parsed(response.status === 204 ? '{}' : text, `${api.base}${path}`);
  } catch (error) {
    throw translated(error, api.base, request.signal);
  }
}

/** Sends a request and gives the answer with its body unread: the caller reads or cancels it. Throws as `requestJson` does. */
export async function openBody(api: Api, path: string, request: ApiRequest): Promise<Response> {
  return await opened(api, path, request);
}

/** Opens a stream; its body is the caller's to read or to cancel. Throws as `requestJson` does. */
export async function openStream(api: Api, path: string, request: ApiRequest): Promise<Response> {
  const headers = { ...request.headers, accept: 'text/event-stream' };
  const response = await opened(api, path, { ...request, headers });
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
  await response.body?.cancel();
  throw new Unreachable(`${api.base}${path} did not answer with an event stream.`);
}

/** An answer whose first byte came in time; what comes after has no end but the signal's. */
async function opened(api: Api, path: string, request: ApiRequest): Promise<Response> {
  const opening = new AbortController();
  const timer = AbortSignal.timeout(request.timeoutMs);
  const onTimeout = () => opening.abort(timer.reason);
  timer.addEventListener('abort', onTimeout);
  const signal = request.signal === undefined ? opening.signal : AbortSignal.any([opening.signal, request.signal]);
  try {
    return await send(api, path, request, signal);
  } catch (error) {
    throw translated(error, api.base, request.signal);
  } finally {
    timer.removeEventListener('abort', onTimeout);
  }
}

/** Asks with the token. One that has run out is asked for anew, once: the refusal of a fresh one is the answer. */
async function withToken(api: Api, ask: (token: string | undefined) => Promise<Response>): Promise<Response> {
  const token = await tokenOf(api);
  const response = await ask(token);
  if (response.status !== 401 || typeof api.token !== 'function') return response;
  const fresh = await api.token();
  if (fresh === token) return response;
  await response.body?.cancel();
  return ask(fresh);
}

/** Asks a path as it is, with the token. A refusal is an answer; throws as `fetch` does, and as `urlOf`. */
export async function fetchPath(api: Api, path: string, init: RequestInit = {}): Promise<Response> {
  const url = urlOf(api, path);
  const { fetch } = api;
  return withToken(api, (token) => {
    const headers = new Headers(init.headers);
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    return fetch(url, { ...init, headers });
  });
}

async function send(api: Api, path: string, request: ApiRequest, signal: AbortSignal): Promise<Response> {
  const url = urlOf(api, path);
  const response = await withToken(api, (token) => sendWith(token, api, url, request, signal));
  if (!response.ok) throw refusal(response.status, await response.text(), url);
  return response;
}

function sendWith(
  token: string | undefined,
  { fetch }: Api,
  url: string,
  request: ApiRequest,
  signal: AbortSignal,
): Promise<Response> {
  const headers = new Headers({ accept: 'application/json', ...request.headers });
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  if (request.body !== undefined) headers.set('content-type', 'application/json');
  const content = request.bytes ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
  const body = content === undefined ? {} : { body: content };
  // A browser's own `fetch` may be called by its bare name alone.
  return fetch(url, { method: request.method ?? 'GET', headers, signal, ...body });
}

/** The token to send now, where there is one. */
export async function tokenOf({ token }: Api): Promise<string | undefined> {
  return typeof token === 'function' ? await token() : token;
}

/** The error that an answer tells: the server's own problem document, or that something else answered. */
function refusal(status: number, text: string, url: string): Refused | Unreachable {
  const problem = jsonOf(text);
  if (problem === undefined || typeof problem.code !== 'string') {
    const what = `${url} answered with status ${status}, unlike an Offshoot server.`;
    return new Unreachable(what);
  }
  return refusedBy(problem, problem.code, status);
}

/** What a problem document says that came with a status, or tells one itself. */
export function refusedBy(problem: JsonObject, code: string, status: number): Refused {
  const told = (name: string): string => {
    const value = problem[name];
    return typeof value === 'string' ? value : '';
  };
  const title = told('title') || `The server answered with status ${status}.`;
  const detail = told('detail') === title ? '' : told('detail');
  const details = problem.details ?? null;
  const retryable = problem.retryable === true;
  return new Refused({
    ...{ status, code, category: told('category'), retryable, title, detail, details },
    requestId: told('requestId'),
  });
}

/** The object that a text holds. What is in it is the server's contract, which its own tests hold to its schemas. */
function jsonOf<Answer extends object = JsonObject>(text: string): Answer | undefined {
  try {
    const value: Answer = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function parsed<Answer extends object>(text: string, url: string): Answer {
  const value = jsonOf<Answer>(text);
  if (value === undefined) throw new Unreachable(`${url} did not answer with JSON.`);
  return value;
}

function translated(error: unknown, base: string, signal: AbortSignal | undefined): unknown {
  if (error instanceof ClientError) return error;
  if (signal?.aborted) return signal.reason;
  const cause = causeOf(error);
  const late = error instanceof Error && error.name === 'TimeoutError';
  const why = late
    ? 'no answer in time'
    : isRefusedConnection(error)
      ? 'connection refused'
      : codeOf(cause) || String(cause);
  return new Unreachable(`The server at ${base} cannot be reached (${why}).`, { cause: error });
}

const causeOf = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? error.cause : error;

const codeOf = (cause: unknown): string =>
  typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';

/** True if nothing listens at the port, by the error of a `fetch`. */
export const isRefusedConnection = (error: unknown): boolean => codeOf(causeOf(error)) === 'ECONNREFUSED';
