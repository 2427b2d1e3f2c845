/** What the offline writer and its reviewer both go by: the parts of a text, its statements, and how faults are told. */
import { isObject, type Json } from '../../protocol/json';
import { marksOf } from '../citations';
import { collapse } from '../quotes';
import { MAX_TEXT_SOURCES, type TextKind, type TextRequest, textRequestSchema } from '../schemas';
import { asStatement, cut } from './compose';
import { WRITTEN_BY_RULES } from './reply';
import { parsed, type Turn } from './transcript';

type Source = TextRequest['sources'][number];

/** The request that a side works on, and what was said since, oldest first. */
export interface Commission {
  readonly request: TextRequest;
  readonly since: readonly string[];
}

/** The line over a message that was for the other side. */
const FOR_THE_OTHER = /^\[From the [^\n]*\]\n/;

/** The newest request of a conversation; none where no message is one. */
export function commissionOf({ said }: Pick<Turn, 'said'>): Commission | undefined {
  for (let at = said.length - 1; at >= 0; at--) {
    const text = (said[at] ?? '').replace(FOR_THE_OTHER, '');
    const value: Json = text.startsWith('{') ? parsed(text) : null;
    const request = isObject(value) ? textRequestSchema.safeParse(value) : undefined;
    if (request?.success) return { request: request.data, since: said.slice(at + 1) };
  }
  return undefined;
}

/** The lines around the statements of a text; each stands alone. */
export interface Frame {
  readonly opening?: string;
  /** What stays open. */
  readonly open?: string;
  readonly closing?: string;
  /** How it was written. */
  readonly note: string;
}

/** "To a new colleague" is "Dear new colleague". */
const dear = (audience = 'reader'): string => `Dear ${audience.replace(/^(?:an?|the)\s+/i, '')},`;

const OPENINGS: Readonly<Record<TextKind, (audience: string | undefined) => string | undefined>> = {
  letter: (audience) => dear(audience),
  email: (audience) => dear(audience),
  notice: (audience) => (audience === undefined ? '**Notice**' : `**Notice to ${audience}**`),
  announcement: (audience) => (audience === undefined ? '**Announcement**' : `**Announcement to ${audience}**`),
  memo: (audience) => (audience === undefined ? '**Memo**' : `**Memo to ${audience}**`),
  summary: () => undefined,
};

/** Open questions that a text names, each at most so many characters. */
const MAX_OPEN = 2;
const MAX_OPEN_LENGTH = 100;

/** The lines that a text of a request has besides its statements. */
export function frameOf({ kind, audience, open }: TextRequest): Frame {
  const opening = OPENINGS[kind](audience === undefined ? undefined : collapse(audience));
  const named = open.slice(0, MAX_OPEN).map((one) => cut(asStatement(one), MAX_OPEN_LENGTH));
  const more = open.length > MAX_OPEN ? `; and ${open.length - MAX_OPEN} more` : '';
  return {
    ...(opening === undefined ? {} : { opening }),
    ...(open.length === 0 ? {} : { open: `Not answered: ${named.join('; ')}${more}` }),
    ...(kind === 'letter' || kind === 'email' ? { closing: 'With kind regards' } : {}),
    note: `(${WRITTEN_BY_RULES})`,
  };
}

/** What a text states by a source. */
export const statementOf = (source: Source): string => asStatement(source.quotation);

/** The words of a text, without the line on how it was written. Marks are none. */
export const wordCount = (text: string): number =>
  text
    .replace(`(${WRITTEN_BY_RULES})`, '')
    .replaceAll(/\[\d{1,3}\]/g, ' ')
    .match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’-]*/gu)?.length ?? 0;

/** The source of a part that takes the fewest words. */
export function shortestOf({ sources }: TextRequest, part: string): Source | undefined {
  const own = sources.filter((source) => collapse(source.part) === collapse(part));
  return own.sort((one, other) => wordCount(statementOf(one)) - wordCount(statementOf(other)))[0];
}

/** A statement of a draft: its words, and the sources whose marks follow it. */
export interface Statement {
  readonly words: string;
  readonly marks: readonly number[];
}

/** The statements of a draft: what is between its marks, line by line, without the frame's lines. */
export function statementsIn(draft: string, request: TextRequest): Statement[] {
  const frame = new Set(Object.values(frameOf(request)).map(collapse));
  return draft.split('\n').flatMap((line) => {
    if (line.trim() === '' || frame.has(collapse(line))) return [];
    const pieces = collapse(line).match(/(?:(?!\[\d{1,3}\]).)+(?:\[\d{1,3}\] ?)*/gu) ?? [collapse(line)];
    return pieces.map((piece) => ({ words: piece.replaceAll(/ ?\[\d{1,3}\] ?/g, '').trim(), marks: marksOf(piece) }));
  });
}

/** The sources of a request that a draft refers to, by their numbers, each once and in order. */
export function sourcesIn(draft: string, request: TextRequest): number[] {
  const marks = statementsIn(draft, request).flatMap((statement) => statement.marks);
  return [...new Set(marks)].filter((mark) => mark <= Math.min(request.sources.length, MAX_TEXT_SOURCES));
}

/** The kinds of faults. */
export const FAULTS = ['unsourced', 'unsupported', 'missing', 'too_long', 'repeated'] as const;
/** One thing that a reviewer finds. */
export interface Fault {
  readonly kind: (typeof FAULTS)[number];
  /** The sentence or line that it is about. */
  readonly sentence: string;
  readonly mend: string;
}

const FAULT = new RegExp(`^- (${FAULTS.join('|')}): “(.*)”: (.*)$`);

/** A fault as a line of a review. */
export const faultLine = ({ kind, sentence, mend }: Fault): string => `- ${kind}: “${collapse(sentence)}”: ${mend}`;

/** The faults that a review names. */
export function faultsIn(review: string): Fault[] {
  return review.split('\n').flatMap((line) => {
    const [, name, sentence = '', mend = ''] = FAULT.exec(line) ?? [];
    const kind = FAULTS.find((one) => one === name);
    return kind === undefined ? [] : [{ kind, sentence, mend }];
  });
}
