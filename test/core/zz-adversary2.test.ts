import { expect, it } from 'vitest';
import { z } from 'zod';
import { rolledUp } from '../../src/api/verbs/standing';
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

function waiting(rule: ParentSuspendRule, count: number, limits: object) {
  return (tree: Tree): TreeParts => {
    const kid = agentOf('kid', { tools: [slowTool(tree, 30_000)], outputSchema: answer });
    const think = slowTool(tree, 5_000, { name: 'think' });
    const top = agentOf('top', {
      tools: [gateTool(tree), think, createSubAgentTool(kid, question, { onParentSuspend: rule })],
      limits,
    });
    return {
      agents: [top, kid],
      scripts: {
        top: [
          { calls: [gate, { name: 'think' }, ...Array.from({ length: count }, (_, i) => child('kid', `k${i}`))] },
          { text: 'Done.' },
        ],
        kid: [{ calls: [{ name: 'slow' }] }, { finish: { answer: 'k' } }],
      },
    };
  };
}

it('B20 a queued child of a parent that suspends under `respawn` is started when that goes on', () =>
  withTree(waiting('respawn', 2, { maxConcurrentChildren: 1 }), {}, async (tree) => {
    await tree.start();
    await pass(tree, 20_000);
    console.info(
      'B20',
      tree.nodes.map((n) => [n.address, n.place, n.status]),
      tree.pending.length,
    );
    const [item] = tree.pending;
    if (!item) throw new Error('none');
    void tree.answer(item, { kind: 'approval-response', approved: true });
    await settle(tree);
    console.info('B20', results(tree));
    expect(results(tree).filter((r) => r.includes('parent_suspended'))).toEqual([]);
  }));

it('B38 respawn at the limit of the children of a tree', () =>
  withTree(waiting('respawn', 1, { maxTreeChildren: 1 }), {}, async (tree) => {
    await tree.start();
    await pass(tree, 20_000);
    const [item] = tree.pending;
    if (!item) throw new Error('none');
    void tree.answer(item, { kind: 'approval-response', approved: true });
    await settle(tree);
    console.info('B38', results(tree));
    expect(results(tree).filter((r) => r.includes('max_tree_children'))).toEqual([]);
  }));

it('B24 a child that was deleted while it waited to be respawned stays away', () =>
  withTree(waiting('respawn', 1, {}), {}, async (tree) => {
    await tree.start();
    await pass(tree, 20_000);
    const [kid] = kidsOf(tree);
    expect(kid?.status).toBe('failed');
    await tree.remove(kid?.address ?? '');
    const [item] = tree.pending;
    if (!item) throw new Error('none');
    void tree.answer(item, { kind: 'approval-response', approved: true });
    await settle(tree);
    console.info(
      'B24',
      tree.nodes.map((n) => [n.address, n.status]),
      results(tree),
    );
    expect(kidsOf(tree)).toEqual([]);
  }));

it('B24b a child that was terminated while it waited to be respawned is never started again', () =>
  withTree(waiting('respawn', 1, {}), {}, async (tree) => {
    await tree.start();
    await pass(tree, 20_000);
    const [kid] = kidsOf(tree);
    expect(kid?.status).toBe('failed');
    void tree.stopAt(kid?.address ?? '', 'terminate');
    await pass(tree, 1_000);
    expect(kidsOf(tree)[0]?.status).toBe('terminated');
    const [item] = tree.pending;
    if (!item) throw new Error('none');
    void tree.answer(item, { kind: 'approval-response', approved: true });
    await settle(tree);
    console.info(
      'B24b',
      tree.nodes.map((n) => [n.address, n.status]),
      results(tree),
    );
    expect(kidsOf(tree)).toHaveLength(1);
  }));

it('B2 a stop of a child that is queued to go on stops it', () =>
  withTree(
    (tree) => {
      const kid = agentOf('kid', { tools: [slowTool(tree, 30_000)], outputSchema: answer });
      const top = agentOf('top', { tools: [createSubAgentTool(kid, question)], limits: { maxConcurrentChildren: 1 } });
      return {
        agents: [top, kid],
        scripts: {
          top: [{ calls: [child('kid', 'x'), child('kid', 'y')] }, { text: 'Done.' }],
          kid: [{ calls: [{ name: 'slow' }] }, { finish: { answer: 'k' } }],
        },
      };
    },
    {},
    async (tree) => {
      await tree.start();
      await pass(tree, 2_000);
      const first = kidsOf(tree).find((n) => n.place === 'working');
      const address = first?.address ?? '';
      void tree.stopAt(address, 'interrupt');
      await pass(tree, 3_000);
      void tree.resume(address);
      await pass(tree, 500);
      expect(tree.nodes.find((n) => n.address === address)?.place).toBe('queued');
      let said: unknown;
      void tree.stopAt(address, 'abort').then((answer) => (said = answer));
      await pass(tree, 1_000);
      console.info(
        'B2',
        said,
        tree.nodes.map((n) => [n.address, n.place, n.status]),
      );
      await settle(tree);
      console.info(
        'B2',
        tree.nodes.map((n) => [n.address, n.place, n.status]),
        results(tree),
      );
      expect(tree.nodes.find((n) => n.address === address)?.status).not.toBe('completed');
    },
  ));

it('B1 an agent may have the name of what every object has', () =>
  withTree(
    (tree) => {
      const top = agentOf('constructor', { tools: [noteTool(tree)] });
      return { agents: [top], scripts: { constructor: [{ text: 'Done.' }] } as never };
    },
    {},
    async (tree) => {
      await tree.run();
      const object = tree.world.object(tree.address);
      const self = object.tree?.self();
      if (!object.tree || !self) throw new Error('none');
      const sum = rolledUp(object.tree, self);
      console.info('B1', sum);
      expect(sum.total.modelCalls).toBe(1);
    },
  ));

it('B5 the end of a delegation tells what its child spent', () =>
  withTree(
    (tree) => {
      const kid = agentOf('kid', { tools: [gateTool(tree)], outputSchema: answer });
      const top = agentOf('top', { tools: [createSubAgentTool(kid, question)] });
      return {
        agents: [top, kid],
        scripts: {
          top: (r) => (r.messages.length < 3 ? { calls: [child('kid')] } : { text: 'Done.' }),
          kid: [{ calls: [gate] }, { finish: { answer: 'k' } }],
        },
      };
    },
    {},
    async (tree) => {
      await tree.start();
      await tree.rest();
      tree.stop('interrupt');
      await tree.rest();
      await tree.start('Something else');
      await tree.rest();
      const ends = tree.log.flatMap(({ chunk }) => (chunk.type === 'subagent_end' ? [chunk] : []));
      console.info(
        'B5',
        ends.map((e) => [e.error?.code, e.usage]),
        tree.nodes.map((n) => n.usage.modelCalls),
      );
      expect(ends[0]?.usage.modelCalls).toBe(1);
    },
  ));

it('B12 a step that retry asks again has its onStepStart', () =>
  withTree(
    (tree) => {
      const seen: string[] = [];
      (tree as unknown as { seen: string[] }).seen = seen;
      const top = agentOf('top', {
        hooks: {
          onStepStart: (_p, c) => void seen.push(`${c.agent.runId} step`),
          onAgentStart: (_p, c) => void seen.push(`${c.agent.runId} start`),
          onStepEnd: (_p, c) => void seen.push(`${c.agent.runId} end`),
        },
      });
      let n = 0;
      return {
        agents: [top],
        scripts: { top: () => (n++ === 0 ? { fail: { code: 'model_refused' } } : { text: 'Done.' }) },
      };
    },
    {},
    async (tree) => {
      await tree.run();
      expect(tree.outcome.status).toBe('failed');
      tree.apply((f) => ({ type: 'retry', ...f, runId: 'r_again' }));
      await tree.finish();
      const { seen } = tree as unknown as { seen: string[] };
      console.info('B12', seen);
      expect(seen.filter((s) => s === 'r_again step')).toHaveLength(1);
    },
  ));

it('B4 what A2 begins again can be answered', () =>
  withTree(
    (tree) => {
      const kid = agentOf('kid', { tools: [gateTool(tree)], outputSchema: answer });
      const top = agentOf('top', { tools: [createSubAgentTool(kid, question)] });
      return {
        agents: [top, kid],
        scripts: {
          top: [{ calls: [child('kid')] }, { text: 'Done.' }],
          kid: [{ calls: [gate] }, { finish: { answer: 'k' } }],
        },
      };
    },
    {},
    async (tree) => {
      await tree.start();
      await tree.rest();
      tree.stop('interrupt');
      await tree.rest();
      await tree.remove(kidsOf(tree)[0]?.address ?? '');
      await tree.rest();
      await tree.resume();
      await tree.rest();
      const [item] = tree.pending;
      let said: unknown = 'nothing';
      if (item) void tree.answer(item, { kind: 'approval-response', approved: true }).then((a) => (said = a));
      await settle(tree);
      console.info(
        'B4',
        said,
        tree.ended,
        tree.nodes.map((n) => [n.address, n.place, n.status]),
      );
      expect(tree.ended).toBe(true);
    },
  ));

it('B7 deleting a child that waits lets its parent go on', () =>
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
          leaf: [{ calls: [gate] }, { finish: { answer: 'k' } }],
        },
      };
    },
    {},
    async (tree) => {
      await tree.start();
      await tree.rest();
      const leaf = tree.nodes.find((n) => n.agentType === 'leaf');
      void tree.remove(leaf?.address ?? '');
      await settle(tree);
      console.info(
        'B7',
        tree.ended,
        tree.nodes.map((n) => [n.address, n.place, n.status]),
      );
      expect(tree.ended).toBe(true);
      expect(tree.pending).toEqual([]);
    },
  ));
