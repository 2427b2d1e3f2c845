import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { jsonSchemaOf } from '../../../src/core/definition/schemas/schema';
import { withFlags } from '../../../src/react/schema-values';

describe('what a form has given', () => {
  const flags = z.object({ name: z.string(), sure: z.boolean(), last: z.boolean().optional() });

  it('[CN76] has false for a flag that is required alone', () => {
    const schema = jsonSchemaOf(flags, 'output');
    expect(withFlags(schema, {})).toEqual({ sure: false });
    expect(withFlags(schema, { sure: true, last: false })).toEqual({ sure: true, last: false });
    expect(withFlags(jsonSchemaOf(z.boolean(), 'output'), {})).toBe(false);
  });

  it('[CN76] leaves a flag with a default to it', () => {
    const schema = jsonSchemaOf(z.object({ sure: z.boolean().default(true) }), 'output');
    expect(withFlags(schema, {})).toEqual({});
    expect(withFlags(schema, { sure: false })).toEqual({ sure: false });
  });

  it('[CN76] is the same within objects and lists', () => {
    const schema = jsonSchemaOf(
      z.object({ one: flags, maybe: flags.optional(), text: z.object({ of: z.string() }), many: z.array(flags) }),
      'output',
    );
    expect(withFlags(schema, { many: [{}, { sure: true }] })).toEqual({
      one: { sure: false },
      many: [{ sure: false }, { sure: true }],
    });
    expect(withFlags(schema, { maybe: {} })).toEqual({ one: { sure: false }, maybe: { sure: false } });
  });

  it('[CN76] is as it was where a schema says nothing of it', () => {
    for (const value of ['text', 1, null, [1], { a: { b: true } }]) expect(withFlags(undefined, value)).toEqual(value);
    expect(withFlags(jsonSchemaOf(flags, 'output'), 'not JSON')).toBe('not JSON');
  });
});
