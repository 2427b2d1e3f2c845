/** The tree of a run as a treegrid: one row for each agent, and what it did in time on the same line. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { barSays, walked } from '../data/bars';
import type { Placed } from '../data/placed';
import type { Span } from '../data/spans';
import { type RowContext, TreeRow } from './tree-row';

const ROW = 28;
/** Rows that are kept beyond those that are seen, on either side. */
const BEYOND = 12;

/** What the view can do to the tree. */
export interface TreeHandle {
  /** Focuses the row of an agent. */
  readonly focus: (address: string) => void;
}

interface TreeProps extends RowContext {
  readonly rows: readonly Placed[];
  readonly spans: ReadonlyMap<string, readonly Span[]>;
  /** By agent: what is owed to it elsewhere. */
  readonly owed: ReadonlyMap<string, string>;
  readonly onMove: (address: string) => void;
  readonly handle: Ref<TreeHandle>;
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

/** The tree. */
export function Tree({ rows, spans, owed, onMove, handle, ...context }: TreeProps) {
  const { selected, scale, width, now, onOpen, onFold } = context;
  const box = useRef<HTMLDivElement>(null);
  const { at, chosen, setId } = useHere(rows, selected);
  const [bar, setBar] = useState<number>();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: BEYOND,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
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
  useImperativeHandle(handle, () => ({
    focus: (address) => goTo(rows.findIndex((each) => each.kind === 'agent' && each.row.address === address)),
  }));
  const here = rows[at];
  const bars = here?.kind === 'agent' ? walked({ spans: spans.get(here.row.agentId) ?? NONE, scale, width, now }) : [];
  const fold = (open: boolean) => here !== undefined && onFold(here.id, open);
  const parent = () => rows.findLastIndex(({ level }, index) => index < at && here !== undefined && level < here.level);
  /** What a key does; false for one that is none of the tree's. */
  const act = (key: string): boolean => {
    switch (key) {
      case 'Home':
        goTo(0);
        break;
      case 'End':
        goTo(rows.length - 1);
        break;
      case 'Enter':
        if (here?.kind === 'agent') onOpen(here.row.address);
        else fold(!here?.open);
        break;
      case 'ArrowRight':
        if (here !== undefined && here.children > 0) here.open ? goTo(at + 1) : fold(true);
        break;
      case 'ArrowLeft':
        if (here?.open && here.children > 0) fold(false);
        else if (parent() >= 0) goTo(parent());
        break;
      case '*':
        for (const each of rows) if (each.level === here?.level && each.children > 0) onFold(each.id, true);
        break;
      default:
        return false;
    }
    return true;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = MOVES[event.key];
    const along = event.shiftKey ? { ArrowRight: 1, ArrowLeft: -1 }[event.key] : undefined;
    if (along !== undefined)
      setBar((before = along > 0 ? -1 : bars.length) => Math.min(Math.max(before + along, 0), bars.length - 1));
    else if (move !== undefined) goTo(at + move);
    else if (!act(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };
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
        onKeyDown={onKeyDown}
        style={{ height: virtual.getTotalSize() }}
      >
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const placed = rows[index];
          if (placed === undefined) return null;
          const agentId = placed.kind === 'agent' ? placed.row.agentId : '';
          return (
            <div key={key} role="presentation" className="slot" style={{ transform: `translateY(${start}px)` }}>
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
