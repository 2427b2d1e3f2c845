/**
 * A sub-agent with an object of its own that begins after its tree, or the agent above it, was deleted: nobody waits for
 * it, nobody would ever erase it, and it has an alarm of its own.
 */
import { describe, expect, it } from 'vitest';
import { pause } from '../../src/engine/environment';
import { removeTree } from '../../src/engine/root/removal';
import { inObjects } from '../support/alone';
import { kidWaits, leafWaits } from '../support/control';
import type { Make } from '../support/crashes';
import { type Tree, withTree } from '../support/harness';
import { figures, sample } from '../support/sizes';
import { threeLevels } from '../support/trees';

/** Commits of each case at which `npm test` lets the message through; a night tries all. */
const MOST = 3;
/** More than any case has. */
const LAST = 10_000;

let tried = 0;
figures('orphans', () => `${tried} trees deleted before a sub-agent began`);

/** What is deleted while a task is held on its way. */
const DELETED: Readonly<Record<string, (tree: Tree, held: string) => Promise<unknown>>> = {
  'the tree': (tree) => removeTree(tree.world.object(tree.address)),
  'the agent itself': (tree, held) => tree.remove(held),
  'the agent above it': (tree, held) => {
    const above = held.slice(0, held.lastIndexOf('/sub/'));
    return above === tree.address ? removeTree(tree.world.object(tree.address)) : tree.remove(above);
  },
};

interface Held {
  /** The address of the agent whose task was held; undefined where there were fewer. */
  readonly address: string | undefined;
  /** Commits after the deletion was begun. */
  readonly commits: number;
}

/**
 * Runs three levels of objects, holds the task of the `which`th sub-agent, deletes, and lets the task through after so many
 * further commits, or at last when nothing else happens. Checks that nobody is left.
 */
async function deleted(what: string, which: number, after: number, crash = false): Promise<Held> {
  let tasks = 0;
  let address: string | undefined;
  let through = (): void => undefined;
  const open = new Promise<void>((resolve) => {
    through = resolve;
  });
  let since = Number.NaN;
  const network = async <Answer>(to: string, call: object, perform: () => Promise<Answer>): Promise<Answer> => {
    if (JSON.stringify(call).includes('"type":"assign"') && 'path' in call && ++tasks === which) {
      address = to;
      await open;
    }
    return perform();
  };
  const onCommit = (tree: Tree, commit: number): void => {
    if (commit - since !== after) return;
    through();
    // The message is there; the root is lost before it hears of it.
    if (crash) tree.world.evict(tree.address);
  };
  const make: Make = inObjects((tree) => threeLevels(tree));
  return withTree(make, { network, onCommit }, async (tree) => {
    await tree.start();
    await tree.time.until(() => address !== undefined || tree.ended);
    if (address === undefined) return { address, commits: 0 };
    since = tree.commits.length;
    DELETED[what]?.(tree, address).catch(() => undefined);
    await tree.time.drain();
    through();
    await tree.time.drain();
    tried++;
    const where = `${address} after ${after} commits`;
    expect(tree.time.pending, where).toBe(0);
    // A deletion that was lost with its root before anything left the record did not happen.
    const isThere = tree.addresses.includes(tree.address);
    expect(isThere && what === 'the tree', where).toBe(false);
    const known = new Set(isThere ? tree.nodes.map((node) => node.address) : []);
    expect(
      tree.addresses.filter((one) => !known.has(one)),
      where,
    ).toEqual([]);
    if (!crash) expect(tree.addresses, where).not.toContain(address);
    return { address, commits: tree.commits.length - since };
  });
}

describe.each(Object.keys(DELETED))('a sub-agent that begins after %s was deleted', (what) => {
  it('[OP10] erases itself, whenever its task comes: no alarm and no store of it is left', async () => {
    for (let which = 1; ; which++) {
      const { address, commits } = await deleted(what, which, LAST);
      if (address === undefined) break;
      expect(commits).toBeGreaterThan(0);
      for (const after of sample(commits, MOST, which)) await deleted(what, which, after);
    }
  });

  it('[OP10] erases itself also where its root is lost in that moment', async () => {
    for (let which = 1; ; which++) {
      const { address, commits } = await deleted(what, which, LAST);
      if (address === undefined) break;
      for (const after of sample(commits, MOST, which)) await deleted(what, which, after, true);
    }
  });
});

/** Holds what gives the sub-agents of a class their tasks until `through` is called. */
function holding(className: string) {
  const held = { address: '', through: (): void => undefined };
  const open = new Promise<void>((resolve) => {
    held.through = resolve;
  });
  const network = async <Answer>(to: string, call: object, perform: () => Promise<Answer>): Promise<Answer> => {
    if (JSON.stringify(call).includes('"type":"assign"') && to.includes(`/sub/${className}/`)) {
      held.address = to;
      await open;
    }
    return perform();
  };
  return { held, network };
}

describe('a sub-agent whose task comes late', () => {
  it('[OP10] while the objects of its tree are erased does not begin unseen, and then wait for a person for ever', async () => {
    const { held, network } = holding('leaf');
    await withTree(inObjects(leafWaits), { network }, async (tree) => {
      await tree.start();
      await tree.time.until(() => held.address !== '');
      const { object } = tree.world.object(tree.address).ports.transports;
      const { remove } = object;
      object.remove = async (child) => {
        await remove(child);
        await pause(tree.time.environment, 1_000);
        held.through();
        await pause(tree.time.environment, 1_000);
      };
      const removed = removeTree(tree.world.object(tree.address));
      await tree.time.drain();
      await removed;
      expect(tree.addresses).toEqual([]);
    });
  });

  it('[OP10] after it was given up has no alarm, and stays to be read until it leaves the record', async () => {
    const { held, network } = holding('kid');
    await withTree(inObjects(kidWaits), { network }, async (tree) => {
      await tree.start();
      await tree.finish();
      expect(tree.nodes).toMatchObject([{}, { address: held.address, schedule: { phase: 'ended' } }]);
      held.through();
      await tree.time.drain();
      expect(tree.addresses).toContain(held.address);
      expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
      await removeTree(tree.world.object(tree.address));
      await tree.time.drain();
      expect(tree.addresses).toEqual([]);
    });
  });
});
