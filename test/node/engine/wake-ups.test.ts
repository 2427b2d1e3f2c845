/** Waits that an alarm ends: that of an agent for its own, and the root's alarm where an agent says too late that it rests. */
import { expect, it } from 'vitest';
import { TreeIndex } from '../../../src/core/tree/tree-index';
import { HELD_MS, untilRung } from '../../../src/engine/environment';
import { WakeUps } from '../../../src/engine/root/alarm';
import type { TreeRecord } from '../../../src/engine/root/record';
import { type AgentAnswer, type AgentMessage, NEWS } from '../../../src/engine/tree-messages';
import { childNode, rootNode } from '../../support/nodes';
import { VirtualTime } from '../../support/virtual-time';

const BEAT_MS = 5_000;
const HOUR_MS = 3_600_000;

/** A tree of which one agent rests for an hour while the root's agent and another one work. */
function tree() {
  let now = 1_000;
  let alarm: number | undefined;
  const timers: (() => void)[] = [];
  const asked: { readonly to: string; readonly type: string; answer(said: AgentAnswer): Promise<void> }[] = [];
  const index = new TreeIndex([rootNode(), childNode(2), childNode(3)]);
  const deps = {
    environment: {
      now: () => now,
      timer: (_ms: number, then: () => void) => timers.push(then),
      report: () => undefined,
    },
    arm: (time: number | undefined) => {
      alarm = time;
    },
    send: (to: string, { type }: AgentMessage) =>
      new Promise<AgentAnswer>((resolve) => {
        const answer = async (said: AgentAnswer) => resolve(said);
        asked.push({ to, type, answer });
      }),
    isSweeping: () => false,
  };
  const waiting = { nextExpiry: () => undefined, expired: () => new Set() };
  const record = { index, deps, waiting, pendingRemovals: [], unerased: [] } as unknown as TreeRecord;
  const wakeUps = new WakeUps(record, {
    owesReport: () => false,
    drop: () => undefined,
    delivered: () => undefined,
    rescheduled: () => undefined,
  });
  wakeUps.heard('s_2', now, now + HOUR_MS);
  wakeUps.arm();
  // Everybody else at work is asked.
  for (const timer of timers) timer();
  const said = asked.splice(0).sort((one, other) => one.to.length - other.to.length);
  const [root, other] = said;
  if (root === undefined || other === undefined) throw new Error('Two agents are asked.');
  return {
    ...{ wakeUps, root, other },
    rests: async (one: typeof root) => {
      await one.answer({ answer: 'done', effectAt: NEWS });
      await Promise.resolve();
    },
    /** The time to the alarm, in ms. */
    toAlarm: () => (alarm ?? Number.POSITIVE_INFINITY) - now,
    /** The addresses of all that are woken by the alarm. */
    ring(): readonly string[] {
      now = alarm ?? now;
      wakeUps.alarm();
      return asked.splice(0).map(({ to }) => to);
    },
  };
}

it('[B10, RT2] the alarm comes with the end of the only rest where all others wait for a message', async () => {
  const { rests, root, other, toAlarm } = tree();
  await rests(root);
  expect(toAlarm()).toBe(BEAT_MS);
  await rests(other);
  expect(toAlarm()).toBe(HOUR_MS);
});

it('[RT2, RT3] an answer from before its agent was heard again counts for nothing', async () => {
  const { wakeUps, rests, root, other, toAlarm, ring } = tree();
  await rests(root);
  wakeUps.heard('s_3', 1_000);
  await rests(other);
  wakeUps.arm();
  expect(toAlarm()).toBe(BEAT_MS);
  // It is lost from memory meanwhile, and says nothing more.
  expect(ring()).toContain(childNode(3).address);
});

it.each(['before', 'after'])('[RT2, RT3] a message to its agent %s its answer ends the rest', async (when) => {
  const { wakeUps, rests, root, other, toAlarm, ring } = tree();
  await rests(root);
  if (when === 'after') await rests(other);
  wakeUps.send(childNode(3), { type: 'admitted', childIds: [1] });
  if (when === 'before') await rests(other);
  wakeUps.arm();
  expect(toAlarm()).toBe(BEAT_MS);
  expect(ring()).toContain(childNode(3).address);
});

it('[B11] a wait ends when it is rung; by itself only where its time is near, and a later one holds no timer', async () => {
  for (const ms of [-1, 0, 1, HELD_MS, HELD_MS + 1, HOUR_MS])
    for (const ringsFirst of [true, false]) {
      const { environment } = new VirtualTime();
      const timers: (() => void)[] = [];
      const counted = {
        ...environment,
        timer: (_ms: number, then: () => void) => {
          timers.push(then);
          return () => void timers.pop();
        },
      };
      const rung = new AbortController();
      let ended = false;
      if (ringsFirst) rung.abort();
      const waiting = untilRung(counted, ms, rung.signal).then(() => {
        ended = true;
      });
      await Promise.resolve().then(() => undefined);
      const isOver = ringsFirst || ms <= 0;
      expect([ms, ringsFirst, timers.length]).toEqual([ms, ringsFirst, !isOver && ms <= HELD_MS ? 1 : 0]);
      expect([ms, ringsFirst, ended]).toEqual([ms, ringsFirst, isOver]);
      rung.abort();
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
      expect([ms, ringsFirst, ended, timers.length]).toEqual([ms, ringsFirst, true, 0]);
      await waiting;
    }
});
