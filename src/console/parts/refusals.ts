/** What a validator says of a field, for who has to fill it in: the server's own words are for developers. */

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'empty',
};

const REQUIRED = 'Required.';
const several = (count: string, one: string): string => `${count} ${count === '1' ? one : `${one}s`}`;

type Saying = readonly [pattern: RegExp, says: (...parts: readonly string[]) => string];

/** The first that fits counts. */
const SAYINGS: readonly Saying[] = [
  [/^Invalid input: expected .+, received undefined$/u, () => REQUIRED],
  [/^Invalid input: expected (\w+), received (?:\w+)$/u, (kind = '') => `Must be ${KINDS[kind] ?? kind}.`],
  [/^Invalid input: expected (.+)$/u, (value = '') => `Must be ${value}.`],
  [/^Too small: expected string to have >=1 characters$/u, () => REQUIRED],
  [
    /^Too small: expected string to have >=(\d+) characters$/u,
    (n = '') => `Write at least ${several(n, 'character')}.`,
  ],
  [/^Too big: expected string to have <=(\d+) characters$/u, (n = '') => `Write at most ${several(n, 'character')}.`],
  [/^Too small: expected \w+ to have >=(\d+) items$/u, (n = '') => `Add at least ${several(n, 'item')}.`],
  [/^Too big: expected \w+ to have <=(\d+) items$/u, (n = '') => `Enter at most ${several(n, 'item')}.`],
  [/^Too small: expected \w+ to be >=(\S+)$/u, (n = '') => `Must be ${n} or more.`],
  [/^Too small: expected \w+ to be >(\S+)$/u, (n = '') => `Must be more than ${n}.`],
  [/^Too big: expected \w+ to be <=(\S+)$/u, (n = '') => `Must be ${n} or less.`],
  [/^Too big: expected \w+ to be <(\S+)$/u, (n = '') => `Must be less than ${n}.`],
  [
    /^Invalid option: expected one of (.+)$/u,
    (all = '') => `Choose one of ${all.replaceAll('"', '').replaceAll('|', ', ')}.`,
  ],
  [/^Invalid number: must be a multiple of (\S+)$/u, (n = '') => `Must be a multiple of ${n}.`],
  [/^Invalid string: must match pattern (.+)$/u, (pattern = '') => `Must match the pattern ${pattern}.`],
  [/^Invalid string: must (start|end) with "(.*)"$/u, (side = '', text = '') => `Must ${side} with ${text}.`],
  [/^Invalid input$/u, () => 'Invalid value.'],
  [/^Invalid key in \w+$/u, () => 'One of these names is invalid.'],
  [/^Invalid value in \w+$/u, () => 'One of these values is invalid.'],
  [
    /^Invalid discriminator value\. Expected (.+)$/u,
    (all = '') => `Choose one of ${all.replaceAll("'", '').replaceAll(' | ', ', ')}.`,
  ],
  [/^Invalid (.+)$/u, (what = '') => `Not a valid ${what}.`],
  [/^Unrecognized keys?: (.+)$/u, (names = '') => `Unknown field: ${names.replaceAll('"', '')}.`],
];

/** The words for a message of the validator; one that is not known is said as it is. */
export function inPlainWords(message: string): string {
  for (const [pattern, says] of SAYINGS) {
    const found = pattern.exec(message);
    if (found !== null) return says(...found.slice(1));
  }
  return message;
}
