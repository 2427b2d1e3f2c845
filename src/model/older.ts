/**
 * Models of the AI SDK 5 and 6 (`v2`, `v3`), spoken to as the newer ones are. Only what the port uses differs: how the
 * data of a file is written in a prompt, and with `v2` how a stream ends.
 */
import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2StreamPart,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV4,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>;
type OldFinish = Extract<LanguageModelV2StreamPart, { type: 'finish' }>;

/** An older model as what streams parts of the newest version. */
export function asNewest(
  model: LanguageModelV2 | LanguageModelV3,
): Pick<LanguageModelV4, 'provider' | 'modelId' | 'doStream'> {
  return {
    provider: model.provider,
    modelId: model.modelId,
    async doStream(options) {
      const asked: unknown = { ...options, prompt: oldPrompt(options.prompt, model.specificationVersion) };
      if (model.specificationVersion === 'v3') {
        return (await model.doStream(asked as LanguageModelV3CallOptions)) as Streamed;
      }
      const { stream } = await model.doStream(asked as LanguageModelV2CallOptions);
      return {
        stream: stream.pipeThrough(new TransformStream({ transform: (part, to) => to.enqueue(newPart(part)) })),
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
    if (message.role !== 'user') return message;
    return {
      ...message,
      content: message.content.map((part) =>
        part.type === 'file' && part.data.type === 'data' ? { ...part, data: part.data.data } : part,
      ),
    };
  });
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

function newPart(part: LanguageModelV2StreamPart): LanguageModelV4StreamPart {
  return part.type === 'finish' ? newFinish(part) : (part as LanguageModelV4StreamPart);
}

function newFinish({ usage, finishReason, ...rest }: OldFinish): Finish {
  const unified = finishReason === 'unknown' ? 'other' : finishReason;
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = usage;
  return {
    ...rest,
    finishReason: { unified, raw: undefined },
    usage: {
      inputTokens: { total: inputTokens, noCache: undefined, cacheRead: cachedInputTokens, cacheWrite: undefined },
      outputTokens: { total: outputTokens, text: undefined, reasoning: reasoningTokens },
    },
  } as Finish;
}
