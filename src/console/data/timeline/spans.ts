/** What an agent spent its time with, as a timeline draws it. */

/**
 * What is drawn. Work: `model`, `tool`. What was lost: `discarded` attempts, and a `crash` from the last chunk to the recovery.
 * A delegation: `task`. Waits: for a `person`, for a `child`, in a `queue`, for a `timer`. What works `below` a folded row, in
 * one. The others are marks, at one moment.
 */
export type SpanKind =
  | 'model'
  | 'tool'
  | 'discarded'
  | 'crash'
  | 'task'
  | 'person'
  | 'child'
  | 'queue'
  | 'timer'
  | 'below'
  | 'recovery'
  | 'stop'
  | 'resume'
  | 'message'
  | 'answer';

/** From when to when, in ms since 1970; without an end it goes on. `count`: how many were merged into it. */
export interface Span {
  readonly kind: SpanKind;
  readonly from: number;
  readonly to?: number;
  readonly name: string;
  readonly count?: number;
  /** Of a timer: when it is over by itself. Nothing more is heard of it until what it waits for has said something. */
  readonly due?: number;
  /** The event of the log with which it began. */
  readonly sequence?: number;
}

/** A stretch of time in which no agent worked, in ms since 1970. */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

/** A span that is still written. */
export type OpenSpan = { -readonly [Name in keyof Span]: Span[Name] };

const BUSY: ReadonlySet<SpanKind> = new Set(['model', 'tool']);
/** Shorter waits in the queue, in ms, are those of every start. */
const SHORT_QUEUE_MS = 500;
/** Shorter gaps, in ms, are never folded. */
const SHORT_GAP_MS = 1_000;
/** Gaps that are kept: the longest. */
const MOST_GAPS = 200;

/** Spans of all agents that are kept in all; beyond it, the oldest of the agent with the most are merged by pairs. */
export const MOST_SPANS = 200_000;

/** The spans of one agent, in the order in which they began. */
export class Lane {
  readonly all: OpenSpan[] = [];
  #dirty = 0;
  #told = 0;
  readonly #open = new Set<OpenSpan>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Those that go on. */
  get open(): Iterable<OpenSpan> {
    return this.#open;
  }

  /** Begins one. */
  begin(kind: SpanKind, from: number, name: string, due?: number): OpenSpan {
    const { sequence } = this.#clock;
    const span: OpenSpan = { kind, from, name, sequence, ...(due === undefined ? {} : { due }) };
    this.#open.add(span);
    if (due !== undefined) this.#clock.timers.add(span);
    if (BUSY.has(kind)) this.#clock.busy += 1;
    this.#add(span);
    return span;
  }

  /** One that is over, or a mark. */
  put(kind: SpanKind, from: number, to: number, name: string): void {
    this.#add({ kind, from, to, name, sequence: this.#clock.sequence });
  }

  /** Ends one; again changes nothing. */
  end(span: OpenSpan | undefined, to: number, kind?: SpanKind): void {
    if (span === undefined || !this.#open.delete(span)) return;
    if (BUSY.has(span.kind)) this.#clock.busy -= 1;
    this.#clock.timers.delete(span);
    const at = this.all.lastIndexOf(span);
    this.#dirty = Math.min(this.#dirty, at);
    if (span.kind === 'queue' && to - span.from < SHORT_QUEUE_MS) {
      this.all.splice(at, 1);
      this.#clock.spans -= 1;
      return;
    }
    span.to = Math.max(span.from, to);
    if (kind !== undefined) span.kind = kind;
  }

  /** One that turns out to be something else. */
  turn(span: OpenSpan, kind: SpanKind): void {
    if (span.kind === kind || !this.#open.has(span)) return;
    if (BUSY.has(span.kind)) this.#clock.busy -= 1;
    if (BUSY.has(kind)) this.#clock.busy += 1;
    span.kind = kind;
    this.rename(span, span.name);
  }

  /** Names one anew, where it was not merged. */
  rename(span: OpenSpan, name: string): void {
    const at = this.all.lastIndexOf(span);
    if (at < 0) return;
    span.name = name;
    this.#dirty = Math.min(this.#dirty, at);
  }

  /** What was not told yet: from `at` on they are these; undefined where all was told. */
  changes(): { readonly at: number; readonly spans: readonly Span[] } | undefined {
    const at = this.#dirty;
    if (at >= this.all.length && this.#told <= this.all.length) return undefined;
    this.#dirty = this.all.length;
    this.#told = this.all.length;
    return { at, spans: this.all.slice(at) };
  }

  /** Merges the older half of what is over, two by two where they are of one kind. */
  merge(): void {
    const half = Math.floor(this.all.length / 2);
    const kept: OpenSpan[] = [];
    for (const span of this.all.slice(0, half)) {
      const before = kept.at(-1);
      const both = before?.kind === span.kind && before.to !== undefined && span.to !== undefined;
      if (!both || (before.count ?? 1) > (span.count ?? 1)) {
        kept.push(span);
        continue;
      }
      const count = (before.count ?? 1) + (span.count ?? 1);
      const to = Math.max(before.to ?? 0, span.to ?? 0);
      const { sequence = 0 } = before;
      kept[kept.length - 1] = { kind: span.kind, from: before.from, to, name: `${count} merged`, count, sequence };
    }
    const least = kept.length < half ? kept : this.all.slice(Math.ceil(half / 2), half);
    this.#clock.spans -= half - least.length;
    this.all.splice(0, half, ...least);
    this.#dirty = 0;
  }

  #add(span: OpenSpan): void {
    this.all.push(span);
    this.#clock.spans += 1;
  }
}

/** The time of a whole tree: whether anybody works, and when nobody did. */
export class Clock {
  /** Spans at work now. */
  busy = 0;
  /** Spans of all lanes. */
  spans = 0;
  /** The time of the last chunk. */
  last = 0;
  /** The sequence of the chunk that is taken. */
  sequence = 0;
  /** The timers that run: what one waits for works again once it is due. */
  readonly timers = new Set<OpenSpan>();
  #gaps: Gap[] = [];

  /** The gaps, oldest first. */
  get gaps(): readonly Gap[] {
    return this.#gaps;
  }

  /** A chunk of that time comes; before what it changes. */
  tick(at: number): void {
    const to = Math.min(at, ...[...this.timers].map(({ due = at }) => due));
    if (this.last > 0 && this.busy === 0 && to - this.last >= SHORT_GAP_MS) {
      this.#gaps = [...this.#gaps, { from: this.last, to }];
      if (this.#gaps.length > MOST_GAPS) {
        const least = this.#gaps.reduce((one, other) => (other.to - other.from < one.to - one.from ? other : one));
        this.#gaps = this.#gaps.filter((gap) => gap !== least);
      }
    }
    this.last = Math.max(this.last, at);
  }
}
