/** The ledger of calls and the log, entry by entry: every kind of call, however it stands. */
import { expect, it } from 'vitest';
import type { AnswerRecord, Call, CallPlan, RepliedStep, Step } from '../../../src/core/agent/state';
import { DEFAULT_LIMITS } from '../../../src/core/definition/limits';
import { failure, shownFailure } from '../../../src/protocol/errors';
import { NO_USAGE } from '../../../src/protocol/usage';
import { calls, logs } from '../../../src/verbs/ledger';
import { call, RUN, replied, SETTLED, STEP, state } from '../../contract/stores-support';

const ANSWER: AnswerRecord = {
  kind: 'approval-response',
  at: 8,
  approved: true,
  actor: 'ann',
  reason: 'Fine.',
  order: 3,
};
const { order: _order, ...SHOWN_ANSWER } = ANSWER;
const ERROR = failure('tool_failed', 'No.');
const USAGE = { ...NO_USAGE, inputTokens: 4 };

const tool = { kind: 'tool', replay: 'safe', finishWith: false, timeoutMs: 1 } as const;
const began = { childId: 1, task: 1, agentType: 'leaf', sessionId: 's_2', address: '/agents/top/one/sub/leaf/1~1' };
const awaits = { tasks: [{ childId: 1, task: 1 }], need: 1 };

/** Every plan of a call, by the kind that it is shown as. */
const PLANS: readonly (readonly [kind: string, plan: CallPlan, more: object])[] = [
  ['tool', tool, {}],
  ['tool', { ...tool, approval: { inputHash: 'h', expiresAt: 99 } }, {}],
  ['tool', { ...tool, approval: { inputHash: 'h' } }, {}],
  ['client-tool', { kind: 'client', expiresAt: 98 }, {}],
  ['client-tool', { kind: 'client' }, {}],
  ['sub-agent', { kind: 'task', began, awaits }, { subAddress: began.address, subSessionId: 's_2' }],
  ['sub-agent', { kind: 'task', awaits }, {}],
  ['built-in', { kind: 'immediate', result: { success: true, value: 1 } }, {}],
  ['refused', { kind: 'refused', error: ERROR }, {}],
];

/** States of a call beside its plan. */
const STANDS: readonly (readonly [name: string, facts: Partial<Call>])[] = [
  ['open', {}],
  ['open and answered', { answer: ANSWER }],
  ['open, its time up', { state: { is: 'expired' } }],
  ['cut off', { state: { is: 'cut_off' }, bodies: 2 }],
  ['ended', { settled: { ...SETTLED, usage: USAGE } }],
  ['ended after an answer', { answer: ANSWER, settled: { ...SETTLED, answer: ANSWER } }],
  ['ended with its answer', { settled: { ...SETTLED, answer: ANSWER } }],
  ['failed', { settled: { ...SETTLED, result: { success: false, error: ERROR } } }],
  ['failed before it began', { settled: { ...SETTLED, unrun: true, result: { success: false, error: ERROR } } }],
];

const all = PLANS.flatMap((plan) => STANDS.map((stands) => ({ plan, stands })));
const allCalls = all.map(
  ({ plan: [, plan], stands: [, facts] }, index): Call => ({ ...call(index, plan), ...facts, name: `n${index}` }),
);

type Listed = { handle(context: never): unknown };
const listOf = (verb: object, steps: readonly Step[], isWorking = true) => {
  const last = steps.at(-1);
  const agent = {
    state: state({ ...(isWorking ? { run: RUN } : {}), ...(last ? { step: last } : {}) }),
    seat: { rules: { limits: { ...DEFAULT_LIMITS, maxConcurrentCalls: 1_000 } } },
  };
  const object = { store: { steps: ({ after = 0 }) => steps.filter(({ id }) => id > after) } };
  const { body } = (verb as Listed).handle({ object, agent, input: { limit: 500 } } as never) as {
    body: { items: readonly object[] };
  };
  return body.items;
};

/** True where a person is asked now, and where a body of it is at work now. */
const waits = (plan: CallPlan, { answer, settled, state: stands }: Call): boolean =>
  !settled &&
  ((plan.kind === 'tool' && plan.approval !== undefined && !answer) ||
    (plan.kind === 'client' && stands?.is !== 'expired'));
const works = (plan: CallPlan, one: Call): boolean =>
  !one.settled && plan.kind === 'tool' && one.state?.is !== 'cut_off' && !waits(plan, one);

/** Bodies that have begun, by the promise: one which is due counts once it is at work, or was. */
function bodiesOf(plan: CallPlan, one: Call): number {
  if (plan.kind !== 'tool') return 0;
  const isBegun = one.settled ? !one.settled.unrun : works(plan, one) || one.state?.is === 'cut_off';
  return one.bodies - (isBegun ? 0 : 1);
}

it('[A10] the ledger has each call once, as it stands', () => {
  const items = listOf(calls, [replied(1, allCalls)]);
  for (const [
    index,
    {
      plan: [kind, plan, more],
      stands: [name],
    },
  ] of all.entries()) {
    const one = allCalls[index] as Call;
    const expiresAt =
      'expiresAt' in plan ? plan.expiresAt : plan.kind === 'tool' ? plan.approval?.expiresAt : undefined;
    const result = one.settled?.result;
    expect([kind, name, items[index]]).toEqual([
      kind,
      name,
      {
        ...{ toolCallId: one.callId, toolName: one.name, kind, input: one.input, turn: 1, step: 1, ...more },
        ...(waits(plan, one) && expiresAt !== undefined ? { expiresAt } : {}),
        ...(one.answer || one.settled?.answer ? { answer: SHOWN_ANSWER } : {}),
        ...(one.settled ? { startedAt: 8, endedAt: 9 } : { startedAt: 7 }),
        ...(result === undefined ? { status: waits(plan, one) ? 'pending' : 'open' } : {}),
        ...(result?.success === true ? { status: 'succeeded', result: { n: 1 } } : {}),
        ...(result?.success === false ? { status: 'failed', error: shownFailure(ERROR) } : {}),
        bodies: bodiesOf(plan, one),
      },
    ]);
  }
  expect(items).toHaveLength(all.length);
});

it('[A10] of an agent that does not work nothing waits for a person, and no body is at work', () => {
  const open = allCalls.filter(({ settled }) => !settled);
  for (const [index, item] of listOf(calls, [replied(1, open)], false).entries()) {
    const { plan, state: stands } = open[index] as Call;
    const begun = plan.kind === 'tool' && stands?.is === 'cut_off' ? 2 : 0;
    expect(item).toMatchObject({ status: 'open', bodies: begun });
    expect(item).not.toHaveProperty('expiresAt');
  }
});

it('[A43] the log has each model call, each call that was worked on, each hook that failed and each compaction, whole', () => {
  const hookFailures = [
    { hook: 'afterTool', callId: 'c_1', hookId: 'h_1', at: 9, error: ERROR },
    { hook: 'beforeModel', at: 10, error: ERROR },
  ] as const;
  const compactions = [
    [
      { by: 'model', summary: 'Before.', usage: USAGE },
      { attempts: 1, errors: [], usage: USAGE, summary: 'Before.' },
    ],
    [
      { by: 'digest', summary: 'D', error: ERROR },
      { attempts: 0, errors: [shownFailure(ERROR)], summary: 'D' },
    ],
    [
      { by: 'digest', summary: '' },
      { attempts: 0, errors: [] },
    ],
  ] as const;
  const facts = { hookFailures, notes: ['cut'], usage: USAGE, attempt: 2 } as unknown as Partial<RepliedStep>;
  const failures = [shownFailure(failure('model_overloaded'))];
  for (const [given, shown] of compactions) {
    const compaction = { ...given, startedAt: 3, at: 4 } as unknown as NonNullable<Step['compaction']>;
    const first = { ...replied(1, allCalls, facts), compaction };
    const last = { ...STEP, id: 2, number: 2, hookFailures: hookFailures.slice(1), compaction } as Step;
    const at = { turn: 1, step: 1 };
    const end = (step: number) => ({
      ...{ kind: 'compaction', turn: 1, step, startedAt: 3, endedAt: 4, summaryBy: given.by, ...shown },
    });
    const hook = { kind: 'hook', ...at, attempts: 1, errors: [shownFailure(ERROR)] };
    const before = { ...hook, hook: 'beforeModel', startedAt: 10, endedAt: 10 };
    const worked = all.flatMap(({ plan: [kind, plan] }, index) => {
      const one = allCalls[index] as Call;
      if (!one.settled || kind === 'built-in' || kind === 'refused') return [];
      const { result, usage } = one.settled;
      const errors = result.success ? [] : [shownFailure(ERROR)];
      return [
        {
          ...{ kind, ...at, toolCallId: one.callId, toolName: one.name, attempts: bodiesOf(plan, one), errors },
          ...{ startedAt: 8, endedAt: 9, ...(usage ? { usage } : {}) },
        },
      ];
    });
    const asked = { kind: 'model', errors: failures, startedAt: 5, turn: 1 };
    expect(listOf(logs, [first, last])).toEqual([
      {
        ...{
          ...asked,
          step: 1,
          attempts: 2,
          model: 'm',
          endedAt: 7,
          finishReason: 'stop',
          notes: ['cut'],
          usage: USAGE,
        },
      },
      ...worked,
      { ...hook, hook: 'afterTool', hookId: 'h_1', toolCallId: 'c_1', startedAt: 9, endedAt: 9 },
      before,
      end(1),
      { ...asked, step: 2, attempts: 1 },
      { ...before, step: 2 },
      end(2),
    ]);
  }
});
