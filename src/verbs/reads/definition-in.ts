/**
 * Definitions of agents below the top of a tree, as this version has them.
 *
 * Keeps AN12.
 */
import type { AgentDefinition } from '../../core/definition/definition';

/** The definition of an agent of a tree, by its name; undefined where the top does not lead to one. */
export function definitionIn(top: AgentDefinition, name: string): AgentDefinition | undefined {
  const seen = new Set<AgentDefinition>();
  const due = [top];
  for (let next = due.pop(); next !== undefined; next = due.pop()) {
    if (next.name === name) return next;
    if (seen.has(next)) continue;
    seen.add(next);
    due.push(...next.relationships.map(({ child }) => child), ...next.handoffs.map(({ agent }) => agent));
  }
  return undefined;
}
