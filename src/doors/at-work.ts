/** The status document of a tree that does something by itself. */
import { isSuspended } from '../protocol/status';
import type { Document } from '../protocol/wire/wire-types';

/** True while the agent works, waits for its turn, or waits for agents below of which one does. */
export function isAtWork({ status, childCounts: { running, queued } }: Document<'status'>): boolean {
  return status === 'running' || status === 'queued' || (isSuspended(status) && running + queued > 0);
}
