/** A remote child that has ended there, and whose log does not come to its end here. */
import { describe, expect, it } from 'vitest';
import type { StopVerb } from '../../../../src/core/agent/runs/stop-verb';
import { Tree } from '../../../support/harness';
import { toolResults } from '../../../support/trees';
import type { Between } from '../support/elsewhere';
import { examined, farParts, hanging } from '../support/far';

const FAR = '/agents/top/one/sub/far/1~1';
/** Chunks that come; the rest does not. */
const GIVEN = 3;

/** A stream that ends, or begins anew, before the rest. */
const cuts: Between = {
  event: (event) => (event.type === 'chunk' && event.sequence > GIVEN ? [{ type: 'reset', from: 1 }] : [event]),
};
/** One that leaves a chunk out. */
const leavesOut: Between = {
  event: (event) => (event.type === 'chunk' && event.sequence === GIVEN + 1 ? [] : [event]),
};
/** One that stays open, and gives nothing more. */
function staysOpen(): Between {
  let isSilent = false;
  return {
    event(event) {
      isSilent ||= event.type === 'chunk' && event.sequence >= GIVEN;
      return event.type === 'chunk' && event.sequence > GIVEN ? [] : [event];
    },
    beats: () => isSilent,
  };
}
const HOLES = { cuts: () => cuts, leavesOut: () => leavesOut, staysOpen } as const;

async function stoppedAfter(
  between: Between,
  verb: StopVerb,
  { waits = 20_000, hangs = false }: { readonly waits?: number; readonly hangs?: boolean } = {},
): Promise<{ readonly tree: Tree; readonly took: number; readonly log: string[] }> {
  const tree = new Tree((it) => (hangs ? hanging(it, between) : farParts(it, between)));
  await tree.start();
  await tree.time.until(() => tree.log.some(({ chunk }) => chunk.address === FAR));
  await tree.time.pass(waits);
  expect(tree.log.some(({ chunk }) => chunk.type === 'subagent_end')).toBe(false);
  const from = tree.time.now;
  await tree.stopAt(FAR, verb);
  await tree.time.until(() => tree.log.some(({ chunk }) => chunk.type === 'subagent_end') || tree.time.pending === 0);
  const took = tree.time.now - from;
  return { tree, took, log: tree.log.flatMap(({ chunk }) => (chunk.address === FAR ? [chunk.type] : [])) };
}

describe.each(Object.entries(HOLES))('a log that has a hole: its stream %s', (_, hole) => {
  it.each(['terminate', 'abort'] as const)('[RM36] ends some seconds after %s with what came', async (verb) => {
    const { tree, took, log } = await stoppedAfter(hole(), verb);
    expect(took).toBeLessThan(8_000);
    // It had completed there before.
    expect(log.filter((type) => type.startsWith('run_'))).toEqual(['run_started', 'run_completed']);
    expect(toolResults(tree)).toMatchObject([{ success: true, value: { answer: 'far' } }]);
    await tree.rest();
    expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
    expect(tree.time.pending).toBe(0);
    tree.close();
  });

  it('[RM36] ends so with its root', async () => {
    const between = hole();
    const tree = new Tree((it) => farParts(it, between));
    await tree.start();
    await tree.time.until(() => tree.log.some(({ chunk }) => chunk.address === FAR));
    await tree.time.pass(20_000);
    const from = tree.time.now;
    tree.stopSurely('terminate');
    await tree.time.until(() => tree.ended);
    expect(tree.time.now - from).toBeLessThan(8_000);
    await tree.rest();
    expect(tree.outcome).toMatchObject({ status: 'terminated' });
    tree.close();
  });

  it('[RM36] ends so where the stop itself ended it there', async () => {
    const { tree, took, log } = await stoppedAfter(hole(), 'terminate', { hangs: true });
    expect(took).toBeLessThan(8_000);
    expect(log.filter((type) => type.startsWith('run_'))).toEqual(['run_started', 'run_terminated']);
    expect(toolResults(tree)).toMatchObject([{ success: false, error: { code: 'terminated' } }]);
    await tree.rest();
    expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
    tree.close();
  });

  it('[RM36, RM21] is waited for where its parent may let it continue', async () => {
    const { tree, took } = await stoppedAfter(hole(), 'interrupt');
    expect(took).toBeGreaterThan(200_000);
    tree.close();
  });
});

it('[RM36, RM3] a rest that comes in time is taken', async () => {
  let isWhole = false;
  const between: Between = {
    event: (event) =>
      !isWhole && event.type === 'chunk' && event.sequence > GIVEN ? [{ type: 'reset', from: 1 }] : [event],
  };
  const tree = new Tree((it) => farParts(it, between));
  await tree.start();
  await tree.time.until(() => tree.log.some(({ chunk }) => chunk.address === FAR));
  await tree.time.pass(20_000);
  await tree.stopAt(FAR, 'terminate');
  isWhole = true;
  await tree.finish();
  examined(tree);
  tree.close();
});
