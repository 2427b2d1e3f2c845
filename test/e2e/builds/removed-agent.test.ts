/** A deploy that removes the definition of a sub-agent at work, and one that has it again. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { root } from '../../../scripts/lib/paths.mjs';
import type { Server } from '../../../scripts/lib/serve.mjs';
import type { SequencedChunk } from '../../../src/protocol/chunks';
import { reduceAll } from '../../../src/protocol/view/reduce';
import { readStream } from '../../support/reader';
import { serve } from '../../support/served';
import { asks, calls, told } from '../../support/told';
import { get, post } from '../desk';
import { Gates } from './gates';
import { CONFIG } from './next-build';

const LOOK = { interval: 50 };
/** The version without that agent and its class. */
const WITHOUT = join('test', 'e2e', 'builds', 'without.jsonc');
const gates = new Gates();
let folder: string;
let gatesUrl: string;
let server: Server | undefined;

/** The Worker is this from here on. */
async function deploy(config: string, vars: Record<string, string> = {}): Promise<string> {
  await server?.killHard();
  server = await serve({
    persistTo: join(folder, 'state'),
    bundles: join(folder, 'bundles'),
    config: join(root, config),
    vars: { GATES_URL: gatesUrl, ...vars },
  });
  return `${server.url}/agents/top/removed`;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'offshoot-removed-'));
  gatesUrl = await gates.listen();
});
afterAll(async () => {
  await server?.killHard();
  gates.close();
  await rm(folder, { recursive: true, force: true });
});

interface Shown {
  readonly status: string;
  readonly statusText?: string;
}

it('[DG32] a sub-agent whose definition a deploy has removed says so while its parent tries, and not once it is back', async () => {
  const first = await deploy(CONFIG);
  const steps = [calls('middle', [asks(['hold', { gate: 'removed' }]), { text: 'held' }]), { text: 'Done.' }];
  await post(`${first}/start`, { message: told(...steps) });
  await vi.waitFor(() => expect(gates.came('removed')).toHaveLength(1), LOOK);
  const child = async (at: string) => (await get<{ items: Shown[] }>(`${at}/children`)).items[0];
  await vi.waitFor(async () => expect(await child(first)).toMatchObject({ statusText: 'removed' }), LOOK);

  const without = await deploy(WITHOUT, { LACKS: 'middle' });
  await vi.waitFor(async () => expect((await child(without))?.statusText).toContain('could not be reached'), LOOK);
  expect(await child(without)).toMatchObject({ status: 'running', statusText: expect.stringContaining('Middle') });

  const again = await deploy(CONFIG);
  await vi.waitFor(() => expect(gates.came('removed')).toHaveLength(2), LOOK);
  gates.open('removed');
  await vi.waitFor(
    async () => expect(await get<Shown>(`${again}/status`)).toMatchObject({ status: 'completed' }),
    LOOK,
  );
  const log: SequencedChunk[] = [];
  expect(await readStream(server?.url ?? '', '/agents/top/removed', log)).toBe('completed');
  expect(reduceAll(log).agents.map(({ statusText }) => statusText)).toEqual([undefined, undefined]);
});
