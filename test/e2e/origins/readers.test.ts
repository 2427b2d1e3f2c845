/** Readers that are not ours: curl, through a proxy that compresses what it may. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mjs';
import { type Client, createClient } from '../../../src/client';
import { portOf } from '../../support/ports';
import { serve } from '../../support/served';
import { figures } from '../../support/sizes';
import { asks, told } from '../../support/told';

const WAITS = told(asks(['pick', { of: ['a'] }]), { text: 't' });

/** A proxy that compresses every answer but those that may not be transformed, and keeps what it has until a block is full. */
async function startProxy(target: string): Promise<Server> {
  const server = createServer((request, response) => {
    const onward = send(`${target}${request.url}`, { method: request.method, headers: request.headers }, (answer) => {
      const mayNot = /\bno-transform\b/u.test(answer.headers['cache-control'] ?? '');
      if (mayNot || !request.headers['accept-encoding']?.includes('gzip')) {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        response.flushHeaders();
        answer.pipe(response);
        return;
      }
      const { 'content-length': _, ...headers } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, { ...headers, 'content-encoding': 'gzip' });
      answer.pipe(createGzip()).pipe(response);
    });
    response.once('close', () => onward.destroy());
    onward.once('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

let slowest = 0;
figures('a chunk through a proxy that compresses', () => `at most ${slowest} ms after it was committed`);

describe('curl through a proxy that compresses', () => {
  let folder: string;
  let api: Awaited<ReturnType<typeof serve>>;
  let proxy: Server;
  let base: string;
  let client: Client;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'offshoot-readers-'));
    api = await serve({ persistTo: folder, config: join(root, 'test', 'e2e', 'nested', 'wrangler.jsonc') });
    proxy = await startProxy(api.url);
    base = `http://127.0.0.1:${portOf(proxy)}`;
    client = createClient({ baseUrl: api.url });
  });

  afterAll(async () => {
    proxy?.closeAllConnections();
    proxy?.close();
    await api?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('[W37, W38] is told of a run as it happens, over a wait to its end, and ends by itself', async () => {
    const address = '/agents/trunk/by-curl';
    await client.start(address, { message: WAITS });
    const curl = spawn('curl', ['-sN', '--compressed', `${base}${address}/stream?follow=run`]);
    const exited = new Promise<number | null>((resolve) => curl.once('exit', resolve));
    let text = '';
    let answered: Promise<unknown> | undefined;
    const answer = async () => {
      const [item] = (await client.pending(address)).items;
      const result = { picked: 'a' };
      await client.answer(address, { kind: 'client-tool-result', toolCallId: String(item?.toolCallId), result });
    };
    for await (const piece of curl.stdout) {
      const came = String(piece);
      text += came;
      for (const [, at] of came.matchAll(/"timestamp":(\d+)/gu))
        if (answered !== undefined) slowest = Math.max(slowest, Date.now() - Number(at));
      // Gathered on the way, the wait would not be told before the run has ended, and the run would not end.
      if (text.includes('"status":"suspended_client_tool"}\n\n')) answered ??= answer();
    }
    await answered;
    expect(await exited).toBe(0);
    const { lastSequence } = await client.status(address);
    const ids = [...text.matchAll(/^id: (\d+)$/gmu)].map(([, id]) => Number(id));
    expect(ids).toEqual(Array.from({ length: lastSequence }, (_, index) => index + 1));
    expect(text.endsWith(`id: ${lastSequence}:end\nevent: end\ndata: {"status":"completed"}\n\n`)).toBe(true);
    // The proxy compresses what it may.
    const headers = await promisify(execFile)('curl', [
      '-s',
      '--compressed',
      '-D-',
      '-o/dev/null',
      `${base}${address}/tree`,
    ]);
    expect(headers.stdout.toLowerCase()).toContain('content-encoding: gzip');
  });

  it('[W36] comes back to an ended run with the id of its end, and is told that there is nothing more', async () => {
    const address = '/agents/trunk/by-curl-again';
    await client.start(address, { message: told({ text: 'x' }), wait: true });
    const { lastSequence } = await client.status(address);
    const flags = ['-s', '-w%{http_code}', '-H', `last-event-id: ${lastSequence}:end`];
    const { stdout } = await promisify(execFile)('curl', [...flags, `${base}${address}/stream`]);
    expect(stdout).toBe('204');
  });
});
