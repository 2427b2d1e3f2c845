/**
 * Markdown without anything live: no image that a reader's program fetches, no link behind other words, no HTML. What
 * it says stays as it is and is shown as text; addresses stand as code, which no renderer makes a link of. Where
 * renderers differ about what is code, it is taken for text.
 */
import { trimEndOf } from '../protocol/content/lines';

/** An address that renderers make a link of by itself. */
const ADDRESS = /(?:\b[a-z][a-z0-9+.-]{1,20}:\/\/|\bwww\.)[^\s`|<>]+/gi;

/** The mark of a citation; `[0]` is none. */
const MARK = /\[[1-9]\d{0,2}\]/y;

/** A text inside a line of Markdown: one line, and no mark in it means anything. */
export function plainText(text: string): string {
  return splitAddresses(text.replaceAll(/\s+/g, ' ').replaceAll(/[*`]/g, ''), (words) =>
    words.replaceAll(/[\\[\]<>_]/g, '\\$&'),
  ).trim();
}

/** A Markdown text with its formatting, its code and its marks of citations, and nothing live. A block of code that is open is closed. */
export function inertMarkdown(text: string): string {
  const lines: string[] = [];
  let fence: string | undefined;
  for (const line of text.split(/\r\n|[\n\r]/)) {
    const mark = fenceOf(line);
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && mark === line.trimEnd()) fence = undefined;
      lines.push(line);
    } else if (mark !== undefined && !line.slice(mark.length).includes('`')) {
      fence = mark;
      lines.push(line);
    } else lines.push(inertLine(line));
  }
  if (fence !== undefined) lines.push(fence);
  return lines.join('\n');
}

/** The run of three or more that a line begins with. One that is indented may end with the list that it is in. */
function fenceOf(line: string): string | undefined {
  const char = line.charAt(0);
  if (char !== '`' && char !== '~') return undefined;
  let end = 0;
  while (line.charAt(end) === char) end++;
  return end < 3 ? undefined : line.slice(0, end);
}

/** A line outside blocks of code: code in it stays, the rest is made inert. */
function inertLine(line: string): string {
  const runs = [...line.matchAll(/\\.|`+/gsu)].filter(([run]) => !run.startsWith('\\'));
  const nextOf = nextRuns(runs.map(([run]) => run.length));
  const parts: string[] = [];
  let from = 0;
  for (let index = 0; index < runs.length; index++) {
    const [run, next] = [runs[index], runs[nextOf[index] ?? -1]];
    if (run === undefined) break;
    parts.push(inertWords(line.slice(from, run.index)));
    from = run.index + run[0].length;
    const end = next === undefined ? from : next.index + next[0].length;
    const code = line.slice(run.index, end);
    // The cells of a table are told apart before the code in them.
    if (next === undefined || code.includes('|')) parts.push('\\`'.repeat(run[0].length));
    else {
      parts.push(code);
      from = end;
      index = nextOf[index] ?? index;
    }
  }
  return parts.join('') + inertWords(line.slice(from));
}

/** For each run of backticks the next one of the same length, which closes what it opens. */
function nextRuns(lengths: readonly number[]): (number | undefined)[] {
  const last = new Map<number, number>();
  const next: (number | undefined)[] = [];
  for (let index = lengths.length - 1; index >= 0; index--) {
    const length = lengths[index] ?? 0;
    next[index] = last.get(length);
    last.set(length, index);
  }
  return next;
}

const inertWords = (words: string): string => splitAddresses(words, escapeLive);

/** Makes code of the addresses in a text, and of what is between them what `rest` makes. */
function splitAddresses(text: string, rest: (words: string) => string): string {
  const parts: string[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = trimEndOf(found, '.,;:!?)]\'"*_\\');
    parts.push(rest(text.slice(from, index)), `\`${address}\``);
    from = index + address.length;
  }
  return parts.join('') + rest(text.slice(from));
}

/** Escapes what begins a link, an image or HTML. The mark of a citation stays, and cannot become a link. */
function escapeLive(words: string): string {
  const parts: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const char = words.charAt(at);
    if (char === '\\') {
      // An escape of the author's own stays one; a lone one at the end must not take what follows.
      const next = words.charAt(++at);
      parts.push(next === '' ? '\\\\' : char + next);
      continue;
    }
    MARK.lastIndex = at;
    const mark = char === '[' ? MARK.exec(words)?.[0] : undefined;
    if (mark === undefined)
      parts.push('[]<'.includes(char) || (char === '!' && words.charAt(at + 1) === '[') ? `\\${char}` : char);
    else {
      at += mark.length - 1;
      const after = words.charAt(at + 1);
      parts.push(mark);
      if (after !== '' && '(:'.includes(after)) parts.push(`\\${words.charAt(++at)}`);
    }
  }
  return parts.join('');
}
