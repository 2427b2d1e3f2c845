/** The Worker under the benchmark: trees with instant models, beside facets without Offshoot. */

import { z } from 'zod';
import type { ObjectRuntime } from '../src/engine/object/object';
import type { VerbAnswer } from '../src/engine/object/object-calls';
import { setWorkerPorts, workerPorts } from '../src/host/worker-ports';
import { AgentObject, createWorker, OffshootDirectory } from '../src/worker';
import {
  dormitory,
  fan,
  guest,
  hanging,
  helper,
  host,
  inn,
  keeper,
  kid,
  lobby,
  queue,
  sleeper,
  talker,
  team,
  waiting,
} from './agents';
import { objectsMade, observe, rowCounts, startCounting } from './counting';
import type { BareFan, SdkFan } from './floor';

export { BareFan, BareKid, SdkFan, SdkKid } from './floor';
export { OffshootDirectory };

function token(): string {
  return crypto.randomUUID().replaceAll('-', '');
}

/** A turn whose message is a number; answers when it has ended, or at once. */
async function turn(object: ObjectRuntime, number: number, wait: boolean): Promise<string> {
  const runId = `r_${token()}`;
  await object.create(
    object.newRootSession({ tags: [] }),
    {},
    {
      type: 'start',
      at: Date.now(),
      token: token(),
      runId,
      messages: [{ messageId: `m_${token()}`, role: 'user', content: String(number), from: 'caller' }],
    },
  );
  const ended = (): boolean => object.agent?.state.run?.phase === 'ended';
  if (!wait) return 'running';
  await object.tree?.until(ended, 600_000);
  const run = object.agent?.state.run;
  return run?.phase === 'ended' ? run.outcome.status : 'running';
}

/** Asks every child that ended something harmless, as a reader of its transcript would; how many were there. */
async function touch(object: ObjectRuntime): Promise<number> {
  const nodes = [...(object.tree?.tree.all() ?? [])].filter(({ id }) => id !== 1);
  await Promise.all(nodes.map(({ address, sessionId }) => object.send(address, { type: 'wake', sessionId })));
  return nodes.length;
}

/** What a turn is asked for with. */
const asked = z.object({ number: z.number(), times: z.number(), wait: z.boolean() });

/** The library's own parts, with two verbs more. */
const library = workerPorts();
setWorkerPorts({
  ...library,
  async verb(object, call): Promise<VerbAnswer> {
    if (call.verb !== 'touch' && call.verb !== 'turn') return library.verb(object, call);
    if (call.verb === 'touch') return { ok: true, body: await touch(object) };
    const { number, times, wait } = asked.parse(call.input);
    let outcome = 'none';
    for (let time = 0; time < times; time++) outcome = await turn(object, number, wait);
    return { ok: true, body: outcome };
  },
});

export class Fan extends AgentObject.of(fan) {
  constructor(ctx: DurableObjectState, env: Env) {
    observe(ctx, 'Fan');
    super(ctx, env);
  }
}

export class Kid extends AgentObject.of(kid) {
  constructor(ctx: DurableObjectState, env: Env) {
    observe(ctx, 'Kid');
    super(ctx, env);
  }
}

export class Talker extends AgentObject.of(talker) {
  constructor(ctx: DurableObjectState, env: Env) {
    observe(ctx, 'Talker');
    super(ctx, env);
  }
}

export class Keeper extends AgentObject.of(keeper) {
  constructor(ctx: DurableObjectState, env: Env) {
    observe(ctx, 'Keeper');
    super(ctx, env);
  }
}

export class Helper extends AgentObject.of(helper) {
  constructor(ctx: DurableObjectState, env: Env) {
    observe(ctx, 'Helper');
    super(ctx, env);
  }
}

export class Guest extends AgentObject.of(guest) {
  constructor(ctx: DurableObjectState, env: Env) {
    observe(ctx, 'Guest');
    super(ctx, env);
  }
}

export class Lobby extends AgentObject.of(lobby) {
  constructor(ctx: DurableObjectState, env: Env) {
    observe(ctx, 'Lobby');
    super(ctx, env);
  }
}

export class Team extends AgentObject.of(team) {}
export class Queue extends AgentObject.of(queue) {}
export class Host extends AgentObject.of(host) {}
export class Inn extends AgentObject.of(inn) {}
export class Dormitory extends AgentObject.of(dormitory) {}
export class Sleeper extends AgentObject.of(sleeper) {}

interface BenchEnv {
  readonly FAN: DurableObjectNamespace<Fan>;
  readonly QUEUE: DurableObjectNamespace<Queue>;
  readonly TALKER: DurableObjectNamespace<Talker>;
  readonly KEEPER: DurableObjectNamespace<Keeper>;
  readonly DORMITORY: DurableObjectNamespace<Dormitory>;
  readonly HOST: DurableObjectNamespace<Host>;
  readonly INN: DurableObjectNamespace<Inn>;
  readonly LOBBY: DurableObjectNamespace<Lobby>;
  readonly BARE: DurableObjectNamespace<BareFan>;
  readonly SDK: DurableObjectNamespace<SdkFan>;
}

/** What the stub of a root is, to this Worker. */
interface Root {
  offshoot(call: { kind: 'verb'; path: []; verb: string; input: z.input<typeof asked> }): Promise<VerbAnswer>;
}

const ROOTS: ReadonlyMap<string, 'FAN' | 'QUEUE' | 'TALKER' | 'KEEPER' | 'DORMITORY' | 'INN' | 'HOST' | 'LOBBY'> =
  new Map([
    ['fan', 'FAN'],
    ['queue', 'QUEUE'],
    ['talker', 'TALKER'],
    ['keeper', 'KEEPER'],
    ['dormitory', 'DORMITORY'],
    ['inn', 'INN'],
    ['host', 'HOST'],
    ['lobby', 'LOBBY'],
  ]);

/**
 * `/fan?name=a&number=100` is a turn; `times`, `wait=no` and `verb=touch` change it. `/bare`, `/again`, `/hold` and `/sdk`
 * are floors. `--beside` asks the Workers of earlier commits by the same paths, so their meaning stays.
 */
async function answer(url: URL, env: BenchEnv): Promise<unknown> {
  const what = url.pathname.slice(1);
  const parameter = (name: string, value: number): number => Number(url.searchParams.get(name) ?? value);
  const name = url.searchParams.get('name') ?? 'one';
  if (what === 'count') return startCounting();
  if (what === 'facts')
    return { rows: rowCounts(), made: objectsMade(), hanging: hanging.calls, waiting: waiting.calls };
  const bare = env.BARE.getByName(name);
  if (what === 'bare') {
    const width = parameter('number', 1);
    return bare.fan(parameter('first', 0), width, parameter('rows', 14), parameter('atOnce', width));
  }
  if (what === 'sdk') {
    return env.SDK.getByName(name).fan(parameter('first', 0), parameter('number', 1), parameter('rows', 14));
  }
  if (what === 'hold') return bare.hold(parameter('number', 1));
  if (what === 'again') return bare.again(parameter('times', 1), parameter('rows', 14));
  const root = ROOTS.get(what);
  if (root === undefined) return 'ready';
  const input = {
    number: parameter('number', 1),
    times: parameter('times', 1),
    wait: url.searchParams.get('wait') !== 'no',
  };
  const stub = env[root].getByName(name) as unknown as Root;
  return stub.offshoot({ kind: 'verb', path: [], verb: url.searchParams.get('verb') ?? 'turn', input });
}

const worker = createWorker({ agents: [Team, Helper] });

export default {
  async fetch(request: Request, env: BenchEnv, context: object): Promise<Response> {
    const url = new URL(request.url);
    if (url.pathname.startsWith('/agents/')) return worker.fetch(request, env, context);
    return Response.json((await answer(url, env)) ?? null);
  },
};
