/**
 * Splitting a text into passages: the unit that is searched, read and cited. A passage is a paragraph, a list, a table
 * or a code block under its heading. The same text always gives the same passages, so their numbers are stable; the
 * text of a passage is the text of its source, unchanged but for blank lines.
 */

import { beginningOf } from '../protocol/content/cut';
import { headingOf } from '../protocol/content/lines';
import { atOnce } from './portions';

/** A longer paragraph is cut at the end of a line, a sentence or a word. Unit: characters. */
export const MAX_PASSAGE = 1_500;

/** A shorter paragraph is joined to the next under the same heading: alone it says too little. Unit: characters. */
const MIN_PASSAGE = 80;

/** A passage before it belongs to a document. */
export interface SplitPassage {
  /** The headings above it, without the document's title, joined by ` › `. */
  readonly heading: string;
  readonly text: string;
}

/** A longer line that begins with `#` is no heading but text: a heading is kept with each of its passages. Unit: characters. */
export const MAX_HEADING = 200;

/** All headings above a passage, in characters; of longer ones the innermost are kept, behind a `…`. */
export const MAX_PATH = 300;

interface Block {
  heading: string;
  text: string;
}

/** Lines that are read, or passages that are cut, before others have their turn. */
const PORTION = 500;

/** Line ends made one, and without characters that no text holds. */
function cleanText(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .replaceAll('\u0000', '');
}

/** The lines of a text, one at a time. */
function* linesOf(text: string): Generator<string> {
  let from = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
    yield text.slice(from, end);
    from = end + 1;
  }
  yield text.slice(from);
}

/** The mark of a line that begins or ends a block of code. */
function fenceOf(line: string): string | undefined {
  const mark = line.trimStart().slice(0, 3);
  return mark === '```' || mark === '~~~' ? mark : undefined;
}

/** The headings above a passage, the innermost last, within `MAX_PATH`. */
function pathText(path: readonly (string | undefined)[]): string {
  const words = path.filter(Boolean);
  const whole = words.join(' › ');
  if (whole.length <= MAX_PATH) return whole;
  while (['…', ...words].join(' › ').length > MAX_PATH) words.shift();
  return ['…', ...words].join(' › ');
}

/** Reads the blocks of a text. Yields after each portion of lines. */
function* blocksOf(text: string, markdown: boolean): Generator<void, { title?: string; blocks: Block[] }> {
  const blocks: Block[] = [];
  const path: string[] = [];
  let title: string | undefined;
  let above = '';
  let lines: string[] = [];
  let fence: string | undefined;
  let read = 0;
  const close = (): void => {
    const block = lines.join('\n').trim();
    if (block !== '') blocks.push({ heading: above, text: block });
    lines = [];
  };
  for (const line of linesOf(text)) {
    if (++read % PORTION === 0) yield;
    const mark = markdown ? fenceOf(line) : undefined;
    if (mark !== undefined && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined;
    const heading = markdown && fence === undefined ? headingOf(line) : undefined;
    if (heading && heading.words.length <= MAX_HEADING) {
      close();
      const { level, words } = heading;
      const isTitle = level === 1 && title === undefined;
      if (isTitle) title = words;
      path.length = Math.min(path.length, level - 1);
      path[level - 1] = isTitle ? '' : words;
      above = pathText(path);
    } else if (line.trim() === '' && fence === undefined) close();
    else lines.push(line);
  }
  close();
  return title === undefined ? { blocks } : { title, blocks };
}

/** Joins what cannot stand alone: a lead-in (`…:`) to its list, and a very short paragraph to the next. */
function join(blocks: readonly Block[]): Block[] {
  const joined: Block[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    const fits =
      last !== undefined && last.heading === block.heading && last.text.length + block.text.length + 2 <= MAX_PASSAGE;
    if (fits && (last.text.endsWith(':') || last.text.length < MIN_PASSAGE)) last.text += `\n\n${block.text}`;
    else joined.push({ ...block });
  }
  return joined;
}

/** Where to cut a text that is too long: the last line end, sentence end or blank before the limit. */
function cutAt(text: string): number {
  const head = beginningOf(text, MAX_PASSAGE);
  const line = head.lastIndexOf('\n');
  if (line > MAX_PASSAGE / 2) return line;
  const sentence = Math.max(head.lastIndexOf('. '), head.lastIndexOf('! '), head.lastIndexOf('? '));
  if (sentence > MAX_PASSAGE / 2) return sentence + 1;
  const blank = head.lastIndexOf(' ');
  if (blank > 0) return blank;
  return head.length;
}

function* pieces(block: Block): Generator<SplitPassage> {
  let rest = block.text;
  while (rest.length > MAX_PASSAGE) {
    const cut = cutAt(rest);
    yield { heading: block.heading, text: rest.slice(0, cut).trim() };
    rest = rest.slice(cut).trim();
  }
  if (rest !== '') yield { heading: block.heading, text: rest };
}

/** A text as its passages, and its first top-level heading as the title where there is one. */
export interface SplitText {
  readonly title?: string;
  readonly passages: readonly SplitPassage[];
}

/**
 * Splits a text into passages, in order, a bounded portion at a time: it yields wherever others may have their turn.
 * @param markdown whether `#` lines are headings and fences keep their blank lines.
 */
export function* splitting(text: string, markdown: boolean): Generator<void, SplitText> {
  const { title, blocks } = yield* blocksOf(cleanText(text), markdown);
  const passages: SplitPassage[] = [];
  for (const block of join(blocks)) {
    for (const piece of pieces(block)) if (passages.push(piece) % PORTION === 0) yield;
  }
  return title === undefined ? { passages } : { title, passages };
}

/** Splits a text into passages at once. */
export function splitPassages(text: string, markdown: boolean): SplitText {
  return atOnce(splitting(text, markdown));
}
