/**
 * The profiles of the providers that are known. One that is not known gets the strictest.
 *
 * Decides: what each provider takes; docs/decisions.md names the source of each fact.
 * Keeps M60.
 */
import { PICTURE_TYPES } from '../../protocol/content/file-bytes';
import type { PictureRule, Profile } from './profile';

const MIB = 1_048_576;

/** The rule for pictures that a provider has by default. */
const PICTURES: PictureRule = {
  types: PICTURE_TYPES,
  animated: true,
  mostCharacters: 5 * MIB,
  mostPixels: 8_000,
  mostPictures: 100,
};

/** The rules of all, each at its strictest. */
const STRICTEST: Profile = {
  name: 'strictest',
  mostName: 64,
  ids: { form: 'short' },
  laterSystem: 'user',
  oneSystem: true,
  alternates: true,
  mostTools: 128,
  mostCalls: 128,
  wordsWithCalls: true,
  thoughts: 'unsealed',
  metadata: 'any',
  pictures: { ...PICTURES, animated: false, crowd: { count: 20, mostPixels: 2_000 } },
  mostPages: 100,
  mostFiles: 16 * MIB,
  filesInResults: false,
};

const ANTHROPIC: Profile = {
  name: 'anthropic',
  mostName: 128,
  ids: { form: 'words', most: 64 },
  laterSystem: 'user',
  oneSystem: false,
  alternates: false,
  mostTools: Number.POSITIVE_INFINITY,
  mostCalls: Number.POSITIVE_INFINITY,
  wordsWithCalls: true,
  thoughts: 'sealed by anthropic',
  metadata: ['anthropic'],
  pictures: { ...PICTURES, mostCharacters: 10 * MIB, crowd: { count: 20, mostPixels: 2_000 } },
  mostPdf: 24 * MIB,
  mostPages: 100,
  mostFiles: 24 * MIB,
  filesInResults: true,
};

/** The Claude that takes a message of the role `system` within a conversation. */
const ANTHROPIC_OPUS: Profile = { ...ANTHROPIC, laterSystem: 'before-reply' };

const RESPONSES: Profile = {
  name: 'openai responses',
  mostName: 128,
  ids: { form: 'words', most: 64 },
  laterSystem: 'stays',
  oneSystem: false,
  alternates: false,
  mostTools: 128,
  mostCalls: Number.POSITIVE_INFINITY,
  wordsWithCalls: true,
  thoughts: 'sealed by openai',
  metadata: ['openai', 'azure'],
  pictures: { ...PICTURES, animated: false, mostCharacters: 44 * MIB, mostPixels: 20_000, mostPictures: 500 },
  mostPdf: 44 * MIB,
  mostPages: Number.POSITIVE_INFINITY,
  mostFiles: 44 * MIB,
  filesInResults: true,
};

const CHAT: Profile = {
  ...RESPONSES,
  name: 'openai chat',
  mostName: 64,
  ids: { form: 'words', most: 40 },
  mostCalls: 128,
  filesInResults: false,
};

/**
 * Any server that speaks OpenAI's protocol, whose limits are unknown. Metadata are written into its messages, so it gets
 * those alone that its package reads.
 */
const COMPATIBLE: Profile = { ...STRICTEST, name: 'openai-compatible', metadata: ['openai-compatible', 'google'] };

/** Refuses thinking, and words beside calls. */
const MISTRAL: Profile = { ...COMPATIBLE, name: 'mistral', thoughts: 'none', wordsWithCalls: false };

/** Takes text alone. */
const { pictures: _pictures, ...DEEPSEEK } = { ...COMPATIBLE, name: 'deepseek' };

/** Its models know the ids that they make. */
const KIMI: Profile = { ...COMPATIBLE, name: 'kimi', ids: { form: 'free', most: 256 } };

const WORKERS_AI: Profile = { ...COMPATIBLE, name: 'workers-ai', ids: { form: 'free', most: 256 }, metadata: [] };

/** Servers that speak OpenAI's protocol, by the models that they have. */
const COMPATIBLE_MODELS: readonly (readonly [RegExp, Profile])[] = [
  [/(?:mis|minis|magis|codes|devs|pix|mix|vox)tral/i, MISTRAL],
  [/deepseek/i, DEEPSEEK],
  [/kimi|moonshot/i, KIMI],
];

/** Models that are no provider's: rules and scripts, which read a prompt as it is. */
const OWN: Profile = {
  ...RESPONSES,
  name: 'offshoot',
  mostName: 256,
  ids: { form: 'free', most: 256 },
  mostTools: Number.POSITIVE_INFINITY,
  thoughts: 'unsealed',
  metadata: 'any',
};

/** From 4.8 on. */
const NEWER_OPUS = /claude-opus-(?:4-(?:[89]|[1-9]\d)(?!\d)|(?:[5-9]|[1-9]\d)(?!\d))/;

/** The profile of a model, by its provider as the AI SDK names it, and by its id. */
export function profileOf(provider: string, modelId: string): Profile {
  if (/\banthropic\b/.test(provider)) return NEWER_OPUS.test(modelId) ? ANTHROPIC_OPUS : ANTHROPIC;
  if (/^(?:openai|azure)\.responses$/.test(provider)) return RESPONSES;
  if (/^(?:openai|azure)\.chat$/.test(provider)) return CHAT;
  if (/^offshoot\b/.test(provider)) return OWN;
  if (/^workers-?ai\b/.test(provider)) return WORKERS_AI;
  if (/^openai-compatible\b/.test(provider))
    return COMPATIBLE_MODELS.find(([models]) => models.test(modelId))?.[1] ?? COMPATIBLE;
  return STRICTEST;
}
