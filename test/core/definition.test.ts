import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool, isSubAgentTool, relationshipOf } from '../../src/core/definition/children/relationship';
import { type AgentOptions, defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { AgentDefinition, ToolDefinition } from '../../src/core/definition/definition';
import { DEFAULT_LIMITS, limitProblem, limitsOf, MAX_TIMER_MS } from '../../src/core/definition/limits';
import { type ErrorCode, OffshootError } from '../../src/protocol/errors';
import { kebabCase, pascalCase } from '../../src/protocol/ids';
import { noModel } from '../support/no-model';
import { present } from '../support/present';

const agent = (options: Partial<AgentOptions> = {}) =>
  defineAgent({ name: 'top', systemPrompt: 'Work.', model: noModel, ...options });
const tool = (name: string, options: { timeoutMs?: number } = {}) =>
  defineTool({ name, description: 'Works.', inputSchema: z.object({}), execute: () => null, ...options });

/** The code and text of what a definition is refused with. */
function refused(define: () => unknown): { code: ErrorCode; message: string } {
  try {
    define();
  } catch (error) {
    if (error instanceof OffshootError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('It was taken.');
}

const invalid = (text: string | RegExp) => ({ code: 'invalid_definition', message: expect.stringMatching(text) });

describe('names', () => {
  it.for([
    'fact-checker',
    'fact_checker',
    'FactChecker',
    'a',
    'kid2',
    'step-2-check',
    'x-ray-unit',
    `a${'b'.repeat(53)}`,
  ])('[DF1] %s names an agent', (name) => {
    const { className, addressClass } = agent({ name });
    expect(pascalCase(addressClass)).toBe(className);
    expect(kebabCase(className)).toBe(addressClass);
    expect(className).toMatch(/^[A-Z][A-Za-z0-9]*$/);
  });

  it('[DF1, AD1] a class and its address lead to each other', () => {
    expect(agent({ name: 'fact_checker' })).toMatchObject({ className: 'FactChecker', addressClass: 'fact-checker' });
    for (const name of ['QA', 'HTTPAgent', 'a-b', 'aB', 'tier-a-b-test']) {
      const { message } = refused(() => agent({ name }));
      const better = /name the agent "([^"]+)"/.exec(message)?.[1];
      expect(agent({ name: better ?? '' }).addressClass).toBe(better);
    }
  });

  it.for(['', '7up', '-a', 'a b', 'a.b', 'ä', 'a/b', 'a\0', `a${'b'.repeat(64)}`, '__a'])(
    '[DF1] %j names no agent',
    (name) => {
      expect(refused(() => agent({ name }))).toEqual(invalid('letter'));
    },
  );

  it.for(['sub', 'Sub', 'sub_'])('[DF1, AD1] %s is kept for the levels of addresses', (name) => {
    expect(refused(() => agent({ name }))).toEqual(invalid(/"sub"/));
  });

  it.for(['note', 'a', '_private', 'Do-It_2', 'x'.repeat(64), 'sub', 'subagent', 'companion', 'workspace'])(
    '[DF1] %s names a tool',
    (name) => {
      expect(tool(name)).toMatchObject({ name, replay: 'never', finishWith: false });
    },
  );

  it.for(['', 'x'.repeat(65), '2nd', 'a b', 'a.b', 'ü', 'a\n'])('[DF1] %j names no tool', (name) => {
    expect(refused(() => tool(name))).toEqual(invalid('letter'));
  });

  it.for([
    'subagent__x',
    'companion__x',
    'workspace_x',
    '__x',
    '__finish__',
    'subagent_create',
    'subagent_message',
    'subagent_terminate',
    'subagents',
  ])('[DF1] %s is reserved', (name) => expect(refused(() => tool(name))).toEqual(invalid('reserved')));

  it('[DF1] two tools of one name are refused, also where both are sub-agents', () => {
    const kid = agent({ name: 'kid' });
    const twice = [createSubAgentTool(kid, z.object({})), createSubAgentTool(kid, z.object({ q: z.string() }))];
    expect(refused(() => agent({ tools: [tool('note'), tool('note')] }))).toEqual(invalid('two tools named "note"'));
    expect(refused(() => agent({ tools: twice }))).toEqual(invalid('subagent__kid'));
    expect(agent({ tools: [tool('note'), twice[0] ?? tool('x')] }).tools).toHaveLength(2);
  });
});

describe('tools that were put together by hand', () => {
  const byHand = (changes: Partial<ToolDefinition>) =>
    refused(() => agent({ tools: [{ ...tool('note'), ...changes }] }));

  it.for(['subagent__x', 'companion__x', 'workspace_x', '__finish__', '__x', 'subagent_create', 'subagents'])(
    '[DF4] cannot be called %s',
    (name) => {
      expect(byHand({ name })).toEqual(invalid('reserved'));
      const sub = createSubAgentTool(agent({ name: 'kid' }), z.object({}));
      expect(agent({ tools: [{ ...sub, name: 'subagent__other' }] }).tools).toHaveLength(1);
    },
  );

  it.for(['', 'a b', 'x'.repeat(65)])('[DF4] cannot be called %j', (name) => {
    expect(byHand({ name })).toEqual(invalid('letter'));
  });

  it('[DF4] need a body, and a sub-agent the prefix of sub-agents', () => {
    const { execute: _execute, ...bodiless } = tool('note');
    expect(refused(() => agent({ tools: [bodiless] }))).toEqual(invalid('defineTool'));
    const sub = createSubAgentTool(agent({ name: 'kid' }), z.object({}));
    for (const name of ['note', 'subagent__a b'])
      expect(refused(() => agent({ tools: [{ ...sub, name }] }))).toEqual(invalid('createSubAgentTool'));
  });
});

describe('tools and sub-agents', () => {
  it('[DF6] one agent is several tools of another, under names of their own', () => {
    const kid = agent({ name: 'kid' });
    const tools = [
      createSubAgentTool(kid, z.object({})),
      createSubAgentTool(kid, z.object({ q: z.string() }), {
        name: 'critic',
        description: 'Finds faults.',
        timeoutMs: 9,
      }),
    ];
    const boss = agent({ name: 'boss', tools });
    expect(boss.tools.map(({ name }) => name)).toEqual(['subagent__kid', 'subagent__critic']);
    expect(boss.tools.map(({ description }) => description)).toEqual(['', 'Finds faults.']);
    expect(boss.tools.map((one) => relationshipOf(one)?.child)).toEqual([kid, kid]);
    for (const name of ['', '7', 'a b', 'ä', '_a'])
      expect(refused(() => createSubAgentTool(kid, z.object({}), { name }))).toEqual(invalid('letter'));
    expect(createSubAgentTool(kid, z.object({}), { name: 'a'.repeat(54) }).name).toHaveLength(64);
    expect(refused(() => createSubAgentTool(kid, z.object({}), { name: 'a'.repeat(55) }))).toEqual(
      invalid('shorter name'),
    );
  });

  it('[DF5] an agent uses itself by a function, which is asked when it is needed', () => {
    const self: AgentDefinition = agent({
      name: 'again',
      description: 'Goes on.',
      tools: [createSubAgentTool(() => self, z.object({}), { name: 'again' })],
    });
    expect(self.tools[0]).toMatchObject({ name: 'subagent__again', description: 'Goes on.' });
    expect(relationshipOf(present(self.tools[0]))?.child).toBe(self);
    expect(refused(() => createSubAgentTool(() => self, z.object({})))).toEqual(invalid('`name`'));
    const wrong = createSubAgentTool(() => undefined as never, z.object({}), { name: 'wrong' });
    expect(refused(() => relationshipOf(wrong)?.child)).toEqual(invalid('defineAgent'));
    const untyped = createSubAgentTool(() => self, z.object({}), { name: 'typed', requireOutputSchema: true });
    expect(refused(() => relationshipOf(untyped)?.child)).toEqual(invalid('outputSchema'));
  });

  it('[DF7] an agent may be a root unless it says otherwise', () => {
    expect([agent().root, agent({ root: true }).root, agent({ root: false }).root]).toEqual([true, true, false]);
  });

  it('[DF1] a tool without a body is refused', () => {
    const without: unknown = { name: 'note', description: 'Works.', inputSchema: z.object({}) };
    expect(refused(() => defineTool(without as Parameters<typeof defineTool>[0]))).toEqual(invalid('execute'));
  });

  it('[DF1, DG4] a sub-agent is a tool with its name, its schemas and its relationship', () => {
    const kid = agent({ name: 'kid', description: 'Does it.', outputSchema: z.object({ a: z.number() }) });
    const made = createSubAgentTool(kid, z.object({ q: z.string() }), { timeoutMs: 5, description: 'Ask it.' });
    expect(made).toMatchObject({ name: 'subagent__kid', description: 'Ask it.', outputSchema: kid.outputSchema });
    expect(relationshipOf(made)).toMatchObject({ child: kid, timeoutMs: 5, lifetime: 'call', await: 'step' });
    expect(createSubAgentTool(kid, z.object({})).description).toBe('Does it.');
    expect(relationshipOf(tool('note'))).toBeUndefined();
  });

  it('[DF8] the relationships of an agent are one list, to which its tools refer', () => {
    const kid = agent({ name: 'kid' });
    const one = createSubAgentTool(kid, z.object({}));
    const other = createSubAgentTool(kid, z.object({}), { name: 'other', timeoutMs: 5 });
    const { relationships } = agent({ tools: [one, tool('note'), other] });
    expect(relationships).toEqual([relationshipOf(one), relationshipOf(other)]);
    expect(relationships[1]).toBe(relationshipOf(other));
    const alias = { ...one, name: 'subagent__alias' };
    expect(agent({ tools: [one, alias] }).relationships).toEqual([relationshipOf(one)]);
    expect(agent({ tools: [tool('note')] }).relationships).toEqual([]);
  });

  it('[DF1] a sub-agent whose output must be typed, or whose tool would have too long a name, is refused', () => {
    expect(refused(() => createSubAgentTool(agent(), z.object({}), { requireOutputSchema: true }))).toEqual(
      invalid('outputSchema'),
    );
    expect(createSubAgentTool(agent({ name: 'a'.repeat(54) }), z.object({})).name).toHaveLength(64);
    expect(refused(() => createSubAgentTool(agent({ name: 'a'.repeat(55) }), z.object({})))).toEqual(
      invalid('shorter name'),
    );
  });

  it('[DF2] isSubAgentTool tells the tools of sub-agents from others', () => {
    expect(
      ['subagent__a', 'subagent__', 'subagent_a', 'note', 'xsubagent__a', '__finish__'].map(isSubAgentTool),
    ).toEqual([true, false, false, false, false, false]);
  });
});

describe('options', () => {
  it('[DF1] that nobody knows are refused by name: a misspelt gate would stand open', () => {
    const tool = { name: 'mail', description: 'Works.', inputSchema: z.object({}), execute: () => 'sent' };
    const agent = { name: 'boss', systemPrompt: 'Work.', model: noModel };
    const misspelt = (given: object) => given as never;
    expect(() => defineTool(misspelt({ ...tool, requireApprovals: true }))).toThrow(/requireApprovals/);
    expect(() => defineAgent(misspelt({ ...agent, budget: {} }))).toThrow(/budget/);
    expect(() => defineAgent(misspelt({ ...agent, limits: { maxStep: 3 } }))).toThrow(/maxStep\b/);
    const boss = defineAgent(agent);
    expect(() => createSubAgentTool(boss, z.object({}), misspelt({ timeout: 5 }))).toThrow(/timeout\b/);
  });
});

describe('examples', () => {
  it('[A88] are at most 10 texts of 1 to 500 characters', () => {
    const fit = Array.from({ length: 10 }, () => 'x'.repeat(500));
    expect(agent({ examples: fit }).examples).toEqual(fit);
    expect(agent().examples).toEqual([]);
    for (const examples of [[...fit, 'x'], ['x'.repeat(501)], [' ']])
      expect(refused(() => agent({ examples }))).toEqual(invalid('examples'));
  });
});

describe('the schema of a sub-agent', () => {
  const inputSchema = z.object({ q: z.string() });

  it('[DF9] is the agent’s own where the tool has none', () => {
    expect(createSubAgentTool(agent({ inputSchema }), { description: 'Asks.' })).toMatchObject({
      inputSchema,
      description: 'Asks.',
    });
    const later = createSubAgentTool(() => agent({ inputSchema }), { name: 'later' });
    expect(later.inputSchema).toBe(inputSchema);
  });

  it('[DF9] must come from one of the two', () => {
    const untyped: AgentDefinition = agent();
    expect(refused(() => createSubAgentTool(untyped))).toMatchObject(invalid('no `inputSchema`'));
    const later = createSubAgentTool(() => untyped, { name: 'later' });
    expect(refused(() => later.inputSchema)).toMatchObject(invalid('"subagent__later"'));
    expect(createSubAgentTool(untyped, inputSchema).inputSchema).toBe(inputSchema);
  });
});

describe('limits', () => {
  it('[DF3] every limit has its documented default', () => {
    expect(limitsOf(undefined)).toEqual({
      maxSteps: 50,
      maxConcurrentCalls: 16,
      maxConcurrentChildren: 48,
      maxChildren: 256,
      maxCompanions: 1_000,
      maxTreeChildren: 1_000,
      maxTokens: 20_000_000,
      maxCostUsd: 500,
      maxWallMs: 86_400_000,
      maxTreeTokens: 200_000_000,
      maxTreeCostUsd: 5_000,
      maxTreeSteps: 50_000,
      stopGraceMs: 2_000,
      hookTimeoutMs: 10_000,
      maxQueuedStarts: 100,
      maxVariableRequests: 64,
      variableRequestMs: 86_400_000,
      maxDepth: 16,
      toolTimeoutMs: 120_000,
      childTimeoutMs: 600_000,
      childReachMs: 30_000,
      childStopMs: 600_000,
      modelFirstChunkMs: 120_000,
      modelStallMs: 60_000,
      modelRetries: 3,
      modelPatienceMs: 300_000,
      maxConcurrentModelCalls: 64,
      maxSameFailures: 3,
      modelRetryBaseMs: 1_000,
      modelRetryAfterMs: 60_000,
      maxRecoveries: 10,
      maxToolReplays: 3,
      maxToolResultBytes: 1_048_576,
      maxMessageBytes: 262_144,
      maxInbox: 1_000,
      maxScheduledEffects: 100,
      maxEffectBytes: 65_536,
      maxEffectTries: 6,
      keepRuns: 20,
      maxReadBytes: 16_777_216,
      maxFileBytes: 536_870_912,
      maxFiles: 10_000,
      maxWorkspaceReadBytes: 65_536,
      maxWorkspaceSearchBytes: 67_108_864,
      keepLogBytes: 67_108_864,
    });
  });

  it('[DF3] what a definition sets goes over the defaults; `maxSteps` may stand beside them', () => {
    const { limits } = agent({ maxSteps: 7, limits: { maxChildren: 3, maxSteps: 9 } });
    expect(limitsOf(limits)).toEqual({ ...DEFAULT_LIMITS, maxSteps: 7, maxChildren: 3 });
  });

  it.for([0, -1, Number.NaN, 0.5, 1.5, Number.POSITIVE_INFINITY, '5', undefined])('[DF1] %s is no limit', (value) => {
    expect(refused(() => agent({ limits: { maxSteps: value as number } }))).toEqual(invalid('maxSteps'));
    if (value === undefined) return;
    expect(refused(() => tool('note', { timeoutMs: value as number }))).toEqual(invalid('timeoutMs'));
    expect(refused(() => createSubAgentTool(agent(), z.object({}), { timeoutMs: value as number }))).toEqual(
      invalid('timeoutMs'),
    );
  });

  it('[DF1] a time fits a timer, and a depth what addresses may hold: at the edge and one past it', () => {
    expect(limitProblem('childTimeoutMs', MAX_TIMER_MS)).toBeUndefined();
    expect(limitProblem('childTimeoutMs', MAX_TIMER_MS + 1)).toContain('at most');
    expect(limitProblem('maxFileBytes', 4_096 * 1_048_576)).toBeUndefined();
    expect(limitProblem('maxFileBytes', 4_096 * 1_048_576 + 1)).toContain('4 GiB');
    expect(limitProblem('keepLogBytes', MAX_TIMER_MS + 1)).toBeUndefined();
    expect(agent({ limits: { maxDepth: 16 } }).limits).toEqual({ maxDepth: 16 });
    expect(refused(() => agent({ limits: { maxDepth: 17 } }))).toEqual(invalid('at most 16'));
    expect(tool('note', { timeoutMs: MAX_TIMER_MS }).timeoutMs).toBe(MAX_TIMER_MS);
    expect(refused(() => tool('note', { timeoutMs: MAX_TIMER_MS + 1 }))).toEqual(invalid('timeoutMs'));
  });
});
