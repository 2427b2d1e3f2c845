/** What the machines need to know of a definition. Plain data but for `stopWhen`, which must be pure. */
import type { StepFacts } from './definition';
import type { Limits } from './limits';

/** The rules of one agent. */
export interface Rules {
  readonly limits: Limits;
  /** Whether the agent must end with a typed output. */
  readonly typedOutput: boolean;
  readonly stopWhen?: (step: StepFacts) => boolean;
}
