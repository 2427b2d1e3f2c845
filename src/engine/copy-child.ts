/**
 * Copies of children: each is made before the one that is copied is given further work (CP1), and begins when it is there.
 *
 * Decides: how long the end of a copy that never begins waits until what there is of it is gone.
 * Keeps CP18, CP19, CP25.
 */
import { type Child, type CopySource, isOpen } from '../core/agent/child';
import { levelsBelow } from '../core/agent/placement';
import { workspaceOfChild } from '../core/agent/workspace-owner';
import { COPIES_AT_ONCE } from '../core/tree/copied-tree';
import { lostCopy, type MadeCopy, nothingToCopy } from '../core/tree/made-copy';
import { failureOf } from '../protocol/errors';
import { copyApart, isWanted } from './copy-apart';
import { WAS_STOPPED } from './copy-progress';
import { inTime } from './environment';
import { AtMost } from './pacing';
import type { ParentAgent } from './performer';
import { reach, refTo } from './reach-child';
import type { AssignMessage } from './tree-messages';

/** What there is of a copy that never begins is removed within this, in ms, or its task ends before that. */
const REMOVED_MS = 4_250;

/** A copy that is made for a run of a child, and of whom. `made`: it is not under way any more. `givenUp`: nobody will be it. */
interface Making {
  readonly runNumber: number;
  readonly of: string;
  readonly done: Promise<MadeCopy>;
  made?: MadeCopy;
  givenUp?: true;
}

/** The copies that one agent has made, or is making, in this life; by session. */
export class Copies {
  readonly #known = new Map<string, Making>();
  /** Memory that is sent takes long, and much of the objects that send it. */
  readonly #sending = new AtMost(COPIES_AT_ONCE);

  /** Begins to make every copy that is owed. Making one again is harmless: an earlier life may have made it. */
  make(agent: ParentAgent): void {
    const owed = [...agent.state.children.values()].filter((child) => child.task.copyOf && isOpen(child));
    // What is still made is in the way of whoever begins in its place.
    for (const [session, { made }] of this.#known)
      if (made && !owed.some(({ sessionId }) => sessionId === session)) this.#known.delete(session);
    for (const child of owed) if (child.task.copyOf) this.#make(agent, child, child.task.copyOf);
  }

  /** What failed for a run that was stopped meanwhile is made anew for the next one (R17). */
  #make(agent: ParentAgent, child: Child, copyOf: CopySource): void {
    const { sessionId, runNumber } = child;
    const before = this.#known.get(sessionId);
    if (before?.made?.is === 'made' || before?.runNumber === runNumber || !isWanted(agent, child)) return;
    const { promise: done, resolve } = Promise.withResolvers<MadeCopy>();
    const making: Making = { runNumber, of: copyOf.sessionId, done };
    this.#known.set(sessionId, making);
    const ends = (made: MadeCopy): void => {
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

  /** What a child waits for before it begins: the copy that it is to be, and those that are made of it (CP1). */
  awaited({ sessionId }: Child): Promise<unknown>[] {
    const making = [...this.#known].filter(([, { made }]) => made === undefined);
    return making.filter(([copy, { of }]) => copy === sessionId || of === sessionId).map(([, { done }]) => done);
  }

  /** What came of the copy that a child is to be; undefined while it is made, and of one that is to be none. */
  made({ sessionId }: Child): MadeCopy | undefined {
    return this.#known.get(sessionId)?.made;
  }
}

/** Removes what there is of a copy; what cannot be removed in time goes when it leaves the record. */
async function remove({ deps, environment }: ParentAgent, child: Child): Promise<void> {
  await inTime(environment, REMOVED_MS, deps.children.remove(refTo(child))).catch((error: unknown) =>
    environment.report(`What was left at ${child.address} goes later.`, error),
  );
}

async function copied(agent: ParentAgent, child: Child, copyOf: CopySource, sending: AtMost): Promise<MadeCopy> {
  const { deps, environment } = agent;
  const apart = (): Promise<MadeCopy> => copyApart(agent, { child, copyOf, session: sessionOf(agent, child) }, sending);
  try {
    if (copyOf.placement.via === 'object') return await apart();
    if (!(await deps.children.copy(copyOf, refTo(child)))) return nothingToCopy(copyOf);
    return (await comesAlong(agent, child, copyOf)) ?? (await apart());
  } catch (error) {
    environment.report(`The copy ${child.address} could not be made.`, error);
    return lostCopy(failureOf(error).message);
  }
}

/** Lets what is below a copy become the copy's own; undefined where somebody of that is in an object. */
async function comesAlong(agent: ParentAgent, child: Child, copyOf: CopySource): Promise<MadeCopy | undefined> {
  const message = { type: 'come_along', session: sessionOf(agent, child) } as const;
  const patience = { ms: agent.seat.rules.limits.childReachMs, answerMs: child.timeoutMs, signal: undefined };
  const reached = await reach(agent, child, message, patience);
  const { answer } = reached;
  if (answer === undefined) return lostCopy(reached.why);
  if (answer.answer === 'refused') return lostCopy(answer.error.message);
  // The original has not begun, and what lies in its place is somebody else's, whose copy it is to be.
  if (answer.answer === 'absent') {
    await agent.deps.children.remove(refTo(child));
    return nothingToCopy(copyOf);
  }
  if (answer.answer === 'done' && answer.apart) return undefined;
  return { is: 'made', below: (answer.answer === 'done' && answer.along?.below) || [] };
}

/** The session that a child begins with. */
export function sessionOf({ state: { session }, seat }: ParentAgent, child: Child): AssignMessage['session'] {
  const { sessionId, address, root } = session;
  const gives = child.gives ? { givesFiles: true as const } : {};
  const workspace = workspaceOfChild(child, session, seat.workspace);
  return {
    sessionId: child.sessionId,
    agentType: child.agentType,
    address: child.address,
    root,
    ...levelsBelow(session, child.placement.via),
    parent: { sessionId, address },
    ...(workspace ? { workspace } : {}),
    ...namesOf(child),
    ...gives,
    ...(child.mayRead ? { mayRead: true as const } : {}),
    ...copyFactsOf(child.task),
  };
}

/** What the session of a child is called, where its parent's model has called it something. */
function namesOf({ registered }: Child): Pick<AssignMessage['session'], 'tags' | 'displayName'> {
  const { threadName } = registered ?? {};
  return threadName === undefined ? { tags: [] } : { displayName: threadName, tags: [`name:${threadName}`] };
}

/** Whom the session of a child begins as a copy of. */
function copyFactsOf({ copyOf }: Child['task']): Pick<AssignMessage['session'], 'copyOf'> {
  if (copyOf === undefined) return {};
  const { placement: _placement, runNumber: _run, ...original } = copyOf;
  return { copyOf: original };
}
