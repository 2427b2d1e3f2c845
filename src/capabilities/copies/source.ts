/**
 * The originals of the children that are to begin as copies: rows in the slice of their parent.
 *
 * Keeps CP1, CP22.
 */
import { Slice } from '../../core/agent/capability';
import type { Child } from '../../core/agent/children/child';
import type { Placement } from '../../core/agent/children/placement';
import type { FirstNeed, NewSession } from '../../core/agent/events';
import type { AgentState, SliceRow } from '../../core/agent/state';

/** Rows of copies are stored under this name. */
export const COPIES = 'copies';

/** The original of a copy, as its parent knows it. */
export interface CopySource {
  readonly sessionId: string;
  readonly address: string;
  readonly placement: Placement;
  /** The run of that session that was meant last. */
  readonly runNumber: number;
  /** It perhaps has not begun: then there is no memory, and the copy has none. */
  readonly mayBeNew?: true;
  /** The copy remembers nothing after that step. */
  readonly upTo?: number;
}

/** The original of a session. */
export type CopyOrigin = Pick<CopySource, 'sessionId' | 'address' | 'mayBeNew' | 'upTo'>;

/** A session that begins as a copy. */
export type CopiedSession = NewSession & { readonly copyOf?: CopyOrigin };

/** The same session without its original, as it is kept. */
export function ownSession({ copyOf: _copyOf, ...session }: CopiedSession): NewSession {
  return session;
}

/** A row of copies: with `of` the original of a child; with `unconfirmed`, the session itself may be in no record. */
export interface CopyRow extends SliceRow {
  readonly of?: CopySource;
  readonly unconfirmed?: true;
}

/** The rows of copies. */
export const copyRows = new Slice<CopyRow>(COPIES);

/** The row of a session that its tree may not know of. No child has its id. */
export const UNCONFIRMED: CopyRow = { id: 0, unconfirmed: true };

/** The original of a child that is to begin as a copy; undefined for any other child. */
export function sourceOf(
  state: Pick<AgentState, 'slices'>,
  { childId }: Pick<Child, 'childId'>,
): CopySource | undefined {
  return copyRows.rows(state).find((row) => row.childId === childId)?.of;
}

/** The original in a row that came with a message. */
export function sourceIn(row: SliceRow): CopySource | undefined {
  return (row as CopyRow).of;
}

/** A child needs a copy of that original before it begins; the runs that the copy remembers are counted on. */
export function needsCopy(of: CopySource): FirstNeed {
  return { capability: COPIES, row: { of }, via: of.placement.via, runsBefore: of.runNumber };
}
