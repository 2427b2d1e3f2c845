/** Apps of `examples/` on real servers, from the built package, as their users run them. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { installPackage } from '../../../scripts/lib/app.mjs';
import { root } from '../../../scripts/lib/paths.mjs';
import { serve } from '../../../scripts/lib/serve.mjs';
import { present } from '../../support/present';
import { get, type Pending, post } from '../desk';
import { WorkersTogether } from '../workers-together';

/** An example in a folder of its own. */
async function copied(name: string): Promise<string> {
  const folder = mkdtempSync(join(root, '.offshoot-app-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(root, 'examples', name), folder, { recursive: true });
  await installPackage(folder);
  // The pages of the console are built by themselves; a server refuses a configuration whose folder of assets is missing.
  mkdirSync(join(folder, 'node_modules', 'offshoot', 'dist', 'console'), { recursive: true });
  return folder;
}

/** The first call that waits for a person, once one waits. */
const asked = (at: string) =>
  vi.waitFor(async () => present((await get<{ items: Pending[] }>(`${at}/pending`)).items[0]), { interval: 50 });

describe('examples/long-report', () => {
  it('[DF36] asks its reader, is killed, and binds the report from the chapters that it wrote before', async () => {
    const folder = await copied('long-report');
    const started = async () => {
      const at = (name: string) => join(folder, name);
      const server = await serve({ config: at('wrangler.jsonc'), persistTo: at('state'), bundles: at('bundles') });
      onTestFinished(() => server.stop());
      return { server, at: `${server.url}/agents/reporter/bees` };
    };
    const before = await started();
    await post(`${before.at}/start`, { message: 'A year of bees.' });
    const question = await asked(before.at);
    expect(question).toMatchObject({ toolName: 'ask_reader', kind: 'client-tool' });
    const written = await get<{ items: { path: string }[] }>(`${before.at}/files`);
    expect(written.items).toHaveLength(3);
    await before.server.killHard();

    const { at } = await started();
    expect(await asked(at)).toEqual(question);
    const answer = { kind: 'client-tool-result', toolCallId: question.toolCallId, result: 'Bees' };
    await post(`${at}/tool-results`, answer);
    await vi.waitFor(async () => expect(await get(`${at}/status`)).toMatchObject({ status: 'completed' }), {
      interval: 50,
    });
    const files = await get<{ items: { path: string }[] }>(`${at}/files`);
    expect(files.items.filter(({ path }) => path.startsWith('chapters/'))).toEqual(written.items);
    const report = await (await fetch(`${at}/files/report.md`)).text();
    expect(report.match(/^#.*$/gm)).toEqual(['# Bees', '## Spring', '## Summer', '## Winter']);
  });
});

describe('examples/two-workers', () => {
  it('[DF36] asks the agent of the other Worker, and shows it in the tree', async () => {
    const folder = await copied('two-workers');
    const place = (name: string) => relative(join(root, 'test', 'e2e'), join(folder, name));
    const workers = new WorkersTogether([place('wrangler'), place('researcher')]);
    onTestFinished(() => workers.stop());
    await workers.start();
    const at = `${workers.url}/agents/planner/visit`;
    const { run } = await post<{ run: object }>(`${at}/start`, { message: 'When do bees swarm?', wait: true });
    expect(run).toMatchObject({ status: 'completed', output: 'Bees swarm in May. Go then.' });
    expect(JSON.stringify(await get(`${at}/tree`))).toContain('/agents/planner/visit/sub/researcher/1~1');
  });
});
