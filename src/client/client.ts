/**
 * The client: the requests of the API by name, and the log followed live.
 *
 * Keeps J5, J6.
 */
import { type TreeView, viewFrom } from '../protocol/view/view';
import type { Acceptances, Bodies, Children, Document, Failures, Page, Transcript } from '../protocol/wire/wire-types';
import { type Clock, realClock } from './again';
import { ClientError } from './errors';
import { type FollowEvent, type FollowOptions, follow, viewAfter } from './follow';
import { type Api, type ApiRequest, baseOf, fetchPath, openBody, requestJson } from './http';
import { post, POST_TIMEOUT_MS as TIMEOUT_MS } from './post';
import { randomHex } from './random';
import { type SocketClass, socketSource } from './socket-source';

/** The address of a server, and the credentials for it. */
export interface ClientOptions {
  /**
   * The base URL, such as `https://agents.example`. For a page from the same server: empty, or a path such as `/ai`.
   */
  readonly baseUrl: string;
  /** The bearer token, or a function that returns it, called for each request and once more after a 401. */
  readonly token?: string | (() => string | Promise<string>);
  /** Default: the platform's `fetch`. */
  readonly fetch?: typeof fetch;
  /** Default: the platform's `WebSocket`, which Node has from version 22. Needed only to follow over a socket. */
  readonly WebSocket?: SocketClass;
  /** A clock, for tests. */
  readonly clock?: Clock;
}

/** Options of a request. */
export interface CallOptions {
  /** Ends the wait; the request may still take effect. */
  readonly signal?: AbortSignal;
}

/** Options of a request that changes something. */
export interface ChangeOptions extends CallOptions {
  /**
   * The idempotency key: for 24 hours, a repeated key has no further effect. Default: a new key for each call. The
   * client retries with it for up to a minute until it gets a response.
   */
  readonly idempotencyKey?: string;
}

/** Options for following a log, with the kind of connection. */
export interface ClientFollowOptions extends FollowOptions {
  /** `sse` works wherever `fetch` does; `socket` uses none of the few HTTP connections of a page. Default `sse`. */
  readonly over?: 'sse' | 'socket';
}

/** An event, and the view after it. */
export interface Watched {
  readonly event: FollowEvent;
  readonly view: TreeView;
}

/** Options for a page of a list. */
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
 * Creates a client of one server. Every method throws `Refused` with the server's problem document, `Unreachable` if
 * nothing answers, and the signal's reason when it aborts.
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
   * Sends a request to a path of the server like `fetch`, with this client's token: for doors with their own clients.
   * An error status is returned, not thrown. After a 401, the token is requested once more.
   * @param path such as `/agents/planner/one/chat`
   */
  fetch(path: string, init?: RequestInit): Promise<Response> {
    return fetchPath(this.#api, path, init);
  }

  /** Starts a run. With `wait`, returns the status document once the run has ended, if it ends in time. */
  start(
    address: string,
    body: Bodies['start'],
    options?: ChangeOptions,
  ): Promise<Acceptances['start'] | Document<'status'>> {
    return this.#post(`${address}/start`, body, options, START_TIMEOUT_MS);
  }

  /** Sends a message. A working agent reads it in its next step; otherwise it starts a new turn. */
  send(address: string, body: Bodies['send'], options?: ChangeOptions): Promise<Acceptances['send']> {
    return this.#post(`${address}/messages`, body, options);
  }

  /** Stops a run so that it can be resumed. */
  interrupt(address: string, body: Bodies['stop'] = {}, options?: ChangeOptions): Promise<Acceptances['stop']> {
    return this.#post(`${address}/interrupt`, body, options);
  }

  /** Aborts a run: it fails. */
  abort(address: string, body: Bodies['stop'] = {}, options?: ChangeOptions): Promise<Acceptances['stop']> {
    return this.#post(`${address}/abort`, body, options);
  }

  /** Terminates a session. */
  terminate(address: string, body: Bodies['stop'] = {}, options?: ChangeOptions): Promise<Acceptances['stop']> {
    return this.#post(`${address}/terminate`, body, options);
  }

  /** Resumes an interrupted run. */
  resume(address: string, body: Bodies['resume'] = {}, options?: ChangeOptions): Promise<Acceptances['resume']> {
    return this.#post(`${address}/resume`, body, options);
  }

  /** Retries a failed run. */
  retry(address: string, body: Bodies['resume'] = {}, options?: ChangeOptions): Promise<Acceptances['resume']> {
    return this.#post(`${address}/retry`, body, options);
  }

  /** Copies a root under another name; or a companion, with a first task for the copy. */
  fork(address: string, body: Bodies['fork'], options?: ChangeOptions): Promise<Acceptances['fork']> {
    return this.#post(`${address}/fork`, body, options);
  }

  /** Answers a pending call, at its agent or any agent above it. */
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

  /** The sub-agents of the agent, oldest first; those of prompts with their registry entries. */
  children(address: string, options: PageOptions = {}): Promise<Children> {
    return this.#list(address, 'children', options);
  }

  /** The transcript, oldest first. After its last page, a stream from `asOfSequence` + 1 continues without a gap. */
  messages(address: string, options: PageOptions = {}): Promise<Transcript> {
    return this.#list(address, 'messages', options);
  }

  /** The tool calls of the session, oldest first, each with its one result. */
  calls(address: string, options: PageOptions = {}): Promise<Page<Document<'call'>>> {
    return this.#list(address, 'calls', options);
  }

  /** Model calls and tools with times, attempts, tokens and errors, and failed hooks; oldest first. */
  logs(address: string, options: PageOptions = {}): Promise<Page<Document<'log'>>> {
    return this.#list(address, 'logs', options);
  }

  /** The committed steps, oldest first. */
  checkpoints(address: string, options: PageOptions = {}): Promise<Page<Document<'checkpoint'>>> {
    return this.#list(address, 'checkpoints', options);
  }

  /** Actions on the agent with their callers, oldest first. */
  audit(address: string, options: PageOptions = {}): Promise<Page<Document<'audit'>>> {
    return this.#list(address, 'audit', options);
  }

  /** Deadlines at and below the agent, by time: of work and of answers. */
  schedules(address: string, options: PageOptions = {}): Promise<Page<Document<'due'>>> {
    return this.#list(address, 'schedules', options);
  }

  /** The custom state of the session. */
  state(address: string, options?: CallOptions): Promise<Document<'state'>> {
    return this.#get(`${address}/state`, options);
  }

  /** The limits of the agent with their current use, and the settings of its model. */
  limits(address: string, options?: CallOptions): Promise<Document<'limits'>> {
    return this.#get(`${address}/limits`, options);
  }

  /** The pending calls at and below an address. */
  pending(address: string, options: PageOptions = {}): Promise<Page<Document<'pendingItem'>>> {
    return this.#list(address, 'pending', options);
  }

  /** The variables that a sub-agent is waiting for, by the id of the request. */
  variables(address: string, requestId: string, options?: CallOptions): Promise<Acceptances['variables']> {
    return this.#get(partOf(address, 'variables', requestId), options);
  }

  /** Sets these variables, so that the sub-agent starts. */
  giveVariables(
    address: string,
    requestId: string,
    body: Bodies['giveVariables'],
    options?: ChangeOptions,
  ): Promise<Acceptances['giveVariables']> {
    return this.#post(partOf(address, 'variables', requestId), body, options);
  }

  /** Usage of an agent, or of its whole subtree. */
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

  /** The contents of a file as a stream. Read or cancel it. */
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

  /** Cancels a message that no step of the agent has read yet, by the id that `send` returned. */
  async cancelMessage(address: string, messageId: string, options: ChangeOptions = {}): Promise<void> {
    await this.#delete(partOf(address, 'messages', messageId), options);
  }

  /** The documents that a root's agents search: its own, shared and shipped ones. */
  documents(address: string, options?: CallOptions): Promise<{ readonly items: readonly Document<'document'>[] }> {
    return this.#get(`${address}/documents`, options);
  }

  /** Removes one of the root's own documents. */
  async removeDocument(address: string, name: string, options: ChangeOptions = {}): Promise<void> {
    await this.#delete(partOf(address, 'documents', name), options);
  }

  /** Shares a copy of one of the root's own documents with all roots, under a new name. */
  shareDocument(address: string, document: string, options?: ChangeOptions): Promise<Document<'document'>> {
    return this.#post(`${address}/shared-documents`, { document }, options);
  }

  /** Stops sharing a document. */
  async unshareDocument(address: string, name: string, options: ChangeOptions = {}): Promise<void> {
    const path = partOf(address, 'shared-documents', name);
    await this.#delete(path, options);
  }

  /** Creates a signed token for an agent and everything below it. The token is returned only this once. */
  createToken(
    address: string,
    body: Bodies['createToken'],
    options?: ChangeOptions,
  ): Promise<Acceptances['createToken']> {
    return this.#post(`${address}/tokens`, body, options);
  }

  /** The tokens and tickets issued for an agent and everything below it. */
  tokens(address: string, options: PageOptions = {}): Promise<Page<Document<'token'>>> {
    return this.#list(address, 'tokens', options);
  }

  /** Revokes a token, with the tokens made with it. */
  async revokeToken(address: string, id: string, options: ChangeOptions = {}): Promise<void> {
    await this.#delete(partOf(address, 'tokens', id), options);
  }

  /** Creates a ticket that opens one socket within 60 s. Send it in the URL parameter `ticket`, or in the protocols. */
  createTicket(
    address: string,
    body: Bodies['createTicket'] = {},
    options?: ChangeOptions,
  ): Promise<Acceptances['createToken']> {
    return this.#post(`${address}/tickets`, body, options);
  }

  /**
   * The caller as the server identifies it, and its permissions at an address. Default: `/directory`, or the token's
   * address.
   */
  me({ address, ...options }: CallOptions & { address?: string } = {}): Promise<Document<'me'>> {
    return this.#get(`/directory/me${query({ address })}`, options);
  }

  /** A page of the log at and below the agent: from a sequence number, or with `before`, back from one. */
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

  /** The roots, newest or most recently active first (`sort`); `status` is one status or several, comma-separated. */
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

  /** The pending calls of all roots, the oldest first; `pending` of a root has the arguments. */
  allPending(
    options: PageOptions & { agent?: string; kind?: string; tool?: string } = {},
  ): Promise<Page<Document<'listedCall'>>> {
    return this.#ask('/directory/pending', options);
  }

  /** Failed runs under any root, newest first, with their causes; `since` is in ms since 1970. */
  allErrors(
    options: PageOptions & { agent?: string; cause?: string; type?: string; pattern?: string; since?: number } = {},
  ): Promise<Failures> {
    return this.#ask('/directory/errors', options);
  }

  /** Companions and remote sub-agents of all roots, most recently active first. */
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

  /** The agent types, by name. */
  agents(options: PageOptions = {}): Promise<Page<Document<'agent'>>> {
    return this.#ask('/directory/agents', options);
  }

  /**
   * Follows the log of a subtree: each chunk once and in order, across lost connections. To close the connection, leave
   * the loop or abort the signal.
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

  /** Follows the log of a subtree, and yields each event with the view after it. */
  async *watch(address: string, options: ClientFollowOptions = {}): AsyncGenerator<Watched, void, void> {
    let view = viewFrom(options.from ?? 1);
    for await (const event of this.follow(address, options)) {
      if (event.type === 'reset') view = viewFrom(event.from);
      // The follower has closed every gap that can be closed.
      else if (event.type === 'chunk') view = viewAfter(view, event);
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
