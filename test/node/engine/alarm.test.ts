/** The root's alarm: when each fact of the record lets it ring, and whom it sends what then. */
import { expect, it } from 'vitest';
import { keyOf } from '../../../src/core/agent/children/child';
import { overdue } from '../../../src/core/tree/clocks';
import type { ChildNode, RemovedNode, RootNode, TreeNode } from '../../../src/core/tree/node';
import { TreeIndex } from '../../../src/core/tree/tree-index';
import { WakeUps } from '../../../src/engine/root/alarm';
import type { TreeRecord } from '../../../src/engine/root/record';
import { type AgentAnswer, type AgentMessage, NEWS, strayChild } from '../../../src/engine/tree-messages';
import { failure } from '../../../src/protocol/errors';
import { childNode, NO_FACTS, rootNode, STANDS } from '../../support/nodes';

const NOW = 1_000_000;
const BEAT = NOW + 5_000;
const LATER = NOW + 60_000;
const { ended } = STANDS;

/** Facts beside the agents. */
interface Facts {
  readonly unerased?: readonly Pick<RemovedNode, 'tries'>[];
  readonly owes?: true;
  readonly sweeping?: true;
  readonly expiry?: number;
  readonly expired?: readonly number[];
}

/** A root's alarm at that moment. */
function alarmOf(nodes: readonly TreeNode[], facts: Facts = {}) {
  let now = NOW;
  const armed: (number | undefined)[] = [];
  const sent: {
    readonly to: string;
    readonly message: AgentMessage;
    answer(said: AgentAnswer | Error): Promise<void>;
  }[] = [];
  const did: string[] = [];
  const reported: string[] = [];
  const timers: (() => void)[] = [];
  const index = new TreeIndex([...nodes]);
  const deps = {
    environment: {
      now: () => now,
      timer: (_ms: number, then: () => void) => timers.push(then),
      report: (problem: string) => void reported.push(problem),
    },
    arm: (time: number | undefined) => void armed.push(time),
    isSweeping: () => facts.sweeping === true,
    send: (to: string, message: AgentMessage) =>
      new Promise<AgentAnswer>((resolve, reject) => {
        const answer = async (said: AgentAnswer | Error) => {
          if (said instanceof Error) reject(said);
          else resolve(said);
          for (let turn = 0; turn < 5; turn++) await Promise.resolve();
        };
        sent.push({ to, message, answer });
      }),
  };
  const waiting = { nextExpiry: () => facts.expiry, expired: () => new Set(facts.expired) };
  const { pendingRemovals } = index.root()?.top ?? { pendingRemovals: [] };
  const record = { index, deps, waiting, pendingRemovals, unerased: facts.unerased ?? [] } as unknown as TreeRecord;
  const wakeUps = new WakeUps(record, {
    owesReport: () => facts.owes === true,
    drop: ({ sessionId }) => void did.push(`drop ${sessionId}`),
    delivered: (sessionId) => void did.push(`delivered ${sessionId}`),
    rescheduled: ({ sessionId }, { effectAt }) => void did.push(`rescheduled ${sessionId} ${effectAt}`),
  });
  return {
    ...{ index, wakeUps, sent, did, reported },
    /** The agents that are asked once those who do nothing by themselves are looked for. */
    asks(): string[] {
      sent.length = 0;
      for (const timer of timers.splice(0)) timer();
      return sent.map(({ to, message }) => `${to.slice('/agents/top/'.length)} ${message.type}`).sort();
    },
    /** When the alarm is to ring; undefined where it is not set. */
    at(): number | undefined {
      armed.length = 0;
      wakeUps.arm();
      expect(armed.length).toBeLessThanOrEqual(1);
      return armed[0];
    },
    /** The number of times that it has been set or taken back. */
    sets: () => armed.length,
    /** The alarm rings so late: who is sent what. */
    rings(ms = 0): string[] {
      now += ms;
      sent.length = 0;
      wakeUps.alarm();
      return sent.map(({ to, message }) => `${to.slice('/agents/top/'.length)} ${message.type}`).sort();
    },
  };
}

const rests = (facts: Partial<RootNode> = {}): RootNode => rootNode({ schedule: ended, status: 'completed', ...facts });
const done = (id: number, facts: Parameters<typeof childNode>[1] = {}): ChildNode =>
  childNode(id, { schedule: ended, status: 'completed', ...facts });
const top = (facts: Partial<RootNode['top']>) => rests({ top: { ...NO_FACTS, ...facts } });
const tries = (nextAt: number) => ({ since: 1, attempts: 1, nextAt });
const working = (deadline: number) => ({ schedule: { phase: 'working', deadline } }) as const;
const awaits = (until: number) => [{ tasks: [], need: 0, until }];

it('[RT2, CB4, OP13] rings with what is due next of each kind, at the beat where that is not known, and else never', () => {
  const ROWS: readonly (readonly [what: string, nodes: readonly TreeNode[], facts: Facts, at: number | undefined])[] = [
    ['nothing', [rests(), done(2)], {}, undefined],
    ['one at work', [rests(), childNode(2)], {}, BEAT],
    ['one that waits for a person', [rests(), childNode(2, { schedule: STANDS.waiting })], {}, undefined],
    ['a deadline before the beat', [rests(), childNode(2, working(NOW + 7))], {}, NOW + 7],
    ['a time that is up already', [rests(), childNode(2, working(NOW))], {}, BEAT],
    ['an end that may not have arrived', [rests(), done(2, { undelivered: true })], {}, BEAT],
    ['a report', [rests()], { owes: true }, BEAT],
    ['rows that are swept', [rests()], { sweeping: true }, BEAT],
    ['a deletion', [top({ removing: {} })], {}, BEAT],
    ['a removal that was not tried', [top({ pendingRemovals: ['/a'] })], {}, BEAT],
    ['one to be tried', [top({ pendingRemovals: ['/a'], removalTries: { '/a': tries(LATER) } })], {}, LATER],
    ['one that is being tried', [top({ pendingRemovals: ['/a'], removalTries: { '/a': tries(NOW) } })], {}, BEAT],
    ['an object that was not tried', [rests()], { unerased: [{}] }, BEAT],
    ['one to be tried', [rests()], { unerased: [{ tries: tries(LATER) }, { tries: tries(LATER + 1) }] }, LATER],
    ['one that is being tried', [rests()], { unerased: [{ tries: tries(NOW) }] }, BEAT],
    ['an answer with a time', [rests()], { expiry: LATER }, LATER],
    ['a wait with a time', [rests(), childNode(2, { schedule: STANDS.waiting, openTasks: awaits(LATER) })], {}, LATER],
    ['one that is over', [rests(), childNode(2, { schedule: STANDS.waiting, openTasks: awaits(7) })], {}, NOW],
    ['an effect', [rests(), done(2, { effectAt: LATER })], {}, LATER],
    ['one that is due', [rests(), done(2, { effectAt: 7 })], {}, NOW],
    ['an effect in a deletion', [rests({ top: { ...NO_FACTS, removing: {} } }), done(2, { effectAt: 7 })], {}, BEAT],
    ['one below who was ended for good', [rests({ status: 'terminated' }), childNode(2)], {}, NOW],
    [
      'the same in a deletion',
      [rests({ status: 'terminated', top: { ...NO_FACTS, removing: {} } }), childNode(2)],
      {},
      BEAT,
    ],
  ];
  for (const [what, nodes, facts, at] of ROWS) expect(alarmOf(nodes, facts).at(), what).toBe(at);
  // The earliest of all.
  const all = [
    rests(),
    done(2, { effectAt: LATER + 2 }),
    childNode(3, { schedule: STANDS.waiting, openTasks: awaits(LATER + 1) }),
  ];
  expect(alarmOf(all, { expiry: LATER }).at()).toBe(LATER);
  expect(alarmOf(all, { expiry: LATER + 9 }).at()).toBe(LATER + 1);
  expect(alarmOf([...all.slice(0, 2)], { expiry: LATER + 9 }).at()).toBe(LATER + 2);
});

it('[RT2] is set anew only for an earlier time, or where a beat is not needed any more', () => {
  const { index, at } = alarmOf([rests(), done(2, { effectAt: LATER })]);
  expect([at(), at()]).toEqual([LATER, undefined]);
  index.set(done(2, { effectAt: LATER + 1 }));
  // It rings in vain, and is set again then.
  expect(at()).toBeUndefined();
  index.set(done(2, { effectAt: LATER - 1 }));
  expect(at()).toBe(LATER - 1);
  index.set(childNode(3));
  expect([at(), at()]).toEqual([BEAT, undefined]);
  index.set(done(3));
  expect(at()).toBe(LATER - 1);
  index.set(done(2));
  const { sets } = alarmOf([rests()]);
  expect(sets()).toBe(0);
});

it('[RT2] is taken back once, where nothing is due any more', () => {
  const { index, at, sets } = alarmOf([rests(), childNode(2)]);
  expect(at()).toBe(BEAT);
  index.set(done(2));
  expect([at(), sets()]).toEqual([undefined, 1]);
  expect([at(), sets()]).toEqual([undefined, 0]);
});

it('[TM2, RT3, RT7, RT8, CB4, CO32] sends each agent what its part of the record asks for', () => {
  const gone = { schedule: { ...ended, end: { by: 'abandoned', at: 1 } }, status: 'failed' } as const;
  const ROWS: readonly (readonly [what: string, nodes: readonly TreeNode[], facts: Facts, sent: readonly string[]])[] =
    [
      ['nothing', [rests(), done(2)], {}, []],
      ['a run past its time', [rootNode(working(NOW))], {}, ['one stop', 'one wake']],
      ['a run before it', [rootNode(working(NOW + 1))], {}, ['one wake']],
      ['a task past its time', [rests(), childNode(2, working(NOW))], {}, ['one child_stop', 'one/sub/leaf/2~1 wake']],
      ['an end that may not have arrived', [rests(), done(2, { undelivered: true })], {}, ['one/sub/leaf/2~1 wake']],
      ['the same of one given up', [rests(), childNode(2, { ...gone, undelivered: true })], {}, ['one child_settled']],
      ['the same of one at work', [rests(), childNode(2, { undelivered: true })], {}, ['one/sub/leaf/2~1 wake']],
      ['an effect', [rests(), done(2, { effectAt: NOW })], {}, ['one/sub/leaf/2~1 effects_due']],
      ['one that is not due', [rests(), done(2, { effectAt: NOW + 1 })], {}, []],
      [
        'an answer',
        [rests(), childNode(2, { schedule: STANDS.waiting })],
        { expired: [2] },
        ['one/sub/leaf/2~1 expire'],
      ],
      [
        'a wait',
        [rests(), childNode(2, { schedule: STANDS.waiting, openTasks: [...awaits(7), ...awaits(8)] })],
        {},
        ['one/sub/leaf/2~1 expire'],
      ],
      ['one that lasts', [rests(), childNode(2, { schedule: STANDS.waiting, openTasks: awaits(NOW + 1) })], {}, []],
      ['a stray', [rests({ status: 'terminated' }), childNode(2)], {}, ['one child_stop', 'one/sub/leaf/2~1 wake']],
    ];
  for (const [what, nodes, facts, expected] of ROWS) {
    const { rings, sent, index } = alarmOf(nodes, facts);
    expect(rings(), what).toEqual(expected);
    const stop = sent.find(({ message }) => message.type === 'child_stop')?.message;
    const isLate = overdue(index, NOW).length > 0;
    if (stop)
      expect(stop).toMatchObject(
        isLate ? { error: { code: 'child_timeout' } } : { error: { code: 'terminated' }, verb: 'terminate' },
      );
  }
});

it('[RT3, B10] wakes who has said nothing for 2.5 s, and nobody who rests up to a time that has not come', () => {
  const tree = () => alarmOf([rests(), childNode(2)]);
  for (const [silentMs, woken] of [
    [2_499, 0],
    [2_500, 1],
  ] as const) {
    const { wakeUps, rings } = tree();
    wakeUps.heard('s_2', NOW);
    expect(rings(silentMs)).toHaveLength(woken);
  }
  const { wakeUps, rings, at } = tree();
  wakeUps.heard('s_2', NOW, LATER);
  expect(at()).toBe(LATER);
  expect(rings(59_999)).toEqual([]);
  expect(rings(1)).toEqual(['one/sub/leaf/2~1 wake']);
  // What it says since ends its rest.
  wakeUps.heard('s_2', LATER);
  expect(rings(2_499)).toEqual([]);
});

it('[RT7] a child whose end was not heard by its parent is woken when it is silent, until it was or says so', async () => {
  const { wakeUps, rings, at, sent } = alarmOf([rests(), done(2)]);
  wakeUps.heard('s_2', NOW);
  wakeUps.ended('s_2');
  expect(at()).toBe(BEAT);
  expect(rings(2_499)).toEqual([]);
  expect(rings(1)).toEqual(['one/sub/leaf/2~1 wake']);
  await sent[0]?.answer({ answer: 'done' });
  expect(rings(5_000)).toEqual([]);
  wakeUps.ended('s_2');
  wakeUps.told('s_2');
  expect([rings(5_000), at()]).toEqual([[], undefined]);
  // One that works again is woken as such.
  const again = alarmOf([rests(), childNode(2)]);
  again.wakeUps.ended('s_2');
  expect(again.rings()).toEqual(['one/sub/leaf/2~1 wake']);
});

it('[CB4, CB5] an effect that was told is told again with each beat, and is due when its agent says so', async () => {
  const { rings, at, sent, did, index } = alarmOf([rests(), done(2, { effectAt: NOW }), done(3, { effectAt: LATER })]);
  expect(rings()).toEqual(['one/sub/leaf/2~1 effects_due']);
  expect(at()).toBe(BEAT);
  await sent[0]?.answer({ answer: 'done', effectAt: NOW });
  await sent[0]?.answer({
    answer: 'refused',
    error: { code: 'internal', category: 'x', message: 'x', retryable: false },
  } as AgentAnswer);
  expect(did).toEqual([]);
  for (const [said, is] of [
    [{ answer: 'done', effectAt: 7 }, '7'],
    [{ answer: 'absent' }, 'undefined'],
  ] as const) {
    rings();
    await sent[0]?.answer(said);
    expect(did.splice(0)).toEqual([`rescheduled s_2 ${is}`]);
  }
  // What it has told meanwhile is newer than its answer.
  rings();
  index.set(done(2, { effectAt: NOW + 1 }));
  await sent[0]?.answer({ answer: 'done', effectAt: 7 });
  expect(did).toEqual([]);
});

it('[RT3, RT8] one that is gone is reported to its parent as lost where it had begun, and is begun again where not', async () => {
  const ROWS = [
    ['had begun', { lastChunk: 1 }, { answer: 'done' }, 'child_settled', ['drop s_2', 'delivered s_2']],
    ['had not', { lastChunk: 0 }, { answer: 'done' }, 'admitted', []],
    ['had not, and its parent is gone', { lastChunk: 0 }, { answer: 'absent' }, 'admitted', ['drop s_2']],
  ] as const;
  for (const [what, facts, heard, type, expected] of ROWS) {
    const { rings, sent, did } = alarmOf([rests(), childNode(2, facts)]);
    rings();
    await sent[0]?.answer({ answer: 'absent' });
    expect(sent[1], what).toMatchObject({ to: rests().address, message: { type } });
    await sent[1]?.answer(heard);
    expect(did, what).toEqual(expected);
  }
  const { rings, sent, did } = alarmOf([
    rests(),
    childNode(2, { schedule: { ...ended, end: { by: 'abandoned', at: 1 } }, undelivered: true }),
  ]);
  rings();
  await sent[0]?.answer({ answer: 'done' });
  expect(did).toEqual(['delivered s_2']);
  // A root has nobody who could be asked.
  const alone = alarmOf([rootNode()]);
  alone.rings();
  await alone.sent[0]?.answer({ answer: 'absent' });
  expect([alone.sent.length, alone.did]).toEqual([1, []]);
  // What it had for its parent has arrived, where it says so at rest.
  for (const [node, expected2] of [
    [done(2, { undelivered: true }), ['delivered s_2']],
    [childNode(2), []],
  ] as const) {
    const woken = alarmOf([rests(), node]);
    woken.rings();
    await woken.sent[0]?.answer({ answer: 'done', told: true });
    expect(woken.did).toEqual(expected2);
  }
});

it('[B10, RT2] one that rests lets all others at work be asked once, and the alarm comes with the first rest that ends', async () => {
  const { wakeUps, asks, at, sent, index } = alarmOf([
    rests(),
    childNode(2),
    childNode(3),
    childNode(4, { schedule: STANDS.waiting }),
  ]);
  wakeUps.heard('s_2', NOW, LATER);
  wakeUps.heard('s_2', NOW, LATER + 1);
  expect(at()).toBe(BEAT);
  expect(asks()).toEqual(['one/sub/leaf/3~1 wake']);
  expect(asks()).toEqual([]);
  wakeUps.heard('s_2', NOW, LATER + 1);
  expect(asks()).toEqual(['one/sub/leaf/3~1 wake']);
  await sent[0]?.answer({ answer: 'done', effectAt: LATER });
  expect([at(), index.at('working').size]).toEqual([undefined, 2]);
  const first = alarmOf([rests(), childNode(2), childNode(3)]);
  for (const [session, until] of [
    ['s_3', LATER],
    ['s_2', LATER + 1],
  ] as const)
    first.wakeUps.heard(session, NOW, until);
  expect(first.at()).toBe(LATER);
  // A rest whose time has come is none.
  const past = alarmOf([rests(), childNode(2), childNode(3)]);
  for (const [session, until] of [
    ['s_2', LATER],
    ['s_3', NOW],
  ] as const)
    past.wakeUps.heard(session, NOW, until);
  expect(past.at()).toBe(BEAT);
  // Those who all wait for a message have nobody who continues by itself.
  const news = alarmOf([rests(), childNode(2)]);
  news.wakeUps.heard('s_2', NOW, NEWS);
  expect(news.at()).toBe(BEAT);
  expect(news.rings()).toEqual(['one/sub/leaf/2~1 wake']);
});

it('[B10, RT2] an answer to a wake counts as a rest of who works, and nothing that is old does', async () => {
  const tree = () => alarmOf([rests(), childNode(2), childNode(3)]);
  const woken = async (said: AgentAnswer | Error, meanwhile?: (tree: ReturnType<typeof alarmOf>) => void) => {
    const one = tree();
    one.wakeUps.heard('s_3', NOW, LATER + 5);
    one.asks();
    meanwhile?.(one);
    await one.sent[0]?.answer(said);
    return [one.at(), one.reported.length];
  };
  const rested: AgentAnswer = { answer: 'done', effectAt: LATER };
  // Its answer sets the alarm itself: nothing is to be set again.
  expect(await woken(rested)).toEqual([undefined, 0]);
  expect(await woken({ answer: 'done' })).toEqual([undefined, 0]);
  expect(await woken(new Error('It is away.'))).toEqual([BEAT, 1]);
  expect(await woken(rested, ({ wakeUps }) => wakeUps.heard('s_2', NOW))).toEqual([BEAT, 0]);
  expect(await woken(rested, ({ wakeUps }) => wakeUps.disturbed('s_2'))).toEqual([BEAT, 0]);
  expect(await woken(rested, ({ index }) => index.set(done(2)))).toEqual([undefined, 0]);
  // A rest up to a message alone counts only beside one up to a time.
  const one = tree();
  one.rings();
  for (const { answer } of one.sent) await answer({ answer: 'done', effectAt: NEWS });
  expect(one.at()).toBe(BEAT);
  expect(one.rings()).toHaveLength(2);
  // A message to it ends such a rest, and sets the alarm.
  const other = tree();
  other.wakeUps.heard('s_3', NOW, LATER);
  other.wakeUps.heard('s_2', NOW, NEWS);
  expect(other.at()).toBe(LATER);
  other.wakeUps.disturbed('s_3');
  expect(other.at()).toBeUndefined();
  other.wakeUps.disturbed('s_2');
  expect(other.sets()).toBe(1);
});

it('[RT3] what could not be sent is told, and is sent again with the next alarm', async () => {
  const nodes = [rests(), done(2, { effectAt: NOW }), childNode(3, working(NOW)), done(4, { undelivered: true })];
  const { rings, sent, reported, at } = alarmOf([
    ...nodes,
    childNode(5, { ...done(5), schedule: { ...ended, end: { by: 'abandoned', at: 1 } }, undelivered: true }),
  ]);
  const first = rings();
  for (const { answer } of sent) await answer(new Error('It is away.'));
  expect(reported).toHaveLength(first.length);
  for (const problem of reported) expect(problem).toMatch(/agents\/top\/one.*the alarm tries again\./);
  expect(at()).toBe(BEAT);
  expect(rings(5_000)).toEqual(first);
});

it('[RT2, CO32] who was sent something by the alarm is due again with the next beat, and not at once', () => {
  const due: readonly (readonly TreeNode[])[] = [
    [rests(), childNode(2, { schedule: STANDS.waiting, openTasks: awaits(NOW) })],
    [rests({ status: 'terminated' }), childNode(2, { schedule: STANDS.waiting })],
    [rests(), done(2, { effectAt: NOW })],
  ];
  for (const nodes of due) {
    const { at, rings } = alarmOf(nodes);
    expect(at()).toBe(NOW);
    const first = rings();
    expect([at(), rings(5_000)]).toEqual([BEAT, first]);
  }
  // A further one that is due is, at once.
  const { index, at, rings } = alarmOf(due[2] ?? []);
  rings();
  index.set(done(3, { effectAt: NOW }));
  expect(at()).toBe(NOW);
});

it('[CO32, SAQ13] a stray hears why nobody above it goes on', () => {
  const below = childNode(3, { parentId: 2, depth: 3, schedule: STANDS.waiting });
  for (const [parent, why] of [
    [done(2), 'past'],
    [done(2, { status: 'terminated' }), 'ended'],
  ] as const) {
    const { rings, sent } = alarmOf([rests(), parent, below]);
    rings();
    expect(sent.map(({ message }) => message)).toEqual([strayChild(keyOf(below), why)]);
  }
});

it('[RT3, RT7] what is not said by an answer, or is old by then, changes nothing', async () => {
  const had = done(2, { undelivered: true });
  const answered = async (answer: AgentAnswer) => {
    const tree = alarmOf([rests(), had]);
    tree.rings();
    await tree.sent[0]?.answer(answer);
    return tree.did;
  };
  const refusal = { answer: 'refused', error: failure('internal') } as AgentAnswer;
  for (const answer of [{ answer: 'done' }, refusal] as const) expect(await answered(answer)).toEqual([]);
  // One that has begun meanwhile is not dropped, although its parent is gone.
  const unbegun = childNode(2, { lastChunk: 0 });
  const { rings, sent, did, index } = alarmOf([rests(), unbegun]);
  rings();
  await sent[0]?.answer({ answer: 'absent' });
  expect(sent[1]?.message).toEqual({ type: 'admitted', childIds: [unbegun.childId] });
  index.set({ ...unbegun, lastChunk: 1 });
  await sent[1]?.answer({ answer: 'absent' });
  expect(did).toEqual([]);
});
