/**
 * The check of settings: of an agent, of a prompt, and of the answer of a hook.
 *
 * Decides: the ranges of settings; which headers are refused.
 * Keeps DF26, DF27, DF28.
 */
import { isObject, toJson } from '../../../protocol/json';
import { invalidDefinition, unknownProblem } from '../invalid';
import type { ModelSettings, SettingName, ToolChoice } from './settings';

/** The problem of a value, in words that follow the name of the setting; undefined where it is right. */
type Check = (value: unknown) => string | undefined;

const between =
  (least: number, most: number): Check =>
  (value) =>
    typeof value === 'number' && value >= least && value <= most
      ? undefined
      : `must be a number from ${least} to ${most}`;

const whole =
  (least: number, most: number, words = `from ${least} to ${most.toLocaleString('en')}`): Check =>
  (value) =>
    Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most
      ? undefined
      : `must be a whole number ${words}`;

const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');

/** The most stop sequences, and of each the most characters. */
const STOPS = { count: 16, characters: 256 };
/** The most headers, and of the value of each the most characters. */
const HEADERS = { count: 20, characters: 2_048 };
/** The most that the options of providers have, in bytes of JSON. */
const MAX_OPTIONS = 65_536;

const CHOICES: readonly unknown[] = ['auto', 'none', 'required'];
const EFFORTS: readonly unknown[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'];

/** Headers that hold a key, and those that carry the request or are the framework's. */
const KEYS =
  /^(?:proxy-)?authorization$|^(?:x-)?(?:\w+-)*api-key$|^cf-aig-authorization$|^cookie$|(?:^|-)(?:token|secret)$/;
const TRANSPORT = /^(?:host|connection|transfer-encoding|content-.*|accept|accept-encoding|traceparent|upgrade)$/;

function headersProblem(value: unknown): string | undefined {
  if (!isObject(value)) return 'must be an object of header names and strings';
  const given = Object.entries(value);
  if (given.length > HEADERS.count) return `has more than ${HEADERS.count} headers`;
  for (const [name, text] of given) {
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(name)) return `has "${name}", which is not a header name`;
    if (KEYS.test(name.toLowerCase()))
      return `may not have "${name}": give a key to the model, such as createOpenAI({ apiKey })`;
    if (TRANSPORT.test(name.toLowerCase())) return `may not have "${name}", which the request sets itself`;
    if (typeof text !== 'string' || !/^[\t\x20-\x7e]*$/.test(text) || text.length > HEADERS.characters)
      return `: the header "${name}" must be a string of at most ${HEADERS.characters} printable ASCII characters`;
  }
  return undefined;
}

function optionsProblem(value: unknown): string | undefined {
  const json = toJson(value, MAX_OPTIONS);
  if (!json.ok) return `cannot be sent: ${json.problem}`;
  if (!isObject(json.json) || !Object.values(json.json).every(isObject))
    return 'must be an object with an object of options by the name of each provider';
  if ('offshoot' in json.json) return 'may not have "offshoot", which the framework sets itself';
  return undefined;
}

function choiceProblem(value: unknown): string | undefined {
  if (CHOICES.includes(value)) return undefined;
  const names = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (names.length === 1 && names[0]?.[0] === 'tool' && typeof names[0][1] === 'string') return undefined;
  return "must be one of auto, none, required, or an object such as { tool: 'search' }";
}

function stopsProblem(value: unknown): string | undefined {
  const fits = (one: unknown) => typeof one === 'string' && one !== '' && one.length <= STOPS.characters;
  if (Array.isArray(value) && value.length <= STOPS.count && value.every(fits)) return undefined;
  return `must be a list of at most ${STOPS.count} texts of 1 to ${STOPS.characters} characters`;
}

function reasoningProblem(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return "must be an object such as { effort: 'low' }";
  const unknown = Object.keys(value).find((key) => key !== 'effort');
  if (unknown !== undefined) return `has the unknown option "${unknown}". Available: effort`;
  const effort = 'effort' in value ? value.effort : undefined;
  if (effort === undefined || EFFORTS.includes(effort)) return undefined;
  return `: \`reasoning.effort\` must be one of ${EFFORTS.join(', ')}`;
}

const CHECKS: { readonly [Name in SettingName]-?: Check } = {
  temperature: between(0, 2),
  topP: (value) =>
    typeof value === 'number' && value > 0 && value <= 1 ? undefined : 'must be a number above 0, at most 1',
  topK: whole(1, 1_000),
  maxOutputTokens: whole(1, 1_000_000),
  stopSequences: stopsProblem,
  seed: whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 'that JavaScript can hold exactly'),
  presencePenalty: between(-2, 2),
  frequencyPenalty: between(-2, 2),
  reasoning: reasoningProblem,
  toolChoice: choiceProblem,
  parallelToolCalls: flag,
  headers: headersProblem,
  providerOptions: optionsProblem,
  promptCache: flag,
  gatewayMetadata: flag,
};

const isSetting = (name: string): name is SettingName => Object.hasOwn(CHECKS, name);

/** The names of all settings. */
export const SETTING_NAMES: readonly SettingName[] = Object.keys(CHECKS).filter(isSetting);

/**
 * The first problem of settings, as a sentence; undefined where there is none. `tools` are those that a choice may name.
 */
export function settingsProblem(given: unknown, tools: readonly string[]): string | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return '`settings` must be an object.';
  for (const [name, value] of Object.entries(given)) {
    if (!isSetting(name)) return `\`settings\`: ${unknownProblem({ [name]: value }, SETTING_NAMES)}`;
    const problem = value === undefined ? undefined : CHECKS[name](value);
    if (problem !== undefined) return `\`settings.${name}\`${problem.startsWith(':') ? '' : ' '}${problem}.`;
  }
  const tool = 'toolChoice' in given && isObject(given.toolChoice) ? String(given.toolChoice.tool) : undefined;
  if (tool === undefined || tools.includes(tool)) return undefined;
  return `\`settings.toolChoice\` names the tool "${tool}", which does not exist. Available tools: ${tools.join(', ') || 'none'}.`;
}

/** True for settings in which no problem was found. */
export const isChecked = (_given: unknown, problem: string | undefined): _given is ModelSettings =>
  problem === undefined;

/** Settings that nobody can change any more. */
function frozen(given: ModelSettings): ModelSettings {
  const settings = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return deepFrozen(structuredClone(settings));
}

function deepFrozen<Value extends object>(value: Value): Value {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFrozen(inner);
  return Object.freeze(value);
}

/** Settings, checked. @throws OffshootError `invalid_definition` */
export function settingsOf(where: string, given: unknown, tools: readonly string[]): ModelSettings {
  if (given === undefined) return frozen({});
  const problem = settingsProblem(given, tools);
  if (!isChecked(given, problem)) invalidDefinition(`${where}: ${problem}`);
  return frozen(given);
}

/** The settings of a prompt: some are also fields of the prompt itself, and are set in one place alone. */
export function settingsOfPrompt(
  where: string,
  given: unknown,
  own: { readonly toolChoice?: ToolChoice | undefined; readonly reasoning?: ModelSettings['reasoning'] | undefined },
  tools: readonly string[],
): ModelSettings {
  const set = Object.entries(own).filter(([, value]) => value !== undefined);
  const twice = set.find(([name]) => typeof given === 'object' && given !== null && Object.hasOwn(given, name))?.[0];
  if (twice !== undefined)
    invalidDefinition(`${where} has \`${twice}\` and \`settings.${twice}\`; leave out one: they are the same.`);
  const problem = settingsProblem(Object.fromEntries(set), tools);
  if (problem !== undefined) invalidDefinition(`${where}: ${problem.replace('`settings.', '`')}`);
  const settings = settingsOf(where, given, tools);
  return frozen({ ...settings, ...Object.fromEntries(set) });
}
