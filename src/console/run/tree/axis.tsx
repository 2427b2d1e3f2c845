/** The time above the lanes: its ticks, how it is zoomed and moved, and the way back to the live edge. */
import { Minus, Plus, Square, UnfoldHorizontal } from 'lucide-react';
import { Fragment, type MouseEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { isMark, KINDS } from '../../data/timeline/bars';
import type { Scale, Zoom } from '../../data/timeline/scale';
import { Popover } from '../../parts/popover';
import { Time } from '../../parts/time';
import { span } from '../../parts/words';

/** One step of the wheel or of a key. */
const STEP = 1.5;
/** A tick with its time needs so much room, in px. */
const TICK = 80;
/** What is said of a fold needs so much, in px. */
const FOLD = 48;
/** A pointer that moves less has not dragged, in px. */
const STILL = 4;

interface ZoomProps {
  readonly scale: Scale;
  readonly width: number;
  readonly onZoom: (zoom: Zoom) => void;
}

/** What is looked at after a step of the zoom: a live view keeps its newest end. */
function stepped(scale: Scale, factor: number, isLive: boolean): Zoom {
  const next = scale.zoomed(factor, isLive ? 1 : 0.5);
  return isLive && next.kind === 'held' ? { kind: 'live', ms: scale.width / factor } : next;
}

function laneAt(target: EventTarget | null): DOMRect | undefined {
  return target instanceof Element ? target.closest('.lane, .axis')?.getBoundingClientRect() : undefined;
}

/** Zooming by wheel, dragging and selecting over all lanes. `box` has them. */
export function useTimeGestures(box: RefObject<HTMLElement | null>, { scale, width, onZoom }: ZoomProps) {
  const now = useRef({ scale, width, onZoom });
  now.current = { scale, width, onZoom };
  const [chosen, setChosen] = useState<readonly [number, number]>();
  const drag = useRef<{ readonly x: number; readonly left: number; readonly scale: Scale; readonly selects: boolean }>(
    null,
  );
  const moved = useRef(false);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const onWheel = (event: WheelEvent) => {
      const lane = laneAt(event.target);
      if (!(event.ctrlKey || event.metaKey) || lane === undefined) return;
      event.preventDefault();
      const { scale: to, width: wide, onZoom: tell } = now.current;
      tell(to.zoomed(event.deltaY < 0 ? STEP : 1 / STEP, (event.clientX - lane.left) / wide));
    };
    // React's own listener could not keep the page from zooming.
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [box]);
  const handlers = {
    onPointerDown(event: PointerEvent) {
      const lane = laneAt(event.target);
      moved.current = false;
      if (lane === undefined || event.button !== 0) return;
      drag.current = { x: event.clientX, left: lane.left, scale, selects: event.shiftKey };
    },
    onPointerMove(event: PointerEvent) {
      const from = drag.current;
      if (from === null || (!moved.current && Math.abs(event.clientX - from.x) < STILL)) return;
      if (!moved.current) event.currentTarget.setPointerCapture(event.pointerId);
      moved.current = true;
      if (from.selects) setChosen([from.x - from.left, event.clientX - from.left]);
      else onZoom(from.scale.moved((from.x - event.clientX) / width));
    },
    onPointerUp(event: PointerEvent) {
      const from = drag.current;
      drag.current = null;
      setChosen(undefined);
      if (from?.selects && moved.current)
        onZoom(from.scale.between((from.x - from.left) / width, (event.clientX - from.left) / width));
    },
    // What ends a drag is no click on a row.
    onClickCapture(event: MouseEvent) {
      if (moved.current) event.stopPropagation();
      moved.current = false;
    },
  };
  return { chosen, handlers };
}

/** What a key makes of the zoom: `+`, `-` and `0`; undefined for any other. */
export function zoomByKey(key: string, scale: Scale, isLive: boolean): Zoom | undefined {
  const factor = { '+': STEP, '=': STEP, '-': 1 / STEP }[key];
  if (factor !== undefined) return stepped(scale, factor, isLive);
  return key === '0' ? { kind: 'all' } : undefined;
}

interface AxisProps extends ZoomProps {
  readonly zoom: Zoom;
  /** Whether more is to come. */
  readonly runs: boolean;
  readonly folding: boolean;
  readonly onFolding: (folding: boolean) => void;
  /** What is being selected, in px. */
  readonly chosen: readonly [number, number] | undefined;
}

/** The kinds of spans, each with its colour and its name. */
function Legend() {
  return (
    <Popover className="legend-more" says="Legend">
      <div className="more-list from-start">
        <dl className="legend">
          {KINDS.map(([kind, says]) => (
            <Fragment key={kind}>
              <dt className="lane">
                <i
                  className={`bar ${kind}${isMark(kind) ? ' mark' : ''}`}
                  style={isMark(kind) ? { left: 20 } : { left: 4, width: 40 }}
                />
              </dt>
              <dd>{says}</dd>
            </Fragment>
          ))}
        </dl>
      </div>
    </Popover>
  );
}

/** The axis with its buttons. */
export function Axis({ scale, width, zoom, runs, folding, chosen, onZoom, onFolding }: AxisProps) {
  const isLive = zoom.kind !== 'held';
  const by = (factor: number) => onZoom(stepped(scale, factor, isLive));
  const ticks = scale.ticks(width, TICK);
  return (
    <div className="axis-row">
      <span className="axis-tools">
        <button type="button" className="icon" aria-label="Zoom in" title="Zoom in (+)" onClick={() => by(STEP)}>
          <Plus size={16} aria-hidden />
        </button>
        <button type="button" className="icon" aria-label="Zoom out" title="Zoom out (-)" onClick={() => by(1 / STEP)}>
          <Minus size={16} aria-hidden />
        </button>
        <button
          type="button"
          className="icon"
          aria-label="Whole run"
          title="Whole run (0)"
          onClick={() => onZoom({ kind: 'all' })}
        >
          <Square size={16} aria-hidden />
        </button>
        <button
          type="button"
          className="icon"
          aria-label="Fold idle time"
          title="Fold idle time"
          aria-pressed={folding}
          onClick={() => onFolding(!folding)}
        >
          <UnfoldHorizontal size={16} aria-hidden />
        </button>
        {!isLive && (
          <button type="button" className="to-now" onClick={() => onZoom({ kind: 'live', ms: scale.width })}>
            {runs ? 'Jump to live' : 'Jump to the end'}
          </button>
        )}
        <Legend />
        <span className="tree-heads muted">
          <span>Time</span>
          <span>Tokens</span>
          <span>Cost</span>
        </span>
      </span>
      <span className="axis">
        {chosen !== undefined && (
          <span className="chosen" style={{ left: Math.min(...chosen), width: Math.abs(chosen[1] - chosen[0]) }} />
        )}
        {ticks.map(({ at, x, named }) => (
          <span key={at} className="tick" style={{ left: x * width }}>
            {named && <Time at={at} fine={at % 1_000 !== 0} />}
          </span>
        ))}
        {scale.folds.map(({ from, to }) => {
          const x = scale.x(from);
          return x < 0 || x > 1 ? null : (
            <span
              key={from}
              className="fold-mark"
              style={{ left: Math.min(x * width, width - FOLD) }}
              title={`Idle for ${span(to - from)}`}
            >
              {span(to - from)}
            </span>
          );
        })}
      </span>
    </div>
  );
}
