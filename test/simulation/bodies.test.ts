/** How many bodies of each call have begun, as the ledger and the log of an agent tell it. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { answerVerb } from '../../src/verbs/table';
import { child, clientTool, gate, gateTool, note, slowTool } from '../support/control';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { yes } from '../support/people';
import { agentOf, answer, noteTool, question } from '../support/trees';

/** The bodies of each call in the ledger, by place, and the attempts of those in the log. */
async function counts(tree: Tree): Promise<{ bodies: unknown[]; attempts: unknown[] }> {
  const ask = async (verb: string) => {
    const said = await answerVerb(tree.world.object(tree.address), {
      kind: 'verb',
      path: [],
      verb,
      input: {},
      caller: 'a',
    });
    if (!said.ok) throw new Error(said.error.message);
    const { items } = z.object({ items: z.array(z.looseObject({ kind: z.string() })) }).parse(said.body);
    return items;
  };
  const [ledger, log] = [await ask('calls'), await ask('logs')];
  const tools = log.filter(({ kind }) => kind !== 'model');
  return { bodies: ledger.map(({ bodies }) => bodies), attempts: tools.map(({ attempts }) => attempts) };
}

/** One step with a call of every kind, of which two tools may run at once. */
function everyKind(tree: Tree): TreeParts {
  const kid = agentOf('kid', { outputSchema: answer });
  const tools = [
    noteTool(tree),
    gateTool(tree),
    clientTool(),
    slowTool(tree, 5_000),
    createSubAgentTool(kid, question),
  ];
  const slow = { name: 'slow' };
  return {
    agents: [agentOf('top', { tools, limits: { maxConcurrentCalls: 2 } }), kid],
    scripts: {
      top: [
        { calls: [note, gate, gate, { name: 'look' }, child('kid'), { name: 'nothing' }, slow, slow] },
        { text: 'Done.' },
      ],
      kid: [{ finish: { answer: 'k' } }],
    },
  };
}

describe('bodies of calls', () => {
  it('[CL7] begin with their tool alone: not before an answer or a turn, not at a client or a sub-agent', () =>
    withTree(everyKind, {}, async (tree) => {
      await tree.start();
      await tree.time.pass(1_000);
      expect(await counts(tree)).toEqual({ bodies: [1, 0, 0, 0, 0, 0, 1, 1], attempts: [1, 0] });
      const [first, second, third] = tree.pending;
      if (!first || !second || !third) throw new Error('Three calls wait.');
      void tree.answer(first, { kind: 'approval-response', approved: false });
      void tree.answer(second, yes(second));
      await tree.time.pass(1_000);
      // Two others run: this one waits for its turn.
      expect((await counts(tree)).bodies).toEqual([1, 0, 0, 0, 0, 0, 1, 1]);
      await tree.time.pass(10_000);
      expect((await counts(tree)).bodies).toEqual([1, 0, 1, 0, 0, 0, 1, 1]);
      void tree.answer(third, { kind: 'client-tool-result', result: { success: true, value: 1 } });
      await tree.finish();
      expect(await counts(tree)).toEqual({ bodies: [1, 0, 1, 0, 0, 0, 1, 1], attempts: [1, 0, 1, 0, 0, 1, 1] });
      expect(tree.bodies.size).toBe(4);
    }));

  it.each(['abort', 'interrupt'] as const)(
    '[CL7, SP5] do not begin after %s, and what is closed by a start had none',
    (verb) =>
      withTree(everyKind, {}, async (tree) => {
        await tree.start();
        await tree.time.pass(1_000);
        const [, second] = tree.pending;
        if (second) void tree.answer(second, yes(second));
        await tree.time.settle();
        expect(tree.stop(verb)).toBe(true);
        await tree.finish();
        expect((await counts(tree)).bodies).toEqual([1, 0, 0, 0, 0, 0, 1, 1]);
        if (verb === 'interrupt') await tree.start();
        await tree.rest();
        expect((await counts(tree)).bodies.slice(0, 8)).toEqual([1, 0, 0, 0, 0, 0, 1, 1]);
      }),
  );
});
