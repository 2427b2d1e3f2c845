/**
 * The settings of a model: what a request asks for beside its messages and tools.
 *
 * Decides: which settings there are, and their defaults.
 * Keeps DF26, M80.
 */
import type { JsonObject } from '../../../protocol/json';
import type { ShownSettings } from '../../../protocol/readings';

/** The tool that a model has to call: `required` for any, `{ tool }` for that one of the agent's `tools`. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly tool: string };

/** The amount that a model thinks before it answers, where it can. */
export interface ReasoningOptions {
  /** As the provider understands it; its own default where it is missing. */
  readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';
}

/** Options that one provider alone understands, by its name. */
export interface ProviderOptions {
  readonly [provider: string]: JsonObject;
}

/**
 * Settings of a model. One that is missing has the default of the provider. A setting that a provider does not take is
 * left out of its requests, and a warning says so once.
 */
export interface ModelSettings {
  /** The randomness of the words, from 0 to 2; Anthropic takes at most 1. Set this or `topP`, not both. */
  readonly temperature?: number;
  /** The share of the most probable words that are drawn from: above 0, at most 1. */
  readonly topP?: number;
  /** The number of the most probable words that are drawn from, from 1 to 1,000. */
  readonly topK?: number;
  /** The most tokens of one reply, from 1 to 1,000,000; thoughts count where the provider counts them. */
  readonly maxOutputTokens?: number;
  /** Texts before which a reply ends: at most 16 of 1 to 256 characters. */
  readonly stopSequences?: readonly string[];
  /** A whole number: the same one asks for the same reply again, as far as the provider can. */
  readonly seed?: number;
  /** From -2 to 2: above 0, words that were said are less probable. */
  readonly presencePenalty?: number;
  /** From -2 to 2: above 0, words are less probable the more often they were said. */
  readonly frequencyPenalty?: number;
  /** The amount that the model thinks. */
  readonly reasoning?: ReasoningOptions;
  /**
   * The tool that the model has to call; `auto` by default, where it chooses. `required` and `{ tool }` hold until a step of the turn has
   * called one, or that one. `required` holds longer where only a call can end the run.
   */
  readonly toolChoice?: ToolChoice;
  /**
   * `false` asks the provider for one call a reply at most. It says nothing of how several calls run: `maxConcurrentCalls`
   * does, and `parallelToolCalls` of a prompt.
   */
  readonly parallelToolCalls?: boolean;
  /**
   * Headers of each request: at most 20, values of at most 2,048 characters. Those that hold a key or carry the request are
   * refused: a key belongs to the model.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** Options for one provider alone, by its name: at most 65,536 bytes as JSON. They come before those of the framework. */
  readonly providerOptions?: ProviderOptions;
  /**
   * `true` (the default) asks the provider to keep the beginning of requests: marks for Anthropic, a key of the session for
   * OpenAI.
   */
  readonly promptCache?: boolean;
  /**
   * `true` names agent, root, run and step in the metadata of AI Gateway (`cf-aig-metadata`). By default where the model's
   * address shows that it is one.
   */
  readonly gatewayMetadata?: boolean;
}

/** The name of a setting. */
export type SettingName = keyof ModelSettings;

/** A hook's answer: settings of one step, each in place of the definition's. */
export interface StepSettings {
  readonly settings: ModelSettings;
}

/** Settings with those of one step in their place. */
export const settingsWith = (settings: ModelSettings, step: ModelSettings): ModelSettings => ({ ...settings, ...step });

/**
 * The settings of a request for a summary: how the provider is reached, and how much it thinks. A summary is no reply of the
 * agent, and is asked for once.
 */
export function settingsOfSummary({
  reasoning,
  headers,
  providerOptions,
  gatewayMetadata,
}: ModelSettings): ModelSettings {
  return {
    ...(reasoning ? { reasoning } : {}),
    ...(headers ? { headers } : {}),
    ...(providerOptions ? { providerOptions } : {}),
    ...(gatewayMetadata === undefined ? {} : { gatewayMetadata }),
    promptCache: false,
  };
}

/** Settings as people are shown them: of headers and of a provider's options the names alone, since values may be secret. */
export function shownSettings({ headers, providerOptions, ...settings }: ModelSettings): ShownSettings {
  return {
    ...settings,
    ...(headers ? { headers: Object.keys(headers) } : {}),
    ...(providerOptions
      ? {
          providerOptions: Object.fromEntries(
            Object.entries(providerOptions).map(([provider, options]) => [provider, Object.keys(options)]),
          ),
        }
      : {}),
  };
}
