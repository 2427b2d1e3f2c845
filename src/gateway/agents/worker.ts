/**
 * The agents of a Worker, and whether the Worker is put together so that they can work.
 *
 * Keeps A30, DF8, OC4, BU14.
 */

import { workersOf } from '../../core/definition/children/handoffs';
import type { AgentDefinition, Relationship } from '../../core/definition/definition';
import { invalidDefinition, kindOf } from '../../core/definition/invalid';
import { costGapsOf, gapText } from '../../core/definition/price';
import { SHARED_CLASS } from '../../core/ports/object-names';
import { failureOf } from '../../protocol/errors';
import { identifierOf } from '../../protocol/ids';
import { DIRECTORY_CLASS, type Exports } from '../objects';
import type { ListedAgent } from './listed';

/** A class that was made by `AgentObject.of(definition)`. */
export interface AgentClass {
  readonly name: string;
  readonly definition: AgentDefinition;
}

/** An agent that a Worker serves: a definition, or a class made with `AgentObject.of(definition)`. */
export type ServedAgent = AgentDefinition | AgentClass;

const NO_AGENT =
  'Its list of agents is empty, so it would serve nothing. Pass definitions from `defineAgent`: serve([planner]).';

/** The agents by class name. @throws OffshootError `invalid_definition`, with all that is to be changed */
export function listOf(agents: readonly ServedAgent[]): ReadonlyMap<string, ListedAgent> {
  if (!Array.isArray(agents))
    invalidDefinition('createWorker: `agents` must be a list, such as [planner, timekeeper].');
  if (agents.length === 0) invalidDefinition(misconfiguration([NO_AGENT]));
  const found = new Map<string, ListedAgent>();
  const wrong: string[] = [];
  for (const [at, agent] of agents.entries()) {
    const listed = listedAs(agent, at);
    if (typeof listed === 'string') {
      wrong.push(listed);
      continue;
    }
    const { className, name } = listed.definition;
    const other = found.get(className)?.definition;
    if (other === listed.definition) wrong.push(`The agent "${name}" is listed twice. Remove one entry.`);
    else if (other)
      wrong.push(`The agents "${other.name}" and "${name}" have the same class in addresses. Rename one.`);
    else if (className === SHARED_CLASS || className === DIRECTORY_CLASS)
      wrong.push(`The agent "${name}" has the name of a class of Offshoot. Rename it.`);
    else found.set(className, listed);
  }
  if (wrong.length > 0) invalidDefinition(misconfiguration(wrong));
  return found;
}

/** All that is wrong with a Worker, in one text. */
export function misconfiguration(wrong: readonly string[]): string {
  const [first = ''] = wrong;
  const all = wrong.length === 1 ? ` ${first}` : `\n${wrong.map((each) => `- ${each}`).join('\n')}`;
  return `The Worker is misconfigured.${all}`;
}

function listedAs(agent: ServedAgent, at: number): ListedAgent | string {
  if (typeof agent === 'function') {
    const { name, definition }: { name: string; definition: unknown } = agent;
    if (isDefinition(definition)) return { definition, shared: false };
    const said = name === '' ? `agents[${at}]` : `The class ${name}`;
    return `${said} is not an agent. Write: export class ${name || 'Planner'} extends AgentObject.of(definition) {}`;
  }
  if (isDefinition(agent)) return { definition: agent, shared: true };
  return `agents[${at}] is ${kindOf(agent)}. List a definition from \`defineAgent\`, or a class made by \`AgentObject.of\`.`;
}

const LISTS = [
  'tools',
  'relationships',
  'subagents',
  'handoffs',
  'hooks',
] as const satisfies readonly (keyof AgentDefinition)[];

/** True for what `defineAgent` returns, also that of another copy of this package. */
function isDefinition(given: unknown): given is AgentDefinition {
  if (typeof given !== 'object' || given === null) return false;
  const { name, className, addressClass, ...rest }: Partial<AgentDefinition> = given;
  const isNamed = [name, className, addressClass].every((text) => typeof text === 'string');
  return isNamed && LISTS.every((list) => Array.isArray(rest[list]));
}

/** All that a Worker lacks to run its agents, each a sentence with the line to add. */
export function missingParts(agents: ReadonlyMap<string, ListedAgent>, exports: Exports): string[] {
  const missing: (string | undefined)[] = [];
  for (const { definition, shared } of agents.values()) {
    missing.push(...unlistedBelow(definition, agents));
    if (!shared) missing.push(missingClass(definition.className, exports, `extends AgentObject.of(…) {}`));
  }
  const classes = [...agents.values()].some(({ shared }) => shared)
    ? [SHARED_CLASS, DIRECTORY_CLASS]
    : [DIRECTORY_CLASS];
  for (const className of classes)
    missing.push(
      exports[className] === undefined
        ? `The Worker does not export ${className}. Add to its entry: export { ${className} } from 'offshoot/worker';`
        : missingClass(className, exports, ''),
    );
  return [...new Set(missing.filter((part) => part !== undefined))];
}

/** The beginning of a warning in the log: `offshoot check` looks for it (`check/check.ts`). */
export const WARNING = 'offshoot: Warning: ';

/** Warnings about the agents of a complete Worker, each a sentence with advice. */
export function warningsOf(agents: ReadonlyMap<string, ListedAgent>): string[] {
  const gaps = [...agents.values()].flatMap(({ definition }) => costGapsOf(definition));
  return [...new Set(gaps.map(gapText))];
}

/** The list of a Worker with one more agent, as its entry has it. */
function listWith(agents: ReadonlyMap<string, ListedAgent>, added: AgentDefinition): string {
  const listed = [...agents.values()];
  const names = listed.map(({ definition, shared }) => (shared ? identifierOf(definition.name) : definition.className));
  const list = `[${[...names, identifierOf(added.name)].join(', ')}]`;
  return listed.every(({ shared }) => shared) ? `serve(${list})` : `agents: ${list}`;
}

/** What the agents that an agent uses lack. */
function unlistedBelow(definition: AgentDefinition, agents: ReadonlyMap<string, ListedAgent>): string[] {
  const related = relationshipsOf(definition);
  if (typeof related === 'string') return [`The agent "${definition.name}": ${related}`];
  return related.flatMap((relationship) => {
    const child = workerOf(relationship);
    if (typeof child === 'string') return [`The agent "${definition.name}": ${child}`];
    if (child === undefined || agents.has(child.className)) return [];
    return [
      `The agent "${definition.name}" uses "${child.name}", which the Worker does not list. Add it: ${listWith(agents, child)}`,
    ];
  });
}

/** The relationships of an agent and of those that may take its sessions over; or why they cannot be told. */
function relationshipsOf(definition: AgentDefinition): readonly Relationship[] | string {
  try {
    return [...workersOf(definition).values()].flatMap((agent) => agent.relationships);
  } catch (error) {
    return failureOf(error).message;
  }
}

/** The agent whose class a relationship needs in this Worker, if it needs one; or why it cannot be told. */
function workerOf(relationship: Relationship): AgentDefinition | string | undefined {
  try {
    switch (relationship.placement) {
      case 'facet':
      case 'object':
        return relationship.child;
      case 'remote':
        return undefined;
    }
  } catch (error) {
    return failureOf(error).message;
  }
}

function missingClass(className: string, exports: Exports, rest: string): string | undefined {
  const entry: unknown = exports[className];
  if (entry === undefined)
    return `The Worker does not export the class ${className}. Add to its entry: export class ${className} ${rest}`;
  // Without a migration the entry is the bare class, which has no objects.
  if (typeof (entry as { idFromName?: unknown }).idFromName === 'function') return undefined;
  return `The class ${className} has no objects. Add to "exports" in wrangler.jsonc (or to "migrations"): "${className}": { "type": "durable-object", "storage": "sqlite" }`;
}
