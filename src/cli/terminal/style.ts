/**
 * Lines made of styled spans. `paint` is the only place that writes an escape code into text, and it cleans every
 * span on its way: what a model, a tool or a server wrote can never act on the terminal.
 */
import { chop, cleanLine, fitStart, textWidth } from './text';

/** How a span looks; on a terminal without colours all look the same. */
export type Style = 'plain' | 'bold' | 'dim' | 'accent' | 'good' | 'bad' | 'warn' | 'heading' | 'code';

/** A piece of a line. */
export interface Span {
  readonly text: string;
  readonly style: Style;
}

/** One line. */
export type Line = readonly Span[];

/** A span; plain unless told otherwise. The text is cleaned at once, so that its width is that of what is shown. */
export function span(text: string, style: Style = 'plain'): Span {
  return { text: cleanLine(text), style };
}

const CODES: Record<Style, string> = {
  plain: '',
  bold: '1',
  dim: '2',
  accent: '36',
  good: '32',
  bad: '31',
  warn: '33',
  heading: '1;4',
  code: '36',
};

/** A line as the terminal takes it. Without colours it is the text alone. */
export function paint(line: Line, colours: boolean): string {
  return line
    .map(({ text, style }) => {
      const safe = cleanLine(text);
      return colours && CODES[style] !== '' && safe !== '' ? `\u001b[${CODES[style]}m${safe}\u001b[0m` : safe;
    })
    .join('');
}

/** How many columns a line takes. */
export function lineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + textWidth(text), 0);
}

/** A line cut to `columns`, with a mark where it was cut. */
export function fitLine(line: Line, columns: number): Line {
  if (lineWidth(line) <= columns) return line;
  if (columns < 1) return [];
  const fitted: Span[] = [];
  let left = columns - 1;
  for (const { text, style } of line) {
    const width = textWidth(text);
    if (width > left) return [...fitted, { text: `${fitStart(text, left)}…`, style }];
    fitted.push({ text, style });
    left -= width;
  }
  return fitted;
}

/** Puts `right` at the right edge of `columns`; the left part gives way, and the right one goes when it must. */
export function spread(left: Line, right: Line, columns: number): Line {
  const room = columns - lineWidth(right) - 2;
  if (lineWidth(right) === 0 || room < Math.min(lineWidth(left), 16)) return fitLine(left, columns);
  const fitted = fitLine(left, room);
  return [...fitted, span(' '.repeat(columns - lineWidth(fitted) - lineWidth(right))), ...right];
}

/**
 * Breaks a line at spaces into lines of at most `columns`; a longer word is broken where it must be.
 * @param first what the first line begins with, and `rest` all others
 */
export function wrapLine(line: Line, columns: number, first: Line = [], rest: Line = first): Line[] {
  const lines: Line[] = [];
  const margin = lineWidth(rest);
  let current: Span[] = [...first];
  let used = lineWidth(first);
  let space: Span | undefined;
  let empty = true;
  const put = (span: Span, width: number) => {
    current.push(span);
    used += width;
    empty = false;
  };
  const flush = () => {
    lines.push(current);
    current = [...rest];
    used = margin;
    space = undefined;
    empty = true;
  };
  for (const { text, style } of line) {
    for (const word of text.match(/\s+|[^\s]+/gu) ?? []) {
      if (/^\s/u.test(word)) {
        space = empty ? undefined : { text: ' ', style };
        continue;
      }
      const width = textWidth(word);
      if (!empty && used + (space === undefined ? 0 : 1) + width > columns) flush();
      if (space !== undefined) put(space, 1);
      space = undefined;
      const pieces = width > columns - used ? chop(word, columns - used, columns - margin) : [word];
      pieces.forEach((piece, index) => {
        if (index > 0) flush();
        put({ text: piece, style }, textWidth(piece));
      });
    }
  }
  if (!empty || lines.length === 0) lines.push(current);
  return lines;
}
