/** What the root's record says of an agent, in the words of the API. */
import type { z } from 'zod';
import type { AgentState, Run } from '../../core/state';
import type { TreeNode } from '../../core/tree';
import { addUsage, NO_USAGE, type Usage } from '../../core/usage';
import type { RootRuntime } from '../../engine/root';
import type * as shape from '../schemas';

/** The fields that a status document, a child and a node of a tree share. */
export function standingOf(tree: RootRuntime, node: TreeNode) {
  const below = tree.tree.subtree(node.id);
  const counts = { running: 0, queued: 0, total: below.length - 1 };
  let lastSequence = 0;
  for (const other of below) {
    lastSequence = Math.max(lastSequence, other.sequence);
    if (other.id === node.id) continue;
    if (other.place === 'working') counts.running++;
    if (other.place === 'queued') counts.queued++;
  }
  const { sessionId, agentType, address, status, statusText, usage } = node;
  return {
    sessionId,
    agentType,
    address,
    status,
    ...(statusText === '' ? {} : { statusText }),
    childCounts: counts,
    usage,
    lastSequence,
  };
}

/** The last segment of an address. */
export function nameOf({ address }: TreeNode): string {
  return address.slice(address.lastIndexOf('/') + 1);
}

/** One run as it is shown. */
export function runView(run: Run): z.output<typeof shape.run> {
  const { runId, epoch, turn, startedAt, resumedFrom } = run;
  const facts = { runId, epoch, turn, startedAt, ...(resumedFrom === undefined ? {} : { resumedFrom }) };
  if (run.phase === 'active') return { ...facts, status: 'running' };
  const { phase: _phase, outcome, endedAt } = run;
  return { ...facts, ...outcome, endedAt } as z.output<typeof shape.run>;
}

/** What an agent itself says of how it stands. */
export function agentStanding(state: AgentState) {
  const { session, run, step, spent } = state;
  const { displayName, tags, metadata } = session;
  return {
    tags,
    ...(displayName === undefined ? {} : { displayName }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(run === undefined ? {} : { run: { ...runView(run), step: step?.turn === run.turn ? step.number : 0 } }),
    usage: spent,
  };
}

/** What the agents at and below a node have spent, in all and by type. What left the record counts at the root. */
export function rolledUp(tree: RootRuntime, node: TreeNode): { total: Usage; byAgent: { [agentType: string]: Usage } } {
  const byAgent: { [agentType: string]: Usage } = { ...node.top?.retired };
  for (const { agentType, usage } of tree.tree.subtree(node.id))
    byAgent[agentType] = addUsage(byAgent[agentType] ?? NO_USAGE, usage);
  const total = Object.values(byAgent).reduce(addUsage, NO_USAGE);
  return { total, byAgent };
}
