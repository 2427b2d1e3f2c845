/** The axis of a run's timeline, and the bars on it. */
import { describe, expect, it } from 'vitest';
import { barSays, barsOf } from '../../../src/console/data/timeline/bars';
import { Scale, type Zoom, zoomOf, zoomText } from '../../../src/console/data/timeline/scale';
import type { Span } from '../../../src/console/data/timeline/spans';

const HOUR = 3_600_000;
const extent = {
  from: 0,
  to: 3 * HOUR,
  gaps: [
    { from: 60_000, to: 3 * HOUR - 60_000 },
    { from: 10_000, to: 20_000 },
  ],
};
const all: Zoom = { kind: 'all' };

describe('the axis of a run', () => {
  it('[CN14] folds idle stretches of more than a tenth, and both ends of three hours are reached (check 25)', () => {
    const scale = new Scale(extent, all, true);
    expect(scale.folds).toEqual([{ from: 60_000, to: 3 * HOUR - 60_000 }]);
    expect(scale.x(0)).toBe(0);
    expect(scale.x(3 * HOUR)).toBe(1);
    expect(scale.x(60_000)).toBeGreaterThan(0.45);
    expect(scale.x(3 * HOUR - 60_000)).toBeLessThan(0.55);
    const plain = new Scale(extent, all, false);
    expect([plain.folds, plain.x(1.5 * HOUR)]).toEqual([[], 0.5]);
  });

  it('[CN14] says of each place the time that stands there', () => {
    for (const zoom of [all, { kind: 'live', ms: 30_000 }, { kind: 'held', from: 5_000, to: 50_000 }] as const)
      for (const folding of [true, false]) {
        const scale = new Scale(extent, zoom, folding);
        for (const at of [0, 5_000, 59_000, HOUR, 3 * HOUR - 10, 3 * HOUR])
          expect(scale.time(scale.x(at))).toBeCloseTo(at, 3);
      }
  });

  it('[CN14] follows what comes until it is moved, and shows the newest again when it is asked to (check 26)', () => {
    const live = new Scale(extent, { kind: 'live', ms: 30_000 }, true);
    expect([live.x(extent.to), live.width]).toEqual([1, 30_000]);
    const moved = live.moved(-0.5);
    expect(moved.kind).toBe('held');
    const held = new Scale({ ...extent, to: extent.to + 5_000 }, moved, true);
    expect(held.width).toBeCloseTo(30_000, 3);
    expect(held.x(extent.to)).toBeCloseTo(1.5, 3);
  });

  it('[CN14] is zoomed around a place, never beyond all, and to what was chosen', () => {
    const scale = new Scale({ from: 0, to: 10_000, gaps: [] }, all, true);
    expect(scale.zoomed(2, 0.5)).toEqual({ kind: 'held', from: 2_500, to: 7_500 });
    expect(scale.zoomed(0.5, 0.5)).toEqual(all);
    expect(scale.between(0.75, 0.25)).toEqual({ kind: 'held', from: 2_500, to: 7_500 });
    expect(new Scale({ from: 0, to: 100, gaps: [] }, all, true).zoomed(1_000, 0)).toMatchObject({ from: 0, to: 20 });
  });

  it('[CN14] has ticks at round times, none of them in a fold', () => {
    const ticks = new Scale(extent, all, true).ticks(6, 1);
    expect(ticks.length).toBeGreaterThan(2);
    for (const { at, x } of ticks) {
      expect(at % 5_000).toBe(0);
      expect(x).toBeGreaterThanOrEqual(0);
      expect(at <= 60_000 || at >= 3 * HOUR - 60_000).toBe(true);
    }
  });

  it('[CN12] is in the address as it was looked at (check 10)', () => {
    const zooms: readonly Zoom[] = [all, { kind: 'live', ms: 60_000 }, { kind: 'held', from: 1_000, to: 9_000 }];
    for (const zoom of zooms) expect(zoomOf(zoomText(zoom) ?? null)).toEqual(zoom);
    for (const wrong of ['', 'x', '5-1', '-3', '1-2-3', '99999999999999999999']) expect(zoomOf(wrong)).toEqual(all);
  });
});

describe('the bars of a lane', () => {
  const scale = new Scale({ from: 0, to: 10_000, gaps: [] }, all, true);
  const tool = (from: number, to?: number): Span => ({
    kind: 'tool',
    from,
    ...(to === undefined ? {} : { to }),
    name: 'read',
  });

  it('[CN14] are at least 3 px wide, and those that would cover each other are one', () => {
    expect(barsOf([tool(0, 1)], scale, 100, 10_000)).toMatchObject([{ from: 0, to: 3, count: 1, open: false }]);
    const dots = Array.from({ length: 1_000 }, (_, index) => tool(index * 10, index * 10 + 1));
    const bars = barsOf(dots, scale, 100, 10_000);
    expect(bars.length).toBeLessThanOrEqual(34);
    expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(1_000);
  });

  it('[CN14] that go on reach to now, and say so in words (check 23)', () => {
    const [bar] = barsOf([{ kind: 'person', from: 5_000, name: 'publish' }], scale, 100, 10_000);
    expect(bar).toMatchObject({ from: 50, to: 100, open: true });
    expect(bar && barSays(bar, 10_000)).toBe('publish: waiting for a person, 5.0s, in progress');
  });
});
