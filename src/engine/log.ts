/**
 * The tree's one log, and those who read it.
 *
 * LG1. A sequence is given once, in the transaction that writes the chunk.
 * LG2. A reader sees every chunk of its subtree from its sequence on, in order, each once: first from the rows, then live.
 */
import { isWithin } from '../core/address';
import type { Chunk, SequencedChunk } from '../core/chunks';
import type { Kept } from '../core/retention';
import type { TreeStore } from '../store/tree-store';

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
    if (chunks.length > 0) this.store.append({ first: this.#last + this.#fresh + 1, node, number, chunks });
    this.#fresh += chunks.length;
    return this.#last + this.#fresh;
  }

  /** Removes what is older; call it inside a transaction. Readers who ask for it are told where the log begins. */
  compact(kept: Kept): void {
    this.store.compact(kept.first, kept.turn);
    this.#kept = kept.first;
  }

  committed(): void {
    this.#first = Math.max(this.#first, this.#kept);
    if (this.#fresh === 0) return;
    this.#last += this.#fresh;
    this.#fresh = 0;
    for (const listener of [...this.#listeners]) listener();
  }

  rolledBack(): void {
    this.#fresh = 0;
    this.#kept = 0;
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
