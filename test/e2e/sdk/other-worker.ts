/** A Worker of another team: it reaches the first one's agents by the SDK alone, and serves a tool over MCP. */
import { buildAgentPath, getAgentByName, getSubAgentByName, routeSubAgentRequest } from 'agents';
import { z } from 'zod';
import type { Shelf } from './home-worker';

interface Bindings {
  readonly SHELF: DurableObjectNamespace<Shelf>;
  readonly HOME: Fetcher;
}

/** What the SDK takes of a class that is in another Worker: its name. */
const named = { name: 'Shelf' };

const asked = z.object({ id: z.union([z.string(), z.number()]).optional(), method: z.string() });

/** The smallest server of MCP that a client takes: one tool, no session, one answer for each request. */
async function mcp(request: Request): Promise<Response> {
  if (request.method !== 'POST') return new Response(null, { status: 405 });
  const { id, method } = asked.parse(await request.json());
  if (id === undefined) return new Response(null, { status: 202 });
  const results: { readonly [method: string]: object } = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'facts', version: '1.0.0' },
    },
    'tools/list': { tools: [{ name: 'fact', description: 'Tells a fact.', inputSchema: { type: 'object' } }] },
    ping: {},
  };
  const result = results[method];
  const said = result ? { result } : { error: { code: -32_601, message: 'There is no such method.' } };
  return Response.json({ jsonrpc: '2.0', id, ...said });
}

/** What this team's program does with agents of the other one. */
async function reach(env: Bindings, name: string): Promise<object> {
  // The types of a class in another Worker are those of its stub.
  const byName = (parent: object, child: string): Promise<Pick<Shelf, 'keep' | 'kept'>> =>
    getSubAgentByName(parent as never, named as never, child) as never;
  const said = async (asked: () => Promise<string>): Promise<string> => asked().catch(String);
  const root = await getAgentByName(env.SHELF as never, name);
  const first = await byName(root, 'a');
  const second = await byName(first, 'b');
  const kept = [await said(() => first.keep('one')), await said(() => second.keep('two'))];
  const ghosts = [await byName(root, 'ghost'), await byName(first, 'ghost'), await byName(second, 'ghost')];
  const nobody: string[] = [];
  for (const ghost of ghosts) nobody.push(await said(() => ghost.kept()));
  return { kept, nobody };
}

export default {
  async fetch(request: Request, env: Bindings): Promise<Response> {
    const { pathname } = new URL(request.url);
    const [, where, name = '', ...rest] = pathname.split('/');
    if (where === 'mcp') return mcp(request);
    if (where === 'reach') return Response.json(await reach(env, name));
    if (where === 'mcp-of') {
      const tools = await env.SHELF.getByName(name).connectBelow(rest, new URL('/mcp', request.url).href);
      return Response.json(tools);
    }
    if (where === 'path') {
      const levels = [name, ...rest].map((each) => ({ className: 'Shelf', name: each }));
      return new Response(buildAgentPath(levels, { leafPath: '/tail' }));
    }
    if (where === 'route') {
      const root = await getAgentByName(env.SHELF as never, name);
      return routeSubAgentRequest(request, root as never, { fromPath: `/${rest.join('/')}` });
    }
    if (where === 'do') {
      const shelf = env.SHELF.getByName(name);
      const [does = '', ...given] = rest;
      if (does === 'make') await shelf.make(given);
      if (does === 'inside') return Response.json(await shelf.inside());
      return Response.json(null);
    }
    // Sub-agents of an author's making are reached at their root, past the routes of the tree.
    if (where === 'agents') return env.SHELF.getByName(rest[0] ?? '').fetch(request);
    return env.HOME.fetch(request);
  },
};
