import { a as RemoteBounds, c as RemoteError, d as RemoteFault, f as RemoteRefusal, i as RemoteAnswer, l as RemoteErrorCode, n as RemoteAgent, o as RemoteCall, r as RemoteAgentTransport, s as RemoteCaller, t as REMOTE_ERRORS, u as RemoteEvent } from "./shared/remote-transport.js";
/** Limits for the data that a remote side may send. Whole numbers from 1 on. */
interface RemoteLimits extends RemoteBounds {
  /** One response, in bytes; over a binding, in bytes of its JSON. 4 MiB by default. */
  readonly maxAnswerBytes: number;
  /** Nesting of arrays and objects, in a response or in an event of the stream. 110 by default. */
  readonly maxDepth: number;
  /** One line or one event of the stream, in characters. 16 Mi by default: no valid chunk is longer. */
  readonly maxEventCharacters: number;
  /** The data of one connection to the stream, in bytes; a longer log takes several connections. 1 GiB by default. */
  readonly maxStreamBytes: number;
  /** Time from a call to the end of its response, in ms. 30 s by default. */
  readonly callMs: number;
  /** Time until a stream begins, in ms. 15 s by default. */
  readonly openMs: number;
  /** Time between two pieces of a response or a stream, in ms. 45 s by default: three heartbeat comments. */
  readonly idleMs: number;
  /** Duration of one connection to the stream, in ms; another connection then continues. An hour by default. */
  readonly streamMs: number;
}
/** The default limits of a transport. */
export declare const REMOTE_LIMITS: RemoteLimits;
/** Options of `AgentToolTransport`. */
interface AgentToolTransportOptions {
  /** The namespace of the agent's class: a binding (`env.SCOUT`). */
  readonly namespace: {
    getByName(name: string): unknown;
  } | undefined;
  /** Its label in references and in the console; `agent tool` by default. */
  readonly label?: string;
  readonly limits?: Partial<RemoteLimits>;
}
/**
 * Uses agents of the `agents` package that are Durable Objects of this Worker as sub-agents for one call. They start
 * and stop like others, and their output is in the log once they have ended. They take no messages, cannot resume after
 * a stop, cannot ask a person through this tree, and do not report usage.
 * @throws RemoteError `remote_not_configured` if the namespace is missing
 * @throws OffshootError `invalid_definition` for invalid limits
 * @example
 * const transport = (env: { SCOUT: DurableObjectNamespace }) => new AgentToolTransport({ namespace: env.SCOUT });
 */
export declare class AgentToolTransport implements RemoteAgentTransport {
  #private;
  readonly label: string;
  readonly bounds: RemoteBounds;
  constructor(options: AgentToolTransportOptions);
  call(request: RemoteCall): Promise<RemoteAnswer>;
  stream({ agent, from, signal: given }: {
    readonly agent: RemoteAgent;
    readonly from: number;
    readonly signal: AbortSignal;
  }): AsyncGenerator<RemoteEvent>;
}
/** Options of `ServiceBindingTransport`. */
interface ServiceBindingOptions {
  /** The binding, `env.RESEARCH`: a service with the entrypoint `OffshootRpc`. */
  readonly binding: object | undefined;
  /** Its label in references and in the console; `binding` by default. */
  readonly label?: string;
  readonly limits?: Partial<RemoteLimits>;
}
/**
 * Reaches agents of another Worker of the same account over a service binding. Its data is checked and limited as over
 * HTTP.
 * @throws RemoteError `remote_not_configured` if the binding is missing
 * @throws OffshootError `invalid_definition` for invalid limits
 * @example
 * const transport = (env: { RESEARCH: Service<OffshootRpc> }) => new ServiceBindingTransport({ binding: env.RESEARCH });
 */
export declare class ServiceBindingTransport implements RemoteAgentTransport {
  #private;
  readonly label: string;
  readonly bounds: RemoteBounds;
  constructor(options: ServiceBindingOptions);
  call(request: RemoteCall): Promise<RemoteAnswer>;
  stream(request: {
    readonly agent: RemoteAgent;
    readonly from: number;
    readonly signal: AbortSignal;
  }): AsyncGenerator<RemoteEvent>;
}
/** The URL of a remote server, and the credentials for it. */
interface HttpRemoteOptions {
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
/**
 * Reaches agents of another server by its URL. Everything that it sends is checked and limited. At most 3 redirects are
 * followed, only to allowed URLs, and secrets are never sent to another origin.
 * @throws OffshootError `invalid_definition` for a URL that is not allowed, or invalid headers or limits
 * @throws RemoteError `remote_not_configured` for an empty token
 * @example
 * const transport = (env: { RESEARCH_TOKEN: string }) =>
 *   new HttpRemoteAgentTransport({ url: 'https://research.example', token: env.RESEARCH_TOKEN });
 */
export declare class HttpRemoteAgentTransport implements RemoteAgentTransport {
  #private;
  readonly label: string;
  readonly bounds: RemoteBounds;
  constructor(options: HttpRemoteOptions);
  call({ verb, agent, body, idempotencyKey, caller, signal: given }: RemoteCall): Promise<RemoteAnswer>;
  stream({ agent, from, signal }: {
    readonly agent: RemoteAgent;
    readonly from: number;
    readonly signal: AbortSignal;
  }): AsyncGenerator<RemoteEvent>;
}
/** Options of `ObjectTransport`. */
interface ObjectTransportOptions {
  /**
   * The namespace of the agent's class: a binding (`env.RESEARCHER`, `env.OFFSHOOT_AGENT`), or its entry in
   * `ctx.exports`.
   */
  readonly namespace: {
    getByName(name: string): unknown;
  } | undefined;
  /** Its label in references and in the console; `object` by default. */
  readonly label?: string;
  readonly limits?: Partial<RemoteLimits>;
}
/**
 * Reaches agents that are roots of this Worker, each in a separate Durable Object. Their data is checked and limited as
 * over HTTP.
 * @throws RemoteError `remote_not_configured` if the namespace is missing
 * @throws OffshootError `invalid_definition` for invalid limits
 * @example
 * const transport = (env: { RESEARCHER: DurableObjectNamespace }) => new ObjectTransport({ namespace: env.RESEARCHER });
 */
export declare class ObjectTransport implements RemoteAgentTransport {
  #private;
  readonly label: string;
  readonly bounds: RemoteBounds;
  constructor(options: ObjectTransportOptions);
  call(request: RemoteCall): Promise<RemoteAnswer>;
  stream(request: {
    readonly agent: RemoteAgent;
    readonly from: number;
    readonly signal: AbortSignal;
  }): AsyncGenerator<RemoteEvent>;
}
export { type AgentToolTransportOptions, type HttpRemoteOptions, type ObjectTransportOptions, REMOTE_ERRORS, type RemoteAgent, type RemoteAgentTransport, type RemoteAnswer, type RemoteCall, type RemoteCaller, RemoteError, type RemoteErrorCode, type RemoteEvent, type RemoteFault, type RemoteLimits, type RemoteRefusal, type ServiceBindingOptions };