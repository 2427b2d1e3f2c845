/** A page of the app and the console in one Worker, as the docs set it up, served by wrangler. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildConsole } from '../../../scripts/lib/console.mjs';
import { root } from '../../../scripts/lib/paths.mjs';
import { serve } from '../../../scripts/lib/serve.mjs';

const WORKER = `
import { defineAgent, scriptedModel } from '../src/index';
import { webConsole } from '../src/console';
import { serve } from '../src/worker';
export { OffshootAgent, OffshootDirectory } from '../src/worker';
const paged = defineAgent({ name: 'paged', systemPrompt: 'Hello.', model: scriptedModel([{ text: 'Hello.' }]) });
export default serve([paged], { doors: [webConsole({ files: '/console' })] });
`;
const CONFIG = {
  ...{ name: 'own-page', main: 'worker.ts', compatibility_date: '2026-11-01', compatibility_flags: ['nodejs_compat'] },
  assets: {
    directory: 'public',
    binding: 'OFFSHOOT_CONSOLE',
    run_worker_first: ['/agents/*', '/directory/*', '/healthz', '/openapi.json', '/console', '/console/*'],
  },
  exports: {
    OffshootAgent: { type: 'durable-object', storage: 'sqlite' },
    OffshootDirectory: { type: 'durable-object', storage: 'sqlite' },
  },
};

const folder = mkdtempSync(join(root, '.offshoot-page-'));
let server: Awaited<ReturnType<typeof serve>> | undefined;

beforeAll(async () => {
  await buildConsole();
  mkdirSync(join(folder, 'public', 'assets'), { recursive: true });
  cpSync(join(root, '.offshoot', 'console'), join(folder, 'public', 'console'), { recursive: true });
  writeFileSync(join(folder, 'public', 'index.html'), '<title>My own page</title>');
  writeFileSync(join(folder, 'public', 'assets', 'page.js'), 'void "my own script";');
  writeFileSync(join(folder, 'worker.ts'), WORKER);
  writeFileSync(join(folder, 'wrangler.jsonc'), JSON.stringify(CONFIG));
  server = await serve({ persistTo: join(folder, 'state'), config: join(folder, 'wrangler.jsonc') });
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What a browser gets at a path. */
async function got(path: string) {
  const headers = { accept: 'text/html,*/*', 'sec-fetch-site': 'same-origin' };
  const answer = await fetch(`${server?.url}${path}`, { headers });
  return { status: answer.status, policy: answer.headers.get('content-security-policy'), text: await answer.text() };
}

it('[CN119] the page of the app is at `/`, the console at its path, and the API beside both', async () => {
  expect(await got('/')).toEqual({ status: 200, policy: null, text: '<title>My own page</title>' });
  expect((await got('/assets/page.js')).text).toBe('void "my own script";');
  for (const path of ['/console', '/console/', '/console/agents/paged/one']) {
    const page = await got(path);
    expect([path, page.status, page.policy?.includes("default-src 'none'")]).toEqual([path, 200, true]);
    expect(page.text).toContain('data-base="" data-at="/console"');
    expect(page.text).toContain('"/console/assets/');
  }
  const [script = ''] = readdirSync(join(folder, 'public', 'console', 'assets')).filter((name) => name.endsWith('.js'));
  expect(await got(`/console/assets/${script}`)).toMatchObject({ status: 200, policy: expect.any(String) });
  expect((await got('/directory/agents')).text).toContain('"paged"');
});
