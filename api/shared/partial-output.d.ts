import { E as Json, l as SequencedChunk } from "./chunks.js";
import { a as Failures, i as Document, n as Bodies, o as Page, r as Children, s as Transcript, t as Acceptances } from "./wire-types.js";
import { S as TreeView } from "./view.js";
/**
 * The base class of this client's errors. An aborted request throws the signal's reason instead.
 * @example
 * const shown = (error: unknown): string => (error instanceof ClientError ? error.message : 'It was stopped.');
 */
declare class ClientError extends Error {
  readonly name: string;
}
/**
 * Nothing answers, or the answer is not from an Offshoot server. A retry may succeed.
 * @example
 * const isAway = (error: unknown): boolean => error instanceof Unreachable;
 */
declare class Unreachable extends ClientError {
  readonly name = "Unreachable";
}
/**
 * The server's answer does not follow the protocol.
 * @example
 * const isOtherRelease = (error: unknown): boolean => error instanceof ProtocolError;
 */
declare class ProtocolError extends ClientError {
  readonly name = "ProtocolError";
  constructor(message: string);
}
/** The problem document of a refusal. */
interface Problem {
  /** The status of the HTTP response. */
  readonly status: number;
  /** Stable: handle errors by it. */
  readonly code: string;
  /** The category of the code, such as `input` or `limit`; empty if the server sent none. */
  readonly category: string;
  /** True if the same request may succeed later. */
  readonly retryable: boolean;
  /** Safe to show to anyone. */
  readonly title: string;
  /** Details for developers; empty if they say no more than the title. */
  readonly detail: string;
  /** Further facts, for example the recorded decision; null if there are none. */
  readonly details: Json;
  /** The id of the request in the server's log; empty if the server sent none. */
  readonly requestId: string;
}
/**
 * The server refused a request; has all fields of the problem document.
 * @example
 * const isGone = (error: unknown): boolean => error instanceof Refused && error.code === 'gone';
 */
declare class Refused extends ClientError implements Problem {
  readonly name = "Refused";
  readonly status: number;
  readonly code: string;
  readonly category: string;
  readonly retryable: boolean;
  readonly title: string;
  readonly detail: string;
  readonly details: Json;
  readonly requestId: string;
  constructor({ status, code, category, retryable, title, detail, details, requestId }: Problem);
}
/** The clock of a client. */
interface Clock {
  /** ms since 1970. */
  now(): number;
  /** Settles after that time, or at once when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}
/** A request. `timeoutMs` bounds the wait for the whole answer (for `openStream`: for its first byte). */
interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Sent as JSON. What cannot be JSON is refused by the server with the field's name. */
  readonly body?: object;
  /** Sent as they are, in the place of `body`. */
  readonly bytes?: Blob | ArrayBuffer | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}
/** An event of a followed log. No event is delivered twice. */
type FollowEvent =
/** The next chunk. `missing` is the number of chunks before it that the server no longer has. */
{
  readonly type: 'chunk';
  readonly entry: SequencedChunk;
  readonly missing: number;
} |
/** The log now begins at `from`; discard everything before it. */
{
  readonly type: 'reset';
  readonly from: number;
} |
/** All events so far have been delivered. */
{
  readonly type: 'up-to-date';
} |
/** The connection was lost, with the reason, or is open (again). */
{
  readonly type: 'connection';
  readonly problem?: string;
} |
/** The run has ended or is suspended, and all its events were delivered. The last event, unless `stay` is set. */
{
  readonly type: 'rest';
  readonly status: string;
};
/** Options for following a log. Times are in ms. */
interface FollowOptions {
  /** The first sequence number; to continue later, your last one plus 1. Default 1. */
  readonly from?: number;
  /** Ends the iteration, which throws the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Whether to continue after the run has ended or is suspended. `true` continues until the signal aborts or the agent
   * is gone. A function is called at each suspension; the iteration then ends with the run. Default false.
   */
  readonly stay?: boolean | ((status: string) => Promise<boolean>);
  /** Time that a connection may be silent before it counts as lost. Default 45 s: three heartbeats of the server. */
  readonly stallMs?: number;
  /** Time without a connection before `Unreachable` is thrown; Infinity tries forever. Default 60 s. */
  readonly giveUpMs?: number;
  /** A stricter validator for chunks. A chunk that it rejects ends the iteration. */
  readonly isChunk?: (chunk: Json) => boolean;
  /**
   * `false` omits the deltas of text, thinking and arguments. A view without them has no text of steps. Default true.
   */
  readonly deltas?: boolean;
  /** A clock, for tests. */
  readonly clock?: Clock;
}
/** A constructor of sockets: that of browsers, of Node 22 and newer, or of packages such as `ws`. */
type SocketClass = new (url: string, protocols: string[]) => {
  /** 1 if it is open, more if it is closing or closed. */
  readonly readyState: number;
  send(text: string): void;
  close(): void;
  addEventListener(type: 'message', listener: (event: {
    readonly data: unknown;
  }) => void): void;
  addEventListener(type: 'close', listener: (event: {
    readonly code: number;
  }) => void): void;
  addEventListener(type: 'error' | 'open', listener: () => void): void;
};
/** The address of a server, and the credentials for it. */
interface ClientOptions {
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
interface CallOptions {
  /** Ends the wait; the request may still take effect. */
  readonly signal?: AbortSignal;
}
/** Options of a request that changes something. */
interface ChangeOptions extends CallOptions {
  /**
   * The idempotency key: for 24 hours, a repeated key has no further effect. Default: a new key for each call. The
   * client retries with it for up to a minute until it gets a response.
   */
  readonly idempotencyKey?: string;
}
/** Options for following a log, with the kind of connection. */
interface ClientFollowOptions extends FollowOptions {
  /** `sse` works wherever `fetch` does; `socket` uses none of the few HTTP connections of a page. Default `sse`. */
  readonly over?: 'sse' | 'socket';
}
/** An event, and the view after it. */
interface Watched {
  readonly event: FollowEvent;
  readonly view: TreeView;
}
/** Options for a page of a list. */
interface PageOptions extends CallOptions {
  readonly cursor?: string;
  /** Items; 100 by default, at most 500. */
  readonly limit?: number;
}
/**
 * Creates a client of one server. Every method throws `Refused` with the server's problem document, `Unreachable` if
 * nothing answers, and the signal's reason when it aborts.
 * @example
 * const offshoot = createClient({ baseUrl: 'http://localhost:8787' });
 * await offshoot.start('/agents/planner/q1', { message: 'Plan a call.' });
 * for await (const { view } of offshoot.watch('/agents/planner/q1')) console.log(topAgents(view)[0]?.status);
 */
declare function createClient(options: ClientOptions): Client;
/**
 * A client of one server.
 * @example
 * const statusOf = async (offshoot: Client, address: string) => (await offshoot.status(address)).status;
 */
declare class Client {
  #private;
  constructor({ baseUrl, token, fetch, WebSocket, clock }: ClientOptions);
  /**
   * Sends a request to a path of the server like `fetch`, with this client's token: for doors with their own clients.
   * An error status is returned, not thrown. After a 401, the token is requested once more.
   * @param path such as `/agents/planner/one/chat`
   */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Starts a run. With `wait`, returns the status document once the run has ended, if it ends in time. */
  start(address: string, body: Bodies['start'], options?: ChangeOptions): Promise<Acceptances['start'] | Document<'status'>>;
  /** Sends a message. A working agent reads it in its next step; otherwise it starts a new turn. */
  send(address: string, body: Bodies['send'], options?: ChangeOptions): Promise<Acceptances['send']>;
  /** Stops a run so that it can be resumed. */
  interrupt(address: string, body?: Bodies['stop'], options?: ChangeOptions): Promise<Acceptances['stop']>;
  /** Aborts a run: it fails. */
  abort(address: string, body?: Bodies['stop'], options?: ChangeOptions): Promise<Acceptances['stop']>;
  /** Terminates a session. */
  terminate(address: string, body?: Bodies['stop'], options?: ChangeOptions): Promise<Acceptances['stop']>;
  /** Resumes an interrupted run. */
  resume(address: string, body?: Bodies['resume'], options?: ChangeOptions): Promise<Acceptances['resume']>;
  /** Retries a failed run. */
  retry(address: string, body?: Bodies['resume'], options?: ChangeOptions): Promise<Acceptances['resume']>;
  /** Copies a root under another name; or a companion, with a first task for the copy. */
  fork(address: string, body: Bodies['fork'], options?: ChangeOptions): Promise<Acceptances['fork']>;
  /** Answers a pending call, at its agent or any agent above it. */
  answer(address: string, body: Bodies['answer'], options?: ChangeOptions): Promise<Acceptances['answer']>;
  /** Removes an agent with everything below it. */
  remove(address: string, options?: ChangeOptions): Promise<void>;
  /** The status document. */
  status(address: string, options?: CallOptions): Promise<Document<'status'>>;
  /** The agent and all below it. */
  tree(address: string, { depth, ...options }?: CallOptions & {
    depth?: number;
  }): Promise<Document<'tree'>>;
  /** The runs of the session, oldest first. */
  runs(address: string, options?: PageOptions): Promise<Page<Document<'run'>>>;
  /** The sub-agents of the agent, oldest first; those of prompts with their registry entries. */
  children(address: string, options?: PageOptions): Promise<Children>;
  /** The transcript, oldest first. After its last page, a stream from `asOfSequence` + 1 continues without a gap. */
  messages(address: string, options?: PageOptions): Promise<Transcript>;
  /** The tool calls of the session, oldest first, each with its one result. */
  calls(address: string, options?: PageOptions): Promise<Page<Document<'call'>>>;
  /** Model calls and tools with times, attempts, tokens and errors, and failed hooks; oldest first. */
  logs(address: string, options?: PageOptions): Promise<Page<Document<'log'>>>;
  /** The committed steps, oldest first. */
  checkpoints(address: string, options?: PageOptions): Promise<Page<Document<'checkpoint'>>>;
  /** Actions on the agent with their callers, oldest first. */
  audit(address: string, options?: PageOptions): Promise<Page<Document<'audit'>>>;
  /** Deadlines at and below the agent, by time: of work and of answers. */
  schedules(address: string, options?: PageOptions): Promise<Page<Document<'due'>>>;
  /** The custom state of the session. */
  state(address: string, options?: CallOptions): Promise<Document<'state'>>;
  /** The limits of the agent with their current use, and the settings of its model. */
  limits(address: string, options?: CallOptions): Promise<Document<'limits'>>;
  /** The pending calls at and below an address. */
  pending(address: string, options?: PageOptions): Promise<Page<Document<'pendingItem'>>>;
  /** The variables that a sub-agent is waiting for, by the id of the request. */
  variables(address: string, requestId: string, options?: CallOptions): Promise<Acceptances['variables']>;
  /** Sets these variables, so that the sub-agent starts. */
  giveVariables(address: string, requestId: string, body: Bodies['giveVariables'], options?: ChangeOptions): Promise<Acceptances['giveVariables']>;
  /** Usage of an agent, or of its whole subtree. */
  usage(address: string, { includeSubAgents, ...options }?: CallOptions & {
    includeSubAgents?: boolean;
  }): Promise<Document<'usage'>>;
  /** The files of an agent. */
  files(address: string, options?: PageOptions & {
    prefix?: string;
  }): Promise<Page<Document<'file'>>>;
  /** The contents of a file as a stream. Read or cancel it. */
  readFile(address: string, path: string, options?: CallOptions): Promise<Response>;
  /** Writes a file. */
  writeFile(address: string, path: string, content: NonNullable<ApiRequest['bytes']>, { mediaType, signal }?: CallOptions & {
    mediaType?: string;
  }): Promise<Document<'file'>>;
  /** Removes a file. */
  removeFile(address: string, path: string, options?: ChangeOptions): Promise<void>;
  /** Cancels a message that no step of the agent has read yet, by the id that `send` returned. */
  cancelMessage(address: string, messageId: string, options?: ChangeOptions): Promise<void>;
  /** The documents that a root's agents search: its own, shared and shipped ones. */
  documents(address: string, options?: CallOptions): Promise<{
    readonly items: readonly Document<'document'>[];
  }>;
  /** Removes one of the root's own documents. */
  removeDocument(address: string, name: string, options?: ChangeOptions): Promise<void>;
  /** Shares a copy of one of the root's own documents with all roots, under a new name. */
  shareDocument(address: string, document: string, options?: ChangeOptions): Promise<Document<'document'>>;
  /** Stops sharing a document. */
  unshareDocument(address: string, name: string, options?: ChangeOptions): Promise<void>;
  /** Creates a signed token for an agent and everything below it. The token is returned only this once. */
  createToken(address: string, body: Bodies['createToken'], options?: ChangeOptions): Promise<Acceptances['createToken']>;
  /** The tokens and tickets issued for an agent and everything below it. */
  tokens(address: string, options?: PageOptions): Promise<Page<Document<'token'>>>;
  /** Revokes a token, with the tokens made with it. */
  revokeToken(address: string, id: string, options?: ChangeOptions): Promise<void>;
  /** Creates a ticket that opens one socket within 60 s. Send it in the URL parameter `ticket`, or in the protocols. */
  createTicket(address: string, body?: Bodies['createTicket'], options?: ChangeOptions): Promise<Acceptances['createToken']>;
  /**
   * The caller as the server identifies it, and its permissions at an address. Default: `/directory`, or the token's
   * address.
   */
  me({ address, ...options }?: CallOptions & {
    address?: string;
  }): Promise<Document<'me'>>;
  /** A page of the log at and below the agent: from a sequence number, or with `before`, back from one. */
  chunks(address: string, options?: CallOptions & {
    from?: number;
    before?: number;
    limit?: number;
    types?: readonly string[];
  }): Promise<Document<'chunks'>>;
  /** The roots, newest or most recently active first (`sort`); `status` is one status or several, comma-separated. */
  roots(options?: PageOptions & {
    agent?: string;
    status?: string;
    tag?: string;
    q?: string;
    sort?: 'createdAt' | 'lastActivity';
  }): Promise<Page<Document<'root'>>>;
  /** The pending calls of all roots, the oldest first; `pending` of a root has the arguments. */
  allPending(options?: PageOptions & {
    agent?: string;
    kind?: string;
    tool?: string;
  }): Promise<Page<Document<'listedCall'>>>;
  /** Failed runs under any root, newest first, with their causes; `since` is in ms since 1970. */
  allErrors(options?: PageOptions & {
    agent?: string;
    cause?: string;
    type?: string;
    pattern?: string;
    since?: number;
  }): Promise<Failures>;
  /** Companions and remote sub-agents of all roots, most recently active first. */
  allChildren(options?: PageOptions & {
    agent?: string;
    mode?: string;
    placement?: string;
    type?: string;
    q?: string;
    owing?: boolean;
  }): Promise<Page<Document<'listedChild'>>>;
  /** The agent types, by name. */
  agents(options?: PageOptions): Promise<Page<Document<'agent'>>>;
  /**
   * Follows the log of a subtree: each chunk once and in order, across lost connections. To close the connection, leave
   * the loop or abort the signal.
   */
  follow(address: string, { over, ...options }?: ClientFollowOptions): AsyncGenerator<FollowEvent, void, void>;
  /** Follows the log of a subtree, and yields each event with the view after it. */
  watch(address: string, options?: ClientFollowOptions): AsyncGenerator<Watched, void, void>;
}
/** A partial value: strings and lists may grow, and properties may be missing. */
type DeepPartial<Value> = Value extends string ? string : Value extends readonly (infer Item)[] ? readonly DeepPartial<Item>[] : Value extends object ? { readonly [Key in keyof Value]?: DeepPartial<Value[Key]>; } : Value;
/** An event, the view after it, and the output so far. */
interface WatchedOutput<Output = Json> extends Watched {
  /**
   * The typed output so far; complete once the run has completed. It is undefined at first and, without `deltas`, until
   * the end. A value that you have read does not change.
   */
  readonly partialOutput: DeepPartial<Output> | undefined;
}
/**
 * Follows an agent like the client's `watch`, with its typed output while the model writes it.
 * @example
 * const titles = async (offshoot: Client, address: string) => {
 *   for await (const { partialOutput } of watchOutput<{ title: string }>(offshoot, address))
 *     console.log(partialOutput?.title ?? '');
 * };
 */
declare function watchOutput<Output = Json>(client: Pick<Client, 'watch'>, address: string, options?: ClientFollowOptions): AsyncGenerator<WatchedOutput<Output>, void, void>;
export { Problem as _, ChangeOptions as a, Unreachable as b, ClientOptions as c, createClient as d, SocketClass as f, ClientError as g, Clock as h, CallOptions as i, PageOptions as l, FollowOptions as m, WatchedOutput as n, Client as o, FollowEvent as p, watchOutput as r, ClientFollowOptions as s, DeepPartial as t, Watched as u, ProtocolError as v, Refused as y };