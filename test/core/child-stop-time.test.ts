/** How long a stop may take, as a stopped agent says it and as its parent takes it. */
import { describe, expect, it } from 'vitest';
import { answersWithin, endsBy, STOP_MARGIN_MS, waitsFor } from '../../src/core/agent/children/child-stop-time';
import type { HookName } from '../../src/core/definition/hooks/hook-types';
import { DEFAULT_LIMITS } from '../../src/core/definition/limits';

const limits = { ...DEFAULT_LIMITS, stopGraceMs: 5_000, hookTimeoutMs: 300 };
const by = (childrenBy: readonly number[], ...hooks: HookName[]) =>
  endsBy({ since: 1_000, childrenBy }, { limits, hooks: new Map(hooks.map((name) => [name, [undefined]])) });

describe('how long a stopped agent says that it may take', () => {
  it('[SP14] is the grace of its bodies, or the time of its slowest child, and that of its last hooks', () => {
    expect(by([])).toBe(6_000);
    expect(by([5_999, 20_000, 7_000])).toBe(20_000);
    expect(by([5_999])).toBe(6_000);
    expect(by([], 'onAgentFail')).toBe(6_300);
    expect(by([20_000], 'onAgentFail', 'onRunSettled', 'onStepEnd', 'onAgentComplete')).toBe(20_600);
  });
});

describe('how long a parent waits for a child that it stops', () => {
  const heard = { toldAt: 0, now: 1_000, endsWithinMs: 60_000, ended: false, again: false };
  const most = { childStopMs: 600_000 };

  it('[SP14] is what the child says and 10 s, then it is asked again', () => {
    expect(waitsFor(heard, most)).toBe(70_000);
    expect(waitsFor({ ...heard, now: 71_000, endsWithinMs: 4, again: true }, most)).toBe(10_004);
  });

  it('[SP14] is 10 s where it says nothing, once', () => {
    expect(waitsFor({ ...heard, endsWithinMs: undefined }, most)).toBe(STOP_MARGIN_MS);
    expect(waitsFor({ ...heard, endsWithinMs: 0 }, most)).toBe(STOP_MARGIN_MS);
    expect(waitsFor({ ...heard, endsWithinMs: undefined, again: true }, most)).toBe(0);
    expect(waitsFor({ ...heard, endsWithinMs: 0, again: true }, most)).toBe(0);
    expect(waitsFor({ ...heard, endsWithinMs: undefined, ended: true, again: true }, most)).toBe(10_000);
  });

  it('[SP14] ends at the limit of the parent, whatever a child says', () => {
    for (const again of [false, true])
      for (const endsWithinMs of [590_000, Number.MAX_VALUE, Number.POSITIVE_INFINITY]) {
        expect(waitsFor({ ...heard, endsWithinMs, again }, most)).toBe(599_000);
        expect(waitsFor({ ...heard, endsWithinMs, again, now: 599_999 }, most)).toBe(1);
        expect(waitsFor({ ...heard, endsWithinMs, again, now: 600_000 }, most)).toBe(0);
      }
    expect(waitsFor({ ...heard, endsWithinMs: 588_999 }, most)).toBe(598_999);
    for (const nonsense of [Number.NaN, -1]) expect(waitsFor({ ...heard, endsWithinMs: nonsense }, most)).toBe(10_000);
  });

  it('[SP14] is 15 s for one that does not answer, or less where the parent waits less for any', () => {
    expect(answersWithin('facet', most)).toBe(15_000);
    expect(answersWithin('facet', { childStopMs: 14_999 })).toBe(14_999);
  });
});
