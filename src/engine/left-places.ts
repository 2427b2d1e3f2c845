/**
 * The places of children that have left: their objects are removed, and their slots are free after that.
 *
 * Keeps A17, TR8.
 */
import type { Child } from '../core/agent/child';
import type { AgentState } from '../core/agent/state';
import type { AgentStore } from '../core/ports/agent-store';
import type { ChildRef } from '../core/ports/child-transport';
import type { Environment } from './environment';
import { refTo } from './reach-child';
import type { RootRuntime } from './root';

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
  #isUnswept = false;

  constructor(
    readonly parent: ParentObject,
    readonly remove: (child: ChildRef, isLast: boolean) => Promise<void>,
  ) {}

  /** Resolves when every removal that was begun so far has ended. */
  get cleared(): Promise<void> {
    return this.#cleared;
  }

  /** Whether children are in their places still that the record has no more: the alarm tries again. */
  get isUnswept(): boolean {
    return this.#isUnswept;
  }

  /** Removes the objects of children that are in the record no more, and frees their slots. Who leaves the record is said by TR8. */
  async sweep(tree: Pick<RootRuntime, 'tree' | 'pendingRemovals' | 'changed'>): Promise<void> {
    const { store, environment, agent } = this.parent;
    const open = agent?.state.children;
    let unswept = 0;
    for (const child of store.children()) {
      // What leaves an address for good is cleared away for that.
      const isOwed = tree.pendingRemovals.includes(refTo(child).address);
      if (tree.tree.bySession(child.sessionId) || open?.has(child.childId) || isOwed) continue;
      await this.clear(child, true).catch((error: unknown) => {
        unswept++;
        environment.report(`${child.address} could not be cleared away; the alarm tries again.`, error);
      });
    }
    this.#isUnswept = unswept > 0;
    if (this.#isUnswept) tree.changed();
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
