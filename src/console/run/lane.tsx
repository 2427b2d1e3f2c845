/** What one agent spent its time with, on its own row of the tree. */
import { memo } from 'react';
import type { Scale } from '../data/scale';
import type { Span, SpanKind } from '../data/spans';
import { span as lasts } from '../parts/words';

/** What each kind is called. */
export const SAYS: Readonly<Record<SpanKind, string>> = {
  model: 'model call',
  tool: 'tool',
  discarded: 'discarded attempt',
  crash: 'lost by a crash',
  task: 'sub-agent works',
  person: 'waits for a person',
  child: 'waits for a sub-agent',
  queue: 'waits in the queue',
  timer: 'waits for a timer',
  below: 'agents below',
  recovery: 'recovered',
  stop: 'stopped',
  resume: 'resumed',
  message: 'message',
  answer: 'answered',
};

const LETTERS: Partial<Record<SpanKind, string>> = { person: 'P', child: 'C', queue: 'Q', timer: 'T' };
/** Later ones stand above: brackets first, then work, waits, what was lost, and marks. */
const ORDER: readonly SpanKind[] = [
  'below',
  'task',
  'child',
  'queue',
  'timer',
  'model',
  'tool',
  'discarded',
  'person',
  'crash',
];
const MARKS: ReadonlySet<SpanKind> = new Set(['recovery', 'stop', 'resume', 'message', 'answer']);
/** A bar is at least so wide, in px. */
const LEAST = 3;
/** A letter needs so much room, in px. */
const LETTER = 14;

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
    const to = Math.max(from + LEAST, scale.x(span.to ?? now) * width);
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
  const time = MARKS.has(span.kind) ? '' : `, ${lasts((span.to ?? now) - span.from)}`;
  const many = count > 1 ? `${count} of these: ` : '';
  return `${many}${span.name}: ${SAYS[span.kind]}${time}${span.to === undefined ? ', goes on' : ''}`;
}

interface LaneProps {
  readonly spans: readonly Span[];
  readonly scale: Scale;
  /** In px. */
  readonly width: number;
  readonly now: number;
  /** Which bar the keyboard is at. */
  readonly at: number | undefined;
}

/** The bars in the order in which they are walked. */
export function walked(props: Pick<LaneProps, 'spans' | 'scale' | 'width' | 'now'>): Bar[] {
  return barsOf(props.spans, props.scale, props.width, props.now).sort((one, other) => one.from - other.from);
}

/** The lane. */
export const Lane = memo(function Lane({ spans, scale, width, now, at }: LaneProps) {
  const bars = walked({ spans, scale, width, now });
  return (
    <span className="lane">
      {scale.folds.map(({ from }) => (
        <i key={from} className="folded" style={{ left: scale.x(from) * width }} />
      ))}
      {bars.map((bar, index) => {
        const { kind } = bar.span;
        const isMark = MARKS.has(kind);
        const size = bar.to - bar.from;
        return (
          <i
            key={`${index}`}
            data-kind={kind}
            className={`bar ${kind}${bar.open ? ' open' : ''}${isMark ? ' mark' : ''}${index === at ? ' here' : ''}`}
            style={{
              left: bar.from,
              ...(isMark ? {} : { width: size }),
              zIndex: isMark ? ORDER.length : ORDER.indexOf(kind),
            }}
            title={barSays(bar, now)}
          >
            {size >= LETTER ? LETTERS[kind] : undefined}
          </i>
        );
      })}
    </span>
  );
});
