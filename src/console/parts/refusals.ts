/** What a validator says of a field, for who has to fill it in: the server's own words are for developers. */

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  integer: 'a whole number',
  boolean: 'yes or no',
  array: 'a list',
  object: 'a set of fields',
  record: 'a set of fields',
  null: 'empty',
};

const REQUIRED = 'This is required.';
const several = (count: string, one: string): string => `${count} ${count === '1' ? one : `${one}s`}`;

type Saying = readonly [pattern: RegExp, says: (...parts: readonly string[]) => string];

/** The first that fits counts. */
const SAYINGS: readonly Saying[] = [
  [/^Invalid input: expected .+, received undefined$/u, () => REQUIRED],
  [/^Invalid input: expected (\w+), received (?:\w+)$/u, (kind = '') => `This has to be ${KINDS[kind] ?? kind}.`],
  [/^Invalid input: expected (.+)$/u, (value = '') => `This has to be ${value}.`],
  [/^Too small: expected string to have >=1 characters$/u, () => REQUIRED],
  [
    /^Too small: expected string to have >=(\d+) characters$/u,
    (n = '') => `Write at least ${several(n, 'character')}.`,
  ],
  [/^Too big: expected string to have <=(\d+) characters$/u, (n = '') => `Write at most ${several(n, 'character')}.`],
  [/^Too small: expected \w+ to have >=(\d+) items$/u, (n = '') => `Add at least ${several(n, 'item')}.`],
  [/^Too big: expected \w+ to have <=(\d+) items$/u, (n = '') => `Leave at most ${several(n, 'item')}.`],
  [/^Too small: expected \w+ to be >=(\S+)$/u, (n = '') => `This has to be ${n} or more.`],
  [/^Too small: expected \w+ to be >(\S+)$/u, (n = '') => `This has to be more than ${n}.`],
  [/^Too big: expected \w+ to be <=(\S+)$/u, (n = '') => `This has to be ${n} or less.`],
  [/^Too big: expected \w+ to be <(\S+)$/u, (n = '') => `This has to be less than ${n}.`],
  [
    /^Invalid option: expected one of (.+)$/u,
    (all = '') => `Choose one of ${all.replaceAll('"', '').replaceAll('|', ', ')}.`,
  ],
  [/^Invalid number: must be a multiple of (\S+)$/u, (n = '') => `This has to be a multiple of ${n}.`],
  [/^Invalid string: must match pattern (.+)$/u, (pattern = '') => `This is not written as it has to be: ${pattern}.`],
  [/^Invalid string: must (start|end) with "(.*)"$/u, (side = '', text = '') => `This has to ${side} with ${text}.`],
  [/^Invalid input$/u, () => 'This is not what is asked for here.'],
  [/^Invalid key in \w+$/u, () => 'There is a name among these that cannot be one.'],
  [/^Invalid value in \w+$/u, () => 'There is a value among these that cannot be one.'],
  [
    /^Invalid discriminator value\. Expected (.+)$/u,
    (all = '') => `Choose one of ${all.replaceAll("'", '').replaceAll(' | ', ', ')}.`,
  ],
  [/^Invalid (.+)$/u, (what = '') => `This is no ${what}.`],
  [/^Unrecognized keys?: (.+)$/u, (names = '') => `There is no field ${names.replaceAll('"', '')}.`],
];

/** The words for a message of the validator; one that is not known is said as it is. */
export function inPlainWords(message: string): string {
  for (const [pattern, says] of SAYINGS) {
    const found = pattern.exec(message);
    if (found !== null) return says(...found.slice(1));
  }
  return message;
}
