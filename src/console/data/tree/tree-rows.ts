/** The rows that the tree document gives: at once, and of agents whose beginning is no longer in the log. */
import type { TreeShown } from '../../../client';
import type { Row } from './outline';

function rowOf(node: TreeShown, parentId: string | undefined): Row {
  const { sessionId: agentId, agentType, address, status, statusText, usage, placement, mode, name } = node;
  const { unpricedCalls = usage.costUsd === undefined ? usage.modelCalls : 0 } = usage;
  const { createdAt, startedAt, endedAt, step, recoveries, pendingCount, error } = node;
  return {
    ...{ agentId, agentType, address, status, usage, step, recoveries, waiting: pendingCount },
    ...{ from: createdAt, last: endedAt ?? startedAt ?? createdAt },
    ...(parentId === undefined ? {} : { parentId }),
    ...(statusText === undefined ? {} : { statusText }),
    ...(error === undefined ? {} : { error: error.title ?? error.code }),
    // A root is an object of its own as such.
    ...(placement === 'facet' || parentId === undefined ? {} : { placement }),
    ...(mode === 'persistent' ? { name } : {}),
    ...{ unpriced: unpricedCalls > 0, discarded: 0 },
    ...{ activity: statusText ?? '', task: '', tools: [], rounds: node.task ?? 0 },
  };
}

const spentOf = ({ usage }: Row): number => usage.inputTokens + usage.outputTokens;

/**
 * Gives rows what the tree says was spent where that is more: a reply is counted there before its step is committed,
 * which may take as long as the sub-agents that it has called. A row that is the same as before gives the same as before.
 */
export function spendingOf(tree: readonly Row[]): (rows: readonly Row[]) => readonly Row[] {
  const told = new Map(tree.map((row) => [row.agentId, row]));
  const given = new WeakMap<Row, Row>();
  const withSpent = (row: Row): Row => {
    const more = told.get(row.agentId);
    if (more === undefined || more === row || spentOf(more) <= spentOf(row)) return row;
    const { usage, unpriced } = more;
    const known = given.get(row) ?? { ...row, usage, unpriced: unpriced || row.unpriced };
    given.set(row, known);
    return known;
  };
  return (rows) => (told.size === 0 ? rows : rows.map(withSpent));
}

/** The nodes of a tree, parents before their children. */
export function nodesOf(tree: TreeShown): TreeShown[] {
  const all: TreeShown[] = [];
  const visit = (node: TreeShown): void => {
    all.push(node);
    for (const below of node.nodes) visit(below);
  };
  visit(tree);
  return all;
}

/** Their rows. */
export function rowsOf(tree: TreeShown): Row[] {
  const rows: Row[] = [];
  const visit = (node: TreeShown, parentId: string | undefined): void => {
    rows.push(rowOf(node, parentId));
    for (const below of node.nodes) visit(below, node.sessionId);
  };
  visit(tree, undefined);
  return rows;
}

/**
 * The rows of the tree and of the log as one. Until the log was read up to where the tree was made, the tree says how its
 * agents stand; from then on the log does, and the tree only adds those that are not in it.
 */
export function rowsTogether(tree: readonly Row[], log: readonly Row[], isLogBehind: boolean): readonly Row[] {
  if (tree.length === 0) return log;
  const held = new Map(log.map((row) => [row.agentId, row]));
  const known = new Set(tree.map(({ agentId }) => agentId));
  const first = tree.map((row) => {
    const own = held.get(row.agentId);
    if (own === undefined) return row;
    if (!isLogBehind) return own;
    const { status, usage, unpriced, waiting, step, error } = row;
    const { error: _before, ...rest } = own;
    return { ...rest, status, usage, unpriced, waiting, step, ...(error === undefined ? {} : { error }) };
  });
  return [...first, ...log.filter(({ agentId }) => !known.has(agentId))];
}
