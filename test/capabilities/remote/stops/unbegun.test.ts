/** Children elsewhere that never began there: nobody was there when they were stopped. */
import { describe, expect, it } from 'vitest';
import { RemoteError } from '../../../../src/core/definition/remote-transport';
import { removeTree } from '../../../../src/engine/root/removal';
import { Tree, type TreeOptions, type TreeParts, withTree } from '../../../support/harness';
import { present } from '../../../support/present';
import type { Answers } from '../../../support/scripted-port';
import { sample } from '../../../support/sizes';
import { toolResults } from '../../../support/trees';
import type { Between } from '../support/elsewhere';
import { examined, farParts, ran, remotes } from '../support/far';

type Verb = 'interrupt' | 'abort' | 'terminate';

/** What the other side does while nobody is there, before the stop and for a while after it. */
interface Away {
  is: boolean;
}

/** The network of a side that is away: nobody answers, or what stands before it says so. */
const unreachable = (away: Away): Between => ({ isAway: () => away.is });
const unavailable = (away: Away): Between => ({
  call: (_request, perform) =>
    away.is ? Promise.resolve({ ok: false, code: 'unavailable', title: 'Down.', status: 503 }) : perform(),
});
/** It hangs until the patience of the transport is over, and comes too late. */
const hanging = (away: Away, tree: () => Tree): Between => ({
  async call(_request, perform) {
    if (!away.is) return perform();
    await new Promise<void>((resolve) => tree().time.environment.timer(7_000, resolve));
    throw new RemoteError('remote_timed_out', 'No answer came.');
  },
});

/** A tree that was stopped while nobody was there, until its run has ended. */
async function stopped(verb: Verb, network: typeof hanging = unreachable, options: TreeOptions = {}, back = 4_000) {
  const away = { is: true };
  const tree: Tree = new Tree(
    (it) =>
      farParts(
        it,
        network(away, () => it),
      ),
    options,
  );
  await tree.start();
  await tree.time.until(() => tree.nodes.length > 1 && tree.store().remotes().length > 0);
  const from = tree.time.now;
  tree.time.environment.timer(back, () => {
    away.is = false;
  });
  await tree.time.until(() => tree.time.now >= from + 1_000);
  tree.stopSurely(verb);
  await tree.time.until(() => tree.ended);
  const took = tree.time.now - from;
  await tree.finish();
  return { tree, away, took };
}

const NETWORKS = [
  { name: 'nobody answers', network: unreachable },
  { name: '503', network: unavailable },
  { name: 'it hangs', network: hanging },
] as const;

describe('a child elsewhere that is stopped before it has begun', () => {
  it.each(NETWORKS)(
    '[RM19, RM64] is queued while its parent is interrupted, and begins when that goes on: $name',
    async ({ network }) => {
      for (const back of [1_200, 1_900, 4_000, 11_000]) {
        const { tree, took } = await stopped('interrupt', network, {}, back);
        expect(tree.outcome).toMatchObject({ status: 'interrupted' });
        expect(tree.nodes[1]).toMatchObject({ status: 'queued', schedule: { phase: 'ended' } });
        expect(tree.nodes[1]).not.toHaveProperty('stopOwed');
        expect(took).toBeLessThan(60_000);
        expect(remotes(tree)).toEqual([]);
        const resumed = tree.time.now;
        expect(await tree.resume()).toBe(true);
        await tree.time.until(() => tree.ended);
        expect(tree.time.now - resumed).toBeLessThan(1_000);
        await tree.finish();
        examined(tree, `back after ${back}`);
        tree.close();
      }
    },
  );

  it('[RM64] is lost to an interrupted parent where that side answers only after `childStopMs`', async () => {
    const { tree, took } = await stopped('interrupt', unreachable, {}, 700_000);
    expect(took).toBeGreaterThanOrEqual(600_000);
    expect(tree.outcome).toMatchObject({ status: 'interrupted' });
    expect(tree.nodes[1]).toMatchObject({ status: 'failed', schedule: { phase: 'ended', end: { by: 'abandoned' } } });
    expect(remotes(tree)).toEqual([]);
    tree.close();
  });

  it.each([
    { verb: 'abort', status: 'failed' },
    { verb: 'terminate', status: 'terminated' },
  ] as const)('[RM19, RM64] ends with its parent, and nothing begins there: $verb', async ({ verb, status }) => {
    const { tree } = await stopped(verb);
    expect(tree.outcome).toMatchObject({ status });
    expect(tree.nodes[1]).toMatchObject({ status: 'failed', schedule: { phase: 'ended' } });
    expect(remotes(tree)).toEqual([]);
    expect(tree.time.problems).toEqual([]);
    expect(tree.time.pending).toBe(0);
    tree.close();
  });

  it.each(['abort', 'terminate'] as const)(
    '[RM19] is stopped again at once after its parent went on, begun or not: %s',
    async (verb) => {
      for (const isBack of [true, false]) {
        const { tree, away } = await stopped('interrupt');
        away.is = !isBack;
        expect(await tree.resume()).toBe(true);
        const from = tree.time.now;
        if (!isBack) await tree.time.until(() => tree.time.now >= from + 500);
        tree.stopSurely(verb);
        away.is = false;
        await tree.time.until(() => tree.ended);
        expect(tree.time.now - from).toBeLessThan(60_000);
        await tree.finish();
        expect(tree.outcome.status).toBe(verb === 'abort' ? 'failed' : 'terminated');
        expect(tree.nodes[1]?.schedule.phase).toBe('ended');
        tree.close();
      }
    },
  );

  it('[RM19] is ended for good where its parent is while both rest', async () => {
    const { tree } = await stopped('interrupt');
    expect(tree.apply((facts) => ({ type: 'stop', ...facts, verb: 'terminate', reason: 'Enough.' })).ok).toBe(true);
    await tree.time.drain();
    expect(tree.nodes.map(({ status }) => status)).toEqual(['terminated', 'failed']);
    expect(remotes(tree)).toEqual([]);
    tree.close();
  });

  it('[RM19, RM65] is stopped there where its start comes there after all', async () => {
    const away = { is: true };
    let held: (() => void) | undefined;
    const tree = new Tree((it) =>
      farParts(it, {
        async call(request, perform) {
          if (request.verb !== 'start' || !away.is) return perform();
          await new Promise<void>((resolve) => {
            held = resolve;
          });
          return perform();
        },
      }),
    );
    await tree.start();
    await tree.time.until(() => held !== undefined);
    tree.stopSurely('interrupt');
    const from = tree.time.now;
    await tree.time.until(() => tree.time.now >= from + 2_000);
    present(held)();
    await tree.finish();
    expect(tree.outcome).toMatchObject({ status: 'interrupted' });
    expect(tree.state(present(remotes(tree)[0])).run).toMatchObject({ phase: 'ended' });
    expect(await tree.resume()).toBe(true);
    await tree.finish();
    expect(remotes(tree)).toHaveLength(1);
    expect(toolResults(tree)).toEqual([{ success: true, value: { answer: 'far' } }]);
    expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
    tree.close();
  });

  it('[RM19] is the same whatever commit everything is lost after', async () => {
    const whole = async (options: TreeOptions) => {
      const { tree } = await stopped('interrupt', unreachable, options);
      if (tree.outcome.status === 'interrupted') {
        // Lost with the process before it was told, the stop comes to a child that has begun meanwhile.
        expect(tree.nodes[1]?.status).toBe(remotes(tree).length === 0 ? 'queued' : 'interrupted');
        expect(await tree.resume()).toBe(true);
        await tree.finish();
      }
      return tree;
    };
    const calm = await whole({});
    const { length } = calm.commits;
    calm.close();
    for (const commit of sample(length, 30, 1)) {
      const tree = await whole({ crashAt: new Set([commit]) });
      expect(tree.crashes, `commit ${commit}`).toBe(1);
      examined(tree, `commit ${commit}`);
      tree.close();
    }
  });
});

const HOUR_MS = 3_600_000;

/** Starts that are lost on the way, until a test lets one through; what begins there meanwhile works for ever. */
interface Late {
  readonly starts: (() => Promise<unknown>)[];
  isOver: boolean;
}

/** A tree that was stopped while no start of its child had come there; the child's end is known. */
async function lostStarts(verb: Verb, body: (tree: Tree, late: Late) => Promise<void>, options: TreeOptions = {}) {
  const late: Late = { starts: [], isOver: false };
  const parts = (it: Tree): TreeParts => {
    const known = farParts(it, {
      call(request, perform) {
        if (request.verb !== 'start' || late.isOver) return perform();
        late.starts.push(perform);
        throw new RemoteError('remote_timed_out', 'No answer came.');
      },
    });
    const { far } = known.scripts;
    const steps = Array.isArray(far) ? far : [];
    const script: Answers = ({ step }) => (late.isOver ? steps[step - 1] : { hang: true });
    return { ...known, scripts: { ...known.scripts, far: script } };
  };
  await withTree(parts, options, async (tree) => {
    await tree.start();
    await tree.time.until(() => late.starts.length > 1);
    tree.stopSurely(verb);
    await tree.time.until(() => tree.ended);
    await body(tree, late);
  });
}

/** The first start comes there now. */
async function comesLate(tree: Tree, { starts: [start] }: Late): Promise<void> {
  await tree.soon(present(start)());
  await tree.time.until(() => tree.port.working > 0);
  expect(remotes(tree)).toHaveLength(1);
}

/** Nobody works there, nothing is there, and nothing is owed. */
function holdNothingThere(tree: Tree): void {
  expect(tree.port.working).toBe(0);
  expect(remotes(tree)).toEqual([]);
  expect(tree.time.pending).toBe(0);
}

describe('a start that comes there after its child was said never to have begun', () => {
  it.each(['interrupt', 'abort', 'terminate'] as const)('[RM22] is stopped there, and removed: %s', async (verb) => {
    await lostStarts(verb, async (tree, late) => {
      await comesLate(tree, late);
      const from = tree.time.now;
      await tree.time.until(() => tree.port.working === 0);
      expect(tree.time.now - from).toBeLessThan(300_000);
      await tree.rest();
      holdNothingThere(tree);
      expect(tree.store().remotes()).toHaveLength(1);
      expect(tree.nodes[1]).not.toHaveProperty('stopOwed');
      expect(tree.time.problems).toEqual([]);
    });
  });

  it('[RM22] is stopped there also where everything is lost before it comes: the alarm is enough', async () => {
    await lostStarts('abort', async (tree, late) => {
      tree.crash();
      await comesLate(tree, late);
      await tree.rest();
      holdNothingThere(tree);
    });
  });

  it('[RM22, RM74] takes nothing from its child, which begins under another name where its parent goes on', async () => {
    await lostStarts('interrupt', async (tree, late) => {
      await comesLate(tree, late);
      late.isOver = true;
      expect(await tree.resume()).toBe(true);
      await tree.time.until(() => tree.ended);
      await tree.finish();
      examined(tree);
    });
  });

  it('[RM22] that comes while its child works under another name is stopped all the same', async () => {
    await lostStarts('interrupt', async (tree, late) => {
      late.isOver = true;
      expect(await tree.resume()).toBe(true);
      await tree.time.until(() => tree.ended);
      late.isOver = false;
      await tree.soon(present(late.starts[0])());
      await tree.time.until(() => tree.port.working > 0);
      expect(remotes(tree)).toHaveLength(2);
      late.isOver = true;
      await tree.rest();
      examined(tree);
    });
  });

  it('[RM22, RM73] is stopped there although the tree was deleted before it came, and the tree goes after that', async () => {
    await lostStarts('abort', async (tree, late) => {
      await tree.soon(removeTree(tree.world.object(tree.address)));
      expect(tree.addresses).toEqual([tree.address]);
      await comesLate(tree, late);
      await tree.rest();
      holdNothingThere(tree);
      expect(tree.addresses).toEqual([]);
    });
  });

  it('[RM22, RM73] is waited for an hour, and no longer', async () => {
    await lostStarts('abort', async (tree) => {
      const from = tree.time.now;
      const owed = () => tree.store().remotes().length > 1;
      expect(owed()).toBe(true);
      await tree.time.until(() => !owed());
      expect(tree.time.now - from).toBeGreaterThanOrEqual(HOUR_MS - 1_000);
      expect(tree.time.now - from).toBeLessThan(HOUR_MS + 310_000);
      await tree.rest();
      holdNothingThere(tree);
    });
  });

  it('[RM22, RM73] is stopped there where its child has left before it came', async () => {
    await lostStarts('interrupt', async (tree, late) => {
      late.isOver = true;
      late.starts.length = 0;
      expect(await tree.resume()).toBe(true);
      late.isOver = false;
      await tree.time.until(() => late.starts.length > 0);
      await tree.soon(tree.remove(`${tree.address}/sub/far/1~1`));
      await comesLate(tree, late);
      await tree.rest();
      holdNothingThere(tree);
      expect(tree.store().remotes()).toEqual([]);
    });
  });

  it('[RM22] is stopped there whatever commit everything is lost after', async () => {
    let length = 0;
    const once = (options: TreeOptions, what: string) =>
      lostStarts(
        'abort',
        async (tree, late) => {
          // It is never answered where everything is lost meanwhile.
          const answered = present(late.starts[0])();
          answered.catch(() => undefined);
          await tree.rest();
          holdNothingThere(tree);
          expect(tree.crashes, what).toBe(options.crashAt === undefined ? 0 : 1);
          ({ length } = tree.commits);
        },
        options,
      );
    await once({}, 'none');
    for (const commit of sample(length, 30, 1)) await once({ crashAt: new Set([commit]) }, `commit ${commit}`);
  });

  it('[RM22, RM75] is owed nothing where it was refused', async () => {
    const calls: string[] = [];
    const between: Between = {
      async call({ verb }, perform) {
        calls.push(verb);
        return verb === 'start' ? { ok: false, code: 'not_found', title: 'No such agent.', status: 404 } : perform();
      },
    };
    const tree = await ran({}, between);
    expect(calls).toEqual(['start']);
    expect(toolResults(tree)).toMatchObject([{ success: false, error: { code: 'subagent_lost' } }]);
    expect(tree.nodes[1]).not.toHaveProperty('stopOwed');
    expect(tree.time.pending).toBe(0);
    tree.close();
  });
});
