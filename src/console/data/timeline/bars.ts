/** What a lane draws of an agent's spans. */
import { span as lasts } from '../../parts/words';
import type { Scale } from './scale';
import type { Span, SpanKind } from './spans';

/** What each kind is called. */
const SAYS: Readonly<Record<SpanKind, string>> = {
  model: 'model call',
  tool: 'tool',
  discarded: 'discarded attempt',
  crash: 'lost by a crash',
  task: 'sub-agent running',
  person: 'waiting for a person',
  child: 'waiting for a sub-agent',
  queue: 'queued',
  timer: 'waiting for a timer',
  below: 'sub-agents',
  recovery: 'recovered',
  stop: 'stopped',
  resume: 'resumed',
  message: 'message',
  answer: 'answered',
};

/** All kinds with their words. */
export const KINDS: readonly (readonly [SpanKind, string])[] = [
  ...kindsOf(['model', 'tool', 'task', 'below', 'discarded', 'crash', 'person', 'child', 'queue', 'timer']),
  ...kindsOf(['recovery', 'stop', 'resume', 'message', 'answer']),
];

function kindsOf(kinds: readonly SpanKind[]): (readonly [SpanKind, string])[] {
  return kinds.map((kind) => [kind, SAYS[kind]]);
}

const MARKS: ReadonlySet<SpanKind> = new Set(['recovery', 'stop', 'resume', 'message', 'answer']);
/** A bar is at least so wide, in px. */
const LEAST = 3;

/** Whether it is drawn at one moment. */
export const isMark = (kind: SpanKind): boolean => MARKS.has(kind);

/** How far it goes: one that goes on to now, a timer to when it is due. */
const endOf = ({ to, due = Number.POSITIVE_INFINITY }: Span, now: number): number => to ?? Math.min(now, due);

/** A bar as it is drawn; `from` and `to` in px. */
export interface Bar {
  readonly span: Span;
  readonly from: number;
  readonly to: number;
  readonly open: boolean;
  /** How many spans it stands for. */
  readonly count: number;
}

/** The bars of some spans within a width in px. Those that would cover each other are drawn as one. */
export function barsOf(spans: readonly Span[], scale: Scale, width: number, now: number): Bar[] {
  const last = new Map<SpanKind, number>();
  const bars: Bar[] = [];
  for (const span of spans) {
    const from = scale.x(span.from) * width;
    const to = Math.max(from + LEAST, scale.x(endOf(span, now)) * width);
    if (to < 0 || from > width) continue;
    const at = last.get(span.kind);
    const before = at === undefined ? undefined : bars[at];
    const isDot = to - from <= LEAST;
    if (at !== undefined && before !== undefined && isDot && from < before.to) {
      bars[at] = { ...before, to: Math.max(before.to, to), count: before.count + 1 };
      continue;
    }
    last.set(span.kind, bars.length);
    bars.push({ span, from: Math.max(from, -8), to: Math.min(to, width + 8), open: span.to === undefined, count: 1 });
  }
  return bars;
}

/** What a bar is, in words. */
export function barSays({ span, count }: Bar, now: number): string {
  const time = MARKS.has(span.kind) ? '' : `, ${lasts(endOf(span, now) - span.from)}`;
  const many = count > 1 ? `${count} of these: ` : '';
  return `${many}${span.name}: ${SAYS[span.kind]}${time}${span.to === undefined ? ', in progress' : ''}`;
}

/** What bars are made of. */
interface Drawn {
  readonly spans: readonly Span[];
  readonly scale: Scale;
  /** In px. */
  readonly width: number;
  readonly now: number;
}

/** The bars in the order in which they are walked. */
export function walked({ spans, scale, width, now }: Drawn): Bar[] {
  return barsOf(spans, scale, width, now).sort((one, other) => one.from - other.from);
}
