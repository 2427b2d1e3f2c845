/** Histories that one model has made and another is asked with, as public reports of other systems have them. */

import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { modelPort } from '../../../../src/model/adapter';
import { profileOf } from '../../../../src/model/request/profiles';
import type { AssistantPart, Message } from '../../../../src/protocol/messages';
import { say } from '../../../providers/replies';
import { png, SAMPLES } from '../../../providers/rules/pictures';
import { provider } from '../../../providers/server';
import { present } from '../../../support/present';
import { ask, SEARCH } from '../ask';
import { call, file, type ModelName, promptOf, reply, result, taken, textsOf, user } from './asked';

/** A turn with a call, made by a model that did not think, or whose thoughts are sealed. */
const called = (...thoughts: readonly AssistantPart[]): Message[] => [
  user(),
  reply(...thoughts, call('c_1')),
  result('c_1'),
  reply('Seen.'),
  user('And now?'),
];

const repliesOf = (messages: readonly Message[], model: ModelName) =>
  promptOf(messages, model).flatMap((one) => (one.role === 'assistant' ? [one.content] : []));

describe('a reply with calls and no thought', () => {
  // https://github.com/openclaw/openclaw/issues/10085 (Kimi), https://github.com/earendil-works/pi/pull/3640 (DeepSeek)
  const sealed = {
    type: 'reasoning',
    text: 'Hm.',
    providerMetadata: { anthropic: { signature: 'sealed' } },
  } as const;

  it.each(['deepseek', 'kimi'] as const)('[M103] has a note in its place for %s', (model) => {
    for (const messages of [called(), called(sealed)]) {
      const [first, second] = repliesOf(messages, model);
      expect(first).toMatchObject([{ type: 'reasoning', text: '[No thought was kept.]' }, { type: 'tool-call' }]);
      expect(second).toEqual([{ type: 'text', text: 'Seen.' }]);
    }
  });

  it.each(['deepseek', 'kimi'] as const)('[M103] keeps its own thought for %s', (model) => {
    const [first] = repliesOf(called({ type: 'reasoning', text: 'Hm.' }), model);
    expect(first).toMatchObject([{ type: 'reasoning', text: 'Hm.' }, { type: 'tool-call' }]);
  });

  it.each(['compatible', 'mistral', 'anthropic', 'responses', 'workersAi', 'unknown', 'qwen'] as const)(
    '[M103] has none for %s',
    (model) => {
      const [first] = repliesOf(called(), model);
      expect(first?.some(({ type }) => type === 'reasoning')).toBe(false);
    },
  );

  it('[M103] is taken by DeepSeek while it thinks', async () => {
    const api = provider('deepseek', { replies: [say('Yes.')] });
    const model = createOpenAICompatible({ name: 'deepseek', baseURL: 'http://there/v1', fetch: api.fetch })(
      'deepseek-reasoner',
    );
    const messages = called(sealed).slice(0, 3);
    const { reply: answer } = await ask(modelPort(model as LanguageModelV4), { messages, tools: [SEARCH] });
    expect(api.requests.map(({ problem }) => problem)).toEqual([undefined]);
    expect(answer?.content).toMatchObject([{ text: 'Yes.' }]);
  });
});

describe('a server that refuses thoughts, whatever its models are', () => {
  it('[M109] gets none: Groq', () => {
    // https://github.com/janhq/jan/issues/8136
    const [first] = repliesOf(called({ type: 'reasoning', text: 'Hm.' }), 'groq');
    expect(first).toMatchObject([{ type: 'tool-call' }]);
    expect(first).toHaveLength(1);
  });
});

describe('a call that Google has not sealed', () => {
  const UNSEALED = { google: { thoughtSignature: 'skip_thought_signature_validator' } };

  it.each(['gemini', 'geminiCompatible'] as const)('[M104] has the word of Google for it: %s', (model) => {
    // https://github.com/pipecat-ai/pipecat/pull/5809; https://ai.google.dev/gemini-api/docs/thought-signatures
    const [first] = repliesOf([user(), reply('So.', call('c_1'), call('c_2')), result('c_1'), result('c_2')], model);
    expect(first).toMatchObject([
      { type: 'text', text: 'So.' },
      { type: 'tool-call', providerOptions: UNSEALED },
      { type: 'tool-call', providerOptions: UNSEALED },
    ]);
  });

  it('[M104] stays as it is beside one that is sealed', () => {
    const own = call('c_1', { providerMetadata: { google: { thoughtSignature: 'c2ln' } } });
    const [first] = repliesOf([user(), reply(own, call('c_2')), result('c_1'), result('c_2')], 'gemini');
    expect(first).toMatchObject([{ providerOptions: { google: { thoughtSignature: 'c2ln' } } }, { type: 'tool-call' }]);
    expect(first?.[1]).not.toHaveProperty('providerOptions');
  });

  const SEALED = { thoughtSignature: 'c2ln' };

  it.each(['google', 'vertex', 'mine'])('[M104] is no call with a seal under the name %s', async (name) => {
    const own = call('c_1', { providerMetadata: { [name]: SEALED } });
    const messages = [user(), reply(own, call('c_2')), result('c_1'), result('c_2')];
    for (const model of ['gemini', 'geminiCompatible'] as const)
      expect(repliesOf(messages, model)[0]?.[0], model).toMatchObject({ providerOptions: { google: SEALED } });
    const api = provider('chat', { replies: [say('Yes.')] });
    const made = createOpenAICompatible({ name: 'mine', baseURL: 'http://there/v1', fetch: api.fetch })('gemini-3-pro');
    await ask(modelPort(made as LanguageModelV4), { messages, tools: [SEARCH] });
    expect(api.requests[0]?.text).toContain('"thought_signature":"c2ln"');
    expect(api.requests[0]?.text).not.toContain('skip_thought_signature_validator');
  });

  it('[M104] is one also beside words with a seal', () => {
    const words = { type: 'text', text: 'So.', providerMetadata: { google: SEALED } } as const;
    const [first] = repliesOf([user(), reply(words, call('c_1')), result('c_1')], 'gemini');
    expect(first).toMatchObject([{ type: 'text' }, { type: 'tool-call', providerOptions: UNSEALED }]);
  });

  it('[M104] goes over the wire of OpenAI, too', async () => {
    const api = provider('chat', { replies: [say('Yes.')] });
    const model = createOpenAICompatible({ name: 'openai-compatible', baseURL: 'http://there/v1', fetch: api.fetch })(
      'gemini-3-flash',
    );
    await ask(modelPort(model as LanguageModelV4), { messages: called(), tools: [SEARCH] });
    expect(api.requests[0]?.text).toContain('"thought_signature":"skip_thought_signature_validator"');
  });

  it.each(['chat', 'unknown', 'compatible'] as const)('[M104] has no such word for another: %s', (model) => {
    expect(JSON.stringify(promptOf(called(), model))).not.toContain('thoughtSignature');
  });
});

describe('a provider with a package of its own', () => {
  it.each([
    ['openrouter', 'google/gemini-3-pro', 'gemini'],
    ['alibaba.chat', 'qwen3-max', 'qwen'],
    ['amazon-bedrock', 'qwen.qwen3-coder', 'qwen'],
    ['amazon-bedrock', 'mistral.mistral-large', 'mistral'],
  ])('[M98] gets all metadata back, and its own tools, by the rules of its model: %s of %s', (asked, modelId, name) => {
    const profile = profileOf(asked, modelId);
    expect(profile).toMatchObject({ name, metadata: 'any', runs: [asked.split('.')[0]] });
    expect(profileOf(asked, modelId)).toBe(profile);
  });
});

describe('a small picture', () => {
  it('[M108] is left out for Qwen, which refuses a side of up to ten pixels', () => {
    // https://github.com/QwenLM/qwen-code/issues/2505
    const picture = (width: number, height: number) => user([file('image/png', png(width, height), 'a.png')]);
    for (const [width, height] of [
      [10, 400],
      [400, 10],
      [1, 1],
    ] as const) {
      const { prompt, notes } = taken([picture(width, height)], 'qwen');
      expect(textsOf(prompt)).toEqual([
        '[The file a.png (image/png) was left out: one of its sides has fewer than 11 pixels.]',
      ]);
      expect(notes).toHaveLength(1);
    }
    expect(textsOf(promptOf([picture(11, 11)], 'qwen'))).toEqual([]);
    expect(textsOf(promptOf([user([file('image/png', SAMPLES['image/png'])])], 'compatible'))).toEqual([]);
  });
});

describe('a request without tools', () => {
  // https://github.com/aws-samples/bedrock-access-gateway/pull/239, https://github.com/strands-agents/harness-sdk/pull/1003
  const history: Message[] = [
    user(),
    reply('I look.', call('c_1', { input: { q: 'it' } })),
    result('c_1', { success: true, value: { hits: 2 } }),
    reply(call('c_2')),
    result('c_2', {
      success: false,
      error: { code: 'tool_failed', category: 'tool', retryable: false, message: 'No.' },
    }),
    user('And now?'),
  ];
  const typesOf = (messages: ReturnType<typeof promptOf>) =>
    messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content.map(({ type }) => type)));

  it.each(['compatible', 'unknown', 'mistral', 'deepseek', 'qwen'] as const)(
    '[M106] has the calls of its history in words: %s',
    (model) => {
      const prompt = promptOf(history, model, { tools: [] });
      expect(new Set(typesOf(prompt))).toEqual(new Set(['text']));
      const said = textsOf(prompt).join('\n');
      expect(said).toContain('[A call of search with {"q":"it"}]');
      expect(said).toContain('[The result of a call of search:]');
      expect(said).toContain('{"hits":2}');
      expect(said).toContain('"error":"No."');
    },
  );

  it.each(['anthropic', 'responses', 'chat', 'workersAi'] as const)('[M106] has them as calls for %s', (model) => {
    expect(typesOf(promptOf(history, model, { tools: [] }))).toContain('tool-call');
  });

  it('[M106] shows the pictures of their results', () => {
    const value = { type: 'content', value: [file('image/png', SAMPLES['image/png'], 'a.png')] };
    const shown = [user(), reply(call('c_1')), result('c_1', { success: true, value: value as never })];
    expect(typesOf(promptOf(shown, 'compatible', { tools: [] }))).toContain('file');
  });

  it('[M72, M106] begins with the bytes of the one before', () => {
    const shorter = JSON.stringify(promptOf(history.slice(0, 3), 'compatible', { tools: [] }).slice(0, 2));
    expect(JSON.stringify(promptOf(history, 'compatible', { tools: [] }).slice(0, 2))).toBe(shorter);
  });

  it('[M106] is taken as strictly as Mistral takes one', async () => {
    const api = provider('mistral', { replies: [say('Yes.')] });
    const model = createOpenAICompatible({ name: 'elsewhere', baseURL: 'http://there/v1', fetch: api.fetch })('m');
    await ask(modelPort(model as LanguageModelV4), { messages: history });
    expect(api.requests.map(({ problem }) => problem)).toEqual([undefined]);
  });
});

describe('what OpenAI would keep', () => {
  // https://github.com/runvendo/vendo/pull/1071, https://github.com/openai/openai-agents-python/issues/605
  const items: Message[] = [
    user(),
    reply(
      {
        type: 'reasoning',
        text: 'Hm.',
        providerMetadata: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'c2Vh' } },
      },
      { type: 'text', text: 'I look.', providerMetadata: { openai: { itemId: 'msg_1' } } },
      call('c_1', { providerMetadata: { openai: { itemId: 'fc_1' } } }),
    ),
    result('c_1'),
  ];
  const asked = async (settings: object = {}) => {
    const api = provider('responses', { replies: [say('Yes.')] });
    const port = modelPort(createOpenAI({ apiKey: 'k', fetch: api.fetch })('gpt-5'));
    await ask(port, { messages: items, tools: [SEARCH], settings });
    return present(api.requests[0]);
  };

  it('[M105] is not kept, and no request refers to it: what was said is in each', async () => {
    const { body, text, problem } = await asked();
    expect(problem).toBeUndefined();
    expect(body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
    expect(text).not.toContain('item_reference');
    expect(text).toContain('"encrypted_content":"c2Vh"');
    expect(text).toContain('I look.');
  });

  it('[M105] is kept where its author says so', async () => {
    const { body, text } = await asked({ providerOptions: { openai: { store: true } } });
    expect(body).toMatchObject({ store: true });
    expect(text).toContain('item_reference');
  });
});
