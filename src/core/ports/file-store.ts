/**
 * The port to the files of one agent. Bytes come and go in pieces; every adapter passes one contract suite.
 *
 * Keeps FS1, FS9, FS10.
 */

/** What a file is written from. Text becomes UTF-8. */
export type FileBody = ReadableStream<Uint8Array> | Uint8Array | ArrayBuffer | string;

/** What a file is, without its bytes. */
export type FileInfo = {
  /** Without a leading slash. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly mediaType: string;
  /** SHA-256 of the content, in hex, without quotation marks. The same bytes have the same one. */
  readonly etag: string;
  /** When this content became the file's, in ms. */
  readonly updatedAt: number;
};

/** A page of a listing. */
export interface FilePage {
  /** In the order of the paths' bytes. */
  readonly items: readonly FileInfo[];
  /** Where the next page continues; missing on the last one. */
  readonly cursor?: string;
}

/** Which page of which files. */
export interface ListOptions {
  /** From the page before. */
  readonly cursor?: string;
  /** Items, 1 to 500; 100 by default. */
  readonly limit?: number;
  /** Only paths that begin with this text; it need not end at a slash. */
  readonly prefix?: string;
}

/** Which bytes of a file; all of them by default. */
export interface ByteRange {
  /** The first byte, from 0. */
  readonly offset?: number | undefined;
  /** How many bytes; more than there are means to the end. */
  readonly length?: number | undefined;
}

/** Chooses the bytes when the file is known. */
export type RangeChoice = (file: FileInfo) => ByteRange;

/** A file that is being read: one version of it, whole, whatever happens to the path meanwhile. */
export interface OpenFile {
  readonly file: FileInfo;
  /** Where `body` begins, and how many bytes it has. */
  readonly offset: number;
  readonly length: number;
  /**
   * Pieces of at most 1 MiB, each read when it is asked for. Read it to the end or cancel it: until then a version
   * that was replaced keeps its space.
   */
  readonly body: ReadableStream<Uint8Array>;
}

/** How a file is written. */
export interface WriteOptions {
  /** Default: `text/plain; charset=utf-8` for text, else `application/octet-stream`. */
  readonly mediaType?: string;
  /** The bytes that the body must have, where the caller knows (a `Content-Length`): any other number is refused. */
  readonly size?: number;
  /** Write only over this version (its `etag`, or the 16 digits that a version is shown with), or with `null` only where there is no file yet. */
  readonly ifMatch?: string | null;
  /** Called in the transaction that makes the file be there, with what it is then. */
  readonly inTransaction?: (file: FileInfo) => void;
}

/** How a file is removed. */
export interface RemoveOptions {
  /** Remove only this version (its `etag`, or its 16 digits). */
  readonly ifMatch?: string;
  /** Called in the transaction that removes the file. */
  readonly inTransaction?: () => void;
}

/**
 * The files of one agent. Every path is taken with or without a leading slash, and refused with `invalid_request`
 * as `filePath` says. Every method may be called again after a failure.
 */
export interface FileStore {
  /**
   * Files in the order of their paths. A page shows what is there when it is read.
   * @throws `invalid_request` for a bad limit or prefix, `invalid_cursor` for a cursor that is none.
   */
  list(options?: ListOptions): Promise<FilePage>;
  /** What the file is, or nothing when there is none. */
  stat(path: string): Promise<FileInfo | undefined>;
  /**
   * The file with its bytes.
   * @throws `not_found`; `invalid_request` for a range that begins behind the end.
   */
  open(path: string, range?: ByteRange | RangeChoice): Promise<OpenFile>;
  /** The bytes alone: the `body` of `open`. */
  read(path: string, range?: ByteRange): Promise<ReadableStream<Uint8Array>>;
  /**
   * Makes the body the file's content. Until it is there as a whole the old content stays, also through a crash;
   * a body that fails leaves nothing behind, and its own error is thrown. Of several writers the last to finish wins,
   * unless `ifMatch` says otherwise. The body belongs to the store until this settles; a stream is read to its end,
   * or cancelled.
   * @throws `payload_too_large` past the limit of a file; `too_many_files` for one more than there may be; `superseded`
   * when `ifMatch` does not hold; `invalid_request` for a bad media type, or a body that is not what it was said to be.
   */
  write(path: string, body: FileBody, options?: WriteOptions): Promise<FileInfo>;
  /**
   * Makes a content that fits into one row the file's, at once: call it inside a transaction. Otherwise as `write`.
   * @throws `payload_too_large` past `MAX_SMALL_BYTES`; `too_many_files`; `invalid_request`
   */
  put(path: string, content: Uint8Array, options?: Pick<WriteOptions, 'mediaType'>): FileInfo;
  /** Removes the file. @throws `not_found`; `superseded` when `ifMatch` does not hold. */
  remove(path: string, options?: RemoveOptions): Promise<void>;
  /** Removes all files at once: call it inside a transaction. What they hold is freed by the next write or removal. */
  clear(): void;
  /** How many bytes all files have. */
  bytes(): number;
  /** Frees what uploads left over that a crash cut off. The first write or removal does it too; cheap when there is nothing. */
  sweep(): Promise<void>;
  /** What is kept beside the files. */
  readonly kept: KeptFiles;
}

/** What bytes that come must be, and where they are a file later. */
export interface StageOptions extends Pick<FileInfo, 'path' | 'size' | 'mediaType' | 'etag'> {
  /** Called in the transaction that keeps them; what it throws keeps nothing. */
  readonly inTransaction: () => void;
}

/**
 * Contents that are kept under keys: they are no files, are in no listing, and count as none. A key is the caller's own.
 * All but `stage` is done at once: call what changes something inside a transaction.
 */
export interface KeptFiles {
  /** What a file is now, or nothing where there is none. @throws as `filePath` does */
  look(path: string): FileInfo | undefined;
  /** Keeps what the file is now, whatever becomes of it; at most 1 MiB of it is copied. @throws `not_found` */
  hold(key: string, path: string): void;
  /** What is kept under a key. */
  kept(key: string): FileInfo | undefined;
  /** The same with its bytes. */
  open(key: string): OpenFile | undefined;
  /**
   * Keeps bytes from elsewhere, as `write` does. @throws as `write`, and `internal` for bytes that are not those which
   * were announced
   */
  stage(key: string, body: FileBody, options: StageOptions): Promise<void>;
  /** What is kept under a key is kept under another one. @throws `internal` where nothing is kept */
  rename(key: string, to: string): void;
  /** What is kept becomes a file, in place of one that is there. @throws `internal` where nothing is kept */
  place(key: string, path: string): void;
  /**
   * Drops everything whose key begins so; with `before` only keys that come before that one, in the order of their bytes.
   * What they hold is freed by the next write or removal.
   */
  drop(prefix: string, before?: string): void;
}
