/**
 * The reduction of what a reply has beside text, thinking and calls: tools that the provider ran, sources and files.
 *
 * Keeps RP5.
 */
import type { Chunk, ChunkBody } from '../chunks';
import type { FurtherView } from '../view/view';

/** The chunks that are of such blocks. */
export type FurtherChunk = Extract<
  Chunk,
  { readonly type: 'provider_tool_start' | 'provider_tool_end' | 'reply_source' | 'reply_file' }
>;

type Body<Type extends ChunkBody['type']> = Extract<Chunk, { readonly type: Type }>;

/** The blocks after a chunk, in the order of their numbers. */
export function furtherAfter(blocks: readonly FurtherView[], chunk: FurtherChunk): readonly FurtherView[] {
  switch (chunk.type) {
    case 'provider_tool_start': {
      const { part, providerCallId, toolName, arguments: given } = chunk;
      return placed(blocks, { kind: 'provider-tool', part, providerCallId, toolName, arguments: given });
    }
    case 'provider_tool_end':
      return toolEnded(blocks, chunk);
    case 'reply_source':
      return placed(blocks, sourceOf(chunk));
    case 'reply_file':
      return placed(blocks, fileOf(chunk));
  }
}

/** A result whose call is not known is a block without arguments. */
function toolEnded(blocks: readonly FurtherView[], chunk: Body<'provider_tool_end'>): readonly FurtherView[] {
  const { part, providerCallId, toolName, result, success } = chunk;
  const outcome = { success, result };
  const at = blocks.findLastIndex(
    (block) => block.kind === 'provider-tool' && block.providerCallId === providerCallId && block.outcome === undefined,
  );
  const known = blocks[at];
  if (known?.kind === 'provider-tool') return blocks.with(at, { ...known, outcome });
  return placed(blocks, { kind: 'provider-tool', part, providerCallId, toolName, arguments: null, outcome });
}

function placed(blocks: readonly FurtherView[], block: FurtherView): readonly FurtherView[] {
  return blocks.toSpliced(blocks.findLastIndex(({ part }) => part <= block.part) + 1, 0, block);
}

function sourceOf({ part, title, sourceType, url, mediaType, filename }: Body<'reply_source'>): FurtherView {
  const base = { kind: 'source' as const, part, ...(title === undefined ? {} : { title }) };
  if (sourceType === 'url') return { ...base, sourceType, url: url ?? '' };
  return { ...base, sourceType, mediaType: mediaType ?? '', ...(filename === undefined ? {} : { filename }) };
}

function fileOf({ part, mediaType, path, etag, bytes, url, omitted }: Body<'reply_file'>): FurtherView {
  const base = { kind: 'file' as const, part, mediaType };
  if (path !== undefined) return { ...base, path, etag: etag ?? '', bytes: bytes ?? 0 };
  return url === undefined ? { ...base, omitted: omitted ?? '' } : { ...base, url };
}
