/**
 * Budgets: what agents may spend, as leases that the root grants (decision 14).
 *
 * Decides: how large a lease is; what happens when a budget is used up; how unspent leases return.
 *
 * BU11. Before it asks its model an agent holds a lease. What is leased is set aside until it is spent, or until the run
 *     of its agent has ended; near the end of a budget a lease is for one model call. What that will cost in tokens and
 *     money nobody knows, so those are overshot by at most one model call of each agent that works.
 * BU12. What a model call is in steps is known: each is set aside before it is asked, and steps are never overshot.
 * BU2. What counts is what the root has been told. An agent tells what it has spent with the same call that asks.
 */

import { type Failure, failure } from '../../protocol/errors';
import { addUsage, lessUsage, NO_USAGE, sumOfUsages, type Usage, usageBy, usdText } from '../../protocol/usage';
import type { Budget, Limits } from '../definition/limits';
import { type Lease, ONE_CALL, smaller } from './lease';
import { isLive, type TreeNode, type UsageByType } from './node';
import type { TreeIndex } from './tree-index';

/** A lease, or why there is none. */
export type Grant = { readonly ok: true; readonly lease: Lease } | { readonly ok: false; readonly error: Failure };

/** The part of what is left that one lease sets aside. Small, because who holds it may be long in using it. */
const PART = 1_000;

/** What the agents at and below one have spent, in all and by type, those included that have left the record. */
export function spentBelow(tree: TreeIndex, node: TreeNode): { total: Usage; byAgent: { [agentType: string]: Usage } } {
  const members = tree.subtree(node.id);
  const spent = members.map(({ agentType, usage }) => [agentType, usage] as const);
  // What left the record counts once: at the root all of it, elsewhere at the agent that stayed above it.
  const retired = node.kind === 'root' ? [node.top.retired] : members.map(retiredBelow);
  const byAgent = usageBy([...spent, ...retired.flatMap((one) => Object.entries(one))]);
  return { total: Object.values(byAgent).reduce(addUsage, NO_USAGE), byAgent };
}

const retiredBelow = (node: TreeNode): UsageByType => (node.kind === 'child' ? (node.retired ?? {}) : {});

/** What all agents of a record have spent, those included that have left it. */
export function totalSpent(tree: TreeIndex): Usage {
  const retired = Object.values(tree.root()?.top.retired ?? {});
  return sumOfUsages([...Array.from(tree.all(), ({ usage }) => usage), ...retired]);
}

interface Scope {
  readonly whose: string;
  /** What its limits are called, by the code of each. */
  readonly limits: { readonly [Code in keyof typeof TREE_LIMITS]: string };
  readonly budget: Budget;
  readonly spent: Usage;
  /** What is set aside for others. */
  readonly held: Lease;
}

const NOTHING: Lease = { tokens: 0, costUsd: 0, steps: 0 };

/** What is left of the leases of these agents, but one. Whose run has ended gives its lease back, however it ended. */
function heldBy(tree: TreeIndex, but: string, isIn: (node: TreeNode) => boolean): Lease {
  let sum = NOTHING;
  for (const [sessionId, { lease, at }] of tree.held) {
    const node = tree.bySession(sessionId);
    if (node === undefined || sessionId === but || !isIn(node)) continue;
    if (!isLive(node)) {
      tree.held.delete(sessionId);
      continue;
    }
    const spent = lessUsage(node.usage, at);
    sum = {
      tokens: sum.tokens + Math.max(0, lease.tokens - spent.inputTokens - spent.outputTokens),
      costUsd: sum.costUsd + Math.max(0, lease.costUsd - (spent.costUsd ?? 0)),
      steps: sum.steps + Math.max(0, lease.steps - spent.modelCalls),
    };
  }
  return sum;
}

/** The limit behind each code, of the tree and of one agent. */
const TREE_LIMITS = {
  max_tokens: 'limits.maxTreeTokens',
  max_cost: 'limits.maxTreeCostUsd',
  max_steps: 'limits.maxTreeSteps',
} as const;
const OWN_LIMITS = {
  max_tokens: 'budget.maxTokens',
  max_cost: 'budget.maxCostUsd',
  max_steps: 'budget.maxSteps',
} as const;

/** The budgets that hold for an agent: that of the tree, and those of the agents above it and its own. */
function scopesOf(tree: TreeIndex, node: TreeNode, limits: Limits, but: string): Scope[] {
  const { maxTreeTokens, maxTreeCostUsd, maxTreeSteps } = limits;
  const whole = { maxTokens: maxTreeTokens, maxCostUsd: maxTreeCostUsd, maxSteps: maxTreeSteps };
  const all = lessUsage(totalSpent(tree), tree.root()?.top.usageAtTurnStart ?? NO_USAGE);
  const scopes: Scope[] = [
    { whose: 'The tree', limits: TREE_LIMITS, budget: whole, spent: all, held: heldBy(tree, but, () => true) },
  ];
  for (let at: TreeNode | undefined = node; at?.kind === 'child'; at = tree.parentOf(at)) {
    if (at.task.budget === undefined) continue;
    // One that was started anew goes on with the budget of those before it (BU13).
    const { parentId, childId } = at;
    const same = tree.children(parentId).filter((other) => other.childId === childId);
    const ids = new Set(same.flatMap(({ id }) => tree.subtree(id)).map(({ id }) => id));
    const spent = same.map((one) => spentBelow(tree, one).total).reduce(addUsage, NO_USAGE);
    const held = heldBy(tree, but, ({ id }) => ids.has(id));
    scopes.push({ whose: `The sub-agent ${at.agentType}`, limits: OWN_LIMITS, budget: at.task.budget, spent, held });
  }
  return scopes;
}

/** Which limit of a budget is reached, with advice for its reader: the parent's model, or the caller of a root. */
function usedUp({ whose, limits, budget, spent, held }: Scope, kind: TreeNode['kind']): Failure | undefined {
  const tokens = spent.inputTokens + spent.outputTokens;
  const { maxTokens = NO_LIMIT, maxCostUsd = NO_LIMIT, maxSteps = NO_LIMIT } = budget;
  const { costUsd = 0, modelCalls } = spent;
  const reserved = (rest: number): string => (rest > 0 ? ' The rest is reserved for working agents.' : '');
  const say = (code: keyof typeof TREE_LIMITS, used: string, rest: number): Failure => {
    const limit = limits[code];
    const advice =
      kind === 'root'
        ? `Raise \`${limit}\` and retry the run, or ask for less at once.`
        : 'Finish with what you have, or raise that limit.';
    return failure(code, `${whose} has ${used} (\`${limit}\`).${reserved(rest)} ${advice}`, undefined, { limit });
  };
  const isReached = (amount: number, most: number): boolean => most < NO_LIMIT && amount >= most;
  if (isReached(tokens + held.tokens, maxTokens))
    return say('max_tokens', `used ${tokens} tokens of its budget of ${maxTokens}`, maxTokens - tokens);
  if (isReached(costUsd + held.costUsd, maxCostUsd))
    return say('max_cost', `spent ${usdText(costUsd)} of its ${usdText(maxCostUsd)} US dollars`, maxCostUsd - costUsd);
  if (isReached(modelCalls + held.steps, maxSteps))
    return say('max_steps', `made ${modelCalls} of its ${maxSteps} model calls`, maxSteps - modelCalls);
  return undefined;
}

const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/**
 * What an agent may be granted of what is left of every budget that holds for it (BU11).
 * @param children set where so many new children of the agent are to have as much each
 */
export function leaseFor(tree: TreeIndex, node: TreeNode, limits: Limits, children?: number): Grant {
  let lease: Lease | undefined;
  const parts = Math.max(PART, 4 * (children ?? 0));
  for (const scope of scopesOf(tree, node, limits, children === undefined ? node.sessionId : '')) {
    const error = usedUp(scope, node.kind);
    if (error) return { ok: false, error };
    const part = partOf(scope, parts);
    lease = lease ? smaller(lease, part) : part;
  }
  // The root asks itself, each time: that costs nothing, and sets but the one step aside.
  const ofRoot = node.kind === 'root' && children === undefined;
  if (lease === undefined || ofRoot || lease.tokens < 1 || lease.steps < 1) return { ok: true, lease: ONE_CALL };
  return { ok: true, lease };
}

/** How many model calls of its children every budget that holds for an agent still allows. */
export function stepsLeft(tree: TreeIndex, node: TreeNode, limits: Limits): number {
  const left = scopesOf(tree, node, limits, '').map(
    ({ budget: { maxSteps = NO_LIMIT }, spent, held }) => maxSteps - spent.modelCalls - held.steps,
  );
  return Math.min(...left);
}

function partOf({ budget, spent, held }: Scope, parts: number): Lease {
  const { maxTokens = NO_LIMIT, maxCostUsd = NO_LIMIT, maxSteps = NO_LIMIT } = budget;
  return {
    tokens: Math.floor((maxTokens - spent.inputTokens - spent.outputTokens - held.tokens) / parts),
    costUsd: (maxCostUsd - (spent.costUsd ?? 0) - held.costUsd) / parts,
    steps: Math.floor((maxSteps - spent.modelCalls - held.steps) / parts),
  };
}

/** Sets aside what an agent was granted (BU12). */
export function hold(tree: TreeIndex, sessionId: string, lease: Lease, at: Usage): void {
  tree.held.set(sessionId, { lease, at });
}
