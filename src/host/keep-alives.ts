/**
 * Keep-alives that agents below the root hold at the root.
 *
 * Keeps F13.
 *
 * - One whose agent was aborted, deleted or restarted is let go with the next beat of the root: nobody is left who
 *     could do it, and the root would wake every 30 s for ever.
 */
import type { AgentPath } from './sdk-internals';

/** What the root does about keep-alives. */
export interface KeepAliveDeps {
  /** How many an agent holds now. Throws when it is not there. */
  held(path: AgentPath): Promise<number>;
  release(token: string): Promise<void>;
}

/** The keep-alives of one tree, in the memory of its root. */
export class KeepAlives {
  readonly #owners = new Map<string, AgentPath>();

  constructor(readonly deps: KeepAliveDeps) {}

  /** An agent holds one more. */
  taken(token: string, owner: AgentPath): void {
    this.#owners.set(token, owner);
  }

  /** One was let go. */
  released(token: string): void {
    this.#owners.delete(token);
  }

  /** Asks each agent how many it holds, and lets go of those that it does not know. */
  async check(): Promise<void> {
    const byOwner = Map.groupBy(this.#owners, ([, owner]) => JSON.stringify(owner));
    await Promise.all(
      [...byOwner.values()].map(async (tokens) => {
        const [first] = tokens;
        // One that cannot be reached holds nothing: its memory is gone.
        const held = first === undefined ? 0 : await this.deps.held(first[1]).catch(() => 0);
        // The oldest are let go: an agent that was started anew has taken what it holds since then.
        for (const [token] of tokens.slice(0, Math.max(0, tokens.length - held))) await this.deps.release(token);
      }),
    );
  }
}
