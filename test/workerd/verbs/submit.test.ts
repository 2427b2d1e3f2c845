import { abortAllDurableObjects } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { isObject, type JsonObject } from '../../../src/protocol/json';
import { address, get, post, readAll, send, socketIn } from '../../support/api';
import { bindings } from '../../support/bindings';
import { type Frame, framesOf } from '../../support/frames';
import { asks, calls, cameTo, openGate, type PuppetStep, told } from '../../support/puppet';
import { items, picked, publishes, stands, statusOf, threeLevels, waiting, waitingCall, yes } from '../standing';

const rpc = bindings.RPC;
const ACCEPTED = { status: 'accepted', relation: 'continues' };
const MiB = 1_048_576;

/** A root that waits for this. */
async function asking(...steps: PuppetStep[]): Promise<{ at: string; call: string }> {
  const at = address();
  await post(`${at}/start`, { message: told(...steps, { text: 'done' }) });
  return { at, call: await waitingCall(at) };
}

const answers = (at: string, body: JsonObject, headers = {}) => post(`${at}/tool-results`, body, headers);

/** The code of the refusal. */
async function refused(at: string, body: JsonObject): Promise<[number, unknown]> {
  const { status, body: problem } = await answers(at, body);
  return [status, problem.code];
}

/** The results of a root's calls. */
const results = async (at: string) => (await items(`${at}/calls`)).map(({ result, error }) => result ?? error?.code);

describe('what waits', () => {
  it('[A35] is listed at the agent and at all above it, the first one first', async () => {
    const at = address();
    const leaf = [publishes('l'), { text: 'l' }];
    await post(`${at}/start`, {
      message: told(
        calls('middle', [calls('leaf', leaf)]),
        asks(['pick', { of: ['a', 'b'] }], ['publish', { text: 't' }]),
      ),
    });
    const [item] = await waiting(at, 1);
    const owner = `${at}/sub/middle/1~1/sub/leaf/1~1`;
    expect(item).toEqual({
      toolCallId: expect.stringMatching(/^c_/),
      kind: 'approval',
      toolName: 'publish',
      input: { text: 'l' },
      // SHA-256 of {"text":"l"}
      inputHash: Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode('{"text":"l"}'))).toString(
        'hex',
      ),
      address: owner,
      agentType: 'leaf',
      requestedAt: expect.any(Number),
    });
    for (const where of [`${at}/sub/middle/1~1`, owner]) expect(await items(`${where}/pending`)).toEqual([item]);
    for (const where of [at, `${at}/sub/middle/1~1`, owner]) expect((await statusOf(where)).pending).toEqual([item]);
    await answers(at, yes(String(item?.toolCallId)));
    const own = await waiting(at, 2);
    expect(own.map(({ kind, toolName }) => [kind, toolName])).toEqual([
      ['client-tool', 'pick'],
      ['approval', 'publish'],
    ]);
    expect(await items(`${owner}/pending`)).toEqual([]);
  });

  it('[A35, A9] comes in pages, each item once, also where one is answered in between', async () => {
    const at = address();
    const many = Array.from({ length: 40 }, (_, index): [string, JsonObject] => ['publish', { text: `${index}` }]);
    await post(`${at}/start`, { message: told(asks(...many)) });
    const all = await waiting(at, 40);
    expect(all.map(({ input }) => isObject(input) && input.text)).toEqual(many.map(([, { text }]) => text));
    const first = (await get(`${at}/pending?limit=15`)).body;
    const last = first.items.at(-1);
    await answers(at, yes(String(last?.toolCallId)));
    await waiting(at, 39);
    const second = (await get(`${at}/pending?limit=500&cursor=${first.cursor}`)).body;
    expect([...first.items, ...second.items]).toEqual(all);
    expect(second.cursor).toBeUndefined();
    for (const cursor of ['x', '1', '1.', `1.${'c'.repeat(1_025)}`])
      expect((await get(`${at}/pending?cursor=${cursor}`)).body.code).toBe('invalid_cursor');
  });

  it('[A43] is told by the ledger and the schedules, too', async () => {
    const { at, call } = await asking(asks(['publish_later', { text: 'x' }]));
    const [entry] = await items(`${at}/calls`);
    expect(entry).toMatchObject({ toolCallId: call, kind: 'tool', status: 'pending', expiresAt: expect.any(Number) });
    expect(await items(`${at}/pending`)).toMatchObject([{ expiresAt: entry?.expiresAt }]);
    expect(await items(`${at}/schedules`)).toEqual([
      { kind: 'answer', address: at, sessionId: expect.any(String), callId: call, dueAt: entry?.expiresAt },
    ]);
    expect(await statusOf(at)).toMatchObject({
      status: 'suspended_client_tool',
      run: { status: 'suspended_client_tool' },
    });
    expect(await items(`${at}/runs`)).toMatchObject([{ status: 'suspended_client_tool' }]);
    await answers(at, { kind: 'approval-response', toolCallId: call, approved: true, reason: 'fine' });
    await stands(at, 'completed');
    expect(await items(`${at}/calls`)).toMatchObject([
      {
        status: 'succeeded',
        result: { published: 'x' },
        answer: { kind: 'approval-response', approved: true, actor: 'local', reason: 'fine', at: expect.any(Number) },
      },
    ]);
    expect(await items(`${at}/schedules`)).toEqual([]);
  });

  it('[A43] counts agents that wait apart from those that work', async () => {
    const { at } = await threeLevels(publishes('x'));
    await waiting(at, 1);
    await stands(at, 'suspended_awaiting_children');
    expect((await statusOf(at)).childCounts).toEqual({ running: 0, queued: 0, waiting: 2, total: 2 });
  });

  it('[A43] is a client-tool in the ledger and the log', async () => {
    const { at, call } = await asking(asks(['pick', { of: ['a'] }]));
    await answers(at, picked(call, 'a'));
    await stands(at, 'completed');
    expect(await items(`${at}/calls`)).toMatchObject([{ kind: 'client-tool', result: { picked: 'a' } }]);
    expect((await items(`${at}/logs`)).map(({ kind }) => kind)).toEqual(['model', 'client-tool', 'model']);
  });
});

describe('an answer', () => {
  it.each(['root', 'ancestor', 'owner'] as const)(
    '[A34] at the %s goes three levels down, and all go on',
    async (who) => {
      const tree = await threeLevels(publishes('x'), asks(['pick', { of: ['a'] }]));
      const where = { root: tree.at, ancestor: tree.middle, owner: tree.leaf }[who];
      const answered = await answers(where, yes(await waitingCall(tree.at)));
      expect([answered.status, answered.body]).toEqual([202, ACCEPTED]);
      const next = await vi.waitFor(async () => {
        const [item] = await waiting(tree.at, 1);
        expect(item?.toolName).toBe('pick');
        return String(item?.toolCallId);
      });
      // All three wait: none of them is in memory any more.
      await stands(tree.at, 'suspended_awaiting_children');
      await abortAllDurableObjects();
      expect((await answers(where, picked(next, 'a'))).body).toEqual(ACCEPTED);
      expect(await stands(tree.at, 'completed')).toMatchObject({ run: { output: 't' } });
      expect(await results(tree.leaf)).toEqual([{ published: 'x', copies: 1, by: 'local' }, { picked: 'a' }]);
    },
  );

  it('[A34] is taken in any order, and the run goes on after the last', async () => {
    const at = address();
    const message = told(asks(['publish', { text: 'a' }], ['pick', { of: ['p'] }], ['publish', { text: 'b' }]));
    await post(`${at}/start`, { message });
    const [a, pick, b] = (await waiting(at, 3)).map(({ toolCallId }) => String(toolCallId));
    await answers(at, { ...yes(b ?? ''), approved: false, reason: 'not that one' });
    await answers(at, picked(pick ?? '', 'p'));
    expect((await statusOf(at)).status).toBe('suspended_client_tool');
    await answers(at, yes(a ?? ''));
    await stands(at, 'completed');
    expect(await results(at)).toEqual([{ published: 'a', copies: 1, by: 'local' }, { picked: 'p' }, 'approval_denied']);
    const denied = (await items(`${at}/calls`))[2]?.error;
    expect(denied?.message).toContain('not that one');
  });

  it('[A34] over a socket and over a binding is the same', async () => {
    const tree = await threeLevels(publishes('x'), publishes('y'));
    const response = await send(tree.middle, { headers: { upgrade: 'websocket' } });
    const socket = socketIn(response);
    const frames: Frame[] = [];
    socket.accept();
    socket.addEventListener('message', ({ data }) => {
      if (String(data).startsWith('{')) frames.push(JSON.parse(String(data)));
    });
    const first = await waitingCall(tree.at);
    socket.send(JSON.stringify({ type: 'offshoot.subscribe' }));
    await vi.waitFor(() => expect(statusesIn(frames)).toContain('suspended_awaiting_children'));
    socket.send(JSON.stringify({ type: 'offshoot.call', id: 1, verb: 'submit', body: yes(first) }));
    await vi.waitFor(() => expect(frames).toContainEqual({ type: 'offshoot.result', id: 1, ok: true, body: ACCEPTED }));
    const second = await vi.waitFor(async () => {
      const found = await waitingCall(tree.at);
      expect(found).not.toBe(first);
      return found;
    });
    const again = await rpc.submit(tree.at, { kind: 'approval-response', toolCallId: first, approved: false });
    expect(again).toMatchObject({
      ok: false,
      status: 409,
      code: 'already_answered',
      details: { decision: { approved: true, actor: 'local' } },
    });
    const by = { subject: 'alice' };
    const taken = await rpc.submit(tree.at, { kind: 'approval-response', toolCallId: second, approved: true }, by);
    expect(taken).toEqual({ ok: true, status: 202, body: ACCEPTED });
    await stands(tree.at, 'completed');
    expect((await results(tree.leaf))[1]).toMatchObject({ by: 'alice' });
    // The socket was told how its agent stood on the way.
    await vi.waitFor(() => expect(statusesIn(frames)).toContain('completed'));
    socket.close();
  });

  it('[A34] with other arguments runs with what the schema makes of them', async () => {
    const { at, call } = await asking(publishes('draft'));
    await answers(at, yes(call, { input: { text: 'better', unknown: 1 } }));
    await stands(at, 'completed');
    expect(await results(at)).toEqual([{ published: 'better', copies: 1, by: 'local' }]);
    expect(await items(`${at}/calls`)).toMatchObject([{ answer: { input: { text: 'better', copies: 1 } } }]);
  });

  it('[A34] with other arguments that the schema turns into something else runs, too', async () => {
    const { at, call } = await asking(asks(['double', { n: '1' }]));
    await answers(at, yes(call, { input: { n: '21' } }));
    await stands(at, 'completed');
    expect(await results(at)).toEqual([{ doubled: 42 }]);
  });

  it('[A34] of a client that failed is a failure of the call, and for an approval a denial', async () => {
    const { at, call } = await asking(asks(['pick', { of: ['a'] }]), publishes('x'));
    await answers(at, { kind: 'client-tool-result', toolCallId: call, error: 'nobody there' });
    const next = await vi.waitFor(async () => {
      const found = await waitingCall(at);
      expect(found).not.toBe(call);
      return found;
    });
    await answers(at, { kind: 'client-tool-result', toolCallId: next, error: 'nobody there' });
    await stands(at, 'completed');
    expect(await results(at)).toEqual(['client_tool_failed', 'approval_denied']);
  });
});

const statusesIn = (frames: readonly Frame[]) => framesOf(frames, 'offshoot.status').map(({ status }) => status.status);

describe('refusing an answer', () => {
  it('[A36] to what nobody waits for at or below the agent', async () => {
    const tree = await threeLevels(publishes('x'));
    const call = await waitingCall(tree.at);
    const other = await asking(publishes('y'));
    expect(await refused(tree.at, yes('c_nothing'))).toEqual([404, 'unknown_tool_call']);
    expect(await refused(tree.at, yes(other.call))).toEqual([404, 'unknown_tool_call']);
    const two = address();
    await post(`${two}/start`, { message: told(calls('leaf', [publishes('a')], [{ text: 'b' }])) });
    expect(await refused(`${two}/sub/leaf/2~1`, yes(await waitingCall(two)))).toEqual([404, 'unknown_tool_call']);
    // A call that no person has a say in.
    const [own] = await items(`${tree.at}/calls`);
    expect(await refused(tree.at, yes(String(own?.toolCallId)))).toEqual([404, 'unknown_tool_call']);
    expect(await refused(address(), yes(call))).toEqual([404, 'not_found']);
    expect(await waitingCall(tree.at)).toBe(call);
  });

  it('[A36] of another kind; it still waits', async () => {
    const approval = await asking(publishes('x'));
    expect(await refused(approval.at, picked(approval.call, 'a'))).toEqual([400, 'kind_mismatch']);
    const client = await asking(asks(['pick', { of: ['a'] }]));
    expect(await refused(client.at, yes(client.call))).toEqual([400, 'kind_mismatch']);
    expect(await waitingCall(approval.at)).toBe(approval.call);
    expect(await waitingCall(client.at)).toBe(client.call);
  });

  it('[A36, A46] that comes second, with what was decided, also long after', async () => {
    const { at, call } = await asking(publishes('x'), publishes('y'));
    await answers(at, { ...yes(call), approved: false, reason: 'no' });
    const decision = {
      kind: 'approval-response',
      approved: false,
      reason: 'no',
      actor: 'local',
      at: expect.any(Number),
    };
    const secondly = async (): Promise<void> => {
      const { status, body } = await answers(at, yes(call));
      expect([status, body.code, body.details]).toEqual([409, 'already_answered', { decision }]);
    };
    await secondly();
    const next = await vi.waitFor(async () => {
      const found = await waitingCall(at);
      expect(found).not.toBe(call);
      return found;
    });
    // In the same run, but not in the same step.
    await secondly();
    await answers(at, yes(next));
    await stands(at, 'completed');
    await secondly();
    // Another turn has steps of its own.
    await post(`${at}/start`, { message: told({ text: 'z' }), wait: true });
    await secondly();
  });

  it('[A36] an approval after its time', async () => {
    const at = address();
    await post(`${at}/start`, { message: told(asks(['publish_soon', { text: 'x' }])), wait: true });
    await stands(at, 'completed');
    const [entry] = await items(`${at}/calls`);
    expect(entry).toMatchObject({ status: 'failed', error: { code: 'approval_expired' } });
    expect(await refused(at, yes(String(entry?.toolCallId)))).toEqual([409, 'late_answer']);
  });

  it("[A36] a client's result that no model asks for any more: the first is kept for the model, once", async () => {
    const at = address();
    await post(`${at}/start`, {
      message: told(asks(['pick_soon', { of: ['a'] }]), { gate: at, text: 'without' }, { text: 'with' }),
    });
    const call = await vi.waitFor(async () => {
      const [entry] = await items(`${at}/calls`);
      expect(entry?.status).toBe('failed');
      return String(entry?.toolCallId);
    });
    // What does not fit is not kept.
    expect(await refused(at, { kind: 'client-tool-result', toolCallId: call, result: 1 })).toEqual([
      409,
      'late_answer',
    ]);
    for (let round = 0; round < 2; round++) expect(await refused(at, picked(call, 'a'))).toEqual([409, 'late_answer']);
    openGate(at);
    await stands(at, 'completed');
    const told_ = (await items(`${at}/messages`)).filter(({ content }) =>
      String(content).includes('came after its deadline'),
    );
    expect(told_).toHaveLength(1);
    expect(await items(`${at}/audit`)).toMatchObject([
      { action: 'start' },
      { action: 'submit', detail: { toolName: 'pick_soon', decision: 'result', late: true } },
    ]);
  });

  it('[A36, A35] to other arguments than were shown, with the hash of those that are there, which the stream tells', async () => {
    const { at, call } = await asking(publishes('x'));
    const [item] = await items(`${at}/pending`);
    const changed = await answers(at, yes(call, { inputHash: 'a'.repeat(64) }));
    expect([changed.status, changed.body.code, changed.body.details]).toEqual([
      409,
      'input_changed',
      { inputHash: item?.inputHash },
    ]);
    const { chunks } = await readAll(`${at}/stream`);
    const asked = chunks.flatMap(({ chunk }) => (chunk.type === 'tool_approval_request' ? [chunk] : []));
    expect(asked).toMatchObject([{ toolCallId: call, inputHash: item?.inputHash }]);
    expect((await answers(at, yes(call, { inputHash: item?.inputHash ?? '' }))).status).toBe(202);
  });

  it('[A37] that does not fit the schema; it still waits', async () => {
    const approval = await asking(publishes('x'));
    for (const input of [{}, { text: '' }, 'text', null, { text: 'x', copies: 'two' }]) {
      const { status, body } = await answers(approval.at, yes(approval.call, { input }));
      expect([status, body.code]).toEqual([422, 'invalid_arguments']);
      expect(String(body.detail)).toContain('publish');
    }
    const client = await asking(asks(['pick', { of: ['a'] }]));
    for (const result of [null, {}, { picked: 1 }]) {
      const body = { kind: 'client-tool-result', toolCallId: client.call, result };
      expect(await refused(client.at, body)).toEqual([422, 'invalid_input']);
    }
    expect(await waitingCall(approval.at)).toBe(approval.call);
    expect(await waitingCall(client.at)).toBe(client.call);
  });

  it('[A95] names the fields that do not fit', async () => {
    const approval = await asking(publishes('x'));
    const input = { text: 'x', copies: 'two' };
    const { body } = await answers(approval.at, yes(approval.call, { input }));
    expect(body.details).toEqual({ fields: [{ path: 'copies', message: expect.stringContaining('number') }] });
    const client = await asking(asks(['pick', { of: ['a'] }]));
    const result = { kind: 'client-tool-result', toolCallId: client.call, result: { picked: 1 } };
    expect((await answers(client.at, result)).body.details).toEqual({
      fields: [{ path: 'picked', message: expect.stringContaining('string') }],
    });
  });

  it('[A36] says first what makes all else pointless', async () => {
    const { at, call } = await asking(publishes('x'));
    const wrong = { inputHash: 'other', input: {} };
    expect(await refused(at, yes(call, wrong))).toEqual([409, 'input_changed']);
    expect(await refused(at, yes(call, { input: {} }))).toEqual([422, 'invalid_arguments']);
    await answers(at, yes(call));
    await stands(at, 'completed');
    expect(await refused(at, picked(call, 'a'))).toEqual([400, 'kind_mismatch']);
    expect(await refused(at, yes(call, wrong))).toEqual([409, 'already_answered']);
  });

  it('[A37] that is too large, or no answer at all', async () => {
    const { at, call } = await asking(asks(['pick', { of: ['a'] }]));
    const client = { kind: 'client-tool-result', toolCallId: call };
    const approval = { kind: 'approval-response', toolCallId: call };
    expect(await refused(at, { ...client, error: 'x'.repeat(8_193) })).toEqual([413, 'payload_too_large']);
    expect(await refused(at, { ...client, error: 'ä'.repeat(4_097) })).toEqual([413, 'payload_too_large']);
    expect(await refused(at, { ...approval, approved: false, reason: 'x'.repeat(8_193) })).toEqual([
      413,
      'payload_too_large',
    ]);
    expect(await refused(at, picked(call, 'x'.repeat(MiB)))).toEqual([413, 'payload_too_large']);
    for (const body of [
      {},
      { toolCallId: call },
      { ...client },
      { ...client, result: 1, error: 'x' },
      { ...client, error: '' },
      { ...client, error: 1 },
      { ...client, result: 1, extra: 1 },
      { ...client, approved: true },
      { ...client, toolCallId: 'x'.repeat(1_025), result: 1 },
      { ...approval },
      { ...approval, approved: 'yes' },
      { ...approval, approved: false, input: {} },
      { ...approval, approved: true, result: 1 },
      { ...approval, kind: 'approval' },
    ])
      expect([body, ...(await refused(at, body))]).toEqual([body, 400, 'invalid_request']);
    expect(await waitingCall(at)).toBe(call);
    expect((await answers(at, { ...client, error: 'x'.repeat(8_192) })).status).toBe(202);
  });

  it('[A36] while the agent is interrupted, and after a start took its place', async () => {
    const { at, call } = await asking(publishes('x'));
    await post(`${at}/interrupt`, {});
    const stopped = await answers(at, yes(call));
    expect([stopped.status, stopped.body.code]).toEqual([409, 'interrupted']);
    await post(`${at}/start`, { message: told({ text: 'new' }), wait: true });
    expect(await refused(at, yes(call))).toEqual([409, 'late_answer']);
  });
});

describe('answers at once', () => {
  it('[A38] one wins, and the other is told what was decided', async () => {
    for (let round = 0; round < 5; round++) {
      const tree = await threeLevels(publishes('x'));
      const call = await waitingCall(tree.at);
      const both = await Promise.all([
        answers(tree.at, yes(call, { input: { text: 'one' } })),
        answers(tree.middle, { ...yes(call), approved: false }),
        answers(tree.leaf, yes(call, { input: { text: 'three' } })),
      ]);
      expect(both.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
      const losers = both.filter(({ status }) => status === 409);
      for (const { body } of losers) expect(body.code).toBe('already_answered');
      await stands(tree.at, 'completed');
      const { chunks } = await readAll(`${tree.at}/stream`);
      expect(chunks.filter(({ chunk }) => chunk.type === 'tool_answered')).toHaveLength(1);
    }
  });

  it('[A38, A18] the same one twice at once, and again after a crash, is accepted once', async () => {
    const tree = await threeLevels(publishes('x'));
    const call = await waitingCall(tree.at);
    const key = { 'idempotency-key': 'k' };
    const body = yes(call, { input: { text: 'once' } });
    const both = await Promise.all([answers(tree.at, body, key), answers(tree.at, body, key)]);
    expect(both.map(({ status, body: said }) => [status, said])).toEqual([
      [202, ACCEPTED],
      [202, ACCEPTED],
    ]);
    await stands(tree.at, 'completed');
    await abortAllDurableObjects();
    expect((await answers(tree.at, body, key)).status).toBe(202);
    expect((await answers(tree.at, yes(call), key)).body.code).toBe('idempotency_conflict');
    expect(await results(tree.leaf)).toEqual([{ published: 'once', copies: 1, by: 'local' }]);
    const answered = (await items(`${tree.leaf}/audit`)).filter(({ action }) => action === 'submit');
    expect(answered).toHaveLength(1);
  });

  it('[A38, A18] that are still being checked: the first one counts, with a key for both', async () => {
    const { at, call } = await asking(asks(['vetted', { text: 'x' }]));
    const gate = `gate ${at}`;
    const body = yes(call, { input: { text: gate } });
    const key = { 'idempotency-key': 'k' };
    const both = [answers(at, body, key), answers(at, body, key)];
    await vi.waitFor(() => expect(cameTo(gate)).toBe(2));
    openGate(gate);
    const said = await Promise.all(both);
    expect(said.map(({ status, body: accepted }) => [status, accepted])).toEqual([
      [202, ACCEPTED],
      [202, ACCEPTED],
    ]);
    await stands(at, 'completed');
    expect((await items(`${at}/audit`)).filter(({ action }) => action === 'submit')).toHaveLength(1);
  });

  it('[A38] one that is still being checked loses to another one', async () => {
    const { at, call } = await asking(asks(['vetted', { text: 'x' }]));
    const gate = `gate ${at}`;
    const slow = answers(at, yes(call, { input: { text: gate } }));
    await vi.waitFor(() => expect(cameTo(gate)).toBe(1));
    expect((await answers(at, { ...yes(call), approved: false })).status).toBe(202);
    openGate(gate);
    expect(await slow).toMatchObject({
      status: 409,
      body: { code: 'already_answered', details: { decision: { approved: false } } },
    });
  });
});
