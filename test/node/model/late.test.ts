import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { modelPort } from '../../../src/model/adapter';
import { LATE_USAGE_MS } from '../../../src/model/late';
import type { ScriptStep } from '../../../src/model/script';
import { scriptedModel } from '../../../src/model/scripted';
import { request } from './ask';
import { FINISH, fakeModel, streamOf, textParts } from './fake-model';

type Controller = ReadableStreamDefaultController<LanguageModelV4StreamPart>;

const SPENT = { inputTokens: 3, outputTokens: 2, cachedTokens: 0, reasoningTokens: 0, modelCalls: 1, toolCalls: 0 };

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** A call that asks for late usage; `abort` aborts it and waits until it has failed. */
function begin(model: ReturnType<typeof fakeModel>['model'], own: Parameters<typeof request>[0] = {}) {
  const aborting = new AbortController();
  const onDelta = vi.fn();
  const onLateUsage = vi.fn();
  const call = modelPort(model).call(request(own), { signal: aborting.signal, onDelta, onLateUsage });
  call.catch(() => {});
  const abort = async (): Promise<void> => {
    aborting.abort();
    await expect(call).rejects.toMatchObject({ failure: { code: 'aborted' } });
  };
  return { abort, aborting, call, onDelta, onLateUsage };
}

/** A call whose reply has begun, from a provider that ignores its signal and whose stream the test holds. */
async function begun(own: Parameters<typeof request>[0] = {}) {
  const source = Promise.withResolvers<Controller>();
  const left = vi.fn();
  const { model, asked } = fakeModel(() => new ReadableStream({ start: source.resolve, cancel: left }));
  const rest = begin(model, own);
  const stream = await source.promise;
  for (const part of textParts('Hi.')) stream.enqueue(part);
  await vi.advanceTimersByTimeAsync(0);
  expect(rest.onDelta).toHaveBeenCalledTimes(1);
  return { ...rest, asked, left, stream };
}

describe('what a call spent after its abort', () => {
  it('[M32][M34] is told once by a provider that works on, after the call has ended', async () => {
    const { abort, asked, left, onDelta, onLateUsage, stream } = await begun();
    await abort();
    expect(asked[0]?.abortSignal?.aborted).toBe(true);
    expect(left).not.toHaveBeenCalled();
    for (const part of [...textParts('More.', 'u'), FINISH, FINISH]) stream.enqueue(part);
    await vi.advanceTimersByTimeAsync(0);
    expect(onLateUsage.mock.calls).toEqual([[SPENT, expect.stringContaining('/')]]);
    expect(left).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(LATE_USAGE_MS);
    expect(onLateUsage).toHaveBeenCalledTimes(1);
    expect(onDelta).toHaveBeenCalledTimes(1);
  });

  it('[M34] is not lost where the end of the reply and the abort come in one turn', async () => {
    const { abort, onLateUsage, stream } = await begun();
    stream.enqueue(FINISH);
    await abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(onLateUsage.mock.calls).toEqual([[SPENT, expect.stringContaining('/')]]);
  });

  it('[M34] comes to light also where the reply broke off', async () => {
    const { abort, onLateUsage, stream } = await begun();
    await abort();
    stream.enqueue({ ...FINISH, finishReason: { unified: 'error', raw: 'cut' } });
    await vi.advanceTimersByTimeAsync(0);
    expect(onLateUsage.mock.calls).toEqual([[SPENT, expect.stringContaining('/')]]);
  });

  it('[M34] is waited for 2 s, and no longer', async () => {
    expect(LATE_USAGE_MS).toBe(2_000);
    for (const [after, told] of [
      [1_999, 1],
      [2_000, 0],
    ] as const) {
      const { abort, left, onLateUsage, stream } = await begun();
      await abort();
      await vi.advanceTimersByTimeAsync(after);
      expect(left).toHaveBeenCalledTimes(1 - told);
      expect(vi.getTimerCount()).toBe(told);
      if (told) stream.enqueue(FINISH);
      await vi.advanceTimersByTimeAsync(0);
      expect(onLateUsage).toHaveBeenCalledTimes(told);
      expect(left).toHaveBeenCalledTimes(1);
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it('[M34] is read from a stream that begins only after the abort, within the same 2 s', async () => {
    for (const [after, told] of [
      [1_999, 1],
      [2_000, 0],
    ] as const) {
      const answer = Promise.withResolvers<ReturnType<typeof streamOf>>();
      const left = vi.fn();
      const { abort, onDelta, onLateUsage } = begin(fakeModel(() => answer.promise).model);
      await vi.advanceTimersByTimeAsync(0);
      await abort();
      await vi.advanceTimersByTimeAsync(after);
      answer.resolve(streamOf([...textParts('Late.'), FINISH], { open: true, left }));
      await vi.advanceTimersByTimeAsync(0);
      expect(onLateUsage).toHaveBeenCalledTimes(told);
      expect(left).toHaveBeenCalledTimes(1);
      expect(onDelta).not.toHaveBeenCalled();
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it('[M34] has one 2 s for a late stream and its end together', async () => {
    const answer = Promise.withResolvers<ReturnType<typeof streamOf>>();
    const left = vi.fn();
    const { abort, onLateUsage } = begin(fakeModel(() => answer.promise).model);
    await vi.advanceTimersByTimeAsync(0);
    await abort();
    await vi.advanceTimersByTimeAsync(1_500);
    answer.resolve(streamOf(textParts('Late.'), { open: true, left }));
    await vi.advanceTimersByTimeAsync(499);
    expect(left).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(left).toHaveBeenCalledTimes(1);
    expect(onLateUsage).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('what says nothing of it', () => {
  const none = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
  const uncounted = { inputTokens: none, outputTokens: { total: 0, text: undefined, reasoning: undefined } };

  it.each<[string, (stream: Controller) => void]>([
    [
      'an error of the provider and no end',
      (stream) => {
        stream.enqueue({ type: 'error', error: new Error('No.') });
        stream.close();
      },
    ],
    ['a stream that fails', (stream) => stream.error(new Error('Gone.'))],
    ['a stream that ends early', (stream) => stream.close()],
    ['an end without tokens', (stream) => stream.enqueue({ ...FINISH, usage: uncounted })],
  ])('[M34] nothing is told after %s, and no timer is left', async (_what, end) => {
    const { abort, onLateUsage, stream } = await begun();
    await abort();
    expect(vi.getTimerCount()).toBe(1);
    end(stream);
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(LATE_USAGE_MS);
    expect(onLateUsage).not.toHaveBeenCalled();
  });

  it('[M34] nothing is left of a request that fails after the abort', async () => {
    const answer = Promise.withResolvers<never>();
    const { abort, onLateUsage } = begin(fakeModel(() => answer.promise).model);
    await vi.advanceTimersByTimeAsync(0);
    await abort();
    answer.reject(new Error('No.'));
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
    expect(onLateUsage).not.toHaveBeenCalled();
  });

  it('[M33][M34] a call that took too long is not read on', async () => {
    const { call, left, onLateUsage, stream } = await begun({ stallMs: 50 });
    await vi.advanceTimersByTimeAsync(50);
    await expect(call).rejects.toMatchObject({ failure: { code: 'model_timeout' } });
    expect(left).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
    expect(() => stream.enqueue(FINISH)).toThrow(TypeError);
    expect(onLateUsage).not.toHaveBeenCalled();
  });

  it('[M34] a call that gave its reply told it there', async () => {
    const { aborting, call, onLateUsage, stream } = await begun();
    stream.enqueue(FINISH);
    expect((await call).usage).toEqual(SPENT);
    aborting.abort();
    await vi.advanceTimersByTimeAsync(LATE_USAGE_MS);
    expect(onLateUsage).not.toHaveBeenCalled();
  });

  it('[M34] a call that was never asked spent nothing', async () => {
    const { model, asked } = fakeModel([FINISH]);
    const onLateUsage = vi.fn();
    const call = modelPort(model).call(request(), { signal: AbortSignal.abort(), onDelta: vi.fn(), onLateUsage });
    await expect(call).rejects.toMatchObject({ failure: { code: 'aborted' } });
    await vi.advanceTimersByTimeAsync(LATE_USAGE_MS);
    expect([asked.length, onLateUsage.mock.calls.length, vi.getTimerCount()]).toEqual([0, 0, 0]);
  });

  it('[M32] a stream is closed at once where nobody asks', async () => {
    const abort = new AbortController();
    const left = vi.fn();
    const { model } = fakeModel(() => streamOf(textParts('Hi.'), { open: true, left }));
    const call = modelPort(model).call(request(), { signal: abort.signal, onDelta: () => abort.abort() });
    await expect(call).rejects.toMatchObject({ failure: { code: 'aborted' } });
    await vi.advanceTimersByTimeAsync(0);
    expect(left).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('[M34] a listener that throws harms nothing', async () => {
    const { abort, left, onLateUsage, stream } = await begun();
    onLateUsage.mockImplementation(() => {
      throw new Error('Nobody is there.');
    });
    await abort();
    stream.enqueue(FINISH);
    await vi.advanceTimersByTimeAsync(0);
    expect(onLateUsage).toHaveBeenCalledTimes(1);
    expect(left).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a script that ignores its abort', () => {
  const usage = { inputTokens: 8, outputTokens: 6 };

  it.each<[string, ScriptStep]>([
    ['before the answer', {}],
    ['once all is said', { text: 'Hi.' }],
  ])('[M34][M35] hangs %s until it is aborted, and finishes all the same', async (_what, step) => {
    const model = scriptedModel([{ ...step, usage, hang: 'until-aborted', ignoreAbort: true }]);
    const { abort, onDelta, onLateUsage } = begin(model, { firstChunkMs: 60_000, stallMs: 60_000 });
    await vi.advanceTimersByTimeAsync(50_000);
    const said = onDelta.mock.calls.length;
    expect(said).toBe(step.text ? 1 : 0);
    await abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(onLateUsage.mock.calls).toEqual([[{ ...SPENT, ...usage }, expect.stringContaining('/')]]);
    expect(onDelta).toHaveBeenCalledTimes(said);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each<[string, ScriptStep, number]>([
    ['the answer', { text: 'ab', delayMs: 1_000 }, 0],
    ['each piece', { text: 'abcd', chunkSize: 2, chunkDelayMs: 600 }, 1],
  ])('[M34][M35] waits for %s as long as it says', async (_what, step, pieces) => {
    const model = scriptedModel([{ ...step, usage, ignoreAbort: true }]);
    const { abort, onDelta, onLateUsage } = begin(model);
    await vi.advanceTimersByTimeAsync(700);
    expect(onDelta).toHaveBeenCalledTimes(pieces);
    await abort();
    await vi.advanceTimersByTimeAsync(299);
    expect(onLateUsage).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(201);
    expect(onLateUsage.mock.calls).toEqual([[{ ...SPENT, ...usage }, expect.stringContaining('/')]]);
    expect(onDelta).toHaveBeenCalledTimes(pieces);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('[M34][M35] ends its wait where its reader lets go, after the 2 s', async () => {
    const model = scriptedModel([{ text: 'abcd', chunkSize: 2, chunkDelayMs: 3_000, ignoreAbort: true }]);
    const { abort, onLateUsage } = begin(model);
    await vi.advanceTimersByTimeAsync(100);
    await abort();
    await vi.advanceTimersByTimeAsync(1_999);
    expect(vi.getTimerCount()).toBe(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(vi.getTimerCount()).toBe(0);
    expect(onLateUsage).not.toHaveBeenCalled();
  });

  it('[M35] answers in one piece as well', async () => {
    const abort = new AbortController();
    const model = scriptedModel([{ text: 'Hi.', usage, hang: 'until-aborted', ignoreAbort: true }]);
    const answer = model.doGenerate({ prompt: [], abortSignal: abort.signal });
    abort.abort();
    expect((await answer).usage).toMatchObject({ inputTokens: { total: 8 }, outputTokens: { total: 6 } });
  });
});
