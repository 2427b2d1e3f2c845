/** Custom states that are read while trees work, with the patches behind them. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineTool } from '../../src/core/definition/define-tool';
import type { ToolContext } from '../../src/core/definition/tool-context';
import { segmentOf } from '../../src/engine/tree-messages';
import { parseAddress } from '../../src/protocol/address';
import type { Json } from '../../src/protocol/json';
import { patched } from '../../src/protocol/view/patched';
import { state as stateVerb } from '../../src/verbs/reads/overview';
import { fates, network } from '../support/bad-network';
import { Tree, type TreeParts } from '../support/harness';
import { always, sized } from '../support/sizes';
import { agentOf } from '../support/trees';

/** A tool that takes a moment and then adds an item in front: a patch that is applied twice adds two. */
const adds = (tree: Tree) =>
  defineTool({
    name: 'add',
    description: 'Adds an item.',
    inputSchema: z.object({ item: z.string(), ms: z.number() }),
    execute: async ({ item, ms }, context: ToolContext<{ items?: string[] }>) => {
      await new Promise<void>((resolve) => tree.time.environment.timer(ms, resolve));
      context.updateState(({ items = [] }) => ({ items: [item, ...items] }));
      return 'added';
    },
  });

/** A parent and two children that change their states at once. */
function lists(tree: Tree): TreeParts {
  const stateSchema = z.object({ items: z.array(z.string()).optional() });
  const own = { tools: [adds(tree)], inputSchema: z.object({}), stateSchema };
  const [left, right] = [agentOf('left', own), agentOf('right', own)];
  const top = agentOf('top', { ...own, tools: [adds(tree), createSubAgentTool(left), createSubAgentTool(right)] });
  const add = (...items: string[]) => ({
    calls: items.map((item, at) => ({ name: 'add', input: { item, ms: 30 - 10 * at } })),
  });
  const child = () => [add('a', 'b'), add('c'), add('d', 'e'), { text: 'Done.' }];
  const both = { calls: ['left', 'right'].map((name) => ({ name: `subagent__${name}`, input: {} })) };
  return {
    agents: [top, left, right],
    scripts: {
      top: [{ calls: [...both.calls, ...add('f', 'g').calls] }, add('h'), { text: 'Done.' }],
      left: child(),
      right: child(),
    },
  };
}

it('[RH19, J14] a state that is read at any moment, with the patches behind its sequence, is the state at the end', async () => {
  let behind = 0;
  const law = async (bad: Parameters<typeof network>[0], seldom: number) => {
    const read: { address: string; state: Json; asOfSequence: number }[] = [];
    const reading = async (tree: Tree, address: string) => {
      const path = parseAddress(address).below.map(segmentOf);
      const call = { kind: 'verb', path, verb: 'state', input: {}, caller: 'person' } as const;
      const said = await tree.world
        .object(tree.address)
        .call(call)
        .catch(() => undefined);
      if (said?.ok) read.push({ address, ...stateVerb.output.parse(said.body) });
    };
    const tree = new Tree(lists, {
      network: network(bad),
      onCommit: (at, commit) => {
        if (commit % seldom === 0) for (const { address } of at.nodes) void reading(at, address);
      },
    });
    await tree.start();
    await tree.finish();
    await tree.rest();
    expect(tree.outcome).toMatchObject({ status: 'completed' });
    const chunks = tree.log;
    for (const { address, state, asOfSequence } of read) {
      const end = tree.world.object(address).agent?.state.custom;
      const later = chunks.filter(({ chunk, sequence }) => chunk.address === address && sequence > asOfSequence);
      const patches = later.flatMap(({ chunk }) => (chunk.type === 'state_patch' ? [chunk.patch] : []));
      const live = patches.reduce<Json | undefined>((now, patch) => now && patched(now, patch), state);
      expect([address, asOfSequence, live]).toEqual([address, asOfSequence, end]);
      behind += patches.length > 0 ? 1 : 0;
    }
    tree.close();
  };
  await always(fc.asyncProperty(fates(1), fc.integer({ min: 1, max: 4 }), law), sized(6, 100));
  expect(behind).toBeGreaterThan(10);
});
