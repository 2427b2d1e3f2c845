/** Callbacks of the SDK's schedules beside its queue, by a queue that the test holds. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MAX_BESIDE, SchedulesBeside } from '../../../src/host/schedules-beside';
import type { ScheduledJob, ScheduleOutcome } from '../../../src/host/sdk-internals';

const NOW = 1_800_000_000_000;
const LEASE = { rescheduleAt: NOW + 100 + 30_000 };
/** An alarm that looks more often than this, of half a second each, does not end. */
const MANY_LOOKS = 1_000;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A queue whose jobs end when the test says so. */
function held(retry?: ScheduledJob['job']['retry']) {
  const begun: string[] = [];
  const changes: string[] = [];
  const gone = new Set<string>();
  const ends = new Map<string, PromiseWithResolvers<ScheduleOutcome>>();
  let alarm: number | null = null;
  let looks = 0;
  let isBroken = false;
  const queue = {
    onJob: ({ job: { id }, attempt }: ScheduledJob): Promise<ScheduleOutcome> => {
      begun.push(`${id} ${attempt}`);
      const end = Promise.withResolvers<ScheduleOutcome>();
      ends.set(id, end);
      return end.promise;
    },
    onJobError: async ({ job: { id }, attempt }: ScheduledJob, error: unknown): Promise<ScheduleOutcome> => {
      changes.push(`${id} failed ${attempt}: ${String(error)}`);
      return undefined;
    },
    lifecycle: {
      jobs: {
        get: (id: string) => {
          if (isBroken) throw new Error('The queue is broken.');
          return gone.has(id) ? undefined : { time: NOW };
        },
        reschedule: async (id: string, time: number) => changes.push(`${id} at ${time - NOW}`) > 0,
        cancel: async (id: string) => changes.push(`${id} is done`) > 0,
      },
    },
  };
  const beside = new SchedulesBeside(queue, {
    now: Date.now,
    alarm: async () => {
      if (++looks > MANY_LOOKS) throw new Error('The alarm does not end.');
      return alarm;
    },
    isPlatform: (error) => String(error).includes('platform'),
  });
  return {
    ...{ begun, changes, beside },
    cancelled: (id: string) => gone.add(id),
    breaks: () => {
      isBroken = true;
    },
    rings: (time: number | null) => {
      alarm = time;
    },
    /** What the queue is told of a job. */
    drive: (id: string, attempt = 1) => queue.onJob({ job: { id, retry }, attempt }),
    end: async (id: string, outcome?: ScheduleOutcome) => {
      ends.get(id)?.resolve(outcome);
      await vi.advanceTimersByTimeAsync(0);
    },
    fail: async (id: string, why: string) => {
      ends.get(id)?.reject(new Error(why));
      await vi.advanceTimersByTimeAsync(0);
    },
  };
}

/** A job that has left the queue. */
async function slow(jobs: ReturnType<typeof held>, id: string, attempt = 1): Promise<ScheduleOutcome> {
  const driven = jobs.drive(id, attempt);
  await vi.advanceTimersByTimeAsync(100);
  return driven;
}

describe('a callback of a schedule', () => {
  it('[F23] that ends within 100 ms, or fails, is the business of the queue', async () => {
    const jobs = held();
    const [done, failed] = [jobs.drive('done'), jobs.drive('failed')];
    const refused = expect(failed).rejects.toThrow('no');
    await vi.advanceTimersByTimeAsync(99);
    await jobs.end('done', { rescheduleAt: 5 });
    await jobs.fail('failed', 'no');
    expect(await done).toEqual({ rescheduleAt: 5 });
    await refused;
    await jobs.beside.alarms(async () => undefined);
    expect(jobs.changes).toEqual([]);
  });

  it.each([
    [undefined, ['a is done']],
    [{ rescheduleAt: NOW + 7 }, ['a at 7']],
    ['yield', ['a at 100']],
  ] as const)('[F23] that takes longer leaves the queue, which then is told %j', async (outcome, changes) => {
    const jobs = held();
    expect(await slow(jobs, 'a')).toEqual(LEASE);
    expect(jobs.changes).toEqual([]);
    await jobs.end('a', outcome);
    expect(jobs.changes).toEqual(changes);
  });

  it('[F24] is not begun again while it runs: its time is set anew', async () => {
    const jobs = held();
    await slow(jobs, 'a');
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await jobs.drive('a')).toEqual({ rescheduleAt: NOW + 100 + 60_000 });
    expect(jobs.begun).toEqual(['a 1']);
  });

  it(`[F23] has one of ${MAX_BESIDE} places, and waits for one`, async () => {
    const jobs = held();
    const ids = Array.from({ length: MAX_BESIDE }, (_, at) => `j${at}`);
    for (const id of ids.slice(1)) expect(jobs.drive(id)).toBeInstanceOf(Promise);
    await vi.advanceTimersByTimeAsync(100);
    await slow(jobs, 'j0');
    expect(jobs.begun).toHaveLength(16);
    expect(await jobs.drive('one more')).toEqual({ rescheduleAt: Date.now() + 500 });
    expect(jobs.begun).toHaveLength(16);
    await jobs.end('j3');
    void jobs.drive('one more');
    expect(jobs.begun).toHaveLength(17);
  });

  it.each(
    [99, 100].flatMap((ms) =>
      (['done', 'again', 'fails', 'cut by the platform', 'cancelled', 'not taken by the queue'] as const).map(
        (how) => [ms, how] as const,
      ),
    ),
  )('[F23] whose end comes after %i ms (%s) has no place any more, and is called again when due', async (ms, how) => {
    const log = vi.spyOn(console, 'error').mockReturnValue(undefined);
    const jobs = held({ maxAttempts: 1 });
    const ids = Array.from({ length: MAX_BESIDE }, (_, at) => `j${at}`);
    const rounds = [ids, ids.toReversed()];
    for (const round of rounds) {
      const driven = round.map((id) => jobs.drive(id).catch(() => undefined));
      await vi.advanceTimersByTimeAsync(ms);
      if (how === 'not taken by the queue') jobs.breaks();
      for (const id of round) {
        if (how === 'cancelled') jobs.cancelled(id);
        if (how === 'fails') await jobs.fail(id, 'no');
        else if (how === 'cut by the platform') await jobs.fail(id, 'a failure of the platform');
        else await jobs.end(id, how === 'again' ? { rescheduleAt: NOW } : undefined);
      }
      await Promise.all(driven);
      await jobs.beside.alarms(async () => undefined);
    }
    expect(jobs.begun).toEqual(rounds.flat().map((id) => `${id} 1`));
    log.mockRestore();
  });

  it('[F24] that fails beside the queue is repeated as its schedule says, with a growing wait', async () => {
    const jobs = held({ maxAttempts: 3, baseDelayMs: 200, maxDelayMs: 300 });
    await slow(jobs, 'a');
    await jobs.fail('a', 'one');
    await vi.advanceTimersByTimeAsync(199);
    expect(jobs.begun).toEqual(['a 1']);
    await vi.advanceTimersByTimeAsync(1);
    await jobs.fail('a', 'two');
    await vi.advanceTimersByTimeAsync(299);
    expect(jobs.begun).toEqual(['a 1', 'a 2']);
    await vi.advanceTimersByTimeAsync(1);
    await jobs.fail('a', 'three');
    expect(jobs.begun).toEqual(['a 1', 'a 2', 'a 3']);
    expect(jobs.changes).toEqual(['a failed 3: Error: three', 'a is done']);
  });

  it('[F24] that the platform ends is due at once, and one that its author has cancelled stays so', async () => {
    const jobs = held();
    await slow(jobs, 'a');
    await slow(jobs, 'b');
    await jobs.fail('a', 'a failure of the platform');
    jobs.cancelled('b');
    await jobs.end('b', { rescheduleAt: NOW + 60_000 });
    expect(jobs.changes).toEqual(['a at 200']);
  });

  it.each([1, 2, 3].flatMap((most) => Array.from({ length: most }, (_, at) => [at + 1, most])))(
    '[F24] is due at once after the platform ended its attempt %i of %i, and fails at its last one by itself alone',
    async (attempt, maxAttempts) => {
      const jobs = held({ maxAttempts, baseDelayMs: 200, maxDelayMs: 200 });
      for (const id of ['cut', 'own']) await slow(jobs, id, attempt);
      const now = Date.now() - NOW;
      await jobs.fail('cut', 'a failure of the platform');
      expect(jobs.changes).toEqual([`cut at ${now}`]);
      await jobs.fail('own', 'no');
      const isLast = attempt === maxAttempts;
      expect(jobs.changes.slice(1)).toEqual(isLast ? [`own failed ${attempt}: Error: no`, 'own is done'] : []);
      await vi.advanceTimersByTimeAsync(200);
      expect(jobs.begun).toEqual([`cut ${attempt}`, `own ${attempt}`, ...(isLast ? [] : [`own ${attempt + 1}`])]);
    },
  );

  it('[F23] holds the alarm, which rings again for what comes due', async () => {
    const jobs = held();
    let rung = 0;
    let over = false;
    const alarms = jobs.beside.alarms(async () => {
      if (rung++ === 0) void jobs.drive('a');
    });
    void alarms.then(() => {
      over = true;
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect([rung, over]).toEqual([1, false]);
    jobs.rings(NOW + 1_200);
    await vi.advanceTimersByTimeAsync(500);
    expect([rung, over]).toEqual([2, false]);
    jobs.rings(null);
    await jobs.end('a');
    await alarms;
    expect(rung).toBe(2);
  });
});
