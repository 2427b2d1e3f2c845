/**
 * Custom state. Its session notes the step of the last change, and the state before the first change of each step is
 * kept: so a memory that ends at an earlier step has the state of that step. One that never changes writes nothing.
 *
 * Keeps CL5.
 */
import type { Json } from '../../protocol/json';
import type { Draft } from './draft';
import { type AgentState, type CustomBefore, currentStep, type Session } from './state';

/** Replaces the custom state. */
export function changeCustom(draft: Draft, custom: Json): void {
  const { session, custom: before } = draft.state;
  const step = stepOfChange(draft.state);
  draft.state = { ...draft.state, custom };
  draft.put({ put: 'custom', custom });
  if (step === undefined || session.customStep === step) return;
  draft.put({ put: 'custom_before', before: { step, custom: before, changed: session.customStep ?? 0 } });
  draft.setSession({ ...session, customStep: step });
}

/** What changes between two steps belongs to the next one; before the first of all there is nothing to go back to. */
function stepOfChange(state: AgentState): number | undefined {
  const { step, run } = state;
  if (step === undefined) return undefined;
  return run?.phase === 'active' && currentStep(state) ? step.id : step.id + 1;
}

/** The custom state at a step, with the step of its last change. */
export function customAt(
  { customStep = 0 }: Pick<Session, 'customStep'>,
  step: number,
  /** The first that is kept behind that step. */
  next: CustomBefore | undefined,
): 'as_now' | Omit<CustomBefore, 'step'> {
  if (customStep <= step || next === undefined) return 'as_now';
  const { custom, changed } = next;
  return { custom, changed };
}
