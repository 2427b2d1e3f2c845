/**
 * The children of one agent by its own rows: who a segment of an address means, and what is known where one is planned.
 *
 * Keeps DG25.
 */
import { type Child, isLasting } from '../../core/agent/children/child';
import type { KnownChildren } from '../../core/agent/events';
import type { AgentDefinition } from '../../core/definition/definition';
import type { AgentStore } from '../../core/ports/agent-store';
import { parseSlot } from '../../protocol/address';
import { type Failure, failure } from '../../protocol/errors';
import type { Segment } from '../tree-messages';

/** A name that was deleted leaves nothing behind by which it is told from one that never was: it may begin another. */
const NOBODY = 'There is no such sub-agent: it never began, or was deleted.';

/**
 * The child that a segment of an address means, among the children whose rows are in the store. Nothing is created by
 * looking: `gone` for an older generation of a slot and for one that was removed, `not_found` for what never was.
 */
export function childAt(
  store: AgentStore,
  { className, name }: Segment,
): { readonly ok: true; readonly child: Child } | { readonly ok: false; readonly error: Failure } {
  const wanted = parseSlot(name);
  const slot = wanted && store.slot(className, wanted.slot);
  const child = wanted ? slot && store.child(slot.childId) : store.named(name);
  if (child?.placement.className === className && child.placement.segment === name) return { ok: true, child };
  if (wanted === undefined || slot === undefined || slot.generation < wanted.generation)
    return { ok: false, error: failure('not_found', NOBODY) };
  return { ok: false, error: failure('gone', 'This agent was removed, or another one has taken its slot.') };
}

/** The classes of an agent whose children live for one call: these alone have slots, which are looked for among all rows. */
export function classesWithSlots(children: Iterable<{ lifetime: Child['lifetime']; className: string }>): Set<string> {
  return new Set([...children].flatMap(({ lifetime, className }) => (lifetime === 'call' ? [className] : [])));
}

/** The same of all that an agent may begin. */
export const classesBelow = ({ relationships }: Pick<AgentDefinition, 'relationships'>): Set<string> =>
  classesWithSlots(relationships.map(({ lifetime, child: { className } }) => ({ lifetime, className })));

/** What the store knows of the children of these classes, which have slots, and of those with these names. */
export function knownChildren(
  store: Pick<AgentStore, 'countLasting' | 'named' | 'nextChild' | 'slots'>,
  classes: Iterable<string>,
  names: Iterable<string>,
): KnownChildren {
  const named = [...names].flatMap((name) => store.named(name) ?? []);
  return {
    next: store.nextChild(),
    slots: Object.fromEntries([...classes].map((className) => [className, store.slots(className)])),
    named: Object.fromEntries(named.flatMap((child) => (child.name === undefined ? [] : [[child.name, child]]))),
    lasting: store.countLasting(),
    files: {},
  };
}

/** The children of these agents that live for one call, and whose objects are there. */
export function calledChildren(store: Pick<AgentStore, 'children'>, kinds: ReadonlySet<string>): Child[] {
  return store.children().filter((child) => !isLasting(child) && kinds.has(child.agentType));
}
