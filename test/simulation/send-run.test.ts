/** A message that is for one run alone. */
import { describe, expect, it } from 'vitest';
import { command } from '../../src/verbs/command';
import { type TreeParts, withTree } from '../support/harness';
import { present } from '../support/present';
import { agentOf } from '../support/trees';

describe('a message with the run that it is for', () => {
  const top: TreeParts = { agents: [agentOf('top')], scripts: { top: [{ hang: true }] } };

  it('[A97] counts while that run is at work, or one that resumed it, and begins nothing else', () =>
    withTree(
      () => top,
      {},
      async (tree) => {
        const send = (runId: string) =>
          tree.soon(command(tree.world.object(tree.address), tree.address, 'send', { content: 'x', runId }));
        const superseded = { failure: { code: 'run_superseded' } };
        await expect(send('r_none')).rejects.toMatchObject(superseded);
        expect(tree.addresses).toEqual([]);
        await tree.start();
        const { runId } = present(tree.state(tree.address).run);
        expect(await send(runId)).toMatchObject({ delivery: 'queued' });
        await expect(send('r_none')).rejects.toMatchObject(superseded);
        tree.stop('interrupt');
        await tree.finish();
        await expect(send(runId)).rejects.toMatchObject(superseded);
        expect(await tree.resume()).toBe(true);
        const resumed = present(tree.state(tree.address).run).runId;
        expect(resumed).not.toBe(runId);
        for (const known of [runId, resumed]) expect(await send(known)).toMatchObject({ delivery: 'queued' });
        tree.stop('abort');
        await tree.finish();
        await expect(send(resumed)).rejects.toMatchObject(superseded);
        expect(tree.state(tree.address).run).toMatchObject({ phase: 'ended' });
      },
    ));
});
