/**
 * The calls of a tree that wait for a person now: in memory, beside their rows.
 *
 * Keeps A35.
 */
import type { PendingCall } from '../../core/agent/answer';
import type { TreeStore } from '../../core/ports/tree-store';
import { nextExpiry, type PendingRow, pendingChanges, type WaitingCall } from '../../core/tree/pending';
import type { Chunk } from '../../protocol/chunks';

/** A call, and the id of the agent that it belongs to. */
export interface OwnedCall {
  readonly node: number;
  readonly item: PendingCall;
}

/** Those that are open; what was answered is in the rows alone. */
export class WaitingCalls {
  #open: Map<string, PendingRow>;
  /** Those of them whose owner was woken because their time is up. */
  readonly #woken = new Set<string>();

  constructor(readonly store: TreeStore) {
    this.#open = this.#load();
  }

  #load(): Map<string, PendingRow> {
    return new Map(this.store.openPending().map((row) => [row.toolCallId, row]));
  }

  /** After a transaction that was rolled back: the rows are the truth. */
  reload(): void {
    this.#open = this.#load();
  }

  /** What of an agent waits for a person now; call it inside a transaction. */
  update(node: number, now: readonly WaitingCall[] = [], chunks: readonly Chunk[] = []): void {
    if (this.#open.size === 0 && now.length === 0) return;
    const open = [...this.#open.values()].filter((row) => row.node === node);
    for (const row of pendingChanges(node, open, now, chunks)) {
      this.store.putPending(row);
      if (row.open) this.#open.set(row.toolCallId, row);
      else {
        this.#open.delete(row.toolCallId);
        this.#woken.delete(row.toolCallId);
      }
    }
  }

  /** Forgets all calls of an agent that leaves the record; call it inside a transaction. */
  drop(node: number): void {
    this.update(node);
    this.store.dropPending(node);
  }

  /** All that are open. */
  open(): readonly OwnedCall[] {
    return [...this.#open.values()];
  }

  /** A call that waits for a person, or did. */
  find(toolCallId: string): OwnedCall | undefined {
    return this.#open.get(toolCallId) ?? this.store.pending(toolCallId);
  }

  /** The agents with a call whose time is up; each is to be woken, which is remembered here. */
  expired(now: number): ReadonlySet<number> {
    const owners = new Set<number>();
    for (const { node, item } of this.#open.values()) {
      if (item.expiresAt === undefined || item.expiresAt > now) continue;
      owners.add(node);
      this.#woken.add(item.toolCallId);
    }
    return owners;
  }

  /** When an owner is to be woken next, in ms since 1970, if ever. */
  nextExpiry(now: number, beatMs: number): number | undefined {
    return nextExpiry(this.#open.values(), this.#woken, { now, beatMs });
  }
}
