/** What stands for a provider: a Worker's bundle holds the packages of those alone that it names. */
import type { LanguageModelV4, LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider';

/** A chosen model; `load` loads its package. */
export interface ChosenModel {
  /** The provider's name of the model. */
  readonly model: string;
  /** The base URL, if it is not the provider's default. */
  readonly baseURL?: string;
  load(): Promise<LanguageModelV4>;
}

/** A model provider for `modelFromEnv`; each has a separate entry point, such as `offshoot/models/anthropic`. */
export interface ModelProvider {
  /** The text before the first slash of `OFFSHOOT_MODEL`. */
  readonly name: string;
  /**
   * The model that `OFFSHOOT_MODEL` names at this provider.
   * @throws OffshootError `invalid_definition` that names a missing or wrong variable
   */
  choose(env: object, model: string, named: string): ChosenModel;
  /** The model for an environment that names none, and the reason; undefined if this provider has none. */
  offer?(env: object): (ChosenModel & { readonly why: string }) | undefined;
  /** Variables that hold a key of this provider, but name no model. */
  readonly keys: readonly string[];
}

/** A model with options of its provider that a call may still override. */
export function withOptions(
  model: LanguageModelV4,
  own: SharedV4ProviderOptions,
): LanguageModelV4 & { readonly wraps: LanguageModelV4 } {
  const merged = (asked: LanguageModelV4CallOptions): LanguageModelV4CallOptions => {
    const providerOptions = { ...asked.providerOptions };
    for (const [provider, options] of Object.entries(own))
      providerOptions[provider] = { ...options, ...providerOptions[provider] };
    return { ...asked, providerOptions };
  };
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    wraps: model,
    doGenerate: (asked) => model.doGenerate(merged(asked)),
    doStream: (asked) => model.doStream(merged(asked)),
  };
}
