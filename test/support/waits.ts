/** Trees that wait, and how long after that something of them was set, called or rung last. */
import { expect } from 'vitest';
import { Tree, type TreeParts } from './harness';

export const MINUTE_MS = 60_000;
/** The platform takes what was idle for so long, in ms; and all is gone after so long. */
const IDLE_MS = 10_000;
export const GONE_MS = 13_000;
const SLICE_MS = 100;

/** A tree, and what is done until it waits. */
export interface Kind {
  readonly name: string;
  readonly parts: (tree: Tree) => TreeParts;
  readonly until: (tree: Tree) => Promise<unknown>;
}

export const suspended = (tree: Tree) => tree.time.until(() => tree.nodes[0]?.status.startsWith('suspended') === true);

export const finished = (tree: Tree) => tree.time.until(() => tree.ended);

/** When something was set, asked or rung last, in ms after the wait has begun, and what that was. */
async function lastHeld(tree: Tree): Promise<{ readonly lastMs: number; readonly by: readonly string[] }> {
  let lastMs = 0;
  let by: readonly string[] = [];
  for (let ms = SLICE_MS; ms <= GONE_MS; ms += SLICE_MS) {
    const before = tree.world.activity(tree.address);
    await tree.time.pass(SLICE_MS);
    const now = tree.world.holding(tree.address);
    if (now.length > 0 || tree.world.activity(tree.address) !== before) [lastMs, by] = [ms, now];
  }
  return { lastMs, by };
}

/** No object of it is in memory 13 s after the wait has begun. */
export async function leavesMemory({ parts, until }: Kind): Promise<void> {
  const tree = new Tree(parts);
  try {
    await tree.start();
    await until(tree);
    const { lastMs, by } = await lastHeld(tree);
    expect(lastMs, by.join('\n')).toBeLessThanOrEqual(GONE_MS - IDLE_MS);
  } finally {
    tree.close();
  }
}
