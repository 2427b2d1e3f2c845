/**
 * The preparation of children, as the engine asks a capability for it.
 *
 * Keeps CB8.
 */
import type { Child } from '../../core/agent/children/child';
import type { BelowRequest } from '../../core/tree/admission';
import type { Failure } from '../../protocol/errors';

/** The result of preparing a child. */
export type Prepared =
  /** The child may begin; `below`: the agents that are below it from the beginning. */
  | { readonly is: 'made'; readonly below: readonly BelowRequest[] }
  /** The child never begins, and its parent reads the error. */
  | { readonly is: 'refused'; readonly error: Failure }
  /** The child is lost. `again`: preparing it once more may succeed. */
  | { readonly is: 'lost'; readonly why: string; readonly again?: true };

/** Prepares the children of one agent, in one life of it. `Parent` is that agent. */
export interface Preparing<Parent> {
  /** Begins to prepare each child that needs it. Doing it again is harmless. */
  prepare(agent: Parent): void;
  /** Everything that a child waits for; it may be another child's preparation. */
  awaited(child: Child): readonly Promise<unknown>[];
  /** The result for a child; undefined while it is under way, and for a child without a need. */
  prepared(child: Child): Prepared | undefined;
  /** A child never begins: removes what was prepared for it. */
  giveUp(agent: Parent, child: Child): Promise<void>;
}
