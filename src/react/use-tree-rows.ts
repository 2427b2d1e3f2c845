/**
 * Keys, roles and focus of a tree whose rows the page has: all of them, or those that a virtual list draws.
 *
 * RH9. Keys move as the ARIA tree pattern says.
 * RH16. The focus follows the keys, also to a row that is drawn only then.
 */

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { member } from './member';

/** A row as far as its keys and its element need it. */
export interface TreeRow {
  readonly id: string;
  /** 1 at the top. */
  readonly level: number;
  readonly childCount: number;
  readonly isExpanded: boolean;
}

/** The fields of a key event that the tree needs. */
export interface TreeKeyEvent {
  readonly key: string;
  readonly ctrlKey?: boolean;
  readonly metaKey?: boolean;
  readonly altKey?: boolean;
  /** The element that has the focus. Keys of a button, link or field within a row are left to it. Default: the tree. */
  readonly target?: object | null;
  preventDefault(): void;
}

/** The fields of a press on a row that the tree needs. */
export interface RowPressEvent {
  readonly currentTarget: object;
}

/** Properties of the element around the rows. */
export interface TreeProps {
  readonly role: 'tree' | 'treegrid';
  ref(element: object | null): void;
  onKeyDown(event: TreeKeyEvent): void;
}

/** Properties of a row's element. Each keeps its value until the row is another one, so that rows can be memoized. */
export interface RowProps {
  readonly role: 'treeitem' | 'row';
  readonly 'data-id': string;
  readonly 'aria-level': number;
  readonly 'aria-selected': boolean;
  readonly 'aria-expanded'?: boolean;
  readonly tabIndex: 0 | -1;
  onClick(event: RowPressEvent): void;
}

/** Rows, and what is done with them. */
export interface TreeRowsOptions<Row extends TreeRow> {
  /** The visible rows, from the top. */
  readonly rows: readonly Row[];
  readonly selectedId: string | undefined;
  /** `treegrid`: rows have cells. Default: `tree`. */
  readonly role?: 'tree' | 'treegrid';
  /** Called when a key moves to a row, before the row has the focus. A virtual list scrolls to it. */
  onMove(row: Row, index: number): void;
  /** Called for a press on a row, and for Enter. */
  onOpen(row: Row): void;
  onFold(row: Row, isExpanded: boolean): void;
}

/** A tree of rows. */
export interface UsedTreeRows<Row extends TreeRow> {
  /** The index of the row that takes the keys; -1 without rows. */
  readonly at: number;
  readonly treeProps: TreeProps;
  rowProps(row: Row): RowProps;
}

/** Rows that a page key moves by. */
const PAGE_ROWS = 15;
const MOVES: Readonly<Record<string, number>> = {
  ...{ ArrowDown: 1, ArrowUp: -1, PageDown: PAGE_ROWS, PageUp: -PAGE_ROWS },
  ...{ Home: Number.NEGATIVE_INFINITY, End: Number.POSITIVE_INFINITY },
};

/** The rows that a key opens or folds, the row that it leads to, or the row that it is pressed for. */
type Action<Row> = { readonly fold: readonly Row[]; readonly to: boolean } | { readonly at: number } | 'open';

function actionOf<Row extends TreeRow>(rows: readonly Row[], at: number, key: string): Action<Row> | undefined {
  const row = rows[at];
  if (row === undefined) return undefined;
  const move = MOVES[key];
  if (move !== undefined) return { at: Math.min(Math.max(at + move, 0), rows.length - 1) };
  switch (key) {
    case 'Enter':
      return 'open';
    case 'ArrowRight':
      if (row.childCount === 0) return undefined;
      return row.isExpanded ? { at: at + 1 } : { fold: [row], to: true };
    case 'ArrowLeft': {
      if (row.childCount > 0 && row.isExpanded) return { fold: [row], to: false };
      const above = rows.findLastIndex(({ level }, index) => index < at && level < row.level);
      return above === -1 ? undefined : { at: above };
    }
    case '*':
      return { fold: rows.filter((each) => each.level === row.level && each.childCount > 0), to: true };
    default:
      return undefined;
  }
}

const selectorOf = (id: string): string => `[data-id=${JSON.stringify(id)}]`;

const holdsRows = (element: object): element is { querySelector(selectors: string): unknown } =>
  'querySelector' in element;

/** The id that `rowProps` gave to an element. */
function idOf(element: object): unknown {
  const dataset = 'dataset' in element ? element.dataset : undefined;
  return typeof dataset === 'object' && dataset !== null && 'id' in dataset ? dataset.id : undefined;
}

const canFocus = (element: unknown): element is { focus(): void } =>
  typeof element === 'object' && element !== null && 'focus' in element;

/** The element that has the focus; undefined where none has it, as after its row is no longer drawn. */
function focusedOf(element: object | null): unknown {
  const page = member(element, 'ownerDocument');
  const focused = member(page, 'activeElement');
  return focused === member(page, 'body') ? undefined : focused;
}

/** Gives a row the focus once its element is there, unless the person has moved the focus since the key. */
function useFocus(rows: readonly TreeRow[]) {
  const element = useRef<object | null>(null);
  const wanted = useRef<{ readonly id: string; readonly from: unknown }>(undefined);
  useEffect(() => {
    if (wanted.current === undefined) return;
    const { id, from } = wanted.current;
    const focused = focusedOf(element.current);
    const isMoved = focused !== undefined && focused !== from;
    const found = element.current && holdsRows(element.current) && element.current.querySelector(selectorOf(id));
    if (!isMoved && canFocus(found)) found.focus();
    else if (!isMoved && rows.some((row) => row.id === id)) return;
    wanted.current = undefined;
  });
  const ref = useCallback((next: object | null) => {
    element.current = next;
  }, []);
  return { element, ref, wanted };
}

/**
 * The keys and properties of rows that the page arranges itself: a list that is virtual, filtered or grouped.
 * `useAgentTree` arranges the agents of a run.
 * @example
 * const { treeProps, rowProps } = useTreeRows({ rows, selectedId, onMove: select, onOpen: select, onFold: fold });
 * <ul {...treeProps}>{rows.map((row) => <li key={row.id} {...rowProps(row)}>{row.title}</li>)}</ul>
 */
export function useTreeRows<Row extends TreeRow>(options: TreeRowsOptions<Row>): UsedTreeRows<Row> {
  const { rows, selectedId, role = 'tree' } = options;
  const [id, setId] = useState<string>();
  const [selected, setSelected] = useState(selectedId);
  // None is selected where a fold hides the row: that leads no key away.
  if (selectedId !== undefined && selectedId !== selected) {
    setSelected(selectedId);
    setId(selectedId);
  }
  const own = rows.findIndex((row) => row.id === id);
  const chosen = rows.findIndex((row) => row.id === selectedId);
  const at = own >= 0 ? own : chosen >= 0 ? chosen : Math.min(0, rows.length - 1);
  const now = useRef({ options, at });
  useEffect(() => {
    now.current = { options, at };
  });
  const { element, ref, wanted } = useFocus(rows);
  const onKeyDown = useCallback(
    (event: TreeKeyEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const { options: given, at: from } = now.current;
      const { target = null } = event;
      if (target !== null && target !== element.current && !given.rows.some(({ id: each }) => each === idOf(target)))
        return;
      const here = given.rows[from];
      const action = actionOf(given.rows, from, event.key);
      if (here === undefined || action === undefined) return;
      event.preventDefault();
      if (action === 'open') return given.onOpen(here);
      if ('fold' in action) {
        for (const row of action.fold) given.onFold(row, action.to);
        return;
      }
      const next = given.rows[action.at];
      if (next === undefined) return;
      wanted.current = { id: next.id, from: focusedOf(element.current) };
      setId(next.id);
      given.onMove(next, action.at);
    },
    [element, wanted],
  );
  const onClick = useCallback(
    (event: RowPressEvent) => {
      const { options: given } = now.current;
      const row = given.rows.find((each) => each.id === idOf(event.currentTarget));
      if (row === undefined) return;
      wanted.current = undefined;
      setId(row.id);
      given.onOpen(row);
    },
    [wanted],
  );
  const currentId = rows[at]?.id;
  const rowProps = useCallback(
    (row: Row): RowProps => ({
      role: role === 'tree' ? 'treeitem' : 'row',
      'data-id': row.id,
      'aria-level': row.level,
      'aria-selected': row.id === selectedId,
      ...(row.childCount === 0 ? {} : { 'aria-expanded': row.isExpanded }),
      tabIndex: row.id === currentId ? 0 : -1,
      onClick,
    }),
    [role, selectedId, currentId, onClick],
  );
  const treeProps = useMemo<TreeProps>(() => ({ role, ref, onKeyDown }), [role, ref, onKeyDown]);
  return useMemo(() => ({ at, treeProps, rowProps }), [at, treeProps, rowProps]);
}
