/**
 * JSON texts in rows: one that is too long for a row goes on in the overflow table.
 *
 * Keeps SO2.
 */
import { and, asc, eq, gte, lt } from 'drizzle-orm';
import { cutBefore } from '../protocol/content/cut';
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
/** The owners with a prefix are one stretch of the key. */
const DROP_ALL = text(
  build.delete(overflow).where(and(gte(overflow.owner, bound('from')), lt(overflow.owner, bound('to')))),
);
const DROP = text(build.delete(overflow).where(eq(overflow.owner, bound('owner'))));

/** Reads and writes JSON texts of any length under an owner's key. */
export class Packer {
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

  /** The same for all rows whose owners begin with a word and a blank. */
  dropAll(word: string): void {
    this.statements.run(DROP_ALL, `${word} `, `${word}!`);
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

  /** The value of a row's field. */
  read<Value>(field: string): Value {
    return JSON.parse(this.unpack(field));
  }
}
