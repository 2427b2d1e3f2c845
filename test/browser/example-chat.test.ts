/** The example `examples/chat`, built and served as its users do, in a browser. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { installPackage } from '../../scripts/lib/app.mjs';
import { root } from '../../scripts/lib/paths.mjs';
import { serve } from '../../scripts/lib/serve.mjs';
import { call, say } from '../providers/replies';
import { startProvider } from '../providers/server';
import { present } from '../support/present';
import { MISSING, startChromium } from './chromium';

const REPLIES = [
  call('call_1', 'subagent__clerk', { task: 'Pay 20 euros back for order 7.' }),
  call('call_2', 'refund', { order: '7', euros: 20 }),
  say('I paid 20 euros back.'),
  say('Your 20 euros are on their way.'),
];

describe('the example of a chat', () => {
  let folder: string;
  let server: Awaited<ReturnType<typeof serve>> | undefined;
  let provider: Awaited<ReturnType<typeof startProvider>> | undefined;
  let browser: Awaited<ReturnType<typeof startChromium>> | undefined;

  beforeAll(async () => {
    if (MISSING !== undefined) return;
    folder = mkdtempSync(join(root, '.offshoot-app-'));
    cpSync(join(root, 'examples', 'chat'), folder, { recursive: true });
    await installPackage(folder);
    await build({ root: folder, logLevel: 'error' });
    provider = await startProvider('chat', { replies: REPLIES });
    const vars = { OFFSHOOT_MODEL: 'openai-compatible/any', OFFSHOOT_BASE_URL: provider.url };
    server = await serve({ config: join(folder, 'wrangler.jsonc'), persistTo: join(folder, 'state'), vars });
    browser = await startChromium();
    browser.mayAsk(server.url);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await provider?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(({ skip }) => {
    if (MISSING !== undefined) skip(MISSING);
  });

  it('[CH1, CH4, CH5, RH12] a sub-agent asks, the page answers after it was loaded again, and the answer comes', async () => {
    const page = await present(browser).context.newPage();
    await page.goto(`${server?.url}/`);
    await page.getByLabel('Message').fill('Where is my refund?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('May the agent call refund?').waitFor();
    expect(await page.locator('pre').innerText()).toContain('"euros": 20');
    await page.reload();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Your 20 euros are on their way.').waitFor();
    expect(await page.getByRole('article').allInnerTexts()).toHaveLength(2);
    expect(await page.getByText('May the agent call').count()).toBe(0);
    await page.reload();
    await page.getByText('Your 20 euros are on their way.').waitFor();
    expect(await page.getByRole('article').allInnerTexts()).toHaveLength(2);
    expect(present(provider).requests.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
});
