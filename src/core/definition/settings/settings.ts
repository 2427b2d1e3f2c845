/**
 * The settings of a model: what a request asks for beside its messages and tools.
 *
 * Decides: which settings there are, and their defaults.
 * Keeps DF26, M80.
 */
import type { JsonObject } from '../../../protocol/json';
import type { ShownSettings } from '../../../protocol/wire/readings';

/** The tool that a model must call: `required` for any, `{ tool }` for one of the agent's `tools`. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly tool: string };

/** The amount of reasoning before an answer, if the model supports it. */
export interface ReasoningOptions {
  /** The effort, as the provider defines it; the provider's default if omitted. */
  readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';
}

/** Options for single providers, by the provider's name. */
export interface ProviderOptions {
  readonly [provider: string]: JsonObject;
}

/**
 * Settings of a model. The default of each is the provider's. A setting that a provider does not support is omitted
 * from its requests, and one warning says so.
 */
export interface ModelSettings {
  /** The randomness of the reply, from 0 to 2 (Anthropic: to 1). Set this or `topP`, not both. */
  readonly temperature?: number;
  /** Samples from the most probable tokens with this total probability: above 0, at most 1. */
  readonly topP?: number;
  /** Samples from this many of the most probable tokens, from 1 to 1,000. */
  readonly topK?: number;
  /** The maximum number of tokens in one reply, from 1 to 1,000,000. Thinking counts if the provider counts it. */
  readonly maxOutputTokens?: number;
  /** Strings before which a reply ends: at most 16, of 1 to 256 characters. */
  readonly stopSequences?: readonly string[];
  /** A whole number. The same seed asks for the same reply, as far as the provider supports it. */
  readonly seed?: number;
  /** From -2 to 2. Above 0, tokens that have already appeared are less probable. */
  readonly presencePenalty?: number;
  /** From -2 to 2. Above 0, tokens are less probable the more often they have appeared. */
  readonly frequencyPenalty?: number;
  /** The amount of reasoning. */
  readonly reasoning?: ReasoningOptions;
  /**
   * The tool that the model must call. With `auto` (default) the model chooses. `required` and `{ tool }` apply until a
   * step of the turn has made such a call. `required` applies longer if only a call can end the run.
   */
  readonly toolChoice?: ToolChoice;
  /**
   * `false` asks the provider for at most one call per reply. To control how several calls run, use
   * `maxConcurrentCalls`, and `parallelToolCalls` of a prompt.
   */
  readonly parallelToolCalls?: boolean;
  /**
   * Headers of each request: at most 20, with values of at most 2,048 characters. Headers with a key, and those that
   * HTTP itself needs, are refused: a key belongs to the model.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Options for single providers, by the provider's name: at most 65,536 bytes as JSON. They override Offshoot's own.
   */
  readonly providerOptions?: ProviderOptions;
  /**
   * `true` (default) asks the provider to cache the beginning of requests: with breakpoints for Anthropic, with a key
   * of the session for OpenAI.
   */
  readonly promptCache?: boolean;
  /**
   * `true` sends agent, root, run and step in the metadata header of AI Gateway (`cf-aig-metadata`). By default this is
   * on if the model's URL is a gateway's.
   */
  readonly gatewayMetadata?: boolean;
}

/** The name of a setting. */
export type SettingName = keyof ModelSettings;

/** The return value of a hook: settings of one step, which override the definition's. */
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
