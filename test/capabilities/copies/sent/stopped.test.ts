/** Copies of companions in objects of their own, or with somebody in one below, that are stopped before they begin, or planned once more. */
import { describe, expect, it } from 'vitest';
import type { StopVerb } from '../../../../src/core/agent/runs/stop-verb';
import { ask, code } from '../../../support/asks';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../../../support/harness';
import { companion, heard, questions, resultOf } from '../../../support/levels';
import { sample } from '../../../support/sizes';
import { toolResults } from '../../../support/trees';
import { isCopyCall, messageIn } from '../support/calls';
import {
  ADA,
  BOB,
  both,
  copies,
  DEEP,
  levels,
  MIXED,
  OBJECTS,
  OWN,
  type Places,
  spawns,
  tells,
  unexpected,
} from '../support/sent-copies';

/** Commits of a making that a sweep of `npm test` tries; a night tries all. */
const MOST = 12;
/** All below a facet are in objects. */
const ABOVE: Places = ['facet', 'object', 'object'];

describe.each([OBJECTS, MIXED])(
  'a copy where the levels are %s, %s, %s that is stopped before it begins',
  (...places) => {
    /** Its turn comes when `cid`, who hangs, is done with. */
    const slow = (hangs: () => boolean): TreeParts => {
      const parts = levels(
        [
          spawns('one'),
          () => companion('spawnAgent', { agent: 'scout', name: 'cid', initialMessage: 'hang', mode: 'non-blocking' }),
          copies('two'),
          tells('bob', 'four'),
        ],
        places,
      );
      const [top, ...others] = parts.agents;
      const tip: TreeParts['scripts'][string] = ({ messages }) =>
        hangs() && questions(messages).at(-1) === 'hang'
          ? { hang: true }
          : { finish: { answer: questions(messages).join(' ') } };
      return {
        agents: [{ ...top, limits: { ...top.limits, maxConcurrentChildren: 1 } }, ...others],
        scripts: { ...parts.scripts, tip },
      };
    };
    /** Whether the memory of one below comes. */
    const comes = (address: string, call: Parameters<NonNullable<TreeOptions['network']>>[1]): boolean =>
      isCopyCall(call) && call.ask.op === 'rows' && (call.way.length > 0 || address !== BOB);
    const bobIn = (tree: Tree) => tree.nodes.filter(({ address }) => address.startsWith(BOB));

    it.each(['in memory', 'lost'] as const)(
      '[CP53, R17, SP13] in the queue: it begins with its memory and those below it when its parent goes on, what was known meanwhile is %s',
      async (fate) => {
        let hangs = true;
        await withTree(
          () => slow(() => hangs),
          {},
          async (tree) => {
            await tree.start();
            await tree.time.pass(5_000);
            expect(bobIn(tree).map(({ status }) => status)).toEqual(['queued', 'completed', 'completed']);
            expect(tree.stop('interrupt')).toBe(true);
            await tree.rest();
            expect(tree.outcome.status).toBe('interrupted');
            expect(bobIn(tree).map(({ status }) => status)).toEqual(['queued', 'completed', 'completed']);
            if (fate === 'lost') tree.crash();
            hangs = false;
            await tree.resume();
            await tree.finish();
            await tree.rest();
            const results = toolResults(tree).map(resultOf);
            expect(results[2]).toMatchObject({ output: { answer: 'one two; one two; one two' } });
            expect(results[3]).toMatchObject({ result: { answer: 'one two four; one two four; one two four' } });
            expect(bobIn(tree).map(({ address }) => address)).toEqual([BOB, BOB + OWN, BOB + DEEP]);
            expect(unexpected(tree)).toEqual([]);
          },
        );
      },
    );

    it.each(['in memory', 'lost'] as const)(
      '[CP53, R17, SP13] while its memory comes: it is made anew when its parent goes on, what was known meanwhile is %s',
      async (fate) => {
        let stop: (() => void) | undefined;
        await withTree(
          (tree) => {
            stop = () => tree.stop('interrupt');
            return both(places)();
          },
          {
            network(address, call, perform) {
              if (comes(address, call)) {
                stop?.();
                stop = undefined;
              }
              return perform();
            },
          },
          async (tree) => {
            await tree.start();
            await tree.rest();
            expect(stop).toBeUndefined();
            expect(tree.outcome.status).toBe('interrupted');
            if (fate === 'lost') tree.crash();
            await tree.resume();
            await tree.finish();
            await tree.rest();
            const results = toolResults(tree).map(resultOf);
            expect(results[1]).toMatchObject({ output: { answer: 'one two; one two; one two' } });
            expect(results[3]).toMatchObject({ result: { answer: 'one two four; one two four; one two four' } });
            expect(bobIn(tree).map(({ address }) => address)).toEqual([BOB, BOB + OWN, BOB + DEEP]);
            expect(unexpected(tree)).toEqual([]);
          },
        );
      },
    );

    it.each(['abort', 'terminate'] as const)(
      '[CP53, SP13] and never begins, because of %s: those who were to come along leave with it',
      async (verb) => {
        let stop: (() => void) | undefined;
        await withTree(
          (tree) => {
            stop = () => tree.stop(verb);
            return both(places)();
          },
          {
            network(address, call, perform) {
              if (comes(address, call)) {
                stop?.();
                stop = undefined;
              }
              return perform();
            },
          },
          async (tree) => {
            await tree.start();
            await tree.rest();
            expect(stop).toBeUndefined();
            expect(bobIn(tree).map(({ address, status }) => [address, status])).toEqual([[BOB, 'failed']]);
            expect(tree.held.filter((address) => address.startsWith(BOB))).toEqual([]);
            expect(unexpected(tree)).toEqual([]);
          },
        );
      },
    );

    it('[CP52, SP13] while it is planned: the tree never hears of it, and nothing is made', async () => {
      let stop: (() => void) | undefined;
      let sent = 0;
      await withTree(
        (tree) => {
          stop = () => tree.stop('abort');
          return both(places)();
        },
        {
          network(address, call, perform) {
            if (messageIn(call)?.type === 'plan_copy') {
              stop?.();
              stop = undefined;
            }
            if (isCopyCall(call) && address.startsWith(BOB)) sent++;
            return perform();
          },
        },
        async (tree) => {
          await tree.start();
          await tree.rest();
          expect(stop).toBeUndefined();
          expect(sent).toBe(0);
          expect(bobIn(tree)).toEqual([]);
          expect(tree.addresses.filter((address) => address.startsWith(BOB))).toEqual([]);
          expect(unexpected(tree)).toEqual([]);
        },
      );
    });

    it('[CP52, SP13] while memory comes: nobody sends any more who had not begun to, and it is not tried again', async () => {
      let stop: (() => void) | undefined;
      let planned = 0;
      const sent: string[] = [];
      await withTree(
        (tree) => {
          stop = () => tree.stop('interrupt');
          return both(places)();
        },
        {
          network(address, call, perform) {
            const message = messageIn(call);
            if (message?.type === 'send_copy') sent.push(message.planned.session.address);
            if (message?.type === 'plan_copy' && message.session.address === BOB) planned++;
            if (comes(address, call)) {
              stop?.();
              stop = undefined;
            }
            return perform();
          },
        },
        async (tree) => {
          await tree.start();
          await tree.rest();
          expect(stop).toBeUndefined();
          expect(planned).toBe(1);
          expect([...new Set(sent)].sort()).toEqual(places[1] === 'facet' ? [BOB + DEEP] : [BOB + OWN, BOB + DEEP]);
          expect(unexpected(tree)).toEqual([]);
        },
      );
    });

    /** The top's run is stopped at a commit, or before a call, of the making: from the plan until the copy is given its task. */
    const stoppedAt = (verb: StopVerb, at: number, then: (tree: Tree) => Promise<void>) => {
      let [moments, isMaking] = [0, false];
      let stop = (): void => undefined;
      const passes = (): void => {
        if (isMaking && ++moments === at) stop();
      };
      return withTree(
        (tree) => {
          stop = () => queueMicrotask(() => tree.stop(verb));
          return both(places)();
        },
        {
          network(address, call, perform) {
            const message = messageIn(call);
            if (message?.type === 'plan_copy') isMaking = true;
            if (message?.type === 'assign' && address === BOB) isMaking = false;
            passes();
            return perform();
          },
          onCommit: passes,
        },
        async (tree) => {
          await tree.start();
          await tree.rest();
          await then(tree);
          expect(unexpected(tree), `${verb} at ${at}`).toEqual([]);
          return moments;
        },
      );
    };
    const calm = (verb: StopVerb) => stoppedAt(verb, 0, async (tree) => expect(tree.outcome.status).toBe('completed'));

    it('[CP53, R17, SP13] at any moment: under an interrupt all of it is there when its parent has gone on', async () => {
      const moments = await calm('interrupt');
      expect(moments).toBeGreaterThan(10);
      for (const at of sample(moments, MOST, 0))
        await stoppedAt('interrupt', at, async (tree) => {
          const what = `at ${at}`;
          expect(tree.outcome.status, what).toBe('interrupted');
          await tree.resume();
          await tree.finish();
          await tree.rest();
          const results = toolResults(tree).map(resultOf);
          expect(results[1], what).toMatchObject({ output: { answer: 'one two; one two; one two' } });
          expect(results[3], what).toMatchObject({ result: { answer: 'one two four; one two four; one two four' } });
          const all = [BOB, BOB + OWN, BOB + DEEP];
          const known = bobIn(tree).map(({ address }) => address);
          expect(known, what).toEqual(all);
          expect(
            tree.addresses.filter((address) => address.startsWith(BOB)),
            what,
          ).toEqual(all);
        });
    });

    it('[CP52, CP53, OP6, OP10, SP13] at any moment: under an abort no object is left below it, and nothing that is not its own', async () => {
      const inObjects = [BOB + OWN, BOB + DEEP].filter((_, at) => places[at + 1] === 'object');
      for (const at of sample(await calm('abort'), MOST, 1))
        await stoppedAt('abort', at, async (tree) => {
          const what = `at ${at}`;
          const [bob, ...below] = bobIn(tree);
          const [there, ...others] = tree.addresses.filter((address) => address.startsWith(BOB));
          expect(below, what).toEqual([]);
          expect(
            others.filter((address) => inObjects.includes(address)),
            what,
          ).toEqual([]);
          // One that has had its task stays to be read.
          const isRead = there !== undefined && tree.state(there).session.sessionId === bob?.sessionId;
          expect(there !== undefined, what).toBe(isRead && tree.state(there).run !== undefined);
        });
    });
  },
);

describe.each([OBJECTS, ABOVE])('a copy where the levels are %s, %s, %s that is planned once more', (...places) => {
  /** Somebody begins below the original when the first try has failed, and before the second one is planned. */
  const grown = (then: (tree: Tree) => Promise<void>, maxTreeChildren?: number) => {
    let [cut, planned] = [false, 0];
    let tree: Tree | undefined;
    let goOn: (() => void) | undefined;
    const isThere = () =>
      tree?.nodes.some(({ address, status }) => address === ADA + OWN && status === 'completed') === true;
    const tell = () => companion('sendMessage', { name: 'ada', message: 'grow' });
    const parts = levels([spawns('one'), tell, copies('two')], places);
    const [top, ...others] = parts.agents;
    const limits = maxTreeChildren === undefined ? top.limits : { ...top.limits, maxTreeChildren };
    const scout: TreeParts['scripts'][string] = ({ step, messages }) => {
      const asked = questions(messages).at(-1) ?? '';
      if (asked === 'grow' && !cut) return { fail: { code: 'model_error', retryable: true } };
      const spawn = (name: string) => companion('spawnAgent', { agent: 'leaf', name, initialMessage: `quiet ${name}` });
      const call = {
        one: spawn('old'),
        grow: spawn('own'),
        ask: companion('sendMessage', { name: 'own', message: 'quiet more', wait: true }),
      }[asked];
      return step > 1 || call === undefined ? { finish: { answer: heard(messages) } } : { calls: [call] };
    };
    const make = (made: Tree): TreeParts => {
      tree = made;
      return { agents: [{ ...top, limits }, ...others], scripts: { ...parts.scripts, scout } };
    };
    const options: TreeOptions = {
      async network(address, call, perform) {
        if (isCopyCall(call) && call.ask.op === 'rows' && !cut) {
          cut = true;
          throw new Error('The line is cut.');
        }
        const isPlan = messageIn(call)?.type === 'plan_copy' && address === ADA;
        if (isPlan && ++planned === 2 && !isThere())
          await new Promise<void>((resolve) => {
            goOn = resolve;
          });
        return perform();
      },
      onCommit() {
        if (goOn && isThere()) goOn();
      },
    };
    return withTree(make, options, async (tree) => {
      await tree.start();
      await tree.finish();
      await tree.rest();
      await then(tree);
    });
  };

  it('[CP54, TR4] has those in the record of the tree who have begun below the original since', () =>
    grown(async (tree) => {
      expect(tree.nodes.map(({ address }) => address)).toEqual(expect.arrayContaining([ADA + OWN, BOB + OWN]));
      expect(tree.world.addresses()).toContain(BOB + OWN);
      expect(code(await ask(tree, 'send', { content: 'ask' }, 'k', BOB))).toBe('ok');
      await tree.rest();
      expect(questions(tree.transcript(BOB + OWN))).toEqual(['quiet own', 'quiet more']);
    }));

  it('[CP29, CP50] is refused where the tree has no place for them, and nothing of it stays', () =>
    grown(async (tree) => {
      expect(toolResults(tree).map(resultOf)[2]).toMatchObject({ code: 'max_tree_children' });
      expect(tree.world.addresses().filter((address) => address.startsWith(BOB))).toEqual([]);
      expect(tree.nodes.filter(({ address }) => address.startsWith(BOB + OWN))).toEqual([]);
    }, 5));
});
