/** `offshoot/client` against a real server that is killed, that refuses it, and that it reads slowly. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { nodePath, root, toolEnv } from '../../scripts/lib/paths.mjs';
// As users have it, with wrangler's proxy.
import { serve } from '../../scripts/lib/serve.mjs';
import { type Client, createClient, type FollowEvent, pendingOf, Refused } from '../../src/client';
import { reduceAll } from '../../src/protocol/view/reduce';
import { useApproval, useInbox, useRun } from '../../src/react';
import { runStoreOf } from '../../src/react/run-store';
import { type Front, startFront } from '../support/flaky-front';
import { programs } from '../support/pages';
import { present } from '../support/present';
import { mounted } from '../support/react-hooks';
import { asks, calls, told } from '../support/told';

const TOKEN = 'open-sesame/==';
const picks = asks(['pick', { of: ['a'] }]);
const WAITS = told(calls('branch', [calls('twig', [picks, { text: 'l' }]), { text: 'm' }]), { text: 't' });

describe('offshoot/client', () => {
  let folder: string;
  let server: Awaited<ReturnType<typeof serve>> | undefined;
  let front: Front;
  let token = TOKEN;
  let client: Client;

  const start = async () => {
    const config = join(root, 'test', 'e2e', 'nested', 'wrangler.jsonc');
    server = await serve({ persistTo: folder, config, vars: { OFFSHOOT_TOKEN: TOKEN } });
  };
  const restart = async () => {
    const killed = server;
    server = undefined;
    await killed?.killHard();
    await start();
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'offshoot-client-'));
    front = await startFront(() => server?.url);
    await start();
    client = createClient({ baseUrl: front.url, token: () => token });
  });

  afterAll(async () => {
    await front.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Follows the front; the front passes no sockets on, so one goes to where the server is now. */
  const follow = (over: 'sse' | 'socket', address: string, from = 1) => {
    const baseUrl = over === 'sse' ? front.url : (server?.url ?? '');
    const given = { baseUrl, token: () => token, WebSocket };
    return createClient(given).watch(address, { over, from, stay: true, giveUpMs: Number.POSITIVE_INFINITY });
  };

  /** Starts a tree of three levels whose lowest waits for a person. */
  async function waiting(address: string): Promise<string> {
    await client.start(address, { message: WAITS });
    for await (const { event } of client.watch(address)) if (event.type === 'rest') break;
    const [item] = (await client.pending(address)).items;
    return String(item?.toolCallId);
  }

  const answer = (address: string, toolCallId: string) =>
    client.answer(address, { kind: 'client-tool-result', toolCallId, result: { picked: 'a' } });

  it('[J4, K8] a run that waits is followed through a kill of the server to its end, over events and by a second socket', async () => {
    const [address, other] = ['/agents/trunk/sse', '/agents/trunk/socket'];
    const [toolCallId, ofOther] = [await waiting(address), await waiting(other)];
    const ofSockets: number[] = [];
    const read = async (until: string) => {
      for await (const { event } of follow('socket', other, ofSockets.length + 1)) {
        if (event.type === 'chunk') ofSockets.push(event.entry.sequence);
        if (event.type === 'rest' && event.status === until) return;
      }
    };
    await read('suspended_awaiting_children');
    const seen: FollowEvent[] = [];
    let turned = false;
    for await (const { event, view } of follow('sse', address)) {
      seen.push(event);
      if (event.type !== 'rest') continue;
      if (event.status === 'completed') {
        const again: Extract<FollowEvent, { type: 'chunk' }>['entry'][] = [];
        for await (const each of client.follow(address)) if (each.type === 'chunk') again.push(each.entry);
        expect(view).toEqual(reduceAll(again));
        break;
      }
      if (turned) continue;
      turned = true;
      await restart();
      expect(await answer(address, toolCallId)).toMatchObject({ status: 'accepted' });
    }
    const sequences = seen.flatMap((event) => (event.type === 'chunk' ? [event.entry.sequence] : []));
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
    expect(seen.some((event) => event.type === 'connection' && event.problem !== undefined)).toBe(true);
    // The next socket continues after the last chunk.
    await answer(other, ofOther);
    await read('completed');
    const { lastSequence } = await client.status(other);
    expect(ofSockets).toEqual(Array.from({ length: lastSequence }, (_, index) => index + 1));
  });

  it('[J4, J5] credentials that are refused end it with the problem; with others it goes on where it was', async () => {
    const address = '/agents/trunk/refused';
    await waiting(address);
    const sequences: number[] = [];
    const read = async () => {
      for await (const event of client.follow(address, { from: sequences.length + 1 })) {
        if (event.type === 'chunk') sequences.push(event.entry.sequence);
        if (sequences.length === 4 && token === TOKEN) return;
      }
    };
    await read();
    token = 'another';
    const refused = await read().catch((error: unknown) => error);
    if (!(refused instanceof Refused)) throw refused;
    expect(refused).toMatchObject({ status: 401, code: 'unauthorized', title: 'Authentication is required.' });
    expect(refused.requestId).not.toBe('');
    token = TOKEN;
    sequences.push(5);
    await read();
    const { lastSequence } = await client.status(address);
    expect(sequences).toEqual(Array.from({ length: lastSequence }, (_, index) => index + 1));
  });

  it('[J5] each request of the API has its method; a start whose answer is lost counts once', async () => {
    const address = '/agents/trunk/verbs';
    front.meet('/start', { after: async () => undefined });
    const started = await client.start(address, { message: told({ text: 'done' }), tags: ['a'], wait: true });
    expect(started).toMatchObject({ status: 'completed', tags: ['a'] });
    expect((await client.runs(address)).items).toHaveLength(1);
    expect(await client.tree(address)).toMatchObject({ agentType: 'trunk', nodes: [] });
    expect(await client.usage(address, { includeSubAgents: true })).toMatchObject({ total: { modelCalls: 1 } });
    expect(await client.writeFile(address, 'a/ü b.txt', new Blob(['hi']), { mediaType: 'text/plain' })).toMatchObject({
      path: 'a/ü b.txt',
      size: 2,
    });
    expect((await client.files(address)).items).toMatchObject([{ path: 'a/ü b.txt' }]);
    expect(await (await client.readFile(address, 'a/ü b.txt')).text()).toBe('hi');
    await client.removeFile(address, 'a/ü b.txt');
    expect((await client.files(address)).items).toEqual([]);
    expect(await client.send(address, { content: told({ text: 'two' }) })).toMatchObject({ delivery: 'started' });
    for await (const { event } of client.watch(address)) if (event.type === 'rest') break;
    expect((await client.roots({ agent: 'trunk' })).items.map((each) => each.address)).toContain(address);
    expect((await client.agents()).items.map((each) => each.agentType)).toContain('trunk');
    await expect(client.interrupt(address, { runId: 'r_other' })).rejects.toMatchObject({ code: 'run_superseded' });
    expect(await client.terminate(address)).toMatchObject({ status: 'terminated' });
    await client.remove(address);
    await expect(client.status(address)).rejects.toMatchObject({ status: 404, code: 'not_found' });
  });

  it('[DF41] the program of backup.md exports a whole root, and ends', async () => {
    const address = '/agents/trunk/backup';
    const script = told(calls('branch', ...Array.from({ length: 6 }, () => [calls('twig', [{ text: 'l' }])])));
    for (let turn = 0; turn < 2; turn += 1) await client.start(address, { message: script, wait: true });
    const [messages, events] = [
      await client.messages(address, { limit: 500 }),
      await client.chunks(address, { limit: 500 }),
    ];
    expect([messages.cursor, events.next]).toEqual([undefined, undefined]);
    // Several pages of each: the program is asked for seven items at once.
    expect(Math.min(messages.items.length, events.items.length)).toBeGreaterThan(7);
    expect(new Set(events.items.map(({ chunk }) => chunk.agentType))).toEqual(new Set(['trunk', 'branch', 'twig']));
    const { text } = present(programs().find(({ page }) => page === 'docs/guides/backup.md'));
    const program = join(folder, 'export.ts');
    await writeFile(program, text);
    const env = { ...toolEnv(), OFFSHOOT_URL: server?.url ?? '', OFFSHOOT_TOKEN: TOKEN };
    const { stdout } = await promisify(execFile)(nodePath(), [program, address, '7'], { env });
    const lines = [...messages.items.map((message) => ({ message })), ...events.items.map((event) => ({ event }))];
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(lines);
  });

  it('[RH1, RH4, RH5, RH8] hooks begin a session by a message, and answer what waits two levels below it', async () => {
    const address = '/agents/trunk/hooks';
    for (const over of ['sse', 'socket'] as const) {
      const own = createClient({ baseUrl: server?.url ?? '', token: TOKEN, WebSocket });
      const at = `${address}-${over}`;
      const page = await mounted(() => {
        const { items } = useInbox(at, { client: own, over });
        const item = items[0] ?? { toolCallId: 'none', address: at };
        return { run: useRun(at, { client: own, over }), items, approval: useApproval(item, { client: own }) };
      });
      const until = (check: () => unknown) => page.settle(() => vi.waitFor(check, { interval: 20 }));
      await until(() => expect(runStoreOf(own, at, over).getSnapshot().connection).toBe('closed'));
      await page.settle();
      expect(page.result.run.error).toMatchObject({ code: 'not_found' });
      await page.settle(() => page.result.run.actions.send(WAITS));
      await until(() => expect(pendingOf(runStoreOf(own, at, over).getSnapshot().view)).toHaveLength(1));
      await page.settle();
      expect(page.result.items).toMatchObject([{ toolName: 'pick', agentType: 'twig' }]);
      await page.settle(() => page.result.approval.respond({ picked: 'a' }));
      await until(() => expect(runStoreOf(own, at, over).getSnapshot().agent?.status).toBe('completed'));
      await page.settle();
      expect(page.result).toMatchObject({ items: [], run: { status: 'completed', output: 't' } });
      await page.unmount();
    }
  });
});
