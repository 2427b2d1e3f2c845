/**
 * Splitting a text into passages: the unit that is searched, read and cited. A passage is a paragraph, a list, a table
 * or a code block under its heading. The same text always gives the same passages, so their numbers are stable; the
 * text of a passage is the text of its source, unchanged but for blank lines.
 */

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

interface Block {
  heading: string;
  text: string;
}

const HEADING = /^(#{1,6})\s+(.+?)\s*#*$/;
const FENCE = /^\s*(```|~~~)/;

/** Line ends made one, and without characters that no text holds. */
function cleanText(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .replaceAll('\u0000', '');
}

function blocksOf(text: string, markdown: boolean): { title?: string; blocks: Block[] } {
  const blocks: Block[] = [];
  const path: string[] = [];
  let title: string | undefined;
  let lines: string[] = [];
  let fence: string | undefined;
  const close = (): void => {
    const block = lines.join('\n').trim();
    if (block !== '') blocks.push({ heading: path.filter(Boolean).join(' › '), text: block });
    lines = [];
  };
  for (const line of text.split('\n')) {
    const mark = markdown ? FENCE.exec(line)?.[1] : undefined;
    if (mark !== undefined && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined;
    const heading = markdown && fence === undefined ? HEADING.exec(line) : null;
    if (heading) {
      close();
      const level = heading[1]?.length ?? 1;
      const words = heading[2] ?? '';
      const isTitle = level === 1 && title === undefined;
      if (isTitle) title = words;
      path.length = Math.min(path.length, level - 1);
      path[level - 1] = isTitle ? '' : words;
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
  const head = text.slice(0, MAX_PASSAGE);
  const line = head.lastIndexOf('\n');
  if (line > MAX_PASSAGE / 2) return line;
  const sentence = Math.max(head.lastIndexOf('. '), head.lastIndexOf('! '), head.lastIndexOf('? '));
  if (sentence > MAX_PASSAGE / 2) return sentence + 1;
  const blank = head.lastIndexOf(' ');
  if (blank > 0) return blank;
  const code = head.charCodeAt(head.length - 1);
  return code >= 0xd800 && code <= 0xdbff ? MAX_PASSAGE - 1 : MAX_PASSAGE;
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

/**
 * Splits a text into passages, in order.
 * @param markdown whether `#` lines are headings and fences keep their blank lines.
 * @returns the passages, and the first top-level heading as the title where there is one.
 */
export function splitPassages(text: string, markdown: boolean): { title?: string; passages: SplitPassage[] } {
  const { title, blocks } = blocksOf(cleanText(text), markdown);
  const passages = join(blocks).flatMap((block) => [...pieces(block)]);
  return title === undefined ? { passages } : { title, passages };
}
