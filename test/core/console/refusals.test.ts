import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { inPlainWords } from '../../../src/console/parts/refusals';

describe('what a validator says of a field', () => {
  it.each([
    [z.string(), undefined, 'Required.'],
    [z.string().min(1), '', 'Required.'],
    [z.string().min(3), 'a', 'Write at least 3 characters.'],
    [z.string().max(1), 'ab', 'Write at most 1 character.'],
    [z.string(), 4, 'Must be a string.'],
    [z.number(), 'x', 'Must be a number.'],
    [z.int(), 1.5, 'Must be a whole number.'],
    [z.number().min(2), 1, 'Must be 2 or more.'],
    [z.number().lt(2), 2, 'Must be less than 2.'],
    [z.array(z.string()).min(1), [], 'Add at least 1 item.'],
    [z.array(z.string()).max(2), ['a', 'b', 'c'], 'Enter at most 2 items.'],
    [z.enum(['low', 'high']), 'x', 'Choose one of low, high.'],
    [z.email(), 'x', 'Not a valid email address.'],
    [z.url(), 'x', 'Not a valid URL.'],
    [z.strictObject({}), { a: 1 }, 'Unknown field: a.'],
    [z.union([z.string(), z.number()]), true, 'Invalid value.'],
    [z.record(z.string().max(1), z.string()), { ab: 'c' }, 'One of these names is invalid.'],
    [z.map(z.string(), z.array(z.string()).min(1)), new Map([[{}, []]]), 'One of these names is invalid.'],
    [z.set(z.string()), new Set([4]), 'Must be a string.'],
    [
      z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })]),
      { kind: 'c' },
      'Choose one of a, b.',
    ],
  ])('[CN86] is told in words for who fills it in: %#', (schema, value, says) => {
    const [issue] = schema.safeParse(value).error?.issues ?? [];
    expect(inPlainWords(issue?.message ?? '')).toBe(says);
  });

  it.each([
    ['Invalid value in map', 'One of these values is invalid.'],
    ["Invalid discriminator value. Expected 'a' | 'b'", 'Choose one of a, b.'],
  ])('[CN86] is told in words, as a tool elsewhere says it: %s', (message, says) => {
    expect(inPlainWords(message)).toBe(says);
  });

  it('[CN86] is told as it is where an author has written it', () => {
    expect(inPlainWords('Use the name of a city.')).toBe('Use the name of a city.');
  });
});
