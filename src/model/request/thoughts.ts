/**
 * Thinking and metadata that go back to the provider that gave them. Another provider refuses them, or cannot read them.
 *
 * Keeps M8, M66.
 */
import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import { isObject, type Json, type JsonObject } from '../../protocol/json';
import type { ReasoningPart } from '../../protocol/messages';
import type { Profile, ThoughtRule } from './profile';
import { wellFormedObject } from './texts';

/** Metadata as options of a part, those that the provider reads. */
export function optionsOf(
  metadata: JsonObject | undefined,
  { metadata: read }: Pick<Profile, 'metadata'>,
): { providerOptions?: SharedV4ProviderOptions } {
  if (metadata === undefined) return {};
  const providerOptions: SharedV4ProviderOptions = {};
  for (const [key, options] of Object.entries(metadata))
    if (isObject(options) && (read === 'any' || read.includes(key))) providerOptions[key] = wellFormedObject(options);
  return Object.keys(providerOptions).length === 0 ? {} : { providerOptions };
}

/** The seal of a thought, by the provider. */
const SEALS: Record<'anthropic' | 'openai', readonly string[]> = {
  anthropic: ['signature', 'redactedData'],
  openai: ['itemId', 'reasoningEncryptedContent'],
};

/** The other names by which the models of a provider are served. */
const SERVED_AS = { anthropic: 'bedrock', openai: 'azure' } as const;

/** The seals of a thought that a provider has given: texts that are not empty. */
function sealsBy(provider: keyof typeof SEALS, metadata: JsonObject | undefined): readonly Json[] {
  const own = metadata?.[provider] ?? metadata?.[SERVED_AS[provider]];
  if (!isObject(own)) return [];
  return SEALS[provider].flatMap((key) => own[key] ?? []);
}

/** True where a thought goes back: not if another provider has sealed it, or if it would have to be changed. */
export function isTaken({ text, providerMetadata }: ReasoningPart, rule: ThoughtRule): boolean {
  if (rule === 'none' || !text.isWellFormed()) return false;
  if (rule === 'unsealed')
    return sealsBy('anthropic', providerMetadata).length + sealsBy('openai', providerMetadata).length === 0;
  const seals = sealsBy(rule === 'sealed by anthropic' ? 'anthropic' : 'openai', providerMetadata);
  return seals.length > 0 && seals.every((seal) => typeof seal === 'string' && seal !== '' && seal.isWellFormed());
}

/** The id of the item that a thought belongs to, where its provider has given one. */
export function itemOf(options: SharedV4ProviderOptions | undefined): string | undefined {
  const id = (options?.openai ?? options?.azure)?.itemId;
  return typeof id === 'string' ? id : undefined;
}
