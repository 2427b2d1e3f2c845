/**
 * The answers of an object whose rows a newer version has written.
 *
 * Decides: which callers get the refusal, and which get no answer.
 *
 * SO6. Nothing is read or written there: no start of the SDK, no table, no row.
 * SO7. A call for the sake of the tree gets no answer, as from an unreachable object: an answer might end something.
 */
import type { OffshootError } from '../protocol/errors';
import type { ObjectAnswer, ObjectCall } from './object-calls';

/** The answer to a call there. @throws the refusal, where no answer may be given */
export function answerRefused(call: ObjectCall, refusal: OffshootError): ObjectAnswer<ObjectCall> {
  if ('bytes' in call) call.bytes?.cancel().catch(() => undefined);
  switch (call.kind) {
    case 'verb':
    case 'socket':
    case 'copy':
      return { ok: false, error: refusal.failure };
    case 'agent':
    case 'root':
    case 'files':
    case 'variables':
    case 'thread':
      throw refusal;
  }
}
