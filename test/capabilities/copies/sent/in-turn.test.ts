/** Copies of many objects: more than are sent at once, so that some wait for their turn for longer than a copy may be silent. */
import { describe, expect, it } from 'vitest';
import { COPY_SILENCE_MS } from '../../../../src/capabilities/copies/plan';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../../../support/harness';
import { companion, questions, resultOf } from '../../../support/levels';
import { toolResults } from '../../../support/trees';
import { isCopyCall, messageIn } from '../support/calls';
import { BOB, calling, OBJECTS, type Places, unexpected } from '../support/sent-copies';

const LEAVES = ['l1', 'l2', 'l3', 'l4', 'l5', 'l6'];
/** Whatever is said to an object takes so long: two of that are longer than nothing may come. */
const SLOW_MS = COPY_SILENCE_MS - 10_000;

/** A scout with six leaves, which is copied. */
function many(places: Places): TreeParts {
  const parts = calling(
    places,
    [companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: 'all' })],
    [companion('forkChild', { name: 'ada', newName: 'bob', message: 'quiet two' })],
    [companion('sendMessage', { name: 'bob', message: 'each', wait: true })],
  );
  const each = (tool: string, more: (name: string) => object) =>
    LEAVES.map((name) => companion(tool, { name, ...more(name) }));
  return {
    ...parts,
    scripts: {
      ...parts.scripts,
      scout({ step, messages }) {
        const asked = questions(messages);
        const last = asked.at(-1);
        if (step === 1 && last === 'all')
          return {
            calls: each('spawnAgent', (name) => ({ agent: 'leaf', initialMessage: `quiet ${name}`, mode: 'blocking' })),
          };
        if (step === 1 && last === 'each')
          return { calls: each('sendMessage', () => ({ message: 'quiet more', wait: true })) };
        return { finish: { answer: asked.join(' ') } };
      },
    },
  };
}

/** What those below a copy are told takes long; `plans`: how often it was planned. */
function slowly() {
  let [plans, theTree]: [number, Tree | undefined] = [0, undefined];
  const options: TreeOptions = {
    async network(address, call, perform) {
      const message = messageIn(call);
      if (message?.type === 'plan_copy' && message.session.address === BOB) plans++;
      const comes = isCopyCall(call) && (call.ask.op === 'rows' || call.ask.op === 'rest');
      if (comes && address.startsWith(`${BOB}/`))
        await new Promise<void>((resolve) => void theTree?.time.environment.timer(SLOW_MS, resolve));
      return perform();
    },
  };
  const watched = (make: () => TreeParts) => (tree: Tree) => {
    theTree = tree;
    return make();
  };
  return { options, watched, plans: () => plans };
}

describe.each([['facet', 'object', 'object'], OBJECTS] as const)(
  'a copy of more objects than are sent at once, where the levels are %s, %s, %s',
  (...places) => {
    it('[CP23] is made in one go, however long some of them wait for their turn', async () => {
      const { options, watched, plans } = slowly();
      await withTree(
        watched(() => many(places)),
        options,
        async (tree) => {
          await tree.run();
          await tree.rest();
          expect(toolResults(tree).map(resultOf).slice(1)).toMatchObject([
            { name: 'bob', output: { answer: 'all quiet two' } },
            { result: { answer: 'all quiet two each' } },
          ]);
          expect(plans()).toBe(1);
          for (const name of LEAVES)
            expect(questions(tree.transcript(`${BOB}/sub/leaf/${name}`))).toEqual([`quiet ${name}`, 'quiet more']);
          expect(unexpected(tree)).toEqual([]);
        },
      );
    });
  },
);
