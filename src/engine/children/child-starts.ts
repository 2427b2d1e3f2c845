/**
 * How far children have begun, as far as this life of their parent knows: to whom nothing was sent, who waits, whose start
 * is under way, and who has answered. The child's record does not say it, because nothing is written when a start is sent.
 *
 * Keeps SP13, DG12.
 */
import { type Child, runIdOf } from '../../core/agent/children/child';
import type { AgentState } from '../../core/agent/state';

interface Beginning {
  /** Its start is under way: a stop waits for the answer, so that it cannot overtake the start. */
  readonly starting?: Promise<void>;
  /** The run that has begun: that one waits for no slot. */
  readonly begun?: string;
}

/** The beginnings of the children of one agent. */
export class Beginnings {
  readonly #earlier: ReadonlySet<string>;
  readonly #known = new Map<string, Beginning>();
  /** Those that begin when something else is done. */
  readonly #waiting = new Set<readonly Child[]>();

  /** @param state as it was when the agent came into memory: an earlier life may have begun its children */
  constructor(state: AgentState) {
    this.#earlier = new Set([...state.children.values()].map(({ sessionId }) => sessionId));
  }

  /** Whether nothing was ever sent to the session of a child, in this life or an earlier one. */
  isUnsent({ sessionId, runNumber, task }: Child): boolean {
    // One that has had a run is there, whoever remembers that.
    const isFirst = runNumber === 1 || (task.number === 1 && runNumber === task.firstRun);
    return isFirst && !this.#earlier.has(sessionId) && !this.#known.has(sessionId);
  }

  /** Waits for something that children wait for: until then they are about to begin. */
  async after(awaited: readonly Promise<unknown>[], children: readonly Child[]): Promise<void> {
    if (awaited.length === 0) return;
    this.#waiting.add(children);
    try {
      await Promise.all(awaited);
    } finally {
      this.#waiting.delete(children);
    }
  }

  /** Whether a child waits for something, and begins then. */
  waits(sessionId: string): boolean {
    return [...this.#waiting].some((children) => children.some((child) => child.sessionId === sessionId));
  }

  /** The start of a child is under way. */
  begin({ sessionId }: Child, start: Promise<void>): Promise<void> {
    const starting = start.finally(() => {
      const { starting: _starting, ...rest } = this.#known.get(sessionId) ?? {};
      if (this.#known.has(sessionId)) this.#known.set(sessionId, rest);
    });
    this.#known.set(sessionId, { ...this.#known.get(sessionId), starting });
    return starting;
  }

  /** The start of a child that is under way, if one is. */
  starting({ sessionId }: Child): Promise<void> | undefined {
    return this.#known.get(sessionId)?.starting;
  }

  /** The run of a child that is meant has begun. */
  begun(child: Child): void {
    this.#known.set(child.sessionId, { ...this.#known.get(child.sessionId), begun: runIdOf(child) });
  }

  hasBegun(child: Child): boolean {
    return this.#known.get(child.sessionId)?.begun === runIdOf(child);
  }

  /** Forgets of children what nobody asks any more. */
  keepOnly({ children }: AgentState): void {
    const sessions = new Set([...children.values()].map(({ sessionId }) => sessionId));
    for (const sessionId of this.#known.keys()) if (!sessions.has(sessionId)) this.#known.delete(sessionId);
  }
}
