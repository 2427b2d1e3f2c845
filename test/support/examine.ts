/** What must hold of a tree whose run has ended, whatever happened on the way. */
import { expect } from 'vitest';
import { type Chunk, isEndChunk } from '../../src/core/chunks';
import { type Message, unpairedCalls } from '../../src/core/messages';
import { reduceAll } from '../../src/core/reduce';
import { addUsage, NO_USAGE, type Usage } from '../../src/core/usage';
import { findAgent, treeUsage } from '../../src/core/view';
import type { Tree } from './harness';

/** The transcripts of all agents by address, without what is minted anew in each run. */
export function transcripts(tree: Tree): Record<string, unknown[]> {
  const found: Record<string, unknown[]> = {};
  for (const address of tree.addresses) {
    found[address] = tree.transcript(address).map(plain);
  }
  return found;
}

function plain(message: Message): unknown {
  if (message.role === 'tool') return { tool: message.toolName, result: message.result };
  if (message.role !== 'assistant') return message;
  return {
    assistant: message.content.map((part) => (part.type === 'tool-call' ? { call: part.toolName, input: part.input } : part)),
  };
}

/** Checks everything that holds of every tree at rest. `what` names the schedule in a failure. */
export function examine(tree: Tree, what = ''): void {
  pairing(tree, what);
  ownOrder(tree, what);
  ends(tree, what);
  causes(tree, what);
  atRest(tree, what);
  spending(tree, what);
  nothingTwice(tree, what);
  expect(tree.time.pending, `${what}: timers`).toBe(0);
}

/** MS1: every call has one result, after it and before the next message of the model. */
function pairing(tree: Tree, what: string): void {
  for (const address of tree.addresses) {
    const messages = tree.transcript(address);
    expect(unpairedCalls(messages), `${what}: ${address}`).toEqual([]);
    const open: string[] = [];
    for (const message of messages) {
      if (message.role === 'tool') expect(open.shift(), `${what}: ${address}`).toBe(message.toolCallId);
      else expect(open, `${what}: ${address}`).toEqual([]);
      if (message.role === 'assistant') for (const part of message.content) if (part.type === 'tool-call') open.push(part.toolCallId);
    }
    const ids = messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []));
    expect(new Set(ids).size, `${what}: ${address}`).toBe(ids.length);
  }
}

/** TR1, LG1: sequences without gap, each agent's own numbers without gap, and every agent's last chunk arrived. */
function ownOrder(tree: Tree, what: string): void {
  let next = 1;
  const numbers = new Map<number, number>();
  for (const { first, node, number, chunks } of tree.rows) {
    expect(first, `${what}: sequence`).toBe(next);
    expect(number, `${what}: number of ${node}`).toBe((numbers.get(node) ?? 0) + 1);
    next = first + chunks.length;
    numbers.set(node, number + chunks.length - 1);
  }
  for (const node of tree.nodes) expect(numbers.get(node.id) ?? 0, `${what}: ${node.address}`).toBe(node.number);
  for (const address of tree.addresses) {
    const last = tree.store(address).outbox().at(-1)?.batch;
    if (last === undefined) continue;
    const { sessionId } = tree.state(address).session;
    const node = tree.nodes.find((other) => other.sessionId === sessionId);
    expect(node?.number, `${what}: outbox of ${address}`).toBe(last.first + last.chunks.length - 1);
  }
  expect(reduceAll(tree.log).lastSequence, what).toBe(next - 1);
}

/** RN2: exactly one end for each run, and nothing of it after. */
function ends(tree: Tree, what: string): void {
  const runs = new Map<string, Chunk[]>();
  for (const { chunk } of tree.log) runs.set(chunk.runId, [...(runs.get(chunk.runId) ?? []), chunk]);
  for (const [runId, chunks] of runs) {
    expect(chunks[0]?.type, `${what}: ${runId}`).toBe('run_started');
    expect(chunks.filter(isEndChunk).length, `${what}: ends of ${runId}`).toBe(1);
    expect(isEndChunk(chunks.at(-1) ?? { type: '' }), `${what}: last of ${runId}`).toBe(true);
  }
  for (const agent of reduceAll(tree.log).agents) {
    expect(agent.status, `${what}: ${agent.address}`).toMatch(/^(completed|failed|terminated)$/);
    for (const call of agent.calls) expect(['succeeded', 'failed'], `${what}: ${call.toolCallId}`).toContain(call.status);
  }
}

/** TR2: tool_start, subagent_start, the child's chunks, subagent_end, tool_end, for every call of a child. */
function causes(tree: Tree, what: string): void {
  const { log } = tree;
  const at = (matches: (chunk: Chunk) => boolean): number[] => log.flatMap(({ chunk }, index) => (matches(chunk) ? [index] : []));
  for (const { chunk } of log) {
    if (chunk.type === 'tool_start') {
      const { toolCallId } = chunk;
      const [start] = at((other) => other.type === 'tool_start' && other.toolCallId === toolCallId);
      const end = at((other) => other.type === 'tool_end' && other.toolCallId === toolCallId);
      expect(end.length, `${what}: ends of ${toolCallId}`).toBe(1);
      expect(end[0], `${what}: ${toolCallId}`).toBeGreaterThan(start ?? Number.NaN);
    }
    if (chunk.type !== 'subagent_start') continue;
    const { callId, subSessionId } = chunk;
    const child = at((other) => other.agentId === subSessionId);
    const order = [
      ...at((other) => other.type === 'tool_start' && other.toolCallId === callId),
      ...at((other) => other.type === 'subagent_start' && other.callId === callId),
      ...child,
      ...at((other) => other.type === 'subagent_end' && other.callId === callId),
      ...at((other) => other.type === 'tool_end' && other.toolCallId === callId),
    ];
    expect(order.length, `${what}: ${callId}`).toBe(child.length + 4);
    expect(order, `${what}: ${callId}`).toEqual([...order].sort((a, b) => a - b));
  }
}

/** Nobody works, nobody waits for a place, and nobody owes a word to a parent. */
function atRest(tree: Tree, what: string): void {
  for (const node of tree.nodes) expect(node.place, `${what}: ${node.address}`).toBe('ended');
  expect(tree.port.working, `${what}: model calls`).toBe(0);
  for (const address of tree.addresses) {
    const { run, session } = tree.state(address);
    expect(run?.phase, `${what}: ${address}`).toBe('ended');
    const { parent } = session;
    if (parent === undefined || (run?.phase === 'ended' && run.told)) continue;
    // A crash between the parent's commit and its answer: nobody waits for this word any more.
    const calls = tree.store(parent.address).steps({}).flatMap((step) => (step.phase === 'calls' ? step.calls : []));
    expect(calls.find(({ callId }) => callId === parent.callId)?.settled, `${what}: ${address}`).toBeDefined();
  }
}

/** Usage in the record, in the log and in the stores agree with what was committed. */
function spending(tree: Tree, what: string): void {
  let all = NO_USAGE;
  for (const address of tree.addresses) {
    const store = tree.store(address);
    const state = tree.state(address);
    let spent: Usage = NO_USAGE;
    for (const step of store.steps({})) {
      if (step.phase !== 'calls') continue;
      spent = addUsage(spent, step.usage);
      for (const { plan, settled } of step.calls) if (plan.kind === 'tool' && settled?.usage) spent = addUsage(spent, settled.usage);
    }
    expect(state.spent, `${what}: ${address}`).toEqual(spent);
    const node = tree.nodes.find(({ sessionId }) => sessionId === state.session.sessionId);
    expect(node?.usage, `${what}: record of ${address}`).toEqual(spent);
    const view = findAgent(reduceAll(tree.log), state.session.sessionId);
    expect(view?.usage.inputTokens, `${what}: view of ${address}`).toBe(spent.inputTokens);
    all = addUsage(all, spent);
  }
  expect(treeUsage(reduceAll(tree.log)).modelCalls, `${what}: model calls`).toBe(all.modelCalls);
}

/** RC2, RC3: no attempt of a step is asked twice, none after its reply; no tool has more bodies than it may. */
function nothingTwice(tree: Tree, what: string): void {
  const asked = tree.port.asked.map(({ runId, step, attempt }) => `${runId} ${step} ${attempt}`);
  expect(asked.length, `${what}: questions`).toBe(new Set(asked).size);
  for (const address of tree.addresses) {
    const store = tree.store(address);
    const runs = new Map(store.runs({}).map((run) => [run.turn, run.runId]));
    for (const step of store.steps({})) {
      const attempts = tree.port.asked.filter(({ runId, step: number }) => runId === runs.get(step.turn) && number === step.number);
      if (step.phase === 'calls') expect(Math.max(...attempts.map(({ attempt }) => attempt)), `${what}: ${address}`).toBe(step.attempt);
      if (step.phase !== 'calls') continue;
      for (const call of step.calls) {
        const bodies = tree.bodies.get(call.callId) ?? 0;
        const most = call.plan.kind === 'tool' ? call.bodies : 0;
        expect(bodies, `${what}: bodies of ${call.name}`).toBeLessThanOrEqual(most);
        if (call.settled?.result.success && call.plan.kind === 'tool') expect(bodies, `${what}: ${call.name}`).toBeGreaterThan(0);
      }
    }
  }
}
