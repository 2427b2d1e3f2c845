/** Chats whose pages are behind their agent: old answers, messages that are sent again, lists that are loaded later. */
import {
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { address, get, post, send } from '../../support/api';
import { messagesAt, type Talk, talk } from '../../support/chats';
import { asks, calls, openGate, told } from '../../support/puppet';

const WITH_APPROVALS = { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses };
const WITH_BOTH: typeof WITH_APPROVALS = {
  sendAutomaticallyWhen: (options) =>
    lastAssistantMessageIsCompleteWithApprovalResponses(options) ||
    lastAssistantMessageIsCompleteWithToolCalls(options),
};

const asked = ({ parts }: Talk, state = 'approval-requested') => parts().filter((part) => part.state === state);
const idOf = (one: Talk): string => asked(one)[0]?.toolCallId ?? '';
const says = (one: Talk, text: string) =>
  vi.waitUntil(() => one.texts().includes(text) && one.chat.status === 'ready', { interval: 2 });
const waits = async (at: string) => (await get(`${at}/pending`)).body.items.length;

describe('an approval that came too late', () => {
  it('[CH5, CH8, CH16] is none of the same call that is asked again, whatever is sent next', async () => {
    const at = address();
    const one = talk(at, WITH_APPROVALS);
    await one.chat.sendMessage({ text: told(asks(['publish', { text: 'x' }]), { text: 'Done.' }) });
    const id = idOf(one);
    await post(`${at}/interrupt`, {});
    await one.chat.addToolApprovalResponse({ id, approved: true });
    await vi.waitUntil(() => one.posted.length === 2 && one.chat.status === 'ready', { interval: 2 });
    // The run resumes, and asks anew.
    await one.chat.sendMessage({ text: 'Something else.' });
    expect([one.chat.error, asked(one).length, await waits(at)]).toEqual([undefined, 1, 1]);
    await one.chat.sendMessage({ text: 'And this.' });
    expect([one.chat.error, asked(one).length, await waits(at)]).toEqual([undefined, 1, 1]);
    // Its client answers in the first message that asks: that is sent by hand.
    await one.chat.addToolApprovalResponse({ id, approved: false });
    await one.chat.sendMessage();
    await vi.waitUntil(async () => (await get(`${at}/status`)).body.status === 'completed', { interval: 2 });
    const { items } = (await get(`${at}/calls`)).body;
    expect(items).toMatchObject([{ toolName: 'publish', status: 'failed', error: { code: 'approval_denied' } }]);
  });

  it('[CH3, CH8] in a page that does not know the turns since does not hold up its messages', async () => {
    const at = address();
    const first = talk(at, WITH_APPROVALS);
    await first.chat.sendMessage({ text: told(asks(['publish', { text: 'x' }]), { text: 'Done.' }) });
    const behind = talk(at, { ...WITH_APPROVALS, messages: await messagesAt(at) });
    const id = idOf(first);
    await first.chat.addToolApprovalResponse({ id, approved: true });
    await says(first, 'Done.');
    await first.chat.sendMessage({ text: told({ text: 'Second.' }) });
    // Its answer is given by another page, and two turns old.
    await behind.chat.addToolApprovalResponse({ id, approved: false });
    await vi.waitUntil(() => behind.posted.length === 1 && behind.chat.status !== 'submitted', { interval: 2 });
    await vi.waitUntil(() => behind.chat.status !== 'streaming', { interval: 2 });
    expect([behind.chat.error, behind.posted.length]).toEqual([undefined, 1]);
    await behind.chat.sendMessage({ text: told({ text: 'Third.' }) });
    expect([behind.chat.error, behind.texts()]).toEqual([undefined, ['Third.']]);
  });
});

describe('a message that is sent again', () => {
  it('[CH2, CH3, CH15] is answered by its own answer, also where the agent is at a later one; an edit is refused', async () => {
    const at = address();
    const one = talk(at);
    await one.chat.sendMessage({ text: told({ text: 'First.' }) });
    const messages = structuredClone(one.chat.messages.slice(0, 1));
    const again = talk(at, { messages });
    await again.chat.sendMessage();
    expect([again.chat.status, again.texts()]).toEqual(['ready', ['First.']]);
    await one.chat.sendMessage({ text: told({ text: 'Second.' }) });
    // As a proxy that repeats a request does.
    const body = JSON.stringify({ id: at.split('/').at(-1), trigger: 'submit-message', messages });
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
    const repeated = await (await send(`${at}/chat`, init)).text();
    expect(repeated).toContain(`"messageId":"${one.chat.messages[1]?.id}"`);
    expect([repeated.includes('First.'), repeated.includes('Second.')]).toEqual([true, false]);
    expect((await get(`${at}/runs`)).body.items).toHaveLength(2);
    // What was edited, or has a later message behind it, is refused.
    again.chat.messages = messages;
    await again.chat.sendMessage();
    expect(JSON.parse(again.chat.error?.message ?? '{}').detail).toContain('cannot be edited');
    again.chat.clearError();
    again.chat.messages = structuredClone(one.chat.messages);
    await again.chat.sendMessage({ text: 'Edited.', messageId: again.chat.messages[2]?.id ?? '' });
    expect(JSON.parse(again.chat.error?.message ?? '{}').detail).toContain('cannot be edited');
    expect((await get(`${at}/runs`)).body.items).toHaveLength(2);
  });

  it('[CH3] ends where it was read in an earlier answer, was taken back, or began a run that was stopped', async () => {
    const at = address();
    const gate = `again ${at}`;
    const one = talk(at);
    const sent = one.chat.sendMessage({ text: told({ ...asks(['note', { text: 'x' }]), gate }, { text: 'Both.' }) });
    await vi.waitUntil(() => one.told.some(({ type }) => type === 'start-step'), { interval: 2 });
    const read = talk(at);
    const more = read.chat.sendMessage({ text: 'More.' });
    await vi.waitUntil(async () => (await get(`${at}/messages`)).body.items.length >= 2, { interval: 2 });
    openGate(gate);
    await Promise.all([sent, more]);
    const stopped = talk(at);
    const held = stopped.chat.sendMessage({ text: told({ text: 'x', gate: `never ${at}` }) });
    await vi.waitUntil(async () => (await get(`${at}/status`)).body.status === 'running', { interval: 2 });
    await post(`${at}/interrupt`, {});
    await held;
    const headers = { 'content-type': 'application/json' };
    for (const { chat } of [read, stopped]) {
      const messages = chat.messages.slice(0, 1);
      const body = JSON.stringify({ id: at.split('/').at(-1), trigger: 'submit-message', messages });
      const repeated = await (await send(`${at}/chat`, { method: 'POST', body, headers })).text();
      expect(repeated).toContain('[DONE]');
    }
    expect((await get(`${at}/runs`)).body.items).toHaveLength(2);
    openGate(`never ${at}`);
  });
});

/** JSON, and of sub-agents what is shown of them without their texts. */
const plain = (messages: readonly UIMessage[]) =>
  JSON.parse(JSON.stringify(messages), (key, value) => {
    if (value?.message?.role === 'assistant') {
      const { truncated: _, ...rest } = value;
      return { ...rest, message: { id: value.message.id } };
    }
    // A client has a beginning of a step for each request.
    if (key === 'parts') return value.filter(({ type }: { type: string }) => type !== 'step-start');
    return key === 'rawInput' ? undefined : value;
  });

describe('a chat that is loaded later', () => {
  it('[CH13] lists earlier answers as their streams made them: questions with their answers, sub-agents, data', async () => {
    const at = address();
    const one = talk(at, WITH_BOTH);
    const leaf = [asks(['publish', { text: 'x' }]), asks(['recite', { count: 2 }]), { text: 'l' }];
    const steps = [
      { thinking: 'Hm.', text: 'First.', ...calls('leaf', leaf) },
      asks(['publish', { text: 'y' }]),
      asks(['nobody', {}], ['note', { text: 'z' }]),
      { text: 'Done.' },
    ];
    await one.chat.sendMessage({ text: told(...steps) });
    await one.chat.addToolApprovalResponse({ id: idOf(one), approved: true });
    await vi.waitUntil(() => one.chat.status === 'ready' && asked(one).length === 1, { interval: 2 });
    await one.chat.addToolApprovalResponse({ id: idOf(one), approved: false });
    await says(one, 'Done.');
    await one.chat.sendMessage({ text: told({ text: 'Again.' }) });
    const states = one.chat.messages[1]?.parts.flatMap((part) => (part.type === 'dynamic-tool' ? [part.state] : []));
    expect(states?.toSorted()).toEqual([
      ...['output-available', 'output-available', 'output-available', 'output-denied', 'output-error'],
    ]);
    const listed = await messagesAt(at);
    expect(plain(listed)).toEqual(plain(one.chat.messages));
    expect(JSON.stringify(listed)).toContain('"truncated":true');
  });
});
