/**
 * Files over HTTP: ranges, versions and safe headers.
 *
 * Keeps FS25, FS26, FS27, FS33.
 */
import { failure, refuse } from '../protocol/errors';
import type { JsonLike } from '../protocol/json';
import { readFile } from '../verbs/files';
import { problemResponse } from './problem';

/** More digits than this are more bytes than any file has. */
const bytesOf = (digits: string): number => Math.min(Number(digits), Number.MAX_SAFE_INTEGER);

/**
 * Which part of a file is asked for, and of which version; other forms of `Range` are answered with the whole file, as
 * the standard allows. Only a GET has a range.
 */
export function rangeOf(request: Request): { offset?: number; length?: number; suffix?: number; ifRange?: string } {
  const match = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/i.exec(request.headers.get('range') ?? '');
  if (match === null || request.method !== 'GET') return {};
  const [, first, last = '', suffix] = match;
  const known = request.headers.get('if-range');
  // A date or a weak tag does not tell two versions apart for sure: it matches none.
  const version = known === null ? {} : { ifRange: /^"([^"]*)"$/.exec(known.trim())?.[1] ?? '' };
  if (suffix !== undefined) return { suffix: bytesOf(suffix), ...version };
  const offset = bytesOf(first ?? '');
  if (last === '') return { offset, ...version };
  const end = bytesOf(last);
  return end < offset ? {} : { offset, length: Math.min(end - offset + 1, Number.MAX_SAFE_INTEGER), ...version };
}

const untagged = (tag: string): string => tag.trim().replace(/^W\//, '').replaceAll('"', '');

/**
 * What a PUT says about the file in its headers. Its length must be among it: a connection that breaks can end a body
 * as if it were whole, and only the announced length tells the difference.
 * @throws OffshootError `length_required`, `invalid_request`
 */
export function uploadFacts(request: Request): { mediaType?: string; size: number; ifMatch?: string | null } {
  const type = request.headers.get('content-type');
  const length = request.headers.get('content-length');
  if (length === null)
    refuse(
      'length_required',
      'Send the header Content-Length with the size of the file in bytes, instead of chunked encoding.',
    );
  if (!/^\d{1,15}$/.test(length)) refuse('invalid_request', 'Content-Length must be a whole number of bytes.');
  const match = request.headers.get('if-match');
  const noneMatch = request.headers.get('if-none-match');
  if (match === '*' || (noneMatch !== null && noneMatch.trim() !== '*')) {
    refuse(
      'invalid_request',
      'Send If-Match with the etag of the version to replace, or If-None-Match: * to write only a new file.',
    );
  }
  return {
    size: Number(length),
    ...(type === null ? {} : { mediaType: type }),
    ...(match === null ? {} : { ifMatch: untagged(match) }),
    ...(noneMatch === null ? {} : { ifMatch: null }),
  };
}

/**
 * The response that is a file. It is shown as nothing but a file: what is in it does not run on this origin.
 * A body that ends early breaks the response off, for its length is announced.
 */
export function fileResponse(
  request: Request,
  info: JsonLike,
  bytes: ReadableStream<Uint8Array>,
  requestId: string,
  headers: Headers,
): Response {
  const { path, size, mediaType, etag, updatedAt, offset, length, part } = readFile.output.parse(info);
  headers.set('etag', `"${etag}"`);
  headers.set('last-modified', new Date(updatedAt).toUTCString());
  headers.set('accept-ranges', 'bytes');
  headers.set('content-security-policy', "sandbox; default-src 'none'");
  const known = request.headers.get('if-none-match');
  const unchanged =
    known
      ?.split(',')
      .map(untagged)
      .some((one) => one === etag || one === '*') ?? false;
  if (unchanged || part === 'none' || request.method === 'HEAD') bytes.cancel().catch(() => undefined);
  if (part === 'none' && !unchanged) {
    return problemResponse(
      failure('range_not_satisfiable', `The range begins after the end: the file has ${size} bytes.`),
      requestId,
      { 'accept-ranges': 'bytes', 'content-range': `bytes */${size}` },
    );
  }
  headers.set('content-type', answeredType(mediaType));
  headers.set(
    'content-disposition',
    `attachment; filename*=UTF-8''${encodeURIComponent(path.split('/').at(-1) ?? 'file')}`,
  );
  if (unchanged) return new Response(null, { status: 304, headers });
  // Compressed on the way, a file would lose its length, and a part would not be the bytes that were asked for. The
  // network reads the first of these, a server on this machine the second.
  headers.set('cache-control', 'no-store, no-transform');
  headers.set('content-encoding', 'identity');
  headers.set('content-length', String(length));
  if (request.method === 'HEAD') return new Response(null, { headers });
  if (part === 'some') headers.set('content-range', `bytes ${offset}-${offset + length - 1}/${size}`);
  return new Response(ofLength(bytes, length), { status: part === 'some' ? 206 : 200, headers });
}

const HTML = /^(?:text\/html|application\/xhtml\+xml) *(?:;|$)/i;
const UTF8 = /; *charset="?utf-8"? *(?:;|$)/i;

/**
 * The media type of an answer. Servers that rewrite pages on their way, as that of `wrangler dev`, fail at a charset that
 * they do not read, so a page says none but UTF-8.
 */
const answeredType = (type: string): string =>
  HTML.test(type) && !UTF8.test(type) ? (type.split(/ *;/, 1)[0] ?? type) : type;

/** The same bytes, with a length that the platform announces and holds them to. */
function ofLength(bytes: ReadableStream<Uint8Array>, length: number): ReadableStream<Uint8Array> {
  const { readable, writable } = new FixedLengthStream(length);
  // Whoever reads sees the break, and whoever stops reading wants nothing more: there is nobody else to tell.
  bytes.pipeTo(writable).catch(() => undefined);
  return readable;
}
