/**
 * The core under any order of events: what is right now, what comes too early, too late or twice. After each event,
 * what must hold of every state is looked at, and the state is compared with what a store gives back.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Compaction } from '../../src/core/agent/context/compaction';
import type { AgentEvent, PersonsAnswer, PlannedCall } from '../../src/core/agent/events';
import { suspensionOf } from '../../src/core/agent/runs/status';
import { STOP_VERBS } from '../../src/core/agent/runs/stop-verb';
import { type Call, childOf, currentStep, type Outcome, openCalls, type RepliedStep } from '../../src/core/agent/state';
import { HOOK_NAMES } from '../../src/core/definition/hooks/hook-types';
import { failure } from '../../src/protocol/errors';
import { childRunId } from '../../src/protocol/ids';
import { NO_USAGE } from '../../src/protocol/usage';
import { Machine, type MachineOptions, planned } from '../support/machine';
import { present } from '../support/present';
import { always, sized } from '../support/sizes';
import { plain, Watched } from '../support/watched';

const ACTIONS = [
  'start',
  'send',
  'reply',
  'reply',
  'reply',
  'lasting',
  'wait',
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
  'compact',
  'late',
  'twice',
  'twice',
] as const;
type Action = { readonly what: (typeof ACTIONS)[number] | 'begin'; readonly n: number };
const actionOf = (...what: Action['what'][]): fc.Arbitrary<Action> =>
  fc.record({ what: fc.constantFrom(...what), n: fc.nat(999) });
const action = actionOf(...ACTIONS);
/** Actions about children that work for nobody's step, and calls that wait for them. */
const waiting = actionOf(
  ...(['begin', 'begin', 'begin', 'wait', 'wait', 'wait', 'wait', 'start', 'send', 'retry', 'hook', 'hook'] as const),
  ...Array.from({ length: 10 }, () => 'child' as const),
  ...(['childWaits', 'stopChild', 'resumeChild', 'respawn', 'stop', 'resume', 'resume', 'resume'] as const),
  ...(['recover', 'settle', 'settle', 'settle', 'settle', 'twice', 'twice'] as const),
);

/** Events of which a second delivery must do nothing. Starts and messages have receipts, the others never leave an object. */
const REPEATABLE: ReadonlySet<AgentEvent['type']> = new Set([
  'context_compacted',
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

const NAMES = ['ada', 'eve', 'kim'] as const;

/** Some of the companions get a task in the background; now and then beside one that the step awaits, or a tool. */
function beginning(n: number): PlannedCall[] {
  const notice = { lifetime: 'named', await: 'notice', deliver: 'notice' } as const;
  const rule = n % 5 ? 'continue' : n % 2 ? 'pause' : 'respawn';
  const begun = NAMES.slice(n % 3 ? 0 : n % 2).map((childName) => ({
    ...planned.child('Leaf', rule),
    ...notice,
    childName,
  }));
  const beside = [[], [planned.tool()], [waitFor(NAMES, n >> 2)], []];
  return [...begun, ...(beside[n % 4] ?? [])];
}

/** A call that awaits tasks of these: all of them, any, or so many. */
function waitFor(names: readonly string[], n: number): PlannedCall {
  const need = [undefined, 'any' as const, 2, 1 + (n % Math.max(1, names.length))][n % 4];
  const args = { names: [...names], ...(need === undefined ? {} : { need }) };
  return { providerId: 'p', name: '__wait__', input: args, kind: 'built_in', args };
}

/** Waits for companions that work, mostly for all of them; now and then twice, or beside something else. */
function waitsNow(machine: Watched, n: number): PlannedCall[] {
  const open = [...machine.state.children.values()].flatMap(({ name }) => name ?? []);
  const names = open.length === 0 ? NAMES : n % 3 ? open : open.slice(n % open.length);
  const beside = [[], [], [planned.tool()], [waitFor(names, n >> 2)], [planned.child()]];
  return [waitFor(names, n), ...(beside[n % 5] ?? [])];
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
  return present(all[n % all.length]);
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
      const outcome = present(OUTCOMES[n % OUTCOMES.length]);
      const mark = n % 19 === 0 ? {} : { runId };
      return void machine.apply({ type: 'child_settled', ...delegation, ...mark, outcome, usage: machine.state.spent });
    }
    case 'childWaits':
      return void machine.apply({ type: 'child_waits', ...delegation, runId, waits: n % 3 > 0 });
    case 'stopChild': {
      const verb = n % 4 === 0 ? {} : { verb: present(STOP_VERBS[(n % 4) - 1]) };
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
    return void machine.apply({ ...facts, result: { success: false, error: failure('aborted') }, cut: 'body' });
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
    case 'begin':
      return void machine.reply({ calls: beginning(n) }, fence);
    case 'wait':
      return void machine.reply({ calls: waitsNow(machine, n) }, fence);
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
    case 'compact':
      return void machine.apply({ type: 'context_compacted', ...fence, compaction: compactionOf(n) });
    case 'late':
      return void machine.apply({ type: 'spent_late', usage: { ...NO_USAGE, inputTokens: n } });
    case 'twice':
      return again(machine, n);
  }
}

/** A compaction, of which the machine looks at nothing but what it cost. */
const compactionOf = (n: number): Compaction => ({
  number: n,
  upToStep: n,
  upToMessage: n,
  summary: `${n}`,
  by: 'function',
  tokensPerByte: 1 / 4,
  tokensBefore: n,
  tokensAfter: n,
  startedAt: n,
  at: n,
  ...(n % 2 ? { usage: { ...NO_USAGE, inputTokens: n, modelCalls: 1 } } : {}),
});

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
  [
    'an interrupt before a named sub-agent is begun anew',
    { child: false },
    short(['lasting', 242], ['child', 1], ['child', 1], ['lasting', 35], ['child', 344], ['stop', 2]),
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

  it('[DG30, DG27, DG10, SE1, SE2, SE4, RN4, CL2, SP5, SP9, SU4, CS8] holds for calls that wait for companions, of every form', async () => {
    const found = new Map<string, number>();
    const actions = fc.array(waiting, { minLength: 20, maxLength: 120, size: 'max' });
    const holds = fc.property(options, actions, (given, list) => {
      const limits = { ...LIMITS, maxSteps: 30, maxChildren: 4 };
      for (const [form, times] of follow({ ...given, limits }, list).waits)
        found.set(form, (found.get(form) ?? 0) + times);
    });
    await always(holds, sized(150, 1_000));
    const forms = ['1 of 1', '1 of 2', '2 of 2', '1 of 3', '2 of 3', '3 of 3'];
    expect([...found.keys()]).toEqual(expect.arrayContaining(forms.map((form) => `${form} told`)));
    expect([...found.keys()].filter((form) => form.endsWith('closed with ends'))).not.toEqual([]);
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
