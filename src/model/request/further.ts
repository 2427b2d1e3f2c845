/**
 * Parts of a reply beside text, thinking and calls, as a provider takes them: what a provider ran goes back to it alone, and
 * is text for another. Sources are for people; no provider takes them.
 *
 * Decides: the text in place of what another provider ran, and of a file that a model made.
 * Keeps RP6, RP7, RP8.
 */
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { beginningOf } from '../../protocol/content/cut';
import { isObject, type Json, type JsonObject } from '../../protocol/json';
import {
  type AssistantPart,
  fileName,
  type ProviderCallPart,
  type ProviderResultPart,
  type ReplyFilePart,
} from '../../protocol/messages';
import type { Profile } from './profile';
import { wellFormed, wellFormedJson } from './texts';
import { optionsOf } from './thoughts';

type ReplyPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];

/** Characters that are sent of what another provider ran. */
const MOST_TEXT = 2_000;

/** A call that a provider ran and that goes back with its result, under that name. */
interface RanPair {
  readonly call: ProviderCallPart;
  readonly name: string;
}

/** Those of a reply, by their results. */
export type RanPairs = ReadonlyMap<ProviderResultPart, RanPair>;

/** The calls of a reply that a provider ran and that go back to it. */
export function pairsRan(parts: readonly AssistantPart[], { ranBack }: Profile): RanPairs {
  const pairs = new Map<ProviderResultPart, RanPair>();
  if (ranBack === undefined) return pairs;
  const calls = new Map<string, ProviderCallPart>();
  const ended = new Set<string>();
  for (const part of parts) {
    if (part.type === 'provider-call' && !calls.has(part.providerId)) calls.set(part.providerId, part);
    if (part.type !== 'provider-result') continue;
    const { providerId, cut } = part;
    const call = calls.get(providerId);
    if (call === undefined || cut || ended.has(providerId) || !ranBack.calls.test(providerId)) continue;
    const name = ranBack.nameOf(call, part);
    if (name === undefined || !name.isWellFormed()) continue;
    ended.add(providerId);
    pairs.set(part, { call, name });
  }
  return pairs;
}

/** A call that a provider ran, as it goes back; nothing where it does not. */
export function ranCall(part: ProviderCallPart, pairs: RanPairs, profile: Profile): ReplyPart[] {
  const pair = [...pairs.values()].find(({ call }) => call === part);
  if (pair === undefined) return [];
  const { providerId: toolCallId, input, providerMetadata } = part;
  const options = optionsOf(providerMetadata, profile);
  const made = { toolCallId, toolName: pair.name, input: wellFormedJson(input), providerExecuted: true, ...options };
  return [{ type: 'tool-call', ...made }];
}

/** Its result, as it goes back, or in words. */
export function ranResult(part: ProviderResultPart, pairs: RanPairs, profile: Profile): ReplyPart {
  const pair = pairs.get(part);
  if (pair === undefined) return { type: 'text', text: ranText(part) };
  const { providerId: toolCallId, result, isError, providerMetadata } = part;
  const output = { type: isError ? ('error-json' as const) : ('json' as const), value: wellFormedJson(result) };
  return { type: 'tool-result', toolCallId, toolName: pair.name, output, ...optionsOf(providerMetadata, profile) };
}

/** A result in words, for a model whose provider did not run the tool. Data that are encrypted for its provider are removed. */
function ranText({ toolName, result, isError }: ProviderResultPart): string {
  const said = beginningOf(wellFormed(JSON.stringify(readable(result))), MOST_TEXT);
  return `[${wellFormed(toolName)}, which the provider of the model ran, ${isError ? 'failed' : 'gave'}: ${said}]`;
}

function readable(value: Json): Json {
  if (Array.isArray(value)) return value.map(readable);
  if (!isObject(value)) return value;
  const shown = Object.entries(value).filter(([key]) => !/encrypted/i.test(key));
  return Object.fromEntries(shown.map(([key, inner]) => [key, readable(inner)]));
}

/** The line in place of a file that a model made. */
export const madeText = (file: ReplyFilePart): string =>
  `[The file ${wellFormed(fileName(file))} (${wellFormed(file.mediaType)}) was made here.]`;

/** The note for people on such a file. */
export const madeNote = (file: ReplyFilePart): string =>
  `The file ${wellFormed(fileName(file))} is not in the request: the model is not shown files that were made.`;

/** The addresses of the pages that a reply still has. */
export function pagesOf(results: Iterable<ProviderResultPart>): ReadonlySet<string> {
  const pages = [...results].flatMap(({ result }) => (Array.isArray(result) ? result : []));
  return new Set(pages.flatMap((page) => (isObject(page) && typeof page.url === 'string' ? [page.url] : [])));
}

/**
 * The metadata of a text without citations of pages that its reply no longer has: Anthropic finds none for them, and refuses
 * the request.
 */
export function cited(metadata: JsonObject | undefined, pages: ReadonlySet<string>): JsonObject | undefined {
  if (!isObject(metadata?.anthropic) || !Array.isArray(metadata.anthropic.citations)) return metadata;
  const { citations, ...anthropic } = metadata.anthropic;
  const kept = citations.filter((one) => !citesPage(one) || pages.has(String(one.url)));
  if (kept.length === citations.length) return metadata;
  return { ...metadata, anthropic: kept.length === 0 ? anthropic : { ...anthropic, citations: kept } };
}

const citesPage = (citation: Json): citation is JsonObject =>
  isObject(citation) && citation.type === 'web_search_result_location';
