/**
 * One reader of the tree's log: where it is, and what it is given next.
 *
 * Keeps LG2.
 *
 * LG2 is kept here: nothing between two readings is left out, unless the reader is told to begin anew.
 */

import { isLive } from '../core/tree/node';
import { isDelta, type SequencedChunk } from '../protocol/chunks';
import { shownFailure } from '../protocol/errors';
import type { RootRuntime } from './root/root';

/** What a reader is given. `reset`: what it holds is void, the log begins at `from` for it; `tail`: nothing more for now. */
export type Reading =
  | { readonly kind: 'chunks'; readonly chunks: readonly SequencedChunk[] }
  | { readonly kind: 'reset'; readonly from: number }
  | { readonly kind: 'tail' };

/** Reads the part of a log that lies at or below an address. Holds a position and nothing else. */
export class LogReader {
  constructor(
    readonly tree: RootRuntime,
    readonly address: string,
    /** The next sequence to read. */
    public next: number,
    /** Whether it is given the pieces of texts and arguments too. */
    readonly deltas = true,
  ) {}

  /** The next page; its chunks may be none where all of it belongs to others. */
  read(): Reading {
    const { log } = this.tree;
    if (this.next < log.first || this.next > log.last + 1) {
      this.next = log.first;
      return { kind: 'reset', from: log.first };
    }
    if (this.next > log.last) return { kind: 'tail' };
    const { chunks, next } = log.page(this.next, this.address);
    this.next = next;
    const wanted = this.deltas ? chunks : chunks.filter(({ chunk }) => !isDelta(chunk.type));
    return { kind: 'chunks', chunks: wanted.map(shownChunk) };
  }

  /**
   * How the last run of the addressed agent ended or was suspended, and at which sequence; undefined while it works. `final` says that
   * nothing more will come, because the agent was removed or is being removed.
   */
  get ended(): { readonly status: string; readonly sequence: number; readonly final: boolean } | undefined {
    const node = this.tree.tree.byAddress(this.address);
    if (node === undefined) return { status: 'terminated', sequence: 0, final: true };
    const { schedule, status, sequence } = node;
    const rests = !isLive(node) || schedule.phase === 'waiting';
    return rests ? { status, sequence, final: this.tree.self()?.top.removing !== undefined } : undefined;
  }
}

/** A chunk as readers are given it: an error in it has the sentence that is safe to show. */
export function shownChunk(one: SequencedChunk): SequencedChunk {
  const { chunk, sequence } = one;
  if (!('error' in chunk) || chunk.error === undefined) return one;
  return { sequence, chunk: { ...chunk, error: shownFailure(chunk.error) } };
}
