/**
 * From what a definition calls its model to a `LanguageModelV4`.
 *
 * Keeps M2, M3.
 */
import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import type { AiModelSource } from '../core/definition/definition';
import { PASS_A_MODEL } from '../core/definition/models/models';
import { beginningOf } from '../protocol/content/cut';
import { OffshootError } from '../protocol/errors';
import { asNewest } from './older';

/** A model object of the AI SDK, of version 5 (`v2`), 6 (`v3`) or 7 (`v4`). */
export type LanguageModel = LanguageModelV2 | LanguageModelV3 | LanguageModelV4;

/** What is used of a model. */
export interface AskedModel extends Pick<LanguageModelV4, 'provider' | 'modelId' | 'doStream'> {
  /** The model that it stands for, where it is not its package's own. */
  readonly wraps?: LanguageModel;
}

/**
 * The model behind a source. Models of the SDK's versions 5 and 6 (`v2`, `v3`) are spoken to in their own way.
 * @throws OffshootError `invalid_definition` for anything that is no model object, saying what to pass instead.
 */
export async function resolveModel<Env>(source: AiModelSource<Env>, env: Env): Promise<AskedModel> {
  const model: unknown = typeof source === 'function' ? await source(env) : source;
  if (typeof model === 'string') {
    throw wrong(`The model is the text "${beginningOf(model, 100)}".`);
  }
  if (!isModel(model)) throw wrong(`The model is not a language model of the AI SDK, but ${kindOf(model)}.`);
  switch (model.specificationVersion) {
    case 'v4':
      return model;
    case 'v2':
    case 'v3':
      return asNewest(model);
    default:
      throw wrong(`The model "${idOf(model)}" implements an unknown version of the AI SDK's model interface.`);
  }
}

function wrong(what: string): OffshootError {
  return new OffshootError('invalid_definition', `${what} ${PASS_A_MODEL}`);
}

function isModel(value: unknown): value is LanguageModel {
  if (typeof value !== 'object' || value === null) return false;
  const { doStream, modelId, provider, specificationVersion } = value as Partial<
    Record<keyof LanguageModelV4, unknown>
  >;
  return (
    [modelId, provider, specificationVersion].every((field) => typeof field === 'string') &&
    typeof doStream === 'function'
  );
}

function idOf(model: { modelId?: unknown }): string {
  return beginningOf(String(model.modelId), 100);
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}
