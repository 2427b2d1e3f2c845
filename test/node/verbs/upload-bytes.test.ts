import { afterEach, expect, it, vi } from 'vitest';
import { WIRE_LIMITS } from '../../../src/protocol/wire/wire-limits';
import { steadyBytes } from '../../../src/verbs/upload-bytes';

const STALL = WIRE_LIMITS.uploadStallMs;

afterEach(() => void vi.useRealTimers());

/** A body whose pieces come each so long after it was asked for, in ms; and then no more, or its end. */
function sends(count: number, everyMs: number, ends: boolean) {
  let given = 0;
  const reasons: unknown[] = [];
  const bytes = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (given === count) return ends ? controller.close() : new Promise(() => undefined);
        await new Promise((resolve) => globalThis.setTimeout(resolve, everyMs));
        controller.enqueue(Uint8Array.of(given++));
      },
      cancel: (reason) => void reasons.push(reason),
    },
    { highWaterMark: 0 },
  );
  return { bytes, reasons };
}

/** What a reader gets that takes its time with each piece, in ms. */
async function read(bytes: ReadableStream<Uint8Array>, takesMs = 0): Promise<number[]> {
  const got: number[] = [];
  for await (const piece of bytes) {
    got.push(...piece);
    if (takesMs > 0) await new Promise((resolve) => globalThis.setTimeout(resolve, takesMs));
  }
  return got;
}

it.each([0, 1, 5])('[A68] an upload that stops coming after %i pieces is given up after 30 s', async (count) => {
  vi.useFakeTimers();
  expect(STALL).toBe(30_000);
  const { bytes, reasons } = sends(count, 10, false);
  let code: unknown;
  const reading = read(steadyBytes(bytes)).catch((error: { code?: string }) => {
    code = error.code;
  });
  await vi.advanceTimersByTimeAsync(count * 10 + STALL - 1);
  expect([code, reasons]).toEqual([undefined, []]);
  await vi.advanceTimersByTimeAsync(1);
  await reading;
  expect([code, reasons]).toEqual(['request_timeout', [expect.objectContaining({ code: 'request_timeout' })]]);
  expect(vi.getTimerCount()).toBe(0);
});

it.each([
  ['its sender is slow', STALL - 1, 0],
  ['its reader is slow', 0, STALL + 1],
])('[A68] an upload goes on for as long as it comes: %s', async (_what, everyMs, takesMs) => {
  vi.useFakeTimers();
  const { bytes, reasons } = sends(200, everyMs, true);
  const reading = read(steadyBytes(bytes), takesMs);
  await vi.runAllTimersAsync();
  expect(await reading).toEqual(Array.from({ length: 200 }, (_, index) => index));
  expect([reasons, vi.getTimerCount()]).toEqual([[], 0]);
});

it('[A68] a piece that comes too late by a moment is not waited for', async () => {
  vi.useFakeTimers();
  const reading = read(steadyBytes(sends(1, STALL + 1, true).bytes)).catch((error: { code?: string }) => error.code);
  await vi.runAllTimersAsync();
  expect(await reading).toBe('request_timeout');
});

it('[A68] a store that does not want an upload ends it at its sender', async () => {
  vi.useFakeTimers();
  const { bytes, reasons } = sends(3, 0, true);
  await steadyBytes(bytes).cancel('unwanted');
  expect([reasons, vi.getTimerCount()]).toEqual([['unwanted'], 0]);
});
