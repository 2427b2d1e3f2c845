import { abortAllDurableObjects } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import { address, del, get, post, send } from '../../support/api';
import { calls, told } from '../../support/puppet';

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

describe('files', () => {
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
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
    });
    expect(read.headers.get('content-disposition')).toContain("attachment; filename*=UTF-8''a%20b.md");
    await put(`${at}/files/z`, 'z');
    expect(((await get(`${at}/files`)).body.items as JsonObject[]).map(({ path: of }) => of)).toEqual([
      'notes/sub/child/a b.md',
      'z',
    ]);
    expect((await get(`${at}/files?prefix=notes/`)).body.items as JsonObject[]).toHaveLength(1);
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
      const written = await send(`${of}/files/big`, { method: 'PUT', body: pieces(40, MiB / 8) });
      expect(await written.json()).toMatchObject({ size: 5 * MiB });
      const read = await send(`${of}/files/big`);
      let size = 0;
      for await (const piece of read.body as unknown as AsyncIterable<Uint8Array>) size += piece.byteLength;
      expect(size).toBe(5 * MiB);
    }
  });

  it('[A15] are read in parts and only when they have changed', async () => {
    const at = await root();
    await put(`${at}/files/a`, '0123456789');
    const part = await send(`${at}/files/a`, { headers: { range: 'bytes=2-4' } });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 2-4/10', '234']);
    const tail = await send(`${at}/files/a`, { headers: { range: 'bytes=8-' } });
    expect([tail.status, await tail.text()]).toEqual([206, '89']);
    const other = await send(`${at}/files/a`, { headers: { range: 'bytes=-2' } });
    expect([other.status, await other.text()]).toEqual([200, '0123456789']);
    expect((await get(`${at}/files/a`, { range: 'bytes=11-' })).body).toMatchObject({
      status: 400,
      code: 'invalid_request',
    });
    const same = await send(`${at}/files/a`, { headers: { 'if-none-match': part.headers.get('etag') ?? '' } });
    expect(same.status).toBe(304);
    const head = await send(`${at}/files/a`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '10', '']);
  });

  it('[A15] are written over one version alone, when that is asked for', async () => {
    const at = await root();
    const created = await put(`${at}/files/a`, 'one', { 'if-none-match': '*' });
    const { etag } = (await created.json()) as { etag: string };
    const conflict = await put(`${at}/files/a`, 'two', { 'if-none-match': '*' });
    expect([conflict.status, ((await conflict.json()) as JsonObject).code]).toEqual([409, 'superseded']);
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
