/** Messages to a companion that waits for a person, also where a crash comes before its parent knows that it waits. */
import { describe, expect, it } from 'vitest';
import { untaken } from '../../src/core/agent/children/child-messages';
import { examine } from '../support/examine';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { companion, questions } from '../support/levels';
import { present } from '../support/present';
import { agentOf, answer, noteTool } from '../support/trees';

const MIDDLE = '/agents/top/one/sub/middle/m';
const ADA = `${MIDDLE}/sub/scout/ada`;
/** So late, in ms, a parent is answered about who may begin, after a crash: it hears before that who waits. */
const LATE_MS = 300;

/** A companion that asks a person, and a parent below the root that sends it another message. */
function asking(tree: Tree): TreeParts {
  const publish = noteTool(tree, { name: 'publish', requireApproval: true });
  const scout = agentOf('scout', { tools: [publish], outputSchema: answer });
  const middle = agentOf('middle', { persistentAgents: [{ agent: scout }], outputSchema: answer });
  const top = agentOf('top', { persistentAgents: [{ agent: middle }] });
  const begin = (agent: string, name: string, initialMessage: string, mode: string) =>
    companion('spawnAgent', { agent, name, initialMessage, mode });
  return {
    agents: [top, middle, scout],
    scripts: {
      top: [{ calls: [begin('middle', 'm', 'Go', 'blocking')] }, { text: 'Done.' }],
      middle: [
        { calls: [begin('scout', 'ada', 'one', 'non-blocking')] },
        { calls: [companion('sendMessage', { name: 'ada', message: 'two', wait: true })] },
        { finish: { answer: 'm' } },
      ],
      scout: ({ messages, step }) =>
        step === 1
          ? { calls: [{ name: 'publish', input: { text: 'p' } }] }
          : { finish: { answer: questions(messages).join(' ') } },
    },
  };
}

/** Runs it with a crash at a commit; gives the commits that come before the person answers. */
async function waited(crash: number): Promise<number> {
  const what = `a crash at ${crash}`;
  const trees: Tree[] = [];
  const options: TreeOptions = {
    crashAt: new Set([crash]),
    onCommit: (tree) => void trees.splice(0, 1, tree),
    async network(_to, call, perform) {
      const [tree] = trees;
      if (tree && tree.crashes > 0 && call.kind === 'root' && call.request.admit.length > 0)
        await new Promise<void>((resolve) => tree.time.environment.timer(LATE_MS, resolve));
      return perform();
    },
  };
  return withTree(asking, options, async (tree) => {
    await tree.start();
    await tree.rest();
    const commits = tree.kinds.length;
    const [ada] = tree.state(MIDDLE).children.values();
    expect(ada?.state.is, what).toBe('waiting');
    expect(untaken(present(ada)), `${what}: what it has not taken`).toEqual([]);
    expect(
      tree.state(ADA).inbox.map(({ content }) => content),
      `${what}: what it sees next`,
    ).toEqual(['two']);

    await tree.soon(tree.answer(present(tree.pending[0]), { kind: 'approval-response', approved: true }));
    await tree.rest();
    expect(tree.outcome.status, what).toBe('completed');
    expect(questions(tree.transcript(ADA)), what).toEqual(['one', 'two']);
    const tasks = tree.log.filter(({ chunk }) => chunk.type === 'run_started' && chunk.address === ADA);
    expect(tasks, `${what}: tasks`).toHaveLength(1);
    examine(tree, what);
    return commits;
  });
}

describe('a companion that waits for a person', () => {
  it('[CO4, RC5] has its messages before the person answers, after a crash at any commit', async () => {
    const commits = await waited(0);
    for (let at = 1; at <= commits; at++) await waited(at);
  });
});
