/**
 * Marks for Anthropic's prompt cache, which keeps the beginning of a request up to a marked block.
 *
 * A request is found in the cache by its marks alone, up to 20 blocks before each. One reply with many calls is more than
 * that, so the end of the step before is marked once more.
 *
 * Decides: which blocks are marked.
 * Keeps M84, M85.
 */
import type { LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { TakenRequest } from './request';

/** The most marks of a request. */
const MAX_MARKS = 4;

const MARK = { cacheControl: { type: 'ephemeral' } } as const;

type Marked = Pick<TakenRequest, 'prompt' | 'tools'>;

/**
 * A request with marks at the end of the history, at its end one step before, at the end of the system prompt and at the last
 * tool. Marks of the author count: the first of ours are left out for them, from behind. Changes none of its arguments.
 */
export function marked({ prompt, tools }: Marked): Marked {
  const last = tools.findLastIndex(isOurs);
  const places = [...placesOf(prompt), ...(last < 0 ? [] : (['tools'] as const))];
  const free = MAX_MARKS - marksOf({ prompt, tools });
  const chosen = new Set(places.filter((place) => !isMarked({ prompt, tools }, place)).slice(0, Math.max(0, free)));
  if (chosen.size === 0) return { prompt, tools };
  return {
    prompt: prompt.map((message, at) => (chosen.has(at) ? withMark(message) : message)),
    tools: chosen.has('tools') ? tools.map((tool, at) => (at === last && isOurs(tool) ? markOf(tool) : tool)) : tools,
  };
}

type Tool = Marked['tools'][number];

/** A tool that a provider runs takes no mark. */
const isOurs = (tool: Tool): tool is Extract<Tool, { type: 'function' }> => tool.type === 'function';

/** The messages to be marked, the most useful first. */
function placesOf(prompt: LanguageModelV4Prompt): number[] {
  const heard = (before: number): number =>
    prompt.findLastIndex(({ role }, at) => at < before && (role === 'user' || role === 'tool'));
  const end = heard(prompt.length);
  const before = heard(prompt.findLastIndex(({ role }, at) => at < end && role === 'assistant'));
  // What follows it among the messages of the system may change from step to step.
  const system = prompt[0]?.role === 'system' ? 0 : -1;
  return [end, before, system].filter((at) => at >= 0);
}

type Message = LanguageModelV4Prompt[number];

function withMark(message: Message): Message {
  if (message.role !== 'user' && message.role !== 'tool') return markOf(message);
  const parts = message.content as readonly { providerOptions?: SharedV4ProviderOptions }[];
  return { ...message, content: [...parts.slice(0, -1), ...parts.slice(-1).map(markOf)] } as Message;
}

const markOf = <Part extends { providerOptions?: SharedV4ProviderOptions }>(part: Part): Part => ({
  ...part,
  providerOptions: { ...part.providerOptions, anthropic: { ...part.providerOptions?.anthropic, ...MARK } },
});

const hasMark = ({ providerOptions }: { providerOptions?: SharedV4ProviderOptions }): boolean => {
  const { cacheControl, cache_control } = providerOptions?.anthropic ?? {};
  return (cacheControl ?? cache_control ?? null) !== null;
};

const partsOf = ({ content }: Message): readonly { providerOptions?: SharedV4ProviderOptions }[] =>
  typeof content === 'string' ? [] : content;

function isMarked({ prompt, tools }: Marked, place: number | 'tools'): boolean {
  if (place === 'tools') return tools.filter(isOurs).slice(-1).some(hasMark);
  const message = prompt[place];
  return message !== undefined && (hasMark(message) || partsOf(message).slice(-1).some(hasMark));
}

/** The marks that a request has already. */
function marksOf({ prompt, tools }: Marked): number {
  const ofMessages = prompt.map((message) => Number(hasMark(message)) + partsOf(message).filter(hasMark).length);
  return ofMessages.reduce((all, some) => all + some, tools.filter(isOurs).filter(hasMark).length);
}
