/**
 * What children need of capabilities before they begin. Each need is a row of a capability in the slice of the parent, with
 * the id of the child; the row goes when the first task of the child is over.
 *
 * Keeps CB1, CB8.
 */
import type { Child } from '../../core/agent/children/child';
import { type AgentState, needOf } from '../../core/agent/state';
import type { Capability } from '../capability';
import type { Prepared, Preparing } from './child-needs';

/** The parent of the children, as far as this file knows it. */
interface Parent {
  readonly state: AgentState;
}

/** Prepares children for all capabilities. */
export class ChildPreparation implements Preparing<Parent> {
  readonly #all: readonly { readonly name: string; readonly preparing: Preparing<unknown> }[];

  constructor(capabilities: readonly Capability[]) {
    this.#all = capabilities.flatMap(({ name, beforeChildren }) =>
      beforeChildren ? [{ name, preparing: beforeChildren() }] : [],
    );
  }

  prepare(agent: Parent): void {
    for (const { preparing } of this.#all) preparing.prepare(agent);
  }

  awaited(child: Child): readonly Promise<unknown>[] {
    return this.#all.flatMap(({ preparing }) => preparing.awaited(child));
  }

  prepared(child: Child): Prepared | undefined {
    for (const { preparing } of this.#all) {
      const prepared = preparing.prepared(child);
      if (prepared) return prepared;
    }
    return undefined;
  }

  async giveUp(agent: Parent, child: Child): Promise<void> {
    const need = needOf(agent.state, child);
    await this.#all.find(({ name }) => name === need?.capability)?.preparing.giveUp(agent, child);
  }
}
