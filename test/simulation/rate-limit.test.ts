import { describe, expect, it } from 'vitest';
import type { TreeOptions } from '../support/harness';
import { noModel } from '../support/no-model';
import { childResults, Limited, type Tried } from '../support/rate-limits';

/** So many requests a tree may make for an answer, and so much longer than the limit itself needs it may take. */
const PER_ANSWER = 2;
const TIMES = 1.5;

const HINTS = ['none', 'retry-after', 'retry-after-ms'] as const;
const PER_SECOND = 4;
const needed = (answers: number): number => (Math.ceil(answers / PER_SECOND) - 1) * 1_000;

/** A tree whose limited server takes four requests a second. */
const atFour = (tried: Omit<Tried, 'limit'>, hint: (typeof HINTS)[number] = 'retry-after') =>
  new Limited({ ...tried, limit: { count: PER_SECOND, windowMs: 1_000, hint } });

const completed = (count: number) => Array.from({ length: count }, () => 'completed');

describe('a limit of a provider and many children', () => {
  it.each(HINTS)('[MT4] 24 children at 4 requests a second all complete, with the hint: %s', async (hint) => {
    const tree = await atFour({ children: 24 }, hint).run();
    expect(tree.ends).toEqual(completed(24));
    expect(tree.limited.requests).toBeLessThanOrEqual(24 * PER_ANSWER);
    expect(tree.tookMs).toBeLessThanOrEqual(TIMES * needed(24));
    expect(tree.time.problems).toEqual([]);
  });

  it.each(HINTS)('[MT4] so do 24 children of 4 steps each, with the hint: %s', async (hint) => {
    const tree = await atFour({ children: 24, steps: 4 }, hint).run();
    expect(tree.ends).toEqual(completed(24));
    expect(tree.limited.requests).toBeLessThanOrEqual(24 * 4 * PER_ANSWER);
    expect(tree.tookMs).toBeLessThanOrEqual(TIMES * needed(24 * 4));
  });

  it.each(HINTS)('[MT4] so do 100 children, with the hint: %s', async (hint) => {
    const tree = await atFour({ children: 100 }, hint).run();
    expect(tree.ends).toEqual(completed(100));
    expect(tree.limited.requests).toBeLessThanOrEqual(100 * PER_ANSWER);
    expect(tree.tookMs).toBeLessThanOrEqual(TIMES * needed(100));
  });

  it('[MT3] a second provider that refuses nothing is not slowed down', async () => {
    const alone = await new Limited({ children: 0, free: 12, steps: 3 }).run();
    const both = await atFour({ children: 12, free: 12, steps: 3 }).run();
    expect(both.ends).toEqual(completed(24));
    expect(both.free.requests).toBe(12 * 3);
    // One begins after the other: so much later their first requests are.
    expect(Math.max(...both.free.times)).toBeLessThanOrEqual(Math.max(...alone.free.times) + 24);
    expect(both.limited.refusals).toBeGreaterThan(0);
  });

  it('[MT5] a limit that tightens and loosens again is followed', async () => {
    const later = [
      { fromMs: 5_000, count: 2 },
      { fromMs: 25_000, count: 12 },
    ];
    const limit = { count: 6, windowMs: 1_000, hint: 'none' as const, later };
    const tree = await new Limited({ children: 48, steps: 4, limit }).run();
    expect(tree.ends).toEqual(completed(48));
    // 30 in the first five seconds, 40 in the next twenty, and 122 at twelve a second.
    expect(tree.tookMs).toBeLessThanOrEqual(TIMES * (25_000 + 11_000));
    expect(tree.limited.requests).toBeLessThanOrEqual(48 * 4 * PER_ANSWER);
  });

  it('[MT4] a wait that one agent gets counts for another that works on something else meanwhile', async () => {
    const tree = atFour({ children: 5, steps: 2, noteMs: 300, limits: { modelRetryBaseMs: 1_000 } });
    await tree.run();
    expect(tree.ends).toEqual(completed(5));
    // Four had an answer in the first second and noted something; they ask again only after the wait of the fifth.
    expect(tree.limited.times.filter((at) => at > 100 && at < 1_000)).toEqual([]);
  });

  it('[MT6] nobody comes at the same time as another one again', async () => {
    const tree = await atFour({ children: 24 }, 'none').run();
    const again = tree.limited.times.filter((at) => at > 100);
    const gaps = again.slice(1).map((at, index) => at - (again[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(100);
    // A clock that strikes evenly would meet that of another tree.
    expect(new Set(gaps.map((gap) => Math.round(gap))).size).toBeGreaterThan(10);
  });

  it('[MT1] without a refusal nobody asks for a turn, and no request to the root is more than before', async () => {
    const asked: unknown[] = [];
    const network: NonNullable<NonNullable<Tried['tree']>['network']> = (_to, call, perform) => {
      if (call.kind === 'root' && call.request.turn !== undefined) asked.push(call.request);
      if (call.kind === 'agent' && ['model_turn', 'ask_first'].includes(call.message.type)) asked.push(call.message);
      return perform();
    };
    const tree = await new Limited({ children: 24, steps: 3, tree: { network } }).run();
    expect(tree.ends).toEqual(completed(24));
    expect(asked).toEqual([]);
    await new Limited({ children: 24, limit: { count: 23, windowMs: 1_000, hint: 'none' }, tree: { network } }).run();
    expect(asked.length).toBeGreaterThan(0);
  });

  it('[MT8] children in objects of their own have the same turns', async () => {
    const tree = await atFour({ children: 24, placement: 'object' }).run();
    expect(tree.ends).toEqual(completed(24));
    expect(tree.limited.requests).toBeLessThanOrEqual(24 * PER_ANSWER);
  });

  it('[MT7] a crash in the middle loses what was learned, and nothing else', async () => {
    const tree = atFour({ children: 24 });
    await tree.start();
    await tree.time.until(() => tree.limited.requests > 28);
    tree.crash();
    await tree.finish();
    expect(tree.ends).toEqual(completed(24));
    expect(tree.limited.requests).toBeLessThanOrEqual(28 + 1 + 24 * PER_ANSWER);
  });
});

describe('limits as they broke other projects', () => {
  // https://github.com/vercel/ai/issues/7247: a wait above a minute was passed over, and requests came within seconds.
  it('[MT4] nobody asks again before the wait that the provider asks for, also a long one', async () => {
    const limit = { count: 1, windowMs: 50_000, hint: 'retry-after' as const };
    const tree = await new Limited({ children: 4, limit }).run();
    expect(tree.ends).toEqual(completed(4));
    expect(tree.limited.times.filter((at) => at > 100 && at < 50_000)).toEqual([]);
  });

  // https://github.com/BerriAI/litellm/issues/2994: five requests at once all read that none was under way.
  it('[MT2] those who ask in the same moment do not all go', async () => {
    const tree = await new Limited({ children: 5, limits: { maxConcurrentModelCalls: 1 } }).run();
    expect(tree.ends).toEqual(completed(5));
    expect(tree.limited.mostAtOnce).toBe(1);
  });

  // https://github.com/temporalio/temporal/issues/3145: tasks that had expired used up the rate of those behind them.
  it('[MT9] those who were stopped while they waited use up no turn', async () => {
    const tree = atFour({ children: 24 }, 'none');
    await tree.start();
    await tree.time.until(() => tree.limited.requests > 25);
    const waiting = tree.nodes.filter(({ kind, status }) => kind === 'child' && status === 'running').slice(0, 16);
    for (const { address } of waiting) await tree.soon(tree.stopAt(address, 'abort'));
    const at = tree.time.now;
    await tree.finish();
    expect(tree.time.now - at).toBeLessThan(2_500);
  });

  it('[MT9] those who were removed while they waited use up no turn either', async () => {
    const tree = atFour({ children: 24 }, 'none');
    await tree.start();
    await tree.time.until(() => tree.limited.requests > 25);
    const waiting = tree.nodes.filter(({ kind, status }) => kind === 'child' && status === 'running').slice(0, 16);
    for (const { address } of waiting) await tree.soon(tree.remove(address));
    const at = tree.time.now;
    await tree.time.until(() => tree.ended);
    expect(tree.time.now - at).toBeLessThan(2_500);
    await tree.finish();
  });

  it('[MT9] one that was removed during its request lets the next go', async () => {
    const tree = new Limited({ children: 3, limits: { maxConcurrentModelCalls: 1 } });
    await tree.start();
    await tree.time.until(() => tree.limited.working === 1);
    const asking = tree.nodes.find(({ sessionId }) => sessionId === tree.limited.askedBy[0]);
    await tree.soon(tree.remove(String(asking?.address)));
    await tree.finish();
    expect(tree.ends).toEqual(completed(2));
    expect(tree.limited.requests).toBe(3);
  });

  // https://github.com/adamjmurray/producer-pal/pull/1021: each of many workers met the limit by itself.
  it('[MT8] a limit that a grandchild meets holds a child as well', async () => {
    const limit = { count: 2, windowMs: 5_000, hint: 'retry-after' as const };
    const tree = await new Limited({ children: 3, levels: 2, limit }).run();
    expect(tree.ends.every((end) => end === 'completed')).toBe(true);
    expect(tree.limited.refusals).toBeLessThanOrEqual(4);
  });

  // https://github.com/kolega-ai/kolega-code/pull/58: an answer 529 was final, and each sub-agent that had one was lost.
  it('[MT11] servers that are overloaded at random slow nobody down but those whom they refuse', async () => {
    const limit = { count: 1_000, windowMs: 1_000, hint: 'none' as const, code: 'model_overloaded' as const, every: 3 };
    const tree = await new Limited({ children: 24, steps: 3, limit }).run();
    expect(tree.ends).toEqual(completed(24));
    expect(tree.limited.refusals).toBeGreaterThan(20);
    expect(tree.tookMs).toBeLessThanOrEqual(16_000);
  });
});

describe('a child that has not begun', () => {
  it('[MT2, DG12] is sent nothing of a limit that others have met: the message would make its object', async () => {
    const held: (() => void)[] = [];
    let begun = 0;
    const network: TreeOptions['network'] = async (_address, call, perform) => {
      if (call.kind === 'agent' && call.message.type === 'assign' && ++begun > 4)
        await new Promise<void>((resolve) => held.push(resolve));
      return perform();
    };
    const limit = { count: 1, windowMs: 2_000, hint: 'none' } as const;
    const tree = new Limited({ children: 12, limit, tree: { network } });
    await tree.start();
    await tree.time.pass(3_000);
    expect(tree.limited.refusals).toBeGreaterThan(0);
    expect(tree.world.addresses()).toHaveLength(1 + 4);
    begun = Number.NEGATIVE_INFINITY;
    for (const one of held) one();
    await tree.finish();
    expect(tree.ends).toEqual(completed(12));
  });
});

describe('patience with a provider', () => {
  const never = { count: 0, windowMs: 1_000, hint: 'none' as const };

  it('[ST20] a limit that never lets go fails each child when its time is over, and its parent reads why', async () => {
    const tree = await new Limited({ children: 3, limit: never, limits: { modelPatienceMs: 60_000 } }).run();
    expect(tree.ends).toEqual(['failed', 'failed', 'failed']);
    const read = childResults(tree).map((result) => (result.success ? undefined : result.error));
    expect(read.map((error) => error?.code)).toEqual(Array.from({ length: 3 }, () => 'model_rate_limited'));
    for (const error of read)
      expect(error?.message).toMatch(
        /Too many requests\. It refused \d+ times, over [56]\d s \(`modelPatienceMs`\)\. Do not repeat the same request at once/,
      );
    expect(tree.tookMs).toBeLessThanOrEqual(60_000);
    expect(tree.limited.requests).toBeLessThan(30);
  });

  it('[ST20] overload is waited out as well, whatever `modelRetries` says', async () => {
    const later = [{ fromMs: 60_000, count: 10 }];
    const limit = { ...never, code: 'model_overloaded' as const, later };
    const tree = await new Limited({ children: 2, limit, limits: { modelRetries: 1 } }).run();
    expect(tree.ends).toEqual(completed(2));
  });

  it('[ST20] one who waits for a turn without a request of its own has the same patience', async () => {
    const limit = { count: 1, windowMs: 3_600_000, hint: 'none' as const };
    const tree = await new Limited({
      children: 2,
      steps: 2,
      noteMs: 50,
      limit,
      limits: { modelPatienceMs: 30_000 },
    }).run();
    expect(tree.ends).toEqual(['failed', 'failed']);
    expect(tree.tookMs).toBeLessThanOrEqual(61_000);
  });

  it('[ST20] a crash in the middle of a wait leaves its rest, for the whole tree', async () => {
    const limit = { count: 1, windowMs: 20_000, hint: 'retry-after-ms' as const };
    const tree = new Limited({ children: 3, limit });
    await tree.start();
    await tree.time.until(() => tree.limited.refusals > 0);
    await tree.time.pass(15_000);
    tree.crash();
    await tree.finish();
    expect(tree.ends).toEqual(completed(3));
    // The third is answered in the third window of 20 s. A wait that began anew would cost a window more.
    expect(tree.tookMs).toBeLessThanOrEqual(50_000);
  });

  it('[MT9] a stop ends the wait for a turn at once', async () => {
    const tree = atFour({ children: 24 }, 'none');
    await tree.start();
    await tree.time.until(() => tree.limited.requests > 25);
    const { requests } = tree.limited;
    const at = tree.time.now;
    expect(tree.stop()).toBe(true);
    await tree.time.until(() => tree.ended);
    expect(tree.time.now - at).toBeLessThanOrEqual(250);
    await tree.rest();
    expect(tree.limited.requests).toBe(requests);
    expect(tree.time.pending).toBe(0);
  });

  it('[MT9] a stopped child that waited for its turn does not hold up those behind it', async () => {
    const tree = atFour({ children: 12 }, 'none');
    await tree.start();
    await tree.time.until(() => tree.limited.requests > 13);
    const waiting = tree.nodes.filter(({ kind, status }) => kind === 'child' && status === 'running').slice(0, 4);
    for (const { address } of waiting) await tree.soon(tree.stopAt(address, 'abort'));
    await tree.finish();
    expect(tree.ends.filter((end) => end === 'completed').length).toBe(8);
    expect(tree.tookMs).toBeLessThanOrEqual(TIMES * needed(12));
  });
});

describe('requests of a tree at once', () => {
  it.each([
    [3, 3],
    [4, 4],
    [5, 4],
    [40, 4],
  ])('[MT2] of %i children at most %i ask at once', async (children, most) => {
    const tree = await new Limited({ children, steps: 3, limits: { maxConcurrentModelCalls: 4 } }).run();
    expect(tree.ends).toEqual(completed(children));
    expect(Math.max(tree.limited.mostAtOnce)).toBe(most);
  });

  it('[MT3] those beyond have their turns in the order in which they asked', async () => {
    const tree = await new Limited({ children: 20, limits: { maxConcurrentModelCalls: 2 } }).run();
    const begun = tree.nodes.filter(({ kind }) => kind === 'child').map(({ sessionId }) => sessionId);
    expect(tree.limited.askedBy).toEqual(begun);
  });

  it('[MT2] the next request begins in the moment in which one ends', async () => {
    const tree = await new Limited({
      children: 8,
      steps: 4,
      noteMs: 250,
      limits: { maxConcurrentModelCalls: 1 },
    }).run();
    expect(tree.ends).toEqual(completed(8));
    // 32 requests of 100 ms, with nothing between them but the messages of a turn.
    expect(tree.tookMs).toBeLessThanOrEqual(31 * 100 + 31 * 10);
  });

  it('[MT2] the bound holds with several levels, whose agents wait for each other', async () => {
    const tree = await new Limited({ children: 6, levels: 2, steps: 2, limits: { maxConcurrentModelCalls: 1 } }).run();
    expect(tree.ends.every((end) => end === 'completed')).toBe(true);
    expect(tree.limited.mostAtOnce).toBe(1);
  });

  it('[MT2] the bound holds after crashes at many moments', async () => {
    for (const at of [20, 45, 80, 120]) {
      const limits = { maxConcurrentModelCalls: 3 };
      const tree = await new Limited({ children: 9, steps: 2, limits, tree: { crashAt: new Set([at]) } }).run();
      expect(tree.ends).toEqual(completed(9));
      expect(tree.limited.mostAtOnce).toBeLessThanOrEqual(3);
    }
  });
});

describe("the Worker's own limit", () => {
  it('[MT10] what a binding refuses is not sent, and waits as after a refusal without a hint', async () => {
    const keys: string[] = [];
    const used = { at: -1, count: 0 };
    const tree: Limited = new Limited({
      children: 12,
      child: {
        modelRateLimit: () => ({
          async limit({ key }: { key: string }) {
            keys.push(key);
            const window = Math.floor(tree.time.now / 1_000);
            if (window !== used.at) Object.assign(used, { at: window, count: 0 });
            return { success: used.count++ < 4 };
          },
        }),
      },
    });
    await tree.run();
    expect(tree.ends).toEqual(completed(12));
    expect(tree.limited.requests).toBe(12);
    expect(tree.limited.times.filter((at) => at < 400).length).toBeLessThanOrEqual(4);
    expect(new Set(keys)).toEqual(new Set(['slow']));
    expect(keys.length).toBeLessThanOrEqual(12 * PER_ANSWER);
  });

  it('[MT10, FM7] is asked by the name of the provider that the request goes to, also where the first has failed', async () => {
    const keys: string[] = [];
    const limiter = { limit: async ({ key }: { key: string }) => ({ success: keys.push(key) > 0 }) };
    const tree = await new Limited({
      children: 3,
      limit: { count: 1, windowMs: 60_000, hint: 'retry-after' },
      child: { models: [noModel, noModel], modelRateLimit: () => limiter },
    }).run();
    expect(tree.ends).toEqual(completed(3));
    expect([tree.limited.requests, tree.free.requests]).toEqual([3, 2]);
    expect([...keys].sort()).toEqual(['fast', 'fast', 'slow', 'slow', 'slow']);
  });

  it('[MT10] one that throws or does not answer lets requests pass, and is reported', async () => {
    const broken = () => ({
      limit: (): Promise<never> => {
        throw new Error('No such binding.');
      },
    });
    const silent = () => ({ limit: () => new Promise<never>(() => undefined) });
    for (const modelRateLimit of [broken, silent]) {
      const tree = await new Limited({ children: 2, child: { modelRateLimit } }).run();
      expect(tree.ends).toEqual(completed(2));
      expect(tree.time.problems.filter((problem) => problem.includes('`modelRateLimit` did not answer'))).toHaveLength(
        2,
      );
    }
  });
});
