/**
 * How far the newest run of an agent has come, as its chunks tell its root: what a tree shows beside each agent.
 *
 * Decides: what a tree shows of the newest run.
 * Keeps A83.
 */
import type { Chunk } from '../../protocol/chunks';
import { boundedText } from '../../protocol/errors';
import { isEndChunk } from '../../protocol/status';

/** An error is kept with so many characters of its message. */
const MAX_MESSAGE = 500;

/** The progress of a run. Times are in ms since 1970, as the agent wrote them. */
export interface Progress {
  readonly runId: string;
  readonly startedAt: number;
  /** Absent until the run ends. */
  readonly endedAt?: number;
  /** The current step, from 1; 0 before the first. */
  readonly step: number;
  /** The number of recoveries of the run after crashes. */
  readonly recoveries: number;
  /** The error of a failed run; its message has at most 500 characters. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** The same after further chunks of the agent; undefined before its first run. */
export function progressAfter(
  before: Progress | undefined,
  chunks: readonly Chunk[],
): { readonly progress?: Progress } {
  const progress = chunks.reduce(withChunk, before);
  return progress ? { progress } : {};
}

function withChunk(before: Progress | undefined, chunk: Chunk): Progress | undefined {
  const { runId, timestamp } = chunk;
  if (chunk.type === 'run_started') return { runId, startedAt: timestamp, step: chunk.step, recoveries: 0 };
  if (before?.runId !== runId) return before;
  const at = { ...before, step: Math.max(before.step, chunk.step) };
  if (chunk.type === 'run_recovered') return { ...at, recoveries: at.recoveries + 1 };
  if (!isEndChunk(chunk)) return at.step === before.step ? before : at;
  const ended = { ...at, endedAt: timestamp };
  if (chunk.type !== 'run_failed') return ended;
  const { code, message } = chunk.error;
  return { ...ended, error: { code, message: boundedText(message, MAX_MESSAGE) } };
}
