/**
 * The ends of a remote task: those that the other side reports, and those that are said here for a task that has none.
 *
 * Decides: the outcome here of a run that ended there, or that cannot end there any more.
 * Keeps RM9, RM12, RM19.
 */

import { unbegunOutcome } from '../../../core/agent/runs/stop';
import { failureByStop, isResumable } from '../../../core/agent/runs/stop-verb';
import type { Outcome } from '../../../core/agent/state';
import { isAbsence, type RemoteAnswer, RemoteError } from '../../../core/definition/remote-transport';
import type { Chunk } from '../../../protocol/chunks';
import { beginningOf } from '../../../protocol/content/cut';
import { boundedText, type Failure, failure, failureOf, isErrorCode } from '../../../protocol/errors';
import type { Json } from '../../../protocol/json';
import { isEnded } from '../../../protocol/status';
import { nothingWaits } from './held';
import { chainOf, following, hasPendingStop, isSent, isUnheard, saying, withStop } from './run';
import type { PlacedRun, RemoteRun, RemoteStop } from './state';

/** As long as a stop may say one. Unit: characters. */
const reasonOf = (reason: string): string => beginningOf(reason, 1_000);

/** The outcome of the task here, by the end of a run there; its words are bounded, its codes those of this release. */
export function outcomeOf(run: {
  readonly status: string;
  readonly output?: Json | undefined;
  readonly error?: { readonly code: string; readonly message: string; readonly retryable: boolean } | undefined;
  readonly reason?: string | undefined;
}): Outcome | undefined {
  switch (run.status) {
    case 'completed':
      return { status: 'completed', output: run.output ?? null, completionReason: 'finish' };
    case 'failed': {
      const { code = 'subagent_failed', message, retryable } = run.error ?? {};
      const error = failureFrom(code, message, retryable);
      return { status: 'failed', error, failureReason: error.code };
    }
    case 'interrupted':
      return { status: 'interrupted', reason: reasonOf(run.reason ?? 'It was interrupted on its server.') };
    case 'terminated':
      return { status: 'terminated', reason: reasonOf(run.reason ?? 'It was terminated on its server.') };
    default:
      return undefined;
  }
}

/** A remote failure as a local one; a code of another release is `subagent_failed`. */
export function failureFrom(code: string, message: string | undefined, retryable?: boolean): Failure {
  return isErrorCode(code)
    ? failure(code, message, retryable)
    : failure('subagent_failed', message, retryable, { code: beginningOf(code, 100) });
}

/** The end of what the other side refuses finally. */
export function failureByRefusal(refusal: Extract<RemoteAnswer, { ok: false }>): Failure {
  const { code, title, detail, status } = refusal;
  const said = boundedText(detail ?? title, 2_000);
  return isAbsence(refusal)
    ? failure('subagent_lost', `The remote sub-agent is gone: ${said}`)
    : failure('subagent_failed', `The remote server refused: ${said}`, false, { code: boundedText(code, 100), status });
}

/** The end of one whose side broke the protocol, or did not answer for so long, in ms. */
export function failureByFault({ agentType }: PlacedRun, error: unknown, silentMs: number | undefined): Failure {
  const why = boundedText(failureOf(error).message, 500);
  const remote = error instanceof RemoteError ? error.code : 'remote_unreachable';
  const said = silentMs === undefined ? why : `It did not answer for ${silentMs} ms: ${why}`;
  const text = `The remote sub-agent ${agentType} was abandoned. ${said}`;
  return failure(silentMs === undefined ? 'subagent_failed' : 'subagent_lost', text, false, { remote });
}

/** The end of one whose output does not fit. */
export function outputFailed(problem: string): Outcome {
  const error = failure('output_invalid', `The output of the remote sub-agent does not match its schema: ${problem}`);
  return { status: 'failed', error, failureReason: error.code };
}

/** The same child with its outcome, which is said here where its log has not said it: a stop that was pending is over. */
export function ended(run: PlacedRun, outcome: Outcome, now: number): PlacedRun {
  const { stop } = run;
  const settled = stop && hasPendingStop(run) ? { stop: { ...stop, settled: 'taken' as const } } : {};
  const ends = { ...run, ...settled };
  return isEnded(run.status) ? withOutcome(ends, outcome) : endedHere(ends, outcome, now);
}

const withOutcome = (run: PlacedRun, outcome: Outcome): PlacedRun => ({
  ...run,
  local: { is: 'ended', outcome, isAcknowledged: run.local.is === 'unwanted' },
});

/** The same child whose outcome its parent has. */
export function acknowledged(run: PlacedRun): PlacedRun {
  const { local } = run;
  return local.is === 'ended' ? { ...run, local: { ...local, isAcknowledged: true } } : run;
}

/** The same child of which its parent wants nothing any more: its last chunks are not sent again. */
export function unwanted(run: PlacedRun, reason: string, now: number): PlacedRun {
  const { kept, last, local } = run;
  const first = kept.find(({ chunks }) => chunks.length > 0)?.first ?? last + 1;
  const silent: PlacedRun = { ...run, kept: [], last: first - 1 };
  if (local.is === 'ended') return acknowledged(silent);
  const left: PlacedRun = { ...silent, local: { is: 'unwanted' } };
  return isSent(run) ? withStop(left, 'abort', reason, now) : left;
}

/** The end that is said for a child whose own end cannot come any more; what it has begun there is to be stopped. */
export function failedHere<Run extends RemoteRun>(run: Run, error: Failure, now: number): Run | PlacedRun {
  if (run.is === 'removed') return run;
  const said = endedHere(run, { status: 'failed', error, failureReason: error.code }, now);
  return isSent(run) ? withStop(said, 'abort', error.message, now) : said;
}

/** The same child with an end that is said here, where its log has not said one. */
function endedHere(run: PlacedRun, outcome: Outcome, now: number): PlacedRun {
  const ends = withOutcome({ ...run, status: outcome.status, held: nothingWaits(run.held) }, outcome);
  return isEnded(run.status) ? ends : saying(ends, [endChunk(run, outcome, now)], now);
}

function endChunk(run: PlacedRun, outcome: Outcome, now: number): Chunk {
  const { sessionId: agentId, agentType, address, runId, step, attempt } = run;
  const base = { agentId, agentType, address, runId, step, attempt, timestamp: now };
  switch (outcome.status) {
    case 'completed':
      return { type: 'run_completed', output: outcome.output, ...base };
    case 'failed':
      return { type: 'run_failed', error: outcome.error, failureReason: outcome.error.code, ...base };
    case 'interrupted':
      return { type: 'run_interrupted', reason: outcome.reason, ...base };
    case 'terminated':
      return { type: 'run_terminated', reason: outcome.reason, ...base };
  }
}

/** The words of a stop. */
type StopWish = Pick<RemoteStop, 'verb' | 'reason'>;

/**
 * The end of a run that never began there. Nothing is said of one of which nothing was heard before: its parent has the
 * last word of it (R17). Of one that has worked before, the record has to know that it rests again.
 */
export function endedUnbegun(run: PlacedRun, { verb, reason }: StopWish, now: number): PlacedRun {
  const outcome = unbegunOutcome(verb, failureByStop(verb, reason));
  return isUnheard(run) ? withOutcome(run, outcome) : endedHere(run, outcome, now);
}

/**
 * A child at rest that its parent stops: for a run that it was not given yet, which begins stopped (SP8), or to terminate
 * it. The stop of one that has worked there is sent there; one that never began ends here.
 */
export function stoppedAtRest(before: PlacedRun, stop: StopWish & { readonly runId: string }, now: number): PlacedRun {
  const { local } = before;
  const isNext = stop.runId !== before.runId;
  if (local.is !== 'ended' || local.outcome.status !== 'interrupted' || (isResumable(stop.verb) && !isNext))
    return before;
  const { stop: _stop, ...rest } = before;
  const run: PlacedRun = { ...rest, local: { is: 'active', isWaitReported: false }, runId: stop.runId };
  return chainOf(run) ? withStop(following(run), stop.verb, stop.reason, now) : endedUnbegun(run, stop, now);
}

/** Whether the stop of one at rest is being sent: only then it is known what comes of that. */
export const isStoppedAtRest = (run: PlacedRun): boolean => isEnded(run.status) && hasPendingStop(run);
