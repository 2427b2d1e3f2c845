/** What the machines need to know of a definition. Plain data but for `stopWhen`, which must be pure. */
import type { ConcurrentEntry, StepFacts } from '../definition/definition';
import type { HookName } from '../definition/hook-types';
import type { Limits } from '../definition/limits';

/** The rules of one agent. */
export interface Rules {
  readonly limits: Limits;
  /** The tools that the agent must end with; none where its text is its output. */
  readonly finishTools: readonly string[];
  /** What a start does while a run goes on. */
  readonly concurrentEntry: ConcurrentEntry;
  /** The hooks that the definition has. */
  readonly hooks: ReadonlySet<HookName>;
  readonly stopWhen?: (step: StepFacts) => boolean;
}
