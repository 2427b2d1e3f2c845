/**
 * Whether the server answers this page, and whether the log of the run that is looked at comes. What is shown is as old as
 * the last word of either: one failure is tried again and says nothing, more of them in a row do. A log that does not come
 * from a server that answers all else is no outage.
 */
import { useSyncExternalStore } from 'react';

/** What does not come. */
export interface Away {
  /** Any answer, or the log of the run that is looked at alone. */
  readonly what: 'server' | 'log';
  /** When it was heard last, in ms since 1970. */
  readonly heardAt: number;
  readonly problem: string;
  /** When it is asked again, where that is known. */
  readonly nextAt: number | undefined;
}

/** A log that was lost, and how often it has been tried since. */
export interface LostLog {
  readonly tries: number;
  /** In ms since 1970, as `nextAt`. */
  readonly lostAt: number;
  readonly problem: string;
  readonly nextAt: number;
}

/** Failures in a row are no blip once they are so far apart, in ms: a view asks for several lists at once. */
const BLIP_MS = 400;
/** One failure of a log is tried again at once. After so many the server is asked for a sign, */
export const DOUBTFUL = 2;
/** and after so many it does not come by either of its ways. */
const LOST = 3;

let heardAt = Date.now();
let failing: { readonly since: number; readonly last: number; readonly problem: string } | undefined;
/** That of the run that is looked at. */
let log: LostLog | undefined;
let away: Away | undefined;
const listeners = new Set<() => void>();
const tries = new Set<() => void>();

function standing(): Away | undefined {
  const { tries = 0, lostAt = 0, nextAt } = log ?? {};
  if (failing !== undefined && (failing.last - failing.since >= BLIP_MS || tries >= DOUBTFUL))
    return { what: 'server', heardAt: Math.max(heardAt, lostAt), problem: failing.problem, nextAt };
  if (log === undefined || tries < LOST) return undefined;
  return { what: 'log', heardAt: lostAt, problem: log.problem, nextAt };
}

function settle(): void {
  const next = standing();
  if (JSON.stringify(next) === JSON.stringify(away)) return;
  away = next;
  for (const listener of listeners) listener();
}

/** The server has answered something. */
export function heard(): void {
  heardAt = Date.now();
  failing = undefined;
  settle();
}

/** A request has had no answer. */
export function unheard(why: string): void {
  const now = Date.now();
  failing = { since: failing?.since ?? now, last: now, problem: why };
  settle();
}

/** How often the log of the run that is looked at was tried since it was lost; 0 while it comes. */
export const logTries = (): number => log?.tries ?? 0;

/** How the log of the run stands that is looked at: lost, or as it should be. */
export function logLost(lost: LostLog | undefined): void {
  log = lost;
  settle();
}

/** Tells who waits for the server that somebody wants it tried now. */
export function tryNow(): void {
  for (const each of tries) each();
}

/** Calls back whenever somebody wants it tried now. */
export function onTry(listener: () => void): () => void {
  tries.add(listener);
  return () => tries.delete(listener);
}

// A device that is there again, or a page that is looked at again, does not sit out a wait.
addEventListener('online', tryNow);
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && away !== undefined) tryNow();
});

/** What does not come; undefined while all does. */
export const useAway = (): Away | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => away,
  );
