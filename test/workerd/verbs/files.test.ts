import { abortAllDurableObjects, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { WIRE_LIMITS } from '../../../src/protocol/wire/wire-limits';
import { address, del, get, objectIn, post, problemIn, send } from '../../support/api';
import { bindings } from '../../support/bindings';
import { present } from '../../support/present';
import { asks, calls, told } from '../../support/puppet';

const MiB = 1_048_576;
const put = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
  send(path, { method: 'PUT', body, headers });

async function root(): Promise<string> {
  const at = address();
  await post(`${at}/start`, { message: told(calls('leaf', [{ text: 'l' }])), wait: true });
  return at;
}

/** Bytes that come in pieces, as many as are asked for. */
function pieces(count: number, size: number): ReadableStream<Uint8Array> {
  let given = 0;
  return new ReadableStream({
    pull(controller) {
      if (given === count) controller.close();
      else controller.enqueue(new Uint8Array(size).fill(given++));
    },
  });
}

/** The same stream, with a length that is announced. */
function sized(stream: ReadableStream<Uint8Array>, size: number): ReadableStream<Uint8Array> {
  const { readable, writable } = new FixedLengthStream(size);
  stream.pipeTo(writable).catch(() => undefined);
  return readable;
}

/** A part of a file: the status, the two headers that describe it, and the text. */
async function part(path: string, range: string, headers: Record<string, string> = {}) {
  const read = await send(path, { headers: { range, ...headers } });
  return [read.status, read.headers.get('content-range'), read.headers.get('content-length'), await read.text()];
}

describe('tools', () => {
  it('[FS28] read the bytes of a file that a person uploaded, in parts and as a stream', async () => {
    const at = await root();
    const bytes = Uint8Array.from({ length: 3 * MiB + 5 }, (_, index) => index % 251);
    await put(`${at}/files/photo.png`, bytes, { 'content-type': 'image/png' });
    const message = told(
      asks(
        ['inspect', { path: 'photo.png', offset: 3 * MiB + 2, length: 9 }],
        ['inspect', { path: 'photo.png', offset: bytes.length + 1 }],
        ['inspect', { path: 'nothing.png' }],
      ),
      { text: 'ok' },
    );
    expect((await post(`${at}/start`, { message, wait: true })).body).toMatchObject({ status: 'completed' });
    const ledger = (await get(`${at}/calls`)).body.items.filter(({ toolName }) => toolName === 'inspect');
    expect(ledger).toMatchObject([
      {
        result: {
          size: bytes.length,
          mediaType: 'image/png',
          part: [...bytes.subarray(3 * MiB + 2)],
          bytes: bytes.length,
          sum: bytes.reduce((sum, byte) => sum + byte, 0),
        },
      },
      { error: { code: 'invalid_request' } },
      { error: { code: 'not_found' } },
    ]);
  });
});

describe('files', () => {
  it('[A122] are refused where they were compressed on their way: nothing is kept', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'Done.' }) });
    const zipped = new Response('# A').body?.pipeThrough(new CompressionStream('gzip'));
    const bytes = await new Response(zipped).arrayBuffer();
    const headers = { 'content-type': 'text/markdown', 'content-encoding': 'gzip' };
    expect((await put(`${at}/files/a.md`, bytes, headers)).status).toBe(415);
    expect((await send(`${at}/files/a.md`)).status).toBe(404);
  });

  it('[A15] are written, read, listed and removed, by a path of one encoded segment', async () => {
    const at = await root();
    const path = `${at}/files/${encodeURIComponent('notes/sub/child/a b.md')}`;
    const written = await put(path, '# A', { 'content-type': 'text/markdown' });
    expect(written.status).toBe(201);
    expect(await written.json()).toMatchObject({
      path: 'notes/sub/child/a b.md',
      size: 3,
      mediaType: 'text/markdown',
      etag: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect((await put(path, '# B', { 'content-type': 'text/markdown' })).status).toBe(200);
    const read = await send(path);
    expect(await read.text()).toBe('# B');
    expect(Object.fromEntries(read.headers)).toMatchObject({
      'content-type': 'text/markdown',
      'content-length': '3',
      'content-encoding': 'identity',
      'cache-control': 'no-store, no-transform',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
    });
    expect(read.headers.get('content-disposition')).toContain("attachment; filename*=UTF-8''a%20b.md");
    await put(`${at}/files/z`, 'z');
    expect((await get(`${at}/files`)).body.items.map(({ path: of }) => of)).toEqual(['notes/sub/child/a b.md', 'z']);
    expect((await get(`${at}/files?prefix=notes/`)).body.items).toHaveLength(1);
    const first = (await get(`${at}/files?limit=1`)).body;
    expect(
      (await get(`${at}/files?limit=1&cursor=${encodeURIComponent(String(first.cursor))}`)).body.items,
    ).toMatchObject([{ path: 'z' }]);
    expect((await del(path)).status).toBe(204);
    expect((await get(path)).body).toMatchObject({ status: 404, code: 'not_found' });
    expect((await del(path)).status).toBe(404);
  });

  it('[A15, A18] a removal that is repeated under its key is answered as the first', async () => {
    const at = await root();
    await put(`${at}/files/a`, 'a');
    const key = { 'idempotency-key': 'k' };
    expect((await del(`${at}/files/a`, key)).status).toBe(204);
    await abortAllDurableObjects();
    expect((await del(`${at}/files/a`, key)).status).toBe(204);
    expect((await del(`${at}/files/b`, key)).body).toMatchObject({ status: 409, code: 'idempotency_conflict' });
  });

  it('[A15] of a sub-agent are its own', async () => {
    const at = await root();
    await put(`${at}/sub/leaf/1~1/files/a`, 'leaf');
    expect(await (await send(`${at}/sub/leaf/1~1/files/a`)).text()).toBe('leaf');
    expect((await get(`${at}/files/a`)).status).toBe(404);
  });

  it('[A15] are streamed in and out, at a sub-agent too', async () => {
    const at = await root();
    for (const of of [at, `${at}/sub/leaf/1~1`]) {
      const written = await put(`${of}/files/big`, sized(pieces(40, MiB / 8), 5 * MiB));
      expect(await written.json()).toMatchObject({ size: 5 * MiB });
      const read = await send(`${of}/files/big`);
      expect(read.headers.get('content-length')).toBe(String(5 * MiB));
      let size = 0;
      for await (const piece of present(read.body)) size += piece.byteLength;
      expect(size).toBe(5 * MiB);
    }
  });

  it('[A15] are read in parts and only when they have changed', async () => {
    const at = await root();
    await put(`${at}/files/a`, '0123456789');
    const whole = await send(`${at}/files/a`);
    expect([whole.status, whole.headers.get('content-length'), await whole.text()]).toEqual([200, '10', '0123456789']);
    expect(await part(`${at}/files/a`, 'bytes=2-4')).toEqual([206, 'bytes 2-4/10', '3', '234']);
    expect(await part(`${at}/files/a`, 'bytes=8-')).toEqual([206, 'bytes 8-9/10', '2', '89']);
    expect(await part(`${at}/files/a`, 'bytes=9-99999999999999999999')).toEqual([206, 'bytes 9-9/10', '1', '9']);
    for (const form of ['bytes=4-2', 'bytes=0-1,3-4', 'bytes=-', 'lines=1-2', 'bytes=a-'])
      expect(await part(`${at}/files/a`, form), form).toEqual([200, null, '10', '0123456789']);
    const same = await send(`${at}/files/a`, { headers: { 'if-none-match': whole.headers.get('etag') ?? '' } });
    expect(same.status).toBe(304);
    for (const headers of [{ range: 'bytes=2-4' }, { range: 'bytes=10-' }]) {
      const head = await send(`${at}/files/a`, { method: 'HEAD', headers });
      expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '10', '']);
    }
  });

  it('[FS26] are read from their end', async () => {
    const at = await root();
    await put(`${at}/files/a`, '0123456789');
    expect(await part(`${at}/files/a`, 'bytes=-3')).toEqual([206, 'bytes 7-9/10', '3', '789']);
    expect(await part(`${at}/files/a`, 'bytes=-11')).toEqual([206, 'bytes 0-9/10', '10', '0123456789']);
    await put(`${at}/files/empty`, '');
    expect(await part(`${at}/files/empty`, 'bytes=-1')).toEqual([200, null, '0', '']);
    await put(`${at}/files/big`, new Uint8Array(2 * MiB + 3).fill(7, 2 * MiB));
    const tail = await send(`${at}/files/big`, { headers: { range: 'bytes=-4' } });
    expect([...new Uint8Array(await tail.arrayBuffer())]).toEqual([0, 7, 7, 7]);
  });

  it('[FS26] a part that begins behind the end is refused, and the size told', async () => {
    const at = await root();
    await put(`${at}/files/a`, '0123456789');
    await put(`${at}/files/empty`, '');
    for (const [name, range, size] of [
      ['a', 'bytes=10-', 10],
      ['a', 'bytes=11-12', 10],
      ['a', 'bytes=99999999999999999999-', 10],
      ['a', 'bytes=-0', 10],
      ['empty', 'bytes=0-', 0],
    ] as const) {
      const refused = await get(`${at}/files/${name}`, { range });
      expect(refused.body, range).toMatchObject({ status: 416, code: 'range_not_satisfiable' });
      expect([refused.status, refused.headers.get('content-range')]).toEqual([416, `bytes */${size}`]);
      expect(refused.headers.get('content-type')).toBe('application/problem+json');
    }
  });

  it('[FS27] a part of another version than If-Range names is answered with the whole', async () => {
    const at = await root();
    const first = await objectIn(await put(`${at}/files/a`, 'old'));
    const second = await objectIn(await put(`${at}/files/a`, '0123456789'));
    const asked = (range: string, version: string) => part(`${at}/files/a`, range, { 'if-range': version });
    const whole = [200, null, '10', '0123456789'];
    expect(await asked('bytes=2-4', `"${second.etag}"`)).toEqual([206, 'bytes 2-4/10', '3', '234']);
    const modified = (await send(`${at}/files/a`, { method: 'HEAD' })).headers.get('last-modified') ?? '';
    for (const version of [`"${first.etag}"`, `W/"${second.etag}"`, modified, '""', '*'])
      for (const range of ['bytes=2-4', 'bytes=-2', 'bytes=10-'])
        expect(await asked(range, version), `${range} ${version}`).toEqual(whole);
  });

  it('[FS25] are taken only with their length, and only whole', async () => {
    const at = await root();
    await put(`${at}/files/a`, 'old');
    const chunked = await put(`${at}/files/a`, pieces(2, 5));
    expect([chunked.status, chunked.headers.get('content-type')]).toEqual([411, 'application/problem+json']);
    expect(await chunked.json()).toMatchObject({ status: 411, code: 'length_required' });
    for (const [announced, code] of [
      ['9', 'invalid_request'],
      ['11', 'invalid_request'],
      ['1e1', 'invalid_request'],
      ['999999999999', 'payload_too_large'],
    ] as const) {
      const refused = await put(`${at}/files/a`, pieces(2, 5), { 'content-length': announced });
      expect(await refused.json(), announced).toMatchObject({ code });
    }
    expect((await get(`${at}/files`)).body.items).toMatchObject([{ path: 'a', size: 3 }]);
    expect(await (await send(`${at}/files/a`)).text()).toBe('old');
    expect((await put(`${at}/files/a`, pieces(2, 5), { 'content-length': '10' })).status).toBe(200);
  });

  it('[A68] of which nothing more comes are refused, and what came of them is freed', async () => {
    const at = await root();
    await put(`${at}/files/a`, 'old');
    const tops = bindings.TOP;
    const rows = () =>
      runInDurableObject(tops.getByName(at.split('/').at(-1) ?? ''), (_: object, { storage }) =>
        Number(storage.sql.exec('SELECT count(*) AS rows FROM file_chunks').one().rows),
      );
    // Time passes for the waits for a next piece alone, and only when all pieces are stored.
    const { setTimeout, setInterval, clearTimeout } = globalThis;
    const waits = new Set<unknown>();
    let passed = false;
    vi.stubGlobal('setTimeout', (callback: () => void, ms?: number) => {
      if (ms !== WIRE_LIMITS.uploadStallMs) return setTimeout(callback, ms);
      // In the object that waits: nobody else may end its wait.
      const id = setInterval(() => passed && callback(), 5);
      waits.add(id);
      return id;
    });
    vi.stubGlobal('clearTimeout', (id: number) => {
      waits.delete(id);
      clearTimeout(id);
    });
    try {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const writer = writable.getWriter();
      writer.closed.catch(() => undefined);
      const size = 3 * MiB + 10;
      const answer = put(`${at}/files/a`, readable, { 'content-length': String(size) });
      for (let piece = 0; piece < 3; piece++) await writer.write(new Uint8Array(MiB));
      await writer.write(new Uint8Array(9));
      await vi.waitFor(async () => expect([await rows(), waits.size]).toEqual([4, 1]));
      passed = true;
      const refused = await answer;
      expect([refused.status, (await problemIn(refused)).code]).toEqual([408, 'request_timeout']);
      expect(await rows()).toBe(0);
    } finally {
      vi.unstubAllGlobals();
    }
    expect(await (await send(`${at}/files/a`)).text()).toBe('old');
  });

  it('[FS14] a media type that could not be answered with is refused, any other comes back as it was', async () => {
    const at = await root();
    for (const wrong of [
      'text/html; charset="e',
      'text/html; charset',
      'text/html; =x',
      'text/html; a="\\"',
      'text/html; a b',
      'text/a; b=c d',
    ]) {
      const refused = await put(`${at}/files/a`, 'x', { 'content-type': wrong });
      expect(await refused.json(), wrong).toMatchObject({ status: 400, code: 'invalid_request' });
    }
    expect((await get(`${at}/files/a`)).status).toBe(404);
    for (const right of [
      'text/html; charset="utf-8"',
      'a/b;c="\\"; \\\\";d=e',
      'text/plain; charset=none',
      'text/html; charset=utf-8;a=b;',
      "!#$/%&'*",
    ]) {
      expect((await put(`${at}/files/b`, 'x', { 'content-type': right })).ok, right).toBe(true);
      const read = await send(`${at}/files/b`);
      expect([read.status, read.headers.get('content-type'), await read.text()]).toEqual([200, right, 'x']);
    }
  });

  it('[FS29] a page names no charset but UTF-8 where it is read', async () => {
    const at = await root();
    for (const type of ['text/html; charset=none', 'TEXT/HTML;charset="utf-16"', 'application/xhtml+xml; a=b']) {
      await put(`${at}/files/a`, 'x', { 'content-type': type });
      const read = await send(`${at}/files/a`);
      expect([read.status, read.headers.get('content-type'), await read.text()]).toEqual([
        200,
        type.split(';')[0],
        'x',
      ]);
    }
  });

  it('[A15] are written over one version alone, when that is asked for', async () => {
    const at = await root();
    const created = await put(`${at}/files/a`, 'one', { 'if-none-match': '*' });
    const { etag } = await objectIn(created);
    const conflict = await put(`${at}/files/a`, 'two', { 'if-none-match': '*' });
    expect([conflict.status, (await problemIn(conflict)).code]).toEqual([409, 'file_changed']);
    expect((await put(`${at}/files/a`, 'two', { 'if-match': `"${etag}"` })).status).toBe(200);
    expect((await put(`${at}/files/a`, 'three', { 'if-match': `"${etag}"` })).status).toBe(409);
    expect((await put(`${at}/files/a`, 'x', { 'if-match': '*' })).status).toBe(400);
  });

  it.each(['..', '%2e%2e%2fa', 'a%2F%2Fb', 'a%00b', '%ff', 'a%2F..%2Fb', `${'a'.repeat(1_100)}`])(
    '[A15, A24] refuses the path %s',
    async (path) => {
      const at = await root();
      const refused = await send(`${at}/files/${path}`, { method: 'PUT', body: 'x' });
      expect([400, 404, 405]).toContain(refused.status);
      expect((await get(`${at}/files`)).body.items).toEqual([]);
    },
  );

  it('[A15, A21] of an agent that is not there are not there, and writing one makes none', async () => {
    const at = address();
    expect((await put(`${at}/files/a`, 'x')).status).toBe(404);
    expect((await get(`${at}/files/a`)).status).toBe(404);
    const there = await root();
    expect((await put(`${there}/sub/leaf/9~1/files/a`, 'x')).status).toBe(404);
  });
});
