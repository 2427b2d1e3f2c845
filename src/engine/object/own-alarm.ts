/**
 * The alarm of a child's own object. It only wakes: what is owed is derived from the store when the object
 * comes into memory.
 *
 * OP5. It is set while the agent owes anything, its end included: so it takes its work up after a loss of its object alone, also while
 *     its root cannot be reached. One that waits, for a person or for others, or is done has none.
 * OP11. One that is no part of the tree, as its root has said, owes its own end: it is set until the object is gone.
 */
import type { Environment } from '../environment';

/** The delay of the alarm of an agent at work, in ms. One that begins to wait is rung once more, and no later. */
export const BEAT_MS = 3_000;

/** What an alarm needs. */
export interface OwnAlarmDeps {
  readonly environment: Pick<Environment, 'now'>;
  /** Sets the alarm, in ms since 1970. */
  arm(time: number): void;
  /** Whether the agent owes anything now. */
  isOwed(): boolean;
}

/** Sets it, and sets it again. */
export class OwnAlarm {
  #at: number | undefined;

  constructor(readonly deps: OwnAlarmDeps) {}

  /** The agent has committed something: what it owes from now on is not known to be done. */
  committed(): void {
    const at = this.deps.environment.now() + BEAT_MS;
    if (this.#at === undefined || this.#at > at) this.#arm(at);
  }

  /** The agent does nothing before that time, in ms since 1970. */
  rests(until: number): void {
    this.#arm(until);
  }

  #arm(at: number): void {
    this.#at = at;
    this.deps.arm(at);
  }

  /** Whether it is to ring for what the agent owes. */
  get isSet(): boolean {
    return this.#at !== undefined;
  }

  /** It has rung. */
  rang(): void {
    this.#at = undefined;
    if (this.deps.isOwed()) this.committed();
  }
}
