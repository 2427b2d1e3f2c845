import { describe, expect, it } from 'vitest';
import { sentence } from '../../src/protocol/content/sentence';
import {
  boundedText,
  codeFacts,
  ERROR_CODES,
  type ErrorCode,
  failure,
  failureOf,
  MAX_ERROR_TEXT,
  OffshootError,
} from '../../src/protocol/errors';
import { canonical, toJson } from '../../src/protocol/json';
import { startInput } from '../../src/protocol/wire/requests';

describe('failures', () => {
  it('[CL4, DF3] their text has at most 8 KB; a longer one is cut and says so', () => {
    expect(MAX_ERROR_TEXT).toBe(8_192);
    const exactly = 'x'.repeat(MAX_ERROR_TEXT);
    expect(failure('tool_failed', exactly).message).toBe(exactly);
    for (const made of [
      failure('tool_failed', `${exactly}x`),
      failureOf(new Error('y'.repeat(100_000))),
      new OffshootError('internal', `${exactly}x`).failure,
    ]) {
      expect(made.message).toHaveLength(MAX_ERROR_TEXT);
      expect(made.message).toMatch(/… \(cut\)$/);
    }
    expect(boundedText('abcdefghijkl', 10)).toHaveLength(10);
  });

  it('[CL4] every code has a category, a status and a sentence for anyone', () => {
    for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) {
      const { status, title } = codeFacts(code);
      expect(status, code).toBeGreaterThanOrEqual(400);
      expect(status, code).toBeLessThan(600);
      expect(title, code).toMatch(/^[A-Z].*\.$/);
      expect(failure(code)).toMatchObject({ code, message: title });
    }
  });

  it('[CL4, ST4] say whether to try again: by their code, unless it is said otherwise', () => {
    expect([
      failure('model_overloaded').retryable,
      failure('model_refused').retryable,
      failure('model_refused', '', true).retryable,
    ]).toEqual([true, false, true]);
    expect(new OffshootError('model_overloaded', 'x', { retryable: false }).failure.retryable).toBe(false);
  });

  it('[CL4] anything that is thrown has one', () => {
    const hostile = {
      toString() {
        throw new Error('no');
      },
    };
    const odd = Object.assign(new Error(), { message: 42 });
    const cases: [unknown, string][] = [
      [new Error('why'), 'why'],
      ['text', 'text'],
      [undefined, 'undefined'],
      [Symbol('s'), 'Symbol(s)'],
      [odd, '42'],
      [hostile, 'The tool failed.'],
      [Object.create(null), 'The tool failed.'],
      [new Error(''), 'The tool failed.'],
    ];
    for (const [thrown, message] of cases)
      expect(failureOf(thrown, 'tool_failed')).toMatchObject({ code: 'tool_failed', message });
    expect(failureOf(new OffshootError('not_found', 'gone'), 'tool_failed')).toMatchObject({
      code: 'not_found',
      message: 'gone',
    });
  });

  it('[JS6] keep what a thrown error says of itself only where it fits', () => {
    const thrown = (...given: readonly unknown[]): OffshootError => Reflect.construct(OffshootError, given);
    const wait = (retryAfterMs: unknown) => failureOf(thrown('tool_failed', 'x', { retryAfterMs })).retryAfterMs;
    expect([Number.NaN, -1, 'soon', null].map(wait)).toEqual([undefined, undefined, undefined, undefined]);
    expect([0, 1.5, Number.POSITIVE_INFINITY].map(wait)).toEqual([0, 1.5, 8.64e15]);
    expect(thrown('model_timeout', 5, { retryable: 'yes' }).failure).toMatchObject({ message: '5', retryable: true });
    expect(() => thrown('nope', 'Why.')).toThrow('"nope" is not an error code (Why.).');
    expect(failureOf(Object.create(OffshootError.prototype), 'tool_failed').code).toBe('tool_failed');
  });
});

describe('the files of a start', () => {
  it('[JS7] have a path each: of two at one path only one would stay', () => {
    const read = (...paths: string[]) =>
      startInput.safeParse({ message: 'x', files: paths.map((path) => ({ path, base64: 'YQ==' })) }).success;
    expect([read('a', 'b'), read('a', 'a'), read('a', 'b', 'a')]).toEqual([true, false, false]);
  });
});

describe('a text within a text', () => {
  it.each([
    ['it is gone', 'it is gone.'],
    ['', '.'],
    ['It is gone.', 'It is gone.'],
    ['Why?', 'Why?'],
    ['No!', 'No!'],
    ['and so on…', 'and so on…'],
    ['in `a.b`', 'in `a.b`.'],
    ['It failed.\n', 'It failed.'],
    ['it failed \n', 'it failed.'],
    ['He said "No."', 'He said "No."'],
    ['(It failed!)', '(It failed!)'],
    ['it failed (again)', 'it failed (again).'],
    ['失败了。', '失败了。'],
  ])('[TX2] %j ends as %j, and once', (text, ended) => {
    expect(sentence(text)).toBe(ended);
    expect(sentence(sentence(text))).toBe(ended);
  });
});

describe('JSON', () => {
  it('[CL4] what is none is told apart, with the reason', () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    for (const value of [
      1n,
      circle,
      { deep: [1n] },
      {
        toJSON: () => {
          throw new Error('no');
        },
      },
    ])
      expect(toJson(value)).toMatchObject({ ok: false });
    expect(toJson(undefined)).toMatchObject({ ok: true, json: null });
    expect(toJson({ a: new Date(0), b: undefined })).toMatchObject({
      ok: true,
      json: { a: '1970-01-01T00:00:00.000Z' },
    });
  });

  it('[CL4] the same content has the same canonical text', () => {
    expect(canonical({ b: [1, { y: 1, x: 2 }], a: null })).toBe(
      canonical(JSON.parse('{"a":null,"b":[1,{"x":2,"y":1}]}')),
    );
    expect(canonical({ a: [1, 2] })).not.toBe(canonical({ a: [2, 1] }));
    expect(canonical(JSON.parse('{"__proto__":1}'))).toBe('{"__proto__":1}');
  });
});
