/**
 * Scheduled effects, as a row of the list of capabilities. README.md of this folder explains them.
 *
 * Keeps SF1.
 */
import type { Capability } from '../../engine/capability';
import type { BodyAgent } from '../../engine/perform/performer';
import { scheduling } from './context';
import { effectsMachine, type PendingEffect } from './machine';
import { performEffect } from './perform';

/** The row of scheduled effects. */
export const effects: Capability<BodyAgent> = {
  ...effectsMachine,
  perform: (agent, row: PendingEffect, signal) => performEffect(agent, row, signal),
  context: scheduling,
};
