/** Further small parts of the engine, each for itself: alarms, turns, pages, claims and signals, at their edges. */
import { describe, expect, it } from 'vitest';
import type { Child } from '../../../src/core/agent/children/child';
import type { InboundMessage } from '../../../src/core/agent/inbound';
import type { Effect } from '../../../src/core/agent/owed-effects';
import type { AgentState } from '../../../src/core/agent/state';
import type { RootClaimsPort } from '../../../src/core/ports/directory';
import type { TreeReport } from '../../../src/core/tree/directory-report';
import { Beginnings } from '../../../src/engine/children/child-starts';
import { LeftPlaces } from '../../../src/engine/children/left-places';
import { InFlight } from '../../../src/engine/in-flight';
import { HeldTurns } from '../../../src/engine/models/held-turns';
import { findMessage } from '../../../src/engine/object/find-message';
import { OwnAlarm } from '../../../src/engine/object/own-alarm';
import { few, Turns } from '../../../src/engine/object/pacing';
import { bounded } from '../../../src/engine/perform/bounded-body';
import { RunSignal } from '../../../src/engine/perform/run-signal';
import { beginning, reportOf } from '../../../src/engine/root/directory-report';
import { Gathering } from '../../../src/engine/root/group-requests';
import { TreeLog } from '../../../src/engine/root/log';
import { type ClaimedObject, claimRoot, giveBackClaim, holdClaim } from '../../../src/engine/root/root-claims';
import { Watchers } from '../../../src/engine/root/watchers';
import type { Chunk } from '../../../src/protocol/chunks';
import { LISTED_LIMITS } from '../../../src/protocol/data-limits';
import { OffshootError } from '../../../src/protocol/errors';
import { migrate } from '../../../src/store/migrate';
import { AGENT_MIGRATIONS, ROOT_MIGRATIONS } from '../../../src/store/migrations';
import { transact } from '../../../src/store/storage';
import { SqlTreeStore } from '../../../src/store/tree-store';
import { nodeStorage } from '../../../src/testing/node-storage';
import { chunks } from '../../contract/stores-support';
import { Machine, planned } from '../../support/machine';
import { rootNode } from '../../support/nodes';
import { VirtualTime } from '../../support/virtual-time';

describe('the alarm of a child in an object of its own', () => {
  /** An alarm that is owed or not, and all times at which it was set, from 0 on. */
  function alarm(isOwed: boolean) {
    let now = 0;
    const set: number[] = [];
    const own = new OwnAlarm({
      environment: { now: () => now },
      arm: (time) => void set.push(time),
      isOwed: () => isOwed,
    });
    const at = (time: number): void => {
      now = time;
    };
    return { own, set, at };
  }

  it('[OP5] is set 3 s after a commit where it would ring later or never, and up to the end of a rest', () => {
    const { own, set, at } = alarm(false);
    expect(own.isSet).toBe(false);
    own.committed();
    at(1_000);
    own.committed();
    own.rests(9_000);
    // It owes something from now on.
    own.committed();
    own.rests(1_500);
    own.committed();
    expect([set, own.isSet]).toEqual([[3_000, 9_000, 4_000, 1_500], true]);
  });

  it('[OP5, OP11] rings again as long as something is owed, and not after that', () => {
    for (const owed of [true, false]) {
      const { own, set, at } = alarm(owed);
      own.committed();
      at(3_000);
      own.rang();
      expect([set, own.isSet]).toEqual([owed ? [3_000, 6_000] : [3_000], owed]);
    }
  });
});

describe('turns of much work', () => {
  const held = () => {
    const time = new VirtualTime();
    const turns = new Turns(time.environment);
    const begun: string[] = [];
    const ends = new Map<string, PromiseWithResolvers<void>>();
    const take = (id: string, name = id) =>
      turns.take(id, () => {
        begun.push(name);
        const end = Promise.withResolvers<void>();
        ends.set(name, end);
        return end.promise;
      });
    return { time, turns, begun, ends, take };
  };

  it('[DG12] eight are under way in the order in which they came, one begins in each turn, and 5 s give a place away', async () => {
    const { time, turns, begun, ends, take } = held();
    const ids = Array.from({ length: 11 }, (_, at) => `${at}`);
    const heard = ids.map((id) =>
      take(id).then(
        () => 'done',
        (error: Error) => error.message,
      ),
    );
    expect(begun).toEqual(['0']);
    await time.pass(1);
    expect(begun).toEqual(['0', '1']);
    await time.pass(100);
    expect(begun).toEqual(ids.slice(0, 8));
    expect([turns.waits('7'), turns.waits('8')]).toEqual([false, true]);
    // One ends well, one badly: each gives its place away once.
    ends.get('3')?.resolve();
    await time.pass(2);
    expect(begun.slice(8)).toEqual(['8']);
    ends.get('4')?.reject(new Error('It failed.'));
    await time.pass(2);
    expect(begun.slice(8)).toEqual(['8', '9']);
    expect([await heard[3], await heard[4]]).toEqual(['done', 'It failed.']);
    await time.pass(5_000 - 105 - 1);
    expect(begun).toHaveLength(10);
    await time.pass(2);
    expect(begun).toHaveLength(11);
    // Its place is not given away twice.
    for (const { resolve } of ends.values()) resolve();
    await time.drain();
    expect(await heard[0]).toBe('done');
    void take('next');
    expect(begun.at(-1)).toBe('next');
  });

  it('[DG12] one that waits under an id that comes again is not done: both hear how the new one ends', async () => {
    const { time, begun, ends, take } = held();
    for (let at = 0; at < 8; at++) void take(`${at}`);
    await time.pass(100);
    const both = [take('x', 'old'), take('x', 'new')];
    ends.get('0')?.resolve();
    await time.pass(2);
    expect(begun.slice(8)).toEqual(['new']);
    ends.get('new')?.resolve();
    await Promise.all(both);
  });

  it('[OP12] some at a time are 32, in order', () => {
    for (const length of [0, 1, 31, 32, 33, 64, 65]) {
      const all = Array.from({ length }, (_, at) => at);
      const groups = [...few(all)];
      expect(groups.flat()).toEqual(all);
      expect(groups).toHaveLength(Math.ceil(length / 32));
      expect(groups.slice(0, -1).every((group) => group.length === 32)).toBe(true);
    }
  });
});

it('[DL8, SAT4] a message is found among those that wait and the newest 1,000, each of them, and no other', () => {
  const messageOf = (id: number) => ({ id, messageId: `m_${id}` }) as InboundMessage;
  for (const last of [0, 1, 99, 100, 101, 999, 1_000, 1_001, 1_250]) {
    const inbox = [messageOf(last + 1)];
    const store = {
      messages: ({ after = 0, upTo = last }: { after?: number; upTo?: number }) =>
        Array.from({ length: Math.max(0, upTo - after) }, (_, at) => messageOf(after + at + 1)),
    };
    const agent = { state: { inbox, lastMessage: last } as unknown as AgentState, deps: { store } };
    const found = (id: number) => findMessage(agent, `m_${id}`)?.id === id;
    const edges = [0, 1, 99, 100, 101, 899, 900, 901, 998, 999, 1_000, 1_001].map((back) => last - back);
    for (const id of [last + 1, 1, ...edges].filter((one) => one > 0))
      expect(found(id), `${id} of ${last}`).toBe(id > last - 1_000);
    expect(found(last + 2)).toBe(false);
  }
});

describe('turns at models, as an agent has them', () => {
  it('[MT1, MT7] it asks before no request, before those to some providers, or before each', () => {
    const rows = [
      [undefined, true, false, false, false],
      [[], true, false, false, false],
      [['one'], false, true, false, false],
      ['everybody', false, true, true, true],
    ] as const;
    for (const [asksFirst, ...said] of rows)
      for (const turns of [new HeldTurns(asksFirst), new HeldTurns('everybody'), new HeldTurns(['two'])]) {
        turns.take(asksFirst);
        expect([turns.isFree, turns.asksFor('one'), turns.asksFor('other'), turns.isCounted]).toEqual(said);
      }
  });

  it('[MT1, B10] a turn comes once, to who still waits for it; an alarm ends each rest, and so does the signal', async () => {
    const turns = new HeldTurns();
    const [one, other] = [turns.nextId(), turns.nextId()];
    expect(one).not.toBe(other);
    const { turn, end } = turns.await(one);
    expect([turns.has(other), turns.has(one)]).toEqual([false, true]);
    expect(await turn).toBe(true);
    end();
    expect(turns.has(one)).toBe(false);
    turns.ahead = 'x';
    expect([turns.takeAhead(), turns.takeAhead()]).toEqual(['x', undefined]);
    const ended: string[] = [];
    const rest = (name: string, signal: AbortSignal) => turns.rung(signal).then(() => void ended.push(name));
    const stop = new AbortController();
    const all = [
      rest('over', AbortSignal.abort()),
      rest('stopped', stop.signal),
      rest('rung', new AbortController().signal),
    ];
    await all[0];
    stop.abort();
    await all[1];
    expect(ended).toEqual(['over', 'stopped']);
    turns.ring();
    await all[2];
    expect(ended).toEqual(['over', 'stopped', 'rung']);
  });

  it('[MT1] requests are under way until the last of them has ended, however', async () => {
    const turns = new HeldTurns();
    const [first, second] = [Promise.withResolvers<number>(), Promise.withResolvers<never>()];
    const both = [turns.during(() => first.promise), turns.during(() => second.promise)];
    expect(turns.calls).toBe(true);
    first.resolve(7);
    expect([await both[0], turns.calls]).toEqual([7, true]);
    second.reject(new Error('x'));
    await both[1]?.catch(() => undefined);
    expect(turns.calls).toBe(false);
  });
});

describe('the claim of a new root', () => {
  const newRoots = { perCaller: 1 } as never;
  function claiming(answer: Awaited<ReturnType<RootClaimsPort['claim']>> | Error = { ok: true }) {
    const asked: string[] = [];
    const reported: string[] = [];
    const object: ClaimedObject = {
      agent: undefined,
      environment: { token: () => `k${asked.length}`, report: (problem) => void reported.push(problem) },
      ports: {
        rootClaims: (caller) => ({
          async claim(key) {
            asked.push(`${caller} ${key}`);
            await Promise.resolve();
            if (answer instanceof Error) throw answer;
            return answer;
          },
          hold: async (key) => void asked.push(`hold ${caller} ${key}`),
          giveBack: async (key) => void asked.push(`back ${caller} ${key}`),
        }),
      },
    };
    return { object, asked, reported };
  }

  it('[A65] is asked for once for all requests of one caller that come together, and by each caller for itself', async () => {
    const { object, asked } = claiming();
    const claim = (caller: string) => claimRoot(object, { newRoots, caller });
    const all = await Promise.all([claim('ann'), claim('ann'), claim('bob')]);
    expect(all).toEqual([
      { caller: 'ann', key: 'k0' },
      { caller: 'ann', key: 'k0' },
      { caller: 'bob', key: 'k1' },
    ]);
    expect(await claim('ann')).toEqual({ caller: 'ann', key: 'k2' });
    const other = claiming();
    await Promise.all([claimRoot(other.object, { newRoots, caller: 'ann' }), claim('ann')]);
    expect(other.asked).toEqual(['ann k0']);
    expect(asked).toHaveLength(4);
  });

  it('[A65] is asked for by nobody where the root is there or nothing is limited, and is held and given back once it is', async () => {
    const { object, asked } = claiming();
    const session = { claim: { caller: 'ann', key: 'k' } };
    const there = (claimed: object) => ({ ...object, agent: { state: { session: claimed } } });
    expect(await claimRoot(object, { caller: 'ann' })).toBeUndefined();
    expect(await claimRoot(there(session), { newRoots, caller: 'ann' })).toBeUndefined();
    for (const one of [object, there({})]) await Promise.all([holdClaim(one), giveBackClaim(one)]);
    expect(asked).toEqual([]);
    await holdClaim(there(session));
    await giveBackClaim(there(session));
    expect(asked).toEqual(['hold ann k', 'back ann k']);
  });

  it('[A65] that is refused says when to try again, and one that cannot be counted is no claim', async () => {
    const refused = { ok: false, message: 'Too many.' } as const;
    const claim = (answer: Parameters<typeof claiming>[0]) =>
      claimRoot(claiming(answer).object, { newRoots, caller: 'ann' });
    await expect(claim({ ...refused, retryAfterMs: 7 })).rejects.toMatchObject({
      code: 'too_many_roots',
      message: 'Too many.',
      failure: { retryAfterMs: 7 },
    });
    await expect(claim(refused)).rejects.toMatchObject({ code: 'too_many_roots' });
    const away = claiming(new Error('It is away.'));
    for (let tries = 1; tries <= 2; tries++) {
      await expect(claimRoot(away.object, { newRoots, caller: 'ann' })).rejects.toMatchObject({ code: 'unavailable' });
      expect([away.asked.length, away.reported.length]).toEqual([tries, tries]);
    }
    const { object } = claiming();
    await expect(claimRoot({ ...object, ports: {} }, { newRoots })).rejects.toMatchObject({ code: 'unavailable' });
  });
});

it('[A28] the beginning of a message is its words in one line, as long as a list shows, or nothing', () => {
  const of = (content: InboundMessage['content']) => beginning({ content } as InboundMessage);
  expect([beginning(undefined), of(''), of(' \n\t'), of('  a\n\n b\t c ')]).toEqual([
    undefined,
    undefined,
    undefined,
    'a b c',
  ]);
  const file = { type: 'file', mediaType: 'image/png', data: 'AAAA' } as const;
  expect(of([{ type: 'text', text: 'a' }, file, { type: 'text', text: 'b' }])).toBe('a b');
  expect(of([file])).toBeUndefined();
  expect(of('x'.repeat(LISTED_LIMITS.title + 1))?.length).toBeLessThanOrEqual(LISTED_LIMITS.title);
  expect(of('x'.repeat(LISTED_LIMITS.title))).toBe('x'.repeat(LISTED_LIMITS.title));
});

it('[RT6] requests wait a moment for others where four agents work, and all who come meanwhile are in one turn', async () => {
  const time = new VirtualTime();
  const gathering = new Gathering(time.environment);
  const come: string[] = [];
  const comes = (name: string, working: number) => void gathering.come(working).then(() => come.push(name));
  comes('alone', 3);
  await time.settle();
  comes('first', 4);
  comes('beside', 1);
  await time.settle();
  expect([come, time.pending]).toEqual([['alone'], 1]);
  await time.pass(1);
  expect(come).toEqual(['alone', 'first', 'beside']);
  comes('later', 3);
  await time.settle();
  expect([come.at(-1), time.pending]).toEqual(['later', 0]);
});

it('[A49] a condition is looked at after each change, until it holds or its time is up', async () => {
  const time = new VirtualTime();
  const watchers = new Watchers(time.environment);
  let holds = true;
  expect(await watchers.until(() => holds, 10)).toBe(true);
  holds = false;
  const said: boolean[] = [];
  const until = (ms: number) => void watchers.until(() => holds, ms).then((held) => said.push(held));
  until(10);
  until(20);
  watchers.notify();
  await time.pass(10);
  expect(said).toEqual([false]);
  holds = true;
  await time.settle();
  expect(said).toEqual([false]);
  watchers.notify();
  await time.settle();
  expect([said, time.pending]).toEqual([[false, true], 0]);
  let changes = 0;
  const stop = watchers.watch(() => void changes++);
  watchers.notify();
  stop();
  watchers.notify();
  expect(changes).toBe(1);
});

it('[HK15] the signal of a run aborts once it is stopped, has ended or is another one, and no signal does without a run', () => {
  const run = (runId: string, facts: object = {}) =>
    ({ run: { runId, phase: 'active', ...facts } }) as unknown as AgentState;
  const others = [run('r', { stop: {} }), run('r', { phase: 'ended' }), run('r_2'), {} as AgentState];
  for (const other of others) {
    const signals = new RunSignal();
    const signal = signals.during(run('r'));
    signals.look(run('r'));
    expect([signals.during(run('r')) === signal, signal.aborted]).toEqual([true, false]);
    signals.look(other);
    expect(signal.aborted).toBe(true);
    const next = signals.during(run('r_3'));
    expect(next.aborted).toBe(false);
    // Another run that asks for its signal ends the one before.
    expect(signals.during(run('r_4')).aborted).toBe(false);
    expect(next.aborted).toBe(true);
  }
  const signals = new RunSignal();
  const none = [others[0], others[1], others[3]].map((state) => signals.during(state as AgentState));
  signals.look(run('r'));
  expect(none.map(({ aborted }) => aborted)).toEqual([false, false, false]);
});

describe('a body that is bounded', () => {
  const late = () => new OffshootError('tool_timeout');
  /** The end of a body that ends after so long, was aborted then, its time, and whether it heard of an abort. */
  async function ran(bodyMs: number, ms: number, abortMs?: number, graceMs?: number) {
    const time = new VirtualTime();
    const [outer, controller] = [new AbortController(), new AbortController()];
    if (abortMs !== undefined) time.environment.timer(abortMs, () => outer.abort());
    const grace = graceMs === undefined ? {} : { graceMs: () => graceMs };
    let [came, at]: [unknown, number] = [undefined, 0];
    const began = time.now;
    const body = () => new Promise((resolve) => void time.environment.timer(bodyMs, () => resolve('done')));
    bounded(time.environment, { ms, late, signal: outer.signal, controller, ...grace }, body).then(
      (value) => ([came, at] = [value, time.now - began]),
      (error: OffshootError) => ([came, at] = [error.code, time.now - began]),
    );
    await time.drain();
    return [came, at, controller.signal.aborted];
  }

  it('[TM1, HK10, SP4] ends by itself, at its time, or where nobody waits for it, after its grace', async () => {
    expect(await ran(10, 20)).toEqual(['done', 10, false]);
    expect(await ran(30, 20)).toEqual(['tool_timeout', 20, true]);
    expect(await ran(30, 20, 5)).toEqual(['aborted', 5, true]);
    expect(await ran(30, 20, 5, 10)).toEqual(['aborted', 15, true]);
    // In its grace it has no other time.
    expect(await ran(30, 20, 5, 40)).toEqual(['done', 30, true]);
    expect(await ran(10, 20, 15)).toEqual(['done', 10, false]);
  });
});

describe('effects in flight', () => {
  const effect = (id: string, facts: object = {}): Effect =>
    ({ id, kind: 'deliver_wait', runId: 'r', task: { childId: 1, task: 1 }, waits: true, ...facts }) as Effect;

  it('[EG2] what is owed begins once until it is released, and what is owed no more is aborted', () => {
    const inFlight = new InFlight();
    const [a, b] = [effect('a'), effect('b', { kind: 'model' })];
    const begins = (...effects: Effect[]) => inFlight.owe(effects).map((one) => one.effect.id);
    const [first] = inFlight.owe([a]);
    expect([begins(a, b), begins(a, b), inFlight.kinds]).toEqual([['b'], [], ['deliver_wait', 'model']]);
    expect(inFlight.signalOf('a')).toBe(first?.signal);
    expect([inFlight.owes('a'), inFlight.owes('c')]).toEqual([true, false]);
    inFlight.release(a);
    expect([inFlight.kinds, begins(a, b)]).toEqual([['model'], ['a']]);
    const [signalA, signalB] = [inFlight.signalOf('a'), inFlight.signalOf('b')];
    expect(begins(b)).toEqual([]);
    expect([signalA?.aborted, signalB?.aborted, inFlight.owes('a'), inFlight.kinds]).toEqual([
      true,
      false,
      false,
      ['model'],
    ]);
    expect(inFlight.signalOf('a')).toBeUndefined();
    // One that was performed is not under way, and begins again only once it is owed no more.
    inFlight.performed([b]);
    expect([inFlight.kinds, begins(b)]).toEqual([[], []]);
    inFlight.stop();
    expect([signalB?.aborted, inFlight.owes('b'), begins(b)]).toEqual([true, false, ['b']]);
  });

  it('[SP4] a body that is to stop is aborted, whether it has begun or not', () => {
    const inFlight = new InFlight();
    const tool = (stopping: boolean) => effect('t', { kind: 'tool', stopping });
    const [first] = inFlight.owe([tool(false)]);
    expect(first?.signal.aborted).toBe(false);
    expect(inFlight.owe([tool(true)])).toEqual([]);
    expect(first?.signal.aborted).toBe(true);
    expect(new InFlight().owe([tool(true)]).map(({ signal }) => signal.aborted)).toEqual([true]);
  });
});

describe('the log of a tree', () => {
  const opened = () => {
    const storage = nodeStorage();
    migrate(storage, { agent: AGENT_MIGRATIONS, root: ROOT_MIGRATIONS });
    const store = new SqlTreeStore(storage);
    return { store, storage, log: new TreeLog(store) };
  };

  it('[LG1, LG2] gives each sequence once, tells readers of commits alone, and is in memory as in its rows', () => {
    const { store, storage, log } = opened();
    let told = 0;
    const stop = log.listen(() => void told++);
    const extent = () => [log.first, log.last, new TreeLog(store).first, new TreeLog(store).last];
    expect([log.append(1, 1, chunks(2)), log.append(2, 1, chunks(3))]).toEqual([2, 5]);
    expect([log.last, told]).toEqual([0, 0]);
    log.committed();
    expect([...extent(), told]).toEqual([1, 5, 1, 5, 1]);
    // Nothing new is no news.
    expect(log.append(1, 3, [])).toBe(5);
    log.committed();
    expect(told).toBe(1);
    const fails = () =>
      transact(storage, () => {
        expect(log.append(1, 3, chunks(1))).toBe(6);
        throw new Error('The disk is full.');
      });
    expect(fails).toThrow('The disk is full.');
    log.rolledBack();
    expect([log.last, log.append(1, 3, chunks(1))]).toEqual([5, 6]);
    stop();
    log.committed();
    expect([log.last, told]).toEqual([6, 1]);
  });

  it('[LG2, W7] a page has what is at or below an address from a sequence on, and says where to continue', () => {
    const { log } = opened();
    const at = (address: string, count: number) => chunks(count).map((chunk) => ({ ...chunk, address }));
    const rows = [
      ['/agents/top/one', 3],
      ['/agents/top/one/sub/leaf/1~1', 2],
      ['/agents/top/one/sub/leaf/1~10', 2],
      ['/agents/top/one', 1],
    ] as const;
    for (const [node, [address, count]] of rows.entries()) log.append(node + 1, 1, at(address, count));
    log.committed();
    const all = rows.flatMap(([address, count]) => Array.from({ length: count }, () => address));
    for (const address of ['/agents/top/one', '/agents/top/one/sub/leaf/1~1', '/agents/top/two'])
      for (let from = 1; from <= all.length + 2; from++) {
        const { chunks: found, next } = log.page(from, address);
        const sequences = all.flatMap((of, index) =>
          index + 1 >= from && (of === address || of.startsWith(`${address}/`)) ? [index + 1] : [],
        );
        expect(found.map(({ sequence }) => sequence)).toEqual(sequences);
        expect(found.map(({ chunk }) => chunk.address)).toEqual(sequences.map((sequence) => all[sequence - 1]));
        expect(next).toBe(Math.max(from, all.length + 1));
      }
  });
});

it('[A62, LG1, W7] where runs begin is known of those in the log alone, also after a rollback and a compaction', () => {
  const storage = nodeStorage();
  migrate(storage, { agent: AGENT_MIGRATIONS, root: ROOT_MIGRATIONS });
  const store = new SqlTreeStore(storage);
  const log = new TreeLog(store);
  const begins = (runId: string): Chunk =>
    Object.assign({}, chunks(1)[0], { type: 'run_started' as const, runId, turn: 1, chainTurn: 1 });
  const written = (...all: Chunk[]) => transact(storage, () => void log.append(1, log.last + 1, all));
  const known = (of: TreeLog, ...runIds: string[]) => runIds.map((runId) => of.beginnings(1, runIds).get(runId));
  for (const row of [[begins('r_1'), ...chunks(1)], [begins('r_2')]]) {
    written(...row);
    log.committed();
  }
  for (const one of [log, new TreeLog(store)]) {
    expect(known(one, 'r_1', 'r_2')).toEqual([1, 3]);
    expect(known(one, 'r_1', 'r_none')).toEqual([1, undefined]);
  }
  const fails = () =>
    transact(storage, () => {
      log.append(1, 4, [begins('r_3')]);
      log.compact({ turn: 2, first: 3 });
      throw new Error('The disk is full.');
    });
  expect(fails).toThrow('The disk is full.');
  log.rolledBack();
  expect([log.first, ...known(log, 'r_1', 'r_2', 'r_3')]).toEqual([1, 1, 3, undefined]);
  log.committed();
  expect(log.first).toBe(1);
  transact(storage, () => log.compact({ turn: 2, first: 3 }));
  log.committed();
  for (const one of [log, new TreeLog(store)])
    expect([one.first, one.last, ...known(one, 'r_1', 'r_2')]).toEqual([3, 3, undefined, 3]);
});

it('[A28, A98, DL11] a root is listed with what was asked first and last, its names, its steps and its last activity', () => {
  const asked = (id: number, from: string, content: string) => ({ id, from, content }) as InboundMessage;
  const messages = [
    asked(1, 'offshoot', 'Note'),
    asked(2, 'caller', 'First'),
    asked(3, 'caller', 'Second'),
    asked(4, 'caller', 'Third'),
  ];
  const store = {
    messages: ({ after = 0, limit = 99 }: { after?: number; limit?: number }) =>
      messages.filter(({ id }) => id > after).slice(0, limit),
    steps: ({ after = 0, limit = 99 }: { after?: number; limit?: number }) =>
      [
        { id: 1, messagesUpTo: 2 },
        { id: 2, messagesUpTo: 3 },
      ]
        .filter(({ id }) => id > after)
        .slice(0, limit),
  } as never;
  const session = { sessionId: 's_root', createdAt: 50, root: { className: 'Top', name: 'one' }, tags: ['a'] };
  const state = (more: object, named: object = {}) =>
    ({ session: { ...session, ...named }, run: { turn: 2 }, ...more }) as unknown as AgentState;
  const tree = { lastActivity: 70, waiting: 3 } as unknown as TreeReport;
  const of = (one: AgentState, self = rootNode(), report = tree) =>
    reportOf({ store, agent: { state: one } }, self, report);
  const base = {
    ...tree,
    name: 'one',
    sessionId: 's_root',
    createdAt: 50,
    status: 'running',
    tags: ['a'],
    title: 'Note',
  };
  // In its second turn, whose first step is the third.
  const working = { step: { id: 3, turn: 2, number: 1 } };
  expect(of(state(working))).toEqual({ ...base, preview: 'Third' });
  expect(of(state({ step: { id: 2, turn: 2, number: 1 } }))).toEqual({ ...base, preview: 'Second' });
  expect(of(state({ step: { id: 1, turn: 2, number: 1 } }))).toEqual({ ...base, preview: 'First' });
  expect(of(state({}))).toEqual({ ...base, preview: 'First' });
  expect(of(state({ step: { id: 2, turn: 1, number: 2 } }))).toEqual({ ...base, preview: 'Third' });
  const named = of(state(working, { displayName: 'One' }), rootNode({ progress: { step: 7 } as never }));
  expect(named).toEqual({ ...base, preview: 'Third', displayName: 'One', title: 'One', steps: 7 });
  const idle = { ...tree, lastActivity: 0 };
  expect(of(state(working), rootNode(), idle)).toEqual({ ...base, preview: 'Third', lastActivity: 50 });
  const silent = { messages: () => [], steps: () => [] } as never;
  const { title: _title, ...untitled } = base;
  expect(reportOf({ store: silent, agent: { state: state(working) } }, rootNode(), tree)).toEqual(untitled);
  expect(() => reportOf({ store, agent: undefined }, rootNode(), tree)).toThrow(TypeError);
});

it('[SP13, DG12] a parent knows which children wait, whose start is under way, and which of their runs have begun', async () => {
  const machine = new Machine();
  machine.start();
  const beginnings = new Beginnings(machine.state);
  machine.reply({ calls: [planned.child(), planned.child()] });
  const [one, other] = [machine.child(0), machine.child(1)];
  const facts = (child: Child) => [
    beginnings.isUnsent(child),
    beginnings.waits(child.sessionId),
    beginnings.starting(child) !== undefined,
    beginnings.hasBegun(child),
  ];
  expect(facts(one)).toEqual([true, false, false, false]);
  await beginnings.after([], [one]);
  const awaited = Promise.withResolvers<void>();
  const both = beginnings.after([Promise.resolve(), awaited.promise], [other, one]);
  await Promise.resolve();
  expect([facts(one)[1], facts(other)[1], beginnings.waits('s_none')]).toEqual([true, true, false]);
  awaited.resolve();
  await both;
  expect(facts(one)[1]).toBe(false);
  await beginnings.after([Promise.reject(new Error('x'))], [one]).catch(() => undefined);
  expect(facts(one)[1]).toBe(false);
  const start = Promise.withResolvers<void>();
  const starting = beginnings.begin(one, start.promise);
  expect(beginnings.starting(one)).toBe(starting);
  beginnings.begun(one);
  expect([facts(one), facts(other)]).toEqual([
    [false, false, true, true],
    [true, false, false, false],
  ]);
  start.resolve();
  await starting;
  // Another run of it has not begun.
  expect([facts(one), beginnings.hasBegun({ ...one, runNumber: 2 })]).toEqual([[false, false, false, true], false]);
  await beginnings.begin(one, Promise.reject(new Error('x'))).catch(() => undefined);
  expect(facts(one)).toEqual([false, false, false, true]);
  beginnings.keepOnly(machine.state);
  expect(facts(one)[3]).toBe(true);
  const late = beginnings.begin(one, Promise.resolve());
  beginnings.keepOnly({ ...machine.state, children: new Map() });
  await late;
  expect(facts(one)).toEqual([true, false, false, false]);
});

describe('places of children that have left', () => {
  const childAt = (childId: number): Child => {
    const machine = new Machine();
    machine.start();
    machine.reply({ calls: [planned.child()] });
    return {
      ...machine.child(0),
      childId,
      sessionId: `s_${childId}`,
      address: `/agents/top/one/sub/leaf/${childId}~1`,
    };
  };
  /** The places of an agent, and what was done of them. */
  function places(
    all: readonly Child[],
    open: ReadonlyMap<number, Child> = new Map(),
    fails: (sessionId: string) => boolean = () => false,
    meanwhile: (there: Map<number, Child>) => void = () => undefined,
  ) {
    const did: string[] = [];
    const there = new Map(all.map((child) => [child.childId, child]));
    const time = new VirtualTime();
    const left = new LeftPlaces(
      {
        store: {
          child: (childId: number) => there.get(childId),
          children: () => [...there.values()],
          release: (ids: readonly number[]) => {
            for (const id of ids) there.delete(id);
            did.push(`free ${ids}`);
          },
        } as never,
        environment: time.environment,
        agent: { state: { children: open } as AgentState },
      },
      async ({ sessionId }, isLast) => {
        await Promise.resolve();
        if (fails(sessionId)) throw new Error('It is away.');
        meanwhile(there);
        did.push(`remove ${sessionId}${isLast ? ' for good' : ''}`);
      },
    );
    return { left, did, time };
  }
  const tree = (known: readonly string[] = [], pendingRemovals: readonly string[] = []) => {
    const vain: string[] = [];
    const said = { changed: 0 };
    const one = {
      tree: { bySession: (sessionId: string) => (known.includes(sessionId) ? {} : undefined) },
      pendingRemovals,
      leftInVain: ({ sessionId }: Child) => void vain.push(sessionId),
      changed: () => void said.changed++,
    };
    return { vain, said, one: one as never };
  };

  it('[A17, TR8] are cleared of those that nobody has any more, one after the other; what fails is owed', async () => {
    const all = [1, 2, 3, 4, 5].map(childAt);
    const address = all[2]?.address ?? '';
    const { left, did, time } = places(all, new Map([[2, all[1] as Child]]), (sessionId) => sessionId === 's_5');
    const { one, vain, said } = tree(['s_1'], [address]);
    await left.sweep(one);
    expect(did).toEqual(['remove s_4 for good', 'free 4']);
    expect([vain, said.changed, left.isSweeping, time.problems.length]).toEqual([['s_5'], 1, false, 1]);
    const none = tree(['s_1', 's_2', 's_3', 's_5']);
    await left.sweep(none.one);
    expect(none.said.changed).toBe(0);
  });

  it('[A17, OP12] a place is freed after the object of its child is gone, and not where another one has it by then', async () => {
    const child = childAt(1);
    const { left, did } = places([child]);
    const both = [left.clear(child, false), left.clear(child, true)];
    await left.cleared;
    await Promise.all(both);
    expect(did).toEqual(['remove s_1', 'free 1']);
    const other = places([{ ...child, sessionId: 's_other' }]);
    await other.left.clear(child, true);
    expect(other.did).toEqual([]);
    // One that begins anew clears its place itself.
    const anew = places([child], new Map([[1, { ...child, state: { is: 'respawning' } } as Child]]));
    await anew.left.clear(child, true);
    expect(anew.did).toEqual([]);
    const failing = places([child], new Map(), () => true);
    await expect(failing.left.clear(child, true)).rejects.toThrow('It is away.');
    await failing.left.cleared;
  });

  it('[A17, OP12] a place is not freed where its child begins anew, or another has it, by the time the object is gone', async () => {
    const child = childAt(1);
    const respawning: Child = { ...child, state: { is: 'respawning' } };
    const open = new Map<number, Child>();
    const changes: readonly [string, (there: Map<number, Child>) => void, freed: boolean][] = [
      ['it is known as before', () => open.set(1, child), true],
      ['it begins anew', () => open.set(1, respawning), false],
      ['another has it', (there) => there.set(1, { ...child, sessionId: 's_other' }), false],
      ['it is free', (there) => there.delete(1), false],
    ];
    for (const [what, meanwhile, freed] of changes) {
      open.clear();
      const { left, did } = places([child], open, undefined, meanwhile);
      await left.clear(child, true);
      expect(did, what).toEqual(['remove s_1 for good', ...(freed ? ['free 1'] : [])]);
    }
  });
});
