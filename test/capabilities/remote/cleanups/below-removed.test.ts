/**
 * An agent elsewhere below an agent that is deleted while the tree stays: what is there is stopped and removed, whoever of
 * those above it goes, where it lives, and whatever is lost meanwhile.
 */
import { describe, expect, it } from 'vitest';
import { createSubAgentTool } from '../../../../src/core/definition/children/relationship';
import { RemoteError } from '../../../../src/core/definition/remote-transport';
import { owesUnknown } from '../../../../src/engine/hand-over';
import { goesAllTheSame, removeTree } from '../../../../src/engine/root/removal';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../../../support/harness';
import { sample } from '../../../support/sizes';
import { agentOf, answer, noteTool, question } from '../../../support/trees';
import { type Between, elsewhere } from '../support/elsewhere';
import { farTool, remotes } from '../support/far';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 10;
const TOP = '/agents/top/one';
const KIM = `${TOP}/sub/keeper/kim`;
const MIDDLE = `${KIM}/sub/middle/1~1`;

interface Shape {
  /** Where the companion lives. */
  readonly placement?: 'facet' | 'object';
  readonly between?: Between;
  /** Whether the agent elsewhere works on and on. */
  readonly hangs?: boolean;
}

/** A root with a companion, which has a sub-agent, which has one elsewhere. */
function parts({ placement = 'facet', between = {}, hangs = false }: Shape) {
  return (tree: Tree): TreeParts => {
    const far = agentOf('far', { inputSchema: question, outputSchema: answer, tools: [noteTool(tree)] });
    const middle = agentOf('middle', { tools: [farTool], outputSchema: answer });
    const keeper = agentOf('keeper', { tools: [createSubAgentTool(middle, question)], outputSchema: answer });
    const top = agentOf('top', { persistentAgents: [{ agent: keeper, mode: 'non-blocking', placement }] });
    const spawn = { name: 'companion__spawnAgent', input: { agent: 'keeper', name: 'kim', initialMessage: 'Go' } };
    return {
      agents: [top, keeper, middle, far],
      scripts: {
        top: ({ step }) => (step === 1 ? { calls: [spawn] } : { text: 'Done.' }),
        keeper: [{ calls: [{ name: 'subagent__middle', input: { q: 'a' } }] }, { finish: { answer: 'kept' } }],
        middle: [{ calls: [{ name: 'subagent__far', input: { q: 'b' } }] }, { finish: { answer: 'passed on' } }],
        far: ({ step }) => {
          if (hangs) return { hang: true };
          return step === 1 ? { calls: [{ name: 'note', input: { text: 'n' } }] } : { finish: { answer: 'far' } };
        },
      },
      env: { transport: elsewhere(tree, between) },
    };
  };
}

/** Whether a root is there that is not being deleted. */
const isThere = (tree: Tree): boolean =>
  remotes(tree).some((address) => tree.world.object(address).tree?.self()?.top.removing === undefined);

/** What no agent of the tree owes any more. */
function holdPaid(tree: Tree, what = ''): void {
  expect(remotes(tree), what).toEqual([]);
  expect(tree.store().remotes(), what).toEqual([]);
  expect(
    tree.nodes.filter((node) => node.effectAt !== undefined || node.owesElsewhere !== undefined),
    what,
  ).toEqual([]);
  expect(tree.time.pending, what).toBe(0);
  expect(
    tree.time.problems.filter((problem) => !problem.includes('was lost from memory')),
    what,
  ).toEqual([]);
}

/** Runs it, then deletes the companion; everything is lost right after that commit, counted from the deletion on. */
async function deleted(shape: Shape, crashAt = 0): Promise<number> {
  let [transactions, counts] = [0, false];
  let crash = (): void => undefined;
  const transaction = (): void => {
    if (counts && ++transactions === crashAt) crash();
  };
  return withTree(parts(shape), { transaction }, async (tree) => {
    crash = () => tree.crash();
    await tree.start();
    if (shape.hangs) await tree.time.until(() => remotes(tree).length > 0 && tree.port.working > 0);
    else await tree.rest();
    expect(isThere(tree)).toBe(true);
    counts = true;
    // Whoever asked for it asks again, where that was lost with the process.
    for (let crashes = -1; crashes !== tree.crashes; ) {
      crashes = tree.crashes;
      let done = false;
      const ended = (): void => {
        done = true;
      };
      tree.remove(KIM).then(ended, ended);
      await tree.time.until(() => done || tree.crashes > crashes);
    }
    await tree.rest();
    counts = false;
    const what = `after transaction ${crashAt}`;
    expect(
      tree.nodes.map(({ address }) => address),
      what,
    ).toEqual([TOP]);
    expect(tree.addresses, what).toEqual([TOP]);
    holdPaid(tree, what);
    return transactions;
  });
}

describe.each(['facet', 'object'] as const)(
  'a companion (%s) that is deleted, with one elsewhere below it',
  (placement) => {
    it.each([false, true])(
      '[RM18, RM62] takes the root there with it, at work: %s, also where any commit is the last before a crash',
      async (hangs) => {
        const length = await deleted({ placement, hangs });
        expect(length).toBeGreaterThan(3);
        for (const at of sample(length, MOST)) await deleted({ placement, hangs }, at);
      },
    );
  },
);

/** A network on which removals are lost while it is told to. */
const losing = () => {
  const lost = { removals: true, tries: 0 };
  const between: Between = {
    async call(request, perform) {
      if (request.verb === 'remove') lost.tries += 1;
      if (request.verb === 'remove' && lost.removals) throw new RemoteError('remote_unreachable', 'It was lost.');
      return perform();
    },
  };
  return { lost, between };
};

/** A tree at rest whose companion was deleted, while what that takes with it elsewhere is lost on the way. */
const losingKim = (
  placement: 'facet' | 'object',
  body: (tree: Tree, lost: { removals: boolean; tries: number }) => Promise<void>,
) => {
  const { lost, between } = losing();
  return withTree(parts({ placement, between }), {}, async (tree) => {
    await tree.run();
    await tree.rest();
    await tree.soon(tree.remove(KIM));
    await body(tree, lost);
  });
};

describe.each(['facet', 'object'] as const)('what is owed elsewhere by an agent that is gone (%s)', (placement) => {
  it('[RM18, RM8, RM62] is owed by whoever took its place away, over crashes in which nobody has work, and its name is free', () =>
    losingKim(placement, async (tree, lost) => {
      await tree.time.until(() => lost.tries > 2);
      tree.crash();
      const { tries } = lost;
      // Nothing but the alarm of the root brings it back.
      await tree.time.until(() => lost.tries > tries);
      expect(tree.addresses.filter((address) => address.startsWith(KIM))).toEqual([]);
      await tree.start('Again.');
      const again = () => tree.nodes.filter(({ status }) => status === 'completed').map(({ address }) => address);
      await tree.time.until(() => again().includes(TOP) && again().includes(KIM));
      expect(remotes(tree).length).toBe(2);
      lost.removals = false;
      await tree.rest();
      // That of the companion that has the name now stays.
      expect(remotes(tree).length).toBe(1);
      expect(tree.store().remotes()).toEqual([]);
      await tree.soon(tree.remove(KIM));
      await tree.rest();
      holdPaid(tree);
    }));

  it('[RM18, RM60] is paid before a tree that is deleted meanwhile is gone', () =>
    losingKim(placement, async (tree, lost) => {
      await tree.soon(removeTree(tree.world.object(TOP)));
      const { tries } = lost;
      await tree.time.until(() => lost.tries > tries);
      expect(tree.world.object(TOP).tree?.self()?.top.removing).toBeDefined();
      lost.removals = false;
      await tree.rest();
      expect(tree.addresses).toEqual([]);
      expect(tree.time.problems).toEqual([]);
    }));
});

const DAY_MS = 86_400_000;

describe('an agent that is to go and does not say what it owes elsewhere', () => {
  /** A tree at rest in which one agent fails so often when it is asked that. */
  const silent = async (who: string, most: number, body: (tree: Tree, asked: () => number) => Promise<void>) => {
    let asked = 0;
    const network: TreeOptions['network'] = async (address, call, perform) => {
      const isAsked = address === who && call.kind === 'agent' && call.message.type === 'leave';
      if (isAsked && ++asked <= most) throw new Error('Its object does not start.');
      return perform();
    };
    await withTree(parts({}), { network }, async (tree) => {
      await tree.run();
      await tree.rest();
      await tree.soon(tree.remove(KIM));
      await body(tree, () => asked);
    });
  };

  it.each([KIM, MIDDLE])('[RM20, RM67] stays, and is asked again over crashes until it does: %s', async (who) => {
    await silent(who, 40, async (tree, asked) => {
      expect(asked()).toBeLessThan(30);
      expect(tree.addresses).toContain(KIM);
      expect(tree.nodes.map(({ address }) => address)).toEqual([TOP]);
      const before = asked();
      tree.crash();
      // Nothing but the alarm of the root brings it back.
      await tree.time.until(() => asked() > before + 10);
      expect(isThere(tree)).toBe(true);
      await tree.rest();
      expect(asked()).toBe(41);
      expect(tree.addresses).toEqual([TOP]);
      expect(remotes(tree)).toEqual([]);
      expect(tree.world.object(TOP).tree?.pendingRemovals).toEqual([]);
      expect(tree.time.problems.join()).not.toContain('is not known');
    });
  });

  it.each([KIM, MIDDLE])('[RM20, RM68] goes all the same after a day, which is reported: %s', async (who) => {
    await silent(who, Number.POSITIVE_INFINITY, async (tree, asked) => {
      const from = tree.time.now;
      await tree.time.until(() => !tree.addresses.includes(KIM), 100_000);
      expect(tree.time.now - from).toBeGreaterThanOrEqual(DAY_MS - 5_000);
      expect(tree.time.now - from).toBeLessThan(DAY_MS + 400_000);
      await tree.rest();
      expect(tree.addresses.filter((address) => address.startsWith(TOP))).toEqual([TOP]);
      expect(tree.time.problems.filter((problem) => problem.includes(owesUnknown(who)))).toHaveLength(1);
      // With delays of 5 minutes in the end.
      expect(asked()).toBeLessThan(10 * 24 * 12);
    });
  });

  it('[RM20, RM69] goes at once where another one begins in its place', async () => {
    await silent(KIM, Number.POSITIVE_INFINITY, async (tree) => {
      const from = tree.time.now;
      await tree.start('Again.');
      const again = () => tree.nodes.filter(({ status }) => status === 'completed').map(({ address }) => address);
      await tree.time.until(() => again().includes(TOP) && again().includes(KIM));
      expect(tree.time.now - from).toBeLessThan(30_000);
      await tree.rest();
      // The one that has the name now stays; what the one before owed is lost.
      expect(tree.addresses).toContain(KIM);
      expect(tree.time.problems.filter((problem) => problem.includes(owesUnknown(KIM)))).toHaveLength(1);
    });
  });
});

describe('a tree that is deleted while one of its agents does not say what it owes elsewhere', () => {
  /** How one that is asked does not answer. */
  const WAYS = [
    { name: 'it fails', ask: () => Promise.reject(new Error('Its object does not start.')) },
    { name: 'it hangs', ask: () => new Promise<never>(() => undefined) },
  ];

  /** A tree at rest that is being deleted, and in which that agent does not answer so often. */
  const deletedSilent = async (
    ask: () => Promise<never>,
    most: number,
    body: (tree: Tree, asked: () => number) => Promise<void>,
  ) => {
    let asked = 0;
    const network: TreeOptions['network'] = (address, call, perform) => {
      const isAsked = address === MIDDLE && call.kind === 'agent' && call.message.type === 'remove';
      return isAsked && ++asked <= most ? ask() : perform();
    };
    await withTree(parts({}), { network }, async (tree) => {
      await tree.run();
      await tree.rest();
      await tree.soon(removeTree(tree.world.object(TOP)));
      expect(asked).toBe(1);
      await body(tree, () => asked);
    });
  };

  it.each(WAYS)('[RM23] waits for it, over crashes, and goes once that is paid: $name', async ({ ask }) => {
    await deletedSilent(ask, 12, async (tree, asked) => {
      await tree.time.until(() => asked() > 5);
      tree.crash();
      // Nothing but the alarm of the root brings it back.
      await tree.time.until(() => asked() > 12, 5_000);
      await tree.rest();
      expect(asked()).toBeLessThan(20);
      expect(tree.addresses).toEqual([]);
      expect(tree.time.problems.join()).not.toContain('is not known');
    });
  });

  it.each(WAYS)('[RM23, RM76] goes all the same after a day, which is reported: $name', async ({ ask }) => {
    await deletedSilent(ask, Number.POSITIVE_INFINITY, async (tree, asked) => {
      const from = tree.time.now;
      await tree.time.until(() => !tree.addresses.includes(TOP), 100_000);
      expect(tree.time.now - from).toBeGreaterThanOrEqual(DAY_MS - 61_000);
      expect(tree.time.now - from).toBeLessThan(DAY_MS + 400_000);
      await tree.rest();
      expect(tree.addresses.filter((address) => address.startsWith(TOP))).toEqual([]);
      expect(tree.time.problems.filter((problem) => problem.includes(goesAllTheSame(MIDDLE)))).toHaveLength(1);
      // With delays of 5 minutes in the end.
      expect(asked()).toBeLessThan(2 * 24 * 12);
    });
  });
});

describe('an object of which no tree knows, while what it owes elsewhere is not taken', () => {
  it('[OP11, RM18] is brought back by its own alarm until that is paid, and goes then', async () => {
    const { lost, between } = losing();
    await withTree(parts({ placement: 'object', between, hangs: true }), {}, async (tree) => {
      await tree.start();
      await tree.time.until(() => isThere(tree) && tree.port.working > 0);
      await tree.time.pass(60_000);
      tree.world.remove(TOP);
      void tree.world.object(KIM).agent?.link.reached(1_000);
      for (let loss = 0; loss < 4; loss++) {
        const { tries } = lost;
        await tree.time.until(() => lost.tries > tries);
        // What was set before has rung.
        await tree.time.pass(12_000 * loss);
        tree.world.evict(KIM);
      }
      lost.removals = false;
      // Nothing but its alarm brings it back.
      await tree.time.drain();
      expect(tree.addresses).toEqual([]);
    });
  });
});
