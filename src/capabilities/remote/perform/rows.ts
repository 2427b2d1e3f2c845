/**
 * The rows of remote children, typed: the store keeps them without knowing the rest of a row.
 *
 * Keeps RM2, SO3.
 */
import type { RunCaller } from '../../../core/agent/runs/lineage';
import type { AgentStore, RemoteRow } from '../../../core/ports/agent-store';
import type { RemoteRun } from '../machine/state';

/** A child by its session. No other capability writes such rows. */
export function remoteRun(store: Pick<AgentStore, 'remote'>, sessionId: string): RemoteRun | undefined {
  const row: (RemoteRow & { readonly asker?: RunCaller }) | undefined = store.remote(sessionId);
  if (row === undefined) return undefined;
  // Formats 1 to 3 have another name for the caller.
  const { asker: caller, ...run } = row;
  return (caller === undefined ? row : { ...run, caller }) as RemoteRun;
}
