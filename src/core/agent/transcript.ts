/**
 * The transcript, from the rows that hold it: messages that arrived, and steps with their results.
 *
 * Decides: the order of messages and results.
 * Keeps MS1, SA74.
 */

import { failure } from '../../protocol/errors';
import {
  type AssistantPart,
  type CallResult,
  FINISH_TOOL,
  type Message,
  synthesizeFinishToolResult,
} from '../../protocol/messages';
import { otherSide } from '../../protocol/sides';
import { listed, shownFiles } from './calls/enclosures';
import type { InboundMessage } from './inbound';
import type { Viewer } from './seat';
import { messageOfSide, targetOf } from './standard-agents/sides';
import type { Call, RepliedStep, Step } from './state';

/** The message that a row of the inbox is. */
export function inboundMessage(message: InboundMessage): Message {
  if (message.role === 'user') return { role: 'user', content: withFiles(message), ...authorOf(message) };
  const text =
    typeof message.content === 'string'
      ? message.content
      : message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return { role: 'system', content: text };
}

/** The mark of messages that Offshoot writes. */
const authorOf = ({ from }: InboundMessage): { readonly from?: 'offshoot' } => (from === 'offshoot' ? { from } : {});

/** What is said, and which files came with it. */
function withFiles({ content, files }: InboundMessage): InboundMessage['content'] {
  if (files === undefined) return content;
  const note = `Files that came with this message:\n${listed(files)}`;
  const shown = shownFiles(files);
  if (typeof content !== 'string') return [...content, { type: 'text', text: note }, ...shown];
  const text = `${content}\n\n${note}`;
  return shown.length === 0 ? text : [{ type: 'text', text }, ...shown];
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
    // A step that was left open is closed here, so that every call is paired whatever happened to it.
    const result = call.settled?.result ?? resultOfOpen(call);
    messages.push({ role: 'tool', toolCallId: call.callId, toolName: call.name, result });
  }
  return messages;
}

/** The result that a call without one is shown with: the output of one that ends the run was taken. */
function resultOfOpen({ callId, name }: Call): CallResult {
  if (name === FINISH_TOOL) return synthesizeFinishToolResult(callId).result;
  return { success: false, error: failure('superseded', 'This call was left without a result.') };
}

/** What a side reads of a message: word for word where it is for that side, else with a line that says whom it was for. */
export function messageFor(row: InboundMessage, { side, sides }: Viewer): Message | undefined {
  const target = targetOf(row);
  if (row.role !== 'user' || target === side) return inboundMessage(row);
  if (row.from === 'offshoot') return row.to === undefined ? inboundMessage(row) : undefined;
  const line = `[From the ${row.from} to ${sides.of[target].label}]`;
  const { content } = row;
  if (typeof content === 'string') return { role: 'user', content: `${line}\n${content}` };
  return { role: 'user', content: [{ type: 'text', text: line }, ...content] };
}

/** What a side reads of a step: its own with its calls and results, of the other's what that told. */
export function stepFor(step: RepliedStep, { side, sides }: Viewer): Message[] {
  if (step.side === undefined || step.side === side) return stepMessages(step);
  const content = messageOfSide(sides.of[step.side], step);
  return content.trim() === '' ? [] : [{ role: 'user', content }];
}

/** What a side reads of a turn of the other that had no words. */
export const silentTurn = ({ side, sides }: Viewer): Message => ({
  role: 'user',
  content: `[${sides.of[otherSide(side)].label} ended its turn without words.]`,
});

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
