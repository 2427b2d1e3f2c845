/**
 * Calls and their results in words, for a request without tools: some providers refuse calls in it.
 *
 * Keeps M106.
 */
import { type AssistantPart, failureContent, type Message, partsToShow, type TextPart } from '../../protocol/messages';

const known = new WeakMap<Message, Message>();

/** A message without calls; the same message every time. One that has none stays as it is. */
export function inWords(message: Message): Message {
  const made = known.get(message) ?? worded(message);
  known.set(message, made);
  return made;
}

function worded(message: Message): Message {
  if (message.role === 'tool') return { role: 'user', content: resultParts(message) };
  if (message.role !== 'assistant' || !message.content.some(isCall)) return message;
  return { ...message, content: message.content.map((part) => (isCall(part) ? callText(part) : part)) };
}

type CallPart = Extract<AssistantPart, { type: 'tool-call' }>;
type ResultMessage = Extract<Message, { role: 'tool' }>;

const isCall = (part: AssistantPart): part is CallPart => part.type === 'tool-call';

const callText = ({ toolName, input }: CallPart): TextPart => ({
  type: 'text',
  text: `[A call of ${toolName} with ${JSON.stringify(input)}]`,
});

function resultParts({
  toolName,
  result,
}: ResultMessage): Exclude<Extract<Message, { role: 'user' }>['content'], string> {
  const head: TextPart = { type: 'text', text: `[The result of a call of ${toolName}:]` };
  const parts = result.success ? partsToShow(result.value) : undefined;
  if (parts) return [head, ...parts];
  const value = result.success ? result.value : failureContent(result.error);
  return [head, { type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }];
}
