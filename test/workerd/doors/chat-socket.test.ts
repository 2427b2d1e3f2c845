/** Chats of AI SDK UI over a socket, by the official transport. */
import { lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { PASS_HEADER } from '../../../src/engine/object/object-calls';
import { rootStub } from '../../../src/gateway/objects';
import { WIRE_LIMITS } from '../../../src/protocol/wire/wire-limits';
import { address, del, get, HOST, post, send, socketIn } from '../../support/api';
import { served } from '../../support/bindings';
import { type ChatFrame, checkChunks, talkBySocket } from '../../support/chat-sockets';
import { asks, calls, openGate, told } from '../../support/puppet';

const TICKET = { actions: ['read', 'write', 'answer'] };

describe('a chat over a socket', () => {
  it('[CH9] is begun by its first message, and told once more from its beginning after its socket was lost', async () => {
    const at = address();
    const gate = `socket ${at}`;
    const one = talkBySocket(at);
    await one.chat.sendMessage({ text: told({ text: 'Hello.' }) });
    expect(one.texts()).toEqual(['Hello.']);
    const sent = one.chat.sendMessage({
      text: told({ text: 'A note.', calls: [{ name: 'note', input: { text: 'x' } }] }, { text: 'The end.', gate }),
    });
    await vi.waitUntil(() => JSON.stringify(one.chat.messages.at(-1)).includes('noted'), { interval: 2 });
    one.opened[0]?.close(4000, 'Lost.');
    await sent;
    expect(one.chat.status).toBe('error');
    const before = one.frames.length;
    const resumed = one.chat.resumeStream();
    await vi.waitUntil(() => JSON.stringify(one.frames.slice(before)).includes('noted'), { interval: 2 });
    openGate(gate);
    await resumed;
    expect([one.chat.status, one.texts(), one.chat.messages.length]).toEqual(['ready', ['A note.', 'The end.'], 4]);
    const again = one.frames.slice(before);
    expect(again.filter(({ type }) => type === 'chunk').map(({ sequence }) => sequence)).toEqual(
      again.flatMap(({ type }) => (type === 'chunk' ? [0] : [])).map((_, index) => index),
    );
    expect([again[0]?.type, again.at(-1)?.type, one.opened.length]).toEqual(['start', 'end', 2]);
    await one.chat.resumeStream();
    expect(one.frames.at(-1)?.type).toBe('no-active');
    await checkChunks(one.frames);
  });

  it('[OC11] is a socket of the agent that its first message has begun, and ends with that', async () => {
    const at = address();
    const one = talkBySocket(at);
    await one.chat.sendMessage({ text: told({ text: 'Hello.' }) });
    expect([one.chat.status, one.opened[0]?.closed]).toEqual(['ready', undefined]);
    expect((await del(at)).status).toBe(204);
    await vi.waitUntil(() => one.opened[0]?.closed !== undefined, { interval: 2 });
  });

  it('[CH5, CH9] asks at the top what a grandchild waits for, and goes on by itself', async () => {
    const at = address();
    const one = talkBySocket(at, {}, { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses });
    const leaf = [asks(['publish', { text: 'x' }]), { text: 'The leaf is done.' }];
    const middle = [calls('leaf', leaf), { text: 'The middle is done.' }];
    await one.chat.sendMessage({ text: told(calls('middle', middle), { text: 'All done.' }) });
    const asked = one.parts().find(({ state }) => state === 'approval-requested');
    await one.chat.addToolApprovalResponse({ id: asked?.approval?.id ?? '', approved: true });
    await vi.waitUntil(() => one.texts().includes('All done.') && one.chat.status === 'ready', { interval: 2 });
    expect([one.chat.messages.length, one.opened.length]).toEqual([2, 1]);
    expect(one.parts().find(({ toolName }) => toolName === 'publish')).toMatchObject({ state: 'output-available' });
    await checkChunks(one.frames);
  });

  it('[CH9] goes on at its agent where its client aborts, and tells that request nothing more', async () => {
    const at = address();
    const gate = `abort ${at}`;
    const one = talkBySocket(at);
    const sent = one.chat.sendMessage({ text: told({ text: 'Done.', gate }) });
    await vi.waitUntil(() => one.frames.some(({ chunk }) => chunk?.type === 'start-step'), { interval: 2 });
    await one.chat.stop();
    await sent;
    // The next request of the socket is answered behind the abort.
    const resumed = one.chat.resumeStream();
    await vi.waitUntil(() => new Set(one.frames.map(({ requestId }) => requestId)).size === 2, { interval: 2 });
    const [first] = one.frames;
    const before = one.frames.filter(({ requestId }) => requestId === first?.requestId).length;
    openGate(gate);
    await resumed;
    expect(one.texts()).toEqual(['Done.']);
    const aborted = one.frames.filter(({ requestId }) => requestId === first?.requestId);
    expect(aborted).toHaveLength(before);
    expect(new Set(aborted.map(({ type }) => type))).toEqual(new Set(['start', 'chunk']));
    expect((await get(`${at}/status`)).body.status).toBe('completed');
  });
});

/** A socket whose frames are written by hand. */
async function line(at: string, headers: Record<string, string> = {}) {
  const socket = socketIn(await send(`${at}/chat`, { headers: { upgrade: 'websocket', ...headers } }));
  const frames: ChatFrame[] = [];
  const found: { closed?: number } = {};
  socket.accept();
  socket.addEventListener('message', ({ data }) => void frames.push(JSON.parse(String(data))));
  socket.addEventListener('close', ({ code }) => {
    found.closed = code;
  });
  const codes = () =>
    frames.map(({ requestId, type, errorText }) => [requestId, type, errorText && JSON.parse(errorText).code]);
  return { socket, frames, codes, found, say: (frame: unknown) => socket.send(JSON.stringify(frame)) };
}

const request = (at: string, requestId: string, text: string) => ({
  ...{ type: 'send', requestId, id: at.split('/').at(-1), trigger: 'submit-message', headers: {}, body: {} },
  messages: [{ id: requestId, role: 'user', parts: [{ type: 'text', text }] }],
});

describe('a frame of a chat', () => {
  it('[CH10] is refused where it is none, and the next ones are answered', async () => {
    const at = address();
    const { socket, codes, say } = await line(at);
    socket.send('{');
    socket.send(new ArrayBuffer(4));
    say({ type: 'other', requestId: 'a' });
    say({ ...request(at, 'b', 'x'), trigger: 'regenerate-message' });
    say({ type: 'resume', requestId: 'c', id: at.split('/').at(-1), lastSequence: 3 });
    say({ type: 'resume', requestId: 'd', id: 'other' });
    socket.send(`{"type":"send","requestId":"e","id":"${'x'.repeat(8_388_608)}"}`);
    say({ type: 'abort', requestId: 'none' });
    await vi.waitUntil(() => codes().length === 7, { interval: 2 });
    expect(new Map(codes().map(([id, ...rest]) => [id, rest]))).toEqual(
      new Map([
        ['', ['error', 'invalid_request']],
        ['a', ['error', 'invalid_request']],
        ['b', ['error', 'not_found']],
        ['c', ['error', 'invalid_request']],
        ['d', ['error', 'not_found']],
        ['e', ['error', 'payload_too_large']],
      ]),
    );
    say(request(at, 'f', told({ text: 'Hello.' })));
    await vi.waitUntil(() => codes().some(([id, type]) => id === 'f' && type === 'end'), { interval: 2 });
    socket.close();
  });

  it('[CH10] is one of as many as a socket has under way', async () => {
    const at = address();
    const gate = `many ${at}`;
    const { socket, codes, say } = await line(at);
    const most = WIRE_LIMITS.maxSocketCalls;
    say(request(at, 'first', told({ text: 'Done.', gate })));
    await vi.waitUntil(() => codes().length > 0, { interval: 2 });
    const resume = (requestId: string) => say({ type: 'resume', requestId, id: at.split('/').at(-1) });
    resume('first');
    for (let n = 1; n <= most; n++) resume(`${n}`);
    await vi.waitUntil(() => codes().some(([id]) => id === `${most}`), { interval: 2 });
    const refused = codes().filter(([, type]) => type === 'error');
    expect(refused).toEqual([
      ['first', 'error', 'invalid_request'],
      [`${most}`, 'error', 'too_many_calls'],
    ]);
    openGate(gate);
    await vi.waitUntil(() => codes().filter(([, type]) => type === 'end').length === most, { interval: 2 });
    resume('later');
    await vi.waitUntil(() => codes().some(([id, type]) => id === 'later' && type === 'no-active'), { interval: 2 });
    socket.close();
  });
});

describe('a ticket of a chat', () => {
  const known = async (at: string) => (await get(`${at}/tokens?limit=500`)).body.items.map(({ id }) => id);

  it('[OC11, TK8] check 34: opens one socket, and counts for its requests until that is closed', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const { token, id } = (await post(`${at}/tickets`, TICKET)).body;
    const one = talkBySocket(at, { protocols: ['offshoot', token] });
    await one.chat.sendMessage({ text: told({ text: 'By ticket.' }) });
    expect([one.chat.status, one.texts(), one.opened[0]?.protocol]).toEqual(['ready', ['By ticket.'], 'offshoot']);
    const other = talkBySocket(at, { params: { ticket: token } });
    await other.chat.sendMessage({ text: told({ text: 'x' }) });
    expect(other.chat.status).toBe('error');
    expect(await known(at)).toContain(id);
    one.opened[0]?.close(1000);
    await vi.waitUntil(async () => !(await known(at)).includes(id), { interval: 2 });
    expect(JSON.stringify(one.frames)).not.toContain('ofs_');
  });

  it('[OC11, TK8, X33] is asked again for every request, and has the rights that it was made with', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const { token } = (await post(`${at}/tickets`, {})).body;
    const one = talkBySocket(at, { params: { ticket: token } });
    await one.chat.sendMessage({ text: told({ text: 'x' }) });
    expect([one.chat.status, JSON.parse(one.chat.error?.message ?? '').code]).toEqual(['error', 'forbidden']);
    await one.chat.resumeStream();
    expect(one.frames.at(-1)?.type).toBe('no-active');
  });

  it('[OC11, TK4] ends its socket with the token that it was made by', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const maker = (await post(`${at}/tokens`, { actions: ['read', 'write', 'share'], ttlSeconds: 3_600 })).body;
    const by = { authorization: `Bearer ${maker.token}` };
    const { token } = (await post(`${at}/tickets`, { actions: ['read', 'write'] }, by)).body;
    const gate = `revoked ${at}`;
    const one = talkBySocket(at, { protocols: ['offshoot', token] });
    const sent = one.chat.sendMessage({ text: told({ text: 'x', gate }) });
    await vi.waitUntil(() => one.frames.some(({ chunk }) => chunk?.type === 'start-step'), { interval: 2 });
    await del(`${at}/tokens/${maker.id}`);
    await sent;
    await vi.waitUntil(() => one.opened[0]?.closed !== undefined, { interval: 2 });
    expect([one.opened[0]?.closed, one.chat.status]).toEqual([4401, 'error']);
    openGate(gate);
  });

  it('[TK8] opens sockets alone, whatever else is asked for with an upgrade', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const { token } = (await post(`${at}/tickets`, TICKET)).body;
    const headers = { upgrade: 'websocket', 'sec-websocket-protocol': `offshoot, ${token}` };
    const statuses = [];
    for (const path of [`${at}/status`, `${at}/chat/${at.split('/').at(-1)}/stream`])
      statuses.push((await send(path, { headers })).status);
    expect(statuses).toEqual([401, 401]);
    const { socket } = await line(at, { 'sec-websocket-protocol': `offshoot, ${token}` });
    socket.close();
  });

  it('[OC11, X34] has bells beside its socket, which do not end it', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const { token, id, expiresAt } = (await post(`${at}/tickets`, TICKET)).body;
    const chat = await line(at, { 'sec-websocket-protocol': `offshoot, ${token}` });
    const root = rootStub(served, { className: 'Top', name: at.split('/').at(-1) ?? '' });
    const opening = { authorizer: 0, url: `${HOST}${at}`, headers: [] };
    const call = {
      kind: 'socket',
      path: [],
      opening,
      caller: 'x',
      token: { id, endsAt: expiresAt },
      bell: true,
    } as const;
    expect(await root.offshoot(call)).toMatchObject({ ok: false, error: { code: 'unauthorized' } });
    const passed = await root.offshoot({ ...call, isOpen: true });
    if (!passed.ok) throw new Error(passed.error.message);
    const headers = { upgrade: 'websocket', [PASS_HEADER]: passed.pass };
    const bell = socketIn(await root.fetch(new Request(`${HOST}${at}`, { headers })));
    bell.accept();
    const rung = new Promise((resolve) => bell.addEventListener('close', resolve));
    bell.close(1000);
    await rung;
    chat.say(request(at, 'a', told({ text: 'Still here.' })));
    await vi.waitUntil(() => chat.codes().some(([, type]) => type === 'end'), { interval: 2 });
    expect(await known(at)).toContain(id);
    chat.socket.close();
  });
});
