/** Results with files, as every reader of them takes them apart. */
import { expect, it } from 'vitest';
import { failure } from '../../src/protocol/errors';
import type { Json } from '../../src/protocol/json';
import {
  failureContent,
  fileName,
  isTextual,
  partsOfResult,
  partsToShow,
  resultContent,
  shownValue,
} from '../../src/protocol/messages';

const content = (...value: Json[]): Json => ({ type: 'content', value });
const text = { type: 'text', text: 'Hi' };
const file = { type: 'file', mediaType: 'image/png', data: 'AAAA' };
const named = { ...file, filename: 'a.png' };
const wrapped = { type: 'data', data: 'AAAA' };

const PARTS: readonly (readonly [string, Json, readonly object[] | undefined])[] = [
  ['a text', content(text), [text]],
  ['a file', content(file), [file]],
  ['a file with its name', content(named), [named]],
  ['both, in their order', content(text, file, text), [text, file, text]],
  ['media, as AI SDK 4 writes it', content({ ...file, type: 'media' }), [file]],
  ['the data of an image, as AI SDK 5 writes it', content({ ...file, type: 'image-data' }), [file]],
  ['the data of a file', content({ ...named, type: 'file-data' }), [named]],
  ['data in an object, as AI SDK 6 writes it', content({ ...file, data: wrapped }), [file]],
  ['what else a part has', content({ ...text, more: 1 }, { ...file, filename: 7, more: 1 }), [text, file]],
  ['no parts', content(), undefined],
  ['a part of another type', content(text, { ...file, type: 'video' }), undefined],
  ['a text without text', content({ type: 'text' }, text), undefined],
  ['a file without a type', content(text, { type: 'file', data: 'AAAA' }), undefined],
  ['a file without data', content(text, { type: 'file', mediaType: 'image/png' }), undefined],
  ['data that are no text', content({ ...file, data: 7 }), undefined],
  ['an object of other data', content({ ...file, data: { type: 'url', data: 'AAAA' } }), undefined],
  ['an object without data', content({ ...file, data: { type: 'data' } }), undefined],
  ['a part that is no object', content('Hi'), undefined],
  ['another type', { type: 'json', value: [text] }, undefined],
  ['no list', { type: 'content', value: text }, undefined],
  ['no object', [text], undefined],
  ['null', null, undefined],
];

it.each(PARTS)('[M13, M61] the parts of a result are those of %s', (_, value, parts) => {
  expect(partsOfResult(value)).toEqual(parts);
  // What has no files within it is shown as it is, and is the same value.
  const hasFile = parts?.some((part) => 'data' in part) ?? false;
  if (!hasFile) expect(shownValue(value).value).toBe(value);
  expect(partsToShow(value)).toEqual(parts);
});

it('[M13, M67] a file within a value becomes a part behind it, with a line in its place; all others stay', () => {
  const value = {
    first: content(text, named, text),
    list: [content(file), { deep: content(text) }, 1, null],
    none: content(text),
    odd: content('no'),
  };
  const lines = {
    first: 'Hi\n\n[The file a.png follows below.]\n\nHi',
    list: ['[The file image/png follows below.]', { deep: content(text) }, 1, null],
    none: content(text),
    odd: content('no'),
  };
  expect(shownValue(value)).toEqual({ value: lines, files: [named, file] });
  expect(partsToShow(value)).toEqual([{ type: 'text', text: JSON.stringify(lines) }, named, file]);
  const shown = shownValue(value).value;
  expect(Reflect.get(Object(shown), 'none')).toBe(value.none);
  for (const plain of ['AAAA', 7, null, true, [], {}, { list: [1, { a: 'b' }] }] as const) {
    expect(shownValue(plain)).toEqual({ value: plain, files: [] });
    expect(shownValue(plain).value).toBe(plain);
    expect(partsToShow(plain)).toBeUndefined();
  }
});

it.each([
  [
    { done: [1], request: 'v_1', other: 2 },
    { done: [1], request: 'v_1' },
  ],
  [{ done: null }, { done: null }],
  [{ request: 0 }, { request: 0 }],
  ['done', {}],
  [null, {}],
  [undefined, {}],
])(
  '[DG5, MS1] a model reads of a failure its message and code, and of the details %j what is for it',
  (details, more) => {
    const failed = failure('tool_failed', 'It broke.', false, details);
    const shown = { success: false, error: 'It broke.', code: 'tool_failed', ...more };
    expect(failureContent(failed)).toEqual(shown);
    expect(resultContent({ success: false, error: failed })).toEqual(shown);
    expect(resultContent({ success: true, value: [1] })).toEqual([1]);
  },
);

it('[RP5] a file of a reply is called by its path or address, else by its type', () => {
  const mediaType = 'image/png';
  const base = { type: 'reply-file', mediaType } as const;
  expect(fileName({ ...base, path: 'a.png', etag: 'e', bytes: 1 })).toBe('a.png');
  expect(fileName({ ...base, url: 'https://a.test/a.png' })).toBe('https://a.test/a.png');
  expect(fileName({ ...base, omitted: 'too large' })).toBe(mediaType);
});

it.each([
  [['text/plain', 'TEXT/html', 'text/markdown; charset=utf-8', 'application/json', 'application/json; x=1'], true],
  [['application/xml', 'application/yaml', 'application/x-yaml', 'application/toml', 'application/sql'], true],
  [['application/javascript', 'image/svg+xml', 'application/ld+json', 'application/vnd.a+json;v=1'], true],
  [['image/png', 'application/pdf', 'application/jsonl', 'application/octet-stream', 'x-text/plain', 'texts/a'], false],
  [['video/mp4;a=b+json', 'application/a+xmlb', 'application/x-toml', ''], false],
])('[M13] %j are text: %s', (types, expected) => {
  for (const mediaType of types) expect(isTextual({ mediaType }), mediaType).toBe(expected);
});
