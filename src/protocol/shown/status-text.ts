/**
 * Status texts, by an agent of itself or by its parent of it: the one rule of the record and of every view.
 *
 * Keeps R15, R16, DG32.
 */
import type { Chunk } from '../chunks';
import { beginningOf } from '../content/cut';

/** What an agent may say of what it does; the rest is cut. Unit: characters. */
export const MAX_STATUS_TEXT = 1_000;

/** Words of a `subagent_status` that change no status: a stop that is not obeyed yet, and whether a parent reaches a child. */
const NO_STATUS: readonly string[] = ['interrupting', 'aborting', 'terminating', 'unreached', 'reached'];

/** True where the word of a `subagent_status` is the status of a session. */
export const isStatusWord = (word: string): boolean => !NO_STATUS.includes(word);

/** A status text as it is shown. */
const shownStatus = (text: string): string => beginningOf(text, MAX_STATUS_TEXT);

/** The status text of a child after a word of its parent about it; an empty text leaves none. */
export function statusTextIn(
  before: string | undefined,
  { statusText }: { readonly statusText?: string | undefined },
): string | undefined {
  return statusText === undefined ? before : shownStatus(statusText) || undefined;
}

/**
 * The status text of an agent after one more of its own chunks. It is about the newest run: a run begins without one, and
 * one that completes leaves none. The reason of a stop stays until the next run.
 */
export function statusTextAfter(before: string | undefined, chunk: Chunk): string | undefined {
  switch (chunk.type) {
    case 'run_started':
    case 'run_completed':
      return undefined;
    case 'subagent_status':
      return chunk.subSessionId === chunk.agentId ? statusTextIn(before, chunk) : before;
    case 'custom':
      return chunk.name === 'status' && typeof chunk.data === 'string' ? shownStatus(chunk.data) : before;
    default:
      return before;
  }
}
