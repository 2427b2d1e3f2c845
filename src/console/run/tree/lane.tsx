/** What one agent spent its time with, on its own row of the tree. */
import { memo } from 'react';
import { barSays, isMark, walked } from '../../data/timeline/bars';
import type { Scale } from '../../data/timeline/scale';
import type { Span, SpanKind } from '../../data/timeline/spans';

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
/** A letter needs so much room, in px. */
const LETTER = 14;

interface LaneProps {
  readonly spans: readonly Span[];
  readonly scale: Scale;
  /** In px. */
  readonly width: number;
  readonly now: number;
  /** Which bar the keyboard is at. */
  readonly at: number | undefined;
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
        const atOnce = isMark(kind);
        const size = bar.to - bar.from;
        return (
          <i
            key={`${index}`}
            data-kind={kind}
            data-seq={bar.span.sequence}
            className={`bar ${kind}${bar.open ? ' open' : ''}${atOnce ? ' mark' : ''}${index === at ? ' here' : ''}`}
            style={{
              left: bar.from,
              ...(atOnce ? {} : { width: size }),
              zIndex: atOnce ? ORDER.length : ORDER.indexOf(kind),
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
