import { LanguageModelV4 } from "@ai-sdk/provider";
/** A chosen model; `load` loads its package. */
interface ChosenModel {
  /** The provider's name of the model. */
  readonly model: string;
  /** The base URL, if it is not the provider's default. */
  readonly baseURL?: string;
  load(): Promise<LanguageModelV4>;
}
/** A model provider for `modelFromEnv`; each has a separate entry point, such as `offshoot/models/anthropic`. */
interface ModelProvider {
  /** The text before the first slash of `OFFSHOOT_MODEL`. */
  readonly name: string;
  /**
   * The model that `OFFSHOOT_MODEL` names at this provider.
   * @throws OffshootError `invalid_definition` that names a missing or wrong variable
   */
  choose(env: object, model: string, named: string): ChosenModel;
  /** The model for an environment that names none, and the reason; undefined if this provider has none. */
  offer?(env: object): (ChosenModel & {
    readonly why: string;
  }) | undefined;
  /** Variables that hold a key of this provider, but name no model. */
  readonly keys: readonly string[];
}
export { ModelProvider as n, ChosenModel as t };