/**
 * Names of agents at the platform: an object is found by a class that the Worker exports, and a name.
 *
 * OC1. Agents without a class of their own share one class. The name of such an object begins with the agent's class in
 *      addresses, so two agents with one root name are two objects.
 */
import { kebabCase, pascalCase } from '../../protocol/ids';

/** The class that agents share. */
export const SHARED_CLASS = 'OffshootAgent';

/** A class and a name: of an agent, as addresses have them, or of an object, as the platform has them. */
export interface NamedObject {
  readonly className: string;
  readonly name: string;
}

/** True for an agent that shares its class with others. */
export type IsShared = (className: string) => boolean;

/** No class in an address has a colon. */
const BETWEEN = ':';

/** The object of an agent. */
export function objectNamed({ className, name }: NamedObject, isShared: IsShared): NamedObject {
  if (!isShared(className)) return { className, name };
  return { className: SHARED_CLASS, name: `${kebabCase(className)}${BETWEEN}${name}` };
}

/** The agent of an object; undefined for a name in the shared class that names no agent. */
export function agentNamed({ className, name }: NamedObject): NamedObject | undefined {
  if (className !== SHARED_CLASS) return { className, name };
  const at = name.indexOf(BETWEEN);
  if (at <= 0) return undefined;
  const addressClass = name.slice(0, at);
  const agent = { className: pascalCase(addressClass), name: name.slice(at + 1) };
  // A second name for one agent would be a second object of it.
  return kebabCase(agent.className) === addressClass ? agent : undefined;
}
