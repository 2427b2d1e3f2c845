/** The tree of a run as a treegrid: one row for each agent, and what it did in time on the same line. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import type { Placed, Row } from '../data/outline';
import { Glyph } from '../parts/status';
import { cost, count, span, tokens } from '../parts/words';

const ROW = 28;

/** Where the lanes begin and end, in ms since 1970. */
export interface Axis {
  readonly from: number;
  readonly to: number;
}

const SAYS = {
  model: 'model call',
  tool: 'tool',
  child: 'waits for an agent below',
  person: 'waits for a person',
  discarded: 'discarded attempt',
  recovered: 'recovered',
} as const;

function Lane({ row, axis }: { row: Row; axis: Axis }) {
  const width = Math.max(1, axis.to - axis.from);
  return (
    <span className="lane">
      {row.spans.map(({ kind, from, to, name }, index) => {
        const left = ((from - axis.from) / width) * 100;
        const share = (((to ?? axis.to) - from) / width) * 100;
        return (
          <i
            key={`${index}`}
            className={`bar ${kind}${to === undefined ? ' open' : ''}`}
            style={{ left: `${left}%`, width: `max(3px, ${share}%)` }}
            title={`${name}: ${SAYS[kind]}, ${span((to ?? axis.to) - from)}`}
          />
        );
      })}
    </span>
  );
}

interface TreeProps {
  readonly rows: readonly Placed[];
  readonly selected: string;
  readonly axis: Axis;
  readonly onSelect: (address: string) => void;
  readonly onFold: (agentId: string, open: boolean) => void;
}

function TreeRow({ placed, selected, axis, onSelect, onFold }: Omit<TreeProps, 'rows'> & { placed: Placed }) {
  const { row, level, children, open, dim } = placed;
  const isSelected = row.address === selected;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the treegrid takes the keys for all of its rows
    <div
      role="row"
      aria-level={level}
      aria-posinset={placed.place}
      aria-setsize={placed.siblings}
      aria-selected={isSelected}
      {...(children > 0 ? { 'aria-expanded': open } : {})}
      tabIndex={isSelected ? 0 : -1}
      data-address={row.address}
      className={`tree-row${isSelected ? ' selected' : ''}${dim ? ' dim' : ''}`}
      onClick={() => onSelect(row.address)}
    >
      <span role="gridcell" className="who" style={{ paddingLeft: (level - 1) * 16 }}>
        {children > 0 ? (
          <button
            type="button"
            tabIndex={-1}
            className="twist"
            aria-label={open ? 'Fold' : 'Unfold'}
            onClick={(event) => {
              event.stopPropagation();
              onFold(row.agentId, !open);
            }}
          >
            {open ? <ChevronDown size={16} aria-hidden /> : <ChevronRight size={16} aria-hidden />}
          </button>
        ) : (
          <span className="twist" />
        )}
        <Glyph status={row.status} />
        <span className="type">{row.agentType}</span>
        {row.waiting > 0 && <span className="badge tone-ask">?{row.waiting}</span>}
        {row.recoveries > 0 && <span className="badge">recovered {row.recoveries}</span>}
        <span className="activity muted">{row.error ?? row.activity}</span>
      </span>
      <span role="gridcell" className="figures muted">
        {count(tokens(row.usage))} {cost(row.usage, row.unpriced)}
      </span>
      <span role="gridcell" className="time">
        <Lane row={row} axis={axis} />
      </span>
    </div>
  );
}

const MOVES: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

/** The tree. */
export function Tree(props: TreeProps) {
  const { rows, selected, onSelect, onFold } = props;
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
  const at = rows.findIndex(({ row }) => row.address === selected);
  const found = useRef('');
  useEffect(() => {
    if (at < 0 || found.current === selected) return;
    found.current = selected;
    virtual.scrollToIndex(at);
  }, [at, selected, virtual]);
  const focusRow = (index: number) => {
    const next = rows[index];
    if (next === undefined) return;
    onSelect(next.row.address);
    virtual.scrollToIndex(index);
    requestAnimationFrame(() =>
      box.current?.querySelector<HTMLElement>(`[data-address="${CSS.escape(next.row.address)}"]`)?.focus(),
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const here = rows[at];
    const move = MOVES[event.key];
    if (move !== undefined) focusRow(at + move);
    else if (event.key === 'Home') focusRow(0);
    else if (event.key === 'End') focusRow(rows.length - 1);
    else if (here !== undefined && event.key === 'ArrowRight' && here.children > 0)
      here.open ? focusRow(at + 1) : onFold(here.row.agentId, true);
    else if (here !== undefined && event.key === 'ArrowLeft')
      here.open && here.children > 0
        ? onFold(here.row.agentId, false)
        : focusRow(rows.findLastIndex(({ level }, index) => index < at && level < here.level));
    else return;
    event.preventDefault();
  };
  return (
    <div ref={box} className="tree">
      <div
        role="treegrid"
        aria-label="Agents"
        aria-rowcount={rows.length}
        tabIndex={-1}
        onKeyDown={onKeyDown}
        style={{ height: virtual.getTotalSize() }}
      >
        {virtual.getVirtualItems().map(({ index, start }) => {
          const placed = rows[index];
          if (placed === undefined) return null;
          return (
            <div
              key={placed.row.agentId}
              role="presentation"
              className="slot"
              style={{ transform: `translateY(${start}px)` }}
            >
              <TreeRow {...props} placed={placed} />
            </div>
          );
        })}
      </div>
    </div>
  );
}
