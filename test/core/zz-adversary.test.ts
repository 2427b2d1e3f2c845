import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/core/definition';
import { createSubAgentTool } from '../../src/core/relationship';
import { clientTool, gateTool, slowTool } from '../support/control';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { agentOf, answer, hangTool, noteTool, question } from '../support/trees';

const child = (name: string, q = 'a') => ({ name: `subagent__${name}`, input: { q } });
const gate = { name: 'gate', input: { text: 'g' } };

/** top -> kid (slow tool) */
function pair(tree: Tree): TreeParts {
  const kid = agentOf('kid', { tools: [slowTool(tree, 20_000), gateTool(tree)], outputSchema: answer });
  const top = agentOf('top', { tools: [createSubAgentTool(kid, question), gateTool(tree)] });
  return {
    agents: [top, kid],
    scripts: {
      top: [{ calls: [child('kid')] }, { text: 'Done.' }],
      kid: [{ calls: [gate] }, { finish: { answer: 'k' } }],
    },
  };
}

/** Runs virtual time until the root rests or so much time has passed. */
async function settle(tree: Tree, ms = 700_000): Promise<void> {
  const until = tree.time.environment.now() + ms;
  await tree.time.until(() => tree.ended || tree.time.pending === 0 || tree.time.environment.now() > until);
}

const kidOf = (tree: Tree) => tree.nodes.find((node) => node.agentType === 'kid');

it('A1 a child that was terminated while its parent was interrupted is drained when the parent resumes', () =>
  withTree(pair, {}, async (tree) => {
    await tree.start();
    await tree.rest();
    expect(tree.pending).toHaveLength(1);
    expect(tree.stop('interrupt')).toBe(true);
    await tree.rest();
    expect(tree.outcome.status).toBe('interrupted');
    const kid = kidOf(tree);
    expect(kid?.status).toBe('interrupted');
    expect((await tree.stopAt(kid?.address ?? '', 'terminate')).ok).toBe(true);
    await tree.rest();
    expect(kidOf(tree)?.status).toBe('terminated');
    expect(await tree.resume()).toBe(true);
    await settle(tree);
    console.info(
      'A1',
      tree.ended,
      tree.nodes.map((n) => [n.address, n.place, n.status, n.entry]),
      JSON.stringify(tree.state().step).slice(0, 600),
    );
    expect(tree.ended).toBe(true);
    expect(tree.outcome.status).toBe('completed');
  }));

it('A2 a child that was deleted while its parent was interrupted is not begun again', () =>
  withTree(pair, {}, async (tree) => {
    await tree.start();
    await tree.rest();
    tree.stop('interrupt');
    await tree.rest();
    const kid = kidOf(tree);
    await tree.remove(kid?.address ?? '');
    await tree.rest();
    expect(kidOf(tree)).toBeUndefined();
    expect(await tree.resume()).toBe(true);
    await settle(tree);
    console.info(
      'A2',
      tree.ended,
      tree.nodes.map((n) => [n.address, n.sessionId === kid?.sessionId, n.place, n.status, n.entry]),
      tree.pending.length,
      tree.state().run?.phase,
    );
    expect(tree.port.asked.filter((a) => a.agentType === 'kid').length).toBe(1);
    expect(tree.ended).toBe(true);
  }));

it('A3 a stop waits for a child as long as its own stopGraceMs allows', () =>
  withTree(
    (tree) => {
      const slowToEnd = defineTool({
        name: 'slowend',
        description: 'Needs 15 s to end well.',
        inputSchema: z.object({}),
        replay: 'safe',
        timeoutMs: 1_000_000,
        execute: (_, { abortSignal }) =>
          new Promise((resolve) =>
            abortSignal.addEventListener('abort', () => tree.time.environment.timer(15_000, () => resolve({ ok: 1 }))),
          ),
      });
      const kid = agentOf('kid', { tools: [slowToEnd], outputSchema: answer, limits: { stopGraceMs: 30_000 } });
      const top = agentOf('top', { tools: [createSubAgentTool(kid, question)] });
      return {
        agents: [top, kid],
        scripts: {
          top: [{ calls: [child('kid')] }, { text: 'Done.' }],
          kid: [{ calls: [{ name: 'slowend' }] }, { finish: { answer: 'k' } }],
        },
      };
    },
    {},
    async (tree) => {
      await tree.start();
      const from = tree.time.environment.now();
      await tree.time.until(() => tree.time.environment.now() > from + 5_000);
      tree.stop('interrupt');
      await tree.time.until(() => tree.ended);
      console.info(
        'A3',
        tree.outcome,
        tree.nodes.map((n) => [n.address, n.place, n.status, n.givenUp]),
      );
      expect(kidOf(tree)?.status).toBe('interrupted');
      expect(kidOf(tree)?.givenUp).toBeUndefined();
    },
  ));

it('A4 never more than maxConcurrentChildren at work, also after an answer', () =>
  withTree(
    (tree) => {
      const kid = agentOf('kid', { tools: [slowTool(tree, 20_000), gateTool(tree)], outputSchema: answer });
      const top = agentOf('top', { tools: [createSubAgentTool(kid, question)], limits: { maxConcurrentChildren: 1 } });
      return {
        agents: [top, kid],
        scripts: {
          top: [{ calls: ['a', 'b', 'c', 'd'].map((q) => child('kid', q)) }, { text: 'Done.' }],
          kid: [{ calls: [gate] }, { calls: [{ name: 'slow' }] }, { finish: { answer: 'k' } }],
        },
      };
    },
    {},
    async (tree) => {
      await tree.start();
      await tree.rest();
      expect(tree.pending).toHaveLength(4);
      for (const item of tree.pending) await tree.answer(item, { kind: 'approval-response', approved: true });
      const from = tree.time.environment.now();
      await tree.time.until(() => tree.time.environment.now() > from + 2_000);
      const working = tree.nodes.filter((n) => n.id !== 1 && n.place === 'working').length;
      console.info('A4', working);
      expect(working).toBeLessThanOrEqual(1);
    },
  ));

it('A5 a budget is overshot by at most one model call of each agent that works', () =>
  withTree(
    (tree) => {
      const kid = agentOf('kid', { tools: [noteTool(tree), slowTool(tree, 100_000)], outputSchema: answer });
      const top = agentOf('top', { tools: [createSubAgentTool(kid, question)], limits: { maxTreeTokens: 20_000 } });
      const n = { name: 'note', input: { text: 'n' } };
      return {
        agents: [top, kid],
        scripts: {
          top: [
            { calls: [child('kid', 'patient'), child('kid', 'greedy')], usage: { inputTokens: 1, outputTokens: 1 } },
            { text: 'Done.' },
          ],
          kid: (request) => {
            const greedy = JSON.stringify(request.messages[0]).includes('greedy');
            if (greedy) return { calls: [n], usage: { inputTokens: 1_000, outputTokens: 0 } };
            if (request.step === 1) return { calls: [{ name: 'slow' }], usage: { inputTokens: 1, outputTokens: 0 } };
            return { calls: [n], usage: { inputTokens: 4, outputTokens: 0 } };
          },
        },
      };
    },
    {},
    async (tree) => {
      await tree.run();
      const after = tree.port.asked.filter(
        (a) => a.agentType === 'kid' && JSON.stringify(a.messages[0]).includes('patient'),
      ).length;
      console.info(
        'A5',
        after,
        tree.outcome,
        tree.nodes.map((x) => [x.address, x.status, x.usage.inputTokens + x.usage.outputTokens, x.usage.modelCalls]),
      );
      // step 1 before the budget was used up; at most one after it
      expect(after).toBeLessThanOrEqual(2);
    },
  ));

it('A6 a message is not accepted by a session that is ending for good', () =>
  withTree(
    (tree) => {
      const kid = agentOf('kid', { tools: [hangTool(tree)], outputSchema: answer });
      const top = agentOf('top', { tools: [createSubAgentTool(kid, question), hangTool(tree)] });
      return { agents: [top, kid], scripts: { top: [{ calls: [{ name: 'hang' }] }, { text: 'x' }], kid: [] } };
    },
    {},
    async (tree) => {
      await tree.start();
      await tree.time.until(() => tree.bodies.size > 0);
      expect(tree.stop('terminate')).toBe(true);
      const sent = tree.send('Hello?');
      console.info('A6', sent.ok, sent.ok ? '' : sent.refused);
      await tree.finish();
      expect(sent.ok).toBe(false);
    },
  ));

it('A7 starts run in the order in which they were accepted', () =>
  withTree(
    (tree) => {
      const top = agentOf('top', { tools: [slowTool(tree, 5_000)], concurrentEntry: 'queue' });
      return {
        agents: [top, agentOf('kid')],
        scripts: { top: (r) => (r.step === 1 ? { calls: [{ name: 'slow' }] } : { text: 'Done.' }), kid: [] },
      };
    },
    {},
    async (tree) => {
      await tree.start('one');
      const from = tree.time.environment.now();
      await tree.time.until(() => tree.time.environment.now() > from + 1_000);
      await tree.start('two');
      tree.stop('interrupt');
      await tree.rest();
      await tree.start('three');
      await tree.rest();
      const users = tree
        .transcript()
        .filter((m) => m.role === 'user')
        .map((m) => m.content);
      console.info('A7', users);
      expect(users).toEqual(['one', 'two', 'three']);
    },
  ));

it('A8 the stream does not say that a tree is suspended after its answer was accepted', () =>
  withTree(
    (tree) => {
      const leaf = agentOf('leaf', { tools: [slowTool(tree, 20_000), gateTool(tree)], outputSchema: answer });
      const kid = agentOf('kid', { tools: [createSubAgentTool(leaf, question)], outputSchema: answer });
      const top = agentOf('top', { tools: [createSubAgentTool(kid, question)] });
      return {
        agents: [top, kid, leaf],
        scripts: {
          top: [{ calls: [child('kid')] }, { text: 'Done.' }],
          kid: [{ calls: [child('leaf')] }, { finish: { answer: 'k' } }],
          leaf: [{ calls: [gate] }, { calls: [{ name: 'slow' }] }, { finish: { answer: 'l' } }],
        },
      };
    },
    {},
    async (tree) => {
      await tree.start();
      await tree.rest();
      const [item] = tree.pending;
      if (!item) throw new Error('nothing');
      const given = tree.answer(item, { kind: 'approval-response', approved: true });
      let ok = false;
      given.then(() => {
        ok = true;
        console.info(
          'A8',
          tree.nodes.map((n) => n.status),
          tree.pending.length,
        );
      });
      await tree.time.until(() => ok);
      expect(tree.nodes[0]?.status).toBe('running');
    },
  ));
