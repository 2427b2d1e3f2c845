/** A run: its tree in time, and one of its agents. */
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { isEnded } from '../../client';
import { nameOf, pathOf, rootOf } from '../data/place';
import { placed } from '../data/placed';
import { type RunState, useRun } from '../data/run';
import type { Connection } from '../data/run-messages';
import { type Extent, Scale } from '../data/scale';
import { server } from '../data/session';
import { nodesOf, rowsOf, rowsTogether } from '../data/tree-rows';
import { Axis, useTimeGestures, zoomByKey } from './axis';
import { FilterBar } from './filter-bar';
import { useFolds } from './folds';
import { Node } from './node';
import { useRunPlace } from './place';
import { RunHead } from './run-head';
import { PaneSwitch, Separator, usePane } from './separator';
import { Tree, type TreeHandle } from './tree';

/** How often what is owed elsewhere is asked for while an agent is there, in ms. */
const AGAIN_MS = 5_000;

/** The time, each second, while something goes on. */
function useClock(runs: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!runs) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [runs]);
  return now;
}

function Missing({ connection, root }: { connection: Extract<Connection, { kind: 'refused' }>; root: string }) {
  const gone = connection.status === 410;
  return (
    <main className="page">
      <h1>{gone ? 'This slot is used again' : connection.status === 404 ? 'Nothing is here' : connection.title}</h1>
      <p>
        {connection.status === 404 ? 'There is nothing at this address, and nothing was created.' : connection.title}
      </p>
      <p className="muted">
        <code>{connection.code}</code>
      </p>
      {gone && <a href={pathOf(root)}>Open the run as it is now</a>}
    </main>
  );
}

/** What the tree document says: at once, again after the log was cut, and while a stop is owed elsewhere. */
function useTree(root: string, edge: number | undefined, isElsewhere: boolean) {
  return useQuery({
    queryKey: ['tree', root, edge],
    queryFn: ({ signal }) => server().tree(root, { signal }),
    retry: false,
    refetchInterval: isElsewhere ? AGAIN_MS : false,
  });
}

/** The width of the lanes in px. */
function useLaneWidth(box: React.RefObject<HTMLElement | null>): number {
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
  const [elsewhere, setElsewhere] = useState(false);
  const run = useRun(root, address, end);
  const tree = useTree(root, run.edge, elsewhere);
  const { data } = tree;
  useEffect(() => setEnd(data?.lastSequence), [data]);
  const began = run.rows[0]?.from ?? 0;
  const fromTree = useMemo(() => (data === undefined ? [] : rowsOf(data, began)), [data, began]);
  const behind = data !== undefined && run.sequence < data.lastSequence && run.connection.kind !== 'live';
  // Once the whole log was read, what is not in it has been removed.
  const needsTree = run.edge !== undefined || run.connection.kind !== 'live';
  const rows = useMemo(
    () => rowsTogether(needsTree || run.rows.length === 0 ? fromTree : [], run.rows, behind),
    [needsTree, fromTree, run.rows, behind],
  );
  const isElsewhere = rows.some(({ placement }) => placement === 'remote');
  useEffect(() => setElsewhere(isElsewhere), [isElsewhere]);
  const owed = useMemo(() => owedBy(data === undefined ? [] : nodesOf(data)), [data]);
  return { run, rows, owed, behind };
}

function owedBy(nodes: ReturnType<typeof nodesOf>): ReadonlyMap<string, string> {
  return new Map(
    nodes.flatMap(({ sessionId, stopOwed }) => (stopOwed === undefined ? [] : [[sessionId, `owes ${stopOwed.verb}`]])),
  );
}

const extentOf = ({ gaps, busy }: RunState, rows: ReturnType<typeof useRows>['rows'], now: number): Extent => {
  const from = rows.reduce((least, each) => Math.min(least, each.from), Number.POSITIVE_INFINITY);
  const last = rows.reduce((most, each) => Math.max(most, each.last), 0);
  const isOver = rows.length > 0 && rows.every(({ status }) => isEnded(status) || status === 'idle');
  const to = isOver ? last : Math.max(last, now);
  const open = !busy && to - last > 1_000 ? [...gaps, { from: last, to }] : gaps;
  return { from: Number.isFinite(from) ? from : now, to, gaps: open };
};

/** The view. */
export default function RunView({ address }: { address: string }) {
  const root = rootOf(address);
  const { run, rows, owed } = useRows(root, address);
  const place = useRunPlace(address);
  const { folds, fold } = useFolds(root);
  const [folding, setFolding] = useState(true);
  const pane = usePane();
  const treeBox = useRef<HTMLElement>(null);
  const tree = useRef<TreeHandle>(null);
  const filterBox = useRef<HTMLInputElement>(null);
  const top = rows.find((row) => row.address === root);
  const isOver = top !== undefined && rows.every(({ status }) => isEnded(status) || status === 'idle');
  const now = useClock(!isOver);
  const shown = useMemo(() => placed(rows, folds, address, place.filter), [rows, folds, address, place.filter]);
  const extent = extentOf(run, rows, now);
  const zoomKey = JSON.stringify(place.zoom);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the zoom is compared by its text
  const scale = useMemo(
    () => new Scale(extent, place.zoom, folding),
    [extent.from, extent.to, run.gaps, zoomKey, folding],
  );
  const width = useLaneWidth(treeBox);
  const gestures = useTimeGestures(treeBox, { scale, width, onZoom: place.setZoom });
  const status = useQuery({
    queryKey: ['title', root],
    queryFn: ({ signal }) => server().status(root, { signal }),
    retry: false,
  });
  const { connection } = run;
  if (connection.kind === 'refused') return <Missing connection={connection} root={root} />;
  const whole = shown.find((each) => each.kind === 'agent' && each.row.address === root);
  const sum = whole?.kind === 'agent' ? whole : undefined;
  const open = (next: string) => {
    place.select(next, 'open');
    pane.show();
  };
  const waits = rows.filter((row) => row.waiting > 0 && !isEnded(row.status));
  const step = (by: 1 | -1) => {
    const at = waits.findIndex((row) => row.address === address);
    const next = waits[at < 0 ? (by > 0 ? 0 : waits.length - 1) : (at + by + waits.length) % waits.length];
    if (next !== undefined) open(next.address);
  };
  const keys: Readonly<Record<string, () => void>> = {
    '/': () => filterBox.current?.focus(),
    f: () => place.setZoom(place.zoom.kind === 'held' ? { kind: 'live', ms: scale.width } : place.zoom),
    y: () => void navigator.clipboard?.writeText(location.href),
    ']': () => step(1),
    '[': () => step(-1),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const writes = event.target instanceof Element && event.target.closest('input, textarea, select, [role="dialog"]');
    if (event.key === 'Escape') return pane.hide();
    if (writes || event.ctrlKey || event.metaKey || event.altKey) return;
    if (zoomByKey(event, { scale, onZoom: place.setZoom }, place.zoom.kind !== 'held')) event.preventDefault();
    else if (keys[event.key] !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      keys[event.key]?.();
    }
  };
  return (
    <main className={`run-page at-${pane.at}`} style={pane.style} onKeyDown={onKeyDown}>
      <RunHead
        run={run}
        title={status.data?.displayName ?? nameOf(root)}
        status={top?.status}
        took={rows.length === 0 ? 0 : extent.to - extent.from}
        usage={sum?.usage}
        unpriced={sum?.unpriced ?? false}
        isOver={isOver}
      />
      <PaneSwitch pane={pane} />
      <section className="run-tree" aria-label="Tree" ref={treeBox} {...gestures.handlers}>
        <FilterBar rows={rows} filter={place.filter} onFilter={place.setFilter} box={filterBox} />
        <Axis
          {...{ scale, width, folding, zoom: place.zoom }}
          runs={!isOver}
          onZoom={place.setZoom}
          onFolding={setFolding}
        />
        {run.edge !== undefined && (
          <p className="hatched muted">Older events were compacted: the log begins at {run.edge}.</p>
        )}
        <Tree
          rows={shown}
          spans={run.spans}
          {...{ owed, scale, width, now, handle: tree }}
          selected={address}
          onFold={fold}
          onOpen={open}
          onMove={(next) => place.select(next, 'move')}
        />
        {gestures.chosen !== undefined && <span className="unseen">Selects a time</span>}
      </section>
      <Separator pane={pane} />
      <Node key={address} {...{ address, root, rows, run, place }} onClose={pane.hide} owed={owed} />
    </main>
  );
}
