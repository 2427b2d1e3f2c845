/** The state of an agent, by itself and by the record of its root: whole documents, run by run. */
import { describe, expect, it } from 'vitest';
import type { AgentState, Outcome, Run } from '../../../src/core/agent/state';
import { failure, shownFailure } from '../../../src/protocol/errors';
import { NO_USAGE, type Usage } from '../../../src/protocol/usage';
import { limits } from '../../../src/verbs/reads/overview';
import { agentStanding, listedRun, runView, withBeginnings } from '../../../src/verbs/reads/standing';
import { call, message, RUN, replied, STEP, state } from '../../contract/stores-support';

const ERROR = failure('model_error', 'No.');
const spent = (inputTokens: number, more: Partial<Usage> = {}): Usage => ({ ...NO_USAGE, inputTokens, ...more });

/** Every way in which a run may end, with what is shown of it. */
const ENDS: readonly (readonly [Outcome, object])[] = [
  [
    { status: 'completed', output: { a: 1 }, completionReason: 'finish' },
    { status: 'completed', output: { a: 1 }, completionReason: 'finish' },
  ],
  [
    { status: 'failed', error: ERROR },
    { status: 'failed', error: shownFailure(ERROR) },
  ],
  [
    { status: 'failed', error: ERROR, failureReason: 'why' },
    { status: 'failed', error: shownFailure(ERROR), failureReason: 'why' },
  ],
  [
    { status: 'interrupted', reason: 'r' },
    { status: 'interrupted', reason: 'r' },
  ],
  [
    { status: 'interrupted', reason: 'r', superseded: true },
    { status: 'interrupted', reason: 'r' },
  ],
  [
    { status: 'terminated', reason: 'r' },
    { status: 'terminated', reason: 'r' },
  ],
];
const traceparent = '00-11111111111111111111111111111111-2222222222222222-01';
const resumed = { chainTurn: 2, chainRunId: 'r_2', resumedFrom: 'r_3', usageAtChainStart: spent(5) };
const LINEAGES = [
  [RUN.lineage, { chainTurn: 1, chainRunId: 'r_1', resumes: 3 }],
  [resumed, { chainTurn: 2, chainRunId: 'r_2', resumedFrom: 'r_3', resumes: 2 }],
] as const;
const base = { runId: 'r_4', epoch: 6, turn: 4, startedAt: 5 };

describe('a run', () => {
  it('[A7, A100] is shown with all that is known of it, however it ended', () => {
    for (const [lineage, chain] of LINEAGES)
      for (const caller of [undefined, {}, { traceparent }]) {
        const facts = { ...base, lineage, ...(caller ? { caller } : {}) } as unknown as Run;
        const shown = { ...base, ...chain, ...(caller && 'traceparent' in caller ? { traceparent } : {}) };
        for (const [outcome, end] of ENDS) {
          const run = { ...facts, phase: 'ended', outcome, endedAt: 9, steps: 2 } as Run;
          expect(runView(run, state())).toEqual({ ...shown, ...end, endedAt: 9 });
        }
        const run = { ...facts, phase: 'active' } as Run;
        expect(runView(run, state({ run }))).toEqual({ ...shown, status: 'running' });
        const asks = replied(1, [call(0, { kind: 'client' })], { turn: 4 });
        expect(runView(run, state({ run, step: asks }))).toEqual({ ...shown, status: 'suspended_client_tool' });
      }
  });

  it('[A100] in a list has what it spent itself, its steps, and what it was asked', () => {
    const messages = [message(1, 'First.'), message(2, 'Second.')];
    const store = { messages: ({ after = 0 }) => messages.filter(({ id }) => id > after) };
    const of = (lineage: object, more: object) =>
      ({ ...base, lineage: { ...RUN.lineage, ...lineage }, ...more }) as unknown as Run;
    const ended = { phase: 'ended', outcome: ENDS[0]?.[0], endedAt: 9 };
    const now = state({ spent: spent(100), step: { ...STEP, turn: 4, number: 7 }, run: of({}, { phase: 'active' }) });
    const shown = (run: Run, next?: Run) => {
      const { usage, steps, input } = listedRun(store as never, now, run, next);
      return { input: usage?.inputTokens, steps, asked: input };
    };
    const first = of({ usageAtChainStart: spent(10) }, { ...ended, steps: 3 });
    expect(shown(first)).toEqual({ input: 90, steps: 3, asked: undefined });
    // A run of a chain counts from its own beginning, up to that of the next.
    const chained = { usageAtChainStart: spent(10), usageAtStart: spent(30) };
    expect(shown(of(chained, { ...ended, steps: 3 }))).toMatchObject({ input: 70 });
    expect(shown(first, of(chained, { phase: 'active' }))).toMatchObject({ input: 20 });
    expect(shown(first, of({ usageAtChainStart: spent(55) }, { phase: 'active' }))).toMatchObject({ input: 45 });
    expect(shown(of({}, ended))).toMatchObject({ steps: undefined });
    expect(shown(of({}, { phase: 'active' }))).toMatchObject({ input: 100, steps: 7 });
    for (const [askedAfter, asked] of [
      [0, 'First.'],
      [1, 'Second.'],
      [2, undefined],
    ] as const)
      expect(shown(of({ askedAfter }, { ...ended, steps: 1 }))).toMatchObject({ asked });
  });

  it('[A100] begins in the log where that still has it: a root knows its oldest turn, any other agent is asked by its runs', () => {
    const known = new Map([
      ['r_2', 20],
      ['r_4', 40],
    ]);
    const asked: unknown[] = [];
    const treeOf = (oldestTurn: number | undefined) => ({
      oldestTurn,
      log: {
        beginnings(id: number, runs: readonly string[]) {
          asked.push([id, ...runs]);
          return new Map([...known].filter(([run]) => runs.includes(run)));
        },
      },
    });
    const run = (turn: number, chainTurn = turn) => ({
      ...{ runId: `r_${turn}`, turn, chainRunId: `r_${chainTurn}`, chainTurn, other: turn },
    });
    const runs = [run(1), run(2), run(3, 2), run(4), run(5)];
    const begun = (of: (typeof runs)[number], start?: number, chain?: number) => ({
      ...of,
      ...(start === undefined ? {} : { startSequence: start }),
      ...(chain === undefined ? {} : { chainStartSequence: chain }),
    });
    const starts: readonly (readonly (number | undefined)[])[] = [[], [20, 20], [undefined, 20], [40, 40], []];
    const withStarts = (given: typeof starts) => {
      return runs.map((one, at) => begun(one, given[at]?.[0], given[at]?.[1]));
    };
    const all = withStarts(starts);
    for (const [oldest, kind, expected] of [
      [undefined, 'root', all],
      [2, 'root', all],
      [3, 'root', withStarts([[], [], [], [40, 40], []])],
      [5, 'root', runs],
      [5, 'child', all],
    ] as const)
      expect(withBeginnings(treeOf(oldest) as never, { id: 7, kind } as never, runs)).toEqual(expected);
    expect(asked).toContainEqual([7, 'r_3', 'r_4', 'r_4', 'r_5', 'r_5']);
  });
});

describe('an agent', () => {
  it('[A7, A31] says its names, its run and the step of that run', () => {
    const names = { displayName: 'D', metadata: { a: 1 }, active: 'other' };
    const { session } = state();
    const run = { ...RUN, turn: 4 };
    const bare = { tags: ['a'], usage: NO_USAGE };
    expect(agentStanding(state())).toEqual(bare);
    expect(agentStanding(state({ session: { ...session, ...names }, spent: spent(3) }))).toEqual({
      ...{ tags: ['a'], displayName: 'D', metadata: { a: 1 }, activeAgent: 'other', usage: spent(3) },
    });
    for (const [step, number] of [
      [undefined, 0],
      [{ ...STEP, turn: 3, number: 9 }, 0],
      [{ ...STEP, turn: 4, number: 9 }, 9],
    ] as const) {
      const now = state({ run, ...(step ? { step } : {}) });
      expect(agentStanding(now)).toEqual({ ...bare, run: { ...runView(run, now), step: number } });
    }
  });

  it('[A14] has used of its limits what its current step, its session and its chain of runs have', () => {
    const usedOf = (facts: Partial<AgentState>) => {
      const agent = { state: state(facts), seat: { rules: { limits: { maxSteps: 5 } }, definition: { settings: {} } } };
      const verb = limits as unknown as { handle(context: never): { body: { used: object; limits: object } } };
      const { body } = verb.handle({ agent } as never);
      expect(body.limits).toEqual({ maxSteps: 5 });
      return body.used;
    };
    const none = {
      ...{ maxSteps: 0, maxConcurrentCalls: 0, maxChildren: 0, maxDepth: 1, maxInbox: 0, maxQueuedStarts: 0 },
      ...{ maxTokens: 0, maxCostUsd: 0 },
    };
    expect(usedOf({})).toEqual(none);
    const run = { ...RUN, lineage: { ...RUN.lineage, usageAtChainStart: spent(5, { outputTokens: 1, costUsd: 1 }) } };
    const all = spent(20, { outputTokens: 4, costUsd: 3 });
    const calls = [
      call(0),
      call(1),
      call(2, { kind: 'client' }),
      { ...call(3), settled: { at: 1, startedAt: 1, result: { success: true, value: 1 } } as const },
    ];
    const busy = {
      ...{ run, step: replied(3, calls, { number: 3 }), spent: all, inbox: [message(1), message(2)] },
      ...{ queued: [{}, {}, {}] as never, children: new Map([[1, {}]]) as never },
    };
    const more = { maxChildren: 1, maxInbox: 2, maxQueuedStarts: 3 };
    expect(usedOf(busy)).toEqual({
      ...none,
      ...more,
      maxSteps: 3,
      maxConcurrentCalls: 2,
      maxTokens: 18,
      maxCostUsd: 2,
    });
    // Between two runs nothing is at work, and a step of another turn is none of this run.
    const ended = { ...run, phase: 'ended', outcome: ENDS[0]?.[0], endedAt: 9 } as Run;
    expect(usedOf({ ...busy, run: ended })).toEqual({ ...none, ...more, maxSteps: 3, maxTokens: 18, maxCostUsd: 2 });
    expect(usedOf({ ...busy, run: { ...run, turn: 2 } })).toEqual({ ...none, ...more, maxTokens: 18, maxCostUsd: 2 });
  });
});
