/**
 * Which model runs when a definition leaves it to the environment.
 *
 * Decides: which model runs when none is named.
 * Keeps M28, M29, M30.
 */
import { invalidDefinition, refuseUnknown } from '../core/definition/invalid';
import type { ChosenModel, ModelProvider } from './provider';
import { redact } from './redact';
import type { LanguageModel } from './resolve';
import { setting, wrong } from './settings';

/** A model chosen by the environment: use it as the `model` of an agent. */
export interface ModelFromEnv {
  /** @throws OffshootError `invalid_definition` for a wrong or missing setting, with what to set */
  (env: object): Promise<LanguageModel>;
  /** One line on which model is chosen and why, or on what is wrong with a setting. Never throws. */
  describe(env: object): string;
}

/** Options of `modelFromEnv`. */
export interface ModelFromEnvOptions {
  /** The model for an environment that chooses none. Without it, such an environment is an error. */
  readonly otherwise?: Exclude<LanguageModel, string>;
}

interface Choice extends ChosenModel {
  readonly provider: string;
  readonly why: string;
}

/**
 * A model chosen by the environment, in this order: the one that `OFFSHOOT_MODEL` names (`provider/model`); one that a
 * provider offers without it, such as the `AI` binding; `otherwise`. The package of a provider is loaded when the
 * provider is chosen.
 * @example
 * const model = modelFromEnv([anthropic], { otherwise: scriptedModel([{ text: 'No key is set.' }]) });
 */
export function modelFromEnv(providers: readonly ModelProvider[], options: ModelFromEnvOptions = {}): ModelFromEnv {
  refuseUnknown('modelFromEnv: its second argument', options, ['otherwise']);
  const { otherwise } = options;
  if (!Array.isArray(providers) || providers.some((one) => typeof one?.choose !== 'function'))
    invalidDefinition('modelFromEnv takes a list of providers, such as [anthropic] of offshoot/models/anthropic.');
  const describe = (env: object): string => {
    try {
      const choice = choose(env, providers);
      if (choice !== undefined) {
        const at = choice.baseURL === undefined ? '' : ` at ${redact(choice.baseURL, [])}`;
        return `${choice.provider}/${choice.model}${at}, because ${choice.why}.`;
      }
      if (otherwise === undefined) throw missing(env, providers);
      return `${otherwise.provider}/${otherwise.modelId}, because ${reason(env, providers)}.`;
    } catch (error) {
      return `No model: ${error instanceof Error ? error.message : String(error)}`;
    }
  };
  const model = async (env: object): Promise<LanguageModel> => {
    const choice = choose(env, providers);
    if (choice !== undefined) return choice.load();
    if (otherwise === undefined) throw missing(env, providers);
    return otherwise;
  };
  return Object.assign(model, { describe });
}

function choose(env: object, providers: readonly ModelProvider[]): Choice | undefined {
  const named = setting(env, 'OFFSHOOT_MODEL');
  if (named !== undefined) return chooseNamed(env, named, providers);
  for (const provider of providers) {
    const offered = provider.offer?.(env);
    if (offered !== undefined) return { provider: provider.name, ...offered };
  }
  return undefined;
}

function chooseNamed(env: object, named: string, providers: readonly ModelProvider[]): Choice {
  const slash = named.indexOf('/');
  const name = named.slice(0, Math.max(slash, 0));
  const model = named.slice(slash + 1).trim();
  const known = providers.map((provider) => provider.name).join(', ');
  if (slash < 1 || model === '') {
    throw wrong(`OFFSHOOT_MODEL is "${named}"; it must be provider/model, with one of the providers ${known}.`);
  }
  const provider = providers.find((one) => one.name === name);
  if (provider === undefined) throw wrong(`OFFSHOOT_MODEL names the provider "${name}"; known providers are ${known}.`);
  return { provider: name, why: 'OFFSHOOT_MODEL names it', ...provider.choose(env, model, named) };
}

/** Why an environment chooses no model. */
function reason(env: object, providers: readonly ModelProvider[]): string {
  const keys = providers
    .flatMap((provider) => provider.keys)
    .filter((name) => Boolean((env as Partial<Record<string, unknown>>)[name]));
  const idle = keys.length === 0 ? '' : ` (${keys.join(', ')} alone names no model)`;
  const offers = providers.some((provider) => provider.offer);
  return `${offers ? 'neither OFFSHOOT_MODEL nor the binding AI is set' : 'OFFSHOOT_MODEL is not set'}${idle}`;
}

function missing(env: object, providers: readonly ModelProvider[]): Error {
  const known = providers.map(({ name }) => `${name}/…`).join(', ');
  return wrong(`There is no model, because ${reason(env, providers)}. Set OFFSHOOT_MODEL to one of ${known}.`);
}
