import { a as RemoteBounds, c as RemoteError, d as RemoteFault, f as RemoteRefusal, i as RemoteAnswer, l as RemoteErrorCode, n as RemoteAgent, o as RemoteCall, r as RemoteAgentTransport, s as RemoteCaller, t as REMOTE_ERRORS, u as RemoteEvent } from "./shared/remote-transport.js";
/** What is taken from another side, whichever way it is reached. Whole numbers from 1 on. */
interface RemoteLimits extends RemoteBounds {
  /** One answer of a verb, in bytes; over a binding, in bytes of its JSON. 4 MiB by default. */
  readonly maxAnswerBytes: number;
  /** Arrays and objects inside each other, in an answer or in an event of the stream. 110 by default. */
  readonly maxDepth: number;
  /** One line and one event of the stream, in characters. 16 Mi by default: no lawful chunk is longer. */
  readonly maxEventCharacters: number;
  /** All that one connection to the stream gives, in bytes; a longer log is read by several. 1 GiB by default. */
  readonly maxStreamBytes: number;
  /** A verb, from the call to the end of its answer, in ms. 30 s by default. */
  readonly callMs: number;
  /** Until a stream begins, in ms. 15 s by default. */
  readonly openMs: number;
  /** Between two pieces of an answer or a stream, in ms. 45 s by default: three of the comments that keep a stream open. */
  readonly idleMs: number;
  /** One connection to the stream, in ms; it is taken up by another. An hour by default. */
  readonly streamMs: number;
}
/** Those that hold where a transport names no others. */
export declare const REMOTE_LIMITS: RemoteLimits;
/** Which objects are asked. */
interface AgentToolTransportOptions {
  /** Of the agent's class: a binding (`env.SCOUT`). */
  readonly namespace: {
    getByName(name: string): unknown;
  } | undefined;
  /** What refs and people read of it; `agent tool` by default. */
  readonly label?: string;
  readonly limits?: Partial<RemoteLimits>;
}
/**
 * Reaches agents of the `agents` package that are Durable Objects of this Worker, as sub-agents for one call. They begin
 * and are stopped as others; what they say is in the log once they have ended. They take no messages, cannot go on after
 * a stop, ask no person through this tree, and do not tell what they spent.
 * @throws RemoteError `remote_not_configured` where the namespace is missing
 * @throws OffshootError `invalid_definition` for limits that are none
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
/** Which Worker is asked. */
interface ServiceBindingOptions {
  /** The binding, `env.RESEARCH`: a service with the entrypoint `OffshootRpc`. */
  readonly binding: object | undefined;
  /** What refs and people read of it; `binding` by default. */
  readonly label?: string;
  readonly limits?: Partial<RemoteLimits>;
}
/**
 * Reaches agents of another Worker of the same account by a service binding. What comes over it is checked and bounded as
 * over HTTP.
 * @throws RemoteError `remote_not_configured` where the binding is missing
 * @throws OffshootError `invalid_definition` for limits that are none
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
/** Where a remote server is, and as whom to ask it. */
interface HttpRemoteOptions {
  /**
   * Of the server, with its base path where it has one: `https://research.example/ai`. https to a public host, on port 443
   * or from 1024 on; no user, query or fragment.
   */
  readonly url: string;
  /** The bearer token, or what gives it: asked anew for each request. It goes to the origin of `url` and nowhere else. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** Further headers, such as those of an access proxy: secrets like the token. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `fetch` by default; that of a service binding goes without the network. */
  readonly fetch?: typeof fetch;
  /** For development: http, and this machine. `false` by default. */
  readonly allowLoopback?: boolean;
  readonly limits?: Partial<RemoteLimits>;
}
/**
 * Reaches agents of another server by its URL. Whatever it sends is checked and bounded; redirects are followed by hand, at
 * most 3, to no place that could not be asked itself, and never with a secret to another origin.
 * @throws OffshootError `invalid_definition` for a URL that may not be asked, headers or limits that are none
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
/** Which objects are asked. */
interface ObjectTransportOptions {
  /** Of the agent's class: a binding (`env.RESEARCHER`, `env.OFFSHOOT_AGENT`), or what `ctx.exports` has of it. */
  readonly namespace: {
    getByName(name: string): unknown;
  } | undefined;
  /** What refs and people read of it; `object` by default. */
  readonly label?: string;
  readonly limits?: Partial<RemoteLimits>;
}
/**
 * Reaches agents that are roots of this Worker, each a Durable Object of its own. What comes from them is checked and
 * bounded as over HTTP.
 * @throws RemoteError `remote_not_configured` where the namespace is missing
 * @throws OffshootError `invalid_definition` for limits that are none
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