/** Forms for schemas. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/protocol/json';
import {
  type FieldKind,
  fieldOf,
  jsonIn,
  kindOf,
  numberIn,
  type SchemaField,
  withValueAt,
} from '../../../src/react/schema-fields';
import { useSchemaForm } from '../../../src/react/use-schema-form';
import { present } from '../../support/present';
import { mounted } from '../../support/react-hooks';
import { sized } from '../../support/sizes';

const schema: Json = {
  type: 'object',
  required: ['to', 'urgent'],
  properties: {
    to: { type: 'array', items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
    urgent: { type: 'boolean', description: 'Whether it is sent at once.' },
    size: { type: 'integer', default: 3 },
    how: { enum: ['a', 'b'] },
    else: { anyOf: [{ type: 'string' }, { type: 'number' }] },
  },
};

/** All fields of a form, by their paths. */
function flat(field: SchemaField): SchemaField[] {
  const inner = field.kind === 'list' ? field.items : field.kind === 'object' ? field.fields : [];
  return [field, ...inner.flatMap(flat)];
}

describe('the fields of a form', () => {
  it('[RH10] are those of the schema and of what is given, with what each needs', () => {
    const fields = flat(fieldOf(schema, { to: [{ name: 'Ann', extra: 1 }], size: 2, other: null }));
    expect(fields.map(({ path, kind, isRequired }) => [path, kind, isRequired])).toEqual([
      ['', 'object', true],
      ['to', 'list', true],
      ['to.0', 'object', true],
      ['to.0.name', 'text', true],
      ['to.0.extra', 'json', false],
      ['urgent', 'flag', false],
      ['size', 'number', false],
      ['how', 'choice', false],
      ['else', 'json', false],
      ['other', 'json', false],
    ]);
    const [urgent, size] = ['urgent', 'size'].map((name) => present(fields.find(({ path }) => path === name)));
    expect([urgent?.description, size?.defaultText]).toEqual(['Whether it is sent at once.', '3']);
  });

  it('[RH10] are JSON below the third level, and where a value has another type', () => {
    const object = { type: 'object', properties: {} };
    expect([0, 1, 2, 3].map((depth) => kindOf(object, undefined, depth))).toEqual([
      'object',
      'object',
      'object',
      'json',
    ]);
    expect([2, 3].map((depth) => kindOf({ type: 'array' }, [], depth))).toEqual(['list', 'json']);
    expect([
      kindOf({ type: 'string' }, 5, 0),
      kindOf({ type: 'array' }, {}, 0),
      kindOf({ enum: ['a', 1] }, 'a', 0),
    ]).toEqual([...['json', 'json', 'json']]);
  });

  it('[RH10] are lists and objects three levels deep, whatever lies in what, and JSON below', () => {
    const kinds = ['list', 'object'] as const;
    const ways = kinds.flatMap((a) => kinds.flatMap((b) => kinds.flatMap((c) => kinds.map((d) => [a, b, c, d]))));
    for (const way of ways) {
      let [within, value]: [Json, Json] = [{ type: 'string' }, 'x'];
      for (const kind of way.toReversed())
        [within, value] =
          kind === 'list'
            ? [{ type: 'array', items: within }, [value]]
            : [{ type: 'object', properties: { 0: within } }, { 0: value }];
      const fields = flat(fieldOf(within, value));
      expect(fields.map(({ kind }) => kind)).toEqual([...way.slice(0, 3), 'json']);
      expect(fields.map(({ path }) => path)).toEqual(['', '0', '0.0', '0.0.0']);
    }
  });

  /** Values of every kind, and none. */
  const VALUES: readonly (Json | undefined)[] = [
    undefined,
    null,
    true,
    false,
    'true',
    '',
    'a',
    'b',
    0,
    1,
    [],
    ['a'],
    {},
  ];
  const of = (schema: Json, value: Json | undefined, required: boolean) => {
    const form = fieldOf(
      { type: 'object', properties: { one: schema }, ...(required ? { required: ['one'] } : {}) },
      {
        ...(value === undefined ? {} : { one: value }),
      },
    );
    return present(flat(form)[1]);
  };
  /** What a field shows of a value, by the words of the rule. */
  const SHOWN: { readonly [Kind in FieldKind]: (value: Json | undefined, fallback: Json | undefined) => unknown } = {
    // A box is ticked by its default until somebody ticks it, or takes that back.
    flag: (value, fallback) => (value === undefined || value === null ? fallback : value) === true,
    text: (value) => value ?? '',
    choice: (value) => (typeof value === 'string' ? value : undefined),
    number: (value) => value,
    json: (value) => value,
    list: (value) => (Array.isArray(value) ? value.length : 0),
    object: () => 0,
  };
  const SCHEMAS: { readonly [Kind in FieldKind]: readonly { readonly [name: string]: Json }[] } = {
    flag: [{ type: 'boolean' }],
    text: [{ type: 'string' }],
    choice: [{ enum: ['a', 'b'] }, { type: 'string', enum: ['a', 'b'] }],
    number: [{ type: 'number' }, { type: 'integer' }],
    json: [{}, { anyOf: [{ type: 'string' }] }, { type: 'null' }, { enum: ['a', 1] }, { type: 'object' }],
    list: [{ type: 'array', items: { type: 'string' } }],
    object: [{ type: 'object', properties: {} }],
  };
  const shownIn = (field: SchemaField): unknown =>
    field.kind === 'list' ? field.items.length : field.kind === 'object' ? field.fields.length : field.value;

  it('[RH10] show each value, or none of it, as their kind does; a box that is not touched is as its default', () => {
    const wrong: unknown[] = [];
    for (const [meant, schemas] of Object.entries(SCHEMAS))
      for (const schema of schemas)
        for (const [at, fallback] of VALUES.entries())
          for (const [index, value] of VALUES.entries()) {
            const given: Json = { ...schema, ...(fallback === undefined ? {} : { default: fallback }) };
            const required = (at + index) % 2 === 0;
            const field = of(given, value, required);
            const isMeant =
              value === undefined ||
              (meant !== 'text' && meant !== 'list') ||
              (meant === 'text' ? typeof value === 'string' : Array.isArray(value));
            const text = typeof fallback === 'string' ? fallback : JSON.stringify(fallback);
            const found = [field.kind, shownIn(field), field.isRequired, field.path, field.label, field.defaultText];
            const expected = [
              ...[isMeant ? meant : 'json', SHOWN[field.kind](value, fallback)],
              ...[required && fallback === undefined && meant !== 'flag', 'one', 'one', text],
            ];
            if (!isDeepStrictEqual(found, expected)) wrong.push({ given, value, required, found, expected });
          }
    expect(wrong).toEqual([]);
  });

  it.each([
    ['1.5', 1.5],
    [' -3 ', -3],
    ['', undefined],
    ['1,234', '1,234'],
    ['9007199254740993', '9007199254740993'],
    ['Infinity', 'Infinity'],
  ])('[RH11] the number %j is %j', (text, value) => expect(numberIn(text)).toBe(value));

  it.each([
    ['{"a":1}', { a: 1 }],
    [' ', undefined],
    ['{a', '{a'],
    ['12345678901234567890', '12345678901234567890'],
  ])('[RH11] the JSON %j is %j', (text, value) => expect(jsonIn(text)).toEqual(value));

  it('[RH10] setting a value changes what is at its path, and nothing else', () => {
    const name = fc.constantFrom('a', 'b', 'constructor', '0');
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 3 },
        fc.nat(9),
        fc.array(tie('json'), { maxLength: 3 }),
        fc.dictionary(name, tie('json')),
      ),
    })) as unknown as { json: fc.Arbitrary<Json> };
    const pathsOf = (value: Json, path: string[] = []): string[][] => [
      path,
      ...(typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...path, key]))
        : []),
    ];
    const at = (value: Json | undefined, path: readonly string[]): unknown =>
      path.reduce<unknown>(
        (inner, key) => (Object.hasOwn(Object(inner), key) ? Reflect.get(Object(inner), key) : undefined),
        value,
      );
    fc.assert(
      fc.property(json, fc.nat(), json, (value, which, next) => {
        const paths = pathsOf(value);
        const path = present(paths[which % paths.length]);
        const after = withValueAt(undefined, value, path.join('.'), next);
        expect(at(after, path)).toEqual(next);
        for (const other of paths.filter(
          (each) => !each.every((key, index) => path[index] === key || index >= path.length),
        ))
          expect(at(after, other)).toEqual(at(value, other));
      }),
      { numRuns: sized(300, 20_000) },
    );
  });

  it('[RH10] removes what is set to undefined, and adds an item behind the end of a list', () => {
    expect(withValueAt(undefined, { to: ['a', 'b'], x: 1 }, 'to.0', undefined)).toEqual({ to: ['b'], x: 1 });
    expect(withValueAt(undefined, { to: ['a'], x: 1 }, 'x', undefined)).toEqual({ to: ['a'] });
    expect(withValueAt(undefined, { to: ['a'] }, 'to.1', 'b')).toEqual({ to: ['a', 'b'] });
    expect(withValueAt(undefined, {}, 'to.name', 'b')).toEqual({ to: { name: 'b' } });
    expect(withValueAt(undefined, 1, '', undefined)).toBeUndefined();
  });
});

describe('useSchemaForm', () => {
  it('[RH10, RH11] has what was written in its fields, with flags that were not ticked', async () => {
    const form = await mounted(() => useSchemaForm(schema, { size: 1 }));
    const write = async (path: string, text: string) => {
      const field = present(flat(form.result.field).find((each) => each.path === path));
      await form.settle(() => form.result.setText(field, text));
    };
    await form.settle(() => form.result.set('to.0', {}));
    expect(form.result.value).toEqual({ size: 1, urgent: false, to: [{}] });
    await form.settle(() => form.result.reset({ to: [{}] }));
    await write('to.0.name', 'Ann');
    await write('size', '4,5');
    await write('else', '[1]');
    expect(form.result.value).toEqual({ to: [{ name: 'Ann' }], size: '4,5', else: [1], urgent: false });
    await write('size', '');
    await write('to.0.name', '');
    expect(form.result.value).toEqual({ to: [{ name: '' }], else: [1], urgent: false });
    await form.settle(() => form.result.reset());
    expect(form.result.value).toEqual({ size: 1, urgent: false });
  });
});
