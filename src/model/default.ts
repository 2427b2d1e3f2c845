/** Which model runs when a definition leaves it to the environment. */
import type { LanguageModelV4, LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { LanguageModel } from 'ai';
import type { WorkersAISettings } from 'workers-ai-provider';
import { OffshootError } from '../protocol/errors';
import { redact } from './redact';

/** What `defaultModel` reads of an environment; anything else in it is ignored. */
export interface ModelEnv {
  /** `provider/model`, where the provider is one of `MODEL_PROVIDERS`; for Workers AI `workers-ai/@cf/…`. */
  readonly OFFSHOOT_MODEL?: string;
  /** The key for `openai/…`. */
  readonly OPENAI_API_KEY?: string;
  /** The key for `anthropic/…`. */
  readonly ANTHROPIC_API_KEY?: string;
  /** The key for `openai-compatible/…`; servers without keys need none. */
  readonly OFFSHOOT_API_KEY?: string;
  /** Where the API begins, up to and with its version, such as `http://localhost:11434/v1`. */
  readonly OFFSHOOT_BASE_URL?: string;
  /** The Workers AI binding. */
  readonly AI?: WorkersAISettings['binding'];
}

/** The providers that `OFFSHOOT_MODEL` may name. */
export const MODEL_PROVIDERS = ['openai', 'anthropic', 'openai-compatible', 'workers-ai'] as const;

/** The model of the Workers AI binding when nothing names one: it reasons, calls tools and reads long prompts. */
export const DEFAULT_WORKERS_AI_MODEL = '@cf/moonshotai/kimi-k2.7-code';

type Binding = NonNullable<WorkersAISettings['binding']>;

type Choice =
  | {
      readonly provider: 'openai' | 'anthropic';
      readonly model: string;
      readonly key: string;
      readonly baseURL?: string;
    }
  | { readonly provider: 'openai-compatible'; readonly model: string; readonly key?: string; readonly baseURL: string }
  | { readonly provider: 'workers-ai'; readonly model: string; readonly binding: Binding; readonly named: boolean }
  | { readonly provider: 'offline'; readonly hint: string };

/**
 * The model that the environment chooses, in this order: what `OFFSHOOT_MODEL` names; the binding `AI` with
 * `DEFAULT_WORKERS_AI_MODEL`; `offline`. Provider packages are loaded on demand.
 * @throws OffshootError `invalid_definition` for a wrong setting, naming the variable.
 */
export async function defaultModel(env: object, offline: LanguageModel): Promise<LanguageModel> {
  const choice = choose(env);
  switch (choice.provider) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      const model = createOpenAI({ apiKey: choice.key, ...baseURL(choice) })(choice.model);
      // The transcript is kept here: the provider needs no copy, and a run must not depend on how long it keeps one.
      return withOptions(model, { openai: { store: false } });
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      const model = createAnthropic({ apiKey: choice.key, ...baseURL(choice) })(choice.model);
      // A long thought without a word is no stall: pings show that the model is at work.
      return withOptions(model, { anthropic: { includePings: true } });
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const key = choice.key === undefined ? {} : { apiKey: choice.key };
      return createOpenAICompatible({ name: choice.provider, baseURL: choice.baseURL, includeUsage: true, ...key })(
        choice.model,
      );
    }
    case 'workers-ai': {
      const { createWorkersAI } = await import('workers-ai-provider');
      return createWorkersAI({ binding: choice.binding })(choice.model);
    }
    case 'offline':
      return offline;
  }
}

/** In one line, which model `defaultModel` chooses and why; for a wrong setting, what is wrong. Never throws. */
export function describeModel(env: object): string {
  try {
    const choice = choose(env);
    if (choice.provider === 'offline') return `The offline model, because ${choice.hint}.`;
    if (choice.provider === 'workers-ai' && !choice.named) {
      return `workers-ai/${choice.model}, because the binding AI is configured and OFFSHOOT_MODEL is not set.`;
    }
    const at = 'baseURL' in choice ? ` at ${redact(choice.baseURL ?? '', [])}` : '';
    return `${choice.provider}/${choice.model}${at}, because OFFSHOOT_MODEL names it.`;
  } catch (error) {
    return `No model: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function choose(env: object): Choice {
  const named = setting(env, 'OFFSHOOT_MODEL');
  if (named !== undefined) return chooseNamed(env, named);
  const binding = bindingOf(env);
  if (binding) return { provider: 'workers-ai', model: DEFAULT_WORKERS_AI_MODEL, binding, named: false };
  const keys = (['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'OFFSHOOT_API_KEY'] as const).filter((name) =>
    setting(env, name),
  );
  const idle = keys.length === 0 ? '' : ` (${keys.join(', ')} alone names no model)`;
  return { provider: 'offline', hint: `neither OFFSHOOT_MODEL nor the binding AI is set${idle}` };
}

function chooseNamed(env: object, named: string): Choice {
  const slash = named.indexOf('/');
  const provider = named.slice(0, Math.max(slash, 0));
  const model = named.slice(slash + 1).trim();
  if (slash < 1 || model === '') {
    throw wrong(
      `OFFSHOOT_MODEL is "${named}"; it must be provider/model, with one of the providers ${MODEL_PROVIDERS.join(', ')}.`,
    );
  }
  switch (provider) {
    case 'openai':
      return { provider, model, key: keyFor(env, named, 'OPENAI_API_KEY'), ...baseSetting(env) };
    case 'anthropic':
      return { provider, model, key: keyFor(env, named, 'ANTHROPIC_API_KEY'), ...baseSetting(env) };
    case 'openai-compatible': {
      const { baseURL } = baseSetting(env);
      if (baseURL === undefined)
        throw wrong(`OFFSHOOT_MODEL is "${named}", so OFFSHOOT_BASE_URL must say where its API is.`);
      const key = setting(env, 'OFFSHOOT_API_KEY');
      return { provider, model, baseURL, ...(key === undefined ? {} : { key }) };
    }
    case 'workers-ai': {
      const binding = bindingOf(env);
      if (!binding)
        throw wrong(
          `OFFSHOOT_MODEL is "${named}", but there is no binding AI: add "ai": { "binding": "AI" } to wrangler.jsonc.`,
        );
      return { provider, model, binding, named: true };
    }
    default:
      throw wrong(`OFFSHOOT_MODEL names the provider "${provider}"; known are ${MODEL_PROVIDERS.join(', ')}.`);
  }
}

function wrong(message: string): OffshootError {
  return new OffshootError('invalid_definition', message);
}

/** A setting without the blanks and line ends that copying leaves; an empty one is not set. */
function setting(env: object, name: Exclude<keyof ModelEnv, 'AI'>): string | undefined {
  const value = (env as Partial<Record<string, unknown>>)[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw wrong(`${name} must be text.`);
  return value.trim() === '' ? undefined : value.trim();
}

function keyFor(env: object, named: string, name: 'OPENAI_API_KEY' | 'ANTHROPIC_API_KEY'): string {
  const key = setting(env, name);
  if (key === undefined) throw wrong(`OFFSHOOT_MODEL is "${named}", so ${name} must be set.`);
  return key;
}

function baseSetting(env: object): { baseURL?: string } {
  const url = setting(env, 'OFFSHOOT_BASE_URL');
  if (url === undefined) return {};
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw wrong('OFFSHOOT_BASE_URL must be an http or https address, such as http://localhost:11434/v1.');
  }
  return { baseURL: url };
}

function baseURL(choice: { baseURL?: string }): { baseURL?: string } {
  return choice.baseURL === undefined ? {} : { baseURL: choice.baseURL };
}

function bindingOf(env: object): Binding | undefined {
  const binding: unknown = (env as Partial<Record<string, unknown>>).AI;
  if (binding === undefined || binding === null) return undefined;
  if (isBinding(binding)) return binding;
  throw wrong('AI is set, but it is no Workers AI binding: it has no method run.');
}

function isBinding(value: unknown): value is Binding {
  return typeof value === 'object' && value !== null && 'run' in value && typeof value.run === 'function';
}

/** The model with options of its provider that a call may still override. */
function withOptions(model: LanguageModelV4, own: SharedV4ProviderOptions): LanguageModelV4 {
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
    doGenerate: (asked) => model.doGenerate(merged(asked)),
    doStream: (asked) => model.doStream(merged(asked)),
  };
}
