import { describe, expect, it } from 'vitest';
import { modelPort } from '../../../src/model/adapter';
import { DEFAULT_WORKERS_AI_MODEL } from '../../../src/model/providers/workers-ai';
import { defaultModel } from '../../../src/models';
import type { Usage } from '../../../src/protocol/usage';
import { chatFrames } from '../../support/wire/openai-chat';
import { frame } from '../../support/wire/server';
import { ask, request, SEARCH, sorted, TRANSCRIPT } from './ask';

interface Run {
  readonly model: string;
  readonly inputs: {
    readonly stream?: boolean;
    readonly messages?: readonly object[];
    readonly tools?: readonly object[];
  };
  readonly signal: AbortSignal | undefined;
}

/** What `env.AI` is: a method `run` that gives a stream of bytes, the whole answer, or an error. */
function binding(give: (run: Run) => unknown) {
  const runs: Run[] = [];
  const AI = {
    async run(model: string, inputs: Run['inputs'], options?: { signal?: AbortSignal }) {
      const run = { model, inputs, signal: options?.signal };
      runs.push(run);
      return give(run);
    },
  };
  const port = modelPort(defaultModel, { AI });
  return { port, runs };
}

function bytes(
  frames: readonly string[],
  rest: { open?: boolean; left?: () => void } = {},
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      for (const text of frames) controller.enqueue(new TextEncoder().encode(text));
      if (!rest.open) controller.close();
    },
    cancel: () => rest.left?.(),
  });
}

describe('over the Workers AI binding', () => {
  it('[M4][M9][M10][M28] streams text and thinking of the current models, and is the default with a binding', async () => {
    const { port, runs } = binding(() => bytes(chatFrames({ thinking: ['Hm.'], text: ['So ', 'be it.'] })));
    const { deltas, reply } = await ask(port);
    expect(deltas).toEqual([
      { type: 'thinking', part: 0, delta: 'Hm.' },
      { type: 'text', part: 1, delta: 'So ' },
      { type: 'text', part: 1, delta: 'be it.' },
    ]);
    expect(reply).toMatchObject({
      finishReason: 'stop',
      model: `workersai/${DEFAULT_WORKERS_AI_MODEL}`,
      usage: { inputTokens: 120, outputTokens: 30, cachedTokens: 100 },
    });
    expect(runs).toMatchObject([{ model: DEFAULT_WORKERS_AI_MODEL, inputs: { stream: true } }]);
  });

  it("[M4] streams the binding's own older format", async () => {
    const usage = { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 };
    const frames = [
      frame({ response: 'So ' }),
      frame({ response: 'be it.' }),
      frame({ response: '', usage }),
      frame('[DONE]'),
    ];
    const { reply } = await ask(binding(() => bytes(frames)).port);
    expect(reply).toMatchObject({ content: [{ text: 'So be it.' }], usage: { inputTokens: 7, outputTokens: 2 } });
  });

  it('[M5] puts parallel calls together from fragments', async () => {
    const calls = [
      { id: 'call_a', name: 'search', args: ['{"q"', ':"one"}'] },
      { id: 'call_b', name: 'search', args: ['{"q":', '"two"}'] },
    ];
    const { reply } = await ask(binding(() => bytes(chatFrames({ calls }))).port, { tools: [SEARCH] });
    expect(reply).toMatchObject({
      finishReason: 'tool-calls',
      content: [
        { toolName: 'search', input: { q: 'one' } },
        { toolName: 'search', input: { q: 'two' } },
      ],
    });
  });

  it('[M4] takes an answer in one piece, which some models give', async () => {
    const message = { content: 'So be it.', tool_calls: [] };
    const whole = { choices: [{ message, finish_reason: 'stop' }], usage: { prompt_tokens: 7, completion_tokens: 2 } };
    const { deltas, reply } = await ask(binding(() => whole).port);
    expect(deltas).toEqual([{ type: 'text', part: 0, delta: 'So be it.' }]);
    expect(reply).toMatchObject({ finishReason: 'stop', usage: { inputTokens: 7, outputTokens: 2 } });
  });

  it('[M11][M14] sends the transcript and the tools, and not who asks', async () => {
    const { port, runs } = binding(() => bytes(chatFrames({ text: ['So.'] })));
    await ask(port, { messages: TRANSCRIPT, tools: [SEARCH] });
    const inputs = runs[0]?.inputs;
    expect(inputs?.messages).toMatchObject([
      { role: 'system', content: 'You answer.' },
      { role: 'user', content: 'Find both.' },
      { role: 'assistant', content: 'Looking.', tool_calls: [{ id: 'call_a' }, { id: 'call_b' }] },
      { role: 'tool', tool_call_id: 'call_a', content: '{"hits":["first"]}' },
      { role: 'tool', tool_call_id: 'call_b', content: '{"success":false,"error":"No index.","code":"tool_failed"}' },
      { role: 'assistant', tool_calls: [{ id: 'call_a_2' }] },
      { role: 'tool', tool_call_id: 'call_a_2', content: 'plain text' },
      { role: 'assistant', content: '[Noted.]' },
      { role: 'user', content: 'And now?' },
    ]);
    expect(inputs?.tools).toMatchObject([{ type: 'function', function: { name: 'search' } }]);
    expect(JSON.stringify(inputs)).not.toMatch(/offshoot|researcher|s_1|r_1/);
  });

  it.each([
    ['3040: Capacity temporarily exceeded, please try again.', 'model_rate_limited', true],
    ['Network connection lost.', 'model_unavailable', true],
    ['5007: No such model @cf/none or task', 'model_error', false],
  ])('[M17] sorts "%s"', async (message, code, retryable) => {
    const { port } = binding(() => Promise.reject(new Error(message)));
    const outcome = await ask(port);
    expect(sorted(outcome)).toEqual([code, retryable]);
    expect(outcome.failure?.message).toContain(message);
  });

  it('[M20] fails with model_bad_reply where the stream breaks off or holds nothing', async () => {
    const broken = chatFrames({ text: ['Once', ' upon'] }).slice(0, -3);
    expect(sorted(await ask(binding(() => bytes(broken)).port))).toEqual(['model_bad_reply', true]);
    expect(sorted(await ask(binding(() => bytes([])).port))).toEqual(['model_bad_reply', true]);
  });

  it('[M32] tells the binding of an abort, and lets go of its stream', async () => {
    const abort = new AbortController();
    const left = Promise.withResolvers<void>();
    const frames = chatFrames({ text: ['Once'] }).slice(0, 2);
    const { port, runs } = binding(() => bytes(frames, { open: true, left: left.resolve }));
    const call = port.call(request(), { signal: abort.signal, onDelta: () => abort.abort() });
    await expect(call).rejects.toMatchObject({ failure: { code: 'aborted' } });
    expect(runs[0]?.signal?.aborted).toBe(true);
    await left.promise;
  });

  it('[M34] says what a binding spent that works on after an abort', async () => {
    const abort = new AbortController();
    const frames = chatFrames({ text: ['Once', ' upon'], usage: { input: 7, cached: 0, output: 4, reasoning: 0 } });
    const late = Promise.withResolvers<Usage>();
    const call = binding(() => bytes(frames)).port.call(request(), {
      signal: abort.signal,
      onDelta: () => abort.abort(),
      onLateUsage: late.resolve,
    });
    await expect(call).rejects.toMatchObject({ failure: { code: 'aborted' } });
    expect(await late.promise).toMatchObject({ inputTokens: 7, outputTokens: 4, modelCalls: 1 });
  });
});
