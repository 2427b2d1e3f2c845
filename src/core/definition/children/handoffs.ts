/**
 * Who may work for a session of an agent: itself, and all that prompts hand it to.
 *
 * Keeps SAH2.
 */
import type { AgentDefinition } from '../definition';
import { invalidDefinition } from '../invalid';

/**
 * By their names.
 * @throws OffshootError `invalid_definition` where two have one name, or where one cannot go on with what another leaves
 */
export function workersOf(agent: AgentDefinition): ReadonlyMap<string, AgentDefinition> {
  const workers = new Map([[agent.name, agent]]);
  for (const worker of workers.values()) {
    for (const { name, agent: next } of worker.handoffs) {
      const known = workers.get(name);
      if (known !== undefined && known !== next)
        invalidDefinition(
          `A session of the agent "${agent.name}" may be handed to two agents named "${name}"; rename one.`,
        );
      for (const schema of ['stateSchema', 'outputSchema'] as const)
        if (next[schema] !== agent[schema])
          invalidDefinition(
            `The agent "${name}" may take over sessions of "${agent.name}", so both agents need the same \`${schema}\`.`,
          );
      workers.set(name, next);
    }
  }
  return workers;
}
