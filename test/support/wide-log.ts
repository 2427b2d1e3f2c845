/** A log of a tree with thousands of agents that all work, and what they go on to say. */
import type { SequencedChunk } from '../../src/protocol/chunks';
import { type LogAgent, newLog } from './log';

/** How many agents one has below it, by its level: as many of one type as are still rows of their own. */
const BELOW = [20, 20, 12] as const;

/** It. */
export interface WideLog {
  readonly entries: SequencedChunk[];
  /** All agents, parents first. */
  readonly agents: readonly LogAgent[];
  /** Has the next agents say something, one chunk each, and returns the chunks. */
  says(count: number): SequencedChunk['chunk'][];
}

/** A tree of so many agents, each at its first step. */
export function wideLog(size: number): WideLog {
  const log = newLog();
  const begun = (agent: LogAgent, index: number) => agent.run(`r_${index}`, { task: `Task ${index}` }).step(1);
  const agents: LogAgent[] = [begun(log.root('chief', 'wide'), 0)];
  let parents = [...agents];
  for (const [level, below] of BELOW.entries()) {
    const next: LogAgent[] = [];
    for (const parent of parents)
      for (let at = 1; at <= below && agents.length < size; at += 1) {
        const index = agents.length;
        const agent = parent.spawn(`c_${index}`, `worker-${level + 1}`, `${at}~1`, { task: `Task ${index}` });
        agents.push(begun(agent, index));
        next.push(agent);
      }
    parents = next;
  }
  let turn = 0;
  return {
    entries: log.entries,
    agents,
    says(count) {
      const from = log.entries.length;
      for (let each = 0; each < count; each += 1) {
        // A step that no agent shares with its neighbour, so that all of them have their turn.
        agents[(turn * 37) % agents.length]?.text(` word ${turn}`);
        turn += 1;
      }
      return log.entries.slice(from).map(({ chunk }) => chunk);
    },
  };
}
