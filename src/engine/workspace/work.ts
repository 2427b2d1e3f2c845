/**
 * What the bodies of the tools of a workspace are given.
 *
 * Keeps WS1.
 */
import type { Limits } from '../../core/definition/limits';
import type { WorkFiles } from '../../core/ports/work-files';
import type { JsonObject } from '../../protocol/json';
import { byteLength } from '../../protocol/json';

/** The files, the key of the call, and what it may use. */
export interface Work {
  readonly files: WorkFiles;
  /** The same for every body of the call. */
  readonly key: string;
  readonly signal: AbortSignal;
  readonly limits: Pick<Limits, 'maxWorkspaceReadBytes' | 'maxWorkspaceSearchBytes' | 'maxToolResultBytes'>;
}

/** What an answer holds beside its items, in bytes: most of it a cursor, with a path of 1,024 bytes in it. */
const FRAME = 2_304;

/** What still fits into one answer. */
export class Room {
  #left: number;
  #isEmpty = true;

  constructor({ limits }: Pick<Work, 'limits'>) {
    this.#left = limits.maxToolResultBytes - FRAME;
  }

  /** Whether an item fits, which then has its room; the first one always does, so that whoever goes on gets on. */
  takes(item: JsonObject): boolean {
    const bytes = byteLength(JSON.stringify(item)) + 1;
    const fits = this.#isEmpty || bytes <= this.#left;
    if (fits) this.#left -= bytes;
    this.#isEmpty = false;
    return fits;
  }
}
