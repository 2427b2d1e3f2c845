/** Agents that wait in several ways, and which objects have been made in memory so far, by the name of the root and the class. */
import { z } from 'zod';
import { createSubAgentTool, defineAgent, defineTool, OffshootError } from '../../../src/index';
import { scriptedModel } from '../../../src/model/scripted';
import { AgentObject, createWorker, OffshootDirectory } from '../../../src/worker';
import { stepOf } from '../../support/told';

const systemPrompt = 'Do what you are told.';
const model = scriptedModel(
  (request) => {
    const step = stepOf(request);
    if (step.fail?.code === 'model_rate_limited')
      throw new OffshootError('model_rate_limited', 'Later.', { retryAfterMs: 3_600_000 });
    return step;
  },
  { record: false },
);
const ask = (name: string, answerWithinMs: number) =>
  defineTool({
    name,
    description: 'A person picks one.',
    inputSchema: z.object({}),
    execute: 'client',
    answerWithinMs,
  });
const limits = { modelRetryAfterMs: 7_200_000, modelPatienceMs: 86_400_000 };
const tools = [ask('pick', 86_400_000), ask('hurry', 2_000)];
const script = z.object({ steps: z.array(z.unknown()) });

const leaf = defineAgent({ name: 'leaf', systemPrompt, model, tools, limits });
const alone = defineAgent({ name: 'alone', systemPrompt, model, tools, limits });
const top = defineAgent({
  name: 'top',
  systemPrompt,
  model,
  limits,
  tools: [...tools, createSubAgentTool(leaf, script), createSubAgentTool(alone, script, { placement: 'object' })],
});

const made: Record<string, number> = {};

/** Counts the lives of an object. */
function born(className: string, id: DurableObjectId): void {
  const key = `${className} ${String(id)}`;
  made[key] = (made[key] ?? 0) + 1;
}

export class Leaf extends AgentObject.of(leaf) {
  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    born('leaf', ctx.id);
  }
}
export class Alone extends AgentObject.of(alone) {
  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    born('alone', ctx.id);
  }
}
export class Top extends AgentObject.of(top) {
  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    born('top', ctx.id);
  }
}
export { OffshootDirectory };

const worker = createWorker({ agents: [Top, Leaf, Alone] });

export default {
  fetch(request: Request, env: Cloudflare.Env, context: ExecutionContext): Response | Promise<Response> {
    if (new URL(request.url).pathname === '/made') return Response.json(made);
    return worker.fetch(request, env, context);
  },
};
