/** Large values, and what cannot be delivered: nothing hangs, and what is too large is refused. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineTool } from '../../src/core/definition/define-tool';
import { type TreeOptions, withTree } from '../support/harness';
import { agentOf, question } from '../support/trees';

const nothing = z.object({});

describe('large values', () => {
  it.each([100_000, 300_000, 700_000, 1_000_000])(
    '[DG10, DG5, OB1, SO2] a child hands over an output of %i characters',
    async (size) => {
      const give = defineTool({
        name: 'give',
        description: 'Works.',
        inputSchema: nothing,
        finishWith: true,
        execute: () => 'x'.repeat(size),
      });
      const worker = agentOf('worker', { tools: [give] });
      const top = agentOf('top', { tools: [createSubAgentTool(worker, question)] });
      const scripts = {
        top: [{ calls: [{ name: 'subagent__worker', input: { q: 'a' } }] }, { text: 'Done' }],
        worker: [{ calls: [{ name: 'give', input: {} }] }],
      };
      await withTree(
        () => ({ agents: [top, worker], scripts }),
        {},
        async (tree) => {
          await tree.run();
          const end = tree.log.find(({ chunk }) => chunk.type === 'subagent_end')?.chunk;
          expect(end).toMatchObject({ success: true, result: 'x'.repeat(size) });
          const ends = tree.log.filter(({ chunk }) => chunk.type === 'run_completed' && chunk.agentType === 'worker');
          expect(ends).toHaveLength(1);
        },
      );
    },
  );

  it('[CL4, CL5] refuses a state, a custom chunk and arguments over the limit, each as a failed call', async () => {
    const limits = { maxToolResultBytes: 1_000 };
    const keep = (
      name: string,
      run: (
        text: string,
        context: { updateState(change: () => string): void; emitCustom(name: string, data: string): void },
      ) => void,
    ) =>
      defineTool({
        name,
        description: 'Works.',
        inputSchema: z.object({ length: z.number() }),
        execute: ({ length }, context) => run('ä'.repeat(length), context),
      });
    const state = keep('state', (text, context) => context.updateState(() => text));
    const custom = keep('custom', (text, context) => context.emitCustom('data', text));
    const take = defineTool({
      name: 'take',
      description: 'Works.',
      inputSchema: z.object({ text: z.string() }),
      execute: () => 'taken',
    });
    const top = agentOf('top', { tools: [state, custom, take], limits });
    const calls = [
      ...['state', 'custom'].flatMap((name) => [499, 500].map((length) => ({ name, input: { length } }))),
      ...[989, 990].map((length) => ({ name: 'take', input: { text: 'x'.repeat(length) } })),
    ];
    await withTree(
      () => ({ agents: [top], scripts: { top: [{ calls }, { text: 'done' }] } }),
      {},
      async (tree) => {
        await tree.run();
        const ends = tree.log.filter(({ chunk }) => chunk.type === 'tool_end').map(({ chunk }) => chunk);
        expect(ends.filter((chunk) => chunk.type === 'tool_end' && chunk.success)).toHaveLength(3);
        const codes = ends.flatMap((chunk) => (chunk.type === 'tool_end' && chunk.error ? [chunk.error.code] : []));
        expect(codes.sort()).toEqual(['invalid_arguments', 'payload_too_large', 'payload_too_large']);
      },
    );
  });

  it('[DG6, DG7] a child whose end cannot be delivered is given up after its stop, and its parent goes on', async () => {
    const worker = agentOf('worker', {});
    const top = agentOf('top', { tools: [createSubAgentTool(worker, question, { timeoutMs: 10_000 })] });
    const scripts = {
      top: [{ calls: [{ name: 'subagent__worker', input: { q: '1' } }] }, { text: 'done' }],
      worker: [{ text: 'w' }],
    };
    const network: TreeOptions['network'] = async (_, call, perform) => {
      if (call.kind === 'root' && call.request.batches.some(({ status }) => status === 'completed'))
        throw new Error('This is too large to be sent.');
      return perform();
    };
    await withTree(
      () => ({ agents: [top, worker], scripts }),
      { network },
      async (tree) => {
        await tree.start();
        await tree.time.until(() => tree.ended);
        const end = tree.log.find(({ chunk }) => chunk.type === 'subagent_end')?.chunk;
        expect(end).toMatchObject({ success: false, error: { code: 'child_timeout' } });
        expect(tree.nodes.every(({ schedule }) => schedule.phase === 'ended')).toBe(true);
      },
    );
  });
});
