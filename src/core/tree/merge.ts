/**
 * What of an agent's chunks enters the log, and what the root then knows of it.
 *
 * Decides: the order of chunks in the log.
 *
 * TR1. A chunk is in the log once: an object's chunks are merged by its own numbers, in order.
 * TR2. Cause before effect: an agent's chunks go along with what it asks for, and are merged before it is answered. So
 *     `subagent_start` is in the log before the child is admitted, and a child's last chunk before its parent is told
 *     (decision 3; drawn in design/flows.md).
 */

import type { Chunk } from '../../protocol/chunks';
import { statusTextAfter, statusTextByParent } from '../../protocol/shown/status-text';
import { isEnded, type SessionStatus } from '../../protocol/status';
import type { Usage } from '../../protocol/usage';
import type { Awaits } from '../agent/state';
import { closed, withStatus } from './clocks';
import { type ChildNode, hasBegun, isAbandoned, type StopOwed, type TreeNode } from './node';
import type { WaitingCall } from './pending';
import { progressAfter } from './progress';
import type { TreeIndex } from './tree-index';

/** Chunks on their way to the log, with what the root keeps of their sender. */
export interface Batch {
  readonly sessionId: string;
  /** The sender's own number of the first chunk. */
  readonly first: number;
  readonly chunks: readonly Chunk[];
  readonly status: SessionStatus;
  /** Its status says that it waits, but a child that it awaits works. */
  readonly consults?: true;
  readonly usage: Usage;
  /** What of the sender waits for a person now. */
  readonly pending?: readonly WaitingCall[];
  /** The tasks of the sender's own children that are open now, and which of them it awaits (TR10, TR11). */
  readonly openTasks?: readonly Awaits[];
  /** When the next scheduled effect of the sender, or what it owes elsewhere, is due, in ms since 1970. */
  readonly effectAt?: number;
  /** It owes something to agents elsewhere that have left the tree (RM18). */
  readonly owesElsewhere?: true;
  /** The stop that a sender elsewhere has not acknowledged. */
  readonly stopOwed?: StopOwed;
}

/** What the root says to a batch. `gone`: the sender is no part of this tree any more and must stop. */
export type Merge =
  | {
      readonly answer: 'merged';
      readonly number: number;
      readonly chunks: readonly Chunk[];
      readonly first: number;
      readonly node?: ChildNode;
    }
  | { readonly answer: 'gone' };

/** Decides what of a batch of a child enters the log (TR1, TR2), and what the root now knows of its sender. */
export function merge(tree: TreeIndex, batch: Batch, now: number): Merge {
  const node = tree.childBySession(batch.sessionId);
  if (node === undefined) return { answer: 'gone' };
  const { lastChunk } = node;
  const nothing = { answer: 'merged', number: lastChunk, chunks: [], first: lastChunk + 1 } as const;
  const skip = lastChunk + 1 - batch.first;
  if (skip < 0) return nothing;
  // A batch without chunks tells what came to light after the last of them.
  if (batch.chunks.length === 0 && skip === 0 && (!isAbandoned(node) || node.placement === 'remote'))
    return { ...nothing, node: { ...withDues(node, batch), usage: batch.usage } };
  const chunks = batch.chunks.slice(skip);
  if (chunks.length === 0) return nothing;
  if (isAbandoned(node)) return { answer: 'gone' };
  const number = batch.first + batch.chunks.length - 1;
  // One that waits for a slot to go on may still tell of what it spent before.
  const begins = chunks.some(({ type }) => type === 'run_started');
  const stays = node.schedule.phase === 'queued' && isEnded(batch.status) && !begins;
  const stands = stays ? node : withStatus(node, batch.status, now, batch.consults);
  const { openTasks: _before, ...facts } = withDues(stands, batch);
  const next: ChildNode = {
    ...facts,
    ...(batch.openTasks ? { openTasks: batch.openTasks } : {}),
    lastChunk: number,
    ...lastAtOf(chunks),
    statusText: statusTextOf(node, chunks),
    ...progressAfter(node.progress, chunks),
    usage: batch.usage,
  };
  return { answer: 'merged', number, chunks, first: lastChunk + 1, node: next };
}

/** What is due of an agent beside its run, as it tells. */
export type Dues = Pick<Batch, 'effectAt' | 'owesElsewhere'>;

/** What is due of an agent whose scheduled effects are due then, and what it owes elsewhere. */
export function duesOf(effectAt: number | undefined, owedAt: number | undefined): Dues {
  if (owedAt === undefined) return effectAt === undefined ? {} : { effectAt };
  return { effectAt: Math.min(owedAt, effectAt ?? owedAt), owesElsewhere: true };
}

/** The same agent, of which this is due; nothing where that is missing. */
export function withDuesOf<Node extends TreeNode>(node: Node, { effectAt, owesElsewhere }: Dues): Node {
  if (node.effectAt === effectAt && node.owesElsewhere === owesElsewhere) return node;
  const next: Node & { effectAt?: number; owesElsewhere?: true } = { ...node };
  delete next.effectAt;
  delete next.owesElsewhere;
  return {
    ...next,
    ...(effectAt === undefined ? {} : { effectAt }),
    ...(owesElsewhere ? { owesElsewhere } : {}),
  };
}

/** The same child with what is due of it now, as it tells. */
function withDues(node: ChildNode, { stopOwed, ...dues }: Batch): ChildNode {
  const { stopOwed: _before, ...rest } = withDuesOf(node, dues);
  return stopOwed ? { ...rest, stopOwed } : rest;
}

/** When the last of these chunks was written. */
export function lastAtOf(chunks: readonly Chunk[]): Pick<TreeNode, 'lastAt'> {
  const last = chunks.at(-1);
  return last ? { lastAt: last.timestamp } : {};
}

/** The status text of an agent after these chunks of it; empty where it has none. */
export function statusTextOf({ statusText }: TreeNode, chunks: readonly Chunk[]): string {
  return chunks.reduce<string | undefined>(statusTextAfter, statusText === '' ? undefined : statusText) ?? '';
}

/** The record of the child whose status text a chunk of its parent changes (DG32). */
export function withParentsWord(tree: TreeIndex, chunk: Chunk): ChildNode | undefined {
  if (chunk.type !== 'subagent_status' || chunk.subSessionId === chunk.agentId) return undefined;
  const node = tree.childBySession(chunk.subSessionId);
  if (node === undefined || tree.parentOf(node)?.sessionId !== chunk.agentId) return undefined;
  const statusText = statusTextByParent(node.statusText, chunk) ?? '';
  return statusText === node.statusText ? undefined : { ...node, statusText };
}

/** The records of children whose tasks these chunks of their parent close: that never began, or were given up. */
export function closedBy(tree: TreeIndex, chunks: readonly Chunk[], now: number): ChildNode[] {
  return chunks.flatMap((chunk): ChildNode[] => {
    const node = chunk.type === 'subagent_end' ? tree.childBySession(chunk.subSessionId) : undefined;
    if (node === undefined) return [];
    const { undelivered, ...rest } = node;
    if (!hasBegun(node)) return [closed(isAbandoned(node) ? rest : node, now)];
    return undelivered && isAbandoned(node) ? [rest] : [];
  });
}
