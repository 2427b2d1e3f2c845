/** How many bodies of each call have begun, as the ledger and the log of an agent tell it. */
import { describe, expect, it } from 'vitest';
import { answerVerb } from '../../src/api/verbs';
import { bodiesBegun } from '../../src/core/agent/call';
import { createSubAgentTool } from '../../src/core/definition/relationship';
import type { JsonObject } from '../../src/core/protocol/json';
import { child, clientTool, gate, gateTool, note, slowTool } from '../support/control';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { Machine, planned } from '../support/machine';
import { yes } from '../support/people';
import { agentOf, answer, noteTool, question } from '../support/trees';

/** The bodies of each call in the ledger, by place, and the attempts of those in the log. */
async function counts(tree: Tree): Promise<{ bodies: unknown[]; attempts: unknown[] }> {
  const ask = async (verb: string): Promise<JsonObject[]> => {
    const said = await answerVerb(tree.world.object(tree.address), {
      kind: 'verb',
      path: [],
      verb,
      input: {},
      caller: 'a',
    });
    if (!said.ok) throw new Error(said.error.message);
    return (said.body as { items: JsonObject[] }).items;
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

describe('counts of bodies in the core', () => {
  const counted = (machine: Machine, index: number) =>
    bodiesBegun(machine.call(index), machine.due.includes(`tool ${index}`));

  it('[CL7, AN3] none of an approval whose time is over', () => {
    const machine = new Machine();
    machine.start();
    machine.reply({ calls: [planned.approval(50), planned.client()] });
    expect(counted(machine, 0)).toBe(0);
    machine.expire(50);
    expect([counted(machine, 0), machine.call(0).settled?.unrun]).toEqual([0, true]);
  });

  it('[CL7, RC3] one more for each repeat, and none while its hook is owed', () => {
    const machine = new Machine({ hooks: ['beforeTool'] });
    machine.start();
    machine.reply({ calls: [planned.tool()] });
    expect(counted(machine, 0)).toBe(0);
    machine.hooksDone();
    expect(counted(machine, 0)).toBe(1);
    machine.recover();
    expect(counted(machine, 0)).toBe(2);
    machine.interrupt();
    machine.cut(0);
    expect([machine.status, counted(machine, 0)]).toEqual(['interrupted', 2]);
    machine.resume();
    // The hook of the new run comes first.
    expect(counted(machine, 0)).toBe(2);
    machine.hooksDone();
    expect(counted(machine, 0)).toBe(3);
    machine.stop('abort');
    machine.cut(0);
    expect(counted(machine, 0)).toBe(3);
  });

  it('[CL7, RC4] those that began before the last recovery count, and say that their outcome is unknown', () => {
    const machine = new Machine({ limits: { maxRecoveries: 1, maxConcurrentCalls: 2 } });
    machine.start();
    machine.reply({ calls: [planned.tool('a'), planned.tool('b', { replay: 'never' }), planned.tool('c')] });
    machine.recover();
    machine.recover();
    expect(machine.outcome).toMatchObject({ status: 'failed', error: { code: 'max_recoveries' } });
    expect([0, 1, 2].map((index) => counted(machine, index))).toEqual([2, 1, 1]);
    const errors = [0, 1, 2].map((index) => {
      const result = machine.call(index).settled?.result;
      return result?.success === false ? result.error.code : undefined;
    });
    expect(errors).toEqual(['max_recoveries', 'outcome_unknown', 'max_recoveries']);
  });
});
