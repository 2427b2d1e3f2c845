/** How a parent stops a child: what it asks and sends for each state of the child, and what is the end of its task. */
import { describe, expect, it } from 'vitest';
import type { Child } from '../../../../src/core/agent/children/child';
import { limitsOf } from '../../../../src/core/definition/limits';
import { respawnChild, stopBelow, stopChildren } from '../../../../src/engine/children/children';
import { failure } from '../../../../src/protocol/errors';
import { childRunId } from '../../../../src/protocol/ids';
import { Machine, planned } from '../../../support/machine';
import { parentOf } from '../../../support/parent';
import { rowsOf } from '../../../support/rows';

const machine = new Machine();
machine.start();
machine.reply({ calls: [{ ...planned.child(), input: { q: 1 } }] });
const CHILD = machine.child(0);
const S = CHILD.sessionId;
const MESSAGE = { messageId: 'm_1', role: 'user', content: 'Hi', from: 'parent' } as const;
const timeUp = failure('child_timeout', 'Its time is up.');

const stopOf = (child: Child, verb: 'interrupt' | 'abort' | 'terminate', error = timeUp) =>
  [{ kind: 'stop_child', id: 'e', child, verb, error }] as never;
const ended = (verb: string) =>
  verb === 'interrupt'
    ? { status: 'interrupted', reason: timeUp.message }
    : { status: 'failed', error: timeUp, failureReason: 'child_timeout' };

describe('a child that its parent stops', () => {
  it('[SP9, SP12, SP14, R17, CP53] is asked where it may be at work, and ends without where the root says that it never began', async () => {
    const rows = rowsOf({
      verb: ['interrupt', 'abort', 'terminate'],
      begun: ['nothing was sent', 'perhaps', 'yes'],
      /** When the root says so: at once, once the child is absent, or never. */
      root: ['at once', 'then', 'never'],
      answer: ['done', 'absent', 'refused'],
    } as const);
    for (const { verb, begun, root, answer } of rows) {
      const what = JSON.stringify({ verb, begun, root, answer });
      const says = {
        ...{ done: { answer: 'done', endsWithinMs: 0 }, absent: { answer: 'absent' } },
        refused: { answer: 'refused', error: failure('unavailable') },
      }[answer];
      const isAsked = (lost: readonly string[] = []): boolean =>
        lost.length > 0 && root === 'then' && parent.sent.length > 0;
      const parent = parentOf(machine.state, {
        isFresh: begun !== 'perhaps',
        answers: () => says,
        withdrawn: ({ withdraw = [], lost }) => (root === 'at once' || isAsked(lost) ? withdraw : []),
      });
      if (begun === 'yes') parent.agent.beginnings.begun(CHILD);
      const stopped = stopChildren(parent.agent, stopOf(CHILD, verb));
      let over = false;
      void stopped.then(() => {
        over = true;
      });
      await parent.time.until(() => over);
      const first = { withdraw: [S], lost: begun === 'nothing was sent' ? [S] : [] };
      const leaves = root === 'at once' && begun !== 'yes';
      const absent = answer === 'absent';
      // One that is silent about its end is asked once more after a while, and is given up then.
      const times = leaves ? 0 : answer === 'done' ? 2 : 1;
      expect(parent.sent, what).toHaveLength(times);
      const lost = { lost: [S], ...(absent ? { withdraw: [S] } : {}) };
      expect(parent.asked, what).toEqual([...(begun === 'yes' ? [] : [first]), ...(leaves ? [] : [lost])]);
      const neverBegan = leaves || (absent && root !== 'never');
      const outcome = neverBegan ? ended(verb) : { status: 'failed', error: failure('subagent_lost', timeUp.message) };
      const task = { childId: CHILD.childId, task: 1 };
      expect(parent.events, what).toMatchObject([{ type: 'child_settled', task, outcome }]);
      expect(parent.events[0]?.outcome, what).toEqual(outcome);
      expect(parent.given, what).toEqual(neverBegan && verb !== 'interrupt' ? [S] : []);
      expect(parent.agent.stoppedBy.size, what).toBe(0);
    }
  });

  it('[SP9, DG3, CO4, SP16] hears which task and run is meant, why, and what it is to go on with', async () => {
    const rows = rowsOf({
      verb: ['interrupt', 'abort', 'terminate'],
      code: ['child_timeout', 'aborted', 'terminated', 'interrupted'],
      message: [false, true],
      task: ['first', 'further', 'further in its second run'],
      told: [false, true],
      files: [false, true],
    } as const);
    for (const { verb, code, message, task, told, files } of rows) {
      const what = JSON.stringify({ verb, code, message, task, told, files });
      const error = failure(code, 'So.');
      const number = task === 'first' ? 1 : 2;
      const runNumber = task === 'further in its second run' ? 5 : 4;
      const mail = [1, 2, 3].map((at) => ({
        ...{ number: at, message: { ...MESSAGE, ...(files && at === 2 ? { files: [] } : {}) }, callId: 'c' },
      }));
      const child: Child = {
        ...{ ...CHILD, runNumber, mailbox: { messages: mail, last: 3 } },
        task: { ...CHILD.task, number, firstRun: 4, ...(told ? { told } : {}) },
        state: { is: 'stopping', verb, error, cause: 'stop', ...(message ? { message: MESSAGE } : {}) },
      };
      const parent = parentOf(machine.state, {
        answers: () => {
          parent.controller.abort();
          return { answer: 'done' };
        },
      });
      parent.agent.beginnings.begun(child);
      await stopChildren(parent.agent, stopOf(child, verb, error));
      const isFurther = task === 'further';
      expect(parent.sent, what).toEqual([
        {
          ...{ type: 'stop', verb, reason: 'So.', runId: childRunId(S, runNumber), task: { childId: 1, task: number } },
          ...(verb === 'abort' && code !== 'aborted' ? { error } : {}),
          ...(message ? { message: MESSAGE } : {}),
          ...(isFurther ? { mail: files ? mail.slice(0, 1) : mail } : {}),
          ...(isFurther && !told ? { input: { q: 1 } } : {}),
        },
      ]);
      expect([parent.events, parent.asked], what).toEqual([[], []]);
    }
  });

  it('[SP14] is asked again after the time that it says, and given up when it says nothing more or its parent may wait no longer', async () => {
    const { childStopMs } = limitsOf({});
    for (const says of [[5_000, 3_000, 0], [0], [childStopMs * 2, childStopMs * 2]]) {
      const times: number[] = [];
      const until: (number | undefined)[] = [];
      const parent = parentOf(machine.state, {
        answers: (at) => {
          times.push(parent.time.now);
          until.push(parent.agent.stoppedBy.get('e'));
          return { answer: 'done', endsWithinMs: says[at] ?? 0 };
        },
      });
      parent.agent.beginnings.begun(CHILD);
      const began = parent.time.now;
      let over = false;
      void stopChildren(parent.agent, stopOf(CHILD, 'abort')).then(() => {
        over = true;
      });
      await parent.time.until(() => over);
      const margin = 10_000;
      const waits = says.map((ms, at) => (ms > 0 || at === 0 ? ms + margin : 0));
      const expected: number[] = [];
      for (let at = 0, now = 0; at <= says.length && now < childStopMs; at++) {
        expected.push(now);
        const wait = Math.min(waits[at] ?? 0, childStopMs - now);
        if (wait === 0) break;
        now += wait;
      }
      if ((expected.at(-1) ?? 0) < childStopMs && says[0] === childStopMs * 2) expected.push(childStopMs);
      expect(
        times.map((time) => time - began),
        says.join(),
      ).toEqual(expected);
      expect(
        until.every((by, at) => by === (times[at] ?? 0) + Math.min(15_000, childStopMs)),
        says.join(),
      ).toBe(true);
      expect(parent.events, says.join()).toMatchObject([{ outcome: { error: { code: 'subagent_lost' } } }]);
    }
  });
});

describe('children of an agent that was given up', () => {
  it('[SP17, DG3] hear a stop where they are at work and something was sent to them, and nobody else does', async () => {
    const states = ['working', 'waiting', 'stopping', 'interrupted', 'failed', 'respawning'] as const;
    const children = states.map(
      (is, at): Child => ({ ...CHILD, childId: at + 1, sessionId: `s_${is}`, runNumber: 3, state: { is } as never }),
    );
    const state = { ...machine.state, children: new Map(children.map((child) => [child.childId, child])) };
    for (const isFresh of [true, false]) {
      const parent = parentOf(state, { isFresh });
      stopBelow(parent.agent);
      await parent.time.settle();
      const fenceOf = (at: number) => ({ runId: childRunId(`s_${states[at]}`, 3), task: { childId: at + 1, task: 1 } });
      const stop = { type: 'stop', verb: 'abort', reason: 'The agent above it was abandoned.' };
      // In its third run a child is there, whoever remembers that.
      expect(parent.sent).toEqual([0, 1, 2].map((at) => ({ ...stop, ...fenceOf(at) })));
    }
    const first = { ...CHILD, state: { is: 'working' } } as const;
    const unsent = parentOf({ ...machine.state, children: new Map([[1, first]]) });
    stopBelow(unsent.agent);
    await unsent.time.settle();
    expect(unsent.sent).toEqual([]);
  });
});

it('[CS6] a child that is started anew is cleared away first, and its task says so then', async () => {
  const parent = parentOf(machine.state);
  await respawnChild(parent.agent, { kind: 'respawn_child', id: 'e', child: CHILD } as never);
  expect(parent.removed).toEqual([S]);
  expect(parent.events).toMatchObject([{ type: 'child_respawn', task: { childId: 1, task: 1 } }]);
});
