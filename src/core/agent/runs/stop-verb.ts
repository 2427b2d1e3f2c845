/**
 * The verbs of a stop, and what each of them means: one table, which a further verb does not pass without being decided.
 *
 * Decides: which stop is the stronger one, and which ones can be resumed.
 * Keeps SP15, SP7.
 */
import { type ErrorCode, type Failure, failure } from '../../../protocol/errors';

/** The verbs that stop a run: resumable, failed, or together with its session. A later verb is stronger (SP7). */
export const STOP_VERBS = ['interrupt', 'abort', 'terminate'] as const;

/** One of them. */
export type StopVerb = (typeof STOP_VERBS)[number];

interface Meaning {
  /** The error code of what it has stopped. */
  readonly code: ErrorCode;
  /** What is shown of a run until it has ended. */
  readonly shown: string;
  /** Whether what it leaves open is for the run that resumes it (SP5). */
  readonly isResumable: boolean;
  /** Whether the session ends as well (SP10). */
  readonly endsSession: boolean;
}

const MEANINGS: { readonly [Verb in StopVerb]: Meaning } = {
  interrupt: { code: 'interrupted', shown: 'interrupting', isResumable: true, endsSession: false },
  abort: { code: 'aborted', shown: 'aborting', isResumable: false, endsSession: false },
  terminate: { code: 'terminated', shown: 'terminating', isResumable: false, endsSession: true },
};

/** What is shown of a run that is being stopped. */
export function shownAs(verb: StopVerb): string {
  return MEANINGS[verb].shown;
}

/** The failure of what a stop has ended, where it has no cause of its own. */
export function failureByStop(verb: StopVerb, reason: string): Failure {
  return failure(MEANINGS[verb].code, reason);
}

/** What those that a stop is passed on to are told of its cause: it is of a run's own, where it is not the verb alone. */
export function ownCause(verb: StopVerb, error: Failure): { readonly error?: Failure } {
  const { code, isResumable: resumable, endsSession: ends } = MEANINGS[verb];
  return resumable || ends || error.code === code ? {} : { error };
}

/** Whether what a stop leaves open can be resumed. */
export function isResumable(verb: StopVerb): boolean {
  return MEANINGS[verb].isResumable;
}

/** Whether a session ends for good with a stop. */
export function endsSession(verb: StopVerb): boolean {
  return MEANINGS[verb].endsSession;
}

/** Whether a stop takes the place of one that is there. */
export function isStronger(verb: StopVerb, there: StopVerb): boolean {
  return STOP_VERBS.indexOf(verb) > STOP_VERBS.indexOf(there);
}
