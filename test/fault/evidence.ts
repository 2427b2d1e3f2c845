/** What a tree under test leaves behind, and what must hold of it whatever happened on the way. */
import { runInDurableObject } from 'cloudflare:test';
import { expect } from 'vitest';
import type { LogRow } from '../../src/core/ports/tree-store';
import { isInTree, type TreeNode } from '../../src/core/tree/node';
import type { Chunk } from '../../src/protocol/chunks';
import { type Message, unpairedCalls } from '../../src/protocol/messages';
import { isEndChunk } from '../../src/protocol/status';
import { SqlTreeStore } from '../../src/store/tree-store';
import { send } from '../support/api';
import { bindings } from '../support/bindings';

/** The root object of an address of `top`. Getting it wakes nothing. */
export function rootOf(address: string): DurableObjectStub {
  const { TOP } = bindings;
  return TOP.getByName(address.split('/')[3] ?? '');
}

/** What the store of a root holds; the object itself is not asked. */
export interface Evidence {
  readonly nodes: readonly TreeNode[];
  readonly rows: readonly LogRow[];
}

/** Reads the store of a root past the object. */
export function evidence(address: string): Promise<Evidence> {
  return runInDurableObject(rootOf(address), (_: object, { storage }) => {
    const { length } = storage.sql.exec(`SELECT 1 FROM sqlite_master WHERE name = 'log'`).toArray();
    if (length === 0) return { nodes: [], rows: [] };
    const store = new SqlTreeStore(storage);
    return { nodes: store.nodes().filter(isInTree), rows: store.read(1, 1_000_000, Number.MAX_SAFE_INTEGER) };
  });
}

/** Whether the root has ended, and nobody works below it. */
export function atRest({ nodes }: Evidence): boolean {
  return nodes.length > 0 && nodes.every(({ schedule }) => schedule.phase === 'ended');
}

/** The transcripts of all agents by address below the root, without what is minted anew in each run. */
export async function transcripts(address: string, { nodes }: Evidence): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const node of nodes) {
    const page = await send(`${node.address}/messages?limit=500`);
    const { items: messages }: { items: Message[] } = JSON.parse(await page.text());
    expect(unpairedCalls(messages), node.address).toEqual([]);
    const results = messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []));
    expect(new Set(results).size, node.address).toBe(results.length);
    found[node.address.slice(address.length)] = messages.map(plain);
  }
  return found;
}

function plain(message: Message): unknown {
  if (message.role === 'tool') return { tool: message.toolName, result: message.result };
  if (message.role !== 'assistant') return { [message.role]: message.content };
  return {
    assistant: message.content.map((part) =>
      part.type === 'tool-call' ? { call: part.toolName, input: part.input } : part,
    ),
  };
}

/**
 * Checks the log: nothing twice, nothing missing, cause before effect, one end for each run, one reply for each step of
 * each agent. `ends` are the chunks that a run may end with.
 */
export function checkLog({ nodes, rows }: Evidence, what: string, ends: readonly string[] = ['run_completed']): void {
  const numbers = new Map<number, number>();
  let next = 1;
  for (const { first, node, number, chunks } of rows) {
    expect(first, `${what}: sequence`).toBe(next);
    expect(number, `${what}: number of ${node}`).toBe((numbers.get(node) ?? 0) + 1);
    next = first + chunks.length;
    numbers.set(node, number + chunks.length - 1);
  }
  for (const node of nodes) expect(numbers.get(node.id), `${what}: ${node.address}`).toBe(node.lastChunk);
  const log = rows.flatMap(({ chunks }) => chunks);
  checkRuns(log, what, ends);
  checkCauses(log, what);
}

function checkRuns(log: readonly Chunk[], what: string, ends: readonly string[]): void {
  for (const [runId, chunks] of Map.groupBy(log, (chunk) => chunk.runId)) {
    expect(chunks[0]?.type, `${what}: ${runId}`).toBe('run_started');
    expect(chunks.filter(isEndChunk), `${what}: ends of ${runId}`).toHaveLength(1);
    expect(ends, `${what}: ${runId}`).toContain(chunks.at(-1)?.type);
  }
  for (const [agentId, chunks] of Map.groupBy(log, (chunk) => chunk.agentId)) {
    const replies = chunks.flatMap(({ type, step }) => (type === 'step_committed' ? [step] : []));
    expect(replies, `${what}: steps of ${agentId}`).toEqual([...replies.keys()].map((index) => index + 1));
  }
}

function checkCauses(log: readonly Chunk[], what: string): void {
  const at = (matches: (chunk: Chunk) => boolean): number[] =>
    log.flatMap((chunk, index) => (matches(chunk) ? [index] : []));
  for (const chunk of log) {
    if (chunk.type !== 'subagent_start') continue;
    const { callId, subSessionId } = chunk;
    const places = [
      at((other) => other.type === 'tool_start' && other.toolCallId === callId),
      at((other) => other.type === 'subagent_start' && other.callId === callId),
      at((other) => other.agentId === subSessionId),
      at((other) => other.type === 'subagent_end' && other.callId === callId),
      at((other) => other.type === 'tool_end' && other.toolCallId === callId),
    ];
    expect(
      places.map(({ length }) => Math.min(length, 2)),
      `${what}: ${callId}`,
    ).toEqual([1, 1, 2, 1, 1]);
    expect(places.flat(), `${what}: ${callId}`).toEqual(places.flat().toSorted((one, other) => one - other));
  }
}
