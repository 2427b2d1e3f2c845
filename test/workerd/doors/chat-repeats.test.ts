/** Messages of chats that are sent again: known by what their client sent, and answered by their own answers. */
import type { UIMessage } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json';
import { address, del, get, post, send } from '../../support/api';
import { messagesAt, type Talk, talk } from '../../support/chats';
import { asks, calls, openGate, told } from '../../support/puppet';

const detailOf = ({ chat }: Talk): string => JSON.parse(chat.error?.message ?? '{}').detail ?? '';
const runsAt = async (at: string) => (await get(`${at}/runs`)).body.items;
const usersAt = async (at: string) => (await get(`${at}/messages`)).body.items.filter(({ role }) => role === 'user');
const statusIs = (at: string, status: string) =>
  vi.waitUntil(async () => (await get(`${at}/status`)).body.status === status, { interval: 2 });

/** Sends a request again, as a proxy or a page that had no answer does; the chunks of the answer. */
async function repeated(
  at: string,
  messages: readonly UIMessage[],
  messageId?: string,
): Promise<readonly JsonObject[]> {
  const body = { id: at.split('/').at(-1), trigger: 'submit-message', messages, ...(messageId ? { messageId } : {}) };
  const headers = { 'content-type': 'application/json' };
  const text = await (await send(`${at}/chat`, { method: 'POST', body: JSON.stringify(body), headers })).text();
  return text.split('\n\n').flatMap((event) => (event.startsWith('data: {') ? [JSON.parse(event.slice(6))] : []));
}

const textIn = (chunks: readonly JsonObject[]): string => chunks.map(({ delta = '' }) => delta).join('');
const ask = (text: string, id = 'm1'): UIMessage => ({ id, role: 'user', parts: [{ type: 'text', text }] });
const file = (text: string, filename = 'a.txt') =>
  ({ type: 'file', mediaType: 'text/plain', filename, url: `data:text/plain;base64,${btoa(text)}` }) as const;

describe('a message that is sent again', () => {
  it('[CH15, CH17] with another file is an edit; the same file is none, also in a page that was loaded since', async () => {
    const at = address();
    const one = talk(at);
    await one.chat.sendMessage({ parts: [{ type: 'text', text: told({ text: 'Read.' }) }, file('one')] });
    const [message] = one.chat.messages;
    for (const given of [message, (await messagesAt(at))[0]]) {
      const again = talk(at, { messages: structuredClone([given]) as UIMessage[] });
      await again.chat.sendMessage();
      expect([again.chat.error, again.texts()]).toEqual([undefined, ['Read.']]);
    }
    for (const changed of [file('two'), file('one', 'b.txt')]) {
      const edited = talk(at, { messages: [structuredClone(message)] as UIMessage[] });
      const parts = [message?.parts[0], changed] as UIMessage['parts'];
      await edited.chat.sendMessage({ parts, messageId: message?.id ?? '' });
      expect(detailOf(edited)).toContain('cannot be edited');
    }
    expect(await runsAt(at)).toHaveLength(1);
  });

  it('[CH15, CH17] is known by what was sent where a hook has changed it', async () => {
    const at = address('scribe');
    const one = talk(at);
    const script = { type: 'text', text: told({ text: 'Heard.' }) } as const;
    await one.chat.sendMessage({ parts: [script, { type: 'text', text: 'Please.' }] });
    const [message] = one.chat.messages;
    const [listed] = await messagesAt(at);
    expect(listed?.parts).toHaveLength(3);
    for (const given of [message, listed]) {
      const again = talk(at, { messages: structuredClone([given]) as UIMessage[] });
      await again.chat.sendMessage();
      expect([again.chat.error, again.texts()]).toEqual([undefined, ['Heard.']]);
    }
    const edited = talk(at, { messages: [structuredClone(message)] as UIMessage[] });
    await edited.chat.sendMessage({ parts: [script, { type: 'text', text: 'Now.' }], messageId: message?.id ?? '' });
    expect(detailOf(edited)).toContain('cannot be edited');
    expect(await runsAt(at)).toHaveLength(1);
  });

  it('[CH17, CH22] counts once where two people send it at the same instant', async () => {
    const at = address();
    await talk(at).chat.sendMessage({ text: told({ text: 'First.' }) });
    const tokens = await Promise.all(
      [1, 2].map(
        async () => (await post(`${at}/tokens`, { actions: ['read', 'write'], ttlSeconds: 3_600 })).body.token,
      ),
    );
    const message = ask(told({ text: 'Once.' }), 'same');
    const body = JSON.stringify({ id: at.split('/').at(-1), trigger: 'submit-message', messages: [message] });
    const answers = await Promise.all(
      tokens.map(async (token) => {
        const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
        const response = await send(`${at}/chat`, { method: 'POST', body, headers });
        return [response.status, (await response.text()).includes('Once.')];
      }),
    );
    expect(answers).toEqual([
      [200, true],
      [200, true],
    ]);
    expect([(await runsAt(at)).length, (await usersAt(at)).length]).toEqual([2, 2]);
  });

  it('[CH11, CH22] is regenerated once where two people ask for that at the same instant', async () => {
    const at = address();
    const one = talk(at);
    await one.chat.sendMessage({ text: told({ fail: { status: 400, message: 'x' } }) });
    const tokens = await Promise.all(
      [1, 2].map(
        async () => (await post(`${at}/tokens`, { actions: ['read', 'write'], ttlSeconds: 3_600 })).body.token,
      ),
    );
    const body = JSON.stringify({
      ...{ id: at.split('/').at(-1), trigger: 'regenerate-message' },
      messages: one.chat.messages.slice(0, 1),
    });
    const answers = await Promise.all(
      tokens.map(async (token) => {
        const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
        const response = await send(`${at}/chat`, { method: 'POST', body, headers });
        const chunks = (await response.text()).split('\n\n');
        return [response.status, chunks.filter((chunk) => chunk.includes('"type":"error"')).length];
      }),
    );
    // The model fails once more, and both are shown that.
    expect(answers).toEqual([
      [200, 1],
      [200, 1],
    ]);
    expect(await runsAt(at)).toHaveLength(2);
  });

  it('[CH11, CH15, CH17] is known behind any number of messages', async () => {
    const at = address();
    const one = talk(at);
    const many = asks(...Array.from({ length: 30 }, (): [string, JsonObject] => ['note', { text: 'x' }]));
    const steps = Array.from({ length: 8 }, () => many);
    await one.chat.sendMessage({ text: told({ text: 'First.' }) });
    await one.chat.sendMessage({ text: told(...steps, { fail: { status: 400, message: 'x' } }) });
    expect((await get(`${at}/messages?limit=500`)).body.items.length).toBeGreaterThan(240);
    const [first, answer, second] = structuredClone(one.chat.messages);
    const edited = talk(at, { messages: [first, answer, second] as UIMessage[] });
    await edited.chat.sendMessage({ text: 'Edited.', messageId: second?.id ?? '' });
    expect(detailOf(edited)).toContain('cannot be edited');
    // One that others followed is not the last.
    const stale = talk(at, { messages: [first] as UIMessage[] });
    await stale.chat.sendMessage();
    expect(detailOf(stale)).toContain('cannot be edited');
    stale.chat.clearError();
    await stale.chat.regenerate({ messageId: first?.id ?? '' });
    expect(detailOf(stale)).toContain('Only the last answer');
    expect(await runsAt(at)).toHaveLength(2);
  });

  it('[CH15, CH17] is known behind messages that were taken back', async () => {
    const at = address();
    const gate = `gaps ${at}`;
    const one = talk(at);
    const many = asks(...Array.from({ length: 46 }, (): [string, JsonObject] => ['note', { text: 'x' }]));
    const sent = one.chat.sendMessage({
      text: told({ ...asks(['note', { text: 'x' }]), gate }, many, { text: 'First.' }),
    });
    await statusIs(at, 'running');
    const ids: string[] = [];
    for (const content of ['b', 'c', 'd']) ids.push((await post(`${at}/messages`, { content })).body.messageId);
    for (const id of ids.slice(0, 2)) expect((await del(`${at}/messages/${id}`)).status).toBeLessThan(300);
    openGate(gate);
    await sent;
    const [message] = structuredClone(one.chat.messages);
    const edited = talk(at, { messages: [message] as UIMessage[] });
    await edited.chat.sendMessage({ text: 'Edited.', messageId: message?.id ?? '' });
    expect(detailOf(edited)).toContain('cannot be edited');
    expect(await usersAt(at)).toHaveLength(2);
  });
});

describe('the answer of a message that is sent again', () => {
  it('[CH15, CH18] of a failed run is that failure, and none of a later turn', async () => {
    const at = address();
    const one = talk(at);
    await one.chat.sendMessage({ text: told({ fail: { status: 400, message: 'x' } }) });
    const [message] = structuredClone(one.chat.messages);
    const { message: failure } = one.chat.error ?? {};
    one.chat.clearError();
    await one.chat.sendMessage({ text: told({ text: 'Second.' }) });
    const chunks = await repeated(at, [message] as UIMessage[]);
    expect(textIn(chunks)).toBe('');
    expect(chunks.at(-1)).toEqual({ type: 'error', errorText: failure });
    expect(await runsAt(at)).toHaveLength(2);
  });

  it('[CH15, CH18] that was taken back is none', async () => {
    const at = address();
    const gate = `taken ${at}`;
    const one = talk(at);
    const sent = one.chat.sendMessage({ text: told({ ...asks(['note', { text: 'x' }]), gate }, { text: 'First.' }) });
    await statusIs(at, 'running');
    const other = talk(at);
    const more = other.chat.sendMessage({ text: 'More.' });
    await vi.waitUntil(async () => (await usersAt(at)).length === 2, { interval: 2 });
    expect((await del(`${at}/messages/${(await usersAt(at))[1]?.messageId}`)).status).toBeLessThan(300);
    openGate(gate);
    await Promise.all([sent, more]);
    await one.chat.sendMessage({ text: told({ text: 'Second.' }) });
    const chunks = await repeated(at, other.chat.messages.slice(0, 1));
    expect(textIn(chunks)).toBe('');
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'interrupted' });
  });

  it('[CH15, CH18] is the rest of the answer that it was read in, under the same id', async () => {
    const at = address();
    const gate = `read ${at}`;
    const one = talk(at);
    const first = { text: 'Before.', ...asks(['note', { text: 'x' }]), gate };
    const sent = one.chat.sendMessage({ text: told(first, { text: 'Behind.' }) });
    await statusIs(at, 'running');
    const other = talk(at);
    const more = other.chat.sendMessage({ text: 'More.' });
    await vi.waitUntil(async () => (await usersAt(at)).length === 2, { interval: 2 });
    openGate(gate);
    await Promise.all([sent, more]);
    const [message, answer] = structuredClone(other.chat.messages);
    for (const messageId of [undefined, message?.id]) {
      const chunks = await repeated(at, [message] as UIMessage[], messageId);
      expect([chunks[0]?.messageId, textIn(chunks)]).toEqual([answer?.id, 'Behind.']);
    }
    await one.chat.sendMessage({ text: told({ text: 'Later.' }) });
    expect(textIn(await repeated(at, [message] as UIMessage[]))).toBe('Behind.');
  });

  it('[CH15, CH18] that resumed a stopped run is the part behind it, under the same id', async () => {
    const at = address();
    const one = talk(at);
    const sent = one.chat.sendMessage({
      text: told(asks(['note', { text: 'x' }]), { text: 'Begun.', gate: `stop ${at}` }, { text: 'no' }),
    });
    await vi.waitUntil(() => JSON.stringify(one.chat.messages).includes('noted'), { interval: 2 });
    await post(`${at}/interrupt`, {});
    await sent;
    openGate(`stop ${at}`);
    await one.chat.sendMessage({ text: 'Go on.' });
    const [, , message, answer] = structuredClone(one.chat.messages);
    const chunks = await repeated(at, [message] as UIMessage[]);
    expect(answer?.id).toMatch(/\.1\.m_/);
    expect([chunks[0]?.messageId, textIn(chunks)]).toEqual([answer?.id, 'Begun.']);
    expect(JSON.stringify(chunks)).not.toContain('noted');
  });
});

describe('answers beside a message that is sent again', () => {
  const begun = async (...tools: [string, JsonObject][]) => {
    const at = address();
    const one = talk(at);
    await one.chat.sendMessage({ text: told(asks(...tools), { text: 'Done.' }) });
    const [first, answer] = structuredClone(one.chat.messages);
    const part = answer?.parts.find(({ type }) => type === 'dynamic-tool') as unknown as JsonObject;
    const withPart = (more: JsonObject) =>
      ({
        ...answer,
        parts: answer?.parts.map((each) => (each.type === 'dynamic-tool' ? { ...part, ...more } : each)),
      }) as unknown as UIMessage;
    return { at, first: first as UIMessage, part, withPart };
  };

  it('[CH8, CH19] are given: the output of a tool of the page', async () => {
    const { at, first, withPart } = await begun(['pick', { of: ['a'] }]);
    const more = talk(at, { messages: [first, withPart({})] });
    await more.chat.sendMessage({ text: 'And this.' });
    const [, , message] = structuredClone(more.chat.messages);
    const done = withPart({ state: 'output-available', output: { picked: 'a' } });
    const again = talk(at, { messages: [first, done, message] as UIMessage[] });
    await again.chat.sendMessage();
    expect([again.chat.error, again.texts()]).toEqual([undefined, ['Done.']]);
    expect((await get(`${at}/pending`)).body.items).toEqual([]);
    expect(await usersAt(at)).toHaveLength(2);
  });

  it('[CH8, CH19] are waited for: an approval for a sub-agent', async () => {
    const at = address();
    const one = talk(at);
    const gate = `leaf ${at}`;
    const leaf = [asks(['publish', { text: 'x' }]), { text: 'l', gate }];
    await one.chat.sendMessage({ text: told(calls('leaf', leaf), { text: 'Done.' }) });
    await one.chat.addToolApprovalResponse({
      id: one.parts().find(({ approval }) => approval)?.toolCallId ?? '',
      approved: true,
    });
    const sent = one.chat.sendMessage({ text: 'And this.' });
    await vi.waitUntil(async () => (await usersAt(at)).length === 2, { interval: 2 });
    openGate(gate);
    await sent;
    expect([one.chat.error, one.texts()]).toEqual([undefined, ['Done.']]);
    expect(one.parts().filter(({ state }) => state === 'approval-requested')).toEqual([]);
  });

  it.each([true, false])(
    '[CH8, CH19] are given: an approval in an older answer (message sent before: %s)',
    async (was) => {
      const { at, first, part, withPart } = await begun(['publish', { text: 'x' }]);
      const message = ask(told({ text: 'x' }), 'm2');
      if (was) await repeated(at, [message]);
      const approval = { ...(part.approval as JsonObject), approved: true };
      const page = talk(at, { messages: [first, withPart({ state: 'approval-responded', approval }), message] });
      // Its client names the answer that has the approval.
      await page.chat.sendMessage();
      expect(page.chat.error).toBeUndefined();
      await statusIs(at, 'completed');
      expect((await get(`${at}/calls`)).body.items).toMatchObject([{ toolName: 'publish', status: 'succeeded' }]);
      expect(await usersAt(at)).toHaveLength(2);
      expect(page.chat.messages.map(({ id }) => id)).toEqual([first.id, withPart({}).id, 'm2']);
      const done = { toolCallId: part.toolCallId, state: 'output-available' };
      const shown: readonly unknown[] = page.chat.messages[1]?.parts ?? [];
      expect(shown).toContainEqual(expect.objectContaining(done));
      if (!was) return;
      // A page that had no answer to that repeats it: the message is read in the answer that it continues.
      const again = talk(at, { messages: [first, withPart({ state: 'approval-responded', approval }), message] });
      await again.chat.sendMessage();
      expect(again.chat.error).toBeUndefined();
      expect(again.chat.messages[1]?.parts).toContainEqual(expect.objectContaining(done));
      expect(await usersAt(at)).toHaveLength(2);
    },
  );

  it('[CH8, CH21] behind an old answer that waits for nothing is refused, and sent by its id', async () => {
    const { at, first, part, withPart } = await begun(['publish', { text: 'x' }]);
    const approval = { ...(part.approval as JsonObject), approved: true };
    const old = withPart({ state: 'approval-responded', approval });
    await repeated(at, [first, old, ask(told({ text: 'Second.' }), 'm2')]);
    await statusIs(at, 'completed');
    const text = told({ text: 'Third.' });
    // A page whose request was lost: its client names the answer with the approval still.
    const page = talk(at, { messages: [first, old, ask(text, 'm3')] });
    await page.chat.sendMessage();
    expect([detailOf(page), (await usersAt(at)).length]).toEqual([expect.stringContaining('messageId'), 2]);
    page.chat.clearError();
    await page.chat.sendMessage({ text, messageId: 'm3' });
    expect([page.chat.error, page.texts()]).toEqual([undefined, ['Third.']]);
    // It has an answer of its own now, which is none of the old one.
    const again = talk(at, { messages: [first, old, ask(text, 'm3')] });
    await again.chat.sendMessage();
    expect([detailOf(again), (await usersAt(at)).length]).toEqual([expect.stringContaining('messageId'), 3]);
  });
});
