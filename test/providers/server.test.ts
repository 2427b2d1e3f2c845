import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, type LanguageModelV4 } from '@ai-sdk/provider';
import { afterEach, describe, expect, it } from 'vitest';
import { say } from './replies';
import { ask, gist, says } from './sdk';
import {
  type InProcess,
  KINDS,
  type ProviderKind,
  type ProviderOptions,
  provider,
  type Served,
  startProvider,
} from './server';
import { workersAiBinding, workersAiModel } from './workers-ai';

/** The packages' error for a connection that is lost within a reply. */
const LOST = { statusCode: 200, cause: { message: 'terminated' } };
const HELLO = { prompt: [says('Hello.')] };

function modelOf(
  kind: ProviderKind,
  stub: InProcess,
  baseURL = 'http://provider.test/v1',
  apiKey = 'k',
): LanguageModelV4 {
  const at = { baseURL, apiKey, fetch: stub.fetch };
  if (kind === 'anthropic') return createAnthropic(at)('claude-sonnet-4-5');
  if (kind === 'chat') return createOpenAI(at).chat('gpt-4o');
  if (kind === 'responses') return createOpenAI(at)('gpt-5.1');
  return createOpenAICompatible({ ...at, name: kind })(
    kind === 'mistral' ? 'mistral-large-latest' : 'deepseek-v4-flash',
  );
}

function asked(kind: ProviderKind, options: ProviderOptions) {
  const stub = provider(kind, options);
  return { stub, model: modelOf(kind, stub) };
}

const open: Served[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

async function served(kind: ProviderKind, options: ProviderOptions): Promise<Served> {
  const stub = await startProvider(kind, options);
  open.push(stub);
  return stub;
}

describe('stand-ins of providers', () => {
  it.each(KINDS)('[PV5] %s fails with the status, type and headers that are scripted', async (kind) => {
    const overloaded = kind === 'anthropic' ? 529 : 503;
    const replies = [
      { status: 429, message: 'Slow down.', retryAfter: 7 },
      { status: overloaded, message: 'Overloaded.' },
      { status: 500, body: '<html>', headers: { 'content-type': 'text/html' } },
    ];
    const { model } = asked(kind, { replies });
    await expect(ask(model, HELLO, 'streamed')).rejects.toMatchObject({
      statusCode: 429,
      responseBody: expect.stringContaining('Slow down.'),
      responseHeaders: { 'retry-after': '7' },
    });
    await expect(ask(model, HELLO, 'whole')).rejects.toMatchObject({
      statusCode: overloaded,
      responseBody: expect.stringContaining('Overloaded.'),
    });
    await expect(ask(model, HELLO, 'whole')).rejects.toMatchObject({ statusCode: 500, responseBody: '<html>' });
  });

  it('[PV5] anthropic names the type of an error by its status', async () => {
    const { model } = asked('anthropic', { replies: [{ status: 529 }, { status: 429 }] });
    await expect(ask(model, HELLO, 'whole')).rejects.toMatchObject({ data: { error: { type: 'overloaded_error' } } });
    await expect(ask(model, HELLO, 'whole')).rejects.toMatchObject({ data: { error: { type: 'rate_limit_error' } } });
  });

  it.each(KINDS)('[PV5] %s gives an error within a stream that began well', async (kind) => {
    const failure = { message: 'It broke.', type: 'overloaded_error', code: 'server_error' };
    const { model } = asked(kind, { replies: [say('Half', { failure })] });
    const came = await ask(model, HELLO, 'streamed');
    expect(came.finish).not.toBe('stop');
    expect(JSON.stringify(came.error) + String(came.error)).toContain('It broke.');
  });

  it.each(KINDS)('[PV5] %s loses a connection after so many events, or ends its stream there', async (kind) => {
    const after = kind === 'responses' ? 6 : 4;
    const cut = (how: 'lost' | 'ended') => say(['One. ', 'Two. ', 'Three. ', 'Four.'], { broken: { after, how } });
    const { model } = asked(kind, { replies: [cut('lost'), cut('ended')] });
    await expect(ask(model, HELLO, 'streamed')).rejects.toMatchObject(LOST);
    const ended = await ask(model, HELLO, 'streamed');
    expect(JSON.stringify(ended.content)).toContain('One.');
    expect(JSON.stringify(ended.content)).not.toContain('Four.');
  });

  it('[PV6] refuses what comes too fast by the clock that it is given, and says how long to wait', async () => {
    let now = 10_000;
    const replies = () => say('Yes.');
    const { model, stub } = asked('chat', { replies, rate: { requests: 2, windowMs: 60_000, now: () => now } });
    await ask(model, HELLO, 'whole');
    now += 20_500;
    await ask(model, HELLO, 'whole');
    const refused = { statusCode: 429, responseHeaders: { 'retry-after': '40' } };
    await expect(ask(model, HELLO, 'whole')).rejects.toMatchObject(refused);
    now += 39_499;
    await expect(ask(model, HELLO, 'whole')).rejects.toMatchObject({
      statusCode: 429,
      responseHeaders: { 'retry-after': '1' },
    });
    now += 1;
    expect((await ask(model, HELLO, 'whole')).finish).toBe('stop');
    expect(stub.requests.map(({ status }) => status)).toEqual([200, 200, 429, 429, 200]);
  });

  it.each([
    ['anthropic', { 'retry-after': '1' }, 'rate_limit_error'],
    ['chat', { 'retry-after': '1', 'retry-after-ms': '600' }, 'rate_limit_exceeded'],
    ['responses', { 'retry-after': '1', 'retry-after-ms': '600' }, 'rate_limit_exceeded'],
    ['mistral', {}, 'rate_limited'],
    ['deepseek', {}, 'rate_limit_exceeded'],
  ] as const)('[PV6] %s refuses with its own headers and words', async (kind, waits, said) => {
    let now = 10_000;
    const { model } = asked(kind, {
      replies: () => say('Yes.'),
      rate: { requests: 1, windowMs: 1_000, now: () => now },
    });
    await ask(model, HELLO, 'whole');
    now += 400;
    const thrown: unknown = await ask(model, HELLO, 'whole').catch((error: unknown) => error);
    expect(thrown).toMatchObject({ statusCode: 429, isRetryable: true, responseBody: expect.stringContaining(said) });
    const { responseHeaders = {} } = APICallError.isInstance(thrown) ? thrown : {};
    expect(Object.fromEntries(Object.entries(responseHeaders).filter(([name]) => name.startsWith('retry')))).toEqual(
      waits,
    );
  });

  it('[PV7] records why a request was refused, and keeps its reply for the next', async () => {
    const { model, stub } = asked('anthropic', { replies: [say('Yes.')] });
    await expect(ask(model, { prompt: [says('')] }, 'whole')).rejects.toMatchObject({
      statusCode: 400,
      message: 'messages: text content blocks must be non-empty',
    });
    expect(gist((await ask(model, HELLO, 'whole')).content)).toEqual([{ text: 'Yes.' }]);
    expect(stub.requests.map(({ status, problem }) => [status, problem?.rule])).toEqual([
      [400, 'text-empty'],
      [200, undefined],
    ]);
  });

  it('[PV7] judges by its limits, also without a request', async () => {
    const { stub } = asked('anthropic', { replies: [], limits: { window: 10, tokens: (text) => text.length } });
    const request = { model: 'claude-sonnet-4-5', max_tokens: 5, messages: [{ role: 'user', content: 'Hello.' }] };
    expect(stub.problem(request)?.rule).toBe('window');
    expect(stub.problem(request, { window: 1_000 })).toBeUndefined();
    expect(stub.requests).toEqual([]);
  });

  it.each(KINDS)('[PV9] %s takes its own key alone, at its own path alone', async (kind) => {
    const stub = provider(kind, { replies: () => say('Yes.'), key: 'k' });
    await expect(ask(modelOf(kind, stub, undefined, 'other'), HELLO, 'whole')).rejects.toMatchObject({
      statusCode: 401,
    });
    expect((await ask(modelOf(kind, stub), HELLO, 'whole')).finish).toBe('stop');
    expect(
      (await stub.fetch('http://provider.test/v1/models', { headers: { 'x-api-key': 'k', authorization: 'Bearer k' } }))
        .status,
    ).toBe(404);
  });

  it.each(KINDS)('[PV9] %s answers over a socket as it does within the process', async (kind) => {
    const replies = [
      say(['So ', 'be it.'], { tokens: { input: 50, output: 7 } }),
      say('Whole.'),
      { status: 429, retryAfter: 3 },
    ];
    const inside = asked(kind, { replies });
    const outside = await served(kind, { replies });
    const model = modelOf(kind, outside, outside.url);
    for (const mode of ['streamed', 'whole'] as const) {
      expect(await ask(model, HELLO, mode)).toEqual(await ask(inside.model, HELLO, mode));
    }
    await expect(ask(model, HELLO, 'whole')).rejects.toMatchObject({
      statusCode: 429,
      responseHeaders: { 'retry-after': '3' },
    });
    const bodies = ({ requests }: InProcess) => requests.map(({ body, path, status }) => ({ body, path, status }));
    expect(bodies(outside).slice(0, 2)).toEqual(bodies(inside.stub));
  });

  it('[PV9] over a socket, too, loses a connection and refuses by its rules', async () => {
    const stub = await served('anthropic', { replies: [say(['One.', 'Two.'], { broken: { after: 4, how: 'lost' } })] });
    const model = modelOf('anthropic', stub, stub.url);
    await expect(ask(model, { prompt: [says(' ')] }, 'streamed')).rejects.toMatchObject({ statusCode: 400 });
    await expect(ask(model, HELLO, 'streamed')).rejects.toMatchObject(LOST);
    expect(stub.requests.map(({ problem }) => problem?.rule)).toEqual(['text-blank', undefined]);
  });

  it('[PV11] sends nothing further while a reply waits, and no reply before it is made', async () => {
    const ready = Promise.withResolvers<void>();
    const made = Promise.withResolvers<void>();
    const stub = provider('anthropic', {
      replies: async () => {
        await made.promise;
        return {
          parts: [
            { type: 'text', text: 'One.' },
            { type: 'wait', until: ready.promise },
            { type: 'text', text: 'Two.' },
          ],
        };
      },
    });
    const asking = modelOf('anthropic', stub).doStream(HELLO);
    made.resolve();
    const reader = (await asking).stream.getReader();
    const texts: string[] = [];
    for (;;) {
      const { value } = await reader.read();
      if (value?.type === 'text-delta') texts.push(value.delta);
      if (value?.type === 'text-end') break;
    }
    let came = false;
    const next = reader.read().finally(() => {
      came = true;
    });
    for (let turns = 0; turns < 20; turns += 1) await new Promise((turn) => setImmediate(turn));
    expect({ came, texts }).toEqual({ came: false, texts: ['One.'] });
    ready.resolve();
    expect((await next).value).toMatchObject({ type: 'text-start' });
  });

  it('[PV9] answers a request that no reply is scripted for with an error that says so', async () => {
    const { model } = asked('responses', { replies: [] });
    await expect(ask(model, HELLO, 'whole')).rejects.toMatchObject({
      statusCode: 500,
      message: 'No reply is scripted for request 1.',
    });
  });
});

describe('the stand-in for the binding of Workers AI', () => {
  const ofBinding = async (options: Parameters<typeof workersAiBinding>[0]) => {
    const { binding, runs } = workersAiBinding(options);
    return { runs, model: await workersAiModel(binding) };
  };

  it('[PV5] throws what is scripted, with its code', async () => {
    const { model } = await ofBinding({
      replies: [{ status: 429, code: '3040', message: 'Capacity temporarily exceeded.' }],
    });
    await expect(ask(model, HELLO, 'whole')).rejects.toMatchObject({
      statusCode: 429,
      message: '3040: Capacity temporarily exceeded.',
    });
  });

  it('[PV7] throws what it refuses, and records the rule', async () => {
    const { model, runs } = await ofBinding({ replies: [say('Yes.')], limits: { window: 10 } });
    await expect(ask(model, HELLO, 'streamed')).rejects.toThrow(/^5021: AiError: The estimated number of input/);
    expect(runs.map(({ problem }) => problem?.rule)).toEqual(['window']);
  });
});
