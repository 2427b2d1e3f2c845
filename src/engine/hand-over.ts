/**
 * What an agent owes elsewhere goes over to whoever removes its object: the store that holds it goes with that (RM18).
 *
 * Decides: how often one that is to go is asked what it owes.
 * Keeps RM20.
 */
import type { AgentDefinition } from '../core/definition/definition';
import type { AgentStore } from '../core/ports/agent-store';
import type { ChildRef, ChildTransport } from '../core/ports/child-transport';
import type { AgentRuntime } from './agent';
import type { Elsewhere } from './children-elsewhere';
import { type Environment, pause } from './environment';
import type { ChildCalls } from './object-calls';
import { refTo } from './reach-child';
import type { AgentAnswer } from './tree-messages';

/** An object that hands over, or takes over. */
export interface HandingObject {
  readonly agent: Pick<AgentRuntime, 'isToBegin'> | undefined;
  readonly environment: Environment;
  readonly store: Pick<AgentStore, 'children'>;
  readonly ports: { readonly definition: AgentDefinition };
  readonly elsewhere: Elsewhere;
}

/** Waits before a child is asked again, in ms. */
const AGAIN_MS = [100, 1_000];

/** What is told of one that went although it did not say what it owes. */
export const owesUnknown = (address: string): string => `What ${address} owes elsewhere is not known.`;

type Placed = Pick<ChildTransport<ChildCalls>, 'send' | 'remove'>;

/**
 * Removes a child; what it owes elsewhere is owed by this object from before on.
 * @param isLast whether one inside of this object that does not say what that is goes all the same (RM20)
 * @throws as `ChildTransport.remove`, and where it does not say what it owes
 */
export async function removeChild(
  object: HandingObject,
  placed: Placed,
  child: ChildRef,
  isLast: boolean,
): Promise<void> {
  if (await takeOver(object, placed, child, isLast)) object.elsewhere.open();
  await placed.remove(child);
}

/**
 * Takes over what a child owes, and what those inside of it do. @returns whether there is anything
 * @throws where it does not say so, unless it goes all the same
 */
async function takeOver(object: HandingObject, placed: Placed, child: ChildRef, isLast: boolean): Promise<boolean> {
  const { elsewhere, environment } = object;
  if (child.placement.via === 'remote' || !elsewhere.mayOwe) return false;
  const message = { type: 'leave', ...(isLast ? { isLast } : {}) } as const;
  for (const wait of [...AGAIN_MS, undefined]) {
    try {
      const said = await placed.send(child, { kind: 'agent', path: [], message });
      if (said.answer !== 'done' || said.owed === undefined || said.owed.length === 0) return false;
      elsewhere.adopt(said.owed);
      return true;
    } catch (error) {
      if (wait !== undefined) await pause(environment, wait);
      // One that stands alone is there still, and may be asked for as long as it takes.
      else if (!isLast || child.placement.via === 'object') throw error;
      else environment.report(owesUnknown(child.address), error);
    }
  }
  return false;
}

/** This object is about to be removed: all places elsewhere are given up, its own and those of the facets inside of it. */
export async function leaveAll(object: HandingObject, placed: Placed, isLast = false): Promise<AgentAnswer> {
  if (object.agent === undefined) return { answer: 'absent' };
  await gather(object, placed, isLast);
  return { answer: 'done', owed: object.elsewhere.leave(object.ports.definition.name) };
}

/** Nobody is there who could take it over: pays all of it. Resolves once nothing is owed. */
export async function payAll(object: HandingObject, placed: Placed): Promise<void> {
  await gather(object, placed, true);
  await object.elsewhere.paid();
}

/** The facets inside of an object go with it. One that has not begun owes nothing, and is not made to be asked. */
async function gather(object: HandingObject, placed: Placed, isLast: boolean): Promise<void> {
  for (const child of object.store.children())
    if (child.placement.via === 'facet' && !object.agent?.isToBegin(child.sessionId))
      await takeOver(object, placed, refTo(child), isLast);
}
