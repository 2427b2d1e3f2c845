/** The tree of a run as a treegrid: one row for each agent, and what it did in time on the same line. */
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { barSays, walked } from '../data/bars';
import type { Placed } from '../data/placed';
import { useRowHeight } from '../data/preferences';
import type { Span } from '../data/spans';
import { type RowContext, TreeRow } from './tree-row';

/** Rows that are kept beyond those that are seen, on either side. */
const BEYOND = 12;

interface TreeProps extends RowContext {
  readonly rows: readonly Placed[];
  readonly spans: ReadonlyMap<string, readonly Span[]>;
  /** By agent: what is owed to it elsewhere. */
  readonly owed: ReadonlyMap<string, string>;
  readonly onMove: (address: string) => void;
}

const NONE: readonly Span[] = [];
const MOVES: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 15, PageUp: -15 };

/** Where the keyboard is: the row of before while it is there, else the selected one. */
function useHere(rows: readonly Placed[], selected: string) {
  const [id, setId] = useState<string>();
  const own = rows.findIndex((each) => each.id === id);
  const chosen = rows.findIndex((each) => each.kind === 'agent' && each.row.address === selected);
  return { at: own >= 0 ? own : chosen, chosen, setId };
}

interface Keyboard {
  readonly rows: readonly Placed[];
  readonly at: number;
  readonly goTo: (index: number) => void;
  readonly onOpen: (address: string) => void;
  readonly onFold: (id: string, open: boolean) => void;
}

/** What a key does among the rows; false for one that is none of the tree's. */
function act(key: string, { rows, at, goTo, onOpen, onFold }: Keyboard): boolean {
  const here = rows[at];
  if (here === undefined) return false;
  const isFolded = here.children > 0 && !here.open;
  switch (key) {
    case 'Home':
      goTo(0);
      return true;
    case 'End':
      goTo(rows.length - 1);
      return true;
    case 'Enter':
      if (here.kind === 'agent') onOpen(here.row.address);
      else onFold(here.id, !here.open);
      return true;
    case 'ArrowRight':
      if (isFolded) onFold(here.id, true);
      else if (here.children > 0) goTo(at + 1);
      return true;
    case 'ArrowLeft': {
      const parent = rows.findLastIndex(({ level }, index) => index < at && level < here.level);
      if (here.children > 0 && here.open) onFold(here.id, false);
      else if (parent >= 0) goTo(parent);
      return true;
    }
    case '*':
      for (const each of rows) if (each.level === here.level && each.children > 0) onFold(each.id, true);
      return true;
    default:
      return false;
  }
}

/** Going through the rows: by code, and by keys. */
function useRowKeys(
  { rows, selected, onMove, onOpen, onFold }: Pick<TreeProps, 'rows' | 'selected' | 'onMove' | 'onOpen' | 'onFold'>,
  box: RefObject<HTMLDivElement | null>,
  virtual: Virtualizer<HTMLDivElement, Element>,
) {
  const { at, chosen, setId } = useHere(rows, selected);
  const [bar, setBar] = useState<number>();
  const found = useRef('');
  useEffect(() => {
    if (chosen < 0 || found.current === selected) return;
    found.current = selected;
    virtual.scrollToIndex(chosen, { align: 'auto' });
  }, [chosen, selected, virtual]);
  const goTo = (index: number) => {
    const next = rows[Math.min(Math.max(index, 0), rows.length - 1)];
    if (next === undefined) return;
    setId(next.id);
    setBar(undefined);
    virtual.scrollToIndex(rows.indexOf(next));
    if (next.kind === 'agent') {
      found.current = next.row.address;
      onMove(next.row.address);
    }
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(next.id)}"]`)?.focus());
  };
  /** `bars`: how many the row has that the keyboard is at. */
  const onKeyDown = (event: KeyboardEvent, bars: number) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = MOVES[event.key];
    const along = event.shiftKey ? { ArrowRight: 1, ArrowLeft: -1 }[event.key] : undefined;
    if (along !== undefined)
      setBar((before = along > 0 ? -1 : bars) => Math.min(Math.max(before + along, 0), bars - 1));
    else if (move !== undefined) goTo(at + move);
    else if (!act(event.key, { rows, at, goTo, onOpen, onFold })) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { at, bar, onKeyDown };
}

/** The tree. */
export function Tree({ rows, spans, owed, onMove, ...context }: TreeProps) {
  const { selected, scale, width, now, onOpen, onFold } = context;
  const box = useRef<HTMLDivElement>(null);
  const height = useRowHeight();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: BEYOND,
  });
  useEffect(() => {
    if (height > 0) virtual.measure();
  }, [height, virtual]);
  const keys = useRowKeys({ rows, selected, onMove, onOpen, onFold }, box, virtual);
  const { at, bar } = keys;
  const here = rows[at];
  const own = here?.kind === 'agent' ? (spans.get(here.row.agentId) ?? NONE) : NONE;
  const bars = walked({ spans: own, scale, width, now });
  const said = bar === undefined ? undefined : bars[bar];
  return (
    <div ref={box} className="tree">
      <p className="unseen" role="status">
        {said === undefined ? '' : barSays(said, now)}
      </p>
      <div
        role="treegrid"
        aria-label="Agents"
        aria-rowcount={rows.length}
        tabIndex={-1}
        onKeyDown={(event) => keys.onKeyDown(event, bars.length)}
        style={{ height: virtual.getTotalSize() }}
      >
        {virtual.getVirtualItems().map(({ index, start }) => {
          const placed = rows[index];
          if (placed === undefined) return null;
          const agentId = placed.kind === 'agent' ? placed.row.agentId : '';
          return (
            <div key={placed.id} role="presentation" className="slot" style={{ transform: `translateY(${start}px)` }}>
              <TreeRow
                {...context}
                placed={placed}
                index={index}
                spans={spans.get(agentId) ?? NONE}
                isHere={index === at}
                bar={index === at ? bar : undefined}
                owed={owed.get(agentId)}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
}
