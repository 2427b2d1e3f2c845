/**
 * One agent at work: load the state, apply an event in one transaction, perform what is owed, ring with the result.
 *
 * EG1. Commit first, then start: an effect begins only after the transaction that asks for it. A body, and a model call
 *     that is repeated, begins when that transaction would survive a crash: one that never gives the object back is counted.
 * EG2. Effects are level-triggered: after each commit, what is owed and not in flight is started; what is in flight and
 *     no longer owed is aborted.
 * EG4. What fails again and again ends the run or the call that it belongs to, with the reason; nothing tries for ever.
 * ST1. A result comes back as an event with its fence; one that comes too late is refused by the core and dropped.
 */
import { pendingOf } from '../core/agent/answer';
import { type Applied, chunksOf, type Transition } from '../core/agent/changes';
import { type Effect, effects } from '../core/agent/effects';
import type { AgentEvent, NewSession } from '../core/agent/events';
import type { Rules } from '../core/agent/rules';
import type { Seat } from '../core/agent/seat';
import type { AgentState, Session } from '../core/agent/state';
import { statusOf } from '../core/agent/status';
import { transition } from '../core/agent/transition';
import { MAX_STEPS_TOLD, workDone } from '../core/agent/work-done';
import type { AgentDefinition } from '../core/definition/definition';
import type { ModelPort } from '../core/definition/model-port';
import type { ToolFiles } from '../core/definition/tool-context';
import type { AgentStore } from '../core/ports/agent-store';
import type { ChildTransport } from '../core/ports/child-transport';
import type { Chunk } from '../core/protocol/chunks';
import { boundedText, failure, failureOf } from '../core/protocol/errors';
import type { Json, JsonObject } from '../core/protocol/json';
import { NO_USAGE, type Usage } from '../core/protocol/usage';
import type { Lease } from '../core/tree/lease';
import { Beginnings } from './beginnings';
import { delegate, loseChild, respawnChild, stopChildren } from './children';
import { type Environment, pause } from './environment';
import type { ChildCalls } from './object-calls';
import { HANDED_MS, type SenderFacts } from './outbox';
import { performHook } from './perform-hook';
import { performModel } from './perform-model';
import { performTool } from './perform-tool';
import type { RootLink } from './root-link';
import { Transcript } from './transcript-cache';
import type { AgentAnswer, AgentMessage, AssignMessage, Post, Told } from './tree-messages';
import { Turns } from './turns';

/** A parent that stops this agent is answered at its end, but within so long, in ms. */
const ANSWER_WITHIN_MS = 1_000;

/** An effect that failed so often in a row is given up, with what it belongs to. */
const MAX_FAILURES = 20;
/** Why something failed is told with so many characters. */
const MAX_REASON = 500;

/** What an agent reaches of the world around it. */
export interface Surroundings {
  readonly environment: Environment;
  readonly store: AgentStore;
  /** What a session of that state works by. */
  seat(state: AgentState): Seat;
  /** Resolved on first use, so that a model that cannot be configured fails the run and not the object. */
  model(definition: AgentDefinition): Promise<ModelPort>;
  /** The way to its children, wherever they live. */
  readonly children: Required<ChildTransport<ChildCalls>>;
  readonly files: ToolFiles;
  /** Resolves once all that was committed survives a crash. */
  durable(): Promise<void>;
  /** What the agent may spend to begin with. */
  readonly lease?: Lease;
  /** Called in the transaction that creates the session. */
  created?(session: Session): void;
  /** Called in the transaction of an event that begins a run which goes on with no other. */
  runBegins?(turn: number): void;
  /** How the agent speaks to its root; `sink` is its own way for chunks. */
  root(state: AgentState, agent: AgentRuntime): RootLink;
}

/** One agent in memory. It exists only while its session does. */
export class AgentRuntime {
  readonly link: RootLink;
  readonly transcript: Transcript;
  /** How far the children have begun. */
  readonly beginnings: Beginnings;
  /** The turns in which children begin. */
  readonly turns: Turns;
  /** The parent that stops this agent, and waits for its end. */
  #stopper: ((end: Post | undefined) => void) | undefined;
  /** What the root granted last, and what the session had spent then. Kept in memory alone: one that is lost is asked for again. */
  lease: { readonly granted: Lease; readonly at: Usage } | undefined;
  /** What can be aborted has a controller. */
  readonly #inFlight = new Map<string, AbortController | undefined>();
  /** What was owed after the last commit. */
  #owed: ReadonlySet<string> = new Set();
  #state: AgentState;
  #stopped = false;
  /** Why the run cannot go on: it fails before it is taken up. */
  #doomed: string | undefined;
  /** What made the run be taken up, where that was a failure. */
  #cause: string | undefined;
  /** How often in a row what is owed could not be performed, where nothing else counts it. */
  readonly #failures = new Map<string, number>();
  /** Why the run must be taken up before anything else happens, if it must: its effects may have begun in another life. */
  #left: string | undefined;
  /** Whether what was under way was taken up again in this life. */
  #recovered = false;

  private constructor(
    readonly around: Surroundings,
    state: AgentState,
  ) {
    this.#state = state;
    this.lease = around.lease && { granted: around.lease, at: NO_USAGE };
    this.transcript = new Transcript(around.store);
    this.turns = new Turns(around.environment);
    this.beginnings = new Beginnings(state);
    this.link = around.root(state, this);
  }

  /** The agent whose session is in the store, if there is one. It is resumed before anything else, whatever comes first. */
  static load(around: Surroundings): AgentRuntime | undefined {
    const state = around.store.load();
    if (state === undefined) return undefined;
    const agent = new AgentRuntime(around, state);
    agent.#left = 'restart';
    if (around.store.cut) agent.#doomed = 'A record of this run is nested too deep to be sent or written again.';
    return agent;
  }

  /** A new session and its first event, in one transaction. */
  static create(
    around: Surroundings,
    created: { session: NewSession; custom: Json; event: AgentEvent },
    inTransaction?: () => void,
  ): { agent: AgentRuntime; transition: Transition } {
    const session = { ...created.session, createdAt: created.event.at };
    const state: AgentState = {
      session,
      custom: created.custom,
      lastMessage: 0,
      inbox: [],
      children: new Map(),
      queued: [],
      spent: NO_USAGE,
    };
    let agent: AgentRuntime | undefined;
    const applied = around.store.transaction(() => {
      around.store.create(state);
      around.created?.(session);
      agent = new AgentRuntime(around, state);
      const [answer] = agent.#commit([created.event]);
      inTransaction?.();
      return answer;
    });
    if (agent === undefined || applied === undefined) throw new TypeError('The transaction did not run its body.');
    agent.#committed(created.event.type);
    return { agent, transition: applied };
  }

  get state(): AgentState {
    return this.#state;
  }

  /** What the session works by now: whoever performs asks for it, and keeps it for one effect at most. */
  get seat(): Seat {
    return this.around.seat(this.#state);
  }

  get definition(): AgentDefinition {
    return this.seat.definition;
  }

  get rules(): Rules {
    return this.seat.rules;
  }

  get environment(): Environment {
    return this.around.environment;
  }

  /** Takes up what a crash or an eviction left, once, and goes on. */
  resume(): void {
    const [reason, doomed, cause] = [this.#left, this.#doomed, this.#cause];
    this.#left = undefined;
    this.#doomed = undefined;
    this.#cause = undefined;
    if (reason === undefined || this.#state.run?.phase !== 'active') return this.pump();
    this.#recovered = true;
    try {
      if (doomed !== undefined) this.#end(doomed);
      const facts = { at: this.environment.now(), token: this.environment.token(), reason };
      this.apply({ type: 'recover', ...facts, ...(cause === undefined ? {} : { cause }) });
    } catch (error) {
      this.#left = reason;
      this.#doomed = doomed;
      this.#cause = cause;
      throw error;
    }
  }

  /** Ends the run with a failure of the framework: it cannot go on. */
  fail(reason: string): void {
    this.#doomed = reason;
    this.#left ??= 'failure';
    try {
      this.resume();
    } catch (error) {
      this.environment.report('A run that cannot go on could not be ended; it is tried again.', error);
    }
  }

  #end(reason: string): void {
    const error = failure('internal', reason);
    this.apply({
      type: 'stop',
      at: this.environment.now(),
      token: this.environment.token(),
      verb: 'abort',
      reason: error.message,
      error,
    });
  }

  /**
   * Applies an event: one transaction, together with `inTransaction`; then what is owed is started.
   * A refusal changes nothing and is returned.
   */
  apply(event: AgentEvent, inTransaction?: (applied: Applied) => void): Transition {
    if (this.#stopped)
      return { ok: false, refused: failure('superseded', 'This object is no part of its tree any more.') };
    if (this.#left !== undefined) this.resume();
    const [answer] = this.#transact([event], inTransaction);
    if (answer === undefined) throw new TypeError('The transaction did not run its body.');
    if (answer.ok) this.#committed(event.type);
    return answer;
  }

  #transact(events: readonly AgentEvent[], inTransaction?: (applied: Applied) => void): Transition[] {
    const before = this.#state;
    try {
      return this.around.store.transaction(() => {
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
    const said: Chunk[] = [];
    const applied = events.map((event) => {
      const one = transition(this.#state, event, (state) => this.around.seat(state).rules);
      if (!one.ok) return one;
      const origin = this.#state.run?.origin;
      this.#state = one.state;
      this.around.store.write(one.changes);
      // The root takes the lease back when it hears of the end.
      if (one.state.run?.phase === 'ended') this.lease = undefined;
      if (one.state.run !== undefined && one.state.run.origin !== origin) this.around.runBegins?.(one.state.run.origin);
      said.push(...chunksOf(one, event.at));
      return one;
    });
    if (said.length > 0 || this.#state.spent !== spent) this.link.sink.keep(said, factsOf(this.#state));
    return applied;
  }

  #committed(what: string): void {
    this.link.sink.flush();
    this.environment.committed?.(what);
    this.pump();
  }

  /** Starts what is owed and not in flight; aborts what is in flight and not owed (EG2). */
  pump(): void {
    if (this.#stopped) return;
    if (this.#left !== undefined) return this.resume();
    const owed = effects(this.#state, this.rules);
    this.#owed = new Set(owed.map((effect) => effect.id));
    for (const [id, controller] of this.#inFlight) {
      if (this.owes(id)) continue;
      this.#inFlight.delete(id);
      controller?.abort();
    }
    const children: Extract<Effect, { kind: 'child' }>[] = [];
    const stops: Extract<Effect, { kind: 'stop_child' }>[] = [];
    for (const effect of owed) {
      const stopping = effect.kind === 'tool' && effect.stopping;
      if (stopping) this.#inFlight.get(effect.id)?.abort();
      if (this.#inFlight.has(effect.id)) continue;
      const controller = new AbortController();
      if (stopping) controller.abort();
      this.#inFlight.set(effect.id, controller);
      if (effect.kind === 'child') children.push(effect);
      else if (effect.kind === 'stop_child') stops.push(effect);
      else this.#perform(effect, controller.signal);
    }
    if (children.length > 0) this.#guard(delegate(this, children), children);
    if (stops.length > 0) this.#guard(stopChildren(this, stops), stops);
  }

  /** Whether an effect is still owed. */
  owes(id: string): boolean {
    return !this.#stopped && this.#owed.has(id);
  }

  /** Whether a child has not begun: nothing was ever sent to it, neither in this life nor in an earlier one. */
  isToBegin(sessionId: string): boolean {
    if (!this.beginnings.isUnsent(sessionId)) return false;
    return [...this.#state.children.values()].some((child) => child.sessionId === sessionId);
  }

  /** Aborts once what is in flight is no longer owed. */
  signalOf(id: string): AbortSignal | undefined {
    return this.#inFlight.get(id)?.signal;
  }

  #perform(effect: Exclude<Effect, { kind: 'child' | 'stop_child' }>, signal: AbortSignal): void {
    switch (effect.kind) {
      case 'tell_parent':
        return this.#guard(this.#tellParent(effect), [effect]);
      case 'tell_wait':
        return this.#guard(this.#tellWait(effect, signal), [effect]);
      case 'respawn_child':
        return this.#guard(respawnChild(this, effect), [effect]);
      case 'hook':
      case 'model':
      case 'tool':
        return this.#guard(this.#begin(effect, signal), [effect]);
    }
  }

  async #begin(effect: Extract<Effect, { kind: 'hook' | 'model' | 'tool' }>, signal: AbortSignal): Promise<void> {
    // The request of a first model call does not leave before its commit is durable; only a repeated one can cost more.
    if (effect.kind !== 'model' || this.#recovered) await this.around.durable();
    switch (effect.kind) {
      case 'hook':
        return performHook(this, effect, signal);
      case 'model':
        return performModel(this, effect, signal);
      case 'tool':
        return performTool(this, effect, signal);
    }
  }

  async #tellParent(effect: Extract<Effect, { kind: 'tell_parent' }>): Promise<void> {
    const { runId, outcome, task } = effect;
    const done = outcome.status === 'completed' ? undefined : this.#workDone();
    const usage = this.#state.spent;
    const told = {
      kind: 'child_settled',
      task,
      outcome,
      usage,
      runId,
      ...(done ? { done } : {}),
    } as const;
    const end = this.#stopper && this.link.sink.handOver?.(told);
    this.#answerStopper(end);
    if (end) await pause(this.environment, HANDED_MS);
    await this.link.ask({ tell: [told] });
    this.apply({ type: 'told', at: this.environment.now(), runId });
  }

  /** What was done by the end of the run, and of those that it goes on with. */
  #workDone(): JsonObject | undefined {
    const { step, run } = this.#state;
    if (step === undefined || run === undefined) return undefined;
    const before =
      step.id > 1 ? this.around.store.steps({ after: Math.max(0, step.id - MAX_STEPS_TOLD), upTo: step.id - 1 }) : [];
    return workDone([...before, step].filter(({ turn }) => turn >= run.origin));
  }

  async #tellWait({ runId, task, waits }: Extract<Effect, { kind: 'tell_wait' }>, signal: AbortSignal): Promise<void> {
    await this.link.ask({ tell: [{ kind: 'child_waits', task, runId, waits }] });
    // It has changed since, and the parent is told so after this.
    if (signal.aborted) return;
    this.apply({ type: 'wait_told', at: this.environment.now(), runId, waits });
  }

  /** Counts what was spent by work that nobody waits for any more. */
  spentLate(usage: Usage): void {
    const { inputTokens, outputTokens, modelCalls, toolCalls, costUsd = 0 } = usage;
    if (inputTokens + outputTokens + modelCalls + toolCalls + costUsd === 0) return;
    try {
      this.apply({ type: 'spent_late', at: this.environment.now(), usage });
    } catch (error) {
      this.environment.report('What was spent after a stop could not be counted.', error);
    }
  }

  /**
   * Performers handle their own failures; after what gets here, the effect is performed again when the sweep rings. A
   * model call or a body that was begun is not begun again as it was: the run is taken up as after a crash. What fails
   * again and again ends (EG4): recoveries are counted by the core, anything else here.
   */
  #guard(work: Promise<void>, effects: readonly Effect[]): void {
    const performed = (): void => {
      for (const { id } of effects) this.#failures.delete(id);
    };
    work.then(performed, (error: unknown) => {
      const why = boundedText(failureOf(error).message, MAX_REASON);
      this.environment.report('An effect could not be performed; it is performed again.', error);
      for (const effect of effects) {
        this.#inFlight.delete(effect.id);
        if (effect.kind === 'model' || effect.kind === 'tool' || effect.kind === 'hook') {
          this.#left = 'failure';
          this.#cause = why;
        } else this.#failed(effect, why);
      }
    });
  }

  /** Counts a failure of an effect, and ends what it belongs to after too many in a row. */
  #failed(effect: Exclude<Effect, { kind: 'model' | 'tool' | 'hook' }>, why: string): void {
    const times = (this.#failures.get(effect.id) ?? 0) + 1;
    this.#failures.set(effect.id, times);
    if (times < MAX_FAILURES || this.#stopped) return;
    this.#failures.delete(effect.id);
    const said = `It failed ${MAX_FAILURES} times in a row: ${why}`;
    if (effect.kind === 'tell_wait') this.fail(said);
    // A run that has ended can fail no more; its parent's clock goes on without it.
    else if (effect.kind !== 'tell_parent' && !(effect.kind === 'child' && this.beginnings.hasBegun(effect.child)))
      this.#guard(loseChild(this, effect.child, said), []);
  }

  /** A message from the root or the parent. */
  async receive(message: AgentMessage): Promise<AgentAnswer> {
    const at = this.environment.now();
    const token = this.environment.token();
    switch (message.kind) {
      case 'assign':
        return this.#assign(message);
      case 'child_settled': {
        const { kind: type, ...facts } = message;
        return answered(this.apply({ type, at, token, ...facts }));
      }
      case 'child_waits': {
        const { kind: type, ...facts } = message;
        return answered(this.apply({ type, at, token, ...facts }));
      }
      case 'stop': {
        const { kind: type, ...facts } = message;
        if (message.runId === undefined) return answered(this.apply({ type, at, token, ...facts }));
        return this.#stopByParent({ type, at, token, ...facts });
      }
      case 'resume': {
        const { kind: type, ...facts } = message;
        return answered(this.apply({ type, at, token, ...facts }));
      }
      case 'resume_child': {
        return answered(this.apply({ type: 'child_resume', at, token, task: message.task }));
      }
      case 'decide_child': {
        const { kind: _kind, ...facts } = message;
        return answered(this.apply({ type: 'child_decided', at, token, ...facts }));
      }
      case 'expire':
        return answered(this.apply({ type: 'expire', at, token }));
      case 'wake':
        if (message.sessionId !== this.#state.session.sessionId) return { answer: 'absent' };
        this.pump();
        return { answer: 'done' };
      case 'admitted':
        return this.#delegate(message.childIds);
      case 'overdue': {
        const error = failure(
          'child_timeout',
          `The sub-agent did not finish within ${message.timeoutMs} ms and was stopped.`,
        );
        return answered(this.apply({ type: 'child_stop', at, token, task: message.task, error }));
      }
      case 'drop': {
        const { task, error, verb = 'abort' } = message;
        if (!message.lost) return answered(this.apply({ type: 'child_stop', at, token, task, error, verb }));
        const outcome = { status: 'failed', error } as const;
        return answered(this.apply({ type: 'child_settled', at, token, task, outcome, usage: NO_USAGE }));
      }
      case 'remove':
        return { answer: 'absent' };
      case 'lost': {
        const error = failure(
          'subagent_lost',
          'The sub-agent is gone, and its work with it. Call it again if you still need the result.',
        );
        const outcome = { status: 'failed', error } as const;
        const { task } = message;
        return answered(this.apply({ type: 'child_settled', at, token, task, outcome, usage: NO_USAGE }));
      }
    }
  }

  /** A stop by the parent is answered with the end, where that comes soon. */
  async #stopByParent(event: Extract<AgentEvent, { type: 'stop' }>): Promise<AgentAnswer> {
    this.#answerStopper(undefined);
    const ended = new Promise<Post | undefined>((resolve) => {
      this.#stopper = resolve;
    });
    const applied = this.apply(event);
    if (!applied.ok || this.#state.run?.phase !== 'active') this.#answerStopper(undefined);
    const cancel = this.environment.timer(ANSWER_WITHIN_MS, () => this.#answerStopper(undefined));
    const end = await ended;
    cancel();
    return end === undefined ? answered(applied) : { answer: 'done', end };
  }

  #answerStopper(end: Post | undefined): void {
    this.#stopper?.(end);
    this.#stopper = undefined;
  }

  /** What several children tell, in one transaction. Those that nobody waits for any more change nothing. */
  hear(told: readonly Told[]): void {
    if (told.length === 0 || this.#stopped) return;
    if (this.#left !== undefined) this.resume();
    const { environment } = this;
    const events = told.map(({ kind: type, ...facts }) => ({
      type,
      at: environment.now(),
      token: environment.token(),
      ...facts,
    })) as AgentEvent[];
    if (this.#transact(events).some(({ ok }) => ok)) this.#committed('child_settled');
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
    if (this.#left !== undefined) this.resume();
    const owed = effects(this.#state, this.rules).filter((effect) => effect.kind === 'child');
    const children = owed.filter(({ child }) => childIds.includes(child.childId));
    // One that is stopped where it is not begun is stopped from here.
    const isTheirs = childIds.some((childId) => this.#state.children.has(childId));
    if (children.length === 0) return { answer: isTheirs && this.#state.run?.phase === 'active' ? 'done' : 'absent' };
    const others = children.filter(({ child }) => !this.turns.waits(child.sessionId));
    if (others.length > 0) this.#guard(delegate(this, others), others);
    return { answer: 'done' };
  }

  /** Ends everything in memory: nothing more is performed or sent. */
  stop(): void {
    this.#stopped = true;
    this.#answerStopper(undefined);
    this.link.stop();
    for (const controller of this.#inFlight.values()) controller?.abort();
    this.#inFlight.clear();
  }
}

/** What goes to the root with the chunks of an event. The arguments of a call are in the chunk that asks. */
function factsOf(state: AgentState): SenderFacts {
  const pending = pendingOf(state).map(({ input: _input, ...waiting }) => waiting);
  return { status: statusOf(state), usage: state.spent, ...(pending.length > 0 ? { pending } : {}) };
}

/** The first event of a task, at the child that has it. */
export function firstEvent(
  { task, runId, input, actor }: AssignMessage,
  environment: Environment,
): Extract<AgentEvent, { type: 'start' }> {
  const messageId = `m_${environment.token()}`;
  return {
    type: 'start',
    at: environment.now(),
    token: environment.token(),
    runId,
    task,
    input,
    ...(actor === undefined ? {} : { actor }),
    messages: [{ messageId, role: 'user', content: JSON.stringify(input), from: 'parent' }],
  };
}

function answered(applied: Transition): AgentAnswer {
  return applied.ok ? { answer: 'done' } : { answer: 'refused', error: applied.refused };
}
