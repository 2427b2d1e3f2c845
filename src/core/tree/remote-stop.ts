/**
 * The stop of a child that lives elsewhere: for what it is there, and what its answer says of the child. Pure:
 * `engine/remote` sends it.
 *
 * Decides: what becomes of a stop that was sent elsewhere; which start it names there, and when it is sent without one.
 *
 * RM24. What works in a session that had tasks before is not taken for a task of whose start nothing is known.
 * RM25. A stop names the start that it is for: there it stops what this began, or lets it begin nothing.
 */
import type * as z from 'zod';
import { IDEMPOTENCY_MS } from '../../protocol/data-limits';
import { failure } from '../../protocol/errors';
import type { Json } from '../../protocol/json';
import { stopAccepted } from '../../protocol/requests';
import { statusDocument } from '../../protocol/shapes';
import type { Outcome } from '../agent/state';
import { type Came, isAbsence, isToBeRepeated } from '../definition/remote-transport';
import { NOTHING_HELD } from './remote/held';
import {
  endedUnbegun,
  failedHere,
  isInDoubt,
  type OwedStop,
  owesStop,
  type RemoteRun,
  toldByStart,
  withoutRemoval,
  withoutTold,
} from './remote-run';
import { isPastComing, isTriedEnough, triedAgain } from './tries';

/** The next try of a stop that was not acknowledged, or that nobody asks for it any more. */
function stopAgain(stop: OwedStop, now: number): OwedStop {
  if (isTriedEnough(stop, now)) return { ...stop, attempts: stop.attempts + 1, settled: 'given_up' };
  return { ...stop, ...triedAgain(stop, now) };
}

/** The start that a stop names there; none where that is not remembered there any more. */
export const startToStop = ({ start, astray }: RemoteRun, now: number): string | undefined =>
  start && (astray || now - start.at < IDEMPOTENCY_MS) ? start.key : undefined;

/**
 * What a task leaves behind whose stop is owed still as the next one is given: by its start it is stopped alone, whatever
 * works there by then.
 */
export function stillOwed(run: RemoteRun): RemoteRun | undefined {
  if (!owesStop(run) || run.start === undefined || isInDoubt(run)) return undefined;
  const { tell: _tell, removal: _removal, ...before } = run;
  const own = { sessionId: `${run.sessionId}.${run.runId}`, address: '', kept: [], held: NOTHING_HELD };
  return { ...before, ...own, told: true, left: true, astray: true };
}

/** What an answer to a stop that named a start says of it. */
const saidOf = (came: Came): Partial<z.output<typeof stopAccepted>> =>
  'ok' in came && came.ok ? (stopAccepted.safeParse(came.body).data ?? {}) : {};

/** Whether what a stop is for has not begun there, and never will. */
const isNeverToBegin = (came: Came): boolean => saidOf(came).begun === false;

/**
 * Whether a stop is sent once more without its start: an older release refuses what it does not know, and a side that knows
 * nothing of a start which it has answered has nothing to stop it by.
 */
export function isWithoutStart(run: RemoteRun, came: Came): boolean {
  if (run.astray) return false;
  if ('ok' in came && !came.ok) return came.status === 400;
  return isNeverToBegin(came) && saidOf(came).runId === undefined && !isUnknownThere(run);
}

/** Whether a side knows nothing of a start that it had answered: what is there may be of others by now. */
export const isForgotten = ({ theirs }: RemoteRun, came: Came): boolean =>
  theirs !== undefined && isNeverToBegin(came) && saidOf(came).runId === undefined;

/** What `status` there makes of a stop that cannot be sent by its start: what it is for is gone, or has ended; else nothing. */
export function stoppedByStatus({ theirs }: RemoteRun, came: Came): Came | undefined {
  if (isToBeRepeated(came) || isAbsence(came)) return came;
  const said = 'ok' in came && came.ok ? statusDocument.safeParse(came.body).data : undefined;
  if (said === undefined || theirs === undefined) return undefined;
  if (said.sessionId !== theirs.sessionId)
    return { ok: false, code: 'not_found', title: 'The session is gone.', status: 404 };
  return said.run?.chainRunId === theirs.chainRunId ? undefined : { ok: true, body: { status: said.status } };
}

/** Whether the start, or what lets it go on, may be under way, so that its answer says more than that of the stop. */
export const isAwaited = (run: RemoteRun, came: Came): boolean =>
  run.phase === 'resuming' || (!run.theirs && (isAbsence(came) || (isUnknownThere(run) && !isNeverToBegin(came))));

/** Whether what a stop is for is known to have begun there, and nothing that lets it go on is on its way. */
export const isKnownThere = ({ theirs, phase }: RemoteRun): boolean => theirs !== undefined && phase !== 'resuming';

/** Whether a start was refused because the stop that is owed to it was there before it: that says the rest. */
export const isStoppedBefore = (run: RemoteRun, { code }: { readonly code: string }): boolean =>
  owesStop(run) && code === 'idempotency_conflict';

/** Whether an end is that of a start which was interrupted as it waited there (EN5), by a stop that is not answered yet. */
export const isTakenFromQueue = (run: RemoteRun, end: Outcome): boolean =>
  owesStop(run) && end.status === 'failed' && end.failureReason === 'interrupted';

/** A further task that has begun there unknown to its parent, once the answer to its stop says so. */
export function adopted(run: RemoteRun, came: Came, input: Json): RemoteRun {
  const { begun, runId } = saidOf(came);
  if (!isUnknownThere(run) || run.memory === undefined || begun !== true || runId === undefined) return run;
  const told = toldByStart(run, input);
  const theirs = { sessionId: run.memory, chainRunId: runId };
  return { ...(told ? withoutTold(run, told) : run), phase: 'following', theirs };
}

/**
 * What is known of the beginning there of what a stop is for, once that stop has been sent: it was known to have begun
 * `before` that or only `since` then, its start may come there `yet`, it has `never` begun, or what has taken the stop may
 * be of others (`unknown`).
 */
export type BegunThere = 'before' | 'since' | 'yet' | 'never' | 'unknown';

/** What is known of that. `knew`: its start was answered as the stop was sent. */
export function begunThere(run: RemoteRun, came: Came, knew: boolean): BegunThere {
  if (run.theirs) return knew ? 'before' : 'since';
  if (isInDoubt(run) || (isUnknownThere(run) && isAbsence(came))) return 'yet';
  return isUnknownThere(run) && !isNeverToBegin(came) ? 'unknown' : 'never';
}

/** A stop once it was sent: taken, given up, or owed still. */
export function stopAfter(stop: OwedStop, came: Came, begun: BegunThere, now: number): OwedStop {
  if (isToBeRepeated(came)) return stopAgain(stop, now);
  if ('threw' in came) return { ...stop, settled: 'given_up' };
  if (!came.ok && begun === 'unknown') return { ...stop, settled: 'given_up' };
  // It may have come there before what it stops: it is sent again at once.
  if (begun === 'since') return stop;
  // Nobody was there, and nobody had left.
  const mayCome = !came.ok && came.status === 404 && begun === 'yet' && !isPastComing(stop, now);
  return mayCome ? stopAgain(stop, now) : { ...stop, settled: 'taken' };
}

/**
 * Whether nobody knows of a task that it has begun, in a session there that had others before: what works there now, and
 * what takes a stop, may be of those, or of somebody else (RM24).
 */
export const isUnknownThere = ({ theirs, memory }: RemoteRun): boolean => theirs === undefined && memory !== undefined;

/** The same child of whose task nothing was begun, in the session that it was to begin in. */
function unbegun({ theirs, toldInQueue, ...run }: RemoteRun): RemoteRun {
  const again = toldInQueue ? { tell: [toldInQueue, ...(run.tell ?? [])] } : {};
  return theirs ? { ...run, ...again, phase: 'starting', memory: run.memory ?? theirs.sessionId } : run;
}

/** Such a task does not take what is there for its own: it never began where it was stopped, and begins where it was not. */
export const unadopted = (run: RemoteRun, now: number): RemoteRun =>
  run.stop ? endedUnbegun(run, run.stop, now) : { ...run, phase: 'starting' };

/** A child whose stop was sent, by what that stop is now. */
export function withStopSent(run: RemoteRun, stop: OwedStop, came: Came, now: number): RemoteRun {
  // What has begun nothing there has made nothing that could be removed.
  const sent: RemoteRun = { ...(run.astray && isNeverToBegin(came) ? withoutRemoval(run) : run), stop };
  if (stop.settled === undefined) return sent;
  if (stop.settled === 'given_up') {
    const lost = failure('subagent_lost', 'The remote sub-agent did not accept its stop.');
    return sent.outcome === undefined && sent.told !== true ? failedHere(sent, lost, now) : sent;
  }
  if ((isUnknownThere(sent) || isNeverToBegin(came)) && !sent.outcome) return endedUnbegun(unbegun(sent), stop, now);
  // A refusal that is none of absence says that there is nothing to stop: how it stands says the rest.
  if (!isAbsence(came) || sent.outcome) return { ...sent, phase: 'following' };
  if (!sent.theirs) return endedUnbegun(sent, stop, now);
  return failedHere(sent, failure('subagent_lost', 'The remote sub-agent is gone.'), now);
}
