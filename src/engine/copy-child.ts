/**
 * Copies of children: made before any child of the same agent is given work, so that the one that is copied has no further
 * task by then (CP1).
 */
import { type Child, type CopySource, isOpen } from '../core/agent/child';
import { levelsBelow } from '../core/agent/placement';
import { workspaceOfChild } from '../core/agent/workspace-owner';
import type { AlongRequest } from '../core/tree/admission';
import { boundedText, type Failure, failureOf } from '../protocol/errors';
import { copyApart } from './copy-apart';
import type { ParentAgent } from './performer';
import { reach, refTo } from './reach-child';
import type { AssignMessage } from './tree-messages';

/** Why a copy was not made is told with so many characters. */
const MAX_WHY = 500;

/** What came of a copy: who came along, or why it was not made. `refusal`: it never will be. */
type Made =
  | { readonly ok: true; readonly below: readonly AlongRequest[] }
  | { readonly ok: false; readonly why: string; readonly refusal?: Failure };

/** A copy that is made for a run of a child. `made`: it is not under way any more. */
interface Making {
  readonly runNumber: number;
  readonly done: Promise<Made>;
  made?: Made;
}

/** The copies that one agent has made, or is making, in this life; by session. */
export class Copies {
  readonly #known = new Map<string, Making>();

  /** Makes every copy that is owed. Making one again is harmless: an earlier life may have made it. */
  async make(agent: ParentAgent): Promise<void> {
    const owed = [...agent.state.children.values()].filter((child) => child.task.copyOf && isOpen(child));
    for (const session of this.#known.keys())
      if (!owed.some(({ sessionId }) => sessionId === session)) this.#known.delete(session);
    await Promise.all(owed.map((child) => this.#make(agent, child)));
  }

  /** What failed for a run that was stopped meanwhile is made anew for the next one (R17). */
  async #make(agent: ParentAgent, child: Child): Promise<void> {
    const { sessionId, runNumber } = child;
    const before = this.#known.get(sessionId);
    if (before?.made?.ok || before?.runNumber === runNumber) {
      await before.done;
      return;
    }
    // Two at once would be in each other's way.
    const earlier = before?.done.then((made) => (made.ok ? made : copied(agent, child)));
    const done = earlier ?? copied(agent, child);
    const making: Making = { runNumber, done };
    void done.then((made) => {
      making.made = made;
    });
    this.#known.set(sessionId, making);
    await done;
  }

  /** Who comes along with a child that is a copy. */
  below({ sessionId }: Child): readonly AlongRequest[] {
    const made = this.#known.get(sessionId)?.made;
    return made?.ok ? made.below : [];
  }

  /** Why the copy that a child is to be is never made, where that was refused. */
  refusal({ sessionId }: Child): Failure | undefined {
    const made = this.#known.get(sessionId)?.made;
    return made?.ok === false ? made.refusal : undefined;
  }

  /** Whether the copy that a child is to be is under way: it begins when that is there. */
  isMaking(sessionId: string): boolean {
    const making = this.#known.get(sessionId);
    return making !== undefined && making.made === undefined;
  }

  /** Why the copy that a child is to be was not made; undefined where it was, or the child is none. */
  async whyNot({ sessionId }: Child): Promise<string | undefined> {
    const made = await this.#known.get(sessionId)?.done;
    return made?.ok === false ? made.why : undefined;
  }
}

async function copied(agent: ParentAgent, child: Child): Promise<Made> {
  const { deps, environment } = agent;
  const { copyOf } = child.task;
  try {
    if (copyOf === undefined) return { ok: true, below: [] };
    if (copyOf.placement.via === 'object') return await apart(agent, child, copyOf);
    if (await deps.children.copy(copyOf, refTo(child)))
      return (await comesAlong(agent, child)) ?? (await apart(agent, child, copyOf));
    return copyOf.mayBeNew
      ? { ok: true, below: [] }
      : { ok: false, why: `There is nothing at ${copyOf.address} to copy.` };
  } catch (error) {
    environment.report(`The copy ${child.address} could not be made.`, error);
    return { ok: false, why: boundedText(failureOf(error).message, MAX_WHY) };
  }
}

/** Makes a copy in an object of its own, or one with somebody below it who is in one. */
async function apart(agent: ParentAgent, child: Child, copyOf: CopySource): Promise<Made> {
  const made = await copyApart(agent, { child, copyOf, session: sessionOf(agent, child) });
  if (made.ok) return { ok: true, below: made.below };
  const { error } = made;
  const why = boundedText(error.message, MAX_WHY);
  return { ok: false, why, ...(error.code === 'subagent_lost' ? {} : { refusal: error }) };
}

/** Lets what is below a copy become the copy's own; undefined where somebody of that is in an object. */
async function comesAlong(agent: ParentAgent, child: Child): Promise<Made | undefined> {
  const message = { type: 'come_along', session: sessionOf(agent, child) } as const;
  const patience = { ms: agent.seat.rules.limits.childReachMs, answerMs: child.timeoutMs, signal: undefined };
  const reached = await reach(agent, child, message, patience);
  const { answer } = reached;
  if (answer === undefined) return { ok: false, why: reached.why };
  if (answer.answer === 'refused') return { ok: false, why: answer.error.message };
  if (answer.answer === 'done' && answer.apart) return undefined;
  return { ok: true, below: (answer.answer === 'done' && answer.along?.below) || [] };
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
