/**
 * `stopWhen`: the author's conditions are owed the question after a step, as a hook is (HK1, HK2). The engine asks them;
 * what their answer means is decided here (ST7).
 *
 * Decides: what an answer of `stopWhen` means.
 * Keeps ST7.
 */
import { type Failure, failure } from '../../../protocol/errors';
import type { Transition } from '../changes';
import { type Draft, refuse } from '../draft';
import type { AgentEvent } from '../events';
import type { Rules } from '../rules';
import { type ActiveRun, type Outcome, type RepliedStep, replyText } from '../state';
import { withDone } from './closing';

/** Owes the question about a step, where there are conditions that were not asked about it; whether it is owed now. */
export function oweStopWhen(draft: Draft, step: RepliedStep, rules: Rules): boolean {
  const { run } = draft.state;
  if (run?.phase !== 'active' || !rules.stopWhen || run.hooks?.asked?.step === step.id) return false;
  const owed = [...(run.hooks?.owed ?? []), { id: `${run.runId} ${step.id} stopWhen`, hook: 'stopWhen' as const }];
  // The step's end is announced by now, and is not announced again when the answer is there.
  draft.setRun({ ...withDone(run, step.id, 'committed'), hooks: { ...run.hooks, stepEnded: step.id, owed } });
  return true;
}

/** The conditions have answered, or failed. */
export function onStopWhenSaid(draft: Draft, event: Extract<AgentEvent, { type: 'stop_when_said' }>): Transition {
  const { run, step } = draft.state;
  const first = run?.phase === 'active' ? run.hooks?.owed[0] : undefined;
  if (run?.phase !== 'active' || run.epoch !== event.epoch || first?.id !== event.id || step === undefined)
    return refuse('superseded', 'This answer of stopWhen is no longer awaited.');
  const asked = { step: step.id, said: event.error ?? event.stops };
  draft.setRun({ ...run, hooks: { ...run.hooks, asked, owed: run.hooks?.owed.slice(1) ?? [] } });
  return draft.done();
}

/** The end that the conditions make of a step, if they do. */
export function stoppedBy(run: ActiveRun, step: RepliedStep, { finishTools }: Rules): Outcome | undefined {
  const { asked } = run.hooks ?? {};
  if (asked?.step !== step.id || asked.said === false) return undefined;
  if (asked.said !== true) return { status: 'failed', error: brokenBy(asked.said) };
  if (finishTools.length === 0) return { status: 'completed', output: replyText(step), completionReason: 'stop_when' };
  const why = `The run was stopped by stopWhen before ${finishTools.join(' or ')} returned the typed output.`;
  return { status: 'failed', error: failure('output_invalid', why) };
}

const brokenBy = ({ message }: Failure): Failure => failure('invalid_definition', `stopWhen failed: ${message}`);
