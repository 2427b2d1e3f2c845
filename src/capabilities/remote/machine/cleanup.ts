/**
 * A remote child that leaves its place here: what works there is stopped, and what was begun there is removed.
 *
 * Decides: what is still to be done on the other side for a child that was removed here.
 *
 * RM18. The cleanup is pending until the other side has done it, or refuses.
 * RM22. A remote name under which a start may still arrive is given up for another one; what begins under it is stopped.
 */
import { isTriedEnough, owedNow, triedAgain } from '../../../core/tree/tries';
import { endedUnbegun } from './ends';
import { hasPendingStop, isInDoubt, isSent, renamed, withStop } from './run';
import type { PlacedRun, RemoteRun, RemoteStop, RemovedRun } from './state';

/** A child that leaves its place here (RM18). */
export function removed(run: RemoteRun, reason: string, now: number): RemovedRun {
  if (run.is === 'removed') return run;
  const works = run.local.is !== 'ended' && isSent(run);
  const removal = run.remote.is === 'unsent' && run.memory === undefined ? {} : { removal: owedNow(now) };
  // The stop of what was never sent has nothing to reach.
  const { stop: _never, ...unsent } = run;
  const last = works ? withStop(run, 'abort', reason, now) : isSent(run) ? run : unsent;
  return { ...namesOf(last), is: 'removed', isStray: false, ...removal };
}

function namesOf({
  sessionId,
  agentType,
  transport,
  addressClass,
  name,
  runId,
  caller,
  remote,
  memory,
  stop,
}: PlacedRun) {
  const names = { sessionId, agentType, transport, addressClass, name, runId, caller, remote };
  return { ...names, ...(memory === undefined ? {} : { memory }), ...(stop === undefined ? {} : { stop }) };
}

/**
 * What is left of a child under its remote name, where it has another one from now on: nobody knows of a run that begins
 * under the name before, so its stop and its removal are pending apart (RM22).
 */
export function lateStart({ memory, ...before }: PlacedRun, now: number): RemovedRun {
  const works: PlacedRun = { ...before, local: { is: 'unwanted' } };
  const late = removed(works, 'It was abandoned before it began.', now);
  return { ...late, isStray: memory !== undefined, sessionId: `${before.sessionId}.${before.name}` };
}

/**
 * What is left of a task whose stop is pending as the next one is given: by its start it is stopped alone, whatever works
 * there by then.
 */
export function stillToStop(run: PlacedRun): RemovedRun | undefined {
  if (!hasPendingStop(run) || !isSent(run) || isInDoubt(run)) return undefined;
  return { ...namesOf(run), is: 'removed', isStray: true, sessionId: `${run.sessionId}.${run.runId}` };
}

/** A child that nobody there knows although it was asked for: it never began, and begins under another name if it does. */
export function withoutStart(run: PlacedRun, stop: RemoteStop, name: string, now: number): PlacedRun {
  const child: PlacedRun = {
    ...renamed(run, name),
    remote: { is: 'unsent' },
    stop: { ...stop, settled: 'taken' },
  };
  return child.local.is === 'ended' ? child : endedUnbegun(child, stop, now);
}

/** One that was removed, as whoever takes over its cleanup keeps it. */
export function takenOver(run: RemovedRun, by: string): RemovedRun {
  return { ...run, transportOwner: run.transportOwner ?? by };
}

/** Whether the cleanup of a child that was removed here is pending. */
export function hasPendingCleanup(run: RemoteRun): run is RemovedRun {
  return run.is === 'removed' && (hasPendingStop(run) || run.removal !== undefined);
}

/** The same child whose removal there was not acknowledged; it is not asked for any more after a day (RM18). */
export function removalAgain(run: RemovedRun, now: number): RemovedRun {
  const { removal, ...rest } = run;
  return removal && !isTriedEnough(removal, now) ? { ...rest, removal: triedAgain(removal, now) } : rest;
}

/** The same child, of which nothing is left there that this side could remove. */
export function withoutRemoval({ removal: _removal, ...run }: RemovedRun): RemovedRun {
  return run;
}
