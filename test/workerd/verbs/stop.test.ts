import { abortAllDurableObjects } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json';
import { address, get, open, post, readAll, send } from '../../support/api';
import { present } from '../../support/present';
import { asks, calls, cameTo, openGate, told } from '../../support/puppet';
import { lives } from '../../support/worker';
import { items, publishes, stands, statusOf, threeAtGate, threeLevels, waiting, waitingCall, yes } from '../standing';

const hangs = { hang: 'until-aborted' as const };

describe('stopping a root', () => {
  it.each([
    ['interrupt', 'interrupted'],
    ['abort', 'failed'],
    ['terminate', 'terminated'],
  ])('[A32] %s is accepted at once, and everything below ends', async (verb, status) => {
    const { at, middle, leaf } = await threeAtGate();
    const { runId } = present((await statusOf(at)).run);
    const stopped = await post(`${at}/${verb}`, { reason: 'enough' });
    // Its child has not ended yet when the stop is acknowledged.
    expect([stopped.status, stopped.body]).toEqual([202, { runId, status: 'running' }]);
    await stands(at, status);
    expect([(await statusOf(middle)).status, (await statusOf(leaf)).status]).toEqual([status, status]);
    const again = await post(`${at}/${verb}`, {});
    expect([again.status, again.body]).toEqual([200, { runId, status }]);
  });

  it('[A82] the status document says what is legal, at each level, and why the rest is not', async () => {
    const { at, middle, leaf } = await threeAtGate();
    const owned = { code: 'owned_by_parent', title: expect.any(String), detail: expect.any(String) };
    const working = { send: true, interrupt: true, abort: true, terminate: true, remove: true };
    const busy = { code: 'already_running' };
    expect((await statusOf(at)).controls).toMatchObject({ ...working, start: busy, resume: busy, retry: busy });
    for (const below of [middle, leaf])
      expect((await statusOf(below)).controls).toMatchObject({ ...working, start: owned, retry: owned });
    await post(`${at}/interrupt`, {});
    await stands(at, 'interrupted');
    const nothing = { code: 'nothing_to_stop' };
    expect((await statusOf(at)).controls).toMatchObject({
      ...{ start: true, send: true, resume: true, terminate: true, fork: true },
      ...{
        interrupt: nothing,
        abort: nothing,
        retry: { code: 'not_retryable' },
        submit: { code: 'unknown_tool_call' },
      },
    });
    expect((await statusOf(leaf)).controls).toMatchObject({ send: owned, resume: owned, interrupt: nothing });
  });

  it('[A32] that has nothing under way ends with the commit', async () => {
    const at = address();
    await post(`${at}/start`, { message: told(publishes('x')) });
    await waitingCall(at);
    expect((await post(`${at}/interrupt`, {})).body).toMatchObject({ status: 'interrupted' });
    expect((await get(`${at}/runs`)).body.items).toMatchObject([
      { status: 'interrupted', reason: 'Somebody on this machine asked to interrupt it.' },
    ]);
  });

  it('[A32] that has ended already is answered with 200 and its status', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    for (const verb of ['interrupt', 'abort'])
      expect(await post(`${at}/${verb}`, {})).toMatchObject({ status: 200, body: { status: 'completed' } });
    expect(await post(`${at}/terminate`, {})).toMatchObject({ status: 202, body: { status: 'terminated' } });
    expect(await post(`${at}/terminate`, {})).toMatchObject({ status: 200, body: { status: 'terminated' } });
    for (const [path, body] of [
      ['start', { message: 'x' }],
      ['messages', { content: 'x' }],
      ['resume', {}],
      ['retry', {}],
    ] as const)
      expect(await post(`${at}/${path}`, body)).toMatchObject({ status: 409, body: { code: 'terminated' } });
    // What there is can still be read.
    expect((await get(`${at}/messages`)).body.items).toHaveLength(2);
  });

  it('[A32] never reaches another run', async () => {
    const at = address();
    const first = await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const { runId } = present(first.body.run);
    await post(`${at}/start`, { message: told(hangs) });
    for (const verb of ['interrupt', 'abort', 'terminate']) {
      const other = await post(`${at}/${verb}`, { runId });
      expect([other.status, other.body.code]).toEqual([409, 'run_superseded']);
    }
    expect((await statusOf(at)).status).toBe('running');
    const { run } = await statusOf(at);
    expect((await post(`${at}/abort`, { runId: present(run).runId })).status).toBe(202);
    expect(await stands(at, 'failed')).toMatchObject({ run: { failureReason: 'aborted' } });
  });

  it('[A32, A18] with a key is one stop, whatever has begun since', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const key = { 'idempotency-key': 'k1' };
    const first = await post(`${at}/interrupt`, {}, key);
    expect(first).toMatchObject({ status: 200, body: { status: 'completed' } });
    await post(`${at}/start`, { message: told(hangs) });
    expect(await post(`${at}/interrupt`, {}, key)).toMatchObject({ status: 200, body: first.body });
    expect((await statusOf(at)).status).toBe('running');
    const other = await post(`${at}/interrupt`, { reason: 'y' }, key);
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict']);
  });

  it('[A101] that names a start touches nothing of others, and lets it begin nothing when it comes, also after a crash', async () => {
    const at = address();
    const own = await post(`${at}/start`, { message: told(hangs) }, { 'idempotency-key': 'own' });
    const late = await post(`${at}/abort`, { start: 'late' });
    expect([late.status, late.body]).toEqual([200, { status: 'running', begun: false }]);
    await abortAllDurableObjects();
    const refused = await post(`${at}/start`, { message: told({ text: 'x' }) }, { 'idempotency-key': 'late' });
    expect(refused).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
    expect((await statusOf(at)).status).toBe('running');
    const both = await post(`${at}/abort`, { start: 'own', runId: own.body.runId });
    expect(both).toMatchObject({ status: 422, body: { code: 'invalid_input' } });
    const below = await post(`${at}/sub/leaf/1~1/abort`, { start: 'own' });
    expect(below).toMatchObject({ status: 422, body: { code: 'invalid_input' } });
    const stopped = await post(`${at}/abort`, { start: 'own' });
    expect(stopped).toMatchObject({ status: 202, body: { runId: own.body.runId, begun: true } });
    await stands(at, 'failed');
  });

  it('[A32] a stronger stop goes over a weaker one, and not the other way round', async () => {
    const { at } = await threeAtGate();
    await post(`${at}/interrupt`, {});
    await post(`${at}/terminate`, {});
    await post(`${at}/interrupt`, {});
    await stands(at, 'terminated');
  });

  it.each<JsonObject>([{ reason: '' }, { reason: 'x'.repeat(1_001) }, { runId: 1 }, { run: 'r' }])(
    '[A32, A23] refuses the body %j',
    async (body) => {
      const at = address();
      await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
      expect(await post(`${at}/interrupt`, body)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    },
  );

  it('[A32, A21] that is not there makes none', async () => {
    for (const verb of ['interrupt', 'abort', 'terminate', 'resume', 'retry'])
      expect((await post(`${address()}/${verb}`, {})).status).toBe(404);
  });
});

describe('stopping a root that has just begun to spawn', () => {
  it.each(['interrupt', 'abort'])(
    '[SP13, DG12] %s is answered before most of 48 sub-agents have begun, and those never begin',
    async (verb) => {
      const wide = 48;
      const at = address();
      const step = { gate: at, text: 'l' };
      const before = lives('Leaf');
      await post(`${at}/start`, { message: told(calls('leaf', ...Array.from({ length: wide }, () => [step]))) });
      await vi.waitUntil(() => cameTo(at) > 0, { interval: 1 });
      expect((await post(`${at}/${verb}`, {})).status).toBe(202);
      const begun = cameTo(at);
      await vi.waitUntil(async () => (await statusOf(at)).status !== 'running', { interval: 10 });
      // Eight were told to begin at most, and had not answered.
      expect(begun).toBeLessThan(wide / 2);
      expect(cameTo(at)).toBeLessThanOrEqual(begun + 8);
      // A template is an object as well.
      expect(lives('Leaf') - before).toBeLessThanOrEqual(begun + 8 + 1);
      openGate(at);
    },
  );
});

describe('stopping a sub-agent', () => {
  it('[A32] interrupt leaves it to be resumed, and its parent waits for it', async () => {
    const { at, middle, leaf } = await threeAtGate();
    expect((await post(`${leaf}/interrupt`, {})).status).toBe(202);
    await stands(leaf, 'interrupted');
    await stands(at, 'suspended_awaiting_children');
    await stands(middle, 'suspended_awaiting_children');
  });

  it('[A32] abort is a failure that its parent reads', async () => {
    const { at, middle, leaf } = await threeAtGate();
    await post(`${leaf}/abort`, { reason: 'no more' });
    expect(await stands(at, 'completed')).toMatchObject({ run: { output: 't' } });
    expect((await get(`${middle}/calls`)).body.items).toMatchObject([
      { status: 'failed', error: { code: 'aborted', message: 'no more' } },
    ]);
  });

  it('[A32] terminate ends it and all below it for good', async () => {
    const { at, middle, leaf } = await threeAtGate();
    await post(`${middle}/terminate`, {});
    await stands(at, 'completed');
    expect([(await statusOf(middle)).status, (await statusOf(leaf)).status]).toEqual(['terminated', 'terminated']);
    expect((await get(`${at}/calls`)).body.items).toMatchObject([{ status: 'failed', error: { code: 'terminated' } }]);
    expect((await post(`${middle}/terminate`, {})).status).toBe(200);
  });

  it('[A32] terminate ends one that was interrupted, and its parent goes on', async () => {
    const { at, leaf } = await threeAtGate();
    await post(`${leaf}/interrupt`, {});
    await stands(at, 'suspended_awaiting_children');
    expect((await post(`${leaf}/terminate`, {})).body).toMatchObject({ status: 'terminated' });
    await stands(at, 'completed');
  });

  it.each(['interrupt', 'abort', 'terminate'] as const)(
    '[A45] that waits for a place is taken out of the queue by %s',
    async (verb) => {
      const at = address('tiny');
      const script = [{ gate: at, text: 'l' }];
      await post(`${at}/start`, { message: told(calls('leaf', script, script, script), { text: 'done' }) });
      const third = `${at}/sub/leaf/3~1`;
      await stands(third, 'queued');
      const wrong = await post(`${third}/${verb}`, { runId: 'r_other' });
      expect([wrong.status, wrong.body.code]).toEqual([409, 'run_superseded']);
      const key = { 'idempotency-key': 'q' };
      const stopped = await post(`${third}/${verb}`, { reason: 'not needed' }, key);
      expect(stopped).toMatchObject({ status: 202, body: { runId: expect.stringMatching(/^r_/) } });
      expect((await post(`${third}/${verb}`, { reason: 'not needed' }, key)).body).toEqual(stopped.body);
      openGate(at);
      if (verb === 'interrupt') {
        await stands(at, 'suspended_awaiting_children');
        expect((await post(`${third}/resume`, {})).status).toBe(202);
      }
      await stands(at, 'completed');
      const third_ = (await get(`${at}/calls`)).body.items[2];
      const codes = { interrupt: undefined, abort: 'aborted', terminate: 'terminated' };
      expect(third_?.error?.code).toBe(codes[verb]);
    },
  );
});

describe('a sub-agent that never began', () => {
  it('[A7, A8, A13, R17] is queued in all documents while its parent is interrupted, and begins with the resume', async () => {
    const at = address('tiny');
    const script = [{ gate: at, text: 'l' }];
    await post(`${at}/start`, { message: told(calls('leaf', script, script, script), { text: 'done' }) });
    const third = `${at}/sub/leaf/3~1`;
    await stands(third, 'queued');
    for (const other of [1, 2])
      await vi.waitFor(async () => expect(await items(`${at}/sub/leaf/${other}~1/messages`)).toHaveLength(1));
    await post(`${at}/interrupt`, {});
    await stands(at, 'interrupted');
    const statuses = ['interrupted', 'interrupted', 'queued'];
    expect((await items(`${at}/children`)).map(({ status }) => status)).toEqual(statuses);
    expect((await items(`${at}/children`))[2]).not.toHaveProperty('endedAt');
    const nodes = (await get(`${at}/tree`)).body.nodes;
    expect(nodes.map(({ status }) => status)).toEqual(statuses);
    expect(await statusOf(third)).toMatchObject({ status: 'queued' });
    expect(await statusOf(at)).toMatchObject({ childCounts: { running: 0, queued: 0, waiting: 0, total: 3 } });
    openGate(at);
    expect((await post(`${at}/resume`, {})).status).toBe(202);
    await stands(at, 'completed');
    expect((await items(`${at}/children`)).map(({ status }) => status)).toEqual(Array(3).fill('completed'));
  });

  it.each(['abort', 'terminate'])(
    '[A45] and was interrupted alone is ended by %s, and its parent goes on',
    async (verb) => {
      const at = address('tiny');
      const script = [{ gate: at, text: 'l' }];
      await post(`${at}/start`, { message: told(calls('leaf', script, script, script), { text: 'done' }) });
      const third = `${at}/sub/leaf/3~1`;
      await stands(third, 'queued');
      await post(`${third}/interrupt`, {});
      openGate(at);
      await stands(at, 'suspended_awaiting_children');
      expect((await post(`${third}/${verb}`, { reason: 'no more' })).status).toBe(202);
      await stands(at, 'completed');
      expect(await statusOf(third)).toMatchObject({ status: 'failed' });
      expect((await post(`${third}/${verb}`, {})).status).toBe(200);
    },
  );
});

describe('stopping again', () => {
  it('[A45, A18] with the key of a stop before it began does not stop it now', async () => {
    const at = address('tiny');
    const own = `${at} third`;
    const script = [{ gate: at, text: 'l' }];
    await post(`${at}/start`, { message: told(calls('leaf', script, script, [{ gate: own, text: 'l' }])) });
    const third = `${at}/sub/leaf/3~1`;
    await stands(third, 'queued');
    const key = { 'idempotency-key': 'k' };
    const first = await post(`${third}/interrupt`, {}, key);
    openGate(at);
    await stands(at, 'suspended_awaiting_children');
    await post(`${third}/resume`, {});
    await stands(third, 'running');
    await vi.waitFor(async () => expect(await items(`${third}/messages`)).toHaveLength(1));
    expect(await post(`${third}/interrupt`, {}, key)).toMatchObject({ status: 202, body: first.body });
    expect((await statusOf(third)).status).toBe('running');
    openGate(own);
    await stands(at, 'completed');
  });
});

describe('resuming', () => {
  it('[A33, W27] a root goes on with everything below it, from where it was', async () => {
    const { at, leaf } = await threeLevels(publishes('x'));
    await waiting(at, 1);
    const first = present((await statusOf(at)).run);
    await post(`${at}/interrupt`, {});
    await stands(at, 'interrupted');
    expect(await waiting(at, 0)).toEqual([]);
    const resumed = await post(`${at}/resume`, { message: 'Go on.' });
    expect(resumed).toMatchObject({ status: 202, body: { address: at, messageId: expect.stringMatching(/^m_/) } });
    expect(resumed.body.runId).not.toBe(first.runId);
    const stream = await open(String(resumed.body.streamUrl));
    await stream.until((events) => events.length > 0);
    expect(stream.chunks[0]?.chunk).toMatchObject({
      type: 'run_started',
      turn: 2,
      chainTurn: 1,
      resumedFrom: first.runId,
    });
    await stream.cancel();
    await post(`${at}/tool-results`, yes(await waitingCall(at)));
    expect(await stands(at, 'completed')).toMatchObject({
      run: { turn: 2, chainTurn: 1, resumedFrom: first.runId, output: 't' },
    });
    expect((await get(`${leaf}/runs`)).body.items).toMatchObject([
      { status: 'interrupted', turn: 1, chainTurn: 1 },
      { status: 'completed', turn: 2, chainTurn: 1, resumedFrom: expect.stringMatching(/^r_/) },
    ]);
  });

  it('[A33] a sub-agent goes on through its parent, with a message', async () => {
    const { at, leaf, gate } = await threeAtGate();
    await post(`${leaf}/interrupt`, {});
    await stands(leaf, 'interrupted');
    const resumed = await post(`${leaf}/resume`, { message: 'By the way.' });
    expect(resumed).toMatchObject({ status: 202, body: { address: leaf, messageId: expect.stringMatching(/^m_/) } });
    openGate(gate);
    await stands(at, 'completed');
    expect((await get(`${leaf}/runs`)).body.items).toMatchObject([{ status: 'interrupted' }, { status: 'completed' }]);
    // The answer that was under way came first; the message got one of its own.
    expect(await items(`${leaf}/messages`)).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ text: 'go' }] },
      { role: 'user', content: 'By the way.', messageId: resumed.body.messageId },
      { role: 'assistant', content: [{ text: 'l' }] },
    ]);
  });

  it('[A33] what is interrupted below an agent that waits goes on, wherever it is asked', async () => {
    const one = await threeLevels(publishes('y'));
    await waiting(one.at, 1);
    for (const where of [one.leaf, one.middle, one.at]) {
      await post(`${one.leaf}/interrupt`, {});
      await stands(one.leaf, 'interrupted');
      await stands(one.at, 'suspended_awaiting_children');
      const resumed = await post(`${where}/resume`, {});
      expect([where, resumed.status]).toEqual([where, 202]);
      await waiting(one.at, 1);
    }
    await post(`${one.at}/tool-results`, yes(await waitingCall(one.at)));
    await stands(one.at, 'completed');
  });

  it('[A33] right after the interrupt was acknowledged', async () => {
    for (let round = 0; round < 5; round++) {
      const { at, leaf } = await threeLevels(publishes('y'));
      await waiting(at, 1);
      expect((await post(`${leaf}/interrupt`, {})).body.status).toBe('interrupted');
      const resumed = await post(`${leaf}/resume`, {});
      expect([resumed.status, resumed.body.code]).toEqual([202, undefined]);
      await post(`${at}/tool-results`, yes(await waitingCall(at)));
      await stands(at, 'completed');
    }
  });

  it('[A33] of a sub-agent under one that was interrupted itself names whom to resume', async () => {
    const { at, middle, leaf } = await threeAtGate();
    await post(`${at}/interrupt`, {});
    await stands(at, 'interrupted');
    for (const below of [middle, leaf]) {
      const refused = await post(`${below}/resume`, {});
      expect([refused.status, refused.body.code]).toEqual([409, 'owned_by_parent']);
      expect(refused.body.detail).toContain(`${at},`);
    }
  });

  it('[A33, A18] of a sub-agent with a key happens once, whatever it does by then', async () => {
    const { at, leaf } = await threeLevels(publishes('x'));
    await waiting(at, 1);
    await post(`${leaf}/interrupt`, {});
    await stands(leaf, 'interrupted');
    const key = { 'idempotency-key': 'once' };
    const first = await post(`${leaf}/resume`, {}, key);
    await waiting(at, 1);
    expect(await post(`${leaf}/resume`, {}, key)).toMatchObject({ status: 202, body: first.body });
    expect((await post(`${leaf}/resume`, { message: 'x' }, key)).body.code).toBe('idempotency_conflict');
  });

  it('[A33] refuses what was not interrupted', async () => {
    const at = address();
    await post(`${at}/start`, { message: told(calls('leaf', [{ gate: at, text: 'l' }])) });
    const leaf = `${at}/sub/leaf/1~1`;
    await stands(leaf, 'running');
    for (const where of [at, leaf])
      expect((await post(`${where}/resume`, {})).body).toMatchObject({ status: 409, code: 'already_running' });
    openGate(at);
    await stands(at, 'completed');
    expect((await post(`${at}/resume`, {})).body).toMatchObject({ status: 409, code: 'not_resumable' });
    expect((await post(`${leaf}/resume`, {})).body).toMatchObject({ status: 409, code: 'not_resumable' });
    const waits = await threeLevels(publishes('x'));
    await waiting(waits.at, 1);
    for (const where of [waits.at, waits.middle, waits.leaf])
      expect((await post(`${where}/resume`, {})).body).toMatchObject({ status: 409, code: 'awaiting_input' });
  });

  it('[A33] survives a crash, and with a key happens once', async () => {
    const { at, middle } = await threeLevels(publishes('x'));
    await waiting(at, 1);
    await post(`${at}/interrupt`, {});
    await stands(at, 'interrupted');
    await abortAllDurableObjects();
    const key = { 'idempotency-key': 'once' };
    const first = await post(`${at}/resume`, {}, key);
    expect(first.status).toBe(202);
    expect(await post(`${at}/resume`, {}, key)).toMatchObject({ status: 202, body: first.body });
    await waiting(middle, 1);
    await abortAllDurableObjects();
    expect((await post(`${at}/tool-results`, yes(await waitingCall(at)))).status).toBe(202);
    await stands(at, 'completed');
  });
});

describe('trying again', () => {
  it('[A63] a failed root asks the question again that failed', async () => {
    const at = address();
    await post(`${at}/start`, { message: told(hangs) });
    await post(`${at}/abort`, {});
    const { run } = await stands(at, 'failed');
    const tried = await post(`${at}/retry`, { message: told({ text: 'now it works' }) });
    expect(tried).toMatchObject({ status: 202, body: { status: 'running', messageId: expect.stringMatching(/^m_/) } });
    expect(await stands(at, 'completed')).toMatchObject({
      run: { runId: tried.body.runId, resumedFrom: run?.runId, output: 'now it works' },
    });
  });

  it('[A63] refuses what has not failed, and sub-agents', async () => {
    const at = address();
    await post(`${at}/start`, { message: told(calls('leaf', [{ text: 'l' }])), wait: true });
    expect((await post(`${at}/retry`, {})).body).toMatchObject({ status: 409, code: 'not_retryable' });
    const below = await post(`${at}/sub/leaf/1~1/retry`, {});
    expect(below.body).toMatchObject({ status: 409, code: 'owned_by_parent' });
    expect(below.body.detail).toContain("`onFailure: 'wait'`");
    await post(`${at}/start`, { message: told(hangs) });
    expect((await post(`${at}/retry`, {})).body).toMatchObject({ status: 409, code: 'already_running' });
  });
});

describe('starting while a run goes on', () => {
  it('[A42] waits where the agent says so, and each start has its run', async () => {
    const at = address('line');
    const first = await post(`${at}/start`, { message: told({ gate: at, text: 'one' }) });
    const second = await post(`${at}/start`, { message: told({ text: 'two' }) });
    expect(second).toMatchObject({ status: 202, body: { status: 'queued' } });
    const waits = post(`${at}/start`, { message: told({ text: 'three' }), wait: true });
    const limits = async () => (await get(`${at}/limits`)).body.used;
    await expect.poll(async () => (await limits()).maxQueuedStarts).toBe(2);
    const fourth = await post(`${at}/start`, { message: 'x' });
    expect([fourth.status, fourth.body.code]).toEqual([429, 'too_many_starts']);
    openGate(at);
    expect(await waits).toMatchObject({
      status: 200,
      body: { run: { status: 'completed', output: 'three', turn: 3 } },
    });
    expect((await get(`${at}/runs`)).body.items).toMatchObject([
      { runId: first.body.runId, output: 'one' },
      { runId: second.body.runId, output: 'two' },
      { output: 'three' },
    ]);
  });

  it('[A47] files of a start that waits are there once it is accepted', async () => {
    const at = address('line');
    await post(`${at}/start`, { message: told({ gate: at, text: 'one' }) });
    const files = [{ path: 'a.md', base64: btoa('early') }];
    expect((await post(`${at}/start`, { message: 'x', files })).body.status).toBe('queued');
    expect(await (await send(`${at}/files/a.md`)).text()).toBe('early');
    openGate(at);
    await stands(at, 'completed');
  });

  it('[A42] who waits for a run hears of it when the next one has begun with its end', async () => {
    const at = address('line');
    const waits = post(`${at}/start`, { message: told({ gate: at, text: 'one' }), wait: true });
    await stands(at, 'running');
    await post(`${at}/start`, { message: told(hangs) });
    openGate(at);
    expect(await waits).toMatchObject({ status: 200, body: { run: { turn: 1, step: 1, output: 'one' } } });
  });

  it('[A42] takes the place of the run before it where the agent says so', async () => {
    const at = address('eager');
    await post(`${at}/start`, { message: told(hangs) });
    await stands(at, 'running');
    const second = await post(`${at}/start`, { message: told({ text: 'two' }), wait: true });
    expect(second).toMatchObject({ status: 200, body: { run: { output: 'two' } } });
    expect((await get(`${at}/runs`)).body.items).toMatchObject([{ status: 'interrupted' }, { status: 'completed' }]);
  });

  it('[A42] is refused by one that waits for a person', async () => {
    const at = address();
    await post(`${at}/start`, { message: told(publishes('x')) });
    await waitingCall(at);
    expect((await post(`${at}/start`, { message: 'x' })).body).toMatchObject({ status: 409, code: 'awaiting_input' });
  });

  it('[A48] a message to an interrupted root lets it go on', async () => {
    const at = address();
    await post(`${at}/start`, { message: told(hangs) });
    await post(`${at}/interrupt`, {});
    await stands(at, 'interrupted');
    const sent = await post(`${at}/messages`, { content: told({ text: 'on we go' }) });
    expect(sent).toMatchObject({ status: 202, body: { delivery: 'started' } });
    expect(await stands(at, 'completed')).toMatchObject({ run: { output: 'on we go' } });
  });
});

describe('a stream', () => {
  it('[A44] ends when the run is suspended, and goes on with follow', async () => {
    const { at } = await threeLevels(publishes('x'));
    await waiting(at, 1);
    const closed = await readAll(`${at}/stream`);
    expect(closed.events.at(-1)).toMatchObject({ event: 'end', data: { status: 'suspended_awaiting_children' } });
    const followed = await open(`${at}/stream?follow=1`);
    const ends = () => followed.events.filter(({ event }) => event === 'end').map(({ data }) => data);
    await followed.until(() => ends().length === 1);
    await post(`${at}/tool-results`, yes(await waitingCall(at)));
    await followed.until(() => ends().length === 2);
    expect(ends()).toEqual([{ status: 'suspended_awaiting_children' }, { status: 'completed' }]);
    await followed.cancel();
    const whole = await readAll(`${at}/stream`);
    expect(followed.chunks).toEqual(whole.chunks);
  });
});

describe('a sub-agent that failed and is waited for', () => {
  const fails = { fail: { code: 'model_refused' as const, message: 'No.' } };

  it('[A64, DG22, DG23, A18] tries again, through its parent', async () => {
    const at = address();
    const child = `${at}/sub/leaf/1~1`;
    const note = asks(['note', { text: 'before' }]);
    await post(`${at}/start`, { message: told(calls('careful', [note, fails]), { text: 't' }) });
    await stands(at, 'suspended_awaiting_children');
    const { run } = await stands(child, 'failed');
    expect(run).toMatchObject({ error: { code: 'model_refused' } });
    expect((await items(`${at}/children`))[0]).toMatchObject({ status: 'failed' });
    expect((await get(`${at}/tree`)).body).toMatchObject({
      status: 'suspended_awaiting_children',
      nodes: [{ status: 'failed' }],
    });
    expect(await items(`${at}/pending`)).toEqual([]);
    const resumed = await post(`${at}/resume`, {});
    expect([resumed.status, resumed.body.code]).toEqual([409, 'awaiting_input']);
    expect(resumed.body.detail).toContain('retry or abort the sub-agents that failed');
    await abortAllDurableObjects();
    const key = { 'idempotency-key': 'once' };
    // The script continues behind the reply that is kept.
    const message = told({ text: 'before' }, { text: 'now it works' });
    const tried = await post(`${child}/retry`, { message }, key);
    expect(tried).toMatchObject({ status: 202, body: { messageId: expect.stringMatching(/^m_/) } });
    expect(await stands(at, 'completed')).toMatchObject({ run: { output: 't' } });
    expect(await statusOf(child)).toMatchObject({
      status: 'completed',
      run: { runId: tried.body.runId, resumedFrom: run?.runId, output: 'now it works' },
    });
    expect(await items(`${at}/calls`)).toMatchObject([{ status: 'succeeded', result: 'now it works' }]);
    expect(await items(`${child}/calls`)).toHaveLength(1);
    const again = await post(`${child}/retry`, { message }, key);
    expect([again.status, again.body]).toEqual([202, tried.body]);
    expect((await post(`${child}/retry`, {})).body).toMatchObject({ status: 409, code: 'not_retryable' });
  });

  it.each(['abort', 'terminate'])('[A64, DG24] is given up by %s', async (verb) => {
    const at = address();
    const child = `${at}/sub/leaf/1~1`;
    await post(`${at}/start`, { message: told(calls('careful', [fails]), { text: 't' }) });
    await stands(at, 'suspended_awaiting_children');
    const other = await post(`${child}/${verb}`, { runId: 'r_other' });
    expect([other.status, other.body.code]).toEqual([409, 'run_superseded']);
    expect((await post(`${child}/interrupt`, {})).status).toBe(200);
    expect((await post(`${child}/${verb}`, {})).status).toBe(202);
    expect(await stands(at, 'completed')).toMatchObject({ run: { output: 't' } });
    expect(await items(`${at}/calls`)).toMatchObject([{ status: 'failed', error: { code: 'model_refused' } }]);
    expect(await statusOf(child)).toMatchObject({ status: verb === 'abort' ? 'failed' : 'terminated' });
    const code = (await post(`${child}/retry`, {})).body.code;
    expect(code).toBe(verb === 'abort' ? 'owned_by_parent' : 'not_retryable');
  });
});
