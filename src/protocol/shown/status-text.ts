/**
 * What an agent says of itself in a few words, as its chunks tell it: the one rule of the record and of every view.
 *
 * Keeps R15, R16.
 */
import type { Chunk } from '../chunks';
import { beginningOf } from '../content/cut';

/** What an agent may say of what it does; the rest is cut. Unit: characters. */
export const MAX_STATUS_TEXT = 1_000;

/** A status text as it is shown. */
export const shownStatus = (text: string): string => beginningOf(text, MAX_STATUS_TEXT);

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
      if (chunk.subSessionId !== chunk.agentId || chunk.statusText === undefined) return before;
      return shownStatus(chunk.statusText);
    case 'custom':
      return chunk.name === 'status' && typeof chunk.data === 'string' ? shownStatus(chunk.data) : before;
    default:
      return before;
  }
}
