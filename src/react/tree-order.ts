/** Agents by their parents. */

/** An agent as far as its place in a tree needs it. */
export interface TreeAgent {
  readonly agentId: string;
  readonly parentId?: string | undefined;
}

/** Ids of agents in the order in which they began: those whose parent is not known, and those below each agent. */
export interface TreeOrder {
  readonly tops: readonly string[];
  readonly below: ReadonlyMap<string, readonly string[]>;
}

/** Places each agent below its parent. */
export function orderOf(agents: readonly TreeAgent[]): TreeOrder {
  const known = new Set(agents.map(({ agentId }) => agentId));
  const tops: string[] = [];
  const below = new Map<string, string[]>();
  for (const { agentId, parentId } of agents) {
    if (parentId === undefined || parentId === agentId || !known.has(parentId)) {
      tops.push(agentId);
      continue;
    }
    const siblings = below.get(parentId);
    if (siblings === undefined) below.set(parentId, [agentId]);
    else siblings.push(agentId);
  }
  return { tops, below };
}
