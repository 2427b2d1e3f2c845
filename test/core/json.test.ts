/** What becomes JSON, how, and what is refused where. */
import { describe, expect, it } from 'vitest';
import { DATA_LIMITS } from '../../src/protocol/data-limits';
import { failureOf, MAX_ERROR_DETAILS, OffshootError } from '../../src/protocol/errors';
import { byteLength, toJson } from '../../src/protocol/json';
import { deep } from '../support/deep';

const problemOf = (value: unknown, most?: number): string => {
  const made = toJson(value, most);
  return made.ok ? 'none' : made.problem;
};

class Money {
  constructor(readonly cents: number) {}
}

describe('what becomes JSON', () => {
  it.each<[string, unknown, unknown]>([
    ['nothing', undefined, null],
    ['a property that is undefined', { a: 1, b: undefined }, { a: 1 }],
    ['a date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['a URL', [new URL('https://example.com/x')], ['https://example.com/x']],
    [
      'what has a toJSON, also within it',
      { m: { toJSON: () => ({ at: new Date(0) }) } },
      { m: { at: '1970-01-01T00:00:00.000Z' } },
    ],
    ['a toJSON that gives nothing', { m: { toJSON: () => undefined } }, {}],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ['a part that is there twice', ((part) => [part, part])({ a: 1 }), [{ a: 1 }, { a: 1 }]],
    ['texts, numbers, yes, no and null', ['ü', -1.5, true, false, null], ['ü', -1.5, true, false, null]],
  ])('[JS2] %s', (_, value, json) => {
    expect(toJson(value)).toEqual({ ok: true, json, text: JSON.stringify(json) });
  });

  it('[JS2] a key that would set a prototype is a key', () => {
    const made = toJson(JSON.parse('{"__proto__":{"a":1}}'));
    expect(made).toMatchObject({ ok: true, text: '{"__proto__":{"a":1}}' });
    expect(made.ok && Object.getPrototypeOf(made.json)).toBe(Object.prototype);
  });
});

describe('what is refused', () => {
  it.each<[string, unknown, string]>([
    ['a map', { a: [new Map()] }, 'a.0 is an instance of Map'],
    ['a set', { a: new Set() }, 'a is an instance of Set'],
    ['bytes', { a: new Uint8Array(3) }, 'a is bytes'],
    ['a Buffer', { a: Buffer.from('x') }, 'a is bytes'],
    ['an ArrayBuffer', new ArrayBuffer(3), 'it is bytes'],
    ['a function', { a: () => 1 }, 'a is a function'],
    ['a symbol', [Symbol('x')], '0 is a symbol'],
    ['not a number', { a: { b: Number.NaN } }, 'a.b is NaN'],
    ['infinity', [Number.POSITIVE_INFINITY], '0 is Infinity'],
    ['a bigint', { a: 1n }, 'a is a bigint'],
    ['a promise', { a: Promise.resolve(1) }, 'a is a promise: await it'],
    ['an instance', { a: new Money(1) }, 'a is an instance of Money, which has no toJSON'],
    ['an error', [new Error('x')], '0 is an instance of Error'],
    ['a regular expression', { a: /x/ }, 'a is an instance of RegExp'],
    ['an invalid date', { a: new Date(Number.NaN) }, 'a is an invalid date'],
    ['a hole of an array', { a: [1, undefined] }, 'a has a hole at index 1'],
    [
      'what throws when it is read',
      {
        a: {
          get b(): never {
            throw new Error('It is gone.');
          },
        },
      },
      'a could not be read: It is gone',
    ],
  ])('[JS2] %s, with its path', (_, value, problem) => {
    expect(problemOf(value)).toContain(problem);
    // A reader ends the sentence.
    expect(problemOf(value)).not.toMatch(/\.$/u);
  });

  it('[JS2] a cycle, which is called one', () => {
    const circle: { inner: unknown[] } = { inner: [] };
    circle.inner.push(circle);
    expect(problemOf(circle)).toContain('contains itself');
  });

  it('[JS1] more than 100 levels: at the edge, one past it, and far past it', () => {
    expect(DATA_LIMITS.maxDepth).toBe(100);
    expect(problemOf(deep(100))).toBe('none');
    for (const levels of [101, 2_000, 5_000, 20_000, 1_000_000])
      expect(problemOf(deep(levels))).toBe('it is nested deeper than 100 levels');
  });

  it('[JS1] more bytes than a value may have, also where few parts are shared many times', () => {
    const quotes = 2;
    expect(problemOf('x'.repeat(98), 98 + quotes)).toBe('none');
    expect(toJson('x'.repeat(99), 98 + quotes)).toMatchObject({ ok: false, tooLarge: true });
    expect(toJson('ü'.repeat(50), 98 + quotes)).toMatchObject({ ok: false, tooLarge: true });
    let shared: unknown = 'x';
    for (let level = 0; level < 90; level++) shared = [shared, shared];
    expect(toJson(shared, 100_000)).toMatchObject({ ok: false, tooLarge: true });
    expect(toJson(new Array(4_000_000_000))).toMatchObject({ ok: false, tooLarge: true });
    const text = 'x'.repeat(1_000_000);
    expect(toJson(Array.from({ length: 100_000 }, () => text))).toMatchObject({ ok: false, tooLarge: true });
  });

  it('[JS1] bytes are those of UTF-8, whatever the characters and wherever a long text is cut to be counted', () => {
    const pieces = ['x', 'ü', '€', '😀', '\ud83d', '\ude00', '\ude00\ud83d', 'x\ud83d€😀ü'];
    for (const piece of pieces)
      for (const before of ['', 'x', 'xx', 'xxx'])
        for (const times of [1, 5, 31, 32, 40, 9_000]) {
          const text = before + piece.repeat(times) + before;
          expect(byteLength(text), `${JSON.stringify(piece)} ${times} times`).toBe(Buffer.byteLength(text));
        }
  });

  it('[JS1] details of an error that are none, too deep or too large: left out, and the message says so', () => {
    const thrown = (details: unknown) =>
      failureOf(new OffshootError('tool_failed', 'No.', { details: details as never }));
    expect(thrown({ at: 1 })).toMatchObject({ message: 'No.', details: { at: 1 } });
    expect(thrown('x'.repeat(MAX_ERROR_DETAILS - 2))).toHaveProperty('details');
    for (const details of [deep(20_000), new Map(), 'x'.repeat(MAX_ERROR_DETAILS - 1)]) {
      const failure = thrown(details);
      expect(failure).not.toHaveProperty('details');
      expect(failure.message).toContain('(details omitted: ');
    }
  });
});
