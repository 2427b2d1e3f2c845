/**
 * The agents of this Worker, for what the platform makes and hands nothing: its objects and its other entrypoints.
 *
 * Keeps OC1.
 */
import type { AgentDefinition } from '../../core/definition/definition';
import { invalidDefinition } from '../../core/definition/invalid';

/** An agent of a Worker, and the kind of its class. */
export interface ListedAgent {
  readonly definition: AgentDefinition;
  /** Its objects are of the class that all such agents share. */
  readonly shared: boolean;
}

const listed = new Map<string, ListedAgent>();

/**
 * Lists the agents of a Worker, by the class of their addresses. An object finds its agent here, so a program has one
 * agent for each shared class.
 * @throws OffshootError `invalid_definition`
 */
export function listAgents(agents: ReadonlyMap<string, ListedAgent>): void {
  for (const [className, agent] of agents) {
    const other = listed.get(className);
    const isSame = other?.definition === agent.definition && other.shared === agent.shared;
    if (other && !isSame && (other.shared || agent.shared))
      invalidDefinition(
        `The agent "${agent.definition.name}" is listed by two Workers of one program, with two definitions or two kinds of class. Give both the same entry.`,
      );
    listed.set(className, agent);
  }
}

/** All listed agents, by class name. */
export function listedAgents(): ReadonlyMap<string, ListedAgent> {
  return listed;
}

/** The definition of an agent that shares its class with others. */
export function sharedAgent(className: string): AgentDefinition | undefined {
  const agent = listed.get(className);
  return agent?.shared ? agent.definition : undefined;
}

/** True for an agent whose objects are of the shared class. */
export function isShared(className: string): boolean {
  return sharedAgent(className) !== undefined;
}
