/** The axis of a timeline: where a time stands, with long idle stretches folded, and what of it is looked at. */
import type { Gap } from './spans';

/** A gap is folded that takes more than this part of all the time. */
const LONG = 0.1;
/** What a folded gap is drawn with, as a part of the time that is not folded. */
const FOLD = 0.03;
/** The least that is looked at, in ms. */
const LEAST_MS = 20;

/** What is looked at: all, the newest so many ms and what comes, or from when to when. */
export type Zoom =
  | { readonly kind: 'all' }
  | { readonly kind: 'live'; readonly ms: number }
  | { readonly kind: 'held'; readonly from: number; readonly to: number };

/** As an address has it; all is no parameter. */
export function zoomText(zoom: Zoom): string | undefined {
  if (zoom.kind === 'all') return undefined;
  return zoom.kind === 'live' ? String(Math.round(zoom.ms)) : `${Math.round(zoom.from)}-${Math.round(zoom.to)}`;
}

/** What an address says. */
export function zoomOf(text: string | null): Zoom {
  const [, from, to] = /^(\d{1,15})(?:-(\d{1,15}))?$/u.exec(text ?? '') ?? [];
  if (from === undefined) return { kind: 'all' };
  if (to === undefined) return Number(from) < LEAST_MS ? { kind: 'all' } : { kind: 'live', ms: Number(from) };
  return Number(to) - Number(from) < LEAST_MS ? { kind: 'all' } : { kind: 'held', from: Number(from), to: Number(to) };
}

/** All the time of a run, in ms since 1970, and when nobody worked. */
export interface Extent {
  readonly from: number;
  readonly to: number;
  readonly gaps: readonly Gap[];
}

/** A tick of the axis. */
export interface Tick {
  readonly at: number;
  readonly x: number;
  /** True where its name has room before the right end. */
  readonly named: boolean;
}

/** The axis. Places are parts of its width: 0 is its left end and 1 its right one. */
export class Scale {
  /** The gaps that are folded. */
  readonly folds: readonly Gap[];
  readonly #extent: Extent;
  readonly #fold: number;
  readonly #from: number;
  readonly #to: number;

  /** @param folding whether long gaps are folded */
  constructor(extent: Extent, zoom: Zoom, folding: boolean) {
    this.#extent = extent;
    const whole = Math.max(1, extent.to - extent.from);
    this.folds = folding
      ? extent.gaps
          .map(({ from, to }) => ({ from: Math.max(from, extent.from), to: Math.min(to, extent.to) }))
          .filter(({ from, to }) => to - from > whole * LONG)
      : [];
    const active = whole - this.folds.reduce((sum, { from, to }) => sum + to - from, 0);
    this.#fold = Math.max(1, active * FOLD);
    const end = this.#length(extent.to);
    if (zoom.kind === 'all') [this.#from, this.#to] = [0, end];
    else if (zoom.kind === 'live') [this.#from, this.#to] = [end - zoom.ms, end];
    else [this.#from, this.#to] = [this.#length(zoom.from), this.#length(zoom.to)];
    this.#to = Math.max(this.#to, this.#from + LEAST_MS);
  }

  /** What is looked at, in ms of time that is not folded. */
  get width(): number {
    return this.#to - this.#from;
  }

  /** Where a time stands. */
  x(at: number): number {
    return (this.#length(at) - this.#from) / this.width;
  }

  /** The time at a place, in ms since 1970. */
  time(x: number): number {
    return this.#time(this.#from + x * this.width);
  }

  /** What is looked at after it was made larger by `factor` around a place; never more than all. */
  zoomed(factor: number, x: number): Zoom {
    const whole = this.#length(this.#extent.to);
    const width = Math.max(LEAST_MS, this.width / factor);
    if (width >= whole) return { kind: 'all' };
    const from = this.#from + x * (this.width - width);
    return this.#held(from, width);
  }

  /** What is looked at after it was moved by parts of its width; it stays where something is. */
  moved(by: number): Zoom {
    return this.#held(this.#from + by * this.width, this.width);
  }

  /** What lies between two places. */
  between(one: number, other: number): Zoom {
    const [left, right] = one < other ? [one, other] : [other, one];
    const width = Math.max(LEAST_MS, (right - left) * this.width);
    return this.#held(this.#from + left * this.width, width);
  }

  /**
   * Ticks at round times, none in a fold. Where none of them has room for its name, one at a less round time comes first
   * that has. `wide`, `name`: the widths of all and of a name, in px.
   */
  ticks(wide: number, name: number): Tick[] {
    const most = Math.max(1, Math.floor(wide / name));
    const step = niceStep(this.width / most);
    const hasRoom = (x: number) => (1 - x) * wide > name;
    const round = this.#every(step, most * 2, hasRoom);
    if (round.some(({ named }) => named)) return round;
    for (const finer of STEPS.filter((each) => each < step).reverse()) {
      const [first] = this.#every(finer, 1, hasRoom);
      if (first?.named) return [first, ...round];
    }
    return round;
  }

  #every(step: number, most: number, hasRoom: (x: number) => boolean): Tick[] {
    const ticks: Tick[] = [];
    const first = Math.ceil(this.time(0) / step) * step;
    for (let at = first; ticks.length < most; ) {
      const fold = this.folds.find(({ from, to }) => at > from && at < to);
      if (fold !== undefined) {
        at = Math.ceil(fold.to / step) * step;
        if (at <= fold.to) at += step;
        continue;
      }
      const x = this.x(at);
      if (x > 1 || at > this.#extent.to + this.width) break;
      if (x >= 0) ticks.push({ at, x, named: hasRoom(x) });
      at += step;
    }
    return ticks;
  }

  #held(from: number, width: number): Zoom {
    const whole = this.#length(this.#extent.to);
    const left = Math.min(Math.max(from, -width / 2), whole - width / 2);
    return { kind: 'held', from: this.#time(left), to: this.#time(left + width) };
  }

  /** The time from the beginning on, with the folds at their drawn widths. */
  #length(at: number): number {
    let length = at - this.#extent.from;
    for (const { from, to } of this.folds) {
      if (at <= from) break;
      const inside = Math.min(at, to) - from;
      length -= inside - (inside / (to - from)) * this.#fold;
    }
    return length;
  }

  #time(length: number): number {
    let at = this.#extent.from + length;
    for (const { from, to } of this.folds) {
      if (at <= from) break;
      const drawn = Math.min(at - from, this.#fold);
      at += (drawn / this.#fold) * (to - from) - drawn;
    }
    return at;
  }
}

const SECOND = 1_000;
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((ms) => ms),
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60 * SECOND),
  ...[1, 2, 3, 6, 12, 24, 48, 96, 168].map((hours) => hours * 3_600 * SECOND),
];

function niceStep(least: number): number {
  return STEPS.find((step) => step >= least) ?? Math.ceil(least / (168 * 3_600 * SECOND)) * 168 * 3_600 * SECOND;
}
