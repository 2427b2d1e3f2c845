/** Counts on the tabs of an agent. */
import type { AgentView } from '../../../client';
import type { Row } from '../tree/outline';

/** The counts of tabs. Those of the log need no request; the state and the limits have none. */
export interface TabCounts {
  readonly calls?: number;
  readonly checkpoints?: number;
  /** Events of the agent and of all below it. */
  readonly events?: number;
  readonly logs?: number;
  readonly files?: number;
  readonly audit?: number;
  readonly schedules?: number;
}

/** Lists that are counted by a request, by the names of their tabs. */
export const COUNTED_LISTS = ['logs', 'files', 'audit', 'schedules'] as const;

/** So many items of a list are counted. */
export const MOST_COUNTED = 100;

const isCounted = (tab: string): tab is (typeof COUNTED_LISTS)[number] => COUNTED_LISTS.some((name) => name === tab);

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
  tab === 'calls' || tab === 'checkpoints' || tab === 'events' || isCounted(tab) ? counts[tab] : undefined;

/** A count as its tab shows it: of a list that is longer than what is counted, that. */
export const countSays = (counts: TabCounts, tab: string): string => {
  const count = countOf(counts, tab);
  if (count === undefined) return '';
  return isCounted(tab) && count > MOST_COUNTED ? `${MOST_COUNTED}+` : count.toLocaleString();
};

/** The class of a tab, which marks one that has nothing to show. */
export const classOf = (count: number | undefined): 'empty' | undefined => (count === 0 ? 'empty' : undefined);
