/** Options that cannot work: each is refused when it is defined, by name, with what to write. */
import { tool as aiTool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import { defineDualAgent } from '../../src/core/definition/dual-agent';
import { defineHook } from '../../src/core/definition/hooks/standard-hooks';
import { nearest, refuseUnknown } from '../../src/core/definition/invalid';
import { definePrompt } from '../../src/core/definition/prompt';
import { createWorker } from '../../src/gateway/create-worker';
import { modelFromEnv } from '../../src/model/from-env';
import { OffshootError } from '../../src/protocol/errors';
import { createTestRuntime } from '../../src/testing';
import { noModel } from '../support/no-model';

const inputSchema = z.object({ q: z.string() });
const agent = { name: 'clerk', systemPrompt: 'Work.', model: noModel };
const tool = { name: 'look', description: 'Looks something up.', inputSchema, execute: () => 'found' };
const prompt = { name: 'drafting', prompt: 'Write.', model: noModel };
const side = { prompt: definePrompt(prompt) };
const clerk = defineAgent({ ...agent, inputSchema });

/** What an author without types may call; the words of the refusal. */
function refused(define: (...given: never[]) => unknown, ...given: readonly unknown[]): string {
  try {
    Reflect.apply(define, undefined, given);
  } catch (error) {
    if (error instanceof OffshootError && error.code === 'invalid_definition') return error.message;
    throw error;
  }
  throw new Error('It was taken.');
}

/** Every function that takes options, with options that it takes. */
const DEFINERS: readonly (readonly [name: string, define: (more: object) => string])[] = [
  ['defineAgent', (more) => refused(defineAgent, { ...agent, ...more })],
  ['defineTool', (more) => refused(defineTool, { ...tool, ...more })],
  ['defineHook', (more) => refused(defineHook, { hook: 'prepare_step', id: 'one', execute: () => null, ...more })],
  ['definePrompt', (more) => refused(definePrompt, { ...prompt, ...more })],
  ['defineDualAgent', (more) => refused(defineDualAgent, { name: 'pair', sideA: side, sideB: side, ...more })],
  ['createSubAgentTool', (more) => refused(createSubAgentTool, clerk, { ...more })],
  ['persistentAgents', (more) => refused(defineAgent, { ...agent, persistentAgents: [{ agent: clerk, ...more }] })],
  ['createWorker', (more) => refused(createWorker, { agents: [clerk], ...more })],
  ['createTestRuntime', (more) => refused(createTestRuntime, { agents: [clerk], ...more })],
  ['modelFromEnv', (more) => refused(modelFromEnv, [], { ...more })],
];

describe('a name that no option has', () => {
  it.each(DEFINERS)('[DF30] is refused by %s', (_, define) => {
    expect(define({ notAnOption: 1 })).toMatch(/unknown options: notAnOption\. Available options: /);
  });

  it.each([
    [defineAgent, { ...agent, sytemPrompt: 'x' }, 'systemPrompt'],
    [defineAgent, { ...agent, instructions: 'x' }, 'systemPrompt'],
    [defineAgent, { ...agent, SystemPrompt: 'x' }, 'systemPrompt'],
    [defineAgent, { ...agent, limits: { maxStep: 1 } }, 'maxSteps'],
    [defineTool, { ...tool, parameters: inputSchema }, 'inputSchema'],
    [defineTool, { ...tool, requireAproval: true }, 'requireApproval'],
    [defineTool, { ...tool, timeout: 5 }, 'timeoutMs'],
    [createWorker, { agents: [clerk], allowedOrigin: [] }, 'allowedOrigins'],
    [createWorker, { agents: [clerk], authorise: () => null }, 'authorize'],
  ])('[DF30] is told the nearest one: %#', (define, options, meant) => {
    expect(refused(define, options)).toContain(`Did you mean \`${meant}\`?`);
  });

  it.each([
    [defineTool, { ...tool, interruptOn: true }, 'Did you mean `requireApproval`?'],
    [defineTool, { ...tool, interrupt_on: true }, 'Did you mean `requireApproval`?'],
    [defineTool, { ...tool, func: () => 1 }, 'Did you mean `execute`?'],
    [defineAgent, { ...agent, response_format: inputSchema }, 'Did you mean `outputSchema`?'],
    [defineAgent, { ...agent, maxTurns: 3 }, 'Did you mean `maxSteps`?'],
    [defineAgent, { ...agent, interruptOn: {} }, 'For `interruptOn`, set `requireApproval` on the tool.'],
    [defineAgent, { ...agent, subagents: [] }, 'For `subagents`, list `createSubAgentTool(agent)` in `tools`.'],
    [defineAgent, { ...agent, handoffs: [] }, 'For `handoffs`, list `createSubAgentTool(agent)` in `tools`.'],
    [defineTool, { ...tool, interrupt: true }, 'Did you mean `requireApproval`?'],
    [defineTool, { ...tool, returnDirect: true }, 'Did you mean `finishWith`?'],
    [defineTool, { ...tool, return_direct: true }, 'Did you mean `finishWith`?'],
    [defineAgent, { ...agent, recursionLimit: 9 }, 'Did you mean `maxSteps`?'],
    [defineAgent, { ...agent, backend: {} }, 'For `backend`, set `workspace: true`;'],
    [defineAgent, { ...agent, store: {} }, 'For `store`, keep what several roots share behind a binding'],
    [defineAgent, { ...agent, skills: [] }, 'For `skills`, put their texts into `systemPrompt`'],
    [defineAgent, { ...agent, memory: [] }, '`workspace: true` adds files.'],
    [defineAgent, { ...agent, temperature: 1 }, 'For `temperature`, set `settings.temperature`.'],
  ])('[DF46] of another framework has the advice for ours: %#', (define, options, advice) => {
    expect(refused(define, options)).toContain(advice);
  });

  it.each(['contextSchema', 'context_schema'])('[DF46] has no option that is only near in its letters: %s', (name) => {
    const advice = refused(defineAgent, { ...agent, [name]: inputSchema });
    expect(advice).toContain(`For \`${name}\`, set \`inputSchema\` for the data of a run`);
    expect(advice).not.toContain('Did you mean');
  });

  it('[DF46] has no advice for an agent where no agent is defined', () => {
    expect(refused(createWorker, { agents: [], subagents: [] })).not.toContain('For `');
  });

  it.each([[[clerk]], [{ clerk }], [{ research: clerk }]])('[DF45] has the way to call an agent: %#', (tools) => {
    expect(refused(defineAgent, { ...agent, name: 'boss', tools })).toBe(
      'Agent "boss": "clerk" is an agent. List `createSubAgentTool(agent)` in `tools`, with that agent.',
    );
  });

  it('[DF30] is told none where none is near', () => {
    expect(() => refuseUnknown('It', { colour: 1 }, ['name', 'model'])).toThrow(/Available options: name, model\.$/);
  });

  it('[A126] is compared with names of a similar length only, so a long one costs its reading', () => {
    // With each of its letters compared, it would take many seconds.
    const long = 'messages'.repeat(1_000_000);
    const start = performance.now();
    expect(nearest(long, ['start', 'messages', 'status', 'tool-results'])).toBeUndefined();
    expect(performance.now() - start).toBeLessThan(2_000);
    expect(nearest('mesages', ['start', 'messages'])).toBe('messages');
  });
});

describe('options that are no object', () => {
  const functions = [defineAgent, defineTool, defineHook, definePrompt, defineDualAgent, createWorker];
  it.each(functions.flatMap((define) => [null, 'x', [], 7].map((given) => [define.name, given, define] as const)))(
    '[DF29] are refused by %s: %j',
    (_, given, define) => {
      expect(refused(define, given)).toMatch(/must be|needs|first/);
    },
  );
});

describe('an option of a wrong kind', () => {
  it.each([
    [{ description: 7 }, '`description` must be a string, but is a number'],
    [{ title: ' ' }, '`title` is blank'],
    [{ root: 'no' }, '`root` must be true or false, but is a string'],
    [{ documents: {} }, '`documents` must be a function, but is an object'],
    [{ tools: 'search' }, '`tools` must be a list, or an object with tools by name; it is a string'],
    [{ tools: [undefined] }, '`tools[0]` is missing'],
    [{ tools: { search: null } }, 'the tool "search" is null'],
    [{ persistentAgents: {} }, '`persistentAgents` must be a list'],
    [{ persistentAgents: [null] }, 'must be an object with options, but is null'],
    [{ persistentAgents: [{ agent: 'clerk' }] }, 'must be a definition made by `defineAgent`, but is a string'],
    [{ systemPrompt: 7 }, '`systemPrompt` must be a string, but is a number'],
    [{ limits: [] }, 'The limits of agent "clerk" must be an object with options'],
    [{ context: 5 }, 'The context of agent "clerk" must be an object with options'],
    [{ persistentAgents: [clerk] }, '"clerk" is an agent. Write `{ agent: clerk }` in `persistentAgents`.'],
    [{ persistentAgents: [createSubAgentTool(clerk)] }, '"subagent__clerk" is a tool. Write `{ agent: … }`'],
    [{ persistentAgents: [() => clerk] }, 'is a function: write `{ agent: () => … }` in `persistentAgents`.'],
    [{ prompt: 'Write.' }, 'but is a string. A text belongs in `systemPrompt`.'],
    [{ systemPrompt: undefined }, 'has no `systemPrompt`: set it, or pass a `prompt`'],
    [{ model: undefined }, 'has no `model`: set it, or pass a `prompt`'],
    [{ limits: { maxCostUsd: '1' } }, 'the limit `maxCostUsd` must be a number, but is a string'],
    [{ limits: { steps: 1 } }, 'The limits of agent "clerk": unknown options: steps. Did you mean `maxSteps`?'],
    [{ systemPromt: 'x' }, 'Agent "clerk": unknown options: systemPromt. Did you mean `systemPrompt`?'],
    [{ maxSteps: -1 }, 'the limit `maxSteps` must be above 0'],
    [{ limits: { toolTimeoutMs: -5 } }, 'the limit `toolTimeoutMs` must be above 0'],
    [{ variables: [{ name: 'KEY', type: 'text', description: 1 }] }, '`description` must be a string'],
  ])('[DF29] of an agent: %j', (more, words) => {
    const message = refused(defineAgent, { ...agent, ...more });
    expect(message).toMatch(/gent "clerk"/);
    expect(message).toContain(words);
  });

  it('[DF29] of a tool without a schema says what to write', () => {
    expect(refused(defineTool, { ...tool, inputSchema: undefined })).toBe(
      'Tool "look": `inputSchema` is missing. For an empty object, write `inputSchema: z.object({})`.',
    );
  });

  it('[DF29] of an agent: its name, and its prompt', () => {
    expect(refused(defineAgent, { ...agent, name: undefined })).toContain('must begin with a letter');
    expect(refused(defineAgent, { name: 'clerk', prompt: 'Write.' })).toContain('must be a prompt from `definePrompt`');
  });

  it.each([
    [{ replay: 'yes' }, '`replay` must be one of never, safe'],
    [{ finishWith: 'yes' }, '`finishWith` must be true or false'],
    [{ variables: {} }, '`variables` must be a list'],
    [{ timeoutMs: -1 }, '`timeoutMs` must be above 0'],
  ])('[DF29] of a tool: %j', (more, words) => {
    expect(refused(defineTool, { ...tool, ...more })).toBe(
      `Tool "look": ${words}${words.startsWith('`r') || words.startsWith('`t') ? '.' : `, but is ${'variables' in more ? 'an object' : 'a string'}.`}`,
    );
  });

  it.each([
    [createSubAgentTool, [clerk, { background: 'yes' }], '`background` must be true or false'],
    [createSubAgentTool, [clerk, { budget: { maxTokens: -1 } }], '`budget.maxTokens` must be above 0'],
    [createSubAgentTool, [clerk, { budget: { maxToken: 1 } }], 'Did you mean `maxTokens`?'],
    [createSubAgentTool, ['clerk'], 'must be a definition made by `defineAgent`, but is a string'],
    [createSubAgentTool, [clerk, { name: '' }], 'must begin with a letter'],
    [definePrompt, [{ ...prompt, tools: 'x' }], '`tools` must be a list'],
    [createWorker, [{ agents: clerk }], '`agents` must be a list, such as'],
    [createWorker, [{ agents: [undefined] }], 'agents[0] is missing'],
    [createWorker, [{ agents: [clerk], authorize: 'all' }], '`authorize` must be a function'],
    [createWorker, [{ agents: [clerk], allowedOrigins: 'x' }], '`allowedOrigins` must be a list'],
    [createTestRuntime, [{ agents: clerk }], '`agents` must be a list'],
    [modelFromEnv, ['anthropic'], 'takes a list of providers'],
  ])('[DF29] of others: %#', (define, given, words) => {
    expect(refused(define, ...given)).toContain(words);
  });
});

describe('what a model reads', () => {
  it.each(['', ' ', undefined, 7])('[DF24] an agent needs a system prompt: %j', (said) => {
    expect(refused(defineAgent, { ...agent, systemPrompt: said })).toMatch(/^Agent "clerk".*`systemPrompt`/);
    expect(refused(definePrompt, { ...prompt, prompt: said })).toMatch(/^Prompt "drafting": `prompt`.* Write /);
  });

  it.each(['', ' \n', undefined, 7])('[DF33] a tool needs a description: %j', (description) => {
    expect(refused(defineTool, { ...tool, description })).toMatch(/^Tool "look": `description` .* Write when/);
  });

  it('[DF33] a tool of another library may have none', () => {
    const { tools } = defineAgent({ ...agent, tools: { theirs: aiTool({ inputSchema, execute: () => 1 }) } });
    expect(tools[0]).toMatchObject({ name: 'theirs', description: '' });
  });
});

describe('what is no model', () => {
  it.each([
    ['openai/gpt-5', 'the text "openai/gpt-5"'],
    ['', 'the text ""'],
    [null, 'null'],
    [7, 'a number'],
    [{ modelId: 'gpt-5' }, 'an object'],
    [[noModel], 'a list'],
  ])('[DF31] is refused: %j', (model, what) => {
    const words = (place: string) =>
      `${place} must be a language model, but is ${what}. Pass a model object, such as openai(`;
    expect(refused(defineAgent, { ...agent, model })).toContain(words('Agent "clerk": `model`'));
    expect(refused(definePrompt, { ...prompt, model })).toContain(words('Prompt "drafting": `model`'));
    const { name, systemPrompt } = agent;
    const several = (first: unknown) => ({ name, systemPrompt, models: [first, noModel] });
    if (model !== null) expect(refused(defineAgent, several(model))).toContain(words('Agent "clerk": `models[0]`'));
    if (model !== null) expect(refused(defineAgent, several({ model }))).toContain(words('`models[0]`: `model`'));
  });

  it('[DF31] is known by its members: a model, a port and a function are taken', () => {
    for (const model of [noModel, { call: () => Promise.reject(new Error('No.')) }, () => noModel])
      expect(refusedNot(defineAgent, { ...agent, model })).toBe(true);
  });
});

function refusedNot(define: (...given: never[]) => unknown, given: object): boolean {
  Reflect.apply(define, undefined, [given]);
  return true;
}
