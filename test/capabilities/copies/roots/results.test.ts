/** What a copy of a root, or of a companion in an object, has of a step that was under way: results of tools that came before its rows were sent. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../../src/core/definition/define-tool';
import type { JsonObject } from '../../../../src/protocol/json';
import { ask } from '../../../support/asks';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../../../support/harness';
import { companion, questions } from '../../../support/levels';
import { agentOf } from '../../../support/trees';
import { ONE, TWO } from '../support/roots';

/** One whose step has two calls: one ends at once, the other when the test lets it. */
function working(name: string, gate: Promise<void>) {
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
  return agentOf(name, { tools: [tool, quick], stateSchema: z.object({ seen: z.boolean().default(false) }) });
}

const works: TreeParts['scripts'][string] = ({ step, messages }) =>
  step === 1 && questions(messages).at(-1) !== 'two'
    ? { calls: [{ name: 'slow' }, { name: 'quick' }] }
    : { text: 'Done.' };

/** Who is copied, and where, with what is asked for. */
interface Copied {
  readonly of: string;
  readonly to: string;
  readonly input: JsonObject;
  make(gate: Promise<void>): TreeParts;
}

const ROOT: Copied = {
  of: ONE,
  to: TWO,
  input: { name: 'two' },
  make: (gate) => ({ agents: [working('top', gate)], scripts: { top: works } }),
};

const COMPANION: Copied = {
  of: `${ONE}/sub/scout/ada`,
  to: `${ONE}/sub/scout/bob`,
  input: { name: 'bob', message: 'two' },
  make(gate) {
    const scout = working('scout', gate);
    const top = agentOf('top', { persistentAgents: [{ agent: scout, placement: 'object' }] });
    const call = companion('spawnAgent', {
      agent: 'scout',
      name: 'ada',
      initialMessage: 'one',
      mode: 'non-blocking',
    });
    return {
      agents: [top, scout],
      scripts: { top: ({ step }) => (step === 1 ? { calls: [call] } : { text: 'Done.' }), scout: works },
    };
  },
};

const resultsAt = (tree: Tree, address: string) =>
  tree.transcript(address).flatMap((message) => (message.role === 'tool' ? [message.result] : []));

/** The copy is asked for while the slow one works, which ends before so many calls to the copy's object. */
async function copied({ of, to, input, make }: Copied, calls: number) {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  let made = 0;
  const network: TreeOptions['network'] = async (address, _, perform) => {
    if (address === to && made++ === calls) {
      open();
      // It ends before this one goes on.
      for (let turns = 0; turns < 50; turns++) await Promise.resolve();
    }
    return perform();
  };
  return withTree(
    () => make(gate),
    { network },
    async (tree: Tree) => {
      await tree.start();
      await tree.time.pass(1_000);
      const reply = await ask(tree, 'fork', input, 'k', of);
      await tree.time.pass(1_000);
      open();
      await tree.rest();
      expect(reply).toMatchObject({ ok: true });
      expect(resultsAt(tree, of)).toMatchObject([{ value: 'slow' }, { value: 'quick' }]);
      const [slow, quick] = resultsAt(tree, to);
      expect(quick).toMatchObject({ value: 'quick' });
      const { seen } = z.object({ seen: z.boolean().default(false) }).parse(tree.state(to).custom);
      if (slow?.success) expect([slow.value, seen]).toEqual(['slow', true]);
      else expect(slow).toMatchObject({ error: { code: 'interrupted' } });
      expect(tree.time.problems).toEqual([]);
      return { has: slow?.success, made };
    },
  );
}

describe.each([
  ['a root', ROOT],
  ['a companion in an object', COMPANION],
] as const)('a copy of %s that works', (_, who) => {
  it('[CP16, CP3] has a result of a tool with all that it changed, or none, at whatever moment that comes', async () => {
    const { made } = await copied(who, Number.POSITIVE_INFINITY);
    const seen = new Set<boolean | undefined>();
    for (let calls = 0; calls < made; calls++) seen.add((await copied(who, calls)).has);
    expect(made).toBeGreaterThan(1);
    expect(seen).toEqual(new Set([true, false]));
  });
});
