/**
 * Agents that do what their message says, for pages with `useChat`; a step waits at a gate until a page opens that. The
 * object of a root is reset where a page asks for it, as a deploy does.
 */
import { z } from 'zod';
import { agui } from '../../../src/agui';
import { chat } from '../../../src/chat';
import type { ObjectAnswer, ObjectCall } from '../../../src/engine/object/object-calls';
import { createSubAgentTool, defineAgent, defineTool } from '../../../src/index';
import { scriptedModel } from '../../../src/model/scripted';
import { AgentObject, createWorker, OffshootDirectory } from '../../../src/worker';
import { stepOf } from '../../support/told';

const opened = new Set<string>();
/** Between two looks at a gate, in ms. */
const LOOK_MS = 5;

async function passed(gate: string): Promise<void> {
  while (!opened.has(gate)) await scheduler.wait(LOOK_MS);
}

const model = scriptedModel(
  async (request) => {
    const { gate, ...step } = stepOf(request);
    if (gate !== undefined) await passed(gate);
    return step;
  },
  { record: false },
);
const systemPrompt = 'Do what you are told.';

const note = defineTool({
  name: 'note',
  description: 'Notes a text.',
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => `noted ${text}`,
});
const publish = defineTool({
  name: 'publish',
  description: 'Publishes a text.',
  inputSchema: z.object({ text: z.string() }),
  requireApproval: true,
  execute: ({ text }) => `published ${text}`,
});

const script = z.object({ steps: z.array(z.unknown()) });
const twig = defineAgent({ name: 'twig', systemPrompt, model, tools: [note, publish] });
const branch = defineAgent({ name: 'branch', systemPrompt, model, tools: [createSubAgentTool(twig, script)] });
const trunk = defineAgent({
  ...{ name: 'trunk', systemPrompt, model },
  tools: [note, publish, createSubAgentTool(branch, script)],
});

export class Twig extends AgentObject.of(twig) {}
export class Branch extends AgentObject.of(branch) {}
export class Trunk extends AgentObject.of(trunk) {
  #breaks = false;

  /** The next stream of its log ends within its first events, and with it the object. */
  breakLog(): void {
    this.#breaks = true;
  }

  override async offshoot<Call extends ObjectCall>(call: Call): Promise<ObjectAnswer<Call>> {
    const answer = await super.offshoot(call);
    if (!this.#breaks || call.kind !== 'verb' || call.verb !== 'stream') return answer;
    this.#breaks = false;
    const { bytes } = answer as { readonly bytes: ReadableStream<Uint8Array> };
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform: (piece, controller) => {
        controller.enqueue(piece.subarray(0, piece.length / 2));
        this.ctx.abort('The code of the object was replaced.');
      },
    });
    return { ...answer, bytes: bytes.pipeThrough(cut) };
  }

  /** Ends the object and all that it has in memory. */
  async reset(): Promise<void> {
    this.ctx.abort('The code of the object was replaced.');
  }
}
export { OffshootDirectory };

interface Bindings {
  readonly TRUNK: DurableObjectNamespace<Trunk>;
}

const worker = createWorker({ agents: [Trunk, Branch, Twig], doors: [chat(), agui()] });

export default {
  async fetch(request: Request, ...rest: [env: Bindings, context: ExecutionContext]) {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith('/reset/')) {
      // The call ends with the object.
      await rest[0].TRUNK.getByName(pathname.slice('/reset/'.length))
        .reset()
        .catch(() => undefined);
      return new Response(null, { status: 204 });
    }
    if (pathname.startsWith('/break/')) {
      await rest[0].TRUNK.getByName(pathname.slice('/break/'.length)).breakLog();
      return new Response(null, { status: 204 });
    }
    if (!pathname.startsWith('/open/')) return worker.fetch(request, ...rest);
    opened.add(decodeURIComponent(pathname.slice('/open/'.length)));
    return new Response(null, { status: 204 });
  },
};
