/**
 * Callbacks of the SDK's schedules side by side: a slow one of one agent does not hold up those of others.
 *
 * Decides: how many callbacks of a tree run at one time, and when the SDK's queue continues without one.
 * Keeps F23, F24.
 *
 * The SDK works through what is due one by one. A callback that takes longer than `GRACE_MS` leaves that queue: its job
 * is set to a later time, which is renewed while the callback runs, so a crash starts it again as the SDK would. The
 * alarm that has begun it ends after it, since an object without an alarm at work may leave memory. Where an alarm is lost,
 * `core/tree/wakes/root-wakes.ts` decides who wakes its root.
 */
import type { JobQueue, ScheduledJob, ScheduleOutcome, ScheduleQueue } from './sdk-internals';

/** Callbacks of one tree that run beside the SDK's queue. */
export const MAX_BESIDE = 16;
/** The SDK's queue waits for a callback at most so long, in ms. */
const GRACE_MS = 100;
/** A callback that runs is due again after so long, in ms, unless it has ended by then. */
const LEASE_MS = 30_000;
/** A callback for which there is no place is looked at again after so long, in ms; so is what came due since then. */
const LOOK_MS = 500;

const LATE = Symbol('late');

/** The parts of its object that this needs. */
export interface BesideDeps {
  now(): number;
  /** The physical alarm, in ms since 1970. */
  alarm(): Promise<number | null>;
  /** True for a failure of the platform, after which the callback runs again. */
  isPlatform(error: unknown): boolean;
}

/** The callbacks of one tree that run. */
export class SchedulesBeside {
  /** By the id of their job. */
  readonly #running = new Map<string, Promise<void>>();

  constructor(
    readonly queue: ScheduleQueue,
    readonly deps: BesideDeps,
  ) {
    const onJob = queue.onJob.bind(queue);
    queue.onJob = (context) => this.#onJob(context, onJob);
  }

  /** Rings the SDK's alarm, and again for whatever comes due while callbacks run; resolves once none runs. */
  async alarms(ring: () => Promise<void>): Promise<void> {
    await ring();
    while (this.#running.size > 0) {
      await orAfter(LOOK_MS, Promise.race(this.#running.values()));
      const next = await this.deps.alarm();
      if (next !== null && next <= this.deps.now()) await ring();
    }
  }

  async #onJob(context: ScheduledJob, onJob: ScheduleQueue['onJob']): Promise<ScheduleOutcome> {
    const { id } = context.job;
    if (this.#running.has(id)) return this.#later(LEASE_MS);
    if (this.#running.size >= MAX_BESIDE) return this.#later(LOOK_MS);
    const first = onJob(context);
    // Held while it is not known to be slow, so that the places are not given twice.
    const held = first.then(
      () => undefined,
      () => undefined,
    );
    this.#running.set(id, held);
    const outcome = await orAfter(GRACE_MS, first).catch((error: unknown) => {
      this.#running.delete(id);
      throw error;
    });
    if (outcome !== LATE) {
      this.#running.delete(id);
      return outcome;
    }
    const lease = this.#later(LEASE_MS);
    const jobs = this.queue.lifecycle.jobs;
    const ended = this.#ended(context, first, onJob).then((end) => this.#apply(jobs, id, end));
    const done = ended.catch((error: unknown) => console.error(`offshoot: the job ${id} could not be ended.`, error));
    this.#running.set(
      id,
      done.finally(() => this.#running.delete(id)),
    );
    return lease;
  }

  #later(ms: number): { rescheduleAt: number } {
    return { rescheduleAt: this.deps.now() + ms };
  }

  /** Resolves with the outcome for the SDK's queue: it repeats a callback that fails, with a growing wait. */
  async #ended(
    context: ScheduledJob,
    first: Promise<ScheduleOutcome>,
    onJob: ScheduleQueue['onJob'],
  ): Promise<ScheduleOutcome> {
    const { job } = context;
    const { maxAttempts = 3, baseDelayMs = 100, maxDelayMs = 3_000 } = job.retry ?? {};
    let run = first;
    for (let { attempt } = context; ; attempt++) {
      try {
        return await run;
      } catch (error) {
        if (this.deps.isPlatform(error)) return this.#later(0);
        if (attempt >= maxAttempts) return await this.queue.onJobError({ job, attempt }, error);
      }
      await orAfter(Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1)));
      run = onJob({ job, attempt: attempt + 1 });
    }
  }

  /** A job that its author has cancelled stays so. */
  async #apply(jobs: JobQueue, id: string, outcome: ScheduleOutcome): Promise<void> {
    if (jobs.get(id) === undefined) return;
    if (typeof outcome === 'object') await jobs.reschedule(id, outcome.rescheduleAt);
    else if (outcome === 'yield') await jobs.reschedule(id, this.deps.now());
    else await jobs.cancel(id);
  }
}

/** Resolves with the end of the work, or after a wait. */
async function orAfter<Value = never>(ms: number, work?: Promise<Value>): Promise<Value | typeof LATE> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(() => resolve(LATE), ms);
  });
  return await Promise.race([wait, ...(work ? [work] : [])]).finally(() => clearTimeout(timer));
}
