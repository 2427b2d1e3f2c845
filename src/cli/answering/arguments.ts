/** The arguments of a call as lines: exactly, as JSON, or a report so that it can be read. Pure. */
import { isObject, type Json, type JsonObject } from '../../protocol/json';
import { renderMarkdown } from '../terminal/markdown';
import { type Line, span } from '../terminal/style';
import { chop, cleanJson } from '../terminal/text';

/** A value as JSON, in lines of at most `width` columns: nothing is left out, what could act is written as `\u....`. */
export function jsonLines(value: Json, width: number): Line[] {
  const room = Math.max(1, width);
  return cleanJson(JSON.stringify(value, null, 2))
    .split('\n')
    .flatMap((line) => chop(line, room, room))
    .map((piece) => [span(piece)]);
}

/** What was found out about a value before: prompts are drawn often. */
const known = new WeakMap<object, boolean>();

/**
 * Whether a value is a report that `readableLines` shows whole: one with invisible or turning characters is not, they
 * would be lost.
 */
export function isReport(value: Json): value is JsonObject {
  if (!isObject(value) || typeof value.title !== 'string') return false;
  const { summary, sections } = value;
  const shaped = (typeof summary === 'string' || Array.isArray(sections)) && isText(summary) && isList(sections);
  if (!shaped) return false;
  const before = known.get(value);
  if (before !== undefined) return before;
  const json = JSON.stringify(value);
  const visible = cleanJson(json) === json && !/\\u00/u.test(json);
  known.set(value, visible);
  return visible;
}

/** A report to be read: title, its text where it has one, summary, sections with their citations, and as JSON whatever else it holds. */
export function readableLines(report: JsonObject, width: number): Line[] {
  const { title, summary, sections, openQuestions, text, ...others } = report;
  const parts = [`# ${oneLine(title ?? '')}`, ...textParts(text), typeof summary === 'string' ? summary : ''];
  for (const section of Array.isArray(sections) ? sections : []) parts.push(sectionText(section));
  if (Array.isArray(openQuestions) && openQuestions.length > 0) {
    parts.push('## Open questions', openQuestions.map((each: Json) => `- ${oneLine(each)}`).join('\n'));
  }
  const lines = renderMarkdown(parts.join('\n\n'), width);
  if (Object.keys(others).length === 0) return lines;
  return [...lines, [], [span('Also:', 'bold')], ...jsonLines(others, width)];
}

/** The text of a report: what it is and for whom, and its words with their citations. */
function textParts(text: Json | undefined): string[] {
  if (text === undefined) return [];
  if (!isObject(text)) return ['## text', fenced(text)];
  const { kind, audience, body, ...others } = text;
  const heading = [kind ?? 'text', audience].filter((each) => each !== undefined).map((each) => oneLine(each ?? ''));
  return [sectionText({ heading: heading.join(' · '), text: body ?? null, ...others })];
}

function sectionText(section: Json): string {
  if (!isObject(section)) return fenced(section);
  const { heading, text, citations, ...others } = section;
  const parts = [`## ${oneLine(heading ?? '')}`, typeof text === 'string' ? text : fenced(text ?? null)];
  const list = Array.isArray(citations) ? citations : citations === undefined ? [] : [citations];
  if (list.length > 0) parts.push(list.map((each: Json, at) => `${at + 1}. ${citationText(each)}`).join('\n'));
  if (Object.keys(others).length > 0) parts.push(fenced(others));
  return parts.join('\n\n');
}

function citationText(citation: Json): string {
  if (!isObject(citation)) return oneLine(citation);
  const { document, passage, quotation, ...others } = citation;
  const place = [document, passage].filter((each) => each !== undefined).map((each) => oneLine(each ?? ''));
  const rest = Object.keys(others).length > 0 ? ` ${JSON.stringify(others)}` : '';
  return `${place.join(' · ')}: “${oneLine(quotation ?? '')}”${rest}`;
}

function fenced(value: Json): string {
  return `\`\`\`\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

function oneLine(value: Json): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).replace(/\s+/gu, ' ');
}

function isText(value: Json | undefined): boolean {
  return value === undefined || typeof value === 'string';
}

function isList(value: Json | undefined): boolean {
  return value === undefined || Array.isArray(value);
}
