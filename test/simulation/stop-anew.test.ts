/** A start right after a stop: at whatever commit that came, all sub-agents of the next turn begin soon, and none of the last one lives. */
import { describe, expect, it } from 'vitest';
import type { StopVerb } from '../../src/core/agent/runs/stop-verb';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { child } from '../support/control';
import type { Make } from '../support/crashes';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { moments, onceEach } from '../support/sizes';
import { agentOf, answer, question } from '../support/trees';

/** So many commits of the first turn are stopped after with `npm test`. */
const MOST = 4;
/** All of them begin within so long, in ms, where nothing is lost. */
const BEGIN_MS = 100;

/** So many sub-agents in model calls that never end below each of so many parents; with no parents, below the root. */
function hanging(parents: number, each: number, limits = {}): TreeParts {
  const kid = agentOf('kid');
  const ward = agentOf('ward', { tools: [createSubAgentTool(kid, question)], outputSchema: answer });
  const top = agentOf('top', { tools: [createSubAgentTool(parents === 0 ? kid : ward, question)], limits });
  const calls = (name: string, count: number) => ({ calls: Array.from({ length: count }, () => child(name, 'Hang.')) });
  return {
    agents: [top, ward, kid],
    scripts: {
      top: () => (parents === 0 ? calls('kid', each) : calls('ward', parents)),
      ward: () => calls('kid', each),
      kid: () => ({ hang: true }),
    },
  };
}

const SHAPES: readonly { readonly shape: string; readonly make: Make; readonly atWork: number }[] = [
  { shape: '6 sub-agents', make: () => hanging(0, 6), atWork: 6 },
  { shape: '2 with 3 each', make: () => hanging(2, 3), atWork: 6 },
  { shape: '7, of which 3 work at once', make: () => hanging(0, 7, { maxConcurrentChildren: 3 }), atWork: 3 },
];

/** The kinds of the commits of a turn that is not stopped. */
const kindsOf = onceEach((make: Make) =>
  withTree(make, {}, async (tree) => {
    await tree.start();
    await tree.time.pass(3_000);
    return [...tree.kinds];
  }),
);

const asked = ({ port }: Tree): number => port.asked.filter(({ agentType }) => agentType === 'kid').length;

describe.each(SHAPES)('a tree of $shape', ({ make, atWork }) => {
  it.each<{ verb: StopVerb; when: string }>([
    { verb: 'interrupt', when: 'at once' },
    { verb: 'interrupt', when: 'after its root has left memory' },
    { verb: 'abort', when: 'at once' },
  ])('[SP4, SP9, RS5, DG1] that is stopped by $verb begins anew $when', async ({ verb, when }) => {
    const kinds = await kindsOf(make);
    for (const at of moments(kinds, MOST, verb.length)) {
      let stopped = false;
      const onCommit = (tree: Tree, commit: number): void => {
        if (commit !== at) return;
        queueMicrotask(() => {
          stopped = tree.stopSurely(verb);
        });
      };
      await withTree(make, { onCommit }, async (tree) => {
        await tree.start();
        await tree.time.until(() => stopped && tree.ended);
        expect(tree.port.working, `after ${at}`).toBe(0);
        const before = asked(tree);
        if (when !== 'at once') {
          await tree.time.pass(10_000);
          tree.world.evict(tree.address);
        }
        expect(asked(tree), `after ${at}`).toBe(before);
        const from = tree.time.now;
        await tree.start('Again');
        await tree.time.until(() => asked(tree) >= before + atWork);
        expect(tree.time.now - from, `after ${at}`).toBeLessThan(BEGIN_MS);
        await tree.time.pass(2_000);
        expect([asked(tree), tree.port.working], `after ${at}`).toEqual([before + atWork, atWork]);
      });
    }
  });
});
