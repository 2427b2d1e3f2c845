import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { address, del, get, open, post, readAll, send } from '../../support/api';
import { bindings } from '../../support/bindings';
import { calls, openGate, told } from '../../support/puppet';
import { tablesFound } from '../../support/worker';

const namespace = bindings.TOP;
const nameOf = (at: string) => at.split('/')[3] ?? '';
const stubOf = (at: string) => namespace.getByName(nameOf(at));
/** How many tables the root found in its storage when it was made last. */
const found = (at: string) => tablesFound.get(namespace.idFromName(nameOf(at)).toString());

const reads = [
  'status',
  'tree',
  'runs',
  'calls',
  'logs',
  'state',
  'limits',
  'messages',
  'stream',
  'children',
  'usage',
  'schedules',
  'files',
  'documents',
  'files/a',
  'sub/leaf/1~1/status',
];

describe('looking', () => {
  it('[A21] at a root that is not there leaves nothing behind', async () => {
    const at = address();
    for (const path of reads) {
      expect((await get(`${at}/${path}`)).status).toBe(404);
      // Each finds an empty storage: the one before it left nothing.
      expect(found(at)).toBe(0);
    }
    const upgrade = await send(at, { headers: { upgrade: 'websocket' } });
    expect([upgrade.status, upgrade.webSocket]).toEqual([404, null]);
    expect((await del(at)).status).toBe(404);
    expect((await post(`${at}/start`, {})).status).toBe(400);
    expect((await get(`${at}/status`)).status).toBe(404);
    expect(found(at)).toBe(0);
  });

  it('[A21] at a sub-agent that is not there makes none', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    for (const below of ['leaf/1~1', 'leaf/9~9', 'leaf/alice', 'nothing/1~1', 'leaf/1~1/sub/leaf/1~1']) {
      for (const path of reads) expect((await get(`${at}/sub/${below}/${path}`)).status).toBe(404);
      expect((await post(`${at}/sub/${below}/messages`, { content: 'x' })).status).toBe(404);
      expect((await post(`${at}/sub/${below}/start`, { message: 'x' })).status).toBe(404);
      expect((await send(`${at}/sub/${below}`, { headers: { upgrade: 'websocket' } })).status).toBe(404);
      expect((await del(`${at}/sub/${below}`)).status).toBe(404);
    }
    // The SDK makes the table of its sub-agents with the first one.
    const made = await runInDurableObject(stubOf(at), (_instance, state) =>
      state.storage.sql.exec(`SELECT name FROM sqlite_master WHERE name = 'cf_agents_sub_agents'`).toArray(),
    );
    expect(made).toEqual([]);
  });

  it('[A21] and starting at the same time: the start wins, whatever comes first', async () => {
    for (let round = 0; round < 10; round++) {
      const at = address();
      const answers = await Promise.all([
        get(`${at}/status`),
        get(`${at}/tree`),
        post(`${at}/start`, { message: told({ text: 'x' }), wait: true }),
        get(`${at}/status`),
      ]);
      expect(answers[2]?.body).toMatchObject({ status: 'completed' });
      expect((await get(`${at}/status`)).body).toMatchObject({ status: 'completed' });
    }
  });

  it('[A21] leaves alone what an author keeps in an object without a session', async () => {
    const at = address();
    await runInDurableObject(stubOf(at), (_instance, state) => state.storage.put('mine', 1));
    expect((await get(`${at}/status`)).status).toBe(404);
    expect(await runInDurableObject(stubOf(at), (_instance, state) => state.storage.get('mine'))).toBe(1);
  });
});

describe('deleting a root', () => {
  it('[A16] stops what works and removes everything; a later start makes a new one', async () => {
    const at = address();
    const first = await post(`${at}/start`, {
      message: told(calls('middle', [calls('leaf', [{ hang: 'until-aborted' }])])),
    });
    await vi.waitFor(async () => expect((await get(`${at}/status`)).body.childCounts).toMatchObject({ total: 2 }));
    const gone = await del(at);
    expect([gone.status, gone.body]).toEqual([204, {}]);
    expect((await get(`${at}/status`)).status).toBe(404);
    expect((await get(`${at}/sub/middle/1~1/status`)).status).toBe(404);
    expect(found(at)).toBe(0);
    const again = await post(`${at}/start`, { message: told({ text: 'new' }), wait: true });
    expect(again.body).toMatchObject({
      status: 'completed',
      run: { turn: 1, output: 'new' },
      childCounts: { total: 0 },
    });
    expect(again.body.sessionId).not.toBe(first.body.sessionId);
  });

  it('[A16] cuts off what does not stop in time', async () => {
    const at = address();
    await post(`${at}/start`, { message: told(calls('leaf', [{ hang: 'forever' }])) });
    await vi.waitFor(async () => expect((await get(`${at}/sub/leaf/1~1/status`)).body.status).toBe('running'));
    expect((await del(at)).status).toBe(204);
    expect((await get(`${at}/status`)).status).toBe(404);
  });

  it('[A16] that a crash cut off is finished by the alarm', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    await runInDurableObject(stubOf(at), (instance) => {
      const object = instance.offshoot({
        kind: 'verb',
        path: [],
        verb: 'remove',
        input: {},
      });
      object.catch(() => undefined);
      // The mark is committed before the first wait of the deletion.
    });
    await abortAllDurableObjects();
    await runDurableObjectAlarm(stubOf(at)).catch(() => false);
    await vi.waitFor(async () => {
      expect((await get(`${at}/status`)).status).toBe(404);
      expect(found(at)).toBe(0);
    });
  });

  it('[A16, A18, A20] again under the same key leaves alone what came after it', async () => {
    const at = address();
    const key = { 'idempotency-key': 'k' };
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    expect((await del(at, key)).status).toBe(204);
    const next = await post(`${at}/start`, { message: told({ text: 'new' }), wait: true });
    expect((await del(at, key)).status).toBe(204);
    expect((await get(`${at}/status`)).body).toMatchObject({ sessionId: next.body.sessionId, status: 'completed' });
    expect((await del(at, { 'idempotency-key': 'other' })).status).toBe(204);
    expect((await get(`${at}/status`)).status).toBe(404);
  });

  it('[A52] what is repeated with its key after the deletion begins nothing a second time', async () => {
    const at = address();
    const key = (value: string) => ({ 'idempotency-key': value });
    const body = { message: told({ text: 'x' }) };
    await post(`${at}/start`, { ...body, wait: true }, key('s'));
    await post(`${at}/messages`, { content: told({ text: 'y' }) }, key('m'));
    expect((await del(at, key('d'))).status).toBe(204);
    const gone = [
      () => post(`${at}/start`, { ...body, wait: true }, key('s')),
      () => post(`${at}/start`, body, key('s')),
      () => post(`${at}/messages`, { content: told({ text: 'y' }) }, key('m')),
    ];
    for (const ask of gone) expect((await ask()).body).toMatchObject({ status: 410, code: 'gone' });
    expect((await get(`${at}/status`)).status).toBe(404);
    // Another verb, caller or key is another request.
    const next = await post(`${at}/start`, { message: told({ text: 'new' }), wait: true }, key('m'));
    expect(next.status).toBe(200);
    for (const ask of gone) expect((await ask()).body).toMatchObject({ status: 410, code: 'gone' });
    expect((await get(`${at}/status`)).body).toMatchObject({ sessionId: next.body.sessionId, run: { turn: 1 } });
    expect((await post(`${at}/messages`, { content: told({ text: 'z' }) }, key('m2'))).status).toBe(202);
  });

  it('[A16, W2, W29] ends the streams of those who watch, also of those who follow', async () => {
    const at = address();
    await post(`${at}/start`, { message: told(calls('leaf', [{ hang: 'until-aborted' }])) });
    await vi.waitFor(async () => expect((await get(`${at}/sub/leaf/1~1/status`)).body.status).toBe('running'));
    const streams = [
      await open(`${at}/stream`),
      await open(`${at}/stream?follow=1`),
      await open(`${at}/sub/leaf/1~1/stream?follow=1`),
    ];
    for (const stream of streams) await stream.until((events) => events.some(({ event }) => event === 'up-to-date'));
    expect((await del(at)).status).toBe(204);
    for (const stream of streams) {
      await stream.until(() => false);
      expect(stream.closed).toBe(true);
    }
    expect(streams.map(({ events }) => events.at(-1))).toMatchObject([
      { event: 'end', data: { status: 'terminated' } },
      { event: 'refused', data: { code: 'gone' } },
      { event: 'refused', data: { code: 'gone' } },
    ]);
  });

  it('[A17, W2] of a sub-agent ends the streams of those who follow it', async () => {
    const at = address();
    await post(`${at}/start`, { message: told(calls('leaf', [{ text: 'l' }])), wait: true });
    const stream = await open(`${at}/sub/leaf/1~1/stream?follow=1`);
    await stream.until((events) => events.some(({ event }) => event === 'end'));
    await del(`${at}/sub/leaf/1~1`);
    await stream.until(() => false);
    expect(stream.closed).toBe(true);
  });
});

describe('deleting a sub-agent', () => {
  it('[A17] settles its call with `deleted`, and leaves its sibling alone', async () => {
    const at = address();
    await post(`${at}/start`, {
      message: told(calls('leaf', [{ hang: 'until-aborted' }], [{ gate: at, text: 'sibling' }]), { text: 'end' }),
    });
    const leaf = `${at}/sub/leaf/1~1`;
    await vi.waitFor(async () => expect((await get(`${leaf}/messages`)).body.items).toHaveLength(1));
    expect((await del(leaf)).status).toBe(204);
    expect((await get(`${leaf}/status`)).body).toMatchObject({ status: 410, code: 'gone' });
    expect((await get(`${at}/children`)).body.items.map(({ name }) => name)).toEqual(['2~1']);
    openGate(at);
    const { chunks } = await readAll(`${at}/stream`);
    const ends = chunks.map(({ chunk }) => chunk).filter((chunk) => chunk.type === 'subagent_end');
    expect(ends).toMatchObject([
      { success: false, error: { code: 'deleted' } },
      { success: true, result: 'sibling' },
    ]);
    // Its own last chunk comes before the end of its call.
    const types = chunks
      .filter(({ chunk }) => chunk.address === leaf)
      .map(({ sequence, chunk }) => [chunk.type, sequence] as const);
    const closed = chunks.find(({ chunk }) => chunk.type === 'subagent_end')?.sequence ?? 0;
    expect(types.at(-1)?.[0]).toBe('run_failed');
    expect(types.at(-1)?.[1]).toBeLessThan(closed);
  });

  it('[A17] that waits for its turn takes it out of the queue', async () => {
    const at = address('tiny');
    const script = [{ gate: at, text: 'l' }];
    await post(`${at}/start`, { message: told(calls('leaf', script, script, script), { text: 'end' }) });
    await vi.waitFor(async () => expect((await get(`${at}/status`)).body.childCounts).toMatchObject({ queued: 1 }));
    expect((await del(`${at}/sub/leaf/3~1`)).status).toBe(204);
    expect((await get(`${at}/status`)).body.childCounts).toEqual({ running: 2, queued: 0, waiting: 0, total: 2 });
    openGate(at);
    await vi.waitFor(async () =>
      expect((await get(`${at}/status`)).body).toMatchObject({ status: 'completed', run: { output: 'end' } }),
    );
  });

  it('[A17, A14] that has ended removes it with all below it; what they spent stays counted', async () => {
    const at = address();
    await post(`${at}/start`, {
      message: told(calls('middle', [calls('leaf', [{ text: 'l' }]), { text: 'm' }]), { text: 'end' }),
      wait: true,
    });
    const before = (await get(`${at}/usage?includeSubAgents=1`)).body;
    expect((await del(`${at}/sub/middle/1~1`)).status).toBe(204);
    expect((await get(`${at}/status`)).body.childCounts).toMatchObject({ total: 0 });
    expect((await get(`${at}/usage?includeSubAgents=1`)).body).toEqual(before);
    expect((await get(`${at}/sub/middle/1~1/sub/leaf/1~1/status`)).body).toMatchObject({ code: 'gone' });
    await post(`${at}/start`, { message: told(calls('middle', [{ text: 'second' }]), { text: 'end' }), wait: true });
    expect((await get(`${at}/sub/middle/1~2/status`)).body).toMatchObject({
      status: 'completed',
      run: { output: 'second' },
    });
  });

  it('[A17] below another sub-agent frees its slot there', async () => {
    const at = address();
    await post(`${at}/start`, {
      message: told(
        calls('middle', [
          calls('leaf', [{ hang: 'until-aborted' }]),
          calls('leaf', [{ text: 'second' }]),
          { text: 'm' },
        ]),
        { text: 'end' },
      ),
    });
    const leaf = `${at}/sub/middle/1~1/sub/leaf/1~1`;
    await vi.waitFor(async () => expect((await get(`${leaf}/messages`)).body.items).toHaveLength(1));
    expect((await del(leaf)).status).toBe(204);
    await vi.waitFor(async () => expect((await get(`${at}/status`)).body).toMatchObject({ status: 'completed' }));
    expect((await get(`${leaf}/status`)).body).toMatchObject({ status: 410 });
    const { items } = (await get(`${at}/sub/middle/1~1/calls`)).body;
    expect(items.map(({ status }) => status)).toEqual(['failed', 'succeeded']);
  });

  it('[A17, A18] is answered again under its key', async () => {
    const at = address();
    await post(`${at}/start`, { message: told(calls('leaf', [{ text: 'l' }])), wait: true });
    const key = { 'idempotency-key': 'k' };
    expect((await del(`${at}/sub/leaf/1~1`, key)).status).toBe(204);
    expect((await del(`${at}/sub/leaf/1~1`, key)).status).toBe(204);
    expect((await del(`${at}/sub/leaf/1~1`)).status).toBe(410);
  });

  it('[A26] an older generation of a slot is gone, a number that no slot had was never there', async () => {
    const at = address();
    await post(`${at}/start`, { message: told(calls('leaf', [{ text: 'l' }])), wait: true });
    await del(`${at}/sub/leaf/1~1`);
    await post(`${at}/start`, { message: told(calls('leaf', [{ text: 'l' }])), wait: true });
    expect((await get(`${at}/sub/leaf/1~1/status`)).body).toMatchObject({ status: 410, code: 'gone' });
    expect((await get(`${at}/sub/leaf/1~2/status`)).status).toBe(200);
    expect((await get(`${at}/sub/leaf/1~3/status`)).status).toBe(404);
    expect((await get(`${at}/sub/leaf/2~1/status`)).status).toBe(404);
  });
});
