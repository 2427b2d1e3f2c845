/** Replies and errors of models as public reports of other systems have them; each case names its report. */

import { createAnthropic } from '@ai-sdk/anthropic';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { modelPort } from '../../../../src/model/adapter';
import type { JsonObject } from '../../../../src/protocol/json';
import type { Message } from '../../../../src/protocol/messages';
import { call, type Reply, say } from '../../../providers/replies';
import { SAMPLES } from '../../../providers/rules/pictures';
import { type ProviderKind, provider } from '../../../providers/server';
import { ask, SEARCH } from '../ask';
import { FINISH, fakeModel, textParts } from '../fake-model';
import { compatible, done, type Fetch, openai, ran } from './ran';

describe('a call as its model writes it', () => {
  it.each([
    // https://github.com/ollama/ollama/issues/12132
    'work<|channel|>analysis',
    // https://github.com/tontinton/maki/pull/518
    'functions.work',
    ' work\n',
  ])('[M95] names its tool with the markup of the model around it: %j', async (name) => {
    const { result, results, requests } = await ran('chat', [call('call_1', name, { n: 1 }), done], openai);
    expect(results).toEqual([{ success: true, value: 'worked 1' }]);
    expect(result.status).toBe('completed');
    expect(requests[1]?.text).toContain('"name":"work"');
  });

  it('[M95] keeps a name that is no tool either way', async () => {
    const { results } = await ran('chat', [call('call_1', 'functions.play', {}), done], openai);
    expect(results).toMatchObject([
      { success: false, error: { message: expect.stringContaining('"functions.play"') } },
    ]);
  });

  it.each<[string, string, object]>([
    // https://github.com/1jehuang/jcode/issues/225
    ['null', 'null', {}],
    // https://github.com/ollama/ollama/pull/12413
    ['an object in a text', '"{\\"n\\":1}"', { n: 1 }],
    ['an empty text', '""', {}],
  ])('[M96] has the arguments that were meant: %s', async (_name, text, input) => {
    const reply: Reply = { parts: [{ type: 'call', id: 'call_1', name: 'work', pieces: [text] }] };
    const { results, messages } = await ran('chat', [reply, done], openai);
    expect(results).toMatchObject([{ success: true }]);
    expect(messages[1]).toMatchObject({ content: [{ type: 'tool-call', input }] });
  });

  it('[M96] keeps a text that is no object', async () => {
    const reply: Reply = { parts: [{ type: 'call', id: 'call_1', name: 'work', pieces: ['"[1]"'] }] };
    const { messages } = await ran('chat', [reply, done], openai);
    expect(messages[1]).toMatchObject({ content: [{ type: 'tool-call', input: '[1]' }] });
  });

  it('[M97] is asked for again where its provider could not read it', async () => {
    // https://github.com/pydantic/pydantic-ai/issues/4350 (Groq)
    const failed: Reply = { status: 400, message: 'Failed to call a function.', code: 'tool_use_failed' };
    const { result, requests } = await ran('deepseek', [failed, done], compatible('groq', 'llama-3.3-70b'));
    expect(result).toMatchObject({ status: 'completed', output: 'Done.' });
    expect(requests).toHaveLength(2);
  });
});

describe('an empty account', () => {
  it.each<[string, ProviderKind, (fetch: Fetch) => LanguageModelV4, Reply]>([
    [
      'with the status of a wrong request',
      'anthropic',
      (fetch) => createAnthropic({ apiKey: 'k', fetch })('claude-sonnet-4-5'),
      // https://github.com/anthropics/claude-code/issues/66314
      { status: 400, message: 'Your credit balance is too low to access the Anthropic API.' },
    ],
    [
      // https://api-docs.deepseek.com/quick_start/error_codes
      'with a status of its own',
      'deepseek',
      compatible('deepseek', 'deepseek-chat'),
      { status: 402, message: 'Insufficient Balance' },
    ],
  ])('[M97] is recognized at any status: %s', async (_name, kind, model, reply) => {
    const { result, requests } = await ran(kind, () => reply, model);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'model_rate_limited', retryable: false } });
    expect(requests).toHaveLength(1);
  });
});

describe('a typed output', () => {
  const outputSchema = z.object({ answer: z.string() });
  const words = say('```json\n{"answer":"a"}\n```');

  it('[ST22] that comes as text fails the run after three replies', async () => {
    // https://github.com/pydantic/pydantic-ai/issues/4891, https://github.com/jikig-ai/soleur/pull/5162: 50 were paid here.
    const { result, requests } = await ran('chat', () => words, openai, { outputSchema });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'repeated_failure' } });
    expect(result.error?.message).toBe(
      'The model replied with text 3 times in a row, but the output needs a call of __finish__.',
    );
    expect(requests).toHaveLength(3);
  });

  it('[ST22] may follow texts that are not in a row, or as many as the limit says', async () => {
    const finish = call('call_9', '__finish__', { answer: 'a' });
    const between = [words, words, call('call_1', 'work', {}), words, words, finish];
    expect(await ran('chat', between, openai, { outputSchema })).toMatchObject({ result: { output: { answer: 'a' } } });
    const more = await ran('chat', [words, words, words, finish], openai, {
      outputSchema,
      limits: { maxSameFailures: 4 },
    });
    expect(more.result).toMatchObject({ output: { answer: 'a' } });
  });
});

describe('a server that speaks the protocol of OpenAI, with a name of its own', () => {
  it('[M98] gets no thinking where its model takes none', async () => {
    // https://github.com/charmbracelet/crush/issues/1590 (Mistral)
    const thinking: Reply = {
      parts: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'call', id: 'aB3xK9mP2', name: 'work', input: {} },
      ],
    };
    const { result, requests } = await ran(
      'mistral',
      [thinking, done],
      compatible('my-mistral', 'mistral-large-latest'),
    );
    expect(requests.map(({ problem }) => problem)).toEqual([undefined, undefined]);
    expect(result).toMatchObject({ status: 'completed', output: 'Done.' });
  });

  it('[M98] gets no picture where its model takes none', async () => {
    // https://github.com/1jehuang/jcode/issues/310 (DeepSeek)
    const api = provider('deepseek', { replies: [done] });
    const port = modelPort(compatible('deepseek', 'deepseek-chat')(api.fetch));
    const picture = { type: 'file', mediaType: 'image/png', filename: 'a.png', data: SAMPLES['image/png'] } as const;
    const { reply } = await ask(port, { messages: [{ role: 'user', content: [picture] }] });
    expect(reply?.content).toMatchObject([{ text: 'Done.' }]);
    expect(api.requests[0]?.text).toContain('The file a.png (image/png) was left out');
  });
});

describe('a model behind the gateway of Vercel', () => {
  const thought = (seal: JsonObject): Message[] => [
    { role: 'user', content: 'Go.' },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm.', providerMetadata: seal },
        { type: 'tool-call', toolCallId: 'c_1', providerId: 'toolu_1', toolName: 'work', input: {} },
      ],
    },
    { role: 'tool', toolCallId: 'c_1', toolName: 'work', result: { success: true, value: 'ok' } },
  ];

  it.each<[string, JsonObject]>([
    ['anthropic/claude-sonnet-4.5', { anthropic: { signature: 'sealed' } }],
    ['anthropic/claude-sonnet-4.5', { bedrock: { signature: 'sealed' } }],
    ['openai/gpt-5', { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'sealed' } }],
    ['google/gemini-3-pro', { google: { thoughtSignature: 'sealed' } }],
  ])('[M99] gets its thinking back: %s, %j', async (modelId, seal) => {
    // https://github.com/anthropics/anthropic-sdk-python/issues/1598: without it a request that thinks is refused.
    const { model, asked } = fakeModel([...textParts('Done.'), FINISH], { provider: 'gateway', modelId });
    await ask(modelPort(model), { messages: thought(seal), tools: [SEARCH] });
    const reply = asked[0]?.prompt.find(({ role }) => role === 'assistant');
    expect(reply?.content).toMatchObject([
      { type: 'reasoning', text: 'Hm.', providerOptions: seal },
      { type: 'tool-call' },
    ]);
  });

  it('[M99] gets none that another company sealed', async () => {
    const given = { provider: 'gateway', modelId: 'openai/gpt-5' };
    const { model, asked } = fakeModel([...textParts('Done.'), FINISH], given);
    await ask(modelPort(model), { messages: thought({ anthropic: { signature: 'sealed' } }) });
    expect(asked[0]?.prompt.find(({ role }) => role === 'assistant')?.content).toMatchObject([{ type: 'tool-call' }]);
  });
});
