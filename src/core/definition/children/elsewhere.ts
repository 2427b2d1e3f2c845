/**
 * Which definitions stand for agents that live elsewhere, and how those are reached.
 *
 * Keeps RM1.
 */
import type { AgentDefinition } from '../definition';
import type { RemoteAgentTransport } from '../remote-transport';
import type { AuthorsFunction } from '../types';

/** The transport of a remote agent, or a function that receives the Worker's bindings and variables and returns it. */
export type RemoteTransportSource<Env = unknown> =
  | RemoteAgentTransport
  | AuthorsFunction<[env: Env], RemoteAgentTransport>;

const TRANSPORTS = new WeakMap<AgentDefinition, RemoteTransportSource>();

/** From now on the definition stands for an agent that is reached so. */
export function livesElsewhere(definition: AgentDefinition, transport: RemoteTransportSource): void {
  TRANSPORTS.set(definition, transport);
}

/** Whether a definition stands for an agent that lives elsewhere. */
export function isElsewhere(definition: AgentDefinition): boolean {
  return TRANSPORTS.has(definition);
}

/** How an agent is reached that lives elsewhere; undefined for every other one. @throws what an author's function throws */
export function transportOf(definition: AgentDefinition, env: unknown): RemoteAgentTransport | undefined {
  const source = TRANSPORTS.get(definition);
  return typeof source === 'function' ? source(env) : source;
}
