/**
 * The alarm of a tree as the platform has it: a job of the root's own Lifecycle. It only rings; when, and whom it wakes, is
 * decided in `engine/root/alarm.ts`.
 */
import { LifecycleCapability } from 'agents/lifecycle';

const JOB = 'sweep';

/** Rings a callback at a time, also after a crash. Only for top-level objects: a facet has no alarm. */
export class TreeAlarm extends LifecycleCapability {
  readonly #ring: () => Promise<void>;

  constructor(ring: () => Promise<void>) {
    super('offshoot');
    this.#ring = ring;
  }

  /** Sets the alarm, in ms since 1970, or takes it back; what was set before is replaced. */
  arm(time: number | undefined): void {
    const { jobs } = this.lifecycle;
    const set: Promise<unknown> = time === undefined ? jobs.cancel(JOB) : jobs.push({ id: JOB, fn: JOB, time });
    set.catch((error: unknown) => {
      console.error('offshoot: the alarm could not be set.', error);
    });
  }

  async onJob(): Promise<void> {
    await this.#ring();
  }
}
