/**
 * What the host uses of the SDK although the SDK keeps it to itself: no other file of src names a member of it that
 * begins with an underscore. `test/support/sdk-internals.ts` lists each, and the tests fail when a release moves, renames
 * or changes one.
 *
 * Keeps F19, W35.
 */
import { Agent, type Connection } from 'agents';
import type { AgentDefinition } from '../core/definition/definition';
import { kebabCase, pascalCase } from '../protocol/ids';

/** The way from a root to an agent below it. */
export type AgentPath = Parameters<Agent['_cf_acquireFacetKeepAlive']>[0];

/** A facet, or the object at the top. */
export interface FacetLevel {
  readonly className: string;
  readonly name: string;
}

/** What a facet is, told with each call: its class may not know it yet. */
export interface FacetIdentity {
  readonly name: string;
  readonly parentPath: readonly FacetLevel[];
  /** The name that its id is made of. */
  readonly identity: string;
}

/** Where the SDK notes which facets an object has. */
export interface FacetRegistry {
  identity(className: string, name: string, path: readonly FacetLevel[]): Promise<RegisteredIdentity>;
  record(className: string, name: string, identity: RegisteredIdentity): void;
}

/** What the id of a facet is made of; `existing`: the object has that facet already. */
export interface RegisteredIdentity {
  readonly name: string;
  readonly existing: boolean;
}

/** The calls from the SDK's private members to an agent. */
export interface SdkEvents {
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
export const SDK_EVENTS = Symbol('offshoot.sdk-events');

/** The names of this Worker's exports in the order that the SDK needs; null where their own order will do. */
let exportOrder: readonly (string | symbol)[] | null | undefined;

/**
 * The context of an object, with the names of classes first among the Worker's exports. The SDK takes the first export
 * whose name in kebab-case is the class of an address, and an app may export the definition `leaf` beside `Leaf`.
 */
function withClassesFirst(ctx: DurableObjectState): DurableObjectState {
  const order = exportOrder === undefined ? orderOf(Reflect.ownKeys(ctx.exports)) : exportOrder;
  exportOrder = order;
  if (order === null) return ctx;
  const value = new Proxy(ctx.exports, { ownKeys: () => order });
  return Object.defineProperty(ctx, 'exports', { value, configurable: true, enumerable: true, writable: true });
}

function orderOf(names: readonly (string | symbol)[]): readonly (string | symbol)[] | null {
  const classOf = (name: string | symbol): string | symbol =>
    typeof name === 'string' ? pascalCase(kebabCase(name)) : name;
  const [classes, others] = [
    names.filter((name) => classOf(name) === name),
    names.filter((name) => classOf(name) !== name),
  ];
  return others.some((name) => classes.includes(classOf(name))) ? [...classes, ...others] : null;
}

type SqlValue = string | number | boolean | null;

/** The SDK's class with its private members overridden; they delegate to `SDK_EVENTS`. */
export abstract class SdkAgent<Env extends Cloudflare.Env = Cloudflare.Env, State = unknown> extends Agent<Env, State> {
  protected abstract readonly [SDK_EVENTS]: SdkEvents;

  constructor(ctx: DurableObjectState, env: Env) {
    super(withClassesFirst(ctx), env);
    const { mcp } = this;
    // A property of the SDK's own, which a getter of a class cannot take the place of.
    const get = (): typeof mcp => {
      this.#ensureTables();
      return mcp;
    };
    Object.defineProperty(this, 'mcp', { get, enumerable: true, configurable: true });
  }

  /** Creates the SDK's tables. The constructor would create them; this is postponed until the SDK starts. */
  protected override _ensureSchema(): void {
    this.lifecycle.use({ onStart: () => this.#makeTables() });
  }

  /** Runs a query, and first creates the SDK's tables if a part of the SDK reads them before it has started. */
  override sql<Row = Record<string, SqlValue>>(
    ...query: [strings: TemplateStringsArray, ...values: SqlValue[]]
  ): Row[] {
    try {
      return super.sql<Row>(...query);
    } catch (error) {
      if (hasStartedBefore(this.ctx.storage) || !String(error).includes('no such table: cf_agent')) throw error;
      this.#ensureTables();
      return super.sql<Row>(...query);
    }
  }

  #ensureTables(): void {
    if (!hasStartedBefore(this.ctx.storage)) this.#makeTables();
  }

  #makeTables(): void {
    this[SDK_EVENTS].starts();
    super._ensureSchema();
  }

  /** Calls a sub-agent for another Worker, as the SDK does, but never creates one. */
  override async _cf_invokeSubAgent(
    className: string,
    name: string,
    method: string,
    args: unknown[],
  ): Promise<unknown> {
    if (!this[SDK_EVENTS].has(className, name)) throw new Error('There is no such sub-agent.');
    return super._cf_invokeSubAgent(className, name, method, args);
  }

  override async _cf_acquireFacetKeepAlive(path: AgentPath): Promise<string> {
    const token = await super._cf_acquireFacetKeepAlive(path);
    this[SDK_EVENTS].keepAliveTaken(token, path);
    return token;
  }

  override async _cf_releaseFacetKeepAlive(token: string): Promise<void> {
    this[SDK_EVENTS].keepAliveReleased(token);
    await super._cf_releaseFacetKeepAlive(token);
  }

  override async _onAlarmHousekeeping(): Promise<void> {
    await super._onAlarmHousekeeping();
    this[SDK_EVENTS].alarmed();
  }

  /** True if a request to this agent is for an agent below it. */
  protected static isForSubAgent(agent: SdkAgent, request: Request): boolean {
    return agent._cf_requestTargetsSubAgent(request);
  }
}

/** Starts the SDK of a facet, as the SDK's own way to it does. */
export function startAsFacet(agent: Agent, { name, parentPath, identity }: FacetIdentity): Promise<unknown> {
  return Promise.resolve(agent._cf_initAsFacet(name, parentPath, identity));
}

/** Calls a method of an agent below a root. Throws when it is not there. */
export async function invokeBelow(root: Agent, path: AgentPath, method: string): Promise<unknown> {
  return root._cf_invokeAgentPath(path, method, []);
}

/** Lets go of a keep-alive that an agent below holds at its root. */
export function releaseKeepAlive(root: Agent, token: string): Promise<void> {
  return root._cf_releaseFacetKeepAlive(token);
}

/** What the SDK keeps with a socket under a key, also while the object sleeps. */
export function socketFlag(agent: Agent, socket: Connection, key: string): unknown {
  return agent._unsafe_getConnectionFlag(socket, key);
}

/** Keeps something with a socket. */
export function setSocketFlag(agent: Agent, socket: Connection, key: string, value: unknown): void {
  agent._unsafe_setConnectionFlag(socket, key, value);
}

/** A job of the SDK's queue, as far as schedules need it. */
export interface ScheduledJob {
  readonly job: {
    readonly id: string;
    readonly retry: { maxAttempts?: number; baseDelayMs?: number; maxDelayMs?: number } | undefined;
  };
  readonly attempt: number;
}

/** The end of a job: nothing removes it, `yield` and a time keep it. */
export type ScheduleOutcome = { readonly rescheduleAt: number } | 'yield' | undefined;

/** The jobs of the SDK's schedules. */
export interface JobQueue {
  get(id: string): { readonly time: number } | undefined;
  reschedule(id: string, time: number): Promise<boolean>;
  cancel(id: string): Promise<boolean>;
}

/** The SDK's schedules: their jobs come in by `onJob`. */
export interface ScheduleQueue {
  onJob(context: ScheduledJob): Promise<ScheduleOutcome>;
  onJobError(context: ScheduledJob, error: unknown): Promise<ScheduleOutcome>;
  readonly lifecycle: { readonly jobs: JobQueue };
}

/** The schedules of an agent, with the jobs that the SDK keeps to them. */
export function schedulesOf(agent: Agent): ScheduleQueue {
  return agent.scheduler as unknown as ScheduleQueue;
}

/** The registry of an object. */
export function registryOf(agent: object): FacetRegistry {
  return (agent as { readonly _dynamicAgents: { readonly registry: FacetRegistry } })._dynamicAgents.registry;
}

/** The key under which the SDK keeps a facet. */
export function facetKey(className: string, name: string): string {
  return `${className}\0${name}`;
}

/** What the SDK keeps in the key-value part of any object that has woken begins so. */
export const SDK_KEYS = 'cf_agents:';

/** Whether the SDK has started in this storage, in this life or in an earlier one: then it may have something to take up. */
export function hasStartedBefore({ kv }: DurableObjectStorage): boolean {
  return kv.get(`${SDK_KEYS}schema_version`) !== undefined;
}

/** The parameter of a socket's URL in which the SDK takes its name. */
export const SOCKET_NAME = '_pk';

/** What the SDK reads from a socket's URL: names that others could take, and another protocol. */
export const SDK_PARAMETERS = /^(?:_pk$|__)/;

/**
 * A class is found by the name under which the Worker exports it, which a bundler may have changed: the SDK reads it from
 * the class.
 */
export function nameClass(agentClass: {
  readonly name: string;
  readonly definition?: AgentDefinition | undefined;
}): void {
  const value = agentClass.definition?.className;
  if (value !== undefined && agentClass.name !== value) Object.defineProperty(agentClass, 'name', { value });
}

/** The methods of the SDK that take a class and read its name. */
const TAKES_CLASS = [
  'subAgent',
  'abortSubAgent',
  'deleteSubAgent',
  'hasSubAgent',
  'parentAgent',
  'runAgentTool',
] as const;

/** True for the class of an agent itself: one that extends it further is another class with the same definition. */
const isAgentClass = (given: unknown): given is Parameters<typeof nameClass>[0] =>
  typeof given === 'function' && Object.hasOwn(Object.getPrototypeOf(given) ?? {}, 'definition');

/** Names each class before the SDK reads its name: no object of it may have been made in this isolate yet. */
export function namesClasses(prototype: Pick<SdkAgent, (typeof TAKES_CLASS)[number]>): void {
  for (const method of TAKES_CLASS) {
    const own: unknown = Reflect.get(prototype, method);
    if (typeof own !== 'function') throw new Error(`The SDK has no method "${method}".`);
    const value = function (this: unknown, ...given: unknown[]): unknown {
      if (isAgentClass(given[0])) nameClass(given[0]);
      return Reflect.apply(own, this, given);
    };
    Object.defineProperty(prototype, method, { value, configurable: true, writable: true });
  }
}

/** True where the SDK has listed a facet in this storage: its list makes a table otherwise. */
export function hasListedFacets({ sql }: DurableObjectStorage): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'cf_agents_sub_agents'").toArray().length > 0;
}
