/**
 * The rows of remote children, typed: the store keeps them without knowing the rest of a row.
 *
 * Keeps RM2, SO3.
 */
import type { RunCaller } from '../../../core/agent/runs/lineage';
import type { AgentStore } from '../../../core/ports/agent-store';
import type { RemoteRun } from '../machine/state';

/** A child by its session. No other capability writes such rows. */
export function remoteRun(store: Pick<AgentStore, 'remote'>, sessionId: string): RemoteRun | undefined {
  const row = store.remote(sessionId) as StoredRun | undefined;
  if (row === undefined || !('asker' in row)) return row;
  const { asker, ...run } = row;
  return { ...run, caller: asker } as RemoteRun;
}

/** A row as formats 1 to 3 hold it, or as the newest does: only the name of the caller differs. */
type StoredRun = RemoteRun | (Omit<RemoteRun, 'caller'> & { readonly asker: RunCaller });
