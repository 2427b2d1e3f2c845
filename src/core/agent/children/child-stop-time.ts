/**
 * How long a parent waits for a child that it stops: what the child says of itself, and what the parent allows. A parent
 * knows nothing of its child's definition, and a child's word holds it up no longer than its own `childStopMs`. How long a
 * tool's body has (`stopGraceMs`) is kept by `engine/children/stop-grace.ts`; what is said here counts on it.
 * How long one may be silent is in `placement.ts`, how long it is tried to reach one in `engine/children/children.ts`.
 *
 * Decides: how long a stopped child is waited for.
 *
 * SP14. A child that cannot end at once says how long it may take. It is asked again after that, and is given up when it
 *     says nothing more, when it answers nothing, or when the parent's limit is over.
 */
import type { HookName } from '../../definition/hooks/hook-types';
import type { Limits } from '../../definition/limits';
import type { Rules } from '../rules';
import { ANSWERS_WITHIN_MS, type Via } from './placement';

/** What comes on top of the time that a child says it takes, in ms: its end has to arrive as well. */
export const STOP_MARGIN_MS = 10_000;

/** Hooks that a stopped run may have to be told of before it ends. */
const LAST_HOOKS: readonly HookName[] = ['onAgentFail', 'onRunSettled'];

/**
 * When a stopped agent has ended at the latest, in ms since 1970: what is below it and its own bodies, with the hooks of
 * their results, end side by side; then the last hooks are told. Both times are in ms since 1970.
 */
export function endsBy(
  { since, childrenBy }: { readonly since: number; readonly childrenBy: readonly number[] },
  { limits, hooks }: Pick<Rules, 'limits' | 'hooks'>,
): number {
  const told = LAST_HOOKS.filter((hook) => hooks.has(hook)).length;
  const bodies = since + limits.stopGraceMs;
  return Math.max(bodies, ...childrenBy) + told * limits.hookTimeoutMs;
}

/** How long a child that is told to stop has to answer, in ms, by its placement: as long as it may be silent. */
export function answersWithin(via: Via, { childStopMs }: Pick<Limits, 'childStopMs'>): number {
  return Math.min(ANSWERS_WITHIN_MS[via], childStopMs);
}

/** What a child answered to its stop, and when. */
export interface StopHeard {
  /** When it was told first, and now, in ms since 1970. */
  readonly toldAt: number;
  readonly now: number;
  /** How long it says that it may take from now, in ms; whatever a child that is not ours may say. */
  readonly endsWithinMs: number | undefined;
  /** Whether it has ended, and only its end is still on its way. */
  readonly ended: boolean;
  /** Whether it was asked before. */
  readonly again: boolean;
}

/** How long a parent waits for the end of a child before it asks again, in ms; 0 where it gives the child up. */
export function waitsFor(
  { toldAt, now, endsWithinMs = 0, ended, again }: StopHeard,
  { childStopMs }: Pick<Limits, 'childStopMs'>,
): number {
  const says = endsWithinMs > 0 ? endsWithinMs : 0;
  const margin = says > 0 || ended || !again ? STOP_MARGIN_MS : 0;
  return Math.max(0, Math.min(says + margin, toldAt + childStopMs - now));
}
