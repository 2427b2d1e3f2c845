/** Answers that come to a remote child once something else is asked of it. */
import { expect, it } from 'vitest';
import { nextRun, startSent, withStop } from '../../../../src/capabilities/remote/machine/run';
import type { RemoteRun } from '../../../../src/capabilities/remote/machine/state';
import { RemoteRunner } from '../../../../src/capabilities/remote/perform/runner';
import type { RemoteAnswer, RemoteCall } from '../../../../src/core/definition/remote-transport';
import { NO_USAGE } from '../../../../src/protocol/usage';
import { present } from '../../../support/present';
import { VirtualTime } from '../../../support/virtual-time';
import { atWork, SINCE, unsent } from './child';

/** A runner whose calls wait for the test; its stream gives nothing, and may end at once. */
function running(run: RemoteRun, streamEnds = false, write?: () => never) {
  const time = new VirtualTime();
  const calls: (RemoteCall & { readonly answer: (answer: RemoteAnswer) => void })[] = [];
  const kept: (RemoteRun | undefined)[] = [];
  const runner = new RemoteRunner(
    {
      environment: time.environment,
      write: write ?? ((next) => void kept.push(next)),
      writeRemaining: (next) => void kept.push(next),
      input: () => ({ q: 'a' }),
      transport: () => ({
        label: 'a test',
        call: (request) => new Promise((answer) => calls.push({ ...request, answer })),
        async *stream({ signal }) {
          if (streamEnds) return;
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        },
      }),
      fit: async (json) => ({ ok: true, json }),
      spent: () => undefined,
      askRoot: async ({ batches }) => {
        const merged = batches.reduce((last, { first, chunks }) => Math.max(last, first + chunks.length - 1), 0);
        return { merge: 'merged', merged, admissions: [], withdrawn: [] };
      },
    },
    run,
  );
  const called = async (verb: string) => {
    await time.until(() => calls.some((one) => one.verb === verb));
    return present(calls.find((one) => one.verb === verb));
  };
  return { time, calls, runner, called };
}

const taken: RemoteAnswer = { ok: true, body: { runId: 'r_there', status: 'running', sessionId: 's_there' } };
const gone: RemoteAnswer = { ok: false, code: 'not_found', title: 'No.', status: 404 };

it.each([taken, gone])('[RM8] an answer to a stop settles no stronger stop: %j', async (answer) => {
  const { runner, called, time } = running(withStop(atWork, 'interrupt', 'Wait.', SINCE));
  runner.go();
  const interrupt = await called('interrupt');
  runner.change(withStop(runner.run, 'terminate', 'Enough.', time.now));
  interrupt.answer(answer);
  const terminate = await called('terminate');
  expect(runner.run.stop).toMatchObject({ verb: 'terminate' });
  expect(runner.run.stop).not.toHaveProperty('settled');
  terminate.answer(taken);
  await time.until(() => runner.run.stop?.settled === 'taken');
  expect(runner.run.stop).toMatchObject({ verb: 'terminate' });
  runner.close();
});

it('[RM2, RM10] an answer to the start of one task says nothing of the next', async () => {
  const { runner, called, time, calls } = running(unsent);
  runner.go();
  const first = await called('start');
  const next = nextRun(present(runner.placed), { task: { childId: 1, task: 2 }, runId: 'r_next' }, time.now);
  runner.begin(next, { q: 'b' });
  first.answer({ ok: true, body: { sessionId: 's_other', runId: 'r_other', status: 'running' } });
  await time.until(() => calls.filter(({ verb }) => verb === 'start').length === 2);
  expect(runner.run).toMatchObject({ runId: 'r_next', local: { is: 'active' }, remote: { is: 'starting' } });
  expect(calls.at(-1)).toMatchObject({ idempotencyKey: 'r_next' });
  runner.close();
});

it('[RM6, RM19] a refusal that comes after the end of a task does not change that end', async () => {
  const { runner, called, time } = running(unsent);
  runner.go();
  const start = await called('start');
  const outcome = { status: 'interrupted', reason: 'Enough.' } as const;
  runner.change({ ...present(runner.placed), local: { is: 'ended', outcome, isAcknowledged: false } });
  start.answer({ ok: false, code: 'invalid_input', title: 'No.', status: 400 });
  await time.settle();
  expect(runner.run).toMatchObject({ local: { is: 'ended', outcome } });
  runner.close();
});

it.each([400, 401, 403, 404, 409, 422])(
  '[RM2, RM8, RM22] a start that was sent before and is refused with %i now is stopped: the first one may have begun it',
  async (status) => {
    for (const [run, verbs] of [
      [unsent, ['start']],
      [startSent(unsent, SINCE), ['start', 'abort']],
    ] as const) {
      const { runner, called, calls, time } = running(run);
      runner.go();
      (await called('start')).answer({ ok: false, code: 'some_code', title: 'No.', status });
      await time.settle();
      expect(runner.placed?.local).toMatchObject({ is: 'ended', outcome: { status: 'failed' } });
      expect(calls.map(({ verb }) => verb)).toEqual(verbs);
      runner.close();
    }
  },
);

it('[RM12, RM90] a run that was interrupted is not resumed to learn of the message that let it continue', async () => {
  const sent = { by: 'resume', key: 'r_here' } as const;
  const waiting = [{ key: 'm.1', text: 'On.', role: 'user' as const, sent }];
  const { runner, called, calls } = running({ ...atWork, status: 'interrupted', messages: { waiting } }, true);
  runner.go();
  const chain = { epoch: 1, turn: 1, chainTurn: 1, chainRunId: 'r_there', resumes: 0, startedAt: 1, step: 1 };
  const body = {
    ...{ sessionId: 's_there', agentType: 'far', address: '/agents/far/r-1', status: 'interrupted', lastSequence: 0 },
    run: { runId: 'r_there', status: 'interrupted', ...chain },
    childCounts: { running: 0, queued: 0, waiting: 0, total: 0 },
    ...{ usage: NO_USAGE, tags: [], pending: [] },
    controls: {
      ...{ start: true, send: true, interrupt: true, abort: true, terminate: true },
      ...{ resume: true, retry: true, submit: true, fork: true, remove: true },
    },
  };
  (await called('status')).answer({ ok: true, body });
  await called('usage');
  expect(calls.map(({ verb }) => verb)).toEqual(['status', 'usage']);
  runner.close();
});

const messaged: RemoteRun = { ...atWork, messages: { waiting: [{ key: 'm.1', text: 'On.', role: 'user' }] } };

it.each([
  ['Running', unsent],
  ['Stopping or removing', withStop(atWork, 'interrupt', 'Wait.', SINCE)],
  ['Sending messages to', messaged],
])('[RM95] a report says which work failed: %s', async (doing, run) => {
  const { runner, time, calls } = running(run, false, () => {
    throw new Error('The store is full.');
  });
  runner.go();
  await time.settle();
  for (const { answer } of calls) answer(taken);
  await time.settle();
  expect(time.problems.map((problem) => problem.split('\n')[0])).toEqual([
    `${doing} the remote sub-agent ${unsent.address} failed. Error: The store is full.`,
  ]);
  runner.close();
});

const busy: RemoteAnswer = { ok: false, code: 'unavailable', title: 'No.', status: 503 };

it('[RM9] a side of which nothing lawful came for five minutes is given up, and not 1 ms before; any lawful word counts', async () => {
  for (const spoke of [false, true])
    for (const silentMs of [0, 1, 299_999, 300_000, 300_001]) {
      const { runner, time, calls } = running(atWork);
      if (spoke) {
        await time.pass(200_000);
        const asked = runner.call('status');
        calls.at(-1)?.answer(taken);
        expect(await asked).toEqual(taken);
      }
      void runner.call('status');
      await time.pass(silentMs);
      calls.at(-1)?.answer(busy);
      await time.settle();
      const isLost = silentMs >= 300_000;
      expect([spoke, silentMs, runner.placed?.local.is]).toEqual([spoke, silentMs, isLost ? 'ended' : 'active']);
      // One that is closed waits for nothing more: no timer keeps it in memory.
      expect(time.pending).toBe(isLost ? 0 : 1);
      runner.close();
      await time.settle();
      expect(time.pending).toBe(0);
    }
});
