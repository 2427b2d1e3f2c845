/**
 * The tables of files: a row for each file, and one for each further part of its content.
 *
 * Keeps FS5.
 */
import { customType, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Bytes: `Uint8Array` in the program, `ArrayBuffer` from the database. What comes out is copied, and the database's
 * buffer given back at once: workerd does not tell the garbage collector how big those are, so a file that is read
 * would pile up in memory as a whole (512 MB: 470 MB more without this, 90 MB with it).
 */
const bytes = customType<{ data: Uint8Array; driverData: ArrayBuffer | Uint8Array }>({
  dataType: () => 'blob',
  fromDriver(value) {
    if (value instanceof Uint8Array) return value;
    const copy = new Uint8Array(value).slice();
    value.transfer(0);
    return copy;
  },
});

/**
 * The files of an agent, one row each. `tail` is the end of the content, at most one part long, so a file up to
 * 1 MiB is this row alone; what comes before the tail lies in `file_chunks` under the number `content`.
 *
 * The table is meant to be created `WITHOUT ROWID` (one row written for each change in place of two), which
 * drizzle cannot say: the migration adds the words. Everything works without them. `tail` stays the last
 * column, so that listing does not read the bytes.
 */
export const files = sqliteTable('files', {
  /** As `filePath` gives it: no leading slash. */
  path: text('path').primaryKey(),
  /** Bytes of the whole content. */
  size: integer('size').notNull(),
  mediaType: text('media_type').notNull(),
  /** SHA-256 of the content, in hex. */
  etag: text('etag').notNull(),
  /** When this content became the file's, in ms. */
  updatedAt: integer('updated_at').notNull(),
  /** The number of the content whose parts come before the tail; null when the tail is all of it. */
  content: integer('content'),
  tail: bytes('tail').notNull(),
});

/**
 * The parts of contents that do not fit into one row. The key says which: `content * 4096 + index`.
 * A negative key is a mark: the content `-key` belongs to no file (it is being written, or it is to be freed).
 * One integer key, so that each part is one row written.
 */
export const fileChunks = sqliteTable('file_chunks', {
  key: integer('key').primaryKey(),
  data: bytes('data').notNull(),
});
