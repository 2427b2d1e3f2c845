/** The official client of AG-UI, the shipped desk on a real server, and its death between a question and its answer. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BaseEvent, HttpAgent } from '@ag-ui/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve } from '../../support/served';
import { get, QUESTION } from '../desk';

describe('AG-UI on a server that dies', () => {
  let folder: string;
  let server: Awaited<ReturnType<typeof serve>> | undefined;

  const start = async () => {
    server = await serve({ persistTo: folder });
  };
  const restart = async () => {
    await server?.killHard();
    await start();
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'offshoot-agui-'));
    await start();
  });

  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(['before the answer', 'before the answer, and again after it'])(
    '[AU2, AU7, AU8] is killed %s',
    async (when) => {
      const seen: BaseEvent[] = [];
      const threadId = `k-${crypto.randomUUID().slice(0, 8)}`;
      const client = () => {
        const agent = new HttpAgent({ url: `${server?.url}/agui/coordinator`, threadId });
        agent.subscribe({ onEvent: ({ event }) => void seen.push(event) });
        return agent;
      };
      const first = client();
      first.messages = [{ id: 'u1', role: 'user', content: QUESTION }];
      await first.runAgent({ runId: 'r1' });
      expect(first.pendingInterrupts).toHaveLength(1);
      const asked = first.pendingInterrupts;
      await restart();
      // A page that was loaded anew knows nothing: it is shown the same question.
      const second = client();
      await second.runAgent({ runId: 'r2' });
      expect(second.pendingInterrupts.map(({ id }) => id)).toEqual(asked.map(({ id }) => id));
      const payload = { approved: true };
      const resume = asked.map(({ id }) => ({ interruptId: id, status: 'resolved' as const, payload }));
      const last = client();
      last.messages = second.messages;
      if (when.includes('again')) {
        const cut = last.runAgent({ runId: 'r3', resume }).catch(() => undefined);
        await restart();
        await cut;
        last.url = `${server?.url}/agui/coordinator`;
      }
      await last.runAgent({ runId: 'r4', resume });
      expect(seen.at(-1)).toMatchObject({ runId: 'r4', outcome: { type: 'success' } });
      const log = await get<{ items: { chunk: { type: string } }[] }>(
        `${server?.url}/agents/coordinator/${threadId}/chunks?types=tool_answered,run_completed&limit=500`,
      );
      expect(log.items.filter(({ chunk }) => chunk.type === 'tool_answered')).toHaveLength(1);
    },
  );
});
