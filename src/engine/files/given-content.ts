/**
 * The content of a message, read from a request: text, or parts with files in them or by their paths.
 *
 * Decides: which files a message may have.
 * Keeps A103, A110.
 */
import type * as z from 'zod';
import type { FileInfo, OpenFile } from '../../core/ports/file-store';
import { bytesOfBase64, factsOfBytes, typeProblem } from '../../protocol/content/file-bytes';
import { OffshootError, refuse } from '../../protocol/errors';
import type { FilePart, FileReference, UserPart } from '../../protocol/messages';
import type { givenContent, givenPart } from '../../protocol/wire/requests';
import { WIRE_LIMITS } from '../../protocol/wire/wire-limits';
import { allOf } from '../workspace/bytes';

type Given = z.output<typeof givenContent>;
type GivenFile = Exclude<z.output<typeof givenPart>, { type: 'text' }>;

/** A file at a path, with its bytes. */
export interface FileAt {
  readonly file: FileInfo;
  readonly bytes: () => Promise<Uint8Array>;
}

/** Finds a file by its path; undefined where there is none. */
export type FindFile = (path: string) => Promise<FileAt | undefined>;

/** Finds none: for a message whose files cannot be looked at where it is taken. */
export const NO_FILES: FindFile = (path) =>
  refuse('invalid_input', `The file ${path} cannot be sent by its path to this agent now: send it as base64.`);

/** Finds none: a session that has not begun has no files. */
export const NO_SESSION: FindFile = () => Promise.resolve(undefined);

/** Finds files in a store. */
export function filesIn(files: { open(path: string): Promise<OpenFile> }): FindFile {
  return async (path) => {
    try {
      const { file, body } = await files.open(path);
      if (file.size > WIRE_LIMITS.maxShownFileBytes) await body.cancel();
      return { file, bytes: () => allOf(body) };
    } catch (error) {
      if (error instanceof OffshootError && error.code === 'not_found') return undefined;
      throw error;
    }
  };
}

/**
 * The content of a message. A picture is known by its bytes.
 * @throws OffshootError `invalid_input` that names the file which is missing, too large or broken
 */
export async function contentGiven(given: Given, find: FindFile): Promise<string | readonly UserPart[]> {
  if (typeof given === 'string') return given;
  const parts: UserPart[] = [];
  for (const part of given) parts.push(part.type === 'text' ? part : await fileGiven(part, find));
  return parts;
}

async function fileGiven(given: GivenFile, find: FindFile): Promise<FilePart | FileReference> {
  const { path, base64, filename } = given;
  if (path === undefined) {
    const name = filename ?? given.mediaType ?? 'image';
    const mediaType = typeOf(given, name, given.mediaType, bytesOfBase64(base64 ?? ''));
    return { type: 'file', mediaType, ...(filename === undefined ? {} : { filename }), data: base64 ?? '' };
  }
  const found = await find(path);
  if (found === undefined) refuse('invalid_input', `There is no file "${path}": write it first, or send it as base64.`);
  const { size, etag, ...file } = found.file;
  const most = WIRE_LIMITS.maxShownFileBytes;
  if (size > most)
    refuse('invalid_input', `The file ${path} has ${size} bytes: a file of a message has at most ${most}.`);
  const mediaType = typeOf(given, path, file.mediaType, await found.bytes());
  return { type: 'file', mediaType, filename: filename ?? file.path, path: file.path, size, etag };
}

/** The media type of a file: that of its bytes for a picture, else the declared one. @throws OffshootError `invalid_input` */
function typeOf(
  { type }: GivenFile,
  name: string,
  declared: string | undefined,
  bytes: Uint8Array | undefined,
): string {
  const facts = bytes && factsOfBytes(bytes);
  if (facts?.kind === 'picture') return facts.mediaType;
  const mediaType = declared ?? 'application/octet-stream';
  const problem = type === 'image' ? 'it is not a complete image' : typeProblem(mediaType, bytes);
  if (problem !== undefined) refuse('invalid_input', `The file ${name} is not accepted: ${problem}.`);
  return mediaType;
}
