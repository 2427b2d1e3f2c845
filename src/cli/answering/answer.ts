/** A person's answer to a call that waits, on its way to the server, and what the server says to it in plain words. */

import { ProtocolError, Refused, Unreachable } from '../../client/errors';
import type { Api } from '../../client/http';
import type { PendingItem } from '../../client/pending';
import { POST_TIMEOUT_MS, post } from '../../client/post';
import { sentence } from '../../protocol/content/sentence';
import { isObject, type Json, type JsonObject } from '../../protocol/json';
import { personOf } from '../../protocol/shown/people';
import type { CliIo } from '../io';
import { explained } from '../start';

/** An answer. `input` of an approval replaces the arguments; an empty `reason` is none. */
export type Answer =
  | { readonly kind: 'approve'; readonly input?: Json }
  | { readonly kind: 'deny'; readonly reason: string }
  | { readonly kind: 'result'; readonly result: Json }
  | { readonly kind: 'error'; readonly error: string };

/**
 * What became of an answer. `gone`: the call waits no longer, by somebody else or by its time. `refused`: it still
 * waits. `lost`: the server stays away, and nobody knows. `why` is for a person and still needs cleaning.
 */
export type Reception =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'gone'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'lost'; readonly why: string };

/**
 * Sends an answer. What goes wrong is told in the reception; throws only the signal's reason.
 * @param key of the request: the same answer with the same key counts once
 */
export async function sendAnswer(
  io: Pick<CliIo, 'wait' | 'now'>,
  api: Api,
  address: string,
  item: PendingItem,
  answer: Answer,
  key: string,
  signal: AbortSignal,
): Promise<Reception> {
  try {
    await post(
      io,
      api,
      `${address}/tool-results`,
      { body: bodyOf(item, answer), timeoutMs: POST_TIMEOUT_MS },
      key,
      signal,
    );
    return { kind: 'accepted' };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Refused) return receptionOf(error, item);
    if (!(error instanceof Unreachable) && !(error instanceof ProtocolError)) throw error;
    return { kind: 'lost', why: `${error.message}\nThe answer may or may not have arrived; you can send it again.` };
  }
}

function bodyOf(item: PendingItem, answer: Answer): JsonObject {
  const { toolCallId, inputHash } = item;
  switch (answer.kind) {
    case 'approve':
    case 'deny': {
      // The hash of what was shown: an approval counts for these arguments and for no others.
      const hash: JsonObject = inputHash === undefined ? {} : { inputHash };
      const input: JsonObject = answer.kind === 'approve' && answer.input !== undefined ? { input: answer.input } : {};
      const reason: JsonObject = answer.kind === 'deny' && answer.reason !== '' ? { reason: answer.reason } : {};
      const approved = answer.kind === 'approve';
      return { toolCallId, kind: 'approval-response', approved, ...reason, ...input, ...hash };
    }
    case 'result':
      return { toolCallId, kind: 'client-tool-result', result: answer.result };
    case 'error':
      return { toolCallId, kind: 'client-tool-result', error: answer.error };
  }
}

function receptionOf(error: Refused, { toolName }: PendingItem): Reception {
  const server = error.message;
  switch (error.code) {
    case 'unknown_tool_call':
      return { kind: 'gone', why: `${toolName} is no longer pending: the server has no such call.` };
    case 'already_answered':
      return { kind: 'gone', why: `${toolName} was already answered: ${sentence(decisionText(error.details))}` };
    case 'late_answer':
      return { kind: 'gone', why: `The answer to ${toolName} came too late.\n${server}` };
    case 'interrupted':
      return {
        kind: 'gone',
        why: `${toolName} is no longer pending: its agent was interrupted, and will ask again when resumed.`,
      };
    case 'input_changed':
      return { kind: 'refused', why: 'The arguments on the screen are out of date. Review them again.' };
    case 'invalid_arguments':
    case 'invalid_input':
      return {
        kind: 'refused',
        why: `The answer does not match the tool's schema; the call is still pending.\n${server}`,
      };
    case 'kind_mismatch':
      return { kind: 'refused', why: `The call needs another kind of answer.\n${server}` };
    default:
      if (error.status === 413) return { kind: 'refused', why: `The answer is too large.\n${server}` };
      return { kind: 'refused', why: `The server refused the answer.\n${explained(error).message}` };
  }
}

/** The decision that the server recorded: `approved by alice`, `denied: too long`, `answered`. */
function decisionText(details: Json): string {
  const outer = isObject(details) ? details : {};
  const inner = outer.decision ?? outer.answer ?? outer;
  const decision = isObject(inner) ? inner : outer;
  const { approved, actor, reason } = { ...outer, ...decision };
  return `${saidWord(approved === true || approved === false ? approved : undefined)}${
    typeof actor === 'string' && actor !== '' ? ` by ${personOf(actor)}` : ''
  }${typeof reason === 'string' && reason !== '' ? `: ${reason}` : ''}`;
}

/** How an answer is told: approved, denied, or just answered where it was no approval. */
export function saidWord(approved: boolean | undefined): string {
  if (approved === undefined) return 'answered';
  return approved ? 'approved' : 'denied';
}
