/** Plays a scripted answer as a provider would stream it. */
import {
  APICallError,
  type LanguageModelV4Content,
  type LanguageModelV4FinishReason,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4StreamPart,
  type LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { OffshootError } from '../protocol/errors';
import { FINISH_TOOL } from '../protocol/messages';
import { DEFAULT_SCRIPT_USAGE, type ScriptCall, type ScriptFailure, type ScriptStep } from './script';

/** How an answer is played. `ids` begins the ids of calls that have none of their own. */
export interface PlayOptions {
  readonly ids: string;
  readonly modelId: string;
  readonly signal: AbortSignal | undefined;
}

type Stream = ReadableStream<LanguageModelV4StreamPart>;

const DEFAULT_CHUNK_SIZE = 32;

/** The stream of an answer. It rejects where a provider would answer the request itself with an error. */
export async function play(step: ScriptStep, options: PlayOptions): Promise<Stream> {
  // A reader that lets go of the stream ends its waits, as an abort does.
  const over = new AbortController();
  const { modelId, ids, signal: abort } = options;
  const signal = abort && !step.ignoreAbort ? AbortSignal.any([abort, over.signal]) : over.signal;
  await pause(step.delayMs, signal);
  if (step.fail && step.failAfterChunks === undefined) throw toError(step.fail);
  const parts = contentParts(step, ids);
  if (parts.length === 0) await hang(step, signal, abort);
  const source = pieces(step, parts, { modelId, signal, abort });
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      async pull(controller) {
        const next = await source.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      cancel() {
        over.abort();
      },
    },
    { highWaterMark: 0 },
  );
}

/** The answer in one piece, from its stream. */
export async function collect(stream: Stream): Promise<LanguageModelV4GenerateResult> {
  const content: LanguageModelV4Content[] = [];
  let text = '';
  const reader = stream.getReader();
  for (;;) {
    const { done, value: part } = await reader.read();
    if (done) throw new OffshootError('model_bad_reply', 'The stream ended before the reply did.');
    if (part.type === 'error') throw part.error;
    if (part.type === 'text-delta' || part.type === 'reasoning-delta') text += part.delta;
    if (part.type === 'text-end' || part.type === 'reasoning-end') {
      content.push({ type: part.type === 'text-end' ? 'text' : 'reasoning', text });
      text = '';
    }
    if (part.type === 'tool-call') content.push(part);
    if (part.type === 'finish') return { content, finishReason: part.finishReason, usage: part.usage, warnings: [] };
  }
}

async function* pieces(
  step: ScriptStep,
  parts: readonly LanguageModelV4StreamPart[],
  { modelId, signal, abort }: { modelId: string; signal: AbortSignal; abort: AbortSignal | undefined },
): AsyncGenerator<LanguageModelV4StreamPart, void> {
  let left = step.failAfterChunks;
  yield { type: 'stream-start', warnings: [] };
  yield { type: 'response-metadata', modelId: step.model ?? modelId };
  for (const part of parts) {
    if ('delta' in part) {
      if (left === 0) break;
      if (left !== undefined) left -= 1;
      await pause(step.chunkDelayMs, signal);
    }
    yield part;
  }
  if (step.failAfterChunks !== undefined) {
    if (step.fail) yield { type: 'error', error: toError(step.fail) };
    return;
  }
  await hang(step, signal, abort);
  yield { type: 'finish', finishReason: finishReason(step), usage: toUsage(step) };
}

function contentParts(step: ScriptStep, ids: string): LanguageModelV4StreamPart[] {
  const size = step.chunkSize ?? DEFAULT_CHUNK_SIZE;
  const parts: LanguageModelV4StreamPart[] = [];
  for (const kind of ['reasoning', 'text'] as const) {
    const text = kind === 'text' ? step.text : step.thinking;
    if (text === undefined) continue;
    parts.push({ type: `${kind}-start`, id: kind });
    for (const delta of cut(text, size)) parts.push({ type: `${kind}-delta`, id: kind, delta });
    parts.push({ type: `${kind}-end`, id: kind });
  }
  for (const [index, call] of callsOf(step).entries())
    parts.push(...callParts(call, call.id ?? `${ids}_${index + 1}`, size));
  return parts;
}

function callParts({ name, input, rawInput }: ScriptCall, id: string, size: number): LanguageModelV4StreamPart[] {
  const text = rawInput ?? JSON.stringify(input ?? {});
  return [
    { type: 'tool-input-start', id, toolName: name },
    ...cut(text, size).map((delta): LanguageModelV4StreamPart => ({ type: 'tool-input-delta', id, delta })),
    { type: 'tool-input-end', id },
    { type: 'tool-call', toolCallId: id, toolName: name, input: text },
  ];
}

function callsOf(step: ScriptStep): readonly ScriptCall[] {
  const calls = step.calls ?? [];
  return step.finish === undefined ? calls : [...calls, { name: FINISH_TOOL, input: step.finish }];
}

/** Pieces of at most `size` characters; a character of two units is never split. */
function cut(text: string, size: number): string[] {
  if (text.length <= size) return text === '' ? [] : [text];
  const found: string[] = [];
  let piece = '';
  for (const char of text) {
    if (piece !== '' && piece.length + char.length > size) {
      found.push(piece);
      piece = '';
    }
    piece += char;
  }
  return [...found, piece];
}

function finishReason(step: ScriptStep): LanguageModelV4FinishReason {
  const unified = step.finishReason ?? (callsOf(step).length > 0 ? 'tool-calls' : 'stop');
  return { unified, raw: unified };
}

function toUsage(step: ScriptStep): LanguageModelV4Usage {
  const { inputTokens, outputTokens, cachedTokens, reasoningTokens } = { ...DEFAULT_SCRIPT_USAGE, ...step.usage };
  return {
    inputTokens: { total: inputTokens, noCache: inputTokens - cachedTokens, cacheRead: cachedTokens, cacheWrite: 0 },
    outputTokens: { total: outputTokens, text: outputTokens - reasoningTokens, reasoning: reasoningTokens },
  };
}

function toError({ status, code, message, retryable }: ScriptFailure): Error {
  if (code !== undefined) return new OffshootError(code, message, retryable === undefined ? {} : { retryable });
  return new APICallError({
    message,
    url: 'scripted:',
    requestBodyValues: {},
    statusCode: status ?? 500,
    ...(retryable === undefined ? {} : { isRetryable: retryable }),
  });
}

async function pause(ms: number | undefined, signal: AbortSignal): Promise<void> {
  if (!ms) return;
  await new Promise<void>((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** `signal` breaks the answer off; `abort` is the caller's, which lets an answer that ignores it go on. */
async function hang(step: ScriptStep, signal: AbortSignal, abort: AbortSignal | undefined): Promise<void> {
  if (step.hang === undefined) return;
  await new Promise<void>((resolve, reject) => {
    if (step.hang === 'forever') return;
    whenAborted(signal, () => reject(signal.reason));
    if (abort && step.ignoreAbort) whenAborted(abort, resolve);
  });
}

function whenAborted(signal: AbortSignal, then: () => void): void {
  if (signal.aborted) then();
  else signal.addEventListener('abort', then, { once: true });
}
