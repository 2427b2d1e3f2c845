/**
 * Copies of children: each is made before the one that is copied is given further work (CP26), and begins when it is there.
 *
 * Decides: where a copy is made, by which it is cloned or sent; how long the end of a copy that never begins waits until its parts are removed.
 * Keeps CP18, CP19, CP25, CP56, CP57.
 */
import { type Child, isOpen } from '../../core/agent/children/child';
import type { Prepared, Preparing } from '../../engine/children/child-needs';
import { sessionOf } from '../../engine/children/child-session';
import { reach, refTo } from '../../engine/children/reach-child';
import { inTime } from '../../engine/environment';
import type { ParentAgent } from '../../engine/perform/performer';
import { failureOf } from '../../protocol/errors';
import { bodyOf, ofCopies } from './messages';
import { COPIES_AT_ONCE, lostCopy, nothingToCopy } from './plan';
import { AtMost, WAS_STOPPED } from './progress';
import { isWanted, sendCopy } from './sent-copy';
import { type CopiedSession, type CopySource, sourceOf } from './source';

/** What there is of a copy that never begins is removed within this, in ms, or its task ends before that. */
const REMOVED_MS = 4_250;

/** A copy that is made for a run of a child, and of whom. `made`: it is not under way any more. `givenUp`: nobody will be it. */
interface Making {
  readonly runNumber: number;
  readonly of: string;
  readonly done: Promise<Prepared>;
  made?: Prepared;
  givenUp?: true;
}

/** The copies that one agent has made, or is making, in this life; by session. */
export class Copies implements Preparing<ParentAgent> {
  readonly #known = new Map<string, Making>();
  /** Memory that is sent takes long, and much of the objects that send it. */
  readonly #sending = new AtMost(COPIES_AT_ONCE);

  /** Begins to make every copy that is pending. Making one again is harmless: an earlier life may have made it. */
  prepare(agent: ParentAgent): void {
    const needs = [...agent.state.children.values()].flatMap((child) => {
      const of = isOpen(child) ? sourceOf(agent.state, child) : undefined;
      return of ? [{ child, of }] : [];
    });
    // A copy that is still being made keeps its place.
    for (const [session, { made }] of this.#known)
      if (made && !needs.some(({ child }) => child.sessionId === session)) this.#known.delete(session);
    for (const { child, of } of needs) this.#make(agent, child, of);
  }

  /** A copy that failed because its run was stopped is made anew for the next run (R17). */
  #make(agent: ParentAgent, child: Child, copyOf: CopySource): void {
    const { sessionId, runNumber } = child;
    const before = this.#known.get(sessionId);
    if (before?.made?.is === 'made' || before?.runNumber === runNumber || !isWanted(agent, child)) return;
    const { promise: done, resolve } = Promise.withResolvers<Prepared>();
    const making: Making = { runNumber, of: copyOf.sessionId, done };
    this.#known.set(sessionId, making);
    const ends = (made: Prepared): void => {
      making.made = made;
      resolve(made);
    };
    const make = async (): Promise<void> => {
      // Two at once would be in each other's way.
      const known = await before?.done;
      const made = known?.is === 'made' ? known : await copied(agent, child, copyOf, this.#sending);
      if (!making.givenUp) return ends(made);
      await remove(agent, child);
      ends(lostCopy(WAS_STOPPED));
    };
    void make();
  }

  /** A child has never begun, and never will: what there is of the copy that it was to be goes, at the latest when that is made. */
  async giveUp(agent: ParentAgent, child: Child): Promise<void> {
    const known = this.#known.get(child.sessionId);
    if (known && known.made === undefined) known.givenUp = true;
    else await remove(agent, child);
  }

  /** What a child waits for before it begins: the copy that it is to be, and those that are made of it (CP56). */
  awaited({ sessionId }: Child): Promise<unknown>[] {
    const making = [...this.#known].filter(([, { made }]) => made === undefined);
    return making.filter(([copy, { of }]) => copy === sessionId || of === sessionId).map(([, { done }]) => done);
  }

  /** What came of the copy that a child is to be; undefined while it is made, and of one that is to be none. */
  prepared({ sessionId }: Child): Prepared | undefined {
    return this.#known.get(sessionId)?.made;
  }
}

/** Removes what there is of a copy; what cannot be removed in time goes when it leaves the record. */
async function remove({ deps, environment }: ParentAgent, child: Child): Promise<void> {
  await inTime(environment, REMOVED_MS, deps.children.remove(refTo(child))).catch((error: unknown) =>
    environment.report(`The remains of a copy at ${child.address} will be removed later.`, error),
  );
}

async function copied(agent: ParentAgent, child: Child, copyOf: CopySource, sending: AtMost): Promise<Prepared> {
  const { deps, environment } = agent;
  const sent = (): Promise<Prepared> =>
    sendCopy(agent, { child, copyOf, session: copySession(agent, child, copyOf) }, sending);
  try {
    if (copyOf.placement.via === 'object') return await sent();
    if (!(await deps.children.copy(copyOf, refTo(child)))) return nothingToCopy(copyOf);
    return (await askToComeAlong(agent, child, copyOf)) ?? (await sent());
  } catch (error) {
    environment.report(`The copy ${child.address} could not be made.`, error);
    return lostCopy(failureOf(error).message);
  }
}

/** Lets what is below a copy become the copy's own; undefined where somebody of that is in an object. */
async function askToComeAlong(agent: ParentAgent, child: Child, copyOf: CopySource): Promise<Prepared | undefined> {
  const message = ofCopies({ type: 'come_along', session: copySession(agent, child, copyOf) });
  const patience = { ms: agent.seat.rules.limits.childReachMs, answerMs: child.terms.timeoutMs, signal: undefined };
  const reached = await reach(agent, child, message, patience);
  const { answer } = reached;
  if (answer === undefined) return lostCopy(reached.why);
  if (answer.answer === 'refused') return lostCopy(answer.error.message);
  // The original has not begun, and what lies in its place is somebody else's, whose copy it is to be.
  if (answer.answer === 'absent') {
    await agent.deps.children.remove(refTo(child));
    return nothingToCopy(copyOf);
  }
  const { needsPlan, along } = bodyOf('come_along', answer) ?? {};
  return needsPlan ? undefined : { is: 'made', below: along?.below ?? [] };
}

/** The session that a child begins with as a copy. */
function copySession(agent: ParentAgent, child: Child, of: CopySource): CopiedSession {
  const { placement: _placement, runNumber: _run, ...copyOf } = of;
  return { ...sessionOf(agent, child), copyOf };
}
