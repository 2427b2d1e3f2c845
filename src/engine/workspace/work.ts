/**
 * What the bodies of the tools of a workspace are given.
 *
 * Keeps WS1.
 */
import type { Limits } from '../../core/definition/limits';
import type { WorkFiles } from '../../core/ports/work-files';

/** The files, the key of the call, and what it may use. */
export interface Work {
  readonly files: WorkFiles;
  /** The same for every body of the call. */
  readonly key: string;
  readonly signal: AbortSignal;
  readonly limits: Pick<Limits, 'maxWorkspaceReadBytes' | 'maxWorkspaceSearchBytes'>;
}
