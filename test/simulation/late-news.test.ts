/** News that come late to the root or to a parent: the time of an answer that is over by then, an end after a load. */

import { expect, it } from 'vitest';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import type { Environment } from '../../src/engine/environment';
import { child, gate, gateTool, kidOf, kidsOf, results, slowKids } from '../support/control';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { present } from '../support/present';
import { agentOf, answer, question } from '../support/trees';

const ANSWER_MS = 20;

function hurried(tree: Tree): TreeParts {
  const kid = agentOf('kid', { tools: [gateTool(tree, { answerWithinMs: ANSWER_MS })], outputSchema: answer });
  const top = agentOf('top', { tools: [createSubAgentTool(kid, question)] });
  return {
    agents: [top, kid],
    scripts: {
      top: [{ calls: [child('kid')] }, { text: 'Done.' }],
      kid: [{ calls: [gate] }, { finish: { answer: 'k' } }],
    },
  };
}

/** A network on which what a sub-agent says of a wait takes so long, in ms. */
function slowNews(of: () => Environment, ms: number): NonNullable<TreeOptions['network']> {
  return async (_address, call, perform) => {
    if (JSON.stringify(call).includes('"pending":[')) await new Promise<void>((resolve) => of().timer(ms, resolve));
    return perform();
  };
}

/** How long after its question the kid's approval was denied, in ms. */
function deniedAfter(tree: Tree): number {
  const [step] = tree.store(kidOf(tree).address).steps({});
  const call = step?.phase === 'calls' ? step.calls[0] : undefined;
  expect(call?.settled?.result).toMatchObject({ success: false, error: { code: 'approval_expired' } });
  return (call?.settled?.at ?? 0) - (step?.phase === 'calls' ? step.repliedAt : 0);
}

it.each([0, ANSWER_MS - 1, ANSWER_MS, 10 * ANSWER_MS])(
  '[WT5, AN3, RT2] an approval is denied when its time is up, or as soon as the root hears of it: %i ms later',
  async (ms) => {
    let environment: Environment | undefined;
    const network = slowNews(() => present(environment), ms);
    await withTree(hurried, { network }, async (tree) => {
      environment = tree.time.environment;
      await tree.start();
      await tree.finish();
      expect(tree.time.problems).toEqual([]);
      const waited = deniedAfter(tree);
      expect(waited).toBeGreaterThanOrEqual(Math.max(ANSWER_MS, ms));
      // What a batch of chunks lingers comes on top of the way.
      expect(waited).toBeLessThanOrEqual(Math.max(ANSWER_MS, ms + 50));
    });
  },
);

it('[WT5, RT2] one whose owner could not be woken is woken with the next lease, and not before', () => {
  let lost = 0;
  const network: NonNullable<TreeOptions['network']> = async (_address, call, perform) => {
    if (JSON.stringify(call).includes('"type":"expire"') && lost++ < 2) throw new Error('Lost.');
    return perform();
  };
  return withTree(hurried, { network }, async (tree) => {
    await tree.start();
    await tree.finish();
    expect(tree.outcome).toMatchObject({ status: 'completed' });
    expect(lost).toBe(3);
    expect(deniedAfter(tree)).toBe(ANSWER_MS + 2 * 5_000);
  });
});

it('[DL3, RC5] the end of a run that its parent had not heard of is told after a load', async () => {
  let loaded = 0;
  let lostAt = 0;
  const options: TreeOptions = {
    onCommit: (tree) => {
      const kid = tree.addresses.length > 1 && kidsOf(tree)[0];
      const run = kid ? tree.state(kid.address).run : undefined;
      if (loaded > 0 || run?.phase !== 'ended') return;
      // Its end is committed, and nobody has been told.
      expect([run.acknowledged, run.outcome.status]).toEqual([false, 'completed']);
      loaded++;
      lostAt = tree.time.now;
      tree.crash();
    },
  };
  await withTree(
    (tree) => slowKids(tree, 1),
    options,
    async (tree) => {
      await tree.start();
      await tree.finish();
      expect(loaded).toBe(1);
      expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
      expect(results(tree)).toEqual([expect.stringContaining('"success":true')]);
      expect(tree.state(kidOf(tree).address).run).toMatchObject({ phase: 'ended', acknowledged: true });
      // The first alarm after the crash was enough.
      const { run } = tree.state();
      expect(run?.phase === 'ended' && run.endedAt - lostAt).toBeLessThan(7_500);
      expect(tree.port.asked.filter(({ agentType }) => agentType === 'kid')).toHaveLength(2);
    },
  );
});
