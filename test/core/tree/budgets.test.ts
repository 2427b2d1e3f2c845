/** Budgets over random records: who is refused by which limit, and what a lease may be, by the words of the promises. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Budget, limitsOf } from '../../../src/core/definition/limits';
import { leaseFor, spentBelow, stepsLeft } from '../../../src/core/tree/budget';
import { covers, isForOneCall, type Lease, ONE_CALL } from '../../../src/core/tree/lease';
import { type ChildNode, isLive, type TreeNode } from '../../../src/core/tree/node';
import { TreeIndex } from '../../../src/core/tree/tree-index';
import { lessUsage, NO_USAGE, sumOfUsages, type Usage } from '../../../src/protocol/usage';
import { childNode, NO_FACTS, rootNode, STANDS } from '../../support/nodes';
import { present } from '../../support/present';
import { always } from '../../support/sizes';

const amount = fc.record({
  inputTokens: fc.nat(40),
  outputTokens: fc.nat(40),
  modelCalls: fc.nat(6),
  costUsd: fc.nat(8),
});
const usage = amount.map((some): Usage => ({ ...NO_USAGE, ...some }));
const most = fc.option(
  fc.record(
    {
      maxTokens: fc.constantFrom(80, 9_000_000),
      maxCostUsd: fc.constantFrom(10, 90_000),
      maxSteps: fc.constantFrom(6, 90_000),
    },
    { requiredKeys: [] },
  ),
  { nil: undefined },
);
const held: fc.Arbitrary<{ lease: Lease; at: Usage } | undefined> = fc.option(
  fc.record({ lease: fc.record({ tokens: fc.nat(90), costUsd: fc.nat(9), steps: fc.nat(9) }), at: usage }),
  { nil: undefined },
);
const drawn = fc.record({
  root: fc.record({ usage, held, atStart: usage, retired: usage }),
  whole: fc.record({
    tokens: fc.constantFrom(200, 9e6),
    cost: fc.constantFrom(30, 9e4),
    steps: fc.constantFrom(20, 9e4),
  }),
  nodes: fc.array(
    fc.record({
      above: fc.nat(5),
      /** It came in the place of one of its siblings. */
      anew: fc.boolean(),
      ended: fc.boolean(),
      budget: most,
      retired: fc.option(usage, { nil: undefined }),
      ...{ usage, held },
    }),
    { minLength: 1, maxLength: 5 },
  ),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer Value> ? Value : never;

function treeOf({ root, nodes, whole }: Drawn) {
  const all: TreeNode[] = [
    rootNode({
      usage: root.usage,
      top: { ...NO_FACTS, retired: { old: root.retired }, usageAtTurnStart: root.atStart },
    }),
  ];
  const heldBy = new Map<string, { lease: Lease; at: Usage }>();
  if (root.held) heldBy.set('s_root', root.held);
  for (const [at, { above, anew, ended, budget, retired, usage: spent, held: lease }] of nodes.entries()) {
    const parentId = present(all[above % all.length]).id;
    const sibling = all.find((node) => node.kind === 'child' && node.parentId === parentId);
    const childId = anew && sibling?.kind === 'child' ? sibling.childId : at + 2;
    const stands = ended ? { schedule: STANDS.ended } : {};
    const more = { ...(retired ? { retired: { old: retired } } : {}), ...(budget ? { task: { budget } } : {}) };
    all.push(childNode(at + 2, { parentId, childId, agentType: `type ${at}`, usage: spent, ...stands, ...more }));
    if (lease) heldBy.set(`s_${at + 2}`, lease);
  }
  const limits = limitsOf({ maxTreeTokens: whole.tokens, maxTreeCostUsd: whole.cost, maxTreeSteps: whole.steps });
  return { all, limits, heldBy, tree: new TreeIndex(all, new Map(heldBy)) };
}

type Made = ReturnType<typeof treeOf>;

const isBelow = (all: readonly TreeNode[], node: TreeNode, top: TreeNode): boolean => {
  if (node.id === top.id) return true;
  const parent = node.kind === 'child' ? all.find(({ id }) => id === node.parentId) : undefined;
  return parent !== undefined && isBelow(all, parent, top);
};

/** What every budget that holds for an agent still has, the tree's first, then its own, then those above it. */
function leftOf({ all, limits, heldBy }: Made, node: TreeNode, but: string) {
  const scope = (budget: Budget, members: readonly TreeNode[], spent: Usage) => {
    const others = members.filter((one) => one.sessionId !== but && isLive(one));
    const leases = others.flatMap((one) => {
      const known = heldBy.get(one.sessionId);
      return known ? [{ lease: known.lease, since: lessUsage(one.usage, known.at) }] : [];
    });
    const rest = (what: (lease: Lease, since: Usage) => number): number =>
      leases.reduce((sum, { lease, since }) => sum + Math.max(0, what(lease, since)), 0);
    const tokens = (some: Usage): number => some.inputTokens + some.outputTokens;
    const { maxTokens = Infinity, maxCostUsd = Infinity, maxSteps = Infinity } = budget;
    return {
      tokens: maxTokens - tokens(spent) - rest((lease, since) => lease.tokens - tokens(since)),
      costUsd: maxCostUsd - (spent.costUsd ?? 0) - rest((lease, since) => lease.costUsd - (since.costUsd ?? 0)),
      steps: maxSteps - spent.modelCalls - rest((lease, since) => lease.steps - since.modelCalls),
    };
  };
  const retired = (one: TreeNode): Usage[] => (one.kind === 'child' ? Object.values(one.retired ?? {}) : []);
  const [root] = all;
  const top = root?.kind === 'root' ? root.top : NO_FACTS;
  const whole = { maxTokens: limits.maxTreeTokens, maxCostUsd: limits.maxTreeCostUsd, maxSteps: limits.maxTreeSteps };
  const everything = sumOfUsages([...all.map((one) => one.usage), ...Object.values(top.retired)]);
  const scopes = [scope(whole, all, lessUsage(everything, top.usageAtTurnStart))];
  for (let at: TreeNode | undefined = node; at?.kind === 'child'; ) {
    const one: ChildNode = at;
    const same = all.filter(
      (other) => other.kind === 'child' && other.parentId === one.parentId && other.childId === one.childId,
    );
    const members = all.filter((other) => same.some((other_) => isBelow(all, other, other_)));
    const spent = sumOfUsages(members.flatMap((other) => [other.usage, ...retired(other)]));
    if (one.task.budget) scopes.push(scope(one.task.budget, members, spent));
    at = all.find(({ id }) => id === one.parentId);
  }
  return scopes;
}

const CODES = { tokens: 'max_tokens', costUsd: 'max_cost', steps: 'max_steps' } as const;
const WHAT = ['tokens', 'costUsd', 'steps'] as const;

describe('budgets', () => {
  it('[BU6, BU7, BU11, BU12, BU13, BU10, BU16] grant of each what is left of all that hold, and name the one that is used up', async () => {
    const holds = fc.property(drawn, fc.option(fc.constantFrom(1, 300), { nil: undefined }), (some, children) => {
      const made = treeOf(some);
      for (const node of made.all) {
        const but = children === undefined ? node.sessionId : '';
        const scopes = leftOf(made, node, but);
        const tree = new TreeIndex(made.all, new Map(made.heldBy));
        const grant = leaseFor(tree, node, made.limits, children);
        const reached = scopes.flatMap((scope, at) =>
          WHAT.filter((what) => scope[what] <= 0).map((what) => ({ code: CODES[what], own: at > 0 })),
        )[0];
        if (reached) {
          expect(grant.ok).toBe(false);
          if (grant.ok) return;
          const { code, details } = grant.error;
          const limit = {
            max_tokens: reached.own ? 'budget.maxTokens' : 'limits.maxTreeTokens',
            max_cost: reached.own ? 'budget.maxCostUsd' : 'limits.maxTreeCostUsd',
            max_steps: reached.own ? 'budget.maxSteps' : 'limits.maxTreeSteps',
          }[reached.code];
          expect({ code, details }).toEqual({ code: reached.code, details: { limit } });
          continue;
        }
        const parts = Math.max(1_000, 4 * (children ?? 0));
        const least = (what: (typeof WHAT)[number]) => Math.min(...scopes.map((scope) => scope[what] / parts));
        const lease = {
          tokens: Math.floor(least('tokens')),
          costUsd: least('costUsd'),
          steps: Math.floor(least('steps')),
        };
        const isOne = (node.kind === 'root' && children === undefined) || lease.tokens < 1 || lease.steps < 1;
        expect(grant).toEqual({ ok: true, lease: isOne ? ONE_CALL : lease });
      }
    });
    await always(holds, 120);
  });

  it('[BU12] count for the children of an agent the steps that every one of them leaves', async () => {
    const holds = fc.property(drawn, (some) => {
      const made = treeOf(some);
      for (const node of made.all) {
        const left = Math.min(...leftOf(made, node, '').map(({ steps }) => steps));
        expect(stepsLeft(new TreeIndex(made.all, new Map(made.heldBy)), node, made.limits)).toBe(left);
      }
    });
    await always(holds, 40);
  });

  it('[US6, BU10] are spent by all at and below an agent, by type, and by those who have left', async () => {
    const holds = fc.property(drawn, (some) => {
      const { all, tree } = treeOf(some);
      for (const node of all) {
        const { total, byAgent } = spentBelow(tree, node);
        const members = all.filter((one) => isBelow(all, one, node));
        const [root] = all;
        const left =
          node.kind === 'root' && root?.kind === 'root'
            ? Object.values(root.top.retired)
            : members.flatMap((one) => (one.kind === 'child' ? Object.values(one.retired ?? {}) : []));
        expect(total).toEqual(sumOfUsages([...members.map((one) => one.usage), ...left]));
        const types = new Map(members.map((one) => [one.agentType, one.usage]));
        const old = left.length > 0 ? { old: sumOfUsages(left) } : {};
        expect(byAgent).toEqual({ ...Object.fromEntries(types), ...old });
      }
    });
    await always(holds, 40);
  });
});

describe('a lease', () => {
  it('[BU9, BU11, BU12] covers a call as long as something of each is left; one for a call alone covers that', () => {
    const lease = { tokens: 10, costUsd: 2, steps: 3 };
    for (const tokens of [9, 10])
      for (const input of [0, 4])
        for (const costUsd of [undefined, 1.9, 2])
          for (const modelCalls of [2, 3]) {
            const some = { ...NO_USAGE, inputTokens: input, outputTokens: tokens - input, modelCalls };
            const spent = costUsd === undefined ? some : { ...some, costUsd };
            const is = tokens < 10 && (costUsd ?? 0) < 2 && modelCalls < 3;
            expect(covers(lease, spent), JSON.stringify(spent)).toBe(is);
            expect(covers(ONE_CALL, { ...spent, modelCalls: 0 })).toBe(true);
            expect(covers(ONE_CALL, { ...spent, modelCalls: 1 })).toBe(false);
          }
    for (const tokens of [0, 1])
      for (const steps of [1, 2]) expect(isForOneCall({ tokens, costUsd: 5, steps })).toBe(tokens === 0 && steps === 1);
  });
});
