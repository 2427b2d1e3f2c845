/**
 * The companion that a call is about, at the root.
 *
 * Keeps DL10.
 */
import type { ChildNode } from '../../core/tree/node';
import type { ObjectRuntime } from '../../engine/object/object';
import type { VerbCall } from '../../engine/object/object-calls';
import { locate } from '../locate';

/** It, as the root's record has it; undefined where the call is about nobody below the root, or about another agent. */
export function companionOf(object: ObjectRuntime, { path }: VerbCall): ChildNode | undefined {
  if (!object.isRoot || path.length === 0) return undefined;
  const found = locate(object, path);
  return found.at === 'record' && found.node.kind === 'child' && found.node.lifetime === 'named'
    ? found.node
    : undefined;
}
