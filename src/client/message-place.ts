/**
 * Words on an accepted message that waits behind questions to a person, or has denied approvals: the same in the console
 * and in a terminal.
 *
 * Keeps AN9.
 */
import type { Acceptances } from '../protocol/wire/wire-types';

type Accepted = Acceptances['send'];

const namesOf = (calls: NonNullable<Accepted['behind']>): string =>
  [...new Set(calls.map(({ toolName }) => toolName))].join(', ');

/** Sentences on what an accepted message waits behind, and what it has denied; none where it does neither. */
export function messagePlace({ behind = [], denied = [] }: Pick<Accepted, 'behind' | 'denied'>): string[] {
  return [
    ...(denied.length === 0 ? [] : [`It denied ${namesOf(denied)}.`]),
    ...(behind.length === 0 ? [] : [`The agent reads it once these are answered: ${namesOf(behind)}.`]),
  ];
}
