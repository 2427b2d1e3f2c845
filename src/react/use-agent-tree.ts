/**
 * The agents of a run as the rows of a tree, with the keys and roles of one.
 *
 * RH9. Rows are below their parents in the order in which agents began.
 */
import { useCallback, useMemo, useState } from 'react';
import type { AgentView, TreeView } from '../protocol/view/view';
import { orderOf } from './tree-order';
import { useSnapshot, type ViewOptions } from './use-run';
import { type RowProps, type TreeProps, type TreeRow, useTreeRows } from './use-tree-rows';

/** A row of an agent; `id` is its `agentId`. */
export interface AgentRow extends TreeRow {
  readonly agent: AgentView;
  readonly isSelected: boolean;
}

/** A tree of agents. */
export interface UsedTree {
  readonly rows: readonly AgentRow[];
  readonly selected: AgentView | undefined;
  select(agentId: string): void;
  toggle(agentId: string): void;
  /** Properties of the element around the rows. */
  readonly treeProps: TreeProps;
  rowProps(row: AgentRow): RowProps;
}

/** The rows of a view. `closed` are the agents whose children are hidden. */
function rowsOf({ agents }: TreeView, closed: ReadonlySet<string>, selectedId: string | undefined): AgentRow[] {
  const { tops, below } = orderOf(agents);
  const known = new Map(agents.map((agent) => [agent.agentId, agent]));
  const rows: AgentRow[] = [];
  const open = tops.toReversed().map((id) => ({ id, level: 1 }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { id, level } = next;
    const agent = known.get(id);
    if (agent === undefined) continue;
    const children = below.get(id) ?? [];
    const isExpanded = children.length > 0 && !closed.has(id);
    rows.push({ id, agent, level, childCount: children.length, isExpanded, isSelected: id === selectedId });
    if (isExpanded) for (const child of children.toReversed()) open.push({ id: child, level: level + 1 });
  }
  return rows;
}

/**
 * The agents of a run as rows, with what their elements need.
 * @example
 * const { rows, treeProps, rowProps } = useAgentTree('/agents/planner/one');
 * <ul {...treeProps}>{rows.map((row) => <li key={row.id} {...rowProps(row)}>{row.agent.agentType}</li>)}</ul>
 */
export function useAgentTree(address: string, options: ViewOptions = {}): UsedTree {
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
  const choose = useCallback(({ id }: AgentRow) => select(id), []);
  const { treeProps, rowProps } = useTreeRows<AgentRow>({
    ...{ rows, selectedId, onMove: choose, onOpen: choose },
    onFold: ({ id, isExpanded }, to) => {
      if (isExpanded !== to) toggle(id);
    },
  });
  const selected = rows.find(({ isSelected }) => isSelected)?.agent;
  return useMemo(
    () => ({ rows, selected, select, toggle, rowProps, treeProps }),
    [rows, selected, toggle, rowProps, treeProps],
  );
}
