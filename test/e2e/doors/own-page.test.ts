/** The page of the docs and the console in one Worker, built and set up as `docs/guides/react.md` says, served by wrangler. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildConsole } from '../../../scripts/lib/console.mjs';
import { root } from '../../../scripts/lib/paths.mjs';
import { serve } from '../../../scripts/lib/serve.mjs';
import { present } from '../../support/present';

const GUIDE = readFileSync(join(root, 'docs/guides/react.md'), 'utf8');
/** The last text in a fence of that language in which this is found, without the indent of a list. */
function fenced(language: string, part: string): string {
  const fences = GUIDE.matchAll(new RegExp(`^( *)\`\`\`${language}\\n(.*?)\`\`\`$`, 'gms'));
  const found = [...fences].filter(([, , text]) => text?.includes(part)).at(-1);
  const [, indent = '', text = ''] = present(found);
  return text.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
}
const HTML = fenced('html', 'doctype');

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
  ...JSON.parse(`{${fenced('jsonc', 'run_worker_first')}}`),
  exports: {
    OffshootAgent: { type: 'durable-object', storage: 'sqlite' },
    OffshootDirectory: { type: 'durable-object', storage: 'sqlite' },
  },
};

const folder = mkdtempSync(join(root, '.offshoot-page-'));
let server: Awaited<ReturnType<typeof serve>> | undefined;

beforeAll(async () => {
  await buildConsole();
  mkdirSync(join(folder, 'web'));
  cpSync(join(root, '.offshoot', 'console'), join(folder, 'public', 'console'), { recursive: true });
  writeFileSync(join(folder, 'public', 'index.html'), HTML);
  writeFileSync(join(folder, 'web', 'page.tsx'), fenced('tsx', '// page.tsx'));
  writeFileSync(join(folder, 'web', 'tsconfig.json'), fenced('json', 'react-jsx'));
  writeFileSync(join(folder, 'web', 'main.js'), fenced('js', '// main.js'));
  const [, entry = '', outfile = ''] = present(/"esbuild (\S+) --bundle .*--outfile=(\S+)"/u.exec(GUIDE));
  await build({
    ...{ entryPoints: [join(folder, entry)], outfile: join(folder, outfile), logLevel: 'silent' },
    ...{ bundle: true, format: 'esm', minify: true },
    alias: { 'offshoot/client': join(root, 'src/client.ts'), 'offshoot/react': join(root, 'src/react.ts') },
  });
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
  expect(await got('/')).toEqual({ status: 200, policy: null, text: HTML });
  const [, script = ''] = present(/<script type="module" src="(.+)">/u.exec(HTML));
  expect(await got(script)).toMatchObject({ status: 200, text: expect.stringContaining('/agents/planner/one') });
  // Without that configuration, elements would be made by a React that the page does not import.
  expect((await got(script)).text).not.toContain('React.createElement(');
  for (const path of ['/console', '/console/', '/console/agents/paged/one']) {
    const page = await got(path);
    expect([path, page.status, page.policy?.includes("default-src 'none'")]).toEqual([path, 200, true]);
    expect(page.text).toContain('data-base="" data-at="/console"');
    expect(page.text).toContain('"/console/assets/');
  }
  const [own = ''] = readdirSync(join(folder, 'public', 'console', 'assets')).filter((name) => name.endsWith('.js'));
  expect(await got(`/console/assets/${own}`)).toMatchObject({ status: 200, policy: expect.any(String) });
  expect((await got('/directory/agents')).text).toContain('"paged"');
});
