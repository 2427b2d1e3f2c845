/** Counts on the tabs of an agent. */
import type { AgentView } from '../../../client';
import type { Row } from '../outline';

/** The counts that the page knows from the log without a request; other tabs have none. */
export interface TabCounts {
  readonly calls?: number;
  readonly checkpoints?: number;
  /** Events of the agent and of all below it. */
  readonly events?: number;
}

/**
 * The counts of an agent; empty before its view is read.
 * @param rows the agent and all below it
 * @param isWhole whether the log was read from its beginning to its end
 */
export function countsOf(agent: AgentView | undefined, rows: readonly Row[], isWhole: boolean): TabCounts {
  const events = rows.reduce((sum, row) => sum + (row.events ?? 0), 0);
  const ofLog = isWhole ? { events } : {};
  if (agent === undefined) return ofLog;
  const steps = agent.runs.flatMap((run) => run.steps);
  const checkpoints = steps.filter(({ status }) => status === 'committed').length;
  return { calls: agent.calls.length, checkpoints, ...ofLog };
}

/** The count of a tab; undefined for one without. */
export const countOf = (counts: TabCounts, tab: string): number | undefined =>
  tab === 'calls' || tab === 'checkpoints' || tab === 'events' ? counts[tab] : undefined;

/** The class of a tab, which marks one that has nothing to show. */
export const classOf = (count: number | undefined): 'empty' | undefined => (count === 0 ? 'empty' : undefined);
