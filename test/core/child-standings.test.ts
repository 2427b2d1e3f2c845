/** How the root tells a parent of its children (CO20). */
import { describe, expect, it } from 'vitest';
import type { PendingCall } from '../../src/core/agent/calls/answer';
import { looksAt } from '../../src/core/tree/child-standings';
import { TreeIndex } from '../../src/core/tree/tree-index';
import { childNode, rootNode } from '../support/nodes';

/** A root with two children, the first of which has a child of its own. */
const tree = new TreeIndex([
  rootNode(),
  childNode(2, { statusText: 'page 3', lastAt: 7 }),
  childNode(3),
  childNode(4, { parentId: 2, depth: 3, address: '/agents/top/one/sub/leaf/2~1/sub/leaf/1~1' }),
]);
const waits = (node: number, requestedAt: number): { node: number; item: PendingCall } => ({
  node,
  item: { toolCallId: `c_${requestedAt}`, stepId: 1, kind: 'approval', toolName: 'gate', input: {}, requestedAt },
});
const look = (sessionIds: string[], waiting: ReturnType<typeof waits>[] = [], parentId = 1) =>
  looksAt(tree, parentId, sessionIds, waiting);

describe('a look at children', () => {
  it('[CO20] tells of the own children of whoever asks, and of nobody else', () => {
    expect(look(['s_2', 's_3', 's_4', 's_root', 's_nobody', 's_2']).map(({ sessionId }) => sessionId)).toEqual([
      's_2',
      's_3',
    ]);
    expect(look(['s_2', 's_4'], [], 2).map(({ sessionId }) => sessionId)).toEqual(['s_4']);
    expect(look(['s_2'])).toMatchObject([{ status: 'running', statusText: 'page 3', lastAt: 7, pendingCount: 0 }]);
  });

  it('[CO20] tells the calls at and below one, the first asked first, at most 20 of them and how many there are', () => {
    const [one, other] = look(['s_2', 's_3'], [waits(4, 9), waits(2, 5), waits(1, 1)]);
    expect(one).toMatchObject({ pendingCount: 2, pending: [{ toolCallId: 'c_5' }, { toolCallId: 'c_9' }] });
    expect(one?.pending[1]?.address).toBe('/agents/top/one/sub/leaf/2~1/sub/leaf/1~1');
    expect(other).toMatchObject({ pendingCount: 0, pending: [] });
    const many = Array.from({ length: 21 }, (_, at) => waits(3, at));
    expect(look(['s_3'], many.slice(1))).toMatchObject([{ pendingCount: 20, pending: { length: 20 } }]);
    expect(look(['s_3'], many)).toMatchObject([{ pendingCount: 21, pending: { length: 20 } }]);
  });
});
