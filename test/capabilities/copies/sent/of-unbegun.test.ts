/** Copies of companions that have never begun, however that came about: there is nothing to remember, and the copy begins. */
import { describe, expect, it } from 'vitest';
import { type Tree, type TreeParts, withTree } from '../../../support/harness';
import { companion, resultOf } from '../../../support/levels';
import { toolResults } from '../../../support/trees';
import { messageIn } from '../support/calls';
import { ADA, BOB, type Call, calling, MIXED, type Places, unexpected } from '../support/sent-copies';

const OBJECT: Places = ['object', 'facet', 'facet'];
const FACETS: Places = ['facet', 'facet', 'facet'];

const spawned = (name: string, initialMessage: string): Call =>
  companion('spawnAgent', { agent: 'scout', name, initialMessage, mode: 'non-blocking' });
const forked = (message: string): Call => companion('forkChild', { name: 'ada', newName: 'bob', message });
const pauses = (name: string): Call => companion('stopChild', { name, how: 'pause' });
const ends = (name: string): Call => companion('terminateChild', { name });

/** `ada` waits for the slot of `cid`, who hangs until somebody ends it. */
function queued(places: Places, ...steps: readonly (readonly Call[])[]): TreeParts {
  const { agents, scripts } = calling(
    places,
    [spawned('cid', 'hang')],
    [spawned('ada', 'quiet one')],
    ...steps.filter(({ length }) => length > 0),
  );
  const [top, ...others] = agents;
  return { agents: [{ ...top, limits: { ...top.limits, maxConcurrentChildren: 1 } }, ...others], scripts };
}
const results = (tree: Tree) => toolResults(tree).map(resultOf);

describe.each([FACETS, MIXED, OBJECT])('a copy where the levels are %s, %s, %s', (...places) => {
  it('[CP22] of one that was paused before it began has its task, and so has that one when it goes on', () =>
    withTree(
      () =>
        queued(
          places,
          [pauses('ada')],
          [forked('quiet two'), ends('cid')],
          [companion('sendMessage', { name: 'ada', message: 'quiet three', wait: true })],
        ),
      {},
      async (tree) => {
        await tree.run();
        await tree.rest();
        expect(results(tree)[3]).toMatchObject({ name: 'bob', output: { answer: 'quiet two' } });
        expect(results(tree)[5]).toMatchObject({ result: { answer: 'quiet one quiet three' } });
        expect(unexpected(tree)).toEqual([]);
      },
    ));

  it.each([
    ['rests', []],
    ['waits with a further task', [companion('sendMessage', { name: 'ada', message: 'quiet one' })]],
  ])('[CP22] of one that %s, and whose first task ended before it began, has its own', (_, further) =>
    withTree(
      () => queued(places, [companion('waitForResult', { name: 'ada' })], further, [forked('quiet two'), ends('cid')]),
      {},
      async (tree) => {
        await tree.start();
        await tree.time.pass(5_000);
        expect((await tree.soon(tree.stopAt(ADA, 'abort'))).ok).toBe(true);
        await tree.finish();
        await tree.rest();
        expect(results(tree).at(-2)).toMatchObject({ name: 'bob', output: { answer: 'quiet two' } });
        expect(unexpected(tree)).toEqual([]);
      },
    ),
  );

  it('[CP6] of one that has begun, and whose store is gone, is lost', () =>
    withTree(
      () =>
        calling(
          places,
          [companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: 'quiet one' })],
          [forked('quiet two')],
        ),
      {
        async network(address, call, perform) {
          const message = messageIn(call);
          if (message?.type === 'plan_copy' && address === ADA) return { answer: 'absent' };
          if (message?.type === 'come_along' && address === BOB) return { answer: 'absent' };
          return perform();
        },
      },
      async (tree) => {
        await tree.run();
        await tree.rest();
        expect(results(tree)[1]).toMatchObject({ name: 'bob', code: 'subagent_lost' });
      },
    ));
});
