/** Every type of the surface has a name that an app can write, and whatever is made of the package can be exported again. */
import { describe, expect, it } from 'vitest';
import * as client from '../../src/client';
import * as main from '../../src/index';
import * as models from '../../src/models';
import * as protocol from '../../src/protocol';
import * as testing from '../../src/testing';
import { declared, entries } from '../support/published';
import { unnamed } from '../support/surface';

/** What an app makes of the functions whose result depends on what they are given. */
const MADE = `
import { createClient } from 'offshoot/client';
import { createSubAgentTool, defineAgent, defineDualAgent, definePrompt, defineTool, modelFromEnv, routingScriptedModel, scriptedModel, type AgentHooks, type HookBody, type StopCondition } from 'offshoot';
import { defaultModel } from 'offshoot/models';
import { createTestRuntime } from 'offshoot/testing';
import { AgentObject, createWorker, OffshootDirectory, OffshootRpc, routeOffshootRequest } from 'offshoot/worker';
import * as z from 'zod';

export const model = scriptedModel([{ text: 'Done.' }]);
export const routed = routingScriptedModel({ planner: [{ text: 'Done.' }] });
export const chosen = modelFromEnv([]);
export const clock = defineTool({ name: 'time_in', description: 'Works.', inputSchema: z.object({ zone: z.string() }), execute: ({ zone }) => ({ zone }) });
export const ends = defineTool({ name: 'ends', description: 'Works.', inputSchema: z.object({}), finishWith: true, outputSchema: z.object({ ok: z.boolean() }), execute: async () => ({ ok: true }) });
export const keeper = defineAgent({ name: 'keeper', systemPrompt: 'Work.', model, tools: [clock], inputSchema: z.object({ zone: z.string() }), outputSchema: z.object({ time: z.string() }), stateSchema: z.object({ asked: z.number().default(0) }) });
export const bare = defineAgent({ name: 'bare', systemPrompt: 'Work.', model: defaultModel, tools: { ends, clock } });
export const asTool = createSubAgentTool(keeper);
export const mapped = createSubAgentTool(keeper, z.object({ where: z.string() }).transform(({ where }) => ({ zone: where })), { name: 'where' });
export const planner = defineAgent({ name: 'planner', systemPrompt: 'Work.', model, tools: [asTool, mapped, ends] });
export const drafting = definePrompt({ name: 'drafting', prompt: 'Work.', model, tools: [clock] });
export const clerk = defineAgent({ name: 'clerk', prompt: drafting });
export const pair = defineDualAgent({ name: 'pair', sideA: { prompt: drafting }, sideB: { prompt: drafting } });
export const hooks = { onAgentStart: () => undefined } satisfies AgentHooks;
export const hook: HookBody<'onStepEnd'> = ({ text }) => text;
export const enough: StopCondition = ({ steps }) => steps.length > 3;
export const runtime = createTestRuntime({ agents: [keeper, bare] });
export const run = runtime.execute(keeper, { input: { zone: 'UTC' } });
export const result = async () => (await run).result();
export const settled = async () => (await run).settled();
export const state = async () => (await run).state();
export const status = async () => (await run).status();
export const files = async () => (await run).files();
export const pending = async () => (await run).pending();
export const offshoot = createClient({ baseUrl: '' });
export const started = offshoot.start('/agents/keeper/a', { message: '' });
export const tree = offshoot.tree('/agents/keeper/a');
export const watched = offshoot.watch('/agents/keeper/a');
export class Keeper extends AgentObject.of(keeper) {}
export { OffshootDirectory, OffshootRpc };
export const worker = createWorker({ agents: [Keeper] });
export const routes = (request: Request, context: ExecutionContext) => routeOffshootRequest(request, {}, context, worker);
export const bound = async (rpc: Service<OffshootRpc<typeof keeper>>) => {
  const status = await rpc.status({ agent: 'keeper', name: 'a' });
  return status.ok ? status.body.run?.output : undefined;
};
`;

/** Functions whose results are above, because only what they are given says what they are. */
const GIVEN = new Set(['defineAgent', 'defineDualAgent', 'defineTool', 'createSubAgentTool', 'createTestRuntime']);

/** For each function of an entry, what it gives to whatever it may be given. */
function resultsOf(entry: string, exported: object): string {
  const functions = Object.entries(exported).filter(
    ([, value]) => typeof value === 'function' && !/^class\b/.test(String(value)),
  );
  const made = functions
    .filter(([name]) => !GIVEN.has(name))
    .map(([name]) => `export const ${name} = (...given: Parameters<typeof entry.${name}>) => entry.${name}(...given);`);
  return [`import * as entry from '${entry}';`, ...made].join('\n');
}

/** Nobody has a value of these: the compiler works other types out with them. */
const MACHINERY = [
  'AnyJson',
  'ChunkRow',
  'CodeFacts',
  'Documents',
  'Field',
  'Fields',
  'FitsOutputSchema',
  'Gives',
  'LiteralLater',
  'NoFunction',
  'NoOutputSchema',
  'StepBase',
  'Takes',
  'VerbTypes',
];

/** Classes that the platform makes, and the table that callers are typed by: their insides are not the surface. */
const CLOSED = new Set(['AgentObject', 'OffshootDirectory', 'OffshootRpc', 'SdkAgent', 'Client', 'VerbTypes']);

describe('the types of the package, as it is installed', () => {
  it('[DF15] whatever an app makes of them can be exported, with declarations, without an error', () => {
    const values = {
      offshoot: main,
      'offshoot/client': client,
      'offshoot/testing': testing,
      'offshoot/models': models,
      'offshoot/protocol': protocol,
    };
    expect(entries()).toEqual(expect.arrayContaining(Object.keys(values)));
    const results = Object.entries(values).map(([entry, exported]) => [
      `${entry.replace('/', '-')}.ts`,
      resultsOf(entry, exported),
    ]);
    const { output, declarations } = declared({ 'made.ts': MADE, ...Object.fromEntries(results) });
    expect(output).toBe('');
    expect(declarations).toContain('export declare const keeper: ');
    expect(declarations).not.toMatch(/\bany\b/);
    expect(declarations).toMatch(/const bound: .*\n? *time: string/);
  });

  it('[DF15] an interface that a value may have is exported by an entry', () => {
    expect(unnamed(CLOSED)).toEqual(MACHINERY);
  });

  it('[DF15] one that is not is told', () => {
    expect(unnamed(new Set([...CLOSED].filter((name) => name !== 'VerbTypes')))).toContain('VerbType');
  });
});
