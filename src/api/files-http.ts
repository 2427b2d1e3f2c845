/** Files over HTTP: ranges, versions and safe headers. */
import { isObject, type Json } from '../core/json';
import { refuse } from './problem';

/** Which part of a file is asked for; other forms of `Range` are answered with the whole file, as the standard allows. */
export function rangeOf(request: Request): { offset?: number; length?: number } {
  const match = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(request.headers.get('range') ?? '');
  if (match === null) return {};
  const offset = Number(match[1]);
  if (match[2] === '') return { offset };
  const last = Number(match[2]);
  return last < offset ? {} : { offset, length: last - offset + 1 };
}

const untagged = (tag: string): string => tag.trim().replace(/^W\//, '').replaceAll('"', '');

/** What a PUT says about the file in its headers. */
export function uploadFacts(request: Request): { mediaType?: string; size?: number; ifMatch?: string | null } {
  const type = request.headers.get('content-type');
  const length = request.headers.get('content-length');
  const match = request.headers.get('if-match');
  const noneMatch = request.headers.get('if-none-match');
  if (match === '*' || (noneMatch !== null && noneMatch.trim() !== '*')) {
    refuse(
      'invalid_request',
      'Send If-Match with the etag of the version to replace, or If-None-Match: * to write only where there is no file.',
    );
  }
  return {
    ...(type === null ? {} : { mediaType: type }),
    ...(length === null ? {} : { size: Number(length) }),
    ...(match === null ? {} : { ifMatch: untagged(match) }),
    ...(noneMatch === null ? {} : { ifMatch: null }),
  };
}

/** The response that is a file. It is shown as nothing but a file: what is in it does not run on this origin. */
export function fileResponse(
  request: Request,
  info: Json,
  bytes: ReadableStream<Uint8Array>,
  headers: Headers,
): Response {
  const { path, size, mediaType, etag, updatedAt, offset, length } = factsOf(info);
  headers.set('content-type', mediaType);
  headers.set('etag', `"${etag}"`);
  headers.set('last-modified', new Date(updatedAt).toUTCString());
  headers.set('accept-ranges', 'bytes');
  headers.set('content-security-policy', "sandbox; default-src 'none'");
  headers.set(
    'content-disposition',
    `attachment; filename*=UTF-8''${encodeURIComponent(path.split('/').at(-1) ?? 'file')}`,
  );
  const known = request.headers.get('if-none-match');
  if (known?.split(',').map(untagged).includes(etag)) {
    bytes.cancel().catch(() => undefined);
    return new Response(null, { status: 304, headers });
  }
  const part = request.headers.has('range') && length < size;
  headers.set('content-length', String(length));
  if (part) headers.set('content-range', `bytes ${offset}-${offset + length - 1}/${size}`);
  return new Response(bytes, { status: part ? 206 : 200, headers });
}

function factsOf(info: Json) {
  if (!isObject(info)) throw new TypeError('A file was answered without what it is.');
  return info as {
    path: string;
    size: number;
    mediaType: string;
    etag: string;
    updatedAt: number;
    offset: number;
    length: number;
  };
}
