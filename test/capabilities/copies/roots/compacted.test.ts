/** A root that was compacted, copied at each of its checkpoints. */
import { expect, it } from 'vitest';
import { type Message, unpairedCalls } from '../../../../src/protocol/messages';
import { askSurely } from '../../../support/asks';
import type { Tree } from '../../../support/harness';
import { compactions, counted, plain, talked, talker } from '../../../support/talks';

const checkpointsOf = (tree: Tree) =>
  tree.log.flatMap(({ chunk }) => (chunk.type === 'step_committed' && chunk.checkpointId ? [chunk.checkpointId] : []));

it('[CX4, CX10, CP7] goes on from any checkpoint, in front of a compaction or behind it, as a copy', async () => {
  const TURNS = 6;
  const make = talker({ maxTokens: 1_500 });
  const tree = await talked(make, TURNS);
  expect(compactions(tree).length).toBeGreaterThan(2);
  const points = checkpointsOf(tree);
  const whole = tree.transcript();
  for (const [index, checkpoint] of points.entries()) {
    const name = `copy${index}`;
    const at = `/agents/talker/${name}`;
    const forked = await askSurely(tree, {
      verb: 'fork',
      address: tree.address,
      input: { name, checkpoint },
      key: name,
    });
    expect(forked, checkpoint).toMatchObject({ ok: true });
    const before = tree.port.asked.length;
    const object = tree.world.object(at);
    const call = { kind: 'verb', path: [], verb: 'send', input: { content: 'Question 99' }, caller: 'ada' } as const;
    expect(await tree.soon(object.call(call)), checkpoint).toMatchObject({ ok: true });
    await tree.time.until(() => tree.store(at).load()?.run?.phase === 'ended');
    await tree.rest();
    const asked = tree.port.asked.slice(before);
    expect(asked.length, checkpoint).toBeGreaterThan(0);
    for (const { messages } of asked) {
      expect(counted(messages), checkpoint).toBeLessThanOrEqual(1_500);
      expect(unpairedCalls(messages), checkpoint).toEqual([]);
      expect(JSON.stringify(messages), checkpoint).toContain('Question 99');
    }
    // What is behind the checkpoint is nowhere, neither word for word nor in a summary.
    const last = Math.ceil((index + 1) / 2);
    for (let turn = last + 1; turn <= TURNS; turn++)
      expect(JSON.stringify(asked), `${checkpoint} ${turn}`).not.toContain(`Question ${turn}`);
    const copied = tree.transcript(at);
    const plainly = (messages: readonly Message[]) => plain(messages);
    const kept = copied.findIndex((one) => one.role === 'user' && one.content === 'Question 99');
    expect(plainly(copied.slice(0, kept))).toBe(plainly(whole.slice(0, kept)));
  }
  tree.close();
});
