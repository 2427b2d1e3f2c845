/** Scenarios for crashes and losses, and a run of one that ends in what must hold of every run. */
import { expect } from 'vitest';
import { examine, transcripts } from './examine';
import { Tree, type TreeOptions, type TreeParts } from './harness';
import { figures, SEEDS } from './sizes';
import { failing, finishing, retried, spokenTo, spokenToLate, threeLevels, timeouts } from './trees';

/** Makes the agents of a tree. */
export type Make = (tree: Tree) => TreeParts;

/** What the sweeps of a file did, told at its end. */
export const totals = { runs: 0, crashes: 0 };

/** Tells how many runs a file made of its trees. */
export function tellRuns(title: string): void {
  figures(title, () => `${totals.runs} runs, ${totals.crashes} crashes, seeds ${SEEDS.join(', ')}`);
}

/** Trees whose transcripts are the same whatever is lost on the way. */
export const SCENARIOS: readonly { readonly name: string; readonly make: Make }[] = [
  { name: 'three levels', make: (tree) => threeLevels(tree) },
  { name: 'one place for all agents', make: (tree) => threeLevels(tree, { maxConcurrentChildren: 1 }) },
  { name: 'two places for all agents', make: (tree) => threeLevels(tree, { maxConcurrentChildren: 2 }) },
  { name: 'children that fail', make: failing },
  { name: 'children past their time, nested', make: timeouts },
  { name: 'messages during a run', make: spokenTo },
  { name: 'a message during the last answer', make: spokenToLate },
  { name: 'finishing tools beside others', make: finishing },
  { name: 'models that fail and are asked again', make: retried },
];

/** Runs a tree to its end, checks what holds of every run, and gives what can be compared. */
export async function ran(make: Make, options: TreeOptions = {}, what = '') {
  const tree = new Tree(make, options);
  try {
    await tree.run();
    totals.runs++;
    totals.crashes += tree.crashes;
    examine(tree, what);
    const { kinds, crashes, outcome, problems } = { ...tree, problems: tree.time.problems, outcome: tree.outcome };
    const asked = tree.port.asked.map(({ agentType, step, attempt }) => `${agentType} ${step} ${attempt}`).sort();
    const work = { asked, bodies: [...tree.bodies.values()].sort() };
    return { transcripts: transcripts(tree), kinds, work, crashes, outcome, problems };
  } finally {
    tree.close();
  }
}

/** Runs a tree with crashes at these commits. Nothing that is lost with the process is a problem to report. */
export async function crashed(make: Make, crashAt: readonly number[]) {
  const what = `crashes at ${crashAt.join(', ') || 'no commit'}`;
  const found = await ran(make, { crashAt: new Set(crashAt) }, what);
  expect(found.problems, what).toEqual([]);
  return found;
}
