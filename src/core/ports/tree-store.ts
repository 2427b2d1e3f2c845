/**
 * The port to the storage of a tree at its root. Everything is synchronous; every adapter passes one contract suite.
 *
 * Keeps LG1, SO4.
 */

import type { Chunk } from '../../protocol/chunks';
import type { Action } from '../../protocol/shown/actions';
import type { TreeRow } from '../tree/node';
import type { PendingRow } from '../tree/pending';

/** One row of the log: chunks of one agent that follow each other. */
export interface LogRow {
  /** The sequence of its first chunk. */
  readonly first: number;
  /** The agent's id in the record. */
  readonly node: number;
  /** The agent's own number of its first chunk. */
  readonly number: number;
  readonly chunks: readonly Chunk[];
}

/** A token or ticket that was given for a part of the tree; never its text. */
export interface GivenToken {
  readonly id: string;
  /** The agent at and below which it counts. */
  readonly address: string;
  readonly actions: readonly Action[];
  /** The one call that it answers. */
  readonly toolCallId?: string;
  /** A digest of the request that made it. */
  readonly asked: string;
  /** For whom or what it is, in the words of who made it. */
  readonly label?: string;
  /** ms since 1970. */
  readonly createdAt: number;
  /** Who made it, as the access check named them. */
  readonly createdBy: string;
  /** Whose share it takes: a caller, or the first token of those that led to it. */
  readonly holder: string;
  /** The token by which it was made: it ends with that one. */
  readonly madeBy?: string;
  /** ms since 1970. */
  readonly endsAt: number;
  /** It opens one socket; `opened` once it has. */
  readonly ticket?: 'new' | 'opened';
  /** When it was taken back, in ms since 1970. */
  readonly revokedAt?: number;
}

/**
 * The record of a tree, its log and its turns.
 *
 * What is given in stays the caller's, and what is given back is the caller's: neither is changed later. Call the methods
 * that write inside a transaction; with a failure of the storage, which each may throw, that is rolled back. Writing the
 * same again is harmless but for `append`.
 */
export interface TreeStore {
  /** The rows of the record, by id: each as it was put last. */
  nodes(): TreeRow[];
  /** Writes one agent: one row, whether it was there or not. */
  put(node: TreeRow): void;
  /** Takes agents out of the record; ids that are not there are passed over. */
  removeNodes(ids: readonly number[]): void;

  /** Writes a token: one row, whether it was there or not. */
  putToken(token: GivenToken): void;
  /** A token as it was written last; undefined for one that is not known (any more). */
  token(id: string): GivenToken | undefined;
  /** All of them, by id. */
  tokens(): GivenToken[];
  /** Forgets tokens; ids that are not there are passed over. */
  dropTokens(ids: readonly string[]): void;

  /** Writes a call that waits for a person, or does no more: its key is its agent with its id. */
  putPending(row: PendingRow): void;
  /** The calls that wait for a person now, in no order. */
  openPending(): PendingRow[];
  /** The calls of that id that wait for a person, or did, by agent; none of an agent that was dropped. */
  pending(callId: string): PendingRow[];
  /** Forgets the calls of an agent, those that wait no more included. */
  dropPending(node: number): void;

  /** Adds a row to the log. Throws where its first sequence is taken: one is given once (LG1). Without chunks do not call it. */
  append(row: LogRow): void;
  /**
   * Rows from the one that holds the sequence on, in order: at most `limit`, and beyond the first only as long as all of
   * them together have at most so many characters of JSON.
   */
  read(sequence: number, limit: number, characters: number): LogRow[];
  /** The newest rows of an agent that begin before a sequence, the newest first, at most `limit`. */
  readBack(node: number, before: number, limit: number): LogRow[];
  /** The sequence of an agent's own chunk number; 0 where the log does not hold it. */
  sequenceOf(node: number, number: number): number;
  /** The sequences at which runs of an agent begin, by the ids of the runs, from a sequence on. */
  beginnings(node: number, from: number): Map<string, number>;
  /** The sequences that the log holds. An empty log begins at 1 and ends at 0. */
  extent(): { first: number; last: number };
  /** Characters of JSON in the rows that begin at a sequence or after it, and before another. */
  size(from: number, to: number): number;

  /** Remembers where the log of a turn of the root begins; what is remembered of that turn already stays. */
  beginTurn(turn: number, first: number): void;
  /** The turns that are remembered, oldest first. */
  turns(): { turn: number; first: number }[];
  /** Removes the rows that begin before a sequence, and the turns before a turn. */
  compact(sequence: number, turn: number): void;
}
