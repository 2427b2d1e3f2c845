/** The plan of a copy, where it begins and when it is refused; each decision with all of its rows. */
import { describe, expect, it } from 'vitest';
import {
  type CopyFacts,
  checkpointOf,
  copiedRun,
  copiedStep,
  cutAt,
  goesOn,
  inheritanceOf,
} from '../../../src/capabilities/copies/memory';
import type { CopyAnswer } from '../../../src/capabilities/copies/messages';
import {
  asItStands,
  COPY_SILENCE_MS,
  lostCopy,
  MADE_ALONE,
  MAX_COPY_BYTES,
  nothingToCopy,
  type PlannedCopy,
  partsOf,
  refusedCopy,
  statusInCopy,
  whyNotWhole,
} from '../../../src/capabilities/copies/plan';
import { ANSWER_MS, CopyProgress, NOT_WANTED, SILENT } from '../../../src/capabilities/copies/progress';
import type { Child } from '../../../src/core/agent/children/child';
import type { AgentState, Call, RepliedStep, Run, Session } from '../../../src/core/agent/state';
import { failure } from '../../../src/protocol/errors';
import { mintId } from '../../../src/protocol/ids';
import { call, RUN, replied, SETTLED, state } from '../../contract/stores-support';
import { VirtualTime } from '../../support/virtual-time';

const { session } = state();
const facts: CopyFacts = {
  session: { ...session, sessionId: 's_copy' },
  original: session.sessionId,
  token: 'fresh',
  at: 99,
};
const task: Call['plan'] = { kind: 'task', awaits: { tasks: [{ childId: 1, task: 1 }], need: 1 } };
const TOOL: Call['plan'] = { kind: 'tool', replay: 'safe', finishWith: false, timeoutMs: 1 };
const settled = (code?: 'superseded' | 'aborted') => ({
  ...SETTLED,
  ...(code ? { result: { success: false as const, error: failure(code) } } : {}),
});
const active = (more: object = {}): Run => ({ ...RUN, ...more, phase: 'active' }) as Run;
const ended = (status: string, more: object = {}): Run =>
  ({ ...RUN, ...more, phase: 'ended', endedAt: 4, acknowledged: true, outcome: { status, reason: 'x' } }) as Run;

describe('the parts of a copy', () => {
  it('[CP5, CP15] an object goes with all below it, and the rest is cloned with the facet that it lies in', () => {
    const one = (id: string, parent: string, via: 'facet' | 'object') =>
      ({ request: { parent }, session: { sessionId: id }, placement: { via } }) as unknown as PlannedCopy;
    const planned = [
      one('a', 'top', 'facet'),
      one('b', 'top', 'object'),
      one('c', 'a', 'object'),
      one('d', 'b', 'facet'),
      one('e', 'c', 'object'),
      one('f', 'd', 'object'),
      one('g', 'a', 'facet'),
    ];
    const { facets, objects } = partsOf(planned);
    const ids = (all: readonly PlannedCopy[]) => all.map(({ session: { sessionId } }) => sessionId);
    expect([ids(facets), objects.map(ids)]).toEqual([
      ['a', 'g'],
      [
        ['b', 'd', 'f'],
        ['c', 'e'],
      ],
    ]);
  });

  it('[CP44, CP3] it begins with the memory of this moment: what is open of it, and how it stands there', () => {
    const at = (run: Run | undefined, step: object | undefined, more: Partial<Session> = {}) =>
      ({ ...state(), run, step, session: { ...session, ...more } }) as unknown as AgentState;
    const calls = [call(0, task), { ...call(1, task), settled: settled() }, call(2, TOOL), call(3, task)];
    const sides = { acting: 'side_a' };
    const step = { ...replied(7, calls), messagesUpTo: 5 };
    const turn = RUN.turn;
    const ROWS: readonly (readonly [AgentState, cut: object])[] = [
      [at(undefined, undefined), { step: 0, turn: 0, message: 0, inRun: false }],
      [at(active(), step), { step: 7, turn, message: 5, inRun: true, open: [0, 3] }],
      [at(active(), { ...step, calls: calls.slice(1, 3) }), { step: 7, turn, message: 5, inRun: true }],
      [
        at(ended('completed', { sides }), step, { active: 'writer' }),
        { step: 7, turn, message: 5, inRun: false, sides, active: 'writer', open: [0, 3] },
      ],
      [at(active(), { ...step, phase: 'model' }), { step: 7, turn, message: 5, inRun: true, unanswered: true }],
    ];
    for (const [original, cut] of ROWS) expect(asItStands(original)).toEqual(cut);
    const statuses = [undefined, active(), ended('completed'), ended('failed'), ended('interrupted')].map((run) =>
      statusInCopy(at(run, undefined)),
    );
    expect(statuses).toEqual(['idle', 'interrupted', 'completed', 'failed', 'interrupted']);
  });

  it('[CP21, CP46, CP20] too many or too much is refused at one past the limit, and what is gone is lost', () => {
    const limits = { maxTreeChildren: 3 };
    const codes = [
      [3, MAX_COPY_BYTES],
      [4, 0],
      [3, MAX_COPY_BYTES + 1],
      [4, MAX_COPY_BYTES + 1],
    ] as const;
    expect(codes.map(([agents, bytes]) => whyNotWhole(agents, bytes, limits)?.code)).toEqual([
      undefined,
      'max_tree_children',
      'payload_too_large',
      'max_tree_children',
    ]);
    expect(lostCopy('x'.repeat(600))).toEqual({ is: 'lost', why: expect.stringMatching(/^.{499,500}$/) });
    expect(nothingToCopy({ address: '/agents/top/one', mayBeNew: true })).toBe(MADE_ALONE);
    expect(nothingToCopy({ address: '/agents/top/one' })).toMatchObject({
      is: 'lost',
      why: expect.stringContaining('/agents/top/one'),
    });
    const [gone, other] = [failure('subagent_lost', 'Gone.'), failure('max_tree_children')];
    expect([gone, other].map(refusedCopy)).toEqual([
      { is: 'lost', why: 'Gone.' },
      { is: 'refused', error: other },
    ]);
  });
});

describe('where a memory is cut', () => {
  const stepOf = (calls: readonly Call[]): RepliedStep => replied(3, calls) as RepliedStep;

  it('[CP7] only behind a step whose calls have all their results, and none of a run that another one replaced', () => {
    const of = (...calls: readonly Call[]) => 'code' in cutAt(3, { step: stepOf(calls), session });
    const [done, failed, replaced] = [settled(), settled('aborted'), settled('superseded')];
    const having = (index: number, result?: typeof done): Call => ({
      ...call(index, TOOL),
      ...(result ? { settled: result } : {}),
    });
    expect([
      of(),
      of(having(0, done), having(1, failed)),
      of(having(0, done), having(1)),
      of(having(0, done), having(1, replaced)),
    ]).toEqual([false, false, true, true]);
    const { reply: _reply, ...rest } = stepOf([]);
    expect(cutAt(3, { step: { ...rest, phase: 'model' } as never, session })).toMatchObject({ code: 'not_found' });
    expect([cutAt(2, { step: stepOf([]), session }), cutAt(3, { session })]).toMatchObject([
      { code: 'not_found' },
      { code: 'not_found' },
    ]);
    const next = (turn: number) => ({ ...stepOf([]), id: 4, turn });
    const { turn } = stepOf([]);
    const inRun = [undefined, next(turn), next(turn + 1)].map((one) =>
      cutAt(3, { step: stepOf([]), session, ...(one ? { next: one } : {}) }),
    );
    expect(inRun).toMatchObject([{ inRun: false }, { inRun: true }, { inRun: false }]);
    expect(['s_mine.7', 's_other.7', 's_mine.0', 'x'].map((one) => checkpointOf({ sessionId: 's_mine' }, one))).toEqual(
      [7, undefined, undefined, undefined],
    );
  });

  it('[CP11, CP35] the copy continues a run that had not ended there, or was interrupted', () => {
    const cut = (turn: number, inRun: boolean) => ({ step: 1, turn, message: 1, inRun });
    const { turn } = RUN;
    for (const run of [active(), ended('completed'), ended('failed'), ended('terminated'), ended('interrupted')]) {
      const itself = run.phase === 'active' || run.outcome.status === 'interrupted';
      for (const inCut of [undefined, cut(turn, false), cut(turn + 1, true)]) expect(goesOn(run, inCut)).toBe(itself);
      expect(goesOn(run, cut(turn, true))).toBe(true);
    }
  });

  it('[CP3, CP7] a run that is cut has ended for its copy, and so has one at work; every other end stays as it was', () => {
    const closing = { by: 'x' };
    const sides = { acting: 'side_a' };
    const other = { acting: 'side_b' };
    const outcome = {
      status: 'interrupted',
      reason: 'The run belongs to the agent that was copied.',
      superseded: true,
    };
    const { turn } = RUN;
    const cut = (of: number, inRun = true) => ({
      cut: { step: 1, turn: of, message: 1, inRun, sides: other } as never,
    });
    const rows = [
      [
        ended('completed', { closing, sides, steps: 3 }),
        {},
        { endedAt: 4, outcome: { status: 'completed', reason: 'x' }, sides, closing, steps: 3 },
      ],
      [
        ended('completed', { closing, sides, steps: 3 }),
        cut(turn + 1),
        { endedAt: 4, outcome: { status: 'completed', reason: 'x' }, sides, closing, steps: 3 },
      ],
      [
        ended('completed', { closing, sides, steps: 3 }),
        cut(turn, false),
        { endedAt: 4, outcome: { status: 'completed', reason: 'x' }, sides, closing, steps: 3 },
      ],
      [ended('completed', { closing, sides, steps: 3 }), cut(turn), { endedAt: 99, outcome, sides: other }],
      [active({ closing, sides }), {}, { endedAt: 99, outcome, sides, closing }],
      [active({ closing }), cut(turn), { endedAt: 99, outcome, sides: other }],
      [active(), {}, { endedAt: 99, outcome }],
    ] as const;
    for (const [run, where, is] of rows) {
      const {
        runId: _id,
        epoch,
        turn: at,
        startedAt,
        lineage: _lineage,
        caller: _caller,
        phase,
        acknowledged,
        ...rest
      } = copiedRun(run, { ...facts, ...where }) as Run & { phase: 'ended' };
      expect([epoch, at, startedAt, phase, acknowledged]).toEqual([RUN.epoch + 1, turn, RUN.startedAt, 'ended', true]);
      expect(rest).toEqual(is);
    }
  });

  it('[CP27] a run of a root is named anew, apart from each other one', () => {
    const ids = ['r_abc', 'r_abd'].map((runId) => copiedRun({ ...ended('completed'), runId }, facts).runId);
    expect(ids).toEqual([`${mintId('run', 'fresh')}_abc`, `${mintId('run', 'fresh')}_abd`]);
  });

  it('[CP3, CP4] a call without a result has one of the copy, and awaits nobody; a step without a reply asks again', () => {
    const step = copiedStep(
      { ...stepOf([call(0, task), { ...call(1, task), settled: settled() }]), messagesUpTo: 9 },
      facts,
    ) as RepliedStep;
    const awaits = { tasks: [], need: 0 };
    expect(step.calls.map(({ plan }) => plan)).toEqual([
      { kind: 'task', awaits },
      { kind: 'task', awaits },
    ]);
    expect(step.calls[0]?.settled).toMatchObject({ at: 99, startedAt: 99, result: { success: false } });
    const at = (more: object, id = 3) =>
      copiedStep(
        {
          ...stepOf([
            { ...call(0, task), settled: settled() },
            { ...call(1, TOOL), settled: settled() },
          ]),
          messagesUpTo: 9,
        },
        {
          ...facts,
          cut: { step: id, turn: 1, message: 4, inRun: true, ...more },
        },
      );
    expect(at({ unanswered: true })).toMatchObject({ id: 3, phase: 'model', messagesUpTo: 4, notBefore: 0 });
    expect(at({ unanswered: true })).not.toHaveProperty('reply');
    expect(at({ unanswered: true, message: 12 })).toMatchObject({ messagesUpTo: 9 });
    const codes = (copy: ReturnType<typeof at>) =>
      copy.phase === 'calls' ? copy.calls.map(({ settled: one }) => one?.result.success) : [];
    // Of the step that it is cut behind, what was open then has no result of later.
    expect([codes(at({ open: [0] })), codes(at({ open: [] })), codes(at({})), codes(at({ open: [0] }, 4))]).toEqual([
      [false, true],
      [true, true],
      [true, true],
      [true, true],
    ]);
  });

  it('[CP27] what the copy takes over is named by its own session, with its children and its end where it has some', () => {
    const children = [{ childId: 1 }] as unknown as readonly Child[];
    const cut = { step: 1, turn: 1, message: 1, inRun: false };
    const of = (more: Partial<CopyFacts>) => {
      const { run: _run, step: _step, message: _message, ...rest } = inheritanceOf({ ...facts, ...more });
      return rest;
    };
    expect(of({})).toEqual({ session: facts.session });
    expect(of({ children, cut })).toEqual({ session: facts.session, children, end: cut });
  });
});

describe('a copy on its way', () => {
  const progress = (answers: () => Promise<CopyAnswer>, stopped?: AbortSignal) => {
    const time = new VirtualTime();
    const asked: string[] = [];
    const one = new CopyProgress<number>(
      time.environment,
      ({ to }, { op }) => {
        asked.push(`${op} ${to}`);
        return answers();
      },
      stopped,
    );
    return { time, asked, one };
  };
  const never = new Promise<never>(() => undefined);
  const heard =
    (body: unknown): (() => Promise<CopyAnswer>) =>
    async () =>
      ({ ok: true, body }) as CopyAnswer;

  it('[CP19, CP20, CP52] ends with what came of it, with its stop, or where nothing comes, and leaves nothing behind', async () => {
    const there = { ok: true, body: 1 } as unknown as CopyAnswer;
    for (const [sends, stopMs, expected] of [
      [() => Promise.resolve(there), undefined, there],
      [() => never, 5, NOT_WANTED],
      [() => never, 0, NOT_WANTED],
      [() => never, undefined, SILENT],
    ] as const) {
      const stop = new AbortController();
      if (stopMs === 0) stop.abort();
      const { time, one } = progress(heard(0), stop.signal);
      if (stopMs) time.environment.timer(stopMs, () => stop.abort());
      const began = time.now;
      let came: unknown;
      const ends = one.until(sends).then((answer) => {
        came = answer;
      });
      await time.until(() => came !== undefined);
      await ends;
      expect([came, one.over.aborted]).toEqual([expected, true]);
      if (expected === SILENT) expect(time.now - began).toBe(COPY_SILENCE_MS);
      await time.settle();
      expect(time.pending).toBe(0);
    }
    const failing = progress(heard(0));
    await expect(failing.one.until(() => Promise.reject(new Error('It broke.')))).rejects.toThrow('It broke.');
    expect(failing.one.over.aborted).toBe(true);
  });

  it('[CP24] each place to which memory comes is asked, and no other; one that does not answer has heard nothing', async () => {
    const refusal = { ok: false, error: failure('internal') } as const;
    for (const [answers, atMost] of [
      [heard('x'), COPY_SILENCE_MS],
      [async () => refusal, COPY_SILENCE_MS],
      [() => Promise.reject(new Error('It is away.')), COPY_SILENCE_MS],
      [() => never, COPY_SILENCE_MS + ANSWER_MS],
      [heard(COPY_SILENCE_MS), COPY_SILENCE_MS],
    ] as const) {
      const { time, asked, one } = progress(answers);
      await one.follow({ to: 1, way: [] }, Promise.resolve());
      await one.follow({ to: 2, way: [] }, Promise.reject(new Error('x'))).catch(() => undefined);
      void one.follow({ to: 3, way: [] }, never);
      const began = time.now;
      let came: unknown;
      void one
        .until(() => never)
        .then((answer) => {
          came = answer;
        });
      await time.until(() => came !== undefined);
      expect([came, time.now - began, asked]).toEqual([SILENT, atMost, ['heard 3']]);
    }
  });
});
