/** Agents that wait, and agents without work: neither holds anything in memory, and none counts as stuck. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineTool } from '../../src/core/definition/define-tool';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { agentOf, hangTool, noteTool, question } from '../support/trees';

/** The platform takes an object from memory that was idle for 10 s; this leaves time for a slow machine. */
const WELL_BEFORE_MS = 8_000;

/** A top that hangs in a tool, with as many children before as `kids` says; each takes a note and ends. */
function restingKids(tree: Tree, kids: number): TreeParts {
  const kid = agentOf('kid', { tools: [noteTool(tree)] });
  const top = agentOf('top', { tools: [hangTool(tree), createSubAgentTool(kid, question)] });
  const children = Array.from({ length: kids }, (_, n) => ({ name: 'subagent__kid', input: { q: String(n) } }));
  return {
    agents: [top, kid],
    scripts: {
      top: [...(kids > 0 ? [{ calls: children }] : []), { calls: [{ name: 'hang' }] }],
      kid: [{ calls: [{ name: 'note', input: { text: 'k' } }] }, { text: 'done' }],
    },
  };
}

/** A child that is heard last some ms after its root's alarm was set, and then waits for its model in silence. */
function silentKid(tree: Tree, afterMs: number): TreeParts {
  const pause = defineTool({
    name: 'pause',
    description: 'Takes a while.',
    inputSchema: z.object({}),
    execute: () => new Promise((resolve) => tree.time.environment.timer(afterMs, () => resolve('well'))),
  });
  const kid = agentOf('kid', { tools: [pause] });
  const top = agentOf('top', { tools: [createSubAgentTool(kid, question)] });
  return {
    agents: [top, kid],
    scripts: {
      top: [{ calls: [{ name: 'subagent__kid', input: { q: 'x' } }] }],
      kid: [{ calls: [{ name: 'pause' }] }, { hang: true }],
    },
  };
}

describe('agents that wait', () => {
  it.each([10, 1_000, 2_400, 2_600, 4_900])(
    '[B4, RT3] a child at work, last heard %i ms after the alarm was set, is rung before the platform takes it for idle',
    async (afterMs) => {
      // What the child is asked, and what it asks: both are work to the platform.
      const active: number[] = [];
      let now = (): number => 0;
      const network: TreeOptions['network'] = (_address, _call, perform) => {
        active.push(now());
        return perform();
      };
      await withTree(
        (tree) => silentKid(tree, afterMs),
        { network },
        async (tree) => {
          now = () => tree.time.now;
          await tree.start();
          await tree.time.pass(120_000);
          const gaps = active.slice(1).map((at, index) => at - (active[index] ?? 0));
          expect(gaps.length).toBeGreaterThan(12);
          expect(Math.max(...gaps)).toBeLessThan(WELL_BEFORE_MS);
          expect(tree.port.asked.filter(({ agentType }) => agentType === 'kid')).toHaveLength(2);
        },
      );
    },
  );
});

describe('agents without work', () => {
  it('[B5] hold no timer while their root goes on: nothing keeps them in memory', async () => {
    const pending = (kids: number) =>
      withTree(
        (tree) => restingKids(tree, kids),
        {},
        async (tree) => {
          await tree.start();
          await tree.time.until(() => tree.bodies.size === kids + 1);
          await tree.time.pass(1_000);
          return tree.time.pending;
        },
      );
    expect(await pending(3)).toBe(await pending(0));
  });

  it('[B5] hold no timer after the end of the whole tree', async () => {
    await withTree(
      (tree) => ({ ...restingKids(tree, 3), scripts: { ...restingKids(tree, 3).scripts, top: [{ text: 'done' }] } }),
      {},
      async (tree) => {
        await tree.run();
        expect(tree.time.pending).toBe(0);
      },
    );
  });
});
