import { abortAllDurableObjects, runInDurableObject } from 'cloudflare:test';
import { exports } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { createClient } from '../../../src/client/client';
import { chunkSchema } from '../../../src/protocol/chunks';
import { shownFailure } from '../../../src/protocol/errors';
import { createWorker } from '../../../src/worker';
import { address, del, get, HOST, open, post, Reader, readAll, send } from '../../support/api';
import { bindings, served } from '../../support/bindings';
import { asks, calls, openGate, told } from '../../support/puppet';
import { noted } from '../../support/told';
import { Form, Leaf, Middle, Tiny, Top } from '../../support/worker';
import { items } from '../standing';

const sequences = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

/** A run that waits for a person's choice, and how to give it. */
async function waiting(): Promise<{ at: string; answer(): Promise<unknown> }> {
  const at = address();
  const started = await post(`${at}/start`, {
    message: told(asks(['pick', { of: ['a'] }]), { text: 'x' }),
    wait: true,
  });
  expect(started.body.status).toBe('suspended_client_tool');
  const [item] = (await get(`${at}/pending`)).body.items;
  const result = { kind: 'client-tool-result', toolCallId: String(item?.toolCallId), result: { picked: 'a' } };
  return { at, answer: () => post(`${at}/tool-results`, result) };
}

describe('stream', () => {
  it('[W1] gives every chunk of the log by its sequence, from 1, from N or after the last event', async () => {
    const at = address();
    await post(`${at}/start`, { message: told(noted('n'), { text: 'x' }), wait: true });
    const last = Number((await get(`${at}/status`)).body.lastSequence);
    const all = await readAll(`${at}/stream`);
    expect(all.chunks.map(({ sequence }) => sequence)).toEqual(sequences(1, last));
    for (const { chunk } of all.chunks) expect(chunkSchema.safeParse(chunk).success).toBe(true);
    expect((await readAll(`${at}/stream?from=5`)).chunks).toEqual(all.chunks.slice(4));
    const resumed = await open(`${at}/stream?from=1`, { 'last-event-id': '7' });
    await resumed.until(() => false);
    expect(resumed.chunks).toEqual(all.chunks.slice(7));
  });

  it('[W1] goes on live, also through a crash of everything, without gap or repeat', async () => {
    const at = address();
    await post(`${at}/start`, { message: told(noted('n'), calls('leaf', [{ gate: at, text: 'l' }]), { text: 'x' }) });
    const first = await open(`${at}/stream`);
    await first.until((events) => events.some(({ event }) => event === 'up-to-date'));
    const seen = first.chunks;
    await first.cancel();
    await abortAllDurableObjects();
    const second = await open(`${at}/stream?from=${(seen.at(-1)?.sequence ?? 0) + 1}`);
    openGate(at);
    await second.until(() => false);
    const both = [...seen, ...second.chunks];
    expect(both.map(({ sequence }) => sequence)).toEqual(sequences(1, both.length));
    expect((await readAll(`${at}/stream`)).chunks).toEqual(both);
  });

  it('[W2] says when the reader is up to date and when the run has ended, and closes then', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ gate: at, text: 'x' }) });
    const stream = await open(`${at}/stream`);
    await stream.until((events) => events.some(({ event }) => event === 'up-to-date'));
    openGate(at);
    await stream.until(() => false);
    expect(stream.closed).toBe(true);
    expect(stream.events.filter(({ event }) => event !== 'message').map(({ event, data }) => [event, data])).toEqual([
      ['up-to-date', { sequence: expect.any(Number) }],
      ['end', { status: 'completed' }],
    ]);
  });

  it('[W1, LG2, J2] F151: 5,000 chunks of a sub-agent are read by a client, each once and in order', async () => {
    const count = 5_000;
    const at = address();
    await post(`${at}/start`, {
      message: told(calls('leaf', [asks(['recite', { count }]), { text: 'l' }]), { text: 'x' }),
    });
    const client = createClient({
      baseUrl: HOST,
      fetch: (input, init) => served.default.fetch(new Request(input, init)),
    });
    const recited: unknown[] = [];
    const found: number[] = [];
    for await (const event of client.follow(at)) {
      if (event.type !== 'chunk') continue;
      const { sequence, chunk } = event.entry;
      found.push(sequence);
      if (chunk.type === 'custom') recited.push([chunk.address, chunk.data]);
    }
    const leaf = `${at}/sub/leaf/1~1`;
    expect(recited).toEqual(sequences(1, count).map((number) => [leaf, number]));
    expect(found).toEqual(sequences(1, found.length));
    expect(await client.status(at)).toMatchObject({ status: 'completed', lastSequence: found.length });
    expect((await items(`${leaf}/calls`))[0]).toMatchObject({ result: { recited: count } });
  });

  it('[A54] every error has the sentence that is safe to show', async () => {
    const at = address();
    const title = 'There is no tool of that name.';
    const fails = { fail: { code: 'model_refused', message: 'The provider said no.' } } as const;
    const ended = await post(`${at}/start`, { message: told(asks(['nothing', {}]), fails), wait: true });
    expect(ended.body.run).toMatchObject({ error: { title: 'The model refused the request.' } });
    const { chunks } = await readAll(`${at}/stream`);
    const errors = chunks.flatMap(({ chunk }) => ('error' in chunk && chunk.error ? [chunk.error] : []));
    expect(errors.map(({ code }) => code)).toEqual(['unknown_tool', 'model_refused']);
    for (const error of errors) expect(error).toEqual(shownFailure(error));
    expect(errors[0]).toMatchObject({ code: 'unknown_tool', title });
    const [call] = (await get(`${at}/calls`)).body.items;
    expect(call?.error).toMatchObject({ code: 'unknown_tool', title });
    const logged = (await get(`${at}/logs`)).body.items;
    expect(logged.flatMap(({ errors: found }) => found)).toMatchObject([{ title: 'The model refused the request.' }]);
  });

  it('[W2] stays open with follow=1 and tells of each end', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'one' }), wait: true });
    const stream = await open(`${at}/stream?follow=1`);
    const ends = () => stream.events.filter(({ event }) => event === 'end').length;
    await stream.until(() => ends() === 1);
    await post(`${at}/start`, { message: told({ fail: { code: 'model_refused', message: 'No.' } }), wait: true });
    await stream.until(() => ends() === 2);
    expect(stream.events.at(-1)).toMatchObject({ event: 'end', data: { status: 'failed' } });
    expect(stream.closed).toBe(false);
    await stream.cancel();
  });

  it('[W36] closes with `end`, and whoever comes back with its id is told that there is nothing more', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'one' }), wait: true });
    const { events, chunks } = await readAll(`${at}/stream`);
    const last = chunks.at(-1)?.sequence ?? 0;
    expect(events.at(-1)).toMatchObject({ event: 'end', id: `${last}:end` });
    const back = await send(`${at}/stream`, { headers: { 'last-event-id': `${last}:end` } });
    expect([back.status, back.body, back.headers.get('content-type')]).toEqual([204, null, null]);
    expect((await send(`${at}/stream?follow=run`, { headers: { 'last-event-id': `${last}:end` } })).status).toBe(204);
    // Who has the last chunk alone has not been told of the end.
    const without = await open(`${at}/stream`, { 'last-event-id': String(last) });
    await without.until(() => false);
    expect(without.events.map(({ event }) => event)).toEqual(['up-to-date', 'end']);
    await post(`${at}/start`, { message: told({ text: 'two' }), wait: true });
    const more = await open(`${at}/stream`, { 'last-event-id': `${last}:end` });
    await more.until(() => false);
    expect(more.chunks[0]?.sequence).toBe(last + 1);
    expect(more.events.at(-1)).toMatchObject({ event: 'end', data: { status: 'completed' } });
    for (const wrong of [':end', 'x:end', '1:end:end', '1:ends', '01:end', '-1:end'])
      expect((await send(`${at}/stream`, { headers: { 'last-event-id': wrong } })).status).toBe(400);
  });

  it('[W37] holds whoever comes back to a suspended run until that goes on, and tells its end', async () => {
    const { at, answer } = await waiting();
    const first = await readAll(`${at}/stream`);
    const { id, data } = first.events.at(-1) ?? {};
    expect(data).toEqual({ status: 'suspended_client_tool' });
    const back = await open(`${at}/stream`, { 'last-event-id': String(id) });
    await back.until((events) => events.some(({ event }) => event === 'up-to-date'));
    await answer();
    await back.until(() => false);
    expect(back.events.filter(({ event }) => event === 'end').map((event) => event.data)).toEqual([
      { status: 'completed' },
    ]);
    expect([...first.chunks, ...back.chunks]).toEqual((await readAll(`${at}/stream`)).chunks);
  });

  it('[W37] with follow=run tells of a suspension and closes with the end of the run', async () => {
    const { at, answer } = await waiting();
    const stream = await open(`${at}/stream?follow=run`);
    await stream.until((events) => events.some(({ event }) => event === 'end'));
    await answer();
    await stream.until(() => false);
    expect(stream.events.filter(({ event }) => event === 'end').map((event) => event.data)).toEqual([
      { status: 'suspended_client_tool' },
      { status: 'completed' },
    ]);
    expect(stream.chunks).toEqual((await readAll(`${at}/stream`)).chunks);
  });

  it.each(['0', '-1', 'x', '1.5'])('[W1] refuses from=%s', async (from) => {
    expect((await get(`${address()}/stream?from=${from}`)).body).toMatchObject({
      status: 400,
      code: 'invalid_request',
    });
  });

  it('[W1] refuses a Last-Event-ID that no event had', async () => {
    expect((await get(`${address()}/stream`, { 'last-event-id': 'abc' })).body).toMatchObject({
      status: 400,
      code: 'invalid_request',
    });
  });

  it('[W3] tells a reader from beyond the end to begin anew, and gives it the log from there', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const stream = await readAll(`${at}/stream?from=9999`);
    expect(stream.events[0]).toMatchObject({ event: 'reset', id: '0', data: { from: 1 } });
    expect(stream.chunks.map(({ sequence }) => sequence)).toEqual(sequences(1, stream.chunks.length));
  });

  it('[W4] L45: gives what happens at and below the address alone, with the sequences of the whole', async () => {
    const at = address();
    const leaf = [{ text: 'leaf' }];
    await post(`${at}/start`, {
      message: told(calls('middle', [calls('leaf', leaf), { text: 'm1' }], [{ text: 'm2' }]), { text: 'top' }),
      wait: true,
    });
    const whole = (await readAll(`${at}/stream`)).chunks;
    const middle = `${at}/sub/middle/1~1`;
    const below = await readAll(`${middle}/stream`);
    expect(below.chunks).toEqual(whole.filter(({ chunk }) => chunk.address.startsWith(middle)));
    expect(new Set(below.chunks.map(({ chunk }) => chunk.agentType))).toEqual(new Set(['middle', 'leaf']));
    expect(below.events.at(-1)).toMatchObject({ event: 'end', data: { status: 'completed' } });
  });

  it('[W1] is an event stream that no proxy holds back', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const response = await send(`${at}/stream`);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    await response.body?.cancel();
  });
});

describe('retention', () => {
  const namespace = bindings.TINY;
  const rows = (at: string, table: string) =>
    runInDurableObject(namespace.getByName(at.split('/')[3] ?? ''), (_instance, state) =>
      state.storage.sql.exec(`SELECT * FROM ${table}`).toArray(),
    );

  it('[W7] keeps the log of the last runs; who asks for less is told where it begins', async () => {
    const at = address('tiny');
    for (const text of ['one', 'two'])
      await post(`${at}/start`, { message: told(calls('leaf', [{ text }]), { text }), wait: true });
    const before = (await readAll(`${at}/stream`)).chunks;
    const third = await post(`${at}/start`, { message: told({ text: 'three' }), wait: true });
    const kept = await readAll(`${at}/stream`);
    const second = before.find(({ chunk }) => chunk.type === 'run_started' && chunk.turn === 2 && chunk.address === at);
    expect(kept.events[0]).toMatchObject({
      event: 'reset',
      id: String((second?.sequence ?? 0) - 1),
      data: { from: second?.sequence },
    });
    expect(kept.chunks.map(({ sequence }) => sequence)).toEqual(
      sequences(second?.sequence ?? 0, Number(third.body.lastSequence)),
    );
    expect(kept.chunks.slice(0, before.length - (second?.sequence ?? 0) + 1)).toEqual(
      before.slice((second?.sequence ?? 0) - 1),
    );
  });

  it('[W7] removes the ended sub-agents of runs that are gone, uses their slots again, and still counts what they spent', async () => {
    const at = address('tiny');
    const both = told(calls('leaf', [{ text: 'a' }], [{ text: 'b' }]), { text: 'x' });
    await post(`${at}/start`, { message: both, wait: true });
    await post(`${at}/start`, { message: told({ text: 'y' }), wait: true });
    expect((await get(`${at}/sub/leaf/2~1/status`)).status).toBe(200);
    await post(`${at}/start`, { message: told({ text: 'z' }), wait: true });
    expect((await get(`${at}/children`)).body.items).toEqual([]);
    await vi.waitFor(async () => expect((await rows(at, 'children')).map(({ free }) => free)).toEqual([1, 1]));
    expect(await rows(at, 'cf_agents_sub_agents')).toEqual([]);
    expect((await get(`${at}/sub/leaf/2~1/status`)).body).toMatchObject({ status: 410, code: 'gone' });
    await post(`${at}/start`, { message: both, wait: true });
    expect((await get(`${at}/children`)).body.items.map(({ name }) => name)).toEqual(['1~2', '2~2']);
    expect((await get(`${at}/sub/leaf/2~1/status`)).body).toMatchObject({ status: 410, code: 'gone' });
    expect((await get(`${at}/sub/leaf/2~2/status`)).body).toMatchObject({ status: 'completed' });
    expect((await get(`${at}/usage?includeSubAgents=1`)).body).toMatchObject({ byAgent: { leaf: { modelCalls: 4 } } });
  });

  it('[W7] finishes after a crash what it began', async () => {
    const at = address('tiny');
    await post(`${at}/start`, { message: told(calls('leaf', [{ text: 'a' }]), { text: 'x' }), wait: true });
    await post(`${at}/start`, { message: told({ text: 'y' }), wait: true });
    await post(`${at}/start`, { message: told({ text: 'z' }) });
    await abortAllDurableObjects();
    await vi.waitFor(async () => {
      await get(`${at}/status`);
      expect((await rows(at, 'children')).map(({ free }) => free)).toEqual([1]);
    });
    expect(await rows(at, 'cf_agents_sub_agents')).toEqual([]);
  });

  it('[W7] keeps less than the last runs when they are large', async () => {
    const at = address('tiny');
    await post(`${at}/start`, { message: told({ text: 'l'.repeat(70_000), chunkSize: 10_000 }), wait: true });
    const first = Number((await get(`${at}/status`)).body.lastSequence);
    await post(`${at}/start`, { message: told({ text: 'small' }), wait: true });
    const kept = await readAll(`${at}/stream`);
    expect(kept.events[0]).toMatchObject({ event: 'reset', data: { from: first + 1 } });
    expect((await get(`${at}/messages`)).body.items).toHaveLength(4);
    expect((await get(`${at}/runs`)).body.items).toHaveLength(2);
  });
});

describe('a stream that lost what it stands on', () => {
  const agents = [Top, Middle, Leaf, Tiny, Form];
  const ask = (worker: ReturnType<typeof createWorker>, path: string, headers: Record<string, string> = {}) =>
    worker.fetch(new Request(`${HOST}${path}`, { headers }), {}, { exports });

  it('[X33] ends with the problem before it tells what its caller may not read, and asks with what opened it', async () => {
    const clock = { ahead: 0 };
    const { now } = Date;
    vi.spyOn(Date, 'now').mockImplementation(() => now() + clock.ahead);
    const asked: string[] = [];
    let may = true;
    const worker = createWorker({
      agents,
      authorize: (request, { action, address: where }) => {
        asked.push(
          `${action} ${where} ${request.headers.get('x-who')} ${new URL(request.url).searchParams.get('from')}`,
        );
        return may ? { subject: 'me' } : { refused: 'unauthorized', detail: 'Not you.' };
      },
    });
    for (const below of ['', '/sub/leaf/1~1']) {
      const at = address();
      const place = `${at}${below}`;
      await post(`${at}/start`, { message: told(calls('leaf', [{ gate: at, text: 'l' }]), { text: 'secret' }) });
      await vi.waitFor(async () => expect((await get(`${at}/sub/leaf/1~1/status`)).body.status).toBe('running'));
      const response = await ask(worker, `${place}/stream?from=1&follow=1`, { 'x-who': 'me' });
      const stream = new Reader(response);
      await stream.until((events) => events.some(({ event }) => event === 'up-to-date'));
      expect(asked).toEqual([`read ${place} me 1`]);
      may = false;
      clock.ahead += 5_000;
      const before = stream.chunks.length;
      const ended = stream.until(() => false);
      openGate(at);
      await ended;
      expect(stream.closed).toBe(true);
      expect(stream.chunks).toHaveLength(before);
      expect(stream.events.at(-1)).toMatchObject({
        event: 'refused',
        data: { status: 401, code: 'unauthorized', detail: 'Not you.' },
      });
      expect(asked).toEqual([`read ${place} me 1`, `read ${place} me 1`]);
      asked.length = 0;
      may = true;
    }
    vi.restoreAllMocks();
  });

  it('[X13] is opened by a URL and headers of 32,768 characters, and by no longer ones', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const worker = createWorker({ agents });
    const size = `${HOST}${at}/stream`.length + 'x-long'.length;
    const refused = await ask(worker, `${at}/stream`, { 'x-long': 'x'.repeat(32_769 - size) });
    expect(await refused.json()).toMatchObject({ status: 400, code: 'invalid_request' });
    const stream = new Reader(await ask(worker, `${at}/stream`, { 'x-long': 'x'.repeat(32_768 - size) }));
    await stream.until(() => false);
    expect(stream.events.at(-1)).toMatchObject({ event: 'end' });
  });

  it.each([
    ['a root that works', '', true],
    ['a root that has ended', '', false],
    ['a sub-agent', '/sub/leaf/1~1', true],
  ])('[W29] that follows %s says that this was removed', async (_, below, works) => {
    const at = address();
    const steps = works ? [calls('leaf', [{ gate: at, text: 'l' }]), { text: 'x' }] : [{ text: 'x' }];
    await post(`${at}/start`, { message: told(...steps), wait: !works });
    await vi.waitFor(async () => expect((await get(`${at}${below}/status`)).status).toBe(200));
    const stream = await open(`${at}${below}/stream?follow=1`);
    await stream.until((events) => events.some(({ event }) => event === 'up-to-date'));
    const ended = stream.until(() => false);
    expect((await del(`${at}${below}`)).status).toBe(204);
    await ended;
    expect(stream.events.at(-1)).toMatchObject({ event: 'refused', data: { status: 410, code: 'gone' } });
    if (below !== '') openGate(at);
  });
});
