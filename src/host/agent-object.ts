/**
 * The class that an app exports for each agent: the SDK's `Agent`, extended once and thinly.
 *
 * Keeps F1, F3, F18.
 */
import { createHash } from 'node:crypto';
import {
  type Connection,
  type ConnectionContext,
  isDurableObjectCodeUpdateReset,
  isDurableObjectMemoryLimitReset,
  isPlatformTransientError,
} from 'agents';
import { seatOf } from '../core/agent/seat';
import type { RootLocation } from '../core/agent/state';
import type { AgentDefinition } from '../core/definition/definition';
import type { AgentTypes, Bound } from '../core/definition/types';
import type { DirectoryPort, RootClaimsPort } from '../core/ports/directory';
import { agentNamed, objectNamed, SHARED_CLASS } from '../core/ports/object-names';
import type { ObjectStores } from '../core/ports/object-stores';
import type { Environment } from '../engine/environment';
import { ObjectRuntime } from '../engine/object/object';
import { answerRefused, NOTHING_HERE, type ObjectAnswer, type ObjectCall } from '../engine/object/object-calls';
import type { ObjectSockets } from '../engine/object/object-sockets';
import { NEWER_FORMAT_AGAIN_MS, OffshootError } from '../protocol/errors';
import { problemOf } from '../protocol/problem';
import { SOCKET_CLOSES } from '../protocol/view/closes';
import { createFileStore } from '../store/files';
import { sqlStores } from '../store/object-stores';
import { vaultIn } from '../store/vault';
import { TreeAlarm } from './alarm-job';
import { Departure, leavingAnswer } from './departure';
import { holdsNothing } from './emptiness';
import { Facets, isPathOf, slotOf } from './facets';
import { KeepAlives } from './keep-alives';
import { type AloneStub, isChildObject, ObjectChildren } from './object-children';
import { ownCopy } from './own-copy';
import { SchedulesBeside } from './schedules-beside';
import {
  type AgentPath,
  type FacetIdentity,
  type FacetLevel,
  hasStartedBefore,
  invokeBelow,
  nameClass,
  namesClasses,
  registryOf,
  releaseKeepAlive,
  SDK_EVENTS,
  SdkAgent,
  schedulesOf,
  startAsFacet,
} from './sdk-internals';
import { SocketFrames, sdkSockets } from './sockets';
import { isInTree, isOurs, noteHook, SubAgentGate } from './sub-agent-gate';
import { isShared, type WorkerPorts, workerPorts } from './worker-ports';

const DIRECTORY = 'OffshootDirectory';
/** Failures of the platform, after which the SDK keeps a job. */
const PLATFORM = [isPlatformTransientError, isDurableObjectCodeUpdateReset, isDurableObjectMemoryLimitReset];
/** The answer to a request that has come to the object itself. */
function refusedResponse({ failure: refused }: OffshootError): Response {
  const body = problemOf(refused, crypto.randomUUID());
  const headers = { 'content-type': 'application/problem+json', 'retry-after': `${NEWER_FORMAT_AGAIN_MS / 1_000}` };
  return new Response(JSON.stringify(body), { status: body.status, headers });
}

/** The objects of a class, as the platform gives them. */
interface Namespace {
  getByName(name: string): AloneStub;
}

/** 20 characters of randomness, as ids take it. */
function token(): string {
  const id = crypto.randomUUID();
  return id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) + id.slice(19, 23);
}

function timer(ms: number, callback: () => void): () => void {
  const id = setTimeout(callback, ms);
  return () => clearTimeout(id);
}

/**
 * An agent as a Durable Object or a facet. Use `AgentObject.of(definition)`:
 * `export class Researcher extends AgentObject.of(researcher) {}`. `Env` and `State` are those of the SDK's `Agent`:
 * `this.env`, and the state of `this.setState`, which is separate from the agent's custom state.
 * @example
 * export class Researcher extends AgentObject.of(planner) {}
 */
export class AgentObject<Env extends Cloudflare.Env = Cloudflare.Env, State = unknown> extends SdkAgent<Env, State> {
  /** Set by `of`. */
  static readonly definition: AgentDefinition | undefined;

  readonly #gate = new SubAgentGate({
    hook: () => this.#hook(),
    nameOf: (child) => this.#facets.nameOf(child, this.#ready().childAt(child)),
    learn: (className) => this.#facets.learn(className),
    isThere: (path) => isInTree(this.#ready(), path),
    down: (call) => this.#ready().down(call),
    started: () => this.#startSdk(),
    report: (error) => console.error('offshoot: onBeforeSubAgent has failed; the call is refused.', error),
  });

  readonly #facets: Facets;
  readonly #alarm = new TreeAlarm(() => this.#answer(() => this.#ready().alarm()));
  /** Callbacks of authors that take long. Made with the first alarm. */
  #schedulesMade: SchedulesBeside | undefined;
  /** Made with what comes in by a socket, or asks for one. */
  #socketsMade: ObjectSockets | undefined;
  readonly #keepAlives = new KeepAlives({
    held: async (path) => Number(await invokeBelow(this, path, 'offshootHeld')),
    release: (token) => releaseKeepAlive(this, token),
  });
  readonly #departure = new Departure({
    timer,
    isEmpty: () => this.#isEmpty(),
    leave: () => this.#leave(),
    end: () => this.ctx.abort(NOTHING_HERE),
  });
  protected readonly [SDK_EVENTS] = {
    has: (className: string, name: string) => this.#has(className, name),
    keepAliveTaken: (token: string, owner: AgentPath) => this.#keepAlives.taken(token, owner),
    keepAliveReleased: (token: string) => this.#keepAlives.released(token),
    alarmed: () => this.#checkKeepAlives(),
    starts: () => {
      if (this.#refusal) throw this.#refusal;
    },
  };
  /** Keep-alives that this agent holds at its root. */
  #held = 0;
  #object: ObjectRuntime | undefined;
  #storesMade: ObjectStores | undefined;
  /** Calls that are being answered. */
  #calls = 0;
  /** What its parent says that it is, where it is a facet. */
  #facet: FacetIdentity | undefined;
  /** What a template is called, which has no identity. */
  #prepared: FacetLevel | undefined;
  /** Set once this object is going: whoever asks is told to ask again. */
  #leaving = false;
  /** Resolves once the store of a child's object is erased. */
  #erased: Promise<void> | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    nameClass(new.target);
    super(ctx, env);
    // The shared class is no author's, and has no given name.
    const { definition } = new.target;
    if (definition) noteHook(definition.className, this.#hook() !== undefined);
    this.#facets = new Facets({
      ctx,
      dynamicAgents: this.dynamicAgents,
      registry: () => registryOf(this),
      path: () => this.#path(),
      started: () => this.#startSdk(),
      self: () => this.#at(),
    });
    this.lifecycle.use(this.#alarm).use(new SocketFrames(() => this.#sockets));
    const [connect, close] = [this.onConnect.bind(this), this.onClose.bind(this)];
    this.onClose = (connection, ...more) => (this.#isOfTree(connection) ? undefined : close(connection, ...more));
    // Below the root, a socket to a sub-agent that was refused would come here as if it were this agent's own, and
    // would be handed on to that sub-agent after all, which makes it.
    this.onConnect = (connection, context) => {
      if (this.parentPath.length > 0 && SdkAgent.isForSubAgent(this, context.request)) return;
      return this.#isOfTree(connection) ? undefined : connect(connection, context);
    };
  }

  /** Whether a socket is for an agent in an object of its own: the tree's sockets are the root's, but that one is not this agent's. */
  #isOfTree({ uri }: Connection): boolean {
    return this.#isTopLevel() && this.#sockets.isFramesOnly({ uri });
  }

  /** Sends only to the sockets of this agent. */
  override broadcast(message: Parameters<SdkAgent['broadcast']>[0], without: string[] = []): void {
    const ofTree = this.#isTopLevel() ? [...super.getConnections()].filter((one) => this.#isOfTree(one)) : [];
    super.broadcast(message, [...without, ...ofTree.map(({ id }) => id)]);
  }

  /** Returns only the sockets of this agent. */
  override *getConnections<TState = unknown>(tag?: string): Iterable<Connection<TState>> {
    for (const connection of super.getConnections<TState>(tag)) if (!this.#isOfTree(connection)) yield connection;
  }

  /** Returns the class for an agent. Export it under the definition's `className`, by which facets are found. */
  static of<Types extends AgentTypes>(
    definition: AgentDefinition<Types> & Bound<Types['env']>,
  ): typeof AgentObject & { readonly definition: AgentDefinition<Types> };
  static of(definition: AgentDefinition): object {
    return class extends AgentObject {
      static override readonly definition = definition;
    };
  }

  override onStart(): void {
    this.#ready();
  }

  /**
   * Answers a call of another object of this Worker; `facet` is its identity, from its parent. Not `async`: the SDK
   * would start itself before it.
   * @internal
   */
  offshoot<Call extends ObjectCall>(call: Call, facet?: FacetIdentity): Promise<ObjectAnswer<Call>> {
    return this.#offshoot(call, facet);
  }

  #offshoot<Call extends ObjectCall>(call: Call, facet?: FacetIdentity): Promise<ObjectAnswer<Call>>;
  async #offshoot(call: ObjectCall, facet?: FacetIdentity): Promise<ObjectAnswer<ObjectCall>> {
    this.#departure.called();
    if (this.#leaving) return leavingAnswer(call, this.#isChildObject());
    if (this.#refusal) return answerRefused(call, this.#refusal);
    this.#facet ??= facet;
    const begins = () => this.#hasOnStart() || (this.#facet === undefined && hasStartedBefore(this.ctx.storage));
    if (!this.lifecycle.isStarted() && begins()) await this.#startSdk();
    return this.#answer(() => this.#ready().call(call));
  }

  /** Starts the SDK, if it has not started: that of a facet as the SDK's own way to it does. */
  async #startSdk(): Promise<void> {
    if (this.lifecycle.isStarted()) return;
    if (this.#facet === undefined) await this.lifecycle.start();
    else await startAsFacet(this, this.#facet);
  }

  /** From the root to this object; the SDK of a facet knows it once it has started. */
  #path(): readonly FacetLevel[] {
    if (this.#facet === undefined) return this.selfPath;
    return [...this.#facet.parentPath, this.#at()];
  }

  /** This object, as the platform and the SDK know it. */
  #at(): FacetLevel {
    return { className: this.constructor.name, name: this.#facet?.name ?? this.name };
  }

  /** The agent that lives here; undefined where the name names none. */
  #agent(): FacetLevel | undefined {
    return agentNamed(this.#prepared ?? this.#at());
  }

  /** What this agent is. Undefined where the class is no agent's, or the Worker lists no such agent. */
  #definition(): AgentDefinition | undefined {
    const { definition } = this.constructor as typeof AgentObject;
    const agent = this.#agent();
    return definition ?? (agent && workerPorts().shared(agent.className));
  }

  /** Whether the exported class wants to know when it wakes. All else of the SDK comes in by a way that starts it. */
  #hasOnStart(): boolean {
    return Object.getPrototypeOf(this).onStart !== AgentObject.prototype.onStart;
  }

  /** Whether this object is no facet. The id of a facet is made of more than its name, also before its SDK has started. */
  #isTopLevel(): boolean {
    return this.parentPath.length === 0 && this.ctx.id.name === this.name;
  }

  /** True where a tree begins in this object. */
  #isRoot(): boolean {
    return this.#isTopLevel() && !this.#isChildObject();
  }

  /** Whether this object is a child's own. */
  #isChildObject(): boolean {
    const agent = this.#isTopLevel() ? this.#agent() : undefined;
    return agent !== undefined && isChildObject(agent.name);
  }

  /** Answers sockets, and requests that a Worker with other routes forwards. */
  override async fetch(request: Request): Promise<Response> {
    this.#departure.called();
    if (this.#leaving || this.#isChildObject()) return new Response('Not found', { status: 404 });
    if (this.#refusal) return refusedResponse(this.#refusal);
    return this.#answer(async () => {
      await this.lifecycle.start();
      const object = this.#ready();
      if (!object.isTopLevel) return super.fetch(request);
      if (object.agent === undefined && holdsNothing(this.ctx.storage))
        return new Response('Not found', { status: 404 });
      if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') return super.fetch(request);
      const prepared = this.#sockets.prepare(request);
      return prepared instanceof Response ? prepared : super.fetch(prepared);
    });
  }

  /**
   * Handles a frame, and knows when it is done, which the SDK's own handler does not report. These handlers are not
   * `async`, because the SDK would then start first.
   */
  override webSocketMessage(ws: WebSocket, message: string | ArrayBuffer): Promise<void> {
    if (this.#refusal) return Promise.resolve(ws.close(SOCKET_CLOSES.slow, this.#refusal.failure.code));
    return this.#started(() => this.#sockets.handle(ws, message, () => this.lifecycle.webSocketMessage(ws, message)));
  }

  /** Ignores sockets that close because their root is being removed: its tables no longer exist. */
  override webSocketClose(...[ws, code, reason, wasClean]: [WebSocket, number, string, boolean]): Promise<void> {
    if (this.#leaving || this.#refusal) return Promise.resolve();
    return this.#started(() => this.lifecycle.webSocketClose(ws, code, reason, wasClean));
  }

  override webSocketError(ws: WebSocket, error: unknown): Promise<void> {
    if (this.#leaving || this.#refusal) return Promise.resolve();
    return this.#started(() => this.lifecycle.webSocketError(ws, error));
  }

  async #started(work: () => Promise<void>): Promise<void> {
    if (!this.lifecycle.isStarted()) await this.lifecycle.start();
    await work();
  }

  /** Makes sockets read-only for the SDK's state, unless the class overrides this. */
  override shouldConnectionBeReadonly(_connection: Connection, _context: ConnectionContext): boolean {
    return true;
  }

  /** Refuses requests for sub-agents that do not exist: no request creates one. */
  override async onBeforeSubAgent(
    request: Request,
    child: { className: string; name: string },
  ): Promise<Request | Response | undefined> {
    return isOurs(request) || this.#has(child.className, child.name)
      ? undefined
      : new Response('Not found', { status: 404 });
  }

  /** True where the class has a hook of its author. Not `async`: the SDK would start itself before it. @internal */
  offshootHooked(): Promise<boolean> {
    return Promise.resolve(this.#hook() !== undefined);
  }

  /** The author's `onBeforeSubAgent`. */
  #hook() {
    const { onBeforeSubAgent } = this;
    return onBeforeSubAgent === AgentObject.prototype.onBeforeSubAgent ? undefined : onBeforeSubAgent.bind(this);
  }

  /** Aborts a sub-agent. Holders of its old stub then request a new one. */
  override abortSubAgent(...[cls, name, reason]: Parameters<SdkAgent['abortSubAgent']>): void {
    super.abortSubAgent(cls, name, reason);
    this.#facets.aborted({ className: cls.name, name });
  }

  /** Keeps the object in memory. Below the root, the root holds the keep-alive, and checks that it is needed. */
  override async keepAlive(): Promise<() => void> {
    await this.#startSdk();
    if (this.#isTopLevel()) return super.keepAlive();
    let held = true;
    const drop = (): void => {
      if (held) this.#held--;
      held = false;
    };
    this.#held++;
    try {
      const release = await super.keepAlive();
      return () => {
        drop();
        release();
      };
    } catch (error) {
      drop();
      throw error;
    }
  }

  /** The number of keep-alives that this agent holds at its root. */
  offshootHeld(): number {
    return this.#held;
  }

  /** Handles the alarm, or sets it again and writes nothing else: the platform abandons alarms that fail (SO8). */
  override alarm(): Promise<void> {
    if (this.#refusal) return this.ctx.storage.setAlarm(Date.now() + NEWER_FORMAT_AGAIN_MS);
    return this.#alarm.beside(() => this.#schedules.alarms(() => super.alarm()));
  }

  /** Not awaited: agents that take long to answer must not hold up the alarm. */
  #checkKeepAlives(): void {
    this.#keepAlives
      .check()
      .catch((error: unknown) => console.error('offshoot: keep-alives could not be checked.', error));
  }

  #has(className: string, name: string): boolean {
    if (this.#facets.isDue(className, name)) return false;
    const agent = agentNamed({ className, name });
    if (agent === undefined || !this.dynamicAgents.has(className, name)) return false;
    return !this.#ready().isFree(agent.className, slotOf(agent.name));
  }

  /** Answers a call; an object at the top of no tree that holds nothing leaves nothing behind afterwards. */
  async #answer<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    this.#calls++;
    try {
      return await work();
    } finally {
      this.#calls--;
      this.#departure.answered();
    }
  }

  #isEmpty(): boolean {
    return (
      this.#calls === 0 &&
      !this.#leaving &&
      this.#object?.agent === undefined &&
      this.#isTopLevel() &&
      holdsNothing(this.ctx.storage)
    );
  }

  /** Takes this object from storage and memory. */
  #leave(): void {
    this.#leaving = true;
    this.#sockets.closeAll();
    this.#clear().then(
      () => this.#departure.endOnceQuiet(),
      // What was marked for deletion is deleted when the object wakes again.
      (error: unknown) => this.ctx.abort(`offshoot: this object could not be deleted: ${String(error)}`),
    );
  }

  /** Leaves once what is being answered has been; nobody is answered from here on. */
  #erase(): void {
    // What it tried in vain it tries again when its alarm brings it back.
    if (this.#isChildObject()) return void this.offshootErase().catch(() => undefined);
    this.#leaving = true;
    timer(0, () => this.#leave());
  }

  async #clear(): Promise<void> {
    await this.lifecycle.disableAlarms();
    await this.ctx.storage.deleteAll();
    await this.ctx.storage.sync();
  }

  get #schedules(): SchedulesBeside {
    this.#schedulesMade ??= new SchedulesBeside(schedulesOf(this), {
      now: Date.now,
      alarm: () => this.ctx.storage.getAlarm(),
      isPlatform: (error) => PLATFORM.some((isIt) => isIt(error)),
    });
    return this.#schedulesMade;
  }

  get #sockets(): ObjectSockets {
    this.#socketsMade ??= workerPorts().sockets({
      ...sdkSockets(this, this.ctx),
      object: () => this.#ready(),
      isLeaving: () => this.#leaving,
      env: () => this.env,
    });
    return this.#socketsMade;
  }

  /** Erases a child's separate object with everything in it. The object is evicted once it gets no more requests. */
  offshootErase(): Promise<void> {
    this.#erased ??= this.#eraseChild();
    return this.#erased;
  }

  async #eraseChild(): Promise<void> {
    if (!this.#isChildObject()) throw new Error('Only the object of a sub-agent is erased so.');
    this.#leaving = true;
    this.#object?.stop();
    try {
      await this.#clear();
    } catch (error) {
      // Whoever asks again meets a new life, which can try.
      this.ctx.abort(`offshoot: this object could not be erased: ${String(error)}`);
      throw error;
    }
    this.#departure.endOnceQuiet();
  }

  /** Prepares the store of a template, with the tables that the SDK creates. A template gets no other calls. */
  offshootPrepare(name: string): Promise<void> {
    return this.#prepareStore(name);
  }

  async #prepareStore(name: string): Promise<void> {
    this.#prepared = { className: this.constructor.name, name };
    // No tree begins in a template, whatever it is called.
    this.#storesMade = sqlStores(this.ctx.storage, false);
    if (this.#refusal) throw this.#refusal;
    const object = this.#assemble(undefined);
    this.#object = object;
    if (this.#hasOnStart()) await this.lifecycle.start();
    object.prepare();
  }

  #ready(): ObjectRuntime {
    if (this.#object === undefined) {
      const topLevel = this.#isRoot() ? this.#agent() : undefined;
      const object = this.#assemble(topLevel);
      object.open();
      this.#object = object;
      if (topLevel && object.agent) this.#sockets.restore();
    }
    return this.#object;
  }

  get #stores(): ObjectStores {
    this.#storesMade ??= sqlStores(this.ctx.storage, this.#isRoot());
    return this.#storesMade;
  }

  /** Why nothing here is read or written: a newer version of the Worker has written it, or the Worker lists no such agent. */
  get #refusal(): OffshootError | undefined {
    return this.#unlisted() ?? this.#stores.refusal();
  }

  /** An entry of the list that was removed, or a name that was made up: what the object holds stays as it is. */
  #unlisted(): OffshootError | undefined {
    if (this.constructor.name !== SHARED_CLASS || this.#definition()) return undefined;
    const agent = this.#agent();
    const what = agent
      ? `This Worker lists no agent for "${agent.className}". Add it to \`serve([…])\` again.`
      : 'No agent has this object. Reach agents in the shared class by their addresses.';
    return new OffshootError('unavailable', what, { retryAfterMs: NEWER_FORMAT_AGAIN_MS });
  }

  #assemble(topLevel: RootLocation | undefined): ObjectRuntime {
    const definition = this.#definition();
    if (definition === undefined)
      throw new Error(`The class ${this.constructor.name} extends AgentObject: extend AgentObject.of(definition).`);
    const ports = workerPorts();
    return new ObjectRuntime({
      environment: this.#environment(ports),
      definition,
      seat: (state) => seatOf(definition, ports.capabilities).at(state),
      capabilities: ports.capabilities,
      stores: this.#stores,
      files: createFileStore(this.ctx.storage, { now: Date.now, limits: definition.limits }),
      vault: vaultIn(() => this.env),
      durable: () => this.ctx.storage.sync(),
      isAt: (address) => topLevel !== undefined || isPathOf(this.#path(), address),
      topLevel,
      model: async (of, at) => ports.model(of, at, this.env),
      transports: {
        facet: this.#facets,
        object: new ObjectChildren((className, name) => this.#stub({ className, name })),
      },
      ...(this.#isChildObject() ? { standsAlone: true as const } : {}),
      askRoot: (root, request) => this.#stub(root).offshoot({ kind: 'root', request }),
      askFiles: async (root, call) => ownCopy(await this.#stub(root).offshoot(call)),
      askVariables: async (root, call) => ownCopy(await this.#stub(root).offshoot(call)),
      askThread: async (root, call) => ownCopy(await this.#stub(root).offshoot(call)),
      askOther: async (root, call) => ownCopy(await this.#stub(root).offshoot(call)),
      arm: (time) => this.#alarm.arm(time),
      directory: () => this.#directory(definition.className),
      // No class has a colon in its name.
      rootClaims: (caller) => this.#directory(`caller:${caller}`),
      erase: () => this.#erase(),
      socket: (call) => this.#gate.socket(this.#ready(), call, () => this.#sockets.admit(call)),
      revoked: () => this.#sockets.revoked(),
      access: (opening, question) => ports.access(opening, question, this.env),
      ownFacets: () => this.#facets.ofAuthor(this.#ready()),
      mayHaveFacets: (className) => !isShared(className),
      refusal: (call) => this.#gate.refusal(call),
      verb: (object, call) => this.#gate.verb(object, call, () => ports.verb(object, call)),
    });
  }

  #environment(ports: WorkerPorts): Environment {
    return {
      now: Date.now,
      token,
      timer,
      bindings: this.env,
      sha256: (text) => createHash('sha256').update(text).digest('hex'),
      report: (problem, error) => console.error(`offshoot ${this.#agent()?.className}: ${problem}`, error ?? ''),
      ...(ports.committed ? { committed: ports.committed } : {}),
    };
  }

  #directory(name: string): (DirectoryPort & RootClaimsPort) | undefined {
    const namespace: unknown = (this.ctx.exports as unknown as Record<string, unknown>)[DIRECTORY];
    if (typeof (namespace as { getByName?: unknown } | undefined)?.getByName !== 'function') return undefined;
    return (namespace as { getByName(name: string): DirectoryPort & RootClaimsPort }).getByName(name);
  }

  /** The object of an agent. @throws Error where the class has none */
  #stub(agent: FacetLevel): AloneStub {
    const { className, name } = objectNamed(agent, isShared);
    return this.#namespace(className).getByName(name);
  }

  /** The objects of a class. @throws Error where it has none */
  #namespace(className: string): Namespace {
    const found = (this.ctx.exports as unknown as Record<string, Namespace | undefined>)[className];
    if (typeof found?.getByName === 'function') return found;
    throw new Error(
      `The Worker has no objects of the class "${className}". Export it, and add it to "exports" in wrangler.jsonc.`,
    );
  }
}

namesClasses(AgentObject.prototype);
