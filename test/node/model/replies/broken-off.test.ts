/** Replies that break off, say nothing or count nothing, as public reports of other systems have them. */

import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { describe, expect, it } from 'vitest';
import { modelError } from '../../../../src/model/model-error';
import { call, type Reply, say } from '../../../providers/replies';
import { compatible, done, type Fetch, openai, ran } from './ran';

const claude = (fetch: Fetch) => createAnthropic({ apiKey: 'k', fetch })('claude-sonnet-4-5');

describe('an error within a stream that began well', () => {
  const sorted = (thrown: unknown) => {
    const { code, retryable } = modelError(thrown, { model: 'm', secrets: [], now: 0 }).failure;
    return [code, retryable];
  };

  // https://github.com/tontinton/maki/pull/980 (OpenRouter), https://github.com/xberg-io/liter-llm/pull/189 (Groq)
  it.each<[string, object, string, boolean]>([
    ['a rate limit', { code: 429, message: 'Provider returned error' }, 'model_rate_limited', true],
    ['a lost provider', { code: 502, message: 'Provider disconnected' }, 'model_unavailable', true],
    ['an overload', { code: 503, message: 'No provider is free' }, 'model_overloaded', true],
    ['a status in digits', { code: '429', message: 'Slow down', type: 'None' }, 'model_rate_limited', true],
    ['a status of its own', { status_code: 500, message: 'It broke' }, 'model_unavailable', true],
    ['an account without credit', { code: 402, message: 'Insufficient credits' }, 'model_rate_limited', false],
    ['a key', { code: 401, message: 'No auth' }, 'model_unauthorized', false],
    ['a request that is wrong', { code: 400, message: 'Invalid' }, 'model_error', false],
    [
      'a word in its metadata',
      { message: 'Provider returned error', metadata: { error_type: 'rate_limit_exceeded' } },
      'model_rate_limited',
      true,
    ],
    [
      'a call that could not be read',
      { code: 'tool_use_failed', status_code: 400, type: 'invalid_request_error', message: 'Failed' },
      'model_bad_reply',
      true,
    ],
    ['a code of another kind', { code: 3040, message: 'Capacity' }, 'model_error', false],
  ])('[M17, M110] is sorted by the status that it has as a code: %s', (_name, error, code, retryable) => {
    expect(sorted(error)).toEqual([code, retryable]);
    expect(sorted({ error })).toEqual([code, retryable]);
  });

  it('[M17, M110] is asked again, and what streamed before it is discarded', async () => {
    const broken: Reply = {
      parts: [{ type: 'text', text: 'Half' }],
      failure: { message: 'Gone', type: 'None', code: 502 },
    };
    const { result, requests, usage } = await ran('chat', [broken, done], compatible('openrouter', 'some-model'));
    expect(result).toEqual({ status: 'completed', output: 'Done.' });
    expect(requests).toHaveLength(2);
    expect(usage.modelCalls).toBe(1);
  });

  it('[M110] has its own words in the failure, with the status', async () => {
    const broken: Reply = { parts: [], failure: { message: 'prompt has a mistake', type: 'None', code: 400 } };
    const { result } = await ran('chat', () => broken, openai);
    expect(result.error).toMatchObject({
      code: 'model_error',
      message: expect.stringContaining('a mistake (HTTP 400)'),
    });
  });
});

describe('a reply whose end has a word of its own', () => {
  const half = (rawFinish: string): Reply => say('The first half of', { rawFinish });

  // https://github.com/vllm-project/vllm/issues/57082; https://api-docs.deepseek.com/api/create-chat-completion;
  // https://openrouter.ai/docs/api_reference/errors-and-debugging
  it.each(['abort', 'error', 'insufficient_system_resource', 'network_error'])(
    '[M107] that it broke off is asked for again, and was paid for: %s',
    async (word) => {
      const { result, requests, usage } = await ran('chat', [half(word), done], compatible('vllm', 'some-model'));
      expect(result).toEqual({ status: 'completed', output: 'Done.' });
      expect(requests).toHaveLength(2);
      expect(usage.modelCalls).toBe(2);
    },
  );

  it('[M107] that it broke off carries out no call', async () => {
    const cut = call('call_1', 'work', { n: 1 }, { rawFinish: 'abort' });
    const { result, results } = await ran('chat', [cut, done], compatible('vllm', 'some-model'));
    expect(result.status).toBe('completed');
    expect(results).toEqual([]);
  });

  it.each([
    ['sensitive', 'model_refused'],
    ['guardrail_intervened', 'model_refused'],
    ['model_context_window_exceeded', 'output_limit'],
    ['MAX_TOKENS', 'output_limit'],
  ])('[M107] fails the run at once where a filter or a limit ended it: %s', async (word, code) => {
    const { result, requests } = await ran('chat', () => half(word), compatible('glm', 'glm-5'));
    expect(result).toMatchObject({ status: 'failed', error: { code } });
    expect(requests).toHaveLength(1);
  });

  it('[M107] is whole where nobody knows the word', async () => {
    const { result } = await ran('chat', [say('All of it.', { rawFinish: 'eos' })], compatible('vllm', 'some-model'));
    expect(result).toEqual({ status: 'completed', output: 'All of it.' });
  });
});

describe('a reply that says nothing', () => {
  // https://github.com/router-for-me/CLIProxyAPI/issues/4886; "Empty responses with end_turn" of Anthropic
  const nothing: Reply = { parts: [], tokens: { output: 2 } };

  it('[ST24] behind results is asked for again with a word to continue, which is not kept', async () => {
    const replies = [call('toolu_1', 'work', { n: 1 }), nothing, done, say('And so on.')];
    const { result, requests, messages, run } = await ran('anthropic', replies, claude);
    expect(result).toEqual({ status: 'completed', output: 'Done.' });
    const continued = requests.map(({ text }) => text.includes('The last reply was empty. Continue.'));
    expect(continued).toEqual([false, false, true]);
    expect(requests.map(({ problem }) => problem)).toEqual([undefined, undefined, undefined]);
    expect(JSON.stringify(messages)).not.toContain('Continue.');
    await run.send('More.');
    expect(await run.result()).toMatchObject({ output: 'And so on.' });
    expect(requests.at(-1)?.text).not.toContain('Continue.');
  });

  it('[ST24] gets no such word after a failure of another kind', async () => {
    const failed: Reply = { status: 529, message: 'Overloaded' };
    const { requests } = await ran('anthropic', [nothing, failed, done], claude);
    expect(requests.map(({ text }) => text.includes('Continue.'))).toEqual([false, true, false]);
  });

  it('[ST8] for its thoughts used up the output is no empty one: the limit is named, and it is not asked again', async () => {
    // https://github.com/HKUDS/DeepTutor/pull/1331
    const thought: Reply = { parts: [{ type: 'reasoning', text: 'Hm. And so on' }], finish: 'length' };
    const { result, requests } = await ran('deepseek', () => thought, compatible('deepseek', 'deepseek-v4-flash'));
    expect(result).toMatchObject({ status: 'failed', error: { code: 'output_limit' } });
    expect(requests).toHaveLength(1);
  });
});

describe('a reply without a count of its tokens', () => {
  // https://github.com/anomalyco/opencode/issues/47716
  const uncounted = (fetch: Fetch) =>
    createOpenAICompatible({ name: 'together', baseURL: 'http://there/v1', fetch: without(fetch) })('some-model');

  /** A server that counts only where it is asked to. */
  const without =
    (fetch: Fetch): Fetch =>
    async (input, init) => {
      const response = await fetch(input, init);
      const text = await response.text();
      return new Response(text.replaceAll(/,"usage":\{.*?\}\}/g, ''), response);
    };

  it('[US14] has an unknown cost, and what to mend is reported once', async () => {
    const price = { input: 1, output: 1 };
    const { usage, reports, result } = await ran('chat', [call('call_1', 'work'), done], uncounted, { price });
    expect(result.status).toBe('completed');
    expect(usage).toMatchObject({ modelCalls: 2, inputTokens: 0, outputTokens: 0, unpricedCalls: 2 });
    expect(usage).not.toHaveProperty('costUsd');
    expect(reports).toEqual([expect.stringContaining('`includeUsage: true`')]);
  });

  it('[US14] costs nothing where the prices are all 0, and nothing is reported', async () => {
    const price = { input: 0, output: 0 };
    const { usage, reports } = await ran('chat', [done], uncounted, { price });
    expect(usage).toMatchObject({ modelCalls: 1, inputTokens: 0, costUsd: 0 });
    expect(usage).not.toHaveProperty('unpricedCalls');
    expect(reports).toEqual([]);
  });

  it('[US14] is no such reply where its tokens are counted', async () => {
    const { usage, reports } = await ran('chat', [done], openai, { price: { input: 1, output: 1 } });
    expect(usage.costUsd).toBeGreaterThan(0);
    expect(reports).toEqual([]);
  });
});

describe('calls at once that a server numbers alike', () => {
  it('[M5] stay apart, each with its arguments', async () => {
    // https://github.com/NousResearch/hermes-agent/issues/62940 (Gemini by OpenAI's protocol)
    const alike =
      (fetch: Fetch): Fetch =>
      async (input, init) => {
        const response = await fetch(input, init);
        return new Response((await response.text()).replaceAll('"index":1', '"index":0'), response);
      };
    const both: Reply = {
      parts: [1, 2].map((n) => ({ type: 'call', id: `call_${n}`, name: 'work', pieces: [`{"n":${n}}`] })),
    };
    const model = (fetch: Fetch) => compatible('gemini', 'gemini-2.5-flash')(alike(fetch));
    const { results, requests } = await ran('chat', [both, done], model);
    expect(results.map((result) => result.success && result.value)).toEqual(['worked 1', 'worked 2']);
    expect(requests[1]?.text).toContain('worked 2');
  });
});
