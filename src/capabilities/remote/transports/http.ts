/**
 * Agents behind a URL, over HTTP and server-sent events: the routes that people use, too.
 *
 * Keeps AE1, AE7, AE15.
 */
import { invalidDefinition, refuseUnknown } from '../../../core/definition/invalid';
import {
  type RemoteAgent,
  type RemoteAgentTransport,
  type RemoteAnswer,
  type RemoteBounds,
  type RemoteCall,
  RemoteError,
  type RemoteEvent,
} from '../../../core/definition/remote-transport';
import { isObject, type JsonObject } from '../../../protocol/json';
import { WIRE_LIMITS } from '../../../protocol/wire/wire-limits';
import { refusalOf, successOf } from './answer';
import { refusedBody } from './body';
import { addressOf, eventsOf, refusedStream } from './events';
import { exchange, type Way } from './exchange';
import { faulty } from './faults';
import { boundedJson } from './json';
import { limitsOf, type RemoteLimits } from './limits';
import { limited, within } from './time';
import { urlProblem } from './url';
import { remoteVerb } from './verbs';

/** The URL of a remote server, and the credentials for it. */
export interface HttpRemoteOptions {
  /**
   * The URL of the server, with its base path if it has one: `https://research.example/ai`. It must be https to a
   * public host, on port 443 or 1024 and above, without user, query or fragment.
   */
  readonly url: string;
  /**
   * The bearer token, or a function that returns it, called for each request. It is sent only to the origin of `url`.
   */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** Further headers, such as those of an access proxy: secrets like the token. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The `fetch` to use; the global one by default. A service binding's `fetch` avoids the network. */
  readonly fetch?: typeof fetch;
  /** Allows http and this machine, for development. `false` by default. */
  readonly allowLoopback?: boolean;
  readonly limits?: Partial<RemoteLimits>;
}

const OPTIONS = ['url', 'token', 'headers', 'fetch', 'allowLoopback', 'limits'];

/** Headers that say what is asked: they are no author's. */
const OWN_HEADERS = [
  'accept',
  'content-type',
  'content-length',
  'host',
  'idempotency-key',
  'traceparent',
  'last-event-id',
];

/**
 * Reaches agents of another server by its URL. Everything that it sends is checked and limited. At most 3 redirects are
 * followed, only to allowed URLs, and secrets are never sent to another origin.
 * @throws OffshootError `invalid_definition` for a URL that is not allowed, or invalid headers or limits
 * @throws RemoteError `remote_not_configured` for an empty token
 * @example
 * const transport = (env: { RESEARCH_TOKEN: string }) =>
 *   new HttpRemoteAgentTransport({ url: 'https://research.example', token: env.RESEARCH_TOKEN });
 */
export class HttpRemoteAgentTransport implements RemoteAgentTransport {
  readonly label: string;
  readonly bounds: RemoteBounds;
  readonly #base: string;
  readonly #options: HttpRemoteOptions;
  readonly #limits: RemoteLimits;
  readonly #way: Way;

  constructor(options: HttpRemoteOptions) {
    const where = 'HttpRemoteAgentTransport';
    refuseUnknown(where, options, OPTIONS);
    const { url, token, headers = {}, fetch = globalThis.fetch, allowLoopback = false, limits } = options;
    const rules = { allowLoopback };
    this.#base = baseOf(where, url, rules);
    this.label = this.#base;
    checkHeaders(where, headers);
    if (token === '') throw new RemoteError('remote_not_configured', `The token for ${this.label} is empty: set it.`);
    this.#options = options;
    this.#limits = limitsOf(where, limits);
    this.bounds = this.#limits;
    // The platform's own may be called by its bare name alone.
    this.#way = { fetch: (input, init) => fetch(input, init), rules };
  }

  async call({ verb, agent, body = {}, idempotencyKey, caller, signal: given }: RemoteCall): Promise<RemoteAnswer> {
    const { method, path } = remoteVerb(verb);
    const refused = refusedBody(body);
    if (refused) return refused;
    const left = caller?.deadline === undefined ? Number.POSITIVE_INFINITY : caller.deadline - Date.now();
    const ms = Math.max(1, Math.min(this.#limits.callMs, left));
    const { signal, end } = limited(given, ms, `${this.label} took longer than ${Math.ceil(ms)} ms.`);
    try {
      const response = await exchange(
        {
          method,
          url: this.#url(agent, path, method === 'POST' ? {} : body),
          headers: {
            accept: 'application/json',
            ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
            ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
            ...(caller?.traceparent === undefined ? {} : { traceparent: caller.traceparent }),
          },
          secrets: await this.#secrets(),
          ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
          signal,
        },
        this.#way,
      );
      if (!response.ok) return await this.#refusal(response, signal);
      const text = response.status === 204 ? '{}' : await this.#json(response, signal);
      return successOf(verb, boundedJson(text, this.#limits.maxDepth, 'The answer'));
    } finally {
      end();
    }
  }

  async *stream({
    agent,
    from,
    signal,
  }: {
    readonly agent: RemoteAgent;
    readonly from: number;
    readonly signal: AbortSignal;
  }): AsyncGenerator<RemoteEvent> {
    const bytes = await this.#opened(agent, from, signal);
    yield* eventsOf(bytes, { agent, from, limits: this.#limits, signal });
  }

  /** The bytes of a stream that has begun in time. */
  async #opened(agent: RemoteAgent, from: number, given: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const opening = new AbortController();
    const signal = AbortSignal.any([given, opening.signal]);
    const late = {
      ms: this.#limits.openMs,
      fault: 'silent',
      what: `${this.label} returned no stream in time.`,
    } as const;
    const ask = async (): Promise<ReadableStream<Uint8Array>> => {
      const response = await exchange(
        {
          method: 'GET',
          url: this.#url(agent, 'stream', { from }),
          headers: { accept: 'text/event-stream' },
          secrets: await this.#secrets(),
          signal,
        },
        this.#way,
      );
      if (!response.ok) throw refusedStream(await this.#refusal(response, signal));
      const { body } = response;
      if (mediaTypeOf(response) === 'text/event-stream' && body !== null) return body;
      await body?.cancel();
      throw faulty('media_type', `${this.label} did not answer with an event stream.`);
    };
    try {
      return await within(ask(), given, late);
    } catch (error) {
      // What comes too late is let go of.
      opening.abort(error);
      throw error;
    }
  }

  #url(agent: RemoteAgent, path: string, query: JsonObject): URL {
    const url = new URL(`${this.#base}${addressOf(agent)}${path === '' ? '' : `/${path}`}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    return url;
  }

  async #secrets(): Promise<Record<string, string>> {
    const { token: source, headers = {} } = this.#options;
    const token = typeof source === 'function' ? await source() : source;
    if (token === '') throw new RemoteError('remote_not_configured', `The token for ${this.label} is empty: set it.`);
    return { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  }

  /** A refusal in the words of the protocol. @throws RemoteError where it is none */
  async #refusal(response: Response, signal: AbortSignal): Promise<Extract<RemoteAnswer, { readonly ok: false }>> {
    const { status } = response;
    const read = async () => {
      const text = await this.#json(response, signal);
      const problem = boundedJson(text, this.#limits.maxDepth, 'The refusal');
      return isObject(problem) ? refusalOf({ ...problem, status }) : undefined;
    };
    const passing = status >= 500 || status === 429;
    let refusal: Awaited<ReturnType<typeof read>>;
    try {
      refusal = await read();
    } catch (error) {
      if (!passing || !(error instanceof RemoteError) || error.code !== 'remote_invalid') throw error;
    }
    if (refusal !== undefined) return refusal;
    const what = `${this.label} answered with status ${status}, which the protocol does not allow.`;
    throw faulty(passing ? 'server_error' : 'shape', what);
  }

  /** The text of an answer that says it is JSON. */
  async #json(response: Response, signal: AbortSignal): Promise<string> {
    const type = mediaTypeOf(response);
    if (type === 'application/json' || type === 'application/problem+json')
      return textOf(response, this.#limits, signal, this.label);
    response.body?.cancel().catch(() => undefined);
    throw faulty('media_type', `${this.label} answered ${response.status} without JSON.`);
  }
}

const mediaTypeOf = (response: Response): string =>
  (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** The text of an answer: no more of it is ever held than it may have. */
async function textOf(
  { body }: Response,
  { maxAnswerBytes, idleMs }: RemoteLimits,
  signal: AbortSignal,
  label: string,
): Promise<string> {
  if (body === null) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
  const pieces: string[] = [];
  let taken = 0;
  const silent = { ms: idleMs, fault: 'silent', what: `${label} went silent in the middle of a response.` } as const;
  try {
    for (;;) {
      const next = await within(reader.read(), signal, silent);
      if (next.done) break;
      taken += next.value.byteLength;
      if (taken > maxAnswerBytes) throw faulty('body_too_large', `An answer has more than ${maxAnswerBytes} bytes.`);
      pieces.push(decoded(decoder, next.value));
    }
    pieces.push(decoded(decoder));
    return pieces.join('');
  } catch (error) {
    if (error instanceof RemoteError) throw error;
    throw signal.aborted ? signal.reason : faulty('cut', `The answer of ${label} was cut off.`, { cause: error });
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

function decoded(decoder: TextDecoder, bytes?: Uint8Array): string {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
  } catch (error) {
    throw faulty('not_utf8', 'The answer is not UTF-8.', { cause: error });
  }
}

function baseOf(where: string, given: string, rules: Way['rules']): string {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined) invalidDefinition(`${where}: \`url\` is a whole URL, like https://research.example.`);
  const problem = urlProblem(url, rules);
  if (problem !== undefined) invalidDefinition(`${where}: \`url\` is not allowed. ${problem}`);
  if (given.includes('?') || given.includes('#'))
    invalidDefinition(
      `${where}: \`url\` must have no query and no fragment: secrets belong in \`token\` or \`headers\`.`,
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function checkHeaders(where: string, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (OWN_HEADERS.includes(name.toLowerCase()))
      invalidDefinition(`${where}: the header "${name}" is set by the transport.`);
    if (
      !/^[\w!#$%&'*+.^`|~-]+$/.test(name) ||
      /[^\t\x20-\x7e]/.test(value) ||
      value.length > WIRE_LIMITS.maxMetadataBytes
    )
      invalidDefinition(`${where}: the header "${name}" is not a header of printable ASCII characters.`);
  }
}
