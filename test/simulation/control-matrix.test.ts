/**
 * What a parent that goes on does about a child, for every way in which the child can stand: decided in a process that
 * knows nothing but what is stored.
 */
import { describe, expect, it } from 'vitest';
import { statusOf } from '../../src/core/agent/runs/status';
import type { ParentSuspendRule } from '../../src/core/definition/definition';
import type { Limits } from '../../src/core/definition/limits';
import { cells, type Way } from '../support/control';
import { examine } from '../support/examine';
import { type Tree, withTree } from '../support/harness';
import { People, yes } from '../support/people';

const TOP = '/agents/top/one';
const KID = `${TOP}/sub/kid/1~1`;
const ANEW = `${TOP}/sub/kid/1~2`;

interface Cell {
  readonly ways?: readonly Way[];
  readonly rule?: ParentSuspendRule;
  readonly limits?: Partial<Limits>;
  readonly crashAt?: number;
  /** How long the parent works itself before it waits. */
  readonly thinksMs?: number;
  /** Before the process is lost. */
  prepare?(tree: Tree): unknown;
}

/** How a child stands: in its own store, and in the root's record. */
function standing(tree: Tree, address = KID) {
  const node = tree.nodes.find((one) => one.address === address);
  const state = tree.addresses.includes(address) ? tree.state(address) : undefined;
  const outcome = state?.run?.phase === 'ended' ? state.run.outcome : undefined;
  const failureReason = outcome?.status === 'failed' ? outcome.failureReason : undefined;
  return { own: state && statusOf(state), record: node?.status, ...(failureReason ? { failureReason } : {}) };
}

/** How often each session of a type asked its model, in the order in which they began. */
function asked(tree: Tree, agentType = 'kid'): number[] {
  const counts = new Map<string, number>();
  for (const one of tree.port.asked)
    if (one.agentType === agentType) counts.set(one.sessionId, (counts.get(one.sessionId) ?? 0) + 1);
  return [...counts.values()];
}

/** The results of the parent's calls of children. */
function results(tree: Tree) {
  const [step] = tree.store().steps({});
  const calls = step?.phase === 'calls' ? step.calls.filter(({ plan }) => plan.kind === 'task') : [];
  return calls.map(({ settled }) => (settled?.result.success === false ? settled.result.error.code : 'well'));
}

/** Brings a child to where it stands, loses the process, answers the parent in a new one, and goes on to the end. */
async function resumed(cell: Cell) {
  const { ways = ['slow'], rule = 'continue', limits = {}, crashAt = 0, thinksMs } = cell;
  return withTree(
    (tree) => cells(tree, { rule, ways, limits, ...(thinksMs === undefined ? {} : { thinksMs }) }),
    { crashAt: new Set([crashAt]) },
    async (tree) => {
      await tree.start();
      if (crashAt === 0) {
        await tree.time.pass(20_000);
        await cell.prepare?.(tree);
        await tree.time.pass(1_000);
        tree.crash();
      } else await tree.time.until(() => tree.crashes > 0);
      const before = standing(tree);
      const begun = tree.port.asked.length;
      const own = tree.pending.find(({ address }) => address === TOP);
      if (own === undefined) throw new Error('The parent does not wait.');
      const said = await tree.answer(own, yes(own));
      expect(said.ok).toBe(true);
      await tree.time.pass(1_000);
      const after = { kid: standing(tree), anew: standing(tree, ANEW), top: tree.nodes[0]?.status };
      const waits = tree.pending.map(({ address, item }) => `${address} ${item.toolName}`);
      await new People({}).attend(tree);
      examine(tree, '', rule === 'continue');
      expect(tree.outcome).toMatchObject({ output: 'Done.' });
      const ends = tree.log.filter(({ chunk }) => chunk.type === 'subagent_end' && chunk.subAgentType === 'kid').length;
      const starts = tree.log.flatMap(({ chunk }) =>
        chunk.type === 'subagent_start' && chunk.subAgentType === 'kid' ? [chunk.generation] : [],
      );
      const all = { begun, asked: asked(tree), leaves: asked(tree, 'leaf'), results: results(tree), ends, starts };
      return { before, after, waits, ...all };
    },
  );
}

describe('a parent that goes on', () => {
  it('[CS1, DG1] starts a child that has a record and was not started', async () => {
    const found = await resumed({ ways: ['fast'], crashAt: 2 });
    expect(found.before).toEqual({ own: undefined, record: undefined });
    expect(found).toMatchObject({ asked: [2], results: ['well'], starts: [1], ends: 1 });
  });

  it('[CS1, CS2] starts a child that was paused before it was started', async () => {
    const found = await resumed({ ways: ['slow', 'fast'], rule: 'pause' });
    expect(found.before).toEqual({ own: undefined, record: undefined });
    expect(found.begun).toBe(1);
    expect(found).toMatchObject({ asked: [3, 2], results: ['well', 'well'], starts: [1, 1], ends: 2 });
  });

  it('[CS1, TR3] keeps a child queued', async () => {
    const found = await resumed({ ways: ['slow', 'fast'], limits: { maxConcurrentChildren: 1 } });
    expect(found).toMatchObject({ asked: [3, 2], results: ['well', 'well'], starts: [1, 1], ends: 2 });
    expect(found.begun).toBe(3);
  });

  it('[CS1] keeps waiting for a child that works: nothing of it begins again', async () => {
    const found = await resumed({});
    expect(found.before).toEqual({ own: 'running', record: 'running' });
    expect(found.after.kid).toEqual({ own: 'running', record: 'running' });
    expect(found).toMatchObject({ asked: [3], results: ['well'], starts: [1], ends: 1 });
  });

  it.each([
    ['client', 'suspended_client_tool', `${KID} look`, [3], []],
    ['deep', 'suspended_awaiting_children', `${KID}/sub/leaf/1~1 look`, [3], [3]],
    ['partial', 'suspended_step_partial', `${KID} gate`, [3], [3]],
  ] as const)(
    '[CS1, SU1] keeps waiting for a child that waits itself (%s), with its calls in the inbox',
    async (way, status, pending, counts, leaves) => {
      const found = await resumed({ ways: [way] });
      expect(found.before).toEqual({ own: status, record: status });
      expect(found.after).toMatchObject({ kid: { own: status, record: status }, top: 'suspended_awaiting_children' });
      expect(found.waits).toEqual([pending]);
      expect(found).toMatchObject({ asked: counts, leaves, results: ['well'], starts: [1], ends: 1 });
    },
  );

  it('[CS1] takes the result of a child that has completed', async () => {
    const found = await resumed({ ways: ['fast'] });
    expect(found.before).toEqual({ own: 'completed', record: 'completed' });
    expect(found).toMatchObject({ asked: [2], results: ['well'], starts: [1], ends: 1 });
  });

  it('[CS1, CS2] starts a child anew that it failed for its own wait, as the next generation; the reason is still there', async () => {
    const found = await resumed({ rule: 'respawn', thinksMs: 10_000 });
    expect(found.before).toEqual({ own: 'failed', record: 'failed', failureReason: 'parent_suspended' });
    expect(found.after).toMatchObject({ kid: { own: undefined }, anew: { own: 'running' } });
    expect(found).toMatchObject({ asked: [2, 3], results: ['well'], starts: [1, 2], ends: 2 });
  });

  it('[CS1] takes the failure of a child that failed for another reason, and starts nothing', async () => {
    const found = await resumed({ ways: ['fails'], rule: 'continue' });
    expect(found.before).toEqual({ own: 'failed', record: 'failed' });
    expect(found).toMatchObject({ asked: [2], results: ['model_refused'], starts: [1], ends: 1 });
  });

  it('[CS1, CS2, EN2] lets a child go on that it paused: its model is not asked again what it was asked', async () => {
    const found = await resumed({ rule: 'pause', thinksMs: 10_000 });
    expect(found.before).toEqual({ own: 'interrupted', record: 'interrupted' });
    expect(found.after.kid).toEqual({ own: 'running', record: 'running' });
    expect(found).toMatchObject({ asked: [3], results: ['well'], starts: [1], ends: 1 });
  });

  it('[CS1, EN2, DG4] lets a child go on that a person interrupted, once it is resumed', async () => {
    const found = await resumed({ prepare: (tree) => tree.stopAt(KID, 'interrupt') });
    expect(found.before).toEqual({ own: 'interrupted', record: 'interrupted' });
    expect(found.after).toMatchObject({ kid: { own: 'interrupted' }, top: 'suspended_awaiting_children' });
    expect(found).toMatchObject({ asked: [3], results: ['well'], starts: [1], ends: 1 });
  });

  it('[CS1] takes the end of a child that was terminated, and never starts it again', async () => {
    const found = await resumed({ prepare: (tree) => tree.stopAt(KID, 'terminate') });
    expect(found.before).toEqual({ own: 'terminated', record: 'terminated' });
    expect(found).toMatchObject({ asked: [2], results: ['terminated'], starts: [1], ends: 1 });
  });

  it('[CS1] settles a child once that was deleted', async () => {
    const found = await resumed({ prepare: (tree) => tree.remove(KID) });
    expect(found.before).toEqual({ own: undefined, record: undefined });
    expect(found).toMatchObject({ asked: [2], results: ['deleted'], starts: [1], ends: 1 });
  });

  it('[CS1, DG7] settles a child once as lost that is gone with its store', async () => {
    const found = await resumed({ prepare: (tree) => tree.world.remove(KID) });
    expect(found.before.own).toBe(undefined);
    expect(found).toMatchObject({ asked: [2], results: ['subagent_lost'], starts: [1], ends: 1 });
  });
});
