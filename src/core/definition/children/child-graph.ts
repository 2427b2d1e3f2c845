/**
 * Who may work below an agent; which variables it asks for, and which those do.
 *
 * Keeps SA32.
 */
import type { AgentDefinition, AnyTool } from '../definition';
import type { VariableDefinition } from '../variables';
import { workersOf } from './handoffs';

/** The same name asked for several times is one variable, as strict as the strictest of them. */
function merged(declared: Iterable<VariableDefinition>): Map<string, VariableDefinition> {
  const all = new Map<string, VariableDefinition>();
  for (const variable of declared) {
    const known = all.get(variable.name);
    all.set(variable.name, known === undefined ? variable : strictest(known, variable));
  }
  return all;
}

const strictest = (one: VariableDefinition, other: VariableDefinition): VariableDefinition => ({
  ...other,
  ...one,
  type: one.type === 'secret' ? 'secret' : other.type,
  required: one.required === true || other.required === true,
  scoped: one.scoped === true || other.scoped === true,
});

/** What is asked for, and by whom: an agent, or a tool of it (`agent/tool`). */
interface Declared {
  readonly variable: VariableDefinition;
  readonly by: string;
}

/** What tools ask for, with all tools that they use. */
function* ofTools(agent: string, tools: readonly AnyTool[]): Generator<Declared> {
  const seen = new Set<AnyTool>();
  const due = [...tools];
  for (let tool = due.pop(); tool !== undefined; tool = due.pop()) {
    if (seen.has(tool)) continue;
    seen.add(tool);
    for (const variable of tool.variables ?? []) yield { variable, by: `${agent}/${tool.name}` };
    due.push(...(tool.uses ?? []));
  }
}

const known = new WeakMap<AgentDefinition, ReadonlyMap<string, VariableDefinition>>();

function* allOf({ name, variables, prompt, tools, sides }: AgentDefinition): Generator<Declared> {
  for (const variable of [...variables, ...(prompt?.variables ?? [])]) yield { variable, by: name };
  yield* ofTools(name, tools);
  for (const side of Object.values(sides ?? {})) yield* allOf(side.definition);
}

/** The variables that an agent itself asks for, with its prompts and tools, by name. */
export function declaredVariables(agent: AgentDefinition): ReadonlyMap<string, VariableDefinition> {
  const before = known.get(agent);
  if (before) return before;
  const found = merged(Array.from(allOf(agent), ({ variable }) => variable));
  known.set(agent, found);
  return found;
}

/** What of a child graph an agent must have of its own, as one that it works by. */
export interface ScopedNeed {
  /** Of an agent of two sides, that of a side. */
  readonly definition: AgentDefinition;
  /** In their order. */
  readonly names: readonly string[];
}

/** All agents of a child graph, each once, also where they name each other. */
export function agentsBelow(agent: AgentDefinition): ReadonlySet<AgentDefinition> {
  const seen = new Set<AgentDefinition>([agent]);
  for (const each of seen) {
    for (const { child } of each.relationships) seen.add(child);
    for (const { agent: next } of each.handoffs) seen.add(next);
  }
  return seen;
}

/** All that may work in a child graph, each once: of agents of two sides both. */
function seatsBelow(agent: AgentDefinition): AgentDefinition[] {
  return [...agentsBelow(agent)].flatMap((each) => {
    const { sides } = each;
    return sides ? Object.values(sides).map(({ definition }) => definition) : [each];
  });
}

/** All that may work for a session of the agent of that name in a child graph: of agents of two sides all. */
export function workersBelow(agent: AgentDefinition, name: string): AgentDefinition[] {
  const named = [...agentsBelow(agent)].filter((each) => each.name === name);
  return named
    .flatMap((each) => [...workersOf(each).values()])
    .flatMap((each) => [each, ...Object.values(each.sides ?? {}).map(({ definition }) => definition)]);
}

/**
 * Which agents of a child graph must be given variables of their own (`required` and `scoped`): the agent and whatever may
 * take its session over or work below it.
 */
export function scopedNeeds(agent: AgentDefinition): ScopedNeed[] {
  return seatsBelow(agent).flatMap((definition) => {
    const all = [...declaredVariables(definition).values()];
    const names = all.filter(({ required, scoped }) => required && scoped).map(({ name }) => name);
    return names.length > 0 ? [{ definition, names: names.sort() }] : [];
  });
}

/** The names that a child graph asks for scoped, whether it must have them or not. */
export function scopedNames(agent: AgentDefinition): ReadonlySet<string> {
  const all = seatsBelow(agent).flatMap((definition) => [...declaredVariables(definition).values()]);
  return new Set(all.filter(({ scoped }) => scoped).map(({ name }) => name));
}

/** A variable that whoever gives a child graph its variables is asked for. */
export interface WantedVariable extends Pick<VariableDefinition, 'name' | 'type' | 'description'> {
  readonly required: boolean;
  /** The agents of the child graph, and the tools of theirs (`agent/tool`), that ask for it. */
  readonly declaredBy: readonly string[];
}

/** The variables that a child graph asks for scoped, in the order of their names, each with what it is for and who asks. */
export function wantedVariables(agent: AgentDefinition): WantedVariable[] {
  const required = new Set(scopedNeeds(agent).flatMap(({ names }) => names));
  const all = seatsBelow(agent).flatMap((definition) => {
    const own = declaredVariables(definition);
    return [...allOf(definition)].filter(({ variable }) => own.get(variable.name)?.scoped);
  });
  const facts = merged(all.map(({ variable }) => variable));
  return [...facts.values()]
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, type, description }) => ({
      ...{ name, type, required: required.has(name) },
      ...(description === undefined ? {} : { description }),
      declaredBy: [...new Set(all.filter(({ variable }) => variable.name === name).map(({ by }) => by))],
    }));
}
