/** The apps of `examples/`, built and served as their users do, in a browser. */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { installPackage } from '../../scripts/lib/app.mjs';
import { nodePath, root } from '../../scripts/lib/paths.mjs';
import { freePort } from '../../scripts/lib/ports.mjs';
import { serve } from '../../scripts/lib/serve.mjs';
import { call, say } from '../providers/replies';
import { startProvider } from '../providers/server';
import { Output } from '../support/output';
import { present } from '../support/present';
import { MISSING, startChromium } from './chromium';

const REFUND = [
  call('call_1', 'subagent__clerk', { task: 'Pay 20 euros back for order 7.' }),
  call('call_2', 'refund', { order: '7', euros: 20 }),
  say('I paid 20 euros back.'),
  say('Your 20 euros are on their way.'),
];
const POEM = [{ parts: [{ type: 'text' as const, text: ['Roses ', 'are red.'] }] }];

let browser: Awaited<ReturnType<typeof startChromium>> | undefined;

beforeAll(async () => {
  if (MISSING === undefined) browser = await startChromium();
});
afterAll(() => browser?.close());
beforeEach(({ skip }) => {
  if (MISSING !== undefined) skip(MISSING);
});

/** An example in a folder of its own, and what ends it. */
async function copied(name: string) {
  const folder = mkdtempSync(join(root, '.offshoot-app-'));
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const end = async () => {
    for (const each of ends.toReversed()) await each();
  };
  cpSync(join(root, 'examples', name), folder, { recursive: true });
  await installPackage(folder);
  return { folder, ends, end };
}

/** Its Worker, with a model that refuses what real ones refuse. */
async function served(
  { folder, ends }: Awaited<ReturnType<typeof copied>>,
  replies: Parameters<typeof startProvider>[1]['replies'],
  more: Record<string, string> = {},
) {
  const provider = await startProvider('chat', { replies });
  ends.push(() => provider.close());
  const vars = { OFFSHOOT_MODEL: 'openai-compatible/any', OFFSHOOT_BASE_URL: provider.url, ...more };
  const at = (name: string) => join(folder, name);
  const server = await serve({ config: at('wrangler.jsonc'), persistTo: at('state'), bundles: at('bundles'), vars });
  ends.push(() => server.stop());
  present(browser).mayAsk(server.url);
  return { provider, server };
}

describe('examples/chat', () => {
  it('[CH1, CH4, CH5, RH12] F168: a sub-agent asks, the page answers after it was loaded again, and the answer comes', async () => {
    const example = await copied('chat');
    try {
      await build({ root: example.folder, logLevel: 'error' });
      const { provider, server } = await served(example, REFUND);
      const page = await present(browser).context.newPage();
      await page.goto(`${server.url}/`);
      await page.getByLabel('Message').fill('Where is my refund?');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('May the agent call refund?').waitFor();
      expect(await page.locator('pre').textContent()).toContain('"euros": 20');
      await page.reload();
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.getByText('Your 20 euros are on their way.').waitFor();
      expect(await page.getByRole('article').allInnerTexts()).toHaveLength(2);
      expect(await page.getByText('May the agent call').count()).toBe(0);
      await page.reload();
      await page.getByText('Your 20 euros are on their way.').waitFor();
      expect(await page.getByRole('article').allInnerTexts()).toHaveLength(2);
      expect(provider.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    } finally {
      await example.end();
    }
  });
});

describe('examples/front', () => {
  it('[X39, X40] F168: a server keeps the secret, and its page reads a run of a Worker of another origin', async () => {
    const example = await copied('front');
    const secrets = { OFFSHOOT_TOKEN: 'front-secret', OFFSHOOT_SIGNING_KEY: 'k'.repeat(32) };
    try {
      const port = await freePort();
      const origin = `http://localhost:${port}`;
      const { server } = await served(example, POEM, { ...secrets, FRONT_ORIGIN: origin });
      const env = { ...process.env, ...secrets, AGENTS_URL: server.url, PORT: String(port) };
      const front = spawn(nodePath(), ['src/front.js'], {
        cwd: example.folder,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const output = new Output(front);
      example.ends.push(() => {
        front.kill();
        return output.closed;
      });
      await output.until('a word', () => output.stdout || undefined);
      present(browser).mayAsk(origin);
      const page = await present(browser).context.newPage();
      const sent: string[] = [];
      page.on('request', (request) => void sent.push(`${request.method()} ${new URL(request.url()).origin}`));
      await page.goto(origin);
      await page.getByLabel('Topic').fill('Roses');
      await page.getByRole('button', { name: 'Ask' }).click();
      await page.getByText('Roses are red.').waitFor();
      expect(sent).toContain(`GET ${server.url}`);
      expect(await page.content()).not.toContain(secrets.OFFSHOOT_TOKEN);
    } finally {
      await example.end();
    }
  });
});
