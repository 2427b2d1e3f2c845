/** Time that moves only when nothing else can: tests wait for nothing and see every timer. */

import type { Environment } from '../../src/engine/environment';
import { HASHES } from './hashes';

/** How often a ring of timers is told apart from one that never ends. */
const MANY = 20_000;

/** A virtual clock with its timers, and tokens in order. */
export class VirtualTime {
  #now = 1_800_000_000_000;
  #next = 0;
  #tokens = 0;
  readonly #timers: { readonly id: number; at: number; readonly callback: () => void }[] = [];
  /** What the engine reported, as it is called in its texts. */
  readonly problems: string[] = [];

  readonly environment: Environment;

  constructor(overrides: Partial<Environment> = {}) {
    this.environment = {
      now: () => this.#now,
      token: () => `t${(++this.#tokens).toString(36).padStart(15, '0')}`,
      timer: (ms, callback) => {
        const id = this.#next++;
        this.#timers.push({ id, at: this.#now + ms, callback });
        return () => this.#cancel(id);
      },
      bindings: {},
      ...HASHES,
      report: (problem, error) =>
        void this.problems.push(`${problem} ${error instanceof Error ? error.stack : (error ?? '')}`),
      ...overrides,
    };
  }

  /** ms since 1970. */
  get now(): number {
    return this.#now;
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#timers.length;
  }

  #cancel(id: number): void {
    const at = this.#timers.findIndex((timer) => timer.id === id);
    if (at >= 0) this.#timers.splice(at, 1);
  }

  /** Sets the clock back; timers ring when they would have rung. */
  setBack(ms: number): void {
    this.#now -= ms;
    for (const timer of this.#timers) timer.at -= ms;
  }

  /** Lets everything run that can run without time passing. */
  async settle(): Promise<void> {
    for (let round = 0; round < 4; round++) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Runs until a condition holds, letting time pass where nothing else can happen. Fails after so many timers. */
  async until(condition: () => boolean, most = MANY): Promise<void> {
    for (let rung = 0; rung < most; rung++) {
      await this.settle();
      if (condition()) return;
      if (!this.step())
        throw new Error(`Nothing more can happen, and what was awaited did not. ${this.problems.join('\n')}`);
    }
    throw new Error(`What was awaited did not happen within ${most} timers. ${this.problems.join('\n')}`);
  }

  /** Runs until no timer is left. Fails when they do not end. */
  async drain(): Promise<void> {
    await this.until(() => this.#timers.length === 0, 1_000);
  }

  /** Lets so much time pass, in ms, ringing what is due in order. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.settle();
    while (this.#timers.some(({ at }) => at <= end)) {
      this.step();
      await this.settle();
    }
    this.#now = end;
  }

  /** Rings the earliest timer. */
  step(): boolean {
    if (this.#timers.length === 0) return false;
    const next = this.#timers.reduce((first, timer) =>
      timer.at < first.at || (timer.at === first.at && timer.id < first.id) ? timer : first,
    );
    this.#cancel(next.id);
    this.#now = Math.max(this.#now, next.at);
    next.callback();
    return true;
  }
}
