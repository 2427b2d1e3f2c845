/** Counts on the tabs of an agent. */
import type { AgentView } from '../../../client';

/** The counts that the view of an agent has; other tabs have none. */
export interface TabCounts {
  readonly calls?: number;
  readonly checkpoints?: number;
}

/** The counts of an agent; empty before its view is read. */
export function countsOf(agent: AgentView | undefined): TabCounts {
  if (agent === undefined) return {};
  const steps = agent.runs.flatMap((run) => run.steps);
  const checkpoints = steps.filter(({ status }) => status === 'committed').length;
  return { calls: agent.calls.length, checkpoints };
}

/** The count of a tab; undefined for one without. */
export const countOf = (counts: TabCounts, tab: string): number | undefined =>
  tab === 'calls' || tab === 'checkpoints' ? counts[tab] : undefined;

/** The class of a tab, which marks one that has nothing to show. */
export const classOf = (count: number | undefined): 'empty' | undefined => (count === 0 ? 'empty' : undefined);
