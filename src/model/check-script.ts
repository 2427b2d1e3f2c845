/**
 * Scripts of scripted models, checked when they are made and when a function returns an entry.
 *
 * Decides: which field a misspelt one was meant for.
 * Keeps M113.
 */
import { invalidDefinition, kindOf, nearest } from '../core/definition/invalid';
import type { Script, ScriptCall, ScriptFailure, ScriptOptions, ScriptStep, ScriptUsage } from './script';

type Kind = 'string' | 'number' | 'boolean' | 'list' | 'object' | 'any';
type Fields<Shape> = Readonly<Record<keyof Shape, Kind>>;

const STEP: Fields<ScriptStep> = {
  ...{ text: 'string', thinking: 'string', calls: 'list', finish: 'any', usage: 'object', finishReason: 'string' },
  ...{ model: 'string', delayMs: 'number', chunkDelayMs: 'number', chunkSize: 'number', fail: 'object' },
  ...{ failAfterChunks: 'number', hang: 'string', ignoreAbort: 'boolean' },
};
const CALL: Fields<ScriptCall> = { name: 'string', input: 'any', rawInput: 'string', id: 'string' };
const FAILURE: Fields<ScriptFailure> = { status: 'number', code: 'string', message: 'string', retryable: 'boolean' };
const USAGE: Fields<ScriptUsage> = {
  ...{ inputTokens: 'number', outputTokens: 'number', cachedTokens: 'number', reasoningTokens: 'number' },
};
const OPTIONS: Fields<ScriptOptions> = { by: 'string', record: 'boolean', modelId: 'string' };

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

const WORDS = { list: 'a list', object: 'an object', boolean: 'true or false', string: 'a string', number: 'a number' };

function fits(value: unknown, kind: Kind): boolean {
  if (kind === 'any') return true;
  if (kind === 'list') return Array.isArray(value);
  if (kind === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === kind;
}

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
      const meant = other !== undefined && known.includes(other) ? other : nearest(name, known);
      const advice = meant === undefined ? `Available fields: ${known.join(', ')}.` : `Did you mean \`${meant}\`?`;
      invalidDefinition(`${where} has the unknown field \`${name}\`. ${advice}`);
    }
    if (value !== undefined && kind !== 'any' && !fits(value, kind))
      invalidDefinition(`${where}: \`${name}\` must be ${WORDS[kind]}, but is ${kindOf(value)}.`);
  }
}

/** Refuses a wrong entry of a script. @throws OffshootError `invalid_definition` */
export function checkStep(where: string, given: ScriptStep): void {
  checkFields(where, given, STEP);
  const { calls = [], usage, fail } = given;
  calls.forEach((call, at) => {
    checkFields(`${where}, \`calls[${at}]\``, call, CALL);
    if (call.name === undefined)
      invalidDefinition(`${where}, \`calls[${at}]\`: \`name\` is missing: write a tool's name.`);
  });
  if (usage !== undefined) checkFields(`${where}, \`usage\``, usage, USAGE);
  if (fail !== undefined) checkFields(`${where}, \`fail\``, fail, FAILURE);
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
  if (!fits(given, 'object'))
    invalidDefinition(
      `routingScriptedModel needs an object of scripts by the name of an agent, but its first argument is ${kindOf(given)}.`,
    );
  for (const [type, script] of Object.entries(given)) checkScript(`Script "${type}"`, script);
}

/** Refuses options that no scripted model has. @throws OffshootError `invalid_definition` */
export function checkOptions(given: ScriptOptions): void {
  checkFields('The options of a scripted model', given, OPTIONS);
  const { by = 'step' } = given;
  if (by !== 'step' && by !== 'call') invalidDefinition('The options of a scripted model: `by` must be step or call.');
}
