/** An agent in the root's record of its tree. */

import type { TaskKey } from '../agent/child';

import type { Budget } from '../definition/limits';
import type { SessionStatus } from '../protocol/status';
import type { Usage } from '../protocol/usage';

/** One agent of the tree. Row 1 is the root itself. */
export interface TreeNode {
  readonly id: number;
  readonly parentId: number;
  readonly sessionId: string;
  readonly address: string;
  readonly agentType: string;
  /** The call that gave it its task. */
  readonly callId: string;
  readonly task: TaskKey;
  readonly depth: number;
  /** The root's turn in which it was created. */
  readonly turn: number;
  /** `waiting`: its run waits for a person, and holds no place. */
  readonly place: 'queued' | 'working' | 'waiting' | 'ended';
  readonly status: SessionStatus;
  readonly statusText: string;
  /** The number of its last chunk in the log, and the sequence of that chunk (0: none yet). */
  readonly number: number;
  readonly sequence: number;
  readonly usage: Usage;
  /** How long it may work, in ms, and until when, in ms since 1970 (0: not started). */
  readonly timeoutMs: number;
  readonly deadline: number;
  /** What is left of that time while it does not work, in ms. */
  readonly timeLeft?: number;
  /** Which run of its session is meant, from 1. */
  readonly runNumber?: number;
  /** What it may spend with everything below it. */
  readonly budget?: Budget;
  /** Its parent waits for a person when it fails. */
  readonly onFailure?: 'wait';
  readonly createdAt: number;
  readonly endedAt: number;
  /** It did not end by itself: it was lost, or left the queue. */
  readonly givenUp?: true;
  /** It has something for its parent that may not have come there, while nobody at work would ask for it. */
  readonly tells?: true;
  /** It has waited for a person, or for a child that did: its parent need not ask it how it stands. */
  readonly waited?: true;
  /** What agents below it spent that have left the record, by type. The root's is in `top`. */
  readonly retired?: { readonly [agentType: string]: Usage };
  /** The same as a sum, of those that left before types were kept. */
  readonly below?: Usage;
  /** What the root alone keeps. */
  readonly top?: TopFacts;
}

/** What the record of the root holds beside its own agent. */
export interface TopFacts {
  /** What agents spent that are no longer in the record, by type. */
  readonly retired?: { readonly [agentType: string]: Usage };
  /** How many sub-agents of this turn have left the record: they were created all the same. */
  readonly left?: { readonly turn: number; readonly count: number };
  /** The highest id that was ever given, so that none is given twice. */
  readonly lastId?: number;
  /** What the whole tree had spent when the turn began. */
  readonly before?: Usage;
  /** What the directory was told last. */
  readonly reported?: string;
  /** The tree is being deleted; `key` is what the deletion was asked with. */
  readonly removing?: { readonly key?: string };
  /** The addresses of agents that left the record because they were deleted, while their objects may still be there. */
  readonly leaving?: readonly string[];
}

/** The id of the root's own node. */
export const ROOT_ID = 1;

/** Whether an agent has work or waits for some. */
export function isLive(node: TreeNode): boolean {
  return node.place !== 'ended';
}

/** What a directory knows of a root, as a text that changes when there is something to tell. */
export function reportOf({ status, turn }: TreeNode): string {
  return `${turn} ${status}`;
}
