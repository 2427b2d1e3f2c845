/**
 * The tree's one log, and those who read it.
 *
 * Decides: the sequence of each chunk.
 *
 * LG1. A sequence is given once, in the transaction that writes the chunk.
 * LG2. A reader sees every chunk of its subtree from its sequence on, in order, each once: first from the rows, then live.
 */

import type { TreeStore } from '../../core/ports/tree-store';
import type { Kept } from '../../core/tree/retention';
import { beginningsIn } from '../../core/tree/run-starts';
import { isWithin } from '../../protocol/address';
import type { Chunk, SequencedChunk } from '../../protocol/chunks';

/** How many rows a reader takes at once, and how many characters of them. */
const PAGE_ROWS = 64;
const PAGE_CHARACTERS = 262_144;

/** The log in memory: its extent, and its listeners. The rows are in the store. */
export class TreeLog {
  readonly #listeners = new Set<() => void>();
  #first: number;
  #last: number;
  #fresh = 0;
  #kept = 0;
  /** Where runs begin that were written, or asked for, in this life. */
  readonly #begun = new Map<string, number>();

  constructor(readonly store: TreeStore) {
    const { first, last } = store.extent();
    this.#first = first;
    this.#last = last;
  }

  /** The oldest sequence that is whole. */
  get first(): number {
    return this.#first;
  }

  /** The newest sequence; 0 when nothing was written. */
  get last(): number {
    return this.#last;
  }

  /** Writes chunks of one agent, and gives the sequence of the last; call it inside a transaction, then `committed` or `rolledBack`. */
  append(node: number, number: number, chunks: readonly Chunk[]): number {
    const first = this.#last + this.#fresh + 1;
    if (chunks.length > 0) this.store.append({ first, node, number, chunks });
    for (const [runId, sequence] of beginningsIn({ first, chunks })) this.#begun.set(runId, sequence);
    this.#fresh += chunks.length;
    return this.#last + this.#fresh;
  }

  /** The sequences at which these runs of an agent begin, by their ids; not of those whose beginning is no longer in the log. */
  beginnings(node: number, runIds: readonly string[]): ReadonlyMap<string, number> {
    if (!runIds.every((runId) => this.#begun.has(runId)))
      for (const [runId, sequence] of this.store.beginnings(node, this.#first)) this.#begun.set(runId, sequence);
    return this.#begun;
  }

  /** Removes what is older; call it inside a transaction. Readers who ask for it are told where the log begins. */
  compact(kept: Kept): void {
    this.store.compact(kept.first, kept.turn);
    this.#kept = kept.first;
  }

  committed(): void {
    if (this.#kept > this.#first) {
      this.#first = this.#kept;
      this.#forget((sequence) => sequence < this.#first);
    }
    if (this.#fresh === 0) return;
    this.#last += this.#fresh;
    this.#fresh = 0;
    for (const listener of [...this.#listeners]) listener();
  }

  rolledBack(): void {
    this.#fresh = 0;
    this.#kept = 0;
    this.#forget((sequence) => sequence > this.#last);
  }

  #forget(gone: (sequence: number) => boolean): void {
    for (const [runId, sequence] of this.#begun) if (gone(sequence)) this.#begun.delete(runId);
  }

  /** Chunks at or below an address from a sequence on, at most a page, and where to go on. */
  page(from: number, address: string): { chunks: SequencedChunk[]; next: number } {
    const chunks: SequencedChunk[] = [];
    let next = from;
    for (const row of this.store.read(from, PAGE_ROWS, PAGE_CHARACTERS)) {
      next = row.first + row.chunks.length;
      // All chunks of a row come from one agent.
      if (!isWithin(row.chunks[0]?.address ?? '', address)) continue;
      row.chunks.forEach((chunk, index) => {
        if (row.first + index >= from) chunks.push({ sequence: row.first + index, chunk });
      });
    }
    return { chunks, next: Math.max(next, from) };
  }

  /** Told after chunks were committed; gives back how to stop it. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
