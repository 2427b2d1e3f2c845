/** What stands for a provider: a Worker's bundle holds the packages of those alone that it names. */
import type { LanguageModelV4, LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider';

/** A model that was chosen; its package is loaded by `load`. */
export interface ChosenModel {
  /** The name of the model at its provider. */
  readonly model: string;
  /** Where it is asked, if not at the provider's own address. */
  readonly baseURL?: string;
  load(): Promise<LanguageModelV4>;
}

/** A provider of models, as `modelFromEnv` takes it; each is an entry of its own, such as `offshoot/models/anthropic`. */
export interface ModelProvider {
  /** What stands before the first slash of `OFFSHOOT_MODEL`. */
  readonly name: string;
  /**
   * The model that `OFFSHOOT_MODEL` (`named`) asks of this provider.
   * @throws OffshootError `invalid_definition` for what is missing or wrong, naming the variable
   */
  choose(env: object, model: string, named: string): ChosenModel;
  /** The model for an environment that names none, and why; undefined where this provider has none to offer. */
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
