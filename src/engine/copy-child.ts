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

/** The copies that one agent has made, or is making, in this life; by session. */
export class Copies {
  readonly #known = new Map<string, Promise<string | undefined>>();
  readonly #below = new Map<string, readonly AlongRequest[]>();
  readonly #refused = new Map<string, Failure>();
  readonly #making = new Set<string>();

  /** Makes every copy that is owed. Making one again is harmless: an earlier life may have made it. */
  async make(agent: ParentAgent): Promise<void> {
    const { state, deps, environment } = agent;
    const owed = [...state.children.values()].filter((child) => child.task.copyOf && isOpen(child));
    for (const session of this.#known.keys())
      if (!owed.some(({ sessionId }) => sessionId === session)) {
        this.#known.delete(session);
        this.#below.delete(session);
        this.#refused.delete(session);
      }
    await Promise.all(
      owed.map((child) => {
        const { sessionId, address, task } = child;
        const copied = async (): Promise<string | undefined> => {
          try {
            const { copyOf } = task;
            if (copyOf === undefined) return undefined;
            if (copyOf.placement.via === 'object') return await this.#apart(agent, child, copyOf);
            if (await deps.children.copy(copyOf, refTo(child))) return await this.#comesAlong(agent, child);
            return copyOf.mayBeNew ? undefined : `There is nothing at ${copyOf.address} to copy.`;
          } catch (error) {
            environment.report(`The copy ${address} could not be made.`, error);
            return boundedText(failureOf(error).message, MAX_WHY);
          } finally {
            this.#making.delete(sessionId);
          }
        };
        if (!this.#known.has(sessionId)) this.#making.add(sessionId);
        const known = this.#known.get(sessionId) ?? copied();
        this.#known.set(sessionId, known);
        return known;
      }),
    );
  }

  /** Makes a copy in an object of its own; or why it cannot be made. */
  async #apart(agent: ParentAgent, child: Child, copyOf: CopySource): Promise<string | undefined> {
    const made = await copyApart(agent, { child, copyOf, session: sessionOf(agent, child) });
    if (made.ok) {
      this.#below.set(child.sessionId, made.below);
      return undefined;
    }
    const { error } = made;
    if (error.code !== 'subagent_lost') this.#refused.set(child.sessionId, error);
    return boundedText(error.message, MAX_WHY);
  }

  /** Lets what is below a copy become the copy's own; or why it cannot. */
  async #comesAlong(agent: ParentAgent, child: Child): Promise<string | undefined> {
    const message = { type: 'come_along', session: sessionOf(agent, child) } as const;
    const patience = { ms: agent.seat.rules.limits.childReachMs, answerMs: child.timeoutMs, signal: undefined };
    const reached = await reach(agent, child, message, patience);
    const { answer } = reached;
    if (answer === undefined) return reached.why;
    if (answer.answer === 'refused') return answer.error.message;
    this.#below.set(child.sessionId, (answer.answer === 'done' && answer.along?.below) || []);
    return undefined;
  }

  /** Who comes along with a child that is a copy. */
  below({ sessionId }: Child): readonly AlongRequest[] {
    return this.#below.get(sessionId) ?? [];
  }

  /** Why the copy that a child is to be is never made, where that was refused. */
  refusal({ sessionId }: Child): Failure | undefined {
    return this.#refused.get(sessionId);
  }

  /** Whether the copy that a child is to be is under way: it begins when that is there. */
  isMaking(sessionId: string): boolean {
    return this.#making.has(sessionId);
  }

  /** Why the copy that a child is to be was not made; undefined where it was, or the child is none. */
  whyNot({ sessionId }: Child): Promise<string | undefined> | undefined {
    return this.#known.get(sessionId);
  }
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
