/**
 * The client: the requests of the API by name, and the log followed live.
 *
 * Keeps J5, J6.
 */
import { reduce } from '../protocol/reduce';
import { type TreeView, viewFrom } from '../protocol/view';
import type { Acceptances, Bodies, Children, Document, Failures, Page, Transcript } from '../protocol/wire-types';
import { type Clock, realClock } from './again';
import { ClientError } from './errors';
import { type FollowEvent, type FollowOptions, follow } from './follow';
import { type Api, type ApiRequest, baseOf, fetchPath, openBody, requestJson } from './http';
import { post, POST_TIMEOUT_MS as TIMEOUT_MS } from './post';
import { randomHex } from './random';
import { type SocketClass, socketSource } from './socket-source';

/** Where a server is, and as whom it is asked. */
export interface ClientOptions {
  /** Such as `https://agents.example`; empty, or a path such as `/ai`, for a page that the server itself has sent. */
  readonly baseUrl: string;
  /** The bearer token, or a function that returns it: called for each request, and once more where that is answered with 401. */
  readonly token?: string | (() => string | Promise<string>);
  /** Default: `fetch` of the platform. */
  readonly fetch?: typeof fetch;
  /** Default: `WebSocket` of the platform, which Node has from 22 on. Only following over a socket needs it. */
  readonly WebSocket?: SocketClass;
  /** Time, for tests. */
  readonly clock?: Clock;
}

/** How a request is made. */
export interface CallOptions {
  /** Ends the wait; what was asked for may be done all the same. */
  readonly signal?: AbortSignal;
}

/** How a request that changes something is made. */
export interface ChangeOptions extends CallOptions {
  /**
   * The same key again never does anything twice, for 24 hours. Default: one for each call of this client, which repeats
   * it by itself for a minute where no answer comes.
   */
  readonly idempotencyKey?: string;
}

/** How a log is followed, and by which connection. */
export interface ClientFollowOptions extends FollowOptions {
  /** `sse` goes wherever `fetch` goes; `socket` takes none of the few connections that a page has. Default `sse`. */
  readonly over?: 'sse' | 'socket';
}

/** What has happened, and what is held after it. */
export interface Watched {
  readonly event: FollowEvent;
  readonly view: TreeView;
}

/** Which page of a list. */
export interface PageOptions extends CallOptions {
  readonly cursor?: string;
  /** Items; 100 by default, at most 500. */
  readonly limit?: number;
}

/** A start may wait for its run for 60 s, in ms. */
const START_TIMEOUT_MS = 90_000;
/** How long an upload may take, in ms: a day. The server ends one of which nothing comes any more. */
const UPLOAD_MS = 86_400_000;
/** How long the first byte of a file may take, in ms. */
const OPEN_MS = 30_000;

/** Fields as parameters: what is a list has commas between its items. */
const query = (given: object): string => {
  const pairs = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
};

/**
 * Makes a client of one server. Every method throws `Refused` with what the server's problem document says,
 * `Unreachable` when nothing answers, and the signal's reason when it aborts.
 * @example
 * const offshoot = createClient({ baseUrl: 'http://localhost:8787' });
 * await offshoot.start('/agents/planner/q1', { message: 'Plan a call.' });
 * for await (const { view } of offshoot.watch('/agents/planner/q1')) console.log(topAgents(view)[0]?.status);
 */
export function createClient(options: ClientOptions): Client {
  return new Client(options);
}

/**
 * A client of one server.
 * @example
 * const statusOf = async (offshoot: Client, address: string) => (await offshoot.status(address)).status;
 */
export class Client {
  readonly #api: Api;
  readonly #clock: Clock;
  readonly #socket: SocketClass | undefined;

  constructor({ baseUrl, token, fetch = globalThis.fetch, WebSocket, clock = realClock }: ClientOptions) {
    this.#api = { base: baseOf(baseUrl), fetch, ...(token === undefined ? {} : { token }) };
    this.#clock = clock;
    this.#socket = WebSocket ?? globalThis.WebSocket;
  }

  /**
   * Asks a path of the server like `fetch`, with this client's token: for doors that have clients of their own. A refusal is
   * an answer. A token that has run out is asked for once more.
   * @param path such as `/agents/planner/one/chat`
   */
  fetch(path: string, init?: RequestInit): Promise<Response> {
    return fetchPath(this.#api, path, init);
  }

  /** Starts a run; with `wait`, the status document at its end where it ends in time. */
  start(
    address: string,
    body: Bodies['start'],
    options?: ChangeOptions,
  ): Promise<Acceptances['start'] | Document<'status'>> {
    return this.#post(`${address}/start`, body, options, START_TIMEOUT_MS);
  }

  /** Sends a message: seen by the next step of a working agent, the first of a new turn otherwise. */
  send(address: string, body: Bodies['send'], options?: ChangeOptions): Promise<Acceptances['send']> {
    return this.#post(`${address}/messages`, body, options);
  }

  /** Stops a run so that it can be resumed. */
  interrupt(address: string, body: Bodies['stop'] = {}, options?: ChangeOptions): Promise<Acceptances['stop']> {
    return this.#post(`${address}/interrupt`, body, options);
  }

  /** Stops a run as failed. */
  abort(address: string, body: Bodies['stop'] = {}, options?: ChangeOptions): Promise<Acceptances['stop']> {
    return this.#post(`${address}/abort`, body, options);
  }

  /** Ends a session for good. */
  terminate(address: string, body: Bodies['stop'] = {}, options?: ChangeOptions): Promise<Acceptances['stop']> {
    return this.#post(`${address}/terminate`, body, options);
  }

  /** Goes on with an interrupted run. */
  resume(address: string, body: Bodies['resume'] = {}, options?: ChangeOptions): Promise<Acceptances['resume']> {
    return this.#post(`${address}/resume`, body, options);
  }

  /** Tries a failed run again. */
  retry(address: string, body: Bodies['resume'] = {}, options?: ChangeOptions): Promise<Acceptances['resume']> {
    return this.#post(`${address}/retry`, body, options);
  }

  /** Copies a root under another name; or a companion, with a first task for the copy. */
  fork(address: string, body: Bodies['fork'], options?: ChangeOptions): Promise<Acceptances['fork']> {
    return this.#post(`${address}/fork`, body, options);
  }

  /** Answers a call that waits for a person, at its agent or at any one above it. */
  answer(address: string, body: Bodies['answer'], options?: ChangeOptions): Promise<Acceptances['answer']> {
    return this.#post(`${address}/tool-results`, body, options);
  }

  /** Removes an agent with everything below it. */
  async remove(address: string, options: ChangeOptions = {}): Promise<void> {
    await this.#delete(address, options);
  }

  /** The status document. */
  status(address: string, options?: CallOptions): Promise<Document<'status'>> {
    return this.#get(`${address}/status`, options);
  }

  /** The agent and all below it. */
  tree(address: string, { depth, ...options }: CallOptions & { depth?: number } = {}): Promise<Document<'tree'>> {
    return this.#get(`${address}/tree${query({ depth })}`, options);
  }

  /** The runs of the session, oldest first. */
  runs(address: string, options: PageOptions = {}): Promise<Page<Document<'run'>>> {
    return this.#list(address, 'runs', options);
  }

  /** The sub-agents of the agent, oldest first; those of prompts with their entries of its registry. */
  children(address: string, options: PageOptions = {}): Promise<Children> {
    return this.#list(address, 'children', options);
  }

  /** The transcript, oldest first. With its last page a stream from `asOfSequence` + 1 goes on without a gap. */
  messages(address: string, options: PageOptions = {}): Promise<Transcript> {
    return this.#list(address, 'messages', options);
  }

  /** The tool calls of the session, oldest first, each with its one result. */
  calls(address: string, options: PageOptions = {}): Promise<Page<Document<'call'>>> {
    return this.#list(address, 'calls', options);
  }

  /** Model calls and tools with their times, attempts, tokens and errors, and the hooks that failed; oldest first. */
  logs(address: string, options: PageOptions = {}): Promise<Page<Document<'log'>>> {
    return this.#list(address, 'logs', options);
  }

  /** The steps that are committed, oldest first. */
  checkpoints(address: string, options: PageOptions = {}): Promise<Page<Document<'checkpoint'>>> {
    return this.#list(address, 'checkpoints', options);
  }

  /** Who did what to the agent, oldest first. */
  audit(address: string, options: PageOptions = {}): Promise<Page<Document<'audit'>>> {
    return this.#list(address, 'audit', options);
  }

  /** What is due at and below the agent, by time: ends of work, and ends of waits for an answer. */
  schedules(address: string, options: PageOptions = {}): Promise<Page<Document<'due'>>> {
    return this.#list(address, 'schedules', options);
  }

  /** The custom state of the session. */
  state(address: string, options?: CallOptions): Promise<Document<'state'>> {
    return this.#get(`${address}/state`, options);
  }

  /** The limits of the agent, how much of some is used, and the settings of its model. */
  limits(address: string, options?: CallOptions): Promise<Document<'limits'>> {
    return this.#get(`${address}/limits`, options);
  }

  /** What waits for a person at or below an address. */
  pending(address: string, options: PageOptions = {}): Promise<Page<Document<'pendingItem'>>> {
    return this.#list(address, 'pending', options);
  }

  /** The variables that a sub-agent waits for, by the id of the request that its call was told. */
  variables(address: string, requestId: string, options?: CallOptions): Promise<Acceptances['variables']> {
    return this.#get(partOf(address, 'variables', requestId), options);
  }

  /** Gives them: the sub-agent begins. */
  giveVariables(
    address: string,
    requestId: string,
    body: Bodies['giveVariables'],
    options?: ChangeOptions,
  ): Promise<Acceptances['giveVariables']> {
    return this.#post(partOf(address, 'variables', requestId), body, options);
  }

  /** What was spent. */
  usage(
    address: string,
    { includeSubAgents, ...options }: CallOptions & { includeSubAgents?: boolean } = {},
  ): Promise<Document<'usage'>> {
    return this.#get(`${address}/usage${query({ includeSubAgents })}`, options);
  }

  /** The files of an agent. */
  files(address: string, options: PageOptions & { prefix?: string } = {}): Promise<Page<Document<'file'>>> {
    return this.#ask(`${address}/files`, options);
  }

  /** The content of a file, unread: the caller reads or cancels it. */
  readFile(address: string, path: string, options: CallOptions = {}): Promise<Response> {
    const headers = { accept: '*/*' };
    return openBody(this.#api, partOf(address, 'files', path), { headers, timeoutMs: OPEN_MS, ...options });
  }

  /** Writes a file. */
  async writeFile(
    address: string,
    path: string,
    content: NonNullable<ApiRequest['bytes']>,
    { mediaType, signal }: CallOptions & { mediaType?: string } = {},
  ): Promise<Document<'file'>> {
    const headers: Record<string, string> = mediaType === undefined ? {} : { 'content-type': mediaType };
    const request = { method: 'PUT', bytes: content, headers, timeoutMs: UPLOAD_MS } as const;
    const response = await openBody(this.#api, partOf(address, 'files', path), {
      ...request,
      ...(signal && { signal }),
    });
    return response.json();
  }

  /** Removes a file. */
  async removeFile(address: string, path: string, options: ChangeOptions = {}): Promise<void> {
    await this.#delete(partOf(address, 'files', path), options);
  }

  /** Takes back a message by its id, as `send` gave it, that no step of the agent has seen yet. */
  async cancelMessage(address: string, messageId: string, options: ChangeOptions = {}): Promise<void> {
    await this.#delete(partOf(address, 'messages', messageId), options);
  }

  /** The documents that the agents of a root search: its own, the shared ones and those that are shipped. */
  documents(address: string, options?: CallOptions): Promise<{ readonly items: readonly Document<'document'>[] }> {
    return this.#get(`${address}/documents`, options);
  }

  /** Removes one of the root's own documents. */
  async removeDocument(address: string, name: string, options: ChangeOptions = {}): Promise<void> {
    await this.#delete(partOf(address, 'documents', name), options);
  }

  /** Puts a copy of one of the root's own documents where the agents of every root find it; it has a new name there. */
  shareDocument(address: string, document: string, options?: ChangeOptions): Promise<Document<'document'>> {
    return this.#post(`${address}/shared-documents`, { document }, options);
  }

  /** Takes a shared document away from every root. */
  async unshareDocument(address: string, name: string, options: ChangeOptions = {}): Promise<void> {
    const path = partOf(address, 'shared-documents', name);
    await this.#delete(path, options);
  }

  /** Makes a signed token for an agent and what is below it. Its text is given this once. */
  createToken(
    address: string,
    body: Bodies['createToken'],
    options?: ChangeOptions,
  ): Promise<Acceptances['createToken']> {
    return this.#post(`${address}/tokens`, body, options);
  }

  /** The tokens and tickets that were given for an agent and what is below it. */
  tokens(address: string, options: PageOptions = {}): Promise<Page<Document<'token'>>> {
    return this.#list(address, 'tokens', options);
  }

  /** Takes a token back, with those that were made by it. */
  async revokeToken(address: string, id: string, options: ChangeOptions = {}): Promise<void> {
    await this.#delete(partOf(address, 'tokens', id), options);
  }

  /** Makes a ticket that opens one socket within 60 s, as the parameter `ticket` of its URL or among its protocols. */
  createTicket(
    address: string,
    body: Bodies['createTicket'] = {},
    options?: ChangeOptions,
  ): Promise<Acceptances['createToken']> {
    return this.#post(`${address}/tickets`, body, options);
  }

  /** Who the server takes this client for, and what it may do at an address. Default: at `/directory`, or at its token's. */
  me({ address, ...options }: CallOptions & { address?: string } = {}): Promise<Document<'me'>> {
    return this.#get(`/directory/me${query({ address })}`, options);
  }

  /** A page of the log at and below the agent: from a sequence on, or back from one with `before` alone. */
  chunks(
    address: string,
    options: CallOptions & {
      from?: number;
      before?: number;
      limit?: number;
      types?: readonly string[];
    } = {},
  ): Promise<Document<'chunks'>> {
    return this.#ask(`${address}/chunks`, options);
  }

  /** The roots, the latest first by `sort`; `status` is one, or several with commas between them. */
  roots(
    options: PageOptions & {
      agent?: string;
      status?: string;
      tag?: string;
      q?: string;
      sort?: 'createdAt' | 'lastActivity';
    } = {},
  ): Promise<Page<Document<'root'>>> {
    return this.#ask('/directory/roots', options);
  }

  /** What waits for a person under any root, the one asked first at the front; `pending` of a root has the arguments. */
  allPending(
    options: PageOptions & { agent?: string; kind?: string; tool?: string } = {},
  ): Promise<Page<Document<'listedCall'>>> {
    return this.#ask('/directory/pending', options);
  }

  /** Runs that failed under any root, the newest first, with their causes; `since` is in ms since 1970. */
  allErrors(
    options: PageOptions & { agent?: string; cause?: string; type?: string; pattern?: string; since?: number } = {},
  ): Promise<Failures> {
    return this.#ask('/directory/errors', options);
  }

  /** Lasting and remote sub-agents of all roots, the last active first. */
  allChildren(
    options: PageOptions & {
      agent?: string;
      mode?: string;
      placement?: string;
      type?: string;
      q?: string;
      owing?: boolean;
    } = {},
  ): Promise<Page<Document<'listedChild'>>> {
    return this.#ask('/directory/children', options);
  }

  /** The types of agents, by name. */
  agents(options: PageOptions = {}): Promise<Page<Document<'agent'>>> {
    return this.#ask('/directory/agents', options);
  }

  /**
   * Follows the log of a subtree, each chunk once and in order, over any cut. Leave the iteration, or abort the signal,
   * to close the connection.
   */
  follow(
    address: string,
    { over = 'sse', ...options }: ClientFollowOptions = {},
  ): AsyncGenerator<FollowEvent, void, void> {
    const given = { clock: this.#clock, ...options };
    if (over === 'sse') return follow({ api: this.#api }, address, given);
    const Socket = this.#socket;
    if (Socket === undefined)
      throw new ClientError('This environment has no WebSocket: pass one to createClient, or follow over sse.');
    return follow({ api: this.#api, source: socketSource(this.#api, Socket) }, address, given);
  }

  /** Follows the log of a subtree and reduces it: after each event, what a client holds. */
  async *watch(address: string, options: ClientFollowOptions = {}): AsyncGenerator<Watched, void, void> {
    let view = viewFrom(options.from ?? 1);
    for await (const event of this.follow(address, options)) {
      if (event.type === 'reset') view = viewFrom(event.from);
      // The follower has closed every gap that can be closed.
      else if (event.type === 'chunk') view = reduce(view, event.entry, 'filtered').view;
      yield { event, view };
    }
  }

  #list<Answer extends object>(address: string, what: string, options: PageOptions): Promise<Answer> {
    return this.#ask(`${address}/${what}`, options);
  }

  /** A reading whose options beside the signal are its parameters. */
  #ask<Answer extends object>(path: string, { signal, ...asked }: CallOptions): Promise<Answer> {
    return this.#get(`${path}${query(asked)}`, signal && { signal });
  }

  async #get<Answer extends object>(path: string, { signal }: CallOptions = {}): Promise<Answer> {
    return await requestJson(this.#api, path, { timeoutMs: TIMEOUT_MS, ...(signal && { signal }) });
  }

  async #post<Answer extends object>(
    path: string,
    body: object | undefined,
    { idempotencyKey = randomHex(16), signal = new AbortController().signal }: ChangeOptions = {},
    timeoutMs = TIMEOUT_MS,
    method: 'POST' | 'DELETE' = 'POST',
  ): Promise<Answer> {
    // What cannot be JSON is refused by the server with the field's name.
    const request = { method, timeoutMs, ...(body === undefined ? {} : { body }) };
    return await post(this.#clock, this.#api, path, request, idempotencyKey, signal);
  }

  #delete(path: string, options?: ChangeOptions): Promise<object> {
    return this.#post(path, undefined, options, TIMEOUT_MS, 'DELETE');
  }
}

const partOf = (address: string, list: string, name: string): string =>
  `${address}/${list}/${encodeURIComponent(name)}`;
