/**
 * The core under any order of events: what is right now, what comes too early, too late or twice. After each event,
 * what must hold of every state is looked at, and the state is compared with what a store gives back.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_TOOLS } from '../../src/core/agent/built-in/table';
import { keyOf } from '../../src/core/agent/child';
import { effects } from '../../src/core/agent/effects';
import type { AgentEvent, PersonsAnswer, PlannedCall } from '../../src/core/agent/events';
import {
  type AgentState,
  awaitedBy,
  type Call,
  childOf,
  currentStep,
  endedOf,
  type Outcome,
  openCalls,
  type RepliedStep,
  type Settlement,
} from '../../src/core/agent/state';
import { suspensionOf } from '../../src/core/agent/status';
import { STOP_VERBS, type StopVerb } from '../../src/core/agent/stop-verb';
import { transcriptOf } from '../../src/core/agent/transcript';
import { transition } from '../../src/core/agent/transition';
import { HOOK_NAMES } from '../../src/core/definition/hook-types';
import { failure } from '../../src/protocol/errors';
import { childRunId } from '../../src/protocol/ids';
import { unpairedCalls } from '../../src/protocol/messages';
import { isEndChunk } from '../../src/protocol/status';
import { NO_USAGE } from '../../src/protocol/usage';
import { SqlAgentStore } from '../../src/store/agent-store';
import { migrate } from '../../src/store/migrate';
import { AGENT_MIGRATIONS } from '../../src/store/migrations';
import type { ObjectStorage } from '../../src/store/storage';
import { nodeStorage } from '../../src/testing/node-storage';
import { Machine, type MachineOptions, planned } from '../support/machine';
import { always, sized } from '../support/sizes';
import { waitTool } from '../support/wait-tool';

const ACTIONS = [
  'start',
  'send',
  'reply',
  'reply',
  'reply',
  'lasting',
  'finish',
  'fail',
  'settle',
  'settle',
  'cut',
  'child',
  'child',
  'childWaits',
  'childWaits',
  'stopChild',
  'resumeChild',
  'respawn',
  'stop',
  'stop',
  'resume',
  'resume',
  'retry',
  'answer',
  'answer',
  'answer',
  'expire',
  'hook',
  'hook',
  'hook',
  'recover',
  'outcomeAcknowledged',
  'waitAcknowledged',
  'change',
  'progress',
  'late',
  'twice',
  'twice',
] as const;
type Action = { readonly what: (typeof ACTIONS)[number]; readonly n: number };
const action: fc.Arbitrary<Action> = fc.record({ what: fc.constantFrom(...ACTIONS), n: fc.nat(999) });

/** Events of which a second delivery must do nothing. Starts and messages have receipts, the others never leave an object. */
const REPEATABLE: ReadonlySet<AgentEvent['type']> = new Set([
  'model_replied',
  'model_failed',
  'tool_settled',
  'child_settled',
  'child_stop',
  'child_waits',
  'child_respawn',
  'answer',
  'expire',
  'hook_done',
  'stop',
  'outcome_acknowledged',
  'wait_acknowledged',
]);

const LIMITS = {
  maxSteps: 4,
  maxConcurrentCalls: 2,
  maxChildren: 3,
  modelRetries: 2,
  maxRecoveries: 3,
  maxToolReplays: 2,
  maxQueuedStarts: 2,
};

const options: fc.Arbitrary<MachineOptions> = fc.record({
  limits: fc.constant(LIMITS),
  finishTools: fc.constantFrom(['__finish__'], []),
  child: fc.boolean(),
  onConcurrentStart: fc.constantFrom('refuse', 'queue', 'interrupt_previous'),
  hooks: fc.constantFrom([], [], HOOK_NAMES, ['beforeTool', 'onStepEnd', 'onAgentFail'] as const),
});

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}

/** What may be told after the end of a run: words on the session, and the end of a sub-agent under an interrupted one. */
const AFTERWARDS: ReadonlySet<string> = new Set(['subagent_status', 'subagent_end', 'tool_end']);

/** A machine that records each event that had an effect, and looks at everything after it. */
class Watched extends Machine {
  readonly events: AgentEvent[] = [];
  readonly store: SqlAgentStore;
  readonly #begun: string[] = [];
  readonly #ends = new Map<string, number>();
  readonly #settlements = new Map<string, Settlement>();
  readonly #effects = new Map<string, string>();
  readonly #opened = new Map<number, number>();
  delivered: string[] = [];

  constructor(given: MachineOptions) {
    super({ ...given, builtIns: [...BUILT_IN_TOOLS, waitTool] });
    const storage = nodeStorage() as unknown as ObjectStorage;
    migrate(storage, 'agent', AGENT_MIGRATIONS);
    this.store = new SqlAgentStore(storage);
    this.store.create(this.state);
  }

  override applyWhole(event: AgentEvent) {
    const before = deepFreeze(this.state);
    const again = transition(before, event, () => this.rules);
    const seen = [this.chunks.length, this.changes.length] as const;
    const answer = super.applyWhole(deepFreeze(event));
    expect(answer, 'SE3').toEqual(again);
    if (!answer.ok) {
      expect(this.state, 'SE4').toBe(before);
      return answer;
    }
    if (answer.changes.length > 0) this.events.push(event);
    this.store.transaction(() => this.store.write(answer.changes));
    expect(plain(this.store.load()), 'SE1').toEqual(plain(this.state));
    this.#look(before, event, ...seen);
    return answer;
  }

  #look(before: AgentState, event: AgentEvent, chunksSeen: number, changesSeen: number): void {
    const { run, step, inbox } = this.state;
    this.#lookAtChunks(chunksSeen);
    for (const change of this.changes.slice(changesSeen))
      if (change.put === 'run' && !this.#begun.includes(change.run.runId)) this.#begun.push(change.run.runId);
    for (const runId of this.#begun)
      if (runId !== run?.runId || run.phase === 'ended') expect(this.#ends.get(runId), `RN4 ${runId}`).toBe(1);
    if (run?.phase === 'active') expect(this.#ends.get(run.runId), 'RN4').toBeUndefined();
    if (before.run?.phase === 'ended' && run?.runId === before.run.runId) expect(run.phase, 'RN4').toBe('ended');
    expect(run?.epoch ?? 0, 'RC6').toBeGreaterThanOrEqual(
      before.run?.runId === run?.runId ? (before.run?.epoch ?? 0) : 1,
    );
    expect(step?.number ?? 1, 'ST2').toBeLessThanOrEqual(this.rules.limits.maxSteps);
    this.#lookAtCalls(event, changesSeen);
    const accepted = this.changes.flatMap((change) =>
      change.put === 'message' && change.message.from !== 'offshoot' ? [change.message.messageId] : [],
    );
    const waiting = inbox.flatMap(({ from, messageId }) => (from === 'offshoot' ? [] : [messageId]));
    expect([...this.delivered, ...waiting], 'DL1').toEqual(accepted);
    expect(this.state.queued.length, 'EN3').toBeLessThanOrEqual(this.rules.limits.maxQueuedStarts);
    this.#owes();
  }

  /** Each run begins with its first chunk and ends with its last; delegations are opened and closed in turns. */
  #lookAtChunks(seen: number): void {
    let wait = this.#suspendedUpTo(seen);
    for (const { body, runId } of this.chunks.slice(seen)) {
      const ended = this.#ends.has(runId) && !AFTERWARDS.has(body.type);
      if (runId !== '') expect(ended, `RN4 ${body.type} after the end`).toBe(false);
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

  #lookAtCalls(event: AgentEvent, changesSeen: number): void {
    const { run, step } = this.state;
    if (step?.phase === 'calls') for (const call of step.calls) this.#settledOnce(call);
    const ends = this.chunks.flatMap(({ body }) => (body.type === 'tool_end' ? [body.toolCallId] : []));
    expect(new Set(ends).size, 'CL2').toBe(ends.length);
    if (run?.phase === 'ended' && run.outcome.status !== 'interrupted') {
      const open = currentStep(this.state)?.phase === 'calls' ? openCalls(this.step) : [];
      expect(open, 'RN4').toEqual([]);
    }
    if (event.type !== 'answer') return;
    // A late answer is kept beside the result, and changes nothing of it.
    for (const change of this.changes.slice(changesSeen)) {
      if (change.put !== 'settlement' || change.settlement.lateAt === undefined) continue;
      expect(change.settlement.result, 'AN3').toMatchObject({ success: false, error: { code: 'client_tool_timeout' } });
    }
  }

  #settledOnce({ callId, settled }: Call): void {
    const known = this.#settlements.get(callId);
    const { lateAt: _late, ...facts } = settled ?? { lateAt: 0 };
    const { lateAt, ...before } = known ?? {};
    if (known) expect(facts, 'CL2').toEqual(before);
    if (lateAt !== undefined) expect(settled?.lateAt, 'AN3').toBe(lateAt);
    if (settled) this.#settlements.set(callId, settled);
  }

  /** What the model would be asked with: every call has its result, in the rows and in the transcript. */
  #paired(): void {
    const steps = this.store.steps({});
    for (const step of steps) if (step.phase === 'calls') expect(openCalls(step), 'MS1').toEqual([]);
    expect(unpairedCalls(transcriptOf(this.store.messages({}), steps)), 'MS1').toEqual([]);
  }

  /** SE2: everything that is open is owed, and nothing else; ids say what they stand for. */
  #owes(): void {
    const owed = effects(this.state, this.rules);
    expect(effects(structuredClone(this.state), this.rules), 'SE2').toEqual(JSON.parse(JSON.stringify(owed)));
    expect(new Set(owed.map(({ id }) => id)).size, 'SE2').toBe(owed.length);
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
      expect(this.#effects.get(effect.id) ?? what, 'SE2').toBe(what);
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
    if (suspensionOf(this.state)) expect(of('model', 'tool', 'hook', 'respawn_child'), 'SU3').toEqual([]);
    else expect(owed.filter(({ kind }) => kind !== 'deliver_wait').length, 'SU4: nothing is stuck').toBeGreaterThan(0);
    if (run.stop) expect(of('model', 'child', 'respawn_child', 'deliver_wait'), 'SP4').toEqual([]);
    if (of('hook').length > 0) expect(of('model'), 'HK2').toEqual([]);
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
    expect(known.sort(), 'DG30').toEqual(tasks.map(({ childId, task }) => [childId, task]).sort());
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
    expect(indexes('child'), 'DG10').toEqual(standing('working'));
    expect(indexes('stop_child'), 'SP9').toEqual(standing('stopping'));
    for (const call of children) {
      const child = childOf(this.state, call);
      if (child?.state.is !== 'working') continue;
      if (suspensionOf(this.state) === 'suspended_step_partial') expect(child.onParentSuspend, 'CS4').toBe('continue');
    }
  }
}

const calls = (n: number) =>
  [
    planned.tool(),
    planned.child(),
    planned.approval(n % 3 ? undefined : 20),
    planned.tool('once', { replay: 'never' }),
    planned.client(n % 2 ? undefined : 10),
    planned.refused(),
    planned.child('Leaf', 'pause'),
    planned.approval(),
    planned.client(5),
    planned.child('Leaf', 'respawn'),
    planned.tool(),
    planned.child(),
  ].slice(n % 9, (n % 9) + (n % 6));

/** Children that outlive their call: by a name, or because no step waits for them. */
function lasting(n: number): PlannedCall[] {
  const named = {
    ...planned.child('Leaf', n % 4 ? 'continue' : 'pause'),
    lifetime: 'named',
    childName: n % 2 ? 'ada' : 'eve',
  } as const;
  const notice = { await: 'notice', deliver: 'notice' } as const;
  const both = ['ada', 'eve'].map((childName) => ({ ...named, ...notice, childName }));
  const all = [
    [named],
    [{ ...planned.child(), ...notice }],
    [...both, waits(n)],
    [{ ...named, ...notice }],
    [waits(n)],
  ];
  return [...(all[n % 5] ?? []), ...(n % 2 ? [planned.client()] : [])];
}

/** A call that awaits what others began: all of one or two, or any; or more than there are. */
function waits(n: number): PlannedCall {
  const names = [['ada'], ['ada', 'eve'], ['eve', 'ada', 'ada']][n % 3] ?? [];
  const args = { names, ...(n % 2 ? { need: n % 5 ? ('any' as const) : 2 } : {}) };
  return { providerId: 'p', name: '__wait__', input: args, kind: 'built_in', args };
}

/** An open call of a kind, or any call that there ever was: what is reported may be late. */
function some(machine: Watched, n: number, fits: (call: Call) => boolean): Call | undefined {
  const step = currentStep(machine.state);
  const open = step?.phase === 'calls' ? openCalls(step).filter(fits) : [];
  const all = machine.changes.flatMap((change) =>
    change.put === 'step' && change.step.phase === 'calls' ? change.step.calls.filter(fits) : [],
  );
  const from = open.length > 0 && n % 5 > 0 ? open : all;
  return from[n % Math.max(1, from.length)];
}

/** Whether a call awaits what others began. */
const isWait = ({ plan }: Call): boolean => plan.kind === 'task' && plan.began === undefined;

const isAsked = ({ plan }: Call): boolean => plan.kind === 'client' || (plan.kind === 'tool' && !!plan.approval);

/** Answers that are right, wrong, edited or of the wrong kind. */
function answerOf(n: number): PersonsAnswer {
  const results: PersonsAnswer[] = [
    { kind: 'client-tool-result', result: { success: true, value: n } },
    { kind: 'client-tool-result', result: { success: false, error: failure('client_tool_failed') } },
  ];
  const approvals: PersonsAnswer[] = [
    { kind: 'approval-response', approved: true },
    { kind: 'approval-response', approved: true, input: { n } },
    { kind: 'approval-response', approved: false, reason: 'no' },
  ];
  const all = [...results, ...approvals];
  return all[n % all.length] as PersonsAnswer;
}

const OUTCOMES: readonly Outcome[] = [
  { status: 'completed', output: 1, completionReason: 'text' },
  { status: 'failed', error: failure('max_steps') },
  { status: 'interrupted', reason: 'x' },
  { status: 'failed', error: failure('parent_suspended'), failureReason: 'parent_suspended' },
  { status: 'interrupted', reason: 'y' },
  { status: 'terminated', reason: 'z' },
  { status: 'failed', error: failure('aborted'), failureReason: 'aborted' },
];

const VERBS = ['interrupt', 'abort', 'interrupt', 'terminate', 'interrupt'] as const;

/** A state as JSON, as a store gives it back. */
function plain(state: AgentState | undefined): unknown {
  const children = Object.fromEntries(state?.children ?? []);
  return JSON.parse(JSON.stringify({ ...state, children }));
}

/** The marks of a child's report: right ones, and now and then those of another task or run. */
function marks(machine: Machine, call: Call, n: number) {
  const { sessionId, childId, task, runNumber } = machine.workerOf(call);
  const runId = childRunId(sessionId, Math.max(1, runNumber - (n % 17 === 0 ? 1 : 0)));
  return { task: { childId, task: task.number + (n % 13 === 0 ? 1 : 0) }, runId };
}

function performChild(machine: Watched, { what, n }: Action): void {
  // Mostly one whose task is open, whether or not its call is.
  const begun = (call: Call): boolean => call.plan.kind === 'task' && call.plan.began !== undefined;
  const child = some(machine, n, (call) => begun(call) && (n % 4 === 0 || childOf(machine.state, call) !== undefined));
  if (child === undefined) return;
  const { runId, ...delegation } = marks(machine, child, n);
  switch (what) {
    case 'child': {
      const outcome = OUTCOMES[n % OUTCOMES.length] as Outcome;
      const mark = n % 19 === 0 ? {} : { runId };
      return void machine.apply({ type: 'child_settled', ...delegation, ...mark, outcome, usage: machine.state.spent });
    }
    case 'childWaits':
      return void machine.apply({ type: 'child_waits', ...delegation, runId, waits: n % 3 > 0 });
    case 'stopChild': {
      const verb = n % 4 === 0 ? {} : { verb: STOP_VERBS[(n % 4) - 1] as StopVerb };
      return void machine.apply({ type: 'child_stop', ...delegation, error: failure('child_timeout'), ...verb });
    }
    case 'resumeChild':
      return void machine.apply({ type: 'child_resume', ...delegation });
    default:
      return void machine.apply({ type: 'child_respawn', ...delegation });
  }
}

function performTool(machine: Watched, { what, n }: Action): void {
  const { run } = machine.state;
  const epoch = run?.phase === 'active' ? run.epoch - (n % 11 === 0 ? 1 : 0) : 1;
  const tool = some(machine, n, ({ plan }) => plan.kind === 'tool');
  if (tool === undefined) return;
  const { callId } = tool;
  if (what === 'change')
    return void machine.apply({ type: 'custom_changed', by: callId, epoch, custom: { n }, patch: [] });
  const usage = n % 3 ? { usage: { ...NO_USAGE, toolCalls: 1, inputTokens: n } } : {};
  const facts = { type: 'tool_settled', callId, epoch, startedAt: 0, ...usage } as const;
  // A body ends only where one was begun.
  if (!machine.owed.some((effect) => effect.kind === 'tool' && effect.call.callId === callId) && n % 5 > 0) return;
  if (what === 'cut')
    return void machine.apply({ ...facts, result: { success: false, error: failure('aborted') }, cut: true });
  const failed = { success: false, error: failure('tool_failed') } as const;
  machine.apply({ ...facts, result: n % 2 ? { success: true, value: n } : failed });
}

function performEntry(machine: Watched, { what, n }: Action): void {
  switch (what) {
    case 'start':
      return void machine.start();
    case 'send':
      return void machine.send(`${n}`);
    case 'resume':
      return void machine.resume(n % 2 ? `${n}` : undefined);
    case 'retry':
      return void machine.retry(n % 2 ? `${n}` : undefined);
    default: {
      const runId = n % 7 === 0 ? 'r_other' : (machine.state.run?.runId ?? 'r_none');
      // Not too many sessions end for good.
      return void machine.stop(n % 29 === 0 ? 'terminate' : VERBS[n % 3], runId);
    }
  }
}

function performPerson(machine: Watched, { what, n }: Action): void {
  if (what === 'expire') return void machine.expire(n % 25);
  if (what === 'hook') return void machine.hookDone(n % 17 === 0 ? 'tool_failed' : undefined);
  const call = some(machine, n, isAsked);
  const callId = n % 31 === 0 ? 'c_forged' : (call?.callId ?? 'c_none');
  machine.apply({ type: 'answer', callId, answer: answerOf(n), ...pastOf(machine, callId) });
}

function perform(machine: Watched, action: Action): void {
  const { what, n } = action;
  const fence = n % 17 === 0 ? { ...machine.fence, attempt: machine.fence.attempt - 1 } : machine.fence;
  const runId = n % 7 === 0 ? 'r_other' : (machine.state.run?.runId ?? 'r_none');
  switch (what) {
    case 'reply': {
      const cut = n % 19 === 0 ? { finishReason: 'length' as const } : {};
      return void machine.reply({ text: `${n}`, calls: calls(n), ...cut }, fence);
    }
    case 'lasting':
      return void machine.reply({ calls: [...calls(n % 2), ...lasting(n)] }, fence);
    case 'finish':
      return void machine.reply({ calls: [...calls(n % 3), planned.finish(n), planned.finish(n + 1)] }, fence);
    case 'fail':
      return void machine.fail('model_error', n % 3 > 0, fence);
    case 'settle':
    case 'cut':
    case 'change':
      return performTool(machine, action);
    case 'child':
    case 'childWaits':
    case 'stopChild':
    case 'resumeChild':
    case 'respawn':
      return performChild(machine, action);
    case 'start':
    case 'send':
    case 'stop':
    case 'resume':
    case 'retry':
      return performEntry(machine, action);
    case 'answer':
    case 'expire':
    case 'hook':
      return performPerson(machine, action);
    case 'recover':
      return void machine.recover();
    case 'outcomeAcknowledged':
      return void machine.apply({ type: 'outcome_acknowledged', runId });
    case 'waitAcknowledged':
      return void machine.apply({ type: 'wait_acknowledged', runId, waits: suspensionOf(machine.state) !== undefined });
    case 'progress':
      return void machine.apply({
        type: 'model_progress',
        ...fence,
        deltas: [{ type: 'text', part: 0, delta: `${n}` }],
      });
    case 'late':
      return void machine.apply({ type: 'spent_late', usage: { ...NO_USAGE, inputTokens: n } });
    case 'twice':
      return again(machine, n);
  }
}

/** Delivers the last event, or one of those before it, a second time. */
function again(machine: Watched, n: number): void {
  const events = machine.events.filter(({ type }) => REPEATABLE.has(type));
  const event = n % 2 ? events.at(-1) : events[events.length - 1 - (n % Math.max(1, events.length))];
  if (event === undefined || (event !== machine.events.at(-1) && saysElse(machine, event))) return;
  const { state, chunks, changes } = machine;
  const sizes = [chunks.length, changes.length];
  machine.applyWhole(event.type === 'answer' ? { ...event, ...pastOf(machine, event.callId) } : event);
  expect(machine.state, `${event.type} a second time`).toEqual(state);
  expect([machine.chunks.length, machine.changes.length], `${event.type} a second time`).toEqual(sizes);
}

/** Events that say how something stands: an old one after a newer one says something else. */
const STANDINGS: ReadonlySet<AgentEvent['type']> = new Set([
  'child_waits',
  'wait_acknowledged',
  'stop',
  'child_stop',
  'child_respawn',
  'expire',
]);

function saysElse(machine: Watched, event: AgentEvent): boolean {
  if (STANDINGS.has(event.type)) return true;
  if (event.type !== 'child_settled' || event.outcome.status !== 'interrupted') return false;
  const child = machine.state.children.get(event.task.childId);
  // A sub-agent at rest says the same when it is stopped there; without its run nothing tells the two apart.
  return event.runId === undefined || child?.state.is === 'stopping';
}

/** The step of a call where it is not the latest one, as the store has it now. */
function pastOf(machine: Watched, callId: string | undefined): { past?: RepliedStep } {
  const past = machine.store
    .steps({})
    .find((step): step is RepliedStep => step.phase === 'calls' && step.calls.some((call) => call.callId === callId));
  return past && past.id !== machine.state.step?.id ? { past } : {};
}

function follow(given: MachineOptions, actions: readonly Action[]): Watched {
  const machine = new Watched(given);
  machine.start();
  for (const each of actions) perform(machine, each);
  return machine;
}

const short = (...actions: readonly [Action['what'], number][]): Action[] => actions.map(([what, n]) => ({ what, n }));

/** Schedules that failed once, with what each was about. */
const PINNED: readonly [string, MachineOptions, Action[]][] = [
  ['what was denied, in the store', {}, short(['reply', 2], ['answer', 784])],
  ['an interrupt of a sub-agent, twice', {}, short(['reply', 752], ['stopChild', 415], ['twice', 0])],
  ['a last hook, and its model once more', { hooks: HOOK_NAMES }, short(['hook', 1], ['fail', 369], ['twice', 0])],
  ['what a body spent that was cut off', {}, short(['reply', 3], ['stop', 3], ['cut', 1])],
  ['a wait that is told twice', {}, short(['waitAcknowledged', 1], ['twice', 0])],
  [
    'the very last hook, which fails nothing',
    { hooks: HOOK_NAMES },
    short(['hook', 1], ['reply', 783], ['stop', 5], ['child', 14], ['hook', 0], ['hook', 1]),
  ],
  [
    'a failure that is told, and then an abort of what is left',
    { hooks: HOOK_NAMES, child: false },
    short(['hook', 86], ['hook', 1], ['fail', 513], ['hook', 0], ['stop', 115], ['twice', 146]),
  ],
];

describe('any order of events', () => {
  it.for(PINNED)('[SE1, SE4, RN4, CL2, AN1, SO4] %s', ([, given, actions]) => {
    const machine = follow({ limits: LIMITS, finishTools: ['__finish__'], ...given }, actions);
    expect(machine.events.length).toBeGreaterThan(0);
    expect(plain(machine.store.load())).toEqual(plain(machine.state));
  });

  it('[SE1, SE2, SE3, SE4, RN4, CL2, CL6, ST2, ST3, MS1, DL1, RC6, DG10, DG3, SP4, SP5, SP6, SP9, SU2, SU3, SU4, AN3, AN4, CS4, CS8, EN3, SO4] keeps what must hold of every state', async () => {
    const actions = fc.array(action, { minLength: 20, maxLength: 120, size: 'max' });
    const holds = fc.property(options, actions, (given, list) => void follow(given, list));
    await always(holds, sized(100, 1_000));
  });

  it('[SE5] leaves a state whose size does not grow with the history', () => {
    const machine = new Machine();
    const sizes: number[] = [];
    const written: number[] = [];
    for (let turn = 0; turn < 100; turn++) {
      machine.start('always the same');
      const before = machine.changes.length;
      machine.reply({ text: 'always the same', calls: [planned.tool(), planned.tool()] });
      machine.settle(1);
      machine.settle(0);
      machine.reply({ text: 'done' });
      sizes.push(
        JSON.stringify({ ...machine.state, spent: undefined, step: { ...machine.state.step, spent: undefined } })
          .length,
      );
      written.push(machine.changes.length - before);
    }
    // Numbers get a digit longer; nothing else may.
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(30);
    expect(new Set(written).size).toBe(1);
  });
});
