import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { call, type Part, type Reply, type Said, say, type Tokens } from './replies';
import { ask, gist, LOOK, type Mode, replied, results, says } from './sdk';
import { KINDS, type ProviderKind, provider } from './server';
import { workersAiBinding, workersAiModel } from './workers-ai';

type Fetch = typeof globalThis.fetch;

const BASE = { baseURL: 'http://provider.test/v1', apiKey: 'k' };

/** A model of each provider by its package, over a `fetch`. */
const MODELS: Readonly<Record<ProviderKind, (fetch: Fetch) => LanguageModelV4>> = {
  anthropic: (fetch) => createAnthropic({ ...BASE, fetch })('claude-sonnet-4-5'),
  chat: (fetch) => createOpenAI({ ...BASE, fetch }).chat('gpt-4o'),
  responses: (fetch) => createOpenAI({ ...BASE, fetch })('gpt-5.1'),
  mistral: (fetch) => createOpenAICompatible({ ...BASE, name: 'mistral', fetch })('mistral-large-latest'),
  deepseek: (fetch) =>
    createOpenAICompatible({ ...BASE, name: 'deepseek', includeUsage: true, fetch })('deepseek-reasoner'),
};

/** Options of each conversation beside its messages. */
const OPTIONS: Readonly<Partial<Record<ProviderKind, Partial<LanguageModelV4CallOptions>>>> = {
  anthropic: { providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1_024 } } } },
  responses: { providerOptions: { openai: { store: false, reasoningSummary: 'auto' } } },
};

const MODES: readonly Mode[] = ['streamed', 'whole'];
const CASES = KINDS.flatMap((kind) => MODES.map((mode) => ({ kind, mode })));

/** The parts before a call: thoughts where the API shows them, and text where it takes text beside calls. */
function opening(kind: ProviderKind): readonly Part[] {
  const reasoning: Part = { type: 'reasoning', text: ['Where? ', 'There.'] };
  const text: Part = { type: 'text', text: ['I ', 'look.'] };
  if (kind === 'mistral') return [];
  return kind === 'chat' ? [text] : [reasoning, text];
}

const TOKENS: Tokens = { input: 120, output: 30, cached: 100, reasoning: 10 };

describe('conversations through the packages of the AI SDK', () => {
  it.each(CASES)(
    '[PV3] $kind, $mode: text, a call, its result and a second turn are taken and read back',
    async ({ kind, mode }) => {
      const before = opening(kind);
      const first: Said = {
        parts: [
          ...before,
          { type: 'call', id: 'aB3xK9mP2', name: 'look', input: { at: 'it' }, pieces: ['{"at"', ':"it"}'] },
        ],
      };
      const stub = provider(kind, { replies: [first, say(['Se', 'en.'], { tokens: TOKENS }), say('Bye.')] });
      const model = MODELS[kind](stub.fetch);
      const prompt = [{ role: 'system' as const, content: 'Help.' }, says('Look.')];
      const asked = (more: Partial<LanguageModelV4CallOptions> = {}) => ({
        prompt,
        tools: [LOOK],
        ...OPTIONS[kind],
        ...more,
      });

      const one = await ask(model, asked(), mode);
      const thoughts = before.some(({ type }) => type === 'reasoning') ? [{ reasoning: 'Where? There.' }] : [];
      const texts = before.some(({ type }) => type === 'text') ? [{ text: 'I look.' }] : [];
      const calls = [{ call: 'look', id: 'aB3xK9mP2', input: { at: 'it' } }];
      expect(gist(one.content)).toEqual(expect.arrayContaining([...thoughts, ...texts, ...calls]));
      expect(gist(one.content)).toHaveLength(thoughts.length + texts.length + 1);
      expect(one.finish).toBe('tool-calls');

      const two = await ask(model, asked({ prompt: [...prompt, replied(one.content), ...results(one.content)] }), mode);
      expect(gist(two.content)).toEqual([{ text: 'Seen.' }]);
      expect(two.finish).toBe('stop');
      expect(two.usage).toMatchObject({ input: 120, output: 30, cached: 100 });

      const talk = [...prompt, replied(one.content), ...results(one.content), replied(two.content), says('Thanks.')];
      const three = await ask(model, asked({ prompt: talk }), mode);
      expect(gist(three.content)).toEqual([{ text: 'Bye.' }]);
      expect(stub.requests.map(({ status, problem }) => ({ status, problem }))).toEqual(
        [1, 2, 3].map(() => ({ status: 200 })),
      );
    },
  );

  it.each(MODES)(
    '[PV3] workers-ai, %s: text, a call, its result and a second turn are taken and read back',
    async (mode) => {
      const first: Said = { parts: [...opening('deepseek'), ...call('call_1', 'look', { at: 'it' }).parts] };
      const { binding, runs } = workersAiBinding({ replies: [first, say('Seen.', { tokens: TOKENS }), say('Bye.')] });
      const model = await workersAiModel(binding);
      const prompt = [{ role: 'system' as const, content: 'Help.' }, says('Look.')];
      const one = await ask(model, { prompt, tools: [LOOK] }, mode);
      expect(gist(one.content)).toEqual([
        { reasoning: 'Where? There.' },
        { text: 'I look.' },
        { call: 'look', id: expect.stringContaining('call_1'), input: { at: 'it' } },
      ]);
      const after = [...prompt, replied(one.content), ...results(one.content)];
      const two = await ask(model, { prompt: after, tools: [LOOK] }, mode);
      expect(two).toMatchObject({ finish: 'stop', usage: { input: 120, output: 30, cached: 100 } });
      const three = await ask(model, { prompt: [...after, replied(two.content), says('Thanks.')] }, mode);
      expect(gist(three.content)).toEqual([{ text: 'Bye.' }]);
      expect(runs.map(({ problem }) => problem)).toEqual([undefined, undefined, undefined]);
    },
  );

  it.each(CASES)('[PV4] $kind, $mode: says why a reply ended', async ({ kind, mode }) => {
    const replies: Reply[] = [say('Half', { finish: 'length' }), say('', { finish: 'filter' })];
    const model = MODELS[kind](provider(kind, { replies }).fetch);
    const prompt = [says('Hello.')];
    expect((await ask(model, { prompt }, mode)).finish).toBe('length');
    expect((await ask(model, { prompt }, mode)).finish).toBe('content-filter');
  });

  it.each(MODES)('[PV4] anthropic, %s: a search that it ran and its sources are read back, and taken', async (mode) => {
    const pages = [{ url: 'https://a.test/', title: 'A' }];
    const parts: Part[] = [
      { type: 'search', id: 'srvtoolu_1', query: 'a', results: pages },
      { type: 'text', text: 'Found.', sources: pages },
    ];
    const stub = provider('anthropic', { replies: [{ parts }, say('Bye.')] });
    const model = MODELS.anthropic(stub.fetch);
    const tools = [
      { type: 'provider' as const, id: 'anthropic.web_search_20250305' as const, name: 'web_search', args: {} },
    ];
    const prompt = [says('Search.')];
    const one = await ask(model, { prompt, tools }, mode);
    expect(gist(one.content)).toEqual(
      expect.arrayContaining([
        { call: 'web_search', id: 'srvtoolu_1', input: { query: 'a' } },
        { result: 'web_search' },
        { source: 'https://a.test/' },
        { text: 'Found.' },
      ]),
    );
    await ask(model, { prompt: [...prompt, replied(one.content), says('Thanks.')], tools }, mode);
    expect(stub.requests.map(({ problem }) => problem)).toEqual([undefined, undefined]);
    expect(stub.requests[1]?.text).toContain('"server_tool_use"');
  });

  it.each(MODES)('[PV4] responses, %s: a search that it ran and its sources are read back, and taken', async (mode) => {
    const pages = [{ url: 'https://a.test/', title: 'A' }];
    const parts: Part[] = [
      { type: 'search', id: 'ws_1', query: 'a', results: pages },
      { type: 'text', text: 'Found.', sources: pages },
    ];
    const stub = provider('responses', { replies: [{ parts }, say('Bye.')] });
    const model = MODELS.responses(stub.fetch);
    const tools = [{ type: 'provider' as const, id: 'openai.web_search' as const, name: 'web_search', args: {} }];
    const asked = { prompt: [says('Search.')], tools, ...OPTIONS.responses };
    const one = await ask(model, asked, mode);
    expect(gist(one.content)).toEqual(
      expect.arrayContaining([{ result: 'web_search' }, { source: 'https://a.test/' }, { text: 'Found.' }]),
    );
    await ask(model, { ...asked, prompt: [...asked.prompt, replied(one.content), says('Thanks.')] }, mode);
    expect(stub.requests.map(({ problem }) => problem)).toEqual([undefined, undefined]);
  });

  it.each(MODES.flatMap((mode) => (['chat', 'responses'] as const).map((kind) => ({ kind, mode }))))(
    '[PV4] $kind, $mode: sources of a text are read back, once each',
    async ({ kind, mode }) => {
      const parts: Part[] = [{ type: 'text', text: 'Found.', sources: [{ url: 'https://a.test/', title: 'A' }] }];
      const came = await ask(
        MODELS[kind](provider(kind, { replies: [{ parts }] }).fetch),
        { prompt: [says('Search.')] },
        mode,
      );
      expect(gist(came.content)).toHaveLength(2);
      expect(gist(came.content)).toEqual(expect.arrayContaining([{ text: 'Found.' }, { source: 'https://a.test/' }]));
    },
  );

  it('[PV3] counts of a stream that are asked for are what Mistral refuses', async () => {
    const stub = provider('mistral', { replies: [say('Hello.')] });
    const compatible = createOpenAICompatible({ ...BASE, name: 'mistral', includeUsage: true, fetch: stub.fetch });
    const asking = ask(compatible('mistral-large-latest'), { prompt: [says('Hello.')] }, 'streamed');
    await expect(asking).rejects.toMatchObject({ statusCode: 422 });
    expect(stub.requests[0]?.problem?.rule).toBe('stream-options');
  });
});
