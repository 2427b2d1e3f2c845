import { expect, it } from 'vitest';
import { findServer } from '../../../src/cli/find';

const servers = {
  command: 'npm run dev',
  running: () => undefined,
  start: () => Promise.reject(new Error('A named server is never started.')),
};
const late = (): never => {
  throw new DOMException('The operation was aborted due to timeout', 'TimeoutError');
};
const healthy = () => Response.json({ ok: true, name: 'offshoot' });

/** The end of a search for a named server that does this at each request, and how often it was asked. */
async function found(...does: readonly (() => Response)[]) {
  let asked = 0;
  const fetch = async () => (does[asked++] ?? late)();
  const server = findServer({ servers, fetch }, 'http://named', new AbortController().signal, () => undefined);
  const what = await server.then(({ base }) => base, String);
  return { what, asked };
}

it('[K28] a named server is asked three times when no answer comes in time, and once when it refuses', async () => {
  const away = /^Unreachable: The server at http:\/\/named cannot be reached \(no answer in time\)\.\nCheck the URL/u;
  expect(await found(healthy)).toEqual({ what: 'http://named', asked: 1 });
  expect(await found(late, late, healthy)).toEqual({ what: 'http://named', asked: 3 });
  expect(await found()).toEqual({ what: expect.stringMatching(away), asked: 3 });
  const other = () => Response.json({ name: 'another' });
  expect(await found(other)).toEqual({ what: expect.stringContaining('is not an Offshoot server'), asked: 1 });
  const refused = () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }) });
  };
  expect(await found(refused)).toEqual({ what: expect.stringContaining('connection refused'), asked: 1 });
});

it('[K13] without a server it says how to start one, in the words of the folder', async () => {
  const refused = () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }));
  const search = (url: string | undefined, running?: string) => {
    const app = { command: 'npm run dev', running: () => running };
    return findServer({ servers: app, fetch: refused }, url, new AbortController().signal, () => undefined);
  };
  await expect(search(undefined)).rejects.toThrow(/^No server found\. Start one with: npm run dev$/);
  await expect(search('http://localhost:1')).rejects.toThrow(/\nStart a server with: npm run dev$/);
  await expect(search('https://app.example')).rejects.toThrow(/\nCheck the URL of the server\.$/);
});

it('[K12] the server of this folder comes before one on the usual port', async () => {
  const asked: string[] = [];
  const fetch = async (url: unknown) => {
    asked.push(String(url));
    return healthy();
  };
  const own = { command: 'npm run dev', running: () => 'http://localhost:8790' };
  const server = await findServer({ servers: own, fetch }, undefined, new AbortController().signal, () => undefined);
  expect([server.base, asked]).toEqual(['http://localhost:8790', ['http://localhost:8790/healthz']]);
});

/** The end of a search where the server of this folder does this at each request, and which servers were asked. */
async function besideStranger(...does: readonly (() => Response)[]) {
  const asked: string[] = [];
  const fetch = async (url: unknown) => {
    const { port } = new URL(String(url));
    asked.push(port);
    return port === '8787' ? healthy() : (does[asked.length - 1] ?? late)();
  };
  const own = { command: 'npm run dev', running: () => 'http://localhost:9001' };
  const server = findServer({ servers: own, fetch }, undefined, new AbortController().signal, () => undefined);
  const what = await server.then(({ base }) => base, String);
  return { what, asked };
}

it('[K32] the server of this folder is asked like a named one; only a refused connection leads to the usual port', async () => {
  const own = 'http://localhost:9001';
  expect(await besideStranger(late, late, healthy)).toEqual({ what: own, asked: ['9001', '9001', '9001'] });
  const slow = `Unreachable: The server at ${own} cannot be reached (no answer in time).
It is the server of this folder. Try again, or restart it with: npm run dev`;
  expect(await besideStranger()).toEqual({ what: slow, asked: ['9001', '9001', '9001'] });
  const failing = (code: string) => () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('connect'), { code }) });
  };
  const reset = slow.replace('no answer in time', 'ECONNRESET');
  expect(await besideStranger(failing('ECONNRESET'))).toEqual({ what: reset, asked: ['9001'] });
  const other = await besideStranger(() => new Response('Not found', { status: 404 }));
  expect(other).toEqual({
    what: expect.stringMatching(/base path, name it: --url http:.*9001\/PATH$/u),
    asked: ['9001'],
  });
  const problem = { code: 'misconfigured', title: 'The Worker is misconfigured.' };
  const broken = await besideStranger(() => Response.json(problem, { status: 500 }));
  expect(broken).toEqual({ what: expect.stringContaining(problem.title), asked: ['9001'] });
  expect(await besideStranger(failing('ECONNREFUSED'))).toEqual({
    what: 'http://localhost:8787',
    asked: ['9001', '8787'],
  });
});
