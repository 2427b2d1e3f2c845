/**
 * The settings of a request as its provider takes them. Others are left out, so that no request fails for them.
 *
 * Decides: what becomes of a setting that a provider does not take.
 * Keeps M80, M81, M83, M105.
 */
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4ToolChoice,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { ModelRequest, SettingWarning } from '../../core/definition/model-port';
import type { ModelSettings, SettingName, ToolChoice } from '../../core/definition/settings/settings';
import { isBlank } from '../../protocol/content/blank';
import { shortHash } from '../../protocol/content/short-hash';
import type { Profile, SettingsRule } from './profile';
import type { TakenRequest } from './request';

/** The part of a model's call that settings make. */
export interface TakenSettings {
  readonly options: Omit<LanguageModelV4CallOptions, 'prompt' | 'tools'>;
  readonly warnings: readonly SettingWarning[];
}

/** The settings of a request, as a provider takes them. */
export function takenSettings(
  { settings = {}, sessionId }: Pick<ModelRequest, 'settings' | 'sessionId'>,
  { prompt, tools }: Pick<TakenRequest, 'prompt' | 'tools'>,
  { settings: rule }: Profile,
  provider: string,
): TakenSettings {
  const warnings: SettingWarning[] = [];
  const taken = withoutRefused(settings, rule, prompt, warnings);
  const choice = tools.length === 0 ? undefined : choiceOf(taken.toolChoice, tools, warnings);
  const { temperature, topP, topK, maxOutputTokens, stopSequences, seed, presencePenalty, frequencyPenalty } = taken;
  const options = {
    ...{ temperature, topP, topK, maxOutputTokens, presencePenalty, frequencyPenalty },
    stopSequences: stopSequences && [...stopSequences],
    seed: rule.seed === undefined ? seed : undefined,
    reasoning: taken.reasoning?.effort,
    toolChoice: choice,
    headers: taken.headers && lowerCase(taken.headers),
    providerOptions: optionsOf(taken, rule, { provider, sessionId, hasTools: tools.length > 0 }),
  };
  return {
    options: Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
    warnings,
  };
}

/** The settings without those that the provider is known to refuse. */
function withoutRefused(
  settings: ModelSettings,
  rule: SettingsRule,
  prompt: LanguageModelV4Prompt,
  warnings: SettingWarning[],
): ModelSettings {
  const taken: { -readonly [Name in SettingName]?: ModelSettings[Name] } = { ...settings };
  const omit = (setting: SettingName, why: string): void => {
    delete taken[setting];
    warnings.push({ setting, text: `${why}, so it is left out.` });
  };
  // Several calls a reply are what it does anyway.
  for (const setting of rule.without)
    if (taken[setting] !== undefined && !(setting === 'parallelToolCalls' && taken[setting]))
      omit(setting, 'the model does not support it');
  const stops = taken.stopSequences?.filter((text) => rule.blankStops || !isBlank(text)).slice(0, rule.mostStops);
  if (stops && stops.length < (taken.stopSequences?.length ?? 0)) {
    const most = rule.blankStops ? `at most ${rule.mostStops}` : 'none that is only white space';
    warnings.push({ setting: 'stopSequences', text: `the model accepts ${most}, so the others are omitted.` });
    taken.stopSequences = stops;
  }
  if (taken.maxOutputTokens !== undefined && taken.maxOutputTokens < rule.leastOutput) {
    warnings.push({
      setting: 'maxOutputTokens',
      text: `the model needs at least ${rule.leastOutput}, so that is used.`,
    });
    taken.maxOutputTokens = rule.leastOutput;
  }
  if (rule.thoughtsFirst && thinks(taken) && endsWithoutThought(prompt))
    omit('reasoning', 'the model cannot think after calls that were made without thinking');
  return taken;
}

const thinks = ({ reasoning }: ModelSettings): boolean =>
  reasoning?.effort !== undefined && reasoning.effort !== 'none';

/** True where the last reply has calls, no thought before them, and nothing but their results behind it. */
function endsWithoutThought(prompt: LanguageModelV4Prompt): boolean {
  const at = prompt.findLastIndex(({ role }) => role === 'assistant');
  const last = prompt[at];
  if (last?.role !== 'assistant' || prompt.slice(at + 1).some(({ role }) => role !== 'tool')) return false;
  return last.content[0]?.type !== 'reasoning';
}

function choiceOf(
  choice: ToolChoice = 'auto',
  tools: TakenRequest['tools'],
  warnings: SettingWarning[],
): LanguageModelV4ToolChoice {
  if (typeof choice === 'string') return { type: choice };
  if (tools.some(({ name }) => name === choice.tool)) return { type: 'tool', toolName: choice.tool };
  warnings.push({ setting: 'toolChoice', text: `the request has no tool "${choice.tool}", so the model chooses.` });
  return { type: 'auto' };
}

/** Names in one case, so that no header comes twice. */
const lowerCase = (headers: NonNullable<ModelSettings['headers']>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, text]) => [name.toLowerCase(), text]));

interface Asking {
  readonly provider: string;
  readonly sessionId: string;
  readonly hasTools: boolean;
}

/** The options of the provider's package: ours, with the author's before them. */
function optionsOf(
  { parallelToolCalls, seed, promptCache = true, providerOptions }: ModelSettings,
  { oneCall, cache, seed: seedAs, stores }: SettingsRule,
  { provider, sessionId, hasTools }: Asking,
): SharedV4ProviderOptions {
  const own = {
    ...(parallelToolCalls === false && hasTools ? { [oneCall]: oneCall === 'disableParallelToolUse' } : {}),
    ...(seedAs !== undefined && seed !== undefined ? { [seedAs]: seed } : {}),
    // The name of a session stays here; a key may have 64 characters.
    ...(cache === 'key' && promptCache ? { promptCacheKey: shortHash(sessionId) } : {}),
    // What a provider keeps, it forgets in time, or by the rules of its account.
    ...(stores ? { store: false } : {}),
  };
  const made: SharedV4ProviderOptions =
    Object.keys(own).length === 0 ? {} : { [namespaceOf(oneCall, provider, providerOptions)]: own };
  for (const [name, options] of Object.entries(providerOptions ?? {})) made[name] = { ...made[name], ...options };
  return made;
}

/** The name that a package reads its options by. One for compatible servers has the name that its author gave it. */
function namespaceOf(
  oneCall: SettingsRule['oneCall'],
  provider: string,
  given: ModelSettings['providerOptions'],
): string {
  // For Azure's responses the package reads its own name alone where that is there; for chats it reads both.
  if (oneCall === 'parallelToolCalls') return provider === 'azure.responses' && given?.azure ? 'azure' : 'openai';
  return oneCall === 'disableParallelToolUse' ? 'anthropic' : (provider.split('.', 1)[0] ?? provider);
}
