import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/core/definition';
import { createSubAgentTool } from '../../src/core/relationship';
import type { ParentSuspendRule } from '../../src/core/state';
import { clientTool, gateTool, slowTool } from '../support/control';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { agentOf, answer, hangTool, noteTool, question } from '../support/trees';

const child = (name: string, q = 'a') => ({ name: `subagent__${name}`, input: { q } });
const gate = { name: 'gate', input: { text: 'g' } };
const kidsOf = (tree: Tree) => tree.nodes.filter((node) => node.agentType === 'kid');
async function settle(tree: Tree, ms = 700_000): Promise<void> {
  const until = tree.time.environment.now() + ms;
  await tree.time.until(() => tree.ended || tree.time.pending === 0 || tree.time.environment.now() > until);
}
async function pass(tree: Tree, ms: number): Promise<void> {
  const until = tree.time.environment.now() + ms;
  await tree.time.until(() => tree.time.pending === 0 || tree.time.environment.now() >= until);
}
const results = (tree: Tree) =>
  tree
    .transcript()
    .filter((m) => m.role === 'tool')
    .map((m) => JSON.stringify(m));
const show = (tree: Tree) => tree.nodes.map((n) => [n.address, n.place, n.status, n.entry, n.givenUp]);
const yes = { kind: 'approval-response', approved: true } as const;

it('D1 expiry of an approval that passed while the tree was interrupted', () =>
  withTree(
    (tree) => {
      const kid = agentOf('kid', {
        tools: [gateTool(tree, { answerWithinMs: 10_000 } as never), clientTool({ answerWithinMs: 10_000 })],
        outputSchema: answer,
      });
      const top = agentOf('top', { tools: [createSubAgentTool(kid, question)] });
      return {
        agents: [top, kid],
        scripts: {
          top: [{ calls: [child('kid')] }, { text: 'Done.' }],
          kid: [{ calls: [gate, { name: 'look' }] }, { finish: { answer: 'k' } }],
        },
      };
    },
    {},
    async (tree) => {
      await tree.start();
      await pass(tree, 2_000);
      tree.stop('interrupt');
      await tree.time.until(() => tree.ended);
      await tree.time.pass(60_000);
      const at = tree.time.now;
      await tree.resume();
      await settle(tree, 60_000);
      console.info('D1', tree.ended, tree.time.now - at, show(tree), tree.pending.length);
      expect(tree.ended).toBe(true);
    },
  ));

it('D2 pause with nested grandchildren, the middle waits for a person as well', () =>
  withTree(
    (tree) => {
      const leaf = agentOf('leaf', { tools: [gateTool(tree), slowTool(tree, 20_000)], outputSchema: answer });
      const kid = agentOf('kid', {
        tools: [
          createSubAgentTool(leaf, question, { onParentSuspend: 'respawn' }),
          gateTool(tree),
          slowTool(tree, 3_000),
        ],
        outputSchema: answer,
      });
      const top = agentOf('top', {
        tools: [createSubAgentTool(kid, question, { onParentSuspend: 'pause' }), gateTool(tree), slowTool(tree, 8_000)],
      });
      return {
        agents: [top, kid, leaf],
        scripts: {
          top: [{ calls: [gate, { name: 'slow' }, child('kid')] }, { text: 'Done.' }],
          kid: [{ calls: [gate, { name: 'slow' }, child('leaf')] }, { finish: { answer: 'k' } }],
          leaf: [{ calls: [{ name: 'slow' }] }, { finish: { answer: 'l' } }],
        },
      };
    },
    {},
    async (tree) => {
      await tree.start();
      await pass(tree, 30_000);
      console.info(
        'D2',
        show(tree),
        tree.pending.map((p) => p.address),
      );
      // answer the middle first: it goes on while its parent waits
      for (let turn = 0; turn < 6 && !tree.ended; turn++) {
        const item = tree.pending.find((p) => p.address.includes('kid')) ?? tree.pending[0];
        if (item) void tree.answer(item, yes);
        await pass(tree, 40_000);
        console.info(
          'D2',
          turn,
          show(tree),
          tree.pending.map((p) => p.address),
        );
      }
      await settle(tree);
      expect(tree.ended).toBe(true);
      expect(results(tree).every((r) => r.includes('"success":true'))).toBe(true);
    },
  ));

it('D3 a resumed child is interrupted and resumed many times in a row at once', () =>
  withTree(
    (tree) => {
      const kid = agentOf('kid', { tools: [slowTool(tree, 30_000)], outputSchema: answer });
      const top = agentOf('top', { tools: [createSubAgentTool(kid, question)] });
      return {
        agents: [top, kid],
        scripts: {
          top: [{ calls: [child('kid'), child('kid')] }, { text: 'Done.' }],
          kid: [{ calls: [{ name: 'slow' }] }, { finish: { answer: 'k' } }],
        },
      };
    },
    {},
    async (tree) => {
      await tree.start();
      for (let i = 0; i < 12; i++) {
        for (let k = 0; k < i; k++) await new Promise((r) => setImmediate(r));
        tree.stop('interrupt');
        for (let k = 0; k < 12 - i; k++) await new Promise((r) => setImmediate(r));
        await tree.time.until(() => tree.ended);
        await tree.resume();
      }
      await settle(tree);
      console.info('D3', tree.ended, show(tree), results(tree));
      expect(tree.outcome.status).toBe('completed');
      expect(results(tree).every((r) => r.includes('"success":true'))).toBe(true);
    },
  ));

it('D4 interrupt_previous over a suspended tree three levels down; then answer the old call', () =>
  withTree(
    (tree) => {
      const leaf = agentOf('leaf', { tools: [gateTool(tree)], outputSchema: answer });
      const kid = agentOf('kid', { tools: [createSubAgentTool(leaf, question)], outputSchema: answer });
      const top = agentOf('top', { tools: [createSubAgentTool(kid, question)], concurrentEntry: 'interrupt_previous' });
      return {
        agents: [top, kid, leaf],
        scripts: {
          top: (r) =>
            JSON.stringify(r.messages.at(-1)).includes('second')
              ? { text: 'Second done.' }
              : r.step === 1
                ? { calls: [child('kid')] }
                : { text: 'Done.' },
          kid: [{ calls: [child('leaf')] }, { finish: { answer: 'k' } }],
          leaf: [{ calls: [gate] }, { finish: { answer: 'l' } }],
        },
      };
    },
    {},
    async (tree) => {
      await tree.start();
      await tree.rest();
      const [item] = tree.pending;
      if (!item) throw new Error('none');
      await tree.start('second');
      await tree.rest();
      console.info('D4', tree.ended && tree.outcome, show(tree), tree.pending.length, tree.time.pending);
      let said: unknown;
      void tree.answer(item, yes).then((a) => (said = a));
      await tree.rest();
      console.info('D4', said, show(tree), tree.pending.length);
      // the old child by its own address
      console.info('D4', await tree.resume(kidsOf(tree)[0]?.address), show(tree));
      expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Second done.' });
    },
  ));

it('D5 a hook that hangs in every place, with an interrupt at each moment, and a resume', async () => {
  const bad: string[] = [];
  for (let at = 1; at <= 40; at++) {
    await withTree(
      (tree) => {
        const hang = () => new Promise(() => undefined);
        const hooks = {
          onAgentStart: hang,
          onAgentComplete: hang,
          onStepStart: hang,
          onStepEnd: hang,
          beforeTool: hang,
          afterTool: hang,
          onChildSettled: hang,
          onAgentFail: hang,
        };
        const kid = agentOf('kid', {
          tools: [noteTool(tree), gateTool(tree)],
          outputSchema: answer,
          hooks,
          limits: { hookTimeoutMs: 1_000 },
        });
        const top = agentOf('top', {
          tools: [createSubAgentTool(kid, question), noteTool(tree)],
          hooks,
          limits: { hookTimeoutMs: 1_000 },
        });
        return {
          agents: [top, kid],
          scripts: {
            top: [{ calls: [child('kid'), { name: 'note', input: { text: 'n' } }] }, { text: 'Done.' }],
            kid: [{ calls: [gate, { name: 'note', input: { text: 'n' } }] }, { finish: { answer: 'k' } }],
          },
        };
      },
      {},
      async (tree) => {
        try {
          await tree.start();
          await pass(tree, at * 500);
          const did = tree.stop('interrupt');
          await pass(tree, 3_000);
          if (did && !tree.ended) bad.push(`${at}: not ended`);
          if (tree.ended && tree.outcome.status === 'interrupted') await tree.resume();
          for (let i = 0; i < 4 && !tree.ended; i++) {
            await pass(tree, 30_000);
            const [item] = tree.pending;
            if (item) void tree.answer(item, yes);
          }
          await settle(tree, 100_000);
          if (!tree.ended || tree.outcome.status !== 'completed')
            bad.push(`${at}: ${JSON.stringify(tree.ended && tree.outcome)} ${JSON.stringify(show(tree))}`);
        } catch (error) {
          bad.push(`${at}: ${(error as Error).message.slice(0, 300)}`);
        }
      },
    );
  }
  console.info('D5', bad.slice(0, 4), bad.length);
  expect(bad).toEqual([]);
}, 60_000);

it('D6 delete of the middle of a suspended tree while it is interrupted by itself', () =>
  withTree(
    (tree) => {
      const leaf = agentOf('leaf', { tools: [gateTool(tree)], outputSchema: answer });
      const kid = agentOf('kid', { tools: [createSubAgentTool(leaf, question)], outputSchema: answer });
      const top = agentOf('top', { tools: [createSubAgentTool(kid, question)] });
      return {
        agents: [top, kid, leaf],
        scripts: {
          top: [{ calls: [child('kid')] }, { text: 'Done.' }],
          kid: [{ calls: [child('leaf')] }, { finish: { answer: 'k' } }],
          leaf: [{ calls: [gate] }, { finish: { answer: 'l' } }],
        },
      };
    },
    {},
    async (tree) => {
      await tree.start();
      await tree.rest();
      void tree.stopAt(kidsOf(tree)[0]?.address ?? '', 'interrupt');
      await tree.rest();
      console.info('D6', show(tree));
      const leaf = tree.nodes.find((n) => n.agentType === 'leaf')?.address ?? '';
      // the leaf is deleted while its parent (kid) is interrupted and its grandparent waits
      void tree.remove(leaf);
      await tree.rest();
      console.info('D6', show(tree));
      await tree.resume(kidsOf(tree)[0]?.address ?? '');
      await settle(tree);
      console.info('D6', tree.ended, show(tree), tree.pending.length);
      expect(tree.ended).toBe(true);
    },
  ));

it('D7 usage of a deaf tool cut off by an interrupt, then resumed, adds up', () =>
  withTree(
    (tree) => {
      let bodies = 0;
      const spender = defineTool({
        name: 'spender',
        description: 's',
        inputSchema: z.object({}),
        replay: 'safe',
        timeoutMs: 1_000_000,
        execute: (_, c) => {
          c.recordUsage({ inputTokens: 100 });
          if (++bodies > 1) return 'ok';
          return new Promise((resolve) =>
            tree.time.environment.timer(60_000, () => {
              c.recordUsage({ inputTokens: 7 });
              resolve('late');
            }),
          );
        },
      });
      const kid = agentOf('kid', { tools: [spender], outputSchema: answer });
      const top = agentOf('top', { tools: [createSubAgentTool(kid, question)] });
      return {
        agents: [top, kid],
        scripts: {
          top: [{ calls: [child('kid')] }, { text: 'Done.' }],
          kid: [{ calls: [{ name: 'spender' }] }, { finish: { answer: 'k' } }],
        },
      };
    },
    {},
    async (tree) => {
      await tree.start();
      await pass(tree, 1_000);
      tree.stop('interrupt');
      await tree.time.until(() => tree.ended);
      await tree.resume();
      await settle(tree);
      await tree.time.pass(120_000);
      const kid = kidsOf(tree)[0];
      console.info('D7', kid?.usage, tree.state(kid?.address).spent);
      expect(kid?.usage.inputTokens).toBe(20 + 100 + 100 + 7);
      expect(tree.state(kid?.address).spent).toEqual(kid?.usage);
    },
  ));
