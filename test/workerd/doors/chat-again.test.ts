/** The last answer of a chat made again, by the official client. */
import { Chat } from '@ai-sdk/react';
import type { UIMessage } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { createClient } from '../../../src/client';
import { agentTransport } from '../../../src/react/chat-transport';
import { address, get, HOST, post, send } from '../../support/api';
import { talk } from '../../support/chats';
import { asks, calls, openGate, told } from '../../support/puppet';

const refusal = (error: Error | undefined): string => JSON.parse(error?.message ?? '{}').detail;

const fail = { status: 400, message: 'secret' };

describe('the last answer', () => {
  it('[CH11] whose run has failed is tried again, once for all tabs that ask', async () => {
    const at = address();
    const { chat, told: chunks, texts } = talk(at);
    const note = { calls: [{ name: 'note', input: { text: 'x' } }], text: 'A note.' };
    await chat.sendMessage({ text: told(note, { text: 'Whole.', fail, until: at } as never) });
    expect([chat.status, texts()]).toEqual(['error', ['A note.']]);
    const id = chat.messages.at(-1)?.id;
    // The next run continues behind the note, which is kept.
    await chat.regenerate();
    expect([chat.status, texts(), chat.error?.message]).toEqual(['error', [], expect.stringMatching(/^The model/)]);
    openGate(at);
    const other = talk(at, { messages: chat.messages });
    await Promise.all([chat.regenerate(), other.chat.regenerate({ messageId: chat.messages.at(-1)?.id ?? '' })]);
    expect([chat.status, chat.messages.map(({ role }) => role)]).toEqual(['ready', ['user', 'assistant']]);
    expect([texts(), other.texts()]).toEqual([['Whole.'], ['Whole.']]);
    const ids = [1, 2, 3].map((turn) => id?.replace(/1$/, String(turn)));
    expect(chunks.flatMap(({ type, messageId }) => (type === 'start' ? [messageId] : []))).toEqual(ids);
    expect((await get(`${at}/runs`)).body.items).toHaveLength(3);
    const saved = (await get(`${at}/chat`)).body as unknown as { messages: UIMessage[] };
    // The second run said nothing.
    expect(saved.messages.slice(1).map((message) => message.id)).toEqual([ids[0], ids[2]]);
    expect(saved.messages.at(-1)?.parts.length).toBe(chat.messages.at(-1)?.parts.length);
  });

  it('[CH11] that was stopped continues in its place, and one that asks asks once more', async () => {
    const at = address();
    const { chat, parts, texts } = talk(at);
    const sent = chat.sendMessage({ text: told({ text: 'Begun.', gate: at }, { text: 'no' }) });
    await vi.waitUntil(async () => (await get(`${at}/status`)).body.status === 'running', { interval: 2 });
    await post(`${at}/interrupt`, {});
    await sent;
    openGate(at);
    await chat.regenerate();
    expect([chat.status, texts()]).toEqual(['ready', ['Begun.']]);
    await chat.sendMessage({ text: told(calls('leaf', [asks(['publish', { text: 'x' }])]), { text: 'Done.' }) });
    const waiting = () => parts().filter(({ state }) => state === 'approval-requested');
    expect(waiting()).toHaveLength(1);
    // What it waits for is shown once more.
    await chat.regenerate();
    expect([waiting().length, chat.messages.length]).toEqual([1, 4]);
  });

  it('[CH11] that is completed stays, and so does one that is not the last; both refusals say what to do', async () => {
    const at = address();
    const { chat } = talk(at);
    await chat.sendMessage({ text: told({ text: 'First.' }) });
    const [asked, first] = chat.messages;
    await chat.regenerate();
    expect(refusal(chat.error)).toContain('POST A/fork');
    const stale = talk(at, { messages: [asked, first] as UIMessage[] });
    chat.clearError();
    await chat.sendMessage({ text: told({ text: 'x', fail } as never) });
    for (const messageId of [undefined, first?.id, asked?.id]) {
      stale.chat.messages = [asked, first] as UIMessage[];
      await stale.chat.regenerate(messageId === undefined ? {} : { messageId });
      expect(refusal(stale.chat.error)).toContain('Only the last answer');
      stale.chat.clearError();
    }
    expect((await get(`${at}/runs`)).body.items).toHaveLength(2);
    const nobody = talk(address());
    nobody.chat.messages = [asked] as UIMessage[];
    await nobody.chat.regenerate();
    expect(refusal(nobody.chat.error)).toContain('This conversation has not begun');
  });
});

describe('a completed answer', () => {
  const page = (at: string, onFork?: (copy: string) => void) => {
    const client = createClient({
      baseUrl: HOST,
      fetch: (url, init) => send(new URL(String(url)).pathname + new URL(String(url)).search, init),
    });
    const chat = new Chat<UIMessage>({
      id: at.split('/').at(-1) ?? '',
      transport: agentTransport(client, at, { onFork }),
    });
    const texts = () =>
      chat.messages.flatMap(({ role, parts }) =>
        parts.flatMap((part) => (part.type === 'text' && role === 'assistant' ? [part.text] : [])),
      );
    return { chat, texts };
  };

  it('[RH13] is made again at a copy, where the chat goes on, and the agent keeps its own', async () => {
    const at = address();
    const forks: string[] = [];
    const { chat, texts } = page(at, (copy) => void forks.push(copy));
    await chat.sendMessage({ text: told({ text: 'First.' }) });
    await chat.sendMessage({
      text: told({ text: 'Second.', calls: [{ name: 'note', input: { text: 'x' } }] }, { text: 'End.' }),
    });
    await chat.regenerate();
    expect([chat.status, forks]).toEqual(['ready', [expect.stringMatching(/-again-[0-9a-f]{8}$/)]]);
    expect(texts()).toEqual(['First.', 'Second.', 'End.']);
    await chat.sendMessage({ text: told({ text: 'Third.' }) });
    await chat.resumeStream();
    expect([chat.status, texts().at(-1)]).toEqual(['ready', 'Third.']);
    const [copy = ''] = forks;
    expect(copy.slice(0, at.length)).toBe(at);
    const lists = await Promise.all(
      [at, copy].map(async (where) => (await get(`${where}/chat`)).body.messages as unknown as UIMessage[]),
    );
    expect(lists.map((messages) => messages.length)).toEqual([4, 6]);
    expect(lists[1]?.at(-1)?.id).toBe(chat.messages.at(-1)?.id);
    // Another time, from the copy, without a second suffix.
    await chat.regenerate();
    expect(forks[1]).toHaveLength(copy.length);
    expect(texts()).toEqual(['First.', 'Second.', 'End.', 'Third.']);
  });

  it('[RH13] that is the first one is made again by a new agent; without `onFork` it is refused', async () => {
    const at = address();
    const forks: string[] = [];
    const { chat, texts } = page(at, (copy) => void forks.push(copy));
    await chat.sendMessage({ text: told({ text: 'First.' }) });
    await chat.regenerate();
    expect([chat.status, texts(), forks.length]).toEqual(['ready', ['First.'], 1]);
    expect((await get(`${forks[0]}/messages`)).body.items).toHaveLength(2);
    const other = page(at);
    await other.chat.sendMessage({ text: told({ text: 'Again.' }) });
    await other.chat.regenerate();
    expect(refusal(other.chat.error)).toContain('POST A/fork');
  });
});
