/**
 * An agent elsewhere below an agent that is deleted while the tree stays: what is there is stopped and removed, whoever of
 * those above it goes, where it lives, and whatever is lost meanwhile.
 */
import { describe, expect, it } from 'vitest';
import { createSubAgentTool } from '../../src/core/definition/relationship';
import { type RemoteAgentTransport, RemoteError } from '../../src/core/definition/remote-transport';
import { removeTree } from '../../src/engine/removal';
import { createRemoteSubAgentTool } from '../../src/remote-agents';
import { type Between, elsewhere } from '../support/elsewhere';
import { remotes } from '../support/far';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { sample } from '../support/sizes';
import { agentOf, answer, noteTool, question } from '../support/trees';

interface Env {
  readonly transport: RemoteAgentTransport;
}

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 10;
const TOP = '/agents/top/one';
const KIM = `${TOP}/sub/keeper/kim`;

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
    const remote = createRemoteSubAgentTool('far', {
      description: 'Works elsewhere.',
      inputSchema: question,
      outputSchema: answer,
      remoteAgentType: 'Far',
      transport: (env: Env) => env.transport,
    });
    const middle = agentOf('middle', { tools: [remote], outputSchema: answer });
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
      '[RM18] takes the root there with it, at work: %s, also where any commit is the last before a crash',
      async (hangs) => {
        const length = await deleted({ placement, hangs });
        expect(length).toBeGreaterThan(3);
        for (const at of sample(length, MOST)) await deleted({ placement, hangs }, at);
      },
    );
  },
);

describe('what is owed elsewhere by an agent that is gone', () => {
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

  it.each(['facet', 'object'] as const)(
    '[RM18, RM8] is owed by whoever took its place away, over crashes in which nobody has work, and its name is free: %s',
    async (placement) => {
      const { lost, between } = losing();
      await withTree(parts({ placement, between }), {}, async (tree) => {
        await tree.run();
        await tree.rest();
        await tree.soon(tree.remove(KIM));
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
      });
    },
  );

  it.each(['facet', 'object'] as const)(
    '[RM18] is paid before a tree that is deleted meanwhile is gone: %s',
    async (placement) => {
      const { lost, between } = losing();
      await withTree(parts({ placement, between }), {}, async (tree) => {
        await tree.run();
        await tree.rest();
        await tree.soon(tree.remove(KIM));
        await tree.soon(removeTree(tree.world.object(TOP)));
        const { tries } = lost;
        await tree.time.until(() => lost.tries > tries);
        expect(tree.world.object(TOP).tree?.self()?.top.removing).toBeDefined();
        lost.removals = false;
        await tree.rest();
        expect(tree.addresses).toEqual([]);
        expect(tree.time.problems).toEqual([]);
      });
    },
  );
});
