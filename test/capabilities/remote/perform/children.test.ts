/** The remote children of one object: cleanups that it takes over or continues, and reports that wait for a cleanup. */
import { expect, it } from 'vitest';
import { removed } from '../../../../src/capabilities/remote/machine/cleanup';
import { unwanted } from '../../../../src/capabilities/remote/machine/ends';
import { saying, startSent, withStop } from '../../../../src/capabilities/remote/machine/run';
import type { PlacedRun, RemoteRun, RemovedRun } from '../../../../src/capabilities/remote/machine/state';
import { RemoteChildren } from '../../../../src/capabilities/remote/perform/children';
import { livesElsewhere } from '../../../../src/core/definition/children/elsewhere';
import type { RemoteAnswer, RemoteCall } from '../../../../src/core/definition/remote-transport';
import type { RootRequest } from '../../../../src/engine/tree-messages';
import { SqlAgentStore } from '../../../../src/store/agent-store';
import { migrate } from '../../../../src/store/migrate';
import { AGENT_MIGRATIONS } from '../../../../src/store/migrations';
import { nodeStorage } from '../../../../src/testing/node-storage';
import { agentOf } from '../../../support/trees';
import { VirtualTime } from '../../../support/virtual-time';
import { atWork, SINCE, textOf, unsent } from './child';

const far = agentOf('far');
/** The verbs that come to its side, which never answers. */
let came: string[] = [];
livesElsewhere(far, {
  label: 'a test',
  call: ({ verb }: RemoteCall) => {
    came.push(verb);
    return new Promise<RemoteAnswer>(() => undefined);
  },
  async *stream() {},
});

/** The children of one object whose root knows a cleanup once `known` is called. */
function having() {
  const time = new VirtualTime();
  const storage = nodeStorage();
  migrate(storage, { agent: AGENT_MIGRATIONS });
  const store = new SqlAgentStore(storage);
  const asked: RootRequest[] = [];
  const { promise: dues, resolve: known } = Promise.withResolvers<void>();
  const children = new RemoteChildren({
    environment: time.environment,
    store,
    countsMoney: () => false,
    agentBy: () => far,
    keepDues: () => () => dues,
    askRoot: async (_root, request) => {
      asked.push(request);
      return { merge: 'merged', merged: 1_000, admissions: [], withdrawn: [] };
    },
  });
  return { time, store, asked, known, children };
}

it('[RM62] a cleanup that is handed over once more is not begun again', () => {
  const { store, children } = having();
  const whole = removed(atWork, 'Its parent was removed.', SINCE);
  if (whole.is !== 'removed') throw new TypeError('It is still placed.');
  children.adopt([whole]);
  expect(store.remote(whole.sessionId)).toEqual(whole);
  const { removal: _done, ...rest } = whole;
  const stopped: RemovedRun = { ...rest, stop: { verb: 'abort', reason: 'x', since: 1, attempts: 1, nextAt: 1 } };
  store.setRemote(stopped);
  children.adopt([whole]);
  expect(store.remote(whole.sessionId)).toEqual(stopped);
  children.stop();
});

it('[RM63] a child reports nothing before the root knows the cleanup that took its place', async () => {
  const { time, store, asked, known, children } = having();
  // Its start was sent, and is not answered: the next task gets another remote name.
  const before = startSent(saying(unsent, [textOf(unsent, 'One')], SINCE), SINCE);
  store.setRemote(before, null);
  const { sessionId, address, agentType, root } = before;
  const placement = { via: 'remote', className: 'Far', segment: '1~1', way: 'far' } as const;
  await children.send(
    { sessionId, address, placement },
    {
      ...{ kind: 'agent', path: [] },
      message: {
        ...{ type: 'assign', begun: true, runId: 'r_next', task: { childId: 1, task: 2 }, input: null },
        session: { sessionId, address, agentType, root, depth: 2, tags: [] },
      },
    },
  );
  await time.settle();
  expect(store.remotes()).toHaveLength(2);
  expect(asked).toEqual([]);
  known();
  await time.settle();
  expect(asked.map((request) => request.batches.map(({ first }) => first))).toEqual([[1]]);
  children.stop();
});

const ENDED = { status: 'interrupted', reason: 'Enough.' } as const;
const settled: PlacedRun = { ...atWork, local: { is: 'ended', outcome: ENDED, isAcknowledged: true } };
const leaving = removed(atWork, 'Its parent was removed.', SINCE);
const taken = { verb: 'abort', reason: 'x', since: SINCE, attempts: 1, nextAt: SINCE, settled: 'taken' } as const;

it.each<[string, RemoteRun, string[]]>([
  ['whose call has ended', unwanted(atWork, 'The call has ended.', SINCE), ['abort']],
  ['whose end is known', withStop(settled, 'terminate', 'Enough.', SINCE), ['terminate']],
  ['that has lost its place', leaving, ['abort']],
  ['that is stopped and has lost its place', { ...leaving, stop: taken }, ['remove']],
  ['that nobody stops any more', settled, []],
  ['whose stop was taken', { ...settled, stop: taken }, []],
])('[RM8, RM18] what is pending over there continues after a restart, of one %s', async (_, run, verbs) => {
  const { time, store, children } = having();
  store.setRemote(run, null);
  came = [];
  children.open();
  await time.settle();
  expect(came).toEqual(verbs);
  children.stop();
});
