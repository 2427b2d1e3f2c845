/** Whatever an agent remembers, its next request is taken, and so is the one after that. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWorkersAI } from 'workers-ai-provider';
import { modelPort } from '../../../../src/model/adapter';
import { withOptions } from '../../../../src/model/provider';
import type { PictureRule, Profile } from '../../../../src/model/request/profile';
import { profileOf } from '../../../../src/model/request/profiles';
import { RAN_BY_ANTHROPIC, RAN_BY_ANY, RAN_BY_OPENAI } from '../../../../src/model/request/ran';
import { PICTURE_TYPES } from '../../../../src/protocol/content/file-bytes';
import type { Message } from '../../../../src/protocol/messages';
import { pdfOf, pdfPages } from '../../../providers/rules/pictures';
import { type ProviderKind, type ProviderOptions, provider } from '../../../providers/server';
import { workersAiBinding } from '../../../providers/workers-ai';
import { always, figures, NIGHTLY, sized } from '../../../support/sizes';
import { ask } from '../ask';
import { type Drawn, drawn } from './transcripts';

const ROUNDS = sized(150, 10_000);
const counts = new Map<string, number>();
figures('requests that were taken', () => [...counts].map(([name, count]) => `${name} ${count}`).join(', '));

/** A model of the real package, and why its last request was refused. */
interface Asked {
  readonly model: LanguageModelV4;
  /** Each request that was sent, with the rule that refuses it. */
  requests(): readonly { readonly rule: string | undefined; readonly said: string }[];
}

const REPLY = { parts: [{ type: 'text' as const, text: 'Yes.' }] };

/** A model behind a stand-in; `but` are rules that are of other models. */
function behind(
  kind: ProviderKind,
  model: (fetch: typeof globalThis.fetch) => LanguageModelV4,
  but: readonly string[] = [],
  limits: ProviderOptions['limits'] = {},
): () => Asked {
  return () => {
    const standIn = provider(kind, { replies: () => REPLY, limits });
    return {
      model: model(standIn.fetch),
      requests: () =>
        standIn.requests.map(({ problem, body }) => ({
          rule: problem && !but.includes(problem.rule) ? problem.rule : undefined,
          said: JSON.stringify([problem?.body, body]),
        })),
    };
  };
}

const compatible = (name: string, modelId: string) => (fetch: typeof globalThis.fetch) =>
  createOpenAICompatible({ name, baseURL: 'http://there/v1', fetch })(modelId) as LanguageModelV4;

const PROVIDERS: Readonly<Record<string, () => Asked>> = {
  anthropic: behind('anthropic', (fetch) => createAnthropic({ apiKey: 'k', fetch })('claude-sonnet-4-6')),
  'anthropic, a newer opus': behind('anthropic', (fetch) => createAnthropic({ apiKey: 'k', fetch })('claude-opus-4-8')),
  'openai responses': behind('responses', (fetch) => createOpenAI({ apiKey: 'k', fetch })('gpt-5')),
  'openai responses, nothing stored': behind('responses', (fetch) =>
    withOptions(createOpenAI({ apiKey: 'k', fetch })('gpt-5'), {
      openai: { store: false, include: ['reasoning.encrypted_content'] },
    }),
  ),
  'openai chat': behind('chat', (fetch) => createOpenAI({ apiKey: 'k', fetch }).chat('gpt-4o')),
  mistral: behind('mistral', compatible('openai-compatible', 'mistral-large-latest')),
  deepseek: behind('deepseek', compatible('openai-compatible', 'deepseek-v4-flash')),
  compatible: behind('chat', compatible('openai-compatible', 'some-model')),
  // Thinking goes back to a server that gave it, and words beside calls are refused by some models alone.
  'compatible, as strict as Mistral': behind('mistral', compatible('openai-compatible', 'some-model'), [
    'unknown-field-of-message',
    'assistant-both',
  ]),
  unknown: behind('mistral', compatible('elsewhere', 'some-model'), ['unknown-field-of-message', 'assistant-both']),
  'workers ai': () => {
    const { binding, runs } = workersAiBinding({ replies: [REPLY, REPLY], limits: { vision: true } });
    return {
      model: createWorkersAI({ binding: binding as never })(
        '@cf/moonshotai/kimi-k2.7-code' as never,
      ) as LanguageModelV4,
      requests: () =>
        runs.map(({ problem, inputs }) => ({ rule: problem?.rule, said: JSON.stringify([problem?.body, inputs]) })),
    };
  },
};

/** More than any provider takes. */
const PICTURES: PictureRule = {
  types: PICTURE_TYPES,
  animated: true,
  mostCharacters: 1e9,
  leastPixels: 1,
  mostPixels: 1e9,
  mostPictures: 1e9,
};

const TOOLS = [
  { name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: {} } },
  { name: 'search', description: '', inputSchema: { type: 'object', properties: {} } },
];

/** Tools that Anthropic and OpenAI run: each is sent its own. */
const PROVIDER_TOOLS = [
  { name: 'web_search', id: 'anthropic.web_search_20250305', args: {} },
  { name: 'code_execution', id: 'anthropic.code_execution_20250825', args: {} },
  { name: 'web_search', id: 'openai.web_search', args: {} },
];

/** At night those as well whose rules are looser, or those of others. */
const names = Object.keys(PROVIDERS).filter((name) => NIGHTLY || !name.startsWith('compatible'));

/** Why a model is refused its request about a history, or the one after it; undefined where both are taken. */
async function refusal(name: string, { system, messages, more }: Drawn): Promise<string | undefined> {
  const asked = (PROVIDERS[name] as () => Asked)();
  const port = modelPort(asked.model);
  const said: Message = { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] };
  for (const [at, history] of [messages, [...messages, said, ...more]].entries()) {
    const { failure } = await ask(port, { system, messages: history, tools: TOOLS, providerTools: PROVIDER_TOOLS });
    const sent = asked.requests()[at];
    // A package that refuses a request itself sends none.
    if (sent === undefined) return `nothing was sent: ${failure?.message}`;
    if (sent.rule !== undefined) return `${sent.rule}: ${sent.said}`;
  }
  return undefined;
}

describe('whatever an agent remembers', () => {
  it('[M60][M62][M63][M64][M65][M66][M68][M69][M70] each model takes its next request, and the one after it', async () => {
    await always(
      fc.asyncProperty(drawn, async (one) => {
        for (const name of names) {
          expect([name, await refusal(name, one)]).toEqual([name, undefined]);
          counts.set(name, (counts.get(name) ?? 0) + 2);
        }
      }),
      ROUNDS,
    );
  });
});

/** PDF files of 1 to 5 KB as base64, and a request that may have so little of them. */
const papers = fc.array(fc.integer({ min: 20, max: 120 }), { minLength: 1, maxLength: 12 }).map((pages) =>
  pages.map((count, at) => {
    const data = pdfOf(count);
    const messages: Message[] = [
      { role: 'user', content: [{ type: 'file', mediaType: 'application/pdf', filename: `${at}.pdf`, data }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Read.' }] },
    ];
    return { data, messages };
  }),
);
const FEW = { mostFiles: 12_000, mostBytes: 20_000 };

describe('files that are too large together', () => {
  const cases = [
    ['anthropic', 'anthropic.messages', 'claude-sonnet-4-6', 'anthropic'],
    ['responses', 'openai.responses', 'gpt-5', 'openai responses'],
    ['chat', 'openai.chat', 'gpt-4o', 'openai chat'],
  ] as const;
  it.each(cases)('[M94] go from the oldest on, and %s takes each request', async (kind, providerName, modelId) => {
    const made = {
      anthropic: (fetch: typeof globalThis.fetch) => createAnthropic({ apiKey: 'k', fetch })('claude-sonnet-4-6'),
      responses: (fetch: typeof globalThis.fetch) => createOpenAI({ apiKey: 'k', fetch })('gpt-5'),
      chat: (fetch: typeof globalThis.fetch) => createOpenAI({ apiKey: 'k', fetch }).chat('gpt-4o'),
    };
    const profile = profileOf(providerName, modelId);
    const { mostFiles } = profile;
    try {
      Object.assign(profile, { mostFiles: FEW.mostFiles });
      await always(
        fc.asyncProperty(papers, async (turns) => {
          const asked = behind(kind, made[kind], [], { maxBytes: FEW.mostBytes })();
          const port = modelPort(asked.model);
          for (let upTo = 1; upTo <= turns.length; upTo++) {
            const messages = [
              ...turns.slice(0, upTo).flatMap((turn) => turn.messages),
              { role: 'user', content: 'Well?' } as const,
            ];
            await ask(port, { system: 'Help.', messages, tools: TOOLS });
            const sent = asked.requests().at(-1);
            expect(sent?.rule).toBeUndefined();
            // The newest is there wherever it fits.
            const data = turns[upTo - 1]?.data ?? '';
            const fits = data.length <= FEW.mostFiles && (kind !== 'anthropic' || pdfPages(data) <= 100);
            expect(sent?.said.includes(data)).toBe(fits);
          }
        }),
        sized(20, 200),
      );
    } finally {
      Object.assign(profile, { mostFiles });
    }
  });
});

/** A rule that is left out of a profile, and the model that then refuses some requests. */
const LEFT_OUT: readonly (readonly [
  model: keyof typeof PROVIDERS,
  provider: string,
  modelId: string,
  Partial<Profile>,
])[] = [
  ['openai chat', 'openai.chat', 'gpt-4o', { mostName: 300 }],
  ['anthropic', 'anthropic.messages', 'claude-sonnet-4-6', { mostName: 300 }],
  ['openai responses', 'openai.responses', 'gpt-5', { mostName: 300 }],
  ['anthropic', 'anthropic.messages', 'claude-sonnet-4-6', { ids: { form: 'free', most: 300 } }],
  ['openai chat', 'openai.chat', 'gpt-4o', { ids: { form: 'words', most: 300 } }],
  ['openai responses', 'openai.responses', 'gpt-5', { ids: { form: 'words', most: 300 } }],
  ['mistral', 'openai-compatible.chat', 'mistral-large-latest', { ids: { form: 'words', most: 40 } }],
  ['unknown', 'elsewhere.chat', 'some-model', { ids: { form: 'words', most: 40 } }],
  ['anthropic', 'anthropic.messages', 'claude-sonnet-4-6', { laterSystem: 'stays' }],
  ['anthropic, a newer opus', 'anthropic.messages', 'claude-opus-4-8', { laterSystem: 'stays' }],
  ['mistral', 'openai-compatible.chat', 'mistral-large-latest', { laterSystem: 'stays' }],
  ['mistral', 'openai-compatible.chat', 'mistral-large-latest', { alternates: false }],
  ['mistral', 'openai-compatible.chat', 'mistral-large-latest', { thoughts: 'unsealed' }],
  ['mistral', 'openai-compatible.chat', 'mistral-large-latest', { wordsWithCalls: true }],
  ['deepseek', 'openai-compatible.chat', 'deepseek-v4-flash', { pictures: PICTURES }],
  ['anthropic', 'anthropic.messages', 'claude-sonnet-4-6', { pictures: { ...PICTURES, mostPixels: 9_000 } }],
  ['anthropic', 'anthropic.messages', 'claude-sonnet-4-6', { ranBack: { ...RAN_BY_ANTHROPIC, calls: /./ } }],
  ['anthropic', 'anthropic.messages', 'claude-sonnet-4-6', { ranBack: { ...RAN_BY_ANY, calls: /^srv/ } }],
  ['openai responses, nothing stored', 'openai.responses', 'gpt-5', { ranBack: { ...RAN_BY_OPENAI, calls: /./ } }],
  ['anthropic', 'anthropic.messages', 'claude-sonnet-4-6', { mostPages: 1_000 }],
];

/** What is tried with each: drawn once for all, as that takes as long as to ask with it. */
let drawnOnce: readonly Drawn[] | undefined;
function samples(): readonly Drawn[] {
  drawnOnce ??= fc.sample(drawn, { seed: 20_261_126, numRuns: 400 });
  return drawnOnce;
}

describe('a profile with a rule left out', () => {
  it.each(LEFT_OUT)('[M60] is noticed with %s (%s, %s): %o', async (name, provider, modelId, without) => {
    const profile = profileOf(provider, modelId);
    const before = { ...profile };
    let found: string | undefined;
    try {
      Object.assign(profile, without);
      for (const one of samples()) {
        found = await refusal(name, one);
        if (found !== undefined) break;
      }
    } finally {
      for (const key of Object.keys(profile)) if (!(key in before)) Reflect.deleteProperty(profile, key);
      Object.assign(profile, before);
    }
    expect(found).toBeDefined();
  });
});
