/** The transcript, from the rows that hold it: messages that arrived, and steps with their results. */

import { failure } from '../../protocol/errors';
import type { AssistantPart, Message } from '../../protocol/messages';
import type { InboundMessage } from './inbound';
import type { RepliedStep, Step } from './state';

/** The message that a row of the inbox is. */
export function inboundMessage(message: InboundMessage): Message {
  if (message.role === 'user') return { role: 'user', content: message.content };
  const text =
    typeof message.content === 'string'
      ? message.content
      : message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return { role: 'system', content: text };
}

/** The assistant message of a step and its tool messages, in the order of the calls. */
export function stepMessages(step: RepliedStep): Message[] {
  const content = step.reply.map((part): AssistantPart => {
    if (part.type !== 'tool-call') return part;
    const { index, ...rest } = part;
    const call = step.calls[index];
    return { ...rest, toolCallId: call?.callId ?? '', input: call?.input ?? null };
  });
  const messages: Message[] = content.length === 0 ? [] : [{ role: 'assistant', content }];
  for (const call of step.calls) {
    // A step that an older release left open is closed here, so that every call is paired whatever happened to it.
    const result = call.settled?.result ?? {
      success: false as const,
      error: failure('superseded', 'This call was left without a result.'),
    };
    messages.push({ role: 'tool', toolCallId: call.callId, toolName: call.name, result });
  }
  return messages;
}

/** Messages and steps in the order in which they were seen. A step sees the messages up to its `messagesUpTo`. */
export function interleave<Item>(
  messages: readonly InboundMessage[],
  steps: readonly Step[],
  ofMessage: (message: InboundMessage) => Item[],
  ofStep: (step: Step) => Item[],
): Item[] {
  const items: Item[] = [];
  let next = 0;
  for (const step of steps) {
    for (
      let message = messages[next];
      message !== undefined && message.id <= step.messagesUpTo;
      message = messages[++next]
    ) {
      items.push(...ofMessage(message));
    }
    items.push(...ofStep(step));
  }
  for (const message of messages.slice(next)) items.push(...ofMessage(message));
  return items;
}

/** What a model sees of these rows. */
export function transcriptOf(messages: readonly InboundMessage[], steps: readonly Step[]): Message[] {
  return interleave(
    messages,
    steps,
    (message) => [inboundMessage(message)],
    (step) => (step.phase === 'calls' ? stepMessages(step) : []),
  );
}
