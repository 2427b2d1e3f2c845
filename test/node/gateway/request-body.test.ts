import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, it, vi } from 'vitest';
import { defineAgent } from '../../../src/core/definition/define-agent';
import { createWorker } from '../../../src/gateway/create-worker';
import { letGo, readJson } from '../../../src/gateway/request-body';
import { WIRE_LIMITS } from '../../../src/protocol/wire/wire-limits';
import { noModel } from '../../support/no-model';

const clerk = defineAgent({ name: 'body_taker', systemPrompt: 'Work.', model: noModel });
/** A class as the platform exports it that is in a migration. */
const EXPORTED = { idFromName: () => null };

afterEach(() => void vi.useRealTimers());

/** A request whose body comes in these pieces, each so long after the one before it, in ms; and then no more. */
function sends(pieces: readonly string[], everyMs: number, ends: boolean) {
  let cancelled = false;
  const left = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = left.shift();
      if (piece === undefined) return ends ? controller.close() : new Promise(() => undefined);
      await new Promise((resolve) => globalThis.setTimeout(resolve, everyMs));
      controller.enqueue(new TextEncoder().encode(piece));
    },
    cancel() {
      cancelled = true;
    },
  });
  const headers = { 'content-type': 'application/json' };
  const request = new Request('http://localhost/nothing', {
    method: 'POST',
    headers,
    body,
    duplex: 'half',
  } as RequestInit);
  return { request, wasCancelled: () => cancelled };
}

/** What becomes of a body, and whether that was known at a time, in ms. */
async function read(request: Request, untilMs: number): Promise<{ answer: unknown; known: boolean }> {
  let known = false;
  const answer = readJson(request).catch((error: { code?: string }) => error.code);
  void answer.then(() => {
    known = true;
  });
  await vi.advanceTimersByTimeAsync(untilMs);
  const then = known;
  await vi.advanceTimersByTimeAsync(WIRE_LIMITS.maxBodyMs);
  return { answer: await answer, known: then };
}

it.each([
  ['nothing', [], 1],
  ['one byte in a while', Array.from({ length: 10_000 }, () => ' '), 100],
  ['its beginning alone', ['{'], 1],
])('[A67] a body that never ends is refused after 30 s, and let go of: %s', async (_what, pieces, everyMs) => {
  vi.useFakeTimers();
  const { request, wasCancelled } = sends(pieces, everyMs, false);
  const { answer, known } = await read(request, WIRE_LIMITS.maxBodyMs - 1);
  expect([known, answer, wasCancelled()]).toEqual([false, 'request_timeout', true]);
});

it('[A67] a body that is slow and ends in time is taken', async () => {
  vi.useFakeTimers();
  const { request } = sends(['{', '"a"', ':1}'], (WIRE_LIMITS.maxBodyMs - 1) / 3, true);
  expect(await read(request, WIRE_LIMITS.maxBodyMs - 1)).toEqual({ answer: { a: 1 }, known: true });
  expect(WIRE_LIMITS.maxBodyMs).toBe(30_000);
  expect(vi.getTimerCount()).toBe(0);
});

it('[A23] a body that is announced as too large is refused before anything of it comes', async () => {
  const { request } = sends([], 1, false);
  request.headers.set('content-length', String(WIRE_LIMITS.maxBodyBytes + 1));
  await expect(readJson(request)).rejects.toMatchObject({ code: 'payload_too_large' });
});

it.each([
  ['by a Worker that lacks something', {}, 503],
  ['where there is no such route', { OffshootDirectory: EXPORTED, OffshootAgent: EXPORTED }, 404],
])('[A69] the body of a request that is refused is let go of: %s', async (_what, exports, status) => {
  const { fetch } = createWorker({ agents: [clerk] });
  const { request, wasCancelled } = sends(['{'], 1, false);
  const answer = await fetch(request, {}, { exports });
  expect([answer.status, wasCancelled()]).toEqual([status, true]);
});

/** A request with this body. */
const posted = (body: string | Uint8Array<ArrayBuffer>): Request =>
  new Request('http://localhost/nothing', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: new Blob([body]).stream(),
    ...{ duplex: 'half' },
  });

const codeOf = (request: Request): Promise<unknown> => readJson(request).catch(({ code }: { code: string }) => code);

it('[A23] a body has as many bytes as it may, and not one more, whatever its header says', async () => {
  const longest = '"'.padEnd(WIRE_LIMITS.maxBodyBytes - 1, 'x');
  expect(await codeOf(posted(`${longest}"`))).toHaveLength(WIRE_LIMITS.maxBodyBytes - 2);
  expect(await codeOf(posted(`${longest}" `))).toBe('payload_too_large');
});

it('[A67] a body that ends in the middle of a character is refused', async () => {
  expect(await codeOf(posted(new Uint8Array([0x31, 0xc3])))).toBe('invalid_json');
});

// https://github.com/HarperFast/harper/issues/1438, https://github.com/TracecatHQ/tracecat/issues/1289
it.each([
  ['gzip', 'unsupported_media_type'],
  ['Br', 'unsupported_media_type'],
  ['identity', 1],
  ['', 1],
])('[A122] a body that was compressed is refused: %j', async (encoding, expected) => {
  const request = posted('1');
  request.headers.set('content-encoding', encoding);
  expect(await codeOf(request)).toBe(expected);
});

it('[A67] the clock of a body stops when it was read', async () => {
  vi.useFakeTimers();
  const { request } = sends(['1'], 1, true);
  const answer = readJson(request);
  await vi.advanceTimersByTimeAsync(2);
  expect([await answer, vi.getTimerCount()]).toEqual([1, 0]);
});

it('[A69] a body that is being read is not let go of', async () => {
  const request = posted('{"a":1}');
  const cancel = vi.spyOn(request.body ?? expect.fail('There is no body.'), 'cancel');
  const answer = readJson(request);
  letGo(request);
  expect([await answer, cancel.mock.calls]).toEqual([{ a: 1 }, []]);
});

/** The memory that is in use, in bytes. */
function inUse(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

// Each piece took 400 bytes before the last one came.
it('[A127] a body that comes byte by byte takes memory by its size', async () => {
  const pieces = 100_000;
  const space = new TextEncoder().encode(' ');
  const before = inUse();
  let [given, grown] = [0, 0];
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        given += 1;
        if (given < pieces) return controller.enqueue(space);
        grown = inUse() - before;
        controller.enqueue(new TextEncoder().encode('{"a":"é"}'));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
  expect(await readJson(new Request('http://localhost/nothing', init))).toEqual({ a: 'é' });
  expect(grown).toBeLessThan(8_000_000);
});
