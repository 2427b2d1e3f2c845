/** Metadata of AI Gateway: who gets agent, root, run and step. */

import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createWorkersAI } from 'workers-ai-provider';
import { defineAgent } from '../../../../src/core/definition/define-agent';
import type { ModelSettings } from '../../../../src/core/definition/settings/settings';
import { anthropic } from '../../../../src/model/providers/anthropic';
import { createTestRuntime } from '../../../../src/testing';
import { say } from '../../../providers/replies';
import { type ProviderKind, provider } from '../../../providers/server';
import { workersAiBinding } from '../../../providers/workers-ai';
import { present } from '../../../support/present';

const GATEWAY = 'https://gateway.ai.cloudflare.com/v1/account/gate';
const HEADER = 'cf-aig-metadata';

const MODELS = {
  anthropic: (baseURL: string, fetch: typeof globalThis.fetch) =>
    createAnthropic({ apiKey: 'k', baseURL, fetch })('claude-sonnet-4-5'),
  responses: (baseURL: string, fetch: typeof globalThis.fetch) =>
    createOpenAI({ apiKey: 'k', baseURL, fetch })('gpt-5'),
  chat: (baseURL: string, fetch: typeof globalThis.fetch) =>
    createOpenAI({ apiKey: 'k', baseURL, fetch }).chat('gpt-4o'),
  deepseek: (baseURL: string, fetch: typeof globalThis.fetch) =>
    createOpenAICompatible({ name: 'openai-compatible', baseURL, fetch })('deepseek-v4-flash'),
} as const satisfies Partial<Record<ProviderKind, unknown>>;
type Kind = keyof typeof MODELS;
const KINDS = Object.keys(MODELS) as Kind[];

async function asked(model: LanguageModelV4 | LanguageModelV3, settings: ModelSettings = {}) {
  const agent = defineAgent({ name: 'plain', systemPrompt: 'Help.', model, settings });
  const warnings: string[] = [];
  const runtime = createTestRuntime({ agents: [agent], report: (problem) => warnings.push(problem) });
  onTestFinished(() => runtime.close());
  const run = await runtime.execute(agent, 'Go.');
  expect(await run.result()).toEqual({ status: 'completed', output: 'Yes.' });
  const metadata = { agent: 'plain', root: run.address, run: expect.stringMatching(/^r_/), step: 1 };
  return { metadata, warnings };
}

describe('metadata for AI Gateway', () => {
  it.each(KINDS)('[M86] go to a model whose address is one: %s', async (kind) => {
    const api = provider(kind, { replies: [say('Yes.')] });
    const { metadata } = await asked(MODELS[kind](GATEWAY, api.fetch));
    expect(JSON.parse(present(api.requests[0]?.headers[HEADER]))).toEqual(metadata);
  });

  it.each(KINDS)('[M87] go to no other, unless its agent asks for it: %s', async (kind) => {
    for (const address of ['https://api.example.com/v1', 'https://gateway.ai.cloudflare.com.example.com/v1']) {
      const api = provider(kind, { replies: [say('Yes.'), say('Yes.')] });
      await asked(MODELS[kind](address, api.fetch));
      const { metadata } = await asked(MODELS[kind](address, api.fetch), { gatewayMetadata: true });
      expect(api.requests[0]?.headers).not.toHaveProperty(HEADER);
      expect(JSON.stringify(api.requests[0])).not.toMatch(/plain|r_\w{8}/);
      expect(JSON.parse(present(api.requests[1]?.headers[HEADER]))).toEqual(metadata);
    }
  });

  it.each(KINDS)('[M87] are off by `gatewayMetadata: false`, and yield to a header of the author: %s', async (kind) => {
    const api = provider(kind, { replies: [say('Yes.'), say('Yes.')] });
    await asked(MODELS[kind](GATEWAY, api.fetch), { gatewayMetadata: false });
    await asked(MODELS[kind](GATEWAY, api.fetch), { headers: { 'CF-AIG-Metadata': '{"team":"a"}' } });
    expect(api.requests.map(({ headers }) => headers[HEADER])).toEqual([undefined, '{"team":"a"}']);
  });

  it('[M86] go to a model whose headers come later, also where they fail', async () => {
    // The runner fails for a rejection that nobody handles.
    const api = provider('chat', { replies: [say('Yes.')] });
    const model = MODELS.chat(GATEWAY, api.fetch) as unknown as { config: { headers: () => unknown } };
    const { headers } = model.config;
    let asks = 0;
    model.config.headers = () => (asks++ === 0 ? Promise.reject(new Error('No key.')) : headers());
    const { metadata } = await asked(model as unknown as LanguageModelV4);
    expect(JSON.parse(present(api.requests[0]?.headers[HEADER]))).toEqual(metadata);
  });

  it('[M86] go to a model that the environment chooses at a gateway', async () => {
    const served: { headers: Headers }[] = [];
    const env = { ANTHROPIC_API_KEY: 'k', OFFSHOOT_BASE_URL: GATEWAY };
    const model = await anthropic.choose(env, 'claude-sonnet-4-5', 'anthropic/claude-sonnet-4-5').load();
    const api = provider('anthropic', { replies: [say('Yes.')] });
    vi.stubGlobal('fetch', (input: string, init?: RequestInit) => {
      served.push(new Request(input, init));
      return api.fetch(input, init);
    });
    const { metadata } = await asked(model);
    expect(JSON.parse(present(served[0]?.headers.get(HEADER) ?? undefined))).toEqual(metadata);
  });

  it('[M86] go with the gateway of a Workers AI model, beside those of the author, five at most', async () => {
    const options: unknown[] = [];
    const { binding } = workersAiBinding({ replies: [say('Yes.'), say('Yes.'), say('Yes.')] });
    const seen = {
      run: (id: string, inputs: Record<string, unknown>, more: unknown) => {
        options.push(more);
        return binding.run(id, inputs);
      },
    };
    const workersAi = (gateway?: object) =>
      createWorkersAI({ binding: seen as never, ...(gateway ? { gateway: gateway as { id: string } } : {}) })(
        '@cf/moonshotai/kimi-k2.7-code' as never,
      );
    const { metadata } = await asked(workersAi({ id: 'gate', skipCache: true }));
    expect(options[0]).toMatchObject({ gateway: { id: 'gate', skipCache: true, metadata } });
    const author = { team: 'a', step: 'mine', more: 1 };
    await asked(workersAi({ id: 'gate', metadata: author }));
    const { metadata: both } = (options[1] as { gateway: { metadata: object } }).gateway;
    expect(both).toMatchObject(author);
    expect(Object.keys(both)).toHaveLength(5);
    const { warnings } = await asked(workersAi(), { gatewayMetadata: true });
    expect(options[2]).not.toHaveProperty('gateway.metadata');
    expect(warnings).toEqual([expect.stringContaining('`gatewayMetadata`')]);
  });

  it('[M86] go with the options of a model of `ai-gateway-provider`, which stay as they are', async () => {
    const api = provider('deepseek', { replies: [say('Yes.')] });
    const inner = MODELS.deepseek('https://api.example.com/v1', api.fetch);
    /** As the package has it: its options become headers of the request to the gateway. */
    class Gateway {
      readonly specificationVersion = 'v3';
      readonly models = [inner];
      readonly config = { accountId: 'a', gateway: 'gate', options: { cacheTtl: 5 } };
      readonly seen: unknown[];
      constructor(seen: unknown[]) {
        this.seen = seen;
      }
      get provider() {
        return inner.provider;
      }
      get modelId() {
        return inner.modelId;
      }
      get supportedUrls() {
        return {};
      }
      doStream(options: never) {
        this.seen.push(this.config.options);
        return inner.doStream(options);
      }
      doGenerate(options: never) {
        return inner.doGenerate(options);
      }
    }
    const seen: unknown[] = [];
    const model = new Gateway(seen);
    const { metadata } = await asked(model as unknown as LanguageModelV3);
    expect(seen).toEqual([{ cacheTtl: 5, metadata }]);
    expect(model.config.options).toEqual({ cacheTtl: 5 });
    expect(api.requests[0]?.headers).not.toHaveProperty(HEADER);
  });

  // https://developers.cloudflare.com/ai-gateway/observability/custom-metadata/: five entries, the first are saved; text,
  // numbers and booleans. https://github.com/cloudflare/cloudflare-docs/pull/31833: names that begin with `cf.` are removed.
  describe('of an author', () => {
    const kept = async (given: unknown, settings: ModelSettings = {}) => {
      const options: { gateway?: { metadata?: object } }[] = [];
      const { binding } = workersAiBinding({ replies: [say('Yes.')] });
      const run = (id: string, inputs: Record<string, unknown>, more: object) => {
        options.push(more);
        return binding.run(id, inputs);
      };
      const model = createWorkersAI({
        binding: { run } as never,
        gateway: { id: 'gate', metadata: given as never },
      })('@cf/moonshotai/kimi-k2.7-code' as never);
      const { metadata, warnings } = await asked(model, settings);
      return { metadata: present(options[0]?.gateway?.metadata), ours: metadata, warnings };
    };

    it.each<[string, object, readonly string[]]>([
      ['two beside ours', { team: 'a', tier: 1 }, ['team', 'tier', 'agent', 'root', 'run']],
      ['one by a name of ours', { agent: 'mine', a: 1, b: 2, c: 3, d: 4 }, ['agent', 'a', 'b', 'c', 'd']],
      ['numbers as names', { 7: 'x', team: 'a', b: 1, c: 2, d: 3 }, ['7', 'team', 'b', 'c', 'd']],
      [
        'a name that every object has',
        { constructor: 'x', ['__proto__']: 'y' },
        ['constructor', '__proto__', 'agent', 'root', 'run'],
      ],
      ['an odd name', { 'Käse 😀\n': 'x' }, ['Käse 😀\n', 'agent', 'root', 'run', 'step']],
    ])('[M101] come first, and ours take what room is left: %s', async (_name, given, names) => {
      const { metadata, ours, warnings } = await kept(given);
      expect(Object.keys(metadata)).toEqual(names);
      const rest = Object.entries(ours).filter(([name]) => names.includes(name) && !Object.hasOwn(given, name));
      expect(Object.entries(metadata)).toEqual([...Object.entries(given), ...rest]);
      expect(warnings).toEqual([]);
    });

    it.each<[string, object, object, string]>([
      ['an object', { team: { id: 1 }, tier: 1 }, { tier: 1 }, 'team'],
      ['a list', { team: ['a'] }, {}, 'team'],
      ['nothing', { team: null, tier: true }, { tier: true }, 'team'],
      ['no number', { team: Number.NaN, tier: Number.POSITIVE_INFINITY }, {}, 'team, tier'],
      ['a reserved name', { 'cf.user_id': 'x', 'CF.other': 'y' }, {}, 'cf.user_id, CF.other'],
      ['a sixth', { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 }, { a: 1, b: 2, c: 3, d: 4, e: 5 }, 'f'],
    ])(
      '[M102] are left out where a gateway does not keep them, with a warning: %s',
      async (_name, given, left, names) => {
        const { metadata, ours, warnings } = await kept(given);
        expect(metadata).toEqual(Object.fromEntries(Object.entries({ ...left, ...ours }).slice(0, 5)));
        expect(warnings).toEqual([expect.stringMatching(new RegExp(`\`gatewayMetadata\`.*left out: ${names}\\.$`))]);
      },
    );

    it.each(['text', 7, null, ['a']])('[M102] are none where they are no object: %j', async (given) => {
      const { metadata, ours } = await kept(given);
      expect(metadata).toEqual(ours);
    });

    it.each(KINDS)('[M101] in the headers of a model stay beside ours: %s', async (kind) => {
      const api = provider(kind, { replies: [say('Yes.'), say('Yes.'), say('Yes.')] });
      const model = (text: string) => ({
        ...{ apiKey: 'k', name: 'openai-compatible', baseURL: GATEWAY, fetch: api.fetch },
        headers: { 'CF-AIG-Metadata': text },
      });
      const made = (text: string): LanguageModelV4 => {
        const options = model(text);
        if (kind === 'anthropic') return createAnthropic(options)('claude-sonnet-4-5');
        if (kind === 'deepseek') return createOpenAICompatible(options)('deepseek-v4-flash');
        return kind === 'chat' ? createOpenAI(options).chat('gpt-4o') : createOpenAI(options)('gpt-5');
      };
      const { metadata } = await asked(made('{"team":"a","agent":"mine"}'));
      const { root, run, step } = metadata;
      const sent = () => JSON.parse(present(api.requests.at(-1)?.headers[HEADER]));
      expect(sent()).toEqual({ team: 'a', agent: 'mine', root, run, step });
      const { metadata: alone } = await asked(made('not json'));
      expect(sent()).toEqual(alone);
      await asked(made('{"team":"a"}'), { gatewayMetadata: false });
      expect(sent()).toEqual({ team: 'a' });
    });
  });

  it('[M86, M87, FM7] go to the model at a gateway alone, where one at another address takes over', async () => {
    const at = provider('anthropic', { replies: () => ({ status: 401, message: 'No.' }) });
    const other = provider('chat', { replies: [say('Yes.')] });
    const agent = defineAgent({
      name: 'plain',
      systemPrompt: 'Help.',
      models: [MODELS.anthropic(GATEWAY, at.fetch), MODELS.chat('https://api.example.com/v1', other.fetch)],
    });
    const runtime = createTestRuntime({ agents: [agent], report: () => undefined });
    onTestFinished(() => runtime.close());
    expect(await (await runtime.execute(agent, 'Go.')).result()).toMatchObject({ output: 'Yes.' });
    expect(at.requests[0]?.headers).toHaveProperty(HEADER);
    expect(other.requests[0]?.headers).not.toHaveProperty(HEADER);
  });

  it('[M86] are ASCII, as a header has to be', async () => {
    const api = provider('anthropic', { replies: [say('Yes.')] });
    const { callOf } = await import('../../../../src/model/call/options');
    const { profileOf } = await import('../../../../src/model/request/profiles');
    const model = MODELS.anthropic(GATEWAY, api.fetch);
    const request = {
      ...{ agentType: 'plain', sessionId: 's_1', root: '/agents/plain/käse 😀', runId: 'r_1', step: 1, attempt: 1 },
      ...{ system: '', messages: [], tools: [], firstChunkMs: 1, stallMs: 1 },
    };
    const taken = { prompt: [], tools: [], notes: [] };
    const { options } = callOf(
      model,
      request,
      taken,
      profileOf(model.provider, model.modelId),
      new AbortController().signal,
    );
    const text = present(options.headers?.[HEADER]);
    expect(text).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(text)).toMatchObject({ root: request.root });
  });
});
