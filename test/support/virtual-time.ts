/** Time that moves only when nothing else can: tests wait for nothing and see every timer. */
import type { Environment } from '../../src/engine/environment';

/** A virtual clock with its timers, and seeded tokens. */
export class VirtualTime {
  #now = 1_800_000_000_000;
  #next = 0;
  #tokens = 0;
  readonly #timers: { id: number; at: number; callback: () => void }[] = [];
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
      report: (problem, error) =>
        void this.problems.push(`${problem} ${error instanceof Error ? error.stack : (error ?? '')}`),
      ...overrides,
    };
  }

  #cancel(id: number): void {
    const at = this.#timers.findIndex((timer) => timer.id === id);
    if (at >= 0) this.#timers.splice(at, 1);
  }

  /** Lets everything run that can run without time passing. */
  async settle(): Promise<void> {
    for (let round = 0; round < 4; round++) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Runs until a condition holds, letting time pass where nothing else can happen. Fails after so many timers. */
  async until(condition: () => boolean, most = 10_000): Promise<void> {
    for (let rung = 0; rung < most; rung++) {
      await this.settle();
      if (condition()) return;
      if (!this.step())
        throw new Error(`Nothing more can happen, and what was awaited did not. ${this.problems.join('\n')}`);
    }
    throw new Error(`What was awaited did not happen within ${most} timers. ${this.problems.join('\n')}`);
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
