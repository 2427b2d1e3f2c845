import { dirname, join } from 'node:path/posix';

/** Longest sentence of a page that a person wrote, in words. */
export const MAX_WORDS = 25;

/** The lines of a page outside of its programs. */
function linesOf(markdown: string): string[] {
  let fence: string | undefined;
  return markdown.split('\n').map((line) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark === undefined) return fence === undefined ? line : '';
    if (fence === undefined) fence = mark;
    else if (mark.startsWith(fence)) fence = undefined;
    return '';
  });
}

/** Code as one word, a link as its text: neither ends a sentence, and an address is no word. */
function plain(text: string): string {
  return text
    .replace(/`[^`]*`/g, 'code')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|__/g, '')
    .replace(/<[^>]*>/g, ' ');
}

/** The paragraphs, list items, headings and cells of a page, each with the line that it begins at. */
function blocksOf(markdown: string): { readonly line: number; readonly text: string }[] {
  const blocks: { line: number; text: string }[] = [];
  let isOpen = false;
  linesOf(markdown).forEach((raw, index) => {
    const text = raw.trim();
    if (text === '') {
      isOpen = false;
      return;
    }
    if (text.startsWith('|')) {
      for (const cell of plain(text).split('|')) blocks.push({ line: index + 1, text: cell.trim() });
      isOpen = false;
      return;
    }
    const last = blocks.at(-1);
    if (isOpen && last !== undefined && !/^([-*#>]|\d+\.)\s/.test(text)) last.text += ` ${text}`;
    else blocks.push({ line: index + 1, text: text.replace(/^([-*#>]+|\d+\.)\s+/, '') });
    isOpen = !text.startsWith('#');
  });
  return blocks.map(({ line, text }) => ({ line, text: plain(text) }));
}

/** The sentences of a page over `MAX_WORDS` words, as `line: words: sentence`. A colon ends none. */
export function longSentences(markdown: string): string[] {
  return blocksOf(markdown).flatMap(({ line, text }) =>
    text
      .split(/(?<=[.!?])\s+(?=[A-Z0-9"`“(]|code)/)
      .map((sentence) => ({
        sentence,
        words: sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length,
      }))
      .filter(({ words }) => words > MAX_WORDS)
      .map(({ sentence, words }) => `${line}: ${words}: ${sentence}`),
  );
}

/** A route of an agent in code: `GET A/pending`, `A/logs`, `DELETE A`. */
const ROUTE_OF_AGENT = /`(?:[A-Z]+ A|A\/[^`]*)(?:[/?][^`]*)?`/;

/** `A` and a link to what an address is, in one sentence. */
const MEANING_OF_A = /`A`[^.|]*\]\([^)]*agent\.md#address\)/;

/** The first line of a page that names a route by `A`, unless that line or one before says what `A` is. */
export function unexplainedRoute(markdown: string): number | undefined {
  for (const [index, line] of linesOf(markdown).entries()) {
    if (MEANING_OF_A.test(line)) return undefined;
    if (ROUTE_OF_AGENT.test(line)) return index + 1;
  }
  return undefined;
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const line of linesOf(markdown)) {
    const heading = /^#{1,6}\s+(.*)$/.exec(line)?.[1];
    if (heading === undefined) continue;
    const base = heading
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    let anchor = base;
    for (let again = 1; anchors.has(anchor); again += 1) anchor = `${base}-${again}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** A link of a page to another file, or to a heading. */
export interface PageLink {
  readonly line: number;
  /** Path from the folder of the repository. */
  readonly path: string;
  readonly anchor: string | undefined;
}

/** The relative links of the page at `path`. */
export function linksOf(path: string, markdown: string): PageLink[] {
  return linesOf(markdown).flatMap((line, index) =>
    [...line.replace(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
      if (/^[a-z]+:/.test(target)) return [];
      const [file = '', anchor] = target.split('#');
      return [{ line: index + 1, path: file === '' ? path : join(dirname(path), file), anchor }];
    }),
  );
}
