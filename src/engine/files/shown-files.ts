/**
 * Reads the bytes of the files that the messages of a request have by their paths. The transcript keeps the path alone,
 * so a file is in no row twice.
 *
 * Decides: how much of files one request reads.
 * Keeps M91.
 */

import type { WorkFiles } from '../../core/ports/work-files';
import { base64Of } from '../../protocol/content/file-bytes';
import { oldestOut } from '../../protocol/content/room';
import type { FilePart, FileReference, Message, UserPart } from '../../protocol/messages';
import { allOf } from '../workspace/bytes';

/** The files that one request reads have so many bytes at most, because all of them are in memory at once. */
const MAX_SHOWN_BYTES = 16 * 1_048_576;

const TOO_MANY = `the files of a request have ${MAX_SHOWN_BYTES / 1_048_576} MB at most, and this is one of the oldest`;

/** The files whose omission was reported. */
const reported = new WeakSet<FileReference>();

/** Messages with the bytes of their files: the same object for the same message, as long as that is held. */
const shown = new WeakMap<Message, Message>();

/** True for a file that a message has by its path. */
const isReference = (part: UserPart): part is FileReference => part.type === 'file' && !('data' in part);

const referencesIn = (message: Message): readonly FileReference[] =>
  message.role === 'user' && typeof message.content !== 'string' ? message.content.filter(isReference) : [];

/**
 * The messages of a request with the bytes of their files. A file that has another content since, or is gone, stays a
 * reference, of which the model reads that it is not there.
 */
export async function withFiles(
  messages: readonly Message[],
  files: Pick<WorkFiles, 'open'>,
  report: (problem: string) => void,
): Promise<readonly Message[]> {
  const references = messages.flatMap(referencesIn);
  if (references.length === 0) return messages;
  const sizes = references.map(({ size }) => size);
  const out = new Set(references.slice(0, oldestOut(sizes, MAX_SHOWN_BYTES)));
  for (const one of out) {
    if (!reported.has(one)) report(`The file ${one.path} was left out of the request: ${TOO_MANY}.`);
    reported.add(one);
  }
  return Promise.all(messages.map((message) => withBytes(message, out, files)));
}

async function withBytes(
  message: Message,
  out: ReadonlySet<FileReference>,
  files: Pick<WorkFiles, 'open'>,
): Promise<Message> {
  const references = referencesIn(message);
  if (message.role !== 'user' || typeof message.content === 'string' || references.length === 0) return message;
  const isWhole = !references.some((one) => out.has(one));
  const known = isWhole ? shown.get(message) : undefined;
  if (known !== undefined) return known;
  const content: UserPart[] = [];
  for (const part of message.content) {
    if (!isReference(part)) content.push(part);
    else content.push(out.has(part) ? omitted(part) : await read(part, files));
  }
  const made: Message = { ...message, content };
  if (isWhole && !content.some(isReference)) shown.set(message, made);
  return made;
}

async function read(reference: FileReference, files: Pick<WorkFiles, 'open'>): Promise<FilePart | FileReference> {
  const { path, size, etag, ...rest } = reference;
  try {
    const { file, body } = await files.open(path);
    if (file.etag !== etag) {
      await body.cancel();
      return reference;
    }
    return { ...rest, data: base64Of(await allOf(body)) };
  } catch {
    return reference;
  }
}

function omitted({ filename, mediaType }: FileReference): UserPart {
  const name = filename === undefined ? mediaType : `${filename} (${mediaType})`;
  return { type: 'text', text: `[The file ${name} was left out: ${TOO_MANY}.]` };
}
