/** An author's `onBeforeSubAgent` on the ways to a sub-agent that the SDK does not route. */
import { abortAllDurableObjects, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { Facets } from '../../../src/host/facets';
import { HOOKED } from '../../../src/host/sub-agent-gate';
import { parseAddress, parseSlot } from '../../../src/protocol/address';
import { address, get, post, send } from '../../support/api';
import { bindings } from '../../support/bindings';
import { asks, calls, told } from '../../support/puppet';
import { hooked, lives, type Nest } from '../../support/worker';
import { statusOf } from '../standing';

/** A root with a child, a grandchild, and a child in an object of its own, all at rest. */
async function tree() {
  const at = address('nest');
  const name = at.split('/')[3] ?? '';
  const script = [
    calls('nest', [calls('nest', [{ text: 'c' }]), { text: 'b' }]),
    calls('apart', [{ text: 'd' }]),
    { text: 'a' },
  ];
  expect((await post(`${at}/start`, { message: told(...script), wait: true })).body.status).toBe('completed');
  const child = `${at}/sub/nest/1~1`;
  const asked = hooked.asked.set(name, []).get(name) ?? [];
  const refuse = (className: string, level: string) => hooked.refused.add(`${name} ${className} ${level}`);
  return { at, name, child, below: `${child}/sub/nest/1~1`, apart: `${at}/sub/leaf/1~1`, asked, refuse };
}
const nest = (name: string) => ({ className: 'Nest', name });

describe('the hook of an author before sub-agents', () => {
  it('[F25] is asked at each level from the root on, and hands its request down; also where nobody is awake', async () => {
    const { name, below, asked } = await tree();
    const levels = [
      { by: name, child: nest('slot:1'), method: 'GET', mark: null },
      { by: 'slot:1', child: nest('again:1'), method: 'GET', mark: `${name};` },
    ];
    for (const verb of ['status', 'messages', 'usage']) {
      asked.length = 0;
      await abortAllDurableObjects();
      HOOKED.clear();
      expect((await get(`${below}/${verb}`)).status).toBe(200);
      expect(asked).toEqual(levels);
    }
  });

  it('[F25, F26] is looked for in a class of which no object was made, without a trace', async () => {
    const { at } = await tree();
    await runInDurableObject(bindings.NEST.getByName(at.split('/')[3] ?? ''), async (object: Nest, ctx) => {
      const facets = new Facets({
        ctx,
        dynamicAgents: object.dynamicAgents,
        path: () => object.selfPath,
        self: () => ({ className: 'Nest', name: object.name }),
        started: async () => undefined,
        registry: () => {
          throw new Error('It is listed nowhere.');
        },
      });
      HOOKED.clear();
      expect([await facets.learn('Leaf'), await facets.learn('Nest'), await facets.learn('Nest')]).toEqual([
        false,
        true,
        true,
      ]);
      await bindings.OFFSHOOT_AGENT.getByName('kin:nobody').fetch('http://localhost/nothing');
      expect([...HOOKED]).toEqual([
        ['Leaf', false],
        ['Nest', true],
      ]);
      expect(object.listSubAgents().map(({ name }) => name)).not.toContain('hooks:1');
    });
  });

  it('[F25, OC8] sees each verb that a door asks by the method of that verb', async () => {
    const { child, asked } = await tree();
    const parts = [{ type: 'text', text: told({ text: 'x' }) }];
    const message = { id: 'm1', role: 'user', parts };
    const answer = await post(`${child}/chat`, { id: '1~1', messages: [message], trigger: 'submit-message' });
    expect(answer.body).toMatchObject({ code: expect.any(String) });
    expect(asked.map(({ method }) => method)).toEqual(['GET', 'POST']);
  });

  it('[F25] refuses over HTTP with its response, and over RPC as `forbidden`, at any level', async () => {
    const { at, name, child, below, refuse } = await tree();
    refuse('Nest', 'again:1');
    for (const path of [`${below}/status`, `${below}/messages`, `${below}/nothing/../files`]) {
      const answer = await send(path);
      expect([answer.status, answer.headers.get('x-by'), await answer.text()]).toEqual([
        402,
        'slot:1',
        'No way from slot:1.',
      ]);
      expect(answer.headers.get('x-request-id')).not.toBeNull();
    }
    const refused = { ok: false, code: 'forbidden', detail: 'No way from slot:1.', details: { status: 402 } };
    expect(await bindings.RPC.status(below)).toMatchObject(refused);
    expect(await bindings.RPC.status(child)).toMatchObject({ ok: true });
    refuse('Nest', 'slot:1');
    expect(await bindings.RPC.send(child, { content: 'x' })).toMatchObject({
      ...refused,
      detail: `No way from ${name}.`,
    });
    expect((await get(`${at}/status`)).status).toBe(200);
  });

  it('[F25] is asked about a sub-agent in an object of its own, for its socket too', async () => {
    const { name, apart, asked, refuse } = await tree();
    const child = { className: 'Leaf', name: `child:${(await statusOf(apart)).sessionId}` };
    const upgrade = () => send(apart, { headers: { upgrade: 'websocket' } });
    expect((await upgrade()).status).toBe(101);
    const once = { by: name, child, method: 'GET', mark: null };
    expect(asked).toEqual([once, once]);
    refuse(child.className, child.name);
    expect((await upgrade()).status).toBe(403);
    expect((await send(`${apart}/status`)).status).toBe(402);
  });

  it('[F25] is asked once for the socket of a facet, and for each other agent that it subscribes to', async () => {
    const { at, child, below, asked, refuse } = await tree();
    const open = async (path: string) => {
      const { webSocket } = await send(path, { headers: { upgrade: 'websocket' } });
      webSocket?.accept();
      const frames: { type: string; code?: string }[] = [];
      webSocket?.addEventListener('message', ({ data }) => void frames.push(JSON.parse(String(data))));
      const says = async (frame: object, type: string) => {
        webSocket?.send(JSON.stringify(frame));
        await expect.poll(() => frames.filter((one) => one.type === type).length).toBe(1);
        return frames.find((one) => one.type === type);
      };
      return says;
    };
    await open(child);
    expect(asked).toMatchObject([{ child: nest('slot:1') }]);
    refuse('Nest', 'again:1');
    const says = await open(at);
    const answer = await says({ type: 'offshoot.subscribe', address: below }, 'offshoot.error');
    expect(answer).toMatchObject({ code: 'forbidden' });
    expect(asked).toHaveLength(3);
  });
});

describe('the facets of an author', () => {
  it('[A115] are listed beside the children at each level, and none is woken', async () => {
    const { at, name: root, child } = await tree();
    for (const [path, names] of [
      [at, []],
      [child, ['slot:1']],
    ] as const) {
      const told = async (query = '') => (await get(`${path}/children${query}`)).body;
      const before = await told();
      expect(before).not.toHaveProperty('facets');
      await bindings.NEST.getByName(root).makes(names, 'mine');
      await abortAllDurableObjects();
      const made = lives('Leaf');
      const facets = [{ className: 'Leaf', name: 'mine', createdAt: expect.any(Number) }];
      expect(await told()).toEqual({ ...before, facets });
      expect(await told('?limit=1')).toMatchObject({ facets });
      expect(lives('Leaf')).toBe(made);
    }
    const first = (await get(`${at}/children?limit=1`)).body;
    expect((await get(`${at}/children?limit=1&cursor=${first.cursor}`)).body).not.toHaveProperty('facets');
  });
});

describe('the names of an agent', () => {
  it.each([
    ['a class of its own', 'nest', (name: string) => ({ className: 'Nest', name })],
    ['the shared class', 'kin', (name: string) => ({ className: 'OffshootAgent', name: `kin:${name}` })],
  ])('[F7, F27, OC1] agree with its address, at each place, in %s', async (_what, agent, of) => {
    const at = address(agent);
    const ann = asks(['companion__spawnAgent', { agent, name: 'ann', initialMessage: told({ text: 'e' }) }]);
    const script = [
      calls(agent, [{ text: 'b' }]),
      calls('alone', [{ text: 'c' }]),
      calls('apart', [{ text: 'd' }]),
      ann,
    ];
    expect((await post(`${at}/start`, { message: told(...script, { text: 'a' }), wait: true })).body.status).toBe(
      'completed',
    );
    const root = of(at.split('/')[3] ?? '');
    const { items } = (await get(`${at}/children`)).body;
    const names = items.map(({ address: below, sessionId, placement }) => {
      const [level = { className: '', name: '' }] = parseAddress(below).below;
      const slot = parseSlot(level.name)?.slot;
      const name = placement === 'object' ? `child:${sessionId}` : slot === undefined ? level.name : `slot:${slot}`;
      return level.className === 'Leaf' ? { className: 'Leaf', name } : of(name);
    });
    expect(items.map(({ placement }) => placement)).toEqual(['facet', 'object', 'object', 'facet']);
    const stub = Reflect.get(env, root.className === 'Nest' ? 'NEST' : 'OFFSHOOT_AGENT').getByName(root.name);
    expect(await selfOf(stub)).toEqual({ name: root.name, selfPath: [root] });
    for (const [index, self] of names.entries()) {
      const { placement } = items[index] ?? {};
      const found =
        placement === 'object'
          ? await selfOf(
              Reflect.get(env, { Nest: 'NEST', Leaf: 'LEAF' }[self.className] ?? 'OFFSHOOT_AGENT').getByName(self.name),
            )
          : await runInDurableObject(stub, async (object: Nest) => {
              const facet = await Reflect.apply(object.subAgent, object, [{ name: self.className }, self.name]);
              return { name: await Reflect.get(facet, 'name'), selfPath: await Reflect.get(facet, 'selfPath') };
            });
      expect(found).toEqual({ name: self.name, selfPath: placement === 'object' ? [self] : [root, self] });
    }
  });
});

const selfOf = (stub: DurableObjectStub) =>
  runInDurableObject(stub, (object: Nest) => ({ name: object.name, selfPath: object.selfPath }));
