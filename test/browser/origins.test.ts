/** Pages of other origins in a real browser: one that is allowed, and one that is not. */

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../../scripts/lib/paths.mjs';
// As users have it, with wrangler's proxy.
import { serve } from '../../scripts/lib/serve.mjs';
import { createClient } from '../../src/client';
import { portOf } from '../support/ports';
import { present } from '../support/present';
import { asks, calls, told } from '../support/told';
import { type Chromium, MISSING, startChromium } from './chromium';
import { bundled } from './page';

const TOKEN = 'YW5u';
const picks = asks(['pick', { of: ['a'] }]);
const WAITS = told(calls('branch', [calls('twig', [picks, { text: 'l' }]), { text: 'm' }]), { text: 't' });

/** A server of empty pages, at an origin of its own. */
async function pages(): Promise<{ origin: string; server: Server }> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>A page</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return { origin: `http://localhost:${portOf(server)}`, server };
}

describe('a page of another origin in Chromium', () => {
  let folder: string;
  let api: Awaited<ReturnType<typeof serve>>;
  let base: string;
  let browser: Chromium | undefined;
  let allowed: Awaited<ReturnType<typeof pages>>;
  let other: Awaited<ReturnType<typeof pages>>;

  beforeAll(async () => {
    if (MISSING !== undefined) return;
    folder = await mkdtemp(join(tmpdir(), 'offshoot-origins-'));
    [allowed, other] = await Promise.all([pages(), pages()]);
    const config = join(root, 'test', 'e2e', 'origins', 'wrangler.jsonc');
    api = await serve({ persistTo: folder, config, vars: { PAGES: allowed.origin } });
    base = api.url;
    browser = await startChromium();
    for (const url of [base, allowed.origin, other.origin]) browser.mayAsk(url);
    await browser.context.addCookies([{ name: 'who', value: 'ann', url: base }]);
  });

  afterAll(async () => {
    await browser?.close();
    for (const server of [allowed?.server, other?.server]) {
      server?.closeAllConnections();
      server?.close();
    }
    await api?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  /** Opens a page of an origin with its program. */
  async function opened(origin: string): Promise<Page> {
    const page = await present(browser).context.newPage();
    await page.goto(origin);
    const { code } = await bundled('other-origin');
    await page.addScriptTag({ content: code, type: 'module' });
    await page.waitForFunction('globalThis.page');
    return page;
  }

  const does = <Result>(page: Page, what: string, ...given: string[]): Promise<Result> =>
    page.evaluate<Result>(`page.${what}(${[base, ...given].map((each) => JSON.stringify(each)).join()})`);

  async function sequencesOf(address: string): Promise<number[]> {
    const sequences: number[] = [];
    for await (const event of createClient({ baseUrl: base, token: TOKEN }).follow(address))
      if (event.type === 'chunk') sequences.push(event.entry.sequence);
    return sequences;
  }

  beforeEach(({ skip }) => {
    if (MISSING !== undefined) skip(MISSING);
  });

  it.each(['sse', 'socket'])(
    '[X40, J7] that is allowed follows a run by the client over %s, and works with files',
    async (over) => {
      const page = await opened(allowed.origin);
      const address = `/agents/trunk/by-${over}`;
      const result = await does<object>(page, 'byClient', address, WAITS, over);
      expect(result).toEqual({
        sequences: await sequencesOf(address),
        rests: ['suspended', 'completed'],
        file: 'hello',
        refused: expect.objectContaining({
          status: 404,
          code: 'not_found',
          requestId: expect.stringMatching(/^[\da-f-]{36}$/u),
        }),
      });
      await page.close();
    },
  );

  it('[X39, X40, X43] F160: that is allowed reads every answer by fetch, with what its headers say', async () => {
    const page = await opened(allowed.origin);
    const address = '/agents/trunk/by-fetch';
    await createClient({ baseUrl: base, token: TOKEN }).start(address, { message: told({ text: 'x' }), wait: true });
    expect(await does(page, 'byFetch', address)).toEqual({
      put: [201, 'x-request-id'],
      part: [206, 'x-request-id', 'etag', 'content-range', 'content-disposition'],
      removed: [204, 'x-request-id'],
      none: [404, 'x-request-id'],
      unauthorized: [401, 'x-request-id', 'www-authenticate'],
      cookie: [200, 'x-request-id'],
    });
    await page.close();
  });

  it.each([
    ['', 3],
    ['?follow=run', 1],
  ])(
    '[W36, W37, X43] that is allowed follows a run by EventSource%s over a wait, which then rests',
    async (query, streams) => {
      const page = await opened(allowed.origin);
      const address = `/agents/trunk/by-events-${streams}`;
      const answers: number[] = [];
      page.on('response', (response) => {
        if (response.url().includes('/stream')) answers.push(response.status());
      });
      const result = await does<{ sequences: number[]; ends: string[] }>(page, 'byEventSource', address, WAITS, query);
      expect(result.sequences).toEqual(await sequencesOf(address));
      expect(result.ends).toEqual(['suspended_awaiting_children', 'completed']);
      // The last one says that there is nothing more: a browser asks no further.
      expect(answers).toEqual([
        ...Array.from({ length: streams - 1 }, () => 200),
        ...(streams === 1 ? [200] : []),
        204,
      ]);
      await page.close();
    },
  );

  it('[X41, X9] that is not allowed reads nothing, changes nothing and opens no socket', async () => {
    const page = await opened(other.origin);
    const address = '/agents/trunk/by-nobody';
    const client = createClient({ baseUrl: base, token: TOKEN });
    await client.start(address, { message: told({ text: 'x' }), wait: true });
    expect(await does(page, 'tries', address)).toEqual({
      read: 'refused',
      plain: 'refused',
      // Chromium gives an answer that may not be embedded as a failure.
      opaque: expect.stringMatching(/^(refused|opaque 0)$/u),
      start: 'refused',
      simple: expect.stringMatching(/^(refused|opaque 0)$/u),
      events: 'refused',
      socket: 'refused',
    });
    const { items } = await client.roots({ agent: 'trunk' });
    expect(items.map((each) => each.address)).not.toContain(`${address}-evil`);
    await page.close();
  });
});
