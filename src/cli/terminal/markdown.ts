/** Markdown as lines for a terminal: headings, lists, quotations, code and citations. Everything else stays text. */
import { headingOf } from '../../protocol/content/lines';
import { type Line, type Span, type Style, span, wrapLine } from './style';
import { chop, cleanLines } from './text';

/** A paragraph longer than this is shown without a look at its markup, in characters. */
const MAX_INLINE = 20_000;

/** The columns of the widest character: what stands before a text leaves at least so many. */
const WIDEST = 2;

const INLINE = new RegExp(
  [
    '`(?<code>[^`]+)`',
    '\\*\\*(?<bold>[^*]+)\\*\\*',
    '__(?<bold2>[^_]+)__',
    '(?<![\\w*])\\*(?<em>[^*\\s][^*]*)\\*(?!\\w)',
    '!?\\[(?<label>[^[\\]]*)\\]\\((?<url>[^()\\s]*)\\)',
    '(?<cite>\\[\\^?\\d+(?:\\s*[,–-]\\s*\\d+)*\\])',
    '<(?<auto>https?://[^<>\\s]+)>',
    '\\\\(?<escaped>[\\\\`*_{}[\\]()#+.!>|~-])',
  ].join('|'),
  'gu',
);

/** The lines of a Markdown text, each at most `width` columns wide. */
export function renderMarkdown(markdown: string, width: number): Line[] {
  const lines: Line[] = [];
  let paragraph: string[] = [];
  let fence: string | undefined;
  const flush = () => {
    if (paragraph.length > 0) lines.push(...wrapLine(inline(paragraph.join(' ')), width));
    paragraph = [];
  };
  for (const text of cleanLines(markdown)) {
    const mark = /^\s{0,3}(```|~~~)/u.exec(text)?.[1];
    if (mark !== undefined && (fence === undefined || fence === mark)) {
      flush();
      fence = fence === undefined ? mark : undefined;
    } else if (fence !== undefined) {
      lines.push(...codeLines(text, width));
    } else if (text.trim() === '') {
      flush();
      if (lines.length > 0 && lines.at(-1)?.length !== 0) lines.push([]);
    } else {
      const block = blockLines(text, width);
      if (block === undefined) paragraph.push(text.trim());
      else {
        flush();
        lines.push(...block);
      }
    }
  }
  flush();
  while (lines.at(-1)?.length === 0) lines.pop();
  return lines;
}

/** The lines of a text that is a block by itself; undefined when it belongs to a paragraph. */
function blockLines(text: string, width: number): Line[] | undefined {
  const heading = headingOf(text);
  if (heading) return wrapLine(inline(heading.words, heading.level === 1 ? 'heading' : 'bold'), width);
  if (/^\s{0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/u.test(text)) {
    return [[span('─'.repeat(Math.min(width, 40)), 'dim')]];
  }
  const quote = /^\s{0,3}>\s?(.*)$/u.exec(text);
  if (quote) return wrapLine(inline(quote[1] ?? ''), width, [span('│ ', 'dim')]);
  const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/u.exec(text);
  if (item) {
    const [, indent = '', mark = '', content = ''] = item;
    const bullet = /\d/u.test(mark) ? `${mark} ` : '• ';
    const room = Math.max(0, width - bullet.length - WIDEST);
    const depth = ' '.repeat(Math.min(indent.length, Math.floor(width / 3), room));
    return wrapLine(inline(content), width, [span(`${depth}${bullet}`)], [span(depth + ' '.repeat(bullet.length))]);
  }
  return /^\s*\|.*\|\s*$/u.test(text) ? wrapLine([span(text.trim())], width) : undefined;
}

/** Code keeps its spaces; a line that is too long goes on in the next one. */
function codeLines(text: string, width: number): Line[] {
  const room = Math.max(1, width - 2);
  const pieces = chop(text, room, room);
  return (pieces.length === 0 ? [''] : pieces).map((piece) => [span('  '), span(piece, 'code')]);
}

function inline(text: string, base: Style = 'plain'): Span[] {
  if (text.length > MAX_INLINE) return [span(text, base)];
  const spans: Span[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > end) spans.push(span(text.slice(end, match.index), base));
    spans.push(...markup(match.groups ?? {}, base));
    end = match.index + match[0].length;
  }
  if (end < text.length) spans.push(span(text.slice(end), base));
  return spans;
}

function markup(groups: Record<string, string | undefined>, base: Style): Span[] {
  const { code, bold, bold2, em, label, url, cite, auto, escaped } = groups;
  if (code !== undefined) return [span(code, 'code')];
  if (bold !== undefined || bold2 !== undefined) return [span(bold ?? bold2 ?? '', base === 'plain' ? 'bold' : base)];
  if (em !== undefined) return [span(em, base)];
  if (cite !== undefined) return [span(cite, 'accent')];
  if (auto !== undefined) return [span(auto, 'accent')];
  if (escaped !== undefined) return [span(escaped, base)];
  const link = url === undefined || url === '' || url === label ? [] : [span(` (${url})`, 'dim')];
  return [span(label ?? '', base), ...link];
}
