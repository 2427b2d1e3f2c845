/** `npm run ask -- --yes` whose server dies while an answer is on its way, and comes back. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SequencedChunk } from '../../src/protocol/chunks';
import { type Front, startFront } from '../support/flaky-front';
import { readStream } from '../support/reader';
import { serve } from '../support/served';
import type { ModelServer } from '../support/wire/model-server';
import { startOfflineServer } from '../support/wire/offline-server';
import { Ask, QUESTION } from './desk';

describe('a server that is killed under --yes', () => {
  let model: ModelServer;
  let folder: string;
  let server: Awaited<ReturnType<typeof serve>> | undefined;
  let front: Front;

  const start = async () => {
    server = await serve({
      persistTo: folder,
      vars: { OFFSHOOT_MODEL: 'openai-compatible/offline', OFFSHOOT_BASE_URL: model.url },
    });
  };
  const kill = async () => {
    const killed = server;
    server = undefined;
    await killed?.killHard();
  };

  beforeAll(async () => {
    model = await startOfflineServer();
    folder = await mkdtemp(join(tmpdir(), 'offshoot-ask-kill-'));
    front = await startFront(() => server?.url);
    await start();
  });

  afterAll(async () => {
    await front.close();
    await server?.stop();
    await model.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each([
    ['before it hears what waits', '/pending', 'before'],
    ['before it has the answer', '/tool-results', 'before'],
    ['when it has taken the answer', '/tool-results', 'after'],
  ] as const)(
    '[K26, K23, CL2] %s: the one that comes back is asked again, the answer counts once, and the command ends with 0',
    async (_, request, moment) => {
      let restarted: Promise<void> | undefined;
      front.meet(request, {
        [moment]: async () => {
          await kill();
          // The client hears of the break at once, and of the new server when it is there.
          restarted = start();
        },
      });
      const command = new Ask(['--yes', QUESTION], front.url);
      try {
        expect(await command.exitCode, command.said).toBe(0);
        expect(restarted, 'the request met the kill').toBeDefined();
        expect(command.said.match(/Approved by --yes: publish_report/gu), command.said).toHaveLength(1);
        expect(command.said).not.toContain('waits for an answer');
        const log: SequencedChunk[] = [];
        const address = await command.address();
        expect(await readStream(server?.url ?? '', address, log, { signal: AbortSignal.timeout(600_000) })).toBe(
          'completed',
        );
        expect(log.filter(({ chunk }) => chunk.type === 'tool_answered')).toHaveLength(1);
      } finally {
        await command.kill();
        await restarted;
      }
    },
  );
});
