/** What may be put into the library, and under which name. */

import { beginningOf } from '../protocol/content/cut';
import { trimOf } from '../protocol/content/lines';
import type { Failure } from '../protocol/errors';
import { failure } from '../protocol/errors';
import type { Upload } from './library-types';

/** What one library may hold beside what is shipped with it. */
export interface LibraryRoom {
  readonly maxDocuments: number;
  /** The texts of all of them, in bytes of UTF-8. */
  readonly maxBytes: number;
  /** A search looks at each passage that holds one of its words. */
  readonly maxPassages: number;
}

/** The limits of the library. */
export const LIBRARY_LIMITS = {
  /** The text of one document, in bytes of UTF-8 (2 MB). */
  maxDocumentBytes: 2 * 1_048_576,
  /** Passages of one document. */
  maxDocumentPassages: 4_000,
  /** What one root may put into its own library (100 documents, 16 MB). */
  own: { maxDocuments: 100, maxBytes: 16 * 1_048_576, maxPassages: 20_000 },
  /** What may be put into the shared library (500 documents, 32 MB). */
  shared: { maxDocuments: 500, maxBytes: 32 * 1_048_576, maxPassages: 20_000 },
  /** A document's name, in characters. */
  maxName: 100,
  /** Passages of a search, when `limit` is not given, and at most. */
  searchLimit: 6,
  maxSearchLimit: 20,
  /** Passages that one read answers at most; the rest is left out, and `truncated` says so. */
  maxReadPassages: 50,
  /** Passages before and after the one that is read, at most. */
  maxAround: 3,
} as const;

const TEXT_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/xml',
  'application/yaml',
  'application/x-ndjson',
]);
const TEXT_EXTENSIONS = /\.(md|markdown|txt|text|csv|tsv|json|ndjson|yaml|yml|xml|log|rst|adoc)$/i;
const MARKDOWN = /\.(md|markdown)$/i;

/** Whether a file holds text that the library can take, by its media type, or by its name where that says nothing. */
export function isTextFile(name: string, mediaType: string): boolean {
  const type = (mediaType.split(';')[0] ?? '').trim().toLowerCase();
  if (type === '' || type === 'application/octet-stream') return TEXT_EXTENSIONS.test(name);
  return type.startsWith('text/') || TEXT_TYPES.has(type) || type.endsWith('+json');
}

/** Whether `#` lines of a file are headings. */
export function isMarkdown(name: string, mediaType: string): boolean {
  return MARKDOWN.test(name) || mediaType.toLowerCase().startsWith('text/markdown');
}

/** A file's name as a document's: no folders, no blanks, no `#`, always with an extension (shipped names have none). */
export function documentName(fileName: string): string {
  const base = fileName.split(/[/\\]/).findLast((part) => part !== '') ?? '';
  const slug = trimOf(base.normalize('NFC').replaceAll(/[^\p{L}\p{N}\p{M}._-]+/gu, '-'), '-.');
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(slug)?.[0] ?? '';
  const stem = [...slug.slice(0, slug.length - extension.length)].slice(0, LIBRARY_LIMITS.maxName - 15).join('');
  return `${stem === '' ? 'document' : stem}${extension === '' ? '.txt' : extension}`;
}

/** A name with a number: `notes.md` gives `notes-2.md`. */
export function numberedName(name: string, number: number): string {
  return name.replace(/(\.[A-Za-z0-9]{1,10})$/, `-${number}$1`);
}

/** The size of a text in bytes of UTF-8. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

/** Why an upload cannot be taken, if so; looks at the upload alone. */
export function uploadProblem(upload: Upload): Failure | undefined {
  const { name, mediaType, text } = upload;
  if (typeof name !== 'string' || typeof mediaType !== 'string' || typeof text !== 'string' || name.trim() === '') {
    return failure('invalid_request', 'An upload needs `name`, `mediaType` and `text`, all of them text.');
  }
  if (!isTextFile(name, mediaType)) {
    return failure(
      'unsupported_media_type',
      `"${beginningOf(name, 200)}" (${beginningOf(mediaType, 100)}) is not a text that the library accepts; send plain text, Markdown, CSV, JSON, YAML or XML.`,
    );
  }
  if (text.includes('\u0000') || text.trim() === '') {
    return failure(
      'invalid_request',
      `"${beginningOf(name, 200)}" ${text.trim() === '' ? 'is empty' : 'contains NUL characters, so it is not text'}.`,
    );
  }
  const { maxDocumentBytes } = LIBRARY_LIMITS;
  if (text.length > maxDocumentBytes || byteLength(text) > maxDocumentBytes) {
    return failure(
      'payload_too_large',
      `"${beginningOf(name, 200)}" is larger than ${maxDocumentBytes} bytes of text; split it.`,
    );
  }
  return undefined;
}
