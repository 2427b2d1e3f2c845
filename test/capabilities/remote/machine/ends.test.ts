/** The ends of a remote task that are said here, and the stop of one at rest. */
import { describe, expect, it } from 'vitest';
import { takenOver } from '../../../../src/capabilities/remote/machine/cleanup';
import { outcomeOf, stoppedAtRest, unwanted } from '../../../../src/capabilities/remote/machine/ends';
import { withMail } from '../../../../src/capabilities/remote/machine/messages';
import { saying, withStop } from '../../../../src/capabilities/remote/machine/run';
import type { PlacedRun, RemovedRun } from '../../../../src/capabilities/remote/machine/state';
import { atWork, SINCE, textOf } from '../perform/child';

const interrupted = { status: 'interrupted', reason: 'Wait.' } as const;
const atRest: PlacedRun = {
  ...atWork,
  status: 'interrupted',
  local: { is: 'ended', outcome: interrupted, isAcknowledged: true },
};

describe('a remote task that its parent wants nothing of any more', () => {
  it('[RM3, RM6] says nothing that the root has not taken, and leaves no hole in its numbers', () => {
    const said = [1, 2, 3].reduce((run, at) => saying(run, [textOf(run, `${at}`)], SINCE), atWork);
    const taken: PlacedRun = { ...said, kept: said.kept.slice(1) };
    const left = unwanted(taken, 'Nobody waits.', SINCE);
    expect(left).toMatchObject({ last: 1, kept: [], local: { is: 'unwanted' }, stop: { verb: 'abort' } });
    expect(unwanted({ ...said, kept: [] }, 'Nobody waits.', SINCE)).toMatchObject({ last: 3, kept: [] });
  });
});

describe('the stop of a remote child at rest', () => {
  it('[RM8, RM12] is sent where its parent has given it another run, and for a stop that ends it', () => {
    for (const verb of ['abort', 'terminate'] as const)
      expect(stoppedAtRest(atRest, { verb, reason: 'Enough.', runId: 'r_here' }, SINCE)).toMatchObject({
        local: { is: 'active' },
        stop: { verb },
      });
    const interrupt = { verb: 'interrupt', reason: 'Wait.' } as const;
    expect(stoppedAtRest(atRest, { ...interrupt, runId: 'r_here' }, SINCE)).toBe(atRest);
    expect(stoppedAtRest(atRest, { ...interrupt, runId: 'r_next' }, SINCE)).toMatchObject({
      runId: 'r_next',
      local: { is: 'active' },
      stop: { verb: 'interrupt' },
    });
  });

  it('[RM8] keeps its tries where it is asked for again, and gives its place to a stronger one', () => {
    const abort = withStop(atWork, 'abort', 'Enough.', SINCE);
    expect(withStop(abort, 'abort', 'Once more.', SINCE + 1)).toBe(abort);
    expect(withStop(abort, 'interrupt', 'Wait.', SINCE + 1)).toBe(abort);
    expect(withStop(abort, 'terminate', 'Over.', SINCE + 1)).toMatchObject({ stop: { verb: 'terminate' } });
  });
});

it('[RM62] a cleanup is sent by the transport of the agent that had it first, whoever takes it over', () => {
  const { sessionId, agentType, transport, addressClass, name, runId, caller, remote } = atWork;
  const names = { sessionId, agentType, transport, addressClass, name, runId, caller, remote };
  const removed: RemovedRun = { ...names, is: 'removed', isStray: false };
  expect(takenOver(takenOver(removed, 'keeper'), 'top')).toMatchObject({ transportOwner: 'keeper' });
});

it('[RM11] a message of its parent that comes once more counts once', () => {
  const mail = (number: number) => ({
    number,
    callId: 'c_1',
    message: { messageId: `m_${number}`, role: 'user', content: `${number}`, from: 'parent' } as const,
  });
  const first = withMail(atWork, [mail(1), mail(2)]);
  expect(withMail(first, [mail(2)])).toBe(first);
  const texts = withMail(first, [mail(2), mail(3)]).messages.waiting.map(({ text }) => text);
  expect(texts).toEqual(['1', '2', '3']);
});

it('[RM9] the reason of a remote stop has at most 1,000 characters here', () => {
  expect(outcomeOf({ status: 'terminated', reason: 'x'.repeat(5_000) })).toMatchObject({
    reason: expect.stringMatching(/^x{1,1000}$/),
  });
});
