/**
 * Prices of models, checked, and cost limits that count too little because an agent below them has no price.
 *
 * Decides: which parts a price has.
 * Keeps US8, BU14.
 */

import { workersOf } from './children/handoffs';
import type { AgentDefinition, Price } from './definition';
import { invalidDefinition } from './invalid';

const PARTS = ['input', 'output', 'cached', 'cacheWrite', 'reasoning'] as const satisfies readonly (keyof Price)[];
const NEEDED = ['input', 'output'] as const satisfies readonly (keyof Price)[];

const isKnown = (part: string): part is keyof Price => PARTS.some((known) => known === part);
const isPrice = (value: unknown): boolean =>
  typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY;

/** The first thing that is wrong with a price; undefined where nothing is. */
export function priceProblem(price: unknown): string | undefined {
  if (typeof price !== 'object' || price === null) return 'must be an object, or a function that returns one';
  const given = Object.entries(price);
  const unknown = given.find(([part]) => !isKnown(part));
  if (unknown) return `has the unknown part "${unknown[0]}". Available parts: ${PARTS.join(', ')}`;
  const wrong = given.find(([, value]) => value !== undefined && !isPrice(value))?.[0];
  const missing = NEEDED.find((part) => !given.some(([name, value]) => name === part && value !== undefined));
  const part = wrong ?? missing;
  return part && `needs \`${part}\` in US dollars for a million tokens, 0 or more`;
}

/** @throws OffshootError `invalid_definition` */
export function checkPrice(agent: string, price: unknown): void {
  const problem = price === undefined || typeof price === 'function' ? undefined : priceProblem(price);
  if (problem !== undefined) invalidDefinition(`Agent "${agent}": its \`price\` ${problem}.`);
}

/** A cost limit, and the agents whose model calls it does not count. */
export interface CostGap {
  /** The agent whose definition sets the limit. */
  readonly agent: string;
  readonly limit: 'limits.maxCostUsd' | 'limits.maxTreeCostUsd' | 'budget.maxCostUsd';
  /** Names of the agents without a `price`. */
  readonly unpriced: readonly string[];
}

/** The cost limits in a definition that do not hold. A default counts as no wish for one. */
export function costGapsOf(definition: AgentDefinition): CostGap[] {
  const gaps: CostGap[] = [];
  const add = (agent: string, limit: CostGap['limit'], members: Iterable<AgentDefinition>): void => {
    const unpriced = [...members].filter(({ price }) => price === undefined).map(({ name }) => name);
    if (unpriced.length > 0) gaps.push({ agent, limit, unpriced: [...new Set(unpriced)] });
  };
  // A session may be handed on, and its run then counts under the limits of whoever has it.
  const workers = [...workersOf(definition).values()];
  for (const { name, limits, relationships } of workers) {
    if (limits.maxCostUsd !== undefined) add(name, 'limits.maxCostUsd', workers);
    if (limits.maxTreeCostUsd !== undefined) add(name, 'limits.maxTreeCostUsd', treeOf(definition));
    for (const { budget, child, placement } of relationships)
      if (budget?.maxCostUsd !== undefined && placement !== 'remote')
        add(child.name, 'budget.maxCostUsd', treeOf(child));
  }
  return gaps;
}

/** An agent with all that may work in its tree in this Worker. A remote one reports its own cost. */
function treeOf(top: AgentDefinition): Set<AgentDefinition> {
  const found = new Set([top]);
  for (const agent of found) {
    for (const worker of workersOf(agent).values()) found.add(worker);
    for (const { child, placement } of agent.relationships) if (placement !== 'remote') found.add(child);
  }
  return found;
}

/**
 * True if a cost limit may count the usage of this agent, or of a child. An agent does not know the limits of its
 * ancestors, so one with a `price` counts as limited.
 */
export function countsMoney({ price, limits, relationships }: AgentDefinition, child?: AgentDefinition): boolean {
  const isLimited = limits.maxCostUsd !== undefined || limits.maxTreeCostUsd !== undefined;
  const hasBudget = relationships.some((one) => one.child === child && one.budget?.maxCostUsd !== undefined);
  return price !== undefined || isLimited || hasBudget;
}

/** A gap in words, with what to do. */
export function gapText({ agent, limit, unpriced }: CostGap): string {
  const names = unpriced.map((name) => `"${name}"`).join(', ');
  return `\`${limit}\` of the agent "${agent}" does not count the model calls of ${names}: no price is known. Set \`price\` there.`;
}
