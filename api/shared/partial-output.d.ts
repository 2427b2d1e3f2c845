import { E as Json, l as SequencedChunk } from "./chunks.js";
import { a as Failures, i as Document, n as Bodies, o as Page, r as Children, s as Transcript, t as Acceptances } from "./wire-types.js";
import { x as TreeView } from "./view.js";
/**
 * Whatever this client says that it could not do. What is aborted throws the signal's reason instead.
 * @example
 * const shown = (error: unknown): string => (error instanceof ClientError ? error.message : 'It was stopped.');
 */
declare class ClientError extends Error {
  readonly name: string;
}
/**
 * Nothing answers, or something that is no Offshoot server. May pass.
 * @example
 * const isAway = (error: unknown): boolean => error instanceof Unreachable;
 */
declare class Unreachable extends ClientError {
  readonly name = "Unreachable";
}
/**
 * The server answered, but not as the protocol says.
 * @example
 * const isOtherRelease = (error: unknown): boolean => error instanceof ProtocolError;
 */
declare class ProtocolError extends ClientError {
  readonly name = "ProtocolError";
  constructor(message: string);
}
/** What the problem document of a refusal says. */
interface Problem {
  /** Of the HTTP answer. */
  readonly status: number;
  /** Stable: handle errors by it. */
  readonly code: string;
  /** The kind of the code, such as `input` or `limit`; empty where the server named none. */
  readonly category: string;
  /** True where the same request may be answered later. */
  readonly retryable: boolean;
  /** Safe to show to anyone. */
  readonly title: string;
  /** For a developer; empty where it says no more than the title. */
  readonly detail: string;
  /** What is known beyond it, for example the decision that was recorded; null for nothing. */
  readonly details: Json;
  /** Names the request in the server's log; empty where the server named none. */
  readonly requestId: string;
}
/**
 * The server refused a request: all that its problem document says.
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
/** What a client needs of time. */
interface Clock {
  /** ms since 1970. */
  now(): number;
  /** Settles after that time, at once when the signal aborts. */
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
/** What is told of a log that is followed. Nothing is told twice. */
type FollowEvent =
/** The next chunk. `missing` is how many sequences before it the server does not give any more. */
{
  readonly type: 'chunk';
  readonly entry: SequencedChunk;
  readonly missing: number;
} |
/** What was held before `from` is void: the log begins there now. */
{
  readonly type: 'reset';
  readonly from: number;
} |
/** All that has happened so far was told. */
{
  readonly type: 'up-to-date';
} |
/** The connection was lost, with the reason, or is there (again). */
{
  readonly type: 'connection';
  readonly problem?: string;
} |
/** The run has ended or is suspended, and all of it was told; the last event unless it is followed on. */
{
  readonly type: 'rest';
  readonly status: string;
};
/** How a log is followed. Times are in ms. */
interface FollowOptions {
  /** The first sequence; after a cut of one's own, the last one held plus 1. Default 1. */
  readonly from?: number;
  /** Ends it: the iteration throws the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Whether to follow on when the run has ended or is suspended. `true` follows until the signal aborts or the agent is
   * gone; a function is asked at each suspension, and the end of the run is the end. Default false.
   */
  readonly stay?: boolean | ((status: string) => Promise<boolean>);
  /** Without a sign of life for so long, a connection counts as lost: three heartbeats of the server. Default 45 s. */
  readonly stallMs?: number;
  /** Without a connection for so long, the server counts as gone; Infinity waits for ever. Default 60 s. */
  readonly giveUpMs?: number;
  /** A check of each chunk that is stricter than that of its envelope; what it refuses ends the iteration. */
  readonly isChunk?: (chunk: Json) => boolean;
  /**
   * `false` leaves out the pieces of texts, thinking and arguments that are still being written. A view that is made
   * without them has no text of steps. Default true.
   */
  readonly deltas?: boolean;
  /** Time, for tests. */
  readonly clock?: Clock;
}
/** What makes a socket: the constructor of browsers, of Node from 22 on, and of packages such as `ws`. */
type SocketClass = new (url: string, protocols: string[]) => {
  /** 1 where it is open, more where it closes or has closed. */
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
/** Where a server is, and as whom it is asked. */
interface ClientOptions {
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
interface CallOptions {
  /** Ends the wait; what was asked for may be done all the same. */
  readonly signal?: AbortSignal;
}
/** How a request that changes something is made. */
interface ChangeOptions extends CallOptions {
  /**
   * The same key again never does anything twice, for 24 hours. Default: one for each call of this client, which repeats
   * it by itself for a minute where no answer comes.
   */
  readonly idempotencyKey?: string;
}
/** How a log is followed, and by which connection. */
interface ClientFollowOptions extends FollowOptions {
  /** `sse` goes wherever `fetch` goes; `socket` takes none of the few connections that a page has. Default `sse`. */
  readonly over?: 'sse' | 'socket';
}
/** What has happened, and what is held after it. */
interface Watched {
  readonly event: FollowEvent;
  readonly view: TreeView;
}
/** Which page of a list. */
interface PageOptions extends CallOptions {
  readonly cursor?: string;
  /** Items; 100 by default, at most 500. */
  readonly limit?: number;
}
/**
 * Makes a client of one server. Every method throws `Refused` with what the server's problem document says,
 * `Unreachable` when nothing answers, and the signal's reason when it aborts.
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
   * Asks a path of the server like `fetch`, with this client's token: for doors that have clients of their own. A refusal is
   * an answer. A token that has run out is asked for once more.
   * @param path such as `/agents/planner/one/chat`
   */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Starts a run; with `wait`, the status document at its end where it ends in time. */
  start(address: string, body: Bodies['start'], options?: ChangeOptions): Promise<Acceptances['start'] | Document<'status'>>;
  /** Sends a message: seen by the next step of a working agent, the first of a new turn otherwise. */
  send(address: string, body: Bodies['send'], options?: ChangeOptions): Promise<Acceptances['send']>;
  /** Stops a run so that it can be resumed. */
  interrupt(address: string, body?: Bodies['stop'], options?: ChangeOptions): Promise<Acceptances['stop']>;
  /** Stops a run as failed. */
  abort(address: string, body?: Bodies['stop'], options?: ChangeOptions): Promise<Acceptances['stop']>;
  /** Ends a session for good. */
  terminate(address: string, body?: Bodies['stop'], options?: ChangeOptions): Promise<Acceptances['stop']>;
  /** Goes on with an interrupted run. */
  resume(address: string, body?: Bodies['resume'], options?: ChangeOptions): Promise<Acceptances['resume']>;
  /** Tries a failed run again. */
  retry(address: string, body?: Bodies['resume'], options?: ChangeOptions): Promise<Acceptances['resume']>;
  /** Copies a root under another name; or a companion, with a first task for the copy. */
  fork(address: string, body: Bodies['fork'], options?: ChangeOptions): Promise<Acceptances['fork']>;
  /** Answers a call that waits for a person, at its agent or at any one above it. */
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
  /** The sub-agents of the agent, oldest first; those of prompts with their entries of its registry. */
  children(address: string, options?: PageOptions): Promise<Children>;
  /** The transcript, oldest first. With its last page a stream from `asOfSequence` + 1 goes on without a gap. */
  messages(address: string, options?: PageOptions): Promise<Transcript>;
  /** The tool calls of the session, oldest first, each with its one result. */
  calls(address: string, options?: PageOptions): Promise<Page<Document<'call'>>>;
  /** Model calls and tools with their times, attempts, tokens and errors, and the hooks that failed; oldest first. */
  logs(address: string, options?: PageOptions): Promise<Page<Document<'log'>>>;
  /** The steps that are committed, oldest first. */
  checkpoints(address: string, options?: PageOptions): Promise<Page<Document<'checkpoint'>>>;
  /** Who did what to the agent, oldest first. */
  audit(address: string, options?: PageOptions): Promise<Page<Document<'audit'>>>;
  /** What is due at and below the agent, by time: ends of work, and ends of waits for an answer. */
  schedules(address: string, options?: PageOptions): Promise<Page<Document<'due'>>>;
  /** The custom state of the session. */
  state(address: string, options?: CallOptions): Promise<Document<'state'>>;
  /** The limits of the agent, how much of some is used, and the settings of its model. */
  limits(address: string, options?: CallOptions): Promise<Document<'limits'>>;
  /** What waits for a person at or below an address. */
  pending(address: string, options?: PageOptions): Promise<Page<Document<'pendingItem'>>>;
  /** The variables that a sub-agent waits for, by the id of the request that its call was told. */
  variables(address: string, requestId: string, options?: CallOptions): Promise<Acceptances['variables']>;
  /** Gives them: the sub-agent begins. */
  giveVariables(address: string, requestId: string, body: Bodies['giveVariables'], options?: ChangeOptions): Promise<Acceptances['giveVariables']>;
  /** What was spent. */
  usage(address: string, { includeSubAgents, ...options }?: CallOptions & {
    includeSubAgents?: boolean;
  }): Promise<Document<'usage'>>;
  /** The files of an agent. */
  files(address: string, options?: PageOptions & {
    prefix?: string;
  }): Promise<Page<Document<'file'>>>;
  /** The content of a file, unread: the caller reads or cancels it. */
  readFile(address: string, path: string, options?: CallOptions): Promise<Response>;
  /** Writes a file. */
  writeFile(address: string, path: string, content: NonNullable<ApiRequest['bytes']>, { mediaType, signal }?: CallOptions & {
    mediaType?: string;
  }): Promise<Document<'file'>>;
  /** Removes a file. */
  removeFile(address: string, path: string, options?: ChangeOptions): Promise<void>;
  /** Takes back a message by its id, as `send` gave it, that no step of the agent has seen yet. */
  cancelMessage(address: string, messageId: string, options?: ChangeOptions): Promise<void>;
  /** The documents that the agents of a root search: its own, the shared ones and those that are shipped. */
  documents(address: string, options?: CallOptions): Promise<{
    readonly items: readonly Document<'document'>[];
  }>;
  /** Removes one of the root's own documents. */
  removeDocument(address: string, name: string, options?: ChangeOptions): Promise<void>;
  /** Puts a copy of one of the root's own documents where the agents of every root find it; it has a new name there. */
  shareDocument(address: string, document: string, options?: ChangeOptions): Promise<Document<'document'>>;
  /** Takes a shared document away from every root. */
  unshareDocument(address: string, name: string, options?: ChangeOptions): Promise<void>;
  /** Makes a signed token for an agent and what is below it. Its text is given this once. */
  createToken(address: string, body: Bodies['createToken'], options?: ChangeOptions): Promise<Acceptances['createToken']>;
  /** The tokens and tickets that were given for an agent and what is below it. */
  tokens(address: string, options?: PageOptions): Promise<Page<Document<'token'>>>;
  /** Takes a token back, with those that were made by it. */
  revokeToken(address: string, id: string, options?: ChangeOptions): Promise<void>;
  /** Makes a ticket that opens one socket within 60 s, as the parameter `ticket` of its URL or among its protocols. */
  createTicket(address: string, body?: Bodies['createTicket'], options?: ChangeOptions): Promise<Acceptances['createToken']>;
  /** Who the server takes this client for, and what it may do at an address. Default: at `/directory`, or at its token's. */
  me({ address, ...options }?: CallOptions & {
    address?: string;
  }): Promise<Document<'me'>>;
  /** A page of the log at and below the agent: from a sequence on, or back from one with `before` alone. */
  chunks(address: string, options?: CallOptions & {
    from?: number;
    before?: number;
    limit?: number;
    types?: readonly string[];
  }): Promise<Document<'chunks'>>;
  /** The roots, the latest first by `sort`; `status` is one, or several with commas between them. */
  roots(options?: PageOptions & {
    agent?: string;
    status?: string;
    tag?: string;
    q?: string;
    sort?: 'createdAt' | 'lastActivity';
  }): Promise<Page<Document<'root'>>>;
  /** What waits for a person under any root, the one asked first at the front; `pending` of a root has the arguments. */
  allPending(options?: PageOptions & {
    agent?: string;
    kind?: string;
    tool?: string;
  }): Promise<Page<Document<'listedCall'>>>;
  /** Runs that failed under any root, the newest first, with their causes; `since` is in ms since 1970. */
  allErrors(options?: PageOptions & {
    agent?: string;
    cause?: string;
    type?: string;
    pattern?: string;
    since?: number;
  }): Promise<Failures>;
  /** Lasting and remote sub-agents of all roots, the last active first. */
  allChildren(options?: PageOptions & {
    agent?: string;
    mode?: string;
    placement?: string;
    type?: string;
    q?: string;
    owing?: boolean;
  }): Promise<Page<Document<'listedChild'>>>;
  /** The types of agents, by name. */
  agents(options?: PageOptions): Promise<Page<Document<'agent'>>>;
  /**
   * Follows the log of a subtree, each chunk once and in order, over any cut. Leave the iteration, or abort the signal,
   * to close the connection.
   */
  follow(address: string, { over, ...options }?: ClientFollowOptions): AsyncGenerator<FollowEvent, void, void>;
  /** Follows the log of a subtree and reduces it: after each event, what a client holds. */
  watch(address: string, options?: ClientFollowOptions): AsyncGenerator<Watched, void, void>;
}
/** A value of which parts may be missing: texts and lists may grow, and each property may come later. */
type DeepPartial<Value> = Value extends string ? string : Value extends readonly (infer Item)[] ? readonly DeepPartial<Item>[] : Value extends object ? { readonly [Key in keyof Value]?: DeepPartial<Value[Key]>; } : Value;
/** An event, the view after it, and the output as far as it is known. */
interface WatchedOutput<Output = Json> extends Watched {
  /**
   * The typed output as far as the agent has written it, and the output itself once the run has completed; undefined before
   * any of it is known, and without `deltas` until then. A value that was read changes no more.
   */
  readonly partialOutput: DeepPartial<Output> | undefined;
}
/**
 * Follows an agent as `watch` of a client does, with its typed output while that is written.
 * @example
 * const titles = async (offshoot: Client, address: string) => {
 *   for await (const { partialOutput } of watchOutput<{ title: string }>(offshoot, address))
 *     console.log(partialOutput?.title ?? '');
 * };
 */
declare function watchOutput<Output = Json>(client: Pick<Client, 'watch'>, address: string, options?: ClientFollowOptions): AsyncGenerator<WatchedOutput<Output>, void, void>;
export { Problem as _, ChangeOptions as a, Unreachable as b, ClientOptions as c, createClient as d, SocketClass as f, ClientError as g, Clock as h, CallOptions as i, PageOptions as l, FollowOptions as m, WatchedOutput as n, Client as o, FollowEvent as p, watchOutput as r, ClientFollowOptions as s, DeepPartial as t, Watched as u, ProtocolError as v, Refused as y };