/** Agents in the class that they share: each at its own address, with its own objects, beside agents with own classes. */
import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import type { ObjectStub } from '../../src/engine/object/object-calls';
import { setWorkerPorts, workerPorts } from '../../src/host/worker-ports';
import { isEnded } from '../../src/protocol/status';
import type { TreeShown } from '../../src/protocol/wire/shapes';
import { address, del, get, post, readAll, send, socketIn } from '../support/api';
import { bindings, served } from '../support/bindings';
import { framesOf } from '../support/frames';
import { calls, cameTo, openGate, type PuppetStep, told } from '../support/puppet';
import { noted } from '../support/told';
import { items, publishes, stands, statusOf, waiting, yes } from './standing';

const { OFFSHOOT_AGENT, RPC } = bindings;

/** Its objects, as other objects of the Worker call them. */
const shared: { getByName(name: string): DurableObjectStub & ObjectStub } = Reflect.get(env, 'OFFSHOOT_AGENT');

const nameIn = (at: string): string => at.split('/')[3] ?? '';
const rootOf = (at: string) => OFFSHOOT_AGENT.getByName(`${at.split('/')[2]}:${nameIn(at)}`);

/** A chain of so many agents, each the parent of the next; the last does this. */
function chain(tool: 'kin' | 'alone', levels: number, ...last: PuppetStep[]): PuppetStep[] {
  if (levels === 1) return last;
  return [calls(tool, chain(tool, levels - 1, ...last)), { text: `level ${levels}` }];
}

const levelOf = (at: string, level: number): string => at + '/sub/kin/1~1'.repeat(level - 1);

const start = (at: string, ...steps: PuppetStep[]) => post(`${at}/start`, { message: told(...steps), wait: true });

describe('a tree in one class', () => {
  it.each(['kin', 'alone'] as const)('[OC1, OC2] works over 8 levels by %s, as with a class for each', async (tool) => {
    const seen = await Promise.all(
      ['kin', 'nest'].map(async (agent) => {
        const at = address(agent);
        const steps = JSON.parse(JSON.stringify(chain(tool, 8, publishes('x'), { text: 'deepest' })));
        const own =
          agent === 'kin' ? steps : JSON.parse(JSON.stringify(steps).replaceAll('subagent__kin', 'subagent__nest'));
        expect((await post(`${at}/start`, { message: told(...own) })).status).toBe(202);
        const [item] = await waiting(at, 1);
        expect((await post(`${at}/tool-results`, yes(String(item?.toolCallId)))).status).toBe(202);
        await stands(at, 'completed');
        const { chunks } = await readAll(`${at}/stream`);
        const shown: string[] = [];
        for (let node: TreeShown | undefined = (await get(`${at}/tree`)).body; node; node = node.nodes[0])
          shown.push(`${node.placement} ${node.address.replace(at, '')}`);
        const types = chunks.map(({ chunk }) => `${chunk.address.replace(at, '')} ${chunk.type}`).toSorted();
        return JSON.stringify([shown, types]).replaceAll(`/sub/${agent}/`, '/sub/x/');
      }),
    );
    expect(seen[0]).toBe(seen[1]);
    expect(seen[0]).toContain('object');
  });

  it('[OC1] has several sub-agents of several agents at once, some with a class of their own', async () => {
    const at = address('kin');
    const names = ['kin', 'twin', 'leaf'];
    const call = {
      calls: names.flatMap((name) => calls(name, ...names.map(() => [noted(name), { text: name }])).calls ?? []),
    };
    const ended = await start(at, call, { text: 'all' });
    expect(ended.body).toMatchObject({ status: 'completed', run: { output: 'all' } });
    const { nodes } = (await get(`${at}/tree`)).body;
    expect(nodes.map((node) => node.address.replace(at, ''))).toEqual(
      names.flatMap((name) => [1, 2, 3].map((slot) => `/sub/${name}/${slot}~1`)),
    );
    for (const node of nodes)
      expect((await get(`${node.address}/state`)).body.state).toEqual({ noted: node.address.split('/').at(-2) });
  });

  it('[OC1] is another tree than one of the same name with another agent', async () => {
    const at = address('kin');
    const other = at.replace('/kin/', '/twin/');
    await start(at, noted('kin'), { text: 'a' });
    expect((await send(`${other}/status`)).status).toBe(404);
    await start(other, noted('twin'), { text: 'b' });
    expect([(await get(`${at}/state`)).body.state, (await get(`${other}/state`)).body.state]).toEqual([
      { noted: 'kin' },
      { noted: 'twin' },
    ]);
    await vi.waitFor(async () => {
      const roots = (await get('/directory/roots?agent=twin&limit=500')).body.items.map((root) => root.address);
      expect([roots.includes(other), roots.includes(at)]).toEqual([true, false]);
    });
    expect((await del(at)).status).toBe(204);
    await vi.waitFor(async () => expect((await send(`${at}/status`)).status).toBe(404));
    expect((await statusOf(other)).status).toBe('completed');
  });

  it('[OC2] goes on where it was when nothing of it is in memory any more', async () => {
    const at = address('kin');
    const gate = `${at} leaf`;
    await post(`${at}/start`, { message: told(...chain('kin', 3, { gate, text: 'end' })) });
    await vi.waitFor(() => expect(cameTo(gate)).toBe(1), { interval: 5 });
    await stands(levelOf(at, 3), 'running');
    await abortAllDurableObjects();
    await runDurableObjectAlarm(rootOf(at));
    openGate(gate);
    await stands(at, 'completed');
    await evictDurableObject(rootOf(at));
    expect((await items(`${levelOf(at, 3)}/messages`)).length).toBe(2);
    expect((await start(at, ...chain('kin', 2, { text: 'again' }))).body).toMatchObject({ run: { output: 'level 2' } });
  });

  it('[OC2] is followed by a socket at any agent, also after its sleep', async () => {
    const at = address('kin');
    const gate = `${at} leaf`;
    await post(`${at}/start`, { message: told(...chain('kin', 2, { gate, text: 'end' })) });
    await vi.waitFor(() => expect(cameTo(gate)).toBe(1), { interval: 5 });
    const below = levelOf(at, 2);
    await stands(below, 'running');
    const frames: { type: string }[] = [];
    for (const path of [at, below]) {
      const socket = socketIn(await send(path, { headers: { upgrade: 'websocket' } }));
      socket.accept();
      socket.addEventListener('message', ({ data }) => {
        frames.push({ ...JSON.parse(String(data)), path });
      });
      socket.send(JSON.stringify({ type: 'offshoot.subscribe', from: 1 }));
    }
    openGate(gate);
    const ends = (path: string) =>
      framesOf(frames, 'offshoot.chunk').filter(
        (frame) => Reflect.get(frame, 'path') === path && frame.chunk.type === 'run_completed',
      );
    await vi.waitFor(() => expect([ends(at).length, ends(below).length]).toEqual([2, 1]), { interval: 5 });
  });

  it('[OC2] is copied with those below it, and a copy works on by itself', async () => {
    const at = address('kin');
    await start(at, calls('kin', [noted('below'), { text: 'k' }]), noted('top'), { text: 'one' });
    const name = `${nameIn(at)}-copy`;
    expect((await post(`${at}/fork`, { name })).status).toBe(202);
    const copy = at.replace(nameIn(at), name);
    await vi.waitFor(async () => expect(isEnded((await statusOf(copy)).status)).toBe(true));
    expect((await get(`${copy}/state`)).body.state).toEqual({ noted: 'top' });
    expect((await start(copy, noted('copy'), { text: 'two' })).body).toMatchObject({ run: { output: 'two' } });
    expect((await get(`${at}/state`)).body.state).toEqual({ noted: 'top' });
  });

  it('[OC2] is asked by other Workers, and works below an agent with a class of its own', async () => {
    const at = address('host');
    expect((await start(at, calls('twin', [noted('t'), { text: 'twin' }]), { text: 'host' })).body.status).toBe(
      'completed',
    );
    const below = `${at}/sub/twin/1~1`;
    expect(await RPC.status(below)).toMatchObject({ ok: true, body: { status: 'completed', agentType: 'twin' } });
    const root = address('twin');
    expect(await RPC.start(root, { message: told({ text: 'rpc' }), wait: true })).toMatchObject({ ok: true });
    expect((await statusOf(root)).run).toMatchObject({ output: 'rpc' });
  });
});

it('[OC3] a sub-agent whose agent the Worker lists no more is removed from the class that it had', async () => {
  const at = address('kin');
  const held = () =>
    runInDurableObject(rootOf(at), (_: object, { storage }) =>
      storage.sql
        .exec('SELECT name FROM cf_agents_sub_agents ORDER BY name')
        .toArray()
        .map(({ name }) => name),
    );
  await start(at, calls('twin', [noted('t'), { text: 't' }]), calls('kin', [{ text: 'k' }]), { text: 'x' });
  expect(await held()).toEqual(['kin:slot:1', 'twin:slot:1']);
  const ports = workerPorts();
  setWorkerPorts({ ...ports, shared: (className) => (className === 'Twin' ? undefined : ports.shared(className)) });
  try {
    expect((await del(`${at}/sub/twin/1~1`)).status).toBe(204);
    await vi.waitFor(async () => expect(await held()).toEqual(['kin:slot:1']));
  } finally {
    setWorkerPorts(ports);
  }
});

describe('an object of the shared class', () => {
  it.each(['gone:first', 'first', ':first', 'kin', 'Kin:first'])(
    '[OC3] that no listed agent has (%s) is refused, and holds nothing afterwards',
    async (name) => {
      const stub = shared.getByName(name);
      const call = { kind: 'verb', path: [], verb: 'start', input: { message: 'x' } } as const;
      expect(await stub.offshoot(call)).toMatchObject({ ok: false, error: { code: 'unavailable', retryable: true } });
      expect((await stub.fetch('http://localhost/')).status).toBe(503);
      const tables = await runInDurableObject(stub, (_: object, { storage }) =>
        storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
      );
      expect(tables).toEqual([]);
    },
  );

  it('[OC3, AD2] is at no address but its agent has', async () => {
    const at = address('kin');
    await start(at, { text: 'x' });
    for (const path of [
      `/agents/offshoot-agent/kin:${nameIn(at)}/status`,
      `/agents/offshoot-agent/kin%3A${nameIn(at)}/status`,
      `/agents/offshoot-agent/${nameIn(at)}/status`,
      `/agents/kin/kin:${nameIn(at)}/status`,
    ])
      expect([path, (await send(path)).status]).toEqual([path, expect.toBeOneOf([400, 404])]);
    expect(Object.keys(served)).toContain('OffshootAgent');
  });
});
