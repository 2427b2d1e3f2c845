/** The two programs of docs/guides/agents-in-other-workers.md, as the Workers of two teams. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/lib/paths.mjs';
import { serve } from '../../scripts/lib/serve.mjs';
import type { SequencedChunk } from '../../src/protocol/chunks';
import { programs } from '../support/pages';
import { present } from '../support/present';
import { readStream } from '../support/reader';
import { get, post } from './desk';

const SECRET = 'the-secret-of-the-team-that-researches';

const STORED = { type: 'durable-object', storage: 'sqlite' };

/** The configuration of a Worker, as docs/guides/deploy.md has it, in which the package is its sources. */
function configOf(name: string): object {
  const source = (path: string) => join(root, 'src', path);
  return {
    name,
    main: `./${name}.ts`,
    compatibility_date: '2026-11-01',
    compatibility_flags: ['nodejs_compat'],
    alias: {
      offshoot: source('index.ts'),
      'offshoot/worker': source('worker.ts'),
      'offshoot/remote': source('remote.ts'),
    },
    exports: { OffshootAgent: STORED, OffshootDirectory: STORED },
  };
}

type Server = Awaited<ReturnType<typeof serve>>;

describe('the programs of docs/guides/agents-in-other-workers.md', () => {
  let source: string;
  let state: string;
  const servers: Server[] = [];

  const start = async (name: string, vars: Record<string, string>): Promise<string> => {
    const folder = join(source, name);
    mkdirSync(folder);
    const program = programs().find(
      ({ page, file }) => page === 'docs/guides/agents-in-other-workers.md' && file === `${name}.ts`,
    );
    writeFileSync(join(folder, `${name}.ts`), present(program).text);
    writeFileSync(join(folder, 'wrangler.json'), JSON.stringify(configOf(name)));
    const config = join(folder, 'wrangler.json');
    const server = await serve({ persistTo: join(state, name), config, vars, bundles: join(state, 'bundles') });
    servers.push(server);
    return server.url;
  };

  const suspended = async (url: string, address: string): Promise<SequencedChunk[]> => {
    const seen: SequencedChunk[] = [];
    await post(`${url}${address}/start`, { message: 'Plan a visit.' });
    expect(await readStream(url, address, seen)).toBe('suspended_awaiting_children');
    return seen;
  };

  let research: string;
  let planner: string;
  beforeAll(async () => {
    // Beside the project's own packages.
    source = mkdtempSync(join(root, '.offshoot-remote-'));
    state = mkdtempSync(join(tmpdir(), 'offshoot-remote-'));
    research = await start('research', { OFFSHOOT_TOKEN: SECRET });
    const to = { RESEARCH_URL: research, DEVELOPMENT: 'true' };
    planner = await start('planner', { ...to, RESEARCH_TOKEN: SECRET });
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    for (const folder of [source, state]) rmSync(folder, { recursive: true, force: true });
  });

  it('[AE13] the one delegates to the other, and a question there is answered at its own addresses', async () => {
    const address = '/agents/planner/visit';
    const seen = await suspended(planner, address);
    const { items } = await get<{ items: { toolCallId: string; address: string; toolName: string }[] }>(
      `${planner}${address}/pending`,
    );
    expect(items).toMatchObject([{ toolName: 'buy_report', address: `${address}/sub/researcher/1~1` }]);
    const { toolCallId } = present(items[0]);
    const approval = { kind: 'approval-response', toolCallId, approved: true };
    expect(await post(`${planner}${address}/tool-results`, approval)).toMatchObject({ status: 'accepted' });
    let end: string | undefined;
    do end = await readStream(planner, address, seen);
    while (end?.startsWith('suspended') ?? true);
    expect(end).toBe('completed');
    const status = await get(`${planner}${address}/status`);
    expect(status).toMatchObject({ run: { status: 'completed', output: 'Go in May.' } });
    const results = seen.flatMap(({ chunk }) => (chunk.type === 'tool_end' ? [[chunk.address, chunk.result]] : []));
    expect(results).toContainEqual([address, { answer: 'Bees swarm in May.' }]);
  });
});
