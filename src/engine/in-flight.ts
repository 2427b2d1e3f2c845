/**
 * What an agent owes and what of it is under way, by the ids of effects.
 *
 * Decides: how often an effect may fail.
 *
 * EG2. What is owed and not in flight is begun; what is in flight and no longer owed is aborted.
 * EG4. What nothing else counts is counted here: an effect that fails again and again is given up.
 */
import type { Effect } from '../core/agent/owed-effects';

/** An effect that failed so often in a row is given up, with what it belongs to. */
export const MAX_FAILURES = 20;

/**
 * Why an effect is aborted: one for all, as each stop aborts many, and the platform makes a new one, with a stack, where none
 * is given.
 */
const ABORTED = new DOMException('This operation was aborted', 'AbortError');

/** An effect that is to begin, and what aborts it. */
interface DueEffect {
  readonly effect: Effect;
  readonly signal: AbortSignal;
}

/** The effects of one agent. */
export class InFlight {
  readonly #controllers = new Map<string, AbortController>();
  #owed: ReadonlySet<string> = new Set();
  /** The kinds of what has begun and not ended, by id. */
  readonly #begun = new Map<string, Effect['kind']>();
  readonly #failures = new Map<string, number>();

  /** Whether an effect is still owed. */
  owes(id: string): boolean {
    return this.#owed.has(id);
  }

  /** Aborts once what is in flight is no longer owed. */
  signalOf(id: string): AbortSignal | undefined {
    return this.#controllers.get(id)?.signal;
  }

  /** What is owed from now on: aborts what is not any more, and gives what is to begin. */
  owe(effects: readonly Effect[]): DueEffect[] {
    this.#owed = new Set(effects.map(({ id }) => id));
    for (const [id, controller] of this.#controllers) {
      if (this.#owed.has(id)) continue;
      this.#controllers.delete(id);
      this.#begun.delete(id);
      controller.abort(ABORTED);
    }
    return effects.flatMap((effect) => {
      const stopping = effect.kind === 'tool' && effect.stopping;
      if (stopping) this.#controllers.get(effect.id)?.abort(ABORTED);
      if (this.#controllers.has(effect.id)) return [];
      const controller = new AbortController();
      if (stopping) controller.abort(ABORTED);
      this.#controllers.set(effect.id, controller);
      this.#begun.set(effect.id, effect.kind);
      return [{ effect, signal: controller.signal }];
    });
  }

  /** Effects were performed: whatever failed before counts no more. */
  performed(effects: readonly Effect[]): void {
    for (const { id } of effects) {
      this.#failures.delete(id);
      this.#begun.delete(id);
    }
  }

  /** An effect is not under way any more, and begins again when it is owed then. */
  release({ id }: Effect): void {
    this.#controllers.delete(id);
    this.#begun.delete(id);
  }

  /** The kinds of what is under way. */
  get kinds(): Effect['kind'][] {
    return [...this.#begun.values()];
  }

  /** Counts a failure of an effect; whether that was too often in a row (EG4). */
  failedTooOften({ id }: Effect): boolean {
    const times = (this.#failures.get(id) ?? 0) + 1;
    if (times < MAX_FAILURES) this.#failures.set(id, times);
    else this.#failures.delete(id);
    return times >= MAX_FAILURES;
  }

  /** Aborts everything: nothing is owed any more. */
  stop(): void {
    this.#owed = new Set();
    for (const controller of this.#controllers.values()) controller.abort(ABORTED);
    this.#controllers.clear();
    this.#begun.clear();
  }
}
