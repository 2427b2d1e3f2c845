/** A tree that waits for a person: it costs nothing, and goes on where it stood, whatever comes in between. */

import { afterEach, describe, expect, it } from 'vitest';
import { formatsOf, type Migration } from '../../src/store/migrate';
import { deepWait } from '../support/control';
import { deployKnown, deployNext, KNOWN } from '../support/deploys';
import { examine } from '../support/examine';
import { type Tree, withTree } from '../support/harness';
import { People, yes } from '../support/people';

const TOP = '/agents/top/one';
const MIDDLE = `${TOP}/sub/middle/1~1`;
const LEAF = `${MIDDLE}/sub/inner/1~1/sub/leaf/1~1`;
const DAY_MS = 86_400_000;

/** What a next release adds. */
const NEXT: Migration = {
  tag: 'next',
  statements: ['CREATE TABLE `later` (`id` integer PRIMARY KEY NOT NULL);', 'INSERT INTO `later` (`id`) VALUES (1);'],
};
const NEXT_OF_AGENTS: Migration = { tag: 'next', statements: ['ALTER TABLE `steps` ADD COLUMN `label` text;'] };

/** The next release is deployed: whatever wakes from here on runs its steps. */
const deploy = (): void => deployNext({ agent: NEXT_OF_AGENTS, root: NEXT });

afterEach(deployKnown);

function level(tree: Tree, address: string, ladder: string): number {
  const storage = tree.world.storage(address);
  return storage === undefined ? 0 : (formatsOf(storage).get(ladder) ?? 0);
}

/** Everything leaves memory; somebody looks at the root, which wakes it. */
async function restart(tree: Tree): Promise<void> {
  tree.crash();
  tree.world.object(TOP);
  await tree.time.settle();
  await tree.time.pass(20_000);
}

/** What of a tree must not change while it waits. */
function still(tree: Tree) {
  const { step } = tree.state(LEAF);
  return {
    asked: tree.port.asked.length,
    bodies: [...tree.bodies.values()],
    log: tree.log.length,
    step: step && { id: step.id, number: step.number, attempt: step.attempt, phase: step.phase },
    places: tree.nodes.map(({ schedule }) => schedule.phase),
    waits: tree.pending.map(({ address, toolCallId }) => `${address} ${toolCallId}`),
  };
}

describe('a tree that waits', () => {
  it('[WT1, WT2, SU1] waits through eviction, restart and a migration, and goes on at the same step of the same child', async () => {
    await withTree(
      (tree) => deepWait(tree),
      {},
      async (tree) => {
        await tree.start();
        await tree.rest();
        const before = still(tree);
        const leaf = tree.state(LEAF).session.sessionId;
        expect(before.step).toEqual({ id: 2, number: 2, attempt: 1, phase: 'calls' });
        await restart(tree);
        await restart(tree);
        expect(still(tree)).toEqual(before);
        deploy();
        await restart(tree);
        expect(still(tree)).toEqual(before);
        expect(level(tree, TOP, 'root')).toBe(KNOWN.root + 1);
        expect(level(tree, LEAF, 'agent')).toBe(KNOWN.agent);
        const [gate] = tree.pending;
        if (gate === undefined) throw new Error('Nothing waits.');
        expect(await tree.soon(tree.answer(gate, yes(gate)))).toMatchObject({ ok: true });
        expect(level(tree, LEAF, 'agent')).toBe(KNOWN.agent + 1);
        await tree.rest();
        const [, waited, next] = tree.store(LEAF).steps({});
        expect(waited).toMatchObject({
          id: 2,
          number: 2,
          attempt: 1,
          calls: [{ settled: { result: { success: true } } }],
        });
        expect(next).toMatchObject({ id: 3, number: 3, attempt: 1 });
        await new People({}).attend(tree);
        examine(tree);
        expect(tree.outcome).toMatchObject({ output: 'Done.' });
        const ofLeaf = tree.port.asked.filter(({ agentType }) => agentType === 'leaf');
        expect(ofLeaf.map(({ sessionId, step, attempt }) => [sessionId, step, attempt])).toEqual(
          [1, 2, 3, 4].map((step) => [leaf, step, 1]),
        );
      },
    );
  });

  it('[WT3, B3, RT2] sets no timer and no alarm, has nobody at work, and writes nothing', async () => {
    await withTree(
      (tree) => deepWait(tree, true),
      {},
      async (tree) => {
        await tree.start();
        await tree.rest();
        const commits = tree.commits.length;
        const before = still(tree);
        expect([tree.time.pending, tree.port.working]).toEqual([0, 0]);
        expect(before.places).toEqual(['waiting', 'waiting', 'waiting', 'waiting']);
        expect(before.waits).toHaveLength(2);
        await tree.time.pass(30 * DAY_MS);
        expect([tree.commits.length, tree.time.pending]).toEqual([commits, 0]);
        expect(still(tree)).toEqual(before);
      },
    );
  });

  it('[WT4, TR5] stops no clock of its agents: after 30 days it is answered, and completes', async () => {
    await withTree(
      (tree) => deepWait(tree),
      {},
      async (tree) => {
        await tree.start();
        for (let wait = 0; wait < 2; wait++) {
          await tree.rest();
          await tree.time.pass(30 * DAY_MS);
          const [next] = tree.pending;
          if (next === undefined) throw new Error('Nothing waits.');
          expect(await tree.soon(tree.answer(next, yes(next)))).toMatchObject({ ok: true });
        }
        await tree.finish();
        examine(tree);
        expect(tree.outcome).toMatchObject({ output: 'Done.' });
      },
    );
  });

  it('[WT5, AN3, RT2] has the alarm of its answer alone, which rings after a crash without anybody asking', async () => {
    await withTree(
      (tree) => deepWait(tree, false, 3 * DAY_MS),
      {},
      async (tree) => {
        await tree.start();
        await tree.time.pass(60_000);
        expect(tree.time.pending).toBe(1);
        const before = still(tree);
        await tree.time.pass(2 * DAY_MS);
        tree.crash();
        await tree.time.pass(DAY_MS - 60_000 - 1);
        expect(tree.time.pending).toBe(1);
        expect(still(tree)).toEqual(before);
        await tree.time.pass(60_000);
        const [, waited] = tree.store(LEAF).steps({});
        expect(waited).toMatchObject({ calls: [{ settled: { result: { error: { code: 'approval_expired' } } } }] });
        expect(tree.pending.map(({ item }) => item.toolName)).toEqual(['look']);
        tree.crash();
        await tree.time.pass(3 * DAY_MS + 60_000);
        const [, , late] = tree.store(LEAF).steps({});
        expect(late).toMatchObject({ calls: [{ settled: { result: { error: { code: 'client_tool_timeout' } } } }] });
        await tree.finish();
        examine(tree);
        expect(tree.outcome).toMatchObject({ output: 'Done.' });
      },
    );
  });
});
