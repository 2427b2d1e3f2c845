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

/** The calls of a reply that a provider ran and that go back to it, each with its result. */
export function pairsRan(
  parts: readonly AssistantPart[],
  { ranBack }: Profile,
): ReadonlyMap<ProviderResultPart, ProviderCallPart> {
  const pairs = new Map<ProviderResultPart, ProviderCallPart>();
  if (ranBack === undefined) return pairs;
  const open = new Map<string, ProviderCallPart>();
  const ended = new Set<string>();
  for (const part of parts) {
    if (part.type === 'provider-call') {
      const { by, providerId, toolName } = part;
      if (ranBack.tools.test(by) && ranBack.calls.test(providerId) && toolName.isWellFormed() && !open.has(providerId))
        open.set(providerId, part);
    } else if (part.type === 'provider-result') {
      const { providerId, cut } = part;
      const call = open.get(providerId);
      if (call === undefined || cut || ended.has(providerId)) continue;
      ended.add(providerId);
      pairs.set(part, call);
    }
  }
  return pairs;
}

/** A call that a provider ran, as it goes back. */
export function ranCall(part: ProviderCallPart, profile: Profile): ReplyPart {
  const { providerId: toolCallId, toolName, input, providerMetadata } = part;
  const options = optionsOf(providerMetadata, profile);
  return { type: 'tool-call', toolCallId, toolName, input: wellFormedJson(input), providerExecuted: true, ...options };
}

/** Its result, as it goes back. */
export function ranResult(part: ProviderResultPart, profile: Profile): ReplyPart {
  const { providerId: toolCallId, toolName, result, isError, providerMetadata } = part;
  const output = { type: isError ? ('error-json' as const) : ('json' as const), value: wellFormedJson(result) };
  return { type: 'tool-result', toolCallId, toolName, output, ...optionsOf(providerMetadata, profile) };
}

/** A result in words, for a model whose provider did not run the tool. What was encrypted for its provider is left out. */
export function ranText({ toolName, result, isError }: ProviderResultPart): string {
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
  `The file ${wellFormed(fileName(file))} was left out of the request: the model is not shown files that were made.`;

/** True where a reply cites what it no longer has: Anthropic finds no page for such a citation, and refuses the request. */
export const citesSearch = (metadata: JsonObject | undefined): boolean =>
  isObject(metadata?.anthropic) &&
  Array.isArray(metadata.anthropic.citations) &&
  metadata.anthropic.citations.some((one) => isObject(one) && one.type === 'web_search_result_location');

/** The metadata without citations. */
export function uncited(metadata: JsonObject): JsonObject {
  if (!isObject(metadata.anthropic)) return metadata;
  const { citations: _citations, ...anthropic } = metadata.anthropic;
  return { ...metadata, anthropic };
}
