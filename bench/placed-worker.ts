/** The Worker of the placements: one child, and a parent for each place where it may live, beside a bare facet. */
import { createSubAgentTool } from '../src/core/definition/children/relationship';
import { createRemoteSubAgentTool } from '../src/index';
import { HttpRemoteAgentTransport, ServiceBindingTransport } from '../src/remote';
import { AgentObject, createWorker, OffshootDirectory, OffshootRpc } from '../src/worker';
import { helper, wide } from './agents';
import type { BareFan } from './floor';
import { task, teamOf } from './streaming';

export { BareFan, BareKid } from './floor';
export { OffshootDirectory, OffshootRpc };

interface PlacedEnv {
  readonly BARE: DurableObjectNamespace<BareFan>;
  /** This Worker, as another one binds it. */
  readonly RPC: object;
  /** Where another server has the same agents. */
  readonly THERE?: string;
}

const elsewhere = { description: 'Helps, elsewhere.', inputSchema: task, remoteAgentType: 'helper' } as const;

export class Helper extends AgentObject.of(helper) {}
export class Facet extends AgentObject.of(teamOf(createSubAgentTool(helper, task), wide, 'facet')) {}
export class Apart extends AgentObject.of(
  teamOf(createSubAgentTool(helper, task, { placement: 'object' }), wide, 'apart'),
) {}
export class Bound extends AgentObject.of(
  teamOf(
    createRemoteSubAgentTool('helper', {
      ...elsewhere,
      transport: ({ RPC }: PlacedEnv) => new ServiceBindingTransport({ binding: RPC }),
    }),
    wide,
    'bound',
  ),
) {}
export class Http extends AgentObject.of(
  teamOf(
    createRemoteSubAgentTool('helper', {
      ...elsewhere,
      transport: ({ THERE = '' }: PlacedEnv) => new HttpRemoteAgentTransport({ url: THERE, allowLoopback: true }),
    }),
    wide,
    'http',
  ),
) {}

const worker = createWorker({ agents: [Facet, Apart, Bound, Http, Helper] });

/** `/bare?name=a&number=1&rows=14` is the floor. */
export default {
  async fetch(request: Request, env: PlacedEnv, context: object): Promise<Response> {
    const url = new URL(request.url);
    if (url.pathname !== '/bare') return worker.fetch(request, env, context);
    const number = (name: string): number => Number(url.searchParams.get(name));
    const bare = env.BARE.getByName(String(url.searchParams.get('name')));
    return Response.json(await bare.fan(0, number('number'), number('rows'), number('number')));
  },
};
