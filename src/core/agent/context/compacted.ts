/**
 * A compaction is taken: committed with the step that it was made for, before that is asked.
 *
 * Keeps CX4.
 */
import { byteLength } from '../../../protocol/json';
import { addUsage } from '../../../protocol/usage';
import type { Transition } from '../changes';
import { type Draft, refuse } from '../draft';
import type { AgentEvent } from '../events';
import type { Rules } from '../rules';
import { endAfterHooks } from '../runs/run';
import { fenced, limitReached } from '../steps/step';

/** Keeps it, and counts what its summary cost; that may be the end of the run's budget. */
export function onContextCompacted(
  draft: Draft,
  event: Extract<AgentEvent, { type: 'context_compacted' }>,
  rules: Rules,
): Transition {
  const now = fenced(draft, event);
  if ('ok' in now) return now;
  const { run, step } = now;
  const { compaction } = event;
  if (step.compaction && step.compaction.number >= compaction.number)
    return refuse('superseded', 'This step has a newer compaction.');
  const { usage, summary, by, tokensBefore, tokensAfter, cut, error, fromStep, upToStep } = compaction;
  if (usage) draft.spend(usage);
  const spent = usage ? addUsage(step.spent, usage) : step.spent;
  draft.setStep({ ...step, compaction, spent });
  const { sessionId } = draft.state.session;
  draft.emit({
    type: 'context_compacted',
    ...(fromStep === undefined ? {} : { from: `${sessionId}.${fromStep}`, to: `${sessionId}.${upToStep}` }),
    by,
    tokensBefore,
    tokensAfter,
    summaryBytes: byteLength(summary),
    ...(cut ? { cutBytes: cut.bytes } : {}),
    ...(error ? { error } : {}),
  });
  const reached = usage ? limitReached(draft, run, step.number, rules) : undefined;
  if (reached) endAfterHooks(draft, run, { status: 'failed', error: reached }, event.at, rules);
  return draft.done();
}
