/** Time limits: of a call, of a sub-agent and of a run; whose clocks run while there is work, and stand while it waits. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { PersonsAnswer } from '../../src/core/agent/events';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineTool } from '../../src/core/definition/define-tool';
import { examine } from '../support/examine';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { agentOf, noteTool, question, toolResults } from '../support/trees';

const YES: PersonsAnswer = { kind: 'approval-response', approved: true };
/** Longer than any time limit of these tests, in ms. */
const LONG = 1_000_000;

/** A tool that takes so long, in ms of its input. */
function slowTool(tree: Tree, options: { timeoutMs?: number } = {}) {
  return defineTool({
    name: 'slow',
    description: 'Takes its time.',
    inputSchema: z.object({ ms: z.number() }),
    replay: 'safe',
    timeoutMs: LONG,
    ...options,
    execute: ({ ms }, { idempotencyKey }) => {
      tree.body(idempotencyKey);
      return new Promise((resolve) => tree.time.environment.timer(ms, () => resolve('Slow.')));
    },
  });
}

const slow = (ms: number) => ({ name: 'slow', input: { ms } });
const child = (name = 'worker') => ({ name: `subagent__${name}`, input: { q: 'a' } });

/** A root with one child, which works so long, waits for a person in between, and works so long again. */
function waiting(tree: Tree, before: number, after: number, timeoutMs: number): TreeParts {
  const tools = [slowTool(tree), noteTool(tree, { name: 'ask', requireApproval: true })];
  const worker = agentOf('worker', { tools });
  const top = agentOf('top', { tools: [createSubAgentTool(worker, question, { timeoutMs })] });
  return {
    agents: [top, worker],
    scripts: {
      top: [{ calls: [child()] }, { text: 'Done.' }],
      worker: [
        { calls: [slow(before)] },
        { calls: [{ name: 'ask', input: { text: 'May I?' } }] },
        { calls: [slow(after)] },
        { text: 'Ok.' },
      ],
    },
  };
}

/** Runs a tree up to its first question, lets so much time pass, says yes, and runs it to its end. */
async function answeredAfter(tree: Tree, ms: number): Promise<void> {
  await tree.start();
  await tree.time.until(() => tree.pending.length > 0);
  await tree.time.drain();
  const [asked] = tree.pending;
  await tree.time.pass(ms);
  if (asked === undefined) throw new Error('Nothing waits.');
  expect(await tree.answer(asked, YES)).toMatchObject({ ok: true });
  await tree.finish();
  examine(tree);
}

describe('the time of a call', () => {
  it.for([
    [999, true],
    [1_001, false],
  ] as const)('[TM1] a body of %i ms within its 1,000 ms: %s', async ([ms, success]) => {
    const make = (tree: Tree): TreeParts => ({
      agents: [agentOf('top', { tools: [slowTool(tree, { timeoutMs: 1_000 })] })],
      scripts: { top: [{ calls: [slow(ms)] }, { text: 'Done.' }] },
    });
    await withTree(make, {}, async (tree) => {
      const begun = tree.time.now;
      await tree.run();
      expect(tree.outcome).toMatchObject({ status: 'completed' });
      const [result] = toolResults(tree);
      expect(result).toMatchObject(
        success
          ? { success }
          : { success, error: { code: 'tool_timeout', message: expect.stringContaining('1000 ms') } },
      );
      const end = tree.log.find(({ chunk }) => chunk.type === 'tool_end')?.chunk.timestamp;
      expect(end).toBe(begun + Math.min(ms, 1_000));
      examine(tree);
    });
  });

  it('[TM1] a call that waits for its turn does not use its time', async () => {
    const make = (tree: Tree): TreeParts => ({
      agents: [agentOf('top', { tools: [slowTool(tree, { timeoutMs: 1_000 })], limits: { maxConcurrentCalls: 1 } })],
      scripts: { top: [{ calls: [slow(900), slow(900), slow(900)] }, { text: 'Done.' }] },
    });
    await withTree(make, {}, async (tree) => {
      await tree.run();
      expect(toolResults(tree).map(({ success }) => success)).toEqual([true, true, true]);
    });
  });
});

describe('the time of a sub-agent', () => {
  it.for([
    [600, 399, true],
    [600, 401, false],
  ] as const)(
    '[TM2] works %i ms, waits for a person for long, and works %i ms, within its 1,000 ms: %s',
    async ([before, after, success]) => {
      await withTree(
        (tree) => waiting(tree, before, after, 1_000),
        {},
        async (tree) => {
          await answeredAfter(tree, LONG);
          expect(tree.outcome).toMatchObject({ status: 'completed' });
          expect(toolResults(tree)).toMatchObject([
            success
              ? { success }
              : { success, error: { code: 'child_timeout', message: expect.stringContaining('1000 ms') } },
          ]);
        },
      );
    },
  );

  it.for([
    [999, true],
    [1_001, false],
  ] as const)('[TM2] stands in the queue for long and works %i ms, within its 1,000 ms: %s', async ([ms, success]) => {
    const make = (tree: Tree): TreeParts => {
      const first = agentOf('first', { tools: [slowTool(tree)] });
      const worker = agentOf('worker', { tools: [slowTool(tree)] });
      const tools = [
        createSubAgentTool(first, question, { timeoutMs: LONG }),
        createSubAgentTool(worker, question, { timeoutMs: 1_000 }),
      ];
      const top = agentOf('top', { tools, limits: { maxConcurrentChildren: 1 } });
      return {
        agents: [top, first, worker],
        scripts: {
          top: [{ calls: [child('first'), child()] }, { text: 'Done.' }],
          first: [{ calls: [slow(50_000)] }, { text: 'Ok.' }],
          worker: [{ calls: [slow(ms)] }, { text: 'Ok.' }],
        },
      };
    };
    await withTree(make, {}, async (tree) => {
      await tree.run();
      expect(toolResults(tree)).toMatchObject([
        { success: true },
        success ? { success } : { success, error: { code: 'child_timeout' } },
      ]);
      examine(tree);
    });
  });

  it('[TM2] a budget’s maxWallMs is its time where it is shorter', async () => {
    const make = (tree: Tree): TreeParts => {
      const worker = agentOf('worker', { tools: [slowTool(tree)] });
      const top = agentOf('top', {
        tools: [createSubAgentTool(worker, question, { timeoutMs: 9_000, budget: { maxWallMs: 1_000 } })],
      });
      return {
        agents: [top, worker],
        scripts: { top: [{ calls: [child()] }, { text: 'Done.' }], worker: () => ({ calls: [slow(400)] }) },
      };
    };
    await withTree(make, {}, async (tree) => {
      await tree.run();
      expect(toolResults(tree)).toMatchObject([
        { success: false, error: { code: 'child_timeout', message: expect.stringContaining('1000 ms') } },
      ]);
      expect(tree.port.asked.filter(({ agentType }) => agentType === 'worker')).toHaveLength(3);
    });
  });

  it('[TM2] goes on with what was left of it after a crash, and after an interruption', async () => {
    const make = (tree: Tree): TreeParts => {
      const worker = agentOf('worker', { tools: [slowTool(tree)] });
      const top = agentOf('top', { tools: [createSubAgentTool(worker, question, { timeoutMs: 20_000 })] });
      return {
        agents: [top, worker],
        scripts: { top: [{ calls: [child()] }, { text: 'Done.' }], worker: () => ({ calls: [slow(6_500)] }) },
      };
    };
    await withTree(make, {}, async (tree) => {
      const begun = tree.time.now;
      await tree.start();
      await tree.time.pass(7_000);
      tree.crash();
      await tree.time.pass(5_000);
      tree.apply((facts) => ({ type: 'stop', ...facts, verb: 'interrupt', reason: 'Wait.' }));
      await tree.finish();
      expect(tree.outcome.status).toBe('interrupted');
      const worked = tree.time.now - begun;
      await tree.time.pass(LONG);
      const again = tree.time.now;
      await tree.resume();
      await tree.finish();
      expect(toolResults(tree)).toMatchObject([{ success: false, error: { code: 'child_timeout' } }]);
      const stopped =
        tree.log.find(({ chunk }) => chunk.type === 'run_failed' && chunk.agentType === 'worker')?.chunk.timestamp ?? 0;
      // After the time of the clock its last body may have two seconds to end.
      expect(worked + stopped - again).toBeGreaterThanOrEqual(20_000);
      expect(worked + stopped - again).toBeLessThanOrEqual(20_000 + 2 * 2_000);
    });
  });
});

describe('the time of a run', () => {
  it.for([
    [600, 399, 'completed'],
    [600, 401, 'failed'],
  ] as const)(
    '[TM3] a root works %i ms, waits for a person for long, and works %i ms, within its 1,000 ms: %s',
    async ([before, after, status]) => {
      const make = (tree: Tree): TreeParts => {
        const { agents, scripts } = waiting(tree, before, after, LONG);
        const [, worker] = agents;
        if (worker === undefined) throw new Error('There is no worker.');
        return { agents: [{ ...worker, limits: { ...worker.limits, maxWallMs: 1_000 } }], scripts };
      };
      await withTree(make, {}, async (tree) => {
        await answeredAfter(tree, LONG);
        expect(tree.outcome).toMatchObject(
          status === 'completed'
            ? { status }
            : { status, error: { code: 'run_timeout', message: expect.stringContaining('1000 ms') } },
        );
      });
    },
  );

  it('[TM3] a root that waits for its children uses its time, one whose child waits for a person does not', async () => {
    const make = (tree: Tree): TreeParts => {
      const { agents, scripts } = waiting(tree, 600, 500, LONG);
      const [top, worker] = agents;
      return { agents: [{ ...top, limits: { ...top.limits, maxWallMs: 1_000 } }, worker ?? top], scripts };
    };
    await withTree(make, {}, async (tree) => {
      await answeredAfter(tree, LONG);
      expect(tree.outcome).toMatchObject({ status: 'failed', error: { code: 'run_timeout' } });
      expect(tree.nodes.map(({ status }) => status)).toEqual(['failed', 'failed']);
    });
  });
});

describe('progress', () => {
  it('[TM4] a run that is lost at each of its steps goes on, however often that is', async () => {
    const make = (tree: Tree): TreeParts => ({
      agents: [agentOf('top', { tools: [noteTool(tree)], limits: { maxRecoveries: 1, maxToolReplays: 9 } })],
      scripts: {
        top: ({ step }) => (step <= 30 ? { calls: [{ name: 'note', input: { text: 'n' } }] } : { text: 'Done.' }),
      },
    });
    const onCommit = (tree: Tree, commit: number): void => {
      if (tree.commits[commit - 1] === 'tool_settled') tree.crash();
    };
    await withTree(make, { onCommit }, async (tree) => {
      await tree.run();
      expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
      expect(tree.crashes).toBe(30);
      examine(tree);
    });
  });
});
