/**
 * The offline model: a language model of the AI SDK that needs no network, no key and no weights. It works the research
 * desk by rules and extraction, and says so. It has no state: what it replies follows from the prompt and the tools, so
 * a repeated question after a crash gets the same reply.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { OfflineReply } from './offline/reply';
import { decide } from './offline/roles';

/** Characters of text, and of a call's arguments, in one delta. */
const TEXT_DELTA = 24;
const ARGUMENTS_DELTA = 240;

/** What the offline model goes by. */
const NAME = { provider: 'offshoot', modelId: 'offline' } as const;

interface Decided {
  readonly reply: OfflineReply;
  readonly calls: readonly { toolCallId: string; toolName: string; input: string }[];
  readonly finishReason: LanguageModelV4FinishReason;
  readonly usage: LanguageModelV4Usage;
}

/** Rules read no tokens and write none. */
const NOTHING: LanguageModelV4Usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

function decided(options: LanguageModelV4CallOptions): Decided {
  options.abortSignal?.throwIfAborted();
  const reply = decide(options);
  // Unique in the conversation and the same when repeated: a prompt has grown by the next step.
  const calls = reply.calls.map(({ toolName, input }, index) => ({
    toolCallId: `offline_${options.prompt.length}_${index}`,
    toolName,
    input: JSON.stringify(input),
  }));
  const unified = calls.length > 0 ? 'tool-calls' : 'stop';
  return { reply, calls, finishReason: { unified, raw: unified }, usage: NOTHING };
}

function* cutInto(text: string, size: number): Generator<string> {
  let delta = '';
  for (const char of text) {
    delta += char;
    if (delta.length >= size) {
      yield delta;
      delta = '';
    }
  }
  if (delta !== '') yield delta;
}

function* partsOf({ reply, calls, finishReason, usage }: Decided): Generator<LanguageModelV4StreamPart> {
  yield { type: 'stream-start', warnings: [] };
  yield { type: 'response-metadata', modelId: NAME.modelId };
  if (reply.text !== '') {
    yield { type: 'text-start', id: 'text' };
    for (const delta of cutInto(reply.text, TEXT_DELTA)) yield { type: 'text-delta', id: 'text', delta };
    yield { type: 'text-end', id: 'text' };
  }
  for (const { toolCallId, toolName, input } of calls) {
    yield { type: 'tool-input-start', id: toolCallId, toolName };
    for (const delta of cutInto(input, ARGUMENTS_DELTA)) yield { type: 'tool-input-delta', id: toolCallId, delta };
    yield { type: 'tool-input-end', id: toolCallId };
    yield { type: 'tool-call', toolCallId, toolName, input };
  }
  yield { type: 'finish', finishReason, usage };
}

/** Waits, unless the signal aborts first; then it throws the signal's reason. */
function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

function streamOf(
  parts: Iterator<LanguageModelV4StreamPart>,
  delayMs: number,
  signal: AbortSignal | undefined,
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      async pull(controller) {
        signal?.throwIfAborted();
        const next = parts.next();
        if (next.done === true) return controller.close();
        if (delayMs > 0 && next.value.type.endsWith('-delta')) await pause(delayMs, signal);
        controller.enqueue(next.value);
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * Makes an offline model.
 * @param options.delayMs a wait before each delta of the stream, in ms; 0 by default. It only makes the work visible.
 */
export function createOfflineModel(options: { delayMs?: number } = {}): LanguageModelV4 {
  const delayMs = options.delayMs ?? 0;
  return {
    specificationVersion: 'v4',
    ...NAME,
    supportedUrls: {},
    doGenerate: async (call) => {
      const { reply, calls, finishReason, usage } = decided(call);
      const text: LanguageModelV4Content[] = reply.text === '' ? [] : [{ type: 'text', text: reply.text }];
      const content = [...text, ...calls.map((one) => ({ type: 'tool-call' as const, ...one }))];
      return { content, finishReason, usage, warnings: [], response: { modelId: NAME.modelId } };
    },
    doStream: async (call) => ({ stream: streamOf(partsOf(decided(call)), delayMs, call.abortSignal) }),
  };
}

/** The offline model, without any wait. */
export const offlineModel: LanguageModelV4 = createOfflineModel();
