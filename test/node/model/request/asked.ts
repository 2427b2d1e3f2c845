/** Requests as the pass makes them, and messages to make them of. */
import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { profileOf } from '../../../../src/model/request/profiles';
import { type TakenRequest, toRequest } from '../../../../src/model/request/request';
import type { AssistantPart, CallResult, FilePart, Message } from '../../../../src/protocol/messages';
import { SEARCH } from '../ask';

/** A provider, and a model of it, by a short name. */
export const MODELS = {
  anthropic: ['anthropic.messages', 'claude-sonnet-4-5'],
  opus: ['anthropic.messages', 'claude-opus-4-8'],
  responses: ['openai.responses', 'gpt-5'],
  chat: ['openai.chat', 'gpt-4o'],
  compatible: ['openai-compatible.chat', 'some-model'],
  mistral: ['openai-compatible.chat', 'mistral-large-latest'],
  deepseek: ['openai-compatible.chat', 'deepseek-v4-flash'],
  workersAi: ['workersai.chat', '@cf/moonshotai/kimi-k2.7-code'],
  kimi: ['openai-compatible.chat', 'kimi-k2.6'],
  groq: ['groq.chat', 'moonshotai/kimi-k2-instruct'],
  qwen: ['openai-compatible.chat', 'qwen3-vl-plus'],
  gemini: ['google.generative-ai', 'gemini-3-pro'],
  geminiCompatible: ['openai-compatible.chat', 'gemini-3-flash'],
  unknown: ['fake.chat', 'fake-1'],
} as const satisfies Record<string, readonly [provider: string, modelId: string]>;

/** The short name of one. */
export type ModelName = keyof typeof MODELS;

/** All of them. */
export const ALL_MODELS = Object.keys(MODELS) as ModelName[];

/** A request as a model gets it. */
export function taken(
  messages: readonly Message[],
  model: ModelName = 'chat',
  more: Partial<Pick<Parameters<typeof toRequest>[0], 'system' | 'tools'>> = {},
): TakenRequest {
  const [providerName, modelId] = MODELS[model];
  return toRequest({ system: '', tools: [SEARCH], messages, ...more }, profileOf(providerName, modelId));
}

/** Its prompt. */
export const promptOf = (
  messages: readonly Message[],
  model?: ModelName,
  more?: Parameters<typeof taken>[2],
): LanguageModelV4Prompt => taken(messages, model, more).prompt;

/** A message of the user. */
export const user = (content: Extract<Message, { role: 'user' }>['content'] = 'Look.'): Message => ({
  role: 'user',
  content,
});

/** A reply. */
export const reply = (...content: readonly (AssistantPart | string)[]): Message => ({
  role: 'assistant',
  content: content.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
});

/** A call. */
export const call = (
  toolCallId: string,
  more: Partial<Extract<AssistantPart, { type: 'tool-call' }>> = {},
): Extract<AssistantPart, { type: 'tool-call' }> => ({
  type: 'tool-call',
  toolCallId,
  providerId: `p_${toolCallId}`,
  toolName: 'search',
  input: {},
  ...more,
});

/** The result of a call. */
export const result = (toolCallId: string, value: CallResult | string = 'Seen.', toolName = 'search'): Message => ({
  role: 'tool',
  toolCallId,
  toolName,
  result: typeof value === 'string' ? { success: true, value } : value,
});

/** A file. */
export const file = (mediaType: string, data: string, filename = 'a'): FilePart => ({
  type: 'file',
  mediaType,
  filename,
  data,
});

/** The roles of a prompt, in order. */
export const rolesOf = (prompt: LanguageModelV4Prompt): string[] => prompt.map(({ role }) => role);

/** The texts of a prompt, in order. */
export const textsOf = (prompt: LanguageModelV4Prompt): string[] =>
  prompt.flatMap(({ content }) =>
    typeof content === 'string' ? [content] : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
  );

/** The ids of the calls of a prompt and of their results, in order. */
export const idsOf = (prompt: LanguageModelV4Prompt): string[] =>
  prompt.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : [])),
  );
