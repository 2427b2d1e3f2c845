/** `offshoot/client` in a real browser, alone in its page. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/lib/paths.mjs';
import { freePort } from '../../scripts/lib/ports.mjs';
import { type Client, createClient, reduceAll, type SequencedChunk, type TreeView } from '../../src/client';
import { present } from '../support/present';
import { serve } from '../support/served';
import { figures } from '../support/sizes';
import { asks, calls, told } from '../support/told';
import { type Chromium, MISSING, startChromium } from './chromium';
import { bundled, openPage, type Program } from './page';

/** The page with the client in it, compressed, in bytes. */
const MOST = 11_800;

const picks = asks(['pick', { of: ['a'] }]);
const WAITS = told(calls('branch', [calls('twig', [picks, { text: 'l' }]), { text: 'm' }]), { text: 't' });

let program: Program | undefined;
figures('a page that follows a run', () => `${program?.size ?? 0} bytes compressed`);

describe('a page', () => {
  it('[J7] is made of the client and the protocol alone, and stays small', async () => {
    program = await bundled('follow');
    const others = program.inputs.filter((path) => !/^src\/(client|protocol)(\/|\.ts$)/u.test(path));
    expect(others).toEqual(['test/browser/pages/follow.ts']);
    expect(program.size).toBeGreaterThan(0);
    expect(program.size).toBeLessThanOrEqual(MOST);
  });
});

describe('a page in Chromium', () => {
  let folder: string;
  let port: number;
  let server: Awaited<ReturnType<typeof serve>> | undefined;
  let browser: Chromium | undefined;
  let client: Client;

  const start = async () => {
    const config = join(root, 'test', 'e2e', 'nested', 'wrangler.jsonc');
    server = await serve({ persistTo: folder, config, port });
  };

  beforeAll(async () => {
    if (MISSING !== undefined) return;
    folder = await mkdtemp(join(tmpdir(), 'offshoot-page-'));
    port = await freePort();
    await start();
    client = createClient({ baseUrl: server?.url ?? '' });
    browser = await startChromium();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  async function logOf(address: string): Promise<SequencedChunk[]> {
    const entries: SequencedChunk[] = [];
    for await (const event of client.follow(address)) if (event.type === 'chunk') entries.push(event.entry);
    return entries;
  }

  it.for(['sse', 'socket'])(
    '[J7, J4] follows a run over %s through a kill of the server to its end',
    async (over, { skip }) => {
      if (MISSING !== undefined) skip(MISSING);
      const address = `/agents/trunk/page-${over}`;
      await client.start(address, { message: WAITS });
      const page = await openPage(present(browser), {
        server: present(server).url,
        program: await bundled('follow'),
        hash: `${over}${address}`,
      });
      const shows = (id: string, text: string) => page.locator(`#${id}`, { hasText: text }).waitFor();
      await shows('status', 'suspended_awaiting_children');
      await server?.killHard();
      await shows('connection', 'lost');
      await start();
      await shows('connection', 'there');
      const [item] = (await client.pending(address)).items;
      await client.answer(address, {
        kind: 'client-tool-result',
        toolCallId: String(item?.toolCallId),
        result: { picked: 'a' },
      });
      await shows('status', 'completed');
      const held = await page.evaluate<{ sequences: number[]; view: TreeView }>('held');
      const log = await logOf(address);
      expect(held.sequences).toEqual(log.map(({ sequence }) => sequence));
      expect(held.view).toEqual(reduceAll(log));
      expect(Number(await page.locator('#losses').textContent())).toBeGreaterThan(0);
      expect(await page.locator('#trouble').textContent()).toBe('');
      await page.close();
    },
  );
});
