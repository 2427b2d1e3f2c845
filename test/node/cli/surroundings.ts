/** Surroundings of the command that a test controls: what it writes is kept, its waits end at once. */
import { ask } from '../../../src/cli/ask';
import type { CliIo, EndRequest, OwnServer } from '../../../src/cli/io';
import type { ScreenOutput } from '../../../src/cli/terminal/screen';
import type { FakeRun } from '../../support/fake-server';
import { deskLog, LOG_START } from '../../support/log';

/** The report of the desk's run in `test/support/log.ts`. */
export const REPORT = '# Report\n\nIts parent tells it.';

/** The desk's run, completed. */
export function deskRun(): FakeRun {
  return { entries: deskLog().entries, status: 'completed', output: REPORT };
}

/** What a test sets. */
export interface Given {
  readonly args: readonly string[];
  readonly env?: Record<string, string>;
  readonly stdoutTTY?: boolean;
  readonly stderrTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  readonly files?: Record<string, string>;
  /** The URL that a running server has put down. */
  readonly running?: () => string | undefined;
  readonly start?: () => Promise<OwnServer>;
  /** The agent that is asked where none is named: the desk's by default; `none` as in an app. */
  readonly agent?: string;
  /** Whether stdin is a terminal. */
  readonly keyboard?: boolean;
  /** The person's editor: from the text that it opens to the one that is saved. */
  readonly editor?: (text: string) => Promise<string>;
  /** What reads stdout, beside what keeps it. */
  readonly screen?: ScreenOutput;
}

/** The command in its surroundings. */
export interface Trial {
  readonly done: Promise<number>;
  stdout(): string;
  stderr(): string;
  /** Presses Ctrl-C. */
  interrupt(): void;
  /** Asks the process to end for good, as a terminal does that is closed. */
  hangUp(): void;
  /** Types, as the terminal sends it. Throws when nothing reads the keyboard. */
  type(input: string): void;
  /** How many read the keyboard now. */
  listeners(): number;
  /** Lets time pass, in ms. */
  pass(ms: number): void;
  /** Lets the time for one frame pass. */
  tick(): void;
  /** The exit codes with which the process was ended at once. */
  readonly exits: number[];
  /** How often it waited before another try, and how long. */
  readonly waits: number[];
  /** Between two frames, in ms, each time that frames began. */
  readonly intervals: number[];
}

/** Where the command looks for a server that nobody named. No test asks one that really runs there. */
const GUESSED = 'http://localhost:8787';

/** Requests to servers of the test. */
const fetchOfTest: typeof fetch = async (input, init) => {
  if (!String(input instanceof Request ? input.url : input).startsWith(GUESSED)) return fetch(input, init);
  throw new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) });
};

const NO_SERVER: CliIo['servers'] = {
  command: 'npm start',
  running: () => undefined,
  start: () => Promise.reject(new Error('The test allows no server.')),
};

const NO_EDITOR: CliIo['edit'] = () => Promise.reject(new Error('The test has no editor.'));

function callAll<Value>(calls: ReadonlySet<(value: Value) => void>, value: Value): void {
  for (const call of [...calls]) call(value);
}

/** Starts the command. */
export function tryAsk(given: Given): Trial {
  const written = { stdout: '', stderr: '' };
  const handlers = new Set<(request: EndRequest) => void>();
  const typists = new Set<(input: string) => void>();
  const frames = new Set<() => void>();
  const exits: number[] = [];
  const waits: number[] = [];
  const intervals: number[] = [];
  let now = LOG_START + 60_000;
  let ids = 0;
  const terminal = (name: 'stdout' | 'stderr', isTTY: boolean) => ({
    write(text: string) {
      written[name] += text;
      if (name === 'stdout') given.screen?.write(text);
    },
    isTTY,
    columns: () => given.columns ?? 80,
    rows: () => given.rows ?? 24,
  });
  const io: CliIo = {
    args: given.args,
    env: given.env ?? {},
    stdout: terminal('stdout', given.stdoutTTY ?? false),
    stderr: terminal('stderr', given.stderrTTY ?? false),
    ...(given.keyboard === true ? { keyboard: { listen: listenTo(typists) } } : {}),
    edit: given.editor ?? NO_EDITOR,
    ...(given.agent === 'none' ? {} : { agent: given.agent ?? 'coordinator' }),
    servers: {
      ...NO_SERVER,
      ...(given.running ? { running: given.running } : {}),
      ...(given.start ? { start: given.start } : {}),
    },
    fetch: fetchOfTest,
    async readFile(path) {
      const text = given.files?.[path];
      if (text === undefined) throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' });
      return new TextEncoder().encode(text);
    },
    now: () => now,
    async wait(ms) {
      waits.push(ms);
      now += ms;
    },
    every(ms, call) {
      intervals.push(ms);
      frames.add(call);
      return () => void frames.delete(call);
    },
    randomId: () => `${String(++ids).padEnd(8, 'a')}-0000-4000-8000-000000000000`,
    onInterrupt(call) {
      handlers.add(call);
      return () => void handlers.delete(call);
    },
    exit: (code) => void exits.push(code),
  };
  return {
    done: ask(io),
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    interrupt: () => callAll(handlers, 'interrupt'),
    hangUp: () => callAll(handlers, 'end'),
    type: (input) => {
      if (typists.size === 0) throw new Error('nothing reads the keyboard');
      for (const call of [...typists]) call(input);
    },
    listeners: () => typists.size,
    pass: (ms) => {
      now += ms;
    },
    tick: () => {
      for (const call of [...frames]) call();
    },
    exits,
    waits,
    intervals,
  };
}

function listenTo(typists: Set<(input: string) => void>): (call: (input: string) => void) => () => void {
  return (call) => {
    typists.add(call);
    return () => void typists.delete(call);
  };
}

/** Everything that an untrusted writer could use against a terminal. */
export const HOSTILE = [
  '\u001b[2J\u001b[H',
  '\u001b]0;title\u0007',
  '\u001b]52;c;aGFja2Vk\u001b\\',
  '\u001bP+q\u001b\\',
  '\u009b31m',
  '\u009d0;x\u009c',
  '\u0007\b\r\n\t\v\f',
  '\u202eevil\u2066',
  '\ufeff\u200b\u2028\u0085',
  '\u001b\u001b[31m[2J',
  '\ud800',
  '\u007f\u0000',
];

/** A control character, or one that hides or turns text, that has no business in a terminal's text. */
export const UNSAFE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

const ESC = '\u001b';
const OWN_CODES = new RegExp(`${ESC}\\[(?:\\?(?:25|7|2026|2004)[hl]|\\d+A|[JK]|\\d+(?:;\\d+)?m)`, 'gu');

/** What is left of written text without the codes that the command itself writes. */
export function withoutOwnCodes(text: string): string {
  return text.replaceAll(OWN_CODES, '').replaceAll('\r', '').replaceAll('\n', '');
}
