/**
 * The agents below a copy come along with it: the named children of the original, and so on at each level.
 *
 * CP12. From below to above: a child has become the copy's own before its parent has, and doing it again changes nothing.
 */

import { ALL_HELD, comeKey } from '../../core/agent/calls/enclosures';
import { type Child, isLasting } from '../../core/agent/children/child';
import { statusOf } from '../../core/agent/runs/status';
import type { AgentState, Session } from '../../core/agent/state';
import type { AgentStore } from '../../core/ports/agent-store';
import type { ChildTransport } from '../../core/ports/child-transport';
import type { FileStore } from '../../core/ports/file-store';
import type { BelowRequest } from '../../core/tree/admission';
import { refTo } from '../../engine/children/reach-child';
import type { Environment } from '../../engine/environment';
import type { ChildCalls } from '../../engine/object/object-calls';
import type { AgentAnswer } from '../../engine/tree-messages';
import { failure, failureOf, OffshootError, refuseWith } from '../../protocol/errors';
import { copiedChild, sessionAlong, workspaceAlong } from './child';
import { type Cut, inheritanceOf } from './memory';
import { answerTo, bodyOf, type ComeAlongMessage, ofCopies } from './messages';
import type { PlannedCopy } from './plan';
import { cutIn, stateAt } from './rows';
import { type CopiedSession, ownSession } from './source';

/** An object that is copied, or that comes along. */
export interface CopiedObject {
  readonly store: AgentStore;
  readonly environment: Environment;
  readonly agent: { readonly state: AgentState } | undefined;
  readonly ports: { readonly files: Pick<FileStore, 'kept'> };
  readonly children: Pick<ChildTransport<ChildCalls>, 'send' | 'remove'>;
  /** The session whose memory lies here, where that is another object's. */
  readonly inherited: Session | undefined;
  takeUp(what: string, write: () => void): AgentState;
}

/** Who comes along with a copy: the copy's own children as it has them, and everybody below it. */
export interface Along {
  readonly children: readonly Child[];
  readonly below: readonly BelowRequest[];
  /** Of one that was planned: up to where it remembers. */
  readonly cut?: Cut;
}

/** An agent below is in an object: all agents below are to be planned. */
const NEEDS_PLAN = { needsPlan: true } as const;

/** A copy lets the agents below it come along; with `rests`, it comes along itself. */
export async function comeAlong(object: CopiedObject, message: ComeAlongMessage): Promise<AgentAnswer> {
  const { session, rests, planned } = message;
  const there = stateOf(object);
  if (there) return alongAgain(object, there, message);
  const original = object.inherited;
  if (original === undefined || original.sessionId !== session.copyOf?.sessionId) return { answer: 'absent' };
  const workspace = rests && session.parent && workspaceAlong(original, session.parent, rests);
  const next = { ...session, ...(workspace ? { workspace } : {}) };
  try {
    const along = await bringAlong(object, original, next, planned);
    if ('needsPlan' in along) return answerTo('come_along', along);
    const { below } = along;
    if (!rests && !planned) return answerTo('come_along', { along: { status: 'idle', below } });
    // The same message may have come again while that was awaited.
    const state = stateOf(object) ?? takeOver(object, next, original, along);
    return answerTo('come_along', { along: { status: statusOf(state), below } });
  } catch (error) {
    if (!planned || !(error instanceof OffshootError)) throw error;
    return { answer: 'refused', error: failureOf(error) };
  }
}

/** The memory that lies here is that of a session at rest from now on. */
function takeOver(
  object: CopiedObject,
  session: CopiedSession,
  original: Session,
  { children, cut }: Pick<Along, 'children' | 'cut'>,
): AgentState {
  const { store, environment } = object;
  const [at, token] = [environment.now(), environment.token()];
  const facts = {
    session: { ...ownSession(session), createdAt: at },
    original: original.sessionId,
    token,
    at,
    children,
  };
  return object.takeUp('come_along', () => store.inherit(inheritanceOf({ ...facts, ...(cut ? { cut } : {}) })));
}

const stateOf = ({ agent }: CopiedObject): AgentState | undefined => agent?.state;

/** It exists already: one that has its task has reported all that, and one at rest reports it again. */
async function alongAgain(
  object: CopiedObject,
  state: AgentState,
  { session, rests, planned }: ComeAlongMessage,
): Promise<AgentAnswer> {
  if (state.session.sessionId !== session.sessionId)
    return { answer: 'refused', error: failure('superseded', 'Another session is in this place.') };
  if (rests === undefined) return answerTo('come_along', { along: { status: statusOf(state), below: [] } });
  const told = await tellAll(object, {
    original: state.session,
    session: state.session,
    planned,
    children: object.store.children().map((child) => [child, child]),
  });
  if ('needsPlan' in told) return answerTo('come_along', told);
  return answerTo('come_along', { along: { status: statusOf(state), below: told.below } });
}

/**
 * Lets the children of the original become those of its copy. Who does not come along is removed from below the copy.
 * @throws OffshootError `superseded` where that is not what was planned
 */
export async function bringAlong(
  object: CopiedObject,
  original: Session,
  session: CopiedSession,
  planned?: ComeAlongMessage['planned'],
): Promise<Along | typeof NEEDS_PLAN> {
  const { store, ports, children: transport } = object;
  const { kept } = ports.files;
  kept.drop(ALL_HELD);
  const copies = planned ? plannedFor(object, session, planned) : copiesIn(object, original, session);
  const removed: Child[] = [];
  for (const child of store.children()) {
    kept.drop(comeKey(child.sessionId, ''));
    // Its row names the child of the original, which stays; the one that is meant is below this copy.
    if (!copies.children.some(([{ childId }]) => childId === child.childId))
      removed.push({ ...child, address: `${session.address}${child.address.slice(original.address.length)}` });
  }
  for (const child of removed) if (child.placement.via === 'facet') await transport.remove(refTo(child));
  const told = await tellAll(object, { original, session, planned, children: copies.children });
  return 'needsPlan' in told || copies.cut === undefined ? told : { ...told, cut: copies.cut };
}

/** The children of an original, each with what it is in the copy; and what that was planned to remember. */
interface CopiedChildren {
  readonly children: readonly (readonly [Child, Child])[];
  readonly cut?: Cut;
}

function copiesIn({ store }: CopiedObject, original: Session, session: CopiedSession): CopiedChildren {
  const upTo = session.copyOf?.upTo;
  const cut = upTo === undefined ? undefined : cutIn(store, original, upTo);
  if (cut && 'code' in cut) return { children: [] };
  const children = store.children().flatMap((child): [Child, Child][] => {
    const copy = copiedChild(child, { original, session, cut });
    return copy ? [[child, copy]] : [];
  });
  return { children };
}

function plannedFor({ store }: CopiedObject, session: CopiedSession, planned: readonly PlannedCopy[]): CopiedChildren {
  const own = planned.find((one) => one.session.sessionId === session.sessionId);
  const there = store.load();
  const state = own && there && stateAt(store, there, own.cut);
  if (own === undefined || state === undefined)
    return refuseWith(failure('superseded', 'It has changed since its copy was planned.'));
  return { children: own.children.map((child) => [child, child]), cut: { ...own.cut, state } };
}

/** The children that are to come along, each with its record in the copy. */
interface Telling extends CopiedChildren {
  readonly original: Session;
  readonly session: CopiedSession;
  readonly planned: ComeAlongMessage['planned'];
}

/** Lets children come along; the result has those that exist. One that has never begun has no memory, and is removed. */
async function tellAll({ children: transport }: CopiedObject, telling: Telling): Promise<Along | typeof NEEDS_PLAN> {
  const { original, session, planned, children } = telling;
  const lasting = children.filter(([, child]) => isLasting(child));
  if (!planned && lasting.some(([, { placement }]) => placement.via === 'object')) return NEEDS_PLAN;
  const told: { child: Child; requests: readonly BelowRequest[] }[] = [];
  const { workspace, depth, sessionId: parent } = session;
  const rests = { was: original.sessionId, ...(workspace ? { workspace } : {}) };
  for (const [was, child] of lasting) {
    const own = planned?.find((one) => one.session.sessionId === child.sessionId)?.session;
    // Those in objects are there already.
    if (child.placement.via !== 'facet') {
      if (planned) told.push({ child, requests: [] });
      continue;
    }
    const next = own ?? sessionAlong(child, was, session);
    const message = ofCopies({ type: 'come_along', session: next, rests, ...(planned ? { planned } : {}) });
    const answer = await transport.send(refTo(child), { kind: 'agent', path: [], message });
    if (answer.answer === 'refused') refuseWith(answer.error);
    const { along, needsPlan } = bodyOf('come_along', answer) ?? {};
    if (needsPlan) return NEEDS_PLAN;
    if (along) {
      const { status, below } = along;
      told.push({ child, requests: [{ ...requestOf(child, depth + 1), parent, status }, ...below] });
    } else if (planned) refuseWith(failure('superseded', `${child.address} was removed after its copy was planned.`));
    else await transport.remove(refTo(child));
  }
  return { children: told.map(({ child }) => child), below: told.flatMap(({ requests }) => requests) };
}

/** What the record has of a child that comes along. */
export function requestOf(child: Child, depth: number): Omit<BelowRequest, 'parent' | 'status'> {
  const { sessionId, address, agentType, childId, task, terms, runNumber, lifetime, placement } = child;
  return {
    sessionId,
    address,
    agentType,
    depth,
    childId,
    task: { number: task.number, callId: task.callId, await: task.await, timeoutMs: terms.timeoutMs },
    runNumber,
    lifetime,
    placement: placement.via,
  };
}
