/**
 * Types of definitions. Nothing of `inferred` and `mistakes` ever runs: `npm run check` compiles both, and
 * `compiled.test.ts` compiles the mistakes without their marks and reads the complaints.
 */
import { createOpenAI } from '@ai-sdk/openai';
import { tool } from 'ai';
import {
  type AgentDefinition,
  type ApprovalContext,
  createSubAgentTool,
  defineAgent,
  defineTool,
  type EnvOf,
  type InitialStateOf,
  type InputOf,
  type Json,
  type OutputOf,
  type StateOf,
  scriptedModel,
  type ToolContext,
} from 'offshoot';
import { createTestRuntime } from 'offshoot/testing';
import type { AgentObject, OffshootRpc, RpcJson, serve, WorkerOptions } from 'offshoot/worker';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';

const model = scriptedModel([]);
const about = { name: 'x', description: 'Works.', inputSchema: z.object({ q: z.string() }) };
const kinds = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({ kind: z.literal('sum'), sum: z.number() }),
]);
const count = z.object({ count: z.number().default(0) });

const plain = defineTool({ ...about, execute: ({ q }) => q.length });
const counting = defineTool({
  ...about,
  name: 'counting',
  execute: ({ q }, context: ToolContext<{ count: number }, { KEY: string }>) => context.getState().count + q.length,
  requireApproval: ({ q }, { state, env }) => q === env.KEY && state.count > 1,
});
/** The approval stands before the body, which names what it needs of its agent. */
const approvedFirst = defineTool({
  ...about,
  name: 'approved_first',
  requireApproval: (input, context) => {
    expectTypeOf(input).toEqualTypeOf<{ q: string }>();
    expectTypeOf(context.agent.address).toEqualTypeOf<string>();
    expectTypeOf(context.env).toEqualTypeOf<Cloudflare.Env>();
    return input.q.length > 2;
  },
  execute: ({ q }, context: ToolContext<{ count: number }, { KEY: string }>) => context.getState().count + q.length,
});
/** The approval alone names what it needs. */
const approvedAlone = defineTool({
  ...about,
  name: 'approved_alone',
  requireApproval: async ({ q }, { state }: ApprovalContext<{ count: number }>) => q.length > state.count,
  execute: async ({ q }) => q.length,
});
const asker = defineAgent({
  name: 'asker',
  systemPrompt: ({ state }) => `Asked ${state.count.toFixed()} times.`,
  model,
  tools: [plain, counting, defineTool({ ...about, name: 'inline', execute: (_, { env }) => typeof env.LIBRARY })],
  inputSchema: z.object({ q: z.string().transform(Number), times: z.number().default(1) }),
  outputSchema: kinds,
  stateSchema: count,
});

/** What is inferred. */
function inferred() {
  const approvalsBeforeTheirBodies = () => {
    expectTypeOf<StateOf<typeof approvedFirst>>().toEqualTypeOf<{ count: number }>();
    expectTypeOf<EnvOf<typeof approvedFirst>['KEY']>().toEqualTypeOf<string>();
    expectTypeOf<StateOf<typeof approvedAlone>>().toEqualTypeOf<{ count: number }>();
    expectTypeOf<OutputOf<typeof approvedAlone>>().toEqualTypeOf<number>();
  };

  const throughTransformsDefaultsAndUnions = () => {
    expectTypeOf<InputOf<typeof asker>>().toEqualTypeOf<{ q: string; times?: number | undefined }>();
    expectTypeOf<OutputOf<typeof asker>>().toEqualTypeOf<
      { kind: 'text'; text: string } | { kind: 'sum'; sum: number }
    >();
    expectTypeOf<StateOf<typeof asker>>().toEqualTypeOf<{ count: number }>();
    expectTypeOf<InitialStateOf<typeof asker>>().toEqualTypeOf<{ count?: number | undefined }>();
    expectTypeOf<EnvOf<typeof asker>['KEY']>().toEqualTypeOf<string>();
  };

  const whatIsWrittenAsJsonAndReadAgain = () => {
    const dated = defineAgent({
      name: 'dated',
      systemPrompt: 'Work.',
      model,
      outputSchema: z.object({ at: z.iso.datetime().pipe(z.coerce.date()) }),
    });
    expectTypeOf<OutputOf<typeof dated>>().toEqualTypeOf<{ at: string }>();
  };

  const withoutSchemas = () => {
    const bare = defineAgent({ name: 'bare', systemPrompt: 'Work.', model });
    expectTypeOf<OutputOf<typeof bare>>().toEqualTypeOf<string>();
    expectTypeOf<InputOf<typeof bare>>().toEqualTypeOf<Json>();
    const ends = defineTool({
      ...about,
      finishWith: true,
      outputSchema: kinds,
      execute: () => ({ kind: 'sum', sum: 1 }),
    });
    const ended = defineAgent({ name: 'ended', systemPrompt: 'Work.', model, tools: [plain, ends] });
    expectTypeOf<{ kind: 'sum'; sum: 1 }>().toExtend<OutputOf<typeof ended>>();
    expectTypeOf<string>().toExtend<OutputOf<typeof ended>>();
  };

  const whatABodyGivesAtOnceLaterOrByAPromiseOfItsOwn = () => {
    defineTool({ ...about, outputSchema: kinds, execute: ({ q }) => ({ kind: 'text', text: q }) });
    defineTool({ ...about, outputSchema: kinds, execute: async ({ q }) => ({ kind: 'text', text: q }) });
    defineTool({ ...about, execute: () => new Promise((resolve) => resolve('later')) });
    defineTool({ ...about, outputSchema: kinds, execute: 'client' });
    defineTool({ ...about, outputSchema: z.object({ n: z.string().transform(Number) }), execute: () => ({ n: '1' }) });
  };

  const anAgentAsAToolByItsOwnSchemaOrByOneThatMapsOntoIt = () => {
    expectTypeOf<OutputOf<ReturnType<typeof asTool>>>().toEqualTypeOf<OutputOf<typeof asker>>();
    const asTool = () => createSubAgentTool(asker, { timeoutMs: 5 });
    createSubAgentTool(
      asker,
      z.object({ word: z.string() }).transform(({ word }) => ({ q: word })),
      { name: 'word' },
    );
  };

  const anAgentThatNamesItself = () => {
    const solver: AgentDefinition<{ input: { q: string }; output: string }> = defineAgent({
      name: 'solver',
      systemPrompt: 'Work.',
      model,
      inputSchema: about.inputSchema,
      outputSchema: z.string(),
      tools: [createSubAgentTool(() => solver, { name: 'solver' })],
    });
    expectTypeOf<OutputOf<typeof solver>>().toEqualTypeOf<string>();
    const untyped: AgentDefinition[] = [solver, asker];
    createSubAgentTool(() => untyped[0] ?? solver, { name: 'any' });
  };

  const toolsOfTheAiSdkBesideOurs = () => {
    const mixed = defineAgent({
      name: 'mixed',
      systemPrompt: 'Work.',
      model,
      stateSchema: count,
      tools: { counting, theirs: tool({ inputSchema: about.inputSchema, execute: ({ q }) => q.length }) },
    });
    expectTypeOf<EnvOf<typeof mixed>['KEY']>().toEqualTypeOf<string>();
  };

  const hooksAndModelsOfTheEnvironment = () => {
    defineAgent({
      name: 'x',
      systemPrompt: 'Work.',
      model: async (env) => (env.LIBRARY ? model : scriptedModel([])),
      inputSchema: asker.inputSchema ?? z.any(),
      outputSchema: kinds,
      stateSchema: count,
      hooks: {
        onAgentComplete: ({ output }, { getState }) => `${output.kind} ${getState().count.toFixed()}`,
        onStepStart: { run: (_, { env }) => env.LIBRARY, failRun: true },
      },
    });
  };

  const anObjectWithTheTypesOfTheSdk = (Made: typeof AgentObject) => {
    const library = defineTool({ ...about, execute: (_, { env }) => typeof env.LIBRARY });
    class Bound extends Made.of(defineAgent({ name: 'bound', systemPrompt: 'Work.', model, tools: [library] }))<
      Cloudflare.Env & { KEY: string },
      { open: boolean }
    > {
      say() {
        return this.state.open ? this.env.KEY : '';
      }
    }
    expectTypeOf(Bound.definition.name).toEqualTypeOf<string>();
  };

  const aRunInATest = async () => {
    const runtime = createTestRuntime({ agents: [asker], env: { KEY: 'k' } });
    const run = await runtime.execute(asker, { input: { q: '1' }, state: {} });
    const result = await run.result();
    if (result.status === 'completed') expectTypeOf(result.output).toEqualTypeOf<OutputOf<typeof asker>>();
    expectTypeOf(run.state()).toEqualTypeOf<{ count: number }>();
  };

  const aBindingOfAnotherWorker = async (bound: Service<OffshootRpc<typeof asker>>, any: Service<OffshootRpc>) => {
    const root = { agent: 'asker', name: 'q1' };
    const started = await bound.start(root, { input: { q: '1' }, state: {}, wait: true });
    if (started.ok && 'pending' in started.body)
      expectTypeOf(started.body.run?.output).toEqualTypeOf<OutputOf<typeof asker> | undefined>();
    const status = await bound.status(root);
    if (status.ok) expectTypeOf(status.body.run?.output).toEqualTypeOf<OutputOf<typeof asker> | undefined>();
    const runs = await bound.runs(root, { limit: 1 });
    if (runs.ok) expectTypeOf(runs.body.items[0]?.output).toEqualTypeOf<OutputOf<typeof asker> | undefined>();
    const state = await bound.state(root);
    if (state.ok) expectTypeOf(state.body.state).toEqualTypeOf<{ count: number }>();
    await any.start('/agents/asker/q1/sub/leaf/1', { input: { whatever: 1 } });
    const anyState = await any.state('/agents/asker/q1');
    if (anyState.ok) expectTypeOf(anyState.body.state).toEqualTypeOf<RpcJson>();
    const file = await any.readFile('/agents/asker/q1', { path: 'a' });
    if (file.ok) expectTypeOf(file.bytes).toExtend<ReadableStream>();
    await any.writeFile('/agents/asker/q1', { path: 'a' }, new ArrayBuffer(1));
  };
  return [
    aBindingOfAnotherWorker,
    throughTransformsDefaultsAndUnions,
    whatIsWrittenAsJsonAndReadAgain,
    withoutSchemas,
    whatABodyGivesAtOnceLaterOrByAPromiseOfItsOwn,
    anAgentAsAToolByItsOwnSchemaOrByOneThatMapsOntoIt,
    anAgentThatNamesItself,
    approvalsBeforeTheirBodies,
    toolsOfTheAiSdkBesideOurs,
    hooksAndModelsOfTheEnvironment,
    anObjectWithTheTypesOfTheSdk,
    aRunInATest,
  ];
}

/** What is refused: behind each mark stands what the complaint says. */
async function mistakes() {
  const done = { ...about, finishWith: true } as const;
  const agent = { name: 'x', systemPrompt: 'Work.', model };
  const ok = z.object({ ok: z.boolean() });

  // @ts-expect-error Type 'string' is not assignable to type 'boolean'
  defineTool({ ...about, outputSchema: ok, execute: () => ({ ok: 'no boolean at all' }) });
  // @ts-expect-error Promise<{ ok: string; }>' is not assignable to type 'Result<{ ok: boolean; }>
  defineTool({ ...about, outputSchema: ok, execute: async ({ q }) => ({ ok: q }) });
  // @ts-expect-error 'finishWth' does not exist
  defineTool({ ...about, execute: () => 1, finishWth: true });
  // @ts-expect-error The output of this schema does not fit the `inputSchema` of the sub-agent.
  createSubAgentTool(asker, z.object({ totally: z.number() }));
  // @ts-expect-error This agent has no `inputSchema`: add one
  createSubAgentTool(defineAgent(agent));
  // @ts-expect-error Type 'number' is not assignable to type 'never'
  createSubAgentTool(asker, { budget: { maxSteps: 1, maxCost: 2 } });
  // @ts-expect-error Did you mean to write 'timeoutMs'?
  createSubAgentTool(asker, { timeout: 5 });
  // @ts-expect-error 'not' does not exist in type 'ModelSource
  defineAgent({ name: 'x', systemPrompt: 'Work.', model: { not: 'a model' } });
  // @ts-expect-error Type 'string' is not assignable to type 'ModelSource
  defineAgent({ name: 'x', systemPrompt: 'Work.', model: 'openai/gpt-5' });
  // @ts-expect-error Type '() => number' is not assignable to type 'ModelSource
  defineAgent({ name: 'x', systemPrompt: 'Work.', model: () => 42 });
  // @ts-expect-error This tool needs a custom state that the `stateSchema` of the agent does not have.
  defineAgent({ ...agent, tools: [plain, counting], stateSchema: z.object({ text: z.string() }) });
  // @ts-expect-error This tool needs a custom state
  defineAgent({ ...agent, tools: [approvedAlone] });
  // @ts-expect-error This tool needs a custom state
  defineAgent({ ...agent, tools: [counting] });
  // @ts-expect-error The `stateSchema` must accept its own output
  defineAgent({ ...agent, stateSchema: z.object({ at: z.string().transform(Number) }) });
  // @ts-expect-error The result of this `finishWith` tool does not fit the `outputSchema` of the agent.
  defineAgent({ ...agent, tools: [defineTool({ ...done, execute: () => 'text' })], outputSchema: ok });
  // @ts-expect-error Did you mean to write 'stopWhen'?
  defineAgent({ ...agent, stopWhn: () => true });
  // @ts-expect-error Property 'total' does not exist on type '{ count: number; }'
  defineAgent({ ...agent, stateSchema: count, systemPrompt: ({ state }) => state.total });
  // @ts-expect-error Property 'text' does not exist
  defineAgent({ ...agent, outputSchema: ok, hooks: { onAgentComplete: ({ output }) => output.text } });

  const runtime = createTestRuntime({ agents: [asker] });
  // @ts-expect-error 'wrong' does not exist in type '{ q: string; times?: number | undefined; }'
  const run = await runtime.execute(asker, { input: { wrong: 1 } });
  // @ts-expect-error Property 'total' does not exist on type '{ count: number; }'
  run.state().total;
  // @ts-expect-error 'KYE' does not exist
  createTestRuntime({ agents: [asker], env: { KYE: 'k' } });
  const bound = (): Service<OffshootRpc<typeof asker>> => Object.create(null);
  // @ts-expect-error 'wrong' does not exist in type '{ q: string; times?: number | undefined; }'
  await bound().start({ agent: 'asker', name: 'q1' }, { input: { wrong: 1 } });
  // @ts-expect-error Type 'string' is not assignable to type 'number'
  await bound().start({ agent: 'asker', name: 'q1' }, { message: '', state: { count: 'two' } });
  // @ts-expect-error '{ agent: string; name: string; }[]' is not assignable to type 'never'
  await bound().state({ agent: 'asker', name: 'q1', sub: [{ agent: 'leaf', name: '1' }] });
  // @ts-expect-error Type 'string' is not assignable to type 'RpcLevel'
  await bound().state('/agents/asker/q1');
  const bare = (): typeof AgentObject => Object.create(null);
  // @ts-expect-error needs a binding or a variable that this Worker does not have.
  bare().of(asker);
  const served = (): typeof serve => Object.create(null);
  // @ts-expect-error needs a binding or a variable that this Worker does not have.
  served()([asker]);
  // @ts-expect-error 'number' is not assignable to type 'ServedAgent
  served()([3]);
  // @ts-expect-error This tool needs a custom state
  defineAgent({ ...agent, tools: { counting } });
  defineAgent({ ...agent, tools: { search: createOpenAI().tools.webSearch({}) } });
  // @ts-expect-error A model provider only describes this tool, and the agent would have to run it
  defineAgent({ ...agent, tools: { patch: createOpenAI().tools.applyPatch({}) } });
  // @ts-expect-error 'undefined' is not assignable to type 'AgentDefinition
  const options: WorkerOptions = { agents: [bare()] };
  return options;
}

void inferred;
void mistakes;
