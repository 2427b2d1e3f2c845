/**
 * What a path, a prefix and a media type of a file may be: the same for tools, for people and in every store.
 *
 * Decides: what a file may be called.
 * Keeps FS14, FS15, FS39, FS50.
 */
import { OffshootError } from './errors';
import { isDeceiving } from './shown/names';

/** The longest path, in bytes of UTF-8, without the leading slash. */
const MAX_PATH_BYTES = 1_024;

/** The longest media type, in characters, parameters included. */
const MAX_MEDIA_TYPE = 255;

const encoder = new TextEncoder();

function invalidFile(message: string): never {
  throw new OffshootError('invalid_request', message);
}

function checkText(value: string, what: string): void {
  if (value.includes('\0')) invalidFile(`${what} contains a NUL character: leave it out.`);
  // A lone surrogate has no UTF-8 form: two different names would become one.
  if (!value.isWellFormed()) invalidFile(`${what} is not valid Unicode: it contains half of a surrogate pair.`);
  if (encoder.encode(value).byteLength > MAX_PATH_BYTES) {
    invalidFile(`${what} is longer than ${MAX_PATH_BYTES} bytes: choose a shorter one.`);
  }
}

/** The stored form of the beginning of a path. Systems write the same name in one of two normal forms. */
export const filePrefix = (prefix: string): string => prefix.replace(/^\//, '').normalize('NFC');

/**
 * The stored form of a path: `/notes/a.md` and `notes/a.md` are both `notes/a.md`, and both normal forms of a name are one.
 * Upper and lower case differ; nothing else is folded.
 * @throws `invalid_request` for an empty path, an empty, `.` or `..` segment, a NUL character, half a surrogate
 * pair, or more than 1,024 bytes.
 */
export function filePath(path: string): string {
  const bare = filePrefix(path);
  if (bare === '') invalidFile('The path of the file is empty: give a name such as notes/a.md.');
  checkText(bare, 'The path of the file');
  for (const segment of bare.split('/')) {
    if (segment === '') invalidFile('The path of the file has an empty segment: remove the extra slash.');
    if (segment === '.' || segment === '..') {
      invalidFile(`The path of the file has the segment "${segment}": give the path from the top, without it.`);
    }
  }
  return bare;
}

/**
 * The stored form of a path that is written.
 * @throws as `filePath` does, and `invalid_request` for control characters and marks that turn the direction of text
 */
export function newFilePath(path: string): string {
  const bare = filePath(path);
  if (isDeceiving(bare))
    invalidFile('The path of the file contains control or text-direction characters: leave them out.');
  return bare;
}

/**
 * The paths that begin with `prefix`, as a range in the store's order (bytes of UTF-8): from `from` on, before `to`.
 * A missing `to` means no end. One leading slash is taken off, as in a path; the prefix may end anywhere.
 * @throws `invalid_request` for a NUL character, half a surrogate pair, or more than 1,024 bytes.
 */
export function prefixRange(prefix: string): { from: string; to?: string } {
  const from = filePrefix(prefix);
  checkText(from, 'The prefix');
  const points = Array.from(from, (character) => character.codePointAt(0) ?? 0);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last === 0x10ffff) continue; // the highest there is: the character before it decides
    const next = last === 0xd7ff ? 0xe000 : last + 1; // surrogates have no UTF-8 form
    return { from, to: String.fromCodePoint(...points, next) };
  }
  return { from };
}

// RFC 9110: type "/" subtype, then parameters. Only visible ASCII and spaces, so it is safe in a header. Whoever reads
// the file parses it again: half a quoted string would break the answer. No two ways to match the same spaces.
const TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";
const QUOTED = '"(?:[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\x20-\\x7e])*"';
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?: *;(?: *${TOKEN}=(?:${TOKEN}|${QUOTED}))?)*$`);

/**
 * A media type such as `text/markdown; charset=utf-8`, as given.
 * @throws `invalid_request` for anything that is not one, or is longer than 255 characters.
 */
export function mediaTypeOf(value: string): string {
  if (value.length > MAX_MEDIA_TYPE || !MEDIA_TYPE.test(value)) {
    invalidFile('The media type of the file is not valid: give one such as text/markdown.');
  }
  return value;
}
