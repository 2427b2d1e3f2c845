/**
 * A request as a call of a model: messages, tools, settings, and who asks.
 *
 * Keeps M14, M41, M80.
 */
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { ModelRequest, SettingWarning } from '../../core/definition/model-port';
import { originOptions } from '../origin';
import { marked } from '../request/cache';
import type { Profile } from '../request/profile';
import type { TakenRequest } from '../request/request';
import { takenSettings } from '../request/settings';
import type { AskedModel } from '../resolve';
import { throughGateway } from './gateway';

/** A call that is about to be made. */
export interface Call {
  readonly model: AskedModel;
  readonly options: LanguageModelV4CallOptions;
  readonly warnings: readonly SettingWarning[];
}

const NO_REASONING: SettingWarning = {
  setting: 'reasoning',
  text: 'models of the AI SDK 5 and 6 accept it only in `providerOptions`, so it is omitted.',
};

/** The call of a model that a request is. */
export function callOf(
  asked: AskedModel,
  request: ModelRequest,
  taken: TakenRequest,
  profile: Profile,
  abortSignal: AbortSignal,
): Call {
  const { settings = {}, traceparent } = request;
  const { options, warnings } = takenSettings(request, taken, profile, asked.provider);
  const { reasoning, ...older } = options;
  // The interface of older models has no word for it.
  const isOlder = reasoning !== undefined && asked.wraps !== undefined && asked.wraps.specificationVersion !== 'v4';
  const isMarked = profile.settings.cache === 'marks' && settings.promptCache !== false;
  const { prompt, tools } = isMarked ? marked(taken) : taken;
  const gateway = throughGateway(asked, request);
  const headers = { ...gateway.headers, ...options.headers, ...(traceparent === undefined ? {} : { traceparent }) };
  return {
    model: gateway.model,
    options: {
      ...(isOlder ? older : options),
      prompt,
      ...(tools.length === 0 ? {} : { tools }),
      abortSignal,
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      providerOptions: { ...options.providerOptions, ...originOptions(request) },
    },
    warnings: [...warnings, ...gateway.warnings, ...(isOlder ? [NO_REASONING] : [])],
  };
}
