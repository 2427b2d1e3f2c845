/**
 * What every definition is checked with, whoever makes it.
 *
 * Decides: which option a misspelt one is taken for.
 * Keeps DF1, DF24, DF29, DF30.
 */
import { isBlank } from '../../protocol/content/blank';
import { OffshootError } from '../../protocol/errors';

/** @throws OffshootError `invalid_definition`, with what to change */
export function invalidDefinition(what: string): never {
  throw new OffshootError('invalid_definition', what);
}

/** Names of options in other frameworks, in lower case, with ours. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  instructions: 'systemPrompt',
  system: 'systemPrompt',
  parameters: 'inputSchema',
  schema: 'inputSchema',
  handler: 'execute',
  run: 'execute',
  needsapproval: 'requireApproval',
  timeout: 'timeoutMs',
};

/** The option that a name was meant for, where one is near. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const small = name.toLowerCase();
  const other = OTHER_NAMES[small];
  if (other !== undefined && known.includes(other)) return other;
  const [found] = known
    .map((one) => ({ one, edits: editsBetween(small, one.toLowerCase()) }))
    .filter(({ one, edits }) => edits * 3 <= Math.max(one.length, 3))
    .sort((a, b) => a.edits - b.edits);
  return found?.one;
}

/** The number of letters to add, remove or change until one word is the other. */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let at = 1; at <= from.length; at += 1) {
    const next = [at];
    for (let other = 1; other <= to.length; other += 1) {
      const changed = (row[other - 1] ?? 0) + (from[at - 1] === to[other - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[other] ?? 0) + 1, (next[other - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** A misspelt option would be left out without a word, and with it what it should guard. */
export function refuseUnknown(what: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    invalidDefinition(
      `${what} must be an object with options, but is ${kindOf(options)}. Available options: ${known.join(', ')}.`,
    );
  const unknown = Object.keys(options).filter((key) => !known.includes(key));
  if (unknown.length === 0) return;
  const meant = [...new Set(unknown.flatMap((name) => nearest(name, known) ?? []))];
  const advice = meant.length === 0 ? '' : ` Did you mean ${meant.map((name) => `\`${name}\``).join(', ')}?`;
  invalidDefinition(
    `${what} has unknown options: ${unknown.join(', ')}. Available options: ${known.join(', ')}.${advice}`,
  );
}

/** The name of a definition in an error, such as `Tool "clock"`; `A tool` where it has none. */
export const labelOf = (kind: string, given: unknown): string =>
  typeof given === 'object' && given !== null && 'name' in given && typeof given.name === 'string'
    ? `${kind} "${given.name}"`
    : `${/^[AEIOU]/.test(kind) ? 'An' : 'A'} ${kind.toLowerCase()}`;

/** The kind of a wrong value, in words. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'a string';
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

const KINDS = {
  text: ['a string', (value: unknown) => typeof value === 'string'],
  flag: ['true or false', (value: unknown) => typeof value === 'boolean'],
  function: ['a function', (value: unknown) => typeof value === 'function'],
  list: ['a list', (value: unknown) => Array.isArray(value)],
} as const;

/** Refuses an option of a wrong kind; one that is missing has its default. */
export function checkKinds(where: string, options: object, kinds: Readonly<Record<string, keyof typeof KINDS>>): void {
  for (const [option, value] of Object.entries(options)) {
    const kind = Object.hasOwn(kinds, option) ? kinds[option] : undefined;
    if (value === undefined || kind === undefined) continue;
    const [words, fits] = KINDS[kind];
    if (!fits(value)) invalidDefinition(`${where}: \`${option}\` must be ${words}, but is ${kindOf(value)}.`);
    if (kind === 'text') checkSaid(where, option, value);
  }
}

/** Refuses a text for a model that is blank: no provider takes it. An empty one says that there is none. */
function checkSaid(where: string, option: string, text: unknown): void {
  if (typeof text === 'string' && text !== '' && isBlank(text))
    invalidDefinition(`${where}: \`${option}\` is blank; write something, or pass an empty string.`);
}

/** Refuses a text that has to be there and is missing, empty or blank; `such as` shows one. */
export function checkNeeded(where: string, option: string, text: unknown, example: string): void {
  if (typeof text === 'string' && !isBlank(text)) return;
  const problem = typeof text === 'string' ? 'is empty' : `must be a string, but is ${kindOf(text)}`;
  invalidDefinition(`${where}: \`${option}\` ${problem}. Write ${example}.`);
}
