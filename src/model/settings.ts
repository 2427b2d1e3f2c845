/** Settings as models read them from an environment. */
import { OffshootError } from '../protocol/errors';

/** What models read of an environment; anything else in it is ignored. */
export interface ModelEnv {
  /** `provider/model`; for Workers AI `workers-ai/@cf/…`. */
  readonly OFFSHOOT_MODEL?: string;
  /** The key for `openai/…`. */
  readonly OPENAI_API_KEY?: string;
  /** The key for `anthropic/…`. */
  readonly ANTHROPIC_API_KEY?: string;
  /** The key for `openai-compatible/…`; servers without keys need none. */
  readonly OFFSHOOT_API_KEY?: string;
  /** Where the API begins, up to and with its version, such as `http://localhost:11434/v1`. */
  readonly OFFSHOOT_BASE_URL?: string;
}

/** Why a setting is refused. */
export function wrong(message: string): OffshootError {
  return new OffshootError('invalid_definition', message);
}

/** A setting without the blanks and line ends that copying leaves; an empty one is not set. */
export function setting(env: object, name: keyof ModelEnv): string | undefined {
  const value = (env as Partial<Record<string, unknown>>)[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw wrong(`${name} must be text.`);
  return value.trim() === '' ? undefined : value.trim();
}

/** A key that a named model needs. @throws OffshootError `invalid_definition` where it is not set */
export function keyFor(env: object, named: string, name: keyof ModelEnv): string {
  const key = setting(env, name);
  if (key === undefined) throw wrong(`OFFSHOOT_MODEL is "${named}", so ${name} must be set.`);
  return key;
}

/** Where a provider is asked, where that is set. @throws OffshootError `invalid_definition` for what is no address */
export function baseSetting(env: object): { readonly baseURL?: string } {
  const url = setting(env, 'OFFSHOOT_BASE_URL');
  if (url === undefined) return {};
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw wrong('OFFSHOOT_BASE_URL must be an http or https address, such as http://localhost:11434/v1.');
  }
  return { baseURL: url };
}
