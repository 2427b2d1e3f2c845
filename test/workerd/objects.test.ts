/** Sub-agents in objects of their own, as Durable Objects are: deep trees, losses of one object alone, and what is left behind. */
import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import type { ObjectStub } from '../../src/engine/object/object-calls';
import type { TreeShown } from '../../src/protocol/wire/shapes';
import { address, del, get, post, readAll, send, socketIn } from '../support/api';
import { bindings } from '../support/bindings';
import { present } from '../support/present';
import { asks, calls, openGate, type PuppetStep, told } from '../support/puppet';
import { noted } from '../support/told';
import { items, publishes, stands, statusOf, waiting, yes } from './standing';

/** A chain of so many agents, each the parent of the next; the last does this. */
function chain(tool: 'nest' | 'alone', levels: number, ...last: PuppetStep[]): PuppetStep[] {
  if (levels === 1) return last;
  return [calls(tool, chain(tool, levels - 1, ...last)), { text: `level ${levels}` }];
}

/** The address of the agent at a level of a chain. */
const levelOf = (at: string, level: number): string => at + '/sub/nest/1~1'.repeat(level - 1);

/** The object of a sub-agent that stands alone. */
async function objectOf(at: string) {
  const { sessionId } = await statusOf(at);
  return bindings.NEST.getByName(`child:${sessionId}`);
}

const rootOf = (at: string) => bindings.NEST.getByName(at.split('/')[3] ?? '');

/**
 * What the storage of an object holds: rows by table, and characters of all of them, without where the agent is. How
 * many rows of the outbox were needed at once before they were used again is a matter of time.
 */
interface Held {
  readonly rows: { readonly [table: string]: number };
  readonly size: number;
}
const heldBy = (stub: DurableObjectStub, at: string): Promise<Held> =>
  runInDurableObject(stub, (_, { storage }) => {
    const named = storage.sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").toArray();
    const own = named.map(({ name }) => name).filter((name) => !/^(_cf_|cf_|sqlite_|outbox$)/.test(name));
    const all = own.map((name) => [name, storage.sql.exec(`SELECT * FROM \`${name}\``).toArray()] as const);
    const text = JSON.stringify(all).replaceAll(at, '').replaceAll('/sub/nest/1~1', '');
    return { rows: Object.fromEntries(all.map(([name, rows]) => [name, rows.length])), size: text.length };
  });

/** Characters by which numbers and times make two such storages differ. */
const SLACK = 64;

/** How many tables the storage of an object has. */
const tables = (stub: DurableObjectStub) =>
  runInDurableObject(stub, (_, { storage }) => storage.sql.exec('SELECT name FROM sqlite_master').toArray().length);

describe('a tree of 8 levels', () => {
  it('[OP2, OP1] L33: works, each of the levels below the fourth in an object by fours, and its log is one', async () => {
    const at = address('nest');
    const ended = await post(`${at}/start`, { message: told(...chain('nest', 8, { text: 'deepest' })), wait: true });
    expect(ended.body).toMatchObject({ status: 'completed', run: { output: 'level 8' } });
    const placed: string[] = [];
    let shown: TreeShown | undefined = (await get(`${at}/tree`)).body;
    while (shown) {
      placed.push(shown.placement);
      shown = shown.nodes[0];
    }
    expect(placed).toEqual(['object', 'facet', 'facet', 'facet', 'object', 'facet', 'facet', 'facet']);
    const { chunks } = await readAll(`${at}/stream`);
    expect(chunks.map(({ sequence }) => sequence)).toEqual(chunks.map((_, index) => index + 1));
    expect(chunks.filter(({ chunk }) => chunk.type === 'subagent_end')).toHaveLength(7);
    expect(await items(`${levelOf(at, 8)}/messages`)).toHaveLength(2);
    const types = chunks.map(({ chunk }) => `${chunk.address} ${chunk.type}`);
    for (let level = 1; level <= 8; level++) {
      const here = levelOf(at, level);
      expect((await statusOf(here)).status).toBe('completed');
      const own = chunks.filter(({ chunk }) => chunk.address === here).map(({ chunk }) => chunk.type);
      expect([own[0], own.at(-1)]).toEqual(['run_started', 'run_completed']);
      if (level === 1) continue;
      // All of a level lies between what its parent says of it.
      const above = levelOf(at, level - 1);
      expect(types.indexOf(`${above} subagent_start`)).toBeLessThan(types.indexOf(`${here} run_started`));
      expect(types.indexOf(`${here} run_completed`)).toBeLessThan(types.indexOf(`${above} subagent_end`));
    }
  });

  it.each([
    ['abort', 'failed'],
    ['terminate', 'terminated'],
  ] as const)(
    '[OP1, SP9] L28: is stopped to its last level by %s, and nothing of it works on',
    async (verb, status) => {
      const at = address('nest');
      await post(`${at}/start`, { message: told(...chain('nest', 8, { hang: 'until-aborted' })) });
      await stands(levelOf(at, 8), 'running');
      expect((await post(`${at}/${verb}`, {})).status).toBe(202);
      await stands(at, status);
      for (let level = 2; level <= 8; level++) expect((await statusOf(levelOf(at, level))).status).toBe(status);
      expect((await items(`${at}/pending`)).length).toBe(0);
      const told8 = (await readAll(`${levelOf(at, 8)}/stream`)).chunks.map(({ chunk }) => chunk.type);
      expect(told8.at(-1)).toBe(`run_${status}`);
    },
  );

  it('[OP1] asks a person from its end, is answered, stopped and resumed through its levels', async () => {
    const at = address('nest');
    await post(`${at}/start`, { message: told(...chain('nest', 8, publishes('x'), { gate: at, text: 'end' })) });
    const [item] = await waiting(at, 1);
    expect(item?.address).toBe(levelOf(at, 8));
    expect((await post(`${levelOf(at, 5)}/tool-results`, yes(String(item?.toolCallId)))).status).toBe(202);
    await stands(levelOf(at, 8), 'running');
    expect((await post(`${at}/interrupt`, {})).status).toBe(202);
    await stands(at, 'interrupted');
    expect((await statusOf(levelOf(at, 8))).status).toBe('interrupted');
    openGate(at);
    expect((await post(`${at}/resume`, {})).status).toBe(202);
    await stands(at, 'completed');
    expect((await statusOf(at)).run).toMatchObject({ output: 'level 8' });
  });

  it('[B7, SE5, OP1] costs each of its objects what a tree of 2 levels costs: the same rows, and the same bytes', async () => {
    const grown = async (levels: number) => {
      const at = address('nest');
      await post(`${at}/start`, { message: told(...chain('alone', levels, { text: 'deepest' })), wait: true });
      await stands(at, 'completed');
      const below = Array.from({ length: levels - 1 }, (_, index) => levelOf(at, index + 2));
      const held = [];
      for (const each of below) held.push(await heldBy(await objectOf(each), at));
      return { at, held, root: await heldBy(rootOf(at), at) };
    };
    const [two, five, eight] = [await grown(2), await grown(5), await grown(8)];
    const last = (held: readonly Held[], fromEnd: number) => present(held.at(-fromEnd));
    // The agents that end the trees did the same, and so did those above them.
    expect(last(five.held, 1).rows).toEqual(last(two.held, 1).rows);
    expect(last(eight.held, 1).rows).toEqual(last(two.held, 1).rows);
    expect(last(eight.held, 2).rows).toEqual(last(five.held, 2).rows);
    for (const fromEnd of [1, 2])
      expect(Math.abs(last(eight.held, fromEnd).size - last(five.held, fromEnd).size)).toBeLessThanOrEqual(SLACK);
    // Each of those in between has as many rows as its parent has.
    for (const { rows } of eight.held.slice(0, -1)) expect(rows).toEqual(present(eight.held[0]).rows);
    expect([two, five, eight].map(({ root }) => root.rows.tree)).toEqual([2, 5, 8]);
    for (const { at, root } of [two, five, eight])
      expect(root.rows.log).toBeLessThanOrEqual((await readAll(`${at}/stream`)).chunks.length);
  });

  it('[OP3] goes on where one of its objects alone is lost, also with a person who is waited for', async () => {
    const at = address('nest');
    await post(`${at}/start`, { message: told(...chain('nest', 8, publishes('x'), { text: 'end' })) });
    const [item] = await waiting(at, 1);
    await evictDurableObject(await objectOf(levelOf(at, 5)));
    await evictDurableObject(bindings.NEST.getByName(at.split('/')[3] ?? ''));
    expect((await post(`${at}/tool-results`, yes(String(item?.toolCallId)))).status).toBe(202);
    await stands(at, 'completed');
  });

  it('[OP3] goes on after everything is lost while it works', async () => {
    const at = address('nest');
    await post(`${at}/start`, { message: told(...chain('nest', 6, { gate: at, text: 'end' })) });
    await stands(levelOf(at, 6), 'running');
    await abortAllDurableObjects();
    openGate(at);
    await stands(at, 'completed');
    expect((await statusOf(at)).run).toMatchObject({ output: 'level 6' });
  });

  it('[OP8] has sockets for the agents in objects, which take our frames alone', async () => {
    const at = address('nest');
    await post(`${at}/start`, { message: told(...chain('nest', 6, { text: 'x' })), wait: true });
    const socket = socketIn(await send(levelOf(at, 6), { headers: { upgrade: 'websocket' } }));
    const texts: string[] = [];
    socket.accept();
    socket.addEventListener('message', ({ data }) => texts.push(String(data)));
    socket.send('hello');
    socket.send(JSON.stringify({ type: 'offshoot.subscribe' }));
    await vi.waitFor(() => expect(texts.some((text) => text.includes('run_completed'))).toBe(true), { interval: 5 });
    const other = texts.filter((text) => !text.includes('"offshoot.'));
    expect(other).toEqual([]);
    expect(texts[0]).toContain('separate object');
    expect(texts.filter((text) => text.includes('heard'))).toEqual([]);
    socket.close();
  });

  it('[OP6] leaves no object behind where it is deleted, or an agent above one is', async () => {
    const at = address('nest');
    await post(`${at}/start`, { message: told(...chain('nest', 8, { text: 'x' })), wait: true });
    const fifth = await objectOf(levelOf(at, 5));
    expect(await tables(fifth)).toBeGreaterThan(5);
    expect((await del(levelOf(at, 3))).status).toBe(204);
    await vi.waitFor(async () => expect(await tables(fifth)).toBe(0), { interval: 20 });
    const other = address('nest');
    await post(`${other}/start`, { message: told(...chain('nest', 6, { text: 'x' })), wait: true });
    const sixth = await objectOf(levelOf(other, 5));
    expect(await tables(sixth)).toBeGreaterThan(5);
    expect((await del(other)).status).toBe(204);
    await vi.waitFor(async () => expect(await tables(sixth)).toBe(0), { interval: 20 });
  });
});

describe('an object whose tree is gone', () => {
  /** An object gets its task from a tree that is gone; in its first life its storage is deleted by this. */
  const stray = async (deleteAll?: () => Promise<void>) => {
    const at = address('nest');
    const parent = { sessionId: 's_nobody', address: at, callId: 'c_1', generation: 1 };
    const session = {
      sessionId: `s_${crypto.randomUUID()}`,
      agentType: 'nest',
      address: levelOf(at, 2),
      root: { className: 'Nest', name: at.split('/')[3] ?? '' },
      depth: 2,
      parent,
      tags: [],
    };
    // The types that the platform makes of what an object answers do not end.
    const objects: { getByName(name: string): DurableObjectStub & ObjectStub } = Reflect.get(env, 'NEST');
    const stub = objects.getByName(`child:${session.sessionId}`);
    if (deleteAll) await runInDurableObject(stub, (_, { storage }) => void Object.assign(storage, { deleteAll }));
    const task = { childId: 1, task: 1 };
    const message = {
      type: 'assign',
      begun: false,
      task,
      runId: 'r_1',
      input: { steps: [{ gate: at }] },
      session,
    } as const;
    expect(await stub.offshoot({ kind: 'agent', path: [], message })).toEqual({ answer: 'done' });
    return { at, stub: () => objects.getByName(`child:${session.sessionId}`) };
  };
  const alarmOf = (stub: DurableObjectStub) => runInDurableObject(stub, (_, { storage }) => storage.getAlarm());

  it('[OP10] erases itself when its task comes after all, with its alarm', async () => {
    const { at, stub } = await stray();
    await vi.waitFor(async () => expect(await tables(stub())).toBe(0), { interval: 20 });
    expect(await alarmOf(stub())).toBeNull();
    expect((await get(`${at}/status`)).status).toBe(404);
  });

  it('[OP11] that could not be erased has its alarm still, by which it goes', async () => {
    let fails = 0;
    const { stub } = await stray(() => {
      fails++;
      throw new Error('Not now.');
    });
    await vi.waitFor(() => expect(fails).toBe(1), { interval: 20 });
    await vi.waitFor(async () => expect(await alarmOf(stub())).not.toBeNull(), { interval: 20 });
    await runDurableObjectAlarm(stub());
    await vi.waitFor(async () => expect(await tables(stub())).toBe(0), { interval: 20 });
    expect(await alarmOf(stub())).toBeNull();
  });
});

describe('a sub-agent that is placed in an object', () => {
  it('[OP1] begins and ends like any other, beside facets, and asking makes none', async () => {
    const at = address('nest');
    const apart = calls('apart', [{ text: 'a' }], [{ text: 'b' }]);
    await post(`${at}/start`, { message: told(apart, { text: 'end' }), wait: true });
    const children = await items(`${at}/children`);
    expect(children.map(({ placement, status }) => [placement, status])).toEqual([
      ['object', 'completed'],
      ['object', 'completed'],
    ]);
    expect(await items(`${at}/sub/leaf/1~1/messages`)).toHaveLength(2);
    expect((await get(`${at}/sub/leaf/9~1/messages`)).status).toBe(404);
    // No address means an object by its own name.
    expect((await get('/agents/leaf/child:s_1/status')).status).toBe(400);
  });

  it('[OP1, A24, X8] L42: an agent is reached by the row of its parent alone, by no id and at no other address', async () => {
    const at = address('nest');
    const other = address('nest');
    const message = told(calls('apart', [{ gate: at, text: 'a' }]), calls('nest', [{ text: 'n' }]), { text: 'end' });
    await post(`${at}/start`, { message });
    await post(`${other}/start`, { message: told({ text: 'nobody below' }), wait: true });
    const child = `${at}/sub/leaf/1~1`;
    const { sessionId, run } = await stands(child, 'running');
    const [{ callId = '' } = {}] = await items(`${at}/children`);
    const above = await statusOf(at);
    const ids = [sessionId, run?.runId, callId, `child:${sessionId}`, `${above.sessionId}-sub-${callId}`];
    const below = [...ids, '1~2', '2~1', '1'].map((name) => `${at}/sub/leaf/${name}`);
    for (const guess of [...below, `${other}/sub/leaf/1~1`, `${at}/sub/nest/1~1/sub/leaf/1~1`]) {
      const found = await Promise.all([
        get(`${guess}/status`),
        get(`${guess}/messages`),
        post(`${guess}/messages`, { content: 'In.' }),
        post(`${guess}/abort`, {}),
      ]);
      expect([guess, found.filter(({ status }) => ![400, 404].includes(status))]).toEqual([guess, []]);
    }
    // As a root it would be another agent, which nobody has begun.
    for (const id of ids)
      for (const className of ['nest', 'leaf'])
        expect([400, 404]).toContain((await get(`/agents/${className}/${id}/status`)).status);
    openGate(at);
    await stands(at, 'completed');
    expect(await items(`${child}/messages`)).toHaveLength(2);
    // Once the row is gone, nothing leads there.
    expect((await del(child)).status).toBe(204);
    expect((await get(`${child}/status`)).status).toBe(410);
  });

  it('[OP1, CP17] keeps its memory under a name, and is copied with it, again and again', async () => {
    const at = address('nest');
    const first = { agent: 'leaf', name: 'bob', initialMessage: told({ text: 'first' }) };
    const spawn = asks(['companion__spawnAgent', first]);
    const send = asks(['companion__sendMessage', { name: 'bob', message: told({ text: 'second' }), wait: true }]);
    const fork = asks(['companion__forkChild', { name: 'bob', newName: 'eve', message: told({ text: 'third' }) }]);
    await post(`${at}/start`, { message: told(spawn, send, fork, { text: 'end' }), wait: true });
    const [bob, eve] = [`${at}/sub/leaf/bob`, `${at}/sub/leaf/eve`];
    const turns = async (of: string) =>
      (await items(`${of}/runs`)).map(({ turn, status }) => `${turn} ${status}`).sort();
    await vi.waitFor(async () => expect(await turns(bob)).toEqual(['1 completed', '2 completed']));
    expect(await turns(eve)).toEqual(['1 completed', '2 completed', '3 completed']);
    expect(await items(`${at}/children`)).toMatchObject([
      { name: 'bob', placement: 'object', mode: 'persistent' },
      { name: 'eve', placement: 'object', mode: 'persistent' },
    ]);
    const ids = await Promise.all([bob, eve].map(async (of) => (await statusOf(of)).sessionId));
    expect(ids[0]).not.toBe(ids[1]);
    const body = { name: 'ivy', message: told({ text: 'fourth' }) };
    expect((await post(`${eve}/fork`, body)).status).toBe(202);
    const ivy = `${at}/sub/leaf/ivy`;
    await stands(ivy, 'completed');
    expect((await turns(ivy)).length).toBe(4);
    const [other, copy] = await Promise.all(
      [eve, ivy].map(async (of) => bindings.LEAF.getByName(`child:${(await statusOf(of)).sessionId}`)),
    );
    if (other === undefined || copy === undefined) throw new Error('Nobody is there.');
    expect((await del(ivy)).status).toBe(204);
    await vi.waitFor(async () => expect(await tables(copy)).toBe(0), { interval: 20 });
    expect(await tables(other)).toBeGreaterThan(0);
  });

  it('[CP12, CP17] comes along with a copy of a companion in a facet above it, and is erased with that', async () => {
    const at = address('nest');
    const [ann, amy] = [`${at}/sub/nest/ann`, `${at}/sub/nest/amy`];
    const below = '/sub/nest/own/sub/leaf/bob';
    const spawn = (agent: string, name: string, ...steps: PuppetStep[]) =>
      asks(['companion__spawnAgent', { agent, name, initialMessage: told(...steps) }]);
    const tell = (name: string, ...steps: PuppetStep[]) =>
      asks(['companion__sendMessage', { name, message: told(...steps), wait: true }]);
    const first = spawn('nest', 'ann', spawn('nest', 'own', spawn('leaf', 'bob', noted('first'))));
    await post(`${at}/start`, { message: told(first, { text: 'end' }), wait: true });
    expect((await send(`${ann}${below}/files/a.txt`, { method: 'PUT', body: 'kept' })).ok).toBe(true);
    const fork = asks(['companion__forkChild', { name: 'ann', newName: 'amy', message: told({ text: 'hers' }) }]);
    await post(`${at}/start`, { message: told(fork, { text: 'end' }), wait: true });
    await stands(amy, 'completed');
    const notes = async (of: string) => (await items(`${of}${below}/calls`)).map(({ input }) => JSON.stringify(input));
    expect(await notes(amy)).toEqual(['{"text":"first"}']);
    expect(await (await send(`${amy}${below}/files/a.txt`)).text()).toBe('kept');
    expect((await items(`${amy}/sub/nest/own/children`))[0]).toMatchObject({ name: 'bob', placement: 'object' });

    await abortAllDurableObjects();
    const further = (name: string) => tell(name, tell('own', tell('bob', noted(name))));
    await post(`${at}/start`, { message: told(further('ann'), further('amy'), { text: 'end' }), wait: true });
    expect([await notes(ann), await notes(amy)]).toEqual([
      ['{"text":"first"}', '{"text":"ann"}'],
      ['{"text":"first"}', '{"text":"amy"}'],
    ]);
    const [original, copy] = await Promise.all(
      [ann, amy].map(async (of) => bindings.LEAF.getByName(`child:${(await statusOf(of + below)).sessionId}`)),
    );
    if (original === undefined || copy === undefined) throw new Error('Nobody is there.');
    expect((await del(amy)).status).toBe(204);
    await vi.waitFor(async () => expect(await tables(copy)).toBe(0), { interval: 20 });
    expect(await tables(original)).toBeGreaterThan(0);
  });
});
