import { l as SequencedChunk } from "./chunks.js";
import { S as TreeView, x as StepView, y as SourceView } from "./view.js";
/**
 * The sources of some steps, each once.
 * @example
 * const sources = topAgents(reduceAll(entries)).flatMap((agent) => stepSources(currentRun(agent)?.steps ?? []));
 */
declare const stepSources: (steps: readonly Pick<StepView, 'further'>[]) => readonly SourceView[];
/**
 * The result of reducing a chunk. With `gap`, chunks before it are missing: the view is unchanged, and the reader
 * should read the log again from `expected`.
 */
type Reduction = {
  readonly gap: false;
  readonly view: TreeView;
} | {
  readonly gap: true;
  readonly view: TreeView;
  readonly expected: number;
};
/**
 * Adds one chunk to a view. A chunk that the view already has changes nothing, so reading again is harmless.
 * @param order `whole` for the log of a tree, where every sequence follows the last; `filtered` for the log of a
 *   subtree, where the sequences of other agents are left out
 * @example
 * let view = emptyView;
 * for (const entry of entries) view = reduce(view, entry).view;
 */
declare function reduce(view: TreeView, entry: SequencedChunk, order?: 'whole' | 'filtered'): Reduction;
/**
 * Adds a list of chunks to a view.
 * @throws {RangeError} when chunks are missing, with the sequence of the first one
 * @example
 * const view = reduceAll(entries);
 */
declare function reduceAll(entries: Iterable<SequencedChunk>, view?: TreeView): TreeView;
export { stepSources as i, reduce as n, reduceAll as r, Reduction as t };