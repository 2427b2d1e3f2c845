import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/core/definition';
import { createSubAgentTool } from '../../src/core/relationship';
import { RootRuntime } from '../../src/engine/root';
import { gateTool, slowTool } from '../support/control';
import { type Tree, withTree } from '../support/harness';
import { agentOf, answer, hangTool, noteTool, question } from '../support/trees';

const child = (name: string, q = 'a') => ({ name: `subagent__${name}`, input: { q } });
async function settle(tree: Tree, ms = 700_000): Promise<void> {
  const until = tree.time.environment.now() + ms;
  await tree.time.until(() => tree.ended || tree.time.pending === 0 || tree.time.environment.now() > until);
}
async function pass(tree: Tree, ms: number): Promise<void> {
  const until = tree.time.environment.now() + ms;
  await tree.time.until(() => tree.time.pending === 0 || tree.time.environment.now() >= until);
}
const show = (tree: Tree) => tree.nodes.map((n) => [n.address, n.place, n.status, n.entry, n.givenUp]);

it('E14 interrupt_previous: the newest start takes the place of whatever is before it', () =>
  withTree(
    (tree) => {
      const top = agentOf('top', {
        tools: [hangTool(tree), slowTool(tree, 3_600_000)],
        concurrentEntry: 'interrupt_previous',
      });
      return {
        agents: [top],
        scripts: {
          top: (r) => {
            const last = JSON.stringify(r.messages.filter((m) => m.role === 'user').at(-1));
            if (r.step > 1 || last.includes('three')) return { text: `Done ${last}` };
            return { calls: [{ name: last.includes('one') ? 'hang' : 'slow' }] };
          },
        },
      };
    },
    {},
    async (tree) => {
      await tree.start('one');
      await pass(tree, 1_000);
      await tree.start('two');
      await tree.start('three');
      const at = tree.time.now;
      await tree.time.until(() =>
        tree.log.some(({ chunk }) => chunk.type === 'run_completed' && JSON.stringify(chunk.output).includes('three')),
      );
      console.info('E14', (tree.time.now - at) / 1000, 's');
      expect(tree.time.now - at).toBeLessThan(60_000);
    },
  ));

it('E21 a call to the root stays below what an RPC takes, whatever waits for a person', async () => {
  let most = 0;
  const original = RootRuntime.prototype.post;
  RootRuntime.prototype.post = function (post) {
    most = Math.max(most, JSON.stringify(post).length);
    return original.call(this, post);
  };
  try {
    await withTree(
      (tree) => {
        const kid = agentOf('kid', { tools: [gateTool(tree)], outputSchema: answer });
        const top = agentOf('top', { tools: [createSubAgentTool(kid, question)] });
        const big = { name: 'gate', input: { text: 'x'.repeat(900_000) } };
        return {
          agents: [top, kid],
          scripts: {
            top: [{ calls: [child('kid')] }, { text: 'Done.' }],
            kid: [{ calls: [big, big, big, big, big, big, big, big] }, { finish: { answer: 'k' } }],
          },
        };
      },
      {},
      async (tree) => {
        await tree.start();
        await tree.rest();
        console.info('E21', most / 1_048_576, 'MiB', tree.pending.length);
        expect(most).toBeLessThan(32 * 1_048_576);
      },
    );
  } finally {
    RootRuntime.prototype.post = original;
  }
});

it('E30 an aborted child whose last hook takes its time has its end in the log (all limits at their defaults)', () =>
  withTree(
    (tree) => {
      const hooks = {
        onAgentFail: () => new Promise((resolve) => tree.time.environment.timer(9_000, () => resolve(undefined))),
      };
      const deaf = hangTool(tree);
      const kid = agentOf('kid', { tools: [deaf], outputSchema: answer, hooks });
      const top = agentOf('top', { tools: [createSubAgentTool(kid, question)] });
      return {
        agents: [top, kid],
        scripts: {
          top: [{ calls: [child('kid')] }, { text: 'Done.' }],
          kid: [{ calls: [{ name: 'hang' }] }, { finish: { answer: 'k' } }],
        },
      };
    },
    {},
    async (tree) => {
      await tree.start();
      await pass(tree, 1_000);
      tree.stop('abort');
      await tree.finish();
      const kid = tree.nodes.find((n) => n.agentType === 'kid');
      const ends = tree.log.filter(
        ({ chunk }) => chunk.agentType === 'kid' && /^run_(completed|failed|interrupted|terminated)$/.test(chunk.type),
      );
      console.info('E30', ends.length, show(tree));
      expect(kid?.givenUp).toBeUndefined();
      expect(ends).toHaveLength(1);
    },
  ));
