/**
 * Finding the agent that a call is for in the root's record. Nothing is created by looking.
 *
 * Keeps A21, A24, A26.
 */

import type { TreeNode } from '../core/tree/node';
import { notInRecord } from '../core/tree/verbs/unbegun';
import type { ObjectRuntime } from '../engine/object/object';
import type { RootRuntime } from '../engine/root/root';
import type { Segment } from '../engine/tree-messages';
import { type Failure, failure, OffshootError } from '../protocol/errors';

/** Where an agent is. `below`: the record does not know it, but an agent on the way does. */
export type Found =
  | { readonly at: 'record'; readonly tree: RootRuntime; readonly node: TreeNode }
  | { readonly at: 'below' }
  | { readonly at: 'nowhere'; readonly error: Failure };

/** Looks an agent up at the root; `gone` for an older generation of a slot, `not_found` for what never was. */
export function locate(object: ObjectRuntime, path: readonly Segment[]): Found {
  const { tree, agent } = object;
  const root = tree?.self();
  if (tree === undefined || agent === undefined || root === undefined || root.top?.removing)
    return { at: 'nowhere', error: failure('not_found') };
  const address = addressBelow(root.address, path);
  const node = tree.tree.byAddress(address);
  if (node) return { at: 'record', tree, node };
  const [first] = path;
  if (first === undefined || tree.isBeingRemoved(address)) return { at: 'nowhere', error: failure('not_found') };
  const known = object.childAt(first);
  if (!known.ok) return { at: 'nowhere', error: known.error };
  return path.length > 1 ? { at: 'below' } : { at: 'nowhere', error: notInRecord(known.child) };
}

/**
 * Refuses what would give work to a root that is being deleted, or whose memory is still on its way.
 * @throws OffshootError `unavailable`
 */
export function refuseLeaving(object: ObjectRuntime): void {
  if (object.tree?.self()?.top?.removing)
    throw new OffshootError('unavailable', 'The agent at this address is being deleted. Try again in a moment.');
  if (object.parts.isBusy)
    throw new OffshootError('unavailable', 'An agent is being created under this name. Try again in a moment.');
}

/** The address of an agent, from the address of one above it and the way down. */
export function addressBelow(address: string, path: readonly Segment[]): string {
  return address + path.map(({ addressClass, name }) => `/sub/${addressClass}/${name}`).join('');
}
