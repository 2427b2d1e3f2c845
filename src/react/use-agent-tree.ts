/**
 * The agents of a run as the rows of a tree, with the keys and roles of one.
 *
 * RH9. Rows are below their parents in the order in which agents began; keys move as the ARIA tree pattern says.
 */
import { useCallback, useMemo, useState } from 'react';
import type { AgentView, TreeView } from '../protocol/view';
import { type RunOptions, useSnapshot } from './use-run';

/** A row. */
export interface AgentRow {
  readonly agent: AgentView;
  /** 1 at the top. */
  readonly level: number;
  readonly childCount: number;
  readonly isExpanded: boolean;
  readonly isSelected: boolean;
}

/** A key event, as far as the tree needs it. */
export interface TreeKeyEvent {
  readonly key: string;
  preventDefault(): void;
}

/** Properties of a row's element. */
export interface RowProps {
  readonly role: 'treeitem';
  readonly 'aria-level': number;
  readonly 'aria-selected': boolean;
  readonly 'aria-expanded'?: boolean;
  readonly tabIndex: 0 | -1;
  onClick(): void;
  onKeyDown(event: TreeKeyEvent): void;
}

/** A tree of agents. */
export interface UsedTree {
  readonly rows: readonly AgentRow[];
  readonly selected: AgentView | undefined;
  select(agentId: string): void;
  toggle(agentId: string): void;
  /** Properties of the element around the rows. */
  readonly treeProps: { readonly role: 'tree' };
  rowProps(row: AgentRow): RowProps;
}

/** The rows of a view. `closed` are the agents whose children are hidden. */
function rowsOf(view: TreeView, closed: ReadonlySet<string>, selectedId: string | undefined): AgentRow[] {
  const children = new Map<string, AgentView[]>();
  const known = new Set(view.agents.map(({ agentId }) => agentId));
  const tops: AgentView[] = [];
  for (const agent of view.agents) {
    const { parentId } = agent;
    if (parentId === undefined || !known.has(parentId)) tops.push(agent);
    else children.set(parentId, [...(children.get(parentId) ?? []), agent]);
  }
  const rows: AgentRow[] = [];
  const open = tops.toReversed().map((agent) => ({ agent, level: 1 }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { agent, level } = next;
    const below = children.get(agent.agentId) ?? [];
    const isExpanded = below.length > 0 && !closed.has(agent.agentId);
    const isSelected = agent.agentId === selectedId;
    rows.push({ agent, level, childCount: below.length, isExpanded, isSelected });
    if (isExpanded) for (const child of below.toReversed()) open.push({ agent: child, level: level + 1 });
  }
  return rows;
}

/** The row that a key leads to, or `toggle` where it opens or closes its own. */
function keyOf(rows: readonly AgentRow[], at: number, key: string): number | 'toggle' | undefined {
  const row = rows[at];
  if (row === undefined) return undefined;
  switch (key) {
    case 'ArrowDown':
      return Math.min(at + 1, rows.length - 1);
    case 'ArrowUp':
      return Math.max(at - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return rows.length - 1;
    case 'ArrowRight':
      if (row.childCount === 0) return undefined;
      return row.isExpanded ? at + 1 : 'toggle';
    case 'ArrowLeft': {
      if (row.isExpanded) return 'toggle';
      const above = rows.slice(0, at).findLastIndex(({ level }) => level === row.level - 1);
      return above === -1 ? undefined : above;
    }
    default:
      return undefined;
  }
}

/**
 * The agents of a run as rows, with what their elements need.
 * @example
 * const { rows, treeProps, rowProps } = useAgentTree('/agents/planner/one');
 * <ul {...treeProps}>{rows.map((row) => <li key={row.agent.agentId} {...rowProps(row)}>{row.agent.agentType}</li>)}</ul>
 */
export function useAgentTree(address: string, options: RunOptions = {}): UsedTree {
  const { view, agent } = useSnapshot(address, options).snapshot;
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set<string>());
  const [chosen, select] = useState<string>();
  const selectedId = chosen ?? agent?.agentId;
  const rows = useMemo(() => rowsOf(view, closed, selectedId), [view, closed, selectedId]);
  const toggle = useCallback(
    (agentId: string) =>
      setClosed((before) => {
        const after = new Set(before);
        if (!after.delete(agentId)) after.add(agentId);
        return after;
      }),
    [],
  );
  const rowProps = useCallback(
    (row: AgentRow): RowProps => ({
      role: 'treeitem',
      'aria-level': row.level,
      'aria-selected': row.isSelected,
      ...(row.childCount === 0 ? {} : { 'aria-expanded': row.isExpanded }),
      tabIndex: row.isSelected ? 0 : -1,
      onClick: () => select(row.agent.agentId),
      onKeyDown(event) {
        const at = rows.findIndex(({ agent: { agentId } }) => agentId === row.agent.agentId);
        const to = keyOf(rows, at, event.key);
        if (to === undefined) return;
        event.preventDefault();
        if (to === 'toggle') return toggle(row.agent.agentId);
        select(rows[to]?.agent.agentId);
      },
    }),
    [rows, toggle],
  );
  const selected = rows.find(({ isSelected }) => isSelected)?.agent;
  return useMemo(
    () => ({ rows, selected, select, toggle, rowProps, treeProps: { role: 'tree' } }),
    [rows, selected, toggle, rowProps],
  );
}
