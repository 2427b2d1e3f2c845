/** Pages of other origins: what a browser sends for them changes nothing. */

import { exports } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { VERBS } from '../../../src/verbs/table';
import { createWorker } from '../../../src/worker';
import { address, get, HOST, post, problemIn, send } from '../../support/api';
import { openGate, told } from '../../support/puppet';
import { Eager, Form, Leaf, Line, Middle, Tiny, Top } from '../../support/worker';
import { threeAtGate } from '../standing';

const EVIL = 'https://evil.example';
const FOREIGN: Record<string, string>[] = [
  { origin: EVIL },
  { origin: 'null' },
  { origin: 'http://localhost.evil.example' },
  { origin: 'http://localhost:3000' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: HOST, 'sec-fetch-site': 'cross-site' },
];
const changing = VERBS.filter(({ method }) => method !== 'GET');

describe('a page of another origin', () => {
  it.each(FOREIGN)('[X9] %o is refused every verb that changes something, and every other method', async (headers) => {
    const { at, gate } = await threeAtGate();
    const before = (await get(`${at}/status`)).body;
    const tries = [
      ...changing.map(({ method, path }) => [
        method,
        `${at}${path === '' ? '' : `/${path.replace('{path}', 'a.md')}`}`,
      ]),
      ['POST', `${at}/nothing`],
      ['PATCH', `${at}/status`],
      ['POST', '/directory/roots'],
      ['POST', '/nothing'],
    ];
    for (const [method = '', path = ''] of tries) {
      const response = await send(path, { method, headers });
      const body = await problemIn(response);
      expect([method, path, response.status, body.code]).toEqual([method, path, 403, 'forbidden']);
    }
    expect((await get(`${at}/status`)).body).toEqual(before);
    openGate(gate);
  });

  it('[X9] reads nothing that its browser would not let it read anyway', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const read = await get(`${at}/status`, { origin: EVIL, 'sec-fetch-site': 'cross-site' });
    expect([read.status, read.headers.get('access-control-allow-origin')]).toEqual([200, null]);
    const asked = await send(`${at}/start`, { method: 'OPTIONS', headers: { origin: EVIL } });
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, null]);
  });
});

/** What Chromium 150 sent for a page at http://evil.example whose script forged the host, and hid what it could. */
const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/150.0.0.0 Safari/537.36';
const REBOUND: Record<string, string>[] = [
  { accept: '*/*', 'accept-encoding': 'br, gzip', 'accept-language': 'en-US,en;q=0.9', 'user-agent': BROWSER },
  { accept: '*/*', 'accept-encoding': 'br, gzip', 'user-agent': BROWSER },
  { accept: '*/*', 'accept-encoding': 'br, gzip', 'sec-fetch-mode': 'cors', 'user-agent': BROWSER },
];

describe('a browser that does not say where its page comes from', () => {
  const routes = ['/', '/openapi.json', '/directory/agents', '/directory/roots'];

  it.each(REBOUND)('[X32] reads nothing: %o', async (headers) => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    for (const path of [...routes, `${at}/status`, `${at}/stream`, `${at}/files/a.md`]) {
      const { status, body } = await get(path, headers);
      expect([path, status, body.code]).toEqual([path, 403, 'forbidden']);
      expect(body.detail).toContain('OFFSHOOT_TOKEN');
    }
    expect((await get('/healthz', headers)).status).toBe(200);
  });

  it.each<Record<string, string>>([
    { 'user-agent': BROWSER, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    { 'user-agent': BROWSER, 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    { 'user-agent': 'node', 'accept-language': '*', 'sec-fetch-mode': 'cors' },
    { 'user-agent': 'curl/8.5.0' },
    {},
  ])('[X32] is not %o', async (headers) => {
    for (const path of routes) expect([path, (await get(path, headers)).status]).toEqual([path, 200]);
  });

  it('[X32] opens a socket all the same from a page of the Worker itself, as browsers do', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const headers = { 'user-agent': BROWSER, origin: HOST, upgrade: 'websocket' };
    const opened = await send(at, { headers });
    expect(opened.status).toBe(101);
    opened.webSocket?.accept();
    opened.webSocket?.close();
  });

  it('[X32] is asked for its secret where there is one', async () => {
    const request = new Request(`${HOST}/directory/agents`, {
      headers: { 'user-agent': BROWSER, authorization: 'Bearer s3cret' },
    });
    const worker = createWorker({ agents: [Top, Middle, Leaf, Tiny, Form, Line, Eager] });
    expect((await worker.fetch(request, { OFFSHOOT_TOKEN: 's3cret' }, { exports })).status).toBe(200);
  });
});

describe('whoever may', () => {
  const agents = [Top, Middle, Leaf, Tiny, Form, Line, Eager];

  const OWN: Record<string, string>[] = [
    {},
    { origin: HOST },
    { origin: HOST, 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' },
  ];

  it.each(OWN)('[X9] %o is not held up', async (headers) => {
    const worker = createWorker({ agents, allowedOrigins: ['https://app.example'] });
    const request = new Request(`${HOST}${address()}/start`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ message: told({ text: 'x' }), wait: true }),
    });
    expect((await worker.fetch(request, {}, { exports })).status).toBe(200);
  });

  it.each(['https://app.example/', 'app.example', 'https://app.example/x', '*', 'HTTPS://app.example', 'null'])(
    '[X10] "%s" is no origin to allow',
    (origin) => {
      expect(() => createWorker({ agents, allowedOrigins: [origin] })).toThrow('allowedOrigins is not an origin');
    },
  );
});
