/** A machine that looks at everything that must hold after each event, and compares its state with what a store gives back. */

import { expect } from 'vitest';
import { z } from 'zod';
import { BUILT_IN_TOOLS } from '../../src/core/agent/built-in/table';
import { type Child, keyOf } from '../../src/core/agent/children/child';
import type { AgentEvent } from '../../src/core/agent/events';
import { effects } from '../../src/core/agent/owed-effects';
import { isAtRest, suspensionOf } from '../../src/core/agent/runs/status';
import {
  type AgentState,
  awaitedBy,
  type Call,
  childOf,
  currentStep,
  endedOf,
  openCalls,
  type RepliedStep,
  type Settlement,
} from '../../src/core/agent/state';
import { transcriptOf } from '../../src/core/agent/transcript';
import { transition } from '../../src/core/agent/transition';
import type { ChunkBody } from '../../src/protocol/chunks';
import { unpairedCalls } from '../../src/protocol/messages';
import { isEndChunk } from '../../src/protocol/status';
import { SqlAgentStore } from '../../src/store/agent-store';
import { migrate } from '../../src/store/migrate';
import { AGENT_MIGRATIONS } from '../../src/store/migrations';
import { copied } from '../../src/testing/copied';
import { nodeStorage } from '../../src/testing/node-storage';
import { Machine, type MachineOptions } from './machine';
import { equals, isEmpty, isSame } from './same';
import { waitTool } from './wait-tool';

/** What a call that awaited several tasks told. */
const toldSchema = z.array(z.object({ name: z.string(), task: z.number() }));

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}

/** What may be told after the end of a run: words on the session, and the end of a sub-agent under an interrupted one. */
const AFTERWARDS: ReadonlySet<string> = new Set(['subagent_status', 'subagent_end', 'tool_end']);
/** And that one with a name begins anew, which its store was cleared for first. */
const beginsLate = (body: ChunkBody): boolean => body.type === 'subagent_start' && body.mode === 'persistent';

const isFresh = ({ state }: Child): boolean => state.is === 'respawning' && state.fresh === true;

/** A machine that records each event that had an effect, and looks at everything after it. */
export class Watched extends Machine {
  readonly events: AgentEvent[] = [];
  readonly store: SqlAgentStore;
  readonly #begun: string[] = [];
  readonly #ends = new Map<string, number>();
  readonly #settlements = new Map<string, Settlement>();
  readonly #effects = new Map<string, string>();
  readonly #opened = new Map<number, number>();
  /** The ends of companions that the model was told of, by a call that waited or by a notice. */
  readonly #told = new Set<string>();
  delivered: string[] = [];
  /** How often calls that await what others began came to their result: how many of how many, and how. */
  readonly waits = new Map<string, number>();

  constructor(given: MachineOptions) {
    super({ ...given, builtIns: [...BUILT_IN_TOOLS, waitTool] });
    const storage = nodeStorage();
    migrate(storage, { agent: AGENT_MIGRATIONS });
    this.store = new SqlAgentStore(storage);
    this.store.create(this.state);
  }

  override applyWhole(event: AgentEvent) {
    const before = deepFreeze(this.state);
    const again = transition(before, event, () => this.rules);
    const seen = [this.chunks.length, this.changes.length] as const;
    const answer = super.applyWhole(deepFreeze(event));
    equals(answer, again, 'SE3');
    if (!answer.ok) {
      expect(this.state, 'SE4').toBe(before);
      return answer;
    }
    if (answer.changes.length > 0) this.events.push(event);
    this.store.transaction(() => this.store.write(answer.changes));
    const [kept, held] = [this.store.load(), this.state].map(jsonOf);
    if (kept !== held) equals(JSON.parse(kept ?? ''), JSON.parse(held ?? ''), 'SE1');
    this.#look(before, event, ...seen);
    return answer;
  }

  #look(before: AgentState, event: AgentEvent, chunksSeen: number, changesSeen: number): void {
    const { run, step, inbox } = this.state;
    this.#lookAtChunks(chunksSeen);
    for (const change of this.changes.slice(changesSeen))
      if (change.put === 'run' && !this.#begun.includes(change.run.runId)) this.#begun.push(change.run.runId);
    for (const runId of this.#begun)
      if (runId !== run?.runId || run.phase === 'ended') isSame(this.#ends.get(runId), 1, `RN4 ${runId}`);
    if (run?.phase === 'active') isSame(this.#ends.get(run.runId), undefined, 'RN4');
    if (before.run?.phase === 'ended' && run?.runId === before.run.runId) expect(run.phase, 'RN4').toBe('ended');
    expect(run?.epoch ?? 0, 'RC6').toBeGreaterThanOrEqual(
      before.run?.runId === run?.runId ? (before.run?.epoch ?? 0) : 1,
    );
    expect(step?.number ?? 1, 'ST2').toBeLessThanOrEqual(this.rules.limits.maxSteps);
    this.#lookAtCalls(before, event, changesSeen);
    const accepted = this.changes.flatMap((change) =>
      change.put === 'message' && change.message.from !== 'offshoot' ? [change.message.messageId] : [],
    );
    const waiting = inbox.flatMap(({ from, messageId }) => (from === 'offshoot' ? [] : [messageId]));
    equals([...this.delivered, ...waiting], accepted, 'DL1');
    expect(this.state.queued.length, 'EN3').toBeLessThanOrEqual(this.rules.limits.maxQueuedStarts);
    this.#owes();
  }

  /** Each run begins with its first chunk and ends with its last; delegations are opened and closed in turns. */
  #lookAtChunks(seen: number): void {
    let wait = this.#suspendedUpTo(seen);
    for (const { body, runId } of this.chunks.slice(seen)) {
      const ended = this.#ends.has(runId) && !AFTERWARDS.has(body.type) && !beginsLate(body);
      if (runId !== '') isSame(ended, false, `RN4 ${body.type} after the end`);
      if (isEndChunk(body)) expect(this.#ends.has(runId), 'RN4').toBe(false);
      if (isEndChunk(body)) this.#ends.set(runId, 1);
      if (body.type === 'run_started') wait = false;
      if (body.type === 'suspended') wait = true;
      if (body.type === 'unsuspended') {
        expect(wait, 'SU2').toBe(true);
        wait = false;
      }
      if (body.type === 'message_delivered') this.delivered.push(body.messageId);
      if (body.type === 'subagent_start') {
        expect(this.#opened.get(body.childId) ?? 0, 'CS8').toBeLessThan(body.task);
        this.#opened.set(body.childId, body.task);
      }
      if (body.type === 'subagent_end') {
        expect(this.#opened.get(body.childId), 'CS8').toBe(body.task);
        this.#opened.set(body.childId, body.task + 0.5);
      }
    }
    if (this.state.run?.phase === 'active') expect(wait, 'SU2').toBe(suspensionOf(this.state) !== undefined);
  }

  #suspendedUpTo(end: number): boolean {
    const last = this.chunks
      .slice(0, end)
      .findLast(({ body }) => ['suspended', 'unsuspended', 'run_started'].includes(body.type) || isEndChunk(body));
    return last?.body.type === 'suspended';
  }

  #lookAtCalls(before: AgentState, event: AgentEvent, changesSeen: number): void {
    const { run, step } = this.state;
    if (step?.phase === 'calls') for (const call of step.calls) this.#settledOnce(call);
    const ends = this.chunks.flatMap(({ body }) => (body.type === 'tool_end' ? [body.toolCallId] : []));
    isSame(new Set(ends).size, ends.length, 'CL2');
    if (run?.phase === 'ended' && run.outcome.status !== 'interrupted') {
      const open = currentStep(this.state)?.phase === 'calls' ? openCalls(this.step) : [];
      isEmpty(open, 'RN4');
    }
    this.#lookAtWaits(before, changesSeen);
    this.#lookAtNotices(changesSeen);
    if (event.type !== 'answer') return;
    // A late answer is kept beside the result, and changes nothing of it.
    for (const change of this.changes.slice(changesSeen)) {
      if (change.put !== 'settlement' || change.settlement.lateAt === undefined) continue;
      expect(change.settlement.result, 'AN3').toMatchObject({ success: false, error: { code: 'client_tool_timeout' } });
    }
  }

  /** DG30: a call that waited tells exactly as many ends as it needs. */
  #lookAtWaits(before: AgentState, changesSeen: number): void {
    const was = before.step?.phase === 'calls' ? openCalls(before.step) : [];
    const settlements = this.changes.slice(changesSeen).filter((change) => change.put === 'settlement');
    for (const { index, plan, state } of was.filter(isWait)) {
      const settled = settlements.find((one) => one.stepId === before.step?.id && one.index === index)?.settlement;
      if (settled === undefined || plan.kind !== 'task') continue;
      const { tasks, need } = plan.awaits;
      if (settled.result.success) expect(settled.result.value, 'DG30').toHaveLength(need);
      const told = settled.result.success ? toldSchema.parse(settled.result.value) : [];
      for (const { name, task } of told) this.#told.add(`${name} ${task}`);
      const how = settled.result.success ? 'told' : state?.is === 'awaiting' ? 'closed with ends' : 'closed';
      const form = `${need} of ${tasks.length} ${how}`;
      this.waits.set(form, (this.waits.get(form) ?? 0) + 1);
    }
  }

  /** DG30: a notice tells an end once, and none that a call has told which waited for it. */
  #lookAtNotices(changesSeen: number): void {
    for (const change of this.changes.slice(changesSeen)) {
      const said = change.put === 'message' && change.message.from === 'offshoot' ? `${change.message.content}` : '';
      const [, name, task] = /^The sub-agent (ada|eve|kim) \(task (\d+)\)/.exec(said) ?? [];
      if (name === undefined) continue;
      expect([...this.#told], `DG30 ${said}`).not.toContain(`${name} ${task}`);
      this.#told.add(`${name} ${task}`);
    }
  }

  #settledOnce({ callId, settled }: Call): void {
    const known = this.#settlements.get(callId);
    const { lateAt: _late, ...facts } = settled ?? { lateAt: 0 };
    const { lateAt, ...before } = known ?? {};
    if (known) equals(facts, before, 'CL2');
    if (lateAt !== undefined) expect(settled?.lateAt, 'AN3').toBe(lateAt);
    if (settled) this.#settlements.set(callId, settled);
  }

  /** What the model would be asked with: every call has its result, in the rows and in the transcript. */
  #paired(): void {
    const steps = this.store.steps({});
    for (const step of steps) if (step.phase === 'calls') isEmpty(openCalls(step), 'MS1');
    isEmpty(unpairedCalls(transcriptOf(this.store.messages({}), steps)), 'MS1');
  }

  /** SE2: everything that is open is owed, and nothing else; ids say what they stand for. */
  #owes(): void {
    const owed = effects(this.state, this.rules);
    equals(effects(copied(this.state), this.rules), JSON.parse(JSON.stringify(owed)), 'SE2');
    isSame(new Set(owed.map(({ id }) => id)).size, owed.length, 'SE2');
    for (const effect of owed) {
      const { kind } = effect;
      const what = JSON.stringify(
        kind === 'tool'
          ? [kind, effect.call.callId, effect.call.bodies, effect.epoch]
          : kind === 'model'
            ? effect
            : [kind, effect.id],
      );
      if (kind === 'model' && !this.#effects.has(effect.id)) this.#paired();
      isSame(this.#effects.get(effect.id) ?? what, what, 'SE2');
      this.#effects.set(effect.id, what);
    }
    const { run } = this.state;
    // What no step awaits goes on while its parent waits.
    const own = owed.filter((effect) => !('child' in effect) || effect.child.task.await === 'step');
    const kinds = own.map(({ kind }) => kind);
    const of = (...wanted: (typeof kinds)[number][]) => kinds.filter((kind) => wanted.includes(kind));
    if (run === undefined) return expect(kinds).toEqual([]);
    const hasParent = this.state.session.parent !== undefined;
    if (run.phase === 'ended') {
      expect(kinds).toEqual(run.acknowledged || !hasParent ? [] : ['deliver_outcome']);
      for (const effect of owed) if ('child' in effect) expect(effect.child.task.await, 'DG27').toBe('notice');
      return;
    }
    const step = currentStep(this.state);
    // A further task begins whatever its parent waits for, also where a store is cleared for it first.
    const anew = own.filter(
      ({ kind, ...effect }) => kind === 'respawn_child' && 'child' in effect && !isFresh(effect.child),
    );
    if (isAtRest(this.state)) isEmpty(anew, 'SU3');
    if (suspensionOf(this.state)) isEmpty(of('model', 'tool', 'hook'), 'SU3');
    else expect(owed.filter(({ kind }) => kind !== 'deliver_wait').length, 'SU4: nothing is stuck').toBeGreaterThan(0);
    if (run.stop) isEmpty(of('model', 'child', 'respawn_child', 'deliver_wait'), 'SP4');
    if (of('hook').length > 0) isEmpty(of('model'), 'HK2');
    if (step?.phase === 'calls') this.#owesForCalls(step, owed);
  }

  /** DG30: what an open call awaits is open, or has ended and is kept with it; as long as it needs more. */
  #awaits(call: Call): void {
    if (call.plan.kind !== 'task') return;
    const { tasks, need } = call.plan.awaits;
    const known = [...awaitedBy(this.state, call).map(keyOf), ...endedOf(call)].map(({ childId, task }) => [
      childId,
      task,
    ]);
    equals(known.sort(), tasks.map(({ childId, task }) => [childId, task]).sort(), 'DG30');
    expect(endedOf(call).length, 'DG30').toBeLessThan(need);
  }

  #owesForCalls(step: RepliedStep, owed: ReturnType<typeof effects>): void {
    const { run } = this.state;
    if (run?.phase !== 'active') return;
    const open = openCalls(step);
    const indexes = (...kinds: (typeof owed)[number]['kind'][]) =>
      owed.flatMap((effect) => {
        if (!kinds.includes(effect.kind)) return [];
        const callId = 'call' in effect ? effect.call.callId : 'child' in effect ? effect.child.task.callId : '';
        return open.flatMap((call) => (call.callId === callId ? [call.index] : []));
      });
    for (const call of open) this.#awaits(call);
    const children = open.filter(({ plan }) => plan.kind === 'task' && plan.began);
    const stateOf = (call: Call) => childOf(this.state, call)?.state.is;
    if (run.stop) {
      const bodies = open.filter(({ callId, state }) => run.stop?.bodies.includes(callId) && state?.is !== 'cut_off');
      expect(indexes('tool'), 'SP6').toEqual(bodies.map(({ index }) => index));
      const resting = run.stop.verb === 'terminate' ? ['respawning'] : ['respawning', 'interrupted'];
      const stopped = children.filter((call) => !resting.includes(stateOf(call) ?? ''));
      expect(indexes('stop_child'), 'SP9').toEqual(stopped.map(({ index }) => index));
      if (run.stop.verb !== 'interrupt')
        expect(open.flatMap((call) => (isWait(call) ? [] : [call.index])).sort(), 'SP5').toEqual(
          [...indexes('tool', 'stop_child')].sort(),
        );
      return;
    }
    const allowed = open.filter(
      ({ plan, answer }) => plan.kind === 'tool' && (plan.approval === undefined || answer?.approved === true),
    );
    expect(indexes('tool').length, 'CL6').toBeLessThanOrEqual(this.rules.limits.maxConcurrentCalls);
    if (this.rules.hooks.size === 0)
      expect(indexes('tool').length, 'CL6').toBe(Math.min(allowed.length, this.rules.limits.maxConcurrentCalls));
    for (const index of indexes('tool'))
      expect(
        allowed.some((call) => call.index === index),
        'AN4',
      ).toBe(true);
    const standing = (...kinds: string[]) =>
      children.flatMap((call) => (kinds.includes(stateOf(call) ?? '') ? [call.index] : []));
    equals(indexes('child'), standing('working'), 'DG10');
    equals(indexes('stop_child'), standing('stopping'), 'SP9');
    for (const call of children) {
      const child = childOf(this.state, call);
      if (child?.state.is !== 'working') continue;
      if (suspensionOf(this.state) === 'suspended_step_partial')
        expect(child.terms.onParentSuspend, 'CS4').toBe('continue');
    }
  }
}

/** Whether a call awaits what others began. */
const isWait = ({ plan }: Call): boolean => plan.kind === 'task' && plan.began === undefined;

/** A state as JSON, as a store gives it back. */
export function plain(state: AgentState | undefined): unknown {
  return JSON.parse(jsonOf(state));
}

function jsonOf(state: AgentState | undefined): string {
  const children = Object.fromEntries(state?.children ?? []);
  return JSON.stringify({ ...state, children });
}
