/**
 * The calls of a tree that wait for a person now: in memory, beside their rows.
 *
 * Keeps A35, RM28.
 */
import type { PendingCall } from '../../core/agent/calls/answer';
import type { TreeStore } from '../../core/ports/tree-store';
import { keyOf, nextExpiry, type PendingRow, pendingChanges, type WaitingCall } from '../../core/tree/pending';
import type { Chunk } from '../../protocol/chunks';

/** A call, and the id of the agent that it belongs to. */
export interface OwnedCall {
  readonly node: number;
  readonly item: PendingCall;
}

/** Those that are open, by agent and id; what was answered is in the rows alone. */
export class WaitingCalls {
  #open = new Map<string, PendingRow>();
  /** The agent that has a call of an id open, by that id. */
  #owners = new Map<string, number>();
  /** The keys of those whose owner was woken because their time is up. */
  readonly #woken = new Set<string>();

  constructor(
    readonly store: TreeStore,
    readonly report: (problem: string) => void,
  ) {
    this.reload();
  }

  /** At first, and after a transaction that was rolled back: the rows are the truth. */
  reload(): void {
    const rows = this.store.openPending();
    this.#open = new Map(rows.map((row) => [keyOf(row), row]));
    this.#owners = new Map(rows.map(({ toolCallId, node }) => [toolCallId, node]));
  }

  /**
   * Takes the calls of an agent that wait for a person now; call it inside a transaction. An id that another agent has open
   * is not opened for a second one: an answer by that id must mean one call.
   */
  update(node: number, now: readonly WaitingCall[] = [], chunks: readonly Chunk[] = []): void {
    if (this.#open.size === 0 && now.length === 0) return;
    const open = [...this.#open.values()].filter((row) => row.node === node);
    for (const row of pendingChanges(node, open, now, chunks)) {
      const { toolCallId } = row;
      if ((this.#owners.get(toolCallId) ?? node) !== node)
        this.report(`The call "${toolCallId}" of agent ${node} is not shown: another agent has that id open.`);
      else this.#put(row);
    }
  }

  #put(row: PendingRow): void {
    const { toolCallId, node } = row;
    const key = keyOf(row);
    this.store.putPending(row);
    if (row.open) {
      this.#open.set(key, row);
      this.#owners.set(toolCallId, node);
    } else {
      this.#open.delete(key);
      this.#owners.delete(toolCallId);
      this.#woken.delete(key);
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

  /** The call of that id that waits for a person, or did, at one of these agents; one that waits comes first. */
  find(toolCallId: string, isAt: (node: number) => boolean): OwnedCall | undefined {
    const found = this.store.pending(toolCallId).filter(({ node }) => isAt(node));
    return found.find(({ open }) => open) ?? found[0];
  }

  /** The agents with a call whose time is up; each is to be woken, which is remembered here. */
  expired(now: number): ReadonlySet<number> {
    const owners = new Set<number>();
    for (const row of this.#open.values()) {
      const { node, item } = row;
      if (item.expiresAt === undefined || item.expiresAt > now) continue;
      owners.add(node);
      this.#woken.add(keyOf(row));
    }
    return owners;
  }

  /** When an owner is to be woken next, in ms since 1970, if ever. */
  nextExpiry(now: number, beatMs: number): number | undefined {
    return nextExpiry(this.#open.values(), this.#woken, { now, beatMs });
  }
}
