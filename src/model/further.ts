/**
 * The parts of a stream beside text, thinking and the calls of the agent's own tools, as a reply keeps them.
 *
 * Decides: how much of such parts is kept.
 * Keeps RP1, RP2, RP3, RP4.
 */
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { MadeFile } from '../core/definition/model-port';
import { beginningOf } from '../protocol/content/cut';
import { exactJson } from '../protocol/content/exact-json';
import { base64Of, bytesOfBase64, factsOfBytes } from '../protocol/content/file-bytes';
import { isWebUrl } from '../protocol/content/web-url';
import { isObject, type Json, type JsonObject, toJson } from '../protocol/json';
import type { ProviderResultPart, ReplyFilePart, SourcePart } from '../protocol/messages';

type Part<Type extends LanguageModelV4StreamPart['type']> = Extract<LanguageModelV4StreamPart, { type: Type }>;

/** The most that is kept of parts of a reply. */
export const PART_LIMITS = {
  /** The result of a tool that a provider ran, as JSON. Unit: characters. */
  maxResult: 1_000_000,
  /** Of one that is larger, its beginning. Unit: characters. */
  maxCutResult: 4_096,
  maxSources: 200,
  maxFiles: 20,
  /** All files of a reply together, as base64. Unit: characters. */
  maxFileCharacters: 48 * 1_048_576,
  maxUrl: 2_048,
  maxTitle: 300,
  maxName: 256,
} as const;

/** A text of a provider, of so many characters at most. */
export const short = (text: string, most: number): string => beginningOf(text.toWellFormed(), most);

/** The arguments of a call that a provider ran: JSON, or their text where that is not JSON. */
export function inputOf(text: string): Json {
  if (text.trim() === '') return {};
  const exact = exactJson(text);
  const read = exact.ok ? toJson(exact.json, PART_LIMITS.maxResult) : exact;
  if (read.ok) return read.json;
  return short(text, PART_LIMITS.maxCutResult);
}

/** A result as it is kept: whole, or the beginning of its text. */
export function keptResult(result: unknown): Pick<ProviderResultPart, 'result' | 'cut'> {
  const read = toJson(result, PART_LIMITS.maxResult);
  if (read.ok) return { result: read.json };
  let text: string;
  try {
    text = JSON.stringify(result) ?? '';
  } catch {
    text = read.problem;
  }
  return { result: short(text, PART_LIMITS.maxCutResult), cut: true };
}

/** A page or document; undefined for one that is not kept. */
export function sourceOf(part: Part<'source'>): SourcePart | undefined {
  const { title } = part;
  const base = {
    type: 'source' as const,
    id: short(part.id, PART_LIMITS.maxName),
    ...(title ? { title: short(title, PART_LIMITS.maxTitle) } : {}),
  };
  if (part.sourceType === 'url') {
    const isLink = part.url.length <= PART_LIMITS.maxUrl && part.url.isWellFormed() && isWebUrl(part.url);
    return isLink ? { ...base, sourceType: 'url', url: part.url } : undefined;
  }
  const { mediaType, filename } = part;
  return {
    ...base,
    sourceType: 'document',
    mediaType: short(mediaType, PART_LIMITS.maxName),
    ...(filename ? { filename: short(filename, PART_LIMITS.maxName) } : {}),
  };
}

/** The data of a file, as the versions of the provider interface write it. */
type FileData = Part<'file'>['data'] | Uint8Array | string;

/** A file as it came. */
export function fileOf(given: FileData, type: string, metadata: JsonObject | undefined): MadeFile | ReplyFilePart {
  const base = {
    mediaType: short(type, PART_LIMITS.maxName),
    ...(metadata === undefined ? {} : { providerMetadata: metadata }),
  };
  if (typeof given === 'string') return { type: 'made-file', ...base, data: given };
  if (given instanceof Uint8Array) return { type: 'made-file', ...base, data: base64Of(given) };
  if (given.type === 'data') return fileOf(given.data, type, metadata);
  const url = String(given.url);
  return { type: 'reply-file', ...base, ...addressOf(url) };
}

function addressOf(url: string): { readonly url: string } | { readonly omitted: string } {
  if (url.length > PART_LIMITS.maxUrl) return { omitted: 'its address is too long' };
  return isWebUrl(url) ? { url } : { omitted: 'its address is not a web address' };
}

/** The picture that is the result of a tool which makes one: its base64 is in `result`. */
export function pictureIn(result: unknown): { readonly mediaType: string; readonly data: string } | undefined {
  if (!isObject(result)) return undefined;
  const { result: data } = result;
  if (typeof data !== 'string' || data.length < 64) return undefined;
  const bytes = bytesOfBase64(data);
  const facts = bytes && factsOfBytes(bytes);
  return facts?.kind === 'picture' ? { mediaType: facts.mediaType, data } : undefined;
}
