/** Chats of AI SDK UI, by the official client. */
import { lastAssistantMessageIsCompleteWithApprovalResponses, safeValidateUIMessages, type UIMessage } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { address, get } from '../../support/api';
import { talk } from '../../support/chats';
import { asks, calls, openGate, told } from '../../support/puppet';

async function messagesAt(at: string): Promise<UIMessage[]> {
  const { body } = await get(`${at}/chat`);
  const { messages } = body as unknown as { messages: UIMessage[] };
  if (messages.length > 0) {
    const valid = await safeValidateUIMessages({ messages });
    expect(valid).toMatchObject({ success: true });
  }
  return messages;
}

describe('a chat', () => {
  it('[CH1, CH2] is begun by its first message, and goes on', async () => {
    const at = address();
    const { chat, told: chunks, texts } = talk(at);
    await chat.sendMessage({ text: told({ text: 'Hello.' }) });
    expect(chat.status).toBe('ready');
    const { body } = await get(`${at}/status`);
    expect(chunks.map(({ type }) => type)).toEqual([
      ...['start', 'start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'finish'],
    ]);
    expect(chunks[0]).toMatchObject({ messageId: `${body.sessionId}.1` });
    expect(chunks.at(-1)).toMatchObject({ finishReason: 'stop' });
    expect(texts()).toEqual(['Hello.']);
    await chat.sendMessage({ text: told({ text: 'Again.' }) });
    expect(chat.messages.map(({ id, role }) => [role, id])).toEqual([
      ['user', chat.messages[0]?.id],
      ['assistant', `${body.sessionId}.1`],
      ['user', chat.messages[2]?.id],
      ['assistant', `${body.sessionId}.2`],
    ]);
    expect(await messagesAt(at)).toMatchObject(chat.messages.map(({ id, role }) => ({ id, role })));
  });

  it('[CH2, CH4] is resumed in the middle by another page, each message once', async () => {
    const at = address();
    const gate = `chat ${at}`;
    const { chat } = talk(at);
    await chat.sendMessage({ text: told({ text: 'First.' }) });
    const sent = chat.sendMessage({
      text: told({ text: 'A note.', calls: [{ name: 'note', input: { text: 'x' } }] }, { text: 'The end.', gate }),
    });
    await vi.waitUntil(() => JSON.stringify(chat.messages.at(-1)).includes('noted'), { interval: 2 });
    // A page that is closed is no stop.
    await chat.stop();
    await sent;
    const other = talk(at, { messages: await messagesAt(at) });
    expect(other.chat.messages).toHaveLength(4);
    const resumed = other.chat.resumeStream();
    await vi.waitUntil(() => other.told.some(({ type }) => type === 'tool-output-available'), { interval: 2 });
    openGate(gate);
    await resumed;
    expect(other.texts()).toEqual(['A note.', 'The end.']);
    expect(other.chat.messages).toHaveLength(4);
    expect(await messagesAt(at)).toEqual(
      other.chat.messages.map((message) => expect.objectContaining({ id: message.id })),
    );
    await other.chat.resumeStream();
    expect([other.chat.status, other.asked.at(-1)]).toEqual(['ready', `GET ${at}/chat/${at.split('/').at(-1)}/stream`]);
  });

  it('[CH5, CH7] asks at the top what a grandchild waits for, and goes on by itself', async () => {
    const at = address();
    const { chat, parts, texts, posted, ran } = talk(at, {
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
    const leaf = [asks(['publish', { text: 'x' }]), { text: 'The leaf is done.' }];
    const middle = [calls('leaf', leaf), { text: 'The middle is done.' }];
    await chat.sendMessage({ text: told(calls('middle', middle), { text: 'All done.' }) });
    const asked = parts().find(({ state }) => state === 'approval-requested');
    expect(asked).toMatchObject({
      toolName: 'publish',
      providerExecuted: true,
      approval: { descriptor: { agentType: 'leaf', inputHash: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    });
    expect(asked?.approval?.id).toBe(asked?.toolCallId);
    // Reloaded, it is asked for as well.
    const [, reloaded] = await messagesAt(at);
    expect(reloaded?.parts).toContainEqual(expect.objectContaining({ state: 'approval-requested' }));
    await chat.addToolApprovalResponse({ id: asked?.approval?.id ?? '', approved: true });
    await vi.waitUntil(() => texts().includes('All done.') && chat.status === 'ready', { interval: 2 });
    expect(posted).toHaveLength(2);
    expect(chat.messages).toHaveLength(2);
    expect(parts().find(({ toolName }) => toolName === 'publish')).toMatchObject({ state: 'output-available' });
    expect(parts().find(({ toolName }) => toolName === 'subagent__middle')).toMatchObject({
      state: 'output-available',
      output: { agentType: 'middle', status: 'completed', message: { role: 'assistant' } },
    });
    expect(ran).toEqual([]);
    expect((await safeValidateUIMessages({ messages: chat.messages })).success).toBe(true);
    const [, whole] = await messagesAt(at);
    expect(whole?.parts.filter(({ type }) => type === 'dynamic-tool')).toHaveLength(2);
  });
});
