/**
 * Sub-agents by their references: who has one, and what a call that names nobody is told.
 *
 * Keeps SA28.
 */
import * as z from 'zod';
import { DATA_LIMITS } from '../../../../protocol/data-limits';
import { MAX_ENCLOSED, pathSchema } from '../../calls/enclosures';
import type { Draft } from '../../draft';
import type { BuiltInCall, BuiltInPlan } from '../../rules';
import type { RegisteredChild } from '../../standard-agents/subagent-registry';
import { childNamed, no } from '../companions/names';

/** The reference of a sub-agent. */
export const referenceSchema = z.string().min(1).max(DATA_LIMITS.maxName);

/** Files of the agent that go along with what it says. */
export const attachmentsSchema = z
  .array(pathSchema)
  .max(MAX_ENCLOSED)
  .optional()
  .describe('Paths of your files to send: it gets copies of their current content. [] for none.');

/** The child of a reference as the draft has it; undefined where it is nobody's, or somebody else's. */
export function childOfReference(draft: Draft, call: BuiltInCall, reference: string): RegisteredChild | undefined {
  const child = childNamed(draft, call, reference);
  return child?.registered ? { ...child, registered: child.registered } : undefined;
}

/** A refusal of a reference that nobody has. */
export function nobodyOf(reference: string): BuiltInPlan {
  return no('not_found', `You have no sub-agent with the reference "${reference}". subagents lists them.`);
}
