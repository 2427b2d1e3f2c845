/** A wide spawn: how it lets others in, and what becomes of it when it is stopped on its way. */
import { describe, expect, it } from 'vitest';
import type { StopVerb } from '../../src/core/agent/runs/stop-verb';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import type { Limits } from '../../src/core/definition/limits';
import { Turns } from '../../src/engine/object/pacing';
import { child, kidsOf } from '../support/control';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { agentOf, question } from '../support/trees';
import { VirtualTime } from '../support/virtual-time';

const WIDE = 100;
/** All of them may ask their models at once. */
const limits: Partial<Limits> = { maxConcurrentChildren: WIDE, maxConcurrentModelCalls: 2 * WIDE };
/** They ask for turns at models. */
const inTurns: Partial<Limits> = { maxConcurrentChildren: WIDE };

/** A parent of a hundred children, which hang in their first run and end in a later one. */
function wide(own = limits): TreeParts {
  const kid = agentOf('kid');
  const top = agentOf('top', { tools: [createSubAgentTool(kid, question)], limits: own });
  const runs = new Map<string, string>();
  return {
    agents: [top, kid],
    scripts: {
      top: [{ calls: Array.from({ length: WIDE }, () => child('kid')) }, { text: 'Done.' }],
      kid: ({ sessionId, runId }) => {
        const first = runs.get(sessionId) ?? runId;
        runs.set(sessionId, first);
        return stopsHere && first === runId ? { hang: true } : { text: 'k' };
      },
    },
  };
}
/** Whether the first run of a child hangs. */
let stopsHere = true;

/** How many children were ever asked. */
const asked = (tree: Tree): number =>
  new Set(tree.port.asked.flatMap(({ agentType, sessionId }) => (agentType === 'kid' ? [sessionId] : []))).size;

/** Runs a tree until the first child is at work, without any time passing, then stops it. */
async function stoppedEarly(tree: Tree, verb: StopVerb): Promise<number> {
  stopsHere = true;
  await tree.start();
  await tree.time.settle();
  const begun = asked(tree);
  expect(tree.stop(verb)).toBe(true);
  return begun;
}

const ENDS = { interrupt: 'interrupted', abort: 'failed', terminate: 'terminated' };

describe('a spawn of 100', () => {
  it('[DG12] begins one child in a turn of the event loop, and has at most 8 that have not answered', () => {
    let underWay = 0;
    let most = 0;
    const network: TreeOptions['network'] = async (_address, call, perform) => {
      if (call.kind !== 'agent' || call.message.type !== 'assign') return perform();
      most = Math.max(most, ++underWay);
      // It takes until much more time has passed than it takes to begin all.
      await new Promise<void>((resolve) => late.push(resolve));
      underWay--;
      return perform();
    };
    const late: (() => void)[] = [];
    return withTree(
      () => wide(),
      { network },
      async (tree) => {
        stopsHere = false;
        await tree.start();
        await tree.time.settle();
        expect(underWay).toBe(1);
        await tree.time.pass(1);
        expect(underWay).toBe(2);
        await tree.time.pass(1_000);
        expect(underWay).toBe(8);
        for (let one = late.shift(); one; one = late.shift()) {
          one();
          await tree.time.pass(5);
        }
        await tree.finish();
        expect([most, asked(tree), tree.outcome.status]).toEqual([8, WIDE, 'completed']);
      },
    );
  });

  it.each<StopVerb>(['interrupt', 'abort', 'terminate'])(
    '[SP13, SP9, RN4] F113: that is stopped by %s at its beginning begins no further child, and makes no object for one',
    (verb) =>
      withTree(
        () => wide(),
        {},
        async (tree) => {
          const begun = await stoppedEarly(tree, verb);
          expect(begun).toBe(1);
          await tree.finish();
          expect(asked(tree)).toBe(begun);
          expect(tree.world.addresses()).toHaveLength(1 + begun);
          expect(tree.outcome.status).toBe(ENDS[verb]);
          expect(kidsOf(tree).filter(({ schedule }) => schedule.phase !== 'ended')).toEqual([]);
          expect(tree.time.problems).toEqual([]);
        },
      ),
  );

  it('[SP13, RS1] that was interrupted at its beginning begins the others when it is resumed', () =>
    withTree(
      () => wide(),
      {},
      async (tree) => {
        await stoppedEarly(tree, 'interrupt');
        await tree.finish();
        expect(await tree.resume()).toBe(true);
        await tree.finish();
        expect([asked(tree), tree.outcome.status]).toEqual([WIDE, 'completed']);
      },
    ));

  it('[SP13, RC6] that was lost on its way goes on in turns after the crash, and a stop then begins no further child', () =>
    withTree(
      () => wide(),
      {},
      async (tree) => {
        stopsHere = true;
        await tree.start();
        await tree.time.settle();
        tree.crash();
        await tree.time.until(() => asked(tree) >= 4);
        const begun = asked(tree);
        tree.stop('abort');
        await tree.finish();
        expect(asked(tree)).toBe(begun);
        expect(tree.outcome.status).toBe('failed');
      },
    ));

  it.each([
    ['at once', limits],
    ['in turns', inTurns],
  ])(
    '[DG12, RT3, MT2] is left alone by the alarm: a child that has not begun is not woken, asking models %s',
    (_, own) => {
      const held: (() => void)[] = [];
      const network: TreeOptions['network'] = async (_address, call, perform) => {
        if (call.kind === 'agent' && call.message.type === 'assign')
          await new Promise<void>((resolve) => held.push(resolve));
        return perform();
      };
      return withTree(
        () => wide(own),
        { network },
        async (tree) => {
          stopsHere = false;
          await tree.start();
          await tree.time.pass(20_000);
          // Some were asked to begin and do not answer; the root's alarm has looked after them alone.
          expect(held.length).toBeLessThan(WIDE);
          expect(tree.world.addresses().length).toBeLessThanOrEqual(1 + held.length);
          for (let one = held.shift(); one; one = held.shift()) {
            one();
            await tree.time.pass(5);
          }
          await tree.finish();
          expect([asked(tree), tree.outcome.status]).toEqual([WIDE, 'completed']);
        },
      );
    },
  );
});

it('[B5] works that have ended in their turn leave no timer', async () => {
  const time = new VirtualTime();
  const turns = new Turns(time.environment);
  const all = ['a', 'b', 'c'].map((id) => turns.take(id, () => Promise.resolve()));
  for (let turn = 0; turn < 3; turn++) await time.pass(1);
  await Promise.all(all);
  expect(time.pending).toBe(0);
});

it('[DG12] a work that has not ended in 5 s gives its place to the next, and a ninth waits until then', async () => {
  const time = new VirtualTime();
  const turns = new Turns(time.environment);
  let begun = 0;
  const never = (): Promise<void> => {
    begun++;
    return new Promise(() => undefined);
  };
  for (let id = 1; id <= 9; id++) void turns.take(String(id), never);
  for (let turn = 0; turn < 20; turn++) await time.pass(1);
  expect(begun).toBe(8);
  await time.pass(5_000);
  expect(begun).toBe(9);
});

it('[DG12] a work that waits under a known id is done once, as it was given last, and all who asked hear of its end', async () => {
  const time = new VirtualTime();
  const turns = new Turns(time.environment);
  const done: string[] = [];
  const work = (what: string, fails = false) => {
    const ends = async (): Promise<void> => {
      done.push(what);
      if (fails) throw new Error(what);
    };
    return ends;
  };
  const first = turns.take('a', work('first'));
  const ends: string[] = [];
  const takes = (id: string, what: string, fails = false) =>
    void turns.take(id, work(what, fails)).then(
      () => ends.push(`${id} ends`),
      () => ends.push(`${id} fails`),
    );
  takes('b', 'old');
  takes('b', 'new');
  takes('c', 'no');
  takes('c', 'bad', true);
  for (let turn = 0; turn < 4; turn++) await time.pass(1);
  await first;
  expect(ends).toEqual(['b ends', 'b ends', 'c fails', 'c fails']);
  expect(done).toEqual(['first', 'new', 'bad']);
  expect(turns.waits('b')).toBe(false);
});
