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

function one(limits: object, n = 2) {
  return (tree: Tree): TreeParts => {
    const kid = agentOf('kid', { tools: [slowTool(tree, 30_000)], outputSchema: answer });
    const top = agentOf('top', { tools: [createSubAgentTool(kid, question)], limits });
    return {
      agents: [top, kid],
      scripts: {
        top: [{ calls: Array.from({ length: n }, (_, i) => child('kid', `k${i}`)) }, { text: 'Done.' }],
        kid: [{ calls: [{ name: 'slow' }] }, { finish: { answer: 'k' } }],
      },
    };
  };
}

it('C1 terminate of a child that is queued to go on leaves no place taken and no alarm', () =>
  withTree(one({ maxConcurrentChildren: 1 }), {}, async (tree) => {
    await tree.start();
    await pass(tree, 2_000);
    const address = kidsOf(tree).find((n) => n.place === 'working')?.address ?? '';
    void tree.stopAt(address, 'interrupt');
    await pass(tree, 3_000);
    void tree.resume(address);
    await pass(tree, 500);
    expect(tree.nodes.find((n) => n.address === address)?.place).toBe('queued');
    void tree.stopAt(address, 'terminate');
    await pass(tree, 1_000);
    console.info('C1', show(tree));
    await settle(tree);
    await pass(tree, 60_000);
    console.info('C1', tree.ended, show(tree), results(tree), tree.time.pending);
    expect(tree.nodes.filter((n) => n.place !== 'ended')).toEqual([]);
  }));

it('C2 interrupt of a tree with a child queued to go on, then resume', () =>
  withTree(one({ maxConcurrentChildren: 1 }), {}, async (tree) => {
    await tree.start();
    await pass(tree, 2_000);
    const address = kidsOf(tree).find((n) => n.place === 'working')?.address ?? '';
    void tree.stopAt(address, 'interrupt');
    await pass(tree, 3_000);
    void tree.resume(address);
    await pass(tree, 500);
    tree.stop('interrupt');
    await pass(tree, 20_000);
    console.info('C2', tree.ended, show(tree));
    await tree.resume();
    await settle(tree);
    console.info('C2', tree.ended, show(tree), results(tree));
    expect(tree.outcome.status).toBe('completed');
    expect(results(tree).every((r) => r.includes('"success":true'))).toBe(true);
  }));

it('C3 abort of a tree with a child queued to go on', () =>
  withTree(one({ maxConcurrentChildren: 1 }), {}, async (tree) => {
    await tree.start();
    await pass(tree, 2_000);
    const address = kidsOf(tree).find((n) => n.place === 'working')?.address ?? '';
    void tree.stopAt(address, 'interrupt');
    await pass(tree, 3_000);
    void tree.resume(address);
    await pass(tree, 500);
    tree.stop('abort');
    await pass(tree, 60_000);
    console.info('C3', tree.ended, show(tree), tree.time.pending);
    expect(tree.ended).toBe(true);
    expect(tree.nodes.filter((n) => n.place !== 'ended')).toEqual([]);
  }));

it('C4 delete of a child that is queued to go on', () =>
  withTree(one({ maxConcurrentChildren: 1 }), {}, async (tree) => {
    await tree.start();
    await pass(tree, 2_000);
    const address = kidsOf(tree).find((n) => n.place === 'working')?.address ?? '';
    void tree.stopAt(address, 'interrupt');
    await pass(tree, 3_000);
    void tree.resume(address);
    await pass(tree, 500);
    void tree.remove(address);
    await settle(tree);
    console.info('C4', tree.ended, show(tree), results(tree));
    expect(tree.outcome.status).toBe('completed');
  }));

it('C5 a message to an interrupted child by the test handle: see C5b', () =>
  withTree(one({}, 1), {}, async (tree) => {
    await tree.start();
    await pass(tree, 2_000);
    const address = kidsOf(tree)[0]?.address ?? '';
    void tree.stopAt(address, 'interrupt');
    await pass(tree, 3_000);
    const sent = tree.send('Go on.', address);
    await settle(tree);
    console.info('C5', sent.ok, tree.ended, show(tree), results(tree));
    expect(tree.ended).toBe(true);
  }));

it('C6 interrupt while a paused child is being stopped, in every order; resume; answer', () =>
  withTree(
    (tree) => {
      const kid = agentOf('kid', { tools: [slowTool(tree, 30_000)], outputSchema: answer });
      const think = slowTool(tree, 5_000, { name: 'think' });
      const top = agentOf('top', {
        tools: [gateTool(tree), think, createSubAgentTool(kid, question, { onParentSuspend: 'pause' })],
      });
      return {
        agents: [top, kid],
        scripts: {
          top: [{ calls: [gate, { name: 'think' }, child('kid')] }, { text: 'Done.' }],
          kid: [{ calls: [{ name: 'slow' }] }, { finish: { answer: 'k' } }],
        },
      };
    },
    {},
    async (tree) => {
      await tree.start();
      await pass(tree, 20_000);
      console.info('C6', show(tree));
      const address = kidsOf(tree)[0]?.address ?? '';
      // terminate the paused child, its parent being suspended for a person
      void tree.stopAt(address, 'terminate');
      await pass(tree, 1_000);
      tree.stop('interrupt');
      await tree.rest();
      await tree.resume();
      await pass(tree, 1_000);
      const [item] = tree.pending;
      if (item) void tree.answer(item, { kind: 'approval-response', approved: true });
      await settle(tree);
      console.info('C6', tree.ended, show(tree), results(tree));
      expect(tree.ended).toBe(true);
    },
  ));

it('C7 a child that ends by its own limit while its parent is interrupted... abort of an interrupted child', () =>
  withTree(one({}, 1), {}, async (tree) => {
    await tree.start();
    await pass(tree, 2_000);
    tree.stop('interrupt');
    await tree.rest();
    const address = kidsOf(tree)[0]?.address ?? '';
    let said: unknown;
    void tree.stopAt(address, 'abort').then((a) => (said = a));
    await tree.rest();
    console.info('C7', said, show(tree));
    await tree.resume();
    await settle(tree);
    console.info('C7', tree.ended, results(tree));
    expect(tree.ended).toBe(true);
  }));

it('C8 terminate at three levels, interrupted, with a crash after each commit', async () => {
  const make = (tree: Tree): TreeParts => {
    const leaf = agentOf('leaf', { tools: [gateTool(tree)], outputSchema: answer });
    const kid = agentOf('kid', { tools: [createSubAgentTool(leaf, question)], outputSchema: answer });
    const top = agentOf('top', { tools: [createSubAgentTool(kid, question)] });
    return {
      agents: [top, kid, leaf],
      scripts: {
        top: [{ calls: [child('kid')] }, { text: 'Done.' }],
        kid: [{ calls: [child('leaf')] }, { finish: { answer: 'k' } }],
        leaf: [{ calls: [gate] }, { finish: { answer: 'k' } }],
      },
    };
  };
  const bad: string[] = [];
  for (let crash = 1; crash <= 70; crash++) {
    await withTree(make, { crashAt: new Set([crash]) }, async (tree) => {
      try {
        try {
          await tree.start();
        } catch {
          await tree.start().catch(() => undefined);
        }
        await tree.rest();
        tree.stopSurely('interrupt');
        await tree.rest();
        const leaf = tree.nodes.find((n) => n.agentType === 'leaf')?.address ?? '';
        // the middle goes
        const kid = kidsOf(tree)[0]?.address ?? '';
        await Promise.race([tree.stopAt(kid, 'terminate').catch(() => undefined), tree.rest()]);
        await tree.rest();
        tree.apply((f) => ({ type: 'stop', ...f, verb: 'terminate', reason: 'End.' }));
        await tree.rest();
        if (tree.state().session.terminated === undefined || tree.nodes.some((n) => n.place !== 'ended'))
          bad.push(`${crash} ${JSON.stringify(show(tree))} ${leaf}`);
      } catch (error) {
        bad.push(`${crash} ${(error as Error).message.slice(0, 200)}`);
      }
    });
  }
  console.info('C8', bad.slice(0, 5), bad.length);
  expect(bad).toEqual([]);
}, 60_000);
