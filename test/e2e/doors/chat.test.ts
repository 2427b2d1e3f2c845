/** The official client of AI SDK UI, the shipped desk on a real server, and its death between a question and its answer. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Chat } from '@ai-sdk/react';
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  safeValidateUIMessages,
  type UIMessage,
} from 'ai';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SequencedChunk } from '../../../src/protocol/chunks';
import { serve } from '../../support/served';
import { checkCalls, get, QUESTION } from '../desk';

interface Asked {
  readonly type: string;
  readonly state?: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly approval?: { readonly id: string };
}

describe('a chat on a server that dies', () => {
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
    folder = await mkdtemp(join(tmpdir(), 'offshoot-chat-'));
    await start();
  });

  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(['before the answer', 'before the answer, and again after it'])(
    '[CH3, CH4, CH5] F159: is killed %s',
    async (when) => {
      const name = `k-${crypto.randomUUID().slice(0, 8)}`;
      const at = () => `${server?.url}/agents/coordinator/${name}`;
      const page = (messages: UIMessage[] = []) => {
        const chat = new Chat<UIMessage>({
          ...{ id: name, messages, transport: new DefaultChatTransport({ api: `${at()}/chat` }) },
          sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
        });
        const waiting = () =>
          ((chat.messages.at(-1)?.parts ?? []) as Asked[]).filter(({ state }) => state === 'approval-requested');
        return { chat, waiting };
      };
      const listed = async () => (await get<{ messages: UIMessage[] }>(`${at()}/chat`)).messages;
      const first = page();
      await first.chat.sendMessage({ text: QUESTION });
      const [asked] = first.waiting();
      expect(asked).toMatchObject({ toolName: 'publish_report' });
      await restart();
      // A page that was loaded anew shows the same question, and a page that was not knows it still.
      const second = page(await listed());
      expect(second.waiting()).toMatchObject([{ toolCallId: asked?.toolCallId, approval: asked?.approval }]);
      const id = asked?.approval?.id ?? '';
      let last = second;
      if (when.includes('again')) {
        const cut = second.chat.addToolApprovalResponse({ id, approved: true });
        await vi.waitUntil(() => second.chat.status === 'submitted' || second.chat.status === 'streaming', {
          interval: 1,
        });
        await restart();
        await cut;
        // The answer is sent once more, by the other page, whether or not the first one came through.
        last = page(first.chat.messages);
      }
      await last.chat.addToolApprovalResponse({ id, approved: true });
      await vi.waitUntil(() => last.chat.status === 'ready' && last.waiting().length === 0, { interval: 20 });
      await vi.waitUntil(async () => (await get<{ status: string }>(`${at()}/status`)).status === 'completed', {
        interval: 20,
      });
      expect(last.chat.error).toBeUndefined();
      expect(last.chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
      expect(last.chat.messages.at(-1)?.parts).toContainEqual(
        expect.objectContaining({ toolCallId: asked?.toolCallId, state: 'output-available' }),
      );
      const messages = await listed();
      expect((await safeValidateUIMessages({ messages })).success).toBe(true);
      expect(messages.map(({ id: one }) => one)).toEqual(last.chat.messages.map(({ id: one }) => one));
      const { items } = await get<{ items: SequencedChunk[] }>(
        `${at()}/chunks?types=tool_answered,tool_start,tool_end&limit=500`,
      );
      expect(items.filter(({ chunk }) => chunk.type === 'tool_answered')).toHaveLength(1);
      checkCalls(items);
    },
  );
});
