/** The axis of a timeline against a naive one, which adds up stretches. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { barSays, barsOf, isMark, KINDS, walked } from '../../../src/console/data/timeline/bars';
import { Scale, type Zoom } from '../../../src/console/data/timeline/scale';
import type { Gap, Span } from '../../../src/console/data/timeline/spans';
import { present } from '../../support/present';

/** A run of stretches that are worked or idle in turn, in ms. */
const anyRun = fc
  .array(fc.record({ worked: fc.integer({ min: 1, max: 40_000 }), idle: fc.integer({ min: 1, max: 90_000 }) }), {
    minLength: 1,
    maxLength: 6,
  })
  .chain((stretches) => fc.record({ from: fc.constantFrom(0, 1_000), stretches: fc.constant(stretches) }))
  .map(({ from, stretches }) => {
    const gaps: Gap[] = [];
    let at = from;
    for (const { worked, idle } of stretches) {
      at += worked;
      gaps.push({ from: at, to: at + idle });
      at += idle;
    }
    return { from, to: at, gaps };
  });
const anyPlace = fc.integer({ min: 0, max: 100 }).map((hundredths) => hundredths / 100);
const anyZoom: fc.Arbitrary<Zoom> = fc.oneof(
  fc.constant<Zoom>({ kind: 'all' }),
  fc.record({ kind: fc.constant('live' as const), ms: fc.integer({ min: 20, max: 90_000 }) }),
  fc
    .tuple(fc.integer({ min: 0, max: 90_000 }), fc.integer({ min: 500, max: 90_000 }))
    .map(([from, ms]): Zoom => ({ kind: 'held', from, to: from + ms })),
);

/** Gaps of more than a tenth of all the time; each is drawn as 3 % of the time that is left. */
function folded({ from, to, gaps }: { from: number; to: number; gaps: readonly Gap[] }) {
  const folds = gaps.filter((gap) => gap.to - gap.from > (to - from) / 10);
  const active = to - from - folds.reduce((sum, gap) => sum + gap.to - gap.from, 0);
  const drawn = Math.max(1, 0.03 * active);
  const lengthOf = (at: number): number => {
    const inside = folds.map((fold) => Math.min(Math.max(at - fold.from, 0), fold.to - fold.from));
    const gone = inside.reduce((sum, ms) => sum + ms, 0);
    const shown = inside.reduce((sum, ms, index) => {
      const fold = present(folds[index]);
      return sum + (ms / (fold.to - fold.from)) * drawn;
    }, 0);
    return at - from - gone + shown;
  };
  return { folds, lengthOf };
}

/** The times between two ticks, in ms: a clock's and a calendar's, up to a week. */
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const ROUND = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 15 * SECOND, 30 * SECOND],
  ...[MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE],
  ...[HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR, 48 * HOUR, 96 * HOUR, 168 * HOUR],
];

describe('the axis of any run', () => {
  it('[CN14] has each time where a sum of the stretches before it puts it, and the time back from its place', () => {
    fc.assert(
      fc.property(anyRun, anyZoom, anyPlace, (extent, zoom, part) => {
        const scale = new Scale(extent, zoom, true);
        const { folds, lengthOf } = folded(extent);
        expect(scale.folds).toEqual(folds);
        const end = lengthOf(extent.to);
        const looked = { all: [0, end], live: [end - ('ms' in zoom ? zoom.ms : 0), end] };
        const [left = 0, right = 0] =
          zoom.kind === 'held' ? [lengthOf(zoom.from), lengthOf(zoom.to)] : looked[zoom.kind];
        const width = Math.max(20, right - left);
        expect(scale.width).toBeCloseTo(width, 6);
        const at = extent.from + part * (extent.to - extent.from);
        expect(scale.x(at)).toBeCloseTo((lengthOf(at) - left) / width, 6);
        expect(scale.time(scale.x(at))).toBeCloseTo(at, 3);
      }),
    );
  });

  it('[CN14] keeps the place under the pointer where it is zoomed, and never shows more than all', () => {
    fc.assert(
      fc.property(anyRun, anyPlace, fc.constantFrom(0.3, 0.99, 1.5, 4, 1e6), (extent, x, factor) => {
        const middle = (extent.to - extent.from) / 2;
        const half = new Scale(extent, { kind: 'live', ms: middle }, false);
        const zoom = half.zoomed(factor, x);
        const isAll = Math.max(20, half.width / factor) >= extent.to - extent.from;
        expect(zoom.kind).toBe(isAll ? 'all' : 'held');
        if (isAll) return;
        const next = new Scale(extent, zoom, false);
        expect(next.width).toBeCloseTo(Math.max(20, half.width / factor), 3);
        if (factor > 1) expect(next.x(half.time(x))).toBeCloseTo(x, 3);
      }),
    );
  });

  it('[CN14] moves by parts of its width, and stops where half of it would be empty', () => {
    const extent = { from: 1_000, to: 11_000, gaps: [] };
    const scale = new Scale(extent, { kind: 'held', from: 4_000, to: 6_000 }, true);
    const rows = [
      [0, 4_000, 6_000],
      [0.5, 5_000, 7_000],
      [-0.5, 3_000, 5_000],
      [-2, 0, 2_000],
      [-99, 0, 2_000],
      [3, 10_000, 12_000],
      [99, 10_000, 12_000],
    ] as const;
    for (const [by, from, to] of rows) expect(scale.moved(by)).toEqual({ kind: 'held', from, to });
    for (const [one, other] of [
      [0.25, 0.75],
      [0.75, 0.25],
    ] as const)
      expect(scale.between(one, other)).toEqual({ kind: 'held', from: 4_500, to: 5_500 });
    expect(scale.between(0.5, 0.5)).toEqual({ kind: 'held', from: 5_000, to: 5_020 });
  });

  it('[CN14] has ticks at every round time that is looked at, but those in a fold', () => {
    fc.assert(
      fc.property(anyRun, anyZoom, fc.integer({ min: 1, max: 12 }), (extent, zoom, most) => {
        const scale = new Scale(extent, zoom, true);
        const ticks = scale.ticks(most, 1);
        for (const { at, x } of ticks) expect([scale.x(at), x >= 0 && x <= 1]).toEqual([x, true]);
        for (const { at } of ticks) expect(scale.folds.every(({ from, to }) => at <= from || at >= to)).toBe(true);
        if (scale.folds.length > 0) return;
        const step = present(ROUND.find((each) => each >= scale.width / most));
        const first = Math.floor(scale.time(0) / step) * step;
        const all = Array.from({ length: most + 3 }, (_, index) => first + index * step);
        const seen = all.filter((at) => scale.x(at) >= 0 && scale.x(at) <= 1 && at <= extent.to + scale.width);
        // Rounded up from below zero, it is a zero with a sign.
        expect(ticks.map(({ at }) => at + 0).filter((at) => at % step === 0)).toEqual(seen);
      }),
    );
  });

  it('[CN128] names a round time where one has room, else one less round one, and none only where all room is folded', () => {
    fc.assert(
      fc.property(anyRun, anyZoom, fc.integer({ min: 1, max: 12 }), (extent, zoom, most) => {
        const scale = new Scale(extent, zoom, true);
        const hasRoom = (at: number) => scale.x(at) >= 0 && (1 - scale.x(at)) * most > 1;
        const ticks = scale.ticks(most, 1);
        for (const { at, named } of ticks) expect(named).toBe(hasRoom(at));
        const step = present(ROUND.find((each) => each >= scale.width / most));
        const finer = ticks.filter(({ at }) => at % step !== 0);
        const isRound = ticks.some(({ at, named }) => named && at % step === 0);
        expect(finer.length).toBeLessThanOrEqual(isRound ? 0 : 1);
        if (ticks.some(({ named }) => named)) return;
        // The first times outside of folds.
        const first = [Math.ceil(scale.time(0)), ...scale.folds.map(({ to }) => to)];
        const shown = first.filter((at) => at <= extent.to + scale.width);
        expect(
          shown.filter((at) => scale.folds.every(({ from, to }) => at <= from || at >= to) && hasRoom(at)),
        ).toEqual([]);
      }),
    );
  });

  it('[CN128] names the second within a run of two seconds that waits for a minute, where the even one has no room', () => {
    const extent = { from: 2_100, to: 64_300, gaps: [{ from: 4_300, to: 64_300 }] };
    const scale = new Scale(extent, { kind: 'all' }, true);
    expect(scale.ticks(170, 80).map(({ at, named }) => [at, named])).toEqual([
      [3_000, true],
      [4_000, false],
    ]);
    expect(scale.ticks(80, 80).filter(({ named }) => named)).toEqual([]);
  });
});

describe('the ticks of an axis', () => {
  it('[CN14] are so far apart as the next round time that leaves no more of them than wanted, beyond a week by weeks', () => {
    const most = 20;
    const between = (width: number) => {
      const [one, other] = new Scale({ from: 0, to: width, gaps: [] }, { kind: 'all' }, true).ticks(most, 1);
      return present(other).at - present(one).at;
    };
    for (const [index, step] of ROUND.entries()) {
      expect(between(step * most)).toBe(step);
      expect(between(step * most + 1)).toBe(ROUND[index + 1] ?? 2 * step);
    }
  });
});

describe('bars', () => {
  const scale = new Scale({ from: 0, to: 1_000, gaps: [] }, { kind: 'all' }, true);
  const bar = (span: Partial<Span> & Pick<Span, 'from'>): Span => ({ kind: 'tool', name: 'read', ...span });
  const drawn = (...spans: Span[]) =>
    barsOf(spans, scale, 100, 900).map(({ from, to, open, count }) => [from, to, open, count]);

  it.each([
    ['one that is over', [bar({ from: 100, to: 300 })], [[10, 30, false, 1]]],
    ['one that goes on ends now', [bar({ from: 100 })], [[10, 90, true, 1]]],
    ['a timer ends when it is due', [bar({ from: 100, due: 500 })], [[10, 50, true, 1]]],
    ['a timer that is due later ends now', [bar({ from: 100, due: 5_000 })], [[10, 90, true, 1]]],
    ['the least width', [bar({ from: 100, to: 100 })], [[10, 13, false, 1]]],
    ['before the left end', [bar({ from: -500, to: -40 })], []],
    ['over the left end', [bar({ from: -500, to: 50 })], [[-8, 5, false, 1]]],
    ['behind the right end', [bar({ from: 1_001, to: 1_100 })], []],
    ['over the right end', [bar({ from: 900, to: 2_000 })], [[90, 108, false, 1]]],
    [
      'dots of one kind that touch are one',
      [bar({ from: 100, to: 110 }), bar({ from: 120, to: 125 }), bar({ from: 160, to: 165 })],
      [
        [10, 15, false, 2],
        [16, 19, false, 1],
      ],
    ],
    [
      'dots of two kinds are two',
      [bar({ from: 100, to: 110 }), bar({ from: 110, to: 120, kind: 'model' })],
      [
        [10, 13, false, 1],
        [11, 14, false, 1],
      ],
    ],
    [
      'a long one is never merged into the one before',
      [bar({ from: 100, to: 200 }), bar({ from: 150, to: 400 }), bar({ from: 160, to: 165 })],
      [
        [10, 20, false, 1],
        [15, 40, false, 2],
      ],
    ],
  ])('[CN14] %s', (_, spans, expected) => {
    expect(drawn(...spans)).toEqual(expected);
  });

  it('[CN14] are walked from left to right', () => {
    const spans = [bar({ from: 500, to: 700 }), bar({ from: 100, to: 900, kind: 'task' })];
    expect(walked({ spans, scale, width: 100, now: 900 }).map(({ span }) => span.kind)).toEqual(['task', 'tool']);
  });

  it('[CN14, CN113] say what each kind is, how long it took unless it is a mark, and that it goes on', () => {
    const marks = ['recovery', 'stop', 'resume', 'message', 'answer'];
    expect(KINDS.map(([kind]) => kind).filter(isMark)).toEqual(marks);
    for (const [kind, says] of KINDS) {
      const [over] = barsOf([bar({ kind, from: 0, to: 500 })], scale, 100, 900);
      const time = marks.includes(kind) ? '' : ', 0.5s';
      expect(barSays(present(over), 900)).toBe(`read: ${says}${time}`);
      expect(barSays({ ...present(over), count: 3 }, 900)).toBe(`3 of these: read: ${says}${time}`);
    }
    const [timer] = barsOf([bar({ kind: 'timer', from: 0, due: 400 })], scale, 100, 900);
    expect(barSays(present(timer), 900)).toBe('read: waiting for a timer, 0.4s, in progress');
    const known = Object.fromEntries(KINDS);
    expect(known).toEqual({
      ...{ model: 'model call', tool: 'tool', task: 'sub-agent running', below: 'sub-agents' },
      ...{ discarded: 'discarded attempt', crash: 'lost by a crash', person: 'waiting for a person' },
      ...{ child: 'waiting for a sub-agent', queue: 'queued', timer: 'waiting for a timer', recovery: 'recovered' },
      ...{ stop: 'stopped', resume: 'resumed', message: 'message', answer: 'answered' },
    });
  });
});
