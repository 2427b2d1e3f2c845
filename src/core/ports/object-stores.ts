/**
 * The port to the stores of one object: its agent's, and that of the tree which begins in it.
 *
 * Keeps SO3, SO6.
 */
import type { OffshootError } from '../../protocol/errors';
import type { AgentStore } from './agent-store';
import type { TreeStore } from './tree-store';

/** The stores of one object. Nothing is made and nothing is written before `open` or `make`; use them after one of these. */
export interface ObjectStores {
  readonly agent: AgentStore;
  /** The store of a tree; of a top-level object alone. @throws TypeError for any other object */
  tree(): TreeStore;
  /** Why nothing here may be read or written: a newer version has written it. Reads only. */
  refusal(): OffshootError | undefined;
  /**
   * Migrates the existing stores to the formats of this version. False where none were ever made: then nothing is
   * written. Doing it again changes nothing. @throws OffshootError `newer_format`, before anything is written
   */
  open(): boolean;
  /** Makes the stores where they are not there; otherwise as `open`. */
  make(): void;
}
