/** The command's arguments and environment, checked. */
import { trimEndOf, trimOf } from '../protocol/content/lines';
import { UsageError } from './cli-error';
import type { CliIo, Environment } from './io';

/** What the person wants. */
export type Command =
  | { readonly kind: 'help' }
  | ({
      readonly kind: 'ask';
      readonly question: string;
      /** Missing where none was named. */
      readonly agent?: string;
      readonly files: readonly string[];
    } & Common)
  | ({ readonly kind: 'watch'; readonly address: string; readonly answer?: GivenAnswer } & Common)
  | ({ readonly kind: 'resume'; readonly address: string; readonly message: string } & Common);

/** An answer that came as an option. */
export interface GivenAnswer {
  readonly approved: boolean;
  /** The calls that it is for; none means the only one that waits. */
  readonly toolCallIds: readonly string[];
  /** Empty when none was given. */
  readonly reason: string;
}

/** What asking, watching and resuming share. */
export interface Common {
  readonly json: boolean;
  /** Approves everything that comes up. */
  readonly yes: boolean;
  readonly colour: boolean;
  /** The server that was named; undefined looks for one and starts one. Without a slash at its end. */
  readonly url?: string;
  /** Whether `url` came as an argument, so that a hint must repeat it. */
  readonly urlGiven: boolean;
  readonly token?: string;
}

const VALUED = ['url', 'token', 'agent', 'file', 'watch', 'resume', 'reason'] as const;
/** Their value may be missing; it is empty then. */
const OPTIONAL = ['approve', 'deny'] as const;
const FLAGS = ['json', 'yes', 'no-color', 'help'] as const;
type Valued = (typeof VALUED | typeof OPTIONAL)[number];
type Flag = (typeof FLAGS)[number];

interface Raw {
  readonly words: string[];
  readonly values: { readonly name: Valued; readonly value: string }[];
  readonly flags: Set<Flag>;
}

const includes = <Name extends string>(list: readonly Name[], name: string): name is Name =>
  list.some((one) => one === name);

function split(args: readonly string[]): Raw {
  const raw: Raw = { words: [], values: [], flags: new Set() };
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--') {
      raw.words.push(...rest);
      break;
    }
    if (!arg.startsWith('-') || arg === '-') {
      raw.words.push(arg);
      continue;
    }
    const [, dashed = '', given] = /^(-[^=]*)(?:=(.*))?$/su.exec(arg) ?? [];
    const name = dashed === '-h' ? 'help' : dashed.startsWith('--') ? dashed.slice(2) : '';
    if (includes(FLAGS, name) && given === undefined) raw.flags.add(name);
    else if (includes(VALUED, name)) {
      const value = given ?? rest.shift();
      if (value === undefined || value === '') throw new UsageError(`--${name} needs a value.`);
      raw.values.push({ name, value });
    } else if (includes(OPTIONAL, name)) {
      const [following] = rest;
      const alone = given !== undefined || following === undefined || following.startsWith('-');
      raw.values.push({ name, value: given ?? (alone ? '' : (rest.shift() ?? '')) });
    } else throw new UsageError(`Unknown option ${arg}. Write a question that begins with a dash after \`--\`.`);
  }
  return raw;
}

/**
 * Reads the arguments; options given twice count by the last one, `--file` by all.
 * @throws {UsageError} that says what is wrong
 */
export function parseCommand(args: readonly string[], env: Environment): Command {
  const raw = split(args);
  // npm takes options that come before `--` for its own, and hands the rest on without a word. `yes` is left out: it
  // is one of npm's own, and many environments set it.
  const names = [...VALUED, ...OPTIONAL, ...FLAGS].filter((name) => name !== 'yes');
  const taken = names.find((name) => env[`npm_config_${name.replaceAll('-', '_')}`] !== undefined);
  if (taken !== undefined) throw new UsageError(`npm needs \`--\` before options: npm run ask -- --${taken} …`);
  if (raw.flags.has('help')) return { kind: 'help' };
  const last = (name: Valued) => raw.values.findLast((each) => each.name === name)?.value;
  const all = (name: Valued) => raw.values.filter((each) => each.name === name).map((each) => each.value);
  const words = raw.words.join(' ').trim();
  const common = commonOf(raw, last, env);
  const answer = answerOf(all, last('reason'));
  const watch = last('watch');
  const resume = last('resume');
  const asks = all('file').length > 0 || last('agent') !== undefined;
  if (answer !== undefined && watch === undefined) {
    throw new UsageError('--approve and --deny answer a pending call of a run: use them with --watch ADDRESS.');
  }
  if (watch !== undefined) {
    if (words !== '' || asks || resume !== undefined) {
      throw new UsageError(
        '--watch returns to a run and cannot be combined with a question, --file, --agent or --resume.',
      );
    }
    return { kind: 'watch', ...watched(watch, common), ...(answer === undefined ? {} : { answer }) };
  }
  if (resume !== undefined) {
    if (asks) throw new UsageError('--resume continues a run: it takes a message, but not --file or --agent.');
    return { kind: 'resume', ...watched(resume, common), message: words };
  }
  if (words === '')
    throw new UsageError('The question is missing: npm run ask -- "How does a stop reach a grandchild?"');
  const agent = last('agent');
  const named = agent === undefined ? {} : { agent: agentOf(agent) };
  return { kind: 'ask', question: words, ...named, files: all('file'), ...common };
}

function answerOf(all: (name: Valued) => string[], reason: string | undefined): GivenAnswer | undefined {
  const approve = all('approve');
  const deny = all('deny');
  if (approve.length > 0 && deny.length > 0) throw new UsageError('Use either --approve or --deny, not both.');
  if (reason !== undefined && deny.length === 0)
    throw new UsageError('--reason explains a denial: use it with --deny.');
  if (approve.length + deny.length === 0) return undefined;
  const toolCallIds = [...approve, ...deny].filter((id) => id !== '');
  return { approved: deny.length === 0, toolCallIds, reason: reason ?? '' };
}

function commonOf(raw: Raw, last: (name: Valued) => string | undefined, env: Environment): Common {
  const given = last('url');
  const url = given ?? (env.OFFSHOOT_URL || undefined);
  const token = last('token') ?? (env.OFFSHOOT_TOKEN || undefined);
  checkToken(token);
  return {
    json: raw.flags.has('json'),
    yes: raw.flags.has('yes'),
    colour: !raw.flags.has('no-color') && !env.NO_COLOR,
    urlGiven: given !== undefined,
    ...(url === undefined ? {} : { url: baseOf(url) }),
    ...(token === undefined ? {} : { token }),
  };
}

/** A server's URL without what does not belong to it. */
function baseOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new UsageError(`"${text}" is not the URL of a server, such as http://localhost:8787`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('A server URL must not contain a user or password. Put the token in OFFSHOOT_TOKEN.');
  }
  return `${url.origin}${trimEndOf(url.pathname, '/')}`;
}

function agentOf(type: string): string {
  if (!/^[a-z][a-z0-9-]{0,127}$/u.test(type) || type === 'sub') {
    throw new UsageError(`"${type}" is not the type of an agent, such as fact-checker`);
  }
  return type;
}

const NAME = '(?!\\.{1,2}(?:/|$))[A-Za-z0-9._~-]{1,128}';
const PAIR = `(?!sub/)[a-z][a-z0-9-]*/${NAME}`;
const ADDRESS = new RegExp(`^/agents/${PAIR}(?:/sub/${PAIR})*$`, 'u');

/** An address as it was printed, with or without its first slash, or as a whole URL. */
function watched(text: string, common: Common): Common & { address: string } {
  const whole = /^https?:\/\//u.test(text) ? /^(.*?)(\/agents\/.*)$/u.exec(text) : null;
  const path = whole?.[2] ?? text;
  const address = `/${trimOf(path, '/')}`;
  if (!ADDRESS.test(address)) {
    throw new UsageError(`"${text}" is not the address of an agent, such as /agents/coordinator/cedar-3f9a21`);
  }
  const base = whole?.[1];
  if (base === undefined) return { ...common, address };
  const url = baseOf(base);
  // The token is for the server that was named.
  if (common.url !== undefined && common.url !== url)
    throw new UsageError(`This run is at ${url}, but the server that was named is ${common.url}. Name one of them.`);
  return { ...common, address, url, urlGiven: true };
}

/** The file in which wrangler's local server finds its secrets. */
const DEV_VARS = '.dev.vars';
const LINE =
  /^[ \t]*(?:export[ \t]+)?OFFSHOOT_TOKEN[ \t]*=[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|`([^`\n]*)`|([^#\r\n]*))/gmu;

/** Names of this machine: the secret of its server goes nowhere else. */
const LOCAL = /^https?:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?:[:/]|$)/u;

/** Returns true for a URL of this machine. */
export const isLocal = (url: string): boolean => LOCAL.test(url);

/** @throws {UsageError} for a token that no header can carry: the error of `fetch` would show it */
function checkToken(token: string | undefined): void {
  if (token !== undefined && !/^[\u0021-\u007e]+$/u.test(token)) {
    throw new UsageError('The token may contain only printable ASCII characters without spaces.');
  }
}

/** The token in the text of a `.dev.vars`; the last one counts. */
export function tokenIn(text: string): string | undefined {
  const [, double, single, backticks, bare] = [...text.matchAll(LINE)].at(-1) ?? [];
  return (double ?? single ?? backticks ?? bare?.trim()) || undefined;
}

/** The same command with the token of this folder, where none was given and the server is on this machine. */
export async function withLocalToken(io: Pick<CliIo, 'readFile'>, command: Command): Promise<Command> {
  if (command.kind === 'help' || command.token !== undefined) return command;
  if (command.url !== undefined && !isLocal(command.url)) return command;
  const text = await io.readFile(DEV_VARS).then(
    (bytes) => new TextDecoder().decode(bytes),
    () => '',
  );
  const token = tokenIn(text);
  checkToken(token);
  return token === undefined ? command : { ...command, token };
}
