/** A companion is copied as a facet: the copy has its memory and its files, and goes on after everything left memory. */
import { abortAllDurableObjects } from 'cloudflare:test';
import { exports } from 'cloudflare:workers';
import { expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json';
import { createWorker, type WorkerOptions } from '../../../src/worker';
import { address, get, HOST, post, readAll, send, socketIn } from '../../support/api';
import { bindings } from '../../support/bindings';
import { asks, calls, cameTo, openGate, type PuppetStep, told } from '../../support/puppet';
import { noted } from '../../support/told';
import { Eager, Form, Leaf, Line, Middle, Tiny, Top } from '../../support/worker';
import { items, stands } from '../../workerd/standing';

const asked = (tool: string, input: JsonObject): PuppetStep => asks([`companion__${tool}`, input]);

/** Starts a turn, and waits for its end. */
async function turn(at: string, ...steps: PuppetStep[]): Promise<void> {
  const { body } = await post(`${at}/start`, { message: told(...steps), wait: true });
  expect(body).toMatchObject({ status: 'completed' });
}

const inputs = (...texts: string[]): string[] => texts.map((text) => JSON.stringify({ text }));

const idsOf = async (at: string): Promise<string[]> => {
  const lists = await Promise.all(['calls', 'messages', 'runs'].map((list) => items(`${at}/${list}`)));
  return JSON.stringify(lists).match(/"[srcm]_\w+/g) ?? [];
};

it('[CP1, CP2, CP27] a copy of a facet has its memory and shares nothing with it, also after everything left memory', async () => {
  const at = address('tiny');
  const [ada, bob] = [`${at}/sub/leaf/ada`, `${at}/sub/leaf/bob`];
  await turn(
    at,
    asked('spawnAgent', { agent: 'leaf', name: 'ada', initialMessage: told(noted('first'), { text: 'one' }) }),
  );
  expect((await send(`${ada}/files/a.txt`, { method: 'PUT', body: 'kept' })).ok).toBe(true);
  await turn(at, asked('forkChild', { name: 'ada', newName: 'bob', message: told(noted('second'), { text: 'two' }) }));
  const notes = async (of: string) => (await items(`${of}/calls`)).map(({ input }) => JSON.stringify(input));
  expect([await notes(ada), await notes(bob)]).toEqual([inputs('first'), inputs('first', 'second')]);
  expect(await (await send(`${bob}/files/a.txt`)).text()).toBe('kept');
  expect((await send(`${bob}/files/a.txt`, { method: 'PUT', body: 'changed' })).ok).toBe(true);
  const { body } = await get(`${at}/tree`);
  for (const name of [ada, bob]) expect(JSON.stringify(body)).toContain(name);

  await abortAllDurableObjects();
  await turn(
    at,
    asked('sendMessage', { name: 'bob', message: told(noted('third')), wait: true }),
    asked('sendMessage', { name: 'ada', message: told(noted('mine')), wait: true }),
  );
  expect([await notes(ada), await notes(bob)]).toEqual([inputs('first', 'mine'), inputs('first', 'second', 'third')]);
  expect(await (await send(`${ada}/files/a.txt`)).text()).toBe('kept');
  const [ofAda, ofBob] = [await idsOf(ada), await idsOf(bob)];
  expect(ofAda.length).toBeGreaterThan(4);
  expect(ofBob.filter((id) => ofAda.includes(id))).toEqual([]);
});

it('[CP12] the companions of a facet come along, and go on with their memory and files after everything left memory', async () => {
  const at = address('tiny');
  const [mia, moe] = [`${at}/sub/middle/mia`, `${at}/sub/middle/moe`];
  const below = '/sub/leaf/own';
  const first = asked('spawnAgent', { agent: 'leaf', name: 'own', initialMessage: told(noted('first')) });
  const further = (text: string) => told(asked('sendMessage', { name: 'own', message: told(noted(text)), wait: true }));
  await turn(at, asked('spawnAgent', { agent: 'middle', name: 'mia', initialMessage: told(first) }));
  expect((await send(`${mia}${below}/files/a.txt`, { method: 'PUT', body: 'kept' })).ok).toBe(true);
  await turn(at, asked('forkChild', { name: 'mia', newName: 'moe', message: told(noted('his')) }));
  const notes = async (of: string) => (await items(`${of}${below}/calls`)).map(({ input }) => JSON.stringify(input));
  // It is there before it is told anything.
  expect(await notes(moe)).toEqual(inputs('first'));
  expect((await get(`${moe}${below}/status`)).body).toMatchObject({ status: 'completed' });
  expect(await (await send(`${moe}${below}/files/a.txt`)).text()).toBe('kept');
  expect((await send(`${moe}${below}/files/a.txt`, { method: 'PUT', body: 'changed' })).ok).toBe(true);

  await abortAllDurableObjects();
  await turn(at, asked('sendMessage', { name: 'moe', message: further('copy'), wait: true }));
  await turn(at, asked('sendMessage', { name: 'mia', message: further('original'), wait: true }));
  expect([await notes(mia), await notes(moe)]).toEqual([inputs('first', 'original'), inputs('first', 'copy')]);
  expect(await (await send(`${mia}${below}/files/a.txt`)).text()).toBe('kept');
  const [ofMia, ofMoe] = [await idsOf(mia + below), await idsOf(moe + below)];
  expect(ofMia.length).toBeGreaterThan(4);
  expect(ofMoe.filter((id) => ofMia.includes(id))).toEqual([]);
});

it('[CP28] the facets that work for a call of a facet do not come along: its copy has its own in their places', async () => {
  const at = address('tiny');
  const [mia, moe] = [`${at}/sub/middle/mia`, `${at}/sub/middle/moe`];
  const asksLeaf = (text: string): string => told(calls('leaf', [noted(text)]));
  await turn(at, asked('spawnAgent', { agent: 'middle', name: 'mia', initialMessage: asksLeaf('hers') }));
  await turn(at, asked('forkChild', { name: 'mia', newName: 'moe', message: asksLeaf('his') }));
  const below = async (of: string) =>
    (await items(`${of}/sub/leaf/1~1/calls`)).map(({ input }) => JSON.stringify(input));
  expect([await below(mia), await below(moe)]).toEqual([inputs('hers'), inputs('his')]);
});

it('[CP3, CP26] a facet is copied while it works: the copy has the memory of that moment, and none of the work', async () => {
  const at = address('tiny');
  const [ada, bob] = [`${at}/sub/leaf/ada`, `${at}/sub/leaf/bob`];
  const waits = { gate: `copied-${at}`, text: 'late' };
  const first = told(noted('first'), waits);
  await turn(at, asked('spawnAgent', { agent: 'leaf', name: 'ada', mode: 'non-blocking', initialMessage: first }));
  await vi.waitFor(async () => expect(cameTo(waits.gate)).toBe(1), { interval: 5 });
  await turn(at, asked('forkChild', { name: 'ada', newName: 'bob', message: told(noted('second')) }));
  expect((await get(`${bob}/status`)).body).toMatchObject({ status: 'completed' });
  expect((await items(`${bob}/calls`)).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  expect((await items(`${bob}/runs`)).map(({ status }) => status)).toEqual(['interrupted', 'completed']);
  expect((await get(`${ada}/status`)).body).toMatchObject({ status: 'running' });
  openGate(waits.gate);
  await stands(ada, 'completed');
  // Nobody but the original has asked its model again.
  expect(cameTo(waits.gate)).toBe(1);
});

it('[CP8, CP33] a person copies a companion by HTTP, once for a key, while its parent is at rest', async () => {
  const at = address('tiny');
  const [ada, bob] = [`${at}/sub/leaf/ada`, `${at}/sub/leaf/bob`];
  await turn(at, asked('spawnAgent', { agent: 'leaf', name: 'ada', initialMessage: told(noted('first')) }));
  const ask = { name: 'bob', message: told(noted('second')) };
  const key = { 'idempotency-key': 'a' };
  const first = await post(`${ada}/fork`, ask, key);
  expect([first.status, first.body.address]).toEqual([202, bob]);
  await stands(bob, 'completed');
  expect((await post(`${ada}/fork`, ask, key)).body).toEqual(first.body);
  expect((await post(`${ada}/fork`, { ...ask, name: 'eve' }, key)).body).toMatchObject({
    code: 'idempotency_conflict',
  });
  expect((await post(`${ada}/fork`, ask)).body).toMatchObject({ status: 409, code: 'name_taken' });
  const notes = (await items(`${bob}/calls`)).map(({ input }) => JSON.stringify(input));
  expect(notes).toEqual(inputs('first', 'second'));
  expect((await items(`${at}/children`)).map(({ name }) => name)).toEqual(['ada', 'bob']);
  // The stream of the copy begins where the answer says.
  const stream = await send(String(first.body.streamUrl));
  expect(stream.ok).toBe(true);
  await stream.body?.cancel();
});

it('[CP8, CP33] a person copies a companion over a socket and over a binding as by HTTP, once for a key', async () => {
  const at = address('tiny');
  const ada = `${at}/sub/leaf/ada`;
  await turn(at, asked('spawnAgent', { agent: 'leaf', name: 'ada', initialMessage: told(noted('first')) }));
  const input = (name: string) => ({ name, message: told(noted(name)) });

  const socket = socketIn(await send(ada, { headers: { upgrade: 'websocket' } }));
  const frames: JsonObject[] = [];
  socket.accept();
  socket.addEventListener('message', ({ data }) => {
    const text = String(data);
    if (text.startsWith('{')) frames.push(JSON.parse(text));
  });
  for (const id of ['1', '2'])
    socket.send(
      JSON.stringify({ type: 'offshoot.call', id, verb: 'fork', body: input('bob'), idempotencyKey: 'socket' }),
    );
  socket.send(JSON.stringify({ type: 'offshoot.call', id: '3', verb: 'fork', body: input('ada') }));
  const results = () => frames.filter(({ type }) => type === 'offshoot.result');
  await vi.waitFor(() => expect(results()).toHaveLength(3), { interval: 5 });
  socket.close();
  const byId = (id: string) => results().find((frame) => frame.id === id);
  expect(byId('1')).toMatchObject({ ok: true, body: { address: `${at}/sub/leaf/bob` } });
  expect(byId('2')?.body).toEqual(byId('1')?.body);
  expect(byId('3')).toMatchObject({ ok: false, body: { code: 'name_taken' } });

  const caller = { subject: 'eve', idempotencyKey: 'binding' };
  const copied = await bindings.RPC.fork(ada, input('eve'), caller);
  expect(copied).toMatchObject({ ok: true, status: 202, body: { address: `${at}/sub/leaf/eve` } });
  expect(await bindings.RPC.fork(ada, input('eve'), caller)).toEqual(copied);
  expect(await bindings.RPC.fork(ada, input('eve'))).toMatchObject({ ok: false, code: 'name_taken' });

  for (const name of ['bob', 'eve']) {
    const copy = `${at}/sub/leaf/${name}`;
    await stands(copy, 'completed');
    const notes = (await items(`${copy}/calls`)).map((call) => JSON.stringify(call.input));
    expect(notes).toEqual(inputs('first', name));
  }
  expect((await items(`${at}/children`)).map(({ name }) => name)).toEqual(['ada', 'bob', 'eve']);
});

it('[CP7, CP9, CP11, CP35] F146: a root goes back to a checkpoint over HTTP as a new one, at rest or going on from there', async () => {
  const at = address('tiny');
  const copy = (name: string) => `${at}-${name}`;
  const nameOf = (of: string) => of.slice(of.lastIndexOf('/') + 1);
  await turn(at, noted('first'), noted('second'), { text: 'three' });
  const checkpoints = (await items(`${at}/checkpoints`)).map(({ checkpointId }) => String(checkpointId));
  expect(checkpoints).toHaveLength(3);
  const [one = '', , three = ''] = checkpoints;
  const notes = async (of: string) => (await items(`${of}/calls`)).map(({ input }) => JSON.stringify(input));

  const rests = copy('rests');
  const back = await post(`${at}/fork`, { name: nameOf(rests), checkpoint: one });
  expect([back.status, back.body]).toMatchObject([202, { address: rests, status: 'interrupted' }]);
  expect(await notes(rests)).toEqual(inputs('first'));
  expect(await items(`${rests}/checkpoints`)).toHaveLength(1);
  const told = JSON.stringify((await readAll(`${rests}/stream`)).chunks);
  expect(told).toContain('"session_copied"');
  expect(told).toContain(one);

  const goesOn = copy('goes-on');
  const resumed = await post(`${at}/fork`, { name: nameOf(goesOn), checkpoint: one, resume: true });
  expect([resumed.status, resumed.body.address]).toEqual([202, goesOn]);
  await stands(goesOn, 'completed');
  expect(await notes(goesOn)).toEqual(inputs('first', 'second'));

  // One that rests goes on later, as any that was interrupted.
  expect((await post(`${rests}/resume`, {})).status).toBe(202);
  await stands(rests, 'completed');
  expect(await notes(rests)).toEqual(inputs('first', 'second'));

  const ended = await post(`${at}/fork`, { name: nameOf(copy('ended')), checkpoint: three, resume: true });
  expect(ended.body).toMatchObject({ status: 409, code: 'not_resumable' });
  const unknown = await post(`${at}/fork`, { name: nameOf(copy('unknown')), checkpoint: `${one}9` });
  expect(unknown.body).toMatchObject({ status: 404, code: 'not_found' });
  expect((await post(`${at}/fork`, { name: nameOf(copy('bad')), checkpoint: 'last' })).body).toMatchObject({
    status: 400,
    code: 'invalid_request',
  });
  for (const name of ['ended', 'unknown', 'bad']) expect((await get(`${copy(name)}/status`)).status).toBe(404);
  // The original is as it was.
  expect([await notes(at), await items(`${at}/checkpoints`)]).toMatchObject([
    inputs('first', 'second'),
    checkpoints.map((checkpointId) => ({ checkpointId })),
  ]);
});

it('[CP7, CP8] a companion goes back to a checkpoint over HTTP as a copy', async () => {
  const at = address('tiny');
  const [ada, bob] = [`${at}/sub/leaf/ada`, `${at}/sub/leaf/bob`];
  const initialMessage = told(noted('first'), noted('second'));
  await turn(at, asked('spawnAgent', { agent: 'leaf', name: 'ada', initialMessage }));
  const [one] = (await items(`${ada}/checkpoints`)).map(({ checkpointId }) => String(checkpointId));
  const made = await post(`${ada}/fork`, { name: 'bob', message: told(noted('third')), checkpoint: one ?? '' });
  expect([made.status, made.body.address]).toEqual([202, bob]);
  await stands(bob, 'completed');
  const notes = (await items(`${bob}/calls`)).map(({ input }) => JSON.stringify(input));
  expect(notes).toEqual(inputs('first', 'third'));
});

it('[CP34] needs the right to read the original and to write to the copy', async () => {
  const at = address('tiny');
  const [ada, bob] = [`${at}/sub/leaf/ada`, `${at}/sub/leaf/bob`];
  await turn(at, asked('spawnAgent', { agent: 'leaf', name: 'ada', initialMessage: told(noted('first')) }));
  const asksWith = async (...rights: readonly string[]): Promise<number> => {
    const authorize: WorkerOptions['authorize'] = (_request, question) =>
      rights.includes(`${question.action} ${question.address}`) ? { subject: 'eve' } : { refused: 'forbidden' };
    const worker = createWorker({ agents: [Top, Middle, Leaf, Tiny, Form, Line, Eager], authorize });
    const body = JSON.stringify({ name: 'bob', message: told(noted('second')) });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    return (await worker.fetch(new Request(`${HOST}${ada}/fork`, init), {}, { exports })).status;
  };
  expect(await asksWith(`read ${ada}`)).toBe(403);
  expect(await asksWith(`write ${bob}`, `write ${ada}`)).toBe(403);
  expect(await asksWith(`read ${ada}`, `write ${bob}`)).toBe(202);
  await stands(bob, 'completed');
});

it('[CP9, CP10] a root is copied under another name with its files, once for a key, and is there after everything left memory', async () => {
  const at = address('tiny');
  const two = `${at}-copy`;
  const name = two.slice(two.lastIndexOf('/') + 1);
  await turn(at, noted('first'));
  const big = new Uint8Array(3 * 1_048_576).fill(7);
  expect((await send(`${at}/files/a.txt`, { method: 'PUT', body: 'kept' })).ok).toBe(true);
  expect((await send(`${at}/files/big`, { method: 'PUT', body: big })).ok).toBe(true);
  expect((await get(`${two}/status`)).status).toBe(404);
  const key = { 'idempotency-key': 'root' };
  const first = await post(`${at}/fork`, { name }, key);
  expect([first.status, first.body]).toMatchObject([202, { address: two, status: 'completed' }]);
  expect((await post(`${at}/fork`, { name }, key)).body).toEqual(first.body);
  expect((await post(`${at}/fork`, { name })).body).toMatchObject({ status: 409, code: 'name_taken' });

  await abortAllDurableObjects();
  expect((await post(`${at}/fork`, { name }, key)).body).toEqual(first.body);
  await turn(two, noted('second'));
  const notes = async (of: string) => (await items(`${of}/calls`)).map(({ input }) => JSON.stringify(input));
  expect([await notes(at), await notes(two)]).toEqual([inputs('first'), inputs('first', 'second')]);
  expect(await (await send(`${two}/files/a.txt`)).text()).toBe('kept');
  expect((await (await send(`${two}/files/big`)).arrayBuffer()).byteLength).toBe(big.length);
  const [ofOne, ofTwo] = [await idsOf(at), await idsOf(two)];
  expect(ofOne.length).toBeGreaterThan(3);
  expect(ofTwo.filter((id) => ofOne.includes(id))).toEqual([]);
  const roots = async () => JSON.stringify((await get('/directory/roots?limit=500')).body);
  await vi.waitFor(async () => expect(await roots()).toContain(two), { interval: 10 });

  expect((await send(two, { method: 'DELETE' })).status).toBe(204);
  await vi.waitFor(async () => expect((await get(`${two}/status`)).status).toBe(404), { interval: 10 });
});

it('[CP14] the companions of a root come along with its copy at every level, and go on after everything left memory', async () => {
  const at = address('tiny');
  const two = `${at}-copy`;
  const [mia, own] = ['/sub/middle/mia', '/sub/middle/mia/sub/leaf/own'];
  const first = asked('spawnAgent', { agent: 'leaf', name: 'own', initialMessage: told(noted('first')) });
  const further = (text: string) =>
    asked('sendMessage', {
      name: 'mia',
      message: told(asked('sendMessage', { name: 'own', message: told(noted(text)), wait: true })),
      wait: true,
    });
  await turn(at, asked('spawnAgent', { agent: 'middle', name: 'mia', initialMessage: told(first) }));
  const big = new Uint8Array(3 * 1_048_576).fill(7);
  expect((await send(`${at}${own}/files/big`, { method: 'PUT', body: big })).ok).toBe(true);
  const made = await post(`${at}/fork`, { name: two.slice(two.lastIndexOf('/') + 1) }, { 'idempotency-key': 'tree' });
  expect([made.status, made.body]).toMatchObject([202, { address: two, status: 'completed' }]);
  const notes = async (of: string) => (await items(`${of}/calls`)).map(({ input }) => JSON.stringify(input));
  // They are there before anybody is told anything.
  expect(await notes(two + own)).toEqual(inputs('first'));
  expect((await get(`${two}${own}/status`)).body).toMatchObject({ status: 'completed' });
  expect((await items(`${two}/children`)).map(({ name }) => name)).toEqual(['mia']);
  expect(JSON.stringify((await get(`${two}/tree`)).body)).toContain(two + own);

  await abortAllDurableObjects();
  await turn(two, further('copy'));
  await turn(at, further('original'));
  expect([await notes(at + own), await notes(two + own)]).toEqual([
    inputs('first', 'original'),
    inputs('first', 'copy'),
  ]);
  expect((await (await send(`${two}${own}/files/big`)).arrayBuffer()).byteLength).toBe(big.length);
  for (const below of ['', mia, own]) {
    const [ofOne, ofTwo] = [await idsOf(at + below), await idsOf(two + below)];
    expect(ofOne.length, below).toBeGreaterThan(2);
    expect(ofTwo.filter((id) => ofOne.includes(id))).toEqual([]);
  }
  expect((await send(two, { method: 'DELETE' })).status).toBe(204);
  await vi.waitFor(async () => expect((await get(`${two}${own}/status`)).status).toBe(404), { interval: 10 });
});
