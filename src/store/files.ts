/**
 * Files in SQLite: a write is checked against `ifMatch`, the room and the sizes before its bytes, and again in its
 * commit.
 *
 * Decides: whether a version (`ifMatch`) still holds; room and sizes of files.
 * Keeps FS2, FS8, FS9, FS16, FS40.
 */
import { createHash } from 'node:crypto';
import { and, asc, eq, gt, gte, lt, sum } from 'drizzle-orm';
import { VERSION_DIGITS } from '../core/agent/built-in/workspace';
import { DEFAULT_LIMITS, type Limits, MAX_CONTENT_BYTES } from '../core/definition/limits';
import type {
  ByteRange,
  FileBody,
  FileInfo,
  FilePage,
  FileStore,
  KeptFiles,
  ListOptions,
  OpenFile,
  RangeChoice,
  RemoveOptions,
  WriteOptions,
} from '../core/ports/file-store';
import { PAGE_LIMITS } from '../protocol/data-limits';
import { OffshootError } from '../protocol/errors';
import { filePath, mediaTypeOf, newFilePath, prefixRange } from '../protocol/file-rules';
import { SqlKeptFiles } from './enclosure-contents';
import { isFile } from './enclosure-rows';
import { type Contents, contentsOf, type FileStorage, PART_BYTES } from './file-contents';
import { discard, fileBody, piecesOf, type Stored } from './file-streams';
import { Upload } from './file-upload';
import { files } from './schema/files';
import { type Database, databaseOf, transact } from './storage';

export type { FileStorage } from './file-contents';

/** The largest file that is stored at once, in bytes (1 MiB). */
const MAX_SMALL_BYTES = PART_BYTES;

/** What a store needs besides the storage. */
export interface FileStoreOptions {
  /** The time, in ms. */
  readonly now: () => number;
  /** `maxFileBytes` and `maxFiles` of the agent; the defaults where there are none. A file has at most 4 GiB. */
  readonly limits?: Partial<Pick<Limits, 'maxFileBytes' | 'maxFiles'>>;
}

/**
 * The files in a Durable Object's own SQLite, in the tables of `schema/files`, which must exist.
 * Opening a store touches nothing.
 */
export function createFileStore(storage: FileStorage, options: FileStoreOptions): FileStore {
  const { maxFileBytes = DEFAULT_LIMITS.maxFileBytes, maxFiles = DEFAULT_LIMITS.maxFiles } = options.limits ?? {};
  return new SqlFileStore(storage, options.now, maxFileBytes, maxFiles);
}

const TEXT = 'text/plain; charset=utf-8';
const BINARY = 'application/octet-stream';

/** All columns but the bytes. */
const INFO = {
  path: files.path,
  size: files.size,
  mediaType: files.mediaType,
  etag: files.etag,
  updatedAt: files.updatedAt,
};

class SqlFileStore implements FileStore {
  readonly #db: Database;
  readonly #contents: Contents;
  readonly kept: KeptFiles;
  #swept = false;

  constructor(
    private readonly storage: FileStorage,
    private readonly now: () => number,
    private readonly maxBytes: number,
    private readonly maxFiles: number,
  ) {
    if (!(maxBytes >= 0 && maxBytes <= MAX_CONTENT_BYTES)) {
      throw new OffshootError('invalid_definition', `maxFileBytes must be from 0 to ${MAX_CONTENT_BYTES}.`);
    }
    this.#db = databaseOf(storage);
    this.#contents = contentsOf(storage);
    this.kept = new SqlKeptFiles({
      storage,
      db: this.#db,
      contents: this.#contents,
      now,
      maxBytes,
      unswept: () => {
        this.#swept = false;
      },
      checkRoom: (path, coming) => this.#checkRoom(path, coming),
    });
  }

  async list({ cursor, limit = PAGE_LIMITS.size, prefix = '' }: ListOptions = {}): Promise<FilePage> {
    if (!Number.isInteger(limit) || limit < 1 || limit > PAGE_LIMITS.maxSize) {
      throw new OffshootError('invalid_request', `limit must be a whole number from 1 to ${PAGE_LIMITS.maxSize}.`);
    }
    const { from, to } = prefixRange(prefix);
    const rows = this.#db
      .select(INFO)
      .from(files)
      .where(
        and(
          isFile(),
          gte(files.path, from),
          to === undefined ? undefined : lt(files.path, to),
          cursor === undefined ? undefined : gt(files.path, checkedCursor(cursor)),
        ),
      )
      .orderBy(asc(files.path))
      .limit(limit + 1)
      .all();
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    return rows.length > limit && last ? { items, cursor: last.path } : { items };
  }

  async stat(path: string): Promise<FileInfo | undefined> {
    return this.#stat(filePath(path));
  }

  async open(path: string, range: ByteRange | RangeChoice = {}): Promise<OpenFile> {
    const row = this.#db
      .select()
      .from(files)
      .where(eq(files.path, filePath(path)))
      .get();
    if (!row) throw noFile(path);
    const { content, tail, ...file } = row;
    const { offset, length } = checkedRange(typeof range === 'function' ? range(file) : range, file.size);
    // One row, read once, and a pin: what happens to the path from here on does not touch this reader.
    return { file, offset, length, body: fileBody({ content, tail, size: file.size }, offset, length, this.#contents) };
  }

  async read(path: string, range?: ByteRange): Promise<ReadableStream<Uint8Array>> {
    return (await this.open(path, range)).body;
  }

  async write(path: string, body: FileBody, options: WriteOptions = {}): Promise<FileInfo> {
    const pieces = piecesOf(body);
    const upload = new Upload(this.storage, this.#contents, this.maxBytes);
    try {
      const target = newFilePath(path);
      const mediaType = mediaTypeOf(options.mediaType ?? (typeof body === 'string' ? TEXT : BINARY));
      upload.expect(options.size);
      this.#checkVersion(target, options.ifMatch);
      this.#checkRoom(target);
      await this.#sweepOnce();
      for await (const piece of pieces) await upload.add(piece);
      return await this.#commit({ path: target, mediaType, ...upload.finish(options.size) }, options);
    } catch (error) {
      discard(body, error);
      throw error;
    } finally {
      await upload.close();
    }
  }

  put(path: string, content: Uint8Array, options: Pick<WriteOptions, 'mediaType'> = {}): FileInfo {
    const target = newFilePath(path);
    const mediaType = mediaTypeOf(options.mediaType ?? BINARY);
    if (content.byteLength > Math.min(MAX_SMALL_BYTES, this.maxBytes)) {
      throw new OffshootError(
        'payload_too_large',
        `A file that is stored at once has at most ${MAX_SMALL_BYTES} bytes.`,
      );
    }
    const etag = createHash('sha256').update(content).digest('hex');
    const info = { path: target, size: content.byteLength, mediaType, etag, updatedAt: this.now() };
    const changes = { ...info, content: null, tail: content };
    this.#checkRoom(target);
    const old = this.#contentOf(target);
    if (old === undefined) this.#contents.added();
    this.#db.insert(files).values(changes).onConflictDoUpdate({ target: files.path, set: changes }).run();
    if (typeof old === 'number') this.#contents.disown(old);
    // What it replaces is freed by the next write or removal.
    this.#swept = false;
    return info;
  }

  async remove(path: string, { ifMatch, inTransaction }: RemoveOptions = {}): Promise<void> {
    const target = filePath(path);
    await this.#sweepOnce();
    const content = transact(this.storage, () => {
      const old = this.#contentOf(target);
      if (old === undefined) throw noFile(path);
      this.#checkVersion(target, ifMatch);
      this.#db.delete(files).where(eq(files.path, target)).run();
      if (old !== null) this.#contents.disown(old);
      inTransaction?.();
      return old;
    });
    this.#contents.removed();
    if (content !== null) await this.#contents.free(content);
  }

  clear(): void {
    this.#contents.disownAll();
    this.#db.delete(files).where(isFile()).run();
    this.#swept = false;
  }

  bytes(): number {
    const [row] = this.#db
      .select({ bytes: sum(files.size) })
      .from(files)
      .where(isFile())
      .all();
    return Number(row?.bytes ?? 0);
  }

  async sweep(): Promise<void> {
    await this.#contents.sweep();
    this.#swept = true;
  }

  async #sweepOnce(): Promise<void> {
    if (!this.#swept) await this.sweep();
  }

  /** The one point at which a file changes: its row, the new content's mark and the old content's mark together. */
  async #commit(
    file: Omit<FileInfo, 'updatedAt'> & Stored,
    { ifMatch, inTransaction }: WriteOptions,
  ): Promise<FileInfo> {
    const row = { ...file, updatedAt: this.now() };
    const { path, ...changes } = row;
    const { content: _content, tail: _tail, ...info } = row;
    const old = transact(this.storage, () => {
      this.#checkVersion(path, ifMatch);
      const replaced = this.#contentOf(path);
      if (replaced === undefined) {
        this.#checkRoom(path);
        this.#contents.added();
        this.#db.insert(files).values(row).run();
      } else this.#db.update(files).set(changes).where(eq(files.path, path)).run();
      if (file.content !== null) this.#contents.adopt(file.content);
      if (typeof replaced === 'number') this.#contents.disown(replaced);
      inTransaction?.(info);
      return replaced;
    });
    if (typeof old === 'number') await this.#contents.free(old);
    return info;
  }

  #stat(path: string): FileInfo | undefined {
    return this.#db.select(INFO).from(files).where(eq(files.path, path)).get();
  }

  /** The number of the file's content, null when its row holds it all, nothing when there is no file. */
  #contentOf(path: string): number | null | undefined {
    return this.#db.select({ content: files.content }).from(files).where(eq(files.path, path)).get()?.content;
  }

  /** Refuses a new file where there are as many as there may be. */
  #checkRoom(path: string, coming = 0): void {
    if (this.#contents.fewerThan(this.maxFiles - coming) || this.#contentOf(path) !== undefined) return;
    throw new OffshootError(
      'too_many_files',
      `There are ${this.maxFiles} files, the maximum: remove one, or combine several.`,
    );
  }

  #checkVersion(path: string, ifMatch: string | null | undefined): void {
    if (ifMatch === undefined) return;
    const etag = this.#stat(path)?.etag ?? null;
    if (etag === ifMatch || (etag !== null && ifMatch?.length === VERSION_DIGITS && etag.startsWith(ifMatch))) return;
    const now = etag === null ? 'it no longer exists' : `it is now ${etag}`;
    const wanted = ifMatch === null ? 'no file' : `the version ${ifMatch}`;
    throw new OffshootError(
      'file_changed',
      `The file ${path} has changed: ${wanted} was expected, but ${now}. Read it again.`,
    );
  }
}

function noFile(path: string): OffshootError {
  return new OffshootError('not_found', `There is no file ${path}.`);
}

function checkedCursor(cursor: string): string {
  try {
    return filePath(cursor);
  } catch (cause) {
    throw new OffshootError('invalid_cursor', 'The cursor is not from a list of files.', { cause });
  }
}

function checkedRange({ offset = 0, length = Number.MAX_SAFE_INTEGER }: ByteRange, size: number) {
  if (!Number.isSafeInteger(offset) || offset < 0 || !Number.isSafeInteger(length) || length < 0) {
    throw new OffshootError('invalid_request', 'offset and length must be whole numbers, 0 or more.');
  }
  if (offset > size) {
    throw new OffshootError('invalid_request', `The range begins at ${offset}, but the file has ${size} bytes.`);
  }
  return { offset, length: Math.min(length, size - offset) };
}
