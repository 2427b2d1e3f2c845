/**
 * Budgets: what agents may spend, as leases that the root grants.
 *
 * BU1. Before it asks its model an agent holds a lease. A lease is so small a part of what is left that all agents
 *     together cannot use it up; near the end it is for one model call. So a budget is overshot by at most one model
 *     call of each agent that works.
 * BU2. What counts is what the root has been told. An agent tells what it has spent with the same call that asks.
 */
import { type Failure, failure } from './errors';
import type { Budget, Limits } from './limits';
import type { TreeIndex, TreeNode } from './tree';
import { addUsage, lessUsage, NO_USAGE, type Usage } from './usage';

/** What an agent may still spend before it asks again. It may ask its model as long as something of each is left. */
export interface Lease {
  readonly tokens: number;
  readonly costUsd: number;
  readonly steps: number;
}

/** A lease, or why there is none. */
export type Grant = { readonly ok: true; readonly lease: Lease } | { readonly ok: false; readonly error: Failure };

/** The part of what is left that one lease grants. Even 100 agents that hold one each leave half of it. */
const PART = 200;

/** For one model call: it is used up by asking. */
const ONE_CALL: Lease = { tokens: 0, costUsd: 0, steps: 1 };

/** What all agents of a record have spent, those included that have left it. */
export function totalSpent(tree: TreeIndex): Usage {
  let sum = NO_USAGE;
  for (const node of tree.all()) sum = addUsage(sum, node.usage);
  for (const usage of Object.values(tree.get(1)?.top?.retired ?? {})) sum = addUsage(sum, usage);
  return sum;
}

interface Scope {
  readonly whose: string;
  readonly budget: Budget;
  readonly spent: Usage;
}

/** The budgets that hold for an agent: that of the tree, and those of the agents above it and its own. */
function scopesOf(tree: TreeIndex, node: TreeNode, limits: Limits): Scope[] {
  const { maxTreeTokens, maxTreeCostUsd, maxTreeSteps } = limits;
  const whole = { maxTokens: maxTreeTokens, maxCostUsd: maxTreeCostUsd, maxSteps: maxTreeSteps };
  const spent = lessUsage(totalSpent(tree), tree.get(1)?.top?.before ?? NO_USAGE);
  const scopes: Scope[] = [{ whose: 'The tree', budget: whole, spent }];
  for (let at: TreeNode | undefined = node; at; at = tree.get(at.parentId)) {
    if (at.budget === undefined) continue;
    const below = tree.subtree(at.id).reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE);
    scopes.push({ whose: `The sub-agent ${at.agentType}`, budget: at.budget, spent: below });
  }
  return scopes;
}

function usedUp({ whose, budget, spent }: Scope): Failure | undefined {
  const tokens = spent.inputTokens + spent.outputTokens;
  const { maxTokens, maxCostUsd, maxSteps } = budget;
  const advice = 'Finish with what there is, or raise it.';
  if (maxTokens !== undefined && tokens >= maxTokens)
    return failure('max_tokens', `${whose} has used ${tokens} tokens of its budget of ${maxTokens}. ${advice}`);
  if (maxCostUsd !== undefined && (spent.costUsd ?? 0) >= maxCostUsd)
    return failure('max_cost', `${whose} has spent ${spent.costUsd} of its ${maxCostUsd} US dollars. ${advice}`);
  if (maxSteps !== undefined && spent.modelCalls >= maxSteps)
    return failure('max_steps', `${whose} has made ${spent.modelCalls} of its ${maxSteps} model calls. ${advice}`);
  return undefined;
}

/** Grants an agent a lease on what is left of every budget that holds for it (BU1). */
export function leaseFor(tree: TreeIndex, node: TreeNode, limits: Limits): Grant {
  let lease: Lease | undefined;
  for (const scope of scopesOf(tree, node, limits)) {
    const error = usedUp(scope);
    if (error) return { ok: false, error };
    const part = partOf(scope);
    lease = lease ? smaller(lease, part) : part;
  }
  if (lease === undefined || lease.tokens < 1 || lease.steps < 1) return { ok: true, lease: ONE_CALL };
  return { ok: true, lease };
}

function partOf({ budget, spent }: Scope): Lease {
  const { maxTokens = Number.MAX_SAFE_INTEGER, maxCostUsd = Number.MAX_SAFE_INTEGER } = budget;
  const { maxSteps = Number.MAX_SAFE_INTEGER } = budget;
  return {
    tokens: Math.floor((maxTokens - spent.inputTokens - spent.outputTokens) / PART),
    costUsd: (maxCostUsd - (spent.costUsd ?? 0)) / PART,
    steps: Math.floor((maxSteps - spent.modelCalls) / PART),
  };
}

const smaller = (one: Lease, other: Lease): Lease => ({
  tokens: Math.min(one.tokens, other.tokens),
  costUsd: Math.min(one.costUsd, other.costUsd),
  steps: Math.min(one.steps, other.steps),
});

/** Whether a lease still covers a model call, after so much was spent since it was granted. */
export function covers(lease: Lease, spent: Usage): boolean {
  if (spent.modelCalls >= lease.steps) return false;
  if (lease.steps === ONE_CALL.steps && lease.tokens === 0) return true;
  return spent.inputTokens + spent.outputTokens < lease.tokens && (spent.costUsd ?? 0) < lease.costUsd;
}
