/** Reports of a remote child to its root, whose answers come late. */
import { expect, it } from 'vitest';
import { saying } from '../../../../src/capabilities/remote/machine/run';
import type { PlacedRun } from '../../../../src/capabilities/remote/machine/state';
import { Reports } from '../../../../src/capabilities/remote/perform/reports';
import type { RootAnswer, RootRequest } from '../../../../src/engine/tree-messages';
import { present } from '../../../support/present';
import { VirtualTime } from '../../../support/virtual-time';
import { atWork, SINCE, textOf } from './child';

const merged = (last: number): RootAnswer => ({ merge: 'merged', merged: last, admissions: [], withdrawn: [] });
const outcome = { status: 'completed', output: null, completionReason: 'finish' } as const;

/** A child that reports, and the requests that its root has not answered. */
function reporting(run: PlacedRun) {
  const time = new VirtualTime();
  const asked: { readonly request: RootRequest; readonly answer: (answer: RootAnswer) => void }[] = [];
  const child = {
    placed: run as PlacedRun | undefined,
    isClosed: false,
    host: {
      environment: time.environment,
      spent: () => undefined,
      askRoot: (request: RootRequest) => new Promise<RootAnswer>((answer) => asked.push({ request, answer })),
    },
    keep(next: PlacedRun) {
      child.placed = next;
    },
    gone() {},
    pause: () => Promise.resolve(),
  };
  return { time, asked, child, reports: new Reports(child) };
}

const says = (run: PlacedRun, delta: string): PlacedRun => saying(run, [textOf(run, delta)], SINCE);

it('[RM3, RM6] a batch is dropped by its own acknowledgement, whichever report carried it', async () => {
  const { time, asked, child, reports } = reporting(says(atWork, 'One'));
  void reports.flush();
  void reports.end(outcome);
  await time.settle();
  expect(asked.map(({ request }) => request.batches.map(({ first }) => first))).toEqual([[1], [1]]);
  asked[0]?.answer(merged(1));
  await time.settle();
  expect(child.placed?.kept).toEqual([]);
  child.placed = says(present(child.placed), 'Two');
  asked[1]?.answer(merged(1));
  await time.settle();
  expect(child.placed.kept.map(({ first }) => first)).toEqual([2]);
});

it('[RM7] a wait that the root takes late is not one of the next run', async () => {
  const { time, asked, child, reports } = reporting({ ...atWork, status: 'suspended_client_tool' });
  void reports.wait();
  await time.settle();
  expect(asked[0]?.request.deliver).toMatchObject([{ type: 'child_waits', waits: true }]);
  child.placed = { ...atWork, runId: 'r_next' };
  asked[0]?.answer(merged(0));
  await time.settle();
  expect(child.placed.local).toEqual({ is: 'active', isWaitReported: false });
});

it('[RM6] an end that the root takes late is not one of the next run', async () => {
  const local = { is: 'ended', outcome, isAcknowledged: false } as const;
  const { time, asked, child, reports } = reporting({ ...atWork, local });
  void reports.end(outcome);
  await time.settle();
  child.placed = { ...atWork, runId: 'r_next', local };
  asked[0]?.answer(merged(0));
  await time.settle();
  expect(child.placed.local).toEqual(local);
});
