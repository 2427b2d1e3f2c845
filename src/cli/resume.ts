/** Going on with a run that was stopped, or trying one again that has failed. */

import { Refused } from '../client/errors';
import { type Api, requestJson } from '../client/http';
import { messagePlace } from '../client/message-place';
import { POST_TIMEOUT_MS, post } from '../client/post';
import type { JsonObject } from '../protocol/json';
import { isSuspended } from '../protocol/status';
import { sendAccepted } from '../protocol/wire/requests';
import { CliError, EXIT } from './cli-error';
import type { CliIo } from './io';
import { explained } from './start';

const TIMEOUT_MS = 15_000;

/** What was done: a stopped run goes on, a failed one is tried again, or one that waits was sent the message. */
export type Resumed =
  | { readonly did: 'resumed' | 'retried' }
  | { readonly did: 'sent'; readonly notes: readonly string[] };

/**
 * Resumes an interrupted run, or retries a failed one; one that waits for a person is sent the message, if there is one.
 * @param message goes along; empty is none
 * @throws {CliError} that says why it cannot be done and what can be
 */
export async function resumeRun(
  io: Pick<CliIo, 'wait' | 'now' | 'randomId'>,
  api: Api,
  address: string,
  message: string,
  signal: AbortSignal,
): Promise<Resumed> {
  const { status } = await requestJson(api, `${address}/status`, { timeoutMs: TIMEOUT_MS, signal });
  if (isSuspended(String(status)) && message !== '') return sendTo(io, api, address, message, signal);
  if (status !== 'interrupted' && status !== 'failed') throw notResumable(String(status), address);
  const verb = status === 'failed' ? 'retry' : 'resume';
  const body: JsonObject = message === '' ? {} : { message };
  try {
    await post(io, api, `${address}/${verb}`, { body, timeoutMs: POST_TIMEOUT_MS }, io.randomId(), signal);
    return { did: verb === 'retry' ? 'retried' : 'resumed' };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw refusedResume(error, address);
  }
}

/** Sends the message, and prints the calls before it. */
async function sendTo(
  io: Pick<CliIo, 'wait' | 'now' | 'randomId'>,
  api: Api,
  address: string,
  content: string,
  signal: AbortSignal,
): Promise<Resumed> {
  try {
    const asked = { body: { content }, timeoutMs: POST_TIMEOUT_MS };
    const answer = await post(io, api, `${address}/messages`, asked, io.randomId(), signal);
    const accepted = sendAccepted.safeParse(answer);
    return { did: 'sent', notes: accepted.success ? messagePlace(accepted.data) : [] };
  } catch (error) {
    throw error instanceof Refused ? explained(error) : error;
  }
}

function notResumable(status: string, address: string): CliError {
  const watch = `npm run ask -- --watch ${address}`;
  const told = (text: string) => new CliError(text, EXIT.failed);
  if (isSuspended(status)) return told(`The run is not interrupted; it is waiting. See what for: ${watch}`);
  switch (status) {
    case 'running':
    case 'queued':
      return told(`The run is already in progress (${status}). Watch it: ${watch}`);
    case 'completed':
      return told(`The run has completed; there is nothing to resume. See its report: ${watch}`);
    case 'terminated':
      return told('The agent was terminated and cannot be resumed. Ask a new question to start a new run.');
    case 'idle':
      return told('There is no run at this address to resume.');
    default:
      return told(`The run cannot be resumed: it is ${status}.`);
  }
}

/** What the server says when the run has changed since its status was read, or is not to be resumed from here. */
function refusedResume(error: Refused, address: string): CliError | Refused {
  switch (error.code) {
    case 'already_running':
      return notResumable('running', address);
    case 'awaiting_input':
      return notResumable('suspended_client_tool', address);
    case 'terminated':
      return notResumable('terminated', address);
    case 'owned_by_parent':
      return new CliError(
        `${error.message}\nOnly its parent can resume it: use the address of the root.`,
        EXIT.failed,
        {
          cause: error,
        },
      );
    case 'not_resumable':
    case 'not_retryable':
      return new CliError(`The run cannot be resumed.\n${error.message}`, EXIT.failed, { cause: error });
    default:
      return explained(error);
  }
}
