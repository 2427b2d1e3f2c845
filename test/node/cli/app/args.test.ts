/** The arguments of `npm run ask`: whole commands, row by row. */
import { expect, it } from 'vitest';
import { isLocal, parseCommand } from '../../../../src/cli/args';

const BARE = { json: false, yes: false, colour: true, urlGiven: false };
const ask = (question: string, more: object = {}) => ({ kind: 'ask', question, files: [], ...BARE, ...more });
const AT = '/agents/a/b';
const watch = (more: object = {}) => ({ kind: 'watch', address: AT, ...BARE, ...more });
const answer = (approved: boolean, ...toolCallIds: string[]) => ({ approved, toolCallIds, reason: '' });

it.each<[args: string, command: object, env?: Record<string, string>]>([
  ['a b', ask('a b')],
  ['-', ask('-')],
  ['-- --help', ask('--help')],
  ['a -- -b', ask('a -b')],
  ['a --json --yes --no-color', ask('a', { json: true, yes: true, colour: false })],
  ['a', ask('a', { colour: false }), { NO_COLOR: '1' }],
  ['a', ask('a'), { NO_COLOR: '' }],
  ['a --file x --file=y', ask('a', { files: ['x', 'y'] })],
  ['a --agent x --agent y-2', ask('a', { agent: 'y-2' })],
  ['a --url http://h:1/p//', ask('a', { url: 'http://h:1/p', urlGiven: true })],
  [
    'a --url http://h',
    ask('a', { url: 'http://h', urlGiven: true, token: 't' }),
    { OFFSHOOT_URL: 'http://e', OFFSHOOT_TOKEN: 't' },
  ],
  ['a --token u', ask('a', { url: 'https://e', token: 'u' }), { OFFSHOOT_URL: 'https://e/', OFFSHOOT_TOKEN: 't' }],
  ['a', ask('a'), { OFFSHOOT_URL: '', OFFSHOOT_TOKEN: '', npm_config_yes: 'true' }],
  ['a -h', { kind: 'help' }],
  ['--help --watch nowhere', { kind: 'help' }],
  [`--watch ${AT}`, watch()],
  ['--watch=agents/a/b/', watch()],
  [`--watch http://h/p${AT}`, watch({ url: 'http://h/p', urlGiven: true })],
  [`--watch http://h/p${AT} --url http://h/p/`, watch({ url: 'http://h/p', urlGiven: true })],
  [`--watch ${AT}/sub/c/1~1`, watch({ address: `${AT}/sub/c/1~1` })],
  [`--watch ${AT} --approve`, watch({ answer: answer(true) })],
  [`--watch ${AT} --approve x --approve y`, watch({ answer: answer(true, 'x', 'y') })],
  [`--approve --watch ${AT}`, watch({ answer: answer(true) })],
  [`--watch ${AT} --deny=x --reason no`, watch({ answer: { ...answer(false, 'x'), reason: 'no' } })],
  [`--watch ${AT} --deny --yes`, watch({ yes: true, answer: answer(false) })],
  [`--resume ${AT}`, { ...watch({ message: '' }), kind: 'resume' }],
  [`--resume ${AT} go on`, { ...watch({ message: 'go on' }), kind: 'resume' }],
])('[K23, K20, K22, K24] %s', (args, command, env = {}) => {
  expect(parseCommand(args.split(' '), env)).toStrictEqual(command);
});

it.each<[args: string, says: string, env?: Record<string, string>]>([
  ['a --url', '--url needs a value'],
  ['a --url=', '--url needs a value'],
  ['a --odd', 'Unknown option --odd'],
  ['a -x', 'Unknown option -x'],
  ['a --json=1', 'Unknown option --json=1'],
  ['a --json', 'npm needs `--` before options: npm run ask -- --watch', { npm_config_watch: '' }],
  ['a', 'npm needs `--` before options: npm run ask -- --no-color', { npm_config_no_color: 'true' }],
  ['', 'The question is missing'],
  ['--json', 'The question is missing'],
  [`--resume ${AT} --approve`, '--approve and --deny answer a pending call'],
  ['a --deny', '--approve and --deny answer a pending call'],
  [`--watch ${AT} --approve --deny`, 'not both'],
  [`--watch ${AT} --approve --reason no`, '--reason explains a denial'],
  ['a --reason no', '--reason explains a denial'],
  [`a --watch ${AT}`, '--watch returns to a run'],
  [`--file x --watch ${AT}`, '--watch returns to a run'],
  [`--agent x --watch ${AT}`, '--watch returns to a run'],
  [`--resume ${AT} --watch ${AT}`, '--watch returns to a run'],
  [`--file x --resume ${AT}`, '--resume continues a run'],
  [`--agent x --resume ${AT}`, '--resume continues a run'],
  ...[
    '/agents/a',
    '/agents/A/b',
    '/agents/a/.',
    '/agents/sub/b',
    '/agents/a/b/c/d',
    '/agents/a/b/sub',
    `/agents/a/${'b'.repeat(129)}`,
  ].map((at): [string, string] => [`--watch ${at}`, 'is not the address of an agent']),
  ...['x', 'ftp://h', 'h:1'].map((url): [string, string] => [`a --url ${url}`, 'is not the URL of a server']),
  ...['http://u@h', 'http://:p@h'].map((url): [string, string] => [`a --url ${url}`, 'must not contain a user']),
  ...['sub', 'A', '1a', `a${'b'.repeat(128)}`].map((agent): [string, string] => [
    `a --agent ${agent}`,
    'is not the type of an agent',
  ]),
  ['a --token ü', 'only printable ASCII'],
  ['a', 'only printable ASCII', { OFFSHOOT_TOKEN: 'a b' }],
])('[K23] %s: %s', (args, says, env = {}) => {
  expect(() => parseCommand(args.split(' '), env)).toThrow(says);
});

it.each<[args: string, env?: Record<string, string>]>([
  [`--watch http://other${AT} --url http://h`],
  [`--resume http://h:8787${AT} --url http://h go`],
  [`--watch https://h${AT}`, { OFFSHOOT_URL: 'http://h', OFFSHOOT_TOKEN: 't' }],
])('[K35] %s is at another server than the named one', (args, env = {}) => {
  expect(() => parseCommand(args.split(' '), env)).toThrow('Name one of them.');
});

it.each<[url: string, local: boolean]>([
  ['http://localhost', true],
  ['https://localhost:8787/x', true],
  ['http://127.0.0.1:1', true],
  ['http://127.9.9.9/', true],
  ['http://[::1]:1', true],
  ['http://localhost.evil.test', false],
  ['http://127.0.0.1.evil.test', false],
  ['http://127.0.0', false],
  ['http://evil.test/http://localhost/', false],
  ['ws://localhost', false],
])('[K29] %s is of this machine: %s', (url, local) => {
  expect(isLocal(url)).toBe(local);
});
