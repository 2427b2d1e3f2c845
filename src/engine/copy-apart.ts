/**
 * The copy of a companion in an object of its own: its memory, and that of all who come along, is sent as that of a root is.
 *
 * Decides: how often such a copy is begun anew.
 *
 * CP17. What is copied is planned first, in the turn in which the original is asked; then the root takes all of them into its
 *       record, or refuses them before anything is made; then all who come along send their memory, and the original last.
 *       So the copy is whole once its own session is there, and what a crash left of it is removed before it is made again.
 */
import { type Child, type CopySource, keyOf } from '../core/agent/child';
import { owesWork } from '../core/agent/owed-effects';
import type { AlongRequest } from '../core/tree/admission';
import { type PlannedCopy, whyNotWhole } from '../core/tree/copied-tree';
import { parseAddress } from '../protocol/address';
import { type Failure, failure, failureOf } from '../protocol/errors';
import { admissionRequest } from './admission-request';
import { requestOf } from './copy-below';
import { sendBelow } from './copy-root-below';
import { pause } from './environment';
import type { CopyAnswer } from './object-calls';
import type { ParentAgent } from './performer';
import { reach, refTo } from './reach-child';
import { type AgentAnswer, type AgentMessage, type AssignMessage, segmentOf } from './tree-messages';

/** A copy is begun anew so often that was not whole when it ended, each time after so many ms. */
const [TRIES, AGAIN_MS] = [3, 1_000];

/** A copy that is to be made: whose, and what its session begins with. */
export interface ApartCopy {
  readonly child: Child;
  readonly copyOf: CopySource;
  readonly session: AssignMessage['session'];
}

/** Who came along, or why there is no copy. `again`: it was begun, and may be whole the next time. */
type Made =
  | { readonly ok: true; readonly below: readonly AlongRequest[] }
  | { readonly ok: false; readonly error: Failure; readonly again?: true };

/** Makes a copy in an object of its own; harmless where an earlier life has made it. */
export async function copyApart(agent: ParentAgent, wanted: ApartCopy): Promise<Made> {
  for (let tried = 1; ; tried++) {
    const made = await make(agent, wanted);
    if (made.ok || !made.again || tried === TRIES) return made;
    await pause(agent.environment, AGAIN_MS);
    if (!isWanted(agent, wanted.child)) return STOPPED;
  }
}

/** Whether the copy is still to begin in the run that it is made for: it may have been stopped at any moment (SP13). */
function isWanted({ state }: ParentAgent, child: Child): boolean {
  const isSame = state.children.get(child.childId)?.sessionId === child.sessionId;
  return isSame && owesWork(state, keyOf(child), child.runNumber);
}

const lostCopy = (why: string): Failure => failure('subagent_lost', why);
const lost = (why: string): Made => ({ ok: false, error: lostCopy(why) });
const WAS_STOPPED = 'It was stopped before it was copied.';
const STOPPED = lost(WAS_STOPPED);

async function make(agent: ParentAgent, wanted: ApartCopy): Promise<Made> {
  const { child, copyOf, session } = wanted;
  const { limits } = agent.seat.rules;
  const patience = { ms: limits.childReachMs, answerMs: child.timeoutMs, signal: undefined };
  const there = await reach(agent, child, { type: 'come_along', session }, patience);
  if (there.answer === undefined) return lost(there.why);
  if (there.answer.answer === 'refused') return lost(there.answer.error.message);
  if (there.answer.answer === 'done') return { ok: true, below: [] };
  const most = limits.maxTreeChildren;
  const { depth, sessionId: parent } = agent.state.session;
  const request = { ...requestOf(child, depth + 1), parent };
  const asks = { type: 'plan_copy', session, request, placement: child.placement, most } as const;
  const said = await reach(agent, copyOf, asks, patience);
  if (said.answer === undefined) return lost(said.why);
  if (said.answer.answer === 'refused') return { ok: false, error: said.answer.error };
  const { planned } = said.answer.answer === 'done' ? said.answer : {};
  if (planned === undefined)
    return copyOf.mayBeNew ? { ok: true, below: [] } : lost(`There is nothing at ${copyOf.address} to copy.`);
  const bytes = planned.reduce((sum, one) => sum + one.bytes, 0);
  const unfit = whyNotWhole(planned.length - 1, bytes, limits);
  return unfit ? { ok: false, error: unfit } : admitAndSend(agent, wanted, planned);
}

/** Nothing is made before the record of the tree has all of it. */
async function admitAndSend(agent: ParentAgent, wanted: ApartCopy, planned: readonly PlannedCopy[]): Promise<Made> {
  const { child } = wanted;
  if (!isWanted(agent, child)) return STOPPED;
  const below = planned.slice(1).map(({ request }) => request);
  const { admissions } = await agent.link.ask({ admit: [admissionRequest(agent, child, below)] });
  const admission = admissions.find(({ childId }) => childId === child.childId);
  if (admission === undefined) return STOPPED;
  if (admission.answer === 'refused') return { ok: false, error: admission.error };
  let sent: CopyAnswer;
  try {
    sent = await sendAll(agent, wanted, planned);
  } catch (error) {
    agent.environment.report(`The copy ${child.address} could not be made as a whole.`, error);
    sent = { ok: false, error: failureOf(error, 'unavailable') };
  }
  if (sent.ok) return { ok: true, below };
  await drop(agent, planned);
  return { ok: false, error: lostCopy(sent.error.message), again: true };
}

/** Lets those who come along send their memory to the object of the copy, and the original itself at last. */
async function sendAll(
  agent: ParentAgent,
  { child, copyOf }: ApartCopy,
  planned: readonly PlannedCopy[],
): Promise<CopyAnswer> {
  const [own, ...along] = planned;
  if (own === undefined) return { ok: false, error: failure('not_found') };
  const { children } = agent.deps;
  const [copy, to] = [agent.environment.token(), refTo(child)];
  const ask = { op: 'enter', children: own.children } as const;
  if (!isWanted(agent, child)) return { ok: false, error: lostCopy(WAS_STOPPED) };
  const entered = await children.send(to, { kind: 'copy', copy, way: [], ask });
  if (!entered.ok) return entered;
  const levels = parseAddress(copyOf.address).below.length;
  const send = async (address: string, message: AgentMessage): Promise<AgentAnswer> => {
    if (!isWanted(agent, child)) return { answer: 'refused', error: lostCopy(WAS_STOPPED) };
    const path = parseAddress(address).below.slice(levels).map(segmentOf);
    return children.send(copyOf, { kind: 'agent', path, message });
  };
  const failed = await sendBelow({ send }, { copy, to, planned: along });
  if (failed) return failed;
  const answer = await send(copyOf.address, { type: 'send_copy', copy, to, way: [], planned: own });
  if (answer.answer === 'done') return { ok: true };
  return { ok: false, error: answer.answer === 'refused' ? answer.error : failure('superseded') };
}

/** Removes what there may be of a copy; facets go with what they lie in. */
async function drop({ deps, environment }: ParentAgent, planned: readonly PlannedCopy[]): Promise<void> {
  const apart = planned.filter(({ placement }, at) => at === 0 || placement.via === 'object');
  await Promise.all(
    apart.map(({ placement, session: { sessionId, address } }) =>
      deps.children
        .remove({ sessionId, address, placement })
        .catch((error: unknown) => environment.report(`What was left at ${address} goes later.`, error)),
    ),
  );
}
