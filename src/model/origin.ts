/**
 * Who asks, told to the model in the call's `providerOptions`. Providers read only the options under their own names,
 * so this goes no further than a model that looks for it.
 *
 * Keeps M14.
 */
import type { LanguageModelV4Message, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { ModelRequest } from '../core/definition/model-port';
import { isObject } from '../protocol/json';

/** Which agent asks, in which session and run, and for which step of it. */
export type RequestOrigin = Pick<
  ModelRequest,
  'agentType' | 'sessionId' | 'runId' | 'step' | 'repliesBefore' | 'attempt'
>;

/** What is known of who asks; a call that does not come from the port tells nothing. */
export type Origin = Partial<Omit<RequestOrigin, 'repliesBefore'>>;

const KEY = 'offshoot';

/**
 * The call's options with the asker. Its step continues over retries: a model that counted from 1 again would ask once
 * more for finished work. A request for a summary stays 0.
 */
export function originOptions(request: RequestOrigin): SharedV4ProviderOptions {
  const { agentType, sessionId, runId, attempt, repliesBefore = 0 } = request;
  const step = request.step === 0 ? 0 : request.step + repliesBefore;
  return { [KEY]: { agentType, sessionId, runId, step, attempt } };
}

/** Who asks, from the call's options. */
export function readOrigin(options: SharedV4ProviderOptions | undefined): Origin {
  const given: unknown = options?.[KEY];
  if (!isObject(given)) return {};
  const { agentType, sessionId, runId, step, attempt } = given;
  return {
    ...(typeof agentType === 'string' ? { agentType } : {}),
    ...(typeof sessionId === 'string' ? { sessionId } : {}),
    ...(typeof runId === 'string' ? { runId } : {}),
    ...(typeof step === 'number' ? { step } : {}),
    ...(typeof attempt === 'number' ? { attempt } : {}),
  };
}

/** The options of a message in the role of the user that Offshoot itself wrote. */
export const noticeOptions = (): SharedV4ProviderOptions => ({ [KEY]: { notice: true } });

/** True if a message has them. */
export function isNotice({ role, providerOptions }: LanguageModelV4Message): boolean {
  return role === 'user' && providerOptions?.[KEY]?.notice === true;
}
