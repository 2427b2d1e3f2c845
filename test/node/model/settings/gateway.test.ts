/** Metadata of AI Gateway: who gets agent, root, run and step. */

import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import { describe, expect, it, onTestFinished } from 'vitest';
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

  it('[M86] go to a model that the environment chooses at a gateway', async () => {
    const served: { headers: Headers }[] = [];
    const env = { ANTHROPIC_API_KEY: 'k', OFFSHOOT_BASE_URL: GATEWAY };
    const model = await anthropic.choose(env, 'claude-sonnet-4-5', 'anthropic/claude-sonnet-4-5').load();
    const api = provider('anthropic', { replies: [say('Yes.')] });
    const { fetch } = globalThis;
    onTestFinished(() => {
      globalThis.fetch = fetch;
    });
    globalThis.fetch = (input, init) => {
      served.push(new Request(input, init));
      return api.fetch(input, init);
    };
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
