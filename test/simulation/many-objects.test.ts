/** A tree of as many sub-agents as a large one has, each in an object of its own: all are told apart, few work at once. */
import { expect, it } from 'vitest';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import type { ModelRequest } from '../../src/core/definition/model-port';
import { removeTree } from '../../src/engine/root/removal';
import { inObjects } from '../support/alone';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { figures, sized } from '../support/sizes';
import { agentOf, answer, question, toolResults } from '../support/trees';

const MANY = sized(250, 2_000);
/** So many calls does one reply have. */
const TOGETHER = 100;
const LIVE = 48;

let peak = 0;
figures('objects of one tree', () => `${MANY} sub-agents, at most ${peak} at work at once`);

/** What a worker was asked, which it answers with. */
const asked = ({ messages: [first] }: Pick<ModelRequest, 'messages'>): string =>
  /"q":"(\d+)"/.exec(String(first?.role === 'user' ? first.content : ''))?.[1] ?? 'nothing';

function parts(_tree: Tree): TreeParts {
  const worker = agentOf('worker', { outputSchema: answer });
  const limits = { maxChildren: MANY, maxTreeChildren: MANY, maxConcurrentChildren: LIVE, maxSteps: MANY };
  const top = agentOf('top', { tools: [createSubAgentTool(worker, question)], limits });
  return {
    agents: [top, worker],
    scripts: {
      top: ({ step }) => {
        const from = (step - 1) * TOGETHER;
        if (from >= MANY) return { text: 'Done.' };
        const calls = Array.from({ length: Math.min(TOGETHER, MANY - from) }, (_, at) => from + at);
        return { calls: calls.map((q) => ({ name: 'subagent__worker', input: { q: `${q}` } })) };
      },
      worker: (request) => ({ finish: { answer: asked(request) } }),
    },
  };
}

it('[OP1, TR3, OP6] many sub-agents in objects of their own work a few at a time, answer each its own, and go with their tree', async () => {
  const onCommit = (tree: Tree): void => {
    const working = tree.world.object(tree.address).tree?.tree.at('working').values() ?? [];
    peak = Math.max(peak, [...working].filter(({ kind }) => kind === 'child').length);
  };
  await withTree(inObjects(parts), { onCommit }, async (tree) => {
    await tree.start();
    await tree.time.until(() => tree.ended, 1_000_000);
    await tree.time.until(() => tree.time.pending === 0, 1_000_000);
    expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
    expect(toolResults(tree)).toEqual(
      Array.from({ length: MANY }, (_, q) => ({ success: true, value: { answer: `${q}` } })),
    );
    expect(peak).toBe(LIVE);
    const [, ...nodes] = tree.nodes;
    expect(nodes).toHaveLength(MANY);
    expect(nodes.every((node) => node.kind === 'child' && node.placement === 'object')).toBe(true);
    expect(nodes.every(({ schedule }) => schedule.phase === 'ended')).toBe(true);
    const ends = tree.log.flatMap(({ chunk }) => (chunk.type === 'subagent_end' ? [chunk.subSessionId] : []));
    expect(new Set(ends).size).toBe(MANY);
    expect(tree.addresses).toHaveLength(MANY + 1);
    expect(tree.time.problems).toEqual([]);
    await removeTree(tree.world.object(tree.address));
    await tree.time.until(() => tree.time.pending === 0, 1_000_000);
    expect(tree.addresses).toEqual([]);
  });
});
