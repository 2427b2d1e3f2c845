/**
 * The profiles of the providers that are known. One that is not known gets the strictest.
 *
 * Decides: what each provider takes; design/decisions.md names the source of each fact.
 * Keeps M60, M98, M109.
 */
import { PICTURE_TYPES } from '../../protocol/content/file-bytes';
import { companyOf } from '../reply';
import type { PictureRule, Profile, SettingsRule } from './profile';
import { RAN_BY_ANTHROPIC, RAN_BY_ANY, RAN_BY_OPENAI } from './ran';

const MIB = 1_048_576;

/** The rule for pictures that a provider has by default. */
const PICTURES: PictureRule = {
  types: PICTURE_TYPES,
  animated: true,
  mostCharacters: 5 * MIB,
  leastPixels: 1,
  mostPixels: 8_000,
  mostPictures: 100,
};

/** Settings as any server that speaks OpenAI's protocol may take them. */
const SETTINGS: SettingsRule = {
  without: [],
  mostStops: 4,
  blankStops: true,
  leastOutput: 1,
  oneCall: 'parallel_tool_calls',
  thoughtsFirst: false,
  cache: 'none',
  stores: false,
};

const FEW_PICTURES: PictureRule = { ...PICTURES, animated: false, crowd: { count: 20, mostPixels: 2_000 } };

/** The rules of all, each at its strictest. */
const STRICTEST: Profile = {
  name: 'strictest',
  mostName: 64,
  ids: { form: 'short' },
  laterSystem: 'user',
  oneSystem: true,
  alternates: true,
  marksNotices: false,
  mostTools: 128,
  mostCalls: 128,
  wordsWithCalls: true,
  thoughts: 'unsealed',
  thoughtsDue: false,
  sealsDue: false,
  callsNeedTools: true,
  metadata: 'any',
  pictures: FEW_PICTURES,
  mostPages: 100,
  mostFiles: 16 * MIB,
  filesInResults: false,
  settings: SETTINGS,
  runs: [],
  ownFiles: false,
};

const ANTHROPIC: Profile = {
  name: 'anthropic',
  mostName: 128,
  ids: { form: 'words', most: 64 },
  laterSystem: 'user',
  oneSystem: false,
  alternates: false,
  marksNotices: false,
  mostTools: Number.POSITIVE_INFINITY,
  mostCalls: Number.POSITIVE_INFINITY,
  wordsWithCalls: true,
  thoughts: 'sealed by anthropic',
  thoughtsDue: false,
  sealsDue: false,
  callsNeedTools: false,
  metadata: ['anthropic'],
  pictures: { ...PICTURES, mostCharacters: 10 * MIB, crowd: { count: 20, mostPixels: 2_000 } },
  mostPdf: 24 * MIB,
  mostPages: 100,
  mostFiles: 24 * MIB,
  filesInResults: true,
  settings: {
    ...SETTINGS,
    mostStops: Number.POSITIVE_INFINITY,
    blankStops: false,
    oneCall: 'disableParallelToolUse',
    cache: 'marks',
  },
  runs: ['anthropic'],
  ranBack: RAN_BY_ANTHROPIC,
  ownFiles: false,
};

/** The Claudes that think by a budget. */
const ANTHROPIC_BUDGET: Profile = { ...ANTHROPIC, settings: { ...ANTHROPIC.settings, thoughtsFirst: true } };

/** The Claude that takes a message of the role `system` within a conversation. */
const ANTHROPIC_OPUS: Profile = { ...ANTHROPIC, laterSystem: 'before-reply' };

const RESPONSES: Profile = {
  name: 'openai responses',
  mostName: 128,
  ids: { form: 'words', most: 64 },
  laterSystem: 'stays',
  oneSystem: false,
  alternates: false,
  marksNotices: false,
  mostTools: 128,
  mostCalls: Number.POSITIVE_INFINITY,
  wordsWithCalls: true,
  thoughts: 'sealed by openai',
  thoughtsDue: false,
  sealsDue: false,
  callsNeedTools: false,
  metadata: ['openai', 'azure'],
  pictures: { ...PICTURES, animated: false, mostCharacters: 44 * MIB, mostPixels: 20_000, mostPictures: 500 },
  mostPdf: 44 * MIB,
  mostPages: Number.POSITIVE_INFINITY,
  mostFiles: 44 * MIB,
  filesInResults: true,
  settings: { ...SETTINGS, leastOutput: 16, oneCall: 'parallelToolCalls', cache: 'key', stores: true },
  runs: ['openai', 'azure'],
  ranBack: RAN_BY_OPENAI,
  ownFiles: false,
};

/** Models that do not think: the package drops the setting without a word, or the model refuses it. */
const RESPONSES_PLAIN: Profile = { ...RESPONSES, settings: { ...RESPONSES.settings, without: ['reasoning'] } };

const { ranBack: _ranBack, ...UNRUN } = RESPONSES;

const CHAT: Profile = {
  ...UNRUN,
  name: 'openai chat',
  runs: [],
  mostName: 64,
  ids: { form: 'words', most: 40 },
  mostCalls: 128,
  filesInResults: false,
  settings: { ...RESPONSES.settings, leastOutput: 1, stores: false },
};

/** Models that do not think. */
const CHAT_PLAIN: Profile = { ...CHAT, settings: { ...CHAT.settings, without: ['reasoning'] } };

/** Models that think. */
const CHAT_THINKS: Profile = { ...CHAT, settings: { ...CHAT.settings, without: ['stopSequences'] } };

/** Models of the series o. */
const CHAT_O: Profile = {
  ...CHAT,
  settings: { ...CHAT.settings, without: ['stopSequences', 'parallelToolCalls'] },
};

/**
 * Any server that speaks OpenAI's protocol, whose limits are unknown. Metadata are written into its messages, so it gets
 * those alone that its package reads.
 */
const COMPATIBLE: Profile = { ...STRICTEST, name: 'openai-compatible', metadata: ['openai-compatible', 'google'] };

/** Refuses thinking, and words beside calls. */
const MISTRAL: Profile = {
  ...COMPATIBLE,
  name: 'mistral',
  thoughts: 'none',
  wordsWithCalls: false,
  settings: { ...SETTINGS, seed: 'random_seed' },
};

/** Takes text alone. */
const { pictures: _pictures, ...DEEPSEEK } = { ...COMPATIBLE, name: 'deepseek', thoughtsDue: true };

/** Its models know the ids that they make. */
const KIMI: Profile = { ...COMPATIBLE, name: 'kimi', ids: { form: 'free', most: 256 }, thoughtsDue: true };

/** Refuses a picture with a side of up to ten pixels. */
const QWEN: Profile = { ...COMPATIBLE, name: 'qwen', pictures: { ...FEW_PICTURES, leastPixels: 11 } };

/** A package writes the seals of its calls under the name that the author gave the server. */
const GEMINI: Profile = { ...COMPATIBLE, name: 'gemini', sealsDue: true, metadata: 'any' };

const WORKERS_AI: Profile = {
  ...COMPATIBLE,
  name: 'workers-ai',
  ids: { form: 'free', most: 256 },
  callsNeedTools: false,
  metadata: [],
  // The package drops these without a word.
  settings: { ...SETTINGS, without: ['topK', 'seed', 'stopSequences', 'parallelToolCalls', 'headers'] },
};

/** Models of Google that seal their calls. */
const SEALING = /gemini-(?:[3-9]|\d\d)/i;

/** Servers that speak OpenAI's protocol, by the models that they have. */
const COMPATIBLE_MODELS: readonly (readonly [RegExp, Profile])[] = [
  [/(?:mis|minis|magis|codes|devs|pix|mix|vox)tral/i, MISTRAL],
  [/deepseek/i, DEEPSEEK],
  [/kimi|moonshot/i, KIMI],
  [/qwen|qwq|qvq/i, QWEN],
  [SEALING, GEMINI],
];

/** Models that are no provider's: rules and scripts, which read a prompt as it is. */
const OWN: Profile = {
  ...RESPONSES,
  name: 'offshoot',
  marksNotices: true,
  mostName: 256,
  ids: { form: 'free', most: 256 },
  mostTools: Number.POSITIVE_INFINITY,
  thoughts: 'unsealed',
  metadata: 'any',
  settings: { ...RESPONSES.settings, stores: false },
  runs: 'any',
  ranBack: RAN_BY_ANY,
  ownFiles: true,
};

/** A change of profiles; the same profile is changed once. */
function changing(change: (profile: Profile) => Profile): (profile: Profile) => Profile {
  const made = new WeakMap<Profile, Profile>();
  return (profile) => {
    const changed = made.get(profile) ?? change(profile);
    made.set(profile, changed);
    return changed;
  };
}

/** A profile by which nothing goes back that its provider ran. */
export const unran: (profile: Profile) => Profile = changing(({ ranBack: _ran, ...rest }) => rest);

/** The profile of a server that refuses thinking. */
const unthinking = changing((profile) => ({ ...profile, thoughts: 'none', thoughtsDue: false }));

const sealing = changing((profile) => ({ ...profile, sealsDue: true }));

/** From 4.8 on. */
const NEWER_OPUS = /claude-opus-(?:4-(?:[89]|[1-9]\d)(?!\d)|(?:[5-9]|[1-9]\d)(?!\d))/;

/** Models of OpenAI that do not think. */
const PLAIN = /^(?:gpt-[34]|chatgpt-|gpt-\d[^-]*-chat)/;

/** Up to 4.5; newer ones decide themselves how much they think. */
const BUDGET = /claude-(?:3-|(?:sonnet|opus|haiku)-4(?:-[0-5](?!\d)|-20\d{6}|$|@))/;

/** The profiles of providers whose rules are unknown, by their names, and by the profile of their model. */
const others = new Map<string, Profile>();

function remembered(name: string, make: () => Profile): Profile {
  const made = others.get(name) ?? make();
  // A name is of code, so there are few; a Worker that makes them up is not remembered without end.
  if (others.size < MOST_OTHERS) others.set(name, made);
  return made;
}

/** The strictest profile, with the tools of the provider itself. Google's models are shown the pictures that they made. */
function strictest(provider: string): Profile {
  const company = companyOf(provider);
  return remembered(company, () => ({ ...STRICTEST, runs: [company], ownFiles: company === 'google' }));
}

/** The profile of a provider with a package of its own: the model decides the rules, the package its metadata and tools. */
function serving(provider: string, model: Profile): Profile {
  const company = companyOf(provider);
  return remembered(`${company} ${model.name}`, () => ({ ...model, metadata: 'any', runs: [company] }));
}

const MOST_OTHERS = 64;

/** The profile of a model, by its provider as the AI SDK names it, and by its id. */
export function profileOf(provider: string, modelId: string): Profile {
  if (/\banthropic\b/.test(provider)) {
    if (NEWER_OPUS.test(modelId)) return ANTHROPIC_OPUS;
    return BUDGET.test(modelId) ? ANTHROPIC_BUDGET : ANTHROPIC;
  }
  if (/^(?:openai|azure)\.responses$/.test(provider)) return PLAIN.test(modelId) ? RESPONSES_PLAIN : RESPONSES;
  if (/^(?:openai|azure)\.chat$/.test(provider)) {
    if (PLAIN.test(modelId)) return CHAT_PLAIN;
    if (/^o\d/.test(modelId)) return CHAT_O;
    return /^gpt-(?:[5-9]|\d\d)/.test(modelId) ? CHAT_THINKS : CHAT;
  }
  if (/^offshoot\b/.test(provider)) return OWN;
  if (/^workers-?ai\b/.test(provider)) return WORKERS_AI;
  if (/^gateway\b/.test(provider)) return throughVercel(modelId);
  if (/^google\b/.test(provider) && SEALING.test(modelId)) return sealing(strictest(provider));
  // Authors give servers that speak OpenAI's protocol their own names: the rules are those of the model.
  const served = COMPATIBLE_MODELS.find(([models]) => models.test(modelId))?.[1];
  if (/^openai-compatible\b/.test(provider)) return served ?? COMPATIBLE;
  const profile = served ? serving(provider, served) : strictest(provider);
  return /^groq\b/.test(provider) ? unthinking(profile) : profile;
}

/** The upstream providers of Vercel's gateway, as the AI SDK names them. */
const UPSTREAM = new Map([
  ['anthropic', 'anthropic.messages'],
  ['openai', 'openai.responses'],
]);

const gateways = new Map<Profile, Profile>();

/** The profile of the provider behind the gateway. The gateway chooses by which company it asks a model, so all metadata go back. */
function throughVercel(modelId: string): Profile {
  const [company = '', model = ''] = modelId.split('/', 2);
  const behind = profileOf(UPSTREAM.get(company) ?? company, model.replaceAll('.', '-'));
  const known = gateways.get(behind);
  if (known) return known;
  const made: Profile = { ...behind, metadata: 'any' };
  if (gateways.size < MOST_OTHERS) gateways.set(behind, made);
  return made;
}
