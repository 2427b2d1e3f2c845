/**
 * The places of children that have left: their objects are removed, and their slots are free after that.
 *
 * Keeps A17, TR8, OP12.
 */
import type { Child } from '../../core/agent/children/child';
import type { AgentState } from '../../core/agent/state';
import type { AgentStore } from '../../core/ports/agent-store';
import type { ChildRef } from '../../core/ports/child-transport';
import type { Environment } from '../environment';
import type { RootRuntime } from '../root/root';
import { refTo } from './reach-child';

/** The object whose children they are. */
interface ParentObject {
  readonly store: Pick<AgentStore, 'child' | 'children' | 'release'>;
  readonly environment: Pick<Environment, 'report'>;
  readonly agent: { readonly state: AgentState } | undefined;
}

/** Clears the places of one agent's children. */
export class LeftPlaces {
  /** Ends with the last removal of a child so far: a slot that is free may be taken at once, so no two overlap. */
  #cleared: Promise<void> = Promise.resolve();
  /** Whether the object of a child is being removed that the record has no more. */
  isSweeping = false;

  constructor(
    readonly parent: ParentObject,
    readonly remove: (child: ChildRef, isLast: boolean) => Promise<void>,
  ) {}

  /** Resolves when every removal that was begun so far has ended. */
  get cleared(): Promise<void> {
    return this.#cleared;
  }

  /**
   * Removes the objects of children that are in the record no more, and frees their slots; what cannot be removed is owed.
   * Who leaves the record is said by TR8. Where it is at work already, whoever has left since has their turn in that.
   */
  async sweep(tree: Pick<RootRuntime, 'tree' | 'pendingRemovals' | 'leftInVain' | 'changed'>): Promise<void> {
    if (this.isSweeping) return;
    const { store, environment } = this.parent;
    const tried = new Set<string>();
    try {
      for (let before = -1; before < tried.size; ) {
        before = tried.size;
        for (const child of store.children()) {
          const { address, sessionId, childId } = child;
          // What leaves an address for good is cleared away for that.
          const isOwed = tried.has(sessionId) || tree.pendingRemovals.includes(address);
          if (isOwed || tree.tree.bySession(sessionId) || this.parent.agent?.state.children.has(childId)) continue;
          tried.add(sessionId);
          this.isSweeping = true;
          await this.clear(child, true).catch((error: unknown) => {
            environment.report(`${address} could not be deleted completely; the alarm tries again.`, error);
            tree.leftInVain(child);
          });
        }
      }
    } finally {
      this.isSweeping = false;
      if (tried.size > 0) tree.changed();
    }
  }

  /** Removes the object of a child after all removals before it, and releases it; nothing where it has left its place by then. */
  clear(child: Child, isLast: boolean): Promise<void> {
    const { childId, sessionId } = child;
    const removal = this.#cleared.then(async () => {
      const { parent } = this;
      const { store } = parent;
      const isThere = (): boolean => store.child(childId)?.sessionId === sessionId;
      // What begins anew clears its place itself.
      const leaves = () => isThere() && parent.agent?.state.children.get(childId)?.state.is !== 'respawning';
      if (!leaves()) return;
      await this.remove(refTo(child), isLast);
      if (leaves()) store.release([childId]);
    });
    this.#cleared = removal.catch(() => undefined);
    return removal;
  }
}
