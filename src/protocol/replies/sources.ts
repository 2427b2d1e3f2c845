/** The sources of replies, as people read them. */
import type { FurtherView, SourceView, StepView } from '../view/view';

const keyOf = (source: SourceView): string =>
  source.sourceType === 'url' ? source.url : `${source.filename ?? ''} ${source.title ?? ''} ${source.mediaType}`;

/** The sources among the blocks of a reply, each once: the one with a title, where there is one. */
export function sourcesOf(blocks: readonly FurtherView[]): readonly SourceView[] {
  const found = new Map<string, SourceView>();
  for (const block of blocks) {
    if (block.kind !== 'source') continue;
    const known = found.get(keyOf(block));
    if (known === undefined || (known.title === undefined && block.title !== undefined)) found.set(keyOf(block), block);
  }
  return [...found.values()];
}

/**
 * The sources of some steps, each once.
 * @example
 * const sources = topAgents(reduceAll(entries)).flatMap((agent) => stepSources(currentRun(agent)?.steps ?? []));
 */
export const stepSources = (steps: readonly Pick<StepView, 'further'>[]): readonly SourceView[] =>
  sourcesOf(steps.flatMap(({ further = [] }) => further));
