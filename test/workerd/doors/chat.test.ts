/** Chats of AI SDK UI, by the official client. */
import {
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  safeValidateUIMessages,
  type UIMessage,
} from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { chat as chatDoor } from '../../../src/chat';
import { createWorker } from '../../../src/worker';
import { address, get, HOST, post, send as sendRaw } from '../../support/api';
import { served } from '../../support/bindings';
import { type ToolPart, talk } from '../../support/chats';
import { asks, calls, openGate, told } from '../../support/puppet';
import { Leaf, Middle, Top } from '../../support/worker';

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

  it('[CH2, CH4] F158, checks 2 and 4: is resumed in the middle by another page, each message once; at rest there is nothing', async () => {
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
    const heard = other.told.length;
    await other.chat.resumeStream();
    expect(other.told).toHaveLength(heard);
    expect([other.chat.status, other.asked.at(-1)]).toEqual(['ready', `GET ${at}/chat/${at.split('/').at(-1)}/stream`]);
  });

  it('[CH5, CH7] check 6: asks at the top what a grandchild waits for, and the same grandchild goes on', async () => {
    const at = address();
    const { chat, parts, texts, posted, ran } = talk(at, {
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
    const leaf = [asks(['publish', { text: 'x' }]), { text: 'The leaf is done.' }];
    const middle = [calls('leaf', leaf), { text: 'The middle is done.' }];
    await chat.sendMessage({ text: told(calls('middle', middle), { text: 'All done.' }) });
    const asked = parts().find(({ state }) => state === 'approval-requested');
    const agents = async () => JSON.stringify((await get(`${at}/children`)).body.items.map(({ address: one }) => one));
    const before = await agents();
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
    expect(await agents()).toBe(before);
    const leafRuns = (await get(`${at}/sub/middle/1~1/sub/leaf/1~1/runs`)).body.items;
    expect(leafRuns).toMatchObject([{ status: 'completed' }]);
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

/** What a chat posts, sent by hand. */
const send = (at: string, body: object) => post(`${at}/chat`, { id: at.split('/').at(-1) ?? '', ...body } as never);
const posting = (at: string, body: object) => ({
  ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
  body: JSON.stringify({ id: at.split('/').at(-1), ...body }),
});
const user = (id: string, text: string) => ({ id, role: 'user', parts: [{ type: 'text', text }] });
const submit = (...messages: object[]) => ({ trigger: 'submit-message', messages });

describe('a chat that is asked for something', () => {
  it('[CH5, CH6] check 8: runs the client tools of the page alone, and goes on once with their results', async () => {
    const at = address();
    const one = talk(at, {
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall: ({ toolCall: { toolCallId } }) =>
        void one.chat.addToolOutput({ tool: 'pick', toolCallId, output: { picked: 'a' } } as never),
    });
    const leaf = [asks(['pick', { of: ['a', 'b'] }], ['note', { text: 'x' }])];
    await one.chat.sendMessage({ text: told(asks(['note', { text: 'y' }]), calls('leaf', leaf), { text: 'Done.' }) });
    await vi.waitUntil(() => one.texts().includes('Done.') && one.chat.status === 'ready', { interval: 2 });
    expect(one.ran).toEqual(['pick']);
    expect(one.posted).toHaveLength(2);
    expect(one.chat.messages).toHaveLength(2);
    expect(one.parts().find(({ toolName }) => toolName === 'pick')).toMatchObject({ output: { picked: 'a' } });
  });

  it('[CH1] check 10: leaves no text of a step that was discarded, and keeps the sub-agents of the steps before', async () => {
    const at = address();
    const one = talk(at);
    const fails = {
      text: 'Half of it is said.',
      chunkSize: 8,
      chunkDelayMs: 150,
      failAfterChunks: 3,
      fail: { status: 500, message: 'x' },
    };
    const sent = one.chat.sendMessage({ text: told(calls('leaf', [{ text: 'l' }]), { ...fails, until: at } as never) });
    await vi.waitUntil(() => one.told.some(({ type }) => type === 'reset-step'), { interval: 2 });
    expect(one.told).toContainEqual(expect.objectContaining({ type: 'text-delta' }));
    openGate(at);
    await sent;
    expect(one.texts().join()).not.toContain('Half of Half');
    expect(one.texts()).toHaveLength(1);
    expect(one.parts()).toMatchObject([{ toolName: 'subagent__leaf', state: 'output-available' }]);
  });

  it('[CH5] check 7: one of two answers sends nothing, both send once; the model is told of a denial', async () => {
    const at = address();
    const one = talk(at, { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses });
    const leaf = (text: string) => [asks(['publish', { text }])];
    await one.chat.sendMessage({ text: told(calls('leaf', leaf('one'), leaf('two')), { text: 'Done.' }) });
    const waiting = one.parts().filter(({ state }) => state === 'approval-requested');
    expect(waiting).toHaveLength(2);
    await one.chat.addToolApprovalResponse({ id: waiting[0]?.toolCallId ?? '', approved: true });
    expect([one.posted.length, one.chat.status]).toEqual([1, 'ready']);
    await one.chat.addToolApprovalResponse({ id: waiting[1]?.toolCallId ?? '', approved: false, reason: 'No.' });
    await vi.waitUntil(() => one.texts().includes('Done.') && one.chat.status === 'ready', { interval: 2 });
    expect(one.posted).toHaveLength(2);
    const states = waiting.map((each) => one.parts().find(({ toolCallId }) => toolCallId === each.toolCallId)?.state);
    expect(states).toEqual(['output-available', 'output-denied']);
    expect((await safeValidateUIMessages({ messages: one.chat.messages })).success).toBe(true);
  });

  // https://github.com/vercel/ai/issues/8043, https://github.com/vercel/ai/issues/9943
  it('[CH3] check 9: ends as interrupted what brings nothing new, however often it is sent', async () => {
    const at = address();
    const one = talk(at, { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses });
    await one.chat.sendMessage({ text: told(asks(['publish', { text: 'x' }]), { text: 'Done.' }) });
    await one.chat.addToolApprovalResponse({ id: one.parts()[0]?.toolCallId ?? '', approved: true });
    await vi.waitUntil(() => one.texts().includes('Done.') && one.chat.status === 'ready', { interval: 2 });
    const again = talk(at, { messages: one.posted[1]?.messages as UIMessage[] });
    // The answer to the first was lost: it is told what came of it.
    await again.chat.sendMessage();
    expect(again.texts()).toEqual(['Done.']);
    expect(again.chat.messages).toHaveLength(2);
    // A helper that sees a settled call last sends by itself, but only once where nothing is new.
    const [said, whole] = await messagesAt(at);
    const behind = talk(at, {
      sendAutomaticallyWhen: ({ messages }) => messages.at(-1)?.role === 'assistant',
      messages: [said, whole && { ...whole, parts: whole.parts.slice(0, 2) }] as UIMessage[],
    });
    await behind.chat.sendMessage();
    await vi.waitUntil(() => behind.chat.status === 'ready', { interval: 2 });
    expect(behind.told.map(({ type, finishReason }) => finishReason ?? type)).toEqual(['start', 'interrupted']);
    expect(behind.posted).toHaveLength(1);
  });

  it('[CH8] check 12: changes nothing for an answer to other arguments, or to what nobody asked for', async () => {
    const at = address();
    const one = talk(at);
    await one.chat.sendMessage({ text: told(asks(['publish', { text: 'x' }])) });
    const [part] = one.parts();
    const answer = (more: object, approval: object) => ({
      ...{ id: 'a', role: 'assistant', parts: [{ ...part, state: 'approval-responded', ...more }] },
      ...{
        parts: [
          {
            ...part,
            state: 'approval-responded',
            ...more,
            approval: { ...part?.approval, approved: true, ...approval },
          },
        ],
      },
    });
    const answers = [
      await send(at, submit(answer({}, { descriptor: { inputHash: 'other' } }))),
      await send(at, submit(answer({}, { descriptor: undefined }))),
      await send(at, submit(answer({ toolCallId: 'c_none' }, {}))),
    ];
    expect(answers.map(({ headers }) => headers.get('content-type'))).toEqual(
      answers.map(() => 'application/problem+json'),
    );
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [409, 'input_changed'],
      [400, 'invalid_request'],
      [404, 'unknown_tool_call'],
    ]);
    expect((await get(`${at}/pending`)).body.items).toHaveLength(1);
  });
});

describe('what a chat posts', () => {
  it('[CH3] is done once, however often it is sent', async () => {
    const at = address();
    const [first, second] = [
      submit(user('m1', told({ text: 'Hello.' }))),
      submit(user('m1', told({ text: 'Hello.' }))),
    ];
    const read = async (body: object) =>
      await (
        await sendRaw(`${at}/chat`, {
          ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
          body: JSON.stringify({ id: at.split('/').at(-1), ...body }),
        })
      ).text();
    expect(await read(first)).toBe(await read(second));
    expect((await get(`${at}/runs`)).body.items).toHaveLength(1);
  });

  it('[CH8] is refused where it is no message of a person, and nothing begins', async () => {
    const at = address();
    const bad: [object, string][] = [
      [{ trigger: 'other', messages: [user('m', 'x')] }, 'invalid_request'],
      [{ trigger: 'regenerate-message', messages: [user('m', 'x')] }, 'not_found'],
      [submit({ id: 'm', role: 'system', parts: [] }), 'invalid_request'],
      [submit({ id: 'm', role: 'user', parts: [{ type: 'dynamic-tool', toolCallId: 'c' }] }), 'invalid_request'],
      [
        submit({ id: 'm', role: 'user', parts: [{ type: 'file', mediaType: 'text/plain', url: 'https://a.test/' }] }),
        'invalid_request',
      ],
      [{ ...submit(user('m', 'x')), messageId: 'other' }, 'invalid_request'],
      [{ ...submit(user('m', 'x')), id: 'other' }, 'not_found'],
      [submit({ id: 'm', role: 'assistant', parts: [] }), 'not_found'],
      [submit(), 'invalid_request'],
      [[] as never, 'invalid_request'],
    ];
    for (const [body, code] of bad) expect([body, (await send(at, body)).body.code]).toEqual([body, code]);
    expect((await get(`${at}/status`)).status).toBe(404);
    expect((await get(`${at}/chat`)).body).toEqual({ messages: [] });
    expect((await get(`${at}/chat/other/stream`)).body).toMatchObject({ code: 'not_found' });
    expect((await get(`${at}/chat/x`)).status).toBe(404);
    const wrong = await sendRaw(`${at}/chat`, { method: 'PUT' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, POST, OPTIONS']);
  });

  it('[CH1, CH3] checks 5 and 11: ends with a safe title where its agent fails, and as interrupted where it is stopped', async () => {
    const at = address();
    const failing = talk(at);
    await failing.chat.sendMessage({
      text: told({ fail: { status: 400, message: 'secret of the provider' } } as never),
    });
    expect([failing.chat.status, failing.chat.error?.message]).toEqual([
      'error',
      expect.not.stringContaining('secret'),
    ]);
    const other = address();
    const stopped = talk(other);
    const sent = stopped.chat.sendMessage({ text: told({ text: 'x', gate: `never ${other}` }) });
    await vi.waitUntil(() => stopped.told.some(({ type }) => type === 'start-step'), { interval: 2 });
    await post(`${other}/interrupt`, { reason: 'Enough.' });
    await sent;
    expect(stopped.told.slice(-2)).toMatchObject([
      { type: 'abort', reason: 'Enough.' },
      { finishReason: 'interrupted' },
    ]);
    openGate(`never ${other}`);
  });

  it('[CH2] that comes while its agent is at work is answered by a message of its own', async () => {
    const at = address();
    const one = talk(at);
    const sent = one.chat.sendMessage({
      text: told({ ...asks(['note', { text: 'x' }]), gate: `g ${at}` }, { text: 'Both.' }),
    });
    await vi.waitUntil(() => one.told.some(({ type }) => type === 'start-step'), { interval: 2 });
    await one.chat.stop();
    await sent;
    const more = one.chat.sendMessage({ text: 'More.' });
    await vi.waitUntil(async () => (await get(`${at}/messages`)).body.items.length >= 2, { interval: 2 });
    openGate(`g ${at}`);
    await more;
    expect(one.chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(one.texts()).toEqual(['Both.']);
    const [, whole] = await messagesAt(at);
    expect(whole?.parts.map(({ type }) => type)).toContain('steering-message');
  });
});

describe('a chat that answers several questions at once', () => {
  it('[CH8] gives none of its answers where one is to other arguments, or of another kind', async () => {
    const at = address();
    const one = talk(at);
    await one.chat.sendMessage({
      text: told(asks(['publish', { text: 'x' }], ['publish', { text: 'y' }], ['pick', { of: ['a'] }])),
    });
    const [first, second, third] = one.parts().map((part) => ({
      ...{ ...part, state: 'approval-responded' },
      approval: { id: part.toolCallId, approved: true, descriptor: part.approval?.descriptor ?? { inputHash: 'x' } },
    }));
    const changed = { ...second, approval: { ...second?.approval, descriptor: { inputHash: '0'.repeat(64) } } };
    for (const [other, code] of [
      [changed, 'input_changed'],
      [third, 'kind_mismatch'],
    ] as const) {
      const given = {
        id: at.split('/').at(-1),
        ...submit({ id: 'a', role: 'assistant', parts: [first, other] } as never),
      };
      expect([code, (await post(`${at}/chat`, given as never)).body.code]).toEqual([code, code]);
    }
    expect((await get(`${at}/pending`)).body.items).toHaveLength(3);
  });
});

describe('a chat of which one part only the agent refuses', () => {
  const approved = (part: ToolPart) => ({
    ...{ ...part, state: 'approval-responded' },
    approval: { ...part.approval, approved: true },
  });
  const asked = async () => {
    const at = address();
    const one = talk(at);
    await one.chat.sendMessage({ text: told(asks(['publish', { text: 'x' }], ['pick', { of: ['a'] }])) });
    const [publish, pick] = one.parts();
    if (publish === undefined || pick === undefined) throw new Error('Nothing is asked.');
    return { at, publish, pick };
  };

  it('[CH8] gives none of its answers where a result does not fit its tool', async () => {
    const { at, publish, pick } = await asked();
    const result = { ...pick, state: 'output-available', output: 'This is no choice.' };
    const given = submit({ id: 'a', role: 'assistant', parts: [approved(publish), result] });
    expect((await send(at, given)).body.code).toBe('invalid_input');
    expect((await get(`${at}/pending`)).body.items).toHaveLength(2);
  });

  it('[CH8] gives no answer where the agent does not take the message', async () => {
    const { at, publish } = await asked();
    const file = { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,bm9uZQ==' };
    const answer = { id: 'a', role: 'assistant', parts: [approved(publish)] };
    const given = submit(answer, { id: 'm2', role: 'user', parts: [file] });
    expect((await send(at, given)).body.code).toBe('invalid_input');
    expect((await get(`${at}/pending`)).body.items).toHaveLength(2);
    // Mended, it is taken whole.
    const mended = submit(answer, user('m2', 'And this.'));
    expect((await sendRaw(`${at}/chat`, posting(at, mended))).status).toBe(200);
    expect((await get(`${at}/pending`)).body.items).toHaveLength(1);
  });
});

describe('messages while an agent is at work', () => {
  it('[CH2, CH3] are held by the page that queues, and sent one by one behind each answer', async () => {
    const at = address();
    const gate = `queue ${at}`;
    const one = talk(at, { experimental_queue: true });
    const sent = one.chat.sendMessage({ text: told({ text: 'First.', gate }) });
    await vi.waitUntil(() => one.told.some(({ type }) => type === 'start-step'), { interval: 2 });
    await one.chat.sendMessage({ text: told({ text: 'Second.' }) });
    await one.chat.sendMessage({ text: told({ text: 'Third.' }) });
    expect([one.posted.length, one.chat.experimental_queuedMessages.length]).toEqual([1, 2]);
    openGate(gate);
    await sent;
    await vi.waitUntil(() => one.posted.length === 3 && one.chat.status === 'ready', { interval: 2 });
    const said = one.chat.messages.filter(({ role }) => role === 'assistant').map(({ parts }) => parts.at(-1));
    expect(said).toMatchObject([{ text: 'First.' }, { text: 'Second.' }, { text: 'Third.' }]);
    const listed = await messagesAt(at);
    expect(listed.map(({ id, role }) => [id, role])).toEqual(one.chat.messages.map(({ id, role }) => [id, role]));
    expect(listed.flatMap(({ parts }) => parts.map(({ type }) => type))).not.toContain('steering-message');
  });

  it('[CH2, CH3] that are sent now from the queue reach the run that works, which is not stopped', async () => {
    const at = address();
    const gate = `now ${at}`;
    const one = talk(at, { experimental_queue: true });
    const sent = one.chat.sendMessage({
      text: told({ ...asks(['note', { text: 'x' }]), gate }, { text: 'Both.' }),
    });
    await vi.waitUntil(() => one.told.some(({ type }) => type === 'start-step'), { interval: 2 });
    await one.chat.sendMessage({ text: 'More.' });
    const [queued] = one.chat.experimental_queuedMessages;
    const now = one.chat.experimental_sendQueuedMessageNow(queued?.id ?? '');
    await vi.waitUntil(async () => (await get(`${at}/messages`)).body.items.length >= 2, { interval: 2 });
    openGate(gate);
    await Promise.all([sent, now]);
    await vi.waitUntil(() => one.chat.status === 'ready' && one.texts().includes('Both.'), { interval: 2 });
    expect(one.chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect((await get(`${at}/runs`)).body.items).toHaveLength(1);
    const [, whole] = await messagesAt(at);
    expect(whole?.parts.map(({ type }) => type)).toContain('steering-message');
  });
});

describe('a door', () => {
  it('[OC9, CH8] F160: of a bare Worker does none of its asks where one is refused', async () => {
    const at = address();
    const one = talk(at);
    await one.chat.sendMessage({ text: told(asks(['publish', { text: 'x' }])) });
    const [part] = one.parts();
    const answered = { ...part, state: 'approval-responded', approval: { ...part?.approval, approved: true } };
    const asked: string[] = [];
    const worker = createWorker({
      agents: [Top, Middle, Leaf],
      doors: [chatDoor()],
      authorize: (_request, { action }) => {
        asked.push(action);
        return action === 'write' ? { refused: 'forbidden' } : { subject: 'reader' };
      },
    });
    const body = submit({ id: 'a', role: 'assistant', parts: [answered] }, user('m2', 'And this.'));
    const response = await worker.fetch(
      new Request(`${HOST}${at}/chat`, {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
        body: JSON.stringify({ id: at.split('/').at(-1), ...body }),
      }),
      {},
      { exports: served },
    );
    expect(response.status).toBe(403);
    expect(asked).toEqual(expect.arrayContaining(['read', 'answer', 'write']));
    expect((await get(`${at}/pending`)).body.items).toHaveLength(1);
  });
});
