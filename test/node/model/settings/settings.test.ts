/** Settings of agents, as each provider's stand-in gets them from the real package. */

import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../../src/core/definition/define-agent';
import { defineTool } from '../../../../src/core/definition/define-tool';
import { SETTING_NAMES } from '../../../../src/core/definition/settings/check';
import type { ModelSettings, SettingName } from '../../../../src/core/definition/settings/settings';
import { profileOf } from '../../../../src/model/request/profiles';
import { takenSettings } from '../../../../src/model/request/settings';
import { createTestRuntime } from '../../../../src/testing';
import { call, say } from '../../../providers/replies';
import { type ProviderKind, provider } from '../../../providers/server';
import { workersAiBinding, workersAiModel } from '../../../providers/workers-ai';
import { present } from '../../../support/present';

type Fetch = typeof globalThis.fetch;
const compatible = (fetch: Fetch) =>
  createOpenAICompatible({ name: 'openai-compatible', baseURL: 'http://there/v1', fetch });

/** The models of each provider, by their ids. */
const MODELS: Readonly<Record<ProviderKind, (id: string, fetch: Fetch) => LanguageModelV4>> = {
  anthropic: (id, fetch) => createAnthropic({ apiKey: 'k', fetch })(id),
  responses: (id, fetch) => createOpenAI({ apiKey: 'k', fetch })(id),
  chat: (id, fetch) => createOpenAI({ apiKey: 'k', fetch }).chat(id),
  mistral: (id, fetch) => compatible(fetch)(id),
  deepseek: (id, fetch) => compatible(fetch)(id),
};
const USUAL = {
  anthropic: 'claude-sonnet-4-5',
  responses: 'gpt-4.1',
  chat: 'gpt-4o',
  mistral: 'mistral-large-latest',
  deepseek: 'deepseek-v4-flash',
  'workers-ai': '@cf/moonshotai/kimi-k2.7-code',
} as const;
type Kind = keyof typeof USUAL;
const KINDS = Object.keys(USUAL) as Kind[];

/** A request as it came, and what was reported of the run. */
interface Asked {
  readonly bodies: readonly Readonly<Record<string, unknown>>[];
  readonly headers: readonly Readonly<Record<string, string>>[];
  readonly refused: readonly unknown[];
  readonly warnings: readonly string[];
  readonly output: unknown;
}

const work = defineTool({
  name: 'work',
  description: 'Works.',
  inputSchema: z.object({}),
  execute: () => 'ok',
});
const other = defineTool({ name: 'other', description: 'Also works.', inputSchema: z.object({}), execute: () => 'ok' });

/** Runs an agent with these settings for two steps. */
async function run(kind: Kind, settings: ModelSettings, id: string = USUAL[kind]): Promise<Asked> {
  const replies = [call('aB3xK9mP2', 'work'), say('Done.')];
  const binding = workersAiBinding({ replies });
  const api = kind === 'workers-ai' ? undefined : provider(kind, { replies });
  const model = api && kind !== 'workers-ai' ? MODELS[kind](id, api.fetch) : await workersAiModel(binding.binding);
  const agent = defineAgent({ name: 'plain', systemPrompt: 'Help.', model, settings, tools: [work, other] });
  const warnings: string[] = [];
  const runtime = createTestRuntime({ agents: [agent], report: (problem) => warnings.push(problem) });
  onTestFinished(() => runtime.close());
  const result = await (await runtime.execute(agent, 'Go.')).result();
  return {
    bodies: api ? api.requests.map(({ body }) => body as object as never) : binding.runs.map(({ inputs }) => inputs),
    headers: api?.requests.map(({ headers }) => headers) ?? [],
    refused: [...(api?.requests ?? []), ...binding.runs].flatMap(({ problem }) => problem ?? []),
    warnings,
    output: result.status === 'completed' ? result.output : result,
  };
}

/** The fields of a request that a setting makes; null where the provider does not take it, so that a warning says so. */
type Made = Readonly<Record<string, unknown>> | null;
interface Row {
  readonly setting: SettingName;
  readonly settings: ModelSettings;
  readonly makes: Readonly<Record<Kind, Made | readonly [model: string, made: Made]>>;
  /** Header in place of a field. */
  readonly header?: true;
}

const all = (made: Made): Record<Kind, Made> =>
  Object.fromEntries(KINDS.map((kind) => [kind, made])) as Record<Kind, Made>;
const penalty = (name: string): Row['makes'] => ({
  ...all({ [name]: 0.5 }),
  anthropic: null,
  responses: null,
  'workers-ai': null,
});
const named = { type: 'function', function: { name: 'work' } };

const ROWS: readonly Row[] = [
  { setting: 'temperature', settings: { temperature: 0.5 }, makes: all({ temperature: 0.5 }) },
  {
    setting: 'temperature',
    settings: { temperature: 0.25 },
    makes: {
      ...all({ temperature: 0.25 }),
      anthropic: ['claude-opus-4-8', null],
      responses: ['gpt-5', null],
      chat: ['gpt-5', null],
    },
  },
  { setting: 'topP', settings: { topP: 0.9 }, makes: all({ top_p: 0.9 }) },
  { setting: 'topK', settings: { topK: 5 }, makes: { ...all(null), anthropic: { top_k: 5 } } },
  {
    setting: 'maxOutputTokens',
    settings: { maxOutputTokens: 900 },
    makes: {
      ...all({ max_tokens: 900 }),
      responses: { max_output_tokens: 900 },
      chat: ['gpt-5', { max_completion_tokens: 900 }],
    },
  },
  {
    setting: 'maxOutputTokens',
    settings: { maxOutputTokens: 500_000 },
    makes: { ...all({ max_tokens: 500_000 }), responses: { max_output_tokens: 500_000 }, anthropic: null },
  },
  {
    setting: 'stopSequences',
    settings: { stopSequences: ['END'] },
    makes: { ...all({ stop: ['END'] }), anthropic: { stop_sequences: ['END'] }, responses: null, 'workers-ai': null },
  },
  {
    setting: 'seed',
    settings: { seed: 7 },
    makes: { ...all({ seed: 7 }), anthropic: null, responses: null, mistral: { random_seed: 7 }, 'workers-ai': null },
  },
  { setting: 'presencePenalty', settings: { presencePenalty: 0.5 }, makes: penalty('presence_penalty') },
  { setting: 'frequencyPenalty', settings: { frequencyPenalty: 0.5 }, makes: penalty('frequency_penalty') },
  {
    setting: 'reasoning',
    settings: { reasoning: { effort: 'low' } },
    makes: {
      ...all({ reasoning_effort: 'low' }),
      anthropic: ['claude-opus-4-8', { thinking: { type: 'adaptive', display: 'summarized' } }],
      responses: ['gpt-5', { reasoning: { effort: 'low' } }],
      chat: ['gpt-5', { reasoning_effort: 'low' }],
    },
  },
  {
    setting: 'reasoning',
    settings: { reasoning: { effort: 'high' } },
    makes: { ...all({ reasoning_effort: 'high' }), anthropic: null, responses: null, chat: null },
  },
  {
    setting: 'toolChoice',
    settings: { toolChoice: { tool: 'work' } },
    makes: {
      ...all({ tool_choice: named }),
      anthropic: { tool_choice: { type: 'tool', name: 'work' } },
      responses: { tool_choice: { type: 'function', name: 'work' } },
    },
  },
  {
    setting: 'toolChoice',
    settings: { toolChoice: 'required' },
    makes: { ...all({ tool_choice: 'required' }), anthropic: { tool_choice: { type: 'any' } } },
  },
  {
    setting: 'parallelToolCalls',
    settings: { parallelToolCalls: false },
    makes: {
      ...all({ parallel_tool_calls: false }),
      anthropic: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
      'workers-ai': null,
    },
  },
  {
    setting: 'headers',
    settings: { headers: { 'X-Team': 'a' } },
    header: true,
    makes: { ...all({ 'x-team': 'a' }), 'workers-ai': null },
  },
  {
    setting: 'providerOptions',
    settings: {
      providerOptions: {
        anthropic: { metadata: { userId: 'u' } },
        openai: { user: 'u' },
        openaiCompatible: { metadata: { by: 'u' } },
        'workers-ai': { reasoning_effort: 'low' },
      },
    },
    makes: {
      ...all({ user: 'u' }),
      mistral: { metadata: { by: 'u' } },
      deepseek: { metadata: { by: 'u' } },
      anthropic: { metadata: { user_id: 'u' } },
      'workers-ai': { reasoning_effort: 'low' },
    },
  },
  {
    setting: 'promptCache',
    settings: {},
    makes: {
      ...all({}),
      anthropic: { system: [{ type: 'text', text: 'Help.', cache_control: { type: 'ephemeral' } }] },
      responses: { prompt_cache_key: expect.stringMatching(/^[a-z0-9]{9}$/) },
      chat: { prompt_cache_key: expect.stringMatching(/^[a-z0-9]{9}$/) },
    },
  },
  {
    setting: 'gatewayMetadata',
    settings: { gatewayMetadata: true },
    header: true,
    makes: { ...all({ 'cf-aig-metadata': expect.stringContaining('"agent":"plain"') }), 'workers-ai': null },
  },
];

const CASES = ROWS.flatMap(({ setting, settings, makes, header }) =>
  KINDS.map((kind) => {
    const given = makes[kind];
    const [model, made] = Array.isArray(given) ? (given as [string, Made]) : [USUAL[kind], given as Made];
    return { kind, setting, settings, made, model, header, name: `${JSON.stringify(settings)} of ${kind} ${model}` };
  }),
);

describe('a setting', () => {
  it.each(CASES)('[M80, M81, M82] is in the request or warned of once: $name', async ({ kind, setting, ...one }) => {
    const { bodies, headers, refused, warnings, output } = await run(kind, one.settings, one.model);
    expect(refused).toEqual([]);
    expect(output).toBe('Done.');
    expect(bodies).toHaveLength(2);
    const first = present(one.header && one.made ? headers[0] : bodies[0]);
    if (one.made !== null) {
      expect(first).toMatchObject(one.made);
      expect(warnings).toEqual([]);
      return;
    }
    expect(warnings).toEqual([expect.stringMatching(`^Agent "plain" asks .* for \`${setting}\`: .+\\.$`)]);
  });

  it('[M80] has a row of the table, for each of them', () => {
    expect(new Set(ROWS.map(({ setting }) => setting))).toEqual(new Set(SETTING_NAMES));
  });

  it.each(KINDS)('[M80] leaves nothing in the request where there is none: %s', async (kind) => {
    const { bodies, warnings } = await run(kind, { promptCache: false });
    expect(warnings).toEqual([]);
    const odd =
      /temperature|top_p|top_k|stop|seed|penalty|parallel|thinking|reasoning_effort|cache|"max_tokens":(?!64000)/;
    for (const body of bodies) expect(JSON.stringify(body)).not.toMatch(odd);
  });
});

describe('the cache key of OpenAI', () => {
  it.each(['responses', 'chat'] as const)(
    '[M83] is the same in each step of a session, another in another: %s',
    async (kind) => {
      const one = await run(kind, {});
      const other = await run(kind, {});
      const [first, second] = one.bodies.map((body) => body.prompt_cache_key);
      expect(first).toBe(second);
      expect(first).not.toBe(other.bodies[0]?.prompt_cache_key);
      expect(String(first)).not.toMatch(/^s_/);
      const own = { providerOptions: { openai: { promptCacheKey: 'mine' } } };
      expect((await run(kind, own)).bodies[0]).toMatchObject({ prompt_cache_key: 'mine' });
      expect((await run(kind, { promptCache: false })).bodies[0]).not.toHaveProperty('prompt_cache_key');
    },
  );
});

describe('the options of Azure', () => {
  const optionsAt = (provider: string, providerOptions: NonNullable<ModelSettings['providerOptions']>) =>
    takenSettings(
      { settings: { providerOptions }, sessionId: 's_1' },
      { prompt: [], tools: [] },
      profileOf(provider, 'gpt-5'),
      provider,
    ).options.providerOptions;
  const own = { promptCacheKey: expect.any(String) };

  it('[M83, M105] are one object for its responses, with ours where the author has his', () => {
    const both = { azure: { user: 'u', ...own, store: false }, openai: { seed: 1 } };
    expect(optionsAt('azure.responses', { azure: { user: 'u' }, openai: { seed: 1 } })).toEqual(both);
    expect(optionsAt('azure.responses', { openai: { user: 'u' } })).toEqual({
      openai: { user: 'u', ...own, store: false },
    });
    expect(optionsAt('azure.chat', { azure: { user: 'u' } })).toEqual({ azure: { user: 'u' }, openai: own });
    expect(optionsAt('openai.responses', { azure: { user: 'u' } })).toMatchObject({ openai: { store: false } });
  });
});

describe('a setting that a model refuses', () => {
  it.each<[Kind, string, ModelSettings, object, string[]]>([
    ['chat', 'gpt-4o', { stopSequences: ['a', 'b', 'c', 'd', 'e'] }, { stop: ['a', 'b', 'c', 'd'] }, ['stopSequences']],
    ['chat', 'o4-mini', { stopSequences: ['a'], parallelToolCalls: false }, {}, ['stopSequences', 'parallelToolCalls']],
    ['anthropic', USUAL.anthropic, { stopSequences: ['\n', 'END'] }, { stop_sequences: ['END'] }, ['stopSequences']],
    ['anthropic', USUAL.anthropic, { temperature: 1.5 }, { temperature: 1 }, ['temperature']],
    ['anthropic', USUAL.anthropic, { temperature: 0.5, topP: 0.5 }, { temperature: 0.5 }, ['topP']],
    ['responses', USUAL.responses, { maxOutputTokens: 1 }, { max_output_tokens: 16 }, ['maxOutputTokens']],
  ])('[M81] is left out or made to fit, and the run continues: %s %s %j', async (kind, id, settings, made, warned) => {
    const { bodies, refused, warnings, output } = await run(kind, settings, id);
    expect(refused).toEqual([]);
    expect(output).toBe('Done.');
    for (const body of bodies) expect(body).toMatchObject(made);
    expect(warnings.map((text) => /`(\w+)`/.exec(text)?.[1])).toEqual(warned);
  });
});
