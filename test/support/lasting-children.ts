/** What a store tells the core of the children that have names. */
import type { Child } from '../../src/core/agent/children/child';
import type { LastingChildren } from '../../src/core/agent/events';
import { isTerminated } from '../../src/core/agent/standard-agents/subagent-registry';

/** What a store tells of the children that have names. */
export function lastingOf(lasting: readonly Child[]): LastingChildren {
  const ended = lasting.filter(isTerminated).length;
  const example = lasting.find((child) => child.ofRun === undefined && !isTerminated(child))?.name;
  return {
    count: lasting.length,
    ...(ended > 0 ? { ended } : {}),
    ...(example === undefined ? {} : { example }),
    ofRun: lasting
      .filter(({ ofRun }) => ofRun !== undefined)
      .map((child) => ({ ...child, ...(isTerminated(child) ? { ended: true as const } : {}) })),
  };
}
