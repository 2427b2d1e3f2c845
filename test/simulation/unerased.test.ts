/**
 * Objects of sub-agents that cannot be erased, or only late: they are tried one at a time and ever less often, hold up
 * nobody else, and are not forgotten.
 */
import { describe, expect, it } from 'vitest';
import { pause } from '../../src/engine/environment';
import { removeTree } from '../../src/engine/root/removal';
import { inObjects } from '../support/alone';
import { type Tree, type TreeOptions, withTree } from '../support/harness';
import { threeLevels } from '../support/trees';

const DAY_MS = 86_400_000;
/** How long one that hangs takes to fail, in ms. */
const HANGS_MS = 30_000;
/** With delays of 5 minutes in the end, in half a day. */
const MOST_TRIES = 12 * 12 + 10;

/** Three levels of objects, of which the root keeps those of its latest turn alone. */
const make = inObjects((tree) => threeLevels(tree, { keepRuns: 1 }));

/** Two turns of it: those that the root began in the first have left the record. */
async function twoTurns(tree: Tree, between: (first: string) => void): Promise<string> {
  await tree.run();
  const first = `${tree.address}/sub/middle/1~1`;
  between(first);
  await tree.start('Again');
  await tree.time.until(() => tree.ended);
  return first;
}

/** How often an object was to be erased, which fails until it is `free`; it is the same over losses of memory. */
function unerased(tree: Tree, address: string): { tries: number; free: boolean } {
  const stuck = { tries: 0, free: false };
  const remove = tree.world.remove.bind(tree.world);
  tree.world.remove = (at) => {
    if (at === address) stuck.tries++;
    if (at === address && !stuck.free) throw new Error('It cannot be erased.');
    remove(at);
  };
  return stuck;
}

const reports = (tree: Tree): string[] => tree.time.problems.filter((problem) => problem.includes('cannot be erased'));

/** Lets a day pass, losing all memory on the way; what is stuck is tried seldom. Then it can be erased, and nothing stays. */
async function passesADay(tree: Tree, stuck: { tries: number; free: boolean }): Promise<void> {
  for (const part of [1, 2]) {
    await tree.time.pass(DAY_MS / 2);
    tree.crash();
    expect(stuck.tries, `half ${part}`).toBeLessThan(MOST_TRIES * part);
    expect(stuck.tries, `half ${part}`).toBeGreaterThan(10);
  }
  stuck.free = true;
  // Nothing but the alarm of the root brings it back.
  await tree.time.drain();
}

describe('an object whose removal hangs', () => {
  it.each([
    { what: 'left the record with its turn', isDeleted: false },
    { what: 'was deleted', isDeleted: true },
  ])('[OP12] is asked for once at a time, and holds up another one for its own time at most: it $what', async (how) => {
    await withTree(make, {}, async (tree) => {
      let [hanging, most, tries] = [0, 0, 0];
      const hangs = (address: string): void => {
        const { object } = tree.world.object(tree.address).ports.transports;
        const { remove } = object;
        object.remove = async (child) => {
          if (child.address !== address) return remove(child);
          tries++;
          most = Math.max(most, ++hanging);
          await pause(tree.time.environment, HANGS_MS);
          hanging--;
          throw new Error('It was not erased in time.');
        };
      };
      const first = await twoTurns(tree, (address) => !how.isDeleted && hangs(address));
      const [one = '', other = ''] = tree.nodes.flatMap(({ agentType, address }) =>
        agentType === 'middle' ? [address] : [],
      );
      if (how.isDeleted) {
        hangs(one);
        void tree.remove(one);
      } else expect(tree.addresses).toContain(first);
      await tree.time.pass(60_000);
      const before = tries;
      await tree.time.until(() => tries > before);
      await tree.time.pass(25_000);
      expect(hanging).toBe(1);
      expect(tree.addresses).toContain(other);
      const from = tree.time.now;
      await tree.soon(tree.remove(other));
      expect(tree.addresses).not.toContain(other);
      expect(tree.time.now - from).toBeLessThan(HANGS_MS);
      expect(most).toBe(1);
    });
  });

  it('[OP11] is removed by the alarm of the root where that loses its memory meanwhile', async () => {
    await withTree(make, {}, async (tree) => {
      const first = await twoTurns(tree, (address) => {
        const { object } = tree.world.object(tree.address).ports.transports;
        const { remove } = object;
        object.remove = (child) => (child.address === address ? new Promise(() => undefined) : remove(child));
      });
      await tree.time.pass(60_000);
      expect(tree.addresses).toContain(first);
      tree.crash();
      await tree.time.drain();
      expect(tree.addresses).not.toContain(first);
    });
  });

  it('[OP12] holds up none at another parent for longer than until the next alarm', async () => {
    let asked = 0;
    const network: TreeOptions['network'] = (address, call, perform) => {
      const hangs = address.endsWith('/sub/middle/1~1') && call.kind === 'agent' && call.message.type === 'remove';
      if (hangs) asked++;
      return hangs ? new Promise<never>(() => undefined) : perform();
    };
    await withTree(make, { network }, async (tree) => {
      await tree.run();
      const leaf = (middle: string) => `${tree.address}/sub/middle/${middle}/sub/leaf/1~1`;
      void tree.remove(leaf('1~1'));
      await tree.time.settle();
      void tree.remove(leaf('2~1'));
      await tree.time.pass(5_000);
      expect(tree.world.object(tree.address).tree?.pendingRemovals).toEqual([leaf('1~1')]);
      await tree.time.pass(54_999);
      expect(asked).toBe(1);
      // One that does not answer within 60 s is asked once more, ever less often (RM8).
      await tree.time.pass(3_600_000);
      expect(asked).toBeGreaterThan(5);
      expect(asked).toBeLessThan(20);
    });
  });
});

describe('an object that cannot be erased', () => {
  it('[OP13, OP6] below a deleted agent is tried ever less often, reported once, and holds up no other', async () => {
    await withTree(make, {}, async (tree) => {
      await tree.run();
      const middle = `${tree.address}/sub/middle/1~1`;
      const leaf = `${middle}/sub/leaf/1~1`;
      const stuck = unerased(tree, leaf);
      await tree.soon(tree.remove(middle));
      await tree.time.pass(1_000);
      expect(tree.addresses.filter((at) => at.startsWith(middle))).toEqual([leaf]);
      await passesADay(tree, stuck);
      expect(reports(tree)).toHaveLength(1);
      expect(tree.addresses).toHaveLength(4);
      expect(tree.world.object(tree.address).tree?.unerased).toEqual([]);
    });
  });

  it('[OP13, OP6] of a deleted tree is tried ever less often, reported once, and holds up no other', async () => {
    await withTree(make, {}, async (tree) => {
      await tree.run();
      const leaf = `${tree.address}/sub/middle/1~1/sub/leaf/1~1`;
      const stuck = unerased(tree, leaf);
      await tree.soon(removeTree(tree.world.object(tree.address)));
      expect(tree.addresses).toEqual([tree.address, leaf]);
      await passesADay(tree, stuck);
      expect(reports(tree)).toHaveLength(1);
      expect(tree.addresses).toEqual([]);
    });
  });

  it('[OP13] of a deleted tree is tried at once where the deletion is repeated', async () => {
    await withTree(make, {}, async (tree) => {
      await tree.run();
      const stuck = unerased(tree, `${tree.address}/sub/middle/1~1/sub/leaf/1~1`);
      const deleted = () => tree.soon(removeTree(tree.world.object(tree.address), 'key'));
      await deleted();
      await tree.time.pass(3_600_000);
      const { tries } = stuck;
      await deleted();
      expect(stuck.tries).toBe(tries + 1);
      stuck.free = true;
      const from = tree.time.now;
      await deleted();
      await tree.time.pass(0);
      expect(tree.addresses).toEqual([]);
      expect(tree.time.now).toBe(from);
    });
  });

  it('[OP13, OP11] of a child of the root that has left the record is tried ever less often', async () => {
    await withTree(make, {}, async (tree) => {
      let stuck = { tries: 0, free: false };
      const first = await twoTurns(tree, (address) => {
        stuck = unerased(tree, address);
      });
      await passesADay(tree, stuck);
      expect(tree.addresses).not.toContain(first);
      expect(tree.addresses).toHaveLength(7);
    });
  });

  it('[OP13, OP6] of a child of the root that has left the record goes before its tree is gone', async () => {
    await withTree(make, {}, async (tree) => {
      let stuck = { tries: 0, free: false };
      const first = await twoTurns(tree, (address) => {
        stuck = unerased(tree, address);
      });
      await tree.soon(removeTree(tree.world.object(tree.address)));
      expect(tree.addresses).toEqual([tree.address, first]);
      stuck.free = true;
      await tree.time.drain();
      expect(tree.addresses).toEqual([]);
    });
  });
});
