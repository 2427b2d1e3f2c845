/**
 * The rows of remote children, typed: the store keeps them without knowing the rest of a row.
 *
 * Keeps RM2.
 */
import type { AgentStore } from '../../../core/ports/agent-store';
import type { RemoteRun } from '../machine/state';

/** A child by its session. No other capability writes such rows. */
export const remoteRun = (store: Pick<AgentStore, 'remote'>, sessionId: string): RemoteRun | undefined =>
  store.remote(sessionId) as RemoteRun | undefined;
