/**
 * The part of a capability in one object: calls and messages of its own, and a memory that has come to the object before its
 * session.
 *
 * Keeps CB9.
 */

import type { AgentAnswer, AssignMessage, CapabilityMessage } from '../tree-messages';
import type { CapabilityAnswer, CapabilityCall } from './object-calls';

/** The part of one capability in an object. */
export interface ObjectPart {
  /** A memory is on its way to this object, so nothing else may begin here. */
  readonly isBusy: boolean;
  /** A memory is here, or on its way, that belongs to no session. The store must have been made. */
  readonly isOccupied: boolean;
  /** Names the part of a call or message that only a newer version knows; undefined where all of it is known. */
  unknownIn(sent: CapabilityCall | CapabilityMessage): string | undefined;
  /** Answers a call of this capability. */
  take(call: CapabilityCall): Promise<CapabilityAnswer>;
  /** Answers a message of this capability. */
  receive(message: CapabilityMessage): Promise<AgentAnswer> | AgentAnswer;
  /** Begins the session of a child that needed this capability first. No session is here. */
  begin(message: AssignMessage): Promise<AgentAnswer>;
  /** A store without a session was found here. */
  found(): void;
  /** Removes a memory that has no session; undefined where there is none. */
  clear(): Promise<void> | undefined;
  /** The alarm rings, and no session is here. */
  alarm(): Promise<void>;
  /** Whether the tree may not know of the session that is here. */
  readonly isUnconfirmed: boolean;
  /** The tree knows of the session. */
  confirmed(): void;
}
