/**
 * The stop of a remote child: for what it is there, and what its answer says of the child. Pure: `perform` sends it.
 *
 * Decides: what becomes of a stop that was sent to the other side; which start it names there, and when it is sent without
 * one; when a stop is repeated while the other side is away; how long the rest of a log is waited for that was stopped.
 *
 * RM24. What works in a session that had tasks before is not taken for a task of whose start nothing is known.
 * RM25. A stop names the start that it is for: there it stops what this began, or lets it begin nothing.
 * RM36. A task that was aborted or terminated ends without the rest of a log that does not come.
 */
import type * as z from 'zod';
import { isResumable } from '../../../core/agent/runs/stop-verb';
import type { Outcome } from '../../../core/agent/state';
import { type Came, isAbsence, isToBeRepeated } from '../../../core/definition/remote-transport';
import { isPastComing, isTriedEnough, triedAgain } from '../../../core/tree/tries';
import { IDEMPOTENCY_MS } from '../../../protocol/data-limits';
import { failure } from '../../../protocol/errors';
import type { Json } from '../../../protocol/json';
import { stopAccepted } from '../../../protocol/wire/requests';
import { statusDocument } from '../../../protocol/wire/shapes';
import { withoutRemoval } from './cleanup';
import { endedUnbegun, failedHere } from './ends';
import { messageOfStart, withoutMessage } from './messages';
import { chainOf, followingUnanswered, hasPendingStop, isInDoubt, isUnknown, startOf } from './run';
import type { PlacedRun, RemoteRun, RemoteStop, RemoteTask } from './state';

/** The next try of a stop that was not acknowledged, or that nobody asks for it any more. */
function stopAgain(stop: RemoteStop, now: number): RemoteStop {
  if (isTriedEnough(stop, now)) return { ...stop, attempts: stop.attempts + 1, settled: 'given_up' };
  return { ...stop, ...triedAgain(stop, now) };
}

/** Another task, or somebody else, may be there by now. */
const isStray = (run: RemoteRun): boolean => run.is === 'removed' && run.isStray;

/** The rest of the log of a task that was stopped and has ended is waited for so long, in ms. */
const REST_MS = 5_000;

/** Whether the other side has taken an abort or a terminate: nobody continues the run. */
export const isStoppedHard = ({ stop }: Pick<RemoteRun, 'stop'>): boolean =>
  stop?.settled === 'taken' && !isResumable(stop.verb);

/** The pause before the next look at a run: a short one where the rest of its log is waited for only briefly, in ms. */
export const lookAgainMs = (run: PlacedRun, ms: number): number => (isStoppedHard(run) ? Math.min(ms, 1_000) : ms);

/** Whether the rest of the log of a task is not waited for any more that has ended there `since` then. */
export const endsWithoutRest = (run: PlacedRun, since: number, now: number): boolean =>
  isStoppedHard(run) && now - since >= REST_MS;

/** The start that a stop names there; none where that is not remembered there any more. */
export function startToStop(run: RemoteRun, now: number): string | undefined {
  const start = startOf(run);
  return start && (isStray(run) || now - start.at < IDEMPOTENCY_MS) ? start.key : undefined;
}

/** The answer to a stop that named a start, where it says anything of that. */
const saidOf = (came: Came): Partial<z.output<typeof stopAccepted>> =>
  'ok' in came && came.ok ? (stopAccepted.safeParse(came.body).data ?? {}) : {};

/** Whether what a stop is for has not begun there, and never will. */
const isNeverToBegin = (came: Came): boolean => saidOf(came).begun === false;

/**
 * Whether a stop is sent once more without its start: a side that does not know of starts refuses it, and a side that knows
 * nothing of a start which it has answered has nothing to stop it by.
 */
export function isWithoutStart(run: RemoteRun, came: Came): boolean {
  if (isStray(run)) return false;
  if ('ok' in came && !came.ok) return came.status === 400;
  return isNeverToBegin(came) && saidOf(came).runId === undefined && !isUnknown(run);
}

/** Whether a side knows nothing of a start that it had answered: what is there may be of others by now. */
export const isForgotten = (run: RemoteRun, came: Came): boolean =>
  chainOf(run) !== undefined && isNeverToBegin(came) && saidOf(came).runId === undefined;

/** The meaning of the remote status for a stop that cannot be sent by its start: its task is gone, or has ended; else nothing. */
export function stoppedByStatus(run: RemoteRun, came: Came): Came | undefined {
  const chain = chainOf(run);
  if (isToBeRepeated(came) || isAbsence(came)) return came;
  const said = 'ok' in came && came.ok ? statusDocument.safeParse(came.body).data : undefined;
  if (said === undefined || chain === undefined) return undefined;
  if (said.sessionId !== chain.sessionId)
    return { ok: false, code: 'not_found', title: 'The session is gone.', status: 404 };
  return said.run?.chainRunId === chain.chainRunId ? undefined : { ok: true, body: { status: said.status } };
}

const resumes = ({ remote }: RemoteRun): boolean => remote.is === 'to_resume' || remote.is === 'resuming';

/** Whether the start, or what lets it continue, may be under way, so that its answer says more than that of the stop. */
export const isAwaited = (run: RemoteRun, came: Came): boolean =>
  resumes(run) || (!chainOf(run) && (isAbsence(came) || (isUnknown(run) && !isNeverToBegin(came))));

/** Whether the task of a stop is known to have begun there, and nothing that lets it continue is on its way. */
export const isKnownThere = ({ remote }: RemoteRun): boolean => remote.is === 'begun';

/** Whether a start was refused because the stop that is pending for it was there before it: that says the rest. */
export const isStoppedBefore = (run: RemoteRun, { code }: { readonly code: string }): boolean =>
  hasPendingStop(run) && code === 'idempotency_conflict';

/** Whether an end is that of a start which was interrupted as it waited there (EN5), by a stop that is not answered yet. */
export const isTakenFromQueue = (run: RemoteRun, end: Outcome): boolean =>
  hasPendingStop(run) && end.status === 'failed' && end.failureReason === 'interrupted';

/** A further task that has begun there unknown to its parent, once the answer to its stop says so. */
export function adopted(run: RemoteRun, came: Came, input: Json): RemoteRun {
  const { begun, runId } = saidOf(came);
  const start = startOf(run);
  if (!isUnknown(run) || run.memory === undefined || start === undefined || begun !== true || runId === undefined)
    return run;
  const remote: RemoteTask = { is: 'begun', start, sessionId: run.memory, chainRunId: runId };
  if (run.is === 'removed') return { ...run, remote };
  const message = messageOfStart(run, input);
  return { ...(message ? withoutMessage(run, message) : run), remote };
}

/**
 * What is known of the beginning there of a task, once its stop has been sent: it was known to have begun `before` that or
 * only `since` then, its start may come there `yet`, it has `never` begun, or what has taken the stop may be of others
 * (`unknown`).
 */
export type BegunThere = 'before' | 'since' | 'yet' | 'never' | 'unknown';

/** The same for a stop that was answered so. `knew`: its start was answered as the stop was sent. */
export function begunThere(run: RemoteRun, came: Came, knew: boolean): BegunThere {
  if (chainOf(run)) return knew ? 'before' : 'since';
  if (isInDoubt(run) || (isUnknown(run) && isAbsence(came))) return 'yet';
  return isUnknown(run) && !isNeverToBegin(came) ? 'unknown' : 'never';
}

/** A stop once it was sent: taken, given up, or pending still. */
export function stopAfter(stop: RemoteStop, came: Came, begun: BegunThere, now: number): RemoteStop {
  if (isToBeRepeated(came)) return stopAgain(stop, now);
  if ('threw' in came) return { ...stop, settled: 'given_up' };
  if (!came.ok && begun === 'unknown') return { ...stop, settled: 'given_up' };
  // It may have come there before what it stops: it is sent again at once.
  if (begun === 'since') return stop;
  // Nobody was there, and nobody had left.
  const mayCome = !came.ok && came.status === 404 && begun === 'yet' && !isPastComing(stop, now);
  return mayCome ? stopAgain(stop, now) : { ...stop, settled: 'taken' };
}

/** The same child of whose task nothing was begun, in the session that it was to begin in. */
function unbegun(run: PlacedRun): PlacedRun {
  const { remote, messages } = run;
  const queued = remote.is === 'begun' ? remote.queuedMessage : undefined;
  const again = queued ? { messages: { ...messages, waiting: [queued, ...messages.waiting] } } : {};
  const chain = chainOf(run);
  return chain ? { ...run, ...again, remote: { is: 'unsent' }, memory: run.memory ?? chain.sessionId } : run;
}

/** A child whose stop was sent, by what that stop is now. */
export function withStopSent(run: RemoteRun, stop: RemoteStop, came: Came, now: number): RemoteRun {
  const sent: RemoteRun = { ...run, stop };
  if (sent.is === 'removed') {
    // What has begun nothing there has made nothing that could be removed.
    const kept = sent.isStray && isNeverToBegin(came) ? withoutRemoval(sent) : sent;
    return stop.settled === 'taken' ? followingUnanswered(kept) : kept;
  }
  if (stop.settled === undefined) return sent;
  const hasEnded = sent.local.is === 'ended';
  if (stop.settled === 'given_up') {
    const lost = failure('subagent_lost', 'The remote sub-agent did not accept its stop.');
    return sent.local.is === 'active' ? failedHere(sent, lost, now) : sent;
  }
  if ((isUnknown(sent) || isNeverToBegin(came)) && !hasEnded) return endedUnbegun(unbegun(sent), stop, now);
  // A refusal that is none of absence says that there is nothing to stop: how it stands says the rest.
  if (!isAbsence(came) || hasEnded) return followingUnanswered(sent);
  if (!chainOf(sent)) return endedUnbegun(sent, stop, now);
  return failedHere(sent, failure('subagent_lost', 'The remote sub-agent is gone.'), now);
}
