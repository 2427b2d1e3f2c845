/**
 * The status of a session after a chunk of its own log.
 *
 * Decides: the status after a chunk, for every reader of a log.
 * Keeps A7.
 */
import type { ChunkBody } from '../chunks';
import { isSuspended, type RunStatus } from '../status';

/** The status after a chunk of a run that has not ended before. */
export function statusAfter<Status extends string>(before: Status, chunk: ChunkBody): Status | RunStatus {
  switch (chunk.type) {
    case 'run_started':
    case 'unsuspended':
      return 'running';
    case 'run_recovered':
      // A recovered run waits on, if it did; `unsuspended` tells when it no longer does.
      return isSuspended(before) ? before : 'running';
    case 'suspended':
      return chunk.status;
    case 'run_completed':
      return 'completed';
    case 'run_failed':
      return 'failed';
    case 'run_interrupted':
      return 'interrupted';
    case 'run_terminated':
      return 'terminated';
    default:
      return before;
  }
}
