/** Objects whose rows a newer version has written: every way in is refused, and leaves all that they hold as it was. */
import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { expect, it, vi } from 'vitest';
import { address, get, post, problemIn, send, socketIn } from '../support/api';
import { bindings } from '../support/bindings';
import { calls, cameTo, openGate, told } from '../support/puppet';
import { stands, statusOf } from './standing';

const { TOP, NEST, LEAF, OFFSHOOT_DIRECTORY, RPC } = bindings;
const REFUSED = { status: 503, code: 'newer_format' };

/** A stub of before is of no use once nothing is in memory. */
type Getter = () => DurableObjectStub;

const nameIn = (at: string): string => at.split('/')[3] ?? '';

/** The formats in an object are others by so many, and nothing is in memory. */
async function raise(stub: Getter, by: number): Promise<void> {
  await runInDurableObject(stub(), (_: object, { storage }) => {
    storage.sql.exec('UPDATE offshoot_format SET format = format + ?', by);
  });
  await abortAllDurableObjects();
}

/** All that an object holds, and when its alarm rings. */
function held(stub: Getter): Promise<{ rows: unknown; alarm: number | null }> {
  return runInDurableObject(stub(), async (_: object, { storage }) => {
    const tables = storage.sql
      .exec<{ name: string; sql: string }>(`SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name`)
      .toArray()
      .filter(({ name }) => !name.startsWith('_cf'));
    const rows = tables.map(({ name, sql }) => [sql, storage.sql.exec(`SELECT * FROM "${name}"`).toArray()]);
    return { rows: JSON.stringify([rows, [...storage.kv.list()]]), alarm: await storage.getAlarm() };
  });
}

/** Asks a root in every way. */
async function everyWay(stub: Getter, at: string): Promise<void> {
  const upgrade = { headers: { upgrade: 'websocket' } };
  const answers = {
    status: send(`${at}/status`),
    stream: send(`${at}/stream`),
    files: send(`${at}/files`),
    socket: send(at, upgrade),
    remove: send(at, { method: 'DELETE' }),
    object: stub().fetch(`http://localhost${at}`),
    'socket of the object': stub().fetch(`http://localhost${at}`, upgrade),
  };
  for (const [way, asked] of Object.entries(answers)) {
    const answer = await asked;
    expect([way, await problemIn(answer)]).toMatchObject([way, REFUSED]);
    expect([way, answer.headers.get('retry-after')]).toEqual([way, '30']);
  }
  const changes = {
    start: { message: 'x' },
    messages: { content: 'x' },
    abort: {},
    resume: {},
    fork: { name: 'other' },
  };
  for (const [verb, body] of Object.entries(changes)) {
    const said = await post(`${at}/${verb}`, body);
    expect([verb, said.status, said.body]).toMatchObject([verb, 503, REFUSED]);
  }
  expect(await RPC.status(at)).toMatchObject({ ok: false, ...REFUSED, retryable: true });
}

it('[SO6, SO8] a root at work is asked in vain, rings on, and goes on by its alarm once its rows are known', async () => {
  const at = address();
  const stub = () => TOP.getByName(nameIn(at));
  expect((await post(`${at}/start`, { message: told({ gate: at, text: 'end' }) })).status).toBe(202);
  await vi.waitFor(() => expect(cameTo(at)).toBe(1), { interval: 5 });
  await stands(at, 'running');
  await raise(stub, 1);
  const before = await held(stub);
  await everyWay(stub, at);
  expect(await held(stub)).toEqual(before);
  const rang = Date.now();
  expect(await runDurableObjectAlarm(stub())).toBe(true);
  const after = await held(stub);
  expect(after.rows).toBe(before.rows);
  expect(after.alarm).toBeGreaterThanOrEqual(rang + 30_000);
  expect(await runDurableObjectAlarm(stub())).toBe(true);
  expect(cameTo(at)).toBe(1);
  await raise(stub, -1);
  expect(await runDurableObjectAlarm(stub())).toBe(true);
  openGate(at);
  await stands(at, 'completed');
});

it('[SO6] the tables of the SDK are not made where they are not there', async () => {
  const at = address();
  const stub = () => TOP.getByName(nameIn(at));
  await runInDurableObject(stub(), (_: object, { storage }) => {
    storage.sql.exec(
      'CREATE TABLE offshoot_format (store TEXT PRIMARY KEY NOT NULL, format INTEGER NOT NULL) WITHOUT ROWID',
    );
    storage.sql.exec("INSERT INTO offshoot_format VALUES ('agent', 99)");
  });
  await abortAllDurableObjects();
  const before = await held(stub);
  await everyWay(stub, at);
  expect(await held(stub)).toEqual({ ...before, alarm: null });
});

it('[SO6] a socket that slept is closed, to be opened again later', async () => {
  const at = address();
  const stub = () => TOP.getByName(nameIn(at));
  await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
  const socket = socketIn(await send(at, { headers: { upgrade: 'websocket' } }));
  socket.accept();
  const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener('close', resolve));
  await runInDurableObject(stub(), (_: object, { storage }) => {
    storage.sql.exec('UPDATE offshoot_format SET format = format + 1');
  });
  await evictDurableObject(stub());
  const before = await held(stub);
  socket.send(JSON.stringify({ type: 'offshoot.subscribe', from: 1 }));
  expect(await closed).toMatchObject({ code: 1013, reason: 'newer_format' });
  expect(await held(stub)).toEqual(before);
});

it('[SO6, SO7, SO8] a sub-agent in an object of its own is waited for, and its parent has its result', async () => {
  const at = address('nest');
  const gate = `${at} leaf`;
  const steps = [calls('apart', [{ gate, text: 'leaf' }]), { text: 'Done.' }];
  expect((await post(`${at}/start`, { message: told(...steps) })).status).toBe(202);
  await vi.waitFor(() => expect(cameTo(gate)).toBe(1), { interval: 5 });
  const below = `${at}/sub/leaf/1~1`;
  const { sessionId } = await stands(below, 'running');
  // Until its first news are at the root it is one that is about to begin.
  await vi.waitFor(async () => expect((await get(`${below}/state`)).status).toBe(200), { interval: 5 });
  const stub = () => LEAF.getByName(`child:${sessionId}`);
  await raise(stub, 1);
  const before = await held(stub);
  expect(await runDurableObjectAlarm(NEST.getByName(nameIn(at)))).toBe(true);
  expect(await get(`${below}/state`)).toMatchObject({ status: 503, body: { code: 'newer_format' } });
  expect((await held(stub)).rows).toBe(before.rows);
  expect(await runDurableObjectAlarm(stub())).toBe(true);
  expect((await held(stub)).rows).toBe(before.rows);
  expect((await statusOf(at)).status).toBe('running');
  await raise(stub, -1);
  expect(await runDurableObjectAlarm(stub())).toBe(true);
  openGate(gate);
  await stands(at, 'completed');
  expect((await statusOf(below)).status).toBe('completed');
});

it('[SO6] the lists of a directory are refused, and its roots work on', async () => {
  const at = address();
  await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
  const stub = () => OFFSHOOT_DIRECTORY.getByName('Top');
  const list = () => get('/directory/roots?agent=top');
  await vi.waitFor(async () => expect(JSON.stringify((await list()).body)).toContain(at), { interval: 20 });
  await raise(stub, 1);
  const before = await held(stub);
  expect(await list()).toMatchObject({ status: 503, body: { code: 'newer_format' } });
  expect((await statusOf(at)).status).toBe('completed');
  expect((await held(stub)).rows).toBe(before.rows);
  await raise(stub, -1);
  expect((await list()).status).toBe(200);
});
