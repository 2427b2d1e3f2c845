/** Scenarios of the contract of placements, played by a tree in virtual time. */
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { type Place, partsOf, type Scenario, seen, stageOf } from '../contract/delegation';
import { Tree } from './harness';

/** A child's whole task may take so long, in ms. */
export const TASK_MS = 10_000;

/** A place in this Worker. */
export const inWorker =
  (placement: 'facet' | 'object'): Place =>
  (_tree, far) => ({
    tools: [
      createSubAgentTool(far, { timeoutMs: TASK_MS, placement }),
      createSubAgentTool(far, { name: 'later', timeoutMs: TASK_MS, placement, background: true }),
    ],
    companion: { agent: far, timeoutMs: TASK_MS, placement },
  });

/** What is seen of a scenario, and what was reported on the way. */
export async function played(place: Place, scenario: Scenario) {
  const tree = new Tree((it) => partsOf(it, place, scenario));
  await tree.start();
  await scenario.meanwhile?.(stageOf(tree));
  await tree.finish();
  await tree.rest();
  const found = { saw: seen(tree), problems: tree.time.problems };
  tree.close();
  return found;
}
