/** The program of docs/guides/scheduled-start.md on a real server, which gets ticks as the platform delivers them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { root } from '../../../scripts/lib/paths.mjs';
import { serve } from '../../../scripts/lib/serve.mjs';
import { programs } from '../../support/pages';
import { present } from '../../support/present';

const TOKEN = 'open-sesame';

/** Serves the program as it is on its page, with the trigger of its page. */
async function served() {
  const folder = mkdtempSync(join(root, '.offshoot-app-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { text } = present(programs().find(({ page }) => page === 'docs/guides/scheduled-start.md'));
  writeFileSync(join(folder, 'index.ts'), text);
  const storage = { type: 'durable-object', storage: 'sqlite' };
  const config = {
    name: 'offshoot-ticks',
    main: 'index.ts',
    compatibility_date: '2026-11-01',
    compatibility_flags: ['nodejs_compat'],
    alias: { 'offshoot/worker': join(root, 'src/worker.ts'), offshoot: join(root, 'src/index.ts') },
    exports: { OffshootAgent: storage, OffshootDirectory: storage },
    triggers: { crons: ['0 6 * * *'] },
  };
  writeFileSync(join(folder, 'wrangler.jsonc'), JSON.stringify(config));
  const server = await serve({
    config: join(folder, 'wrangler.jsonc'),
    persistTo: join(folder, 'state'),
    vars: { OFFSHOOT_TOKEN: TOKEN },
  });
  onTestFinished(() => server.stop());
  return server;
}

it('[DF40] starts one root per tick, and one run for a tick that is delivered twice', async () => {
  const { url } = await served();
  const tick = (time: number) => fetch(`${url}/cdn-cgi/handler/scheduled?cron=0+6+*+*+*&time=${time}`);
  const read = async (path: string): Promise<{ readonly items: readonly object[] }> => {
    const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${TOKEN}` } });
    return response.json();
  };
  const ran = (time: number) =>
    vi.waitFor(
      async () => {
        const run = { status: 'completed', input: 'Write the report.', output: 'All is well.' };
        expect(await read(`/agents/reporter/daily-${time}/runs`)).toMatchObject({ items: [run] });
      },
      { interval: 50 },
    );
  const [first, second] = [Date.UTC(2026, 10, 1, 6), Date.UTC(2026, 10, 2, 6)];
  // The second delivery comes after the run: it could start another one.
  for (const time of [first, first, second]) {
    expect((await tick(time)).status).toBe(200);
    await ran(time);
  }
  expect((await read('/directory/roots')).items).toHaveLength(2);
});
