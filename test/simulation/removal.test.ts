/** Removing agents: what is owed survives, what came after is left alone. */

import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { ChildRef } from '../../src/core/ports/child-transport';
import type { DirectoryPort } from '../../src/core/ports/directory';
import { belowEach } from '../../src/core/tree/subtree-sums';
import { TreeIndex } from '../../src/core/tree/tree-index';
import { segmentOf } from '../../src/engine/tree-messages';
import { parseAddress } from '../../src/protocol/address';
import type { Json } from '../../src/protocol/json';
import { limitsDocument } from '../../src/protocol/wire/readings';
import { standingOf } from '../../src/verbs/reads/standing';
import { answerVerb } from '../../src/verbs/table';
import { child, gate, gateTool, slowTool, waitingCall } from '../support/control';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { noModel } from '../support/no-model';
import { yes } from '../support/people';
import { agentOf, question, threeLevels } from '../support/trees';

function ask(tree: Tree, verb: string, at = tree.address, input: Json = {}, idempotencyKey?: string) {
  const path = parseAddress(at).below.map(segmentOf);
  const key = idempotencyKey === undefined ? {} : { idempotencyKey };
  return answerVerb(tree.world.object(tree.address), { kind: 'verb', path, verb, input, caller: 'a', ...key });
}

const refused = (code: string) => ({ ok: false, error: { code } });

describe('the objects of children that left the record', () => {
  it('[A17, DG9] are removed once each, one at a time, and never the child that took the slot since', async () => {
    const worker = agentOf('worker');
    const call = { name: 'subagent__worker', input: { q: 'a' } };
    const scripts = {
      top: [{ calls: [call, call, call] }, { calls: [{ name: 'wait' }] }, { calls: [call] }, { text: 'done' }],
      worker: [{ text: 'w' }],
    };
    await withTree(
      (tree) => {
        const wait = defineTool({
          name: 'wait',
          description: 'Waits until the first slot is free again.',
          inputSchema: z.object({}),
          execute: () => new Promise((resolve) => tree.time.environment.timer(15, () => resolve(null))),
        });
        const tools = [wait, createSubAgentTool(worker, question)];
        return { agents: [agentOf('top', { tools, limits: { keepRuns: 1 } }), worker], scripts };
      },
      {},
      async (tree) => {
        await tree.run();
        const object = tree.world.object(tree.address);
        const removed: string[] = [];
        let [inFlight, most] = [0, 0];
        const remove = async ({ placement }: ChildRef): Promise<void> => {
          const { className, segment } = placement;
          const [slot, generation] = segment.split('~').map(Number);
          removed.push(segment);
          expect(object.store.slot(className, slot ?? 0)).toMatchObject({ generation, free: false });
          most = Math.max(most, ++inFlight);
          await new Promise<void>((resolve) => tree.time.environment.timer(10, resolve));
          inFlight--;
        };
        Object.assign(object.ports.transports.facet, { remove });
        await tree.start('Again');
        // Each of these looks through the same children.
        for (let sweep = 0; sweep < 4; sweep++) object.resume();
        await tree.finish();
        expect(tree.time.problems).toEqual([]);
        expect(most).toBe(1);
        // A slot was taken again while its earlier child was still on the lists of the other sweeps.
        expect(tree.nodes.map(({ address }) => address)).toContain(`${tree.address}/sub/worker/1~2`);
        expect(removed.sort()).toEqual(['1~1', '2~1', '3~1', '4~1']);
      },
    );
  });

  it('[A17] go after a crash too: until then nobody is found there', async () => {
    let lost = false;
    const network = async <Answer>(_at: string, call: object, perform: () => Promise<Answer>): Promise<Answer> => {
      if (lost && JSON.stringify(call).includes('"type":"remove"')) throw new Error('Lost.');
      return perform();
    };
    await withTree(
      (tree) => threeLevels(tree),
      { network },
      async (tree) => {
        Object.assign(tree.world.options, { verb: answerVerb });
        await tree.run();
        const leaf = `${tree.address}/sub/middle/1~1/sub/leaf/1~1`;
        expect(tree.addresses).toContain(leaf);
        lost = true;
        expect(await ask(tree, 'remove', leaf, {}, 'k')).toMatchObject({ ok: true });
        tree.crash();
        expect(await ask(tree, 'status', leaf)).toMatchObject(refused('not_found'));
        expect(await ask(tree, 'tree', leaf)).toMatchObject(refused('not_found'));
        expect(await ask(tree, 'remove', leaf)).toMatchObject(refused('not_found'));
        expect(await ask(tree, 'remove', leaf, {}, 'k')).toMatchObject({ ok: true });
        expect(tree.addresses).toContain(leaf);
        tree.crash();
        lost = false;
        // Nobody asks: the alarm that was set before the crash is enough.
        await tree.time.drain();
        expect(tree.addresses).not.toContain(leaf);
        expect(tree.world.object(tree.address).tree?.pendingRemovals).toEqual([]);
        expect(await ask(tree, 'status', leaf)).toMatchObject(refused('gone'));
        expect(await ask(tree, 'status', leaf.replace(/1~1$/, '2~1'))).toMatchObject({ ok: true });
      },
    );
  });

  it('[A17] are asked for once by a deletion', async () => {
    const asked: string[] = [];
    const network: TreeOptions['network'] = (address, call, perform) => {
      if (call.kind === 'agent' && call.message.type === 'remove') asked.push(address);
      return perform();
    };
    await withTree(
      (tree) => threeLevels(tree),
      { network },
      async (tree) => {
        await tree.run();
        const middle = `${tree.address}/sub/middle/1~1`;
        await tree.remove(`${middle}/sub/leaf/1~1`);
        await tree.time.drain();
        expect(asked).toEqual([middle]);
      },
    );
  });
});

/** A kid that works itself beside a leaf below it, which needs a yes. */
function worksBeside(tree: Tree): TreeParts {
  const leaf = agentOf('leaf', { tools: [gateTool(tree), slowTool(tree, 20_000)] });
  const kid = agentOf('kid', { tools: [slowTool(tree, 60_000), createSubAgentTool(leaf, question)] });
  const top = agentOf('top', { tools: [createSubAgentTool(kid, question)] });
  const slow = { name: 'slow' };
  return {
    agents: [top, kid, leaf],
    scripts: {
      top: [{ calls: [child('kid')] }, { text: 'Done.' }],
      kid: [{ calls: [child('leaf'), slow] }, { text: 'k' }],
      leaf: [{ calls: [gate] }, { calls: [slow] }, { text: 'l' }],
    },
  };
}

describe('a deleted agent', () => {
  it('[A17] does not come back into the record with what its parent had asked for it before', async () => {
    let [asks, deleted] = [0, false];
    const network: TreeOptions['network'] = async (_at, call, perform) => {
      const asksOn = asks > 0 && call.kind === 'root' && call.request.admit.length > 0;
      if (asksOn && !deleted) asks++;
      if (asksOn && !deleted) throw new Error('The root was not reached.');
      return perform();
    };
    await withTree(worksBeside, { network }, async (tree) => {
      await tree.start();
      await tree.time.until(() => tree.pending.length > 0 && tree.commits.includes('wait_acknowledged'));
      asks = 1;
      const waiting = waitingCall(tree);
      void tree.answer(waiting, yes(waiting));
      // The leaf goes on, and its parent asks the root for it, in vain.
      await tree.time.until(() => asks > 1);
      await tree.remove(waiting.address);
      deleted = true;
      await tree.finish();
      expect(tree.outcome).toMatchObject({ status: 'completed' });
      expect(tree.nodes.map(({ agentType, status }) => [agentType, status])).toEqual([
        ['top', 'completed'],
        ['kid', 'completed'],
      ]);
      Object.assign(tree.world.options, { verb: answerVerb });
      expect(await ask(tree, 'status', waiting.address)).toMatchObject(refused('gone'));
    });
  });
});

describe('what deleted agents were', () => {
  it.each(['/sub/leaf/1~1', ''])('[A14, BU10, A11] is counted at each agent above them: middle/1~1%s', (below) =>
    withTree(
      (tree) => threeLevels(tree),
      {},
      async (tree) => {
        Object.assign(tree.world.options, { verb: answerVerb });
        await tree.run();
        const middle = `${tree.address}/sub/middle/1~1`;
        const spent = async (at: string) => {
          const said = await ask(tree, 'usage', at, { includeSubAgents: true });
          return said.ok ? said.body : said.error;
        };
        const used = async () => {
          const said = await ask(tree, 'limits');
          return said.ok ? limitsDocument.parse(said.body).used : {};
        };
        const before = { middle: await spent(middle), root: await spent(tree.address), used: await used() };
        expect(before.middle).toMatchObject({ byAgent: { middle: { modelCalls: 2 }, leaf: { modelCalls: 4 } } });
        expect(before.used).toMatchObject({ maxTreeChildren: 6 });
        expect(await ask(tree, 'remove', `${middle}${below}`)).toMatchObject({ ok: true });
        expect(await spent(tree.address)).toEqual(before.root);
        expect(await used()).toEqual(before.used);
        if (below === '') return;
        expect(await spent(middle)).toEqual(before.middle);
        // It goes on with what is above, when that goes too.
        expect(await ask(tree, 'remove', middle)).toMatchObject({ ok: true });
        expect(await spent(tree.address)).toEqual(before.root);
        expect(await used()).toEqual(before.used);
      },
    ),
  );
});

describe('a root that is being deleted', () => {
  it('[A16] takes neither a start nor a message', async () => {
    const script = { top: () => ({ hang: true }) };
    await withTree(
      () => ({ agents: [agentOf('top')], scripts: script }),
      {},
      async (tree) => {
        await tree.start();
        await tree.time.settle();
        const removal = ask(tree, 'remove');
        await Promise.resolve();
        expect(await ask(tree, 'start', tree.address, { message: 'x' })).toMatchObject(refused('unavailable'));
        expect(await ask(tree, 'send', tree.address, { content: 'x' })).toMatchObject(refused('unavailable'));
        await tree.time.drain();
        expect(await removal).toMatchObject({ ok: true });
      },
    );
  });

  it('[A16, A18, OP13] is known by its key however often it fails, over a crash, and the directory hears that key', async () => {
    const parts = () => ({ agents: [agentOf('top')] as const, scripts: { top: [{ text: 'Done.' }] } });
    await withTree(parts, {}, async (tree) => {
      await tree.run();
      const recordDeletion = vi.fn<DirectoryPort['recordDeletion']>().mockRejectedValue(new Error('It is away.'));
      const directory = { recordDeletion, report: async () => undefined, wasDeleted: async () => false };
      const opened = (): void => {
        tree.world.object(tree.address).ports.directory = () => directory;
      };
      opened();
      expect(await ask(tree, 'remove', tree.address, {}, 'K')).toMatchObject({ ok: true });
      for (const crashes of [false, true, false]) {
        if (crashes) tree.crash();
        opened();
        const tries = recordDeletion.mock.calls.length;
        await tree.time.until(() => recordDeletion.mock.calls.length > tries);
        expect(await ask(tree, 'remove', tree.address, {}, 'other')).toMatchObject(refused('not_found'));
        expect(await ask(tree, 'remove', tree.address, {}, 'K')).toMatchObject({ ok: true });
      }
      recordDeletion.mockResolvedValue(undefined);
      await tree.time.drain();
      const keys = recordDeletion.mock.calls.map(([{ key }]) => key);
      expect(new Set(keys)).toEqual(new Set(['["a","K"]']));
      expect(tree.addresses).toEqual([]);
    });
  });
});

describe('a key that is used twice at once', () => {
  const requests = [
    ['send', { content: 'pay' }],
    ['start', { message: 'pay' }],
  ] as const;

  it.each(requests)('[A18, A19] is one acceptance, however long the schema takes: %s', async (verb, input) => {
    const passes = async (): Promise<boolean> => {
      await new Promise<void>((resolve) => setImmediate(resolve));
      return true;
    };
    const stateSchema = z.object({ a: z.string().default('x') }).refine(passes);
    const top = defineAgent({ name: 'top', systemPrompt: 't', model: noModel, stateSchema });
    await withTree(
      () => ({ agents: [top], scripts: { top: () => ({ hang: true }) } }),
      {},
      async (tree) => {
        const one = () => ask(tree, verb, tree.address, input, 'K');
        const [first, second] = await Promise.all([one(), one()]);
        expect(first).toMatchObject({ ok: true });
        expect(second).toMatchObject({ ok: true, body: first.ok ? first.body : undefined });
        expect(tree.store().messages({})).toHaveLength(1);
        const other: Json = verb === 'send' ? { content: 'x' } : { message: 'x' };
        expect(await ask(tree, verb, tree.address, other, 'K')).toMatchObject(refused('idempotency_conflict'));
      },
    );
  });
});

describe('a key that is used at several agents of one tree', () => {
  it('[A18] is another request at each, also where their root answers for all of them', async () => {
    await withTree(
      (tree) => threeLevels(tree),
      {},
      async (tree) => {
        await tree.run();
        const known = () => tree.nodes.map(({ address }) => address);
        const leaves = known().filter((address) => address.includes('/leaf/'));
        expect(leaves).toHaveLength(4);
        for (const [index, leaf] of leaves.entries()) {
          expect(await ask(tree, 'remove', leaf, {}, 'K')).toMatchObject({ ok: true });
          expect(known().filter((address) => address.includes('/leaf/'))).toEqual(leaves.slice(index + 1));
        }
      },
    );
  });
});

describe('GET tree', () => {
  it('[A8] counts in one pass what each agent has below it', async () => {
    await withTree(
      (tree) => threeLevels(tree),
      {},
      async (tree) => {
        await tree.run();
        const runtime = tree.world.object(tree.address).tree;
        if (runtime === undefined) throw new Error('There is no root.');
        const all = runtime.tree.subtree(1);
        const sums = belowEach(all);
        expect(all).toHaveLength(7);
        for (const node of all) {
          const subtree = runtime.tree.subtree(node.id);
          const lastSequence = Math.max(...subtree.map(({ sequence }) => sequence));
          const childCounts = { running: 0, queued: 0, total: subtree.length - 1 };
          expect(standingOf(runtime, node, sums)).toMatchObject({ childCounts, lastSequence });
        }
        const subtrees = vi.spyOn(TreeIndex.prototype, 'subtree');
        expect(await ask(tree, 'tree')).toMatchObject({ ok: true, body: { childCounts: { total: 6 } } });
        expect(subtrees).toHaveBeenCalledTimes(1);
        subtrees.mockRestore();
      },
    );
  });
});
