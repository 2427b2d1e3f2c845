/** Copies of companions in objects of their own that are stopped before they begin, or planned once more. */
import { describe, expect, it } from 'vitest';
import { ADA, APART, BOB, both, copies, DEEP, levels, OWN, spawns, tells, unexpected } from '../support/copied-apart';
import { ask, code } from '../support/copied-roots';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { companion, heard, questions, resultOf } from '../support/levels';
import { toolResults } from '../support/trees';

describe('a copy in an object that is stopped before it begins', () => {
  /** Its turn comes when `cid`, who hangs, is done with. */
  const slow = (hangs: () => boolean): TreeParts => {
    const parts = levels(
      [
        spawns('one'),
        () => companion('spawnAgent', { agent: 'scout', name: 'cid', initialMessage: 'hang', mode: 'non-blocking' }),
        copies('two'),
        tells('bob', 'four'),
      ],
      APART,
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
  const bobIn = (tree: Tree) => tree.nodes.filter(({ address }) => address.startsWith(BOB));

  it.each(['in memory', 'lost'] as const)(
    '[CP17, R17, SP13] in the queue: it begins with its memory and those below it when its parent goes on, what was known meanwhile is %s',
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
    '[CP17, R17, SP13] while its memory comes: it is made anew when its parent goes on, what was known meanwhile is %s',
    async (fate) => {
      let stop: (() => void) | undefined;
      await withTree(
        (tree) => {
          stop = () => tree.stop('interrupt');
          return both(APART)();
        },
        {
          network(_address, call, perform) {
            if (call.kind === 'copy' && call.ask.op === 'rows' && call.way.length > 0) {
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
    '[CP17, SP13] and never begins, because of %s: those who were to come along leave with it',
    async (verb) => {
      let stop: (() => void) | undefined;
      await withTree(
        (tree) => {
          stop = () => tree.stop(verb);
          return both(APART)();
        },
        {
          network(_address, call, perform) {
            if (call.kind === 'copy' && call.ask.op === 'rows' && call.way.length > 0) {
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
          expect(tree.world.addresses().filter((address) => address.startsWith(BOB))).toEqual([]);
          expect(unexpected(tree)).toEqual([]);
        },
      );
    },
  );

  it('[CP17, SP13] while it is planned: the tree never hears of it, and nothing is made', async () => {
    let stop: (() => void) | undefined;
    let sent = 0;
    await withTree(
      (tree) => {
        stop = () => tree.stop('abort');
        return both(APART)();
      },
      {
        network(address, call, perform) {
          if (call.kind === 'agent' && call.message.type === 'plan_copy') {
            stop?.();
            stop = undefined;
          }
          if (call.kind === 'copy' && address.startsWith(BOB)) sent++;
          return perform();
        },
      },
      async (tree) => {
        await tree.start();
        await tree.rest();
        expect(stop).toBeUndefined();
        expect(sent).toBe(0);
        expect(bobIn(tree)).toEqual([]);
        expect(unexpected(tree)).toEqual([]);
      },
    );
  });

  it('[CP17, SP13] while memory comes: nobody sends any more who had not begun to, and it is not tried again', async () => {
    let stop: (() => void) | undefined;
    let planned = 0;
    const sent: string[] = [];
    await withTree(
      (tree) => {
        stop = () => tree.stop('interrupt');
        return both(APART)();
      },
      {
        network(_address, call, perform) {
          const message = call.kind === 'agent' ? call.message : undefined;
          if (message?.type === 'send_copy') sent.push(message.planned.session.address);
          if (message?.type === 'plan_copy' && message.session.address === BOB) planned++;
          if (call.kind === 'copy' && call.ask.op === 'rows' && call.way.length > 0) {
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
        expect([...new Set(sent)].sort()).toEqual([BOB + OWN, BOB + DEEP]);
        expect(unexpected(tree)).toEqual([]);
      },
    );
  });
});

describe('a copy in an object that is planned once more', () => {
  /** Somebody begins below the original when the first try has failed, and before the second one is planned. */
  const grown = (then: (tree: Tree) => Promise<void>, maxTreeChildren?: number) => {
    let [cut, planned] = [false, 0];
    let tree: Tree | undefined;
    let goOn: (() => void) | undefined;
    const isThere = () =>
      tree?.nodes.some(({ address, status }) => address === ADA + OWN && status === 'completed') === true;
    const tell = () => companion('sendMessage', { name: 'ada', message: 'grow' });
    const parts = levels([spawns('one'), tell, copies('two')], APART);
    const [top, ...others] = parts.agents;
    const limits = maxTreeChildren === undefined ? top.limits : { ...top.limits, maxTreeChildren };
    const scout: TreeParts['scripts'][string] = ({ step, messages }) => {
      const asked = questions(messages).at(-1) ?? '';
      if (asked === 'grow' && !cut) return { fail: { code: 'model_error', retryable: true } };
      if (step > 1 || !['grow', 'ask'].includes(asked)) return { finish: { answer: heard(messages) } };
      const call =
        asked === 'grow'
          ? companion('spawnAgent', { agent: 'leaf', name: 'own', initialMessage: 'quiet own' })
          : companion('sendMessage', { name: 'own', message: 'quiet more', wait: true });
      return { calls: [call] };
    };
    const make = (made: Tree): TreeParts => {
      tree = made;
      return { agents: [{ ...top, limits }, ...others], scripts: { ...parts.scripts, scout } };
    };
    const options: TreeOptions = {
      async network(address, call, perform) {
        if (call.kind === 'copy' && call.ask.op === 'rows' && !cut) {
          cut = true;
          throw new Error('The line is cut.');
        }
        const isPlan = call.kind === 'agent' && call.message.type === 'plan_copy' && address === ADA;
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

  it('[CP17, TR4] has those in the record of the tree who have begun below the original since', () =>
    grown(async (tree) => {
      expect(tree.nodes.map(({ address }) => address)).toEqual(expect.arrayContaining([ADA + OWN, BOB + OWN]));
      expect(tree.world.addresses()).toContain(BOB + OWN);
      expect(code(await ask(tree, 'send', { content: 'ask' }, 'k', BOB))).toBe('ok');
      await tree.rest();
      expect(questions(tree.transcript(BOB + OWN))).toEqual(['quiet own', 'quiet more']);
    }));

  it('[CP5, CP17] is refused where the tree has no place for them, and nothing of it stays', () =>
    grown(async (tree) => {
      expect(toolResults(tree).map(resultOf)[2]).toMatchObject({ code: 'max_tree_children' });
      expect(tree.world.addresses().filter((address) => address.startsWith(BOB))).toEqual([]);
      expect(tree.nodes.filter(({ address }) => address.startsWith(BOB + OWN))).toEqual([]);
    }, 3));
});
