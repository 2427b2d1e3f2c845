/**
 * What an agent owes elsewhere goes over to whoever removes its object: the store that holds it goes with that (RM18).
 *
 * Keeps RM20, RM23.
 */
import type { AgentDefinition } from '../core/definition/definition';
import type { AgentStore } from '../core/ports/agent-store';
import type { ChildRef, ChildTransport } from '../core/ports/child-transport';
import { isLastDeletion } from '../core/tree/removed-agents';
import { insideLeavesWithin, LEAVE_AGAIN_MS, LEAVE_MS } from '../core/tree/tries';
import type { AgentRuntime } from './agent';
import type { Elsewhere } from './children/children-elsewhere';
import { refTo } from './children/reach-child';
import { type Environment, inTime, pause } from './environment';
import type { ChildCalls } from './object/object-calls';
import { few } from './object/pacing';
import type { RootRuntime } from './root/root';
import type { AgentAnswer } from './tree-messages';

/** An object that hands over, or takes over. */
export interface HandingObject {
  readonly agent: Pick<AgentRuntime, 'isToBegin'> | undefined;
  readonly tree: Pick<RootRuntime, 'self'> | undefined;
  readonly environment: Environment;
  readonly store: Pick<AgentStore, 'children'>;
  readonly ports: { readonly definition: AgentDefinition };
  readonly elsewhere: Elsewhere;
}

/** What is told of one that went although it did not say what it owes. */
export const owesUnknown = (address: string): string =>
  `The pending cleanup of ${address} on other servers is not known.`;

/** How those are asked that are to go. */
interface Asking {
  readonly isLast: boolean;
  /** How long one may take to say what it owes, however often it is asked, in ms. */
  readonly withinMs: number;
}

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
  if (await takeOver(object, placed, child, { isLast, withinMs: LEAVE_MS })) object.elsewhere.open();
  await placed.remove(child);
}

/**
 * Takes over what a child owes, and what those inside of it do. @returns whether there is anything
 * @throws where it does not say so, unless it goes all the same
 */
async function takeOver(
  object: HandingObject,
  placed: Placed,
  child: ChildRef,
  { isLast, withinMs }: Asking,
): Promise<boolean> {
  const { elsewhere, environment } = object;
  if (child.placement.via === 'remote' || !elsewhere.mayOwe) return false;
  const until = environment.now() + withinMs;
  for (const wait of [...LEAVE_AGAIN_MS, undefined]) {
    try {
      const left = until - environment.now();
      const message = { type: 'leave', withinMs: left, ...(isLast ? { isLast } : {}) } as const;
      const said = await inTime(environment, left, placed.send(child, { kind: 'agent', path: [], message }));
      if (said.answer !== 'done' || said.owed === undefined || said.owed.length === 0) return false;
      elsewhere.adopt(said.owed);
      return true;
    } catch (error) {
      const isOver = wait === undefined || environment.now() + wait >= until;
      if (!isOver) await pause(environment, wait);
      else if (!isLast || staysToBeAsked(object, child)) throw error;
      else {
        environment.report(owesUnknown(child.address), error);
        return false;
      }
    }
  }
  return false;
}

/** An object of its own is there still, and is asked for as long as it takes; its tree is being deleted for a day at most. */
function staysToBeAsked({ tree, environment }: HandingObject, { placement }: ChildRef): boolean {
  const self = tree?.self();
  return placement.via === 'object' && !(self && isLastDeletion(self.top, environment.now()));
}

/** This object is about to be removed: all places elsewhere are given up, its own and those of the facets inside of it. */
export async function leaveAll(
  object: HandingObject,
  placed: Placed,
  { isLast = false, withinMs = LEAVE_MS }: Partial<Asking>,
): Promise<AgentAnswer> {
  if (object.agent === undefined) return { answer: 'absent' };
  await gather(object, placed, { isLast, withinMs: insideLeavesWithin(withinMs) });
  return { answer: 'done', owed: object.elsewhere.leave(object.ports.definition.name) };
}

/** Nobody is there who could take it over: pays all of it. Resolves once nothing is owed. */
export async function payAll(object: HandingObject, placed: Placed): Promise<void> {
  await gather(object, placed, { isLast: true, withinMs: LEAVE_MS });
  await object.elsewhere.paid();
}

/** The facets inside of an object go with it. One that has not begun owes nothing, and is not made to be asked. */
async function gather(object: HandingObject, placed: Placed, asking: Asking): Promise<void> {
  const inside = object.store
    .children()
    .filter(({ placement, sessionId }) => placement.via === 'facet' && !object.agent?.isToBegin(sessionId));
  for (const some of few(inside))
    await Promise.all(some.map((child) => takeOver(object, placed, refTo(child), asking)));
}
