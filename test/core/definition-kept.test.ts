/** Each option of a definition is in what is compiled of it, under its value; one that is left out has its default. */
import { expect, it } from 'vitest';
import * as z from 'zod';
import { createSubAgentTool, relationshipOf } from '../../src/core/definition/children/relationship';
import { defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import { defineDualAgent } from '../../src/core/definition/dual-agent';
import { defineHook } from '../../src/core/definition/hooks/standard-hooks';
import { definePrompt } from '../../src/core/definition/prompt';
import { OffshootError } from '../../src/protocol/errors';
import { noModel } from '../support/no-model';

/** A value of an option, and where the definition has which value for it, then and where it is left out. */
interface Row {
  readonly given: unknown;
  readonly at: string;
  /** What is found there, where that is not what was given. */
  readonly is?: unknown;
  /** What is found there by default: nothing, if there is none. */
  readonly otherwise?: unknown;
}
type Rows = Readonly<Record<string, Row>>;

const row = (given: unknown, at: string, otherwise?: unknown, is: unknown = given): Row => ({
  given,
  at,
  otherwise,
  is,
});

const schema = z.object({ q: z.string() });
const other = z.object({ q: z.string() });
const output = z.object({ a: z.string() });
const state = z.object({ n: z.number().default(1) });
const worker = defineAgent({ name: 'worker', systemPrompt: 'Work.', model: noModel, inputSchema: schema });
const look = defineTool({ name: 'look', description: 'Looks.', inputSchema: schema, execute: () => 'x' });
const done = defineTool({ name: 'done', description: 'Ends.', inputSchema: schema, execute: () => 'x' });
const hook = defineHook({ hook: 'prepare_step', id: 'one', execute: () => null });
const otherHook = defineHook({ hook: 'filter_messages', id: 'two', execute: () => null });
const twoModels = [{ model: noModel, on: ['model_refused'] }, noModel];
const firstOf = { model: noModel, on: ['model_refused'] };
const variable = { name: 'KEY', type: 'secret' } as const;
const shell = { name: 'shell', systemPrompt: 'Work.', model: noModel };
const pair = defineDualAgent({
  ...{ name: 'pair', exposeAsTool: true, description: 'Two.' },
  sideA: { prompt: definePrompt({ name: 'a', prompt: 'A.', model: noModel }) },
  sideB: { prompt: definePrompt({ name: 'b', prompt: 'B.', model: noModel }) },
});
const rateLimit = () => ({ limit: () => Promise.resolve({ success: true }) });
const price = { input: 1, output: 2 };
const stop = () => true;
const documents = () => ({ list: () => Promise.resolve([]), remove: () => Promise.resolve(), url: () => '' });
const effect = { name: 'mail', description: 'Mails.', execute: () => undefined };
const drafting = definePrompt({ name: 'drafting', prompt: 'Write.', model: noModel });

const OF_AGENT: Rows = {
  name: row('clerk', 'name', 'shell'),
  description: row('Does it.', 'description', ''),
  systemPrompt: row('Work well.', 'systemPrompt', 'Work.'),
  model: row(noModel, 'model', noModel),
  models: row(twoModels, 'models.0', undefined, firstOf),
  settings: row({ temperature: 1 }, 'settings', {}),
  tools: row([look], 'tools', []),
  inputSchema: row(schema, 'inputSchema'),
  outputSchema: row(output, 'outputSchema'),
  strictOutput: row(true, 'strictOutput'),
  stateSchema: row(state, 'stateSchema'),
  maxSteps: row(7, 'limits.maxSteps'),
  limits: row({ maxDepth: 3 }, 'limits', {}),
  context: row({ maxTokens: 5_000 }, 'context'),
  onConcurrentStart: row('queue', 'onConcurrentStart', 'refuse'),
  onMessageWhilePending: row('deny', 'onMessageWhilePending', 'queue'),
  hooks: row([hook], 'hooks.0.id', undefined, 'one'),
  price: row(price, 'price'),
  modelRateLimit: row(rateLimit, 'modelRateLimit'),
  root: row(false, 'root', true),
  documents: row(documents, 'documents'),
  persistentAgents: row([{ agent: worker }], 'companions.0.relationship.child', undefined, worker),
  stopWhen: row(stop, 'stopWhen', [], [stop]),
  workspace: row({ readOnly: true }, 'workspace'),
  prompt: row(drafting, 'prompt'),
  title: row('The clerk', 'title'),
  examples: row(['Do it.'], 'examples', []),
  exposeAsTool: row(true, 'exposeAsTool', false),
  toolDescription: row('Ask it.', 'toolDescription'),
  variables: row([variable], 'variables', []),
  env: row({ KEY: 'x' }, 'env', {}),
  effects: row([effect], 'effects', []),
};

const OF_TOOL: Rows = {
  name: row('seek', 'name', 'look'),
  description: row('Seeks.', 'description', 'Looks.'),
  inputSchema: row(other, 'inputSchema', schema),
  outputSchema: row(output, 'outputSchema'),
  execute: row('client', 'runsAt', 'server'),
  requireApproval: row(true, 'requireApproval', false),
  answerWithinMs: row(5_000, 'answerWithinMs'),
  replay: row('safe', 'replay', 'never'),
  timeoutMs: row(6_000, 'timeoutMs'),
  finishWith: row(true, 'finishWith', false),
  variables: row([variable], 'variables'),
  uses: row([look], 'uses'),
  strict: row(true, 'shown.strict'),
  inputExamples: row([{ q: 'x' }], 'shown.inputExamples'),
  providerOptions: row({ openai: { a: 1 } }, 'shown.providerOptions'),
};

const OF_PROMPT: Rows = {
  name: row('reviewing', 'name', 'drafting'),
  toolDescription: row('Reviews.', 'toolDescription', ''),
  prompt: row('Review.', 'prompt', 'Write.'),
  model: row(noModel, 'model', noModel),
  models: row(twoModels, 'models.0', undefined, firstOf),
  tools: row([look, done], 'tools', []),
  providerTools: row(
    { web: { type: 'provider', id: 'x.web', args: {}, inputSchema: schema } },
    'providerTools.0.name',
    undefined,
    'web',
  ),
  agents: row([pair], 'subagents.0.name', undefined, 'pair'),
  includeChat: row(true, 'includeChat', false),
  includePastTools: row(true, 'includePastTools', false),
  parallelToolCalls: row(true, 'parallelToolCalls', false),
  toolChoice: row('required', 'settings.toolChoice'),
  settings: row({ temperature: 1 }, 'settings', {}),
  requiredSchema: row(schema, 'requiredSchema'),
  variables: row([variable], 'variables', []),
  env: row({ KEY: 'x' }, 'env', {}),
  reasoning: row({ effort: 'low' }, 'settings.reasoning'),
  recentImageThreshold: row(3, 'recentImageThreshold', 10),
  hooks: row([hook], 'hooks.0.id', undefined, 'one'),
};

/** Of a child: where its relationship is. */
const ofChild = (at: string): Rows => ({
  timeoutMs: row(5_000, `${at}.timeoutMs`),
  onParentSuspend: row('pause', `${at}.onParentSuspend`, 'continue'),
  onFailure: row('wait', `${at}.onFailure`, 'result'),
  onIdle: row('wake', `${at}.onIdle`, 'keep'),
  budget: row({ maxTokens: 9 }, `${at}.budget`),
  inheritWorkspace: row('read', `${at}.workspace`, 'session', 'inherited-read'),
  returnsFiles: row(true, `${at}.returnsFiles`),
  placement: row('object', `${at}.placement`, 'facet'),
});

const OF_SUBAGENT: Rows = {
  name: row('helper', 'name', 'subagent__worker', 'subagent__helper'),
  description: row('Helps.', 'description', ''),
  requireOutputSchema: { ...row(false, 'outputSchema'), is: undefined },
  background: row(true, 'relationship.await', 'step', 'notice'),
  ...ofChild('relationship'),
};

const COMPANION = 'companions.0.relationship';
const OF_COMPANION: Rows = {
  agent: row(worker, `${COMPANION}.child`, worker),
  mode: row('non-blocking', 'companions.0.mode', 'blocking'),
  description: row('Helps.', 'companions.0.description', ''),
  workspaceLifetime: row('per-invocation', `${COMPANION}.workspace`, 'session'),
  retention: row('run', `${COMPANION}.retention`, 'tree'),
  mayRead: row(true, `${COMPANION}.mayRead`),
  ...ofChild(COMPANION),
};

const PROMPT_TOOLS = definePrompt({ name: 'prompt', prompt: 'Work.', model: noModel, tools: [look, done] });
const OF_SIDE: Rows = {
  label: row('Author', 'sides.side_b.label', 'Side B'),
  prompt: row(drafting, 'sides.side_b.definition.prompt', PROMPT_TOOLS),
  stopOnResponse: row(false, 'sides.side_b.stopOnResponse', true),
  stopTool: row('look', 'sides.side_b.stopTool'),
  stopToolResponseProperty: row('q', 'sides.side_b.stopToolResponseProperty'),
  maxSteps: row(4, 'sides.side_b.maxSteps'),
  sessionStop: row('done', 'sides.side_b.sessionStop', undefined, { name: 'done' }),
  sessionFail: row({ name: 'done', messageProperty: 'q', attachmentsProperty: 'f' }, 'sides.side_b.sessionFail'),
  sessionStatus: row({ name: 'look', messageProperty: 'q' }, 'sides.side_b.sessionStatus'),
};

const OWN_OF_PAIR: Rows = {
  name: row('team', 'name', 'pair'),
  maxSessionTurns: row(4, 'maxSessionTurns'),
  sideA: row({ prompt: drafting }, 'sides.side_a.definition.prompt', PROMPT_TOOLS, drafting),
  sideB: row({ prompt: drafting }, 'sides.side_b.definition.prompt', PROMPT_TOOLS, drafting),
};
const SHARED = [
  ...['title', 'examples', 'description', 'exposeAsTool', 'toolDescription', 'inputSchema', 'stateSchema', 'maxSteps'],
  ...['limits', 'onConcurrentStart', 'onMessageWhilePending', 'hooks', 'workspace', 'price', 'modelRateLimit', 'root'],
  ...['documents', 'variables', 'env', 'effects'],
];
/** What the prompt of a side says of limits: its tools run one at a time. */
const IN_TURN = { maxConcurrentCalls: 1 };
const OF_PAIR: Rows = {
  ...Object.fromEntries(Object.entries(OF_AGENT).filter(([name]) => SHARED.includes(name))),
  limits: row({ maxDepth: 3 }, 'limits', IN_TURN, { ...IN_TURN, maxDepth: 3 }),
  ...OWN_OF_PAIR,
};

type Define = (more: object) => object;
const side = { prompt: PROMPT_TOOLS };
const call = (define: (...given: never[]) => object, ...given: unknown[]): object =>
  Reflect.apply(define, undefined, given);

/** Options that another one needs beside it. */
const NEEDS: Readonly<Record<string, object>> = {
  strictOutput: { outputSchema: output },
  models: { model: undefined },
  answerWithinMs: { requireApproval: true },
  agents: { tools: ['pair'] },
  stopToolResponseProperty: { stopTool: 'look' },
};
const DEFINERS: Readonly<Record<string, readonly [rows: Rows, define: Define]>> = {
  defineAgent: [
    OF_AGENT,
    (more) => call(defineAgent, 'prompt' in more ? { name: 'shell', ...more } : { ...shell, ...more }),
  ],
  defineTool: [
    OF_TOOL,
    (more) => call(defineTool, { name: 'look', description: 'Looks.', inputSchema: schema, execute: () => 1, ...more }),
  ],
  definePrompt: [
    OF_PROMPT,
    (more) => call(definePrompt, { name: 'drafting', prompt: 'Write.', model: noModel, ...more }),
  ],
  createSubAgentTool: [
    OF_SUBAGENT,
    (more) => {
      const background = 'onIdle' in more ? { background: true } : {};
      const tool = createSubAgentTool(worker, { ...background, ...more });
      return { ...tool, relationship: relationshipOf(tool) };
    },
  ],
  persistentAgents: [
    OF_COMPANION,
    (more) => call(defineAgent, { ...shell, persistentAgents: [{ agent: worker, ...more }] }),
  ],
  defineDualAgent: [OF_PAIR, (more) => call(defineDualAgent, { name: 'pair', sideA: side, sideB: side, ...more })],
  sideB: [OF_SIDE, (more) => call(defineDualAgent, { name: 'pair', sideA: side, sideB: { ...side, ...more } })],
};

const found = (definition: object, at: string): unknown =>
  at
    .split('.')
    .reduce<unknown>((value, key) => (value === undefined ? value : Reflect.get(Object(value), key)), definition);

/** The names of all options, as a refusal lists them. */
function optionsOf(define: Define): string[] {
  try {
    define({ notAnOption: 1 });
  } catch (error) {
    if (error instanceof OffshootError)
      return (/Available options: (.*)\.$/.exec(error.message)?.[1] ?? '').split(', ');
  }
  return [];
}

it.each(Object.entries(DEFINERS))('[DF1, DF30] the table has each option of %s', (_, [rows, define]) => {
  expect(Object.keys(rows).sort()).toEqual(optionsOf(define).sort());
});

const CASES = Object.entries(DEFINERS).flatMap(([name, [rows, define]]) =>
  Object.entries(rows).map(([option, { given, at, is, otherwise }]) => ({
    name,
    option,
    define,
    given,
    at,
    is,
    otherwise,
  })),
);

it.each(CASES)('[DF1, DF3, DG28] $name keeps `$option`, and has its default without it', (one) => {
  const { option, define, given, at, is, otherwise } = one;
  const kept = found(define({ ...NEEDS[option], [option]: given }), at);
  expect(kept).toEqual(is);
  // Schemas, agents and functions are the ones that were given.
  if (typeof is === 'function' || is === schema || is === worker) expect(kept).toBe(is);
  expect(found(define({}), at)).toEqual(otherwise);
});

it('[DF1] what is compiled has nothing that its options do not say', () => {
  const keys = (definition: object) => Object.keys(definition).sort();
  const always = [
    ...[
      'name',
      'className',
      'addressClass',
      'description',
      'systemPrompt',
      'model',
      'settings',
      'tools',
      'relationships',
    ],
    ...['companions', 'limits', 'onConcurrentStart', 'onMessageWhilePending', 'root', 'hooks', 'stopWhen', 'subagents'],
    ...['handoffs', 'examples', 'exposeAsTool', 'variables', 'env', 'effects'],
  ].sort();
  expect(keys(defineAgent(shell))).toEqual(always);
  for (const workspace of [false, undefined] as const)
    expect(keys(defineAgent({ ...shell, ...(workspace === undefined ? {} : { workspace }) }))).toEqual(always);
  expect(defineAgent({ ...shell, workspace: true }).workspace).toEqual({});
});

it('[DF1, SA2] a prompt gives its agent what it works by, and its own hooks stand for those of the same name', () => {
  const own = defineHook({ hook: 'prepare_step', id: 'own', execute: () => null });
  const prompt = definePrompt({
    ...{ name: 'p', prompt: 'Write.', models: [noModel, noModel], tools: [look], settings: { temperature: 1 } },
    ...{ requiredSchema: schema, hooks: [own], parallelToolCalls: true },
  });
  const agent = defineAgent({ name: 'a', prompt, hooks: [hook, otherHook] });
  const { prompt: systemPrompt, model, models, tools, settings } = prompt;
  expect(agent).toMatchObject({ systemPrompt, model, models, tools, settings, limits: {}, inputSchema: schema });
  expect(agent.hooks.map((one) => ('id' in one ? one.id : ''))).toEqual(expect.arrayContaining(['own', 'two']));
  expect(agent.hooks).toHaveLength(2);
  expect(defineAgent({ name: 'a', prompt, inputSchema: other }).inputSchema).toBe(other);
  expect(defineAgent({ name: 'a', prompt, limits: { maxConcurrentCalls: 3 } }).limits).toEqual({
    maxConcurrentCalls: 3,
  });
  const inTurn = definePrompt({ name: 'p', prompt: 'Write.', model: noModel });
  expect(defineAgent({ name: 'a', prompt: inTurn }).limits).toEqual({ maxConcurrentCalls: 1 });
  expect(defineAgent({ name: 'a', prompt: inTurn, limits: { maxConcurrentCalls: 3 } }).limits).toEqual({
    maxConcurrentCalls: 3,
  });
  expect(defineAgent({ ...shell, limits: { maxSteps: 3 }, maxSteps: 4 }).limits).toEqual({ maxSteps: 4 });
});
