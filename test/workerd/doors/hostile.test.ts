/** Clients of both doors that lie, shout, or may not. */
import { describe, expect, it, vi } from 'vitest';
import { agui } from '../../../src/agui';
import { chat as chatDoor } from '../../../src/chat';
import { MAX_DOOR_BYTES } from '../../../src/doors/body';
import type { Json } from '../../../src/protocol/json';
import { createWorker } from '../../../src/worker';
import { client, resolved, YES } from '../../support/agui-client';
import { address, del, get, HOST, post, send, socketIn } from '../../support/api';
import { served } from '../../support/bindings';
import type { ChatFrame } from '../../support/chat-sockets';
import { talk } from '../../support/chats';
import { asks, openGate, told } from '../../support/puppet';
import { Leaf, Middle, Top } from '../../support/worker';
import { items, publishes, stands, threeLevels, waiting } from '../standing';

const nameOf = (at: string): string => at.split('/').at(-1) ?? '';
const user = (id: string, text: string) => ({ id, role: 'user', parts: [{ type: 'text', text }] });
const posted = (at: string, ...messages: object[]) =>
  ({ id: nameOf(at), trigger: 'submit-message', messages }) as unknown as Json;
const thread = (at: string, more: object) => ({ threadId: nameOf(at), runId: 'r', messages: [], ...more }) as Json;
const json = (body: unknown, headers: Record<string, string> = {}) => ({
  ...{ method: 'POST', body: JSON.stringify(body) },
  headers: { 'content-type': 'application/json', ...headers },
});
const codeOf = async (response: Response): Promise<[number, string]> => [
  response.status,
  ((await response.json()) as { code: string }).code,
];

/** The part of a call that waits, with an approval of it. */
async function approvalOf(at: string, more: object = {}) {
  const [item] = await waiting(at, 1);
  const approval = { id: item?.toolCallId, approved: true, descriptor: { inputHash: item?.inputHash } };
  const part = { type: 'dynamic-tool', toolName: 'publish', toolCallId: item?.toolCallId, input: {} };
  return { id: 'a', role: 'assistant', parts: [{ ...part, state: 'approval-responded', approval, ...more }] };
}

describe('an agent that is removed', () => {
  it('[CH3, AU1] ends what is read of it at both doors, and over a socket, with a safe sentence', async () => {
    const at = address();
    const gate = `removed ${at}`;
    await post(`${at}/start`, { message: told({ text: 'x', gate }) });
    const [stream, joined, line] = await Promise.all([
      send(`${at}/chat/${nameOf(at)}/stream`),
      send('/agui/top', json(thread(at, {}))),
      send(`${at}/chat`, { headers: { upgrade: 'websocket' } }),
    ]);
    const socket = socketIn(line);
    const frames: ChatFrame[] = [];
    socket.accept();
    const closed = new Promise<number>((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)));
    socket.addEventListener('message', ({ data }) => void frames.push(JSON.parse(String(data))));
    socket.send(JSON.stringify({ type: 'resume', requestId: 'a', id: nameOf(at) }));
    await vi.waitUntil(() => frames.length > 0, { interval: 2 });
    expect((await del(at)).status).toBe(204);
    const [told1, told2] = await Promise.all([stream.text(), joined.text(), closed]);
    expect(told1).toContain('"type":"abort","reason":"The agent was deleted."');
    expect(told1).toMatch(/"finishReason":"interrupted"\}\n\ndata: \[DONE\]\n\n$/);
    expect(told2).toMatch(/"type":"RUN_(FINISHED|ERROR)"/);
    expect(await closed).toBe(1001);
    openGate(gate);
  });
});

describe('headers and queries that lie', () => {
  it.each(['999999', 'nonsense', '0.5'])('[CH2, AU6] Last-Event-ID: %s changes nothing at a door', async (id) => {
    const at = address();
    const headers = { 'last-event-id': id };
    const said = await send(`${at}/chat`, json(posted(at, user('m1', told({ text: 'All of it.' }))), headers));
    expect(await said.text()).toContain('All of it.');
    const gate = `lied ${at} ${id}`;
    await post(`${at}/messages`, { content: told({ text: 'And more.', gate }) });
    const resumed = await send(`${at}/chat/${nameOf(at)}/stream`, { headers });
    const other = await send('/agui/top', json(thread(at, {}), headers));
    openGate(gate);
    const texts = await Promise.all([resumed.text(), other.text()]);
    for (const text of texts) expect(text).toContain('And more.');
  });

  it('[CH8, AU1] a body that is not JSON, or comes from a page of another origin, does nothing', async () => {
    const at = address();
    const body = JSON.stringify(posted(at, user('m1', told({ text: 'x' }))));
    const asked = JSON.stringify(thread(at, { messages: [{ id: 'u1', role: 'user', content: told({ text: 'x' }) }] }));
    for (const [path, text] of [
      [`${at}/chat`, body],
      ['/agui/top', asked],
    ] as const) {
      expect((await send(path, { method: 'POST', body: text, headers: { 'content-type': 'text/plain' } })).status).toBe(
        415,
      );
      const evil = {
        'content-type': 'application/json',
        origin: 'https://evil.example',
        'sec-fetch-site': 'cross-site',
      };
      expect((await send(path, { method: 'POST', body: text, headers: evil })).status).toBe(403);
      const closed = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
      expect((await send(path, { method: 'POST', body: text, headers: closed })).status).toBe(415);
    }
    expect((await get(`${at}/status`)).status).toBe(404);
  });
});

describe('who may read alone', () => {
  const worker = createWorker({
    agents: [Top, Middle, Leaf],
    doors: [chatDoor(), agui()],
    authorize: (_request, { action }) => (action === 'read' ? { subject: 'reader' } : { refused: 'forbidden' }),
  });
  const ask = (path: string, init: RequestInit = {}) =>
    worker.fetch(new Request(`${HOST}${path}`, init), {}, { exports: served });

  it('[OC9] lists, resumes and joins, and neither sends, answers, tries again nor stops, at either door', async () => {
    const at = address();
    await post(`${at}/start`, { message: told(publishes('x'), { text: 'Done.' }) });
    const answer = await approvalOf(at);
    const [item] = await waiting(at, 1);
    const resume = [{ interruptId: `${item?.toolCallId}.${item?.inputHash}`, status: 'resolved', payload: YES }];
    const failed = address();
    await post(`${failed}/start`, { message: told({ fail: { status: 400, message: 'x' } }), wait: true });
    const [asked] = await items(`${failed}/messages`);
    const again = {
      id: nameOf(failed),
      trigger: 'regenerate-message',
      messages: [user(String(asked?.messageId), 'x')],
    };
    const refused = [
      await ask(`${at}/chat`, json(posted(at, user('m2', 'More.')))),
      await ask(`${at}/chat`, json(posted(at, answer))),
      await ask(`${failed}/chat`, json(again)),
      await ask('/agui/top', json(thread(at, { resume }))),
      await ask('/agui/top', json(thread(at, { messages: [{ id: 'u', role: 'user', content: 'More.' }] }))),
      await ask('/agui/top/stop', json({ threadId: nameOf(at) })),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
    expect((await ask(`${at}/chat`)).status).toBe(200);
    expect((await ask(`${at}/chat/${nameOf(at)}/stream`)).status).toBe(204);
    const joined = await ask('/agui/top', json(thread(at, {})));
    expect([joined.status, await joined.text()]).toEqual([200, expect.stringContaining('"type":"interrupt"')]);
    // Nothing new is asked for: what is there is read.
    const read = {
      id: nameOf(at),
      trigger: 'regenerate-message',
      messages: [{ id: 'a', role: 'assistant', parts: [] }],
    };
    expect((await ask(`${at}/chat`, json(read))).status).toBe(200);
    await waiting(at, 1);
    expect(await items(`${failed}/runs`)).toHaveLength(1);
    expect(await items(`${at}/messages`)).toHaveLength(2);
  });
});

describe('ids of others', () => {
  it('[CH8, AU7] reach no chat but that of the address, and no question of another thread', async () => {
    const [mine, others] = [address(), address()];
    for (const at of [mine, others]) await post(`${at}/start`, { message: told(publishes('x'), { text: 'Done.' }) });
    const [item] = await waiting(others, 1);
    const session = String((await get(`${others}/status`)).body.sessionId);
    for (const id of [nameOf(others), session, '..', 'a/b', '__proto__']) {
      expect(
        await codeOf(await send(`${mine}/chat`, json({ ...(posted(mine, user('m', 'x')) as object), id }))),
      ).toEqual([404, 'not_found']);
      const path = `${mine}/chat/${encodeURIComponent(id)}/stream`;
      if (id !== '..') expect((await send(path)).status, id).toBe(404);
    }
    const answer = await approvalOf(others);
    expect(await codeOf(await send(`${mine}/chat`, json(posted(mine, answer))))).toEqual([404, 'unknown_tool_call']);
    const wrong = [`${item?.toolCallId}.${item?.inputHash}`, `${item?.toolCallId}`, '__proto__', `x.${'a'.repeat(64)}`];
    for (const interruptId of wrong) {
      const resume = [{ interruptId, status: 'resolved', payload: YES }];
      const given = await send('/agui/top', json(thread(mine, { resume })));
      expect([interruptId, ...(await codeOf(given))]).toEqual([interruptId, 404, 'unknown_tool_call']);
    }
    await Promise.all([waiting(mine, 1), waiting(others, 1)]);
  });

  it('[CH5, CH8] a made-up result of a call that waits for an approval is none, and no answer either', async () => {
    const at = address();
    await post(`${at}/start`, { message: told(publishes('x'), { text: 'Done.' }) });
    for (const made of [
      { state: 'output-available', output: { published: 'x' }, approval: undefined },
      { state: 'output-error', errorText: 'No.', approval: undefined },
      { state: 'approval-responded', approval: { id: 'c_other', approved: true } },
      { state: 'approval-responded', approval: { approved: 'yes' } },
    ]) {
      const response = await send(`${at}/chat`, json(posted(at, await approvalOf(at, made))));
      await response.text();
      await waiting(at, 1);
    }
    expect(await items(`${at}/runs`)).toHaveLength(1);
  });

  it('[CH4, CH5] a sub-agent has a chat at its own address, where its question is shown and answered', async () => {
    const { leaf } = await threeLevels(publishes('x'));
    await waiting(leaf, 1);
    const { messages } = (await get(`${leaf}/chat`)).body as unknown as { messages: { parts: object[] }[] };
    expect(messages.at(-1)?.parts).toContainEqual(expect.objectContaining({ state: 'approval-requested' }));
    const answered = await send(`${leaf}/chat`, json(posted(leaf, await approvalOf(leaf))));
    expect([answered.status, await answered.text()]).toEqual([200, expect.stringContaining('tool-output-available')]);
  });
});

describe('giants', () => {
  it('[CH8, AU1, OC13] are refused before anything is done', async () => {
    const at = address();
    const many = (count: number) => Array.from({ length: count }, (_, index) => user(`m${index}`, 'x'));
    const parts = Array.from({ length: 10_001 }, () => ({ type: 'text', text: 'x' }));
    const huge = 'x'.repeat(MAX_DOOR_BYTES);
    const chats: [object, number][] = [
      [posted(at, user('m1', huge)) as object, 413],
      [posted(at, ...many(10_001)) as object, 400],
      [posted(at, { id: 'm', role: 'user', parts }) as object, 400],
      [posted(at, user('m'.repeat(257), 'x')) as object, 400],
      [posted(at, user('m1', 'x'.repeat(2_000_000))) as object, 413],
    ];
    for (const [index, [body, status]] of chats.entries())
      expect([index, (await send(`${at}/chat`, json(body))).status]).toEqual([index, status]);
    const said = (content: string) => ({ messages: [{ id: 'u', role: 'user', content }] });
    const answers = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ interruptId: `c_${index}`, status: 'cancelled' }));
    const threads: [object, number][] = [
      [said(huge), 413],
      [said('x'.repeat(2_000_000)), 413],
      [
        { messages: Array.from({ length: 20_001 }, (_, index) => ({ id: `${index}`, role: 'user', content: '' })) },
        400,
      ],
      [{ resume: answers(501) }, 400],
      [{ resume: [answers(1)[0], answers(1)[0]] }, 400],
    ];
    for (const [index, [more, status]] of threads.entries())
      expect([index, (await send('/agui/top', json(thread(at, more)))).status]).toEqual([index, status]);
    const deep = `{"id":"x","trigger":"submit-message","messages":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    for (const path of [`${at}/chat`, '/agui/top'])
      expect((await send(path, { ...json({}), body: deep })).status).toBe(400);
    expect((await get(`${at}/status`)).status).toBe(404);
  });

  it('[AU14] a history of several megabytes is taken, since clients of the protocol send all of it', async () => {
    const one = client();
    one.say(told({ text: 'First.' }));
    await one.agent.runAgent();
    const [said, answered] = one.agent.messages;
    if (said === undefined || answered === undefined) throw new Error('Nothing was said.');
    const long = { id: 'long', role: 'assistant', content: 'x'.repeat(3_000_000) } as const;
    one.agent.messages = [said, long, answered];
    one.say(told({ text: 'Second.' }));
    expect((await one.agent.runAgent()).result).toBe('Second.');
  });
});

describe('answers and stops at once', () => {
  it('[CH3, CH8] the same answer three times is given once, and each request has what came of it', async () => {
    const at = address();
    const one = talk(at);
    await one.chat.sendMessage({ text: told(publishes('x'), { text: 'Done.' }) });
    const body = json(posted(at, await approvalOf(at)));
    const read = await Promise.all([1, 2, 3].map(async () => (await send(`${at}/chat`, body)).text()));
    for (const text of read) expect(text).toContain('Done.');
    const log = await get(`${at}/chunks?types=tool_answered,tool_end`);
    expect(log.body.items).toHaveLength(2);
  });

  it('[CH3, AU9] a stop beside the answers of both doors ends all of them', async () => {
    const at = address();
    await post(`${at}/start`, { message: told(publishes('x'), { text: 'Done.', gate: `stop ${at}` }) });
    const answer = await approvalOf(at);
    const one = client(nameOf(at));
    await one.agent.runAgent();
    const resume = resolved(one.agent.pendingInterrupts);
    const all = Promise.allSettled([
      send(`${at}/chat`, json(posted(at, answer))).then((response) => response.text()),
      one.agent.runAgent({ resume }),
      post(`${at}/interrupt`, {}),
    ]);
    await stands(at, 'interrupted');
    openGate(`stop ${at}`);
    await all;
    await stands(at, 'interrupted');
  });
});

describe('frames of a socket', () => {
  const open = async (at: string) => {
    const socket = socketIn(await send(`${at}/chat`, { headers: { upgrade: 'websocket' } }));
    const frames: ChatFrame[] = [];
    socket.accept();
    socket.addEventListener('message', ({ data }) => void frames.push(JSON.parse(String(data))));
    const ends = (id: string) => frames.filter(({ requestId, type }) => requestId === id && type === 'end').length;
    return { socket, frames, ends };
  };
  const sending = (at: string, requestId: string, message: object) =>
    JSON.stringify({ type: 'send', requestId, ...(posted(at, message) as object), headers: {}, body: {} });

  it('[CH9, CH10] that are doubled, split or closed at once send a message once, and stop nothing', async () => {
    const at = address();
    const first = await open(at);
    const message = user('m1', told(asks(['note', { text: 'x' }]), { text: 'Done.', gate: `split ${at}` }));
    const frame = sending(at, 'a', message);
    first.socket.send(frame.slice(0, 40));
    first.socket.send(frame.slice(40));
    first.socket.send(frame);
    first.socket.send(frame);
    first.socket.send(sending(at, 'b', message));
    await vi.waitUntil(() => ['a', 'b'].every((id) => first.frames.some((one) => one.requestId === id && one.chunk)), {
      interval: 2,
    });
    const errors = first.frames.filter(({ type }) => type === 'error').map(({ requestId }) => requestId);
    expect(errors.toSorted()).toEqual(['', 'a', 'a']);
    // An abort of somebody else's request, and of one that is over, is nothing.
    const other = await open(at);
    other.socket.send(JSON.stringify({ type: 'abort', requestId: 'a' }));
    const closing = await open(at);
    closing.socket.send(sending(at, 'c', user('m2', 'And this.')));
    closing.socket.close(1000);
    await vi.waitUntil(
      async () => (await items(`${at}/messages`)).some(({ content }) => content === 'And this.') || true,
      {
        interval: 2,
      },
    );
    openGate(`split ${at}`);
    await vi.waitUntil(() => first.ends('a') === 1 && first.ends('b') === 1, { interval: 2 });
    await stands(at, 'completed');
    expect((await items(`${at}/messages`)).filter(({ messageId, role }) => role === 'user' && messageId)).toHaveLength(
      (await items(`${at}/messages`)).filter(({ role }) => role === 'user').length,
    );
    expect((await items(`${at}/calls`)).map(({ toolName }) => toolName)).toEqual(['note']);
    for (const { socket } of [first, other]) socket.close(1000);
  });
});
