/** JSON Schemas of tools that others wrote: the model reads them word for word, and arguments are checked as far as can be. */
import { jsonSchema, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { seatOf } from '../../src/core/agent/seat';
import type { AiTool } from '../../src/core/definition/ai-tool';
import { defineAgent } from '../../src/core/definition/define-agent';
import { fromJsonSchema } from '../../src/core/definition/schemas/json-schema';
import { costOf } from '../../src/core/definition/schemas/pattern-cost';
import type { JsonObject } from '../../src/protocol/json';
import { noModel } from '../support/no-model';

/** A word of JSON Schema that must make no promise of the object that has it. */
const THEN = 'then';

const problems = (schema: JsonObject, value: unknown): string[] => {
  const parsed = fromJsonSchema(schema).safeParse(value);
  if (parsed.success) expect(parsed.data).toEqual(value);
  return (parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
};
const TOO_LONG = ': takes too long to check: send less of it';
const specOf = (given: AiTool) =>
  seatOf(defineAgent({ name: 'a', systemPrompt: 'Work.', model: noModel, tools: { it: given } })).tools[0];
const aiTool = (schema: object): AiTool => tool({ inputSchema: jsonSchema(schema), execute: () => 'ok' });

/** Each with a value that fits, one that does not, and what is said of that. */
const RULES: readonly [word: string, schema: JsonObject, fits: unknown, not: unknown, said: string][] = [
  ['type', { type: 'object' }, {}, [], 'must be object, and is array'],
  ['types', { type: ['string', 'null'] }, null, 1, 'must be string or null'],
  ['integer', { type: 'integer' }, 2, 2.5, 'must be integer'],
  ['required', { required: ['toString'] }, { toString: 1 }, {}, 'toString: is missing'],
  ['properties', { properties: { a: { type: 'string' } } }, { a: 'x', b: 1 }, { a: 1 }, 'a: must be string'],
  [
    'additionalProperties',
    { properties: { a: {} }, additionalProperties: false },
    { a: 1 },
    { b: 1 },
    'b: is not allowed',
  ],
  [
    'patternProperties',
    { patternProperties: { '^x': { type: 'string' } } },
    { x1: 'a', y: 1 },
    { x1: 1 },
    'x1: must be',
  ],
  ['propertyNames', { propertyNames: { maxLength: 1 } }, { a: 1 }, { ab: 1 }, 'ab: must have 1 characters or less'],
  ['minProperties', { minProperties: 1 }, { a: 1 }, {}, 'must have 1 properties or more'],
  ['dependentRequired', { dependentRequired: { a: ['b'] } }, { b: 1 }, { a: 1 }, 'b: is missing, because a is there'],
  ['dependentSchemas', { dependentSchemas: { a: { required: ['b'] } } }, {}, { a: 1 }, 'b: is missing'],
  [
    'if',
    { if: { required: ['a'] }, [THEN]: { required: ['b'] }, else: { required: ['c'] } },
    { a: 1, b: 1 },
    { a: 1 },
    'b: is missing',
  ],
  [
    'else',
    { if: { required: ['a'] }, [THEN]: { required: ['b'] }, else: { required: ['c'] } },
    { c: 1 },
    {},
    'c: is missing',
  ],
  ['not', { not: { required: ['a'] } }, { b: 1 }, { a: 1 }, 'must not fit {"required":["a"]}'],
  [
    'anyOf',
    { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    { b: 1 },
    {},
    'matches none of `anyOf`: a is missing',
  ],
  [
    'oneOf',
    { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    { b: 1 },
    { a: 1, b: 1 },
    'fits more than one of `oneOf`',
  ],
  ['allOf', { allOf: [{ required: ['a'] }, { required: ['b'] }] }, { a: 1, b: 1 }, { a: 1 }, 'b: is missing'],
  ['enum', { enum: [1, { a: [null] }] }, { a: [null] }, 2, 'must be one of'],
  ['const', { const: { b: 1, a: 2 } }, { a: 2, b: 1 }, { a: 2 }, 'must be {"b":1,"a":2}'],
  ['minimum', { minimum: 1 }, 1, 0, 'must be 1 or more'],
  ['exclusiveMaximum', { exclusiveMaximum: 1 }, 0.5, 1, 'must be less than 1'],
  ['multipleOf', { multipleOf: 0.1 }, 0.3, 0.35, 'must be a multiple of 0.1'],
  ['minLength', { minLength: 2 }, '😀a', '😀', 'must have 2 characters or more'],
  ['pattern', { pattern: '^a' }, 'ab', 'ba', 'must match ^a'],
  ['an inline flag', { pattern: '(?i)^a' }, 'Ab', 'Ba', 'must match'],
  ['items', { items: { type: 'string' } }, ['a'], ['a', 1], '1: must be string'],
  [
    'prefixItems',
    { prefixItems: [{ type: 'string' }], items: { type: 'number' } },
    ['a', 1],
    ['a', 'b'],
    '1: must be number',
  ],
  ['a tuple of draft 7', { items: [{ type: 'string' }], additionalItems: false }, ['a'], ['a', 1], '1: is not allowed'],
  ['maxItems', { maxItems: 1 }, [1], [1, 2], 'must have 1 items or less'],
  ['uniqueItems', { uniqueItems: true }, [1, 2], [{ a: 1 }, { a: 1 }], 'must not have an item twice'],
  ['contains', { contains: { const: 1 } }, [2, 1], [2], 'lacks an item'],
  [
    '$ref',
    { $defs: { 'a/b': { type: 'string' } }, properties: { x: { $ref: '#/$defs/a~1b' } } },
    { x: 'a' },
    { x: 1 },
    'x: must be',
  ],
  [
    'a reference to itself',
    { properties: { x: { $ref: '#' } }, required: ['n'] },
    { n: 1 },
    { n: 1, x: {} },
    'x.n: is missing',
  ],
];

describe('a JSON Schema', () => {
  it.for(RULES)('[DF22] checks %s', ([, schema, fits, not, said]) => {
    expect(problems(schema, fits)).toEqual([]);
    expect(problems(schema, not).join('\n')).toContain(said);
  });

  it('[DF22] leaves unchecked what it does not know, and ends where it refers to itself without end', () => {
    const unknown = {
      unevaluatedProperties: false,
      format: 'email',
      pattern: '(?<!a{',
      $dynamicRef: '#x',
      $ref: 'other.json',
    };
    expect(problems(unknown, { any: 'thing' })).toEqual([]);
    expect(problems(unknown, 'text')).toEqual([]);
    expect(problems({ $ref: '#' }, 1)).toEqual([]);
    expect(problems({ anyOf: [{ $ref: '#' }, { type: 'string' }] }, 'a')).toEqual([]);
  });

  const twice = (levels: number): JsonObject => {
    const to = (level: number) => ({ $ref: `#/$defs/d${level}` });
    const defs = Array.from({ length: levels }, (_, level) => [`d${level}`, { allOf: [to(level + 1), to(level + 1)] }]);
    return { $defs: Object.fromEntries([...defs, [`d${levels}`, { type: 'string' }]]), ...to(0) };
  };
  const [names, items] = [Array.from({ length: 50_000 }, (_, at) => `n${at}`), Array<number>(50_000).fill(1)];
  const often = (part: JsonObject): JsonObject => ({
    $defs: { part },
    allOf: Array(50_000).fill({ $ref: '#/$defs/part' }),
  });

  it.for<[string, JsonObject, unknown]>([
    ['references that double at each level', twice(200), 1],
    ['the same under a `not`', { ...twice(200), $ref: '#/no', not: { $ref: '#/$defs/d0' } }, 'x'],
    ['itself twice', { allOf: [{ $ref: '#' }, { $ref: '#' }] }, {}],
    ['many names, often', often({ required: names }), Object.fromEntries(names.map((name) => [name, 1]))],
    ['many words, often', often({ enum: [...names, ''] }), ''],
    ['many items, often', often({ uniqueItems: true }), items.map((_, at) => at)],
    ['many unknown words, often', often(Object.fromEntries(names.map((name) => [name, 1]))), 1],
    ['many rules, often', often({ dependentRequired: Object.fromEntries(names.map((name) => [name, []])) }), {}],
    [
      'many names with many expressions',
      { patternProperties: Object.fromEntries(names.map((name) => [`^(${name}+)+$`, true])) },
      Object.fromEntries(names.map((name) => [name, 1])),
    ],
    ['a long text, often', often({ minLength: 1 }), 'x'.repeat(1_000_000)],
    ['a pattern that repeats a repetition', { pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`],
    ['one that repeats a choice', { pattern: '^(a|a)*$' }, `${'a'.repeat(60)}!`],
    ['one that repeats an option', { pattern: '^(a?){50}$' }, 'a'.repeat(60)],
    ['one with many options', { pattern: `^${'a?'.repeat(60)}${'a'.repeat(60)}$` }, 'a'.repeat(59)],
    ['one with many choices', { pattern: `^${'(a|a)'.repeat(60)}$` }, `${'a'.repeat(59)}!`],
    ['one with many repetitions', { pattern: '.*.*.*.*.*.*.*x' }, 'a'.repeat(500)],
    ['one that looks back', { pattern: '^(.*)\\1\\1\\1$' }, 'a'.repeat(400)],
    ['one at a name', { patternProperties: { '^(a+)+$': false } }, { [`${'a'.repeat(60)}!`]: 1 }],
    ['one with many exact repetitions', { pattern: `${'a{1000}'.repeat(200)}b` }, 'a'.repeat(300_000)],
    ['one that repeats a group exactly', { pattern: '(?:(?:a{60}){60}){60}b' }, 'a'.repeat(300_000)],
    ['one with many characters', { pattern: `${'a'.repeat(1_990)}b` }, 'a'.repeat(1_000_000)],
  ])('[DF48, DF51] ends soon; refuses the value, or leaves the pattern unchecked: %s', ([what, schema, value]) => {
    const found = problems(schema, value).filter((problem) => !problem.endsWith('is not allowed'));
    expect(found).toEqual(what.includes('pattern') || what.startsWith('one ') ? [] : [TOO_LONG]);
  });

  it('[DF51] no part of a value whose check takes too long is taken for checked', () => {
    const schema = { properties: { path: { enum: ['/safe'] } } };
    const filled = (items: number) => ({ path: '/other', more: Array(items).fill(0) });
    expect(problems({ ...schema, additionalProperties: { items: {} } }, filled(10))).toEqual([
      'path: must be one of ["/safe"]',
    ]);
    expect(problems({ ...schema, additionalProperties: { items: {} } }, filled(200_000))).toEqual([TOO_LONG]);
  });

  it('[DF48] long words of a schema are read seldom, and said by their beginning', () => {
    const choice = (level: number) => ({ $ref: `#/$defs/c${level}` });
    const levels = Array.from({ length: 16 }, (_, n) => [`c${n + 1}`, { anyOf: [choice(n), choice(n)] }]);
    for (const leaf of [{ const: 'x'.repeat(1_000_000) }, { not: { title: 'x'.repeat(1_000_000) } }])
      expect(problems({ $defs: { c0: leaf, ...Object.fromEntries(levels) }, ...choice(16) }, 'y')).toEqual([TOO_LONG]);
    const [said = ''] = problems({ enum: Array.from({ length: 1_000 }, (_, n) => `word ${n}`) }, 'y');
    expect([said.length < 1_100, said.startsWith(': must be one of ["word 0","word 1"')]).toEqual([true, true]);
    const within = problems({ anyOf: [{ items: { type: 'number' } }] }, Array(1_000).fill(''));
    expect(within.map((each) => each.split('must be number').length - 1)).toEqual([10]);
  });

  it('[DF48] many patterns that take long to read are left unchecked', () => {
    const allOf = Array.from({ length: 100 }, (_, n) => ({ pattern: `${'\\p{L}'.repeat(390)}${n}` }));
    expect(problems({ allOf, maxLength: 0 }, 'a').length).toBeLessThan(20);
  });

  it('[DF48, DF51] patterns that take long leave time for all else', () => {
    const items = { pattern: '.*.*x', minLength: 200 };
    const found = problems({ items }, [...Array(20_000).fill('a'.repeat(200)), 'a']);
    expect(found).toEqual([
      '0: must match .*.*x',
      '20000: must have 200 characters or more',
      '20000: must match .*.*x',
    ]);
  });

  it('[DF48] no `not`, `oneOf` or `if` refuses a value for what was left unchecked', () => {
    const slow: JsonObject = { pattern: '^(a+)+$' };
    const none: JsonObject = { $ref: '#/none' };
    const deep = Array.from({ length: 300 }).reduce<JsonObject>((part) => ({ allOf: [part] }), { type: 'string' });
    for (const part of [slow, none, { $ref: 'other.json' }, { pattern: '(?<!a{' }, deep]) {
      expect(problems({ not: part }, 'a')).toEqual([]);
      expect(problems({ oneOf: [part, { type: 'string' }] }, 'a')).toEqual([]);
      expect(problems({ if: part, [THEN]: false, else: false }, 'a')).toEqual([]);
      expect(problems({ anyOf: [part, { type: 'number' }] }, 'a')).toEqual([]);
    }
    expect(problems({ if: { type: 'number' }, else: false }, 'a')).toEqual([': is not allowed']);
    expect(problems({ if: { type: 'string' }, [THEN]: false }, 'a')).toEqual([': is not allowed']);
  });

  it('[DF48] patterns of every day are checked, and so is one that is long on a short text', () => {
    const fits: [string, string, string][] = [
      ['^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$', 'ann@example.com', 'ann'],
      ['^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$', '01234567-89ab-cdef-0123-456789abcdef', '0123'],
      ['^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2})?Z?)?$', '2026-11-28T07:00Z', '2026-11'],
      ['^https?://[^/]+(/.*)?$', 'https://a.example/x', 'ftp://a'],
      ['^(?<kind>low|high)[|(*+]?$', 'high', 'middle'],
      ['^(?=.{2,5}$)[a-z]+$', 'abc', 'a'],
      ['(?:ab){3}|x\\+{2}', '..x++', 'abab'],
      ['.*.*.*x', 'abcx', 'abc'],
    ];
    for (const [pattern, good, bad] of fits) {
      expect(problems({ pattern }, good), pattern).toEqual([]);
      expect(problems({ pattern }, bad), pattern).toEqual([`: must match ${pattern}`]);
    }
  });

  it('[DF48] the looks of a pattern: at each repetition, where it begins, and choices', () => {
    expect(['^.*$', '.*', '^.*$|x', '^a{3}$', '^a{2,4}$', '^(?:a|b|c)?$'].map((pattern) => costOf(pattern, 9))).toEqual(
      [...[11, 100, 210, 4], ...[5, 9]],
    );
    const long = ['^a{3}b{4}$', '^(?:ab){3}$', '^(?:(?:ab){3}c){4}$', '^a*(?:bc){2}$', '^a{50}$'];
    expect(long.map((pattern) => costOf(pattern, 9))).toEqual([8, 7, 29, 51, 11]);
  });

  it('[DF48] a pattern is tried on as many texts as there is time for', () => {
    const found = problems({ items: { pattern: '.*.*x' } }, Array(5_000).fill('a'.repeat(200)));
    expect(found).toEqual(['0: must match .*.*x']);
  });

  it('[DF48] large values are checked whole, and 50 of their problems are said', () => {
    const schema = { items: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] } };
    const list = Array.from({ length: 30_000 }, (_, a) => ({ a }));
    expect(problems(schema, list)).toEqual([]);
    expect(problems(schema, [...list, { a: '' }])).toEqual(['30000.a: must be number, and is string']);
    expect(problems({ items: { type: 'string' } }, list)).toHaveLength(50);
  });

  it('[DF22] a reference that leads nowhere, or is written wrongly, leaves its value unchecked', () => {
    for (const $ref of ['#/%', '#/$defs/none', '#/$defs/%E0%A4', '#/type/0', '#'])
      expect(problems({ $ref, $defs: { a: false } }, 1), $ref).toEqual([]);
    expect(problems({ $ref: '#/$defs/100%', $defs: { '100%': { type: 'string' } } }, 1)).toEqual([
      ': must be string, and is number',
    ]);
  });

  it.for<[string, JsonObject]>([
    ['then', { type: 'object', properties: { a: {}, b: {} }, if: { required: ['a'] }, [THEN]: { required: ['b'] } }],
    ['not', { type: 'object', properties: { a: { not: { type: 'null' } } } }],
    ['dependentRequired', { type: 'object', dependentRequired: { a: ['b'] } }],
    ['unevaluatedProperties', { type: 'object', unevaluatedProperties: false }],
    ['an inline flag', { type: 'object', properties: { a: { type: 'string', pattern: '(?i)x' } } }],
    ['words of others', { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', 'x-mcp': { a: 1 } }],
  ])('[DF22] goes to the model word for word: %s', ([, schema]) => {
    expect(specOf(aiTool(schema))?.inputSchema).toEqual(schema);
  });

  it('[DF21, DF22] with a choice at its root is carried whole, and its references point to where it is', () => {
    const schema = {
      $defs: { text: { type: 'string', const: '#/$defs/text' } },
      type: 'object',
      properties: { a: { $ref: '#/$defs/text' }, self: { $ref: '#' } },
      anyOf: [{ required: ['a'] }, { required: ['self'] }],
    };
    expect(specOf(aiTool(schema))?.inputSchema).toEqual({
      type: 'object',
      properties: {
        value: {
          ...schema,
          properties: { a: { $ref: '#/properties/value/$defs/text' }, self: { $ref: '#/properties/value' } },
        },
      },
      required: ['value'],
      additionalProperties: false,
    });
  });
});
