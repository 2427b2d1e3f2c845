/** What the command's arguments and environment ask for: whole commands, row by row. */
import { describe, expect, it } from 'vitest';
import { isLocal, parseCommand, tokenIn, withLocalToken } from '../../../src/cli/args';
import { UsageError } from '../../../src/cli/cli-error';

const COMMON = { json: false, yes: false, colour: true, urlGiven: false };
const ask = (question: string, more: object = {}) => ({ kind: 'ask', question, files: [], ...COMMON, ...more });
const A = '/agents/planner/one';
const watch = (more: object = {}) => ({ kind: 'watch', address: A, ...COMMON, ...more });
const resume = (message: string, more: object = {}) => ({ kind: 'resume', address: A, message, ...COMMON, ...more });
const approved = (toolCallIds: string[]) => ({ answer: { approved: true, toolCallIds, reason: '' } });
const denied = (toolCallIds: string[], reason = '') => ({ answer: { approved: false, toolCallIds, reason } });
const at = (url: string) => ({ url, urlGiven: true });

type Env = Readonly<Record<string, string>>;

const COMMANDS: [args: string, command: object, env?: Env][] = [
  ['--help', { kind: 'help' }],
  ['-h why', { kind: 'help' }],
  ['why', ask('why')],
  ['why is it', ask('why is it')],
  ['why --json --yes --no-color', ask('why', { json: true, yes: true, colour: false })],
  ['-- --why -h', ask('--why -h')],
  ['- why', ask('- why')],
  ['why', ask('why', { colour: false }), { NO_COLOR: '1' }],
  ['why', ask('why'), { NO_COLOR: '' }],
  ['--agent fact-checker --file a --file=b why', ask('why', { agent: 'fact-checker', files: ['a', 'b'] })],
  ['--agent a --agent b why', ask('why', { agent: 'b' })],
  ['--url http://x.test/base// why', ask('why', at('http://x.test/base'))],
  ['--url https://x.test:8443/?q#f why', ask('why', at('https://x.test:8443'))],
  ['why', ask('why', { url: 'http://x.test' }), { OFFSHOOT_URL: 'http://x.test/' }],
  ['why', ask('why'), { OFFSHOOT_URL: '' }],
  ['--url http://y.test why', ask('why', at('http://y.test')), { OFFSHOOT_URL: 'http://x.test' }],
  ['--token t why', ask('why', { token: 't' }), { OFFSHOOT_TOKEN: 'other' }],
  ['why', ask('why', { token: 'other' }), { OFFSHOOT_TOKEN: 'other' }],
  ['why', ask('why'), { OFFSHOOT_TOKEN: '' }],
  ['why', ask('why'), { npm_config_yes: 'true' }],
  [`--watch ${A}`, watch()],
  [`--watch agents/planner/one/`, watch()],
  [`--watch=${A}/sub/leaf/7~3`, watch({ address: `${A}/sub/leaf/7~3` })],
  [`--watch http://x.test/base${A}`, watch(at('http://x.test/base'))],
  [`--watch http://x.test${A} --url http://x.test/`, watch(at('http://x.test'))],
  [`--watch ${A} --url http://x.test`, watch(at('http://x.test'))],
  [`--watch ${A} --approve`, watch(approved([]))],
  [`--approve --watch ${A}`, watch(approved([]))],
  [`--watch ${A} --approve c_1 --approve=c_2`, watch(approved(['c_1', 'c_2']))],
  [`--watch ${A} --approve=`, watch(approved([]))],
  [`--watch ${A} --deny c_1 --reason no`, watch(denied(['c_1'], 'no'))],
  [`--watch ${A} --deny --reason=no`, watch(denied([], 'no'))],
  [`--watch ${A} --deny`, watch(denied([]))],
  [`--resume ${A}`, resume('')],
  [`--resume ${A} go on --json`, resume('go on', { json: true })],
  [`--resume http://x.test${A}`, resume('', at('http://x.test'))],
];

const REFUSED: [args: string, why: string, env?: Env][] = [
  ['', 'The question is missing'],
  ['--json', 'The question is missing'],
  ['--what why', 'Unknown option --what'],
  ['-x why', 'Unknown option -x'],
  ['--json=1 why', 'Unknown option --json=1'],
  ['--url', '--url needs a value'],
  ['--token= why', '--token needs a value'],
  ['--file', '--file needs a value'],
  ['--approve why', 'use them with --watch'],
  [`--approve --resume ${A}`, 'use them with --watch'],
  [`--watch ${A} --approve --deny`, 'either --approve or --deny'],
  [`--watch ${A} --reason no`, 'use it with --deny'],
  [`--watch ${A} --approve --reason no`, 'use it with --deny'],
  [`--watch ${A} why`, 'cannot be combined'],
  [`--watch ${A} --file a`, 'cannot be combined'],
  [`--watch ${A} --agent a`, 'cannot be combined'],
  [`--watch ${A} --resume ${A}`, 'cannot be combined'],
  [`--resume ${A} --file a`, '--resume continues a run'],
  [`--resume ${A} --agent a`, '--resume continues a run'],
  ['--agent Fact why', 'not the type of an agent'],
  ['--agent sub why', 'not the type of an agent'],
  [`--agent ${'a'.repeat(129)} why`, 'not the type of an agent'],
  ['--url ftp://x.test why', 'not the URL of a server'],
  ['--url x why', 'not the URL of a server'],
  ['--url http://u:p@x.test why', 'must not contain a user'],
  ['--url http://u@x.test why', 'must not contain a user'],
  [`--watch http://x.test${A} --url http://y.test`, 'Name one of them'],
  [`--watch http://x.test${A}`, 'Name one of them', { OFFSHOOT_URL: 'http://y.test' }],
  ['--watch /agents/planner', 'not the address of an agent'],
  ['--watch /agents/sub/one', 'not the address of an agent'],
  ['--watch /agents/planner/..', 'not the address of an agent'],
  [`--watch ${A}/sub/leaf`, 'not the address of an agent'],
  [`--watch ${A}/status`, 'not the address of an agent'],
  [`--watch /agents/planner/${'a'.repeat(129)}`, 'not the address of an agent'],
  ['why', 'printable ASCII', { OFFSHOOT_TOKEN: 'a b' }],
  ['--token ä why', 'printable ASCII'],
  ...['url', 'token', 'agent', 'file', 'watch', 'resume', 'reason', 'approve', 'deny', 'json', 'no_color', 'help'].map(
    (name): [string, string, Env] => [
      'why',
      `npm run ask -- --${name.replace('_', '-')} …`,
      { [`npm_config_${name}`]: 'x' },
    ],
  ),
];

const split = (args: string): string[] => args.split(' ').filter((arg) => arg !== '');

describe('the arguments of the command', () => {
  it.each(COMMANDS)('[K23] %s', (args, command, env = {}) => {
    expect(parseCommand(split(args), env)).toEqual(command);
  });

  it.each(REFUSED)('[K23] %s is refused: %s', (args, why, env = {}) => {
    const parse = () => parseCommand(split(args), env);
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(why);
  });
});

describe('the token of this folder', () => {
  it.each([
    ['OFFSHOOT_TOKEN=abc', 'abc'],
    ['  export OFFSHOOT_TOKEN = abc # said', 'abc'],
    ['OFFSHOOT_TOKEN="a b#c"', 'a b#c'],
    ["OFFSHOOT_TOKEN='a\"b'", 'a"b'],
    ['OFFSHOOT_TOKEN=`a`', 'a'],
    ['A=1\r\nOFFSHOOT_TOKEN=abc\r\nB=2', 'abc'],
    ['OFFSHOOT_TOKEN=one\nOFFSHOOT_TOKEN=two', 'two'],
    ['OFFSHOOT_TOKEN=', undefined],
    ['OFFSHOOT_TOKEN=""', undefined],
    ['MY_OFFSHOOT_TOKEN=abc', undefined],
    ['#OFFSHOOT_TOKEN=abc', undefined],
    ['OFFSHOOT_TOKENS=abc', undefined],
    ['', undefined],
  ])('[K12] in %j is %j', (text, token) => {
    expect(tokenIn(text)).toBe(token);
  });

  it.each([
    ['http://localhost:8787', true],
    ['https://localhost', true],
    ['http://127.0.0.1/x', true],
    ['http://127.1.2.3:1', true],
    ['http://[::1]:8787', true],
    ['http://localhost.evil.test', false],
    ['http://127.0.0.1.evil.test', false],
    ['http://evil.test/localhost', false],
    ['ws://localhost', false],
    ['http://0.0.0.0', false],
  ])('[K12] %s is of this machine: %s', (url, expected) => {
    expect(isLocal(url)).toBe(expected);
  });

  it('[K12] goes to a server of this machine alone, where no token was given', async () => {
    const io = { readFile: async () => new TextEncoder().encode('OFFSHOOT_TOKEN=abc') };
    const none = { readFile: () => Promise.reject(new Error('There is none.')) };
    const bad = { readFile: async () => new TextEncoder().encode('OFFSHOOT_TOKEN="a b"') };
    const of = (args: string) => parseCommand(split(args), {});
    for (const args of ['why', '--url http://localhost:1 why'])
      expect(await withLocalToken(io, of(args))).toEqual({ ...of(args), token: 'abc' });
    for (const args of ['--help', '--url http://x.test why', '--token t why'])
      expect(await withLocalToken(io, of(args))).toEqual(of(args));
    expect(await withLocalToken(none, of('why'))).toEqual(of('why'));
    await expect(withLocalToken(bad, of('why'))).rejects.toThrow('printable ASCII');
  });
});
