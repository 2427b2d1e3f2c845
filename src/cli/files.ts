/** The files that go with a question. */

import { base64Of } from '../protocol/content/file-bytes';
import { sentence } from '../protocol/content/sentence';
import { DATA_LIMITS } from '../protocol/data-limits';
import type { JsonObject } from '../protocol/json';
import { CliError, EXIT } from './cli-error';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css',
  csv: 'text/csv',
  gif: 'image/gif',
  htm: 'text/html',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  markdown: 'text/markdown',
  md: 'text/markdown',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  text: 'text/plain',
  txt: 'text/plain',
  webp: 'image/webp',
  xml: 'application/xml',
};

/** The media type that a file's name tells; `application/octet-stream` for all others. */
function mediaTypeOf(name: string): string {
  const ending = /\.([a-z0-9]+)$/iu.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(MEDIA_TYPES, ending) ? (MEDIA_TYPES[ending] ?? '') : 'application/octet-stream';
}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a directory',
};

/**
 * Reads files in the form that a start takes: `{ path, mediaType, base64 }`, below `uploads/`, each under its own name;
 * a name that comes twice gets a number.
 * @throws {CliError} that names the file and the reason
 */
export async function readUploads(
  paths: readonly string[],
  readFile: (path: string) => Promise<Uint8Array>,
): Promise<JsonObject[]> {
  const taken = new Set<string>();
  const uploads: JsonObject[] = [];
  for (const path of paths) {
    const bytes = await readFile(path).catch((error: unknown) => {
      const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
      const why = sentence(WHY[code] ?? (code || String(error)));
      throw new CliError(`${path} cannot be read: ${why}`, EXIT.usage, { cause: error });
    });
    if (bytes.length > DATA_LIMITS.maxFileBytes) {
      throw new CliError(`${path} exceeds the limit of ${DATA_LIMITS.maxFileBytes} bytes.`, EXIT.usage);
    }
    const name = freeName((path.split(/[/\\]/u).at(-1) || 'file').normalize('NFC'), taken);
    taken.add(name);
    uploads.push({ path: `uploads/${name}`, mediaType: mediaTypeOf(name), base64: base64Of(bytes) });
  }
  return uploads;
}

/** A question with the pictures and PDF files among its uploads as parts of it: models are shown those. */
export function questionOf(question: string, files: readonly JsonObject[]): string | JsonObject[] {
  const shown = files.filter(({ mediaType }) => SHOWN.test(String(mediaType)));
  if (shown.length === 0) return question;
  const parts = shown.map(({ path = '' }): JsonObject => ({ type: 'file', path }));
  return [{ type: 'text', text: question }, ...parts];
}

const SHOWN = /^(?:image\/(?:png|jpeg|gif|webp)|application\/pdf)$/u;

function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  const [, stem = name, ending = ''] = /^(.+?)(\.[^.]*)?$/u.exec(name) ?? [];
  for (let number = 2; ; number += 1) {
    const next = `${stem}-${number}${ending}`;
    if (!taken.has(next)) return next;
  }
}
