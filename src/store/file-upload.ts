/**
 * One upload: its parts, its size and its hash, until it is a file or is given up.
 *
 * Keeps FS7, FS13.
 */
import { createHash } from 'node:crypto';
import { OffshootError } from '../protocol/errors';
import { type Contents, type FileStorage, PART_BYTES } from './file-contents';
import type { Stored } from './file-streams';

/** The first size of the buffer, in bytes: small files are the common ones. */
const SMALL_BUFFER = 16_384;

/** Parts that are written before the upload waits until they are on disk. */
const SYNC_EVERY = 8;

/**
 * Takes the bytes of one file in and stores them part by part, with one part in memory. Nothing of it belongs to a
 * file until what `finish` gives is committed; `close` frees it if that never happens.
 */
export class Upload {
  readonly #hash = createHash('sha256');
  #buffer = new Uint8Array(0);
  #held = 0;
  #size = 0;
  #content: number | null = null;
  #parts = 0;

  constructor(
    private readonly storage: FileStorage,
    private readonly contents: Contents,
    private readonly maxBytes: number,
  ) {}

  /** Refuses a size that is known beforehand, before anything is read. @throws `payload_too_large`, `invalid_request`. */
  expect(size: number | undefined): void {
    if (size === undefined) return;
    if (!Number.isSafeInteger(size) || size < 0) {
      throw new OffshootError('invalid_request', 'size must be a whole number of bytes, 0 or more.');
    }
    this.#checkLimit(size);
  }

  /** Takes the next bytes; they are the caller's again when this settles. @throws `payload_too_large`. */
  async add(bytes: Uint8Array): Promise<void> {
    this.#checkLimit(this.#size + bytes.byteLength);
    this.#size += bytes.byteLength;
    this.#hash.update(bytes);
    let rest = bytes;
    // A full buffer is written only when more follows, so that the end of the content stays for the file's row.
    while (this.#held + rest.byteLength > PART_BYTES) {
      const fitting = PART_BYTES - this.#held;
      this.#hold(rest.subarray(0, fitting));
      rest = rest.subarray(fitting);
      await this.#flush();
    }
    this.#hold(rest);
  }

  /** The end of the body. @throws `invalid_request` when its size is not the expected one. */
  finish(expected: number | undefined): Stored & { etag: string } {
    if (expected !== undefined && expected !== this.#size) {
      const what = `The body has ${this.#size} bytes, but ${expected} were announced`;
      throw new OffshootError('invalid_request', `${what}: send it again, as a whole.`);
    }
    const tail = this.#buffer.subarray(0, this.#held);
    return { size: this.#size, content: this.#content, tail, etag: this.#hash.digest('hex') };
  }

  /** After the commit, or in place of it. Never rejects. */
  async close(): Promise<void> {
    if (this.#content !== null) await this.contents.release(this.#content);
  }

  #checkLimit(size: number): void {
    if (size <= this.maxBytes) return;
    throw new OffshootError(
      'payload_too_large',
      `A file has at most ${this.maxBytes} bytes: send a smaller one, or several.`,
    );
  }

  #hold(bytes: Uint8Array): void {
    const needed = this.#held + bytes.byteLength;
    if (needed > this.#buffer.byteLength) {
      const grown = new Uint8Array(Math.min(PART_BYTES, Math.max(needed, this.#buffer.byteLength * 4, SMALL_BUFFER)));
      grown.set(this.#buffer.subarray(0, this.#held));
      this.#buffer = grown;
    }
    this.#buffer.set(bytes, this.#held);
    this.#held = needed;
  }

  async #flush(): Promise<void> {
    if (this.#content === null) this.#content = this.contents.begin(this.#buffer);
    else this.contents.append(this.#content, this.#parts, this.#buffer);
    this.#parts += 1;
    this.#held = 0;
    if (this.#parts % SYNC_EVERY === 0) await this.storage.sync?.();
  }
}
