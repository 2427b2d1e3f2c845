/**
 * The bytes of an upload on their way into a store.
 *
 * Keeps A68.
 */
import { OffshootError } from '../protocol/errors';
import { WIRE_LIMITS } from '../protocol/wire/wire-limits';

/**
 * The same bytes, given up as soon as their sender lets its reader wait longer than `WIRE_LIMITS.uploadStallMs` for the
 * next piece: what is read of it fails with `request_timeout` then, and the sender's stream is cancelled. The time that
 * the reader itself takes does not count, nor how long the whole takes.
 */
export function steadyBytes(bytes: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = bytes.getReader();
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      const next = await nextPiece(reader);
      if (next === 'late') {
        const seconds = WIRE_LIMITS.uploadStallMs / 1_000;
        const error = new OffshootError('request_timeout', `The upload paused for ${seconds} s. Send it again.`);
        // Its sender may never answer that.
        reader.cancel(error).catch(() => undefined);
        throw error;
      }
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: (reason: unknown) => reader.cancel(reason),
  };
  // Nothing is read ahead: only a piece that is waited for can be late.
  return new ReadableStream(source, { highWaterMark: 0 });
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function nextPiece(reader: Reader): Promise<Awaited<ReturnType<Reader['read']>> | 'late'> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), WIRE_LIMITS.uploadStallMs);
  });
  try {
    return await Promise.race([reader.read(), late]);
  } finally {
    clearTimeout(timer);
  }
}
