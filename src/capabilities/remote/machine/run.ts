/**
 * A remote child from its first task to its next ones, and the stop that the other side has yet to take. Pure:
 * `perform` carries it out.
 *
 * Decides: how a remote child gets from one state to the next as it is given work; when it is looked at next.
 *
 * RM2. The remote name is minted before anything is sent, and kept with the child: a start that is repeated is the same run.
 */

import type { TaskKey } from '../../../core/agent/children/child';
import type { Mail, NewMessage } from '../../../core/agent/inbound';
import { STOP_VERBS, type StopVerb } from '../../../core/agent/runs/stop-verb';
import type { Batch } from '../../../core/tree/merge';
import type { StopOwed } from '../../../core/tree/node';
import { owedNow } from '../../../core/tree/tries';
import type { Chunk } from '../../../protocol/chunks';
import { isSuspended } from '../../../protocol/status';
import { NO_USAGE } from '../../../protocol/usage';
import { NOTHING_HELD } from './held';
import { messageResumed, withMail, withMessage, withoutFirst } from './messages';
import type {
  LocalTask,
  PlacedRun,
  RemoteChain,
  RemoteMessage,
  RemoteRun,
  RemoteStop,
  RemoteTask,
  SentStart,
} from './state';

/** The facts of a task when it is given. */
export interface GivenTask {
  readonly task: TaskKey;
  readonly runId: string;
  readonly actor?: string | undefined;
  readonly traceparent?: string | undefined;
  readonly mail?: readonly Mail[] | undefined;
}

const ACTIVE: LocalTask = { is: 'active', isWaitReported: false };

const UNSENT: RemoteTask = { is: 'unsent' };

/** A child with its first task; nothing was sent yet. */
export function firstRun(
  child: Pick<PlacedRun, 'sessionId' | 'address' | 'agentType' | 'root' | 'transport' | 'addressClass' | 'name'>,
  given: GivenTask,
  now: number,
): PlacedRun {
  const begins = { is: 'placed', remote: UNSENT, local: ACTIVE, status: 'running', startedAt: now } as const;
  const log = { skips: false, cursor: 0, last: 0, kept: [], step: 0, attempt: 0, held: NOTHING_HELD, usage: NO_USAGE };
  return withMail({ ...child, ...taskOf(given), ...begins, ...log, messages: { waiting: [] } }, given.mail);
}

/** The next task of a child that stays; a stop that is pending for the one before is kept apart. */
export function nextRun({ stop: _stop, ...before }: PlacedRun, given: GivenTask, now: number): PlacedRun {
  const { memory = chainOf(before)?.sessionId } = before;
  const begins = { remote: UNSENT, local: ACTIVE, status: 'running', startedAt: now, skips: true } as const;
  const next = { ...before, ...taskOf(given), ...begins, held: NOTHING_HELD };
  return withMail({ ...next, ...(memory === undefined ? {} : { memory }) }, given.mail);
}

const taskOf = ({ task, runId, actor, traceparent }: GivenTask) => ({
  task,
  runId,
  caller: { ...(actor === undefined ? {} : { actor }), ...(traceparent === undefined ? {} : { traceparent }) },
});

/** A run that was interrupted, and that its parent lets continue: what never began there begins. */
export function continuedRun(
  { stop: _stop, ...run }: PlacedRun,
  runId: string,
  given: { readonly message?: NewMessage; readonly mail?: readonly Mail[] },
): PlacedRun {
  const chain = chainOf(run);
  const remote: RemoteTask = chain ? { is: 'to_resume', ...chain } : UNSENT;
  return withMail(withMessage({ ...run, runId, remote, local: ACTIVE, status: 'running' }, given.message), given.mail);
}

/** The remote session and chain of a task, where its start was answered. */
export function chainOf({ remote }: Pick<RemoteRun, 'remote'>): RemoteChain | undefined {
  if (remote.is === 'unsent' || remote.is === 'starting' || remote.is === 'stopped') return undefined;
  const { start, sessionId, chainRunId } = remote;
  return { start, sessionId, chainRunId };
}

/** The start of a task that was sent last. */
export const startOf = ({ remote }: Pick<RemoteRun, 'remote'>): SentStart | undefined =>
  remote.is === 'unsent' ? undefined : remote.start;

/** Whether something of the run was sent: the other side may work on it. */
export const isSent = ({ remote }: Pick<RemoteRun, 'remote'>): boolean =>
  remote.is !== 'unsent' && remote.is !== 'to_resume';

/** Whether the task begins there, or continues, with the next call: nothing of its log is asked for before. */
export const isToBegin = ({ remote }: Pick<RemoteRun, 'remote'>): boolean =>
  remote.is !== 'begun' && remote.is !== 'stopped';

/** Whether nobody knows that its remote root exists, although it was asked for: its start may arrive yet. */
export const isInDoubt = (run: Pick<RemoteRun, 'remote' | 'memory'>): boolean =>
  isSent(run) && chainOf(run) === undefined && run.memory === undefined;

/**
 * Whether nobody knows of a task that it has begun, in a remote session that had others before: what works there now, and
 * what takes a stop, may be of those, or of somebody else (RM24).
 */
export const isUnknown = (run: Pick<RemoteRun, 'remote' | 'memory'>): boolean =>
  chainOf(run) === undefined && run.memory !== undefined;

/** The same child whose start is sent from now on, under its key. */
export const startSent = (run: PlacedRun, now: number): PlacedRun => ({
  ...run,
  remote: { is: 'starting', start: { key: run.runId, at: now } },
});

/** The same child whose start was answered so, with that message; one that waits there may have to be sent again. */
export function begunAs(
  run: RemoteRun,
  { start, sessionId, runId, status }: { start: SentStart; sessionId: string; runId: string; status?: string },
  message: RemoteMessage | undefined,
): RemoteRun {
  const queued = message && status === 'queued' ? { queuedMessage: message } : {};
  return { ...withoutFirst(run, message), remote: { is: 'begun', start, sessionId, chainRunId: runId, ...queued } };
}

/** The same child of whose run nothing more has to be sent: that it continues was answered, or its stop was taken. */
export function following<Run extends RemoteRun>(run: Run): Run {
  const { remote } = run;
  if (remote.is === 'starting') return { ...run, remote: { ...remote, is: 'stopped' } };
  return remote.is === 'to_resume' || remote.is === 'resuming' ? { ...run, remote: { ...remote, is: 'begun' } } : run;
}

/** The same for a stop that came before the answer to what let the run continue. */
export const followingUnanswered = (run: RemoteRun): RemoteRun =>
  following(run.is === 'placed' && run.remote.is === 'resuming' ? messageResumed(run) : run);

/** The token of a remote root, which nothing else has, as its name. */
export const remoteName = (token: string): string => `r-${token}`;

/** The same child under another remote name: nothing was taken of the log of that, and nobody else has turns in it. */
export const renamed = (run: PlacedRun, name: string): PlacedRun => ({ ...run, name, cursor: 0, skips: false });

/** A child whose start, which was sent once, was refused: nothing of it is there. */
export function refusedStart(run: RemoteRun): RemoteRun {
  const { stop: _stop, ...never } = run;
  return { ...never, remote: UNSENT };
}

/** Whether a stop is still to be sent. */
export function hasPendingStop({ stop }: Pick<RemoteRun, 'stop'>): boolean {
  return stop !== undefined && stop.settled === undefined;
}

/** A stop is pending from now on; one that was sent or is pending already stays, unless the new one is harder. */
export function withStop<Run extends RemoteRun>(run: Run, verb: StopVerb, reason: string, now: number): Run {
  if (run.stop && STOP_VERBS.indexOf(run.stop.verb) >= STOP_VERBS.indexOf(verb)) return run;
  return { ...run, stop: { verb, reason, ...owedNow(now) } };
}

/** One that waits for a person is looked at so often, in ms, also after a crash: the root's alarm comes for it. */
const LOOK_MS = 60_000;

/** When somebody has to look after the child next although nothing comes of it, in ms since 1970. */
export function dueAt(run: RemoteRun, now: number): number | undefined {
  if (run.stop && hasPendingStop(run)) return run.stop.nextAt;
  if (run.is === 'removed') return run.removal?.nextAt;
  return run.local.is !== 'ended' && isSuspended(run.status) ? now + LOOK_MS : undefined;
}

/** The facts of the child that go with a batch of its chunks. */
function factsOf(run: PlacedRun, now: number): Omit<Batch, 'sessionId' | 'first' | 'chunks'> {
  const { status, usage, held, stop, runId } = run;
  const { waiting } = held;
  const effectAt = dueAt(run, now);
  return {
    status,
    usage,
    ...(waiting.length > 0 ? { pending: waiting } : {}),
    ...(effectAt === undefined ? {} : { effectAt }),
    ...(stop && hasPendingStop(run) && stop.attempts > 0 ? { stopOwed: triedStop(stop, runId) } : {}),
  };
}

const triedStop = ({ verb, since, attempts, nextAt }: RemoteStop, runId: string): StopOwed => ({
  verb,
  runId,
  since,
  attempts,
  nextAt,
});

/** The same child that has something more to say. */
export function saying(run: PlacedRun, chunks: readonly Chunk[], now: number): PlacedRun {
  const batch = { first: run.last + 1, chunks, ...factsOf(run, now) };
  return { ...run, last: run.last + chunks.length, kept: [...run.kept, batch] };
}

/** Whether nothing was ever said of a child: its end is that of one that never began. */
export const isUnheard = ({ last }: PlacedRun): boolean => last === 0;

/** The child's own number of the last chunk of these batches; one without any comes after the one before it. */
export const lastOf = (kept: PlacedRun['kept']): number =>
  kept.reduce((last, { first, chunks }) => Math.max(last, first + chunks.length - 1), 0);
