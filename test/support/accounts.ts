/** What models answered, against what a tree says it spent. */
import { expect } from 'vitest';
import { spentBelow } from '../../src/core/tree/budget';
import { isAbandoned } from '../../src/core/tree/node';
import { TreeIndex } from '../../src/core/tree/tree-index';
import { reduceAll } from '../../src/protocol/reduce';
import { addUsage, NO_USAGE, type Usage } from '../../src/protocol/usage';
import { treeUsage } from '../../src/protocol/view';
import type { Tree } from './harness';

/** What only models spend; what a tool records is no part of it. */
const PARTS = ['inputTokens', 'outputTokens', 'cachedTokens', 'reasoningTokens', 'modelCalls'] as const;

/**
 * US3, US6, BU10: what the models answered is what the record counts, in all, by type, and at and below each agent, also
 * for those that have left it. What was lost with the process before it was committed is not counted; nothing is twice.
 */
export function accounts(tree: Tree, what: string): void {
  const index = new TreeIndex(tree.nodes);
  const root = index.root();
  if (root === undefined || hasOthers(tree)) return;
  const byTools = toolUsage(tree);
  const isExact = tree.crashes === 0 && !tree.nodes.some(isAbandoned);
  const below = sessionsBelow(tree);
  for (const node of tree.nodes) {
    const { total, byAgent } = spentBelow(index, node);
    expect(sumOf(Object.values(byAgent)), `${what}: types at and below ${node.address}`).toEqual(total);
    const members = below(node.sessionId);
    const served = tree.port.answered.filter(({ sessionId }) => members.has(sessionId)).map(({ usage }) => usage);
    const tools = [...members].flatMap((sessionId) => byTools.get(sessionId) ?? []);
    same(total, sumOf([...served, ...tools]), isExact, `${what}: accounts at and below ${node.address}`);
  }
  const all = sumOf(tree.port.answered.map(({ usage }) => usage));
  const { total } = spentBelow(index, root);
  same(total, sumOf([all, ...[...byTools.values()].flat()]), isExact, `${what}: accounts of the tree`);
  // Late spending has no event, so a log may tell less.
  const told = treeUsage(reduceAll(tree.log));
  for (const part of PARTS) expect(told[part], `${what}: ${part} in the log`).toBeLessThanOrEqual(total[part]);
}

/** Whether others than this tree's port have answered an agent of it. */
const hasOthers = (tree: Tree): boolean =>
  tree.log.some(({ chunk }) => chunk.type === 'subagent_start' && chunk.address.startsWith('http')) ||
  tree.nodes.some((node) => node.kind === 'child' && node.placement === 'remote');

function same(counted: Usage, served: Usage, isExact: boolean, what: string): void {
  const part = (usage: Usage) => Object.fromEntries(PARTS.map((name) => [name, usage[name]]));
  if (isExact) expect(part(counted), what).toEqual(part(served));
  else for (const name of PARTS) expect(counted[name], `${what}: ${name}`).toBeLessThanOrEqual(served[name]);
}

/** The sessions at and below one, as the log tells who began whom. */
function sessionsBelow(tree: Tree): (sessionId: string) => ReadonlySet<string> {
  const children = new Map<string, string[]>();
  for (const { chunk } of tree.log) {
    if (chunk.type !== 'subagent_start') continue;
    children.set(chunk.agentId, [...(children.get(chunk.agentId) ?? []), chunk.subSessionId]);
  }
  return (sessionId) => {
    const found = new Set([sessionId]);
    for (const one of found) for (const child of children.get(one) ?? []) found.add(child);
    return found;
  };
}

/** What tools recorded, by session. */
function toolUsage(tree: Tree): ReadonlyMap<string, readonly Usage[]> {
  const found = new Map<string, Usage[]>();
  for (const address of tree.addresses) {
    const { sessionId } = tree.state(address).session;
    const usages = tree
      .store(address)
      .steps({})
      .flatMap((step) => (step.phase === 'calls' ? step.calls : []))
      .flatMap(({ plan, settled }) => (plan.kind === 'tool' && settled?.usage ? [settled.usage] : []));
    found.set(sessionId, usages);
  }
  return found;
}

const sumOf = (usages: readonly Usage[]): Usage => usages.reduce(addUsage, NO_USAGE);
