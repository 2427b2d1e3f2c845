/** The tree of a run as a treegrid: one row for each agent, and what it did in time on the same line. */
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type MouseEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useTreeRows } from '../../../react/use-tree-rows';
import { useRowHeight } from '../../data/preferences';
import { barSays, walked } from '../../data/timeline/bars';
import type { Span } from '../../data/timeline/spans';
import type { Placed } from '../../data/tree/placed';
import { type RowContext, TreeRow } from './tree-row';

/** Rows that are kept beyond those that are seen, on either side. */
const BEYOND = 12;

interface TreeProps extends RowContext {
  readonly rows: readonly Placed[];
  readonly selected: string;
  readonly spans: ReadonlyMap<string, readonly Span[]>;
  /** By agent: what is owed to it elsewhere. */
  readonly owed: ReadonlyMap<string, string>;
  readonly onOpen: (address: string) => void;
  readonly onMove: (address: string) => void;
  /** An event of the log is to be shown. */
  readonly onEvent: (sequence: number) => void;
}

/** The event with which the bar began that was pressed. */
function eventAt(target: EventTarget): number | undefined {
  const bar = target instanceof Element ? target.closest('[data-seq]') : null;
  const sequence = Number(bar?.getAttribute('data-seq'));
  return sequence > 0 ? sequence : undefined;
}

/** A press of a bar, before the row takes it for its own. */
function pressed(event: MouseEvent, onEvent: TreeProps['onEvent']): void {
  const sequence = eventAt(event.target);
  if (sequence === undefined) return;
  event.stopPropagation();
  onEvent(sequence);
}

const NONE: readonly Span[] = [];
/** Letters that move as arrows do. */
const LETTERS: Readonly<Record<string, string>> = { j: 'ArrowDown', k: 'ArrowUp' };

/** Scrolls to the selected agent where something else than a key of the tree has selected it. */
function useSelected(selected: string, chosen: number, virtual: Virtualizer<HTMLDivElement, Element>) {
  const found = useRef('');
  useEffect(() => {
    if (chosen < 0 || found.current === selected) return;
    found.current = selected;
    virtual.scrollToIndex(chosen, { align: 'auto' });
  }, [chosen, selected, virtual]);
  return found;
}

/** The rows that are drawn. */
function useRows(count: number, box: RefObject<HTMLDivElement | null>): Virtualizer<HTMLDivElement, Element> {
  const height = useRowHeight();
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: BEYOND,
  });
  useEffect(() => {
    if (height > 0) virtual.measure();
  }, [height, virtual]);
  return virtual;
}

/** The tree. */
export function Tree({ rows, selected, spans, owed, onOpen, onMove, onEvent, ...context }: TreeProps) {
  const { scale, width, now, onFold } = context;
  const box = useRef<HTMLDivElement>(null);
  const virtual = useRows(rows.length, box);
  const chosen = rows.findIndex((each) => each.kind === 'agent' && each.row.address === selected);
  const found = useSelected(selected, chosen, virtual);
  const [bar, setBar] = useState<number>();
  const { at, treeProps, rowProps } = useTreeRows<Placed>({
    ...{ rows, selectedId: rows[chosen]?.id, role: 'treegrid' },
    onMove(row, index) {
      setBar(undefined);
      virtual.scrollToIndex(index);
      if (row.kind !== 'agent') return;
      found.current = row.row.address;
      onMove(row.row.address);
    },
    onOpen: (row) => (row.kind === 'agent' ? onOpen(row.row.address) : onFold(row.id, !row.isExpanded)),
    onFold: (row, isExpanded) => onFold(row.id, isExpanded),
  });
  const here = rows[at];
  const own = here?.kind === 'agent' ? (spans.get(here.row.agentId) ?? NONE) : NONE;
  const bars = walked({ spans: own, scale, width, now });
  const said = bar === undefined ? undefined : bars[bar];
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    const preventDefault = () => {
      event.preventDefault();
      event.stopPropagation();
    };
    if (key === 'Enter' && said?.span.sequence) {
      preventDefault();
      return onEvent(said.span.sequence);
    }
    const along = event.shiftKey ? { ArrowRight: 1, ArrowLeft: -1 }[key] : undefined;
    if (along === undefined || ctrlKey || metaKey || altKey)
      return treeProps.onKeyDown({ key: LETTERS[key] ?? key, ctrlKey, metaKey, altKey, preventDefault });
    preventDefault();
    setBar((before = along > 0 ? -1 : bars.length) => Math.min(Math.max(before + along, 0), bars.length - 1));
  };
  return (
    <div ref={box} className="tree">
      <p className="unseen" role="status">
        {said === undefined ? '' : barSays(said, now)}
      </p>
      <div
        {...treeProps}
        role="treegrid"
        aria-label="Agents"
        aria-rowcount={rows.length}
        tabIndex={-1}
        onKeyDown={onKeyDown}
        onClickCapture={(event) => pressed(event, onEvent)}
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
                {...rowProps(placed)}
                placed={placed}
                index={index}
                spans={spans.get(agentId) ?? NONE}
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
