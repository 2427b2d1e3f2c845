/** The deletion of one agent, at a parent that cannot be reached: what its root admits of it before and after. */
import { expect, it } from 'vitest';
import { limitsOf } from '../../../../src/core/definition/limits';
import { type AdmissionRequest, admit } from '../../../../src/core/tree/admission';
import { TreeIndex } from '../../../../src/core/tree/tree-index';
import { type RemovalObject, removeAgent } from '../../../../src/engine/root/removal';
import { childNode, rootNode, STANDS } from '../../../support/nodes';

/** A companion that is deleted at work or at rest; the message or write of that number fails. */
function deleting(phase: 'working' | 'ended', failsAt: number) {
  const root = rootNode();
  const status = phase === 'working' ? 'running' : 'completed';
  const node = childNode(2, { lifetime: 'named', schedule: STANDS[phase], status, task: { await: 'notice' } });
  const index = new TreeIndex([root, node]);
  const { sessionId, address, agentType, depth, childId, placement, lifetime } = node;
  const request: AdmissionRequest = {
    ...{ sessionId, address, agentType, depth, childId, placement, lifetime, runNumber: 2 },
    task: { number: 2, callId: 'c_new', await: 'notice', timeoutMs: 1_000 },
  };
  const asked = () => admit(index, root, [request], limitsOf({}), 5).answers;
  const meanwhile: unknown[] = [];
  const removed: string[] = [];
  const object = {
    tree: {
      tree: index,
      until: async () => true,
      remove: (one: { readonly address: string }) => {
        if (failsAt === meanwhile.length) throw new Error('The disk is full.');
        removed.push(one.address);
      },
    },
    send: async () => {
      meanwhile.push(...asked());
      if (meanwhile.length === failsAt + 1) throw new Error('It is not reached.');
      return { answer: 'done' };
    },
    cleared: Promise.resolve(),
  } as unknown as RemovalObject;
  return { asked, meanwhile, removed, address, remove: () => removeAgent(object, node) };
}

const REFUSED = { childId: 2, answer: 'refused', error: { code: 'deleted' } };

it('[CO23, CO35] a deletion refuses further tasks while it is under way; one that failed refuses none', async () => {
  for (const phase of ['working', 'ended'] as const) {
    const messages = phase === 'working' ? 3 : 2;
    const before = deleting(phase, 0).asked();
    // The last one is the record, which is not written.
    for (let failsAt = 0; failsAt <= messages; failsAt++) {
      const what = `${phase}, ${failsAt}`;
      const one = deleting(phase, failsAt);
      await expect(one.remove(), what).rejects.toThrow(
        failsAt === messages ? 'The disk is full.' : 'It is not reached.',
      );
      expect(one.meanwhile.length, what).toBe(Math.min(failsAt + 1, messages));
      for (const answer of one.meanwhile) expect(answer, what).toMatchObject(REFUSED);
      expect([one.asked(), one.removed], what).toEqual([before, []]);
    }
    const whole = deleting(phase, messages + 1);
    await whole.remove();
    expect(whole.removed).toEqual([whole.address]);
    expect(whole.asked()).toMatchObject([REFUSED]);
  }
});
