/** Text in Markdown as blocks; of one that grows, only the last block is parsed again. */
import { Lexer, type Token } from 'marked';

/** Longer than this, in characters, a text is shown as it is. */
const MOST = 65_536;
/** Runs of one character that make the lexer slow. */
const SLOW = /([~*_`[\](<!>])\1{199}/u;

/** Signs behind an address, and a word in a text that has an `@`: the lexer looks at a long run of these again and again. */
const ADDRESS = /www\.|:\/\/|@/iu;
const SLOW_SIGNS = /[?!.,:;*_'"~()&]{200}/u;
const SLOW_WORD = /[\w.+-]{1000}/u;

const isSlow = (text: string): boolean =>
  SLOW.test(text) ||
  (ADDRESS.test(text) && SLOW_SIGNS.test(text)) ||
  (text.includes('@') && SLOW_WORD.test(text)) ||
  DEEP.test(text) ||
  workOnItems(text) + workOnQuotes(text) > MOST_WORK_ON_ITEMS;

/** Characters that the lexer looks at again and again within one paragraph. */
const MARKS = /[*_~`[\]<!(\\]/gu;
/**
 * The lexer's work on one text, in marks times characters of each paragraph: its time grows with that, to about 20 ms here.
 * A paragraph that would go beyond shows as it is.
 */
const MOST_WORK = 10_000_000;

const workOn = (paragraph: string): number => (paragraph.match(MARKS)?.length ?? 0) * paragraph.length;

/** The tokens of a text whose lines end in `\n`. Its paragraphs are read in their order, as long as the work lasts. */
function lexed(text: string): readonly Token[] {
  const lexer = new Lexer();
  const tokens = lexer.blockTokens(text, lexer.tokens);
  let work = 0;
  for (const { src, tokens: inline } of lexer.inlineQueue) {
    const more = workOn(src);
    if (work + more > MOST_WORK) inline.push({ type: 'text', raw: src, text: src, escaped: false });
    else {
      work += more;
      lexer.inlineTokens(src, inline);
    }
  }
  return [...tokens];
}

/** Lists and quotes within each other, which the lexer reads once for each level: far more than are drawn. */
const DEEP = /^([ \t]*(>|([-*+]|\d{1,9}[.)])[ \t])){50}/mu;

/** The first line of an item of a list, and of anything that may belong to one. */
const ITEM = /^[ \t>]*([-*+]|\d{1,9}[.)])([ \t]|$)/u;
const INSIDE = /^[ \t>]/u;
const EMPTY = /^[ \t>]*$/u;
/**
 * The most work of the lexer on items of lists, in lines times characters of each run of lines: at each line within an
 * item it looks through the rest of its run. So much takes about 100 ms on a developer's machine.
 */
const MOST_WORK_ON_ITEMS = 30_000_000;

function workOnItems(text: string): number {
  let work = 0;
  let lines = 0;
  let characters = 0;
  for (const line of text.split('\n')) {
    const begins = ITEM.test(line);
    const ends = begins || EMPTY.test(line);
    if (ends) {
      work += lines * characters;
      lines = 0;
      characters = 0;
    }
    // A run that begins at the margin, behind an empty line, is of no item.
    if (!begins && (ends || (lines === 0 && !INSIDE.test(line)))) continue;
    lines += 1;
    characters += line.length + 1;
  }
  return work + lines * characters;
}

const BLANK = /^[ \t]*$/u;

/** The marks of quotes before a line. */
const depthOf = (line: string): number => (/^[ \t>]*/u.exec(line)?.[0] ?? '').replaceAll(/[ \t]/gu, '').length;

/** The lexer's work on quotes: at each line with fewer marks, it reads the quote before that line again. */
function workOnQuotes(text: string): number {
  let work = 0;
  let ends = 0;
  let characters = 0;
  let before = 0;
  for (const line of text.split('\n')) {
    if (BLANK.test(line)) {
      work += ends * characters;
      ends = 0;
      characters = 0;
    }
    const depth = depthOf(line);
    if (depth < before) ends += 1;
    characters += line.length + 1;
    before = depth;
  }
  return work + ends * characters;
}

/** A text as blocks, of which `kept` do not change while it grows at its end, nor its first `at` characters. */
export interface Parsed {
  readonly text: string;
  readonly tokens: readonly Token[] | undefined;
  readonly kept: number;
  readonly at: number;
}

/** Blocks that go on beyond an empty line. */
const GOES_ON: ReadonlySet<string> = new Set(['list', 'blockquote', 'html']);

/** Where what may still change begins: with the last block that an empty line parts from one that ends there. */
function parsedOf(text: string, tokens: readonly Token[]): Parsed {
  const last = tokens.findLastIndex(({ type }) => type !== 'space');
  const kept = tokens.findLastIndex((_token, index) => {
    const [ended, empty] = [tokens[index - 2], tokens[index - 1]];
    return index <= last && empty?.type === 'space' && ended !== undefined && !GOES_ON.has(ended.type);
  });
  if (kept < 0) return { text, tokens, kept: 0, at: 0 };
  return { text, tokens, kept, at: tokens.slice(0, kept).reduce((sum, { raw }) => sum + raw.length, 0) };
}

/**
 * Whether no part of a text can be parsed alone: a definition counts for what stands before it too, wherever it comes,
 * and the lexer writes other ends of lines its own way.
 */
const isWhole = (text: string) => text.includes(']:') || text.includes('\r');

/** Parses a text; of one that has grown since `before`, the last block alone. */
export function parse(text: string, before: Parsed | undefined): Parsed {
  if (before?.text === text) return before;
  if (text.length > MOST) return { text, tokens: undefined, kept: 0, at: 0 };
  // The lexer ends lines at each of the three.
  const lines = text.replaceAll(/\r\n?/gu, '\n');
  if (isSlow(lines)) return { text, tokens: undefined, kept: 0, at: 0 };
  try {
    const grew = before?.tokens !== undefined && before.at > 0 && text.startsWith(before.text) && !isWhole(text);
    if (!grew) return parsedOf(text, lexed(lines));
    return parsedOf(text, [...(before.tokens ?? []).slice(0, before.kept), ...lexed(text.slice(before.at))]);
  } catch {
    return { text, tokens: undefined, kept: 0, at: 0 };
  }
}
