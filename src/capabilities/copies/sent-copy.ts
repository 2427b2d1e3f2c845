/**
 * The copy of a companion that is in an object, or has an agent in one below it: objects are sent as a root is.
 *
 * Decides: how often such a copy is begun anew.
 *
 * CP50. A copy is planned first, in the turn in which the original is asked; then the root takes all of them into its
 *       record, or refuses them before anything is made; then all who come along send their memory, and the original last.
 *       A facet is cloned with those below it, and becomes the copy up to where that was planned when the others are there.
 *       So the copy is whole once its own session is there, and what a crash left of it is removed before it is made again.
 * CP23. Objects that are side by side hear of the copy one after the other, each when its turn comes.
 */
import { type Child, keyOf } from '../../core/agent/children/child';
import { owesWork, workId } from '../../core/agent/owed-effects';
import type { ChildRef } from '../../core/ports/child-transport';
import { admissionRequest } from '../../engine/children/admission-request';
import type { Prepared } from '../../engine/children/child-needs';
import { reach, refTo } from '../../engine/children/reach-child';
import { pause } from '../../engine/environment';
import type { ParentAgent } from '../../engine/perform/performer';
import { type AgentAnswer, segmentOf } from '../../engine/tree-messages';
import { parseAddress } from '../../protocol/address';
import { failure, failureOf } from '../../protocol/errors';
import { requestOf } from './below';
import { inTurn, SENDERS, sendBelow, sendings } from './below-root';
import { bodyOf, type CopyAnswer, copyCall, ofCopies, type SendCopyMessage } from './messages';
import { lostCopy, MADE_ALONE, nothingToCopy, type PlannedCopy, partsOf, refusedCopy, whyNotWhole } from './plan';
import { type AtMost, CopyProgress, NOT_WANTED, WAS_STOPPED } from './progress';
import type { CopiedSession, CopySource } from './source';

/** So often a copy is begun that was not whole when it ended. */
const TRIES = 3;
/** After so long, in ms, it is begun anew. */
const AGAIN_MS = 1_000;

/** A copy that is to be made: whose, and what its session begins with. */
export interface SentCopy {
  readonly child: Child;
  readonly copyOf: CopySource;
  readonly session: CopiedSession;
}

/**
 * Makes a copy in an object of its own, harmless where an earlier life has made it; or that of a facet with somebody in an
 * object below it, which lies there as a clone that is nobody's yet.
 */
export async function sendCopy(agent: ParentAgent, wanted: SentCopy, sending: AtMost): Promise<Prepared> {
  for (let tried = 1; ; tried++) {
    const made = await sending.take(() =>
      // It may have waited until others were sent.
      isWanted(agent, wanted.child) ? make(agent, wanted) : stopped(agent, wanted.child),
    );
    if (made.is !== 'lost' || !made.again || tried === TRIES) return made;
    await pause(agent.environment, AGAIN_MS);
  }
}

/** Whether the copy is still to begin in the run that it is made for: it may have been stopped at any moment (SP13). */
export function isWanted({ state }: ParentAgent, child: Child): boolean {
  const isSame = state.children.get(child.childId)?.sessionId === child.sessionId;
  return isSame && owesWork(state, keyOf(child), child.runNumber);
}

const SUPERSEDED = { ok: false, error: failure('superseded') } as const;

async function make(agent: ParentAgent, wanted: SentCopy): Promise<Prepared> {
  const { child, copyOf, session } = wanted;
  const isObject = child.placement.via === 'object';
  const { limits } = agent.seat.rules;
  const patience = patienceFor(agent, child);
  // A facet has said itself that somebody below it is in an object.
  const there = isObject ? await reach(agent, child, ofCopies({ type: 'come_along', session }), patience) : undefined;
  if (there && there.answer === undefined) return unreached(agent, child, there.why);
  if (there?.answer.answer === 'refused') return lostCopy(there.answer.error.message);
  if (there?.answer.answer === 'done') return MADE_ALONE;
  const most = limits.maxTreeChildren;
  const { depth, sessionId: parent } = agent.state.session;
  const request = { ...requestOf(child, depth + 1), parent };
  const asks = ofCopies({ type: 'plan_copy', session, request, placement: child.placement, most });
  const said = await reach(agent, copyOf, asks, patience);
  if (said.answer === undefined) return unreached(agent, child, said.why);
  if (said.answer.answer === 'refused') return refusedCopy(said.answer.error);
  const { planned } = bodyOf('plan_copy', said.answer) ?? {};
  if (planned === undefined) return nothingToCopy(isObject ? copyOf : { address: copyOf.address });
  const bytes = planned.reduce((sum, one) => sum + one.bytes, 0);
  const unfit = whyNotWhole(planned.length - 1, bytes, limits);
  return unfit ? refusedCopy(unfit) : admitAndSend(agent, wanted, planned);
}

/** It is tried until the copy is stopped. */
const patienceFor = (agent: ParentAgent, child: Child) => ({
  ms: agent.seat.rules.limits.childReachMs,
  answerMs: child.terms.timeoutMs,
  signal: agent.signalOf(workId(child)),
});

/** Who is to be asked does not answer, or has not by the time that the copy is stopped. */
async function unreached(agent: ParentAgent, child: Child, why: string): Promise<Prepared> {
  return isWanted(agent, child) ? lostCopy(why) : stopped(agent, child);
}

/** Nothing is made before the record of the tree has all of it. */
async function admitAndSend(agent: ParentAgent, wanted: SentCopy, planned: readonly PlannedCopy[]): Promise<Prepared> {
  const { child } = wanted;
  if (!isWanted(agent, child)) return stopped(agent, child);
  const below = planned.slice(1).map(({ request }) => request);
  const { admissions } = await agent.link.ask({ admit: [admissionRequest(agent, child, below)] });
  const admission = admissions.find(({ childId }) => childId === child.childId);
  if (admission === undefined) return stopped(agent, child);
  if (admission.answer === 'refused') return refusedCopy(admission.error);
  let sent: CopyAnswer;
  try {
    sent = await sendAll(agent, wanted, planned);
  } catch (error) {
    agent.environment.report(`The copy ${child.address} could not be completed.`, error);
    sent = { ok: false, error: failureOf(error, 'unavailable') };
  }
  const isStillWanted = isWanted(agent, child);
  if (sent.ok && isStillWanted) return { is: 'made', below };
  // It may have been stopped when it was whole already.
  await drop(agent, planned);
  return sent.ok || !isStillWanted ? lostCopy(WAS_STOPPED) : { ...lostCopy(sent.error.message), again: true };
}

/** It was stopped before anything was made: the clone that was asked goes. */
async function stopped({ deps }: ParentAgent, child: Child): Promise<Prepared> {
  if (child.placement.via === 'facet') await deps.children.remove(refTo(child));
  return lostCopy(WAS_STOPPED);
}

/**
 * Lets those who come along send their memory to the objects of the copy, and those whose objects they are at last. A facet
 * is cloned anew, and becomes the copy when all the others are there.
 */
async function sendAll(agent: ParentAgent, wanted: SentCopy, planned: readonly PlannedCopy[]): Promise<CopyAnswer> {
  const { child, copyOf, session } = wanted;
  const { environment, deps } = agent;
  const { facets, objects } = partsOf(planned);
  if (!isWanted(agent, child)) return NOT_WANTED;
  if (facets.length > 0) {
    await deps.children.remove(refTo(child));
    if (!(await deps.children.copy(copyOf, refTo(child)))) return SUPERSEDED;
  }
  const copy = environment.token();
  const progress = new CopyProgress<ChildRef>(
    environment,
    ({ to, way }, ask) => deps.children.send(to, copyCall({ copy, way, ask })),
    agent.signalOf(workId(child)),
  );
  const sent = await progress.until(() => sendObjects(agent, wanted, objects, { copy, progress }));
  if (!sent.ok || facets.length === 0) return sent;
  if (!isWanted(agent, child)) return NOT_WANTED;
  const message = ofCopies({ type: 'come_along', session, planned: facets });
  const { answer } = await reach(agent, child, message, patienceFor(agent, child));
  if (answer?.answer === 'refused') return { ok: false, error: answer.error };
  return bodyOf('come_along', answer)?.along ? { ok: true } : SUPERSEDED;
}

/** An object of the copy, with all below it. */
type Part = readonly [PlannedCopy, ...PlannedCopy[]];

/** Each object hears of the copy when its turn comes: where it waited for longer than nothing may come, it would erase itself (CP23). */
async function sendObjects(
  agent: ParentAgent,
  { child, copyOf }: SentCopy,
  objects: readonly Part[],
  { copy, progress }: { readonly copy: string; readonly progress: CopyProgress<ChildRef> },
): Promise<CopyAnswer> {
  const levels = parseAddress(copyOf.address).below.length;
  const { format } = agent.deps.store;
  const isOver = (): boolean => progress.over.aborted || !isWanted(agent, child);
  const sendTo = async (to: ChildRef, address: string, message: SendCopyMessage): Promise<AgentAnswer> => {
    if (isOver()) return { answer: 'refused', error: NOT_WANTED.error };
    const path = parseAddress(address).below.slice(levels).map(segmentOf);
    const answered = agent.deps.children.send(copyOf, { kind: 'agent', path, message: ofCopies(message) });
    return progress.follow({ to, way: message.way }, answered);
  };
  const atOnce = Math.min(objects.length, SENDERS);
  const failed = await inTurn(objects, atOnce, async (part) => {
    if (isOver()) return NOT_WANTED;
    const to = placeOf(part[0]);
    const entered = await progress.ask({ to, way: [] }, { op: 'enter', format, children: part[0].children });
    if (!entered.ok) return entered;
    const above = { send: (address: string, message: SendCopyMessage) => sendTo(to, address, message) };
    const [own, ...below] = sendings({ copy, to, planned: part });
    return (await sendBelow(above, below, Math.floor(SENDERS / atOnce))) ?? sendBelow(above, own ? [own] : []);
  });
  return failed ?? { ok: true };
}

/** Where one is in the copy. */
const placeOf = ({ session, placement }: PlannedCopy): ChildRef => refTo({ ...session, placement });

/** Removes what there may be of a copy; facets go with what they lie in. */
async function drop({ deps, environment }: ParentAgent, planned: readonly PlannedCopy[]): Promise<void> {
  const objects = planned.filter(({ placement }, at) => at === 0 || placement.via === 'object');
  await Promise.all(
    objects
      .map(placeOf)
      .map((place) =>
        deps.children
          .remove(place)
          .catch((error: unknown) =>
            environment.report(`The remains of a copy at ${place.address} will be removed later.`, error),
          ),
      ),
  );
}
