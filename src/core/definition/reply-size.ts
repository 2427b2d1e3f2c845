/**
 * How large a reply of a model may be.
 *
 * Decides: how many calls and parts a reply may have.
 * Keeps JS3, JS9, JS10.
 */

import { DATA_LIMITS } from '../../protocol/data-limits';
import { OffshootError } from '../../protocol/errors';
import type { ModelReply } from './model-port';

/** More calls than this in one reply are not worked on. */
export const MAX_CALLS_OF_A_STEP = 1024;
/** A reply with more calls than this is no reply. Their results have keys of their own up to this number. */
export const MAX_CALLS_OF_A_REPLY = 4096;
/** Blocks, calls and results of one reply, also of what a provider ran: each takes memory, also where it says nothing. */
export const MAX_PARTS_OF_A_REPLY = 10_000;
/** A piece that does not continue the one before it counts so many characters more: it takes a row of its own in the log. */
export const ROW_CHARACTERS = 100;

/** Refuses a reply that no step can hold. @throws OffshootError `model_bad_reply` for too many calls, or too much text */
export function checkSize({ content }: ModelReply): void {
  const calls = content.filter((part) => part.type === 'tool-call').length;
  if (calls > MAX_CALLS_OF_A_REPLY) {
    const problem = `The reply asks for ${calls} calls, more than ${MAX_CALLS_OF_A_REPLY}.`;
    throw new OffshootError('model_bad_reply', problem);
  }
  if (content.length > MAX_PARTS_OF_A_REPLY) throw tooManyParts();
  const characters = content.reduce((sum, part) => sum + sizeOf(part), 0);
  if (characters > DATA_LIMITS.maxReplyCharacters) throw tooLong(characters);
}

/** What a part of a reply counts, in characters; the arguments of a call have a limit of their own. */
function sizeOf(part: ModelReply['content'][number]): number {
  switch (part.type) {
    case 'tool-call':
      return part.toolName.length + part.providerId.length;
    case 'text':
    case 'reasoning':
      return part.text.length;
    case 'made-file':
      // A file is kept among the agent's files, and has another limit.
      return 0;
    default:
      return JSON.stringify(part).length;
  }
}

/** A reply of more parts than any that is kept. Asking again would cost the same once more. */
export function tooManyParts(): OffshootError {
  const message = `The reply has more than ${MAX_PARTS_OF_A_REPLY} parts. Set an output limit for the model.`;
  return new OffshootError('model_bad_reply', message, { retryable: false });
}

/** A reply that is longer than any that is kept. Asking again would cost the same once more. */
export function tooLong(characters: number): OffshootError {
  const most = DATA_LIMITS.maxReplyCharacters;
  const message = `The reply has at least ${characters} characters; the limit is ${most}. Set an output limit for the model.`;
  return new OffshootError('model_bad_reply', message, { retryable: false });
}
