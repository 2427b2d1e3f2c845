import { i as Refusal, n as Authorize, r as Grant, t as AccessQuestion } from "./shared/authorize.js";
import { t as RemoteTransportSource } from "./shared/elsewhere.js";
import { a as ListedAt, c as RootClaimsPort, d as ListedCall, f as ListedChild, h as NewRootLimits, i as DirectoryPort, l as RootReport, m as ClaimAnswer, n as Deletion, o as ListedQuery, p as ListedFailure, r as DirectoryLists, s as ListedRoot, t as CauseCount, u as RootsQuery } from "./shared/directory.js";
import { Bt as OutputOf, Ht as StateOf, Lt as InitialStateOf, Mt as AgentTypes, Pt as Bound, Rt as InputOf, t as AgentDefinition, zt as JsonOf } from "./shared/definition.js";
import { a as DoorAnswer, c as DoorSocket, i as DoorAgents, l as PathDoor, n as AllowedAsk, o as DoorAsk, r as Door, s as DoorRequest, t as AgentDoor } from "./shared/door.js";
import { E as Json } from "./shared/chunks.js";
import { t as Problem } from "./shared/problem.js";
import { i as VerbTypes, n as OutputOf$1, r as VerbName, t as InputOf$1 } from "./shared/verb-types.js";
import { n as Action } from "./shared/actions.js";
import { Agent, AgentToolChildAdapter, AgentToolRunInspection, AgentToolStoredChunk, Connection, ConnectionContext } from "agents";
import { Hono } from "hono";
import { DurableObject, WorkerEntrypoint } from "cloudflare:workers";
/** The remote agent behind the class. */
interface AgentToolOptions<Env = unknown> {
  /** The name of its class on the remote side: `researcher` or `Researcher`. */
  readonly remoteAgentType: string;
  /** The transport, or a function that receives the Worker's bindings and variables and returns it. */
  readonly transport: RemoteTransportSource<Env>;
}
/**
 * The class to export for an agent that an agent of the `agents` package uses as a tool.
 * @example
 * export class Research extends AgentToolObject.of({
 *   remoteAgentType: 'researcher',
 *   transport: (env: { RESEARCHER: DurableObjectNamespace }) => new ObjectTransport({ namespace: env.RESEARCHER }),
 * }) {}
 * // In the parent: research: agentTool(Research, { description: 'Researches.', inputSchema })
 */
export declare class AgentToolObject extends Agent<Cloudflare.Env> implements AgentToolChildAdapter {
  #private;
  /** Set by `of`. */
  protected readonly tool: AgentToolOptions | undefined;
  /** Returns a class whose runs are those of the remote agent. @throws OffshootError `invalid_definition` */
  static of<Env>(tool: AgentToolOptions<Env>): typeof AgentToolObject;
  /** Starts a run, once for each id. */
  startAgentToolRun(input: unknown, { runId }: {
    readonly runId: string;
  }): Promise<AgentToolRunInspection>;
  /** The state of a run; `null` if it never began. */
  inspectAgentToolRun(runId: string): Promise<AgentToolRunInspection | null>;
  /** Stops a run. A stop that does not arrive is repeated. */
  cancelAgentToolRun(runId: string, reason?: unknown): Promise<void>;
  /** Repeats an unacknowledged stop. It is public because a schedule calls it; calling it again is harmless. */
  offshootStop(runId: string): Promise<void>;
  /** The output of the run so far, as chunks of a UI message. */
  getAgentToolChunks(runId: string, { afterSequence }?: {
    readonly afterSequence?: number;
  }): Promise<AgentToolStoredChunk[]>;
  /** The same as lines of JSON, until the run has ended. */
  tailAgentToolRun(runId: string, { afterSequence }?: {
    readonly afterSequence?: number;
  }): Promise<ReadableStream<AgentToolStoredChunk>>;
}
/** A class that was made by `AgentObject.of(definition)`. */
interface AgentClass {
  readonly name: string;
  readonly definition: AgentDefinition;
}
/** An agent that a Worker serves: a definition, or a class made with `AgentObject.of(definition)`. */
type ServedAgent = AgentDefinition | AgentClass;
/** Options of `createWorker`. */
interface WorkerOptions {
  /**
   * All agents, including sub-agents: definitions, which share the class `OffshootAgent`, or classes made with
   * `AgentObject.of(definition)`. The Worker must export each class under its own name.
   */
  readonly agents: readonly ServedAgent[];
  /**
   * Checks the permissions of callers. Without it, callers need `OFFSHOOT_TOKEN`; if that is not set either, only this machine
   * has access.
   */
  readonly authorize?: Authorize;
  /**
   * Origins (`https://app.example`) whose pages may use the whole API, besides the Worker's own. Their browsers send
   * cookies if the `reads` of `authorize` includes `cookie`.
   */
  readonly allowedOrigins?: readonly string[];
  /**
   * Limits for each caller: how many roots it may have (`perCaller`), and how many it may create over HTTP within 60
   * s (`perMinute`). A caller is a subject that `authorize` returns. Further roots are refused with `too_many_roots`.
   * No limit by default.
   */
  readonly newRoots?: NewRootLimits;
  /** Returns one line about the models in use, for every caller that may open `/`. */
  readonly describeModel?: (env: object) => string;
  /**
   * Prefix of all paths, such as `/ai` or `/v1/ai`: segments of letters, digits, `-`, `.`, `_` and `~`. Links have the
   * prefix, addresses do not. Omit it if another app mounts `app`. Empty by default.
   */
  readonly basePath?: string;
  /**
   * Prefix of `/{thread}/variables/{request}`, the route of Standard Agents for a sub-agent's variables, below `basePath`.
   * Default: `/threads`.
   */
  readonly threadsPath?: string;
  /** Other protocols and pages besides the API, such as `webConsole()` of `offshoot/console`. Default: none. */
  readonly doors?: readonly Door[];
}
/** Options of `serve`: those of `createWorker`, except the agents. */
type ServeOptions = Omit<WorkerOptions, 'agents'>;
/** The result of `createWorker`: the default export of a Worker, and ways to add it to a Worker with other routes. */
interface OffshootWorker {
  /** Answers every request; 404 for an unknown route. */
  fetch(request: Request, env: object, context: object): Promise<Response>;
  /** Like `fetch`, but undefined for other requests; see `routeOffshootRequest`. */
  route(request: Request, env: object, context: object): Promise<Response> | undefined;
  /** The routes as a Hono app, for `app.route('/ai', offshoot.app)`; links in responses include that path. */
  readonly app: Hono;
}
/**
 * Creates the default export of a Worker from a list of agents.
 * @throws OffshootError as `createWorker` does
 * @example
 * export { OffshootAgent, OffshootDirectory } from 'offshoot/worker';
 * export default serve([planner, timekeeper]);
 */
export declare function serve<const Agents extends readonly ServedAgent[]>(agents: Agents & BoundAgents<Agents>, options?: ServeOptions): OffshootWorker;
/** Agents whose tools find in this Worker what they need. */
type BoundAgents<Agents extends readonly ServedAgent[]> = { readonly [At in keyof Agents]: Agents[At] extends AgentDefinition<infer Types> ? Bound<Types['env']> : unknown; };
/**
 * Creates the default export of a Worker. Missing exports or migrations are reported at the first request: the response
 * and the log name the line to add.
 * @throws OffshootError `invalid_definition` for invalid agents or two with one address, all at once, and for an unknown
 *   option, an invalid origin, limit or path
 * @example
 * class Planner extends AgentObject.of(planner) {}
 * class Timekeeper extends AgentObject.of(timekeeper) {}
 * export { OffshootDirectory, Planner, Timekeeper };
 * export default createWorker({ agents: [Planner, Timekeeper] });
 */
export declare function createWorker(options: WorkerOptions): OffshootWorker;
/**
 * Answers a request for an agent of the Worker or another route of Offshoot, and returns null for all others, like the
 * SDK's `routeAgentRequest`. Your Worker then handles those. Agents that were not passed to `createWorker` count as
 * others.
 * @example
 * const offshoot = createWorker({ agents: [AgentObject.of(planner)], basePath: '/ai' });
 * export default {
 *   fetch: async (request: Request, env: Env, context: ExecutionContext) =>
 *     (await routeOffshootRequest(request, env, context, offshoot)) ?? new Response('My own page'),
 * };
 */
export declare function routeOffshootRequest(request: Request, env: object, context: object, offshoot: Pick<OffshootWorker, 'route'>): Promise<Response | null>;
/** One level of an address in parts. `agent` is `fact-checker` or `FactChecker`. */
interface RpcLevel {
  readonly agent: string;
  readonly name: string;
}
/** Where an agent is: `/agents/{class}/{name}/sub/{class}/{name}…`, or the same in parts. */
type RpcAddress = string | (RpcLevel & {
  readonly sub?: readonly RpcLevel[];
});
/** The caller on whose behalf a Worker calls. */
interface RpcCaller {
  /** The caller's name. It separates idempotency keys, and appears in audit logs. 1 to 128 characters. */
  readonly subject: string;
  /** The idempotency key: repeated within 24 hours, a call that changes something returns the original response. */
  readonly idempotencyKey?: string | undefined;
  /** The time after which nothing more is called, in ms since 1970. Calls in progress continue. */
  readonly deadline?: number | undefined;
  /** The W3C trace context of the caller. Runs that the call starts belong to it, and the log names it with errors. */
  readonly traceparent?: string | undefined;
}
/** The failure of a call, as over HTTP. Handle it by its `code`. */
interface RpcFailure extends Omit<Problem, 'details'> {
  readonly ok: false;
  /** Further details, such as the recorded decision. */
  readonly details?: RpcJson;
}
/** The response to a call; `status` is that of HTTP (201 or 200, 202 or 200). */
interface RpcSuccess<Body> {
  readonly ok: true;
  readonly status: number;
  readonly body: Body;
}
/** The content of a file to write. A stream is read once; its `size` must be in the input. */
type RpcBytes = ReadableStream<Uint8Array> | ArrayBuffer | ArrayBufferView;
/** The bytes of a response. Read them to the end, or cancel them. */
interface WithBytes {
  readonly bytes: ReadableStream<Uint8Array>;
}
/** Input without `size`, for a buffer whose size is known. */
type Unsized<Input> = Omit<Input, 'size'> & {
  readonly size?: number | undefined;
};
/** Any JSON, written with interfaces, because service bindings cannot resolve the shorter recursive type. */
type RpcJson = null | boolean | number | string | RpcJsonArray | RpcJsonObject;
/** A list of JSON values. */
interface RpcJsonArray extends ReadonlyArray<RpcJson> {}
/** An object of JSON values. */
interface RpcJsonObject {
  readonly [key: string]: RpcJson;
}
/** An output, with JSON as `RpcJson`. */
type Shown<T> = [Json] extends [T] ? RpcJson | Extract<T, undefined> : T extends readonly (infer Item)[] ? readonly Shown<Item>[] : T extends object ? { [Key in keyof T]: Shown<T[Key]>; } : T;
type StatusDocument = OutputOf$1<'status'>;
/** A run with its output. */
type Ending<Run, Agent> = Omit<Run, 'output'> & {
  readonly output?: JsonOf<OutputOf<Agent>> | undefined;
};
type Standing<Agent> = Omit<StatusDocument, 'run'> & {
  readonly run?: Ending<NonNullable<StatusDocument['run']>, Agent> | undefined;
};
/** Input of a verb, typed by the agent's schemas. */
interface Takes<Agent> {
  readonly start: Omit<InputOf$1<'start'>, 'input' | 'state'> & {
    readonly input?: InputOf<Agent> | undefined;
    readonly state?: InitialStateOf<Agent> | undefined;
  };
}
/** Output of a verb, typed by the agent's schemas. */
interface Gives<Agent> {
  readonly start: Exclude<OutputOf$1<'start'>, StatusDocument> | Standing<Agent>;
  readonly status: Standing<Agent>;
  readonly runs: Omit<OutputOf$1<'runs'>, 'items'> & {
    readonly items: readonly Ending<OutputOf$1<'runs'>['items'][number], Agent>[];
  };
  readonly state: {
    readonly state: JsonOf<StateOf<Agent>>;
  };
}
type Input<Name extends VerbName, Agent> = Name extends keyof Takes<Agent> ? Takes<Agent>[Name] : InputOf$1<Name>;
type Output<Name extends VerbName, Agent> = Name extends keyof Gives<Agent> ? Gives<Agent>[Name] : OutputOf$1<Name>;
type Answer<Name extends VerbName, Agent> = RpcFailure | (RpcSuccess<Shown<Output<Name, Agent>>> & ('out' extends VerbTypes[Name]['bytes'] ? WithBytes : unknown));
/** A root, in parts. The types of a definition apply to its own agent, not to agents below it. */
type RpcRoot = RpcLevel & {
  readonly sub?: never;
};
/** Any agent, or with the type of a definition, a root of that definition. */
type Where<Agent> = [AgentDefinition] extends [Agent] ? RpcAddress : RpcRoot;
type Method<Name extends VerbName, Agent> = 'in' extends VerbTypes[Name]['bytes'] ? (address: Where<Agent>, input: Unsized<Input<Name, Agent>>, bytes: RpcBytes, caller?: RpcCaller) => Promise<Answer<Name, Agent>> : {} extends Input<Name, Agent> ? (address: Where<Agent>, input?: Input<Name, Agent>, caller?: RpcCaller) => Promise<Answer<Name, Agent>> : (address: Where<Agent>, input: Input<Name, Agent>, caller?: RpcCaller) => Promise<Answer<Name, Agent>>;
/** A method for each operation. With the type of a definition, input, output and custom state have its types. */
type RpcMethods<Agent extends AgentDefinition = AgentDefinition> = { [Name in VerbName]: Method<Name, Agent>; };
/**
 * The methods of a binding to `OffshootRpc`, whose type is `Service<OffshootRpc>`. For roots of one definition,
 * `Service<OffshootRpc<typeof planner>>` has its types, with roots as `{ agent, name }`. Several bindings may name the
 * same entrypoint, one for each definition.
 */
export type OffshootRpc<Agent extends AgentDefinition = AgentDefinition> = WorkerEntrypoint & RpcMethods<Agent>;
/**
 * The entrypoint that other Workers bind as a service. Export it beside the agents:
 * `export { OffshootDirectory, OffshootRpc } from 'offshoot/worker';` and bind it in the other Worker:
 * `"services": [{ "binding": "AGENTS", "service": "<this Worker>", "entrypoint": "OffshootRpc" }]`.
 *
 * Every operation is a method: `AGENTS.start(address, { message }, caller?)`. The address is a string
 * (`/agents/coordinator/q1`) or `{ agent, name, sub }`; the input is plain JSON, as in the body or the query over HTTP.
 * A call returns `{ ok: true, status, body }` or `{ ok: false, code, title, detail, … }`. `stream` (server-sent events)
 * and `readFile` also return `bytes`; `writeFile(address, { path }, bytes, caller?)` takes them. A call throws only if
 * the connection between the two Workers fails.
 *
 * Every holder of the binding is trusted: it may do everything to every agent, and `authorize` is not called. Only
 * someone who deploys Workers in the same account can add a binding. `caller.subject` says on whose behalf it calls,
 * and is not checked. Before you pass a browser's input on as an address or a caller, check its user's permissions.
 * @example
 * const started = async (agents: Service<OffshootRpc<typeof planner>>) => {
 *   const answer = await agents.start({ agent: 'planner', name: 'q1' }, { message: 'Plan a call.' });
 *   return answer.ok ? answer.body.sessionId : answer.code;
 * };
 */
export declare const OffshootRpc: new (ctx: ExecutionContext, env: Cloudflare.Env) => OffshootRpc;
/** The way from a root to an agent below it. */
type AgentPath = Parameters<Agent['_cf_acquireFacetKeepAlive']>[0];
/** The calls from the SDK's private members to an agent. */
interface SdkEvents {
  /** True if the sub-agent that another Worker calls by name exists. */
  has(className: string, name: string): boolean;
  /** An agent below the root has taken another keep-alive at this root. */
  keepAliveTaken(token: string, owner: AgentPath): void;
  /** A keep-alive was released. */
  keepAliveReleased(token: string): void;
  /** The alarm has fired, and the SDK has handled its part. */
  alarmed(): void;
  /** The SDK is about to create its tables. @throws if nothing may be written */
  starts(): void;
}
/** The key of an agent's `SdkEvents`. A named method could be called by anyone who reaches the object. */
declare const SDK_EVENTS: unique symbol;
type SqlValue = string | number | boolean | null;
/** The SDK's class with its private members overridden; they delegate to `SDK_EVENTS`. */
declare abstract class SdkAgent<Env extends Cloudflare.Env = Cloudflare.Env, State = unknown> extends Agent<Env, State> {
  #private;
  protected abstract readonly [SDK_EVENTS]: SdkEvents;
  constructor(ctx: DurableObjectState, env: Env);
  /** Creates the SDK's tables. The constructor would create them; this is postponed until the SDK starts. */
  protected _ensureSchema(): void;
  /** Runs a query, and first creates the SDK's tables if a part of the SDK reads them before it has started. */
  sql<Row = Record<string, SqlValue>>(...query: [strings: TemplateStringsArray, ...values: SqlValue[]]): Row[];
  /** Calls a sub-agent for another Worker, as the SDK does, but never creates one. */
  _cf_invokeSubAgent(className: string, name: string, method: string, args: unknown[]): Promise<unknown>;
  _cf_acquireFacetKeepAlive(path: AgentPath): Promise<string>;
  _cf_releaseFacetKeepAlive(token: string): Promise<void>;
  _onAlarmHousekeeping(): Promise<void>;
  /** True if a request to this agent is for an agent below it. */
  protected static isForSubAgent(agent: SdkAgent, request: Request): boolean;
}
/**
 * An agent as a Durable Object or a facet. Use `AgentObject.of(definition)`:
 * `export class Researcher extends AgentObject.of(researcher) {}`. `Env` and `State` are those of the SDK's `Agent`:
 * `this.env`, and the state of `this.setState`, which is separate from the agent's custom state.
 * @example
 * export class Researcher extends AgentObject.of(planner) {}
 */
export declare class AgentObject<Env extends Cloudflare.Env = Cloudflare.Env, State = unknown> extends SdkAgent<Env, State> {
  #private;
  /** Set by `of`. */
  static readonly definition: AgentDefinition | undefined;
  protected readonly [SDK_EVENTS]: {
    has: (className: string, name: string) => boolean;
    keepAliveTaken: (token: string, owner: AgentPath) => void;
    keepAliveReleased: (token: string) => void;
    alarmed: () => void;
    starts: () => void;
  };
  constructor(ctx: DurableObjectState, env: Env);
  /** Sends only to the sockets of this agent. */
  broadcast(message: Parameters<SdkAgent['broadcast']>[0], without?: string[]): void;
  /** Returns only the sockets of this agent. */
  getConnections<TState = unknown>(tag?: string): Iterable<Connection<TState>>;
  /** Returns the class for an agent. Export it under the definition's `className`, by which facets are found. */
  static of<Types extends AgentTypes>(definition: AgentDefinition<Types> & Bound<Types['env']>): typeof AgentObject & {
    readonly definition: AgentDefinition<Types>;
  };
  onStart(): void;
  /** Answers sockets, and requests that a Worker with other routes forwards. */
  fetch(request: Request): Promise<Response>;
  /**
   * Handles a frame, and knows when it is done, which the SDK's own handler does not report. These handlers are not
   * `async`, because the SDK would then start first.
   */
  webSocketMessage(ws: WebSocket, message: string | ArrayBuffer): Promise<void>;
  /** Ignores sockets that close because their root is being removed: its tables no longer exist. */
  webSocketClose(...[ws, code, reason, wasClean]: [WebSocket, number, string, boolean]): Promise<void>;
  webSocketError(ws: WebSocket, error: unknown): Promise<void>;
  /** Makes sockets read-only for the SDK's state, unless the class overrides this. */
  shouldConnectionBeReadonly(_connection: Connection, _context: ConnectionContext): boolean;
  /** Refuses requests for sub-agents that do not exist: no request creates one. */
  onBeforeSubAgent(request: Request, child: {
    className: string;
    name: string;
  }): Promise<Request | Response | undefined>;
  /** Aborts a sub-agent. Holders of its old stub then request a new one. */
  abortSubAgent(...[cls, name, reason]: Parameters<SdkAgent['abortSubAgent']>): void;
  /** Keeps the object in memory. Below the root, the root holds the keep-alive, and checks that it is needed. */
  keepAlive(): Promise<() => void>;
  /** The number of keep-alives that this agent holds at its root. */
  offshootHeld(): number;
  /** Handles the alarm, or sets it again and writes nothing else: the platform abandons alarms that fail (SO8). */
  alarm(): Promise<void>;
  /** Erases a child's separate object with everything in it. The object is evicted once it gets no more requests. */
  offshootErase(): Promise<void>;
  /** Prepares the store of a template, with the tables that the SDK creates. A template gets no other calls. */
  offshootPrepare(name: string): Promise<void>;
}
/**
 * A directory: one object for each agent class, named like the class. If new roots are limited, each caller has one,
 * too. Export it under this name and put it into a migration: `export { OffshootDirectory } from 'offshoot/worker';`
 * @example
 * export { OffshootDirectory };
 */
export declare class OffshootDirectory extends DurableObject implements DirectoryPort, DirectoryLists, RootClaimsPort {
  #private;
  constructor(ctx: DurableObjectState, env: Cloudflare.Env);
  /** Stores a report of a root. */
  report(report: RootReport): Promise<void>;
  /** Wakes working roots that have stopped reporting, because the platform may have abandoned their alarms. */
  alarm(): Promise<void>;
  /** Records that a root is being deleted. */
  recordDeletion(deletion: Deletion): Promise<void>;
  /** True if a deletion was requested with that key in the last 24 h. */
  wasDeleted(name: string, key: string): Promise<boolean>;
  /** Claims a new root for a caller. */
  claim(key: string, limits: NewRootLimits): Promise<ClaimAnswer>;
  /** Records that the root of a claim was created. */
  hold(key: string): Promise<void>;
  /** Releases the claim of a deleted root. */
  giveBack(key: string): Promise<void>;
  /** The roots, newest first. */
  roots(query: RootsQuery): Promise<ListedRoot[]>;
  /** The pending calls. */
  pending(query: ListedQuery): Promise<ListedAt<ListedCall>[]>;
  /** Runs that failed. */
  errors(query: ListedQuery): Promise<ListedAt<ListedFailure>[]>;
  /** Companions and remote sub-agents. */
  children(query: ListedQuery): Promise<ListedAt<ListedChild>[]>;
  /** The causes of failed runs with these fields since a time, in ms since 1970. */
  causes(since: number, where?: ListedQuery['where']): Promise<CauseCount[]>;
}
/**
 * The class that agents share. The name of an object determines its agent.
 * @example
 * export { OffshootAgent, OffshootDirectory } from 'offshoot/worker';
 * export default serve([planner, timekeeper]);
 */
export declare class OffshootAgent extends AgentObject {
  static options: {
    sendIdentityOnConnect: boolean;
  };
}
export type { AccessQuestion, Action, AgentClass, AgentDoor, AgentToolOptions, AllowedAsk, Authorize, Door, DoorAgents, DoorAnswer, DoorAsk, DoorRequest, DoorSocket, Grant, NewRootLimits, OffshootWorker, PathDoor, Refusal, RpcAddress, RpcBytes, RpcCaller, RpcFailure, RpcJson, RpcJsonArray, RpcJsonObject, RpcLevel, RpcMethods, RpcRoot, RpcSuccess, ServeOptions, ServedAgent, WithBytes, WorkerOptions };