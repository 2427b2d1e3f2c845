/**
 * The pictures that models made, for a provider that shows a model its own.
 *
 * Decides: which of them a request has.
 * Keeps RP8.
 */
import type { ModelPort } from '../../core/definition/model-port';
import { base64Of, factsOfBytes } from '../../protocol/content/file-bytes';
import type { Message, ReplyFilePart } from '../../protocol/messages';

type ReadFile = NonNullable<Parameters<ModelPort['call']>[1]['readFile']>;

/** The most pictures of a request, and their bytes together: the newest. */
const MOST_FILES = 8;
const MOST_BYTES = 12 * 1_048_576;

/** The pictures among the files of an agent, oldest first. Files of other types take no place of a picture. */
function made(messages: readonly Message[]): Extract<ReplyFilePart, { readonly path: string }>[] {
  return messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.content.flatMap((part) =>
          part.type === 'reply-file' && 'path' in part && part.mediaType.startsWith('image/') ? [part] : [],
        )
      : [],
  );
}

/** Pictures among the messages, in base64 by their paths. */
export async function madeFiles(messages: readonly Message[], read: ReadFile): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  let room = MOST_BYTES;
  for (const file of made(messages).reverse().slice(0, MOST_FILES)) {
    if (file.bytes > room) continue;
    const bytes = await read(file.path, file.etag);
    if (bytes === undefined || factsOfBytes(bytes).kind !== 'picture') continue;
    room -= bytes.length;
    files.set(file.path, base64Of(bytes));
  }
  return files;
}
