/**
 * What a root tells the directory of its class, so that lists over all roots wake nobody. That is how it stands, what
 * waits for a person, what failed, and the sub-agents that stay or live elsewhere. What is told is worked out from the
 * record when it is sent; a text says whether there is anything new, and is kept with the root once the directory has
 * it.
 *
 * Decides: what lists over all roots are told of one.
 * Keeps A28, A84, A85, A86, A98.
 */

import { LISTED_LIMITS } from '../../protocol/data-limits';
import { patternOf } from '../../protocol/shown/alike';
import { beginningInWords } from '../../protocol/shown/in-words';
import type { SessionStatus } from '../../protocol/status';
import type { Usage } from '../../protocol/usage';
import type { PendingCall } from '../agent/calls/answer';
import { modeOf } from '../agent/children/child';
import { totalSpent } from './budget';
import { digestOfText } from './listed-nodes';
import { type ChildNode, type RootNode, type StopOwed, staysOrIsElsewhere, type TreeNode } from './node';
import type { Below } from './subtree-sums';
import type { TreeIndex } from './tree-index';

/** A pending call, as the directory lists it; the root has its arguments. */
export interface ListedCall extends Omit<PendingCall, 'input' | 'stepId' | 'at'> {
  readonly address: string;
  readonly agentType: string;
  /** The beginning of its arguments. */
  readonly preview: string;
}

/** A run that failed. `at` is in ms since 1970. */
export interface ListedFailure {
  readonly runId: string;
  readonly address: string;
  readonly agentType: string;
  readonly at: number;
  readonly code: string;
  readonly message: string;
  /** The message without the parts that differ between runs. */
  readonly pattern: string;
}

/** A companion or a remote sub-agent. */
export interface ListedChild {
  readonly sessionId: string;
  readonly address: string;
  readonly agentType: string;
  readonly name: string;
  readonly mode: 'ephemeral' | 'persistent';
  readonly placement: ChildNode['placement'];
  readonly status: SessionStatus;
  /** The number of its current task, from 1. */
  readonly task: number;
  readonly usage: Usage;
  readonly createdAt: number;
  readonly lastActivity: number;
  readonly stopOwed?: StopOwed;
}

/** The report about a tree, in addition to the status of its root. */
export interface TreeReport {
  /** The time of the latest chunk of any agent of the tree, in ms since 1970. */
  readonly lastActivity: number;
  readonly pendingCount: number;
  /** Of the whole tree. */
  readonly usage: Usage;
  readonly childCounts: Below['childCounts'];
  /** Sub-agents whose last run failed. */
  readonly failedCount: number;
  readonly error?: { readonly code: string; readonly message: string };
  /** The oldest ones. */
  readonly pending: readonly ListedCall[];
  /** The newest ones. */
  readonly failures: readonly ListedFailure[];
  /** The most recently active ones. */
  readonly children: readonly ListedChild[];
}

/** A call that waits, and the id of the agent that it belongs to. */
interface Owned {
  readonly node: number;
  readonly item: PendingCall;
}

/** What the directory is told of a tree now. */
export function treeReport(index: TreeIndex, self: RootNode, waiting: readonly Owned[]): TreeReport {
  const { progress } = self;
  const calls = waiting.flatMap(({ node, item }): ListedCall[] => {
    const owner = index.get(node);
    return owner ? [listedCall(owner, item)] : [];
  });
  const listed = index.listed.all();
  const children = listed.flatMap((node): ListedChild[] =>
    node.kind === 'child' && staysOrIsElsewhere(node) ? [listedChild(node)] : [],
  );
  const { pending, errors, children: most } = LISTED_LIMITS;
  return {
    lastActivity: index.lastAt,
    pendingCount: calls.length,
    usage: totalSpent(index),
    childCounts: index.childCounts(),
    failedCount: listed.filter(({ kind, status }) => kind === 'child' && status === 'failed').length,
    ...(progress?.error ? { error: progress.error } : {}),
    pending: calls.sort((one, other) => one.requestedAt - other.requestedAt).slice(0, pending),
    failures: newestFailures(listed, errors),
    children: children.sort((one, other) => other.lastActivity - one.lastActivity).slice(0, most),
  };
}

function listedCall(owner: TreeNode, item: PendingCall): ListedCall {
  const { toolCallId, kind, toolName, requestedAt, expiresAt } = item;
  const preview = beginningInWords(item.input, LISTED_LIMITS.title);
  const { address, agentType } = item.at ?? owner;
  const until = expiresAt === undefined ? {} : { expiresAt };
  return { toolCallId, kind, toolName, requestedAt, ...until, address, agentType, preview };
}

function newestFailures(nodes: readonly TreeNode[], most: number): ListedFailure[] {
  const failed = nodes.flatMap(({ progress, address, agentType }) =>
    progress?.error === undefined || progress.endedAt === undefined
      ? []
      : [{ runId: progress.runId, address, agentType, at: progress.endedAt, ...progress.error }],
  );
  const newest = failed.sort((one, other) => other.at - one.at).slice(0, most);
  return newest.map((failure) => ({ ...failure, pattern: patternOf(failure.message) }));
}

function listedChild(node: ChildNode): ListedChild {
  const { sessionId, address, agentType, placement, status, usage, createdAt, lastAt = createdAt, stopOwed } = node;
  return {
    ...{ sessionId, address, agentType, placement, status, usage, createdAt },
    name: address.slice(address.lastIndexOf('/') + 1),
    mode: modeOf(node),
    task: node.task.number,
    lastActivity: lastAt,
    ...(stopOwed ? { stopOwed } : {}),
  };
}

/** While a tree works, its directory hears of it this often, in ms: usage and counts are at most so old there. */
const ACTIVITY_MS = 10_000;

/** A text that is another one when there is something to tell, and the same after a restart where there is nothing. */
export function reportedText(index: TreeIndex, { status, turn }: RootNode, waiting: readonly Owned[]): string {
  const works = index.at('working').size + index.at('queued').size > 0;
  const active = works ? Math.floor(index.lastAt / ACTIVITY_MS) : index.lastAt;
  const calls = waiting.map(({ item }) => item.toolCallId).sort();
  return `${turn} ${status} ${works ? 'works' : 'rests'} ${active} ${index.listed.digest} ${digestOfText(calls.join('\n'))}`;
}
