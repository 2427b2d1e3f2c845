/**
 * How a child stands by the record of its root, as that tells its parent.
 *
 * Keeps CO20.
 */
import type { SessionStatus } from '../../../protocol/status';
import type { Usage } from '../../../protocol/usage';
import type { PendingCall } from '../calls/answer';

/** A call at or below a child that waits for a person. */
export interface LookedCall
  extends Pick<PendingCall, 'toolCallId' | 'toolName' | 'kind' | 'requestedAt' | 'expiresAt'> {
  /** Of the agent whose call it is. */
  readonly address: string;
}

/** How one child stands. */
export interface Look {
  readonly sessionId: string;
  readonly status: SessionStatus;
  /** What it said last of what it does; empty where it said nothing. */
  readonly statusText: string;
  /** When it told the root something last, in ms since 1970; missing before. */
  readonly lastAt?: number;
  readonly usage: Usage;
  /** The first calls at or below it that wait for a person, in the order of their asking, and how many there are. */
  readonly pending: readonly LookedCall[];
  readonly pendingCount: number;
}
