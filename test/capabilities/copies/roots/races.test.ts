/**
 * A copy of a root against what happens to its tree at the same moment: work at every level, stops, endings, deletions and
 * losses of single objects. The moments are forced, not timed.
 */
import { describe, expect, it } from 'vitest';
import type { VerbAnswer } from '../../../../src/engine/object/object-calls';
import type { Message } from '../../../../src/protocol/messages';
import { ask, code, turn } from '../../../support/asks';
import { type Tree, withTree } from '../../../support/harness';
import { questions } from '../../../support/levels';
import { figures, sample } from '../../../support/sizes';
import { ADA, BELOW, DEEP, levels, nodesOf, ONE, objectsOf, TWO } from '../support/roots';

/** Moments of each race that a sweep of `npm test` tries; a night tries all. */
const MOST = 3;

const COPY = { name: 'two' };

/** What comes right after the request for the copy. */
const ACTS: Readonly<Record<string, (tree: Tree) => void>> = {
  nothing: () => undefined,
  'the end of its run': (tree) => void ask(tree, 'terminate', { reason: 'Enough.' }, 'act', ONE),
  'an interruption': (tree) => void ask(tree, 'interrupt', { reason: 'Wait.' }, 'act', ONE),
  'the end of a companion for good': (tree) => void ask(tree, 'terminate', { reason: 'Enough.' }, 'act', ONE + ADA),
  'the deletion of a companion': (tree) => void ask(tree, 'remove', {}, 'act', ONE + ADA),
  'a message to the deepest': (tree) => void ask(tree, 'send', { content: 'more' }, 'act', ONE + DEEP),
  'the loss of the original': (tree) => tree.world.evict(ONE),
  'the loss of the copy': (tree) => tree.world.evict(TWO),
};

/** A second turn reaches down to the deepest; the copy is asked for at a commit of it, and the act comes some commits later. */
async function raced(placement: 'facet' | 'object', act: (tree: Tree) => void, at: number, later: number) {
  let [commits, counts] = [0, false];
  let reply: VerbAnswer | undefined;
  return withTree(
    levels({ placement }),
    {
      onCommit(tree) {
        if (!counts) return;
        commits++;
        // Before anything else goes on that this commit lets go on.
        if (commits === at)
          queueMicrotask(() => {
            const call = {
              kind: 'verb',
              path: [],
              verb: 'fork',
              input: COPY,
              caller: 'ada',
              idempotencyKey: 'k',
            } as const;
            // What is lost with the original has no answer.
            void tree.world
              .object(ONE)
              .call(call)
              .then(
                (answer) => {
                  reply = answer;
                },
                () => undefined,
              );
          });
        if (commits === at + later) queueMicrotask(() => act(tree));
      },
    },
    async (tree) => {
      await tree.run('one');
      await tree.rest();
      counts = true;
      await ask(tree, 'send', { content: 'two' }, 's');
      await tree.rest();
      counts = false;
      // A client asks again where its request was lost.
      if (commits >= at) reply ??= await ask(tree, 'fork', COPY, 'k');
      await tree.rest();
      const what = `at ${at}, ${later} later`;
      if (commits >= at) {
        expect(reply, what).toBeDefined();
        if (reply?.ok) await checkWhole(tree, what);
        else {
          expect(['unavailable', 'terminated', 'not_found'], `${what}: ${JSON.stringify(reply)}`).toContain(
            reply && code(reply),
          );
          expect(nodesOf(tree, TWO), what).toEqual([]);
          expect(
            objectsOf(tree, TWO).filter((address) => address !== TWO),
            what,
          ).toEqual([]);
        }
      }
      expect(
        tree.time.problems.filter((problem) => !String(problem).includes('lost from memory')),
        what,
      ).toEqual([]);
      return { commits, made: reply?.ok === true };
    },
  );
}

/** Who is in the record is there, and remembers no more than its parent gave, and all whose end that has read. */
async function checkWhole(tree: Tree, what: string): Promise<void> {
  const nodes = nodesOf(tree, TWO);
  expect(
    nodes.map(({ address }) => address),
    what,
  ).toEqual(objectsOf(tree, TWO).sort((one, other) => one.length - other.length));
  for (const [index, below] of BELOW.entries()) {
    const above = TWO + (BELOW[index - 1] ?? '');
    if (!nodes.some(({ address }) => address === TWO + below)) continue;
    expect(nodes.find(({ address }) => address === TWO + below)?.status, `${what}: ${below}`).toBe(
      tree.state(TWO + below).run?.phase === 'ended' ? endOf(tree, TWO + below) : 'at work',
    );
    const heard = questions(tree.transcript(TWO + below)).filter((text) => text !== 'more');
    const calls = tree.transcript(above).filter((message) => message.role === 'assistant');
    const given = JSON.stringify(calls).match(/"toolName":"companion__(spawnAgent|sendMessage)"/g)?.length ?? 0;
    const ended = tree.transcript(above).filter(hasHeard).length;
    expect(heard.length, `${what}: ${below} remembers what its parent never gave`).toBeLessThanOrEqual(given);
    expect(heard.length, `${what}: ${below} has forgotten what its parent has read`).toBeGreaterThanOrEqual(ended);
  }
  // It goes on by itself.
  expect(await turn(tree, TWO, 'next'), what).not.toBe('active');
}

/** Whether a message is the result of a call that has read the end of a companion's task. */
const hasHeard = (message: Message): boolean =>
  message.role === 'tool' && message.result.success && /"(output|result)":/.test(JSON.stringify(message.result.value));

const endOf = (tree: Tree, address: string): string => {
  const { run } = tree.state(address);
  return run?.phase === 'ended' ? run.outcome.status : 'at work';
};

describe.each(['facet', 'object'] as const)('a copy of a root whose companions are placed as %s', (placement) => {
  let [races, copies, commits] = [0, 0, 0];
  figures(`copies of roots at work, placed as ${placement}`, () => `${races} races, ${copies} copies`);

  it.each(Object.entries(ACTS))('[CP10, CP44, CP3] against %s', async (name, act) => {
    commits ||= (await raced(placement, () => undefined, Number.POSITIVE_INFINITY, 0)).commits;
    let made = 0;
    for (const at of sample(commits, MOST, name.length)) {
      for (const later of sample(4, 2, at)) {
        const found = await raced(placement, act, at, later - 1);
        if (found.made) made++;
        races++;
      }
    }
    copies += made;
    expect(made, 'copies that were made').toBeGreaterThan(0);
  });
});
