/**
 * Decisions of people about calls that wait.
 *
 * RH5. A decision is bound to the arguments that were shown; sent again, the same decision counts once.
 */
import type { ChangeOptions, Client } from '../client/client';
import { Refused } from '../client/errors';
import type { Json } from '../protocol/json';
import type { Bodies } from '../protocol/wire/wire-types';

/** The fields of a call that an answer needs. */
export interface WaitingItem {
  readonly toolCallId: string;
  /** The hash of the arguments that were shown. */
  readonly inputHash?: string | undefined;
}

/** A decision. The `input` of an approval holds the edited arguments. */
export type Decision =
  | { readonly kind: 'approve'; readonly input?: Json }
  | { readonly kind: 'deny'; readonly reason: string }
  | { readonly kind: 'result'; readonly result: Json }
  | { readonly kind: 'error'; readonly error: string };

/** The answer in the form that the API accepts. */
export function answerOf({ toolCallId, inputHash }: WaitingItem, decision: Decision): Bodies['answer'] {
  const bound = { toolCallId, ...(inputHash === undefined ? {} : { inputHash }) };
  switch (decision.kind) {
    case 'approve': {
      const { input } = decision;
      const changed = input === undefined ? {} : { input };
      return { kind: 'approval-response', ...bound, approved: true, ...changed };
    }
    case 'deny': {
      const why = decision.reason === '' ? {} : { reason: decision.reason };
      return { kind: 'approval-response', ...bound, approved: false, ...why };
    }
    case 'result':
      return { kind: 'client-tool-result', toolCallId, result: decision.result };
    case 'error':
      return { kind: 'client-tool-result', toolCallId, error: decision.error };
  }
}

/** A short hash of a text. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16);
}

/** The idempotency key of a decision. A different decision on the same call has a different key. */
export const decisionKey = ({ toolCallId }: WaitingItem, decision: Decision): string =>
  `${toolCallId}.${decision.kind}.${hashOf(JSON.stringify(decision))}`;

/**
 * Sends a decision. Returns the refusal that has the earlier answer, where somebody else has answered already.
 * @throws Refused for every other reason
 */
export async function sendDecision(
  client: Pick<Client, 'answer'>,
  item: WaitingItem & { readonly address: string },
  decision: Decision,
  sending: ChangeOptions,
): Promise<Refused | undefined> {
  try {
    await client.answer(item.address, answerOf(item, decision), sending);
    return undefined;
  } catch (error) {
    if (error instanceof Refused && error.code === 'already_answered') return error;
    throw error;
  }
}
