/**
 * The lineage of a run, and its caller.
 *
 * Keeps RN7, RS2.
 */
import type { Usage } from '../../../protocol/usage';

/** The caller of a run. */
export interface RunCaller {
  /** The name that the access check gave the caller. */
  readonly actor?: string;
  /** The caller's trace (W3C). */
  readonly traceparent?: string;
}

/**
 * The link of a run to earlier ones. Runs that resume one another are one chain, with one budget. A run that retries a failed one
 * begins a chain of its own for the same request.
 */
export interface Lineage {
  /** The turn of the first run of the chain; the run's own if it resumes none. */
  readonly chainTurn: number;
  /** The first run of the chain. */
  readonly chainRunId: string;
  /** The run that this one resumes or retries. */
  readonly resumedFrom?: string;
  /** The usage of the session before the chain. */
  readonly usageAtChainStart: Usage;
  /** The usage of the session before this run; missing in the first run of a chain. */
  readonly usageAtStart?: Usage;
  /** The last message that a step of an older turn has seen: later ones asked for this chain, or for what it retries. */
  readonly askedAfter?: number;
  /** Of a retry: the turn of the first try, and the replies of all tries before. */
  readonly firstTry?: { readonly turn: number; readonly replies: number };
}

/** The first try of a run: the turn that it began with, and the replies of all tries before. A run that retries none is its own. */
export const firstTryOf = ({ firstTry, chainTurn }: Lineage): NonNullable<Lineage['firstTry']> =>
  firstTry ?? { turn: chainTurn, replies: 0 };
