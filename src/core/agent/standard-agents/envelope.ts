/**
 * The envelope: the message by which a parent hears of the end of a session of its sub-agent (Standard Agents). The two
 * texts are part of that contract, to the letter.
 *
 * Decides: the words of an envelope, but for those about its files.
 * Keeps SA43, SA44, SAQ1.
 */
import { isObject, type JsonObject } from '../../../protocol/json';
import { type CallResult, shownValue } from '../../../protocol/messages';
import { textOf, withReturned, withShown } from '../calls/enclosures';
import type { NewMessage } from '../inbound';
import type { EndedTask } from '../state';

/** The message about an end of the child of that reference. */
export function envelopeOf(
  { result, unread = 0, wakes, brought }: EndedTask,
  reference: string,
): Omit<NewMessage, 'messageId'> {
  const returned = withReturned(result, brought);
  const { value, files } = shownValue(returned.success ? returned.value : null);
  const text = contentOf(returned.success ? { success: true, value } : returned, reference);
  return {
    role: 'user',
    content: withShown(text, brought, files),
    from: 'offshoot',
    silent: true,
    metadata: { subagent_id: reference, ...factsOf(result), ...(unread > 0 ? { unread_messages: unread } : {}) },
    ...(wakes ? { wakes } : {}),
  };
}

function contentOf(result: CallResult, reference: string): string {
  const who = `Subagent (reference: ${reference})`;
  return result.success
    ? `${who} has returned the following result:\n\n${textOf(result.value)}`
    : `${who} has reported a failure:\n\n${result.error.message}`;
}

/** What a program reads of a failure: its code, and what had been done. */
function factsOf(result: CallResult): JsonObject {
  if (result.success) return {};
  const { code, details } = result.error;
  const { done } = isObject(details) ? details : {};
  return { code, ...(done === undefined ? {} : { done }) };
}
