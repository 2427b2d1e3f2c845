/**
 * Official clients whose stream a deploy breaks off: the Worker with all of its objects is exchanged, or the object alone
 * is reset behind a Worker that continues.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpAgent } from '@ag-ui/client';
import { Chat } from '@ai-sdk/react';
import { type ChatTransport, DefaultChatTransport, type UIMessage, WebSocketChatTransport } from 'ai';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { serve } from '../../support/served';
import { asks, told } from '../../support/told';
import { get } from '../desk';

const CONFIG = 'test/browser/chat-app/wrangler.jsonc';
const LOOK = { interval: 20 };

/** Answers whose readers may be cancelled when they are broken: `HttpAgent` cancels them, and takes no rejection. */
async function passedOn(url: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const reader = response.body?.getReader();
  const quiet = { read: () => reader?.read(), cancel: () => reader?.cancel().catch(() => undefined) };
  return Object.defineProperty(response, 'body', { value: { getReader: () => quiet } });
}

describe('a stream that a deploy breaks off', () => {
  let folder: string;
  let server: Awaited<ReturnType<typeof serve>> | undefined;
  const url = () => server?.url ?? '';
  const start = async () => {
    const port = server === undefined ? {} : { port: server.port };
    server = await serve({ persistTo: folder, config: CONFIG, bundles: join(folder, 'bundles'), ...port });
  };
  const deploy = {
    async Worker() {
      await server?.killHard();
      await start();
    },
    async object(name: string) {
      await fetch(`${url()}/reset/${name}`);
    },
  };
  const cases = (['Worker', 'object'] as const).flatMap((what) => [
    [what, 'HTTP'] as const,
    [what, 'a socket'] as const,
  ]);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'offshoot-deploy-'));
    await start();
  });
  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** A client learns a moment later that its socket is closed, and opens another one from then on. */
  const resume = async (chat: Chat<UIMessage>) => {
    for (;;) {
      chat.clearError();
      const over = chat.resumeStream();
      await vi.waitUntil(() => chat.status === 'streaming' || chat.status === 'error', LOOK);
      if (chat.status === 'streaming') return { over };
      await over;
    }
  };
  /** A conversation that is at its second step, which waits. */
  const script = (gate: string) =>
    told({ text: 'Before.', ...asks(['note', { text: 'x' }]) }, { text: 'After.', gate });
  const open = (gate: string) => fetch(`${url()}/open/${gate}`);
  const named = () => `d-${crypto.randomUUID().slice(0, 8)}`;
  const checkLog = async (name: string) => {
    const at = `${url()}/agents/trunk/${name}`;
    const { items } = await get<{ items: { role: string }[] }>(`${at}/messages`);
    expect(items.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect((await get<{ items: unknown[] }>(`${at}/runs`)).items).toHaveLength(1);
  };

  it.each(cases)('[CH2, CH20] of the %s is resumed by `Chat` over %s, each part once', async (what, over) => {
    const name = named();
    const at = `/agents/trunk/${name}/chat`;
    const transport: ChatTransport<UIMessage> =
      over === 'HTTP'
        ? new DefaultChatTransport({ api: `${url()}${at}` })
        : new WebSocketChatTransport({ url: `${url().replace('http', 'ws')}${at}` });
    const chat = new Chat<UIMessage>({ id: name, transport });
    const sent = chat.sendMessage({ text: script(name) });
    await vi.waitUntil(() => JSON.stringify(chat.messages).includes('noted'), LOOK);
    await deploy[what](name);
    await sent;
    // The client hears of it: an end without a last chunk would be taken for that of the answer.
    expect(chat.status).toBe('error');
    if (what === 'object' && over === 'a socket') expect(chat.error?.message).toContain('"code":"unavailable"');
    const resumed = await resume(chat);
    await open(name);
    await resumed.over;
    expect([chat.status, chat.error, chat.messages.map(({ role }) => role)]).toEqual([
      ...['ready', undefined],
      ['user', 'assistant'],
    ]);
    const shown = chat.messages[1]?.parts.flatMap((part) =>
      part.type === 'text' ? [part.text] : part.type === 'dynamic-tool' ? [`${part.toolName} ${part.state}`] : [],
    );
    expect(shown).toEqual(['Before.', 'note output-available', 'After.']);
    await checkLog(name);
  });

  it('[CH4, CH20] of the object is an error to who lists a chat, and no half of its answer', async () => {
    const name = named();
    const at = `${url()}/agents/trunk/${name}/chat`;
    const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: script(name) }] };
    const body = JSON.stringify({ id: name, trigger: 'submit-message', messages: [message] });
    const headers = { 'content-type': 'application/json' };
    await (await fetch(at, { method: 'POST', headers, body })).body?.cancel();
    const list = async () => {
      const response = await fetch(at);
      return { status: response.status, text: await response.text() };
    };
    await vi.waitUntil(async () => (await list()).text.includes('noted x'), LOOK);
    await fetch(`${url()}/break/${name}`);
    const broken = await list();
    expect([broken.status, JSON.parse(broken.text).code]).toEqual([503, 'unavailable']);
    const whole = await list();
    expect([whole.status, whole.text]).toEqual([200, expect.stringContaining('noted x')]);
    await open(name);
    await vi.waitUntil(async () => (await list()).text.includes('After.'), LOOK);
    await checkLog(name);
  });

  it.each(['Worker', 'object'] as const)(
    '[AU6, AU17] of the %s is joined by `HttpAgent`, each message once',
    async (what) => {
      const name = named();
      const agent = new HttpAgent({ url: `${url()}/agui/trunk`, threadId: name, fetch: passedOn });
      const types: string[] = [];
      let last: string | undefined;
      agent.subscribe({
        onEvent({ event }) {
          types.push(String(event.type));
          if (String(event.type) === 'RUN_ERROR') last = `RUN_ERROR ${event.code}`;
        },
      });
      agent.messages = [{ id: 'u1', role: 'user', content: script(name) }];
      const running = agent.runAgent({ runId: 'r1' }).then(
        () => 'ended',
        () => 'broken',
      );
      await vi.waitUntil(() => types.includes('TOOL_CALL_RESULT'), LOOK);
      await deploy[what](name);
      // Where the Worker is there to say so, the run ends as the protocol has it; else the request fails.
      const ended = what === 'object' ? 'RUN_ERROR unavailable' : undefined;
      expect([await running, last]).toEqual([ended ? 'ended' : 'broken', ended]);
      const joined = agent.runAgent({ runId: 'r2' });
      await vi.waitUntil(() => types.includes('MESSAGES_SNAPSHOT'), LOOK);
      await open(name);
      expect((await joined).result).toBe('After.');
      const said = agent.messages.map(({ role, content }) => [role, role === 'user' ? '' : content]);
      expect(said).toEqual([
        ['user', ''],
        ['assistant', 'Before.'],
        ['tool', expect.stringContaining('noted x')],
        ['assistant', 'After.'],
      ]);
      await checkLog(name);
    },
  );
});
