/** A child elsewhere that left the record of its root without a word to the object of its parent. */
import { describe, expect, it } from 'vitest';
import { GIVEN_UP } from '../../../../src/engine/tree-messages';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../../../support/harness';
import { agentOf, answer, noteTool, question } from '../../../support/trees';
import { type Between, elsewhere } from '../support/elsewhere';
import { farTool, remotes } from '../support/far';

const KIM = '/agents/top/one/sub/keeper/kim';

/** A root with a companion in an object of its own, whose sub-agent elsewhere works for ever. */
const parts =
  (between: Between) =>
  (tree: Tree): TreeParts => {
    const far = agentOf('far', { inputSchema: question, outputSchema: answer, tools: [noteTool(tree)] });
    const keeper = agentOf('keeper', { tools: [farTool], outputSchema: answer });
    const top = agentOf('top', { persistentAgents: [{ agent: keeper, placement: 'object' }] });
    const spawn = { name: 'companion__spawnAgent', input: { agent: 'keeper', name: 'kim', initialMessage: 'Go' } };
    return {
      agents: [top, keeper, far],
      scripts: {
        top: ({ step }) => (step === 1 ? { calls: [spawn] } : { text: 'Done.' }),
        keeper: [{ calls: [{ name: 'subagent__far', input: { q: 'b' } }] }, { finish: { answer: 'kept' } }],
        far: () => ({ hang: true }),
      },
      env: { transport: elsewhere(tree, between) },
    };
  };

describe('a child elsewhere that its root knows no more', () => {
  it('[RM18, RM63] is stopped and removed there by an alarm alone, although its parent rests', async () => {
    let [isAway, isGone] = [false, false];
    const between: Between = { isAway: () => isAway };
    const network: TreeOptions['network'] = (_address, call, perform) => {
      const isOf = call.kind === 'root' && call.request.sessionId === gone;
      return isGone && isOf ? Promise.resolve(GIVEN_UP) : perform();
    };
    let gone = '';
    await withTree(parts(between), { network }, async (tree) => {
      await tree.start();
      await tree.time.until(() => tree.port.working > 0);
      gone = tree.store(KIM).remotes()[0] ?? '';
      isAway = true;
      await tree.time.until(() => tree.nodes.length > 2);
      tree.stopSurely('abort');
      await tree.time.until(() => tree.ended);
      isGone = true;
      await tree.time.until(() => tree.store(KIM).remote(gone)?.is === 'removed', 5_000);
      await tree.time.pass(100);
      // From here on nobody but the root wakes it, in whose record it is.
      expect(tree.nodes.find(({ address }) => address === KIM)).toMatchObject({
        owesElsewhere: true,
        effectAt: expect.any(Number),
      });
      tree.crash();
      isAway = false;
      await tree.rest();
      expect(tree.port.working).toBe(0);
      expect(remotes(tree)).toEqual([]);
      expect(tree.store(KIM).remotes()).toEqual([]);
      expect(tree.nodes.find(({ address }) => address === KIM)).not.toHaveProperty('owesElsewhere');
    });
  });
});
