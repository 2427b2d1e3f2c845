/**
 * Requests that come together are taken together.
 *
 * Decides: how long a request to the root waits for others.
 *
 * RT6. The platform commits once for all that is written in one turn, and each commit waits for the disk. So where several
 *     agents work, a request waits a moment for others; a tree with few keeps nobody waiting.
 */
import type { Environment } from '../environment';

/** With fewer agents at work than these there is nobody to wait for. */
export const FEW_AT_WORK = 4;
/** The shortest time after which a timer rings, in ms. */
const MOMENT_MS = 1;

/** Brings those who come within a moment into one turn, in the order in which they came. */
export class Gathering {
  #together: Promise<void> | undefined;

  constructor(readonly environment: Environment) {}

  /** Resolves when it is the turn of whoever has come; `working` agents are at work. */
  async come(working: number): Promise<void> {
    if (this.#together === undefined && working < FEW_AT_WORK) return;
    this.#together ??= new Promise((resolve) => {
      this.environment.timer(MOMENT_MS, () => {
        this.#together = undefined;
        resolve();
      });
    });
    await this.#together;
  }
}
