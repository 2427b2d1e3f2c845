/**
 * The alarm of a tree as the platform has it: a job of the root's own Lifecycle. It only rings; when, and whom it
 * wakes, is decided in `engine/root/alarm.ts`.
 *
 * Keeps F12, B4.
 *
 * The SDK works through what is due one by one and waits for each: a callback of the author's that takes long would hold up
 * the tree's deadlines, stops and recovery. So as long as the SDK's alarm is at work, what is due of the tree's is rung beside it.
 */
import { LifecycleCapability } from 'agents/lifecycle';

const JOB = 'sweep';
/** So often, in ms, it is looked at beside the SDK's alarm. */
const LOOK_MS = 500;

/** Rings a callback at a time, also after a crash. Only for top-level objects: a facet has no alarm. */
export class TreeAlarm extends LifecycleCapability {
  readonly #ring: () => Promise<void>;
  #ringing = false;

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
    this.#ringing = true;
    try {
      await this.#ring();
    } finally {
      this.#ringing = false;
    }
  }

  /** Does what the SDK's alarm does, and rings beside it as soon as that is due, whatever that one waits for. */
  async beside(work: () => Promise<void>): Promise<void> {
    const looks = setInterval(() => {
      this.#look().catch((error: unknown) => {
        console.error('offshoot: the alarm could not run while another was running; it is tried again.', error);
      });
    }, LOOK_MS);
    try {
      await work();
    } finally {
      clearInterval(looks);
    }
  }

  async #look(): Promise<void> {
    const { jobs } = this.lifecycle;
    const due = this.#ringing ? undefined : jobs.get(JOB);
    if (due === undefined || due.time > Date.now()) return;
    await this.onJob();
    // What was not set anew has rung: the SDK takes it from the queue only where it rang itself.
    if (jobs.get(JOB)?.time === due.time) await jobs.cancel(JOB);
  }
}
