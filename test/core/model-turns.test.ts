import { expect, it } from 'vitest';
import { ModelTurns } from '../../src/core/tree/models/turns';
import { TreeIndex } from '../../src/core/tree/tree-index';
import { childNode, rootNode } from '../support/nodes';

const NOW = 1_000_000;
const LIMITS = { maxConcurrentModelCalls: 10, modelRetryBaseMs: 1_000, modelRetryAfterMs: 60_000 };
const WORKS = { phase: 'working', deadline: NOW * 2 } as const;

it('[MT4, MT5] what a provider refuses says nothing of the turn that the agent had at another one', () => {
  const [root, child] = [rootNode({ schedule: WORKS }), childNode(2, { schedule: WORKS })];
  const tree = new TreeIndex([root, child]);
  const waitOf = (before: 'left' | 'right'): number => {
    const turns = new ModelTurns(LIMITS);
    // Both providers have refused once, and the agent has its second turn at one of them.
    for (const provider of ['left', 'right'])
      turns.ask(root.sessionId, { id: provider, provider, refused: {}, afterMs: 0 }, NOW);
    for (const [at, id] of ['1', '2'].entries()) {
      turns.ask(child.sessionId, { id, provider: before, afterMs: 0 }, NOW);
      turns.next(tree, NOW + 5_000 * (at + 1), () => 0.5);
    }
    turns.ask(child.sessionId, { id: '3', provider: 'left', refused: {}, afterMs: 0 }, NOW + 20_000);
    return turns.opensMs({ sessionId: child.sessionId, id: '3' }, NOW + 20_000);
  };
  expect(waitOf('left')).toBeGreaterThan(0);
  expect(waitOf('right')).toBe(0);
});
