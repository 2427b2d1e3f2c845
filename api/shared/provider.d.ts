import { LanguageModelV4 } from "@ai-sdk/provider";
/** A model that was chosen; its package is loaded by `load`. */
interface ChosenModel {
  /** The name of the model at its provider. */
  readonly model: string;
  /** Where it is asked, if not at the provider's own address. */
  readonly baseURL?: string;
  load(): Promise<LanguageModelV4>;
}
/** A provider of models, as `modelFromEnv` takes it; each is an entry of its own, such as `offshoot/models/anthropic`. */
interface ModelProvider {
  /** What stands before the first slash of `OFFSHOOT_MODEL`. */
  readonly name: string;
  /**
   * The model that `OFFSHOOT_MODEL` (`named`) asks of this provider.
   * @throws OffshootError `invalid_definition` for what is missing or wrong, naming the variable
   */
  choose(env: object, model: string, named: string): ChosenModel;
  /** The model for an environment that names none, and why; undefined where this provider has none to offer. */
  offer?(env: object): (ChosenModel & {
    readonly why: string;
  }) | undefined;
  /** Variables that hold a key of this provider, but name no model. */
  readonly keys: readonly string[];
}
export { ModelProvider as n, ChosenModel as t };