/**
 * Contents that are kept beside the files, under keys. Of what is held of a file only the tail is copied: both rows
 * have the same content, which is freed when the last of them is gone.
 *
 * Keeps FS42, FS43, FS44.
 */
import { and, count, eq, gte, isNotNull, lt, ne, type SQL } from 'drizzle-orm';
import type { FileBody, FileInfo, KeptFiles, OpenFile, StageOptions } from '../core/ports/file-store';
import { OffshootError } from '../protocol/errors';
import { filePath, mediaTypeOf, newFilePath } from '../protocol/file-rules';
import { keptPath } from './enclosure-rows';
import type { Contents, FileStorage } from './file-contents';
import { discard, fileBody, piecesOf } from './file-streams';
import { Upload } from './file-upload';
import { files } from './schema/files';
import { type Database, transact } from './storage';

/** The store of files that this is a part of. */
interface Surroundings {
  readonly storage: FileStorage;
  readonly db: Database;
  readonly contents: Contents;
  readonly now: () => number;
  /** Bytes of a file, at most. */
  readonly maxBytes: number;
  /** A content was given up: the next write or removal frees it. */
  unswept(): void;
  /** @throws `too_many_files` where there may be no file more, when so many others are still to be placed */
  checkRoom(path: string, coming: number): void;
}

type Row = typeof files.$inferSelect;

/** What is kept in one storage. */
export class SqlKeptFiles implements KeptFiles {
  constructor(private readonly around: Surroundings) {}

  look(path: string): FileInfo | undefined {
    return infoOf(this.#row(filePath(path)));
  }

  hold(key: string, path: string): void {
    const row = this.#row(filePath(path));
    if (row === undefined) throw new OffshootError('not_found', `There is no file ${path}.`);
    this.#set({ ...row, path: keptPath(key) });
  }

  kept(key: string): FileInfo | undefined {
    return infoOf(this.#row(keptPath(key)));
  }

  open(key: string): OpenFile | undefined {
    const row = this.#row(keptPath(key));
    const file = infoOf(row);
    if (row === undefined || file === undefined) return undefined;
    const { size } = file;
    return { file, offset: 0, length: size, body: fileBody(row, 0, size, this.around.contents) };
  }

  async stage(
    key: string,
    body: FileBody,
    { path, size, mediaType, etag, inTransaction }: StageOptions,
  ): Promise<void> {
    const { storage, contents, maxBytes, now } = this.around;
    const pieces = piecesOf(body);
    const upload = new Upload(storage, contents, maxBytes);
    try {
      this.#checkRoom(key, path);
      upload.expect(size);
      for await (const piece of pieces) await upload.add(piece);
      const stored = upload.finish(size);
      if (stored.etag !== etag)
        throw new OffshootError('internal', `The copy of ${path} is not what was sent: send it again.`);
      const row = { path: keptPath(key), mediaType: mediaTypeOf(mediaType), updatedAt: now(), ...stored };
      transact(storage, () => {
        inTransaction();
        this.#checkRoom(key, path);
        if (stored.content !== null) contents.adopt(stored.content);
        this.#set(row);
      });
    } catch (error) {
      discard(body, error);
      throw error;
    } finally {
      await upload.close();
    }
  }

  rename(key: string, to: string): void {
    const row = this.#row(keptPath(key));
    if (row === undefined) throw new OffshootError('internal', `Nothing is kept under ${key}.`);
    this.#set({ ...row, path: keptPath(to) });
    this.around.db.delete(files).where(eq(files.path, row.path)).run();
  }

  place(key: string, path: string): void {
    const { db, contents, now } = this.around;
    const row = this.#row(keptPath(key));
    if (row === undefined) throw new OffshootError('internal', `The file ${path} has not arrived yet: send it again.`);
    const target = newFilePath(path);
    if (this.#row(target) === undefined) contents.added();
    this.#set({ ...row, path: target, updatedAt: now() });
    db.delete(files).where(eq(files.path, row.path)).run();
  }

  drop(prefix: string, before?: string): void {
    const { db } = this.around;
    const first = keptPath(prefix);
    const end = before === undefined ? `${first}\u{10ffff}` : keptPath(before);
    const which = and(gte(files.path, first), lt(files.path, end));
    const rows = db
      .select({ content: files.content })
      .from(files)
      .where(and(which, isNotNull(files.content)))
      .all();
    db.delete(files).where(which).run();
    for (const { content } of rows) this.#giveUp(content);
  }

  /** Each of those that have come becomes a file: there must be room for all of them. */
  #checkRoom(key: string, path: string): void {
    const { db, checkRoom } = this.around;
    const group = keptPath(key.slice(0, key.indexOf('/') + 1));
    const others = and(gte(files.path, group), lt(files.path, `${group}\u{10ffff}`), ne(files.path, keptPath(key)));
    const coming = db.select({ files: count() }).from(files).where(others).get()?.files ?? 0;
    checkRoom(newFilePath(path), coming);
  }

  #row(path: string): Row | undefined {
    return this.around.db.select().from(files).where(eq(files.path, path)).get();
  }

  /** Writes a row; what it replaces is given up. */
  #set(row: Row): void {
    const { db } = this.around;
    const old = db.select({ content: files.content }).from(files).where(eq(files.path, row.path)).get();
    const { path: _path, ...changes } = row;
    db.insert(files).values(row).onConflictDoUpdate({ target: files.path, set: changes }).run();
    if (old && old.content !== row.content) this.#giveUp(old.content);
  }

  /** A row has gone, or has another content: what no other row has is nobody's. */
  #giveUp(content: number | null): void {
    if (content === null || this.#has(eq(files.content, content))) return;
    this.around.contents.disown(content);
    this.around.unswept();
  }

  #has(which: SQL): boolean {
    return this.around.db.select({ path: files.path }).from(files).where(which).limit(1).get() !== undefined;
  }
}

function infoOf(row: Row | undefined): FileInfo | undefined {
  if (row === undefined) return undefined;
  const { content: _content, tail: _tail, ...info } = row;
  return info;
}
