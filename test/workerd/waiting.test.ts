/** A tree of three levels that waits for a person: what it costs until then, and how it goes on after everything left memory. */

import { abortAllDurableObjects, evictAllDurableObjects, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../src/protocol/json';
import type { Document } from '../../src/protocol/wire/wire-types';
import type { Migration } from '../../src/store/migrate';
import { AGENT_MIGRATIONS, ROOT_MIGRATIONS } from '../../src/store/migrations';
import { get, open, post, readAll, send, socketIn } from '../support/api';
import { bindings } from '../support/bindings';
import { type Frame, framesOf } from '../support/frames';
import { present } from '../support/present';
import { asks, type PuppetStep, takeBegun } from '../support/puppet';
import { lives } from '../support/worker';
import { items, publishes, stands, statusOf, threeLevels, waitingCall, yes } from './standing';

const { TOP } = bindings;
const stubOf = (at: string) => TOP.getByName(at.split('/')[3] ?? '');
const LOOK = { interval: 5 };
const A_DAY = 86_400_000;

const alarmOf = (at: string) => runInDurableObject(stubOf(at), (_: object, { storage }) => storage.getAlarm());
/** How often a tree's agents were made in memory. Roots are told apart: the last beat of an older tree may wake its own. */
const made = (at: string) => ({ top: lives(stubOf(at).id), middle: lives('Middle'), leaf: lives('Leaf') });

type Three = Awaited<ReturnType<typeof threeLevels>> & { call: string };

/** A tree whose leaf waits, at its second step, with nothing else to do. */
async function waitingTree(step: PuppetStep = publishes('x')): Promise<Three> {
  const tree = await threeLevels(asks(['note', { text: 'n' }]), step);
  const call = await waitingCall(tree.at);
  await stands(tree.at, 'suspended_awaiting_children');
  await vi.waitFor(async () => {
    const { body } = await get('/directory/roots?agent=top&status=suspended_awaiting_children&limit=500');
    expect(body.items.map((root) => root.address)).toContain(tree.at);
  }, LOOK);
  return { ...tree, call };
}

/** Takes a tree that waits from memory, as the platform does. Whatever holds one in memory would make this fail. */
async function evicted(step?: PuppetStep): Promise<Three> {
  const tree = await waitingTree(step);
  await evictAllDurableObjects();
  return tree;
}

/** Where an agent is in its work. */
async function placeOf(at: string): Promise<JsonObject> {
  const { sessionId, run } = await statusOf(at);
  const { runId, epoch, turn, step } = present(run);
  return { sessionId, runId, epoch, turn, step };
}

const agentsOf = ({ at, middle, leaf }: Three) => [at, middle, leaf];

/** Answers at the root, and waits for the end of the run. */
async function answered({ at, call }: Three): Promise<Document<'status'>> {
  expect((await post(`${at}/tool-results`, yes(call))).status).toBe(202);
  return stands(at, 'completed');
}

describe('a tree that waits for a person', () => {
  it('[WT10] F153: has no alarm but for the time of its answer, so neither a timer nor a keep-alive wakes it', async () => {
    const [calm, timed] = [await waitingTree(), await waitingTree(asks(['publish_later', { text: 'x' }]))];
    const [item] = await items(`${timed.at}/pending`);
    const expiresAt = Number(item?.expiresAt);
    expect(expiresAt - Number(item?.requestedAt)).toBe(A_DAY);
    // The lease of the work before is let run out once.
    await vi.waitFor(async () => {
      expect([await alarmOf(calm.at), await alarmOf(timed.at)]).toEqual([null, expiresAt]);
    }, LOOK);
    const jobs = await runInDurableObject(stubOf(calm.at), (_: object, { storage }) =>
      storage.sql.exec('SELECT id FROM cf_agents_jobs').toArray(),
    );
    expect(jobs).toEqual([]);
    // Nor does being asked about set one.
    await evictAllDurableObjects();
    await items(`${calm.at}/pending`);
    await statusOf(calm.leaf);
    expect(await alarmOf(calm.at)).toBeNull();
  });

  it('[WT11] leaves memory, and is told of from the record of the root alone', async () => {
    const { at, call, middle, leaf } = await evicted();
    const before = made(at);
    for (const where of [at, middle, leaf]) {
      expect(await items(`${where}/pending`)).toMatchObject([{ toolCallId: call, address: leaf }]);
      expect(await get(`${where}/tree`)).toMatchObject({ status: 200, body: { address: where } });
    }
    expect(await statusOf(at)).toMatchObject({
      status: 'suspended_awaiting_children',
      pending: [{ toolCallId: call }],
    });
    const { events } = await readAll(`${at}/stream`);
    expect(events.at(-1)).toMatchObject({ event: 'end', data: { status: 'suspended_awaiting_children' } });
    expect(made(at)).toEqual({ ...before, top: before.top + 1 });
    // Nor does anything hold the root since.
    await evictAllDurableObjects();
  });

  it('[WT11] ends each stream with how its agent waits', async () => {
    const { at, middle, leaf } = await evicted();
    const ends = [];
    for (const where of [at, middle, leaf]) ends.push((await readAll(`${where}/stream`)).events.at(-1)?.data);
    expect(ends).toEqual([
      { status: 'suspended_awaiting_children' },
      { status: 'suspended_awaiting_children' },
      { status: 'suspended_client_tool' },
    ]);
  });
});

describe('an answer after everything left memory', () => {
  it('[WT12] lets the same children go on at the same step, and nothing is done twice', async () => {
    const tree = await waitingTree();
    const before = await Promise.all(agentsOf(tree).map(placeOf));
    expect(before.map(({ step }) => step)).toEqual([1, 1, 2]);
    await evictAllDurableObjects();
    takeBegun();
    expect(await answered(tree)).toMatchObject({ run: { output: 't' } });
    const after = await Promise.all(agentsOf(tree).map(placeOf));
    // The same run of the same session; the epoch tells that it was taken up, once.
    expect(after.map(({ sessionId, runId, turn }) => [sessionId, runId, turn])).toEqual(
      before.map(({ sessionId, runId, turn }) => [sessionId, runId, turn]),
    );
    expect(after.map(({ step }) => step)).toEqual([2, 2, 3]);
    // One model call for each agent: of the step that came after the answer.
    expect([...takeBegun().values()]).toEqual([1, 1, 1]);
    const { chunks } = await readAll(`${tree.at}/stream`);
    const log = chunks.map(({ chunk }) => chunk);
    expect(log.filter(({ type }) => type === 'step_discarded' || type === 'run_recovered')).toEqual([]);
    expect(log.filter(({ type }) => type === 'run_started')).toHaveLength(3);
    expect(log.filter(({ type }) => type === 'unsuspended').map(({ address }) => address)).toEqual([
      tree.leaf,
      tree.middle,
      tree.at,
    ]);
  });

  it('[WT12] is taken after a crash, too', async () => {
    const tree = await waitingTree();
    const before = await Promise.all(agentsOf(tree).map(placeOf));
    await abortAllDurableObjects();
    await answered(tree);
    const after = await Promise.all(agentsOf(tree).map(placeOf));
    expect(after.map(({ runId }) => runId)).toEqual(before.map(({ runId }) => runId));
    expect((await items(`${tree.leaf}/calls`)).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  });

  it('[WT14] is told to a reader who comes back to the stream where it ended', async () => {
    const tree = await waitingTree();
    const first = await readAll(`${tree.at}/stream`);
    expect(first.events.at(-1)).toMatchObject({ event: 'end', data: { status: 'suspended_awaiting_children' } });
    await evictAllDurableObjects();
    const last = first.chunks.at(-1)?.sequence ?? 0;
    await answered(tree);
    const second = await open(`${tree.at}/stream`, { 'last-event-id': String(last) });
    await second.until(() => false);
    expect(second.events.at(-1)).toMatchObject({ event: 'end', data: { status: 'completed' } });
    expect([...first.chunks, ...second.chunks]).toEqual((await readAll(`${tree.at}/stream`)).chunks);
  });

  it.each(['root', 'leaf'] as const)('[WT14, W12] F153: is told to a socket at the %s that slept', async (who) => {
    const tree = await waitingTree();
    const where = { root: tree.at, leaf: tree.leaf }[who];
    const response = await send(where, { headers: { upgrade: 'websocket' } });
    const socket = socketIn(response);
    const frames: Frame[] = [];
    socket.accept();
    socket.addEventListener('message', ({ data }) => void frames.push(JSON.parse(String(data))));
    const of = <const Type extends string>(type: Type) => framesOf(frames, type);
    const told = (status: string) =>
      vi.waitFor(() => expect(of('offshoot.status').map((frame) => frame.status.status)).toContain(status), LOOK);
    socket.send(JSON.stringify({ type: 'offshoot.subscribe' }));
    await told(who === 'root' ? 'suspended_awaiting_children' : 'suspended_client_tool');
    await vi.waitFor(() => expect(of('offshoot.up-to-date')).toHaveLength(1), LOOK);
    const slept = of('offshoot.chunk').length;
    await evictAllDurableObjects();
    const before = made(tree.at);
    await answered(tree);
    expect(made(tree.at)).toEqual({ top: before.top + 1, middle: before.middle + 1, leaf: before.leaf + 1 });
    await told('completed');
    const chunks = of('offshoot.chunk').map(({ sequence, chunk }) => ({ sequence, chunk }));
    expect(chunks.length).toBeGreaterThan(slept);
    expect(chunks).toEqual((await readAll(`${where}/stream`)).chunks);
    expect(of('offshoot.up-to-date')).toHaveLength(1);
    socket.close();
  });

  it('[WT13] is taken after an eviction, a crash and a migration of every store', async () => {
    const tree = await evicted();
    // From here on this file is a later release.
    (AGENT_MIGRATIONS as Migration[]).push({ tag: '9998_later', statements: ['CREATE TABLE later (id INTEGER)'] });
    (ROOT_MIGRATIONS as Migration[]).push({ tag: '9999_later', statements: ['CREATE TABLE later_root (id INTEGER)'] });
    await abortAllDurableObjects();
    expect(await items(`${tree.at}/pending`)).toMatchObject([{ toolCallId: tree.call }]);
    expect(await answered(tree)).toMatchObject({ run: { output: 't' } });
    expect((await items(`${tree.leaf}/calls`)).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
    const tables = await runInDurableObject(stubOf(tree.at), (_: object, { storage }) =>
      storage.sql.exec(`SELECT name FROM sqlite_master WHERE name LIKE 'later%' ORDER BY name`).toArray(),
    );
    expect(tables).toEqual([{ name: 'later' }, { name: 'later_root' }]);
  });
});
