/** Companions that wait for a person, whatever their parent does meanwhile. */
import { describe, expect, it } from 'vitest';
import { clientTool, gate, gateTool } from '../support/control';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { yes } from '../support/people';
import { moments } from '../support/sizes';
import { agentOf } from '../support/trees';

/** A parent that ends while its companion waits, and has a look at it in its next turn. */
const parted =
  (name: 'gate' | 'look') =>
  (tree: Tree): TreeParts => {
    const scout = agentOf('scout', { tools: [gateTool(tree), clientTool()] });
    const top = agentOf('top', { persistentAgents: [{ agent: scout, mode: 'non-blocking' }] });
    const spawn = { agent: 'scout', name: 'ada', initialMessage: 'go' };
    const asks = name === 'gate' ? gate : { name, input: {} };
    return {
      agents: [top, scout],
      scripts: {
        top: ({ messages }) =>
          messages.some(({ role }) => role === 'tool')
            ? { text: 'Done.' }
            : { calls: [{ name: 'companion__spawnAgent', input: spawn }] },
        scout: [{ calls: [asks] }, { text: 'It was answered.' }],
      },
    };
  };

/** Answers at the root until nothing waits: a client tries again where its request was lost with the process. */
async function answered(tree: Tree): Promise<void> {
  for (let [waiting] = tree.pending; waiting; [waiting] = tree.pending) {
    const said = tree.answer(waiting, yes(waiting));
    void said.catch(() => undefined);
    await tree.rest();
  }
}

async function goesOnAlone(name: 'gate' | 'look', options: TreeOptions = {}) {
  return withTree(parted(name), options, async (tree) => {
    await tree.start();
    await tree.finish();
    await tree.rest();
    const atRest = [tree.outcome, tree.pending.map(({ address }) => address)];
    await answered(tree);
    const turns = tree.state().run?.turn;
    const [, ada] = tree.nodes;
    await tree.run('What is new?');
    const read = tree.transcript().flatMap((one) => (one.role === 'user' ? [String(one.content)] : []));
    return { atRest, turns, ada, read, kinds: tree.kinds, problems: tree.time.problems };
  });
}

describe('a companion that waits for a person when its parent has ended', () => {
  it.each(['gate', 'look'] as const)('[CO22] is answered at the root and goes on alone (%s)', async (name) => {
    const { atRest, turns, ada, read, problems } = await goesOnAlone(name);
    expect(atRest).toMatchObject([{ status: 'completed' }, ['/agents/top/one/sub/scout/ada']]);
    expect(ada).toMatchObject({ status: 'completed', runNumber: 1 });
    // Its end wakes nobody, and is there for the next turn, once.
    expect(turns).toBe(1);
    expect(read.filter((text) => text.includes('It was answered.'))).toHaveLength(1);
    expect(read.at(-1)).toBe('What is new?');
    expect(problems).toEqual([]);
  });

  it('[CO22, RC5] the same after a crash at any commit', async () => {
    const calm = await goesOnAlone('gate');
    for (const commit of moments(calm.kinds, 13)) {
      const found = await goesOnAlone('gate', { crashAt: new Set([commit]) });
      const what = `a crash at ${commit}`;
      expect(found.read, what).toEqual(calm.read);
      expect(found.ada, what).toMatchObject({ status: 'completed' });
      expect(found.problems, what).toEqual([]);
    }
  });
});
