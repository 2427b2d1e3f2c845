/** What the SDK gives to sub-agents stays whole in our class: at the root and at each level below it. */

import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { getAgentByName, getSubAgentByName, routeAgentRequest } from 'agents';
import { describe, expect, it, vi } from 'vitest';
import { defineAgent } from '../../src/index';
import { isObject, type Json, type JsonObject } from '../../src/protocol/json';
import { AgentObject } from '../../src/worker';
import { address, get, HOST, objectIn, post, send, socketIn } from '../support/api';
import { Author } from '../support/author';
import { bindings } from '../support/bindings';
import { asks, calls, cameTo, openGate, puppet, told } from '../support/puppet';
import { noted } from '../support/told';
import { hanging, Leaf, type Tiny } from '../support/worker';
import { items, stands, threeLevels } from './standing';

// The binding has another name than the class.
const { WRITERS } = bindings;
const DEEP = ['a', 'b', 'c'];
const LEVELS = [[], ['a'], ['a', 'b'], DEEP];
const LOOK = { interval: 5 };
/** Of one tree, each with 20 timers. */
const AGENTS = 50;

/** A root of authors that no other test has. */
class Root {
  readonly name = `r-${crypto.randomUUID().slice(0, 8)}`;

  get stub() {
    return WRITERS.getByName(this.name);
  }

  async at(names: readonly string[], does: string, value?: Json): Promise<Json> {
    return JSON.parse(await this.stub.at(names, does, value));
  }

  /** Makes three levels below the root. */
  static async deep(): Promise<Root> {
    const root = new Root();
    await root.at(DEEP, 'keep', 'deep');
    return root;
  }

  url(names: readonly string[], tail = ''): string {
    return `${HOST}/agents/author/${this.name}${names.map((name) => `/sub/author/${name}`).join('')}${tail}`;
  }

  fetch(names: readonly string[], tail = '', init: RequestInit = {}): Promise<Response> {
    return this.stub.fetch(this.url(names, tail), init);
  }

  async connect(names: readonly string[], headers: Record<string, string> = {}): Promise<Client> {
    const response = await this.fetch(names, '', { headers: { upgrade: 'websocket', ...headers } });
    return new Client(socketIn(response));
  }

  /** Waits for what an author has kept. */
  async kept(names: readonly string[], what: Json): Promise<void> {
    await vi.waitFor(async () => expect(await this.at(names, 'kept')).toContainEqual(what), LOOK);
  }
}

/** A client's side of a socket. */
class Client {
  readonly texts: string[] = [];
  closed: number | undefined;

  constructor(readonly socket: WebSocket) {
    socket.accept();
    socket.addEventListener('message', ({ data }) => void this.texts.push(String(data)));
    socket.addEventListener('close', ({ code }) => {
      this.closed = code;
    });
  }

  async hears(what: string | object): Promise<void> {
    const matches = (text: string): boolean =>
      text === what || (typeof what === 'object' && text.startsWith('{') && includes(JSON.parse(text), what));
    await vi.waitFor(
      () => expect(this.texts.some(matches), `${JSON.stringify(what)} in ${this.texts.join('\n')}`).toBe(true),
      LOOK,
    );
  }

  of(type: string): JsonObject[] {
    return this.texts
      .filter((text) => text.startsWith('{'))
      .map((text) => JSON.parse(text))
      .filter((frame) => frame.type === type);
  }
}

function includes(frame: object, what: object): boolean {
  try {
    expect(frame).toMatchObject(what);
    return true;
  } catch {
    return false;
  }
}

describe('addresses', () => {
  it('[F1] a request reaches the agent at its nested address, at each level', async () => {
    const root = await Root.deep();
    for (const names of LEVELS) {
      const answer = await objectIn(await root.fetch(names, '/some/path'));
      expect(answer).toMatchObject({ name: names.at(-1) ?? root.name, method: 'GET' });
      expect(answer.pathname).toMatch(/\/some\/path$/);
    }
  });

  it("[F1, F2] the SDK's own router reaches them too, under the name of the binding", async () => {
    const root = await Root.deep();
    const path = root.url(DEEP, '/x').replace('/agents/author/', '/agents/writers/');
    const answer = await routeAgentRequest(new Request(path), bindings);
    expect(await answer?.json()).toMatchObject({ name: 'c', pathname: '/x' });
  });

  it("[F3] frames reach the agent's own handlers at each level, also after everything has left memory", async () => {
    const root = await Root.deep();
    const clients = await Promise.all(LEVELS.map((names) => root.connect(names)));
    const names = [root.name, ...DEEP];
    for (const [level, client] of clients.entries()) await client.hears(`${names[level]} opens`);
    await evictDurableObject(root.stub);
    for (const [level, client] of clients.entries()) {
      client.socket.send('hello');
      await client.hears(`${names[level]} heard hello`);
      expect(client.texts.filter((text) => text.includes('heard'))).toHaveLength(1);
    }
  });

  it('[F3] a callable method is called at each level, and no other', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const root = await Root.deep();
    for (const names of LEVELS) {
      const client = await root.connect(names);
      client.socket.send(JSON.stringify({ type: 'rpc', id: '1', method: 'greet', args: ['you'] }));
      await client.hears({ type: 'rpc', id: '1', success: true, result: `${names.at(-1) ?? root.name} greets you` });
      client.socket.send(
        JSON.stringify({
          type: 'rpc',
          id: '2',
          method: 'offshoot',
          args: [{ kind: 'verb', verb: 'status', path: [], input: {} }],
        }),
      );
      await client.hears({ type: 'rpc', id: '2', success: false });
    }
    said.mockRestore();
  });

  it("[F4] an author's own gate passes, changes or answers a request at each level", async () => {
    const root = await Root.deep();
    for (const [segment, name] of DEEP.entries()) {
      const refused = await root.fetch(DEEP, '', { headers: { 'x-gate': `refuse ${name}` } });
      expect([refused.status, await refused.text()]).toEqual([403, `no way to ${name}`]);
      const marked = await root.fetch(DEEP, '', { headers: { 'x-gate': `mark ${name}` } });
      expect(await marked.json()).toMatchObject({ name: 'c', mark: `by ${[root.name, ...DEEP][segment]}` });
    }
    expect(await (await root.fetch(DEEP)).json()).toMatchObject({ name: 'c', mark: null });
  });

  it.each(DEEP)(
    '[F4] a socket that a gate refuses on the way, before %s, is closed and reaches no handler',
    async (name) => {
      const root = await Root.deep();
      const client = await root.connect(DEEP, { 'x-gate': `refuse ${name}` });
      await vi.waitFor(() => expect(client.closed).toBe(4403), LOOK);
      expect(client.texts.filter((text) => text.includes('opens'))).toEqual([]);
    },
  );

  it('[F5] nothing that comes from outside makes a sub-agent, at any level', async () => {
    const root = await Root.deep();
    for (const names of [[], ['a'], ['a', 'b']]) {
      const ghost = [...names, 'ghost'];
      const client = await root.connect(ghost);
      await vi.waitFor(() => expect(client.closed).toBe(4404), LOOK);
      expect(client.texts.filter((text) => text.includes('opens'))).toEqual([]);
      expect((await root.fetch(ghost)).status).toBe(404);
    }
    const parent = await getAgentByName(WRITERS, root.name);
    const ghost = await getSubAgentByName(parent, Author, 'ghost');
    await expect(ghost.at([], 'kept')).rejects.toThrow('There is no such sub-agent.');
    expect([
      await root.at([], 'children'),
      await root.at(['a'], 'children'),
      await root.at(['a', 'b'], 'children'),
    ]).toEqual([['a'], ['b'], ['c']]);
  });

  it('[F5] from outside, one that is there is called by its type', async () => {
    const root = await Root.deep();
    const parent = await getAgentByName(WRITERS, root.name);
    const child = await getSubAgentByName(parent, Author, 'a');
    expect(await child.at(['b', 'c'], 'kept')).toBe('["deep"]');
  });
});

describe('kinship', () => {
  it('[F6] children of one class keep apart, and a name finds the same child again', async () => {
    const root = new Root();
    await root.at(['one'], 'keep', 1);
    await root.at(['two'], 'keep', 2);
    expect([await root.at(['one'], 'kept'), await root.at(['two'], 'kept'), await root.at([], 'kept')]).toEqual([
      [1],
      [2],
      [],
    ]);
  });

  it('[F6] a parent lists its children in the order in which they were made, also after a crash', async () => {
    const root = new Root();
    for (const name of ['z', 'a', 'm']) await root.at([], 'sub', name);
    const list = () => root.at([], 'children');
    expect(await list()).toEqual(['z', 'a', 'm']);
    await abortAllDurableObjects();
    expect(await list()).toEqual(['z', 'a', 'm']);
    expect([await root.at([], 'has', 'm'), await root.at([], 'has', 'x')]).toEqual([true, false]);
  });

  it('[F7] an agent knows its path at each level, also after everything has left memory', async () => {
    const root = await Root.deep();
    const path = [root.name, ...DEEP].map((name) => ({ className: 'Author', name }));
    const check = async (): Promise<void> => {
      for (const names of LEVELS) {
        const selfPath = path.slice(0, names.length + 1);
        expect(await root.at(names, 'paths')).toEqual({
          parentPath: selfPath.slice(0, -1),
          selfPath,
          name: selfPath.at(-1)?.name,
        });
      }
    };
    await check();
    await evictDurableObject(root.stub);
    await check();
    await abortAllDurableObjects();
    await check();
  });

  it('[F8] a child calls its parent while the parent waits for it, and the root by its path; a wrong class is refused', async () => {
    const root = await Root.deep();
    await root.at(['a', 'b'], 'keep', 'of b');
    await root.at([], 'keep', 'of root');
    expect(await root.at(DEEP, 'ofParent')).toEqual(['of b']);
    expect(await root.at(['a'], 'ofParent')).toEqual(['of root']);
    expect(await root.at(DEEP, 'ofRoot')).toEqual(['of root']);
    expect(await root.at(DEEP, 'stranger')).toMatch(/Stranger/);
  });
});

describe('clients', () => {
  it('[F9] a broadcast reaches the clients of that agent alone', async () => {
    const root = await Root.deep();
    await root.at(['other'], 'keep', 1);
    const [one, two, other, top] = [
      await root.connect(['a']),
      await root.connect(['a']),
      await root.connect(['other']),
      await root.connect([]),
    ];
    await root.at(['a'], 'tell', 'to a');
    await one.hears('to a');
    await two.hears('to a');
    await root.at(['other'], 'tell', 'to other');
    await other.hears('to other');
    await root.at([], 'tell', 'to top');
    await top.hears('to top');
    expect([one, two, other, top].map(({ texts }) => texts.filter((text) => text.startsWith('to ')))).toEqual([
      ['to a'],
      ['to a'],
      ['to other'],
      ['to top'],
    ]);
  });

  it('[F9] the state of an agent is told to its own clients alone, and none of them changes it', async () => {
    const root = await Root.deep();
    const [deep, top] = [await root.connect(DEEP), await root.connect([])];
    await root.at(DEEP, 'state', { at: 'c' });
    await deep.hears({ type: 'cf_agent_state', state: { at: 'c' } });
    deep.socket.send(JSON.stringify({ type: 'cf_agent_state', state: { hacked: true } }));
    await deep.hears({ type: 'cf_agent_state_error' });
    await root.at([], 'state', { at: 'top' });
    await top.hears({ type: 'cf_agent_state', state: { at: 'top' } });
    expect(JSON.stringify([deep.of('cf_agent_state'), top.of('cf_agent_state')])).not.toContain('hacked');
    expect(top.of('cf_agent_state').map(({ state }) => isObject(state) && state.at)).toEqual(['top']);
  });
});

describe('timers', () => {
  it.each([1, 2, 3])('[F10] a schedule of an agent rings in that agent, %i below the root', async (depth) => {
    const root = await Root.deep();
    const names = DEEP.slice(0, depth);
    await root.at(names, 'ring', 'now');
    await root.kept(names, 'now');
    expect(await root.at(names, 'due')).toEqual([]);
    expect(await root.at([], 'kept')).toEqual([]);
  });

  it('[F10] rings once although everything was lost from memory before', async () => {
    const root = await Root.deep();
    await root.at(DEEP, 'ringIn', 1);
    await root.at(['a', 'b'], 'ringIn', 1);
    await abortAllDurableObjects();
    await root.kept(DEEP, 1);
    await root.kept(['a', 'b'], 1);
    expect([await root.at(DEEP, 'kept'), await root.at(['a', 'b'], 'kept')]).toEqual([['deep', 1], [1]]);
  });

  it('[F10] a repeated one rings again until it is cancelled', async () => {
    const root = await Root.deep();
    const id = await root.at(DEEP, 'ringEvery', 1);
    await vi.waitFor(async () => expect(await root.at(DEEP, 'kept')).toHaveLength(3), LOOK);
    expect(await root.at(DEEP, 'cancel', id)).toBe(true);
    expect(await root.at(DEEP, 'due')).toEqual([]);
    expect(await root.at(DEEP, 'cancel', id)).toBe(false);
  });

  it('[F11] schedules are listed, found and cancelled by their own agent alone; the synchronous way throws below the root', async () => {
    const root = await Root.deep();
    const mine = await root.at(DEEP, 'ringIn', 3_600);
    const other = await root.at(['a', 'x'], 'ringIn', 3_600);
    expect([await root.at(DEEP, 'due'), await root.at(['a', 'x'], 'due')]).toEqual([[mine], [other]]);
    expect([await root.at(DEEP, 'dueById', mine), await root.at(DEEP, 'dueById', other)]).toEqual([mine, null]);
    expect(await root.at(DEEP, 'cancel', other)).toBe(false);
    expect(await root.at(DEEP, 'dueAtOnce')).toMatch(/listSchedules/);
    expect(await root.at([], 'dueAtOnce')).toBe(0);
    expect(await root.at(DEEP, 'cancel', mine)).toBe(true);
    expect([await root.at(DEEP, 'due'), await root.at(['a', 'x'], 'due')]).toEqual([[], [other]]);
  });

  it('[F12] 1,000 timers of 50 agents ring once each, and the alarm is always that of the earliest', async () => {
    const root = new Root();
    const agents = Array.from({ length: AGENTS }, (_, index) => [`p${index % 4}`, `c${index}`]);
    const hour = Date.now() + 3_600_000;
    // The earliest are set last, so the alarm has to move each time.
    for (const [index, one] of agents.entries()) {
      await root.at(one, 'ringAt', [hour - index * 1_000]);
      expect(await alarmOf(root)).toBe(Math.floor((hour - index * 1_000) / 1_000) * 1_000);
    }
    const past = Array.from({ length: 19 }, (_, at) => 1_000 * (at + 1));
    for (const one of agents) await root.at(one, 'ringAt', past);
    for (const one of agents) {
      await vi.waitFor(async () => {
        const kept: number[] = JSON.parse(await root.stub.at(one, 'kept'));
        expect(kept.toSorted((first, second) => first - second)).toEqual(past);
      }, LOOK);
      expect(await root.at(one, 'due')).toHaveLength(1);
    }
    expect(await alarmOf(root)).toBe(Math.floor((hour - (AGENTS - 1) * 1_000) / 1_000) * 1_000);
  });

  it('[F23] a callback that takes long holds up no callback of another agent', async () => {
    const root = new Root();
    const gate = root.name;
    const agents: readonly (readonly string[])[] = [['a'], ['b'], []];
    for (const one of agents) {
      await root.at(one, 'hang', `${gate} ${one}`);
      await root.kept(one, `begins ${gate} ${one}`);
    }
    // All three are at work, and each still gets what comes due.
    for (const one of agents) {
      await root.at(one, 'ring', 'quick');
      await root.kept(one, 'quick');
    }
    const late = await root.at(['b'], 'hang', `${gate} late`);
    await root.kept(['b'], `begins ${gate} late`);
    expect(await root.at(['b'], 'cancel', late)).toBe(true);
    for (const one of [...agents, 'late']) openGate(`${gate} ${one}`);
    for (const one of agents) await root.kept(one, `ends ${gate} ${one}`);
    await alarmIsSet(root, false);
    for (const one of agents) {
      const kept: string[] = JSON.parse(await root.stub.at(one, 'kept'));
      expect(kept.filter((what) => what === `begins ${gate} ${one}`)).toHaveLength(1);
      expect(await root.at(one, 'due')).toEqual([]);
    }
  });

  it('[F12, TM2] a callback that takes long holds up no deadline of the tree', async () => {
    const at = address('tiny');
    const stub = bindings.TINY.getByName(at.split('/')[3] ?? '');
    const brief = calls('brief', [{ gate: `${at} child`, text: 'late' }]);
    await post(`${at}/start`, { message: told({ ...brief, gate: at }, { text: 'end' }) });
    await runInDurableObject(stub, (tiny: Tiny) => tiny.schedule(new Date(), 'hangs', `${at} hangs`));
    await vi.waitFor(() => expect(hanging).toContain(`${at} hangs`), LOOK);
    openGate(at);
    await stands(at, 'completed');
    expect(JSON.stringify(await items(`${at}/messages`))).toContain('child_timeout');
    expect(hanging).toContain(`${at} hangs`);
    openGate(`${at} hangs`);
    await vi.waitFor(() => expect(hanging).not.toContain(`${at} hangs`), LOOK);
  });
});

const alarmOf = (root: Root) => runInDurableObject(root.stub, (_: object, { storage }) => storage.getAlarm());
const alarmIsSet = (root: Root, set: boolean) =>
  vi.waitFor(async () => expect((await alarmOf(root)) !== null).toBe(set), LOOK);

describe('long work', () => {
  it('[F13] a keep-alive of an agent holds the root awake until it is let go', async () => {
    const root = await Root.deep();
    expect(await alarmOf(root)).toBeNull();
    await root.at(DEEP, 'hold');
    await alarmIsSet(root, true);
    await root.at(DEEP, 'release');
    await alarmIsSet(root, false);
    expect(await root.at(DEEP, 'holdWhile')).toBe(0);
    await alarmIsSet(root, false);
  });

  it.each([
    ['abort', ['a', 'b'], 'c'],
    ['remove', ['a', 'b'], 'c'],
    ['remove', ['a'], 'b'],
    ['abort', [], 'a'],
    ['remove', [], 'a'],
  ])('[F13] one whose agent goes by %s at %j is let go with the next beat of the root', async (does, parent, name) => {
    const root = await Root.deep();
    await root.at(['beside'], 'hold');
    await root.at(DEEP, 'hold');
    await root.at(parent, does, name);
    expect(await runDurableObjectAlarm(root.stub)).toBe(true);
    await root.at(['beside'], 'release');
    await alarmIsSet(root, false);
  });

  it('[F14] a fiber that a crash cut off is recovered in its agent with what it stashed last, and may set a timer', async () => {
    const root = await Root.deep();
    await root.at(DEEP, 'fiber', 7);
    await root.kept(DEEP, 'began');
    await abortAllDurableObjects();
    expect(await runDurableObjectAlarm(root.stub)).toBe(true);
    await root.kept(DEEP, { recovered: 'work', snapshot: { reached: 7 } });
    await root.kept(DEEP, 'armed by recovery');
  });
});

describe('ends', () => {
  it('[F15] a deleted agent is gone with its store, its timers and its sockets; deleting again is harmless', async () => {
    const root = await Root.deep();
    await root.at(DEEP, 'ringIn', 3_600);
    const kept = await root.at(['a', 'x'], 'ringIn', 3_600);
    const [below, beside] = [await root.connect(DEEP), await root.connect(['a', 'x'])];
    await root.at(['a'], 'remove', 'b');
    await root.at(['a'], 'remove', 'b');
    await vi.waitFor(() => expect(below.closed).toBe(1001), LOOK);
    const jobs = await runInDurableObject(root.stub, (_: object, { storage }) =>
      storage.sql.exec(`SELECT id FROM cf_agents_jobs WHERE capability = 'scheduler'`).toArray(),
    );
    expect(jobs).toEqual([{ id: kept }]);
    expect(await root.at(['a'], 'children')).toEqual(['x']);
    expect(await root.at(DEEP, 'kept')).toEqual([]);
    expect([beside.closed, await root.at(DEEP, 'due')]).toEqual([undefined, []]);
  });

  it('[F16] an aborted agent stops at once and keeps its store', async () => {
    const root = await Root.deep();
    await root.at(['a', 'b'], 'abort', 'c');
    expect(await root.at(DEEP, 'kept')).toEqual(['deep']);
    await root.at([], 'abort', 'a');
    expect(await root.at(DEEP, 'kept')).toEqual(['deep']);
  });
});

describe('an agent of a tree that its author aborts', () => {
  it('[F16, F22] C22: stops at once and keeps its store, and its call has one result', async () => {
    const gate = crypto.randomUUID();
    const at = address();
    const body = asks(['tally', { text: 'x', gate }]);
    await post(`${at}/start`, { message: told(calls('leaf', [noted('kept'), body])) });
    const leaf = `${at}/sub/leaf/1~1`;
    await vi.waitFor(() => expect(cameTo(gate)).toBe(1), LOOK);
    // That its body has begun says nothing of whether the root has heard of it: until then there is nothing to read.
    await vi.waitFor(async () => expect((await get(`${leaf}/state`)).status).toBe(200), LOOK);
    const before = await items(`${leaf}/messages`);
    await runInDurableObject(bindings.TOP.getByName(at.split('/')[3] ?? ''), (top) =>
      top.abortSubAgent(Leaf, 'slot:1'),
    );
    expect((await items(`${leaf}/messages`)).slice(0, before.length)).toEqual(before);
    expect((await get(`${leaf}/state`)).body).toMatchObject({ state: { noted: 'kept' } });
    openGate(gate);
    await stands(at, 'completed');
    const results = (await items(`${at}/calls`)).filter(({ toolName }) => toolName === 'subagent__leaf');
    expect(results).toMatchObject([{ status: 'succeeded', result: 'done' }]);
  });
});

describe('a class that a bundler has renamed', () => {
  it('[OC6, F6, F16] is known to what takes a class, also before an object of it was made', async () => {
    const renamed = () => Object.defineProperty(Leaf, 'name', { value: 'a', configurable: true });
    await runInDurableObject(bindings.TOP.getByName(address().split('/')[3] ?? ''), (top) => {
      const uses = [
        () => top.hasSubAgent(Leaf, 'none'),
        () => top.abortSubAgent(Leaf, 'none'),
        () => top.deleteSubAgent(Leaf, 'none'),
      ];
      for (const use of uses) {
        renamed();
        use();
        expect(Leaf.name).toBe('Leaf');
      }
    });
  });
});

describe('the start of the SDK', () => {
  it('[F18] waits until something of it is used at the root or below it: a socket, not sub-agents', async () => {
    const started: string[] = [];
    vi.spyOn(AgentObject.prototype, 'onStart').mockImplementation(function (this: AgentObject) {
      started.push(this.constructor.name);
    });
    const { at, leaf } = await threeLevels({ text: 'x' });
    await stands(at, 'completed');
    expect(started).toEqual([]);
    const { webSocket } = await send(leaf, { headers: { upgrade: 'websocket' } });
    webSocket?.accept();
    webSocket?.close();
    expect(started.sort()).toEqual(['Leaf', 'Middle', 'Top']);
  });
});

describe('names', () => {
  it.each(['sub', 'Sub', 'SUB', 'Sub_'])('[F17] an agent named %s is refused when it is defined', (name) => {
    expect(() => defineAgent({ name, systemPrompt: 'x', model: puppet })).toThrow(/sub/i);
  });
});
