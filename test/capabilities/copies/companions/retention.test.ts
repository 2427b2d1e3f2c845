/** How long copies are kept. */
import { expect, it } from 'vitest';
import { type TreeParts, withTree } from '../../../support/harness';
import { companion, questions } from '../../../support/levels';
import { agentOf, answer, toolResults } from '../../../support/trees';

const TOP = '/agents/top/one';

it('[CP63] a copy of one that is kept for the run is kept for the run', async () => {
  const spawn = (name: string, retention: string) =>
    companion('spawnAgent', { agent: 'scout', name, initialMessage: 'one', retention });
  const make = (): TreeParts => {
    const scout = agentOf('scout', { outputSchema: answer });
    return {
      agents: [agentOf('top', { persistentAgents: [{ agent: scout, retention: 'tree' }] }), scout],
      scripts: {
        top: ({ step }) => {
          if (step === 1) return { calls: [spawn('ada', 'run'), spawn('cy', 'tree')] };
          if (step > 2) return { text: 'Done.' };
          const copies = ['ada', 'cy'].map((name) => ({ name, newName: `${name}-2`, message: 'two' }));
          return { calls: copies.map((copy) => companion('forkChild', copy)) };
        },
        scout: ({ messages }) => ({ finish: { answer: questions(messages).join(' ') } }),
      },
    };
  };
  await withTree(make, {}, async (tree) => {
    await tree.start();
    await tree.finish();
    await tree.rest();
    expect(toolResults(tree).map((result) => result.success)).toEqual([true, true, true, true]);
    expect(tree.addresses).toEqual([TOP, `${TOP}/sub/scout/cy`, `${TOP}/sub/scout/cy-2`]);
    expect(tree.time.problems).toEqual([]);
  });
});
