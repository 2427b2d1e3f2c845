/** Names, ids and words that both sides of a wire make for themselves. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addressOfThread, formatAddress, isAddress, isWithin, threadIdOf } from '../../src/protocol/address';
import { DATA_LIMITS } from '../../src/protocol/data-limits';
import { failure } from '../../src/protocol/errors';
import {
  childRunId,
  identifierOf,
  kebabCase,
  mintId,
  mintReference,
  pascalCase,
  runNumberOf,
} from '../../src/protocol/ids';
import { type Control, type Controls, controlsDocument, shownControls } from '../../src/protocol/shown/controls';
import { beginningInWords, inWords, objectIn } from '../../src/protocol/shown/in-words';
import { isEndChunk, RUN_STATUSES, SESSION_STATUSES, SUSPENDED_STATUSES } from '../../src/protocol/status';

it('[AD1] an id of an event begins with the letter of its kind and ends with its place, the first without one', () => {
  const kinds = ['session', 'run', 'call', 'message', 'request'] as const;
  expect(kinds.map((kind) => mintId(kind, 'tok'))).toEqual(['s_tok', 'r_tok', 'c_tok', 'm_tok', 'v_tok']);
  expect([0, 1, 2, 35, 36].map((index) => mintId('call', 'tok', index))).toEqual([
    'c_tok',
    'c_tok_1',
    'c_tok_2',
    'c_tok_z',
    'c_tok_10',
  ]);
});

it('[SE3] the runs of a session are known by their numbers on both sides, and no other id has one', () => {
  expect([1, 2, 3, 12].map((number) => childRunId('s_ab_1', number))).toEqual([
    'r_ab_1',
    'r_ab_1.2',
    'r_ab_1.3',
    'r_ab_1.12',
  ]);
  for (const number of [1, 2, 3, 12, 100]) expect(runNumberOf('s_ab_1', childRunId('s_ab_1', number))).toBe(number);
  for (const other of ['', 'r_ab', 'r_ab_12', 's_ab_1', 'r_ab_10.2', 'r_x.2', 'r_ab_1x'])
    expect(runNumberOf('s_ab_1', other)).toBe(0);
});

it('[SE3] a reference is a UUID of version 8 with a letter, and differs with each token and each place', () => {
  const tokens = ['a', 'b', 'ab', 'ba', 'token-of-an-event'];
  const made = tokens.flatMap((token) => [0, 1, 2, 10].map((index) => mintReference(token, index)));
  expect(new Set(made).size).toBe(made.length);
  for (const one of made) expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(mintReference('a', 1)).toBe(mintReference('a', 1));
  // Each of its groups differs, too: none is made of a part of the token alone.
  const groups = made.map((one) => one.split('-'));
  for (const at of [0, 1, 4]) expect(new Set(groups.map((group) => group[at])).size).toBe(made.length);
});

it.each([
  ['fact-checker', 'FactChecker', 'factChecker', 'fact-checker'],
  ['fact_checker', 'FactChecker', 'factChecker', 'fact-checker'],
  ['factChecker', 'FactChecker', 'factChecker', 'fact-checker'],
  ['HTTPServer', 'HTTPServer', 'hTTPServer', 'http-server'],
  ['a', 'A', 'a', 'a'],
  ['-a--b_', 'AB', 'aB', 'a-b'],
  ['v2api', 'V2api', 'v2api', 'v2api'],
  ['v2Api', 'V2Api', 'v2Api', 'v2-api'],
])(
  '[DF1, AD1] of the name %s come the class %s, the variable %s and the class of addresses %s',
  (name, pascal, variable, kebab) => {
    expect([pascalCase(name), identifierOf(name), kebabCase(name)]).toEqual([pascal, variable, kebab]);
  },
);

it('[AD1] an address is the text of its levels, with nothing behind it; a class may be as long as a name', () => {
  const [most, over] = [DATA_LIMITS.maxName, DATA_LIMITS.maxName + 1].map((length) => 'a'.repeat(length));
  const rows = [
    ['/agents/a/b', true],
    ['/agents/a/b/sub/c/1~1', true],
    ['/agents/a/b/sub', false],
    ['/agents/a/b/status', false],
    ['/agents/a/b/', false],
    ['/agents/a', false],
    ['/agents/A/b', false],
    [`/agents/${most}/${most}`, true],
    [`/agents/${over}/b`, false],
    [`/agents/a/${over}`, false],
  ] as const;
  for (const [text, expected] of rows) expect(isAddress(text), text).toBe(expected);
  const below = [
    { addressClass: 'c', name: '1~1' },
    { addressClass: 'd', name: 'x' },
  ];
  expect(formatAddress({ addressClass: 'a', name: 'b' }, below)).toBe('/agents/a/b/sub/c/1~1/sub/d/x');
  expect(threadIdOf('/agents/a/b/sub/c/1~1')).toBe('a/b/sub/c/1~1');
  for (const id of ['a/b/sub/c/1~1', 'a%2Fb%2fsub%2Fc%2f1~1'])
    expect(addressOfThread(id)).toBe('/agents/a/b/sub/c/1~1');
  for (const [address, top, expected] of [
    ['/agents/a/b', '/agents/a/b', true],
    ['/agents/a/b/sub/c/d', '/agents/a/b', true],
    ['/agents/a/bc', '/agents/a/b', false],
    ['/agents/a', '/agents/a/b', false],
  ] as const)
    expect(isWithin(address, top)).toBe(expected);
});

it('[A82] the document of controls has each verb as it was decided, with the title of its code', () => {
  const refusal = failure('not_resumable', 'It has no interrupted run.');
  const shown = { code: 'not_resumable', title: 'There is nothing to resume.', detail: 'It has no interrupted run.' };
  const all = (one: Control): Controls => ({
    ...{ start: one, send: one, interrupt: one, abort: one, terminate: one },
    ...{ resume: one, retry: one, submit: one, fork: one, remove: one },
  });
  const verbs = Object.keys(all(true));
  expect(shownControls(all(true))).toEqual(all(true));
  for (const verb of verbs)
    expect(shownControls({ ...all(true), [verb]: refusal })).toEqual({ ...all(true), [verb]: shown });
  // A newer server may decide about more.
  expect(controlsDocument.parse({ ...all(true), pause: true })).toEqual(all(true));
  for (const verb of verbs) {
    const others = Object.entries(all(true)).filter(([name]) => name !== verb);
    expect(controlsDocument.safeParse(Object.fromEntries(others)).success, verb).toBe(false);
  }
});

it('[A7, SU1] the statuses of a session are these, and the last four are ends', () => {
  const ends = ['interrupted', 'completed', 'failed', 'terminated'];
  expect(SESSION_STATUSES).toEqual(['idle', 'queued', ...RUN_STATUSES]);
  expect(RUN_STATUSES).toEqual(['running', ...SUSPENDED_STATUSES, ...ends]);
  expect(SUSPENDED_STATUSES).toEqual([
    'suspended_client_tool',
    'suspended_awaiting_children',
    'suspended_step_partial',
  ]);
  const types = [...SESSION_STATUSES.map((status) => `run_${status}`), 'run_started', 'run_recovered', 'completed'];
  expect(types.filter((type) => isEndChunk({ type }))).toEqual(ends.map((status) => `run_${status}`));
});

it('[CN74] an object is said by its fields, lists of texts with semicolons, what is within it in parentheses', () => {
  expect(inWords({ a: 'x', b: 2, c: null, d: ['y', 'z'], e: ['y', 1], f: [], g: { h: { i: true } } })).toBe(
    'a: x, b: 2, c: null, d: y; z, e: ["y",1], f: , g: (h: (i: true))',
  );
  const rows = [
    ['text', 'text'],
    [{ task: 'text' }, 'text'],
    [{ task: { of: 'text' } }, 'of: text'],
    [{ task: ['a', 'b'] }, 'a; b'],
    [{ task: 'a', more: 1 }, 'task: a, more: 1'],
    [{}, ''],
    [7, '7'],
    [null, 'null'],
    [' a \n\t b ', 'a b'],
  ] as const;
  for (const [value, words] of rows) expect(beginningInWords(value, 100)).toBe(words);
  expect(beginningInWords('abcdef', 6)).toBe('abcdef');
  expect(beginningInWords('abcdefg', 6)).toHaveLength(beginningInWords('abcdefgh', 6).length);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      const isOne = typeof value === 'object' && value !== null && !Array.isArray(value);
      expect(objectIn(text)).toEqual(isOne ? JSON.parse(text) : undefined);
    }),
  );
  const long = (characters: number) => JSON.stringify({ a: 'x'.repeat(characters - 8) });
  expect([objectIn(long(65_536)), objectIn(long(65_537)), objectIn('{"a":'), objectIn(' {}')].map(Boolean)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
