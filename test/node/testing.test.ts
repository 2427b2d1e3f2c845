import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineTool } from '../../src/core/definition';
import { createSubAgentTool } from '../../src/core/relationship';
import { createTestRuntime, routingScriptedModel, scriptedModel } from '../../src/testing';
import { threeLevels } from '../support/trees';

describe('createTestRuntime', () => {
  it('[TT1] runs one agent to its typed output', async () => {
    const model = scriptedModel([{ calls: [{ name: 'count', input: { by: 2 } }] }, { finish: { total: 2 } }]);
    const count = defineTool({
      name: 'count',
      description: 'Counts.',
      inputSchema: z.object({ by: z.number() }),
      execute: ({ by }, context) => {
        context.updateState((state) => ({ total: (state as { total: number }).total + by }));
        return context.getState();
      },
    });
    const counter = defineAgent({
      name: 'counter',
      systemPrompt: 'Count.',
      model,
      tools: [count],
      stateSchema: z.object({ total: z.number().default(0) }),
      outputSchema: z.object({ total: z.number() }),
    });
    const runtime = createTestRuntime({ agents: [counter] });
    const run = await runtime.execute(counter, 'Count to two');
    expect(await run.result()).toEqual({ status: 'completed', output: { total: 2 } });
    expect(run.state()).toEqual({ total: 2 });
    expect(run.messages().map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool']);
    expect(run.usage()).toMatchObject({ modelCalls: 2, toolCalls: 1 });
    runtime.close();
  });

  it('[TT1, TT2] runs a tree, also through a crash, and streams all of it', async () => {
    const { agents, top, scripts } = threeLevels();
    const runtime = createTestRuntime({ agents, model: routingScriptedModel(scripts) });
    const run = await runtime.execute(top, 'Go');
    const types: string[] = [];
    for await (const { chunk } of run.stream()) {
      types.push(chunk.type);
      if (types.length === 5) runtime.crash();
    }
    expect(await run.result()).toEqual({ status: 'completed', output: 'All done.' });
    expect(run.agents()).toHaveLength(7);
    expect(types.filter((type) => type === 'run_completed')).toHaveLength(7);
    runtime.close();
  });

  it('[TT3] says what does not fit', async () => {
    const child = defineAgent({ name: 'child', systemPrompt: '', model: scriptedModel([]) });
    const parent = defineAgent({
      name: 'parent',
      systemPrompt: '',
      model: scriptedModel([{ calls: [{ name: 'subagent__child', input: {} }] }, { text: 'done' }]),
      tools: [createSubAgentTool(child, z.object({}))],
      inputSchema: z.object({ topic: z.string() }),
    });
    const problems: string[] = [];
    const runtime = createTestRuntime({ agents: [parent], report: (problem) => void problems.push(problem) });
    await expect(runtime.execute(parent, { input: { topic: 1 } })).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(runtime.execute(parent, {})).rejects.toMatchObject({ code: 'invalid_request' });
    runtime.close();
  });
});
