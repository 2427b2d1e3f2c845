/** What hooks are told that a run is owed, and what comes of their end: every hook in every state that it may speak of. */
import { expect, it } from 'vitest';
import type { AgentEvent } from '../../../../src/core/agent/events';
import type { AgentState, Outcome, OwedHook } from '../../../../src/core/agent/state';
import type { AnyHook } from '../../../../src/core/definition/hooks/hooks';
import { limitsOf } from '../../../../src/core/definition/limits';
import { performHook } from '../../../../src/engine/perform/perform-hook';
import type { BodyAgent } from '../../../../src/engine/perform/performer';
import { type Failure, failure, OffshootError } from '../../../../src/protocol/errors';
import { NO_USAGE } from '../../../../src/protocol/usage';
import { Machine, planned } from '../../../support/machine';
import { VirtualTime } from '../../../support/virtual-time';

const time = new VirtualTime({ bindings: { KEY: 'v' } });

/** An agent in that state with one hook, and what it is told and reports. */
function hooked(state: AgentState, hook: Partial<AnyHook> & Pick<AnyHook, 'hook'>, takes = true) {
  const told: { payload: unknown; context: Record<string, unknown> }[] = [];
  const events: AgentEvent[] = [];
  const late: unknown[] = [];
  const run: AnyHook['run'] = (payload, context) => {
    told.push({ payload, context: { ...context } });
    return hook.run?.(payload, context);
  };
  const agent = {
    state,
    environment: time.environment,
    seat: {
      definition: { hooks: [{ failRun: false, ...hook, run }] },
      rules: { limits: limitsOf({ hookTimeoutMs: 9 }) },
    },
    apply: (event: AgentEvent) => {
      events.push(event);
      return takes ? { ok: true } : { ok: false, refused: failure('superseded') };
    },
    spentLate: (usage: unknown) => void late.push(usage),
    deps: { files: () => ({}), capabilities: [], store: { messages: () => [] } },
  } as unknown as BodyAgent;
  return { agent, told, events, late };
}

async function perform({ agent }: ReturnType<typeof hooked>, owed: OwedHook, signal = new AbortController().signal) {
  await performHook(agent, { kind: 'hook', id: 'effect', runId: 'r_1', epoch: 3, owed } as never, signal);
}

/** A state, with its run as it says and the session of a child with names. */
function stateOf(
  machine: Machine,
  { ending, resumedFrom }: { ending?: Outcome; resumedFrom?: string } = {},
): AgentState {
  const { run, session } = machine.state;
  if (run?.phase !== 'active') throw new Error('No run is at work.');
  const lineage = resumedFrom === undefined ? run.lineage : { ...run.lineage, resumedFrom };
  return {
    ...machine.state,
    session: {
      ...session,
      tags: ['a'],
      metadata: { m: 1 },
      parent: { sessionId: 's_parent', address: '/agents/boss/one' },
    },
    run: {
      ...run,
      ...{ lineage, startedAt: time.now - 70, caller: { actor: 'ann', traceparent: 'trace' } },
      hooks: { owed: [], ...(ending ? { ending } : {}) },
    },
  };
}

const before = new Machine();
before.start('Hello');
const replied = new Machine();
replied.start();
replied.reply({
  text: 'So:',
  calls: [
    planned.approval(),
    { ...planned.tool('other'), input: { o: 1 } },
    { ...planned.child(), input: { k: 1 } },
    planned.client(),
  ],
  finishReason: 'stop',
  usage: { inputTokens: 5 },
});
replied.approve(0, { edited: true });
const open = stateOf(replied);
replied.settle(0, { success: true, value: 'paid' });
replied.settle(1, { success: false, error: failure('tool_failed') });
replied.childEnded(2, { status: 'completed', output: 'done', completionReason: 'text' });
const settled = stateOf(replied);
const step = replied.step;
const [paid, other, child] = [0, 1, 2].map((index) => replied.call(index));
const began = replied.child(2);
const id = (at: number) => replied.call(at).callId;
const lasted = (call = paid) => (call?.settled ? call.settled.at - call.settled.startedAt : Number.NaN);

const completed = { status: 'completed', output: { o: 1 }, completionReason: 'text' } as const;
const error = failure('model_error', 'No.');
const failed = { status: 'failed', error, failureReason: 'parent_suspended' } as const;
const [interrupted, terminated] = (['interrupted', 'terminated'] as const).map((status) => ({ status, reason: 'So.' }));
const ends: Outcome[] = [
  completed,
  failed,
  { status: 'failed', error },
  ...(interrupted && terminated ? [interrupted, terminated] : []),
] as Outcome[];

const about: readonly Partial<OwedHook>[] = [
  {},
  { callId: id(0) },
  { callId: id(1) },
  { callId: id(2) },
  { callId: id(3) },
  { callId: 'none' },
];
const durationMs = 70;

type Row = { readonly state: AgentState; readonly owed: Omit<OwedHook, 'id'>; readonly payload: unknown };
const rows: Row[] = [
  ...[undefined, { q: 1 }].flatMap((input) =>
    [undefined, 'r_before'].map((resumedFrom): Row => {
      const state = stateOf(before, resumedFrom === undefined ? {} : { resumedFrom });
      const given = { ...(input ? { input } : {}), ...(resumedFrom ? { resumedFrom } : {}) };
      return { state, owed: { hook: 'onAgentStart', ...(input ? { input } : {}) }, payload: { turn: 1, ...given } };
    }),
  ),
  ...[undefined, ...ends].flatMap((ending): Row[] => {
    const state = stateOf(before, ending ? { ending } : {});
    const status = ending?.status;
    const reason = ending?.status === 'failed' && ending.failureReason ? { failureReason: ending.failureReason } : {};
    const own =
      ending?.status === 'completed'
        ? { output: ending.output, durationMs }
        : ending?.status === 'failed'
          ? { error, durationMs, ...reason }
          : undefined;
    const stopped = status === 'interrupted' || status === 'terminated' ? { reason: 'So.', durationMs } : undefined;
    const any = own ?? stopped;
    return [
      { state, owed: { hook: 'onAgentComplete' }, payload: own },
      { state, owed: { hook: 'onAgentFail' }, payload: own },
      { state, owed: { hook: 'onRunSettled' }, payload: any && { status, ...any } },
    ];
  }),
  ...[stateOf(before), open].flatMap((state): Row[] => [
    { state, owed: { hook: 'onStepStart' }, payload: { step: 1 } },
    {
      ...{ state, owed: { hook: 'onStepEnd' } },
      payload: state === open ? { step: 1, text: 'So:', finishReason: 'stop', usage: step.usage } : undefined,
    },
    {
      ...{ state, owed: { hook: 'after_thread_created' } },
      payload: { sessionId: 's_me', agentType: 'top', address: '/agents/top/one', parentSessionId: 's_parent' },
    },
  ]),
  { state: open, owed: { hook: 'after_subagent_created' }, payload: undefined },
  ...[{}, { callId: id(2) }].map((call): Row => {
    const made = { agentType: 'leaf', sessionId: 's_c', address: 'a', name: 'n' };
    const toolCallId = 'callId' in call ? { toolCallId: call.callId } : {};
    return {
      state: open,
      owed: { hook: 'after_subagent_created', child: made, ...call },
      payload: { ...made, ...toolCallId },
    };
  }),
  ...(['before_create_message', 'after_create_message', 'after_update_message'] as const).flatMap((hook): Row[] => {
    const arrived = { messageId: 'm_9', role: 'user', content: 'Late', from: 'caller', number: 3, at: 1 } as const;
    const state = { ...open, inbox: [arrived] } as unknown as AgentState;
    const calls = step.calls.map(({ name, input }) => ({ toolName: name, input }));
    const reply = { messageId: 's_me.1', role: 'assistant', content: 'So:', from: 'agent', calls };
    const { messageId, role, content, from } = arrived;
    return [
      { state, owed: { hook }, payload: { message: reply } },
      { state, owed: { hook, messageId: 'm_9' }, payload: { message: { messageId, role, content, from } } },
      { state, owed: { hook, messageId: 'm_none' }, payload: undefined },
      { state: stateOf(before), owed: { hook }, payload: undefined },
    ];
  }),
  ...about.flatMap((which): Row[] => {
    const at = about.indexOf(which) - 1;
    const call = at >= 0 && at < 4 ? replied.call(at) : undefined;
    const tool = call && { name: call.name, toolCallId: call.callId };
    const input = at === 0 ? { edited: true } : call?.input;
    const result = call?.settled?.result;
    const isChild = at === 2;
    return [
      { state: open, owed: { hook: 'beforeTool', ...which }, payload: tool && { tool, input } },
      { state: settled, owed: { hook: 'beforeTool', ...which }, payload: tool && { tool, input } },
      { state: open, owed: { hook: 'afterTool', ...which }, payload: undefined },
      {
        ...{ state: settled, owed: { hook: 'afterTool', ...which } as const },
        payload: result && { tool, input, result, durationMs: lasted(call) },
      },
      {
        ...{ state: settled, owed: { hook: 'onChildSettled', ...which } as const },
        payload: isChild
          ? {
              ...{ agentType: 'leaf', toolCallId: id(2), sessionId: began.sessionId, address: began.address },
              result: { success: true, value: 'done' },
            }
          : undefined,
      },
      { state: open, owed: { hook: 'onChildSettled', ...which }, payload: undefined },
    ];
  }),
];

it('[HK4, HK16, HK18, SAW34] each hook is told what it speaks of as it is then, and none where that is not there', async () => {
  expect([paid, other, child].every((call) => call?.settled)).toBe(true);
  for (const { state, owed, payload } of rows) {
    const one = hooked(state, { hook: owed.hook });
    await perform(one, { id: 'h_1', ...owed });
    const what = JSON.stringify({
      owed,
      phase: state.step?.phase,
      hooks: state.run?.phase === 'active' && state.run.hooks,
    });
    expect(
      one.told.map((said) => said.payload),
      what,
    ).toEqual(payload === undefined ? [] : [payload]);
    expect(one.events, what).toMatchObject([{ type: 'hook_done', id: 'h_1', epoch: 3 }]);
    expect(Object.keys(one.events[0] ?? {}).sort(), what).toEqual(
      [
        'at',
        'epoch',
        'id',
        'token',
        'type',
        ...(owed.hook === 'before_create_message' && payload ? ['changes'] : []),
      ].sort(),
    );
  }
});

it('[HK18, CL11] a hook has the context of its run, its session and its step', async () => {
  for (const state of [stateOf(before), open]) {
    const one = hooked(state, { hook: 'onRunSettled' });
    const ending = { status: 'interrupted', reason: 'So.' } as const;
    const run = state.run?.phase === 'active' ? { ...state.run, hooks: { owed: [], ending } } : state.run;
    const agent = Object.assign(one.agent, { state: { ...state, ...(run ? { run } : {}) } });
    await perform({ ...one, agent }, { id: 'h_1', hook: 'onRunSettled' });
    expect(one.told[0]?.context).toMatchObject({
      ...{ tags: ['a'], metadata: { m: 1 }, parentSessionId: 's_parent', stepCount: 1, idempotencyKey: 'h_1' },
      ...{ caller: 'ann', traceparent: 'trace', env: { KEY: 'v' } },
      agent: { type: 'top', sessionId: 's_me', address: '/agents/top/one', runId: 'r_1' },
    });
  }
});

it('[HK3, HK9, HK10, US1] the end of a hook says what it gave, spent or failed by, once, and to nobody after a stop', async () => {
  const hooks = { owed: [], ending: completed };
  const state = { ...open, run: { ...open.run, hooks } } as AgentState;
  const usage = { ...NO_USAGE, inputTokens: 2 };
  for (const failRun of [false, true])
    for (const [hook, hookId] of [
      ['onAgentComplete', undefined],
      ['onAgentComplete', 'mine'],
    ] as const)
      for (const throws of [false, true])
        for (const spends of [false, true])
          for (const takes of [true, false])
            for (const stops of [false, true]) {
              const controller = new AbortController();
              const run: AnyHook['run'] = (_payload, context) => {
                if (spends) context.recordUsage({ inputTokens: 2 });
                if (stops) controller.abort();
                if (throws) throw new OffshootError('invalid_input', 'No.');
              };
              const which = hookId === undefined ? {} : { id: hookId };
              const one = hooked(state, { hook, failRun, run, ...which }, takes);
              await perform(one, { id: 'h_1', hook, ...(hookId ? { hookId } : {}) }, controller.signal);
              const what = JSON.stringify({ failRun, hookId, throws, spends, takes, stops });
              expect(one.told, what).toHaveLength(1);
              const said: { error?: Failure } = throws ? { error: failure('invalid_input', 'No.') } : {};
              const done = {
                ...{ type: 'hook_done', id: 'h_1', epoch: 3, ...said },
                ...(throws && failRun ? { failsRun: true } : {}),
                ...(spends ? { usage } : {}),
              };
              const { at: _at, token: _token, ...event } = { at: 0, token: '', ...one.events[0] };
              if (stops) expect(one.events, what).toEqual([]);
              else expect(event, what).toEqual(done);
              expect(one.late, what).toEqual(stops || !takes ? [spends ? usage : NO_USAGE] : []);
            }
  // One of another id is not asked, and one that is gone has ended.
  const other_ = hooked(state, { hook: 'onAgentComplete', id: 'other', failRun: true });
  await perform(other_, { id: 'h_1', hook: 'onAgentComplete', hookId: 'mine' });
  expect([other_.told, other_.events.length]).toEqual([[], 1]);
});
