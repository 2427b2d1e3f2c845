/**
 * What is below a copy comes along with it: the named children of the original, and theirs.
 *
 * CP12. From below to above: a child has become the copy's own before its parent has, and doing it again changes nothing.
 */
import { type Child, isLasting, keyOf } from '../core/agent/child';
import { copiedChild, sessionAlong, workspaceAlong } from '../core/agent/copied-child';
import { ALL_HELD, comeKey } from '../core/agent/enclosures';
import type { NewSession } from '../core/agent/events';
import type { AgentState, Session } from '../core/agent/state';
import { statusOf } from '../core/agent/status';
import type { AgentStore } from '../core/ports/agent-store';
import type { ChildTransport } from '../core/ports/child-transport';
import type { FileStore } from '../core/ports/file-store';
import type { AlongRequest } from '../core/tree/admission';
import { failure } from '../protocol/errors';
import { cutIn } from './copy-checkpoint';
import type { Environment } from './environment';
import type { ChildCalls } from './object-calls';
import { refTo } from './reach-child';
import type { AgentAnswer, ComeAlongMessage } from './tree-messages';

/** An object that is copied, or that comes along. */
export interface CopiedObject {
  readonly store: AgentStore;
  readonly environment: Environment;
  readonly agent: { readonly state: AgentState } | undefined;
  readonly ports: { readonly files: Pick<FileStore, 'kept'> };
  readonly transport: Pick<ChildTransport<ChildCalls>, 'send' | 'remove'>;
  /** The session that lies here and is another one's. */
  notItsOwn(): Session | undefined;
  /** Takes over what lies here as the memory of a session at rest. */
  rest(session: NewSession, original: Session, children: readonly Child[]): AgentState;
}

/** Who comes along with a copy: the copy's own children as it has them, and everybody below it. */
export interface Along {
  readonly children: readonly Child[];
  readonly below: readonly AlongRequest[];
}

/** A copy is told to let come along what is below it; with `rests`, to come along itself. */
export async function comeAlong(object: CopiedObject, message: ComeAlongMessage): Promise<AgentAnswer> {
  const { session, rests } = message;
  const there = stateOf(object);
  if (there) return alongAgain(object, there, message);
  const original = object.notItsOwn();
  if (original === undefined || original.sessionId !== session.copyOf?.sessionId) return { answer: 'absent' };
  const workspace = rests && session.parent && workspaceAlong(original, session.parent, rests);
  const next = { ...session, ...(workspace ? { workspace } : {}) };
  const { children, below } = await bringAlong(object, original, next);
  if (rests === undefined) return { answer: 'done', along: { status: 'idle', below } };
  // The same message may have come again meanwhile.
  const state = stateOf(object) ?? object.rest(next, original, children);
  return { answer: 'done', along: { status: statusOf(state), below } };
}

const stateOf = ({ agent }: CopiedObject): AgentState | undefined => agent?.state;

/** It is there already: one that has its task has told all that, and one that rests tells it again. */
async function alongAgain(
  object: CopiedObject,
  state: AgentState,
  { session, rests }: ComeAlongMessage,
): Promise<AgentAnswer> {
  if (state.session.sessionId !== session.sessionId)
    return { answer: 'refused', error: failure('superseded', 'Another session is in this place.') };
  if (rests === undefined) return { answer: 'done', along: { status: statusOf(state), below: [] } };
  const below = await tellAll(
    object,
    state.session,
    state.session,
    object.store.children().map((child) => [child, child]),
  );
  return { answer: 'done', along: { status: statusOf(state), below: below.flatMap(({ requests }) => requests) } };
}

/** Lets the children of the original become those of its copy. Who does not come along is removed from below the copy. */
export async function bringAlong(object: CopiedObject, original: Session, session: NewSession): Promise<Along> {
  const { store, ports, transport } = object;
  const upTo = session.copyOf?.upTo;
  const cut = upTo === undefined ? undefined : cutIn(store, original, upTo);
  const { kept } = ports.files;
  kept.drop(ALL_HELD);
  const wanted: [Child, Child][] = [];
  const removed: Child[] = [];
  for (const child of store.children()) {
    kept.drop(comeKey(child.sessionId, ''));
    const copy = cut && 'code' in cut ? undefined : copiedChild(child, { original, session, cut, by: 'clone' });
    if (copy) wanted.push([child, copy]);
    // Its row names the child of the original, which stays; the one that is meant is below this copy.
    else removed.push({ ...child, address: `${session.address}${child.address.slice(original.address.length)}` });
  }
  for (const child of removed) if (child.placement.via === 'facet') await transport.remove(refTo(child));
  const told = await tellAll(object, original, session, wanted);
  return { children: told.map(({ child }) => child), below: told.flatMap(({ requests }) => requests) };
}

/** Tells children to come along; gives those that are there. One that has never begun has no memory, and goes. */
async function tellAll(
  { transport }: CopiedObject,
  original: Session,
  session: NewSession,
  children: readonly (readonly [Child, Child])[],
): Promise<{ readonly child: Child; readonly requests: readonly AlongRequest[] }[]> {
  const told = [];
  const { workspace, depth, sessionId: parent } = session;
  const rests = { was: original.sessionId, ...(workspace ? { workspace } : {}) };
  for (const [was, child] of children) {
    if (!isLasting(child) || child.placement.via !== 'facet') continue;
    const message = { type: 'come_along', session: sessionAlong(child, was, session), rests } as const;
    const answer = await transport.send(refTo(child), { kind: 'agent', path: [], message });
    if (answer.answer === 'refused') throw new Error(answer.error.message);
    if (answer.answer === 'done' && answer.along) {
      const { status, below } = answer.along;
      told.push({ child, requests: [{ ...requestOf(child, depth + 1), parent, status }, ...below] });
    } else await transport.remove(refTo(child));
  }
  return told;
}

/** What the record has of a child that comes along. */
export function requestOf(child: Child, depth: number): Omit<AlongRequest, 'parent' | 'status'> {
  const { sessionId, address, agentType, task, timeoutMs, runNumber, lifetime, placement } = child;
  return {
    sessionId,
    address,
    agentType,
    callId: task.callId,
    task: keyOf(child),
    depth,
    timeoutMs,
    runNumber,
    lifetime,
    await: task.await,
    placement: placement.via,
  };
}
