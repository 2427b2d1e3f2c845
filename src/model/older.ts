/**
 * Models of the AI SDK 5 and 6 (`v2`, `v3`), spoken to as the newer ones are. Only what the port uses differs: how the
 * data of a file is written in a prompt, and with `v2` how a stream ends and what its tokens are.
 *
 * Keeps M2, US10.
 */
import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2StreamPart,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { isObject } from '../protocol/json';

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>;
type OldFinish = Extract<LanguageModelV2StreamPart, { type: 'finish' }>;

/** An older model as what streams parts of the newest version. */
export function asNewest(
  model: LanguageModelV2 | LanguageModelV3,
): Pick<LanguageModelV4, 'provider' | 'modelId' | 'doStream'> & { readonly wraps: typeof model } {
  return {
    provider: model.provider,
    modelId: model.modelId,
    wraps: model,
    async doStream(options) {
      const { specificationVersion: version } = model;
      const asked: unknown = { ...options, prompt: oldPrompt(options.prompt, version), ...oldTools(options, version) };
      if (model.specificationVersion === 'v3') {
        return (await model.doStream(asked as LanguageModelV3CallOptions)) as Streamed;
      }
      const { stream } = await model.doStream(asked as LanguageModelV2CallOptions);
      return {
        stream: stream.pipeThrough(
          new TransformStream({ transform: (part, to) => to.enqueue(newPart(part, model.provider)) }),
        ),
      };
    },
  };
}

type Streamed = Awaited<ReturnType<LanguageModelV4['doStream']>>;

type Version = 'v2' | 'v3';
type Results = Extract<LanguageModelV4Prompt[number], { role: 'tool' }>;

/** Older versions take the data of a file as it is. */
function oldPrompt(prompt: LanguageModelV4Prompt, version: Version): unknown {
  return prompt.map((message) => {
    if (message.role === 'tool')
      return { ...message, content: message.content.map((part) => oldResult(part, version)) };
    if (message.role === 'system') return message;
    return {
      ...message,
      content: message.content.map((part: (typeof message.content)[number]) =>
        part.type === 'file' && part.data.type === 'data' ? { ...part, data: part.data.data } : part,
      ),
    };
  });
}

/** Version 2 has another word for the tools that a provider runs. */
function oldTools({ tools }: Pick<LanguageModelV4CallOptions, 'tools'>, version: Version): { tools?: unknown } {
  if (version === 'v3' || tools === undefined) return {};
  return { tools: tools.map((tool) => (tool.type === 'provider' ? { ...tool, type: 'provider-defined' } : tool)) };
}

/** A result with files, in the words of an older version. */
function oldResult(part: Results['content'][number], version: Version): unknown {
  if (part.type !== 'tool-result' || part.output.type !== 'content') return part;
  const value = part.output.value.map((one) => {
    if (one.type !== 'file' || one.data.type !== 'data') return one;
    const { mediaType, filename } = one;
    const type = version === 'v2' ? 'media' : mediaType.startsWith('image/') ? 'image-data' : 'file-data';
    const name = version === 'v2' || filename === undefined ? {} : { filename };
    return { type, mediaType, data: one.data.data, ...name };
  });
  return { ...part, output: { type: 'content', value } };
}

function newPart(part: LanguageModelV2StreamPart, provider: string): LanguageModelV4StreamPart {
  return part.type === 'finish' ? newFinish(part, provider) : (part as LanguageModelV4StreamPart);
}

/** Providers whose `v2` leaves what came from a cache, and what went into one, out of the input that it counts. */
const WITHOUT_CACHE = /anthropic|bedrock/;

function newFinish({ usage, finishReason, ...rest }: OldFinish, provider: string): Finish {
  const unified = finishReason === 'unknown' ? 'other' : finishReason;
  const { inputTokens: input, outputTokens: output, totalTokens, cachedInputTokens: cacheRead } = usage;
  const { reasoningTokens: reasoning = 0 } = usage;
  const cacheWrite = writtenToCache(rest.providerMetadata);
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
  const excludesCache = WITHOUT_CACHE.test(provider) || cached > (input ?? 0);
  const total = input === undefined ? undefined : excludesCache ? input + cached : input;
  // Where all tokens are more than input and output, thoughts are not in the output.
  const excludesReasoning = output !== undefined && reasoning > 0 && totalTokens === (input ?? 0) + output + reasoning;
  return {
    ...rest,
    finishReason: { unified, raw: undefined },
    usage: {
      inputTokens: { total, noCache: total === undefined ? undefined : total - cached, cacheRead, cacheWrite },
      outputTokens: { total: excludesReasoning ? output + reasoning : output, text: undefined, reasoning },
    },
  } as Finish;
}

/** Tokens that went into a cache, which `v2` reports in the metadata of a provider alone. */
function writtenToCache(metadata: OldFinish['providerMetadata']): number | undefined {
  const { anthropic, bedrock } = metadata ?? {};
  const inBedrock = bedrock?.usage;
  const written =
    anthropic?.cacheCreationInputTokens ?? (isObject(inBedrock) ? inBedrock.cacheWriteInputTokens : undefined);
  return typeof written === 'number' ? written : undefined;
}
