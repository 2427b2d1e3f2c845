import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isForgotten, type Pace, paceAfter, paceGiven } from '../../src/core/tree/models/pace';

const LIMITS = { modelRetryBaseMs: 1_000, modelRetryAfterMs: 60_000 };
const NOW = 1_000_000;
const first = (retryAfterMs?: number): Pace =>
  paceAfter(undefined, { at: NOW, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }, LIMITS);
/** The place of the next turn of a pace. */
const placeIn = (pace: Pace) => ({ round: pace.round, number: pace.given + 1 });
const given = (pace: Pace, turns: number): Pace =>
  Array.from({ length: turns }).reduce<Pace>((now) => paceGiven(now, now.closedUntil, 0.5), pace);

describe('the pace at a provider', () => {
  it.each([
    [undefined, 1_000],
    [1, 1],
    [7_000, 7_000],
    [60_000, 60_000],
    [60_001, 60_000],
  ])('[MT4] the first refusal, which asks to wait %s ms, closes it for %i ms', (asks, wait) => {
    expect(first(asks).closedUntil - NOW).toBe(wait);
  });

  it('[MT4] it doubles while nothing passes, up to `modelRetryAfterMs`', () => {
    const waits: number[] = [];
    let pace = first();
    for (let at = 0; at < 8; at++) {
      const asked = pace.closedUntil;
      const place = placeIn(pace);
      pace = paceAfter(paceGiven(pace, asked, 0.5), { at: asked + 10, place }, LIMITS);
      waits.push(pace.closedUntil - pace.refusedAt);
    }
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('[MT4] a wait that is longer holds everybody, a shorter one behind it shortens nothing', () => {
    const longer = paceAfter(first(1_000), { at: NOW + 10, retryAfterMs: 5_000 }, LIMITS);
    expect(longer.closedUntil).toBe(NOW + 5_010);
    const shorter = paceAfter(longer, { at: NOW + 20, retryAfterMs: 100 }, LIMITS);
    expect(shorter.closedUntil).toBe(NOW + 5_010);
  });

  it('[MT4] it is closed as long as the provider asks for, up to the limit, whatever came before', () => {
    const turn = fc.record({ refused: fc.constant(false), waits: fc.nat({ max: 5_000 }) });
    const refusal = fc.record({
      refused: fc.constant(true),
      waits: fc.nat({ max: 5_000 }),
      retryAfterMs: fc.option(fc.nat({ max: 70_000 }), { nil: undefined }),
      overloaded: fc.constantFrom(undefined, undefined, undefined, true as const),
      number: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      round: fc.constantFrom(0, 1),
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(turn, refusal), { maxLength: 12 }), (events) => {
        let [pace, at]: [Pace | undefined, number] = [undefined, NOW];
        for (const event of events) {
          at += event.waits;
          if (!('number' in event)) {
            pace = pace && paceGiven(pace, at, 0.5);
            continue;
          }
          const { retryAfterMs, overloaded, number, round } = event;
          const place = number === undefined ? {} : { place: { round: (pace?.round ?? 0) - round, number } };
          const asks = retryAfterMs === undefined ? {} : { retryAfterMs };
          const before: Pace | undefined = pace;
          pace = paceAfter(before, { at, ...asks, ...place, ...(overloaded ? { overloaded } : {}) }, LIMITS);
          const until = at + Math.min(retryAfterMs ?? 0, LIMITS.modelRetryAfterMs);
          expect(pace.closedUntil).toBeGreaterThanOrEqual(Math.max(until, before?.closedUntil ?? 0));
        }
      }),
    );
  });

  it('[MT11] an overload closes it as long as it asks for, and makes nothing slower', () => {
    const overload = { at: NOW, overloaded: true as const };
    const asked = paceAfter(undefined, { ...overload, retryAfterMs: 3_000 }, LIMITS);
    const unmet = { intervalMs: 0, growth: 1, round: 0, given: 0, strikes: 0 };
    expect(asked).toEqual({ ...unmet, closedUntil: NOW + 3_000, refusedAt: NOW });
    expect(paceAfter(undefined, overload, LIMITS)).toMatchObject(unmet);
    expect(given(asked, 50).closedUntil).toBe(NOW + 3_000);
    const [before, silent] = [first(), paceAfter(first(), overload, LIMITS)];
    expect(silent).toEqual(before);
    // A refusal for the rate behind it is the first lesson.
    const { closedUntil: _closed, ...lesson } = paceAfter(asked, { at: NOW }, LIMITS);
    const { closedUntil: _first, ...alone } = first();
    expect(lesson).toEqual(alone);
  });

  it('[MT5] a burst that is refused slows it once', () => {
    const once = first();
    const burst = Array.from({ length: 20 }).reduce<Pace>((pace) => paceAfter(pace, { at: NOW + 5 }, LIMITS), once);
    expect(burst).toEqual({ ...once, refusedAt: NOW + 5 });
    // Requests of the round before that come to an end after its lesson are no lesson either.
    const old = placeIn(once);
    const next = paceAfter(given(once, 3), { at: NOW + 9_000, place: { ...old, number: 2 } }, LIMITS);
    expect(paceAfter(next, { at: NOW + 9_001, place: { ...old, number: 3 } }, LIMITS)).toEqual({
      ...next,
      refusedAt: NOW + 9_001,
    });
  });

  it('[MT6] it grows with each turn, more slowly behind a refusal, and again after many turns', () => {
    const start = first();
    const grown = given(start, 10);
    expect(grown.intervalMs).toBeLessThan(start.intervalMs / 2);
    const eased = paceAfter(grown, { at: NOW + 9_000, place: { round: 1, number: 10 } }, LIMITS);
    expect(eased.intervalMs).toBeGreaterThan(grown.intervalMs);
    expect(eased.intervalMs).toBeLessThan(start.intervalMs);
    expect(given(eased, 10).intervalMs).toBeGreaterThan(eased.intervalMs * 0.9);
    expect(given(eased, 100).intervalMs).toBeLessThan(eased.intervalMs * 0.05);
  });

  it('[MT6] chance sets turns apart, by a tenth of the interval at most to each side', () => {
    const pace = first();
    const gap = (chance: number): number => paceGiven(pace, pace.closedUntil, chance).closedUntil - pace.closedUntil;
    expect([gap(0), gap(0.5), gap(1)].map((ms) => ms / pace.intervalMs)).toEqual([
      expect.closeTo(0.9, 5),
      expect.closeTo(1, 5),
      expect.closeTo(1.1, 5),
    ]);
  });

  it('[MT1] it is forgotten two minutes after the last refusal', () => {
    expect(isForgotten(first(), NOW + 119_999)).toBe(false);
    expect(isForgotten(first(), NOW + 120_000)).toBe(true);
  });
});
