/**
 * Format alone: from our transcript to the prompt of the AI SDK's provider interface (version 4). What a request says is
 * composed in `engine/perform-model.ts`.
 * The conversion is prefix-stable: a longer transcript yields the same beginning, so that a provider's cache holds.
 *
 * Keeps M11, M12, M13.
 */
import type {
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { ModelRequest, ToolSpec } from '../core/definition/model-port';
import { OffshootError } from '../protocol/errors';
import { isObject, type JsonObject } from '../protocol/json';
import {
  type AssistantPart,
  type CallResult,
  type FilePart,
  failureContent,
  isTextual,
  type Message,
  type TextPart,
} from '../protocol/messages';

/**
 * The prompt of a request for a model of `provider`.
 * @throws OffshootError `invalid_input` for a file whose data is not base64.
 */
export function toPrompt(request: Pick<ModelRequest, 'system' | 'messages'>, provider: string): LanguageModelV4Prompt {
  const calls = new CallIds(provider);
  const prompt: LanguageModelV4Prompt = request.system === '' ? [] : [{ role: 'system', content: request.system }];
  for (const message of request.messages) {
    const converted = toMessage(message, calls);
    const last = prompt.at(-1);
    // Results of one step stand in one message: providers pair them with the calls of the message before.
    if (last?.role === 'tool' && converted.role === 'tool') last.content.push(...converted.content);
    // A reply without content says nothing, and providers refuse an empty message.
    else if (converted.role !== 'assistant' || converted.content.length > 0) prompt.push(converted);
  }
  return prompt;
}

/** The tools of a request, as the provider interface has them. */
export function toTools(tools: readonly ToolSpec[]): LanguageModelV4FunctionTool[] {
  return tools.map((tool) => {
    const { name, description, inputSchema, strict, inputExamples, providerOptions } = tool;
    return {
      ...{ type: 'function' as const, name, description, inputSchema },
      ...(strict === undefined ? {} : { strict }),
      ...(inputExamples ? { inputExamples: [...inputExamples] } : {}),
      ...(providerOptions ? { providerOptions } : {}),
    };
  });
}

/** Provider metadata as it goes back: what is no object of objects is left out. */
function toOptions(metadata: JsonObject | undefined): { providerOptions?: SharedV4ProviderOptions } {
  if (metadata === undefined) return {};
  const providerOptions: SharedV4ProviderOptions = {};
  for (const [provider, options] of Object.entries(metadata))
    if (isObject(options)) providerOptions[provider] = options;
  return { providerOptions };
}

function toMessage(message: Message, calls: CallIds): LanguageModelV4Message {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content };
    case 'user':
      return { role: 'user', content: toUserContent(message.content) };
    case 'assistant':
      return { role: 'assistant', content: message.content.flatMap((part) => toAssistantPart(part, calls)) };
    case 'tool': {
      const call = calls.of(message.toolCallId);
      const output = toOutput(message.result);
      return {
        role: 'tool',
        // A result carries the metadata of its call: some providers pair the two by it.
        content: [
          { type: 'tool-result', toolCallId: call.id, toolName: message.toolName, output, ...toOptions(call.metadata) },
        ],
      };
    }
  }
}

type UserContent = Extract<LanguageModelV4Message, { role: 'user' }>['content'];
type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];

function toUserContent(content: string | readonly (TextPart | FilePart)[]): UserContent {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part) =>
    part.type === 'text' ? { type: 'text', text: part.text, ...toOptions(part.providerMetadata) } : toFile(part),
  );
}

function toAssistantPart(part: AssistantPart, calls: CallIds): AssistantContent {
  const options = toOptions(part.providerMetadata);
  switch (part.type) {
    case 'text':
      return part.text === '' && part.providerMetadata === undefined
        ? []
        : [{ type: 'text', text: part.text, ...options }];
    case 'reasoning':
      return [{ type: 'reasoning', text: part.text, ...options }];
    case 'tool-call': {
      const id = calls.add(part.toolCallId, part.providerId, part.providerMetadata);
      return [{ type: 'tool-call', toolCallId: id, toolName: part.toolName, input: part.input, ...options }];
    }
  }
}

function toOutput(result: CallResult): LanguageModelV4ToolResultOutput {
  if (!result.success) return { type: 'error-json', value: failureContent(result.error) };
  return typeof result.value === 'string'
    ? { type: 'text', value: result.value }
    : { type: 'json', value: result.value };
}

/** A file of text becomes text: not every provider reads text files, and every model reads text. */
function toFile(part: FilePart): LanguageModelV4TextPart | LanguageModelV4FilePart {
  if (!isTextual(part)) {
    const name = part.filename === undefined ? {} : { filename: part.filename };
    return { type: 'file', mediaType: part.mediaType, ...name, data: { type: 'data', data: part.data } };
  }
  const title = part.filename === undefined ? part.mediaType : `${part.filename} (${part.mediaType})`;
  return { type: 'text', text: `File ${title}:\n\n${decode(part)}` };
}

function decode(part: FilePart): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(part.data), (char) => char.charCodeAt(0)));
  } catch {
    throw new OffshootError('invalid_input', `The data of the file ${part.filename ?? part.mediaType} is not base64.`);
  }
}

/** What a first-party API accepts as the id of a call; other providers take the ids that they made. */
const ID_RULES: readonly { readonly provider: RegExp; readonly fit: (id: string) => string }[] = [
  { provider: /^anthropic\b/, fit: (id) => id.replace(/[^\w-]/g, '_') },
  { provider: /^openai\.responses$/, fit: (id) => (id.length <= 56 ? id : id.slice(-56)) },
];

/** The ids of calls towards the provider: its own, made unique within the prompt. */
class CallIds {
  readonly #used = new Set<string>();
  readonly #calls = new Map<string, { readonly id: string; readonly metadata?: JsonObject }>();
  readonly #fit: (id: string) => string;

  constructor(provider: string) {
    this.#fit = ID_RULES.find((rule) => rule.provider.test(provider))?.fit ?? ((id) => id);
  }

  add(toolCallId: string, providerId: string, metadata: JsonObject | undefined): string {
    const wanted = this.#fit(providerId);
    let id = wanted;
    for (let n = 2; this.#used.has(id); n += 1) id = `${wanted}_${n}`;
    this.#used.add(id);
    this.#calls.set(toolCallId, metadata === undefined ? { id } : { id, metadata });
    return id;
  }

  of(toolCallId: string): { readonly id: string; readonly metadata?: JsonObject } {
    return this.#calls.get(toolCallId) ?? { id: toolCallId };
  }
}
