/**
 * Files as a provider takes them: by their bytes, whatever their names say. A line in the prompt replaces a file that it
 * does not take.
 *
 * Decides: which files a request has, and what is said of the others.
 * Keeps M13, M61, M67, M108.
 */
import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from '@ai-sdk/provider';
import { isBlank } from '../../protocol/content/blank';
import {
  bytesOfBase64,
  type FileFacts,
  factsOfBytes,
  isBinary,
  type PictureFacts,
} from '../../protocol/content/file-bytes';
import { type FilePart, type FileReference, isTextual } from '../../protocol/messages';
import { pagesOf } from './pdf-pages';
import type { PictureRule, Profile } from './profile';
import { wellFormed } from './texts';

/** A file as part of a request. `picture` is set where it counts as one, `pages` for a PDF file. */
export interface SentFile {
  readonly part: LanguageModelV4TextPart | LanguageModelV4FilePart;
  readonly picture?: PictureFacts;
  readonly pages?: number;
  /** The note for people on a file that was omitted. */
  readonly note?: string;
}

/** A file as the provider takes it. */
export function fileOf(file: FilePart | FileReference, profile: Profile): SentFile {
  if (!('data' in file))
    return omitted(file, `the agent no longer has a file ${wellFormed(file.path)} with that content`);
  const bytes = bytesOfBase64(file.data);
  if (bytes === undefined) return omitted(file, 'its data is not base64');
  if (isTextual(file)) return isBinary(bytes) ? omitted(file, 'it is not UTF-8 text') : { part: textFile(file, bytes) };
  const facts = factsOfBytes(bytes);
  if (facts.kind === 'other' && isText(file, bytes)) return { part: textFile(file, bytes) };
  const pages = facts.kind === 'pdf' ? pagesOf(bytes) : 0;
  const problem = problemOf(facts, file, profile) ?? pagesProblem(pages, profile);
  if (problem !== undefined) return omitted(file, problem);
  const mediaType = facts.kind === 'picture' ? facts.mediaType : 'application/pdf';
  const name = file.filename === undefined ? {} : { filename: wellFormed(file.filename) };
  return {
    part: { type: 'file', mediaType, ...name, data: { type: 'data', data: file.data } },
    ...(facts.kind === 'picture' ? { picture: facts } : { pages }),
  };
}

/** The line that replaces a file. */
export function omitted({ filename, mediaType }: Pick<FilePart, 'filename' | 'mediaType'>, problem: string): SentFile {
  const name = filename === undefined ? wellFormed(mediaType) : `${wellFormed(filename)} (${wellFormed(mediaType)})`;
  return {
    part: { type: 'text', text: `[The file ${name} was left out: ${problem}.]` },
    note: `The file ${name} was left out of the request: ${problem}.`,
  };
}

/** Why a provider does not take a file, if it does not. */
function problemOf(facts: FileFacts, { data }: FilePart, { pictures, mostPdf }: Profile): string | undefined {
  switch (facts.kind) {
    case 'other':
      return 'the model accepts no files of this kind';
    case 'broken':
      return `it is not a complete file of the type ${facts.mediaType}`;
    case 'pdf':
      if (mostPdf === undefined) return 'the model accepts no PDF files';
      if (facts.encrypted) return 'it is encrypted';
      return data.length > mostPdf ? `it has more than ${megabytes(mostPdf)} MB as base64` : undefined;
    case 'picture':
      return pictures === undefined ? 'the model accepts no images' : pictureProblem(facts, data, pictures);
  }
}

function pagesProblem(pages: number, { mostPages }: Profile): string | undefined {
  return pages > mostPages ? `it has ${pages} pages, but the model accepts only ${mostPages}` : undefined;
}

function pictureProblem(facts: PictureFacts, data: string, rule: PictureRule): string | undefined {
  if (!rule.types.includes(facts.mediaType)) return `the model accepts no images of the type ${facts.mediaType}`;
  if (facts.animated && !rule.animated) return 'the model accepts no animated images';
  if (data.length > rule.mostCharacters) return `it has more than ${megabytes(rule.mostCharacters)} MB as base64`;
  if (Math.min(facts.width, facts.height) < rule.leastPixels)
    return `one of its sides has fewer than ${rule.leastPixels} pixels`;
  if (sideOf(facts) > rule.mostPixels) return `one of its sides has more than ${rule.mostPixels} pixels`;
  return undefined;
}

const megabytes = (characters: number): number => characters / 1_048_576;

/** The longer side of a picture, in pixels. */
export const sideOf = ({ width, height }: PictureFacts): number => Math.max(width, height);

/** Types that browsers give to texts that they do not know: one of TypeScript is a video to them. */
const UNKNOWN =
  /^(?:application\/(?:octet-stream|x-[\w.+-]+|sql|toml|graphql|typescript)|video\/(?:mp2t|vnd\.dlna\.mpeg-tts))(?:;|$)/i;

/** True for a file of an unknown type that is text by its bytes. */
function isText({ mediaType }: FilePart, bytes: Uint8Array): boolean {
  if (!UNKNOWN.test(mediaType) || isBinary(bytes)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** A file of text becomes text: not every provider reads text files, and every model reads text. */
function textFile({ filename, mediaType }: FilePart, bytes: Uint8Array): LanguageModelV4TextPart {
  const title = wellFormed(filename === undefined ? mediaType : `${filename} (${mediaType})`);
  const text = new TextDecoder().decode(bytes);
  return { type: 'text', text: isBlank(text) ? `File ${title}: it is empty.` : `File ${title}:\n\n${text}` };
}
