/** Versions that follow one another: the ladders of the code under test, which a test may lengthen and cut again. */
import type { Migration } from '../../src/store/migrate';
import { AGENT_MIGRATIONS, ROOT_MIGRATIONS } from '../../src/store/migrations';

const LADDERS = { agent: AGENT_MIGRATIONS as Migration[], root: ROOT_MIGRATIONS as Migration[] };

/** The formats of the version under test. */
export const KNOWN = { agent: AGENT_MIGRATIONS.length, root: ROOT_MIGRATIONS.length };

/** The next version is deployed: whatever wakes from here on has these steps more. */
export function deployNext(steps: { readonly [store in keyof typeof LADDERS]: Migration }): void {
  LADDERS.agent.push(steps.agent);
  LADDERS.root.push(steps.root);
}

/** The version under test is deployed again. */
export function deployKnown(): void {
  LADDERS.agent.length = KNOWN.agent;
  LADDERS.root.length = KNOWN.root;
}
