/** A copy from one object to another is stopped while it is sent: its memory is held on its way until the stop is over. */
import { runInDurableObject } from 'cloudflare:test';
import { expect, it, vi } from 'vitest';
import type { CopyAsk } from '../../../src/capabilities/copies/messages';
import type { ObjectCall } from '../../../src/engine/object/object-calls';
import { AgentObject } from '../../../src/worker';
import { address, get, post, send } from '../../support/api';
import { bindings } from '../../support/bindings';
import { asks, openGate, pass, told } from '../../support/puppet';
import { noted } from '../../support/told';
import { items, stands } from '../../workerd/standing';
import { isCopyCall, messageIn } from './support/calls';

const LOOK = { interval: 10 };

/** What is held on its way, and what came of that; `to`: the session that the copy is to be. */
interface Held {
  readonly op: CopyAsk['op'];
  readonly gate: string;
  count: number;
  passed: number;
  to: string;
}
let held: Held = { op: 'drop', gate: '', count: 0, passed: 0, to: '' };

const { offshoot } = AgentObject.prototype;
// Before the first object is made, because the SDK wraps the methods that it finds then.
vi.spyOn(AgentObject.prototype, 'offshoot').mockImplementation(function (this: AgentObject, call: ObjectCall, facet) {
  const message = messageIn(call);
  if (message?.type === 'send_copy' && 'sessionId' in message.to) held.to = message.to.sessionId;
  const go = () => Reflect.apply(offshoot, this, [call, facet]);
  const now = held;
  if (!isCopyCall(call) || call.ask.op !== now.op) return go();
  now.count++;
  return pass(now.gate)
    .then(go)
    .finally(() => {
      now.passed++;
    });
});

/** What the storage of an object holds: its tables, and its alarm. */
const storedIn = (sessionId: string) =>
  runInDurableObject(bindings.LEAF.getByName(`child:${sessionId}`), async (_, { storage }) => ({
    tables: storage.sql.exec('SELECT name FROM sqlite_master').toArray().length,
    alarm: await storage.getAlarm(),
  }));

it.each(['rows', 'file', 'rest'] as const)(
  '[CP52, CP19, CP25, SP13] a copy in an object that is aborted while its %s come leaves nothing there, also of what comes later',
  async (op) => {
    const at = address('nest');
    const [ada, bob] = [`${at}/sub/leaf/ada`, `${at}/sub/leaf/bob`];
    const spawn = asks([
      'companion__spawnAgent',
      { agent: 'leaf', name: 'ada', initialMessage: told(noted('first'), { text: 'one' }) },
    ]);
    expect((await post(`${at}/start`, { message: told(spawn), wait: true })).body).toMatchObject({
      status: 'completed',
    });
    expect((await send(`${ada}/files/a.txt`, { method: 'PUT', body: 'kept' })).ok).toBe(true);

    const gate = crypto.randomUUID();
    held = { op, gate, count: 0, passed: 0, to: '' };
    const fork = asks(['companion__forkChild', { name: 'ada', newName: 'bob', message: told({ text: 'two' }) }]);
    expect((await post(`${at}/start`, { message: told(fork, { text: 'goes on' }) })).status).toBe(202);
    await vi.waitFor(() => expect(held.count).toBe(1), LOOK);
    expect((await storedIn(held.to)).tables).toBeGreaterThan(0);

    expect((await post(`${bob}/abort`, {})).status).toBe(202);
    // Nobody waits for what is on its way.
    await stands(at, 'completed');
    expect(held.passed).toBe(0);
    expect((await items(`${at}/calls`)).at(-1)).toMatchObject({ result: { name: 'bob', status: 'failed' } });
    await vi.waitFor(async () => expect((await storedIn(held.to)).tables).toBe(0), LOOK);

    openGate(gate);
    await vi.waitFor(() => expect(held.passed).toBe(held.count), LOOK);
    await vi.waitFor(async () => expect(await storedIn(held.to)).toEqual({ tables: 0, alarm: null }), LOOK);
    expect((await get(`${bob}/status`)).body).toMatchObject({ status: 'failed', lastSequence: 0 });
    expect(await items(`${bob}/messages`)).toEqual([]);

    // The original has lost nothing, and can be copied again.
    const again = asks(['companion__forkChild', { name: 'ada', newName: 'cid', message: told(noted('second')) }]);
    expect((await post(`${at}/start`, { message: told(again), wait: true })).body).toMatchObject({
      status: 'completed',
    });
    expect((await items(`${at}/sub/leaf/cid/calls`)).map(({ input }) => input)).toEqual([
      { text: 'first' },
      { text: 'second' },
    ]);
    expect(await (await send(`${at}/sub/leaf/cid/files/a.txt`)).text()).toBe('kept');
  },
);
