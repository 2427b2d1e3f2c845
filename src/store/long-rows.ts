/**
 * JSON texts in rows: one that is too long for a row goes on in the overflow table.
 *
 * Keeps SO2, JS4.
 */
import { asc, eq } from 'drizzle-orm';
import { cutBefore } from '../protocol/cut';
import { DATA_LIMITS } from '../protocol/data-limits';
import { overflow } from './schema/agent';
import { bound, build, excluded, type Statements, text } from './statements';

/** Longer texts are split. Unit: characters; a character is at most 3 bytes of UTF-8 here, and a row holds 2 MB. */
export const MAX_TEXT = 600_000;
/** The same for a row that holds two texts. */
export const HALF_TEXT = MAX_TEXT / 2;
/** A field that goes on elsewhere begins with it; no JSON text does. */
export const MARK = '@';

const PUT = text(
  build
    .insert(overflow)
    .values({ owner: bound('owner'), part: bound('part'), text: bound('text') })
    .onConflictDoUpdate({ target: [overflow.owner, overflow.part], set: { text: excluded('text') } }),
);
const GET = text(
  build
    .select()
    .from(overflow)
    .where(eq(overflow.owner, bound('owner')))
    .orderBy(asc(overflow.part))
    .limit(bound('limit')),
);
const DROP = text(build.delete(overflow).where(eq(overflow.owner, bound('owner'))));

/**
 * A record is nested no deeper than so many levels: one value of `DATA_LIMITS.maxDepth`, with what is around it. What an
 * older release wrote may be; it could neither be sent nor written again.
 */
const MAX_RECORD_DEPTH = DATA_LIMITS.maxDepth + 28;
/** Stands for what lay deeper. */
export const LEFT_OUT = `(left out: it was nested deeper than ${DATA_LIMITS.maxDepth} levels)`;

/** Reads and writes JSON texts of any length under an owner's key. */
export class Packer {
  /** How many of the records that were read so far were nested too deep, and are not whole. */
  cuts = 0;

  constructor(readonly statements: Statements) {}

  /** The text to keep in the row itself, with at most so many characters. Rewriting an owner replaces its parts. */
  pack(owner: string, json: string, most = MAX_TEXT): string {
    if (json.length <= most) return json;
    let parts = 0;
    for (let at = 0; at < json.length; parts++) {
      // The two halves of a character stay together: alone, neither can be stored.
      const end = cutBefore(json, at + MAX_TEXT);
      this.statements.run(PUT, owner, parts, json.slice(at, end));
      at = end;
    }
    return `${MARK}${owner} ${parts}`;
  }

  /** Removes what a row that is removed left over. */
  drop(owner: string): void {
    this.statements.run(DROP, owner);
  }

  /** The whole text of a row's field. */
  unpack(field: string): string {
    if (!field.startsWith(MARK)) return field;
    const space = field.lastIndexOf(' ');
    const rows = this.statements.all<{ text: string }>(
      GET,
      field.slice(MARK.length, space),
      Number(field.slice(space + 1)),
    );
    return rows.map((row) => row.text).join('');
  }

  /** The value of a row's field; what is nested too deep in it is left out, and says so. */
  read<Value>(field: string): Value {
    const text = this.unpack(field);
    const value: Value = JSON.parse(text);
    if (!isDeep(text)) return value;
    this.cuts++;
    cut(value);
    return value;
  }
}

/** Whether a JSON text is nested deeper than a record may be. */
function isDeep(text: string): boolean {
  if (text.length <= 2 * MAX_RECORD_DEPTH) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfText(text, at);
    else if (unit === BRACE || unit === BRACKET) {
      if (++depth > MAX_RECORD_DEPTH) return true;
    } else if (unit === BRACE_END || unit === BRACKET_END) depth--;
  }
  return false;
}

const [QUOTE, ESCAPE, BRACE, BRACKET, BRACE_END, BRACKET_END] = [0x22, 0x5c, 0x7b, 0x5b, 0x7d, 0x5d];

/** Where the text ends that begins at a quotation mark. */
function endOfText(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end > 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === ESCAPE) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

/** Takes out of a value, which it owns, what lies too deep. It goes through it level by level, without recursion. */
function cut(value: unknown): void {
  let level = [value];
  for (let depth = 1; depth < MAX_RECORD_DEPTH; depth++)
    level = level.flatMap((each) => Object.values(each as object).filter((inner) => isContainer(inner)));
  for (const each of level as Record<string, unknown>[])
    for (const key of Object.keys(each)) if (isContainer(each[key])) each[key] = LEFT_OUT;
}

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null;
