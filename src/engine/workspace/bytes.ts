/**
 * Bytes as a model reads and writes them: whole characters, base64, and the versions of files.
 *
 * Keeps WS3, WS4, WS22.
 */
import { VERSION_DIGITS } from '../../core/agent/built-in/workspace';
import type { ByteRange, FileInfo, OpenFile } from '../../core/ports/file-store';
import type { WorkFiles } from '../../core/ports/work-files';
import { bytesOfBase64 as decoded } from '../../protocol/content/file-bytes';
import { OffshootError } from '../../protocol/errors';

/** The byte that ends a line. */
export const LINE_FEED = 10;

/** How a version is shown. */
export function versionOf({ etag }: Pick<FileInfo, 'etag'>): string {
  return etag.slice(0, VERSION_DIGITS);
}

/** The refusal of a path that has no file, with the tool that shows those that are there. */
export function noFile(path: string): OffshootError {
  return new OffshootError('not_found', `There is no file ${path}. \`workspace_list_files\` lists the files.`);
}

/** A file that is being read. @throws `not_found` with the tool that shows which there are */
export async function opened(files: WorkFiles, path: string, range?: ByteRange): Promise<OpenFile> {
  try {
    return await files.open(path, range);
  } catch (error) {
    throw error instanceof OffshootError && error.code === 'not_found' ? noFile(path) : error;
  }
}

/** What every answer about a file has. */
export function factsOf(file: FileInfo): { path: string; version: string; size: number; mediaType: string } {
  return { path: file.path, version: versionOf(file), size: file.size, mediaType: file.mediaType };
}

/** The bytes of a stream, piece by piece; it is cancelled where not all of it is taken, and when `signal` aborts. */
export async function* piecesOf(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader();
  let whole = false;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      signal?.throwIfAborted();
      yield next.value;
    }
    whole = true;
  } finally {
    if (!whole) await reader.cancel().catch(() => undefined);
    reader.releaseLock();
  }
}

/** Pieces as one. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** All bytes of a stream that is known to be short. */
export async function allOf(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of piecesOf(body)) pieces.push(piece);
  return joined(pieces);
}

const isInner = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Where the first character begins that is whole at its beginning: up to three bytes may belong to one that began before. */
export function firstWhole(bytes: Uint8Array): number {
  let at = 0;
  while (at < 3 && isInner(bytes[at])) at++;
  return at;
}

/** Where the last whole character ends. What is no UTF-8 is left as it is. */
export function lastWhole(bytes: Uint8Array): number {
  const { length } = bytes;
  let at = length - 1;
  while (at >= 0 && length - at < 4 && isInner(bytes[at])) at--;
  const lead = bytes[at] ?? 0;
  const needs = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return length - at < needs ? at : length;
}

const TEXT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const MARKED = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });

/** The mark that some programs write before UTF-8 text. */
export const BYTE_ORDER_MARK = /^\ufeff/;

/** The text of bytes; undefined where they are no UTF-8, or hold a zero, as UTF-16 does. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return TEXT.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The same with a mark for what is no text. */
export function shownText(bytes: Uint8Array): string {
  return MARKED.decode(bytes.subarray(firstWhole(bytes), lastWhole(bytes)));
}

/** The bytes of a text. @throws `invalid_arguments` for half a surrogate pair, which has no bytes */
export function bytesOfText(text: string): Uint8Array {
  if (!text.isWellFormed())
    throw new OffshootError(
      'invalid_arguments',
      'The text is not valid Unicode: it contains half of a surrogate pair.',
    );
  return new TextEncoder().encode(text);
}

/** The bytes of base64. @throws `invalid_arguments` for what is none */
export function bytesOfBase64(text: string): Uint8Array {
  const bytes = decoded(text);
  if (bytes) return bytes;
  throw new OffshootError('invalid_arguments', 'The content is not base64: send the bytes again, encoded as base64.');
}
