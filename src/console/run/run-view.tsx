/** A run: its tree in time, and one of its agents. */
import { useQuery } from '@tanstack/react-query';
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { isEnded } from '../../client';
import { useAway } from '../data/away';
import { nameOf } from '../data/names';
import { pathOf, rootOf } from '../data/place';
import { type RunState, useRun } from '../data/run';
import type { Connection } from '../data/run-messages';
import { server } from '../data/session';
import { type Extent, Scale } from '../data/timeline/scale';
import type { Row } from '../data/tree/outline';
import { Places } from '../data/tree/placed';
import { nodesOf, rowsOf, rowsTogether, spendingOf } from '../data/tree/tree-rows';
import { Waits } from '../parts/waits';
import { Node } from './agent/node';
import type { Typed } from './agent/variables';
import { useEvent } from './event';
import { type RunPlace, useRunPlace } from './place';
import { RunHead } from './run-head';
import { PaneSwitch, Separator, usePane } from './separator';
import { Axis, useTimeGestures } from './tree/axis';
import { FilterBar } from './tree/filter-bar';
import { useFolds } from './tree/folds';
import { Tree } from './tree/tree';
import { useViewKeys } from './view-keys';

/** How often the tree is asked for again, in ms: what is owed elsewhere, and what open steps have spent. */
const AGAIN_MS = 5_000;
/** The tree of more agents is not asked for again for what they have spent: their steps tell it at their ends. */
const MOST_AGAIN = 200;

/** How often the time of a run that goes on moves, in ms. */
const TICK_MS = 1_000;

/** The time, each second, while something goes on. */
function useClock(runs: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!runs) return undefined;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [runs]);
  return now;
}

function Missing({ connection, root }: { connection: Extract<Connection, { kind: 'refused' }>; root: string }) {
  const gone = connection.status === 410;
  return (
    <main className="page">
      <h1>{gone ? 'This sub-agent has been replaced' : connection.status === 404 ? 'Not found' : connection.title}</h1>
      <p>{connection.status === 404 ? 'No agent exists at this address.' : connection.title}</p>
      <p className="muted">
        <code>{connection.code}</code>
      </p>
      {gone && <a href={pathOf(root)}>Open the current run</a>}
    </main>
  );
}

/** What the tree document says: at once, again after the log was cut, and while it tells what no log does. */
function useTree(root: string, edge: number | undefined, isNews: boolean) {
  return useQuery({
    queryKey: ['tree', root, edge],
    queryFn: ({ signal }) => server().tree(root, { signal }),
    retry: false,
    refetchInterval: isNews ? AGAIN_MS : false,
  });
}

/** The width of the lanes in px. */
function useLaneWidth(box: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(240);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const sizes = new ResizeObserver(() => {
      const lane = element.querySelector('.axis');
      if (lane !== null && lane.clientWidth > 0) setWidth(lane.clientWidth);
    });
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [box]);
  return width;
}

function useRows(root: string, address: string) {
  const [end, setEnd] = useState<number>();
  const [isNews, setNews] = useState(false);
  const run = useRun(root, address, end);
  const tree = useTree(root, run.edge, isNews);
  const { data } = tree;
  useEffect(() => setEnd(data?.lastSequence), [data]);
  const fromTree = useMemo(() => (data === undefined ? [] : rowsOf(data)), [data]);
  const behind = data !== undefined && run.sequence < data.lastSequence && run.connection.kind !== 'live';
  // Once the whole log was read, what is not in it has been removed.
  const needsTree = run.edge !== undefined || run.connection.kind !== 'live';
  const withSpent = useMemo(() => spendingOf(fromTree), [fromTree]);
  const rows = useMemo(
    () => withSpent(rowsTogether(needsTree || run.rows.length === 0 ? fromTree : [], run.rows, behind)),
    [withSpent, needsTree, fromTree, run.rows, behind],
  );
  const isOpen = rows.length <= MOST_AGAIN && rows.some(({ status }) => !isEnded(status) && status !== 'idle');
  const tellsMore = isOpen || rows.some(({ placement }) => placement === 'remote');
  useEffect(() => setNews(tellsMore), [tellsMore]);
  const owed = useMemo(() => owedBy(data === undefined ? [] : nodesOf(data)), [data]);
  return { run, rows, owed, behind };
}

function owedBy(nodes: ReturnType<typeof nodesOf>): ReadonlyMap<string, string> {
  return new Map(
    nodes.flatMap(({ sessionId, stopOwed }) =>
      stopOwed === undefined ? [] : [[sessionId, `pending ${stopOwed.verb}`]],
    ),
  );
}

/** When the agents of a run began and last did something, and whether none will do more. */
function boundsOf(rows: readonly Row[]): { readonly from: number; readonly last: number; readonly isOver: boolean } {
  let from = Number.POSITIVE_INFINITY;
  let last = 0;
  let isOver = rows.length > 0;
  for (const row of rows) {
    from = Math.min(from, row.from);
    last = Math.max(last, row.last);
    isOver &&= isEnded(row.status) || row.status === 'idle';
  }
  return { from, last, isOver };
}

const extentOf = (
  { gaps, busy }: RunState,
  { from, last, isOver }: ReturnType<typeof boundsOf>,
  now: number,
): Extent & { took: number } => {
  // What comes before the next tick of the clock has room at the end, so that the axis moves once a second.
  const to = isOver ? last : Math.max(now, Math.ceil(last / TICK_MS) * TICK_MS) + TICK_MS;
  const open = !busy && to - last > TICK_MS ? [...gaps, { from: last, to }] : gaps;
  const first = Number.isFinite(from) ? from : now;
  return { from: first, to, gaps: open, took: Math.max(0, (isOver ? last : Math.max(last, now)) - first) };
};

/** The axis of the timeline, as it is looked at. */
function useTimes(run: RunState, rows: readonly Row[], place: RunPlace) {
  const [folding, setFolding] = useState(true);
  const treeBox = useRef<HTMLElement>(null);
  const bounds = useMemo(() => boundsOf(rows), [rows]);
  const { isOver } = bounds;
  const away = useAway();
  // Of what is not heard it is not known whether it goes on: its clock stands.
  const now = useClock(!isOver && away === undefined);
  const extent = extentOf(run, bounds, now);
  const zoomKey = JSON.stringify(place.zoom);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the zoom and the extent are compared by what is in them
  const scale = useMemo(
    () => new Scale(extent, place.zoom, folding),
    [extent.from, extent.to, run.gaps, zoomKey, folding],
  );
  const width = useLaneWidth(treeBox);
  const gestures = useTimeGestures(treeBox, { scale, width, onZoom: place.setZoom });
  return { treeBox, isOver, now, scale, width, gestures, folding, setFolding, from: extent.from, took: extent.took };
}

/** What a run is about: the name that a person gave it, else what it was asked, else its name. */
function useTitle(root: string, rows: readonly Row[]): string {
  const status = useQuery({
    queryKey: ['title', root],
    queryFn: ({ signal }) => server().status(root, { signal }),
    retry: false,
  });
  const asked = rows.find(({ address }) => address === root)?.task ?? '';
  return status.data?.displayName ?? (asked === '' ? nameOf(root) : asked);
}

/** The view. */
export function RunView({ address }: { address: string }) {
  const root = rootOf(address);
  const { run, rows, owed } = useRows(root, address);
  const place = useRunPlace(address);
  const { folds, fold } = useFolds(root);
  const times = useTimes(run, rows, place);
  const { scale, width, now, isOver, folding } = times;
  const pane = usePane();
  const [places] = useState(() => new Places());
  const [typed] = useState<Typed>(() => new Map());
  const { filter, select } = place;
  const shown = useMemo(() => places.of(rows, folds, address, filter), [places, rows, folds, address, filter]);
  const title = useTitle(root, rows);
  const { show } = pane;
  const open = useCallback(
    (next: string) => {
      select(next, 'open');
      show();
    },
    [select, show],
  );
  const goTo = useEvent(root, address, place);
  const openEvent = useCallback(
    (sequence: number) => {
      goTo(sequence);
      show();
    },
    [goTo, show],
  );
  useViewKeys({ address, rows, place, scale, open, hide: pane.hide });
  const { connection } = run;
  if (connection.kind === 'refused') return <Missing connection={connection} root={root} />;
  const whole = shown.find((each) => each.kind === 'agent' && each.row.address === root);
  const sum = whole?.kind === 'agent' ? whole : undefined;
  return (
    <main className={`run-page at-${pane.at}`} ref={pane.box}>
      <RunHead
        {...{ run, title, isOver }}
        name={nameOf(root)}
        status={sum?.row.status}
        from={times.from}
        took={rows.length === 0 ? 0 : times.took}
        usage={sum?.usage}
        unpriced={sum?.unpriced ?? false}
      />
      <PaneSwitch pane={pane} />
      <section className="run-tree" aria-label="Tree" ref={times.treeBox} {...times.gestures.handlers}>
        <FilterBar rows={rows} filter={place.filter} onFilter={place.setFilter} />
        <Axis
          {...{ scale, width, folding, zoom: place.zoom }}
          chosen={times.gestures.chosen}
          runs={!isOver}
          onZoom={place.setZoom}
          onFolding={times.setFolding}
        />
        {run.edge !== undefined && (
          <p className="hatched muted">Older events were removed: the log begins at {run.edge}.</p>
        )}
        {rows.length === 0 && <Waits rows={3} />}
        <Tree
          rows={shown}
          spans={run.spans}
          {...{ owed, scale, width, now }}
          selected={address}
          onFold={fold}
          onEvent={openEvent}
          onOpen={open}
          onMove={(next) => select(next, 'move')}
        />
      </section>
      <Separator pane={pane} />
      <Node key={address} {...{ address, root, rows, run, place, owed, typed }} onClose={pane.hide} />
    </main>
  );
}
