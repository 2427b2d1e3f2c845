/**
 * The tree's one log, and those who read it.
 *
 * LG1. A sequence is given once, in the transaction that writes the chunk.
 * LG2. A reader sees every chunk of its subtree from its sequence on, in order, each once: first from the rows, then live.
 */
import type { Chunk, SequencedChunk } from '../core/chunks';
import type { LogRow, TreeStore } from '../store/tree-store';

/** How many rows a reader takes at once. */
const PAGE = 64;

/** Told of new rows after they are committed. */
export type LogListener = (rows: readonly LogRow[]) => void;

/** The log in memory: its extent, and its listeners. The rows are in the store. */
export class TreeLog {
  readonly #listeners = new Set<LogListener>();
  #first: number;
  #last: number;
  #fresh: LogRow[] = [];

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

  /** Writes chunks of one agent; call it inside a transaction, then `committed` or `rolledBack`. */
  append(node: number, number: number, chunks: readonly Chunk[]): void {
    if (chunks.length === 0) return;
    const pending = this.#fresh.reduce((sum, row) => sum + row.chunks.length, 0);
    const row = { first: this.#last + pending + 1, node, number, chunks };
    this.store.append(row);
    this.#fresh.push(row);
  }

  committed(): void {
    const rows = this.#fresh;
    if (rows.length === 0) return;
    this.#fresh = [];
    for (const row of rows) this.#last += row.chunks.length;
    for (const listener of this.#listeners) listener(rows);
  }

  rolledBack(): void {
    this.#fresh = [];
  }

  /** Chunks from a sequence on that belong to the given agents, at most a page of rows, and where to go on. */
  page(from: number, belongs: (node: number) => boolean): { chunks: SequencedChunk[]; next: number } {
    const rows = this.store.read(from, PAGE);
    const chunks: SequencedChunk[] = [];
    let next = from;
    for (const row of rows) {
      if (belongs(row.node)) {
        row.chunks.forEach((chunk, index) => {
          if (row.first + index >= from) chunks.push({ sequence: row.first + index, chunk });
        });
      }
      next = row.first + row.chunks.length;
    }
    return { chunks, next: rows.length === 0 ? this.#last + 1 : next };
  }

  listen(listener: LogListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets what is before a sequence; readers who ask for it are told to begin there. */
  compacted(first: number): void {
    this.#first = Math.max(this.#first, first);
  }
}
