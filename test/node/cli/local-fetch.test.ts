/** Requests to a server of this machine whose certificate nobody has signed. */
import { expect, it, vi } from 'vitest';
import { trustingLocal } from '../../../src/cli/local-fetch';
import { Unreachable } from '../../../src/client/errors';
import { isRefusedConnection, requestJson } from '../../../src/client/http';
import { localHttps } from '../../support/local-https';

it('[K34] a server of this machine is asked over HTTPS as any other: its headers, its body and its stream arrive', async () => {
  const port = await localHttps(async (request, response) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    response.writeHead(request.url === '/none' ? 204 : 201, { 'x-a': 'b', 'content-type': 'text/plain' });
    response.flushHeaders();
    response.write(`${request.method} ${request.url} ${request.headers.authorization} `);
    response.end(body);
  });
  const fetch = trustingLocal(globalThis.fetch);
  const headers = { authorization: 'Bearer x' };
  for (const host of ['localhost', '127.0.0.1']) {
    const answer = await fetch(`https://${host}:${port}/a?b=c`, { method: 'POST', headers, body: 'Hello' });
    expect([answer.status, answer.headers.get('x-a')]).toEqual([201, 'b']);
    expect(await answer.text()).toBe('POST /a?b=c Bearer x Hello');
  }
  const none = await fetch(new URL(`https://localhost:${port}/none`), { headers });
  expect([none.status, none.body]).toEqual([204, null]);
});

it('[K34] no other server: its request is left to the other fetch, with its certificate checked', async () => {
  const other = vi.fn(async (_url: unknown) => new Response('x'));
  const fetch = trustingLocal(other);
  const urls = [
    'https://localhost.example:1/',
    'https://example.com/',
    'https://127.0.0.1.example/',
    'http://localhost:1/',
  ];
  for (const url of urls) await fetch(url);
  expect(other.mock.calls.map(([url]) => url)).toEqual(urls);
  const port = await localHttps((_, response) => response.end());
  await expect(globalThis.fetch(`https://localhost:${port}/`)).rejects.toThrow('fetch failed');
});

it('[K34] a refused connection, a signal and a cut answer are the same errors as from fetch', async () => {
  const fetch = trustingLocal(globalThis.fetch);
  const port = await localHttps((request, response) => {
    if (request.url === '/cut')
      response.writeHead(200, { 'content-length': '9' }).write('half', () => response.destroy());
  });
  const refused = fetch('https://localhost:1/').catch((error: unknown) => error);
  expect(isRefusedConnection(await refused)).toBe(true);
  const late = requestJson({ base: `https://localhost:${port}`, fetch }, '/late', { timeoutMs: 50 });
  await expect(late).rejects.toThrow(Unreachable);
  await expect(late).rejects.toMatchObject({ cause: { name: 'TimeoutError' } });
  const cut = await fetch(`https://localhost:${port}/cut`);
  await expect(cut.text()).rejects.toThrow();
});
