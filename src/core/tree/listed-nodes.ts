/**
 * The agents of a tree that lists over all roots have something of.
 *
 * Their digest is kept as they change, so a change costs the same however many have failed before.
 *
 * Decides: of whom a directory hears beside the root.
 * Keeps A28, A85, A86.
 */
import { staysOrIsElsewhere, type TreeNode } from './node';

/** Two hashes of 32 bits: what differs in one of them differs. */
type Digest = readonly [number, number];

const NOTHING: Digest = [0, 0];

/** By the id of the agent. */
export class ListedNodes {
  readonly #nodes = new Map<number, TreeNode>();
  #digest = NOTHING;

  /** In no order that would outlive this memory. */
  all(): TreeNode[] {
    return [...this.#nodes.values()];
  }

  /** A text that is another one when something is to be told of them, and the same whatever order they came in. */
  get digest(): string {
    return textOf(this.#digest);
  }

  /** An agent as it stands now. */
  set(node: TreeNode): void {
    this.delete(node.id);
    if (!isListed(node)) return;
    this.#nodes.set(node.id, node);
    this.#digest = plus(this.#digest, digestOf(node));
  }

  delete(id: number): void {
    const node = this.#nodes.get(id);
    if (node === undefined) return;
    this.#nodes.delete(id);
    this.#digest = minus(this.#digest, digestOf(node));
  }
}

/** Whether it failed, stays, or lives elsewhere. */
function isListed(node: TreeNode): boolean {
  return node.progress?.error !== undefined || (node.kind === 'child' && staysOrIsElsewhere(node));
}

function digestOf(node: TreeNode): Digest {
  const { id, status, progress } = node;
  const owed = 'stopOwed' in node && node.stopOwed ? node.stopOwed.since : 0;
  return hashesOf(`${id} ${status} ${progress?.runId ?? ''} ${progress?.endedAt ?? 0} ${owed}`);
}

/** A short text for a longer one, as `digest` is. */
export const digestOfText = (text: string): string => textOf(hashesOf(text));

const textOf = (digest: Digest): string => digest.map((part) => part.toString(36)).join('.');

/** FNV-1a, 32 bits, twice with another beginning: what two such texts differ in, their hashes do. */
function hashesOf(text: string): Digest {
  return [fnv(text, 0x811c9dc5), fnv(text, 0x01000193)];
}

function fnv(text: string, basis: number): number {
  let hash = basis;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash;
}

const plus = (one: Digest, other: Digest): Digest => [(one[0] + other[0]) >>> 0, (one[1] + other[1]) >>> 0];

const minus = (one: Digest, other: Digest): Digest => [(one[0] - other[0]) >>> 0, (one[1] - other[1]) >>> 0];
