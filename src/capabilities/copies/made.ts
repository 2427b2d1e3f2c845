/**
 * What came of the copy that a child is to begin as, and what that means for the child.
 *
 * Decides: which copies are refused, and which are lost.
 * Keeps CP5, CP17.
 */

import type { Prepared } from '../../engine/child-needs';
import { boundedText, type Failure } from '../../protocol/errors';
import type { CopySource } from './source';

/** Why a copy was not made is told with so many characters. */
const MAX_WHY = 500;

/** Nobody comes along, or the record has them already. */
export const MADE_ALONE: Prepared = { is: 'made', below: [] };

/** It could not be made; `why` is told to the parent's model. */
export function lostCopy(why: string): Extract<Prepared, { is: 'lost' }> {
  return { is: 'lost', why: boundedText(why, MAX_WHY) };
}

/** Nobody is there: the copy of one that may not have begun has no memory either. */
export function nothingToCopy({ address, mayBeNew }: Pick<CopySource, 'address' | 'mayBeNew'>): Prepared {
  return mayBeNew ? MADE_ALONE : lostCopy(`There is nothing at ${address} to copy.`);
}

/** It is refused by its original, or by the record of the tree; one whose place is gone is lost. */
export function refusedCopy(error: Failure): Prepared {
  return error.code === 'subagent_lost' ? lostCopy(error.message) : { is: 'refused', error };
}
