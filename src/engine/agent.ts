/**
 * One agent at work: load the state, apply an event in one transaction, perform what is owed, take the result as an event.
 *
 * EG1. Commit first, then start: an effect begins only after the transaction that asks for it. A body, and a model call
 *     that is repeated, begins when that transaction would survive a crash: one that never gives the object back is counted.
 * EG2. Effects are level-triggered: after each commit, what is owed and not in flight is started; what is in flight and
 *     no longer owed is aborted.
 * EG4. What fails again and again ends the run or the call that it belongs to, with the reason; nothing tries for ever.
 * ST1. A result comes back as an event with its fence; one that comes too late is refused by the core and dropped.
 */

import { movesOf } from '../core/agent/calls/enclosures';
import { type Applied, chunksOf, type Transition } from '../core/agent/changes';
import { openTasks } from '../core/agent/children/await';
import { keyOf } from '../core/agent/children/child';
import { endsBy } from '../core/agent/children/child-stop-time';
import { losesFiles } from '../core/agent/children/workspace-owner';
import type { AgentEvent, NewSession } from '../core/agent/events';
import { type Effect, effects, owesWork } from '../core/agent/owed-effects';
import type { Seat } from '../core/agent/seat';
import { type AgentState, newState, type Session } from '../core/agent/state';
import { transition } from '../core/agent/transition';
import type { HookedMessage, MessageChanges } from '../core/definition/hooks/hooked-message';
import { type Dues, duesOf } from '../core/tree/merge';
import type { Chunk } from '../protocol/chunks';
import { boundedText, type Failure, failure, failureOf, refuseWith } from '../protocol/errors';
import type { Json } from '../protocol/json';
import type { SideName } from '../protocol/sides';
import type { Usage } from '../protocol/usage';
import type { AgentDeps } from './agent-deps';
import { CapabilitiesAtWork } from './capability';
import { ChildPreparation } from './children/before-children';
import { takeEnd, takeEnds } from './children/child-end-hooks';
import { Beginnings } from './children/child-starts';
import { begunTogether, delegate, loseChild, respawnChild, stopBelow, stopChildren } from './children/children';
import { deliverOutcome, deliverWait } from './children/deliver-to-parent';
import { activate } from './children/prompt-subagents';
import { sendMail } from './children/send-child-messages';
import { messageChild, takeBack } from './children/take-person-message';
import type { Environment } from './environment';
import { moveFiles } from './files/bring-enclosures';
import { StopAnswer } from './final-flush';
import { HeldLease } from './held-lease';
import { InFlight, MAX_FAILURES } from './in-flight';
import { HeldTurns } from './models/held-turns';
import { controlsOverChild } from './object/controls';
import { Turns } from './object/pacing';
import { senderStatus } from './outbox';
import { hookedChanges } from './perform/ask-hooks';
import { performHook } from './perform/perform-hook';
import { performModel } from './perform/perform-model';
import { performStopWhen } from './perform/perform-stop-when';
import { performTool } from './perform/perform-tool';
import type {
  AnsweringAgent,
  BodyAgent,
  ModelAgent,
  ParentAgent,
  StoppableAgent,
  ThreadFence,
} from './perform/performer';
import { RunSignal } from './perform/run-signal';
import type { RootLink } from './root-link';
import { Transcript } from './transcript-cache';
import {
  type AgentAnswer,
  type AgentMessage,
  type AssignMessage,
  type Delivery,
  eventOf,
  firstEvent,
  NEWS,
} from './tree-messages';

/** Why something failed is told with so many characters. */
const MAX_REASON = 500;

/** Why a run must be taken up before anything else happens: its effects may have begun in another life. */
interface Recovery {
  readonly reason: 'restart' | 'failure';
  /** What failed, where that is why. */
  readonly cause?: string;
  /** Why the run cannot go on: it fails before it is taken up. */
  readonly fatal?: Failure;
}

/** What a step of the run asks for itself: what fails of it is taken up with the run, as after a crash. */
const STEP_EFFECTS = ['hook', 'stop_when', 'model', 'tool'] as const;
type StepEffect = Extract<Effect, { kind: (typeof STEP_EFFECTS)[number] }>;
const isOfStep = (effect: Effect): effect is StepEffect => STEP_EFFECTS.some((kind) => kind === effect.kind);

/** A session to create, with its first event. */
export interface Creation {
  readonly session: NewSession;
  readonly custom: Json;
  readonly event: AgentEvent;
  /** The event that follows at once. */
  readonly next?: AgentEvent | undefined;
  /** Writes the session where a memory for it is in the store, and reads its state. Called in the transaction. */
  readonly adopt?: ((session: Session) => AgentState) | undefined;
}

/** One agent in memory. It exists only while its session does. */
export class AgentRuntime implements BodyAgent, StoppableAgent, ModelAgent, ParentAgent, AnsweringAgent {
  readonly link: RootLink;
  readonly #transcripts = new Map<SideName | undefined, Transcript>();
  readonly beginnings: Beginnings;
  readonly preparing: ChildPreparation;
  readonly turns: Turns;
  readonly lease: HeldLease;
  readonly modelTurns: HeldTurns;
  readonly stoppedBy = new Map<string, number>();
  readonly runSignal = new RunSignal();
  readonly stopAnswer: StopAnswer;
  readonly #inFlight = new InFlight();
  /** When this life began, in ms since 1970: what an earlier one was given to end by, this one has again. */
  readonly #loadedAt: number;
  #state: AgentState;
  readonly #capabilities: CapabilitiesAtWork;
  #stopped = false;
  #recovery: Recovery | undefined;
  /** Whether what was under way was taken up again in this life. */
  #recovered = false;

  private constructor(
    readonly deps: AgentDeps,
    state: AgentState,
  ) {
    this.#state = state;
    this.lease = new HeldLease(deps.lease);
    this.modelTurns = new HeldTurns(deps.lease?.asksFirst);
    this.turns = new Turns(deps.environment);
    this.beginnings = new Beginnings(state);
    this.stopAnswer = new StopAnswer(deps.environment);
    this.#loadedAt = deps.environment.now();
    this.preparing = new ChildPreparation(deps.capabilities);
    this.#capabilities = new CapabilitiesAtWork(deps.capabilities, state, this.#loadedAt);
    this.link = deps.root(state, {
      gone: (unknown) => {
        // A session that no tree knows is removed by the deletion of its root.
        if (!unknown) stopBelow(this);
        this.stop();
      },
      owes: (request) => owesWork(this.#state, keyOf(request), request.runNumber),
      unsendable: (why) => this.#fail(why),
    });
  }

  /** The agent whose session is in the store, if there is one of its own. It is resumed before anything else, whatever comes first. */
  static load(deps: AgentDeps): AgentRuntime | undefined {
    const state = deps.store.load();
    if (state === undefined || !deps.isOwn(state.session)) return undefined;
    const agent = new AgentRuntime(deps, state);
    const fatal = agent.#capabilities.lacked;
    agent.#recovery = { reason: 'restart', ...(fatal ? { fatal } : {}) };
    return agent;
  }

  /** A new session and its first event, in one transaction. */
  static create(
    deps: AgentDeps,
    created: Creation,
    inTransaction?: (state: AgentState) => void,
  ): { agent: AgentRuntime; transition: Transition } {
    const session = { ...created.session, createdAt: created.event.at };
    const { adopt, event, next: then } = created;
    const fresh = newState(session, created.custom);
    let agent: AgentRuntime | undefined;
    const applied = deps.store.transaction(() => {
      if (adopt === undefined) deps.store.create(fresh);
      const state = adopt?.(session) ?? fresh;
      deps.created?.(session);
      agent = new AgentRuntime(deps, state);
      const [answer, next] = agent.#commit([event, ...(then ? [then] : [])]);
      if (next?.ok === false) refuseWith(next.refused);
      inTransaction?.(agent.state);
      return answer;
    });
    if (agent === undefined || applied === undefined) throw new TypeError('The transaction did not run its body.');
    agent.#committed(created.event.type);
    return { agent, transition: applied };
  }

  get state(): AgentState {
    return this.#state;
  }

  get seat(): Seat {
    return this.deps.seat(this.#state);
  }

  /** What the model of the seat sees: each side reads the session as its own. */
  get transcript(): Transcript {
    const { viewer } = this.seat;
    const transcript = this.#transcripts.get(viewer?.side) ?? new Transcript(this.deps.store, viewer);
    this.#transcripts.set(viewer?.side, transcript);
    return transcript;
  }

  get environment(): Environment {
    return this.deps.environment;
  }

  /** Takes up what a crash or an eviction left, once, and goes on. */
  resume(): void {
    const recovery = this.#recovery;
    this.#recovery = undefined;
    if (recovery === undefined || this.#state.run?.phase !== 'active') return this.pump();
    this.#recovered = true;
    const { reason, cause, fatal } = recovery;
    try {
      if (fatal !== undefined) this.#end(fatal);
      const facts = { at: this.environment.now(), token: this.environment.token(), reason };
      this.apply({ type: 'recover', ...facts, ...(cause === undefined ? {} : { cause }) });
    } catch (error) {
      this.#recovery = recovery;
      throw error;
    }
  }

  /** Ends the run with a failure of the framework: it cannot go on. */
  #fail(reason: string): void {
    this.#recovery = { reason: 'failure', ...this.#recovery, fatal: failure('internal', reason) };
    try {
      this.resume();
    } catch (error) {
      this.environment.report('A run that cannot continue could not be ended; it is tried again.', error);
    }
  }

  #end(error: Failure): void {
    const facts = { at: this.environment.now(), token: this.environment.token() };
    this.apply({ type: 'stop', ...facts, verb: 'abort', reason: error.message, error });
  }

  /**
   * Applies an event: one transaction, together with `inTransaction`; then what is owed is started.
   * A refusal changes nothing and is returned.
   */
  apply(event: AgentEvent, inTransaction?: (applied: Applied) => void): Transition {
    if (this.#stopped)
      return { ok: false, refused: failure('superseded', 'This object is no longer part of its tree.') };
    if (this.#recovery) this.resume();
    const [answer] = this.#transact([event], inTransaction);
    if (answer === undefined) throw new TypeError('The transaction did not run its body.');
    if (answer.ok) this.#committed(event.type);
    return answer;
  }

  /** The refusal of an event, if it came now. Changes nothing. */
  whyNot(event: AgentEvent): Failure | undefined {
    const tried = this.#transition(event);
    return tried.ok ? undefined : tried.refused;
  }

  #transition(event: AgentEvent): Transition {
    return transition(this.#state, event, (state) => this.deps.seat(state).rules, this.deps.capabilities);
  }

  /** When work of a capability is due next, and what is pending elsewhere. */
  get #dues(): Dues {
    return duesOf(this.#capabilities.nextAt(this.#state), this.deps.owedAt());
  }

  #transact(events: readonly AgentEvent[], inTransaction?: (applied: Applied) => void): Transition[] {
    const before = this.#state;
    try {
      return this.deps.store.transaction(() => {
        const applied = this.#commit(events);
        for (const one of applied) if (one.ok) inTransaction?.(one);
        return applied;
      });
    } catch (error) {
      this.#state = before;
      this.link.sink.abandon();
      throw error;
    }
  }

  /** What events change, in order; what they have to say is kept together. */
  #commit(events: readonly AgentEvent[]): Transition[] {
    const { spent } = this.#state;
    const dueAt = this.#capabilities.nextAt(this.#state);
    const said: Chunk[] = [];
    const applied = events.map((event) => {
      const one = this.#transition(event);
      if (!one.ok) return one;
      const held = this.#state;
      const before = held.run;
      this.#state = one.state;
      this.deps.store.write(one.changes);
      // The root takes the lease back when it hears of the end.
      if (one.state.run?.phase === 'ended') this.lease.end();
      if (losesFiles(one.state.session, before, one.state.run)) this.deps.clearFiles();
      moveFiles(this.deps.kept, movesOf(held, one));
      if (event.type === 'thread_updates') this.#transcripts.clear();
      if (one.state.run !== undefined && one.state.run.lineage.chainTurn !== before?.lineage.chainTurn)
        this.deps.runBegins?.(one.state.run.lineage.chainTurn, openTasks(one.state));
      said.push(...chunksOf(one, event.at));
      return one;
    });
    if (said.length > 0 || this.#state.spent !== spent || this.#capabilities.nextAt(this.#state) !== dueAt)
      this.link.sink.keep(said, senderStatus(this.#state, this.#dues));
    return applied;
  }

  /** Keeps for the root what is owed elsewhere, which is no event. Call it inside a transaction, and what it returns after that. */
  keepDues(): () => Promise<void> {
    if (this.#stopped) return () => Promise.resolve();
    this.link.sink.keep([], senderStatus(this.#state, this.#dues));
    return () => {
      this.link.sink.flush();
      return this.link.flushed();
    };
  }

  #committed(what: string): void {
    const { sink } = this.link;
    sink.flush();
    this.environment.committed?.(what);
    try {
      this.pump();
    } finally {
      // What has begun may have taken along all that there was: then no timer is set.
      sink.sendSoon?.();
    }
  }

  /** Starts what is owed and not in flight; aborts what is in flight and not owed (EG2). */
  pump(): void {
    if (this.#stopped) return;
    if (this.#recovery) return this.resume();
    this.runSignal.look(this.#state);
    const children: Extract<Effect, { kind: 'child' }>[] = [];
    const stops: Extract<Effect, { kind: 'stop_child' }>[] = [];
    const { rules } = this.seat;
    const owed = [...effects(this.#state, rules), ...this.#capabilities.effects(this.#state, rules)];
    for (const { effect, signal } of this.#inFlight.owe(owed)) {
      if (effect.kind === 'child') children.push(effect);
      else if (effect.kind === 'stop_child') stops.push(effect);
      else this.#perform(effect, signal);
    }
    if (children.length > 0) this.#begins(children);
    if (stops.length > 0) this.#guard(stopChildren(this, stops), stops);
  }

  #begins(children: readonly Extract<Effect, { kind: 'child' }>[]): void {
    for (const some of begunTogether(this, children)) this.#guard(delegate(this, some), some);
  }

  owes(id: string): boolean {
    return this.#inFlight.owes(id);
  }

  /** Whether a child has not begun: nothing was ever sent to it, neither in this life nor in an earlier one. */
  isToBegin(sessionId: string): boolean {
    const child = [...this.#state.children.values()].find((one) => one.sessionId === sessionId);
    return child !== undefined && this.beginnings.isUnsent(child);
  }

  /** Whether a child waits for its turn, or for a capability, and begins then. */
  isAboutToBegin(sessionId: string): boolean {
    return this.turns.waits(sessionId) || this.beginnings.waits(sessionId);
  }

  signalOf(id: string): AbortSignal | undefined {
    return this.#inFlight.signalOf(id);
  }

  #perform(effect: Exclude<Effect, { kind: 'child' | 'stop_child' }>, signal: AbortSignal): void {
    switch (effect.kind) {
      case 'deliver_outcome':
        return this.#guard(deliverOutcome(this, effect), [effect]);
      case 'deliver_wait':
        return this.#guard(deliverWait(this, effect, signal), [effect]);
      case 'respawn_child':
        return this.#guard(respawnChild(this, effect), [effect]);
      case 'activate':
        return this.#guard(activate(this, effect), [effect]);
      case 'capability':
        return this.#guard(this.#capabilities.perform(this, effect, signal), [effect]);
      case 'mail':
        return this.#guard(sendMail(this, effect.child, signal), [effect]);
      case 'hook':
      case 'stop_when':
      case 'model':
      case 'tool':
        return this.#guard(this.#begin(effect, signal), [effect]);
    }
  }

  async #begin(effect: StepEffect, signal: AbortSignal): Promise<void> {
    // The request of a first model call does not leave before its commit is durable; only a repeated one can cost more.
    if (effect.kind !== 'model' || this.#recovered) await this.deps.durable();
    switch (effect.kind) {
      case 'hook':
        return performHook(this, effect, signal);
      case 'stop_when':
        return performStopWhen(this, effect, signal);
      case 'model':
        return performModel(this, effect, signal);
      case 'tool':
        return performTool(this, effect, signal);
    }
  }

  hookedChanges(message: HookedMessage, changes: MessageChanges, call: ThreadFence): Promise<MessageChanges> {
    return hookedChanges(this, message, changes, call);
  }

  spentLate(usage: Usage): void {
    const { inputTokens, outputTokens, modelCalls, toolCalls, costUsd = 0 } = usage;
    if (inputTokens + outputTokens + modelCalls + toolCalls + costUsd === 0) return;
    try {
      this.apply({ type: 'spent_late', at: this.environment.now(), usage });
    } catch (error) {
      this.environment.report('The usage after a stop could not be counted.', error);
    }
  }

  /**
   * Performers handle their own failures; after what gets here, the effect is performed again when the alarm wakes. A
   * model call or a body that was begun is not begun again as it was: the run is taken up as after a crash. What fails
   * again and again ends (EG4): recoveries are counted by the core, anything else here.
   */
  #guard(work: Promise<void>, effects: readonly Effect[]): void {
    work.then(
      () => this.#inFlight.performed(effects),
      (error: unknown) => {
        const why = boundedText(failureOf(error).message, MAX_REASON);
        this.environment.report('An effect could not be performed; it is tried again.', error);
        for (const effect of effects) {
          this.#inFlight.release(effect);
          if (isOfStep(effect)) this.#recovery = { ...this.#recovery, reason: 'failure', cause: why };
          else this.#failed(effect, why);
        }
      },
    );
  }

  /** Ends what an effect belongs to that failed too often in a row. */
  #failed(effect: Exclude<Effect, StepEffect>, why: string): void {
    // A capability counts the tries of its work.
    if (effect.kind === 'capability' || !this.#inFlight.failedTooOften(effect) || this.#stopped) return;
    const said = `It failed ${MAX_FAILURES} times in a row: ${why}`;
    if (effect.kind === 'deliver_wait' || effect.kind === 'activate') this.#fail(said);
    // A run that has ended can fail no more; its parent's clock goes on without it.
    else if (effect.kind !== 'deliver_outcome' && !(effect.kind === 'child' && this.beginnings.hasBegun(effect.child)))
      this.#guard(loseChild(this, effect.child, said), []);
  }

  /** A message from the root or the parent. Most are events as they are. */
  async receive(message: AgentMessage): Promise<AgentAnswer> {
    switch (message.type) {
      case 'assign':
        return this.#assign(message);
      case 'wake':
        if (message.sessionId !== this.#state.session.sessionId) return { answer: 'absent' };
        this.pump();
        this.modelTurns.ring();
        return { answer: 'done', ...this.#rest(), ...(hasTold(this.#state) ? { told: true as const } : {}) };
      case 'effects_due':
        return this.#effectsDue(message.sessionId);
      case 'model_turn':
      case 'ask_first':
        return this.#turnSaid(message);
      case 'admitted':
        return this.#delegate(message.childIds);
      case 'remove':
      case 'leave':
      case 'capability':
        return { answer: 'absent' };
      case 'controls':
        return { answer: 'done', controls: controlsOverChild(this, message) };
      case 'child_gone': {
        const atRest = this.deps.store.child(message.task.childId);
        const facts = { at: this.environment.now(), token: this.environment.token() };
        return answered(this.apply({ ...message, ...facts, ...(atRest ? { atRest } : {}) }));
      }
      case 'tell':
        if (this.#recovery) this.resume();
        return messageChild(this, message);
      case 'take_back':
        return takeBack(this, message);
      case 'child_settled':
        if (this.#recovery) this.resume();
        return answered(await takeEnd(this, message));
      case 'stop':
        if (message.runId !== undefined) return this.#stopByParent(message);
        break;
    }
    return answered(this.apply(eventOf(message, this.environment)));
  }

  /** The root's alarm says that work is due; the answer says when the next is, so that it can let go. */
  #effectsDue(sessionId: string): AgentAnswer {
    if (sessionId !== this.#state.session.sessionId) return { answer: 'absent' };
    this.#capabilities.rang(this.environment.now());
    this.pump();
    return { answer: 'done', ...this.#dues };
  }

  /** Until when it does nothing by itself. */
  #rest(): { readonly effectAt?: number } {
    const { kinds } = this.#inFlight;
    const rests = kinds.length === 0 ? NEWS : this.modelTurns.restsUntil;
    return rests === undefined || kinds.some((kind) => kind !== 'model') ? {} : { effectAt: rests };
  }

  #turnSaid(message: Extract<AgentMessage, { type: 'model_turn' | 'ask_first' }>): AgentAnswer {
    if (message.sessionId !== this.#state.session.sessionId) return { answer: 'absent' };
    if (message.type === 'model_turn') return { answer: this.modelTurns.has(message.id) ? 'done' : 'absent' };
    this.modelTurns.take(message.asksFirst);
    // The root counts a request that is under way until its end is reported.
    return { answer: this.modelTurns.calls ? 'absent' : 'done' };
  }

  /** A stop by the parent is answered with the final flush, where the end comes soon; else with how long it may take. */
  async #stopByParent(message: Extract<AgentMessage, { type: 'stop' }>): Promise<AgentAnswer> {
    let applied: Transition | undefined;
    const flush = await this.stopAnswer.after(() => {
      applied = this.apply(eventOf(message, this.environment));
      return applied.ok && this.#state.run?.phase === 'active';
    });
    if (applied === undefined) throw new TypeError('The stop was not applied.');
    if (flush) return { answer: 'done', flush };
    const { run } = this.#state;
    if (!applied.ok || run?.phase !== 'active' || run.stop === undefined) return answered(applied);
    const since = Math.max(run.stop.at, this.#loadedAt);
    const by = endsBy({ since, childrenBy: [...this.stoppedBy.values()] }, this.seat.rules);
    return { answer: 'done', endsWithinMs: Math.max(0, by - this.environment.now()) };
  }

  takeEnds(ends: readonly Delivery[]): Promise<void> {
    if (this.#recovery) this.resume();
    return takeEnds(this, ends);
  }

  /** A task for the session that is here: one that has begun already goes on, another one begins. */
  #assign(message: AssignMessage): AgentAnswer {
    if (message.session.sessionId !== this.#state.session.sessionId) {
      return { answer: 'refused', error: failure('superseded', 'Another session is in this place.') };
    }
    return answered(this.apply(firstEvent(message, this.environment)));
  }

  /** Children that have a place now. `absent`: none of them is wanted any more. */
  #delegate(childIds: readonly number[]): AgentAnswer {
    if (this.#recovery) this.resume();
    const owed = effects(this.#state, this.seat.rules).filter((effect) => effect.kind === 'child');
    const children = owed.filter(({ child }) => childIds.includes(child.childId));
    // One that is stopped where it is not begun is stopped from here.
    const isTheirs = childIds.some((childId) => this.#state.children.has(childId));
    if (children.length === 0) return { answer: isTheirs && this.#state.run?.phase === 'active' ? 'done' : 'absent' };
    const others = children.filter(({ child }) => !this.isAboutToBegin(child.sessionId));
    if (others.length > 0) this.#begins(others);
    return { answer: 'done' };
  }

  /** Whether it does nothing any more. */
  get isStopped(): boolean {
    return this.#stopped;
  }

  /** Ends everything in memory: nothing more is performed or sent. */
  stop(): void {
    this.#stopped = true;
    this.stopAnswer.give(undefined);
    this.link.stop();
    this.#inFlight.stop();
    this.runSignal.abort();
  }
}

function answered(applied: Transition): AgentAnswer {
  return applied.ok ? { answer: 'done' } : { answer: 'refused', error: applied.refused };
}

/** Whether the parent has acknowledged the end of an agent's last run. */
function hasTold({ run }: AgentState): boolean {
  return run?.phase === 'ended' && run.acknowledged;
}
