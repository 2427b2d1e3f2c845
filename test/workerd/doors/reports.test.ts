/** Faults of like systems, as their users reported them in public, tried at both doors by the official clients. */
import { lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { client, only, resolved } from '../../support/agui-client';
import { address, get } from '../../support/api';
import { talkBySocket } from '../../support/chat-sockets';
import { messagesAt, type Talk, talk } from '../../support/chats';
import { asks, calls, openGate, told } from '../../support/puppet';
import { items, publishes } from '../standing';

const APPROVALS = { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses };
const says = (one: Talk, text: string) =>
  vi.waitUntil(() => one.texts().includes(text) && one.chat.status === 'ready', { interval: 2 });
const askedIn = ({ parts }: Talk): string[] =>
  parts().flatMap(({ state, toolCallId }) => (state === 'approval-requested' ? [toolCallId] : []));

describe('reports on chats', () => {
  // https://github.com/cloudflare/agents/issues/2185
  it('[CH5] an approval behind a settled call of the same answer continues it', async () => {
    const at = address();
    const one = talk(at, APPROVALS);
    await one.chat.sendMessage({ text: told(asks(['note', { text: 'x' }]), publishes('x'), { text: 'Done.' }) });
    const [id = ''] = askedIn(one);
    await one.chat.addToolApprovalResponse({ id, approved: true });
    await says(one, 'Done.');
    expect(one.posted).toHaveLength(2);
  });

  // https://github.com/cloudflare/agents/issues/1951, https://github.com/cloudflare/agents/issues/1733
  it.each(['http', 'socket'])('[CH2] a continuation that is lost over %s and resumed is there once', async (over) => {
    const at = address();
    const gate = `continued ${at}`;
    const page = over === 'http' ? talk(at) : talkBySocket(at);
    const steps = [publishes('x'), { text: 'Going on.', ...asks(['note', { text: 'x' }]) }, { text: 'End.', gate }];
    await page.chat.sendMessage({ text: told(...steps) });
    const [id = ''] = askedIn(page);
    await page.chat.addToolApprovalResponse({ id, approved: true });
    const continued = page.chat.sendMessage();
    await vi.waitUntil(() => JSON.stringify(page.chat.messages).includes('noted'), { interval: 2 });
    await page.chat.stop();
    await continued;
    const resumed = page.chat.resumeStream();
    await vi.waitUntil(() => page.chat.status === 'streaming', { interval: 2 });
    openGate(gate);
    await resumed;
    expect([page.chat.messages.length, page.texts()]).toEqual([2, ['Going on.', 'End.']]);
    expect(page.parts().map(({ toolName, state }) => `${toolName} ${state}`)).toEqual([
      'publish output-available',
      'note output-available',
    ]);
  });

  // https://github.com/cloudflare/agents/issues/1784
  it('[CH2] a page that is opened before the first word of an answer is told of it', async () => {
    const at = address();
    const gate = `first ${at}`;
    const one = talk(at);
    const sent = one.chat.sendMessage({ text: told({ text: 'Now.', gate }) });
    await vi.waitUntil(async () => (await get(`${at}/status`)).status === 200, { interval: 2 });
    const other = talk(at, { messages: await messagesAt(at) });
    const resumed = other.chat.resumeStream();
    await vi.waitUntil(() => other.told.length > 0, { interval: 2 });
    openGate(gate);
    await Promise.all([sent, resumed]);
    expect([other.chat.status, other.texts(), other.chat.messages.length]).toEqual(['ready', ['Now.'], 2]);
  });

  // https://github.com/vercel/ai/issues/13670
  it('[CH5, CH14] a denial that is settled does not keep the approval of another call from being sent', async () => {
    const at = address();
    const one = talk(at, APPROVALS);
    const leaf = (text: string) => [publishes(text), { text }];
    await one.chat.sendMessage({ text: told(calls('leaf', leaf('one'), leaf('two')), { text: 'Done.' }) });
    const [first = '', second = ''] = askedIn(one);
    await one.chat.addToolApprovalResponse({ id: first, approved: false });
    await one.chat.sendMessage();
    expect(one.parts().find(({ toolCallId }) => toolCallId === first)?.state).toBe('output-denied');
    await one.chat.addToolApprovalResponse({ id: second, approved: true });
    await says(one, 'Done.');
    expect(one.posted).toHaveLength(3);
  });

  // https://github.com/vercel/chatbot/pull/1493, https://github.com/evenfire-ai/evenfire/issues/723
  it('[CH5, CH8] a denial loses no later message, and its call does not run after an approval of another', async () => {
    const at = address();
    const one = talk(at, APPROVALS);
    await one.chat.sendMessage({ text: told(publishes('denied'), { text: 'Not so.' }) });
    await one.chat.addToolApprovalResponse({ id: askedIn(one)[0] ?? '', approved: false });
    await says(one, 'Not so.');
    await one.chat.sendMessage({ text: told(asks(['publish_later', { text: 'other' }]), { text: 'So.' }) });
    await one.chat.addToolApprovalResponse({ id: askedIn(one)[0] ?? '', approved: true });
    await says(one, 'So.');
    expect((await items(`${at}/messages`)).filter(({ role }) => role === 'user')).toHaveLength(2);
    const made = await items(`${at}/calls`);
    expect(made.map(({ toolName, status }) => [toolName, status])).toEqual([
      ['publish', 'failed'],
      ['publish_later', 'succeeded'],
    ]);
  });
});

describe('reports on AG-UI', () => {
  const results = ({ agent }: ReturnType<typeof client>) =>
    agent.messages.flatMap((one) => (one.role === 'tool' ? [[one.toolCallId, one.content]] : []));
  const callsIn = ({ agent }: ReturnType<typeof client>) =>
    agent.messages.flatMap((one) => (one.role === 'assistant' ? (one.toolCalls ?? []).map(({ id }) => id) : []));

  // https://github.com/microsoft/agent-framework/issues/6910, https://github.com/microsoft/agent-framework/issues/6513
  it('[AU6, AU7] calls beside one that needs an approval are not lost, and each has its result in a snapshot', async () => {
    const one = client();
    const beside = asks(['note', { text: 'a' }], ['publish', { text: 'x' }], ['note', { text: 'b' }]);
    one.say(told(beside, { text: 'Done.' }));
    await one.agent.runAgent();
    expect(one.agent.pendingInterrupts).toHaveLength(1);
    expect((await one.agent.runAgent({ resume: resolved(one.agent.pendingInterrupts) })).result).toBe('Done.');
    const joined = client(one.thread);
    await joined.agent.runAgent();
    for (const each of [one, joined]) {
      expect(results(each).map(([id]) => id)).toEqual(expect.arrayContaining(callsIn(each)));
      expect(results(each)).toHaveLength(3);
      expect(JSON.stringify(results(each))).toContain('published');
      expect(JSON.stringify(results(each))).not.toContain('approved');
    }
    one.say(told({ text: 'Next.' }));
    expect((await one.agent.runAgent()).result).toBe('Next.');
  });

  // https://github.com/ag-ui-protocol/ag-ui/issues/2408
  it('[AU1, AU6] a thread with a failed run in it is joined whole, and continues', async () => {
    const one = client();
    one.say(told({ text: 'First.' }));
    await one.agent.runAgent();
    one.say(told({ fail: { status: 400, message: 'x' } }));
    await one.agent.runAgent().catch(() => undefined);
    expect(one.types().at(-1)).toBe('RUN_ERROR');
    one.say(told({ text: 'Third.' }));
    expect((await one.agent.runAgent()).result).toBe('Third.');
    const joined = client(one.thread);
    expect((await joined.agent.runAgent()).result).toBe('Third.');
    const texts = joined.agent.messages.flatMap(({ role, content }) => (role === 'assistant' ? [content] : []));
    expect(texts).toEqual(['First.', 'Third.']);
  });

  // https://github.com/ag-ui-protocol/ag-ui/issues/300, https://github.com/ag-ui-protocol/ag-ui/pull/1556
  it('[AU2, AU3] a history that is sent again under other ids adds its newest message alone', async () => {
    const one = client();
    one.say(told({ text: 'First.' }));
    await one.agent.runAgent();
    one.say(told({ text: 'Second.' }));
    one.agent.messages = one.agent.messages.map((message, index) => ({ ...message, id: `again-${index}` }));
    expect((await one.agent.runAgent()).result).toBe('Second.');
    expect(await items(`${one.at}/messages`)).toHaveLength(4);
  });

  // https://github.com/microsoft/agent-framework/issues/4682
  it('[AU2] the same words twice are two messages', async () => {
    const one = client();
    for (let times = 0; times < 2; times += 1) {
      one.say(told({ text: 'Once more.' }));
      await one.agent.runAgent();
    }
    expect((await items(`${one.at}/messages`)).filter(({ role }) => role === 'user')).toHaveLength(2);
    expect((await items(`${one.at}/runs`)).length).toBe(2);
  });

  // https://github.com/CopilotKit/CopilotKit/issues/1590
  it('[AU15] an empty message beside an answer is no turn of its own', async () => {
    const one = client();
    one.say(told(publishes('x'), { text: 'Done.' }));
    await one.agent.runAgent();
    one.agent.messages = [...one.agent.messages, { id: 'empty', role: 'user', content: '' }];
    const { result } = await one.agent.runAgent({ resume: resolved(one.agent.pendingInterrupts) });
    expect(result).toBe('Done.');
    expect(await items(`${one.at}/runs`)).toHaveLength(1);
    expect((await items(`${one.at}/messages`)).filter(({ role }) => role === 'user')).toHaveLength(1);
  });

  // https://github.com/CopilotKit/CopilotKit/issues/1991
  it('[AU7, AU8] a thread that was left at a question takes a message of a page that knows nothing of it', async () => {
    const one = client();
    one.say(told(publishes('x'), { text: 'Done.' }));
    await one.agent.runAgent();
    const other = client(one.thread);
    other.agent.messages = [{ id: 'new', role: 'user', content: 'And this?' }];
    await other.agent.runAgent();
    expect(other.agent.pendingInterrupts).toHaveLength(1);
    expect(only(other.seen, 'MESSAGES_SNAPSHOT')).toHaveLength(1);
    expect((await other.agent.runAgent({ resume: resolved(other.agent.pendingInterrupts) })).result).toBe('Done.');
  });
});
