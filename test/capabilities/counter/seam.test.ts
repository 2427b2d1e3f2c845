/** The seam of capabilities: what one adds, and what becomes of its rows in a version that lacks it. */
import { describe, expect, it } from 'vitest';
import { CAPABILITIES } from '../../../src/capabilities';
import type { Capability } from '../../../src/engine/capability';
import type { Prepared } from '../../../src/engine/children/child-needs';
import { ask } from '../../support/asks';
import { examine, transcripts } from '../../support/examine';
import { type Tree, type TreeParts, withTree } from '../../support/harness';
import { agentOf, answer, hangTool } from '../../support/trees';
import { COUNTER, counter, countsOf } from '.';

const count = (by: number) => ({ calls: [{ name: '__count__', input: { by } }] });

/** An agent that counts twice, and ends. */
const counting = (tree: Tree): TreeParts => ({
  agents: [agentOf('top', { tools: [hangTool(tree)] })],
  scripts: { top: [count(2), count(40), { text: 'Counted.' }] },
});

describe('a capability', () => {
  it('[CB6, CB1, CB4] adds a tool, a row, an event and pending work to a tree, wherever a crash comes', async () => {
    const play = async (crashAt?: number) => {
      const confirmed: number[] = [];
      const options = {
        capabilities: [...CAPABILITIES, counter(confirmed)],
        ...(crashAt === undefined ? {} : { crashAt: new Set([crashAt]) }),
      };
      return withTree(counting, options, async (tree) => {
        await tree.run();
        await tree.rest();
        examine(tree);
        return { said: transcripts(tree), counts: countsOf(tree.state()), confirmed, commits: tree.commits.length };
      });
    };
    const calm = await play();
    expect(calm).toMatchObject({ counts: [{ id: 1, sum: 42 }], confirmed: [42] });
    expect(calm.counts[0]).not.toHaveProperty('dueAt');
    for (let commit = 1; commit <= calm.commits; commit++) {
      const { said, counts, confirmed } = await play(commit);
      expect({ said, counts }, `a crash after commit ${commit}`).toEqual({ said: calm.said, counts: calm.counts });
      // A late recovery leaves time to confirm the first sum as well.
      expect(confirmed.at(-1), `a crash after commit ${commit}`).toBe(42);
    }
  });

  it('[CB2, CB6] has no rows once its agent is terminated, and is performed no more', async () => {
    const confirmed: number[] = [];
    const parts = (tree: Tree): TreeParts => ({
      ...counting(tree),
      scripts: { top: [count(2), { calls: [{ name: 'hang', input: {} }] }] },
    });
    await withTree(parts, { capabilities: [...CAPABILITIES, counter(confirmed)] }, async (tree) => {
      await tree.start();
      await tree.time.until(() => countsOf(tree.state()).length === 1);
      expect(tree.stop('terminate')).toBe(true);
      await tree.rest();
      expect(tree.state().slices).toEqual(new Map());
      expect(confirmed).toEqual([]);
    });
  });
});

/** A keeper whose first step begins a companion that is to be prepared. */
const keeping = (): TreeParts => {
  const scout = agentOf('scout', { outputSchema: answer });
  return {
    agents: [agentOf('top', { persistentAgents: [{ agent: scout }] }), scout],
    scripts: {
      top: [{ calls: [{ name: '__begin__', input: {} }] }, { text: 'Done.' }],
      scout: [{ finish: { answer: 'a' } }],
    },
  };
};

describe('a child that needs a capability first', () => {
  it('[CB8, CB6] begins once that has prepared it, and its row goes with its first task', async () => {
    const ready = Promise.withResolvers<Prepared>();
    const capabilities = [...CAPABILITIES, counter([], () => ready.promise)];
    await withTree(keeping, { capabilities }, async (tree) => {
      await tree.start();
      await tree.time.pass(5_000);
      expect(countsOf(tree.state())).toMatchObject([{ sum: 1, childId: 1 }]);
      expect(tree.addresses).toEqual([tree.address]);
      ready.resolve({ is: 'made', below: [] });
      await tree.finish();
      await tree.rest();
      expect(tree.addresses).toEqual([tree.address, `${tree.address}/sub/scout/ada`]);
      expect(countsOf(tree.state())).toEqual([]);
      expect(tree.outcome).toMatchObject({ status: 'completed' });
      examine(tree);
    });
  });

  it('[CB8] is lost where that cannot prepare it', async () => {
    const capabilities = [...CAPABILITIES, counter([], async () => ({ is: 'lost', why: 'No.' }))];
    await withTree(keeping, { capabilities }, async (tree) => {
      await tree.start();
      await tree.finish();
      await tree.rest();
      expect(countsOf(tree.state())).toEqual([]);
      expect(JSON.stringify(tree.transcript())).toContain('ada (task 1) has failed: The sub-agent scout is gone');
      expect(tree.addresses).toEqual([tree.address]);
    });
  });
});

it('[CB6, CB9] a capability answers calls and messages of its own', () =>
  withTree(counting, { capabilities: [...CAPABILITIES, counter([])] }, async (tree) => {
    await tree.run();
    const object = tree.world.object(tree.address);
    expect(await object.call({ kind: 'capability', capability: COUNTER })).toEqual({ ok: true, body: { sum: 42 } });
    const message = { type: 'capability', capability: COUNTER, message: {} } as const;
    expect(await object.call({ kind: 'agent', path: [], message })).toMatchObject({
      answer: 'done',
      body: { sum: 42 },
    });
  }));

/** Plays with a list of capabilities that the body of the test changes, as a deploy does. */
async function deployed(
  scripts: TreeParts['scripts'][string],
  body: (tree: Tree, deploy: (capabilities: readonly Capability[]) => void, confirmed: number[]) => Promise<void>,
): Promise<void> {
  const confirmed: number[] = [];
  const capabilities: Capability[] = [...CAPABILITIES, counter(confirmed)];
  const parts = (tree: Tree): TreeParts => ({ ...counting(tree), scripts: { top: scripts } });
  await withTree(parts, { capabilities }, (tree) =>
    body(
      tree,
      (next) => {
        capabilities.splice(0, capabilities.length, ...next);
        tree.crash();
      },
      confirmed,
    ),
  );
}

describe('a version that lacks a capability', () => {
  it('[CB9] refuses its calls and messages like those of a newer version', () =>
    withTree(counting, {}, async (tree) => {
      await tree.run();
      const object = tree.world.object(tree.address);
      const of = { capability: 'unknown' };
      expect(await object.call({ kind: 'capability', ...of })).toMatchObject({
        ok: false,
        error: { code: 'newer_format' },
      });
      const message = { type: 'capability', ...of, message: {} } as const;
      await expect(object.call({ kind: 'agent', path: [], message })).rejects.toMatchObject({ code: 'newer_format' });
    }));

  it('[A82, CB9] refuses a verb that the capability has, as its status document says', () =>
    withTree(counting, { capabilities: [counter([])] }, async (tree) => {
      await tree.run();
      const said = await ask(tree, 'status', {});
      expect(said).toMatchObject({
        ok: true,
        body: { controls: { fork: { code: 'capability_missing' }, send: true } },
      });
      expect(await ask(tree, 'fork', { name: 'two' })).toMatchObject({
        ok: false,
        error: { code: 'capability_missing' },
      });
    }));

  it('[CB3, CB7] begins nothing at an agent with rows of it, keeps them, and does the work once it is there again', async () => {
    await deployed([count(2), { text: 'Counted.' }], async (tree, deploy, confirmed) => {
      await tree.start();
      await tree.time.until(() => tree.ended);
      deploy(CAPABILITIES);
      expect(tree.send('Again')).toMatchObject({ ok: false, refused: { code: 'capability_missing' } });
      // Woken when the row is due, and 10 and 20 minutes later.
      await tree.time.pass(1_500_000);
      expect(countsOf(tree.state())).toMatchObject([{ sum: 2, dueAt: expect.any(Number) }]);
      expect(confirmed).toEqual([]);
      expect(tree.time.pending).toBe(1);
      deploy([...CAPABILITIES, counter(confirmed)]);
      const before = tree.time.now;
      await tree.rest();
      expect(confirmed).toEqual([2]);
      expect(tree.time.now - before).toBeLessThanOrEqual(600_000);
      expect(tree.send('Again')).toMatchObject({ ok: true });
    });
  });

  it('[CB3] fails a run that is at work, and keeps the rows', async () => {
    await deployed([count(2), { calls: [{ name: 'hang', input: {} }] }], async (tree, deploy) => {
      await tree.start();
      await tree.time.until(() => tree.bodies.size === 1);
      deploy(CAPABILITIES);
      await tree.time.until(() => tree.ended);
      expect(tree.outcome).toMatchObject({ status: 'failed', error: { code: 'capability_missing' } });
      expect(countsOf(tree.state())).toMatchObject([{ sum: 2 }]);
    });
  });
});
