/** Agents with something elsewhere that hang when they are asked what they owe there, because they are to go. */
import { describe, expect, it } from 'vitest';
import { createSubAgentTool } from '../../../../src/core/definition/children/relationship';
import { owesUnknown } from '../../../../src/engine/hand-over';
import { goesAllTheSame, removeTree } from '../../../../src/engine/root/removal';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../../../support/harness';
import { agentOf, answer, noteTool, question } from '../../../support/trees';
import { elsewhere } from '../support/elsewhere';
import { farTool, remotes } from '../support/far';

type Placement = 'facet' | 'object';

const DAY_MS = 86_400_000;
const TOP = '/agents/top/one';
const KIM = `${TOP}/sub/keeper/kim`;
const MIDDLE = `${KIM}/sub/middle/1~1`;

/** A root with a companion, which has a sub-agent; both have one elsewhere. */
const parts =
  (placement: Placement) =>
  (tree: Tree): TreeParts => {
    const far = agentOf('far', { inputSchema: question, outputSchema: answer, tools: [noteTool(tree)] });
    const middle = agentOf('middle', { tools: [farTool], outputSchema: answer });
    const keeper = agentOf('keeper', { tools: [createSubAgentTool(middle, question), farTool], outputSchema: answer });
    const top = agentOf('top', { persistentAgents: [{ agent: keeper, mode: 'non-blocking', placement }] });
    const spawn = { name: 'companion__spawnAgent', input: { agent: 'keeper', name: 'kim', initialMessage: 'Go' } };
    const asks = { name: 'subagent__far', input: { q: 'b' } };
    return {
      agents: [top, keeper, middle, far],
      scripts: {
        top: ({ step }) => (step === 1 ? { calls: [spawn] } : { text: 'Done.' }),
        keeper: [{ calls: [{ name: 'subagent__middle', input: { q: 'a' } }, asks] }, { finish: { answer: 'kept' } }],
        middle: [{ calls: [asks] }, { finish: { answer: 'passed on' } }],
        far: ({ step }) =>
          step === 1 ? { calls: [{ name: 'note', input: { text: 'n' } }] } : { finish: { answer: 'far' } },
      },
      env: { transport: elsewhere(tree) },
    };
  };

/** Who hangs, and until when. */
interface Hanging {
  is: boolean;
  asked: number;
}

/** A tree at rest in which one agent hangs when it is to go. */
async function hanging(
  placement: Placement,
  who: string,
  body: (tree: Tree, hang: Hanging) => Promise<void>,
  at: 'leave' | 'remove' = 'leave',
) {
  const hang: Hanging = { is: true, asked: 0 };
  const network: TreeOptions['network'] = (address, call, perform) => {
    const isAsked = address === who && call.kind === 'agent' && call.message.type === at;
    if (!isAsked) return perform();
    hang.asked++;
    return hang.is ? new Promise<never>(() => undefined) : perform();
  };
  await withTree(parts(placement), { network }, async (tree) => {
    await tree.run();
    await tree.rest();
    expect(remotes(tree)).toHaveLength(2);
    await body(tree, hang);
  });
}

/** How often it was told that this could not be removed: once for each that is owed, however often it is tried (RM20). */
const toldInVain = (tree: Tree): number =>
  tree.time.problems.filter((problem) => problem.includes(`${KIM} could not be removed`)).length;

const isThere = (tree: Tree) => (address: string) => tree.addresses.includes(address);

const FACETS = [
  { who: KIM, placement: 'facet' },
  { who: MIDDLE, placement: 'facet' },
] as const;
const ALL = [
  ...FACETS,
  { who: KIM, placement: 'object' },
  // A facet inside of an object.
  { who: MIDDLE, placement: 'object' },
] as const;

describe('an agent that hangs when it is asked what it owes elsewhere', () => {
  it.each(ALL)(
    '[RM20, RM66, RM67] stays, and is asked again over crashes until it answers: $placement, $who',
    async (shape) => {
      await hanging(shape.placement, shape.who, async (tree, hang) => {
        const from = tree.time.now;
        await tree.soon(tree.remove(KIM));
        expect(tree.time.now - from).toBeLessThan(120_000);
        expect(isThere(tree)(KIM)).toBe(true);
        tree.crash();
        // Nothing but the alarm of the root brings it back.
        await tree.time.until(() => hang.asked > 5);
        hang.is = false;
        await tree.rest();
        expect(tree.addresses).toEqual([TOP]);
        expect(tree.time.problems.join()).not.toContain('is not known');
        expect(toldInVain(tree)).toBe(1);
      });
    },
  );

  it.each(FACETS)(
    '[RM20, RM68] goes all the same after a day, alone with what it owed: $placement, $who',
    async (shape) => {
      await hanging(shape.placement, shape.who, async (tree) => {
        const from = tree.time.now;
        await tree.soon(tree.remove(KIM));
        await tree.time.until(() => !isThere(tree)(KIM), 100_000);
        expect(tree.time.now - from).toBeGreaterThanOrEqual(DAY_MS - 61_000);
        expect(tree.time.now - from).toBeLessThan(DAY_MS + 600_000);
        await tree.rest();
        expect(tree.time.problems.filter((problem) => problem.includes('is not known'))).toHaveLength(1);
        expect(tree.time.problems.join()).toContain(owesUnknown(shape.who));
        expect(toldInVain(tree)).toBe(1);
        // That of whoever did answer is paid.
        expect(remotes(tree)).toHaveLength(shape.who === KIM ? 2 : 1);
      });
    },
  );

  it.each(ALL)('[RM23] holds up the deletion of its tree no longer than it hangs: $placement, $who', async (shape) => {
    await hanging(shape.placement, shape.who, async (tree, hang) => {
      await tree.soon(tree.remove(KIM));
      await tree.soon(removeTree(tree.world.object(TOP)));
      await tree.time.pass(600_000);
      expect(isThere(tree)(TOP)).toBe(true);
      hang.is = false;
      await tree.rest();
      expect(tree.addresses).toEqual([]);
      expect(tree.time.problems.join()).not.toContain('is not known');
    });
  });

  it.each(ALL)('[RM23] does not keep its tree for more than a day: $placement, $who', async (shape) => {
    await hanging(shape.placement, shape.who, async (tree) => {
      await tree.soon(tree.remove(KIM));
      const from = tree.time.now;
      await tree.soon(removeTree(tree.world.object(TOP)));
      await tree.time.until(() => !isThere(tree)(TOP), 100_000);
      expect(tree.time.now - from).toBeLessThan(DAY_MS + 600_000);
      await tree.rest();
      expect(tree.addresses.filter((address) => address.startsWith(TOP))).toEqual([]);
      const told = tree.time.problems.filter((problem) => problem.includes('is not known'));
      expect(told.length).toBeGreaterThan(0);
      expect(told.every((one) => [goesAllTheSame(KIM), owesUnknown(shape.who)].some((it) => one.includes(it)))).toBe(
        true,
      );
    });
  });
});

describe('a parent that hangs when children of it are to go', () => {
  const told = (tree: Tree, what: string) => tree.time.problems.filter((problem) => problem.includes(what)).length;

  it.each(['facet', 'object'] as const)(
    '[RM20, RM68] is told of once, however often it is asked: %s',
    async (placement) => {
      const body = async (tree: Tree, hang: Hanging): Promise<void> => {
        await tree.soon(tree.remove(MIDDLE));
        await tree.time.until(() => hang.asked > 2);
        tree.crash();
        await tree.time.until(() => hang.asked > 4);
        hang.is = false;
        await tree.rest();
        expect(told(tree, `Agents below ${KIM} could not be deleted completely`)).toBe(1);
      };
      await hanging(placement, KIM, body, 'remove');
    },
  );

  it.each(['facet', 'object'] as const)(
    '[RM23, RM76] is told of once in the deletion of its tree: %s',
    async (placement) => {
      const body = async (tree: Tree, hang: Hanging): Promise<void> => {
        await tree.soon(removeTree(tree.world.object(TOP)));
        await tree.time.until(() => hang.asked > 2);
        tree.crash();
        await tree.time.until(() => hang.asked > 4);
        hang.is = false;
        await tree.rest();
        expect(tree.addresses).toEqual([]);
        expect(told(tree, `${KIM} did not report its pending cleanup on other servers.`)).toBe(1);
      };
      await hanging(placement, KIM, body, 'remove');
    },
  );
});
