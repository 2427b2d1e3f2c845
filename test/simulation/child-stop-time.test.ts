/** A stop waits for those that say how long they take, and for nobody for ever. */
import { describe, expect, it } from 'vitest';
import { STOP_VERBS } from '../../src/core/agent/runs/stop-verb';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import type { Limits } from '../../src/core/definition/limits';
import type { AgentAnswer } from '../../src/engine/tree-messages';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { agentOf, hangTool, question } from '../support/trees';

const MIDDLE = '/agents/top/one/sub/middle/1~1';
const LEAF = `${MIDDLE}/sub/leaf/1~1`;

/** Three levels; the leaf has a tool that never ends, nor listens when it is stopped. */
function levels(tree: Tree, leafs: Partial<Limits>, tops: Partial<Limits> = {}): TreeParts {
  const times = { timeoutMs: 10_000_000 };
  const leaf = agentOf('leaf', { tools: [hangTool(tree)], limits: leafs });
  const middle = agentOf('middle', { tools: [createSubAgentTool(leaf, question, times)] });
  const top = agentOf('top', { tools: [createSubAgentTool(middle, question, times)], limits: tops });
  const asks = (name: string) => [{ calls: [{ name: `subagent__${name}`, input: { q: 'a' } }] }, { text: 'Done.' }];
  return {
    agents: [top, middle, leaf],
    scripts: { top: asks('middle'), middle: asks('leaf'), leaf: [{ calls: [{ name: 'hang' }] }] },
  };
}

async function atWork(tree: Tree): Promise<number> {
  await tree.start();
  await tree.time.until(() => tree.bodies.size === 1);
  return tree.time.now;
}

/** How the ends of children are told: each with its code, and which of them was lost. */
const ends = (tree: Tree) =>
  tree.log.flatMap(({ chunk }) => (chunk.type === 'subagent_end' && chunk.error ? [chunk.error.code] : []));

/** Which answers a stop of an agent got, in order. */
function overheard(address: string): { answers: AgentAnswer[]; network: NonNullable<TreeOptions['network']> } {
  const answers: AgentAnswer[] = [];
  return {
    answers,
    network: async (to, call, perform) => {
      const answer = await perform();
      if (to === address && call.kind === 'agent' && call.path.length === 0 && call.message.type === 'stop')
        if ('answer' in answer) answers.push(answer);
      return answer;
    },
  };
}

describe('a child that takes long to end', () => {
  it.each(STOP_VERBS)('[SP14, SP9] is waited for as long as it says, at every level (%s)', async (verb) => {
    const said = overheard(MIDDLE);
    await withTree(
      (tree) => levels(tree, { stopGraceMs: 120_000 }),
      { network: said.network },
      async (tree) => {
        const at = await atWork(tree);
        expect(tree.stop(verb)).toBe(true);
        await tree.finish();
        expect(tree.log.find(({ chunk }) => chunk.type === 'subagent_end')?.chunk.timestamp ?? at + 120_000).toBe(
          at + 120_000,
        );
        expect(ends(tree)).not.toContain('subagent_lost');
        expect(tree.state(LEAF)?.run).toMatchObject({ phase: 'ended' });
        expect(tree.state(MIDDLE)?.run).toMatchObject({ phase: 'ended', endedAt: at + 120_000 });
        // Who has not heard from below yet says what is the rule, and more when it is asked again.
        expect(said.answers.every((answer) => answer.answer === 'done' && (answer.endsWithinMs ?? 0) > 0)).toBe(true);
        expect(said.answers.length).toBeLessThanOrEqual(2);
      },
    );
  });

  it.each(STOP_VERBS)('[SP14, SP9] has its time again after a crash, and its end counts (%s)', async (verb) => {
    await withTree(
      (tree) => levels(tree, { stopGraceMs: 120_000 }),
      {},
      async (tree) => {
        await atWork(tree);
        expect(tree.stop(verb)).toBe(true);
        for (const ms of [500, 15_000, 60_000]) {
          await tree.time.pass(ms);
          tree.crash();
        }
        await tree.finish();
        expect(ends(tree)).not.toContain('subagent_lost');
        expect(tree.nodes.every(({ schedule }) => schedule.phase === 'ended')).toBe(true);
      },
    );
  });
});

describe('a child that always says that it takes longer', () => {
  /** One that says so to each stop, and does not stop before that time is over. */
  function liar(until: (told: number) => number): NonNullable<TreeOptions['network']> {
    let told: number | undefined;
    return (to, call, perform) => {
      if (to !== MIDDLE || call.kind !== 'agent' || call.message.type !== 'stop') return perform();
      const { tree } = current;
      told ??= tree?.time.now ?? 0;
      if ((tree?.time.now ?? 0) >= until(told)) return perform();
      return Promise.resolve({ answer: 'done', endsWithinMs: until(told) - (tree?.time.now ?? 0) });
    };
  }
  const current: { tree?: Tree } = {};
  const make = (tops: Partial<Limits>) => (tree: Tree) => {
    current.tree = tree;
    return levels(tree, { stopGraceMs: 1 }, tops);
  };

  it.each([
    ['10 minutes', {}, 600_000],
    ['what its parent says', { childStopMs: 40_000 }, 40_000],
  ] as const)('[SP14] is given up after %s, and its stop ends', async (_, tops, ms) => {
    await withTree(make(tops), { network: liar(() => Number.MAX_SAFE_INTEGER) }, async (tree) => {
      const at = await atWork(tree);
      expect(tree.stop('abort')).toBe(true);
      await tree.time.until(() => tree.ended);
      expect(tree.time.now - at).toBe(ms);
      expect(ends(tree)).toEqual(['subagent_lost']);
    });
  });

  it('[SP14] is asked once more when its time is over, and its end counts', async () => {
    await withTree(make({ childStopMs: 40_000 }), { network: liar((told) => told + 25_000) }, async (tree) => {
      const at = await atWork(tree);
      expect(tree.stop('abort')).toBe(true);
      await tree.time.until(() => tree.ended);
      // 25 s and the margin, then it does what it was told: it has no more than 5 s left for that.
      expect(tree.time.now - at).toBeGreaterThanOrEqual(35_000);
      expect(tree.time.now - at).toBeLessThan(40_000);
      expect(ends(tree)).toEqual(['aborted', 'aborted']);
    });
  });
});
