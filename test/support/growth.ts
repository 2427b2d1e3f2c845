/** The work of a reader on texts that repeat a part again and again, in time of its own thread. */

/** What stands around the part that is repeated. */
const AROUND = [
  ['', ''],
  ['# ', 'a\u2028a'],
  ['a', '!\nx'],
  ['"[a](secret: //', '?'],
] as const;

const REPEATED = [
  ...' \t\naA1#-.*`[)!?_|,:/\u001b\u009d\u009b\u2028é',
  ...[
    '\u001bP',
    '\u001b[',
    ' a',
    '# ',
    '- ',
    ', ',
    'a:',
    '[a',
    '[1',
    'a.',
    'no ',
    'drop ',
    'and ',
    'leave ',
    'secret ',
  ],
];

/** Each eight times the one before. The last is for what took too long at the one before it. */
const SIZES = [500, 4_000, 32_000, 256_000];
/** Eight times the text may take so many times the work: 8 where it is linear, 64 where it is quadratic. */
export const MOST = 28;
/** Generous: it decides nothing. */
export const DEADLINE_MS = 180_000;
/** Less than this is not told from nothing. Unit: ms of the thread's own time. */
const LEAST_MS = 2;

function workOf(read: (text: string) => unknown, text: string): number {
  const before = process.threadCpuUsage();
  read(text);
  const { user, system } = process.threadCpuUsage(before);
  return Math.max(LEAST_MS, (user + system) / 1_000);
}

/**
 * The growth of the work from one size to the next, at the largest sizes that were needed. A short text takes less than
 * can be measured, so one that looks too slow beside it is compared with one that is eight times as long.
 */
function growth(read: (text: string) => unknown, textOf: (size: number) => string): number {
  let grown = 0;
  let last = LEAST_MS;
  for (const size of SIZES) {
    if (size === SIZES.at(-1) && grown <= MOST) break;
    const text = textOf(size);
    let work = workOf(read, text);
    // A collection of garbage may fall into one of them.
    for (let again = 0; again < 3 && work > MOST * last; again++) work = Math.min(work, workOf(read, text));
    grown = work / last;
    last = work;
  }
  return grown;
}

/** The growth of a reader's work on each kind of text, with the parts of it. */
export function* growths(read: (text: string) => unknown): Generator<readonly [of: string, growth: number]> {
  for (const repeated of REPEATED) {
    for (const [before, after] of AROUND) {
      const textOf = (size: number) => before + repeated.repeat(Math.ceil(size / repeated.length)) + after;
      yield [JSON.stringify([before, repeated, after]), growth(read, textOf)];
    }
  }
}
