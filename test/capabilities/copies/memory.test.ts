/** What a copy makes of the rows of a memory, whatever they are. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CopyFacts, copiedMessage, copiedRun, copiedStep, cutAt } from '../../../src/capabilities/copies/memory';
import type { Call, CustomBefore, RepliedStep, Run, Session } from '../../../src/core/agent/state';
import { stepMessages } from '../../../src/core/agent/transcript';
import { childRunId, mintId, runNumberOf } from '../../../src/protocol/ids';
import { NO_USAGE } from '../../../src/protocol/usage';

const OLD = 's_original';
const session: Session = {
  sessionId: 's_copy',
  agentType: 'scout',
  address: '/agents/top/one/sub/scout/bob',
  root: { className: 'Top', name: 'one' },
  depth: 2,
  createdAt: 9,
  tags: [],
};
const facts: CopyFacts = { session, original: OLD, token: 'fresh', at: 9 };

const plans = fc.constantFrom<Call['plan'][]>(
  { kind: 'tool', replay: 'safe', finishWith: false, timeoutMs: 1 },
  { kind: 'client' },
  {
    kind: 'task',
    began: {
      childId: 1,
      task: 1,
      agentType: 'x',
      sessionId: 's_child',
      address: '/agents/top/one/sub/scout/ada/sub/x/1~1',
    },
    awaits: { tasks: [{ childId: 1, task: 1 }], need: 1 },
  },
);

const call = fc.record({ plan: plans, settled: fc.boolean(), spent: fc.boolean() });

const steps = fc
  .record({ id: fc.integer({ min: 1, max: 5_000 }), calls: fc.array(call, { maxLength: 6 }) })
  .map(({ id, calls }): RepliedStep => {
    const token = `old${id}`;
    return {
      phase: 'calls',
      id,
      turn: 1,
      number: 1,
      attempt: 1,
      recoveries: 0,
      token,
      messagesUpTo: 1,
      startedAt: 1,
      failures: [],
      spent: { ...NO_USAGE, modelCalls: id },
      reply: calls.map((_, index) => ({ type: 'tool-call', toolName: 'x', providerId: `p${index}`, index })),
      model: 'm',
      finishReason: 'tool-calls',
      usage: NO_USAGE,
      repliedAt: 2,
      calls: calls.map(({ plan, settled, spent }, index): Call => {
        const result = { success: true as const, value: index };
        const usage = spent ? { usage: { ...NO_USAGE, modelCalls: 1 } } : {};
        const facts = { callId: mintId('call', token, index), providerId: `p${index}`, name: 'x', input: {}, index };
        return {
          ...facts,
          plan,
          bodies: 1,
          ...(settled ? { settled: { result, at: 3, startedAt: 2, ...usage } } : { state: { is: 'cut_off' } }),
        };
      }),
    };
  });

const runs = fc
  .record({ number: fc.integer({ min: 1, max: 99 }), active: fc.boolean(), first: fc.integer({ min: 1, max: 99 }) })
  .map(({ number, active, first }): Run => {
    const base = {
      runId: childRunId(OLD, number),
      epoch: 3,
      turn: number,
      startedAt: 1,
      lineage: {
        chainTurn: first,
        chainRunId: childRunId(OLD, first),
        usageAtChainStart: { ...NO_USAGE, modelCalls: 7 },
        resumedFrom: childRunId(OLD, first),
      },
      task: { childId: 1, task: 4 },
      mailTaken: 5,
    };
    return active
      ? { ...base, phase: 'active', knownToParent: 'working', hooks: { owed: [] } }
      : {
          ...base,
          phase: 'ended',
          endedAt: 4,
          acknowledged: false,
          outcome: { status: 'completed', output: 1, completionReason: 'text' },
        };
  });

describe('a memory that is copied', () => {
  it('[CP27, CP3, CP4] has each call of a step once, under a new id, with one result, and nothing spent', () =>
    fc.assert(
      fc.property(steps, (step) => {
        const copy = copiedStep(step, facts);
        if (copy.phase !== 'calls') throw new Error('It has no calls any more.');
        expect(copy.spent).toEqual(NO_USAGE);
        const messages = stepMessages(copy).filter(({ role }) => role === 'tool');
        expect(messages).toHaveLength(step.calls.length);
        for (const [at, { callId, settled, state, plan }] of copy.calls.entries()) {
          const before = step.calls[at];
          expect(callId).toBe(mintId('call', copy.token, at));
          expect(callId).not.toBe(before?.callId);
          expect([state, settled?.usage]).toEqual([undefined, undefined]);
          if (before?.settled) expect(settled?.result).toEqual(before.settled.result);
          else expect(settled?.result).toMatchObject({ success: false, error: { code: 'interrupted' } });
          expect(JSON.stringify(plan)).not.toContain('s_child');
        }
      }),
    ));

  it('[CP27] gives no two steps the same calls, and no two messages the same id', () =>
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 5_000 }), { minLength: 2, maxLength: 20 }), (ids) => {
        const message = { messageId: 'm_old', role: 'user', content: 'x', from: 'parent', at: 1 } as const;
        const named = ids.map((id) => copiedMessage({ ...message, id }, facts).messageId);
        expect(new Set(named).size).toBe(ids.length);
        expect(named).not.toContain('m_old');
      }),
    ));

  it('[CP27, CP3] has its runs ended, counted over its own session, and owed to nobody', () =>
    fc.assert(
      fc.property(runs, (run) => {
        const copy = copiedRun(run, facts);
        expect(copy).toMatchObject({ phase: 'ended', acknowledged: true, epoch: run.epoch + 1, turn: run.turn });
        expect(runNumberOf(session.sessionId, copy.runId)).toBe(runNumberOf(OLD, run.runId));
        expect(runNumberOf(session.sessionId, copy.lineage.chainRunId)).toBe(run.lineage.chainTurn);
        expect([copy.task, copy.mailTaken, copy.lineage.usageAtChainStart]).toEqual([undefined, undefined, NO_USAGE]);
        expect(JSON.stringify(copy)).not.toContain('original');
      }),
    ));
});

describe('the last step of a memory of one moment', () => {
  const cut = { step: 1, turn: 1, message: 5, inRun: true } as const;

  it('[CP44, CP3] has no reply that came later, and has seen no message that did', () =>
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 9 }), (step, messagesUpTo) => {
        const copy = copiedStep({ ...step, id: 1, messagesUpTo }, { ...facts, cut: { ...cut, unanswered: true } });
        expect(copy).toMatchObject({ phase: 'model', messagesUpTo: Math.min(messagesUpTo, 5) });
        for (const field of ['reply', 'calls', 'usage']) expect(copy).not.toHaveProperty(field);
      }),
    ));

  it('[CP16, CP3] has results of tools that came later, and none of a child', () =>
    fc.assert(
      fc.property(steps, (step) => {
        const open = step.calls.flatMap(({ plan, index }) => (plan.kind === 'task' ? [index] : []));
        const copy = copiedStep({ ...step, id: 1 }, { ...facts, cut: { ...cut, open } });
        if (copy.phase !== 'calls') throw new Error('It has no calls any more.');
        for (const { index, settled } of copy.calls) {
          const before = open.includes(index) ? undefined : step.calls[index]?.settled;
          if (before) expect(settled?.result).toEqual(before.result);
          else expect(settled?.result).toMatchObject({ success: false, error: { code: 'interrupted' } });
        }
      }),
    ));
});

it('[CP40] a run keeps whose turn it is, unless it is cut off before its last step', () => {
  const [ended] = fc.sample(runs, 1);
  if (ended === undefined) throw new Error('No run was made.');
  const sides = { acting: 'side_b', turns: 3, steps: 1 } as const;
  const cut = { step: 1, turn: ended.turn, message: 1, inRun: true };
  expect(copiedRun({ ...ended, sides }, facts).sides).toEqual(sides);
  expect(copiedRun({ ...ended, sides }, { ...facts, cut }).sides).toBeUndefined();
});

describe('where a memory is cut', () => {
  const first = (step: RepliedStep, id: number): RepliedStep => ({ ...step, id, messagesUpTo: id + 10 });
  const settled = (step: RepliedStep): boolean => step.calls.every((call) => call.settled !== undefined);

  it('[CP7] is behind a step all of whose calls have their results, and says whether its run went on', () =>
    fc.assert(
      fc.property(steps, fc.constantFrom(undefined, 1, 2), (step, nextTurn) => {
        const wanted = first(step, 3);
        const next = nextTurn === undefined ? {} : { next: { ...first(step, 4), turn: nextTurn } };
        const cut = cutAt(3, { step: wanted, ...next, session: { ...session, customStep: 3 } });
        if (settled(step)) expect(cut).toEqual({ step: 3, turn: 1, message: 13, inRun: nextTurn === 1 });
        else expect(cut).toMatchObject({ code: 'not_found' });
      }),
    ));

  it('[CP7, CP31] is nowhere for a step that is not there, and has the custom state from before the first change behind it', () => {
    const [step] = fc.sample(steps.filter(settled), 1);
    if (step === undefined) throw new Error('No step was made.');
    expect(cutAt(3, { session })).toMatchObject({ code: 'not_found' });
    expect(cutAt(3, { step: first(step, 4), session })).toMatchObject({ code: 'not_found' });
    const changed = { ...session, customStep: 9 };
    const at = (before: CustomBefore) => cutAt(3, { step: first(step, 3), session: changed, before });
    expect(at({ step: 9, custom: 1, changed: 3 })).toMatchObject({ state: { custom: 1, changed: 3 } });
    expect(at({ step: 4, custom: 1, changed: 0 })).toMatchObject({ state: { custom: 1, changed: 0 } });
  });
});
