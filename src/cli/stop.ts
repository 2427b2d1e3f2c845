/** Stopping a run, so that it can be resumed. */

import type { Api } from '../client/http';
import { POST_TIMEOUT_MS, post } from '../client/post';
import type { JsonObject } from '../protocol/json';
import { agentAt, currentRun, type TreeView } from '../protocol/view/view';
import type { CliIo } from './io';

/**
 * Interrupts the run that the view shows at an address, and no later one. Settles when the server has accepted it; the
 * stream tells when the run has ended. Throws as `post` does.
 */
export async function stopRun(
  io: Pick<CliIo, 'wait' | 'now' | 'randomId'>,
  api: Api,
  address: string,
  view: TreeView,
  signal: AbortSignal,
): Promise<void> {
  const agent = agentAt(view, address);
  const run = agent === undefined ? undefined : currentRun(agent);
  const runId: JsonObject = run === undefined || run.end !== undefined ? {} : { runId: run.runId };
  const body = { reason: 'stopped at the terminal', ...runId };
  await post(io, api, `${address}/interrupt`, { body, timeoutMs: POST_TIMEOUT_MS }, io.randomId(), signal);
}
