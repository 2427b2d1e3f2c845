/** Conversations through a package of the AI SDK, the same streamed and whole. */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';

/** The two ways to ask for a reply. */
export type Mode = 'streamed' | 'whole';

/** A tool for conversations. */
export const LOOK: LanguageModelV4FunctionTool = {
  type: 'function',
  name: 'look',
  description: 'Looks.',
  inputSchema: { type: 'object', properties: { at: { type: 'string' } } },
};

/** The reply to one request. */
export interface Came {
  readonly content: readonly LanguageModelV4Content[];
  readonly finish: string;
  readonly usage: {
    readonly input: number | undefined;
    readonly output: number | undefined;
    readonly cached: number | undefined;
    readonly reasoning: number | undefined;
  };
  /** An error within the stream. */
  readonly error?: unknown;
}

/** Asks a model once. Rejects where the request is refused or its connection lost. */
export async function ask(model: LanguageModelV4, options: LanguageModelV4CallOptions, mode: Mode): Promise<Came> {
  if (mode === 'whole') {
    const { content, finishReason, usage } = await model.doGenerate(options);
    return { content, finish: finishReason.unified, usage: counts(usage) };
  }
  const { stream } = await model.doStream(options);
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return joined(parts);
}

function counts({
  inputTokens,
  outputTokens,
}: Extract<LanguageModelV4StreamPart, { type: 'finish' }>['usage']): Came['usage'] {
  const { total: input, cacheRead: cached } = inputTokens;
  return { input, output: outputTokens.total, cached, reasoning: outputTokens.reasoning };
}

function joined(parts: readonly LanguageModelV4StreamPart[]): Came {
  const content: LanguageModelV4Content[] = [];
  const open = new Map<string, { type: 'text' | 'reasoning'; text: string; providerMetadata?: never }>();
  let came: Came = {
    content,
    finish: 'none',
    usage: { input: undefined, output: undefined, cached: undefined, reasoning: undefined },
  };
  for (const part of parts) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const type = part.type === 'text-start' ? 'text' : 'reasoning';
        const one = { type, text: '', ...metadata(part) } as const;
        open.set(type + part.id, one);
        content.push(one);
        break;
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const one = open.get((part.type === 'text-delta' ? 'text' : 'reasoning') + part.id);
        if (one) Object.assign(one, { text: one.text + part.delta }, metadata(part));
        break;
      }
      case 'text-end':
      case 'reasoning-end': {
        const one = open.get((part.type === 'text-end' ? 'text' : 'reasoning') + part.id);
        if (one) Object.assign(one, metadata(part));
        break;
      }
      case 'tool-call':
      case 'tool-result':
      case 'source':
        content.push(part);
        break;
      case 'finish':
        came = { ...came, finish: part.finishReason.unified, usage: counts(part.usage) };
        break;
      case 'error':
        came = { ...came, error: part.error };
        break;
      default:
    }
  }
  return came;
}

function metadata({ providerMetadata }: { providerMetadata?: unknown }): object {
  return providerMetadata === undefined ? {} : { providerMetadata };
}

/** A message of the user. */
export function says(text: string): LanguageModelV4Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

/** A reply as a message of the next request. */
export function replied(content: readonly LanguageModelV4Content[]): LanguageModelV4Message {
  const parts = content.flatMap((part): Extract<LanguageModelV4Message, { role: 'assistant' }>['content'] => {
    const own = 'providerMetadata' in part && part.providerMetadata ? { providerOptions: part.providerMetadata } : {};
    switch (part.type) {
      case 'text':
      case 'reasoning':
        return [{ type: part.type, text: part.text, ...own }];
      case 'tool-call': {
        const { type, toolCallId, toolName, input, providerExecuted } = part;
        const ran = providerExecuted === true ? { providerExecuted } : {};
        return [{ type, toolCallId, toolName, input: JSON.parse(input), ...ran, ...own }];
      }
      case 'tool-result': {
        const { type, toolCallId, toolName, result } = part;
        return [{ type, toolCallId, toolName, output: { type: 'json', value: result }, ...own }];
      }
      default:
        return [];
    }
  });
  return { role: 'assistant', content: parts };
}

/** The results of the calls among what came. */
export function results(content: readonly LanguageModelV4Content[]): LanguageModelV4Prompt {
  const calls = content.flatMap((part) => (part.type === 'tool-call' && part.providerExecuted !== true ? [part] : []));
  return calls.map(({ toolCallId, toolName }) => ({
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value: 'Seen.' } }],
  }));
}

/** Content in short, without metadata of the provider. */
export function gist(content: readonly LanguageModelV4Content[]): object[] {
  return content.flatMap((part): object[] => {
    switch (part.type) {
      case 'text':
        return part.text === '' ? [] : [{ text: part.text }];
      case 'reasoning':
        return [{ reasoning: part.text }];
      case 'tool-call':
        return [{ call: part.toolName, id: part.toolCallId, input: JSON.parse(part.input) }];
      case 'tool-result':
        return [{ result: part.toolName }];
      case 'source':
        return part.sourceType === 'url' ? [{ source: part.url }] : [];
      default:
        return [];
    }
  });
}
