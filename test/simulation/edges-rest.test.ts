/** Agents at rest: what is done to a sub-agent while it or its parent is interrupted or waits, and how both go on. */
import { describe, expect, it } from 'vitest';
import { cells, kidOf, kidsOf, kidWaits, leafWaits, results, slowKids, waitingCall } from '../support/control';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { People, yes } from '../support/people';
import { COMPLETED } from '../support/trees';

const phases = (tree: Tree) => tree.nodes.map(({ schedule }) => schedule.phase);

/** Starts a tree, runs until its child waits for a person, and interrupts the whole. */
async function interrupted(tree: Tree): Promise<void> {
  await tree.start();
  await tree.rest();
  expect(tree.pending).toHaveLength(1);
  expect(tree.stop('interrupt')).toBe(true);
  await tree.rest();
  expect(tree.outcome.status).toBe('interrupted');
  expect(kidOf(tree).status).toBe('interrupted');
}

describe('a sub-agent of an interrupted parent', () => {
  it('[SP10, CS1, RS1] that is ended for good is drained when its parent goes on', () =>
    withTree(kidWaits, {}, async (tree) => {
      await interrupted(tree);
      expect(await tree.stopAt(kidOf(tree).address, 'terminate')).toMatchObject({ ok: true });
      await tree.rest();
      expect(kidOf(tree).status).toBe('terminated');
      expect(await tree.resume()).toBe(true);
      await tree.finish();
      expect(tree.outcome).toMatchObject(COMPLETED);
      expect(results(tree)).toEqual([expect.stringContaining('"success":false')]);
      expect(tree.port.asked.filter(({ agentType }) => agentType === 'kid')).toHaveLength(1);
    }));

  it('[A17, CS1, RS1] that is deleted is not begun again, and nothing of it waits for an answer', () =>
    withTree(kidWaits, {}, async (tree) => {
      await interrupted(tree);
      await tree.remove(kidOf(tree).address);
      await tree.rest();
      expect(kidsOf(tree)).toEqual([]);
      expect(await tree.resume()).toBe(true);
      await tree.finish();
      expect(tree.outcome).toMatchObject(COMPLETED);
      expect(tree.pending).toEqual([]);
      expect(tree.port.asked.filter(({ agentType }) => agentType === 'kid')).toHaveLength(1);
    }));

  it('[SP10, RS1, CS7] that was interrupted with it is left so by an abort, and goes on with it', () =>
    withTree(
      (tree) => slowKids(tree, 1),
      {},
      async (tree) => {
        await tree.start();
        await tree.time.pass(2_000);
        expect(tree.stop('interrupt')).toBe(true);
        await tree.rest();
        expect(await tree.stopAt(kidOf(tree).address, 'abort')).toMatchObject({ ok: true });
        await tree.rest();
        expect(kidOf(tree).status).toBe('interrupted');
        await tree.resume();
        await tree.finish();
        expect(tree.outcome).toMatchObject(COMPLETED);
        expect(results(tree)).toEqual([expect.stringContaining('"success":true')]);
      },
    ));

  it('[RS5, CS8, US2] is closed by a new start with what it had spent', () =>
    withTree(
      (tree) => leafWaits(tree),
      {},
      async (tree) => {
        await interrupted(tree);
        await tree.start('second');
        await tree.finish();
        const ends = tree.log.flatMap(({ chunk }) => (chunk.type === 'subagent_end' ? [chunk] : []));
        const ofKid = ends.filter(({ subAgentType }) => subAgentType === 'kid');
        expect(ofKid).toMatchObject([{ error: { code: 'superseded' }, usage: { modelCalls: 1 } }]);
      },
    ));
});

describe('an interrupted sub-agent', () => {
  it('[DL5] takes no message: it is refused with `owned_by_parent`, and nothing changes', () =>
    withTree(
      (tree) => slowKids(tree, 1),
      {},
      async (tree) => {
        await tree.start();
        await tree.time.pass(2_000);
        const { address } = kidOf(tree);
        expect(await tree.stopAt(address, 'interrupt')).toMatchObject({ ok: true });
        await tree.rest();
        expect(kidOf(tree).status).toBe('interrupted');
        const before = { state: tree.state(address), log: tree.log, commits: tree.commits.length };
        expect(tree.send('Go on.', address)).toMatchObject({ ok: false, refused: { code: 'owned_by_parent' } });
        await tree.rest();
        expect({ state: tree.state(address), log: tree.log, commits: tree.commits.length }).toEqual(before);
        expect(await tree.resume(address)).toBe(true);
        await tree.finish();
        expect(tree.outcome).toMatchObject(COMPLETED);
      },
    ));

  it('[A17, CS7, SU4] goes on after what it waited for below was deleted', () =>
    withTree(
      (tree) => leafWaits(tree),
      {},
      async (tree) => {
        await tree.start();
        await tree.rest();
        const { address } = kidOf(tree);
        await tree.stopAt(address, 'interrupt');
        await tree.rest();
        expect(kidOf(tree).status).toBe('interrupted');
        await tree.remove(kidOf(tree, 'leaf').address);
        await tree.rest();
        expect(await tree.resume(address)).toBe(true);
        await tree.finish();
        expect(tree.outcome).toMatchObject(COMPLETED);
        expect(tree.pending).toEqual([]);
      },
    ));
});

describe('a sub-agent that waits for a person', () => {
  it('[A17, SU4] lets everybody above it go on when it is deleted', () =>
    withTree(
      (tree) => leafWaits(tree),
      {},
      async (tree) => {
        await tree.start();
        await tree.rest();
        expect(phases(tree)).toEqual(['waiting', 'waiting', 'waiting']);
        await tree.remove(kidOf(tree, 'leaf').address);
        await tree.finish();
        expect(tree.outcome).toMatchObject(COMPLETED);
        expect(tree.pending).toEqual([]);
      },
    ));

  it('[WT7, SU5, WT3] is known to wait by all above it, wherever a crash comes before', async () => {
    const make = (tree: Tree): TreeParts => leafWaits(tree);
    const calm = await withTree(make, {}, async (tree) => {
      await tree.start();
      await tree.rest();
      return { commits: tree.commits.length, stands: tree.nodes.map(({ status }) => status) };
    });
    expect(calm.stands.slice(0, 2)).toEqual(['suspended_awaiting_children', 'suspended_awaiting_children']);
    for (let crash = 2; crash <= calm.commits; crash++)
      await withTree(make, { crashAt: new Set([crash]) }, async (tree) => {
        // A start whose answer was lost had been committed: the first commits make the root.
        await tree.start().catch(() => tree.world.object(tree.address));
        await tree.rest();
        expect(tree.crashes, `crash at ${crash}`).toBe(1);
        expect(
          tree.nodes.map(({ status }) => status),
          `crash at ${crash}`,
        ).toEqual(calm.stands);
        expect(phases(tree), `crash at ${crash}`).toEqual(['waiting', 'waiting', 'waiting']);
        expect(tree.pending, `crash at ${crash}`).toHaveLength(1);
      });
  });

  it('[WT7, DL3, RC5] hands its end to all above it, wherever a crash comes after the answer', async () => {
    const make = (tree: Tree): TreeParts => leafWaits(tree);
    async function answered(crashAt: ReadonlySet<number>) {
      return withTree(make, { crashAt }, async (tree) => {
        await tree.start();
        await tree.rest();
        const waited = tree.commits.length;
        await new People({}).attend(tree);
        expect(tree.outcome).toMatchObject(COMPLETED);
        expect(phases(tree)).toEqual(['ended', 'ended', 'ended']);
        return { waited, commits: tree.commits.length, crashes: tree.crashes };
      });
    }
    const calm = await answered(new Set());
    for (let crash = calm.waited + 1; crash <= calm.commits; crash++)
      expect(await answered(new Set([crash]))).toMatchObject({ crashes: 1 });
  });
});

describe('a sub-agent that was stopped for the wait of its parent', () => {
  const anew = (tree: Tree) => cells(tree, { rule: 'respawn', ways: ['slow'], thinksMs: 5_000, limits: {} });

  async function failedForItsParent(tree: Tree): Promise<string> {
    await tree.start();
    await tree.time.pass(20_000);
    expect(kidOf(tree)).toMatchObject({ status: 'failed' });
    return kidOf(tree).address;
  }

  it('[CS6, A17] stays away when it was deleted, and would have been started anew', () =>
    withTree(anew, {}, async (tree) => {
      await tree.remove(await failedForItsParent(tree));
      void tree.answer(waitingCall(tree), yes(waitingCall(tree)));
      await tree.finish();
      expect(kidsOf(tree)).toEqual([]);
      expect(tree.outcome).toMatchObject(COMPLETED);
    }));

  it('[CS6, SP10] is never started anew when it was ended for good', () =>
    withTree(anew, {}, async (tree) => {
      void tree.stopAt(await failedForItsParent(tree), 'terminate');
      await tree.time.pass(1_000);
      expect(kidOf(tree).status).toBe('terminated');
      void tree.answer(waitingCall(tree), yes(waitingCall(tree)));
      await tree.finish();
      expect(kidsOf(tree)).toHaveLength(1);
      expect(tree.outcome).toMatchObject(COMPLETED);
    }));

  it('[CS2, SP10, AN6] does not go on from its pause when it was ended for good, also with an interrupt on top', () =>
    withTree(
      (tree) => cells(tree, { rule: 'pause', ways: ['slow'], thinksMs: 5_000, limits: {} }),
      {},
      async (tree) => {
        await tree.start();
        await tree.time.pass(20_000);
        expect(kidOf(tree).status).toBe('interrupted');
        void tree.stopAt(kidOf(tree).address, 'terminate');
        await tree.time.pass(1_000);
        expect(tree.stop('interrupt')).toBe(true);
        await tree.rest();
        await tree.resume();
        await tree.time.pass(1_000);
        void tree.answer(waitingCall(tree), yes(waitingCall(tree)));
        await tree.finish();
        expect(kidOf(tree).status).toBe('terminated');
        expect(tree.outcome).toMatchObject(COMPLETED);
      },
    ));
});
