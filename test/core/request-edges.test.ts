/** The inputs of requests: each field at its edges and past them, and what a request may have only together. */
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { DATA_LIMITS } from '../../src/protocol/data-limits';
import {
  forkInput,
  resumeInput,
  sendInput,
  startInput,
  stopInput,
  submitInput,
  ticketInput,
  tokenInput,
  variablesInput,
} from '../../src/protocol/wire/requests';
import { pageInput } from '../../src/protocol/wire/shapes';
import { WIRE_LIMITS } from '../../src/protocol/wire/wire-limits';

interface Edges {
  readonly fits: readonly unknown[];
  readonly not: readonly unknown[];
}
const edges = (fits: readonly unknown[], not: readonly unknown[]): Edges => ({ fits, not });
const x = (length: number): string => 'x'.repeat(length);
const many = <Item>(count: number, item: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => item(at));
/** A text of one line, of 1 to so many characters. */
const line = (most: number): Edges => edges(['x', x(most)], ['', x(most + 1), 'a\u202eb', 'a\nb', 7]);
const texts = (most: number): Edges => edges(['x', x(most)], ['', x(most + 1), 7, null]);
const anyJson = edges([null, 0, '', [], {}, false], []);
const oneOf = (...words: string[]): Edges => edges(words, ['', 'other', 7, null]);

const text = { type: 'text', text: 'Hi' };
const blank = { type: 'text', text: ' \n' };
const image = { type: 'image', base64: 'AAAA' };
const PARTS = {
  fits: [
    ...[[text], [text, blank], [image], [{ type: 'image', path: 'a.png' }], many(WIRE_LIMITS.maxParts, () => text)],
    ...[
      [{ type: 'file', base64: 'AAAA', mediaType: 'a/b' }],
      [{ type: 'file', path: 'a' }],
      [{ ...image, filename: x(255) }],
    ],
    [{ type: 'file', path: x(1_024), mediaType: x(255) }],
  ],
  not: [
    ...[[], [blank], many(WIRE_LIMITS.maxParts + 1, () => text), [{ ...text, more: 1 }], [{ type: 'text' }], [7]],
    ...[[{ type: 'image' }], [{ ...image, path: 'a' }], [{ type: 'file' }], [{ type: 'file', base64: 'AAAA' }]],
    ...[[{ type: 'video', base64: 'AAAA' }], [{ ...image, base64: '*' }], [{ ...image, filename: x(256) }]],
    ...[[{ ...image, filename: 'a\u202eb' }], [{ type: 'image', path: '' }], [{ type: 'image', path: x(1_025) }]],
    ...[[{ ...image, mediaType: '' }], [{ ...image, mediaType: x(256) }]],
  ],
};
const content = edges(['Hi', ' a ', ...PARTS.fits], ['', ' \n', 7, null, {}, ...PARTS.not]);
const file = { path: 'a', base64: 'AAAA' };
const value = (fits: unknown[], not: unknown[]): Edges =>
  edges(
    [
      ...[{}, { A: 'x' }, { [`_${x(127)}`]: x(DATA_LIMITS.maxVariable) }, { A: null }, ...fits],
      Object.fromEntries(many(DATA_LIMITS.maxVariables, (at) => [`A${at}`, 'x'])),
    ],
    [
      ...[{ '1A': 'x' }, { 'A-B': 'x' }, { [`_${x(128)}`]: 'x' }, { A: x(DATA_LIMITS.maxVariable + 1) }, [], null],
      ...[{ A: {} }, { A: undefined }, ...not],
      Object.fromEntries(many(DATA_LIMITS.maxVariables + 1, (at) => [`A${at}`, 'x'])),
    ],
  );
const env = value([], [{ A: 7 }, { A: true }]);
const actions = edges(
  [['read'], ['read', 'write', 'answer', 'stop', 'share', 'admin']],
  [[], ['other'], many(7, () => 'read'), 'read', null],
);
const toolCallId = texts(DATA_LIMITS.maxCallId);

interface Request {
  readonly schema: z.ZodObject;
  readonly base: object;
  readonly fields: Readonly<Record<string, Edges>>;
  /** Requests that fit, or not, for what they have together. */
  readonly fits?: readonly object[];
  readonly not?: readonly object[];
}

const REQUESTS: Readonly<Record<string, Request>> = {
  start: {
    schema: startInput,
    base: { message: 'Hi' },
    fields: {
      message: content,
      to: oneOf('side_a', 'side_b'),
      input: anyJson,
      state: anyJson,
      files: edges(
        [[], [file], [{ ...file, path: x(1_024), mediaType: x(255) }], many(100, (at) => ({ ...file, path: `${at}` }))],
        [
          ...[[file, file], many(101, (at) => ({ ...file, path: `${at}` })), [{ path: 'a' }], [{ base64: 'AAAA' }]],
          ...[
            [{ ...file, path: '' }],
            [{ ...file, path: x(1_025) }],
            [{ ...file, mediaType: x(256) }],
            [{ ...file, more: 1 }],
          ],
          [{ ...file, base64: '*' }],
        ],
      ),
      env,
      displayName: line(200),
      tags: edges([[], ['a'], many(32, () => x(64))], [[''], [x(65)], many(33, () => 'a'), ['a\nb'], 'a']),
      metadata: anyJson,
      wait: edges([true, false, 1, 60_000], [0, 60_001, 1.5, '1', null]),
      ifRunning: oneOf('same'),
    },
    fits: [{ input: null }, { message: 'Hi', input: 1 }],
    not: [{}, { state: 1 }],
  },
  send: {
    schema: sendInput,
    base: { content: 'Hi' },
    fields: {
      content,
      role: oneOf('user', 'system'),
      to: oneOf('side_a', 'side_b'),
      attachments: edges(
        [
          ...[[], [{ mediaType: x(255), base64: 'AAAA', filename: x(255) }]],
          many(16, () => ({ mediaType: 'a/b', base64: '' })),
        ],
        [
          ...[many(17, () => ({ mediaType: 'a/b', base64: '' })), [{ base64: '' }], [{ mediaType: 'a/b' }]],
          ...[[{ mediaType: '', base64: '' }], [{ mediaType: x(256), base64: '' }], [{ mediaType: 'a', base64: '*' }]],
          ...[[{ mediaType: 'a', base64: '', filename: x(256) }], [{ mediaType: 'a', base64: '', path: 'a' }]],
        ],
      ),
      metadata: anyJson,
      env,
      runId: texts(256),
    },
    fits: [{ content: ' ', attachments: [{ mediaType: 'a/b', base64: 'AAAA' }] }],
    not: [{}, { content: ' ', attachments: [] }, { content: '', attachments: [{ mediaType: 'a/b', base64: 'AAAA' }] }],
  },
  stop: {
    schema: stopInput,
    base: {},
    fields: { reason: texts(1_000), runId: texts(256), start: texts(WIRE_LIMITS.maxIdempotencyKey) },
  },
  resume: { schema: resumeInput, base: {}, fields: { message: content } },
  fork: {
    schema: forkInput,
    base: { name: 'a' },
    fields: {
      name: edges(['a', '1', 'a.b_c~d-e', x(128), '...', '.a'], ['', x(129), '.', '..', 'a/b', 'a b', 'ä', '%41']),
      message: edges(['Hi', ' a'], ['', ' \n', [text], 7]),
      checkpoint: edges(
        ['s_a.1', 's_A_9.123456789'],
        ['s_a', 's_a.0', 's_a.01', 's_a.1234567890', 'r_a.1', 's_.a.1', 's_a-b.1', ' s_a.1', 's_a.1 '],
      ),
      resume: edges([true, false], ['true', 1, null]),
    },
    not: [{}],
  },
  ticket: { schema: ticketInput, base: {}, fields: { actions } },
  token: {
    schema: tokenInput,
    base: { actions: ['read'], ttlSeconds: 60 },
    fields: {
      actions,
      ttlSeconds: edges([1, 2_592_000], [0, 2_592_001, 1.5, '60', null]),
      toolCallId,
      label: line(200),
    },
    fits: [
      { actions: ['read', 'answer'], toolCallId: 'c', ttlSeconds: 1 },
      { actions: ['answer'], toolCallId: 'c', ttlSeconds: 1 },
    ],
    not: [
      ...['write', 'stop', 'share', 'admin'].map((each) => ({
        actions: ['answer', each],
        toolCallId: 'c',
        ttlSeconds: 1,
      })),
      ...[{ actions: ['read'] }, { ttlSeconds: 1 }],
    ],
  },
  variables: {
    schema: variablesInput,
    base: { path: 'v_1', env: {} },
    fields: { path: texts(256), env: value([{ A: 7 }, { A: true }], []) },
    not: [{ path: 'v_1' }, { env: {} }],
  },
  page: {
    schema: pageInput,
    base: {},
    fields: {
      cursor: edges(['', x(4_096)], [x(4_097), 7]),
      limit: edges([1, 500, '1', '500'], [0, 501, 1.5, '', 'x', -1]),
    },
  },
};

describe.each(Object.entries(REQUESTS))('%s', (_, { schema, base, fields, fits = [], not = [] }) => {
  it('[A3] has the fields of the table, and no other', () => {
    expect(Object.keys(schema.shape).sort()).toEqual(Object.keys(fields).sort());
    expect(schema.safeParse(base).success).toBe(true);
    for (const more of ['more', '__proto__', 'constructor'])
      expect(schema.safeParse({ ...base, [more]: 1 }).success, more).toBe(false);
  });

  it.each(Object.entries(fields))(
    '[A3, A31] takes what `%s` may be, at its edges, and nothing past them',
    (name, one) => {
      const said = (given: unknown) => JSON.stringify(given)?.slice(0, 100);
      for (const given of one.fits) {
        const parsed = schema.safeParse({ ...base, [name]: given });
        expect(parsed.error?.issues, said(given)).toBeUndefined();
        expect(Object.keys(parsed.data ?? {}), said(given)).toContain(name);
      }
      for (const given of one.not)
        expect(schema.safeParse({ ...base, [name]: given }).success, said(given)).toBe(false);
    },
  );

  it('[A3, A31] takes what fits together', () => {
    for (const given of fits) expect(schema.safeParse(given).success, JSON.stringify(given)).toBe(true);
    for (const given of not) expect(schema.safeParse(given).success, JSON.stringify(given)).toBe(false);
  });
});

describe('an answer', () => {
  const result = { kind: 'client-tool-result', toolCallId: 'c' };
  const approval = { kind: 'approval-response', toolCallId: 'c', approved: true };
  it.each([
    [{ ...result, result: null }, true],
    [{ ...result, error: 'No.' }, true],
    [{ ...result, error: '' }, false],
    [{ ...result, result: 1, error: 'No.' }, false],
    [result, false],
    [{ ...result, result: 1, toolCallId: x(1_024) }, true],
    [{ ...result, result: 1, toolCallId: x(1_025) }, false],
    [{ ...result, result: 1, toolCallId: '' }, false],
    [{ ...result, result: 1, more: 1 }, false],
    [{ ...result, result: 1, approved: true }, false],
    [approval, true],
    [{ ...approval, reason: '', input: null, inputHash: x(256) }, true],
    [{ ...approval, approved: false, reason: 'No.' }, true],
    [{ ...approval, approved: false, input: {} }, false],
    [{ ...approval, inputHash: x(257) }, false],
    [{ ...approval, approved: 'yes' }, false],
    [{ ...approval, toolCallId: undefined }, false],
    [{ ...approval, result: 1 }, false],
    [{ ...approval, kind: 'other' }, false],
  ])('[A3, A31] %j: %s', (given, expected) => {
    expect(submitInput.safeParse(given).success).toBe(expected);
  });
});

it('[VR4] numbers and yes or no become text among the values of variables', () => {
  const parsed = variablesInput.parse({ path: 'v', env: { A: 7, B: true, C: 'x', D: null, E: 0.5 } });
  expect(parsed.env).toEqual({ A: '7', B: 'true', C: 'x', D: null, E: '0.5' });
});
