/** What the machines need to know of a definition. Plain data but for `stopWhen`, which must be pure. */
import type { StepFacts } from './definition';
import type { Limits } from './limits';

/** The rules of one agent. */
export interface Rules {
  readonly limits: Limits;
  /** The tools that the agent must end with; none where its text is its output. */
  readonly finishTools: readonly string[];
  readonly stopWhen?: (step: StepFacts) => boolean;
}
