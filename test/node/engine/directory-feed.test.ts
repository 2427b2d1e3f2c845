/** When a root tells its directory. */
import { expect, it } from 'vitest';
import type { TreeReport } from '../../../src/core/tree/directory-report';
import { treeReport } from '../../../src/core/tree/directory-report';
import { TreeIndex } from '../../../src/core/tree/tree-index';
import { DirectoryFeed } from '../../../src/engine/root/directory-feed';
import { NO_FACTS, rootNode } from '../../support/nodes';
import { VirtualTime } from '../../support/virtual-time';

function feeding(answer: () => Promise<void> = () => Promise.resolve()) {
  const time = new VirtualTime();
  let known: string | undefined = 'begun';
  const self = () => rootNode({ top: known === undefined ? NO_FACTS : { ...NO_FACTS, reported: known } });
  const index = new TreeIndex([self()]);
  const sent: string[] = [];
  let now: string | undefined;
  const feed = new DirectoryFeed(
    {
      self,
      told: () => ({ report: treeReport(index, self(), []), text: now ?? '' }),
      owesReport: () => now !== undefined && now !== known,
      note: ({ reported }) => {
        known = reported;
        feed.tell();
      },
    },
    time.environment,
    async (_self, _report: TreeReport) => {
      sent.push(now ?? 'nobody');
      await answer();
    },
  );
  const change = (text: string | undefined): void => {
    now = text;
    feed.tell();
  };
  const forget = (): void => {
    known = undefined;
  };
  return { time, sent, change, forget };
}

it('[A28] changes of 250 ms make one report, and what changes while that is sent makes the next', async () => {
  let heard: () => void = () => undefined;
  const { time, sent, change } = feeding(() => new Promise((resolve) => (heard = resolve)));
  change('one');
  await time.pass(100);
  change('two');
  await time.pass(149);
  expect(sent).toEqual([]);
  await time.pass(1);
  expect(sent).toEqual(['two']);
  change('three');
  await time.pass(1_000);
  expect(sent).toEqual(['two']);
  heard();
  await time.settle();
  await time.pass(249);
  expect(sent).toEqual(['two']);
  await time.pass(1);
  expect(sent).toEqual(['two', 'three']);
});

it('[A28] a root that goes before its report is sent is read no more, and one that the directory did not hear tells again', async () => {
  const { time, sent, change } = feeding();
  change('one');
  change(undefined);
  await time.pass(250);
  expect([sent, time.pending]).toEqual([[], 0]);
  change('two');
  await time.pass(250);
  expect(sent).toEqual(['two']);
});

it('[A28] a root that the directory never heard of tells it at once, and what changes next waits', async () => {
  const { time, sent, change, forget } = feeding();
  forget();
  change('begun');
  change('at work');
  expect(sent).toEqual([]);
  await time.pass(0);
  expect(sent).toEqual(['at work']);
  change('waits');
  await time.pass(249);
  expect(sent).toEqual(['at work']);
  await time.pass(1);
  expect(sent).toEqual(['at work', 'waits']);
});

it('[A28] a new root that its directory does not hear tells it at most four times a second', async () => {
  const { time, sent, change, forget } = feeding(() => Promise.reject(new Error('overloaded')));
  forget();
  for (let at = 0; at < 50; at++) {
    change(`${at}`);
    await time.pass(20);
  }
  expect(sent).toHaveLength(4);
  expect(time.problems).toHaveLength(4);
});
