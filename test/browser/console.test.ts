/** The console in a real browser, on the server that is shipped. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { root } from '../../scripts/lib/paths.mjs';
import type { Client } from '../../src/client';
import { MISSING } from './chromium';
import { findings, type ServedConsole, serveConsole } from './served-console';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types offshoot-worker";

/** What the first view loads, compressed, in bytes. */
const MOST = 220_000;
/** All that it can load. */
const MOST_IN_ALL = 300_000;

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
  it('[CN1] is the page to a browser and JSON to a program, and each file has the headers', async () => {
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

  it('[CN7] is small (check 60)', async () => {
    const assets = join(root, '.offshoot', 'console', 'assets');
    const files = (await readdir(assets)).filter((name) => /^index-.*\.(?:js|css)$/u.test(name));
    const sizes = await Promise.all(files.map(async (name) => gzipSync(await readFile(join(assets, name))).byteLength));
    expect(files).toHaveLength(2);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MOST);
    const all = (await readdir(assets)).map(async (name) => gzipSync(await readFile(join(assets, name))).byteLength);
    expect((await Promise.all(all)).reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MOST_IN_ALL);
  });
});

describe('in Chromium', () => {
  it('[CN2, CN3, CN4] a question is asked, followed and its report approved', async ({ skip }) => {
    if (MISSING !== undefined) skip(MISSING);
    const page = await opened('/');
    const box = page.getByRole('textbox', { name: 'Your question' });
    await page.getByText('Offline model').waitFor();
    expect(await box.evaluate('document.activeElement?.ariaLabel')).toBe('Your question');
    await page.getByRole('button', { name: 'What survives a crash' }).click();
    expect(await box.inputValue()).toContain('What survives a crash');
    expect(page.url()).toBe(`${url()}/`);
    expect((await client.roots()).items).toEqual([]);
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.waitForURL(`${url()}/console/agents/coordinator/*`);
    const address = new URL(page.url()).pathname.slice('/console'.length);
    await page.getByRole('treegrid').getByRole('row').first().waitFor();
    const card = page.getByRole('article', { name: 'Waits for you: publish_report' });
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
    await page.getByRole('heading', { name: 'Nothing is here' }).waitFor();
    expect((await client.roots()).items).toHaveLength(before);
    // No agent's address, and no file's, makes something up.
    await page.goto(`${url()}/console/agents/coordinator/nobody/else`);
    await page.getByText('The console has no such page, and nothing was created.').waitFor();
    await page.close();
  });

  it('[CN8] every view is for everyone, light and dark, wide and narrow', async ({ skip }) => {
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
    ] as const;
    for (const [path, shown] of views) {
      const page = await opened(path);
      await page.locator(shown).first().waitFor();
      found.push(...(await findings(page)).map((what) => `${path} ${what}`));
      await page.close();
    }
    expect(found).toEqual([]);
  });

  it('[CN5] a hostile text stays text', async ({ skip }) => {
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
    const page = await opened(`/console${address}`);
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
    await page.close();
  });
});
