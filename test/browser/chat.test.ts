/** `useChat` in a real browser: a page that is loaded again in the middle, a network that goes, a socket with a ticket. */
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../../scripts/lib/paths.mjs';
import { portOf } from '../support/ports';
import { present } from '../support/present';
import { serve } from '../support/served';
import { asks, calls, told } from '../support/told';
import { type Chromium, MISSING, startChromium } from './chromium';
import { bundled } from './page';

/** A line to a server that a test cuts, and mends. */
async function lineTo(port: number) {
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    isCut = true;
    for (const socket of open) socket.destroy();
    open.clear();
  };
  return {
    ...{ url: `http://localhost:${portOf(server)}`, cut },
    mend: () => {
      isCut = false;
    },
    close: () => {
      cut();
      server.close();
    },
  };
}

describe('a page with useChat in Chromium', () => {
  let folder: string;
  let server: Awaited<ReturnType<typeof serve>>;
  let browser: Chromium | undefined;
  let line: Awaited<ReturnType<typeof lineTo>>;

  beforeAll(async () => {
    if (MISSING !== undefined) return;
    folder = await mkdtemp(join(tmpdir(), 'offshoot-chat-'));
    const config = join(root, 'test', 'browser', 'chat-app', 'wrangler.jsonc');
    server = await serve({ persistTo: folder, config, vars: { OFFSHOOT_SIGNING_KEY: 'k'.repeat(32) } });
    browser = await startChromium();
    line = await lineTo(Number(new URL(server.url).port));
    for (const url of [server.url, line.url]) browser.mayAsk(url);
  });

  afterAll(async () => {
    await browser?.close();
    line?.close();
    await server?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  beforeEach(({ skip }) => {
    if (MISSING !== undefined) skip(MISSING);
  });

  const open = (gate: string) => fetch(`${server.url}/open/${encodeURIComponent(gate)}`);

  /** Loads the program of a page, at first and again. */
  async function load(page: Page, hash: string, base = server.url): Promise<void> {
    await page.goto(`${base}/healthz#${hash}`);
    await page.reload();
    const { code } = await bundled('chat');
    await page.addScriptTag({ content: code, type: 'module' });
    await page.getByLabel('Message').waitFor();
  }

  async function opened(hash: string, base?: string): Promise<Page> {
    const page = await present(browser).context.newPage();
    await load(page, hash, base);
    return page;
  }

  async function say(page: Page, text: string): Promise<void> {
    await page.getByLabel('Message').fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
  }

  /** What the answers of a page show, part by part. */
  const answers = (page: Page) =>
    page.evaluate<string[][]>(
      `[...document.querySelectorAll('[aria-label=assistant]')].map(({ children }) => [...children].map((one) => one.textContent))`,
    );

  const ready = (page: Page) => page.locator('output', { hasText: 'ready' }).waitFor();
  const shows = (page: Page, text: string) => page.getByLabel('assistant').getByText(text).waitFor();

  const FIRST = { text: 'A note.', ...asks(['note', { text: 'x' }]) };
  const NOTED = ['A note.', 'note: output-available'];

  it('[CH2, CH4] check 2: that is loaded again in the middle of an answer shows it once, to its end', async () => {
    const page = await opened('http:/agents/trunk/reloaded');
    await say(page, told(FIRST, { text: 'The end.', gate: 'reloaded' }));
    await shows(page, 'note: output-available');
    await load(page, 'http:/agents/trunk/reloaded');
    await shows(page, 'note: output-available');
    expect(await answers(page)).toEqual([NOTED]);
    await open('reloaded');
    await shows(page, 'The end.');
    await ready(page);
    expect(await answers(page)).toEqual([[...NOTED, 'The end.']]);
    await page.close();
  });

  it('[CH2, CH3] check 3: whose network is cut and comes back shows the answer once, to its end', async () => {
    const page = await opened('http:/agents/trunk/cut', line.url);
    await say(page, told(FIRST, { text: 'The end.', gate: 'cut' }));
    await shows(page, 'note: output-available');
    line.cut();
    await page.locator('output', { hasText: 'error' }).waitFor();
    line.mend();
    // As a person comes back to the tab.
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.locator('output', { hasText: 'streaming' }).waitFor();
    await open('cut');
    await shows(page, 'The end.');
    await ready(page);
    expect(await answers(page)).toEqual([[...NOTED, 'The end.']]);
    await page.close();
  });

  it('[CH3] check 5: that leaves an answer stops nothing, and has it when it is loaded again', async () => {
    const page = await opened('http:/agents/trunk/left');
    await say(page, told(FIRST, { text: 'The end.', gate: 'left' }));
    await shows(page, 'note: output-available');
    await page.getByRole('button', { name: 'Leave' }).click();
    await ready(page);
    await open('left');
    await load(page, 'http:/agents/trunk/left');
    await shows(page, 'The end.');
    expect(await answers(page)).toEqual([[...NOTED, 'The end.']]);
    await page.close();
  });

  it('[CH5, CH9, OC11] check 34: asks over a socket with a ticket, and answers for a grandchild', async () => {
    const address = '/agents/trunk/ticketed';
    const page = await opened(`socket:${address}`);
    await say(page, told({ text: 'Begun.' }));
    await shows(page, 'Begun.');
    await load(page, `socket:${address}`);
    const sockets: string[] = [];
    page.on('websocket', (socket) => void sockets.push(socket.url()));
    await load(page, `socket:${address}`);
    const twig = [asks(['publish', { text: 'x' }]), { text: 't' }];
    await say(page, told(calls('branch', [calls('twig', twig), { text: 'b' }]), { text: 'All done.' }));
    await page.getByRole('button', { name: 'Approve publish' }).click();
    await shows(page, 'All done.');
    await ready(page);
    expect((await answers(page)).at(-1)).toEqual(
      expect.arrayContaining(['publish: output-available', 'subagent__branch: output-available', 'All done.']),
    );
    expect(sockets.length).toBeGreaterThan(0);
    for (const url of sockets) expect(url).toContain('ticket=ofs_');
    await page.close();
  });
});
