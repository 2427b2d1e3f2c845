/**
 * How long a child is kept: with its tree, or with a run of its parent.
 *
 * Decides: which ends of a run end the children that are kept with it (`retention: 'run'`).
 * Keeps CR1, CR4.
 */
import type { RetentionRule } from '../../definition/definition';
import type { LastingChildren } from '../events';
import type { AgentState, Run } from '../state';
import type { Child } from './child';

/** What keeps a child for as long as a retention says, where a run goes on. */
export function keptBy(retention: RetentionRule, run: Run | undefined): Pick<Child, 'ofRun'> {
  switch (retention) {
    case 'tree':
      return {};
    case 'run':
      return { ofRun: run?.lineage.chainTurn ?? 0 };
  }
}

/** How long a child is kept. */
export const retentionOf = ({ ofRun }: Pick<Child, 'ofRun'>): RetentionRule => (ofRun === undefined ? 'tree' : 'run');

/** Whether the run that a child was kept with has ended. */
export function hasLeft({ ofRun }: Pick<Child, 'ofRun'>, { run }: Pick<AgentState, 'run'>): boolean {
  if (ofRun === undefined) return false;
  if (run === undefined || run.lineage.chainTurn !== ofRun) return true;
  return run.phase === 'ended' && run.outcome.status !== 'interrupted';
}

/**
 * Those that have names without those that have left: how many, how many of these live, and what one of them is called that
 * does. One that was terminated has given its place back.
 */
export function stillKept(
  { count, ended = 0, example, ofRun = [] }: LastingChildren,
  state: Pick<AgentState, 'run'>,
): { readonly count: number; readonly living: number; readonly example?: string } {
  const left = ofRun.filter((child) => hasLeft(child, state));
  const living = count - ended - left.filter((child) => !child.ended).length;
  const one = example ?? ofRun.find((child) => !child.ended && !hasLeft(child, state))?.name;
  return { count: count - left.length, living, ...(one === undefined ? {} : { example: one }) };
}
