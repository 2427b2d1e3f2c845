import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allTools } from '../../src/core/agent/seat';
import { livesElsewhere } from '../../src/core/definition/children/elsewhere';
import { defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { AgentDefinition, PromptDefinition, SubagentToolConfig } from '../../src/core/definition/definition';
import { type DualAgentOptions, defineDualAgent } from '../../src/core/definition/dual-agent';
import { defineHook } from '../../src/core/definition/hooks/standard-hooks';
import { definePrompt, type PromptOptions } from '../../src/core/definition/prompt';
import { missingParts } from '../../src/gateway/agents/worker';
import { noModel } from '../support/no-model';

const approve = defineTool({
  name: 'approve',
  description: 'Works.',
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});

/** What an author without types may give. */
const untyped = (define: typeof definePrompt | typeof defineAgent | typeof defineDualAgent, options: object): unknown =>
  Reflect.apply(define, undefined, [options]);

const promptOf = (name: string, options: Partial<PromptOptions> = {}): PromptDefinition =>
  definePrompt({ name, prompt: name, model: noModel, ...options });

/** What a Worker lacks that serves one agent, which shares its class. */
const said = (definition: AgentDefinition): string =>
  missingParts(new Map([[definition.className, { definition, shared: true }]]), {}).join('\n');

const dualOf = (name: string, options: Partial<DualAgentOptions> = {}): AgentDefinition =>
  defineDualAgent({
    name,
    sideA: { prompt: promptOf(`${name}_a`) },
    sideB: { prompt: promptOf(`${name}_b`, { tools: [approve] }), sessionStop: 'approve' },
    ...options,
  });

const writer = dualOf('writer', { exposeAsTool: true, toolDescription: 'Writes.' });
const clerk = defineAgent({ name: 'clerk', prompt: promptOf('clerking'), exposeAsTool: true });

describe('hooks of Standard Agents', () => {
  const hook = 'before_create_message';
  const execute = () => undefined;
  const one = defineHook({ hook, id: 'one', execute });
  const two = defineHook({ hook, id: 'two_2', execute });

  it.for([
    [{ hook: 'before_everything', id: 'one', execute }, /no hook "before_everything"/],
    [{ hook, id: 'One', execute }, /words in lower case/],
    [{ hook, id: 'one_', execute }, /words in lower case/],
    [{ hook, id: 'a'.repeat(65), execute }, /at most 64 characters/],
    [{ hook, id: 7, execute }, /words in lower case/],
    [{ hook, id: 'one' }, /needs an `execute`/],
    [{ hook, id: 'one', execute, failRun: true }, /unknown options: failRun/],
  ] as const)('[SA75] are refused where they are none: %o', ([options, problem]) => {
    expect(() => Reflect.apply(defineHook, undefined, [options])).toThrow(problem);
    expect(defineHook({ hook, id: 'a'.repeat(64), execute }).id).toHaveLength(64);
  });

  it.for([
    [[one, one], /two hooks with the id "one"/],
    [[{ onStepEnd: execute }, { onStepEnd: execute }], /"onStepEnd" twice/],
    [{ before_create_message: execute }, /with `defineHook`/],
    [[7], /hooks from `defineHook`/],
    [7, /must be an object/],
  ] as const)('[SA75] a list has each once: %o', ([hooks, problem]) => {
    const options = { name: 'clerk', systemPrompt: 'x', model: noModel, hooks };
    expect(() => untyped(defineAgent, options)).toThrow(problem);
    expect(() => untyped(definePrompt, { name: 'p', prompt: 'x', model: noModel, hooks })).toThrow(problem);
  });

  it('[SA75] of a prompt take the place of the agent’s of the same name, and an id is that of one in both', () => {
    const hooks = [one, two, { onStepEnd: execute }];
    const prompt = promptOf('p', { hooks: [defineHook({ hook, id: 'three', execute })] });
    const agent = defineAgent({ name: 'clerk', prompt, hooks });
    expect(agent.hooks.map((each) => [each.hook, each.id])).toEqual([
      ['onStepEnd', undefined],
      [hook, 'three'],
    ]);
    const clash = defineHook({ hook: 'filter_messages', id: 'three', execute });
    expect(() => defineAgent({ name: 'clerk', prompt, hooks: [clash] })).toThrow(/two hooks with the id "three"/);
  });
});

describe('a prompt', () => {
  it('[SA1] names agents: one of two sides is a child that its call waits for, one of one side takes the session over', () => {
    const { subagents, handoffs } = promptOf('planning', {
      tools: [approve, 'writer', 'clerk'],
      agents: [writer, clerk],
    });
    expect(subagents).toMatchObject([
      {
        name: 'writer',
        description: 'Writes.',
        config: { name: 'writer', blocking: true, immediate: false, resumable: false },
        relationship: { lifetime: 'call', await: 'step', deliver: 'result', child: { name: 'writer' } },
      },
    ]);
    expect(handoffs).toMatchObject([{ name: 'clerk', agent: { name: 'clerk' } }]);
  });

  it.each([
    ['blocking', { name: 'clerk', blocking: true }],
    ['resumable', { name: 'clerk', resumable: { receives_messages: 'side_a' } }],
    ['nothing but its name', { name: 'clerk' }],
  ])('[SA1] is refused with an object for an agent of one side: %s', (_, config) => {
    const options = { name: 'planning', prompt: 'Work.', model: noModel, tools: [config], agents: [clerk] };
    expect(() => untyped(definePrompt, options)).toThrow(/Prompt "planning": the agent "clerk" has one side/);
  });

  it('[SA2] says itself how an agent is used: two prompts treat the same one differently', () => {
    const used = (config: object) =>
      promptOf('planning', { tools: [{ name: 'writer', ...config }], agents: [writer] }).subagents[0]?.relationship;
    expect(used({})).toMatchObject({ lifetime: 'call', await: 'step', deliver: 'result' });
    expect(used({ blocking: false })).toMatchObject({ lifetime: 'call', await: 'notice', deliver: 'envelope' });
    const resumable = { receives_messages: 'side_b' };
    expect(used({ resumable })).toMatchObject({ lifetime: 'named', await: 'step', deliver: 'result' });
    expect(used({ resumable, blocking: false })).toMatchObject({ lifetime: 'named', await: 'notice' });
  });

  it('[SA20] treats `resumable: false` as if it were not there', () => {
    const entry = (config: object) =>
      promptOf('planning', { tools: [{ name: 'writer', ...config }], agents: [writer] }).subagents[0];
    expect(entry({ resumable: false })?.config).toEqual(entry({})?.config);
    expect(entry({ resumable: false })?.relationship).toEqual(entry({})?.relationship);
  });

  it('[SA18, SA19, SA24] begins none with itself, and has none that a variable turns on, unless it says so', () => {
    const entry = (config: object) =>
      promptOf('planning', { tools: [{ name: 'writer', ...config }], agents: [writer] }).subagents[0]?.config;
    expect(entry({})).toEqual({ name: 'writer', blocking: true, immediate: false, resumable: false });
    expect(entry({ immediate: true, optional: 'WRITER_ON' })).toMatchObject({
      immediate: true,
      optional: 'WRITER_ON',
    });
    for (const optional of ['', ' ', 'a b', '1st', 'x'.repeat(129), true])
      expect(() => entry({ optional }), String(optional)).toThrow(/`optional` must be the name of a variable/);
    for (const immediate of ['yes', 1, {}])
      expect(() => entry({ immediate }), String(immediate)).toThrow(/`immediate` must be true or false/);
  });

  it('[SAW42] may say what a sub-agent may spend and how long a session takes, and is refused with what is none', () => {
    const entry = (config: object) =>
      promptOf('planning', { tools: [{ name: 'writer', ...config }], agents: [writer] }).subagents[0]?.relationship;
    expect(entry({ budget: { maxSteps: 1 }, timeoutMs: 5 })).toMatchObject({ budget: { maxSteps: 1 }, timeoutMs: 5 });
    expect(() => entry({ budget: { maxSteps: 0 } })).toThrow(/`budget.maxSteps` must be above 0/);
    expect(() => entry({ budget: { steps: 1 } })).toThrow(
      /`budget`: unknown options: steps\. Did you mean `maxSteps`\?$/,
    );
    expect(() => entry({ timeoutMs: 0 })).toThrow(/`timeoutMs` must be above 0/);
  });

  it('[OP9] says where a sub-agent lives, in this Worker: one elsewhere has a tool of its own', () => {
    const entry = (config: object) =>
      promptOf('planning', { tools: [{ name: 'writer', ...config }], agents: [writer] }).subagents[0]?.relationship;
    expect(entry({})?.placement).toBe('facet');
    expect(entry({ placement: 'object' })?.placement).toBe('object');
    for (const placement of ['remote', 'there', 1])
      expect(() => entry({ placement }), String(placement)).toThrow(/`placement` must be one of facet, object/);
    const asked = (): never => {
      throw new Error('asked');
    };
    const transport = { label: 'nowhere', call: asked, stream: asked };
    const far = defineAgent({ name: 'far', systemPrompt: 'Work.', model: noModel });
    livesElsewhere(far, transport);
    expect(() => promptOf('planning', { tools: ['far'], agents: [far] }).handoffs).toThrow(
      /"far", which is remote: add a tool made by `createRemoteSubAgentTool` to the prompt/,
    );
  });

  it('[SA13] is refused with a name that its agents do not have, or of one that is not exposed', () => {
    expect(() => promptOf('planning', { tools: ['critic'], agents: [writer] })).toThrow(
      /Prompt "planning" names the agent "critic".* Available agents: writer\./,
    );
    expect(() => promptOf('planning', { tools: ['hidden'], agents: [dualOf('hidden')] })).toThrow(
      /Prompt "planning" names the agent "hidden", which no prompt may call: .*exposeAsTool/,
    );
    expect(() => promptOf('planning', { tools: [{ name: 'critic' }] })).toThrow(/Available agents: none/);
  });

  it('[SA13] is looked at when the Worker begins where its agents are a function, so that agents can name each other', () => {
    const planner: AgentDefinition = defineAgent({
      name: 'planner',
      prompt: promptOf('planning', { tools: ['critic'], agents: () => [writer] }),
    });
    expect(said(planner)).toMatch(/Prompt "planning" names the agent "critic"/);
    const ping: AgentDefinition = defineAgent({
      name: 'ping',
      exposeAsTool: true,
      prompt: promptOf('pinging', { tools: ['pong'], agents: () => [pong] }),
    });
    const pong: AgentDefinition = defineAgent({
      name: 'pong',
      exposeAsTool: true,
      prompt: promptOf('ponging', { tools: ['ping'], agents: () => [ping] }),
    });
    expect(ping.handoffs[0]?.agent).toBe(pong);
    expect(pong.handoffs[0]?.agent).toBe(ping);
  });

  it('[SAH2] may be handed on to agents with names of their own that keep its state and output', () => {
    const clerk = (more: object = {}) =>
      defineAgent({ name: 'clerk', exposeAsTool: true, prompt: promptOf('filing'), ...more });
    const frontTo = (...agents: AgentDefinition[]) =>
      defineAgent({
        name: 'front',
        prompt: promptOf('greeting', { tools: agents.map(({ name }) => name), agents }),
      });
    const desk = (more: object) =>
      defineAgent({
        name: 'desk',
        exposeAsTool: true,
        prompt: promptOf('sorting', { tools: ['clerk'], agents: [clerk(more)] }),
      });
    expect(said(frontTo(clerk(), desk({})))).toMatch(/may be handed to two agents named "clerk"/);
    expect(said(frontTo(desk({ stateSchema: z.object({}) })))).toMatch(/so both agents need the same `stateSchema`/);
    expect(said(frontTo(clerk({ outputSchema: z.object({}) })))).toMatch(/so both agents need the same `outputSchema`/);
    expect(said(frontTo(desk({})))).toMatch(/does not export/);
  });

  const wrong: readonly (readonly [string, object, RegExp])[] = [
    ['an option that is none', { toolz: [] }, /unknown options: toolz/],
    ['a name twice', { tools: [approve, 'approve'], agents: [] }, /has "approve" twice/],
    ['a field that is none', { tools: [{ name: 'writer', blockin: true }] }, /options: blockin/],
    ['a flag that is none', { tools: [{ name: 'writer', immediate: 1 }] }, /`immediate` must be/],
    ['a side that is none', { tools: [{ name: 'w', resumable: { receives_messages: 'b' } }] }, /side_a, side_b/],
    [
      'no whole number',
      { tools: [{ name: 'w', resumable: { receives_messages: 'side_a', maxInstances: 0.5 } }] },
      /maxInstances` must be a whole number/,
    ],
    ['a property without a name', { tools: [{ name: 'w', initUserMessageProperty: '' }] }, /must be a name/],
    ['a reserved name', { tools: ['subagent_create'] }, /reserved/],
    ['a choice that is none', { toolChoice: 'any' }, /auto, none, required/],
    ['no number of messages', { recentImageThreshold: 10_001 }, /from 0 to 10000/],
    ['an effort that is none', { reasoning: { effort: 'much' } }, /reasoning.effort/],
    ['a variable that is none', { variables: [{ name: 'a b', type: 'text' }] }, /must begin with a letter/],
    ['a type that is none', { variables: [{ name: 'KEY', type: 'number' }] }, /'text' or 'secret'/],
    ['a value that is no text', { env: { KEY: 1 } }, /must be a string/],
    ['a hook that is none', { hooks: { onBegin: () => undefined } }, /unknown hook "onBegin"/],
  ];
  it('[DF1] lists each agent once, in whatever form its name is given', () => {
    const forms: readonly (string | SubagentToolConfig)[] = [
      'writer',
      { name: 'writer' },
      { name: 'writer', immediate: true },
    ];
    const list = (...tools: readonly (string | SubagentToolConfig)[]) =>
      promptOf('p', { tools, agents: [writer, clerk] });
    for (const first of forms) {
      expect(() => list(first, 'clerk')).not.toThrow();
      for (const second of forms) expect(() => list(first, 'clerk', second)).toThrow(/has "writer" twice/);
    }
  });

  it.each(wrong)('[DF1] is refused with what is wrong: %s', (_, options, why) => {
    expect(() => untyped(definePrompt, { name: 'planning', prompt: 'Work.', model: noModel, ...options })).toThrow(why);
  });

  it('[DF1] has what it does not say by default', () => {
    expect(promptOf('planning')).toMatchObject({
      includeChat: false,
      includePastTools: false,
      parallelToolCalls: false,
      settings: {},
      recentImageThreshold: 10,
      tools: [],
      subagents: [],
    });
    expect(promptOf('planning', { recentImageThreshold: 10_000 }).recentImageThreshold).toBe(10_000);
  });
});

describe('an agent of a prompt', () => {
  it('[SA1] works by it: its system prompt, model and tools, and nothing beside them', () => {
    const prompt = promptOf('clerking', { tools: [approve], requiredSchema: z.object({ q: z.string() }) });
    const agent = defineAgent({ name: 'clerk', prompt });
    expect(agent).toMatchObject({ systemPrompt: 'clerking', tools: [approve], exposeAsTool: false });
    expect(agent.inputSchema).toBe(prompt.requiredSchema);
    expect(() => untyped(defineAgent, { name: 'clerk', prompt, tools: [] })).toThrow(/`prompt` and `tools`/);
    expect(() => untyped(defineAgent, { name: 'clerk' })).toThrow(
      /no `systemPrompt` and no `model`: set them, or pass a `prompt`/,
    );
  });
});

describe('an agent of two sides', () => {
  it('[SA1] has both, and what it works by for each', () => {
    expect(() => untyped(defineDualAgent, { name: 'half', sideA: { prompt: promptOf('a') } })).toThrow(
      /Agent "half": `sideB` is missing/,
    );
    expect(() => untyped(defineDualAgent, { name: 'half', sideA: { prompt: promptOf('a') }, sideB: {} })).toThrow(
      /`sideB` needs a `prompt`/,
    );
    expect(writer.sides?.side_a).toMatchObject({ label: 'Side A', stopOnResponse: true });
    expect(writer.sides?.side_a.definition).toMatchObject({
      name: 'writer',
      className: 'Writer',
      systemPrompt: 'writer_a',
    });
    expect(writer.sides?.side_b).toMatchObject({ label: 'Side B', sessionStop: { name: 'approve' } });
    expect(writer.sides?.side_b.definition.tools).toEqual([approve]);
    expect(writer.sides?.side_a.definition.tools).toEqual([]);
  });

  it('[SA1] has as children those that its sides name', () => {
    const side = (name: string, agent: AgentDefinition) => ({
      prompt: promptOf(name, { tools: [agent.name], agents: [agent] }),
    });
    const critic = dualOf('critic', { exposeAsTool: true });
    const both = dualOf('both', { sideA: side('a', writer), sideB: side('b', critic) });
    expect(both.relationships.map(({ child }) => child.name)).toEqual(['writer', 'critic']);
    expect(both.sides?.side_b.definition.relationships.map(({ child }) => child.name)).toEqual(['critic']);
  });

  it.each(['sessionStop', 'sessionFail', 'sessionStatus', 'stopTool'])(
    '[SA36] is refused where %s names no tool of that side',
    (rule) => {
      const sideA = { prompt: promptOf('a'), [rule]: 'approve' };
      expect(() => dualOf('pair', { sideA })).toThrow(
        new RegExp(`\`sideA\`: \`${rule}\` names the tool "approve", which the prompt "a" does not have`),
      );
    },
  );

  const wrong: readonly (readonly [string, object, RegExp])[] = [
    ['no turn', { maxSessionTurns: 0 }, /maxSessionTurns` must be above 0/],
    ['an option of one side', { outputSchema: z.string() }, /unknown options: outputSchema/],
    ['a label of two lines', { sideA: { prompt: promptOf('a'), label: 'a\nb' } }, /one line of 1 to 64/],
    ['a label that is too long', { sideA: { prompt: promptOf('a'), label: 'x'.repeat(65) } }, /one line of 1 to 64/],
    ['no step', { sideA: { prompt: promptOf('a'), maxSteps: 0 } }, /`maxSteps` must be above 0/],
    ['an argument of no tool', { sideA: { prompt: promptOf('a'), stopToolResponseProperty: 'x' } }, /which is missing/],
    [
      'a binding with what is none',
      { sideA: { prompt: promptOf('a', { tools: [approve] }), sessionStop: { name: 'approve', message: 'x' } } },
      /unknown options: message/,
    ],
    [
      'files that would not go along',
      {
        sideA: {
          prompt: promptOf('a', { tools: [approve] }),
          sessionStatus: { name: 'approve', attachmentsProperty: 'x' },
        },
      },
      /attachmentsProperty` has no effect/,
    ],
    [
      'an argument without a name',
      { sideA: { prompt: promptOf('a', { tools: [approve] }), sessionStop: { name: 'approve', messageProperty: '' } } },
      /name of an argument/,
    ],
  ];
  it.each(wrong)('[DF1] is refused with what is wrong: %s', (_, options, why) => {
    expect(() => dualOf('pair', options)).toThrow(why);
  });

  it('[DF1] may have a label of 64 characters', () => {
    const label = 'x'.repeat(64);
    expect(dualOf('pair', { sideA: { prompt: promptOf('a'), label } }).sides?.side_a.label).toBe(label);
  });
});

describe('all tools of a definition', () => {
  const namesOf = (definition: AgentDefinition) =>
    allTools(definition).map(({ tool, side }) => (side === undefined ? tool.name : `${side}: ${tool.name}`));

  it('[A88] are its own, those of agents below it and of the framework, and of two sides those of each', () => {
    const own = { systemPrompt: 'x', model: noModel };
    const keeper = defineAgent({ name: 'keeper', ...own, persistentAgents: [{ agent: clerk }], workspace: true });
    expect(namesOf(keeper)).toEqual(
      expect.arrayContaining([
        'companion__spawnAgent',
        'companion__waitForResult',
        'workspace_read_file',
        'workspace_write_file',
      ]),
    );
    const planning = promptOf('planning', { tools: ['writer', 'clerk', approve], agents: [writer, clerk] });
    expect(namesOf(defineAgent({ name: 'planner', prompt: planning })).sort()).toEqual(
      expect.arrayContaining(['approve', 'clerk', 'writer']),
    );
    expect(namesOf(defineAgent({ name: 'plain', ...own }))).toEqual([]);
    expect(namesOf(writer)).toEqual(['Side B: approve']);
    const both = dualOf('both', {
      sideA: { label: 'Writes', prompt: promptOf('both_a', { tools: [approve] }) },
      sideB: { label: 'Reads', prompt: promptOf('both_b', { tools: [approve] }), sessionStop: 'approve' },
    });
    expect(namesOf(both)).toEqual(['Writes: approve', 'Reads: approve']);
  });
});
