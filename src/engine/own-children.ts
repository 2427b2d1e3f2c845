/** The children of one agent by its own rows: who a segment of an address means, and how it is reached. */
import { slotName } from '../core/agent/delegation-calls';
import type { AgentStore, ChildSlot } from '../core/ports/agent-store';
import type { ChildRef } from '../core/ports/child-transport';
import { parseSlot } from '../core/protocol/address';
import { type Failure, failure } from '../core/protocol/errors';
import { kebabCase } from '../core/protocol/ids';
import type { Segment } from './messages';

/** A child that is there, with its row. */
export interface OwnChild {
  readonly child: ChildRef;
  readonly row: ChildSlot;
}

/** How the child of a row is reached, by the address of its parent. */
export function refOf(parent: string, { className, slot, generation }: ChildSlot): ChildRef {
  const segment = slotName(slot, generation);
  return {
    address: `${parent}/sub/${kebabCase(className)}/${segment}`,
    placement: { via: 'facet', className, segment },
  };
}

/**
 * The child that a segment of an address means, among the children of the agent at `parent`. Nothing is created by
 * looking: `gone` for an older generation of a slot and for one that was removed, `not_found` for what never was.
 */
export function childAt(
  store: AgentStore,
  parent: string,
  { className, name }: Segment,
): ({ readonly ok: true } & OwnChild) | { readonly ok: false; readonly error: Failure } {
  const named = parseSlot(name);
  const row = named && store.child(className, named.slot);
  if (named === undefined || row === undefined || row.generation < named.generation)
    return { ok: false, error: failure('not_found') };
  if (row.free || row.generation > named.generation)
    return { ok: false, error: failure('gone', 'Another agent has taken this slot since, or it was removed.') };
  return { ok: true, child: refOf(parent, row), row };
}
