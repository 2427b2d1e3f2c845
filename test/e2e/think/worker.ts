/** A Worker in which agents of the SDK (`Think`) and of this library have each other as sub-agents. */
import { Think } from '@cloudflare/think';
import { agentTool } from 'agents/agent-tools';
import { z } from 'zod';
import { createRemoteSubAgentTool, defineAgent, defineTool } from '../../../src/index';
import { scriptedModel } from '../../../src/model/scripted';
import { AgentToolTransport, ObjectTransport, type RemoteAgentTransport, RemoteError } from '../../../src/remote';
import {
  AgentObject,
  AgentToolObject,
  createWorker,
  OffshootDirectory,
  routeOffshootRequest,
} from '../../../src/worker';
import { stepOf } from '../../support/told';

const script = z.object({ steps: z.array(z.unknown()) });
const model = scriptedModel((request) => stepOf(request), { record: false });
const systemPrompt = 'Do what you are told.';
/** The same, where nobody but the prompt says which step it is. */
const stock = scriptedModel(
  (request) => {
    const roles = request.prompt.map(({ role }) => role);
    const step = roles.slice(roles.lastIndexOf('user')).filter((role) => role === 'assistant').length + 1;
    return stepOf({ ...request, step });
  },
  { record: false },
);

/** Takes its time, so that there is time for a crash, or until it is told to stop. */
const nap = defineTool({
  name: 'nap',
  description: 'Takes a moment.',
  inputSchema: z.object({ ms: z.number() }),
  replay: 'safe',
  execute: async ({ ms }, { abortSignal }) => {
    await scheduler.wait(ms, { signal: abortSignal });
    return 'rested';
  },
});
const pick = defineTool({
  name: 'pick',
  description: 'A person picks one.',
  inputSchema: z.object({ of: z.array(z.string()) }),
  execute: 'client',
});

const finder = defineAgent({
  name: 'finder',
  systemPrompt,
  model,
  tools: [nap, pick],
  inputSchema: script,
  limits: { maxToolReplays: 100 },
});
export class Finder extends AgentObject.of(finder) {}

/** The same, as a tool of agents of the SDK. */
export class Research extends AgentToolObject.of({
  remoteAgentType: 'finder',
  transport: (env: object) => new ObjectTransport({ namespace: Reflect.get(env, 'FINDER') }),
}) {}

/** What was lost on the way once. */
const lost = new Set<string>();

/** The same, by a way on which the answer to each start is lost once, and the first request of each stop. */
export class Unsteady extends AgentToolObject.of({
  remoteAgentType: 'finder',
  transport: (env: object): RemoteAgentTransport => {
    const way = new ObjectTransport({ namespace: Reflect.get(env, 'FINDER') });
    return {
      label: 'unsteady',
      stream: (request) => way.stream(request),
      async call(request) {
        const what = `${request.verb} ${request.agent.name}`;
        const isLost = request.verb !== 'status' && !lost.has(what);
        lost.add(what);
        if (isLost && request.verb === 'start') await way.call(request);
        if (isLost) throw new RemoteError('remote_unreachable', 'It was lost on the way.');
        return way.call(request);
      },
    };
  },
}) {}
/** Who has heard of the end of each stop's first request. */
const stopped = new Map<string, PromiseWithResolvers<void>>();
function stopOf(name: string): PromiseWithResolvers<void> {
  const known = stopped.get(name) ?? Promise.withResolvers<void>();
  stopped.set(name, known);
  return known;
}

/** The same, by a way on which a start comes after the first stop of its run was answered. */
export class Late extends AgentToolObject.of({
  remoteAgentType: 'finder',
  transport: (env: object): RemoteAgentTransport => {
    const way = new ObjectTransport({ namespace: Reflect.get(env, 'FINDER') });
    return {
      label: 'late',
      stream: (request) => way.stream(request),
      async call(request) {
        const stop = stopOf(request.agent.name);
        if (request.verb === 'start') await stop.promise;
        const answer = await way.call(request);
        if (request.verb === 'abort') stop.resolve();
        return answer;
      },
    };
  },
}) {}
const ways = { Research, Unsteady, Late };

/** A stock agent of the SDK whose sub-agent is one of this library. */
export class Assistant extends Think {
  override getModel() {
    return stock;
  }
  override getSystemPrompt(): string {
    return systemPrompt;
  }
  override getTools() {
    return { research: agentTool(Research, { description: 'Researches.', inputSchema: script }) };
  }

  readonly #heard: string[] = [];

  override async onProgress(_run: unknown, { message }: { readonly message?: string }): Promise<void> {
    this.#heard.push(message ?? '');
  }

  /** What it was told of the progress of its sub-agents. */
  async heard(): Promise<string> {
    return JSON.stringify(this.#heard);
  }

  /** Its model is told something; gives what it said and called. */
  async say(text: string): Promise<string> {
    await this.saveMessages([{ id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text }] }]);
    return JSON.stringify(this.messages.at(-1)?.parts);
  }

  /** Runs one by its id, without its model. */
  async research(runId: string, steps: unknown, way: keyof typeof ways = 'Research'): Promise<string> {
    return JSON.stringify(await this.runAgentTool(ways[way], { input: { steps }, runId }));
  }

  async cancel(runId: string): Promise<string> {
    await this.cancelAgentTool(runId, 'The test asked.');
    return JSON.stringify({ cancelled: runId });
  }

  /** How one stands, and what it has said. */
  async look(runId: string): Promise<string> {
    const child = await this.subAgent(Research, runId);
    const run = await child.inspectAgentToolRun(runId);
    return JSON.stringify({ run, chunks: await child.getAgentToolChunks(runId) });
  }

  /** What this agent has kept of its runs. */
  async kept(): Promise<string> {
    return JSON.stringify(this.sql`SELECT run_id, status, summary FROM cf_agent_tool_runs ORDER BY started_at`);
  }
}

/** A stock agent of the SDK that works for one of this library. */
export class Scout extends Think {
  override getModel() {
    return stock;
  }
  override getSystemPrompt(): string {
    return systemPrompt;
  }
  override getTools() {
    return {
      look: {
        description: 'Looks something up.',
        inputSchema: z.object({ ms: z.number() }),
        execute: async ({ ms }: { ms: number }, { abortSignal }: { abortSignal?: AbortSignal }) => {
          await scheduler.wait(ms, abortSignal ? { signal: abortSignal } : {});
          return 'seen';
        },
      },
    };
  }
}

const scout = createRemoteSubAgentTool('scout', {
  description: 'Scouts, by an agent of the SDK.',
  inputSchema: script,
  remoteAgentType: 'scout',
  transport: (env: object) => new AgentToolTransport({ namespace: Reflect.get(env, 'SCOUT') }),
});
const boss = defineAgent({ name: 'boss', systemPrompt, model, tools: [scout] });
export class Boss extends AgentObject.of(boss) {}
export { OffshootDirectory };

const offshoot = createWorker({ agents: [Boss, Finder] });

interface Assists {
  getByName(name: string): Record<string, (...given: unknown[]) => Promise<string>>;
}

export default {
  async fetch(request: Request, env: object, context: ExecutionContext): Promise<Response> {
    const [, where, name = '', method = ''] = new URL(request.url).pathname.split('/');
    if (where === 'assistant') {
      const assistants: Assists = Reflect.get(env, 'ASSISTANT');
      const given: unknown[] = await request.json();
      return new Response(await assistants.getByName(name)[method]?.(...given));
    }
    if (where === 'late') return Response.json([...stopped.keys()]);
    const answer = await routeOffshootRequest(request, env as Env, context, offshoot);
    return answer ?? new Response('Nothing here.', { status: 404 });
  },
};
