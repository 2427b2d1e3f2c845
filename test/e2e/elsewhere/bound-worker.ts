/** A Worker of another team that has bound the first one's agents: by its own code, and as sub-agents of its own agent. */
import { z } from 'zod';
import { createRemoteSubAgentTool, defineAgent } from '../../../src/index';
import { scriptedModel } from '../../../src/model/scripted';
import { ServiceBindingTransport } from '../../../src/remote';
import { remoteConformance } from '../../../src/testing/remote-conformance';
import {
  AgentObject,
  createWorker,
  OffshootDirectory,
  type OffshootRpc,
  routeOffshootRequest,
} from '../../../src/worker';
import { asks, stepOf, told } from '../../support/told';

interface Bound {
  readonly AGENTS: Service<OffshootRpc>;
  /** The same Worker, by its routes. */
  readonly OTHER: Fetcher;
}

/** A binding behind which nobody answers. */
const NOBODY = new Proxy({}, { get: () => () => Promise.reject(new Error('Nobody is there.')) });
/** Whether the way to the other Worker is cut. */
let isCut = false;

const transportOf = (env: object) =>
  new ServiceBindingTransport({ binding: isCut ? NOBODY : Reflect.get(env, 'AGENTS') });

const helper = createRemoteSubAgentTool('helper', {
  description: 'Helps, in the Worker of another team.',
  inputSchema: z.object({ steps: z.array(z.unknown()) }),
  transport: transportOf,
  remoteAgentType: 'helper',
});

const boss = defineAgent({
  name: 'boss',
  systemPrompt: 'Do what you are told.',
  model: scriptedModel((request) => stepOf(request), { record: false }),
  tools: [helper],
});

export class Boss extends AgentObject.of(boss) {}
export { OffshootDirectory };

const offshoot = createWorker({ agents: [Boss] });

const look = asks(['look', { text: 'x' }]);
const input = (...steps: object[]) => ({ input: JSON.parse(told(...steps)) });

/** What a program of this team does with the binding: each verb by its name, on behalf of one of its users. */
async function direct({ AGENTS }: Bound): Promise<object> {
  const at = `/agents/helper/${crypto.randomUUID()}`;
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const caller = { subject: 'ann of the other team', traceparent };
  const late = await AGENTS.start(at, input(look), { ...caller, deadline: 1 });
  const nobody = await AGENTS.status(at);
  const started = await AGENTS.start(at, { ...input(look), wait: true }, { ...caller, idempotencyKey: 'one' });
  const again = await AGENTS.start(at, { ...input(look), wait: true }, { ...caller, idempotencyKey: 'one' });
  const stream = await AGENTS.stream(at, { from: 1 }, caller);
  const log = stream.ok ? await new Response(stream.bytes).text() : '';
  const [status, audit, runs] = [await AGENTS.status(at), await AGENTS.audit(at), await AGENTS.runs(at)];
  const removed = await AGENTS.remove(at, {}, caller);
  return { late, nobody, started, again, log, status, audit, runs, removed };
}

/** Each case of the kit, with why it failed. */
async function conformance(env: object): Promise<object> {
  const cases = remoteConformance({
    transport: transportOf(env),
    addressClass: 'helper',
    completes: input(look),
    waits: { start: input(look, asks(['pick', { of: ['x', 'y'] }])), result: { picked: 'x' } },
  });
  const results: { name: string; failed: string | null }[] = [];
  for (const { name, run } of cases) {
    const failed = await run().then(
      () => null,
      (error: unknown) => String(error),
    );
    results.push({ name, failed });
  }
  return results;
}

export default {
  async fetch(request: Request, env: Bound, context: ExecutionContext): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === '/direct') return Response.json(await direct(env));
    if (pathname === '/cut' || pathname === '/mend') {
      isCut = pathname === '/cut';
      return Response.json({ isCut });
    }
    if (pathname === '/begun') return env.OTHER.fetch(new Request('http://localhost/directory/roots?limit=500'));
    if (pathname === '/conformance') return Response.json(await conformance(env));
    const answer = await routeOffshootRequest(request, env, context, offshoot);
    return answer ?? new Response('Nothing here.', { status: 404 });
  },
};
