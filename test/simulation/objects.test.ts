/** Trees whose sub-agents live in objects of their own: crashes of everything, and losses of one process alone. */
import { describe, expect, it } from 'vitest';
import { removeTree } from '../../src/engine/root/removal';
import { inObjects } from '../support/alone';
import { kidWaits, waitingCall } from '../support/control';
import { crashed, type Make, ran, SCENARIOS, tellRuns } from '../support/crashes';
import { type Tree, withTree } from '../support/harness';
import { yes } from '../support/people';
import { inTurn, moments, onceEach } from '../support/sizes';
import { threeLevels } from '../support/trees';

/** So many commits of a scenario are crashed at with `npm test`. */
const MOST = 4;
/** So many are followed by a loss of one object, each of another one by turns. */
const MOST_LOSSES = 6;

tellRuns('objects of their own');

const make: Make = inObjects((tree) => threeLevels(tree));

/** Objects of their own of which none is lost: once for all that is compared with them. */
const calmly = onceEach((facets: Make) => ran(inObjects(facets)));

describe.each(SCENARIOS.map((scenario, at) => ({ ...scenario, at })))('objects: $name', ({ make: facets, at }) => {
  it('[OP1] end as facets do, also after a crash at any one commit', async () => {
    const calm = await crashed(facets, []);
    const apart = await calmly(facets);
    expect(apart.problems).toEqual([]);
    expect(apart.transcripts).toEqual(calm.transcripts);
    for (const commit of moments(apart.kinds, MOST, at)) {
      const found = await crashed(inObjects(facets), [commit]);
      expect(found.transcripts, `commit ${commit}`).toEqual(calm.transcripts);
    }
  });

  it('[OP3] end as facets do where one object alone is lost after any one commit', async () => {
    const calm = await calmly(facets);
    for (const [turn, commit] of moments(calm.kinds, MOST_LOSSES, at + 1).entries()) {
      for (const which of inTurn([0, 1, 2], at + turn)) {
        const options = {
          onCommit: (tree: Parameters<Make>[0], done: number) => {
            const all = done === commit ? tree.world.addresses() : [];
            const address = all[which === 0 ? 0 : which === 1 ? all.length - 1 : Math.floor(all.length / 2)];
            if (address !== undefined) tree.world.evict(address);
          },
        };
        const what = `commit ${commit}, object ${which}`;
        const found = await ran(inObjects(facets), options, what);
        expect(found.transcripts, what).toEqual(calm.transcripts);
      }
    }
  });
});

describe.each(SCENARIOS.map((scenario, at) => ({ ...scenario, at })))('facets: $name', ({ make: facets, at }) => {
  it('[OP3] end the same where the object above them alone leaves memory after any one commit', async () => {
    const calm = await crashed(facets, []);
    let below = 0;
    for (const [turn, commit] of moments(calm.kinds, MOST_LOSSES, at + 2).entries()) {
      for (const level of inTurn([0, 1], at + turn)) {
        const onCommit = (tree: Tree, done: number): void => {
          if (done !== commit) return;
          const all = tree.world.addresses();
          const above = all.find((address) => address.split('/sub/').length === level + 1);
          if (above === undefined) return;
          const before = all.map((address) => tree.world.object(address));
          tree.world.evict(above, true);
          expect(all.filter((address, index) => tree.world.object(address) !== before[index])).toEqual([above]);
          below += all.length - 1;
        };
        const what = `commit ${commit}, level ${level}`;
        const found = await ran(facets, { onCommit }, what);
        expect(found.transcripts, what).toEqual(calm.transcripts);
      }
    }
    expect(below > 0).toBe(Object.keys(calm.transcripts).length > 1);
  });
});

describe('an object of its own', () => {
  it('[OP1] is shown as one, at the address that a facet would have', async () => {
    await withTree(make, {}, async (tree) => {
      await tree.run();
      const leaf = `${tree.address}/sub/middle/1~1/sub/leaf/1~1`;
      expect(tree.addresses).toContain(leaf);
      expect(tree.nodes.flatMap((node) => (node.kind === 'child' ? [node.placement] : []))).toEqual(
        Array.from({ length: 6 }, () => 'object'),
      );
      expect(tree.log.filter(({ chunk }) => chunk.type === 'subagent_start')).toHaveLength(6);
      for (const { chunk } of tree.log) if (chunk.type === 'subagent_start') expect(chunk.placement).toBe('object');
    });
  });
});

describe('the alarm of an object', () => {
  it('[OP5] L30: takes up its work after its loss, also while its root cannot be reached', async () => {
    let cut = false;
    const network = async <Answer>(_at: string, call: object, perform: () => Promise<Answer>): Promise<Answer> => {
      if (cut && !JSON.stringify(call).includes('"kind":"verb"')) throw new Error('Nobody is reached.');
      return perform();
    };
    const leafOf = (tree: Tree) => `${tree.address}/sub/middle/1~1/sub/leaf/1~1`;
    // Right after its first commit: from then on nobody but its own alarm brings it back.
    const onCommit = (tree: Tree): void => {
      if (cut || tree.crashes > 0 || !tree.addresses.includes(leafOf(tree))) return;
      cut = true;
      tree.crashes++;
      tree.world.evict(leafOf(tree));
    };
    await withTree(make, { network, onCommit }, async (tree) => {
      await tree.start();
      await tree.time.until(() => cut);
      const epoch = () => tree.state(leafOf(tree)).run?.epoch;
      expect(epoch()).toBe(1);
      await tree.time.until(() => epoch() === 2);
      cut = false;
      await tree.finish();
      expect(tree.outcome).toMatchObject({ status: 'completed' });
    });
  });

  it('[OP5] rings no more where it waits for a person, or is done', async () => {
    await withTree(inObjects(kidWaits), {}, async (tree) => {
      await tree.start();
      await tree.rest();
      expect(tree.pending).toHaveLength(1);
      expect(tree.time.pending).toBe(0);
      await tree.answer(waitingCall(tree), yes(waitingCall(tree)));
      await tree.finish();
      expect(tree.time.pending).toBe(0);
    });
  });
});

describe('the objects of what goes', () => {
  /** Objects that the world still has. */
  const objects = (tree: Tree): string[] => tree.world.addresses().filter((at) => at.includes('/sub/'));

  /** Loses the removals of objects while `lost` says so, and counts those that came. */
  function watched(tree: Tree, isLost: (address: string) => boolean): { readonly erased: string[] } {
    const erased: string[] = [];
    const { object } = tree.world.object(tree.address).ports.transports;
    const { remove } = object;
    object.remove = async (child) => {
      if (isLost(child.address)) throw new Error('Lost.');
      erased.push(child.address);
      await remove(child);
    };
    return { erased };
  }

  it('[OP6] below a deleted agent are erased by the root, once they can be reached, also after a crash', async () => {
    await withTree(make, {}, async (tree) => {
      await tree.run();
      expect(objects(tree)).toHaveLength(6);
      const middle = `${tree.address}/sub/middle/1~1`;
      watched(tree, () => true);
      await tree.remove(middle).catch(() => undefined);
      await tree.time.pass(1_000);
      expect(objects(tree)).toContain(`${middle}/sub/leaf/1~1`);
      tree.crash();
      tree.world.object(tree.address);
      await tree.time.drain();
      expect(objects(tree).filter((at) => at.startsWith(middle))).toEqual([]);
      expect(objects(tree)).toHaveLength(3);
      expect(tree.world.object(tree.address).tree?.unerased).toEqual([]);
    });
  });

  it('[OP6, A17] below a deleted agent are erased once each', async () => {
    await withTree(make, {}, async (tree) => {
      await tree.run();
      const middle = `${tree.address}/sub/middle/1~1`;
      const { erased } = watched(tree, () => false);
      await tree.remove(middle);
      await tree.time.drain();
      expect(erased.length).toBeGreaterThan(1);
      expect(new Set(erased).size).toBe(erased.length);
    });
  });

  it('[OP6] of a deleted tree are erased before the tree is', async () => {
    await withTree(make, {}, async (tree) => {
      await tree.run();
      let lost = true;
      watched(tree, () => lost);
      const root = tree.world.object(tree.address);
      await removeTree(root);
      expect(objects(tree)).toHaveLength(6);
      expect(root.tree?.self()?.top.removing).toBeDefined();
      lost = false;
      await tree.time.drain();
      expect(objects(tree)).toEqual([]);
    });
  });

  it('[OP11] that could not be removed when they left the record are removed by the alarm of the root', async () => {
    const short = inObjects((tree) => threeLevels(tree, { keepRuns: 1 }));
    await withTree(short, {}, async (tree) => {
      await tree.run();
      const before = objects(tree).filter((at) => at.split('/sub/').length === 2);
      let isLost = true;
      watched(tree, (address) => isLost && before.includes(address));
      await tree.start('Again');
      await tree.time.until(() => tree.ended);
      await tree.time.pass(1_000);
      expect(objects(tree)).toEqual(expect.arrayContaining(before));
      isLost = false;
      await tree.time.drain();
      expect(objects(tree).filter((at) => before.includes(at))).toEqual([]);
    });
  });

  it('[OP6] are erased with what retention does not keep', async () => {
    const short = inObjects((tree) => threeLevels(tree, { keepRuns: 1 }));
    await withTree(short, {}, async (tree) => {
      await tree.run();
      const before = new Set(objects(tree));
      await tree.run('Again');
      await tree.time.drain();
      expect(objects(tree).filter((at) => before.has(at))).toEqual([]);
      expect(tree.time.problems).toEqual([]);
    });
  });
});
