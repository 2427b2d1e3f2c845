/** Compares what models answered with what a tree counts as spent. */
import { expect } from 'vitest';
import type { AgentState, Step } from '../../src/core/agent/state';
import { spentBelow } from '../../src/core/tree/budget';
import { isAbandoned } from '../../src/core/tree/node';
import { TreeIndex } from '../../src/core/tree/tree-index';
import { sumOfUsages, type Usage } from '../../src/protocol/usage';
import type { Tree } from './harness';

/** The parts of usage that models spend; tools may record them too. */
const PARTS = ['inputTokens', 'outputTokens', 'cachedTokens', 'reasoningTokens', 'modelCalls'] as const;

/**
 * US3, US6, US13, BU10: the record counts what the models answered, in all, by type, and at and below each agent, removed
 * ones included. What was lost with the process before its commit is not counted, nor need be the last answer to an agent
 * that was removed; nothing is counted twice.
 */
export function accounts(tree: Tree, agents: Agents, what: string): void {
  const { nodes, log } = tree;
  const index = new TreeIndex(nodes);
  const root = index.root();
  if (root === undefined || hasRemotes(nodes, log)) return;
  const answered = bySession(tree.port.answered);
  const byTools = toolUsage(agents);
  // A commit that fails loses what it was for; the question is asked again.
  const loses = tree.world.losses > 0 || tree.world.options.transaction !== undefined;
  const isExact = !loses && !nodes.some(isAbandoned);
  const wrong: string[] = [];
  const check = (total: Usage, sessions: Iterable<string>, who: string): void => {
    const bounds = { most: { ...NONE }, least: { ...NONE } };
    for (const session of sessions) {
      for (const usage of byTools.get(session) ?? []) add(bounds.most, usage);
      const replies = answered.get(session) ?? [];
      for (const usage of replies) add(bounds.most, usage);
      const certain = index.bySession(session) ? replies : replies.slice(0, -1);
      for (const usage of [...certain, ...(byTools.get(session) ?? [])]) add(bounds.least, usage);
    }
    for (const part of PARTS) {
      const [counted, most, least] = [total[part], bounds.most[part], isExact ? bounds.least[part] : 0];
      if (counted > most || counted < least)
        wrong.push(`${part} at and below ${who}: ${counted}, not from ${least} to ${most}`);
    }
  };
  const below = sessionsBelow(log);
  for (const node of nodes) {
    const { total, byAgent } = spentBelow(index, node);
    const types = sumOfUsages(Object.values(byAgent));
    for (const part of PARTS)
      if (types[part] !== total[part]) wrong.push(`${part} by type at and below ${node.address}`);
    check(total, below(node.sessionId), node.address);
  }
  const { total } = spentBelow(index, root);
  check(total, new Set([...answered.keys(), ...byTools.keys()]), 'the tree');
  expect(wrong, `${what}: accounts`).toEqual([]);
}

type Agents = readonly { readonly state: AgentState; readonly steps: readonly Step[] }[];

type Part = (typeof PARTS)[number];

const NONE: Readonly<Record<Part, number>> = {
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  modelCalls: 0,
};

function add(sum: Record<Part, number>, usage: Usage): void {
  for (const part of PARTS) sum[part] += usage[part];
}

/** What each session was answered, in order. */
function bySession(answered: Tree['port']['answered']): ReadonlyMap<string, readonly Usage[]> {
  const found = new Map<string, Usage[]>();
  for (const { sessionId, usage } of answered) found.set(sessionId, [...(found.get(sessionId) ?? []), usage]);
  return found;
}

/** Whether others than this tree's port have answered an agent of it. */
const hasRemotes = (nodes: Tree['nodes'], log: Tree['log']): boolean =>
  nodes.some((node) => node.kind === 'child' && node.placement === 'remote') ||
  log.some(({ chunk }) => chunk.type === 'subagent_start' && chunk.address.startsWith('http'));

/** The sessions at and below one, as the log tells who began whom. */
function sessionsBelow(log: Tree['log']): (sessionId: string) => ReadonlySet<string> {
  const children = new Map<string, string[]>();
  for (const { chunk } of log) {
    if (chunk.type !== 'subagent_start') continue;
    children.set(chunk.agentId, [...(children.get(chunk.agentId) ?? []), chunk.subSessionId]);
  }
  return (sessionId) => {
    const found = new Set([sessionId]);
    for (const one of found) for (const child of children.get(one) ?? []) found.add(child);
    return found;
  };
}

/** The usage that tools recorded, by session. */
function toolUsage(agents: Agents): ReadonlyMap<string, readonly Usage[]> {
  const usages = (steps: readonly Step[]): Usage[] =>
    steps
      .flatMap((step) => (step.phase === 'calls' ? step.calls : []))
      .flatMap(({ plan, settled }) => (plan.kind === 'tool' && settled?.usage ? [settled.usage] : []));
  return new Map(agents.map(({ state, steps }) => [state.session.sessionId, usages(steps)]));
}
