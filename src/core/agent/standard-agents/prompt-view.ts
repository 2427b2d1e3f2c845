/**
 * What a prompt lets its model see of a conversation. Pure.
 *
 * Decides: what of earlier runs and calls a model sees (`includeChat`, `includePastTools`).
 * Keeps SA78.
 */
import type { AssistantPart, Message, UserPart } from '../../../protocol/messages';
import type { PromptDefinition } from '../../definition/definition';

type Rules = Pick<PromptDefinition, 'includeChat' | 'includePastTools' | 'recentImageThreshold'>;

/** @param began where the run that goes on begins among the messages, with what it goes on with */
export function seenBy(prompt: Rules, messages: readonly Message[], began: number): readonly Message[] {
  const past = prompt.includeChat ? messages.slice(0, began) : [];
  const told = prompt.includePastTools ? past : past.flatMap(withoutCalls);
  return withoutPictures([...told, ...messages.slice(began)], prompt.recentImageThreshold);
}

const CALLS: readonly AssistantPart['type'][] = ['tool-call', 'provider-call', 'provider-result'];

function withoutCalls(message: Message): Message[] {
  if (message.role === 'tool') return [];
  if (message.role !== 'assistant' || !message.content.some(({ type }) => CALLS.includes(type))) return [message];
  // Thinking that led to calls stands for nothing without them.
  const content: AssistantPart[] = message.content.filter(({ type }) => type === 'text');
  return content.length === 0 ? [] : [{ ...message, content }];
}

const isPicture = (part: UserPart): part is Exclude<UserPart, { type: 'text' }> =>
  part.type === 'file' && part.mediaType.startsWith('image/');

/** Pictures stay in so many of the newest messages; in older ones a line stands for each. */
function withoutPictures(messages: readonly Message[], newest: number): readonly Message[] {
  const from = messages.length - newest;
  return messages.map((message, at) => {
    if (at >= from || message.role !== 'user' || typeof message.content === 'string') return message;
    if (!message.content.some(isPicture)) return message;
    const content = message.content.map((part) =>
      isPicture(part) ? { type: 'text' as const, text: `[image ${part.filename ?? part.mediaType}]` } : part,
    );
    return { ...message, content };
  });
}
