/** Hand-made models of the AI SDK, for what no provider does on demand. */
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';

type Source =
  | readonly LanguageModelV4StreamPart[]
  | ((options: LanguageModelV4CallOptions) => Promise<Stream> | Stream);
type Stream = ReadableStream<LanguageModelV4StreamPart>;

/** A model that streams these parts, or what a function gives. `asked` keeps the options of each call. */
export function fakeModel(source: Source, own: Partial<LanguageModelV4> = {}) {
  const asked: LanguageModelV4CallOptions[] = [];
  const model: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'fake.chat',
    modelId: 'model-1',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('The port streams.')),
    async doStream(options) {
      asked.push(options);
      return { stream: typeof source === 'function' ? await source(options) : streamOf(source) };
    },
    ...own,
  };
  return { model, asked };
}

/** A stream of parts; `left` is called when its reader lets go of it before the end. */
export function streamOf(
  parts: readonly LanguageModelV4StreamPart[],
  rest: { open?: boolean; left?: () => void } = {},
): Stream {
  return new ReadableStream<LanguageModelV4StreamPart>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      if (!rest.open) controller.close();
    },
    cancel: () => rest.left?.(),
  });
}

/** A stream of anything, also of parts that no version of the interface has. */
export function anyStream(parts: readonly object[]): Stream {
  const stream: ReadableStream = new ReadableStream<object>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
  return stream;
}

/** The end of a good reply. */
export const FINISH: Extract<LanguageModelV4StreamPart, { type: 'finish' }> = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: {
    inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 2, text: 2, reasoning: 0 },
  },
};

/** A text block. */
export function textParts(text: string, id = 't'): LanguageModelV4StreamPart[] {
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: text },
    { type: 'text-end', id },
  ];
}
