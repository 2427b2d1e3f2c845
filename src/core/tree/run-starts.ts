/**
 * Where runs begin in the log.
 *
 * Keeps A62.
 */
import type { Chunk } from '../../protocol/chunks';

/** The runs that begin among chunks which follow each other, with their sequences; `first` is that of the first chunk. */
export function beginningsIn({
  first,
  chunks,
}: {
  readonly first: number;
  readonly chunks: readonly Chunk[];
}): [runId: string, sequence: number][] {
  return chunks.flatMap((chunk, index): [string, number][] =>
    chunk.type === 'run_started' ? [[chunk.runId, first + index]] : [],
  );
}
