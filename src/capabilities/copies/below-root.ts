/**
 * Those below a root, or below a companion in an object of its own, who come along with its copy. Each says what its copy is
 * to have, and later sends that to the object of the new root or companion, which passes it on to where the copy is to be.
 *
 * CP44. An agent asks its children in the turn in which it reads its own state, so that later messages come
 *       to them after that question. Rows that a memory has got since are not sent.
 */
import type { Child } from '../../core/agent/children/child';
import type { AgentState, RootLocation, Session } from '../../core/agent/state';
import type { AgentStore } from '../../core/ports/agent-store';
import type { ChildRef, ChildTransport } from '../../core/ports/child-transport';
import type { FileStore } from '../../core/ports/file-store';
import { refTo } from '../../engine/children/reach-child';
import type { Environment } from '../../engine/environment';
import type { ChildCalls } from '../../engine/object/object-calls';
import type { AgentAnswer } from '../../engine/tree-messages';
import { type Failure, failure } from '../../protocol/errors';
import { requestOf } from './below';
import { type CopiedParent, copiedChild, sessionAlong, workspaceAlong } from './child';
import {
  answerTo,
  bodyOf,
  type CopyAnswer,
  type CopyCall,
  copyCall,
  ofCopies,
  type PlanCopyMessage,
  type SendCopyMessage,
} from './messages';
import { asItStands, type PlannedCopy, statusInCopy, whyNotWhole } from './plan';
import { type AskCopy, cutIn, memoryOf, sendMemory, stateAt } from './rows';
import { type CopiedSession, ownSession } from './source';

/** An agent that plans and sends what its copy has. */
export interface CopiedAgent {
  readonly agent: { readonly state: AgentState } | undefined;
  readonly store: AgentStore;
  readonly environment: Pick<Environment, 'now' | 'token'>;
  readonly ports: {
    readonly files: FileStore;
    askOther(root: RootLocation, call: CopyCall): Promise<CopyAnswer>;
  };
  readonly children: Pick<ChildTransport<ChildCalls>, 'send'>;
}

/** Who comes along with an agent: its own children as its copy has them, and everybody below it, each after its parent. */
type PlanBelow =
  | { readonly ok: true; readonly children: readonly Child[]; readonly planned: readonly PlannedCopy[] }
  | { readonly ok: false; readonly error: Failure };

/** Whose children are asked, and how many agents may come along. */
type Asking = CopiedParent & { readonly most: number };

/** Asks the children of an agent, and those below them, what comes along with its copy; its state was read in this turn. */
export async function planBelow({ store, children }: CopiedAgent, asking: Asking): Promise<PlanBelow> {
  const { original, session, most } = asking;
  const pairs = store.children().flatMap((was): [Child, Child][] => {
    const child = copiedChild(was, asking);
    return child ? [[was, child]] : [];
  });
  const unfit = whyNotWhole(pairs.length, 0, { maxTreeChildren: most });
  if (unfit) return { ok: false, error: unfit };
  const rests = { was: original.sessionId, ...(session.workspace ? { workspace: session.workspace } : {}) };
  const answers = await Promise.all(
    pairs.map(async ([was, child]) => {
      const request = { ...requestOf(child, session.depth + 1), parent: session.sessionId };
      const next = sessionAlong(child, was, session);
      const asks = { type: 'plan_copy', session: next, rests, request, placement: child.placement, most } as const;
      const message = ofCopies(asks);
      const answer = await children.send(refTo(was), { kind: 'agent', path: [], message });
      return { child, answer };
    }),
  );
  const refused = answers.find(({ answer }) => answer.answer === 'refused');
  if (refused?.answer.answer === 'refused') return { ok: false, error: refused.answer.error };
  // One that has never begun has no memory, and stays.
  const there = answers.flatMap(({ child, answer }) => {
    const planned = bodyOf('plan_copy', answer)?.planned;
    return planned ? [{ child, planned }] : [];
  });
  return { ok: true, children: there.map(({ child }) => child), planned: there.flatMap(({ planned }) => planned) };
}

/** An agent that is copied with a root, or as a companion, says what its copy is to have, and what those below it have. Nothing changes. */
export async function planCopy(object: CopiedAgent, message: PlanCopyMessage): Promise<AgentAnswer> {
  const { session: asked, rests, request, placement, most } = message;
  const { agent, store, ports } = object;
  const original = agent && isOriginal(agent.state.session, asked, rests !== undefined);
  if (agent === undefined || original === undefined) return { answer: 'absent' };
  const workspace = rests && asked.parent && workspaceAlong(original, asked.parent, rests);
  const session = { ...asked, ...(workspace ? { workspace } : {}) };
  const { state } = agent;
  const upTo = session.copyOf?.upTo;
  const ends = upTo === undefined ? undefined : cutIn(store, state.session, upTo);
  if (ends && 'code' in ends) return { answer: 'refused', error: ends };
  const cut = ends ?? asItStands(state);
  const bytes = store.bytes() + ports.files.bytes();
  const plan = await planBelow(object, { original, session, cut: ends, most });
  if (!plan.ok) return { answer: 'refused', error: plan.error };
  const { children, planned } = plan;
  const own = { request: { ...request, status: statusInCopy(state) }, session, placement, cut, children, bytes };
  return answerTo('plan_copy', { planned: [own, ...planned] });
}

/** The session of an agent, where it is the one that is meant: another one may have begun in its place since. */
function isOriginal(session: Session, { copyOf }: CopiedSession, comesAlong: boolean): Session | undefined {
  if (session.sessionId !== copyOf?.sessionId) return undefined;
  // An agent that is copied itself may be terminated.
  return comesAlong && session.terminated ? undefined : session;
}

/** What is to be sent where. */
interface Sending {
  readonly copy: string;
  readonly to: SendCopyMessage['to'];
  readonly planned: readonly PlannedCopy[];
}

/** So many of those who come along send their memory at once. */
export const SENDERS = 4;

/** The messages to all agents that send their memory into one object. */
export function sendings({ copy, to, planned }: Sending): SendCopyMessage[] {
  const paths = new Map<string, readonly ChildRef[]>();
  return planned.map((one) => {
    const { session, placement, request } = one;
    const { sessionId, address } = session;
    const isItself = 'sessionId' in to && to.sessionId === sessionId;
    const path = isItself ? [] : [...(paths.get(request.parent) ?? []), { sessionId, address, placement }];
    paths.set(sessionId, path);
    return { type: 'send_copy', copy, to, way: path, planned: one };
  });
}

/** Lets agents send their memory, so many at once; why that failed, if it did. */
export function sendBelow(
  above: { send(address: string, message: SendCopyMessage): Promise<AgentAnswer> },
  sending: readonly SendCopyMessage[],
  most = SENDERS,
): Promise<CopyAnswer | undefined> {
  return inTurn(sending, most, async (message) => {
    const answer = await above.send(message.planned.session.copyOf?.address ?? '', message);
    // Who has gone, or has another one in its place, is planned anew.
    if (answer.answer === 'absent') return { ok: false, error: failure('superseded') };
    return answer.answer === 'refused' ? { ok: false, error: answer.error } : undefined;
  });
}

/**
 * Does something with each, so many at once, until it fails with one. @returns why, once all that was begun has ended
 * @throws what that throws
 */
export async function inTurn<One>(
  all: readonly One[],
  most: number,
  work: (one: One) => Promise<CopyAnswer | undefined>,
): Promise<CopyAnswer | undefined> {
  const due = [...all];
  let failed: CopyAnswer | undefined;
  const next = async (): Promise<void> => {
    for (let one = due.shift(); one && !failed; one = due.shift()) {
      const why = await work(one);
      failed ??= why;
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: most }, next));
  const thrown = ended.find(({ status }) => status === 'rejected');
  if (thrown?.status === 'rejected') throw thrown.reason;
  return failed;
}

/** An agent that is copied with a root, or as a companion, sends its memory, up to where that was planned. */
export async function sendCopy(object: CopiedAgent, message: SendCopyMessage): Promise<AgentAnswer> {
  const { copy, to, way, planned } = message;
  const { agent, store, ports, environment } = object;
  const original = agent && isOriginal(agent.state.session, planned.session, way.length > 0);
  if (agent === undefined || original === undefined) return { answer: 'absent' };
  const then = stateAt(store, agent.state, planned.cut);
  if (then === undefined) return { answer: 'refused', error: failure('superseded') };
  const { custom, changed } = then;
  const facts = {
    session: { ...ownSession(planned.session), createdAt: original.createdAt },
    original: original.sessionId,
    token: environment.token(),
    at: environment.now(),
    cut: { ...planned.cut, state: then },
  };
  const rows = [...planned.children].map((child) => ({ put: 'child', child, reuses: false }) as const);
  const memory = memoryOf(store, agent.state, facts);
  const ask: AskCopy = (what, bytes) => {
    const call = copyCall({ copy, way, ask: what, ...(bytes ? { bytes } : {}) });
    return 'sessionId' in to ? object.children.send(to, call) : ports.askOther(to, call);
  };
  const inTree = 'sessionId' in to ? { children: planned.children } : {};
  // The object of a companion's copy has been entered by the agent that makes it.
  const begun: CopyAnswer = way.length > 0 ? await ask({ op: 'enter', format: store.format, ...inTree }) : { ok: true };
  const sent = begun.ok
    ? await sendMemory(
        (function* () {
          yield* memory;
          yield* rows;
        })(),
        ports.files,
        ask,
      )
    : begun;
  const { active } = planned.cut;
  const kept = { ...(active === undefined ? {} : { active }), ...(changed === 0 ? {} : { customStep: changed }) };
  const answer = sent.ok ? await ask({ op: 'rest', session: { ...planned.session, ...kept }, custom }) : sent;
  return answer.ok ? { answer: 'done' } : { answer: 'refused', error: answer.error };
}
