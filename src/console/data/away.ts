/**
 * Whether the server answers this page. What is shown is as old as its last word: one failure is tried again and says
 * nothing, more of them in a row do.
 */
import { useSyncExternalStore } from 'react';

/** A server that does not answer. */
export interface Away {
  /** When it was heard last, in ms since 1970. */
  readonly heardAt: number;
  readonly problem: string;
  /** When it is asked again, where that is known. */
  readonly nextAt: number | undefined;
}

/** Failures in a row are no blip once they are so far apart, in ms: a view asks for several lists at once. */
const BLIP_MS = 400;

let heardAt = Date.now();
let failing: { readonly since: number; readonly last: number; readonly problem: string } | undefined;
/** The log of the run that is looked at does not come. */
let log: Away | undefined;
let away: Away | undefined;
const listeners = new Set<() => void>();
const tries = new Set<() => void>();

function settle(): void {
  const silent = failing !== undefined && failing.last - failing.since >= BLIP_MS ? failing : undefined;
  const unanswered = silent && { heardAt, problem: silent.problem, nextAt: undefined };
  const next = log && unanswered ? { ...log, heardAt: Math.min(heardAt, log.heardAt) } : (log ?? unanswered);
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

/** Whether the log of the run that is looked at does not come. */
export const isLogLost = (): boolean => log !== undefined;

/** How the log of the run stands that is looked at: lost since when, or as it should be. */
export function logLost(lost: Away | undefined): void {
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

/** How long the server has been away; undefined while it answers. */
export const useAway = (): Away | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => away,
  );
