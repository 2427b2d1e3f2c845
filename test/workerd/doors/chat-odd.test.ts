/** Chats whose people and networks do things in odd orders, by the official client. */
import {
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  safeValidateUIMessages,
  type UIMessage,
} from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { address, get, post } from '../../support/api';
import { type Talk, talk } from '../../support/chats';
import { asks, calls, openGate, told } from '../../support/puppet';

const WITH_APPROVALS = { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses };

const messagesAt = async (at: string): Promise<UIMessage[]> =>
  ((await get(`${at}/chat`)).body as unknown as { messages: UIMessage[] }).messages;

const settled = ({ chat }: Talk) =>
  vi.waitUntil(() => chat.status === 'ready' || chat.status === 'error', { interval: 2 });

/** The shown parts, by call: the last one of each counts. */
const statesOf = ({ chat }: Talk): Record<string, string> =>
  Object.fromEntries(
    chat.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'dynamic-tool' ? [[part.toolName, part.state]] : [])),
    ),
  );

/** Each page shows the same as a page that is loaded now. */
async function agree(at: string, ...pages: Talk[]): Promise<void> {
  const fresh = talk(at, { messages: await messagesAt(at) });
  expect((await safeValidateUIMessages({ messages: fresh.chat.messages })).success).toBe(true);
  for (const page of pages) {
    expect(page.chat.error).toBeUndefined();
    expect((await safeValidateUIMessages({ messages: page.chat.messages })).success).toBe(true);
    expect(statesOf(page)).toEqual(statesOf(fresh));
    expect(page.texts().at(-1)).toEqual(fresh.texts().at(-1));
  }
}

describe('two tabs', () => {
  it.each([
    [true, true],
    [true, false],
  ])('[CH5, CH8] answer one approval at once with %s and %s: one counts, and both show it', async (one, other) => {
    const at = address();
    const first = talk(at, WITH_APPROVALS);
    await first.chat.sendMessage({
      text: told(calls('leaf', [asks(['publish', { text: 'x' }]), { text: 'l' }]), { text: 'Done.' }),
    });
    const second = talk(at, { ...WITH_APPROVALS, messages: await messagesAt(at) });
    const id = first.parts().find(({ state }) => state === 'approval-requested')?.toolCallId ?? '';
    await Promise.all([
      first.chat.addToolApprovalResponse({ id, approved: one }),
      second.chat.addToolApprovalResponse({ id, approved: other }),
    ]);
    await vi.waitUntil(() => [first, second].every((tab) => tab.texts().includes('Done.')), { interval: 2 });
    await Promise.all([settled(first), settled(second)]);
    await agree(at, first, second);
    expect([first.posted.length, second.posted.length].every((sent) => sent <= 2)).toBe(true);
  });

  it('[CH2, CH3] of which one asks while the other answers both show both', async () => {
    const at = address();
    const first = talk(at, WITH_APPROVALS);
    await first.chat.sendMessage({ text: told(asks(['publish', { text: 'x' }]), { text: 'Done.' }) });
    const second = talk(at, { messages: await messagesAt(at) });
    const id = first.parts()[0]?.toolCallId ?? '';
    const [answered] = await Promise.all([
      first.chat.addToolApprovalResponse({ id, approved: true }),
      second.chat.sendMessage({ text: told({ text: 'And this.' }) }),
    ]);
    expect(answered).toBeUndefined();
    await Promise.all([settled(first), settled(second)]);
    await vi.waitUntil(async () => (await get(`${at}/status`)).body.status === 'completed', { interval: 2 });
    expect([first.chat.error, second.chat.error]).toEqual([undefined, undefined]);
  });
});

describe('a person who changes their mind', () => {
  it('[CH3, CH8] stops during an approval: the late answer changes nothing, and the next message goes on', async () => {
    const at = address();
    const one = talk(at, WITH_APPROVALS);
    await one.chat.sendMessage({
      text: told(calls('leaf', [asks(['publish', { text: 'x' }]), { text: 'l' }]), { text: 'Done.' }),
    });
    const id = one.parts().find(({ state }) => state === 'approval-requested')?.toolCallId ?? '';
    await post(`${at}/interrupt`, {});
    await one.chat.addToolApprovalResponse({ id, approved: true });
    await settled(one);
    expect(one.posted.length).toBeLessThanOrEqual(3);
    const { body } = await get(`${at}/status`);
    expect(body.status).toBe('interrupted');
    // The run resumes with the message, asks once more, and is answered behind it.
    await one.chat.sendMessage({ text: told({ text: 'Something else.' }) });
    expect(one.chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(statesOf(one).publish).toBe('approval-requested');
    await one.chat.addToolApprovalResponse({ id, approved: true });
    await vi.waitUntil(async () => (await get(`${at}/status`)).body.status === 'completed', { interval: 2 });
    await settled(one);
    expect([one.chat.error, statesOf(one).publish, one.texts()]).toEqual([undefined, 'output-available', ['done']]);
  });

  it('[CH5, CH6] sends a message while a tool of the page waits, and its result counts afterwards', async () => {
    const at = address();
    const one = talk(at, { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls });
    await one.chat.sendMessage({ text: told(asks(['pick', { of: ['a'] }]), { text: 'Picked.' }) });
    const id = one.parts()[0]?.toolCallId ?? '';
    await one.chat.sendMessage({ text: 'And this.' });
    expect(one.chat.error).toBeUndefined();
    // The newest message has the question, where the helpers of the client look for it.
    expect(one.parts().map(({ toolCallId, state }) => [toolCallId, state])).toEqual([[id, 'input-available']]);
    await one.chat.addToolOutput({ tool: 'pick', toolCallId: id, output: { picked: 'a' } } as never);
    // It answers where the call was shown first, so that its helper does not send by itself.
    await one.chat.sendMessage();
    expect([one.posted.length, one.texts()]).toEqual([3, ['Picked.']]);
    expect((await get(`${at}/pending`)).body.items).toEqual([]);
    await agree(at, one);
  });

  it('[CH5] answers one of two questions and sends: that one counts, and the other one still waits', async () => {
    const at = address();
    const one = talk(at);
    const leaf = (text: string) => [asks(['publish', { text }]), { text }];
    await one.chat.sendMessage({ text: told(calls('leaf', leaf('one'), leaf('two')), { text: 'Done.' }) });
    const [first, second] = one.parts().filter(({ state }) => state === 'approval-requested');
    await one.chat.addToolApprovalResponse({ id: first?.toolCallId ?? '', approved: true });
    await one.chat.sendMessage();
    const stateOf = (id = '') => one.parts().find(({ toolCallId }) => toolCallId === id)?.state;
    expect([stateOf(first?.toolCallId), stateOf(second?.toolCallId)]).toEqual([
      'output-available',
      'approval-requested',
    ]);
    await agree(at, one);
    await one.chat.addToolApprovalResponse({ id: second?.toolCallId ?? '', approved: false });
    await one.chat.sendMessage();
    expect([one.texts(), stateOf(second?.toolCallId)]).toEqual([['Done.'], 'output-denied']);
    await agree(at, one);
  });
});

describe('a network that comes and goes', () => {
  it('[CH2] check 3: is lost in the middle of a text: what is resumed has it once', async () => {
    const at = address();
    const one = talk(at);
    const gate = `odd ${at}`;
    const sent = one.chat.sendMessage({
      text: told(
        calls('leaf', [
          { text: 'The leaf says this.', ...asks(['note', { text: 'x' }]) },
          { text: 'l', gate },
        ]),
        {
          text: 'Done.',
        },
      ),
    });
    await vi.waitUntil(() => JSON.stringify(one.chat.messages).includes('The leaf says'), { interval: 2 });
    for (let times = 0; times < 3; times += 1) {
      await one.chat.stop();
      const resumed = one.chat.resumeStream();
      await vi.waitUntil(() => JSON.stringify(one.chat.messages.at(-1)).includes('The leaf says'), { interval: 2 });
      if (times < 2) continue;
      openGate(gate);
      await resumed;
    }
    await sent;
    expect([one.chat.messages.length, one.texts()]).toEqual([2, ['Done.']]);
    await agree(at, one);
  });
});
