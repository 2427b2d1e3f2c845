/** What each provider takes, fact by fact, and which models have which profile. */
import { expect, it } from 'vitest';
import type { Profile } from '../../../../src/model/request/profile';
import { profileOf, unran } from '../../../../src/model/request/profiles';
import { isObject } from '../../../../src/protocol/json';
import { present } from '../../../support/present';

/** A model of each column of the table, by its provider and id. */
const MODELS = {
  strictest: ['nobody', 'any'],
  anthropic: ['anthropic.messages', 'claude-sonnet-4-6'],
  responses: ['openai.responses', 'gpt-5'],
  chat: ['openai.chat', 'any'],
  compatible: ['openai-compatible', 'any'],
  mistral: ['openai-compatible', 'mistral-large'],
  deepseek: ['openai-compatible', 'deepseek-chat'],
  kimi: ['openai-compatible', 'kimi-k2'],
  qwen: ['openai-compatible', 'qwen3'],
  gemini: ['openai-compatible', 'gemini-3-pro'],
  workers: ['workers-ai', 'any'],
  offshoot: ['offshoot', 'any'],
} as const;

/** A column for each of them in that order; `"` repeats the value on the left, `-` is no value. */
const FACTS = `
  name                    strictest anthropic openai_responses openai_chat openai-compatible mistral deepseek kimi qwen gemini workers-ai offshoot
  mostName                64 128 " 64 " " " " " " " 256
  ids.form                short words " " short " " free short " free "
  ids.most                - 64 " 40 - - - 256 - - 256 "
  laterSystem             user " stays " user " " " " " " stays
  oneSystem               true false " " true " " " " " " false
  alternates              true false " " true " " " " " " false
  marksNotices            false " " " " " " " " " " true
  mostTools               128 Infinity 128 " " " " " " " " Infinity
  mostCalls               128 Infinity " 128 " " " " " " " Infinity
  wordsWithCalls          true " " " " false true " " " " "
  thoughts                unsealed sealed_by_anthropic sealed_by_openai " unsealed none unsealed " " " " "
  thoughtsDue             false " " " " " true " false " " "
  sealsDue                false " " " " " " " " true false "
  callsNeedTools          true false " " true " " " " " false "
  metadata                any anthropic openai,azure " openai-compatible,google " " " " any none any
  pictures.types          image/png,image/jpeg,image/gif,image/webp " " " " " - image/png,image/jpeg,image/gif,image/webp " " " "
  pictures.animated       false true false " " " - false " " " "
  pictures.mostCharacters 5242880 10485760 46137344 " 5242880 " - 5242880 " " " 46137344
  pictures.leastPixels    1 " " " " " - 1 11 1 " "
  pictures.mostPixels     8000 " 20000 " 8000 " - 8000 " " " 20000
  pictures.mostPictures   100 " 500 " 100 " - 100 " " " 500
  pictures.crowd.count    20 " - - 20 " - 20 " " " -
  pictures.crowd.mostPixels 2000 " - - 2000 " - 2000 " " " -
  mostPdf                 - 25165824 46137344 " - - - - - - - 46137344
  mostPages               100 " Infinity " 100 " " " " " " Infinity
  mostFiles               16777216 25165824 46137344 " 16777216 " " " " " " 46137344
  filesInResults          false true " false " " " " " " " true
  settings.without        none " " " " " " " " " topK,seed,stopSequences,parallelToolCalls,headers none
  settings.mostStops      4 Infinity 4 " " " " " " " " "
  settings.blankStops     true false true " " " " " " " " "
  settings.leastOutput    1 " 16 1 " " " " " " " 16
  settings.oneCall        parallel_tool_calls disableParallelToolUse parallelToolCalls " parallel_tool_calls " " " " " " parallelToolCalls
  settings.thoughtsFirst  false " " " " " " " " " " "
  settings.cache          none marks key " none " " " " " " key
  settings.stores         false " true false " " " " " " " "
  settings.seed           - - - - - random_seed - - - - - -
  runs                    nobody anthropic openai,azure none " " " " " " " any
  ranBack.calls           - /^(?:srv|mcp)toolu_[A-Za-z0-9_]{1,128}$/ /^ws_[A-Za-z0-9_-]{1,125}$/ - - - - - - - - /./
  ownFiles                false " " " " " " " " " " true
`;

/** Each value of a record by its path, as text. */
function flat(record: object, above = ''): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([key, value]): [string, string][] => {
      if (typeof value === 'function') return [];
      if (isObject(value) && !(value instanceof RegExp)) return Object.entries(flat(value, `${above}${key}.`));
      const text = Array.isArray(value) ? value.join(',') || 'none' : String(value);
      return [[`${above}${key}`, text.replaceAll(' ', '_')]];
    }),
  );
}

function columnOf(at: number): Record<string, string> {
  const rows = FACTS.trim().split('\n');
  return Object.fromEntries(
    rows.flatMap((row) => {
      const [fact = '', ...cells] = row.trim().split(/\s+/u);
      expect(cells, fact).toHaveLength(Object.keys(MODELS).length);
      const value = cells.slice(0, at + 1).findLast((cell) => cell !== '"');
      return value === undefined || value === '-' ? [] : [[fact, value]];
    }),
  );
}

it.each(Object.keys(MODELS).map((name, at) => ({ name, at })))(
  '[M60, M109] a request is made by every fact that is known of $name',
  ({ name, at }) => {
    const [provider, modelId] = present(Object.entries(MODELS).find(([each]) => each === name))[1];
    expect(flat(profileOf(provider, modelId))).toEqual(columnOf(at));
  },
);

function ofModel(of: keyof typeof MODELS): Profile {
  const [provider, modelId] = MODELS[of];
  return profileOf(provider, modelId);
}

/** What a model differs in from one of the table. */
type Difference = Record<string, unknown>;
const settings = (of: keyof typeof MODELS, more: Difference): Difference => ({
  settings: { ...ofModel(of).settings, ...more },
});
const THINKS_FIRST = settings('anthropic', { thoughtsFirst: true });
const LATER = { laterSystem: 'before-reply' };
const NO_REASONING = { without: ['reasoning'] };
const own = (provider: string): Difference => ({ metadata: 'any', runs: [provider] });

const ROWS: readonly (readonly [string, readonly string[], keyof typeof MODELS, Difference])[] = [
  [
    'anthropic.messages',
    ['claude-sonnet-4-6', 'claude-opus-4-7', 'claude-sonnet-5', 'claude-haiku-6'],
    'anthropic',
    {},
  ],
  [
    'anthropic.messages',
    [
      ...['claude-3-7-sonnet-latest', 'claude-sonnet-4-0', 'claude-sonnet-4-5', 'claude-opus-4-1', 'claude-opus-4'],
      ...['claude-haiku-4-5-20251001', 'claude-sonnet-4-20250514', 'claude-opus-4@20250514', 'claude-opus-4-5'],
    ],
    'anthropic',
    THINKS_FIRST,
  ],
  [
    'anthropic.messages',
    ['claude-opus-4-8', 'claude-opus-4-9', 'claude-opus-4-10', 'claude-opus-5'],
    'anthropic',
    LATER,
  ],
  ['anthropic.messages', ['claude-opus-10', 'claude-opus-11-2'], 'anthropic', LATER],
  ['vertex.anthropic.messages', ['claude-opus-4-8'], 'anthropic', LATER],
  ['openai.responses', ['gpt-5', 'o3', 'gpt-10-mini', 'o4-mini'], 'responses', {}],
  ['azure.responses', ['my-deployment'], 'responses', {}],
  [
    'openai.responses',
    ['gpt-3.5-turbo', 'gpt-4o', 'gpt-4.1', 'chatgpt-4o-latest', 'gpt-5-chat-latest', 'gpt-5.1-chat-latest'],
    'responses',
    settings('responses', NO_REASONING),
  ],
  ['openai.chat', ['my-model', 'gpt-oss'], 'chat', {}],
  ['azure.chat', ['gpt-4o', 'gpt-3.5-turbo', 'gpt-5-chat-latest'], 'chat', settings('chat', NO_REASONING)],
  ['openai.chat', ['gpt-5', 'gpt-9', 'gpt-10'], 'chat', settings('chat', { without: ['stopSequences'] })],
  [
    'openai.chat',
    ['o1', 'o3-mini', 'o4'],
    'chat',
    settings('chat', { without: ['stopSequences', 'parallelToolCalls'] }),
  ],
  ['offshoot', ['offline'], 'offshoot', {}],
  ['offshoot.scripted', ['gpt-5'], 'offshoot', {}],
  ['workers-ai', ['@cf/qwen/qwen3'], 'workers', {}],
  ['workersai.chat', ['@cf/deepseek'], 'workers', {}],
  [
    'openai-compatible.chat',
    ['mistral-large', 'ministral-8b', 'Magistral', 'codestral', 'devstral', 'pixtral', 'mixtral-8x7b', 'voxtral'],
    'mistral',
    {},
  ],
  ['openai-compatible', ['moonshot-v1', 'Kimi-K2'], 'kimi', {}],
  ['openai-compatible', ['qwq-32b', 'qvq-72b', 'Qwen3'], 'qwen', {}],
  ['openai-compatible', ['google/gemini-3-pro', 'gemini-12-flash', 'gemini-9'], 'gemini', {}],
  ['openai-compatible', ['gemini-2.5-pro', 'llama', 'gpt-5', 'claude-opus-5'], 'compatible', {}],
  ['openrouter', ['deepseek/deepseek-r1'], 'deepseek', own('openrouter')],
  ['moonshot.chat', ['kimi-k2'], 'kimi', own('moonshot')],
  ['nobody.chat', ['llama', 'gpt-5'], 'strictest', {}],
  ['google.generative-ai', ['gemini-2.5-flash'], 'strictest', { runs: ['google'], ownFiles: true }],
  ['google.vertex.chat', ['gemini-3-pro'], 'strictest', { runs: ['google'], ownFiles: true, sealsDue: true }],
  ['groq.chat', ['llama'], 'strictest', { runs: ['groq'], thoughts: 'none' }],
  ['groq.chat', ['deepseek-r1'], 'deepseek', { ...own('groq'), thoughts: 'none', thoughtsDue: false }],
  ['gateway', ['anthropic/claude-opus-4.8'], 'anthropic', { ...LATER, metadata: 'any' }],
  ['gateway', ['anthropic/claude-sonnet-4.5'], 'anthropic', { ...THINKS_FIRST, metadata: 'any' }],
  ['gateway', ['openai/gpt-5'], 'responses', { metadata: 'any' }],
  ['gateway', ['openai/gpt-4o'], 'responses', { ...settings('responses', NO_REASONING), metadata: 'any' }],
  ['gateway', ['google/gemini-3-pro'], 'strictest', { runs: ['google'], ownFiles: true, sealsDue: true }],
  ['gateway', ['alibaba/qwen3-max'], 'qwen', own('alibaba')],
  ['gateway', ['', 'meta'], 'strictest', {}],
];

it.each(ROWS)('[M60, M98] %s has for %j the profile %s, with what it differs in', (provider, ids, of, more) => {
  for (const modelId of ids) {
    const profile: Profile = profileOf(provider, modelId);
    const company = provider === 'gateway' && of === 'strictest' ? { runs: [modelId.split('/')[0]] } : {};
    expect(profile, modelId).toEqual({ ...ofModel(of), ...company, ...more });
    // A profile is what a message is remembered by.
    expect(profileOf(provider, modelId), modelId).toBe(profile);
  }
});

it('[M60] a profile by which nothing goes back that a provider ran differs in nothing else', () => {
  for (const model of Object.values(MODELS)) {
    const { ranBack: _ran, ...rest } = profileOf(model[0], model[1]);
    expect(unran(profileOf(model[0], model[1]))).toEqual(rest);
    expect(unran(profileOf(model[0], model[1]))).toBe(unran(profileOf(model[0], model[1])));
  }
});
