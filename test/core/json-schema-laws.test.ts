/** Values checked by any JSON Schema, against a naive reading of its words (draft 2020-12, with two words of draft 7). */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromJsonSchema } from '../../src/core/definition/schemas/json-schema';
import { canonical, isObject, type Json, type JsonObject } from '../../src/protocol/json';
import { always } from '../support/sizes';

/** A word of JSON Schema that must make no promise of the object that has it. */
const THEN = 'then';

const NAMES = ['a', 'b', 'toString'];
const name = fc.constantFrom(...NAMES);
const small = fc.integer({ min: 0, max: 3 });
const scalar = fc.constantFrom<Json>(null, true, false, 0, 1, 2, 3, -1, 0.5, 2.5, '', 'a', 'ab', 'abc', '😀');
const value: fc.Arbitrary<Json> = fc.letrec<{ any: Json; list: Json[]; object: JsonObject }>((tie) => ({
  any: fc.oneof({ maxDepth: 2 }, scalar, tie('list'), tie('object')),
  list: fc.array(tie('any'), { maxLength: 4 }),
  object: fc.dictionary(name, tie('any'), { maxKeys: 3, noNullPrototype: true }),
})).any;

const TYPES = ['null', 'boolean', 'number', 'integer', 'string', 'array', 'object'];
const schema: fc.Arbitrary<Json> = fc.letrec<{ any: Json; some: Json[]; one: JsonObject }>((tie) => {
  const named = fc.dictionary(name, tie('any'), { maxKeys: 2, noNullPrototype: true });
  const names = fc.uniqueArray(name, { maxLength: 2 });
  const words: Readonly<Record<string, fc.Arbitrary<Json>>> = {
    type: fc.oneof(
      fc.constantFrom(...TYPES),
      fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 3 }),
    ),
    enum: fc.array(value, { minLength: 1, maxLength: 3 }),
    const: value,
    minimum: small,
    maximum: small,
    exclusiveMinimum: small,
    exclusiveMaximum: small,
    multipleOf: fc.constantFrom(1, 2, 0.5),
    minLength: small,
    maxLength: small,
    pattern: fc.constantFrom('^a', 'b', '^.$', '(?i)^A'),
    minItems: small,
    maxItems: small,
    uniqueItems: fc.boolean(),
    items: tie('any'),
    prefixItems: tie('some'),
    contains: tie('any'),
    minProperties: small,
    maxProperties: small,
    required: names,
    properties: named,
    patternProperties: fc.dictionary(fc.constantFrom('^a', 'o'), tie('any'), { maxKeys: 2, noNullPrototype: true }),
    additionalProperties: tie('any'),
    propertyNames: tie('any'),
    dependentRequired: fc.dictionary(name, names, { maxKeys: 2, noNullPrototype: true }),
    dependentSchemas: named,
    dependencies: fc.dictionary(name, fc.oneof(names, tie('any')), { maxKeys: 2, noNullPrototype: true }),
    allOf: tie('some'),
    anyOf: tie('some'),
    oneOf: tie('some'),
    not: tie('any'),
    if: tie('any'),
    else: tie('any'),
    [THEN]: tie('any'),
  };
  // Few words at once, so that a value has a chance to fit.
  const one = fc.uniqueArray(fc.constantFrom(...Object.keys(words)), { maxLength: 3 }).chain((chosen) =>
    fc.record(Object.fromEntries(chosen.map((word) => [word, words[word] ?? fc.constant(null)])), {
      noNullPrototype: true,
    }),
  );
  return {
    any: fc.oneof({ maxDepth: 3, depthSize: 'small' }, fc.constantFrom<Json>(true, false, {}), tie('one')),
    some: fc.array(tie('any'), { minLength: 1, maxLength: 3 }),
    one,
  };
}).any;

const isOf = (given: Json, type: Json): boolean => {
  if (type === 'null') return given === null;
  if (type === 'array') return Array.isArray(given);
  if (type === 'object') return isObject(given);
  return type === 'integer' ? Number.isInteger(given) : typeof given === type;
};
const same = (one: Json, other: Json): boolean => canonical(one) === canonical(other);
const listOf = (word: Json | undefined): readonly Json[] => (Array.isArray(word) ? word : []);
const entriesOf = (word: Json | undefined): [string, Json][] => (isObject(word) ? Object.entries(word) : []);
const at = (part: string): RegExp =>
  part.startsWith('(?i)') ? new RegExp(part.slice(4), 'iu') : new RegExp(part, 'u');

/** Each word as its own rule: whether a value is against it. */
const RULES: Readonly<Record<string, (given: Json, word: Json, whole: JsonObject) => boolean>> = {
  type: (given, word) => ![word].flat().some((type) => isOf(given, type)),
  enum: (given, word) => !listOf(word).some((one) => same(one, given)),
  const: (given, word) => !same(word, given),
  minimum: (given, word) => typeof given === 'number' && given < Number(word),
  maximum: (given, word) => typeof given === 'number' && given > Number(word),
  exclusiveMinimum: (given, word) => typeof given === 'number' && given <= Number(word),
  exclusiveMaximum: (given, word) => typeof given === 'number' && given >= Number(word),
  multipleOf: (given, word) => typeof given === 'number' && !Number.isInteger(given / Number(word)),
  minLength: (given, word) => typeof given === 'string' && [...given].length < Number(word),
  maxLength: (given, word) => typeof given === 'string' && [...given].length > Number(word),
  pattern: (given, word) => typeof given === 'string' && !at(String(word)).test(given),
  minItems: (given, word) => Array.isArray(given) && given.length < Number(word),
  maxItems: (given, word) => Array.isArray(given) && given.length > Number(word),
  uniqueItems: (given, word) =>
    word === true &&
    Array.isArray(given) &&
    given.some((one, index) => given.slice(index + 1).some((other) => same(one, other))),
  items: (given, word, { prefixItems }) =>
    Array.isArray(given) && given.slice(listOf(prefixItems).length).some((one) => !fits(word, one)),
  prefixItems: (given, word) =>
    Array.isArray(given) &&
    listOf(word).some((part, index) => index < given.length && !fits(part, given[index] ?? null)),
  contains: (given, word) => Array.isArray(given) && !given.some((one) => fits(word, one)),
  minProperties: (given, word) => isObject(given) && Object.keys(given).length < Number(word),
  maxProperties: (given, word) => isObject(given) && Object.keys(given).length > Number(word),
  required: (given, word) => isObject(given) && listOf(word).some((one) => !Object.hasOwn(given, String(one))),
  properties: (given, word) =>
    isObject(given) &&
    entriesOf(word).some(([key, part]) => Object.hasOwn(given, key) && !fits(part, given[key] ?? null)),
  patternProperties: (given, word) =>
    entriesOf(given).some(([key, one]) =>
      entriesOf(word).some(([part, rule]) => at(part).test(key) && !fits(rule, one)),
    ),
  additionalProperties: (given, word, { properties, patternProperties }) =>
    entriesOf(given).some(
      ([key, one]) =>
        !(isObject(properties) && Object.hasOwn(properties, key)) &&
        !entriesOf(patternProperties).some(([part]) => at(part).test(key)) &&
        !fits(word, one),
    ),
  propertyNames: (given, word) => entriesOf(given).some(([key]) => !fits(word, key)),
  dependentRequired: (given, word) => depends(given, word),
  dependentSchemas: (given, word) => depends(given, word),
  dependencies: (given, word) => depends(given, word),
  allOf: (given, word) => listOf(word).some((part) => !fits(part, given)),
  anyOf: (given, word) => !listOf(word).some((part) => fits(part, given)),
  oneOf: (given, word) => listOf(word).filter((part) => fits(part, given)).length !== 1,
  not: (given, word) => fits(word, given),
  if: (given, word, whole) => !fits((fits(word, given) ? whole[THEN] : whole.else) ?? true, given),
  else: () => false,
  [THEN]: () => false,
};

function depends(given: Json, rules: Json): boolean {
  return entriesOf(rules).some(([key, rule]) => {
    if (!isObject(given) || !Object.hasOwn(given, key)) return false;
    return Array.isArray(rule) ? rule.some((one) => !Object.hasOwn(given, String(one))) : !fits(rule, given);
  });
}

function fits(part: Json, given: Json): boolean {
  if (!isObject(part)) return part !== false;
  return Object.entries(part).every(([word, rule]) => RULES[word]?.(given, rule, part) !== true);
}

it('[DF22] any value fits any schema exactly if it is against none of its words', async () => {
  const seen = { fits: 0, not: 0 };
  const holds = fc.property(schema, value, (rule, given) => {
    if (!isObject(rule)) return;
    const parsed = fromJsonSchema(rule).safeParse(given);
    const expected = fits(rule, given);
    expect(parsed.success).toBe(expected);
    if (parsed.success) expect(parsed.data).toBe(given);
    seen[expected ? 'fits' : 'not'] += 1;
  });
  await always(holds, 700);
  expect(Math.min(seen.fits, seen.not)).toBeGreaterThan(60);
});

it.each([
  [{ contains: { const: 1 }, minContains: 2 }, [1, 1], [1, 2]],
  [{ contains: { const: 1 }, minContains: 0 }, [2], undefined],
  [{ items: [{ type: 'string' }], additionalItems: { type: 'number' } }, ['a', 1], ['a', 'b']],
  [{ items: [{ type: 'string' }] }, ['a', 'b', 1], [1]],
] as const)('[DF22] %j takes %j, and not %j', (rule, yes, no) => {
  const takes = (given: unknown) => fromJsonSchema(JSON.parse(JSON.stringify(rule))).safeParse(given).success;
  expect(takes(yes)).toBe(true);
  if (no !== undefined) expect(takes(no)).toBe(false);
});
