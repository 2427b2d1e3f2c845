/**
 * The close of a step. A run may wait in the middle of it, or be resumed there, so the run keeps which parts are done.
 *
 * Decides: whether a part of closing a step is done already.
 * Keeps ST3.
 */

/**
 * A part of closing a step. `committed`: its end is in the log. `deferred`: the next step waits, for hooks or for the
 * sub-agents that begin with its prompt. `handed_over`: the session belongs to the agent that a call of it named.
 */
export type ClosingPart = 'committed' | 'deferred' | 'handed_over';

/** A step that is being closed, with the parts that are done. */
export interface ClosingStep {
  readonly step: number;
  readonly done: readonly ClosingPart[];
}

interface WithClosing {
  readonly closing?: ClosingStep;
}

/** Returns true if a part of closing a step is done. */
export function isDone({ closing }: WithClosing, step: number, part: ClosingPart): boolean {
  return closing?.step === step && closing.done.includes(part);
}

/** A run for which further parts of closing a step are done. Parts of an earlier step no longer matter. */
export function withDone<Run extends WithClosing>(run: Run, step: number, ...parts: readonly ClosingPart[]): Run {
  const before = run.closing?.step === step ? run.closing.done : [];
  return { ...run, closing: { step, done: [...new Set([...before, ...parts])] } };
}
