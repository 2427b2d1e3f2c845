/**
 * Scripts of scripted models, checked when they are made and when a function returns an entry.
 *
 * Decides: which field a misspelt one was meant for.
 * Keeps M113, M116.
 */
import { invalidDefinition, kindOf, nearest } from '../core/definition/invalid';
import { isErrorCode } from '../protocol/errors';
import type { Script, ScriptCall, ScriptFailure, ScriptOptions, ScriptStep, ScriptUsage } from './script';

/** The longest wait of a timer. Unit: ms. */
const MAX_WAIT_MS = 2_147_483_647;

const whole = (value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): boolean =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most;

/** Kinds of values: the words for each, and whether a value is one. */
const KINDS = {
  any: ['', () => true],
  string: ['a string', (value: unknown) => typeof value === 'string'],
  boolean: ['true or false', (value: unknown) => typeof value === 'boolean'],
  list: ['a list', (value: unknown) => Array.isArray(value)],
  object: ['an object', (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)],
  wait: [
    `a number from 0 to ${MAX_WAIT_MS}`,
    (value: unknown) => typeof value === 'number' && value >= 0 && value <= MAX_WAIT_MS,
  ],
  count: ['a whole number from 0', (value: unknown) => whole(value, 0)],
  size: ['a whole number from 1', (value: unknown) => whole(value, 1)],
  status: ['an HTTP status', (value: unknown) => whole(value, 100, 599)],
  code: ['an error code of Offshoot', (value: unknown) => typeof value === 'string' && isErrorCode(value)],
} as const;

/** A kind, or the only words that a field takes. */
type Kind = keyof typeof KINDS | readonly string[];
type Fields<Shape> = Readonly<Record<keyof Shape, Kind>>;

const STEP: Fields<ScriptStep> = {
  ...{ text: 'string', thinking: 'string', calls: 'list', finish: 'any', usage: 'object' },
  ...{ finishReason: ['stop', 'length', 'content-filter', 'tool-calls', 'other'], model: 'string' },
  ...{ delayMs: 'wait', chunkDelayMs: 'wait', chunkSize: 'size', fail: 'object', failAfterChunks: 'count' },
  ...{ hang: ['until-aborted', 'forever'], ignoreAbort: 'boolean' },
};
const CALL: Fields<ScriptCall> = { name: 'string', input: 'any', rawInput: 'string', id: 'string' };
const FAILURE: Fields<ScriptFailure> = { status: 'status', code: 'code', message: 'string', retryable: 'boolean' };
const USAGE: Fields<ScriptUsage> = {
  ...{ inputTokens: 'count', outputTokens: 'count', cachedTokens: 'count', reasoningTokens: 'count' },
};
const OPTIONS: Fields<ScriptOptions> = { by: ['step', 'call'], record: 'boolean', modelId: 'string' };

/** Names of fields in other frameworks, with ours. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  content: 'text',
  toolCalls: 'calls',
  tools: 'calls',
  output: 'finish',
  error: 'fail',
  tool: 'name',
  toolName: 'name',
  args: 'input',
  arguments: 'input',
};

/** The values that a field takes; undefined if it takes this one. */
function neededInstead(value: unknown, kind: Kind): string | undefined {
  if (typeof kind === 'object')
    return typeof value === 'string' && kind.includes(value)
      ? undefined
      : `${kind.slice(0, -1).join(', ')} or ${kind.at(-1)}`;
  const [words, fits] = KINDS[kind];
  return fits(value) ? undefined : words;
}

/** A wrong value as an error shows it: a kind says nothing of a number that is too small, or of a misspelt word. */
const shown = (value: unknown): string =>
  typeof value === 'number'
    ? String(value)
    : typeof value === 'string' && value.length < 40
      ? `"${value}"`
      : kindOf(value);

/** Refuses a value that is no object of these fields. @throws OffshootError `invalid_definition` */
function checkFields(where: string, given: unknown, fields: Readonly<Record<string, Kind>>): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    invalidDefinition(
      `${where} must be an object, but is ${kindOf(given)}. Available fields: ${Object.keys(fields).join(', ')}.`,
    );
  const known = Object.keys(fields);
  for (const [name, value] of Object.entries(given)) {
    const kind = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (kind === undefined) {
      const other = Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : undefined;
      const meant = other !== undefined && known.includes(other) ? [other] : nearest(name, known);
      const advice =
        meant.length === 0
          ? `Available fields: ${known.join(', ')}.`
          : `Did you mean ${meant.map((one) => `\`${one}\``).join(' or ')}?`;
      invalidDefinition(`${where} has the unknown field \`${name}\`. ${advice}`);
    }
    const needed = value === undefined ? undefined : neededInstead(value, kind);
    if (needed !== undefined) invalidDefinition(`${where}: \`${name}\` must be ${needed}, but is ${shown(value)}.`);
  }
}

/** Refuses a text that is missing or empty. `advice` is what to write. */
function checkText(where: string, name: string, text: string | undefined, advice: string): void {
  if (text === undefined || text === '')
    invalidDefinition(`${where}: \`${name}\` is ${text === undefined ? 'missing' : 'empty'}: write ${advice}.`);
}

/** Refuses a wrong entry of a script. @throws OffshootError `invalid_definition` */
export function checkStep(where: string, given: ScriptStep): void {
  checkFields(where, given, STEP);
  const { calls = [], usage, fail } = given;
  calls.forEach((call, at) => {
    const place = `${where}, \`calls[${at}]\``;
    checkFields(place, call, CALL);
    checkText(place, 'name', call.name, "a tool's name");
    if (call.input !== undefined && call.rawInput !== undefined)
      invalidDefinition(`${place} has both \`input\` and \`rawInput\`: write one of them.`);
  });
  if (usage !== undefined) checkFields(`${where}, \`usage\``, usage, USAGE);
  if (fail === undefined) return;
  checkFields(`${where}, \`fail\``, fail, FAILURE);
  checkText(`${where}, \`fail\``, 'message', fail.message, 'why the model fails');
}

/** Refuses a wrong script. `what` begins a sentence, such as `Script`. @throws OffshootError `invalid_definition` */
export function checkScript(what: string, given: Script): void {
  if (typeof given === 'function') return;
  if (!Array.isArray(given))
    invalidDefinition(
      `${what} must be a list of entries, such as [{ text: 'Hello.' }], or a function, but is ${kindOf(given)}.`,
    );
  given.forEach((entry, at) => {
    if (typeof entry !== 'function') checkStep(`${what} entry ${at + 1}`, entry);
  });
}

/** Refuses wrong scripts by agent types. @throws OffshootError `invalid_definition` */
export function checkScripts(given: Readonly<Record<string, Script>>): void {
  if (neededInstead(given, 'object') !== undefined)
    invalidDefinition(
      `routingScriptedModel needs an object of scripts by the name of an agent, but its first argument is ${kindOf(given)}.`,
    );
  for (const [type, script] of Object.entries(given)) checkScript(`Script "${type}"`, script);
}

/** Refuses options that no scripted model has. @throws OffshootError `invalid_definition` */
export function checkOptions(given: ScriptOptions): void {
  checkFields('The options of a scripted model', given, OPTIONS);
}
