/**
 * The repair of a lost alarm: a directory wakes silent roots that it lists as at work, since the platform gives up an
 * alarm that fails too often.
 *
 * Decides: which quiet roots are woken, how many at once, and how often.
 * Keeps A111.
 */

/** A root at work, of which nothing was heard since a time, in ms since 1970. */
export interface WorkingRoot {
  readonly name: string;
  readonly sessionId: string;
  readonly lastActivity: number;
}

/** The wakes of a root since it was heard last. `nextAt` is missing once there are no more. */
export interface Woken {
  readonly heardAt: number;
  readonly times: number;
  readonly nextAt?: number;
}

/** The wakes that are remembered, by session. */
export type Wakes = Readonly<Record<string, Woken>>;

/** A root of which nothing was heard for so long, in ms, is woken. */
export const QUIET_MS = 600_000;
/** Waits before it is woken again, in ms; after the last one it is not. */
const AGAIN_MS = [600_000, 3_600_000, 21_600_000, 86_400_000];
/** So many are woken at once, and so long after, in ms, the next ones. */
const AT_ONCE = 10;
const NEXT_MS = 60_000;

/** The roots to wake now, what is remembered of all, and when to look again. */
export interface DueWakes {
  readonly wake: readonly WorkingRoot[];
  readonly wakes: Wakes;
  readonly nextAt?: number;
}

/** Decides on the wakes of all roots at work. */
export function dueWakes(working: Iterable<WorkingRoot>, before: Wakes, now: number): DueWakes {
  const wake: WorkingRoot[] = [];
  const wakes: Record<string, Woken> = {};
  const times: number[] = [];
  for (const root of working) {
    const { sessionId, lastActivity: heardAt } = root;
    const known = before[sessionId];
    const woken = known?.heardAt === heardAt ? known : { heardAt, times: 0, nextAt: heardAt + QUIET_MS };
    const { nextAt } = woken;
    const isDue = nextAt !== undefined && nextAt <= now;
    const next = isDue && wake.length < AT_ONCE ? again(woken, now) : woken;
    if (next !== woken) wake.push(root);
    if (next.times > 0) wakes[sessionId] = next;
    if (next.nextAt !== undefined) times.push(Math.max(next.nextAt, now + NEXT_MS));
  }
  return { wake, wakes, ...(times.length === 0 ? {} : { nextAt: Math.min(...times) }) };
}

function again({ heardAt, times }: Woken, now: number): Woken {
  const wait = AGAIN_MS[times];
  return { heardAt, times: times + 1, ...(wait === undefined ? {} : { nextAt: now + wait }) };
}
