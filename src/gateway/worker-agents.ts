/**
 * The agents of a Worker, and whether the Worker is put together so that they can work.
 *
 * Keeps A30, DF8.
 */
import type { AgentDefinition, Relationship } from '../core/definition/definition';
import { workersOf } from '../core/definition/handoffs';
import { invalidDefinition, kindOf } from '../core/definition/invalid';
import { failureOf } from '../protocol/errors';
import { DIRECTORY_CLASS, type Exports } from './objects';

/** A class that was made by `AgentObject.of(definition)`. */
export interface AgentClass {
  readonly name: string;
  readonly definition: AgentDefinition;
}

/** The definitions of the classes, by class name. @throws OffshootError `invalid_definition` */
export function definitionsOf(agents: readonly AgentClass[]): ReadonlyMap<string, AgentDefinition> {
  const found = new Map<string, AgentDefinition>();
  if (!Array.isArray(agents))
    invalidDefinition('createWorker: `agents` must be a list of classes, such as [Planner, Timekeeper].');
  for (const [at, agent] of agents.entries()) {
    if ((typeof agent !== 'function' && typeof agent !== 'object') || agent === null || 'addressClass' in agent)
      invalidDefinition(
        `createWorker: \`agents[${at}]\` is ${agent && 'addressClass' in Object(agent) ? 'a definition' : kindOf(agent)}. List classes: export class Planner extends AgentObject.of(planner) {}`,
      );
    const { definition }: { definition: AgentDefinition | undefined } = agent;
    if (definition === undefined)
      invalidDefinition(
        `createWorker: the class ${agent.name} is no agent. Write: export class ${agent.name} extends AgentObject.of(definition) {}`,
      );
    const other = found.get(definition.className);
    if (other)
      invalidDefinition(
        `createWorker: the agents "${other.name}" and "${definition.name}" both become the class ${definition.className}. Rename one.`,
      );
    found.set(definition.className, definition);
  }
  return found;
}

/** What is missing for a Worker to run its agents: a sentence with the line to add, or undefined when all is well. */
export function missingPart(definitions: ReadonlyMap<string, AgentDefinition>, exports: Exports): string | undefined {
  for (const definition of definitions.values()) {
    const related = relationshipsOf(definition);
    if (typeof related === 'string') return `The agent "${definition.name}": ${related}`;
    for (const relationship of related) {
      const child = workerOf(relationship);
      if (typeof child === 'string') return `The agent "${definition.name}": ${child}`;
      if (child !== undefined && !definitions.has(child.className)) {
        return `The agent "${definition.name}" uses "${child.name}", which createWorker does not know. Add its class to the list: agents: [${child.className}, …]`;
      }
    }
    const missing = missingClass(definition.className, exports, `extends AgentObject.of(…) {}`);
    if (missing) return missing;
  }
  if (exports[DIRECTORY_CLASS] === undefined) {
    return `The Worker does not export ${DIRECTORY_CLASS}. Add to its entry: export { ${DIRECTORY_CLASS} } from 'offshoot/worker';`;
  }
  return missingClass(DIRECTORY_CLASS, exports, '');
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
  return `The class ${className} is in no migration. Add it in wrangler.jsonc: "migrations": [{ "tag": "…", "new_sqlite_classes": ["${className}"] }]`;
}

const listed = new Map<string, AgentDefinition>();

/** Lists the agents of a Worker for its other entrypoints: they are made by the platform, which hands them nothing. */
export function listAgents(definitions: ReadonlyMap<string, AgentDefinition>): void {
  for (const [className, definition] of definitions) listed.set(className, definition);
}

/** The agents that `createWorker` was given, by class name. */
export function listedAgents(): ReadonlyMap<string, AgentDefinition> {
  return listed;
}
