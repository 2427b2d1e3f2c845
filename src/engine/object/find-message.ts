/**
 * Finds a message of a session by its id.
 *
 * Keeps DL8, SAT4.
 */
import type { InboundMessage } from '../../core/agent/inbound';
import type { AgentState } from '../../core/agent/state';
import type { AgentStore } from '../../core/ports/agent-store';

/** How many of the newest messages are looked through. */
export const MESSAGES_SEARCHED = 1_000;
/** Messages that are read at once. */
const PAGE = 100;

/** The message of that id, among the newest 1,000. */
export function findMessage(
  {
    state,
    deps: { store },
  }: { readonly state: AgentState; readonly deps: { readonly store: Pick<AgentStore, 'messages'> } },
  messageId: string,
): InboundMessage | undefined {
  const waiting = state.inbox.find((one) => one.messageId === messageId);
  if (waiting) return waiting;
  const oldest = Math.max(0, state.lastMessage - MESSAGES_SEARCHED);
  for (let upTo = state.lastMessage; upTo > oldest; upTo -= PAGE) {
    const rows = store.messages({ after: Math.max(oldest, upTo - PAGE), upTo });
    const found = rows.find((one) => one.messageId === messageId);
    if (found) return found;
  }
  return undefined;
}
