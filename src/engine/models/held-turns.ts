/**
 * The requests to models before which an agent asks for a turn, and the turns that it waits for; in memory alone.
 *
 * Keeps MT1, MT7.
 */
import type { AsksFirst } from '../../core/tree/lease';

/** The turns of one agent. */
export class HeldTurns {
  #asksFirst: AsksFirst;
  readonly #awaited = new Map<string, () => void>();
  #count = 0;
  #calls = 0;
  /** The turn that a step has before it has made its request. */
  ahead: string | undefined;
  /** Until when its step rests, in ms since 1970. */
  restsUntil: number | undefined;
  readonly #rung = new Set<() => void>();
  /** Since when it waits for its turn at a provider that refuses, in ms since 1970. */
  waitingSince: number | undefined;

  constructor(asksFirst: AsksFirst = []) {
    this.#asksFirst = asksFirst;
  }

  /** The root has said before which requests it asks. */
  take(asksFirst: AsksFirst = []): void {
    this.#asksFirst = asksFirst;
  }

  /** True where it sends every request at once. */
  get isFree(): boolean {
    return this.#asksFirst.length === 0;
  }

  asksFor(provider: string): boolean {
    return this.#asksFirst === 'everybody' || this.#asksFirst.includes(provider);
  }

  /** True while a request is under way. */
  get calls(): boolean {
    return this.#calls > 0;
  }

  /** True where the root counts its requests. */
  get isCounted(): boolean {
    return this.#asksFirst === 'everybody';
  }

  /** The turn that a step has already. */
  takeAhead(): string | undefined {
    const { ahead } = this;
    this.ahead = undefined;
    return ahead;
  }

  /** A name for the next turn. */
  nextId(): string {
    return `turn ${++this.#count}`;
  }

  /** A message says that it has its turn; whether it still waits for that. */
  has(id: string): boolean {
    const go = this.#awaited.get(id);
    go?.();
    return go !== undefined;
  }

  /** Waits for the message that it has its turn; `end` ends that. */
  await(id: string): { readonly turn: Promise<true>; end(): void } {
    const turn = new Promise<true>((resolve) => this.#awaited.set(id, () => resolve(true)));
    return { turn, end: () => void this.#awaited.delete(id) };
  }

  /** The alarm has rung, of the root or its own. */
  ring(): void {
    for (const go of [...this.#rung]) go();
  }

  /** Waits until the alarm rings; at the signal that ends at once. */
  async rung(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#rung.add(resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise.finally(() => this.#rung.delete(resolve));
  }

  /** Runs a request. */
  async during<Reply>(request: () => Promise<Reply>): Promise<Reply> {
    this.#calls++;
    try {
      return await request();
    } finally {
      this.#calls--;
    }
  }
}
