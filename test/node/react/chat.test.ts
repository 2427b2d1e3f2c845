/** Agents for `useChat`. */
import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../../src/client';
import { OffshootProvider } from '../../../src/react';
import { useAgentChat } from '../../../src/react/chat';
import { mounted } from '../../support/react-hooks';

const below = (client: Client) =>
  mounted(
    () => useAgentChat('/agents/planner/one/sub/clerk/7~1'),
    (page) => createElement(OffshootProvider, { client }, page),
  );

describe('useAgentChat', () => {
  it('[RH12] asks at the server of the client with its token, and with a fresh one once that has run out', async () => {
    const asked: string[][] = [];
    const tokens = ['old', 'new', 'new'];
    const client = createClient({
      baseUrl: 'https://agents.example/ai',
      token: () => tokens.shift() ?? 'none',
      fetch: async (url, init) => {
        const headers = new Headers(init?.headers);
        asked.push([String(init?.method), String(url), String(headers.get('authorization')), String(init?.body ?? '')]);
        return new Response(null, { status: headers.get('authorization') === 'Bearer old' ? 401 : 204 });
      },
    });
    const page = await below(client);
    const { id, transport } = page.result;
    expect(id).toBe('7~1');
    expect(await transport.reconnectToStream({ chatId: id })).toBeNull();
    const at = 'https://agents.example/ai/agents/planner/one/sub/clerk/7~1/chat';
    expect(asked).toEqual([
      ['GET', `${at}/7~1/stream`, 'Bearer old', ''],
      ['GET', `${at}/7~1/stream`, 'Bearer new', ''],
    ]);
    const message = { id: 'm1', role: 'user' as const, parts: [{ type: 'text' as const, text: 'Hi' }] };
    await transport
      .sendMessages({
        chatId: id,
        trigger: 'submit-message',
        messageId: undefined,
        messages: [message],
        abortSignal: undefined,
      })
      .catch(() => undefined);
    expect(asked[2]?.slice(0, 3)).toEqual(['POST', at, 'Bearer new']);
    expect(JSON.parse(String(asked[2]?.[3]))).toMatchObject({ id, messages: [{ id: 'm1' }] });
  });

  it('[RH12] is the same while its address and client are', async () => {
    const page = await below(createClient({ baseUrl: '' }));
    const before = page.result;
    await page.settle();
    expect(page.result).toBe(before);
  });

  it('[RH12] sends its token nowhere else', async () => {
    const fetch = async () => new Response(null, { status: 204 });
    const client = createClient({ baseUrl: 'https://agents.example', token: 'secret', fetch });
    for (const path of ['https://evil.test/', '//evil.test/', '.evil.test/x', '/agents/../x'])
      await expect(client.fetch(path)).rejects.toThrow('is not the address of an agent');
  });
});
