/** The root's record of its tree in memory, with the counts that its decisions need. */
import type { Usage } from '../protocol/usage';
import type { Lease } from './lease';
import { isLive, ROOT_ID, type TreeNode } from './node';

/** The nodes of a tree by id and session, with the counts that decisions need. Changed only through `set`. */
export class TreeIndex {
  readonly #nodes = new Map<number, TreeNode>();
  readonly #bySession = new Map<string, number>();
  readonly #byAddress = new Map<string, number>();
  readonly #liveChildren = new Map<number, number>();
  readonly #live = {
    queued: new Map<number, TreeNode>(),
    working: new Map<number, TreeNode>(),
    waiting: new Map<number, TreeNode>(),
  };
  readonly #telling = new Map<number, TreeNode>();
  #lastId = 0;

  /** @param held the leases that are set aside, by session; kept in memory alone */
  constructor(
    nodes: Iterable<TreeNode> = [],
    readonly held: Map<string, { readonly lease: Lease; readonly at: Usage }> = new Map(),
  ) {
    for (const node of nodes) this.set(node);
  }

  get nextId(): number {
    return this.#lastId + 1;
  }

  get(id: number): TreeNode | undefined {
    return this.#nodes.get(id);
  }

  bySession(sessionId: string): TreeNode | undefined {
    return this.#nodes.get(this.#bySession.get(sessionId) ?? 0);
  }

  byAddress(address: string): TreeNode | undefined {
    return this.#nodes.get(this.#byAddress.get(address) ?? 0);
  }

  all(): IterableIterator<TreeNode> {
    return this.#nodes.values();
  }

  /** The agents that wait for a place, have one, or wait for a person, in the order in which they came to it. */
  at(place: 'queued' | 'working' | 'waiting'): ReadonlyMap<number, TreeNode> {
    return this.#live[place];
  }

  /** The agents that have something for their parents. */
  get telling(): ReadonlyMap<number, TreeNode> {
    return this.#telling;
  }

  children(id: number): TreeNode[] {
    return [...this.#nodes.values()].filter((node) => node.parentId === id);
  }

  /** The node and everything below it. */
  subtree(id: number): TreeNode[] {
    const members = new Set([id]);
    const found: TreeNode[] = [];
    for (const node of this.#nodes.values()) {
      if (!members.has(node.id) && !members.has(node.parentId)) continue;
      members.add(node.id);
      found.push(node);
    }
    return found;
  }

  liveChildren(id: number): number {
    return this.#liveChildren.get(id) ?? 0;
  }

  /** Agents that hold a place: they work, and do not just wait for children of their own. */
  working(): number {
    let count = 0;
    for (const node of this.at('working').values())
      if (node.id !== ROOT_ID && this.liveChildren(node.id) === 0) count++;
    return count;
  }

  set(node: TreeNode): void {
    const before = this.#nodes.get(node.id);
    this.#count(node.parentId, (isLive(node) ? 1 : 0) - (before && isLive(before) ? 1 : 0));
    this.#place(node, before);
    if (node.tells) this.#telling.set(node.id, node);
    else this.#telling.delete(node.id);
    this.#nodes.set(node.id, node);
    this.#bySession.set(node.sessionId, node.id);
    this.#byAddress.set(node.address, node.id);
    this.#lastId = Math.max(this.#lastId, node.id, node.top?.lastId ?? 0);
  }

  remove(id: number): void {
    const node = this.#nodes.get(id);
    if (node === undefined) return;
    this.#count(node.parentId, isLive(node) ? -1 : 0);
    if (node.place !== 'ended') this.#live[node.place].delete(id);
    this.#telling.delete(id);
    this.#nodes.delete(id);
    this.held.delete(node.sessionId);
    this.#bySession.delete(node.sessionId);
    this.#byAddress.delete(node.address);
  }

  #place(node: TreeNode, before: TreeNode | undefined): void {
    if (before && before.place !== 'ended' && before.place !== node.place) this.#live[before.place].delete(node.id);
    if (node.place !== 'ended') this.#live[node.place].set(node.id, node);
  }

  #count(parentId: number, by: number): void {
    if (by !== 0) this.#liveChildren.set(parentId, this.liveChildren(parentId) + by);
  }
}
