/**
 * The parts of contents that are too big for one row (decision 10).
 *
 * Decides: how large a part of a file is.
 * Keeps FS4, FS10, FS12.
 *
 * Invariants, named by the comments below:
 *  (a)  A content is named by rows of `files` (a file, and what is kept of it), or by its mark, and never by neither.
 *      So a crash at any point leaves either the old file or the new one, and what is left over can be found again.
 *  (b)  While a mark exists, so does a part of its content. So a number is not used twice.
 *  (c)  A pinned content (being written, or being read) is not freed.
 */
import { and, count, desc, eq, gte, isNotNull, lt, notInArray, sql } from 'drizzle-orm';
import { OffshootError } from '../protocol/errors';
import { isFile, isKept } from './enclosure-rows';
import { fileChunks, files } from './schema/files';
import { type Database, databaseOf, type ObjectStorage, transact } from './storage';

/** Bytes of a part, and the most that a file's own row holds. It is part of the stored format: 1 MiB for ever. */
export const PART_BYTES = 1_048_576;

/** Keys for each content. Part of the stored format too. */
const KEYS_PER_CONTENT = 4_096;

/** Parts that are freed in one transaction: enough to be quick, few enough that others get their turn. */
const FREE_BATCH = 64;

/** What the files need of a Durable Object's `ctx.storage`. */
export interface FileStorage extends ObjectStorage {
  /** Settles when what was written is on disk. Awaited between batches, so that writes do not pile up in memory. */
  sync?(): Promise<void>;
}

/** How many parts lie before the tail of a file of `size` bytes. The tail is empty only when the file is. */
export function partsOf(size: number): number {
  return size === 0 ? 0 : Math.ceil(size / PART_BYTES) - 1;
}

const NO_BYTES = new Uint8Array(0);
const keysOf = (content: number) => {
  const first = content * KEYS_PER_CONTENT;
  return and(gte(fileChunks.key, first), lt(fileChunks.key, first + KEYS_PER_CONTENT));
};

/** The contents of one storage. */
export class Contents {
  readonly #db: Database;
  readonly #pins = new Map<number, number>();
  /** Files, or more: what a transaction added that was not kept is still in it. Counted when it matters. */
  #filesAtMost: number | undefined;

  constructor(private readonly storage: FileStorage) {
    this.#db = databaseOf(storage);
  }

  /** Starts a content with its first part, marked (a) and pinned (c): the caller releases it. */
  begin(first: Uint8Array): number {
    const content = transact(this.storage, () => {
      const last = this.#lastKey();
      const next = last === undefined || last < 0 ? 1 : Math.floor(last / KEYS_PER_CONTENT) + 1;
      this.#db
        .insert(fileChunks)
        .values([
          { key: -next, data: NO_BYTES },
          { key: next * KEYS_PER_CONTENT, data: first },
        ])
        .run();
      return next;
    });
    this.pin(content);
    return content;
  }

  /** Adds the part number `index` (from 1 on) to a content that was begun. */
  append(content: number, index: number, data: Uint8Array): void {
    this.#db
      .insert(fileChunks)
      .values({ key: content * KEYS_PER_CONTENT + index, data })
      .run();
  }

  /** The bytes of one part. Throws `internal` when it is not there, so that a reader never gets less in silence. */
  part(content: number, index: number): Uint8Array {
    const key = content * KEYS_PER_CONTENT + index;
    const row = this.#db.select({ data: fileChunks.data }).from(fileChunks).where(eq(fileChunks.key, key)).get();
    if (!row) throw new OffshootError('internal', `Part ${index} of content ${content} is missing from the store.`);
    return row.data;
  }

  /**
   * Inside the transaction that names the content in a file: takes the mark away (a).
   * @throws `internal` when there is no mark, as after another process has swept a content that is still being written.
   */
  adopt(content: number): void {
    if (!this.#marked(content)) {
      throw new OffshootError('internal', `Content ${content} was swept while it was written.`);
    }
    this.#unmark(content);
  }

  /** Inside the transaction that takes the content from its file: marks it (a), unless it is kept. `free` does the rest. */
  disown(content: number): void {
    const kept = this.#db
      .select({ path: files.path })
      .from(files)
      .where(and(isKept(), eq(files.content, content)));
    if (kept.limit(1).get() !== undefined) return;
    this.#db.insert(fileChunks).values({ key: -content, data: NO_BYTES }).run();
  }

  /** The same for the contents of all files. */
  disownAll(): void {
    const contents = this.#db
      .select({ key: sql<number>`-${files.content}`.as('key'), data: sql<Uint8Array>`x''`.as('data') })
      .from(files)
      .where(and(isFile(), isNotNull(files.content), notInArray(files.content, this.#kept())));
    this.#db.insert(fileChunks).select(contents).run();
  }

  #kept() {
    return this.#db
      .select({ content: files.content })
      .from(files)
      .where(and(isKept(), isNotNull(files.content)));
  }

  /** Whether there are fewer files than so many. The rows are counted where that is not known to be so. */
  fewerThan(most: number): boolean {
    if (this.#filesAtMost === undefined || this.#filesAtMost >= most)
      this.#filesAtMost = this.#db.select({ files: count() }).from(files).where(isFile()).get()?.files ?? 0;
    return this.#filesAtMost < most;
  }

  /** A file is added, in a transaction that may not be kept. */
  added(): void {
    if (this.#filesAtMost !== undefined) this.#filesAtMost += 1;
  }

  /** A file was removed, for good. */
  removed(): void {
    if (this.#filesAtMost !== undefined) this.#filesAtMost -= 1;
  }

  /** Keeps a content from being freed, until `release` was called as often. */
  pin(content: number): void {
    this.#pins.set(content, (this.#pins.get(content) ?? 0) + 1);
  }

  /** Takes one pin away, and frees the content if that was the last one and no file has it. Never rejects. */
  async release(content: number): Promise<void> {
    const left = (this.#pins.get(content) ?? 1) - 1;
    if (left > 0) this.#pins.set(content, left);
    else this.#pins.delete(content);
    await this.free(content);
  }

  /**
   * Removes a content that is marked and not pinned, in batches; leaves any other alone. Safe to repeat, and to cut
   * at any point. Never rejects: what it could not free stays marked, and the next sweep finds it.
   */
  async free(content: number): Promise<void> {
    try {
      while (this.#freeBatch(content)) await this.storage.sync?.();
    } catch {
      // The file that the caller changed is changed already: a failure here must not say otherwise.
    }
  }

  /** Frees every marked content that nobody writes or reads: what a crash left over. */
  async sweep(): Promise<void> {
    const marks = this.#db.select({ key: fileChunks.key }).from(fileChunks).where(lt(fileChunks.key, 0)).all();
    for (const { key } of marks) await this.free(-key);
  }

  /** One batch, from the end, the mark with the last one (b). True when there is more to do. */
  #freeBatch(content: number): boolean {
    if (this.#pins.has(content)) return false;
    return transact(this.storage, () => {
      if (!this.#marked(content)) return false;
      const first = content * KEYS_PER_CONTENT;
      const from = Math.max(first, (this.#lastKey(content) ?? first) - FREE_BATCH + 1);
      this.#db
        .delete(fileChunks)
        .where(and(gte(fileChunks.key, from), keysOf(content)))
        .run();
      if (from === first) this.#unmark(content);
      return from > first;
    });
  }

  #marked(content: number): boolean {
    const mark = this.#db.select({ key: fileChunks.key }).from(fileChunks).where(eq(fileChunks.key, -content)).get();
    return mark !== undefined;
  }

  #unmark(content: number): void {
    this.#db.delete(fileChunks).where(eq(fileChunks.key, -content)).run();
  }

  #lastKey(content?: number): number | undefined {
    const all = this.#db.select({ key: fileChunks.key }).from(fileChunks).orderBy(desc(fileChunks.key)).limit(1);
    return (content === undefined ? all : all.where(keysOf(content))).get()?.key;
  }
}

const known = new WeakMap<FileStorage, Contents>();

/** The contents of a storage: one for each, so that several stores over one storage know each other's pins (c). */
export function contentsOf(storage: FileStorage): Contents {
  const contents = known.get(storage) ?? new Contents(storage);
  known.set(storage, contents);
  return contents;
}
