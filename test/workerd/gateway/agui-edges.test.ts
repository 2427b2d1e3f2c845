/** The door of AG-UI at its edges: what is refused, what clients bring, what must not get out. */
import { describe, expect, it } from 'vitest';
import { agui } from '../../../src/agui';
import type { Json, JsonObject } from '../../../src/protocol/json';
import type { Action } from '../../../src/protocol/shown/actions';
import { createWorker } from '../../../src/worker';
import { client, only, resolved, YES } from '../../support/agui-client';
import { address, get, HOST, post, send } from '../../support/api';
import { served } from '../../support/bindings';
import { asks, calls, openGate, type PuppetStep, told } from '../../support/puppet';
import { noted } from '../../support/told';
import { Leaf, Middle, Top } from '../../support/worker';
import { items, publishes, stands, waiting } from '../standing';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const fails: PuppetStep = { fail: { code: 'model_refused', message: 'A secret of the provider.' } };
const user = (id: string, content: Json): JsonObject => ({ id, role: 'user', content });
const body = (threadId: string, more: JsonObject): JsonObject => ({ threadId, runId: 'r', messages: [], ...more });
const threadOf = (at: string): string => at.split('/')[3] ?? '';

/** What a caller without one right is answered. */
async function without(missing: Action, given: JsonObject, path = '/agui/top') {
  const asked: string[] = [];
  const worker = createWorker({
    agents: [Top, Middle, Leaf],
    doors: [agui()],
    authorize: (_request, { action }) => {
      asked.push(action);
      return action === missing ? { refused: 'forbidden' } : { subject: 'reader' };
    },
  });
  const headers = { 'content-type': 'application/json' };
  const request = new Request(`${HOST}${path}`, { method: 'POST', headers, body: JSON.stringify(given) });
  const response = await worker.fetch(request, {}, { exports: served });
  await response.body?.cancel();
  return { status: response.status, asked };
}

describe('the door of AG-UI, at its edges', () => {
  it('[AU1] [OC9] does nothing of a request of which one part is refused', async () => {
    const at = address();
    await post(`${at}/start`, { message: told(asks(['publish', { text: 'x' }], ['publish', { text: 'y' }])) });
    const found = await waiting(at, 2);
    const [first, second] = found.map(({ toolCallId, inputHash }) => `${toolCallId}.${inputHash}`);
    const both = [first, second].map((interruptId) => ({ interruptId, status: 'resolved', payload: YES }));
    const said = body(threadOf(at), { messages: [user('u1', 'And this.')], resume: both as never });
    expect(await without('write', said)).toMatchObject({ status: 403, asked: expect.arrayContaining(['answer']) });
    expect((await without('answer', said)).status).toBe(403);
    expect((await without('read', said)).status).toBe(403);
    // An input that no route takes is as good as a right that is missing.
    const wrong = [both[0], { ...both[1], payload: { approved: true, input: 'x'.repeat(300_000) } }];
    const large = body(threadOf(at), { messages: [user('u1', [])], resume: wrong as never });
    expect((await post('/agui/top', large)).status).toBeGreaterThanOrEqual(400);
    expect((await without('stop', { threadId: threadOf(at) }, '/agui/top/stop')).status).toBe(403);
    await waiting(at, 2);
    expect(await items(`${at}/messages`)).toHaveLength(2);
  });

  it('[AU11] does nothing of a request of which one part only the agent refuses', async () => {
    const at = address();
    await post(`${at}/start`, { message: told(asks(['publish', { text: 'x' }], ['pick', { of: ['a'] }])) });
    const found = await waiting(at, 2);
    const call = found.find(({ kind }) => kind === 'approval');
    const other = found.find(({ kind }) => kind !== 'approval');
    const approval = { interruptId: `${call?.toolCallId}.${call?.inputHash}`, status: 'resolved', payload: YES };
    const unfit = { interruptId: other?.toolCallId, status: 'resolved', payload: 'This is no choice.' };
    const broken = { type: 'image', source: { type: 'data', value: 'bm9uZQ==', mimeType: 'image/png' } };
    for (const more of [
      { resume: [approval, unfit] },
      { resume: [approval], messages: [user('u1', [broken])] },
    ] as unknown as JsonObject[]) {
      expect((await post('/agui/top', body(threadOf(at), more))).body.code).toBe('invalid_input');
      await waiting(at, 2);
    }
  });

  it('[AU1] [AU7] takes none of several answers of which one is to other arguments, or of another kind', async () => {
    const at = address();
    await post(`${at}/start`, {
      message: told(asks(['publish', { text: 'x' }], ['publish', { text: 'y' }], ['pick', { of: ['a'] }])),
    });
    const [first, second, third] = await waiting(at, 3);
    const answer = (interruptId: string) => ({ interruptId, status: 'resolved', payload: YES });
    const good = answer(`${first?.toolCallId}.${first?.inputHash}`);
    for (const [id, code] of [
      [`${second?.toolCallId}.${'0'.repeat(64)}`, 'input_changed'],
      [`${third?.toolCallId}.${third?.inputHash}`, 'kind_mismatch'],
      [String(second?.toolCallId), 'kind_mismatch'],
    ] as const) {
      const given = body(threadOf(at), { resume: [good, answer(id)] });
      expect([id, (await post('/agui/top', given)).body.code]).toEqual([id, code]);
    }
    await waiting(at, 3);
  });

  it('[OC8] asks an authorizer that looks at bodies', async () => {
    const worker = createWorker({
      agents: [Top, Middle, Leaf],
      doors: [agui()],
      authorize: async (request) => {
        await request.clone().text();
        return { subject: 'reader' };
      },
    });
    const given = body(threadOf(address()), { messages: [user('u1', told({ text: 'x' }))] });
    const headers = { 'content-type': 'application/json' };
    const request = new Request(`${HOST}/agui/top`, { method: 'POST', headers, body: JSON.stringify(given) });
    const response = await worker.fetch(request, {}, { exports: served });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('RUN_FINISHED')]);
  });

  it('[AU1] begins no root for a request that is refused', async () => {
    const at = address();
    const url = { type: 'url', value: 'https://example.com/a.png' };
    const refused: readonly [JsonObject, number][] = [
      [{ messages: [user('u1', [{ type: 'image', source: url }])] }, 400],
      [
        { messages: [user('u1', [{ type: 'image', source: { type: 'data', value: '%', mimeType: 'image/png' } }])] },
        400,
      ],
      [{ messages: [user('u1', 'x'.repeat(8_400_000))] }, 413],
      [{ messages: [user('x'.repeat(10_000), 'x')] }, 400],
      [
        { messages: [user('u1', 'x')], context: Array.from({ length: 65 }, () => ({ description: '', value: '' })) },
        400,
      ],
    ];
    for (const [given, status] of refused)
      expect((await post('/agui/top', body(threadOf(at), given))).status, JSON.stringify(given).substring(0, 80)).toBe(
        status,
      );
    expect((await without('write', body(threadOf(at), { messages: [user('u1', 'x')] }))).status).toBe(403);
    expect((await get(`${at}/status`)).status).toBe(404);
  });

  // https://github.com/pydantic/pydantic-ai/issues/3802, https://github.com/ag-ui-protocol/ag-ui/pull/2295
  it('[AU13] reads a message among those of roles that it does not read', async () => {
    const at = address();
    const activity = { id: 'a1', role: 'activity', activityType: 'plan', content: { steps: ['x'] } };
    const beside = [activity, ...['system', 'developer'].map((role) => ({ id: role, role, content: 'Be brief.' }))];
    for (const [number, text] of ['first', 'second'].entries()) {
      const said = number === 0 ? [] : [{ id: 'r1', role: 'assistant', content: 'first' }];
      const messages = [...beside, ...said, user(`u${number}`, told({ text })), ...beside];
      const response = await send('/agui/top', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body(threadOf(at), { messages })),
      });
      expect(response.status).toBe(200);
      expect(await response.text()).toContain(`"delta":"${text}"`);
    }
    expect(await items(`${at}/messages`)).toHaveLength(4);
  });

  it('[AU3] gives the agent the files and the context of a message, and files by their bytes alone', async () => {
    const { agent, at } = client();
    const source = { type: 'data', value: PIXEL, mimeType: 'image/png' } as const;
    const content = [
      { type: 'text', text: told({ text: 'seen' }) },
      { type: 'image', source },
      { type: 'document', source: { type: 'data', value: btoa('a,b'), mimeType: 'text/csv' } },
    ];
    agent.messages = [{ id: 'u1', role: 'user', content: content as never }];
    const context = [{ description: 'The page', value: 'Prices' }];
    await agent.runAgent({ context });
    const [message] = await items(`${at}/messages`);
    const text = JSON.stringify(message?.content);
    for (const part of ['image/png', 'text/csv', 'Context:\\nThe page: Prices']) expect(text).toContain(part);
    // Sent again with another context it is the same message.
    expect((await agent.runAgent({ context: [] })).result).toBe('seen');
    expect((await items(`${at}/messages`)).filter(({ role }) => role === 'user')).toHaveLength(1);
  });

  it('[AU1] ends a run that fails with its code and a sentence for everyone, and keeps the rest to itself', async () => {
    const { agent, say, types, seen, thread } = client();
    say(told(calls('leaf', [fails]), fails));
    await agent.runAgent().catch(() => undefined);
    expect(types().filter((type) => type === 'RUN_ERROR')).toHaveLength(1);
    expect(seen.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'model_refused', message: expect.any(String) });
    expect(only(seen, 'SUBAGENT_ERROR')).toMatchObject([{ code: 'model_refused' }]);
    const joined = client(thread);
    await joined.agent.runAgent().catch(() => undefined);
    expect(joined.types()).toContain('MESSAGES_SNAPSHOT');
    expect(joined.seen.at(-1)).toMatchObject({ code: 'model_refused' });
    // The script of this test is in calls and messages of people alone.
    const results = only(seen, 'TOOL_CALL_RESULT').map(({ content }) => content);
    const shown = joined.agent.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    const errors = [...seen, ...joined.seen].filter(({ type }) => String(type).endsWith('_ERROR'));
    expect([results.length, shown.length, errors.length]).toEqual([1, 1, 4]);
    expect(JSON.stringify([results, shown, errors])).not.toContain('secret');
  });

  it('[AU6] shows results of tools to a client that joins as they were shown to the others', async () => {
    const { agent, say, seen, thread } = client();
    say(told(noted('a'), asks(['nobody', {}]), { text: 'ok' }));
    await agent.runAgent();
    const live = only(seen, 'TOOL_CALL_RESULT').map((one) => one.content);
    expect(live).toMatchObject(['{"noted":"a"}', expect.stringContaining('error')]);
    const joined = client(thread);
    await joined.agent.runAgent();
    const shown = joined.agent.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(shown).toEqual(live);
  });

  it('[AU8] ends with its question once nothing else works, also where that came to rest later', async () => {
    const gate = crypto.randomUUID();
    const { agent, say, at, seen } = client();
    const [leaf] = calls('leaf', [{ gate, text: 'l' }]).calls ?? [];
    say(told({ calls: [...(publishes('x').calls ?? []), ...(leaf ? [leaf] : [])] }, { text: 'ok' }));
    const running = agent.runAgent();
    await waiting(at, 1);
    openGate(gate);
    await running;
    expect(only(seen, 'SUBAGENT_FINISHED')).toMatchObject([{ result: 'l' }]);
    expect(agent.pendingInterrupts).toHaveLength(1);
    expect((await agent.runAgent({ resume: resolved(agent.pendingInterrupts) })).result).toBe('ok');
  });

  it('[AU8] ends where it waits for what no answer ends, and looks again when it is asked', async () => {
    const { agent, say, at } = client();
    say(told(calls('careful', [fails]), { text: 'ok' }));
    await agent.runAgent();
    expect(agent.pendingInterrupts).toMatchObject([{ reason: 'offshoot.waits' }]);
    await agent.runAgent({ resume: resolved(agent.pendingInterrupts) });
    expect(agent.pendingInterrupts).toMatchObject([{ reason: 'offshoot.waits' }]);
    await post(`${at}/terminate`, {});
    await stands(at, 'terminated');
  });

  it('[AU6] has in the state of a client that joins what was before, and patches of what came after alone', async () => {
    const gate = crypto.randomUUID();
    const { agent, say, thread, at } = client();
    say(told(noted('a'), { gate, ...noted('b') }, { text: 'ok' }));
    const running = agent.runAgent();
    await expect.poll(async () => (await get(`${at}/state`)).body.state, { interval: 5 }).toEqual({ noted: 'a' });
    const joined = client(thread);
    const begun = new Promise<void>((resolve) => {
      joined.agent.subscribe({ onStateSnapshotEvent: () => resolve() });
    });
    const second = joined.agent.runAgent();
    await begun;
    openGate(gate);
    await Promise.all([running, second]);
    expect(only(joined.seen, 'STATE_SNAPSHOT')).toMatchObject([{ snapshot: { noted: 'a' } }]);
    expect(only(joined.seen, 'STATE_DELTA')).toHaveLength(1);
    expect(joined.agent.state).toEqual({ noted: 'b' });
  });

  it('[AU2] refuses another message under an id that was used, and loses none', async () => {
    const { agent, thread, say } = client();
    say(told({ text: 'one' }));
    await agent.runAgent();
    const again = body(thread, { messages: [user('u1', 'Something else.')] });
    expect(await post('/agui/top', again)).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
  });

  it("[AU7] takes a result of the client's tool that is no proper JSON as text", async () => {
    const given = [
      '{"picked":"a","__proto__":{"x":1}}',
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      '{"picked":1e400}',
    ];
    for (const content of given) {
      const at = address();
      await post(`${at}/start`, { message: told(asks(['pick', { of: ['a'] }])) });
      const [item] = await waiting(at, 1);
      const tool = { id: 't1', role: 'tool', toolCallId: item?.toolCallId ?? '', content };
      const answer = await send('/agui/top', {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
        body: JSON.stringify(body(threadOf(at), { messages: [tool] })),
      });
      const text = await answer.text();
      // The tool says what its results look like: a text is none of them.
      expect([answer.status, text], content.substring(0, 40)).toEqual([422, expect.stringContaining('invalid')]);
      await waiting(at, 1);
    }
  });
});
