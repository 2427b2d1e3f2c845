/** JSON that is nested too deep: refused before it is stored, wherever it comes in or is made; nothing hangs on it. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import type { AgentOptions } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { AgentHooks } from '../../src/core/definition/hooks/hook-types';
import { OffshootError } from '../../src/protocol/errors';
import type { Json } from '../../src/protocol/json';
import { deep } from '../support/deep';
import { type TreeParts, withTree } from '../support/harness';
import { present } from '../support/present';
import type { Answer } from '../support/scripted-port';
import { agentOf, toolResults } from '../support/trees';

const LEVELS = [2_000, 5_000, 20_000];
const anything = z.object({ v: z.any() });

const tool = (name: string, execute: Parameters<typeof defineTool>[0]['execute'], more = {}) =>
  defineTool({ name, description: name, inputSchema: anything, execute, ...more });

/** A top that calls something once and then ends, with the child that it may call. */
function once(call: Answer, options: Partial<AgentOptions> = {}, worker: readonly Answer[] = [{ text: 'w' }]) {
  return (): TreeParts => {
    const child = agentOf('worker', {});
    const top = agentOf('top', { ...options, tools: [createSubAgentTool(child, anything), ...(options.tools ?? [])] });
    return { agents: [top, child], scripts: { top: [call, { text: 'Done.' }], worker } };
  };
}

/** The one result of a run that completes all the same, with nobody left at work. */
async function refusal(make: () => TreeParts): Promise<unknown> {
  return withTree(make, {}, async (tree) => {
    await tree.run();
    expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
    expect(tree.nodes.every(({ schedule }) => schedule.phase === 'ended')).toBe(true);
    expect(toolResults(tree)).toHaveLength(1);
    return toolResults(tree)[0];
  });
}

const refused = (code: string) => ({
  success: false,
  error: { code, message: expect.stringContaining('deeper than 100') },
});

describe.each(LEVELS)('%i levels', (levels) => {
  const value = { v: deep(levels) };

  it('[JS1, CL4] as the arguments of a tool are a refused call', async () => {
    const bodies: unknown[] = [];
    const note = tool('note', (input) => bodies.push(input));
    expect(await refusal(once({ calls: [{ name: 'note', input: value }] }, { tools: [note] }))).toMatchObject(
      refused('invalid_arguments'),
    );
    expect(bodies).toEqual([]);
  });

  it('[JS1, DG4] as the input of a child are a refused call, and no child begins', async () => {
    const make = once({ calls: [{ name: 'subagent__worker', input: value }] });
    await withTree(make, {}, async (tree) => {
      await tree.run();
      expect(toolResults(tree)).toMatchObject([refused('invalid_arguments')]);
      expect(tree.addresses).toEqual([tree.address]);
    });
  });

  it('[JS1] as the arguments of a tool that there is not are not kept', async () => {
    const make = once({ calls: [{ name: 'nobody', input: value }] });
    expect(await refusal(make)).toMatchObject({ success: false, error: { code: 'unknown_tool' } });
  });

  it('[JS1, ST5] as the output of `__finish__` are a refused call, and the run goes on', async () => {
    const make = (): TreeParts => ({
      agents: [agentOf('top', { outputSchema: anything })],
      scripts: { top: [{ finish: value }, { finish: { v: 1 } }] },
    });
    await withTree(make, {}, async (tree) => {
      await tree.run();
      expect(toolResults(tree)[0]).toMatchObject(refused('invalid_arguments'));
      expect(tree.outcome).toMatchObject({ status: 'completed', output: { v: 1 } });
    });
  });

  it.each<[string, Parameters<typeof tool>[1], string, object]>([
    ['the result of a tool', () => value, 'tool_result_invalid', {}],
    ['the result of a tool with a schema', () => value, 'tool_result_invalid', { outputSchema: anything }],
    ['the state', (_, context) => context.updateState(() => value), 'invalid_input', {}],
    ['the data of a chunk', (_, context) => context.emitCustom('x', value), 'invalid_input', {}],
  ])('[JS1, CL4, CL5] as %s are a failed call', async (_, execute, code, more) => {
    const make = once({ calls: [{ name: 'make', input: { v: 1 } }] }, { tools: [tool('make', execute, more)] });
    expect(await refusal(make)).toMatchObject(refused(code));
  });

  it('[JS1, AN4] as what a person answers are refused, and the call waits on', async () => {
    const publish = tool('publish', () => 'done', { requireApproval: true });
    const pick = defineTool({ name: 'pick', description: 'Works.', inputSchema: anything, execute: 'client' });
    const make = once(
      {
        calls: [
          { name: 'publish', input: { v: 1 } },
          { name: 'pick', input: { v: 1 } },
        ],
      },
      { tools: [publish, pick] },
    );
    await withTree(make, {}, async (tree) => {
      await tree.start();
      await tree.rest();
      const [approval, client] = tree.pending;
      const edited = await tree.answer(present(approval), { kind: 'approval-response', approved: true, input: value });
      expect(edited).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
      const given = await tree.answer(present(client), {
        kind: 'client-tool-result',
        result: { success: true, value },
      });
      expect(given).toMatchObject({ ok: false, error: { code: 'invalid_input' } });
      expect(tree.pending).toHaveLength(2);
    });
  });

  it('[JS1, CL4] as the details of what a tool throws are left out', async () => {
    const make = once(
      { calls: [{ name: 'throw', input: { v: 1 } }] },
      { tools: [tool('throw', () => Promise.reject(new OffshootError('tool_failed', 'No.', { details: value })))] },
    );
    expect(await refusal(make)).toEqual({
      success: false,
      error: expect.objectContaining({ message: expect.stringContaining('details omitted') }),
    });
  });

  it('[JS1, HK3] as what a hook keeps are reported, and change nothing', async () => {
    let failed: unknown;
    const onStepStart: AgentHooks['onStepStart'] = (_, context) => {
      try {
        context.updateState(() => value);
      } catch (error) {
        failed = error;
      }
    };
    await withTree(
      () => ({ agents: [agentOf('top', { hooks: { onStepStart } })], scripts: { top: [{ text: 'Done.' }] } }),
      {},
      async (tree) => {
        await tree.run();
        expect(failed).toMatchObject({ code: 'invalid_input' });
        expect(tree.state().custom).toEqual({});
      },
    );
  });
});

describe('at the edge', () => {
  /** The arguments are one level, so `v` may have 99. */
  it('[JS1] 100 levels go down to a child and back, one more does not', async () => {
    const run = (levels: number) =>
      withTree(
        () => {
          const give = tool('give', (input) => input, { finishWith: true });
          const child = agentOf('worker', { tools: [give] });
          const top = agentOf('top', { tools: [createSubAgentTool(child, anything)] });
          const input: Json = { v: deep(levels) };
          const scripts = {
            top: [{ calls: [{ name: 'subagent__worker', input }] }, { text: 'Done.' }],
            worker: [{ calls: [{ name: 'give', input }] }],
          };
          return { agents: [top, child], scripts };
        },
        {},
        async (tree) => {
          await tree.run();
          return toolResults(tree)[0];
        },
      );
    expect(await run(99)).toEqual({ success: true, value: { v: deep(99) } });
    expect(await run(100)).toMatchObject(refused('invalid_arguments'));
  });
});
