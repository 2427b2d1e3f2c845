import { abortAllDurableObjects } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json';
import { address, del, get, post, readAll } from '../../support/api';
import { bindings } from '../../support/bindings';
import { asks, calls, openGate, told } from '../../support/puppet';
import { lives } from '../../support/worker';
import { stands } from '../standing';

const key = (value: string) => ({ 'idempotency-key': value });
const code = (answer: { body: { code?: unknown } }) => answer.body.code;

describe('start', () => {
  it('[A1] is accepted with 202, creates the root and runs it; a later start is the next turn', async () => {
    const at = address();
    const first = await post(`${at}/start`, { message: told({ text: 'one' }) });
    expect(first.status).toBe(202);
    expect(first.body).toMatchObject({ status: 'running', address: at, streamUrl: `${at}/stream?from=1` });
    await vi.waitFor(async () => expect((await get(`${at}/status`)).body.status).toBe('completed'));
    const second = await post(`${at}/start`, { message: told({ text: 'two' }), wait: true });
    expect(second.body).toMatchObject({ sessionId: first.body.sessionId, run: { turn: 2, output: 'two' } });
    const { items } = (await get(`${at}/messages`)).body;
    expect(items.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  });

  it('[A1] gives the place in the log at which the new run begins', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'one' }), wait: true });
    const second = await post(`${at}/start`, { message: told({ text: 'two' }) });
    const stream = await readAll(String(second.body.streamUrl));
    expect(stream.chunks[0]?.chunk).toMatchObject({ type: 'run_started', turn: 2, runId: second.body.runId });
  });

  it('[A49] with wait is answered at the end with 200 and the status document, or with 202 when that takes longer', async () => {
    const at = address();
    const ended = await post(`${at}/start`, { message: told({ text: 'hello' }), wait: true });
    expect(ended.status).toBe(200);
    expect(ended.body).toMatchObject({ status: 'completed', run: { output: 'hello', completionReason: 'text' } });
    expect(ended.body).toEqual((await get(`${at}/status`)).body);
    const slow = await post(`${at}/start`, { message: told({ gate: `${at} end`, text: 'late' }), wait: 20 });
    expect(slow.status).toBe(202);
    expect(slow.body).toMatchObject({ status: 'running' });
    openGate(`${at} end`);
  });

  it.each([
    ['itself', asks(['publish', { text: 'x' }]), 'suspended_client_tool'],
    ['through a sub-agent', calls('leaf', [asks(['publish', { text: 'x' }])]), 'suspended_awaiting_children'],
  ])('[A49] with wait is answered with 202 when the run waits for a person %s', async (_how, step, status) => {
    const at = address();
    const accepted = await post(`${at}/start`, { message: told(step), wait: true }, key('k'));
    expect(accepted.status).toBe(202);
    expect(Object.keys(accepted.body).sort()).toEqual(['address', 'runId', 'sessionId', 'status', 'streamUrl']);
    expect(accepted.body).toMatchObject({ status, address: at });
    const again = await post(`${at}/start`, { message: told(step), wait: true }, key('k'));
    expect([again.status, again.body]).toEqual([202, accepted.body]);
    const [item] = (await get(`${at}/pending`)).body.items;
    const later = post(`${at}/start`, { message: told(step), wait: true }, key('k'));
    await post(`${at}/tool-results`, {
      kind: 'approval-response',
      toolCallId: item?.toolCallId ?? '',
      approved: false,
    });
    expect((await later).body.runId ?? (await later).body.run?.runId).toBe(accepted.body.runId);
    await stands(at, 'completed');
    const ended = await post(`${at}/start`, { message: told(step), wait: true }, key('k'));
    expect([ended.status, ended.body.run?.runId]).toEqual([200, accepted.body.runId]);
  });

  it('[A49] that is queued behind a run which waits takes its time, and is answered with 202', async () => {
    const at = address('line');
    await post(`${at}/start`, { message: told(asks(['publish', { text: 'x' }])), wait: true });
    const queued = await post(`${at}/start`, { message: told({ text: 'next' }), wait: 20 });
    expect([queued.status, queued.body.status]).toEqual([202, 'queued']);
  });

  it.each([
    [{}, 'invalid_request'],
    [{ message: '' }, 'invalid_request'],
    [{ message: 'x', wait: 60_001 }, 'invalid_request'],
    [{ message: 'x', wait: 'yes' }, 'invalid_request'],
    [{ message: 'x', unknown: 1 }, 'invalid_request'],
    [{ message: 'x', tags: [''] }, 'invalid_request'],
    [{ message: 'x', files: [{ path: 'a', base64: 'no base64!' }] }, 'invalid_request'],
    [{ message: 'x', files: [{ path: '../a', base64: '' }] }, 'invalid_request'],
    [{ message: 'x', files: [{ path: 'a', mediaType: 'nonsense', base64: '' }] }, 'invalid_request'],
  ])('[A3, A21] refuses %j and creates nothing', async (body, expected) => {
    const at = address();
    const refused = await post(`${at}/start`, body);
    expect([refused.status, code(refused)]).toEqual([400, expected]);
    expect((await get(`${at}/status`)).status).toBe(404);
  });

  it('[A3] checks the input and the state by the schemas of the agent; the input is the first message and the state', async () => {
    const at = address('form');
    const bad = await post(`${at}/start`, { input: { q: '' } });
    expect([bad.status, code(bad)]).toEqual([422, 'invalid_input']);
    expect(bad.body.detail).toContain('q');
    const badState = await post(`${at}/start`, { message: 'x', state: { seen: 'many' } });
    expect([badState.status, code(badState)]).toEqual([422, 'invalid_input']);
    expect((await get(`${at}/status`)).status).toBe(404);
    await post(`${at}/start`, { input: { q: 'why' } });
    expect((await get(`${at}/state`)).body).toEqual({ state: { q: 'why', seen: 0 }, asOfSequence: expect.any(Number) });
    const { items } = (await get(`${at}/messages`)).body;
    expect(items[0]).toMatchObject({ role: 'user', content: '{"q":"why","n":3}', from: 'caller' });
  });

  it('[A47] stores files with the start, before the run begins', async () => {
    const at = address();
    const files = [{ path: 'uploads/a.md', mediaType: 'text/markdown', base64: btoa('# A') }];
    await post(`${at}/start`, { message: told({ text: 'x' }), files, wait: true });
    const { items } = (await get(`${at}/files`)).body;
    expect(items).toMatchObject([{ path: 'uploads/a.md', size: 3, mediaType: 'text/markdown' }]);
  });

  it('[A31] takes names; a later start replaces those that it gives', async () => {
    const at = address();
    await post(`${at}/start`, {
      message: told({ text: 'x' }),
      displayName: 'First',
      tags: ['a'],
      metadata: { who: 'me' },
      wait: true,
    });
    const later = await post(`${at}/start`, { message: told({ text: 'y' }), displayName: 'Second', wait: true });
    expect(later.body).toMatchObject({ displayName: 'Second', tags: ['a'], metadata: { who: 'me' } });
    await abortAllDurableObjects();
    expect((await get(`${at}/status`)).body).toMatchObject({ displayName: 'Second', tags: ['a'] });
  });

  it('[A53] bounds what a caller names', async () => {
    const most = JSON.stringify({ m: '' }).length;
    const metadata = (bytes: number) => ({ m: 'x'.repeat(bytes - most) });
    const start = (more: JsonObject) => post(`${address()}/start`, { message: told({ text: 'x' }), ...more });
    expect((await start({ metadata: metadata(16_384) })).status).toBe(202);
    const refused = await start({ metadata: metadata(16_385) });
    expect([refused.status, code(refused)]).toEqual([413, 'payload_too_large']);
    expect(refused.body.detail).toContain('16384');
    expect((await start({ metadata: { m: 'ü'.repeat(8_190) } })).status).toBe(413);
    const sent = await post(`${address()}/messages`, { content: 'x', metadata: metadata(16_385) });
    expect([sent.status, code(sent)]).toEqual([413, 'payload_too_large']);
    expect(
      (await start({ displayName: 'x'.repeat(200), tags: Array.from({ length: 32 }, () => 'x'.repeat(64)) })).status,
    ).toBe(202);
    const wrong: JsonObject[] = [
      { displayName: 'x'.repeat(201) },
      { displayName: 'a\u202eb' },
      { displayName: 'a\nb' },
      { tags: ['x'.repeat(65)] },
      { tags: ['\u001b[2J'] },
      { tags: Array.from({ length: 33 }, () => 'x') },
      { files: [{ path: 'a\u202efdp.exe', base64: '' }] },
    ];
    for (const more of wrong) expect([more, (await start(more)).status]).toEqual([more, 400]);
  });

  it('[A42] is refused while a run goes on, and at a sub-agent', async () => {
    const at = address();
    await post(`${at}/start`, { message: told(calls('leaf', [{ gate: at, text: 'l' }])) });
    const second = await post(`${at}/start`, { message: 'x' });
    expect([second.status, code(second)]).toEqual([409, 'already_running']);
    const below = await post(`${at}/sub/leaf/1~1/start`, { message: 'x' });
    expect([below.status, code(below)]).toEqual([409, 'owned_by_parent']);
    openGate(at);
  });
});

describe('send', () => {
  it('[A48] begins a turn of an agent at rest, and is seen by the next step of a working one', async () => {
    const at = address();
    const first = await post(`${at}/messages`, {
      content: told({ gate: at, calls: [{ name: 'note', input: { text: 'n' } }] }, { text: 'end' }),
    });
    expect(first.status).toBe(202);
    expect(first.body).toMatchObject({ delivery: 'started' });
    const second = await post(`${at}/messages`, { content: 'by the way', metadata: { n: 1 } });
    expect(second.body).toMatchObject({ delivery: 'queued' });
    openGate(at);
    const stream = await readAll(`${at}/stream`);
    const delivered = stream.chunks
      .filter(({ chunk }) => chunk.type === 'message_delivered')
      .map(({ chunk }) => [chunk.step, 'messageId' in chunk && chunk.messageId]);
    expect(delivered).toEqual([
      [1, first.body.messageId],
      [2, second.body.messageId],
    ]);
    const { items } = (await get(`${at}/messages`)).body;
    expect(items.map(({ role, content }) => (role === 'user' ? content : role))).toEqual([
      expect.any(String),
      'assistant',
      'tool',
      'by the way',
      'assistant',
    ]);
  });

  it('[A48] reaches a sub-agent while it works; one that has ended belongs to its parent', async () => {
    const at = address();
    await post(`${at}/start`, {
      message: told(
        calls('leaf', [{ gate: `${at} 1`, calls: [{ name: 'note', input: { text: 'n' } }] }, { text: 'l' }]),
        { gate: `${at} 2`, text: 't' },
      ),
    });
    const leaf = `${at}/sub/leaf/1~1`;
    await vi.waitFor(async () => expect((await get(`${leaf}/messages`)).body.items).toHaveLength(1));
    expect((await post(`${leaf}/messages`, { content: 'steer' })).body).toMatchObject({ delivery: 'queued' });
    openGate(`${at} 1`);
    await vi.waitFor(async () => expect((await get(`${leaf}/status`)).body.status).toBe('completed'));
    const { items } = (await get(`${leaf}/messages`)).body;
    expect(items.some(({ content }) => content === 'steer')).toBe(true);
    const late = await post(`${leaf}/messages`, { content: 'more' });
    expect([late.status, code(late)]).toEqual([409, 'owned_by_parent']);
    openGate(`${at} 2`);
  });

  it('[A48] takes attachments', async () => {
    const at = address();
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    await post(`${at}/messages`, {
      content: 'look',
      attachments: [{ mediaType: 'image/png', filename: 'a.png', base64: pixel }],
    });
    const { items } = (await get(`${at}/messages`)).body;
    expect(items[0]?.content).toEqual([
      { type: 'text', text: 'look' },
      { type: 'file', mediaType: 'image/png', filename: 'a.png', data: pixel },
    ]);
  });

  it('[A110] F88: takes parts, as a start and a resume do: a row has the path of a file, not its bytes', async () => {
    const at = address();
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const text = { type: 'text', text: told(asks(['publish', { text: 'x' }])) };
    const files = [{ path: 'up/a.png', mediaType: 'image/png', base64: pixel }];
    const inline = { type: 'image', base64: pixel, filename: 'b.png' };
    await post(`${at}/start`, { message: [text, { type: 'image', path: 'up/a.png' }, inline], files, wait: true });
    await post(`${at}/interrupt`, {});
    const more = [
      { type: 'text', text: told({ text: 'Seen.' }) },
      { type: 'file', path: 'up/a.png' },
    ];
    const resumed = await post(`${at}/resume`, { message: more });
    expect(resumed.status).toBe(202);
    await post(`${at}/messages`, { content: [inline] });
    const { items } = (await get(`${at}/messages`)).body;
    const said = items.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
    const reference = {
      type: 'file',
      mediaType: 'image/png',
      filename: 'up/a.png',
      path: 'up/a.png',
      size: 70,
      etag: expect.stringMatching(/^[0-9a-f]{64}$/),
    };
    const shown = { type: 'file', mediaType: 'image/png', filename: 'b.png', data: pixel };
    expect(said).toEqual([[text, reference, shown], [more[0], reference], [shown]]);
  });

  it.each([
    ['start', { message: [{ type: 'text', text: '\n' }] }, 'message'],
    ['start', { message: [{ type: 'image', base64: btoa('none'), filename: 'none.png' }] }, 'none.png'],
    ['start', { message: [{ type: 'file', path: 'none.pdf' }] }, 'none.pdf'],
    ['messages', { content: [{ type: 'file', path: 'none.pdf' }] }, 'none.pdf'],
  ])('[A102][A103][A110] is refused with what is wrong, and nothing begins: %s %j', async (verb, body, name) => {
    const at = address();
    const answer = await post(`${at}/${verb}`, body);
    expect([answer.status, code(answer)]).toEqual([422, 'invalid_input']);
    expect(answer.body.detail).toContain(name);
    expect((await get(`${at}/status`)).status).toBe(404);
  });
});

describe('a name', () => {
  it('[A42, A60, TR1] F152: is one object: of all that ask it at once, one begins the run and the others meet that', async () => {
    const at = address();
    const id = bindings.TOP.idFromName(at.split('/')[3] ?? '');
    const message = told({ gate: at, text: 'x' });
    const all = await Promise.all(Array.from({ length: 8 }, () => post(`${at}/start`, { message })));
    const [begun, ...others] = all.filter(({ status }) => status === 202);
    expect(others).toEqual([]);
    const met = all.filter(({ status }) => status === 409);
    expect(met).toHaveLength(7);
    for (const { body } of met) expect(body).toMatchObject({ details: { runId: begun?.body.runId } });
    const seen = await Promise.all(Array.from({ length: 8 }, () => get(`${at}/status`)));
    expect(new Set(seen.map(({ body }) => body.sessionId))).toEqual(new Set([begun?.body.sessionId]));
    openGate(at);
    await vi.waitFor(async () => expect((await get(`${at}/status`)).body.status).toBe('completed'));
    expect((await get(`${at}/runs`)).body.items).toHaveLength(1);
    expect(lives(id)).toBe(1);
  });
});

describe('a start with `ifRunning`', () => {
  it('[A113, A114] F59, F88: is answered with the run that the same body has begun, also after a crash and a resume', async () => {
    const at = address();
    const body = { message: told({ gate: at, text: 'x' }), ifRunning: 'same' };
    const first = await post(`${at}/start`, body);
    for (const more of [key('same'), key('same'), undefined])
      expect(await post(`${at}/start`, body, more)).toMatchObject({ status: 202, body: first.body });
    expect(await post(`${at}/start`, { ...body, wait: 1 })).toMatchObject({ status: 202, body: first.body });
    expect((await post(`${at}/start`, { ...body, message: 'Another.' })).status).toBe(409);
    expect((await post(`${at}/start`, { message: body.message })).status).toBe(409);
    await abortAllDurableObjects();
    await post(`${at}/interrupt`, {});
    await vi.waitFor(async () => expect((await get(`${at}/status`)).body.status).toBe('interrupted'));
    const [once, twice] = [await post(`${at}/resume`, {}, key('r')), await post(`${at}/resume`, {}, key('r'))];
    expect(twice.body).toEqual(once.body);
    expect((await post(`${at}/start`, body)).body).toEqual({ ...first.body, runId: once.body.runId });
    openGate(at);
    await vi.waitFor(async () => expect((await get(`${at}/status`)).body.status).toBe('completed'));
    expect((await post(`${at}/start`, body)).body.runId).not.toBe(first.body.runId);
    await vi.waitFor(async () => expect((await get(`${at}/status`)).body.status).toBe('completed'));
    const { items } = (await get(`${at}/runs`)).body;
    expect(items.map(({ resumes }) => resumes)).toEqual([0, 1, 0]);
    expect((await get(`${at}/messages`)).body.items.filter(({ role }) => role === 'user')).toHaveLength(2);
  });

  it('[A113] finds one in the queue', async () => {
    const at = address('line');
    const before = await post(`${at}/start`, { message: told({ gate: at, text: 'x' }) });
    const body = { message: told({ text: 'next' }), ifRunning: 'same' };
    const [queued, again] = [await post(`${at}/start`, body), await post(`${at}/start`, body)];
    expect(queued.body.status).toBe('queued');
    expect(again.body).toEqual(queued.body);
    openGate(at);
    await vi.waitFor(async () =>
      expect((await get(`${at}/status`)).body).toMatchObject({ status: 'completed', run: { turn: 2 } }),
    );
    expect(before.body.runId).not.toBe(queued.body.runId);
    expect((await get(`${at}/runs`)).body.items).toHaveLength(2);
  });
});

describe('Idempotency-Key', () => {
  it('[A18] F88: gives the first acceptance again for the same body, and refuses another one', async () => {
    const at = address();
    const body = { message: told({ text: 'x' }), wait: true };
    const first = await post(`${at}/start`, { ...body }, key('k1'));
    const again = await post(`${at}/start`, { wait: true, message: body.message }, key('k1'));
    expect(again).toMatchObject({ status: 200, body: first.body });
    const other = await post(`${at}/start`, { message: 'another' }, key('k1'));
    expect([other.status, code(other)]).toEqual([409, 'idempotency_conflict']);
    expect((await get(`${at}/runs`)).body.items).toHaveLength(1);
  });

  it('[A18, A19] survives a crash right after the acceptance', async () => {
    const at = address();
    const body = { message: told({ gate: at, text: 'x' }) };
    const first = await post(`${at}/start`, body, key('k'));
    await abortAllDurableObjects();
    const again = await post(`${at}/start`, body, key('k'));
    expect(again).toMatchObject({ status: 202, body: first.body });
    openGate(at);
    await vi.waitFor(async () => expect((await get(`${at}/status`)).body.status).toBe('completed'));
    expect((await get(`${at}/runs`)).body.items).toHaveLength(1);
  });

  it('[A18] is kept apart by address and verb', async () => {
    const [one, two] = [address(), address()];
    const body = { content: 'hello' };
    const ids = await Promise.all(
      [one, two].map(async (at) => (await post(`${at}/messages`, body, key('k'))).body.messageId),
    );
    expect(new Set(ids).size).toBe(2);
    expect((await post(`${one}/messages`, body, key('k'))).body.messageId).toBe(ids[0]);
    const started = await post(`${one}/start`, { message: told({ text: 'x' }) }, key('k'));
    expect([202, 409]).toContain(started.status);
    expect(code(started)).not.toBe('idempotency_conflict');
  });

  it('[A18] at a sub-agent is kept by the sub-agent', async () => {
    const at = address();
    await post(`${at}/start`, { message: told(calls('leaf', [{ gate: at, text: 'l' }])) });
    const leaf = `${at}/sub/leaf/1~1`;
    await vi.waitFor(async () => expect((await get(`${leaf}/messages`)).body.items).toHaveLength(1));
    const first = await post(`${leaf}/messages`, { content: 'a' }, key('k'));
    expect((await post(`${leaf}/messages`, { content: 'a' }, key('k'))).body).toEqual(first.body);
    expect(code(await post(`${leaf}/messages`, { content: 'b' }, key('k')))).toBe('idempotency_conflict');
    openGate(at);
  });

  it('[A18] is refused when it is no key', async () => {
    const refused = await post(`${address()}/start`, { message: 'x' }, key('k'.repeat(257)));
    expect([refused.status, code(refused)]).toEqual([400, 'invalid_request']);
  });

  it('[A20] of a deletion is kept by the directory, which outlives the root', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    expect((await del(at, key('d'))).status).toBe(204);
    expect((await del(at, key('d'))).status).toBe(204);
    expect((await del(at, key('e'))).status).toBe(404);
    expect((await del(at)).status).toBe(404);
  });
});
