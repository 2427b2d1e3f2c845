/** The console in a real browser, on the server that is shipped. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { root } from '../../scripts/lib/paths.mjs';
import type { Client } from '../../src/client';
import { figures } from '../support/sizes';
import { MISSING } from './chromium';
import { keepsTimes, longestTask } from './page-times';
import { findings, type ServedConsole, serveConsole, smallTargets } from './served-console';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types offshoot-worker";

/** What the first view loads, compressed, in bytes. */
const MOST = 220_000;
/** All that it can load. */
const MOST_IN_ALL = 300_000;

/** No task of a page is longer by its design, in ms. */
const LONGEST_TASK = 100;

const told: string[] = [];
figures('the console', () => told.join('; '));

let desk: ServedConsole;
let client: Client;

const url = () => desk.url;
const opened = (path: string) => desk.opened(path);

beforeAll(async () => {
  desk = await serveConsole();
  client = desk.client;
});

afterAll(() => desk.close());

describe('what the Worker sends', () => {
  it('[CN1] is the page to a browser and JSON to a program, and each file has the headers (check 51)', async () => {
    const html = { accept: 'text/html,application/xhtml+xml' };
    const page = await fetch(`${url()}/`, { headers: html });
    const text = await page.text();
    expect(text).toContain('<div id="root">');
    expect(await (await fetch(`${url()}/`)).json()).toMatchObject({ name: 'offshoot' });
    const [script = ''] = /\/console\/assets\/[\w.-]+\.js/u.exec(text) ?? [];
    const all = [page, await fetch(`${url()}${script}`), await fetch(`${url()}/console/agents/coordinator/none`)];
    for (const { status, headers } of all) {
      expect(status).toBe(200);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-security-policy': POLICY,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
    }
    const refused = await fetch(`${url()}/console/runs`, { method: 'POST' });
    expect(refused.status).toBe(404);
  });

  it('[CN7] is small in all (check 60)', async () => {
    const assets = join(root, '.offshoot', 'console', 'assets');
    const all = (await readdir(assets)).map(async (name) => gzipSync(await readFile(join(assets, name))).byteLength);
    const size = (await Promise.all(all)).reduce((sum, each) => sum + each, 0);
    told.push(`all that it can load ${size} bytes (${MOST_IN_ALL})`);
    expect(size).toBeLessThanOrEqual(MOST_IN_ALL);
  });
});

/** What a page has fetched that is no data, compressed, in bytes, by the name of the file. */
async function fetched(path: string, shown: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  const read: Promise<void>[] = [];
  const page = await desk.opened(path, async (opening) => {
    opening.on('response', (response) => {
      if (response.headers()['content-type']?.includes('json')) return;
      const name = new URL(response.url()).pathname.split('/').at(-1) ?? '';
      read.push(response.body().then((body) => void sizes.set(name, gzipSync(body).byteLength)));
    });
  });
  await page.locator(shown).first().waitFor();
  await page.waitForLoadState('networkidle');
  await Promise.all(read);
  await page.close();
  return sizes;
}

describe('in Chromium', () => {
  it('[CN7] loads little for its first view, counted by what the browser has fetched (check 60)', async ({ skip }) => {
    if (MISSING !== undefined) skip(MISSING);
    const files = await fetched('/', '.ask-box .muted');
    const size = [...files.values()].reduce((sum, each) => sum + each, 0);
    told.push(
      `the first view ${size} bytes (${MOST}) in ${[...files].map(([name, own]) => `${name} ${own}`).join(', ')}`,
    );
    // The page itself, its style, its program and what that shares with the views that are loaded later.
    expect(files.size).toBeGreaterThanOrEqual(4);
    expect(size).toBeLessThanOrEqual(MOST);
  });

  it('[CN2, CN3, CN4] a question is asked, followed and its report approved', async ({ skip }) => {
    if (MISSING !== undefined) skip(MISSING);
    const page = await opened('/');
    const box = page.getByRole('textbox', { name: 'Your question' });
    await page.getByText('Demo model').waitFor();
    expect(await box.evaluate('document.activeElement?.ariaLabel')).toBe('Your question');
    await page.getByRole('button', { name: 'What survives a crash' }).click();
    expect(await box.inputValue()).toContain('What survives a crash');
    expect(page.url()).toBe(`${url()}/`);
    expect((await client.roots()).items).toEqual([]);
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.waitForURL(`${url()}/console/agents/coordinator/*`);
    const address = new URL(page.url()).pathname.slice('/console'.length);
    await page.getByRole('treegrid').getByRole('row').first().waitFor();
    const card = page.getByRole('article', { name: 'Waiting for you: publish_report' });
    await card.waitFor();
    await page.reload();
    await card.waitFor();
    const approve = card.getByRole('button', { name: 'Approve' });
    expect(await approve.isDisabled()).toBe(true);
    await card.getByText('end of arguments').focus();
    await approve.click();
    await page.locator('.run-head').getByText('Completed').waitFor();
    await page.getByText('up to date', { exact: true }).waitFor();
    const status = await client.status(address);
    const rows = await page.getByRole('treegrid').getByRole('row').count();
    expect([status.status, rows]).toEqual(['completed', status.childCounts.total + 1]);
    await page.close();
  });

  it('[CN6, CN66] a page of nothing says so and creates nothing (check 12)', async ({ skip }) => {
    if (MISSING !== undefined) skip(MISSING);
    const before = (await client.roots()).items.length;
    const page = await opened('/console/agents/coordinator/nobody');
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    expect((await client.roots()).items).toHaveLength(before);
    // No agent's address, and no file's, makes something up.
    await page.goto(`${url()}/console/agents/coordinator/nobody/else`);
    await page.getByText('The console has no page at this address.').waitFor();
    await page.close();
  });

  it('[CN8, CN118] every view is for everyone, light and dark, wide and narrow (checks 55, 56)', async ({ skip }) => {
    if (MISSING !== undefined) skip(MISSING);
    const address = '/agents/coordinator/views';
    await client.start(address, { message: 'What survives a crash?' });
    await vi.waitFor(async () => expect((await client.status(address)).status).toBe('suspended_client_tool'));
    const found: string[] = [];
    const views = [
      ['/', '.root-row'],
      ['/console/runs', '.root-row'],
      [`/console${address}`, 'article.ask'],
      ['/console/inbox', 'article.ask'],
      ['/console/registry', 'section.card'],
      ['/console/errors', 'h1'],
      ['/console/settings', 'section.card'],
      [`/console${address}/files`, 'h1'],
      ['/console/docs', 'h1'],
    ] as const;
    for (const [path, shown] of views) {
      const page = await opened(path);
      await page.locator(shown).first().waitFor();
      found.push(...(await findings(page)).map((what) => `${path} ${what}`));
      found.push(...(await smallTargets(page)).map((what) => `${path} ${what}`));
      // The tabs of an agent are in the pane that a phone shows by itself.
      for (const tab of path.endsWith(address) ? await page.getByRole('tab').all() : []) {
        await tab.click();
        const name = await tab.textContent();
        found.push(...(await smallTargets(page)).map((what) => `${path} ${name} ${what}`));
      }
      await page.close();
    }
    expect(found).toEqual([]);
  });

  it('[CN5] a hostile text stays text (check 49)', async ({ skip }) => {
    if (MISSING !== undefined) skip(MISSING);
    const hostile = [
      '<script>globalThis.broken = true</script><iframe src="https://example.com"></iframe>',
      '<svg onload="globalThis.broken = true"></svg><style>body { display: none }</style>',
      '[a](javascript:globalThis.broken=true) [b](data:text/html,x) ![secret](https://example.com/x.png)',
      '<form action="https://example.com"><button>go</button></form>',
      '~'.repeat(100_000),
    ].join('\n\n');
    const address = '/agents/coordinator/hostile';
    await client.start(address, { message: hostile });
    const page = await desk.opened(`/console${address}`, keepsTimes);
    // What is not seen is not drawn, and a run that goes on may scroll: what is held is read with the text in sight.
    const look = `(() => {
      document.querySelector('[role="log"]')?.scrollTo(0, 0);
      const text = document.body.innerText;
      return {
        texts: ['<iframe src="https://example.com">', '[image: secret, example.com]'].filter((each) => text.includes(each)).length,
        broken: 'broken' in globalThis,
        elements: document.querySelectorAll('iframe, .prose svg, .prose img, .prose style, .prose form, a[href^="javascript"], a[href^="data"]').length,
      };
    })()`;
    const held = await vi.waitFor(
      async () => {
        const seen = await page.evaluate<{ texts: number; broken: boolean; elements: number }>(look);
        expect(seen.texts).toBe(2);
        return seen;
      },
      { timeout: 120_000 },
    );
    expect(held).toEqual({ texts: 2, broken: false, elements: 0 });
    told.push(`its longest task with a hostile text ${Math.round(await longestTask(page))} ms (${LONGEST_TASK})`);
    await page.close();
  });
});
