/**
 * What the copy of a root has of those below it, or that of a companion of which anything is in an object of its own,
 * planned before anything of it is made.
 *
 * Decides: how large a copy may be, how many are sent at once; which copies are refused, and which are lost.
 * Keeps CP5, CP15, CP21, CP46.
 *
 * CP44. Each agent says up to where its copy remembers, in the turn in which it asks its own children: what it gives them
 *       to do later comes to them after that question, so no copy remembers more of another one than that one itself.
 */

import type { Child } from '../../core/agent/children/child';
import type { Placement } from '../../core/agent/children/placement';
import type { AgentState } from '../../core/agent/state';
import type { Limits } from '../../core/definition/limits';
import type { BelowRequest } from '../../core/tree/admission';
import type { Prepared } from '../../engine/children/child-needs';
import { boundedText, type Failure, failure } from '../../protocol/errors';
import type { SessionStatus } from '../../protocol/status';
import type { Cut } from './memory';
import type { CopiedSession, CopySource } from './source';

/** The memory and the files of who is copied, with those of all who come along, in bytes (8 GiB): one object holds 10 GB. */
export const MAX_COPY_BYTES = 8 * 1_073_741_824;

/** So many copies are made at once of one root (CP37), and sent at once by one parent (CP19). */
export const COPIES_AT_ONCE = 4;

/** A copy of which nothing has come for so long, in ms, is given up (CP20), and goes (CP39, CP55). */
export const COPY_SILENCE_MS = 60_000;

/** An agent that is copied, or comes along, as the copy is to have it. */
export interface PlannedCopy {
  /** Its place in the record of the copy. */
  readonly request: BelowRequest;
  readonly session: CopiedSession;
  readonly placement: Placement;
  /** Up to where it remembers. */
  readonly cut: Cut;
  /** Its own children, as it has them. */
  readonly children: readonly Child[];
  /** About how many bytes of memory and files it has now. */
  readonly bytes: number;
}

/** Those of a copy that are cloned with the facet which they lie in, and those that are sent, each object with all below it. */
interface CopiedParts {
  readonly facets: readonly PlannedCopy[];
  readonly objects: readonly (readonly [PlannedCopy, ...PlannedCopy[]])[];
}

/** The parts of a copy; in `planned` each is after its parent. */
export function partsOf(planned: readonly PlannedCopy[]): CopiedParts {
  const facets: PlannedCopy[] = [];
  const objects: [PlannedCopy, ...PlannedCopy[]][] = [];
  const partOf = new Map<string, PlannedCopy[]>();
  for (const one of planned) {
    const { request, session, placement } = one;
    const part = partOf.get(request.parent);
    if (part) {
      part.push(one);
      partOf.set(session.sessionId, part);
    } else if (placement.via === 'object') {
      const begun: [PlannedCopy, ...PlannedCopy[]] = [one];
      objects.push(begun);
      partOf.set(session.sessionId, begun);
    } else facets.push(one);
  }
  return { facets, objects };
}

/** The end of an agent's memory at this moment: its later work is not in it. */
export function asItStands({ run, step, session: { active } }: AgentState): Cut {
  const calls = step?.phase === 'calls' ? step.calls : [];
  const open = calls.filter(({ settled, plan }) => !settled && plan.kind === 'task').map(({ index }) => index);
  return {
    step: step?.id ?? 0,
    turn: run?.turn ?? 0,
    message: step?.messagesUpTo ?? 0,
    inRun: run?.phase === 'active',
    ...(run?.sides ? { sides: run.sides } : {}),
    ...(active === undefined ? {} : { active }),
    ...(step?.phase === 'model' ? { unanswered: true as const } : {}),
    ...(open.length > 0 ? { open } : {}),
  };
}

/** The status of an agent in a copy that begins with its memory of this moment. */
export function statusInCopy({ run }: AgentState): SessionStatus {
  if (run === undefined) return 'idle';
  return run.phase === 'active' ? 'interrupted' : run.outcome.status;
}

/** Why nobody is copied with those who would come along: they are too many, or all of it is too large. */
export function whyNotWhole(
  agents: number,
  bytes: number,
  { maxTreeChildren }: Pick<Limits, 'maxTreeChildren'>,
): Failure | undefined {
  if (agents > maxTreeChildren)
    return failure(
      'max_tree_children',
      `More than ${maxTreeChildren} companions would be copied (\`maxTreeChildren\`). Delete some, or copy one with fewer.`,
    );
  if (bytes <= MAX_COPY_BYTES) return undefined;
  return failure(
    'payload_too_large',
    `Its memory and files and those of its companions have ${bytes} bytes; a copy has at most ${MAX_COPY_BYTES}. Delete files, or companions.`,
  );
}

/** The most characters of the reason why a copy was not made. */
const MAX_WHY = 500;

/** Nobody comes along, or the record has them already. */
export const MADE_ALONE: Prepared = { is: 'made', below: [] };

/** It could not be made; `why` is for the parent's model. */
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
