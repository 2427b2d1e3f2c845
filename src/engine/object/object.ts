/**
 * One object: the agent that lives in it and, at the top of a tree, the root's half; with the way to its neighbours.
 * Where it runs (a Durable Object, a test's process) is behind `ObjectPorts` (decision 1).
 *
 * Keeps A21, SO3.
 */

import type { Transition } from '../../core/agent/changes';
import type { AgentEvent, NewSession } from '../../core/agent/events';
import { effects } from '../../core/agent/owed-effects';
import type { AgentState, RootLocation, Session } from '../../core/agent/state';
import { workersBelow } from '../../core/definition/children/child-graph';
import { agentBy } from '../../core/definition/children/relationship';
import type { AgentDefinition } from '../../core/definition/definition';
import { limitsOf } from '../../core/definition/limits';
import { countsMoney } from '../../core/definition/price';
import type { AgentStore } from '../../core/ports/agent-store';
import { byPlacement, type ChildTransport } from '../../core/ports/child-transport';
import type { Lease } from '../../core/tree/lease';
import { type Dues, duesOf } from '../../core/tree/merge';
import { notInRecord } from '../../core/tree/verbs/unbegun';
import { formatAddress, parseAddress } from '../../protocol/address';
import { failure, OffshootError } from '../../protocol/errors';
import type { Json } from '../../protocol/json';
import { AgentRuntime, type Creation } from '../agent';
import type { AgentDeps } from '../agent-deps';
import { Elsewhere } from '../children/children-elsewhere';
import { LeftPlaces } from '../children/left-places';
import { childAt } from '../children/own-children';
import { refTo } from '../children/reach-child';
import type { Environment } from '../environment';
import { answerEnclosure } from '../files/bring-enclosures';
import { answerFiles, workFilesOf } from '../files/work-files';
import { leaveAll, payAll, removeChild } from '../hand-over';
import { Outbox, type OutboxOwner } from '../outbox';
import { passDown } from '../pass-down';
import { fit } from '../perform/check-calls';
import { answerThread } from '../perform/thread';
import { answerVariables, lacksOf, variableOf } from '../perform/variable-values';
import { reportOf } from '../root/directory-report';
import { clearAway, finishRemoval } from '../root/removal';
import { RootRuntime } from '../root/root';
import { holdClaim } from '../root/root-claims';
import { linkAtRoot, linkBelow } from '../root-link';
import { type FirstState, firstStateOf } from '../settings/first-state';
import {
  type AgentAnswer,
  type AgentMessage,
  type AssignMessage,
  firstEvent,
  GONE,
  type LeavingSegment,
  type RootAnswer,
  type RootRequest,
  type Segment,
  segmentOf,
} from '../tree-messages';
import { unknownCall } from '../versions/known-calls';
import { ObjectParts } from './capability-object';
import {
  type AgentCall,
  answerRefused,
  type ChildCalls,
  type FilesAnswer,
  type FilesCall,
  type ObjectAnswer,
  type ObjectCall,
  type VerbAnswer,
  type VerbCall,
} from './object-calls';
import type { ObjectPorts } from './object-ports';
import { BEAT_MS, OwnAlarm } from './own-alarm';

/** What a session begins with beside its first event. */
interface BeginsWith extends Pick<Creation, 'adopt' | 'next'> {
  readonly lease?: Lease | undefined;
}

const owesSomething = ({ state, seat }: AgentRuntime): boolean => effects(state, seat.rules).length > 0;

/** One object in memory. */
export class ObjectRuntime {
  readonly store: AgentStore;
  #agent: AgentRuntime | undefined;
  /** Whether there was a store when this object came into memory. */
  #hasStore = false;
  #tree: RootRuntime | undefined;
  /** Its agent's children, each by the transport of its placement. */
  readonly children: Required<ChildTransport<ChildCalls>>;
  /** The same, as they are reached: what is removed there takes with it what it owes elsewhere. */
  readonly #placed: Required<ChildTransport<ChildCalls>>;
  readonly elsewhere: Elsewhere;
  /** Of a child in an object of its own. */
  readonly #ownAlarm: OwnAlarm | undefined;
  /** Its root has said that it is in no record. */
  #isStray = false;
  /** Pays what such an object owes. */
  #leaving: Promise<void> | undefined;
  /** The places of children that have left. */
  readonly #left = new LeftPlaces(this, (child, isLast) => removeChild(this, this.#placed, child, isLast));
  /** Ends with the last clearing away that began as agents left the record. */
  cleared: Promise<void> = Promise.resolve();

  /** The parts of capabilities. */
  readonly parts: ObjectParts;

  constructor(readonly ports: ObjectPorts<ObjectRuntime>) {
    this.store = ports.stores.agent;
    const { environment, arm, standsAlone } = ports;
    const isOwed = () =>
      this.#isStray ||
      this.elsewhere.owedAt() !== undefined ||
      (this.#agent !== undefined && !this.#agent.isStopped && owesSomething(this.#agent));
    this.#ownAlarm = standsAlone ? new OwnAlarm({ environment, arm, isOwed }) : undefined;
    const parent = {
      environment,
      store: this.store,
      agentBy: (way: string, by?: string) => this.#agentBy(way, by),
      countsMoney: (transport: string) => countsMoney(this.definition, this.#agentBy(transport)),
      keepDues: () => this.#agent?.keepDues() ?? (() => Promise.resolve()),
      askRoot: (root: RootLocation, request: RootRequest) =>
        this.#tree ? this.#tree.takeWithOthers(request) : ports.askRoot(root, request),
    };
    this.parts = new ObjectParts(ports.capabilities, this);
    this.elsewhere = new Elsewhere(parent, ports.definition);
    this.#placed = byPlacement({ ...ports.transports, remote: this.elsewhere });
    this.children = { ...this.#placed, remove: (child) => removeChild(this, this.#placed, child, true) };
  }

  /** What an agent in an object of its own has committed wakes it until it is done with. */
  #agentEnvironment(): Environment {
    const { environment } = this.ports;
    const alarm = this.#ownAlarm;
    if (alarm === undefined) return environment;
    return {
      ...environment,
      committed: (what) => {
        alarm.committed();
        environment.committed?.(what);
      },
    };
  }

  /** The agent elsewhere that a way leads to, for the session as it is now or with another agent at work. */
  #agentBy(way: string, by?: string): AgentDefinition | undefined {
    const { definition } = this.ports;
    return agentBy(by === undefined ? [this.definition, definition] : workersBelow(definition, by), way);
  }

  /** The agent of this object, if its session was created. */
  get agent(): AgentRuntime | undefined {
    return this.#agent;
  }

  /** The root's half, at the top of a tree whose session was created. */
  get tree(): RootRuntime | undefined {
    return this.#tree;
  }

  /** What its session works by now; before there is one, what it would begin with. */
  get definition(): AgentDefinition {
    return this.#agent?.seat.definition ?? this.ports.definition;
  }

  get environment(): Environment {
    return this.ports.environment;
  }

  /** Whether this object is no facet: it has an alarm of its own, and the record and the log of the tree that begins in it. */
  get isTopLevel(): boolean {
    return this.ports.topLevel !== undefined;
  }

  /** Whether the agent here has no parent; before its session is there, whether it would have none. */
  get isRoot(): boolean {
    return this.isTopLevel && this.#agent?.state.session.parent === undefined;
  }

  /** Loads what is there, by local SQL alone. An object without a session writes nothing. */
  open(): void {
    if (!this.ports.stores.open()) return;
    this.#hasStore = true;
    if (this.isTopLevel) this.#tree = this.#treeRuntime();
    this.#agent = AgentRuntime.load(this.#deps());
    // Without a session nobody has a tree: its record belongs to a memory that is still on its way.
    if (this.#agent === undefined) this.#tree = undefined;
    if (this.#agent) this.environment.timer(0, () => this.resume());
    else if (this.isTopLevel) this.parts.found();
  }

  /** Goes on with what is owed. */
  resume(): void {
    if (this.#tree?.self()?.top.removing) {
      this.elsewhere.open();
      return this.#guard(finishRemoval(this));
    }
    this.#agent?.resume();
    if (this.#agent?.isStopped) return;
    this.elsewhere.open();
    if (this.#tree) this.#guard(this.#left.sweep(this.#tree));
    this.#tree?.changed();
    this.#guard(clearAway(this));
  }

  #guard(work: Promise<void>): void {
    work.catch((error: unknown) => this.environment.report('Removed agents could not be deleted completely.', error));
  }

  /** Prepares the store alone: what a template needs. */
  prepare(): void {
    this.ports.stores.make();
  }

  #treeRuntime(): RootRuntime {
    const { environment, stores, definition } = this.ports;
    const directory = this.ports.directory?.();
    return new RootRuntime({
      environment,
      store: stores.tree(),
      transaction: (body) => this.store.transaction(body),
      send: (address, message) => this.send(address, message),
      arm: (time) => this.ports.arm(time),
      isSweeping: () => this.#left.isSweeping,
      released: () => {
        if (this.#tree) this.#guard(this.#left.sweep(this.#tree));
        this.cleared = clearAway(this);
        this.#guard(this.cleared);
      },
      ...(directory
        ? {
            report: async (self, tree) => {
              await holdClaim(this);
              await directory.report(reportOf(this, self, tree));
            },
          }
        : {}),
      limits: limitsOf(definition.limits),
    });
  }

  #deps(lease?: Lease): AgentDeps {
    const { ports } = this;
    return {
      ...(lease ? { lease } : {}),
      environment: this.#agentEnvironment(),
      store: this.store,
      durable: () => ports.durable(),
      isOwn: ({ address }) => ports.isAt(address),
      capabilities: ports.capabilities,
      seat: (state) => ports.seat(state).over(state.session),
      files: (session) => workFilesOf(this, session),
      clearFiles: () => ports.files.clear(),
      variable: (state, name) => variableOf(this, state, name),
      kept: ports.files.kept,
      askFiles: (root, call) => ports.askFiles(root, call),
      askThread: (root, call) => ports.askThread(root, call),
      lacks: (state, child) => lacksOf(this, state, child),
      model: (definition, at) => ports.model(definition, at),
      owedAt: () => this.elsewhere.owedAt(),
      children: {
        ...this.children,
        remove: async (child) => {
          await this.#left.cleared;
          await this.children.remove(child);
        },
      },
      created: (session) => this.#tree?.found(session),
      runBegins: (turn, openTasks) => this.#tree?.beginTurn(turn, openTasks),
      root: (state, owner) =>
        this.#tree
          ? linkAtRoot(this.#tree, state.session.sessionId)
          : linkBelow(this.#outbox(state, owner), (until) => this.#ownAlarm?.rests(until)),
    };
  }

  #outbox({ session, run }: AgentState, owner: OutboxOwner): Outbox {
    const { standsAlone } = this.ports;
    const askRoot = (request: RootRequest) => this.ports.askRoot(session.root, request);
    const gone = (unknown: boolean): void => {
      owner.gone(unknown);
      this.#isStray = unknown && standsAlone === true;
      if (this.#isStray) this.#guard(this.#goAway());
    };
    // A session that has never run has nothing to say yet.
    const kept = run === undefined ? undefined : this.store.outbox();
    return new Outbox(this.store, this.environment, session.sessionId, askRoot, { ...owner, gone }, kept);
  }

  /** No tree knows of this object: it pays, and erases itself (OP10). Its alarm comes until it is gone, and tries again (OP11). */
  #goAway(): Promise<void> {
    this.#ownAlarm?.committed();
    this.#leaving ??= payAll(this, this.#placed)
      .then(() => this.ports.erase?.())
      .finally(() => {
        this.#leaving = undefined;
      });
    return this.#leaving;
  }

  /** A message to any agent of the tree, from the root. */
  async send(address: string, message: AgentMessage): Promise<AgentAnswer> {
    return this.#relay({ kind: 'agent', path: parseAddress(address).below.map(segmentOf), message });
  }

  /** A call from another object of the tree, or from the Worker. What it changed here survives a crash from the answer on. */
  call<Call extends ObjectCall>(call: Call): Promise<ObjectAnswer<Call>>;
  async call(call: ObjectCall): Promise<ObjectAnswer<ObjectCall>> {
    const unknown = unknownCall(call);
    if (unknown) return answerRefused(call, unknown);
    const answer = await this.#answer(call);
    if ('path' in call && call.path.length === 0) await this.#agent?.link.recorded();
    return answer;
  }

  async #answer(call: ObjectCall) {
    switch (call.kind) {
      case 'root':
        return this.#tree ? this.#tree.takeWithOthers(call.request) : this.#relayRequest(call.request);
      case 'agent':
        return this.#relay(call);
      case 'socket':
        return (
          this.ports.socket?.(call) ?? { ok: false as const, error: failure('not_found', 'There are no sockets here.') }
        );
      case 'verb':
        return this.ports.verb(this, call);
      case 'files':
        return this.#files(call);
      case 'variables':
        return answerVariables(this, call, (down) =>
          passDown(this, down, (child, said) => this.children.send(child, said)),
        );
      case 'thread':
        return call.path.length === 0
          ? answerThread(this, call)
          : passDown(this, call, (child, said) => this.children.send(child, said));
      case 'capability':
        return this.parts.take(call);
    }
  }

  /** Something that is asked of files, here or further down. */
  async #files(call: FilesCall): Promise<FilesAnswer> {
    if (call.path.length > 0) return passDown(this, call, (child, said) => this.children.send(child, said));
    const brings = call.ask.op === 'has' || call.ask.op === 'take';
    // What a child is told may come before its session is there.
    if (brings && this.#agent === undefined && !this.isTopLevel) this.ports.stores.make();
    return brings ? answerEnclosure(this, call) : answerFiles(this, call);
  }

  /** From a child that cannot reach the root: it goes there by way of its parent (RT5). */
  async #relayRequest(request: RootRequest): Promise<RootAnswer> {
    const [answer = GONE] = (await this.#agent?.link.relay([request])) ?? [];
    return answer;
  }

  async #relay(call: AgentCall): Promise<AgentAnswer> {
    const [segment, ...path] = call.path;
    if (segment === undefined) return this.#receive(call.message);
    const known = this.childAt(segment);
    if (!known.ok) return { answer: 'absent' };
    const { message } = call;
    // The object of a child that has not begun is not made for this.
    if (path.length === 0 && message.type === 'wake' && this.#agent?.isToBegin(message.sessionId))
      return { answer: this.#agent.isAboutToBegin(message.sessionId) ? 'done' : 'absent' };
    return this.children.send(known.child, { ...call, path });
  }

  /** Passes a verb down one level. Nothing is created by asking: the segment must mean a child that this agent has. */
  async down(call: VerbCall): Promise<VerbAnswer> {
    const [segment] = call.path;
    const known = segment && this.childAt(segment);
    const child = known?.ok && call.path.length === 1 ? known.child : undefined;
    if (child && call.lookOnly) return { ok: false, error: notInRecord(child) };
    const passed = child?.state.is === 'ended' && !child.state.gone ? { ...call, ended: true as const } : call;
    return passDown(this, passed, (child, said) => this.children.send(child, said));
  }

  /** The child that a segment of an address means: `gone` for an older generation of its slot, `not_found` for what never was. */
  childAt(segment: Segment): ReturnType<typeof childAt> {
    if (this.#agent === undefined) return { ok: false, error: failure('not_found') };
    return childAt(this.store, segment);
  }

  /** Whether a slot holds no child; false without a number, because such a facet was not made by Offshoot. */
  isFree(className: string, slot: number | undefined): boolean {
    if (slot === undefined) return false;
    return this.#agent === undefined || (this.store.slot(className, slot)?.free ?? true);
  }

  #receive(message: AgentMessage): Promise<AgentAnswer> | AgentAnswer {
    if (message.type === 'wake') this.#tree?.woken();
    if (message.type === 'effects_due' || message.type === 'remove') this.elsewhere.open();
    if (message.type === 'remove') return this.#remove(message.segments);
    if (message.type === 'leave') return leaveAll(this, this.#placed, message);
    if (message.type === 'capability') return this.parts.receive(message);
    if (this.#agent) return this.#agent.receive(message);
    if (message.type !== 'assign' || message.begun) return { answer: 'absent' };
    return message.first ? this.parts.begin(message, message.first.capability) : this.startAsChild(message);
  }

  /** The session whose memory lies here, where that is another object's. */
  get inherited(): Session | undefined {
    return this.#hasStore && !this.#agent ? this.store.load()?.session : undefined;
  }

  /** Writes a session at rest in one transaction, and takes it up. */
  takeUp(what: string, write: () => void): AgentState {
    this.store.transaction(() => write());
    const agent = AgentRuntime.load(this.#deps());
    if (agent === undefined) throw new TypeError('The session is not at its place.');
    this.#agent = agent;
    this.environment.committed?.(what);
    return agent.state;
  }

  /** Begins the session of a child without any memory. */
  async startAsChild(message: AssignMessage): Promise<AgentAnswer> {
    const { stateSchema } = this.ports.definition;
    // A memory that no session took over: its place is not used for another one.
    if (this.parts.isBusy || (this.#hasStore && (this.store.load() || this.parts.isOccupied)))
      return { answer: 'refused', error: failure('subagent_lost', 'The agent in this place never began.') };
    const { input } = message;
    const checked =
      stateSchema && input !== undefined ? await fit(stateSchema, input) : { ok: input !== undefined, json: input };
    const taken = checked.ok ? checked.json : undefined;
    const state: FirstState = taken === undefined ? await this.firstState() : { ok: true, json: taken };
    if (!state.ok) return { answer: 'refused', error: state.error };
    // The same message may have come again while the state was checked.
    if (this.#agent) return this.#agent.receive(message);
    const event = firstEvent(message, this.environment);
    const grants = (): void => {
      for (const [name, sealed] of Object.entries(message.variables ?? {}))
        this.store.setVariable(name, { sealed, granted: true });
    };
    const created = await this.create(message.session, state.json, event, grants, { lease: message.lease });
    if (!created.ok) return { answer: 'refused', error: created.refused };
    return { answer: 'done' };
  }

  /** The custom state that a session begins with where nothing gives it: the defaults of its schema, else an empty object. */
  firstState(): Promise<FirstState> {
    return firstStateOf(this.ports.definition);
  }

  /** Creates the session with its first event, in one transaction. With a session here already, the event is applied to it. */
  async create(
    session: NewSession,
    custom: Json,
    event: AgentEvent,
    inTransaction?: (state: AgentState) => void,
    { lease, ...more }: BeginsWith = {},
  ): Promise<Transition> {
    if (this.#agent) return this.#agent.apply(event, ({ state }) => inTransaction?.(state));
    this.ports.stores.make();
    const clearing = this.parts.clear();
    if (clearing) {
      await clearing;
      // Somebody else may have begun it meanwhile.
      const begun = this.agent;
      if (begun) return begun.apply(event, ({ state }) => inTransaction?.(state));
    }
    if (this.isTopLevel) this.#tree ??= this.#treeRuntime();
    try {
      const created = AgentRuntime.create(this.#deps(lease), { session, custom, event, ...more }, inTransaction);
      this.#agent = created.agent;
      return created.transition;
    } catch (error) {
      // Nothing was kept, so the record in memory tells of nothing either.
      this.#tree = undefined;
      throw error;
    }
  }

  /** The session of a new root. @throws OffshootError `not_a_root` for an agent that only works for others */
  newRootSession(
    facts: Pick<NewSession, 'displayName' | 'metadata' | 'claim'> & { tags: readonly string[] },
  ): NewSession {
    const { definition, topLevel } = this.ports;
    if (topLevel === undefined) throw new TypeError('Only the top of a tree begins its own session.');
    if (!definition.root)
      throw new OffshootError(
        'not_a_root',
        `The agent "${definition.name}" only works for other agents (\`root: false\`): start one that uses it.`,
      );
    return {
      sessionId: `s_${this.environment.token()}`,
      agentType: definition.name,
      address: formatAddress({ addressClass: definition.addressClass, name: topLevel.name }, []),
      root: topLevel,
      depth: 1,
      ...facts,
    };
  }

  /** Removes children with their stores and everything below them, and frees their slots; who is gone already is. */
  async #remove(segments: readonly LeavingSegment[]): Promise<AgentAnswer> {
    const stay: string[] = [];
    for (const { sessionId, isLast = false, isAgain = false, ...segment } of segments) {
      const known = this.childAt(segment);
      // A name may have begun anew since.
      const isMeant = known.ok && (sessionId === undefined || known.child.sessionId === sessionId);
      if (!isMeant) continue;
      try {
        await this.#left.clear(known.child, isLast);
      } catch (error) {
        const { address } = refTo(known.child);
        if (!isAgain) this.environment.report(`${address} could not be removed; it is tried again.`, error);
        stay.push(address);
      }
    }
    return { answer: 'done', ...this.dues, ...(stay.length > 0 ? { stay } : {}) };
  }

  /** What is owed to agents elsewhere that have left. */
  get dues(): Dues {
    return duesOf(undefined, this.elsewhere.owedAt());
  }

  /** The alarm has come. */
  async alarm(): Promise<void> {
    this.elsewhere.open();
    if (this.#ownAlarm) return this.#rang(this.#ownAlarm);
    if (this.#tree?.self()?.top.removing) return finishRemoval(this);
    if (this.isTopLevel && this.#agent === undefined) return this.parts.alarm();
    this.#guard(clearAway(this));
    await this.#tree?.alarm();
  }

  /** The alarm of an object that is neither a facet nor a root's: no tree may know of what has come here. */
  async #rang(alarm: OwnAlarm): Promise<void> {
    if (this.#agent === undefined) return this.parts.alarm();
    alarm.rang();
    this.#agent.modelTurns.ring();
    // Not awaited: what it owes elsewhere may take a day.
    if (this.#isStray) return this.#guard(this.#goAway());
    if (alarm.isSet || !this.parts.isUnconfirmed) return;
    if (await this.#agent.link.reached(BEAT_MS)) this.parts.confirmed();
    else alarm.committed();
  }

  /** Ends everything in memory. */
  stop(): void {
    this.#agent?.stop();
    this.elsewhere.stop();
  }
}
