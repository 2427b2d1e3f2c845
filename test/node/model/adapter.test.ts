import type { LanguageModelV2, LanguageModelV3, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { modelPort } from '../../../src/model/adapter';
import { OffshootError } from '../../../src/protocol/errors';
import { ask, request, SEARCH, sorted } from './ask';
import { FINISH, fakeModel, streamOf, textParts } from './fake-model';

const never = (): Promise<never> => new Promise(() => {});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('what a model may be', () => {
  it('[M1] is asked once for each call, with nothing but the question', async () => {
    const { model, asked } = fakeModel([...textParts('Hi.'), FINISH]);
    const port = modelPort(model);
    await ask(port, { tools: [SEARCH] });
    await ask(port);
    expect(asked).toHaveLength(2);
    expect(asked[0]?.tools).toEqual([{ type: 'function', ...SEARCH }]);
    expect(asked[0]?.toolChoice).toEqual({ type: 'auto' });
    expect(asked[1]).not.toHaveProperty('tools');
  });

  it('[M14] is told who asks', async () => {
    const { model, asked } = fakeModel([...textParts('Hi.'), FINISH]);
    await ask(modelPort(model), { step: 4, attempt: 2 });
    expect(asked[0]?.providerOptions).toEqual({
      offshoot: { agentType: 'researcher', sessionId: 's_1', runId: 'r_1', step: 4, attempt: 2 },
    });
  });

  it('[M2] may be a function of the environment, also one that takes its time; it is resolved once', async () => {
    const { model } = fakeModel([...textParts('Hi.'), FINISH]);
    const source = vi.fn(async (env: { KEY: string }) => ({ ...model, modelId: env.KEY }));
    const port = modelPort(source, { KEY: 'from-env' });
    expect((await ask(port)).reply?.model).toBe('fake/from-env');
    await ask(port);
    expect(source).toHaveBeenCalledTimes(1);
  });

  it('[M2] is resolved again after a failure to resolve it', async () => {
    const { model } = fakeModel([...textParts('Hi.'), FINISH]);
    const source = vi
      .fn(() => model)
      .mockImplementationOnce(() => {
        throw new OffshootError('invalid_definition', 'OPENAI_API_KEY must be set.');
      });
    const port = modelPort(source, {});
    expect((await ask(port)).failure).toMatchObject({
      code: 'invalid_definition',
      message: 'OPENAI_API_KEY must be set.',
    });
    expect((await ask(port)).reply?.content).toMatchObject([{ text: 'Hi.' }]);
  });

  it('[M107] may end with a word that is no text', async () => {
    for (const raw of [3, {}, ['stop']]) {
      const finish = { ...FINISH, finishReason: { unified: 'stop', raw } } as unknown as LanguageModelV4StreamPart;
      const { reply, failure } = await ask(modelPort(fakeModel([...textParts('Hi.'), finish]).model));
      expect(failure).toBeUndefined();
      expect(reply).toMatchObject({ finishReason: 'stop' });
    }
    const other = { ...FINISH, finishReason: { unified: 'other', raw: 3 } } as unknown as LanguageModelV4StreamPart;
    expect((await ask(modelPort(fakeModel([...textParts('Hi.'), other]).model))).failure).toBeUndefined();
  });

  it('[M2] may be of an older version of the interface', async () => {
    vi.stubGlobal('AI_SDK_LOG_WARNINGS', false);
    const { model } = fakeModel([...textParts('Hi.'), FINISH]);
    const v3 = { ...model, specificationVersion: 'v3' } as unknown as LanguageModelV3;
    const usage = { inputTokens: 3, outputTokens: 2, totalTokens: 5, cachedInputTokens: 1 };
    const finish = { type: 'finish', finishReason: 'stop', usage } as unknown as LanguageModelV4StreamPart;
    const v2 = {
      ...fakeModel([...textParts('Hi.'), finish]).model,
      specificationVersion: 'v2',
    } as unknown as LanguageModelV2;
    for (const [older, cachedTokens] of [
      [v3, 0],
      [v2, 1],
    ] as const) {
      const { reply } = await ask(modelPort(older));
      expect(reply).toMatchObject({ model: 'fake/model-1', usage: { inputTokens: 3, outputTokens: 2, cachedTokens } });
      expect(reply?.content).toEqual([{ type: 'text', text: 'Hi.' }]);
    }
  });

  it.each([
    ['the name of a model', 'openai/gpt-5', 'the text "openai/gpt-5"'],
    ['nothing', undefined, 'undefined'],
    ['a list', [], 'an array'],
    ['an object that is no model', { modelId: 'x' }, 'type object'],
    ['a model of a later interface', { ...fakeModel([]).model, specificationVersion: 'v9' }, 'unknown version'],
  ])('[M3] is refused where it is %s, with what to pass instead', async (_what, source, said) => {
    const outcome = await ask(modelPort(() => source as never, {}));
    expect(sorted(outcome)).toEqual(['invalid_definition', false]);
    expect(outcome.failure?.message).toContain(said);
    expect(outcome.failure?.message).toContain('Pass a model object');
  });
});

describe('what a stream may hold', () => {
  const reply = async (...parts: LanguageModelV4StreamPart[]) => ask(modelPort(fakeModel([...parts, FINISH]).model));

  it('[M40] tells the blocks of a reply apart, also where their pieces come in turns', async () => {
    const { model } = fakeModel([
      { type: 'reasoning-start', id: 'a' },
      { type: 'text-start', id: 'a' },
      { type: 'text-delta', id: 'a', delta: 'One' },
      { type: 'reasoning-delta', id: 'a', delta: 'Hm' },
      { type: 'tool-input-start', id: 'c', toolName: 'search' },
      { type: 'text-start', id: 'b' },
      { type: 'text-delta', id: 'b', delta: 'Two' },
      { type: 'text-delta', id: 'a', delta: '.' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'search', input: '{}' },
      { type: 'text-start', id: 'b' },
      { type: 'text-delta', id: 'b', delta: 'Three' },
      FINISH,
    ]);
    const { deltas, reply } = await ask(modelPort(model));
    expect(deltas).toEqual([
      { type: 'text', part: 1, delta: 'One' },
      { type: 'thinking', part: 0, delta: 'Hm' },
      { type: 'tool_arg_start', index: 0, toolName: 'search' },
      { type: 'text', part: 3, delta: 'Two' },
      { type: 'text', part: 1, delta: '.' },
      { type: 'text', part: 4, delta: 'Three' },
    ]);
    expect(reply?.content.map((part) => ('text' in part ? part.text : part.type))).toEqual([
      'Hm',
      'One.',
      'tool-call',
      'Two',
      'Three',
    ]);
  });

  it('[M5] keeps two calls of one id apart', async () => {
    const { reply: got, deltas } = await reply(
      { type: 'tool-input-start', id: 'same', toolName: 'search' },
      { type: 'tool-input-delta', id: 'same', delta: '{"q":1}' },
      { type: 'tool-call', toolCallId: 'same', toolName: 'search', input: '{"q":1}' },
      { type: 'tool-input-start', id: 'same', toolName: 'fetch' },
      { type: 'tool-input-delta', id: 'same', delta: '{"q":2}' },
      { type: 'tool-call', toolCallId: 'same', toolName: 'fetch', input: '{"q":2}' },
    );
    expect(got?.content).toEqual([
      { type: 'tool-call', providerId: 'same', toolName: 'search', input: { q: 1 } },
      { type: 'tool-call', providerId: 'same', toolName: 'fetch', input: { q: 2 } },
    ]);
    expect(deltas).toEqual([
      { type: 'tool_arg_start', index: 0, toolName: 'search' },
      { type: 'tool_arg_delta', index: 0, delta: '{"q":1}' },
      { type: 'tool_arg_start', index: 1, toolName: 'fetch' },
      { type: 'tool_arg_delta', index: 1, delta: '{"q":2}' },
    ]);
  });

  it('[M5] gives each piece of calls that share one id to the one that began last and is not whole', async () => {
    const piece = (delta: string) => ({ type: 'tool-input-delta', id: 'same', delta }) as const;
    const begins = (toolName: string) => ({ type: 'tool-input-start', id: 'same', toolName }) as const;
    const whole = (toolName: string, input: string) =>
      ({ type: 'tool-call', toolCallId: 'same', toolName, input }) as const;
    const { reply: got, deltas } = await reply(
      begins('search'),
      piece('{"q":'),
      begins('fetch'),
      piece('{"u":2}'),
      whole('search', '{"q":1}'),
      piece(' '),
      whole('fetch', '{"u":2} '),
    );
    expect(deltas).toEqual([
      { type: 'tool_arg_start', index: 0, toolName: 'search' },
      { type: 'tool_arg_delta', index: 0, delta: '{"q":' },
      { type: 'tool_arg_start', index: 1, toolName: 'fetch' },
      { type: 'tool_arg_delta', index: 1, delta: '{"u":2}' },
      { type: 'tool_arg_delta', index: 1, delta: ' ' },
    ]);
    expect(got?.content).toMatchObject([
      { toolName: 'search', input: { q: 1 } },
      { toolName: 'fetch', input: { u: 2 } },
    ]);
  });

  it('[M5] pairs what comes with the call that began under its id, also where another id came between', async () => {
    const { reply: got, deltas } = await reply(
      { type: 'tool-input-start', id: 'a', toolName: 'search' },
      { type: 'tool-input-start', id: 'b', toolName: 'fetch' },
      { type: 'tool-input-delta', id: 'a', delta: '{"q":1}' },
      { type: 'tool-input-delta', id: 'b', delta: '{"u":2}' },
      { type: 'tool-input-delta', id: 'c', delta: 'nobody began this' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'late', input: '{"z":3}' },
      { type: 'tool-call', toolCallId: 'b', toolName: 'fetch', input: '{"u":2}' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'search', input: '{"q":1}' },
    );
    expect(
      deltas.flatMap((delta) => ('index' in delta && 'delta' in delta ? [[delta.index, delta.delta]] : [])),
    ).toEqual([
      [0, '{"q":1}'],
      [1, '{"u":2}'],
      [2, '{"z":3}'],
    ]);
    expect(got?.content).toMatchObject([
      { providerId: 'a', toolName: 'search', input: { q: 1 } },
      { providerId: 'b', toolName: 'fetch', input: { u: 2 } },
      { providerId: 'c', toolName: 'late', input: { z: 3 } },
    ]);
  });

  it('[M5] ends calls of one id in the order in which they began', async () => {
    const { reply: got } = await reply(
      { type: 'tool-input-start', id: 'same', toolName: 'search' },
      { type: 'tool-input-start', id: 'same', toolName: 'search' },
      { type: 'tool-call', toolCallId: 'same', toolName: 'search', input: '{"q":1}' },
      { type: 'tool-call', toolCallId: 'same', toolName: 'search', input: '{"q":2}' },
    );
    expect(got?.content).toMatchObject([{ input: { q: 1 } }, { input: { q: 2 } }]);
  });

  it('[M5] keeps the order in which calls began, whichever is whole first', async () => {
    const { reply: got } = await reply(
      { type: 'tool-input-start', id: 'a', toolName: 'search' },
      { type: 'tool-input-start', id: 'b', toolName: 'fetch' },
      { type: 'tool-call', toolCallId: 'b', toolName: 'fetch', input: '{}' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'search', input: '{}' },
    );
    expect(got?.content.map((part) => (part.type === 'tool-call' ? part.providerId : part.type))).toEqual(['a', 'b']);
  });

  it('[M4][M5] announces a call that comes in one piece', async () => {
    const { deltas } = await reply({ type: 'tool-call', toolCallId: 'a', toolName: 'search', input: '{"q":1}' });
    expect(deltas).toEqual([
      { type: 'tool_arg_start', index: 0, toolName: 'search' },
      { type: 'tool_arg_delta', index: 0, delta: '{"q":1}' },
    ]);
  });

  it.each([
    ['nothing', '', {}, undefined],
    ['blanks', ' \n', {}, undefined],
    ['a list', '[1]', [1], undefined],
    ['a text', '"q"', 'q', undefined],
    ['half of an object', '{"q":', {}, '{"q":'],
    ['two objects', '{}{}', {}, '{}{}'],
  ])('[M6] reads arguments that are %s', async (_what, input, read, malformed) => {
    const { reply: got } = await reply({ type: 'tool-call', toolCallId: 'a', toolName: 'search', input });
    expect(got?.content).toEqual([
      {
        type: 'tool-call',
        providerId: 'a',
        toolName: 'search',
        input: read,
        ...(malformed === undefined ? {} : { malformed }),
      },
    ]);
  });

  it('[M6] never takes a call that was not completed for a whole one', async () => {
    const { reply: got } = await reply(
      { type: 'tool-input-start', id: 'a', toolName: 'search' },
      { type: 'tool-input-delta', id: 'a', delta: '{}' },
      { type: 'tool-input-start', id: 'b', toolName: 'search' },
    );
    expect(got?.content).toMatchObject([{ malformed: '{}' }, { malformed: expect.stringContaining('never came') }]);
  });

  it('[M8] keeps the last metadata of a block, and an empty block only for its metadata', async () => {
    const { reply: got } = await reply(
      { type: 'reasoning-start', id: 'r', providerMetadata: { fake: { itemId: 'rs_1' } } },
      { type: 'reasoning-end', id: 'r', providerMetadata: { fake: { itemId: 'rs_1', sealed: 'x', gone: undefined } } },
      ...textParts(''),
      ...textParts('Hi.'),
      { type: 'tool-call', toolCallId: 'a', toolName: 'search', input: '{}', providerMetadata: { fake: { n: 1 } } },
    );
    expect(got?.content).toEqual([
      { type: 'reasoning', text: '', providerMetadata: { fake: { itemId: 'rs_1', sealed: 'x' } } },
      { type: 'text', text: 'Hi.' },
      { type: 'tool-call', providerId: 'a', toolName: 'search', input: {}, providerMetadata: { fake: { n: 1 } } },
    ]);
  });

  it('[M8] keeps blocks apart that use one id after another', async () => {
    const { reply: got } = await reply(...textParts('One.'), ...textParts('Two.'));
    expect(got?.content).toEqual([
      { type: 'text', text: 'One.' },
      { type: 'text', text: 'Two.' },
    ]);
  });

  it('[M9] counts tokens of which only the parts are known, and nothing that is no count', async () => {
    const inputTokens = { total: undefined, noCache: 4, cacheRead: 3, cacheWrite: 2 };
    const outputTokens = { total: undefined, text: Number.NaN, reasoning: -1 };
    const { model } = fakeModel([...textParts('Hi.'), { ...FINISH, usage: { inputTokens, outputTokens } }]);
    const { reply: got } = await ask(modelPort(model));
    expect(got?.usage).toMatchObject({
      inputTokens: 9,
      cachedTokens: 3,
      cacheWriteTokens: 2,
      outputTokens: 0,
      reasoningTokens: 0,
    });
    // The same without any: the field is missing.
    const { reply: bare } = await reply(...textParts('Hi.'));
    expect(bare?.usage).not.toHaveProperty('cacheWriteTokens');
  });

  it.each([
    [256, 'x'.repeat(256)],
    [257, undefined],
  ])("[M9] keeps the provider's id of a reply with %i characters as %s", async (length, kept) => {
    const { reply: got } = await reply({ type: 'response-metadata', id: 'x'.repeat(length) }, ...textParts('Hi.'));
    expect(got?.responseId).toBe(kept);
  });

  it('[M20] takes a reply with neither content nor tokens for none', async () => {
    const none = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 };
    const usage = { inputTokens: none, outputTokens: { total: undefined, text: undefined, reasoning: undefined } };
    const empty = fakeModel([{ ...FINISH, usage }]);
    expect(sorted(await ask(modelPort(empty.model)))).toEqual(['model_bad_reply', true]);
    expect((await reply()).reply?.content).toEqual([]);
  });

  it('[M21] hands a refusal on that says nothing at all', async () => {
    const none = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 };
    const usage = { inputTokens: none, outputTokens: { total: 0, text: 0, reasoning: 0 } };
    const refused = { type: 'finish', finishReason: { unified: 'content-filter', raw: 'refusal' }, usage } as const;
    expect((await ask(modelPort(fakeModel([refused]).model))).reply?.finishReason).toBe('content-filter');
  });

  it.each(['interrupted', 'error'] as const)('[M20] takes a reply that ends as "%s" for none', async (unified) => {
    const { model } = fakeModel([...textParts('Hal'), { ...FINISH, finishReason: { unified, raw: 'cut' } }]);
    const outcome = await ask(modelPort(model));
    expect(sorted(outcome)).toEqual(['model_bad_reply', true]);
    expect(outcome.failure?.message).toContain('cut');
  });
});

describe('how a call ends early', () => {
  it('[M32] asks nothing where the signal is aborted already', async () => {
    const { model, asked } = fakeModel([FINISH]);
    expect(sorted(await ask(modelPort(model), {}, AbortSignal.abort()))).toEqual(['aborted', false]);
    expect(asked).toEqual([]);
  });

  it('[M32] fails with the reason of the signal where that is one of ours', async () => {
    const abort = new AbortController();
    const { model } = fakeModel(() => {
      abort.abort(new OffshootError('interrupted', 'Someone stopped it.'));
      return never();
    });
    const outcome = await ask(modelPort(model), {}, abort.signal);
    expect(outcome.failure).toMatchObject({ code: 'interrupted', message: 'Someone stopped it.' });
  });

  it('[M32] leaves a provider behind that ignores its signal before it answers, and closes a late answer', async () => {
    const abort = new AbortController();
    const late = Promise.withResolvers<ReturnType<typeof streamOf>>();
    const left = Promise.withResolvers<void>();
    const { model, asked } = fakeModel(() => {
      abort.abort();
      return late.promise;
    });
    const outcome = await ask(modelPort(model), {}, abort.signal);
    expect(sorted(outcome)).toEqual(['aborted', false]);
    expect(asked[0]?.abortSignal?.aborted).toBe(true);
    late.resolve(streamOf(textParts('Too late.'), { open: true, left: left.resolve }));
    await left.promise;
    expect(outcome.deltas).toEqual([]);
  });

  it('[M4][M32] leaves a stream behind that ignores its signal, and hands nothing on any more', async () => {
    const abort = new AbortController();
    const source = Promise.withResolvers<ReadableStreamDefaultController<LanguageModelV4StreamPart>>();
    // A stream that neither ends nor hears that its reader is gone.
    const stream = new ReadableStream<LanguageModelV4StreamPart>({ start: source.resolve, cancel: never });
    const { model } = fakeModel(() => stream);
    const deltas: unknown[] = [];
    const call = modelPort(model).call(request(), { signal: abort.signal, onDelta: (delta) => deltas.push(delta) });
    const controller = await source.promise;
    for (const part of textParts('Hi.')) controller.enqueue(part);
    await vi.waitFor(() => expect(deltas).toHaveLength(1));
    abort.abort();
    await expect(call).rejects.toMatchObject({ failure: { code: 'aborted' } });
    expect(deltas).toHaveLength(1);
  });

  it("[M32] lets go of the caller's signal when it has settled", async () => {
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, 'removeEventListener');
    const added = vi.spyOn(signal, 'addEventListener');
    await ask(modelPort(fakeModel([...textParts('Hi.'), FINISH]).model), {}, signal);
    await ask(modelPort(fakeModel([]).model), {}, signal);
    expect(added).toHaveBeenCalledTimes(2);
    expect(removed).toHaveBeenCalledTimes(2);
  });

  it('[M33] gives up on a model that is never there', async () => {
    expect(sorted(await ask(modelPort(never, {}), { firstChunkMs: 20 }))).toEqual(['model_timeout', true]);
    const silent = await ask(modelPort(fakeModel(never).model), { firstChunkMs: 20 });
    expect(silent.failure).toMatchObject({
      code: 'model_timeout',
      message: 'fake/model-1: no reply began within 20 ms.',
    });
  });

  it('[M33] counts a thought without words as work, for as long as a first chunk may take', async () => {
    const opened: LanguageModelV4StreamPart[] = [
      { type: 'stream-start', warnings: [] },
      { type: 'reasoning-start', id: 'r' },
    ];
    const { model } = fakeModel(() => streamOf(opened, { open: true }));
    const outcome = await ask(modelPort(model), { firstChunkMs: 30, stallMs: 20_000 });
    expect(sorted(outcome)).toEqual(['model_timeout', true]);
    expect(outcome.failure?.message).toContain('30 ms');
  });

  it('[M33] sets the clock anew with every part but the headers, and ends a call exactly at its limit', async () => {
    vi.useFakeTimers();
    try {
      const source = Promise.withResolvers<ReadableStreamDefaultController<LanguageModelV4StreamPart>>();
      const { model } = fakeModel(() => new ReadableStream({ start: source.resolve }));
      const settled = vi.fn();
      const outcome = ask(modelPort(model), { firstChunkMs: 100, stallMs: 50 });
      void outcome.then(settled);
      const controller = await source.promise;
      const pass = async (ms: number, part?: LanguageModelV4StreamPart): Promise<void> => {
        await vi.advanceTimersByTimeAsync(ms);
        if (part) controller.enqueue(part);
        await vi.advanceTimersByTimeAsync(0);
      };
      await pass(90, { type: 'ping' });
      await pass(99, { type: 'reasoning-start', id: 'r' });
      await pass(99, { type: 'text-start', id: 't' });
      await pass(99, { type: 'text-delta', id: 't', delta: 'Hi.' });
      await pass(49, { type: 'text-delta', id: 't', delta: ' You.' });
      await pass(49);
      expect(settled).not.toHaveBeenCalled();
      await pass(1);
      expect(sorted(await outcome)).toEqual(['model_timeout', true]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('[M33] does not take the headers of an answer for its beginning', async () => {
    vi.useFakeTimers();
    try {
      const headers = Promise.withResolvers<ReturnType<typeof streamOf>>();
      const outcome = ask(modelPort(fakeModel(() => headers.promise).model), { firstChunkMs: 100 });
      await vi.advanceTimersByTimeAsync(60);
      headers.resolve(streamOf([{ type: 'stream-start', warnings: [] }], { open: true }));
      const settled = vi.fn();
      void outcome.then(settled);
      await vi.advanceTimersByTimeAsync(40);
      expect(settled).toHaveBeenCalledTimes(1);
      expect(sorted(await outcome)).toEqual(['model_timeout', true]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('[M33] leaves no timer behind', async () => {
    vi.useFakeTimers();
    try {
      await ask(modelPort(fakeModel([...textParts('Hi.'), FINISH]).model));
      await ask(modelPort(fakeModel([{ type: 'error', error: 'No.' }]).model));
      await ask(modelPort(fakeModel(never).model), {}, AbortSignal.abort());
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('[M17] stops a provider that failed in the middle of its stream', async () => {
    const left = vi.fn();
    const parts: LanguageModelV4StreamPart[] = [...textParts('Hi.'), { type: 'error', error: new Error('No more.') }];
    const { model, asked } = fakeModel(() => streamOf(parts, { open: true, left }));
    const outcome = await ask(modelPort(model));
    expect(outcome.failure).toMatchObject({ code: 'model_error', message: 'fake/model-1: No more.', retryable: false });
    expect(left).toHaveBeenCalledTimes(1);
    expect(asked[0]?.abortSignal?.aborted).toBe(true);
  });
});
