/** Advice on a failed run: what a person can do, by the code of the failure. */
import type { RunView } from '../../../client';
import { ERROR_HELP } from '../../../protocol/help/error-help';

/** A failure, as a run that ended by it has it. */
export type RunFailure = Extract<NonNullable<RunView['end']>, { readonly status: 'failed' }>['error'];

const HELP = new Map<string, { readonly then: string }>(Object.entries(ERROR_HELP));

/** The next action. A server of another version may have a code that is unknown here. */
export const adviceOn = ({ code }: Pick<RunFailure, 'code'>): string =>
  HELP.get(code)?.then.replaceAll('`', '') ?? 'Retry continues from the last committed step.';
