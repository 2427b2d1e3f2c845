/** What a copy of a root has of a step that was under way: results of tools that came before its rows were sent. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/core/definition/define-tool';
import { ask, ONE, TWO } from '../support/copied-roots';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { agentOf } from '../support/trees';

/** A step of two calls: one ends at once, the other when the test lets it. */
const parts = (gate: Promise<void>) => (): TreeParts => {
  const tool = defineTool({
    name: 'slow',
    description: 'Takes its time.',
    inputSchema: z.object({}),
    replay: 'safe',
    execute: async (_, context) => {
      await gate;
      context.updateState(() => ({ seen: true }));
      return 'slow';
    },
  });
  const quick = defineTool({
    name: 'quick',
    description: 'Is quick.',
    inputSchema: z.object({}),
    replay: 'safe',
    execute: async () => 'quick',
  });
  const top = agentOf('top', { tools: [tool, quick], stateSchema: z.object({ seen: z.boolean().default(false) }) });
  return {
    agents: [top],
    scripts: { top: ({ step }) => (step === 1 ? { calls: [{ name: 'slow' }, { name: 'quick' }] } : { text: 'Done.' }) },
  };
};

const resultsAt = (tree: Tree, address: string) =>
  tree.transcript(address).flatMap((message) => (message.role === 'tool' ? [message.result] : []));

/** The copy is asked for while the slow one works, which ends before so many calls to the copy's object. */
async function copied(calls: number) {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  let made = 0;
  const network: TreeOptions['network'] = async (address, _, perform) => {
    if (address === TWO && made++ === calls) {
      open();
      // It ends before this one goes on.
      for (let turns = 0; turns < 50; turns++) await Promise.resolve();
    }
    return perform();
  };
  return withTree(parts(gate), { network }, async (tree: Tree) => {
    await tree.start();
    await tree.time.pass(1_000);
    const reply = await ask(tree, 'fork', { name: 'two' }, 'k');
    open();
    await tree.rest();
    expect(reply).toMatchObject({ ok: true });
    expect(resultsAt(tree, ONE)).toMatchObject([{ value: 'slow' }, { value: 'quick' }]);
    const [slow, quick] = resultsAt(tree, TWO);
    expect(quick).toMatchObject({ value: 'quick' });
    const { seen } = z.object({ seen: z.boolean().default(false) }).parse(tree.state(TWO).custom);
    if (slow?.success) expect([slow.value, seen]).toEqual(['slow', true]);
    else expect(slow).toMatchObject({ error: { code: 'interrupted' } });
    expect(tree.time.problems).toEqual([]);
    return { has: slow?.success, made };
  });
}

describe('a copy of a root that works', () => {
  it('[CP16, CP3] has a result of a tool with all that it changed, or none, at whatever moment that comes', async () => {
    const { made } = await copied(Number.POSITIVE_INFINITY);
    const seen = new Set<boolean | undefined>();
    for (let calls = 0; calls < made; calls++) seen.add((await copied(calls)).has);
    expect(made).toBeGreaterThan(1);
    expect(seen).toEqual(new Set([true, false]));
  });
});
