import type { LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';
import { generateText } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import type { ModelDelta } from '../../../../src/core/definition/model-port';
import { modelPort } from '../../../../src/model/adapter';
import { DEFAULT_SCRIPT_USAGE, type Script } from '../../../../src/model/script';
import { routingScriptedModel, scriptedModel } from '../../../../src/model/scripted';
import { ask, request, SEARCH, sorted } from '../ask';

const texts = (outcome: Awaited<ReturnType<typeof ask>>): string =>
  (outcome.reply?.content ?? []).map((part) => (part.type === 'text' ? part.text : part.type)).join('|');

describe('what a script answers', () => {
  it('[M22] streams thinking, text and calls, with their pieces, tokens and name', async () => {
    const model = scriptedModel([
      {
        thinking: 'Hm.',
        text: 'Zwei 🙂🙂 Fragen.',
        calls: [{ name: 'search', input: { q: 'one' } }],
        finish: { answer: 42 },
        usage: { inputTokens: 7, cachedTokens: 3 },
        chunkSize: 6,
        model: 'other',
      },
    ]);
    const { deltas, reply } = await ask(modelPort(model), { tools: [SEARCH] });
    expect(reply).toEqual({
      content: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 'Zwei 🙂🙂 Fragen.' },
        { type: 'tool-call', providerId: 'call_1_1', toolName: 'search', input: { q: 'one' } },
        { type: 'tool-call', providerId: 'call_1_2', toolName: '__finish__', input: { answer: 42 } },
      ],
      finishReason: 'tool-calls',
      usage: { inputTokens: 7, outputTokens: 5, cachedTokens: 3, reasoningTokens: 0, modelCalls: 1, toolCalls: 0 },
      model: 'offshoot/other',
    });
    expect(deltas.flatMap((delta) => (delta.type === 'text' ? [delta.delta] : []))).toEqual([
      'Zwei ',
      '🙂🙂 F',
      'ragen.',
    ]);
  });

  it('[M22] has defaults that are what they say', async () => {
    const { reply, deltas } = await ask(modelPort(scriptedModel([{ text: 'x'.repeat(33) }])));
    expect(reply).toMatchObject({ finishReason: 'stop', model: 'offshoot/scripted', usage: DEFAULT_SCRIPT_USAGE });
    expect(deltas.map((delta) => ('delta' in delta ? delta.delta.length : 0))).toEqual([32, 1]);
  });

  it('[M22] can be asked by the AI SDK itself', async () => {
    const { text, toolCalls, usage, finishReason } = await generateText({
      model: scriptedModel([{ text: 'Hi.', calls: [{ name: 'search', input: { q: 'x' } }] }]),
      prompt: 'Hello?',
    });
    expect({ text, finishReason, calls: toolCalls.length, tokens: usage.totalTokens }).toEqual({
      text: 'Hi.',
      finishReason: 'tool-calls',
      calls: 1,
      tokens: 15,
    });
  });

  it('[M22] gives in one piece what it streams, block by block', async () => {
    const step = { thinking: 'First I think.', text: 'Then I say.', calls: [{ name: 'look', input: { at: 'it' } }] };
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Go.' }] }];
    const whole = await scriptedModel([step]).doGenerate({ prompt });
    expect(whole.content).toEqual([
      { type: 'reasoning', text: step.thinking },
      { type: 'text', text: step.text },
      { type: 'tool-call', toolCallId: 'call_1_1', toolName: 'look', input: '{"at":"it"}' },
    ]);
    const { stream } = await scriptedModel([step]).doStream({ prompt });
    const parts = await Array.fromAsync(stream);
    const said = (type: string) => parts.flatMap((part) => (part.type === type && 'delta' in part ? [part.delta] : []));
    expect([said('reasoning-delta').join(''), said('text-delta').join('')]).toEqual([step.thinking, step.text]);
    expect(parts.at(-1)).toMatchObject({ finishReason: whole.finishReason, usage: whole.usage });
  });

  it('[M37] hands a function the last message, and the results behind it alone', async () => {
    const model = scriptedModel([{ text: 'Hi.' }]);
    const result = (toolCallId: string, toolName: string, output: LanguageModelV4ToolResultOutput) => ({
      role: 'tool' as const,
      content: [{ type: 'tool-result' as const, toolCallId, toolName, output }],
    });
    await model.doGenerate({
      prompt: [
        { role: 'user', content: [{ type: 'text', text: 'Old?' }] },
        result('c_0', 'search', { type: 'text', value: 'old' }),
        {
          role: 'user',
          content: [
            { type: 'text', text: 'New?' },
            { type: 'text', text: 'Please.' },
          ],
        },
        result('c_1', 'search', { type: 'json', value: { hits: 2 } }),
        result('c_2', 'read', { type: 'error-text', value: 'Gone.' }),
        result('c_3', 'write', { type: 'execution-denied', reason: 'No.' }),
        result('c_4', 'look', { type: 'content', value: [{ type: 'text', text: 'A bee.' }] }),
      ],
    });
    expect(model.requests).toMatchObject([
      {
        message: 'New?\n\nPlease.',
        results: [
          { name: 'search', value: { hits: 2 }, failed: false },
          { name: 'read', value: 'Gone.', failed: true },
          { name: 'write', value: 'No.', failed: true },
          { name: 'look', value: 'A bee.', failed: false },
        ],
      },
    ]);
  });

  it('[M23] reads a list by the step of the run, whoever asks first and how often', async () => {
    const port = modelPort(scriptedModel([{ text: 'One.' }, { text: 'Two.' }]));
    expect(texts(await ask(port, { step: 2, runId: 'r_2' }))).toBe('Two.');
    expect(texts(await ask(port, { step: 1 }))).toBe('One.');
    expect(texts(await ask(port, { step: 1, attempt: 2 }))).toBe('One.');
  });

  it('[M23] reads a list by the number of the call where it is told to', async () => {
    const port = modelPort(scriptedModel([{ text: 'One.' }, { calls: [{ name: 'search' }] }], { by: 'call' }));
    expect(texts(await ask(port, { step: 5 }))).toBe('One.');
    const { reply } = await ask(port, { step: 5 });
    expect(reply?.content).toMatchObject([{ providerId: 'call_2_1', input: {} }]);
  });

  it('[M111] goes on behind the replies of the runs that this one tries again; a summary is step 0', async () => {
    const port = modelPort(scriptedModel(({ step }) => ({ text: `Step ${step}.` })));
    const said = async (step: number, repliesBefore: number) => texts(await ask(port, { step, repliesBefore }));
    expect([await said(1, 2), await said(2, 2), await said(0, 2)]).toEqual(['Step 3.', 'Step 4.', 'Step 0.']);
  });

  it('[M23] says where a list ends', async () => {
    const outcome = await ask(modelPort(scriptedModel([{ text: 'One.' }])), { step: 2 });
    expect(outcome.failure).toMatchObject({
      code: 'model_error',
      retryable: false,
      message: 'There is no answer for step 2: the script has 1.',
    });
  });

  it('[M23] says why a further step came where an output is missing', async () => {
    const finish = { name: '__finish__', description: 'Ends.', inputSchema: {} };
    const ended = async (script: Script): Promise<string | undefined> =>
      (await ask(modelPort(scriptedModel(script)), { step: 2, tools: [finish] })).failure?.message;
    expect(await ended([{ text: 'One.' }])).toBe(
      'There is no answer for step 2: the script has 1. An agent with an `outputSchema` ends with an entry that has `finish`; text does not end it.',
    );
    expect(await ended([{ finish: {} }])).toBe('There is no answer for step 2: the script has 1.');
  });

  it('[M23] may be a function of the request', async () => {
    const model = scriptedModel(async ({ agentType, sessionId, runId, step, attempt, call, tools, prompt }) => ({
      text: [agentType, sessionId, runId, step, attempt, call, tools[0]?.name, prompt.length].join(' '),
    }));
    const outcome = await ask(modelPort(model), { step: 3, attempt: 2, tools: [SEARCH] });
    expect(texts(outcome)).toBe('researcher s_1 r_1 3 2 1 search 2');
  });

  it('[M24] routes by the type of the agent, each with its own count', async () => {
    const model = routingScriptedModel(
      { parent: [{ text: 'P1' }], child: [{ text: 'C1' }, { text: 'C2' }] },
      { by: 'call' },
    );
    const port = modelPort(model);
    const asked = ['child', 'parent', 'child'].map((agentType) => ask(port, { agentType }));
    expect((await Promise.all(asked)).map(texts)).toEqual(['C1', 'P1', 'C2']);
    expect(model.requests.map(({ agentType, call }) => `${agentType} ${call}`)).toEqual([
      'child 1',
      'parent 1',
      'child 2',
    ]);
  });

  it('[M24] names the scripts that there are', async () => {
    const outcome = await ask(modelPort(routingScriptedModel({ parent: [], child: [] })), { agentType: 'toString' });
    expect(outcome.failure?.message).toBe('There is no script for the agent "toString", only for: parent, child.');
  });

  it('[M25] keeps copies of what it was asked', async () => {
    const model = scriptedModel(() => ({ text: 'Hi.' }));
    const tools = [structuredClone(SEARCH)];
    await ask(modelPort(model), { tools });
    const [kept] = model.requests;
    expect(kept).toMatchObject({ prompt: [{ role: 'system' }, { role: 'user' }], tools: [{ name: 'search' }] });
    expect(kept?.tools[0]?.inputSchema).not.toBe(tools[0]?.inputSchema);
    expect(model.calls).toBe(1);
  });

  it('[M25] counts, but keeps nothing, where it is told to', async () => {
    const model = scriptedModel(() => ({ text: 'Hi.' }), { record: false });
    await ask(modelPort(model));
    await ask(modelPort(model));
    expect(model.calls).toBe(2);
    expect(model.requests).toEqual([]);
  });

  it('[M27] can repeat ids and send arguments that are no JSON', async () => {
    const calls = [
      { name: 'search', input: { q: 1 }, id: 'same' },
      { name: 'search', rawInput: '{"q":', id: 'same' },
    ];
    const { reply } = await ask(modelPort(scriptedModel([{ calls }])));
    expect(reply?.content).toEqual([
      { type: 'tool-call', providerId: 'same', toolName: 'search', input: { q: 1 } },
      { type: 'tool-call', providerId: 'same', toolName: 'search', input: {}, malformed: '{"q":' },
    ]);
  });
});

describe('how a script goes wrong', () => {
  it.each([
    [{ status: 503, message: 'Busy.' }, 'model_overloaded', true],
    [{ status: 400, message: 'Bad.' }, 'model_error', false],
    [{ status: 503, message: 'Busy.', retryable: false }, 'model_overloaded', false],
    [{ code: 'model_refused', message: 'No.' }, 'model_refused', false],
    [{ code: 'model_error', message: 'No.', retryable: true }, 'model_error', true],
    [{ message: 'Oops.' }, 'model_unavailable', true],
  ] as const)('[M26] fails as told: %j', async (fail, code, retryable) => {
    const outcome = await ask(modelPort(scriptedModel([{ text: 'Never.', fail }])));
    expect(sorted(outcome)).toEqual([code, retryable]);
    expect(outcome.failure?.message).toContain(fail.message);
    expect(outcome.deltas).toEqual([]);
  });

  it.each([
    ['with its error', { status: 503, message: 'Busy.' }, 'model_overloaded'],
    ['in silence', undefined, 'model_bad_reply'],
  ])('[M26] breaks off after some pieces, %s', async (_what, fail, code) => {
    const step = { text: 'abcdef', chunkSize: 2, failAfterChunks: 2, ...(fail ? { fail } : {}) };
    const outcome = await ask(modelPort(scriptedModel([step])));
    expect(sorted(outcome)).toEqual([code, true]);
    expect(outcome.deltas.map((delta) => ('delta' in delta ? delta.delta : ''))).toEqual(['ab', 'cd']);
  });

  it('[M26] waits before the answer and before each piece', async () => {
    vi.useFakeTimers();
    try {
      const seen: string[] = [];
      const model = scriptedModel([{ text: 'abcd', chunkSize: 2, delayMs: 1_000, chunkDelayMs: 300 }]);
      const onDelta = (delta: ModelDelta) => seen.push('delta' in delta ? delta.delta : '');
      const call = modelPort(model).call(request(), { signal: new AbortController().signal, onDelta });
      await vi.advanceTimersByTimeAsync(1_299);
      expect(seen).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      expect(seen).toEqual(['ab']);
      await vi.advanceTimersByTimeAsync(300);
      expect(seen).toEqual(['ab', 'cd']);
      expect((await call).finishReason).toBe('stop');
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    ['the answer', { text: 'Hi.', delayMs: 3_600_000 }],
    ['a piece', { text: 'abcd', chunkSize: 2, chunkDelayMs: 3_600_000 }],
  ])('[M26] ends its wait for %s when it is aborted', async (_what, step) => {
    vi.useFakeTimers();
    try {
      const abort = new AbortController();
      const outcome = ask(modelPort(scriptedModel([step])), { firstChunkMs: 9_000_000 }, abort.signal);
      await vi.advanceTimersByTimeAsync(1_000);
      abort.abort();
      expect(sorted(await outcome)).toEqual(['aborted', false]);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('[M36] gives a function the abort signal of its call', async () => {
    const signals: AbortSignal[] = [];
    const model = scriptedModel((_request, { abortSignal }) => {
      signals.push(abortSignal);
      return new Promise((resolve) => abortSignal.addEventListener('abort', () => resolve({ text: 'Late.' })));
    });
    const abort = new AbortController();
    const outcome = ask(modelPort(model), { firstChunkMs: 9_000_000 }, abort.signal);
    await vi.waitFor(() => expect(signals.map(({ aborted }) => aborted)).toEqual([false]));
    abort.abort();
    expect(sorted(await outcome)).toEqual(['aborted', false]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(model.requests).toHaveLength(1);
    const alone = scriptedModel((_request, context) => ({ text: String(context.abortSignal.aborted) }));
    expect((await generateText({ model: alone, prompt: 'Hello?' })).text).toBe('false');
  });

  it('[M26] ends its waits when its reader lets go', async () => {
    vi.useFakeTimers();
    try {
      const { stream } = await scriptedModel([{ text: 'Hi.', chunkDelayMs: 3_600_000 }]).doStream({ prompt: [] });
      const reader = stream.getReader();
      const types = [await reader.read(), await reader.read(), await reader.read()].map(({ value }) => value?.type);
      expect(types).toEqual(['stream-start', 'response-metadata', 'text-start']);
      const next = reader.read();
      await vi.advanceTimersByTimeAsync(0);
      expect(vi.getTimerCount()).toBe(1);
      await reader.cancel();
      expect(vi.getTimerCount()).toBe(0);
      expect((await next).done).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each(['until-aborted', 'forever'] as const)(
    '[M26] hangs %s, before the answer or once all is said',
    async (hang) => {
      for (const step of [{ hang }, { text: 'Hi.', hang }]) {
        const abort = new AbortController();
        const model = scriptedModel([step]);
        const asked = model.doStream({ prompt: [], abortSignal: abort.signal });
        const end = asked.then(({ stream }) => drain(stream));
        const settled = vi.fn();
        end.then(settled, settled);
        const outcome = ask(modelPort(scriptedModel([step])), {}, abort.signal);
        await vi.waitFor(() => expect(model.calls).toBe(1));
        abort.abort(new Error('Enough.'));
        expect(sorted(await outcome)).toEqual(['aborted', false]);
        if (hang === 'until-aborted') await expect(end).rejects.toThrow('Enough.');
        await new Promise((resolve) => setImmediate(resolve));
        expect(settled).toHaveBeenCalledTimes(hang === 'forever' ? 0 : 1);
      }
    },
  );
});

async function drain(stream: ReadableStream<unknown>): Promise<void> {
  for await (const _ of stream);
}
