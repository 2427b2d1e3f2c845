/** Rows of a tree's record of format 1, read in the shape of today. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyOf } from '../../../src/core/agent/children/child';
import type { ChildNode, NodeTask, RemovedNode } from '../../../src/core/tree/node';
import { nodeOf, type OlderNode } from '../../../src/store/older/node';
import { childNode, rootNode } from '../../support/nodes';

/** A child's row as format 1 kept it: every fact of its task one by one. */
function older({ childId: _childId, task, ...node }: ChildNode): OlderNode {
  const { number: _number, removal, ...facts } = task;
  const due = removal === 'when_idle' ? ({ leaving: true } as const) : {};
  const kept = removal === undefined ? {} : ({ retention: 'run', ...due } as const);
  return { ...node, ...facts, task: keyOf({ childId: node.id, task }), ...kept };
}

const some = <Value>(value: Value) => fc.option(fc.constant(value), { nil: undefined });
const tasks = fc
  .record({
    number: fc.constantFrom(1, 2),
    await: fc.constantFrom('step', 'notice'),
    turn: fc.constantFrom(0, 7),
    budget: some({ maxSteps: 3 }),
    onFailure: some('wait' as const),
    removal: fc.constantFrom(undefined, 'after_run', 'when_idle'),
    hasWaited: some(true as const),
  })
  .map((facts) => Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)))
  .map((facts): Partial<NodeTask> => facts);

describe('a row of a tree of format 1', () => {
  it('[SO3] is read with the task of the child as one, and the time of its removal', () =>
    fc.assert(
      fc.property(tasks, (task) => {
        const node = childNode(2, { task, undelivered: true });
        expect(nodeOf(older(node))).toEqual(node);
      }),
    ));

  it('[SO3, OP13] is read as a removed agent if its object is still to be erased', () => {
    const { id, sessionId, address, ...node } = childNode(2, { placement: 'object' });
    const removed: RemovedNode = { kind: 'removed', id, sessionId, address, placement: 'object' };
    const stored = { ...older({ id, sessionId, address, ...node }), left: true } as const;
    expect(nodeOf(stored)).toEqual(removed);
    const tries = { since: 1, attempts: 2, nextAt: 3 };
    expect(nodeOf({ ...stored, erasing: tries })).toEqual({ ...removed, tries });
  });

  it.each([childNode(2), rootNode()])('[SO3] is left as it is if it is of the newest (%#)', (node) =>
    expect(nodeOf(node)).toBe(node),
  );
});
