/**
 * Copies of children: made before any child of the same agent is given work, so that the one that is copied has no further
 * task by then (CP1).
 */
import { type Child, isOpen } from '../core/agent/child';
import type { AgentState } from '../core/agent/state';
import type { ChildRef } from '../core/ports/child-transport';
import { boundedText, failureOf } from '../protocol/errors';
import type { Environment } from './environment';

/** Why a copy was not made is told with so many characters. */
const MAX_WHY = 500;

/** An agent that makes copies of its children. */
interface CopyingAgent {
  readonly state: Pick<AgentState, 'children'>;
  readonly environment: Pick<Environment, 'report'>;
  readonly deps: { readonly children: { copy(source: ChildRef, child: ChildRef): Promise<boolean> } };
}

/** The copies that one agent has made, or is making, in this life; by session. */
export class Copies {
  readonly #known = new Map<string, Promise<string | undefined>>();

  /** Makes every copy that is owed. Making one again is harmless: an earlier life may have made it. */
  async make({ state, deps, environment }: CopyingAgent): Promise<void> {
    const owed = [...state.children.values()].filter((child) => child.task.copyOf && isOpen(child));
    for (const session of this.#known.keys())
      if (!owed.some(({ sessionId }) => sessionId === session)) this.#known.delete(session);
    await Promise.all(
      owed.map((child) => {
        const { sessionId, address, placement, task } = child;
        const copied = async (): Promise<string | undefined> => {
          try {
            const { copyOf } = task;
            if (copyOf === undefined || (await deps.children.copy(copyOf, { address, placement }))) return undefined;
            return copyOf.mayBeNew ? undefined : `There is nothing at ${copyOf.address} to copy.`;
          } catch (error) {
            environment.report(`The copy ${address} could not be made.`, error);
            return boundedText(failureOf(error).message, MAX_WHY);
          }
        };
        const known = this.#known.get(sessionId) ?? copied();
        this.#known.set(sessionId, known);
        return known;
      }),
    );
  }

  /** Why the copy that a child is to be was not made; undefined where it was, or the child is none. */
  whyNot({ sessionId }: Child): Promise<string | undefined> | undefined {
    return this.#known.get(sessionId);
  }
}
