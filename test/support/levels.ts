/** Companions that have companions: each begins one of its own in its first task, and asks the same one in each further one. */
import type { JsonObject } from '../../src/protocol/json';
import type { CallResult, Message } from '../../src/protocol/messages';

/** A call of a tool of companions. */
export const companion = (tool: string, input: JsonObject) => ({ name: `companion__${tool}`, input });

/** What a call gave, or its error. */
export const resultOf = (result: CallResult): unknown => (result.success ? result.value : result.error);

/** What an agent was asked, in order. */
export const questions = (messages: readonly Message[]): string[] =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));

/** What the companion that was asked last has answered. */
export function heard(messages: readonly Message[]): string {
  const last = messages.findLast((message) => message.role === 'tool');
  return (
    JSON.stringify(last?.role === 'tool' ? resultOf(last.result) : '').match(/"answer":"([^"]*)"/)?.[1] ?? 'nothing'
  );
}

/** A companion that begins one of its own in its first task, and asks the same one in each further one. */
export const asking =
  (agent: string, name: string) =>
  ({ step, messages }: { readonly step: number; readonly messages: readonly Message[] }) => {
    const asked = questions(messages);
    const message = asked.at(-1) ?? '';
    if (message.startsWith('quiet')) return { finish: { answer: asked.join(' ') } };
    if (step > 1) return { finish: { answer: `${asked.join(' ')}; ${heard(messages)}` } };
    return asked.length === 1
      ? { calls: [companion('spawnAgent', { agent, name, initialMessage: message })] }
      : { calls: [companion('sendMessage', { name, message, wait: true })] };
  };
