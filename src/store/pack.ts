/** JSON texts in rows: one that is too long for a row goes on in the overflow table. */
import { and, asc, eq } from 'drizzle-orm';
import { overflow } from './schema/agent';
import type { Database } from './storage';

/** Longer texts are split. Unit: characters; a character is at most 3 bytes of UTF-8 here, and a row holds 2 MB. */
const MAX_TEXT = 600_000;
const MARK = '@';

/** Reads and writes JSON texts of any length under an owner's key. */
export class Packer {
  constructor(readonly database: Database) {}

  /** The text to keep in the row itself. Rewriting an owner replaces its parts. */
  pack(owner: string, text: string): string {
    if (text.length <= MAX_TEXT) return text;
    const parts = Math.ceil(text.length / MAX_TEXT);
    for (let part = 0; part < parts; part++) {
      const piece = text.slice(part * MAX_TEXT, (part + 1) * MAX_TEXT);
      this.database
        .insert(overflow)
        .values({ owner, part, text: piece })
        .onConflictDoUpdate({ target: [overflow.owner, overflow.part], set: { text: piece } })
        .run();
    }
    return `${MARK}${owner} ${parts}`;
  }

  /** The whole text of a row's field. */
  unpack(text: string): string {
    if (!text.startsWith(MARK)) return text;
    const space = text.lastIndexOf(' ');
    const owner = text.slice(MARK.length, space);
    const parts = Number(text.slice(space + 1));
    const rows = this.database.select().from(overflow).where(and(eq(overflow.owner, owner))).orderBy(asc(overflow.part)).limit(parts).all();
    return rows.map((row) => row.text).join('');
  }
}
