/**
 * The log of a remote task, as it is taken over into the log here.
 *
 * Decides: what of the remote stream is taken.
 *
 * RM3. Chunks and the cursor behind them are one commit; a sequence that was taken is never taken again.
 * RM35. A chunk of an unknown type moves the cursor alone.
 * RM34. The log of a run ends with its end, and a status says the same of it.
 * RM4. Addresses and session ids there are mapped below the child's: nothing that a remote says can mean another agent here.
 */
import type * as z from 'zod';
import type { Outcome } from '../../../core/agent/state';
import { type Came, type RemoteBounds, RemoteError, type RemoteEvent } from '../../../core/definition/remote-transport';
import type { Chunk } from '../../../protocol/chunks';
import { isEndChunk, isEnded } from '../../../protocol/status';
import { statusAfter } from '../../../protocol/status/after';
import { countedUsage, largerUsage } from '../../../protocol/usage';
import { statusDocument, usageDocument } from '../../../protocol/wire/shapes';
import { outcomeOf } from './ends';
import { heldAfter, nothingWaits, withPassedOver } from './held';
import { localChunk, remoteRoot } from './ids';
import { checkTaken, withTimes } from './numbers';
import { chainOf, saying } from './run';
import type { PlacedRun } from './state';

/**
 * The same child with the usage that the answer reports. No part of it falls.
 * @throws RemoteError `remote_invalid` for an invalid answer
 */
export function withSpent(run: PlacedRun, answer: unknown, now: number): PlacedRun {
  const reported = usageDocument.safeParse(answer).data;
  if (reported === undefined) throw new RemoteError('remote_invalid', 'It reported an invalid usage.');
  const usage = largerUsage(run.usage, countedUsage(reported.total).usage);
  return saying({ ...run, usage }, [], now);
}

/** Whether a chunk is the first of the task: earlier ones are of turns that others gave it, or were given up here. */
const beginsTask = (run: PlacedRun, { type, runId, address }: Chunk): boolean =>
  type === 'run_started' && runId === chainOf(run)?.chainRunId && address === remoteRoot(run);

/** Whether a chunk begins a turn that somebody else gave the session once the task had ended. */
const beginsOthers = (run: PlacedRun, chunk: Chunk): boolean =>
  isEnded(run.status) &&
  chunk.type === 'run_started' &&
  chunk.resumedFrom === undefined &&
  chunk.address === remoteRoot(run);

/** Words of a run at work. */
const AT_WORK: ReadonlySet<Chunk['type']> = new Set<Chunk['type']>([
  ...(['step_started', 'step_committed', 'step_discarded', 'text_delta', 'thinking'] as const),
  ...(['tool_arg_stream_start', 'tool_arg_stream_delta', 'tool_start', 'tool_approval_request'] as const),
  ...(['client_tool_request', 'suspended', 'run_completed', 'run_failed', 'run_interrupted'] as const),
]);

/** @throws RemoteError for a word of a run that has ended, and was not interrupted */
function checkOrder({ status }: PlacedRun, { type }: Chunk): void {
  if (isEnded(status) && status !== 'interrupted' && AT_WORK.has(type))
    throw new RemoteError('remote_invalid', `Its log continues after its end (${type}).`);
}

/** The child after a chunk of its own. */
function afterOwn(run: PlacedRun, chunk: Chunk): PlacedRun {
  checkOrder(run, chunk);
  const status = statusAfter(run.status, chunk);
  const { step, attempt } = chunk;
  const next: PlacedRun = { ...withEnd(run, undefined), status, step, attempt };
  if (!isEnded(status)) return next;
  const end = isEndChunk(chunk) ? outcomeOf({ ...chunk, status }) : endOf(run);
  return { ...withEnd(next, end), held: nothingWaits(run.held) };
}

/** The end of an active task, as its log has told it. */
export const endOf = ({ local }: PlacedRun) => (local.is === 'active' ? local.end : undefined);

function withEnd(run: PlacedRun, end: ReturnType<typeof endOf>): PlacedRun {
  const { local } = run;
  if (local.is !== 'active') return run;
  const { isWaitReported } = local;
  return { ...run, local: { is: 'active', isWaitReported, ...(end ? { end } : {}) } };
}

/**
 * Where the log there is read on after a reset: what was taken already is passed over when it comes again.
 * @throws RemoteError where the log begins behind something of this task that was not taken
 */
function afterReset(run: PlacedRun, from: number): PlacedRun {
  if (from <= run.cursor + 1) return run;
  if (run.skips) return { ...run, cursor: from - 1 };
  throw new RemoteError(
    'remote_invalid',
    `Its log begins at sequence ${from}: the events after ${run.cursor} are gone.`,
  );
}

/** The time now, in ms since 1970, and the bounds of one child. */
export interface Taking {
  readonly now: number;
  readonly bounds: RemoteBounds;
}

/**
 * The child after events of the remote log (RM3). One that was taken already changes nothing.
 * @throws RemoteError for a sequence that leaves some out, for what is of another agent, for a number out of its range,
 *     and for more than one child may hold
 */
export function relayed(before: PlacedRun, events: readonly RemoteEvent[], { now, bounds }: Taking): PlacedRun {
  let run = before;
  const chunks: Chunk[] = [];
  for (const event of events) {
    if (event.type === 'reset') run = afterReset(run, event.from);
    if (event.type !== 'chunk' && event.type !== 'passed_over') continue;
    if (event.sequence <= run.cursor) continue;
    if (event.sequence > run.cursor + 1) {
      // What came before the hole is taken.
      if (run !== before) break;
      throw new RemoteError('remote_invalid', `It omitted the chunk after sequence ${run.cursor}.`, {
        retryable: true,
      });
    }
    if (event.type === 'passed_over') {
      const held = run.skips ? run.held : withPassedOver(run.held, event.bytes, bounds);
      run = { ...run, cursor: event.sequence, held };
      continue;
    }
    if (run.skips) {
      if (!beginsTask(run, event.chunk)) {
        run = { ...run, cursor: event.sequence };
        continue;
      }
      run = { ...run, skips: false };
    }
    if (beginsOthers(run, event.chunk)) break;
    checkTaken(event.chunk);
    const chunk = withTimes(localChunk(run, event.chunk), { from: run.startedAt, now });
    chunks.push(chunk);
    run = { ...run, cursor: event.sequence, held: heldAfter(run.held, chunk, bounds, now) };
    if (chunk.address === run.address) run = afterOwn(run, chunk);
  }
  return chunks.length === 0 ? run : saying(run, chunks, now);
}

/** True where a status and the log name different ends. */
export function contradictsLog(run: PlacedRun, said: Outcome): boolean {
  const end = endOf(run);
  return end !== undefined && end.status !== said.status;
}

/** Whether a stream that gives nothing is behind the remote `status`: then it is left. */
export function isStreamBehind({ cursor }: Pick<PlacedRun, 'cursor'>, came: Came): boolean {
  const said = 'ok' in came && came.ok ? statusDocument.safeParse(came.body).data : undefined;
  return said?.lastSequence !== cursor;
}

/**
 * Whether a task whose start was taken may wait there still, behind the turn of somebody else (EN1): its beginning is not
 * in the log yet, and that turn has not ended, or was interrupted.
 */
export const mayWaitThere = (run: PlacedRun, { sessionId, status }: z.output<typeof statusDocument>): boolean =>
  run.skips && sessionId === chainOf(run)?.sessionId && (!isEnded(status) || status === 'interrupted');
