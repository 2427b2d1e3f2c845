/** The pane beside the tree: how wide it is, a sheet where there is less room, one of three views where there is little. */
import { type KeyboardEvent, type PointerEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react';

/** In px. */
const LEAST = 480;
const MOST = 720;
const STEP = 16;
const KEY = 'offshoot.pane';

const VIEWS = ['tree', 'time', 'node'] as const;
type View = (typeof VIEWS)[number];
const SAYS: Readonly<Record<View, string>> = { tree: 'Tree', time: 'Time', node: 'Node' };

const within = (width: number): number => Math.min(MOST, Math.max(LEAST, Math.round(width)));

/** The pane, as the view knows it. */
export interface Pane {
  /** Which view a narrow page shows; the sheet of a middle one is there when it is the node. */
  readonly at: View;
  readonly width: number;
  /** Of the view's element, which is told the width. */
  readonly box: RefObject<HTMLElement | null>;
  readonly show: () => void;
  readonly hide: () => void;
  readonly setWidth: (width: number) => void;
  readonly setAt: (view: View) => void;
}

/** The pane. */
export function usePane(): Pane {
  const [at, setAt] = useState<View>('node');
  const [width, setWidth] = useState(() => within(Number(sessionStorage.getItem(KEY) ?? 560)));
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.style.setProperty('--pane', `${width}px`));
  return {
    at,
    setAt,
    width,
    box,
    show: useCallback(() => setAt('node'), []),
    hide: () => setAt((before) => (before === 'node' ? 'tree' : before)),
    setWidth: (next) => {
      sessionStorage.setItem(KEY, String(within(next)));
      setWidth(within(next));
    },
  };
}

/** Chooses among the three, where a page is narrow. */
export function PaneSwitch({ pane: { at, setAt } }: { pane: Pane }) {
  return (
    <div className="pane-switch" role="group" aria-label="Panes">
      {VIEWS.map((view) => (
        <button key={view} type="button" aria-pressed={at === view} onClick={() => setAt(view)}>
          {SAYS[view]}
        </button>
      ))}
    </div>
  );
}

/** What the width is changed by: dragged, or with the arrow keys. */
export function Separator({ pane: { width, setWidth } }: { pane: Pane }) {
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: STEP, ArrowRight: -STEP }[event.key];
    const next = by === undefined ? { Home: MOST, End: LEAST }[event.key] : width + by;
    if (next === undefined) return;
    event.preventDefault();
    setWidth(next);
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) setWidth(window.innerWidth - event.clientX);
  };
  return (
    <div
      role="separator"
      className="separator"
      tabIndex={0}
      aria-label="Width of the agent's pane"
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
    />
  );
}
