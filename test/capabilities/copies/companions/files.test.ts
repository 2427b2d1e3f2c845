/** Files that go with the first task of a copy, wherever a crash comes. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/protocol/json';
import { ran, stored, toldPaths } from '../../../support/enclosed';
import type { Tree, TreeParts } from '../../../support/harness';
import { companion } from '../../../support/levels';
import { sample } from '../../../support/sizes';
import { agentOf, answer } from '../../../support/trees';

/** Transactions that a sweep of `npm test` tries; a night tries all. */
const MOST = 30;

const call = (name: string, input: Json) => ({ name, input });
const write = (path: string, content: string) => call('workspace_write_file', { path, content });
const read = (path: string) => call('workspace_read_file', { path });
const [JUDGE, SECOND] = ['judge', 'second'].map((name) => `/agents/writer/one/sub/critic/${name}`);

/** A writer copies its critic, and gives the copy a file to begin with. */
function copied(): TreeParts {
  const critic = agentOf('critic', { workspace: true, outputSchema: answer });
  const writer = agentOf('writer', { workspace: true, persistentAgents: [{ agent: critic }] });
  const fork = { name: 'judge', newName: 'second', message: 'And this.', files: ['two.md'] };
  return {
    agents: [writer, critic],
    scripts: {
      writer: [
        { calls: [write('one.md', 'first'), write('two.md', 'second')] },
        {
          calls: [
            companion('spawnAgent', { agent: 'critic', name: 'judge', initialMessage: 'Judge.', files: ['one.md'] }),
          ],
        },
        { calls: [companion('forkChild', fork)] },
        { calls: [companion('forkChild', { ...fork, newName: 'third', files: ['none.md'] })] },
        { text: 'Done.' },
      ],
      critic: (request) =>
        request.step === 1
          ? { calls: toldPaths(request).map(read) }
          : { finish: { answer: `read ${toldPaths(request).length}` } },
    },
  };
}

describe('files with the first task of a copy', () => {
  const all = (tree: Tree) => [stored(tree), stored(tree, JUDGE), stored(tree, SECOND)];

  it('[CP62, CF1] are among those that it has with its memory, and are not of the original', async () => {
    const { seen, results, problems } = await ran(copied, all);
    expect(problems).toEqual([]);
    const [, judge, second] = seen;
    expect(judge?.files).toEqual({ 'attachments/one.md': 'first' });
    expect(second).toEqual({ files: { 'attachments/one.md': 'first', 'attachments/two.md': 'second' }, kept: [] });
    expect(results.slice(3)).toMatchObject([{ name: 'second', output: { answer: 'read 2' } }, 'invalid_arguments']);
  });

  it('[CP62, CP5, RC5] the same wherever a crash comes', async () => {
    const calm = await ran(copied, all);
    for (const crash of sample(calm.transactions, MOST, 1)) {
      const found = await ran(copied, all, crash);
      expect(
        found.seen.map(({ files }) => files),
        `a crash before ${crash}`,
      ).toEqual(calm.seen.map(({ files }) => files));
      expect(found.said, `a crash before ${crash}`).toEqual(calm.said);
    }
  });
});
