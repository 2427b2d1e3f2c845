/** What a model wrote of a call, and what its package warns of. */
import { expect, it } from 'vitest';
import { calledName, readArguments } from '../../../src/model/call/said';
import { warningsOf } from '../../../src/model/call/warnings';

const TOOLS = new Set(['search', 'functions.odd', 'a b']);
it.each([
  ['search', 'search'],
  ['functions.search', 'search'],
  ['functions.odd', 'functions.odd'],
  ['a b', 'a b'],
  [' search ', 'search'],
  ['search<|channel|>json', 'search'],
  ['functions.search<|x\ny', 'search'],
  [' functions.search <|x', 'search'],
  ['myfunctions.search', 'myfunctions.search'],
  ['functions.functions.search', 'functions.functions.search'],
  ['functions.other', 'functions.other'],
  ['other<|x', 'other<|x'],
  ['', ''],
])('[M95] the call of %j is one of %j', (given, name) => {
  expect(calledName(given, TOOLS)).toBe(name);
});

it.each([
  ['', { input: {} }],
  [' \n', { input: {} }],
  ['null', { input: {} }],
  ['{}', { input: {} }],
  ['{"a":1}', { input: { a: 1 } }],
  ['[1]', { input: [1] }],
  ['7', { input: 7 }],
  ['false', { input: false }],
  ['"text"', { input: 'text' }],
  ['""', { input: {} }],
  ['"{\\"a\\":1}"', { input: { a: 1 } }],
  ['"[1]"', { input: '[1]' }],
  ['"7"', { input: '7' }],
  ['"null"', { input: {} }],
  ['"{\\"a\\""', { input: '{"a"' }],
  ['{"a":', { input: {}, malformed: '{"a":' }],
  ['search()', { input: {}, malformed: 'search()' }],
  ['{"a":1} more', { input: {}, malformed: '{"a":1} more' }],
])('[M96] the arguments %j are %j', (text, read) => {
  expect(readArguments(text)).toEqual(read);
});

it.each([
  [{ type: 'unsupported', feature: 'topP', details: 'Why?' }, 'topP', 'Why?'],
  [{ type: 'unsupported', feature: 'topK' }, 'topK', 'the model does not support it, so it is omitted.'],
  [{ type: 'unsupported', feature: 'topK', details: 'Not here' }, 'topK', 'Not here.'],
  [{ type: 'unsupported-setting', setting: 'seed', details: 'No.' }, 'seed', 'No.'],
  [{ type: 'x', feature: 'one', setting: 'two', details: 'D', message: 'M' }, 'one', 'D.'],
  [{ type: 'x', feature: 7, setting: 'two', details: 7, message: 'M' }, 'two', 'M.'],
  [{ type: 'other', message: 'Look.' }, 'Look.', ''],
  [{ type: 'other', details: 'D', message: 'M' }, 'D', ''],
])('[M82] the warning %j is about %j: %j', (warning, setting, text) => {
  expect(warningsOf([warning])).toEqual([{ setting, text }]);
});

it('[M82] what says nothing, and what is for the author of a package, is no warning; each other one is', () => {
  expect(warningsOf(undefined)).toEqual([]);
  const none = [null, 'text', [], {}, { type: 'other' }, { type: 'deprecated', setting: 'seed', message: 'Old.' }];
  expect(warningsOf(none)).toEqual([]);
  expect(warningsOf([...none, { setting: 'a' }, { setting: 'a' }]).map(({ setting }) => setting)).toEqual(['a', 'a']);
});
