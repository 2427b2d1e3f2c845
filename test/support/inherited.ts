/** Whether an agent below a root has the memory of another one: runs of its own are for a task. */
import type { Run, Session } from '../../src/core/agent/state';

export const hasInherited = ({ parent }: Session, runs: readonly Run[]): boolean =>
  parent !== undefined && runs.some(({ task }) => task === undefined);
