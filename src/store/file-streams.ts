/**
 * Bodies of files as streams: cut into parts when they are written, and read a part at a time.
 *
 * Keeps FS3, FS4.
 */
import type { FileBody } from '../core/ports/file-store';
import { OffshootError } from '../protocol/errors';
import { type Contents, PART_BYTES, partsOf } from './file-contents';

/** Where the bytes of a file lie: `partsOf(size)` parts under the number `content`, then the tail. */
export interface Stored {
  readonly size: number;
  readonly content: number | null;
  readonly tail: Uint8Array;
}

/**
 * The bytes of a body, piece by piece. A stream that is not read to its end is cancelled.
 * @throws `invalid_request` for a stream of something else; a stream's own error as it is.
 */
export async function* piecesOf(body: FileBody): AsyncGenerator<Uint8Array, void, undefined> {
  if (typeof body === 'string') {
    yield new TextEncoder().encode(body);
  } else if (!isStream(body)) {
    yield body instanceof Uint8Array ? body : new Uint8Array(body);
  } else {
    const reader = body.getReader();
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        if (!(next.value instanceof Uint8Array)) {
          throw new OffshootError(
            'invalid_request',
            'The stream must carry bytes (Uint8Array): encode its text first.',
          );
        }
        yield next.value;
      }
    } finally {
      reader.releaseLock();
    }
  }
}

/** Cancels a body that is not read any further. Nobody waits for it: a source may take its time, or fail at it. */
export function discard(body: FileBody, reason: unknown): void {
  if (isStream(body) && !body.locked) body.cancel(reason).catch(() => undefined);
}

function isStream(body: FileBody): body is ReadableStream<Uint8Array> {
  return typeof body === 'object' && 'getReader' in body;
}

/**
 * A stream over `length` bytes of a file from `offset` on, one part in memory at a time.
 * Pins the content until the stream has ended, failed or been cancelled.
 */
export function fileBody(file: Stored, offset: number, length: number, contents: Contents): ReadableStream<Uint8Array> {
  const { content, tail } = file;
  const tailIndex = partsOf(file.size);
  const end = offset + length;
  let at = offset;
  if (content !== null) contents.pin(content);
  const release = () => (content === null ? undefined : contents.release(content));

  function next(): Uint8Array {
    const index = Math.min(Math.floor(at / PART_BYTES), tailIndex);
    const start = index * PART_BYTES;
    const whole = content === null || index === tailIndex ? tail : contents.part(content, index);
    const piece = whole.subarray(at - start, Math.min(end - start, whole.byteLength));
    at += piece.byteLength;
    return piece;
  }

  const source = {
    async start(controller: ReadableStreamDefaultController<Uint8Array>) {
      if (at < end) return;
      controller.close();
      await release();
    },
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      try {
        controller.enqueue(next());
        if (at < end) return;
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      await release();
    },
    async cancel() {
      await release();
    },
  };
  // No `type: 'bytes'`: workerd would hand a part to its reader in pieces of 4 KB. Nothing is read ahead.
  return new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
}
