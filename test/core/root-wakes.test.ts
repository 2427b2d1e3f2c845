import { describe, expect, it } from 'vitest';
import { dueWakes, QUIET_MS, type Wakes, type WorkingRoot } from '../../src/core/tree/wakes/root-wakes';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

const quiet = (count: number): WorkingRoot[] =>
  Array.from({ length: count }, (_, at) => ({ name: `n${at}`, sessionId: `s${at}`, lastActivity: 0 }));

/** The times at which each alarm woke somebody, with how many, until no alarm is set. */
function rung(working: (now: number) => readonly WorkingRoot[], from = QUIET_MS): [number, number][] {
  const times: [number, number][] = [];
  let wakes: Wakes = {};
  for (let now: number | undefined = from; now !== undefined && times.length < 1_000; ) {
    const due = dueWakes(working(now), wakes, now);
    if (due.wake.length > 0) times.push([now, due.wake.length]);
    wakes = due.wakes;
    expect(due.nextAt ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(now + MINUTE_MS);
    now = due.nextAt;
  }
  return times;
}

describe('roots at work that say nothing', () => {
  it('[A111] are woken after 10 minutes, and then with growing delays, five times in all', () => {
    const times = rung(() => quiet(1)).map(([at]) => at);
    const gaps = times.map((at, index) => at - (times[index - 1] ?? 0));
    expect(gaps).toEqual([10 * MINUTE_MS, 10 * MINUTE_MS, 60 * MINUTE_MS, 360 * MINUTE_MS, DAY_MS]);
  });

  it('[A111] are woken ten at once, the next ones a minute later', () => {
    const first = rung(() => quiet(25)).slice(0, 3);
    expect(first.map(([, count]) => count)).toEqual([10, 10, 5]);
    expect(first.map(([at]) => at - QUIET_MS)).toEqual([0, MINUTE_MS, 2 * MINUTE_MS]);
  });

  it('[A112] are woken behind 2,000 whose wakes are used up', () => {
    const dead = Array.from({ length: 2_000 }, (_, at) => ({ name: `d${at}`, sessionId: `d${at}`, lastActivity: 0 }));
    const used: Wakes = Object.fromEntries(dead.map(({ sessionId }) => [sessionId, { heardAt: 0, times: 5 }]));
    const due = dueWakes([...dead, ...quiet(1)], used, QUIET_MS);
    expect(due.wake.map(({ name }) => name)).toEqual(['n0']);
    expect(Object.keys(due.wakes)).toHaveLength(2_001);
  });

  it('[A111] begin anew once they are heard', () => {
    const heardAt = QUIET_MS + MINUTE_MS;
    const times = rung((now) => quiet(1).map((root) => ({ ...root, lastActivity: now > heardAt ? heardAt : 0 })));
    expect(times.map(([at]) => at).slice(0, 3)).toEqual([QUIET_MS, heardAt + QUIET_MS, heardAt + 2 * QUIET_MS]);
    expect(times).toHaveLength(6);
  });
});
