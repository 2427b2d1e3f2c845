/**
 * The models of an agent, checked: one, or several of which the next is asked where one fails.
 *
 * Decides: the failures after which the next model is asked by default.
 * Keeps FM1, FM2, DF31.
 */

import { beginningOf } from '../../../protocol/content/cut';
import type { ErrorCode } from '../../../protocol/errors';
import type { AgentDefinition, GivenModels, ModelChoice, ModelEntry, ModelSource } from '../definition';
import { invalidDefinition, kindOf, refuseUnknown } from '../invalid';

/** The failures after which the next model is asked, where its author names none. */
const LEADING_ON: readonly ErrorCode[] = [
  'model_rate_limited',
  'model_overloaded',
  'model_unavailable',
  'model_timeout',
  'model_bad_reply',
  'model_unauthorized',
  'model_error',
];

/** The failures that an author may name. The last two are about the request, which the next model may refuse as well. */
const NAMEABLE: readonly ErrorCode[] = [...LEADING_ON, 'context_too_large', 'model_refused'];

const MOST_MODELS = 8;

/** An entry with options beside its model. A model object and a port have other members. */
const isChoice = (entry: ModelSource | ModelChoice): entry is ModelChoice =>
  typeof entry === 'object' && 'model' in entry && !('call' in entry) && !('specificationVersion' in entry);

/** Advice for a value that is no model. */
export const PASS_A_MODEL =
  "Pass a model object, such as openai('gpt-5') of @ai-sdk/openai, or modelFromEnv([openai]).";

/** Refuses what is no model, no port and no function that returns one. A text is not looked up: a bundle has no list. */
function checkModel(place: string, given: unknown): void {
  if (typeof given === 'function') return;
  const members: { readonly doStream?: unknown; readonly call?: unknown } =
    typeof given === 'object' && given !== null ? given : {};
  if (typeof members.doStream === 'function' || typeof members.call === 'function') return;
  const what = typeof given === 'string' ? `the text "${beginningOf(given, 100)}"` : kindOf(given);
  invalidDefinition(`${place} must be a language model, but is ${what}. ${PASS_A_MODEL}`);
}

function entryOf(where: string, given: ModelSource | ModelChoice, at: number, isLast: boolean): ModelEntry {
  const place = `${where}: \`models[${at}]\``;
  if (given === undefined || given === null) invalidDefinition(`${place} is missing.`);
  if (!isChoice(given)) {
    checkModel(place, given);
    return { model: given, on: LEADING_ON };
  }
  refuseUnknown(place, given, ['model', 'on']);
  const { model, on } = given;
  if (model === undefined || model === null) invalidDefinition(`${place} needs a \`model\`.`);
  checkModel(`${place}: \`model\``, model);
  if (on === undefined) return { model, on: LEADING_ON };
  if (isLast) invalidDefinition(`${place} is the last, so its \`on\` has no effect: leave it out.`);
  if (!Array.isArray(on) || on.length === 0 || !on.every((code) => NAMEABLE.includes(code)))
    invalidDefinition(`${place}: \`on\` must be a list of these codes: ${NAMEABLE.join(', ')}.`);
  return { model, on: Object.freeze([...on]) };
}

/**
 * The models of an agent or a prompt; undefined where it has neither `model` nor `models`.
 * @throws OffshootError `invalid_definition`
 */
export function modelsGiven(
  where: string,
  { model, models }: { readonly model?: ModelSource; readonly models?: GivenModels },
): Pick<AgentDefinition, 'model' | 'models'> | undefined {
  if (models === undefined) {
    if (model === undefined) return undefined;
    checkModel(`${where}: \`model\``, model);
    return { model };
  }
  if (model !== undefined) invalidDefinition(`${where} has both \`model\` and \`models\`; leave out one.`);
  const [first, ...others] = Array.isArray(models) ? models : [];
  if (first === undefined || others.length >= MOST_MODELS)
    invalidDefinition(`${where}: \`models\` must be a list of 1 to ${MOST_MODELS} models.`);
  const head = entryOf(where, first, 0, others.length === 0);
  const entries = others.map((one, at) => entryOf(where, one, at + 1, at === others.length - 1));
  return { model: head.model, models: Object.freeze([head, ...entries]) };
}

/** The models of a definition, the first that is asked first. */
export function modelsOf({ model, models }: Pick<AgentDefinition, 'model' | 'models'>): readonly ModelEntry[] {
  return models ?? [{ model, on: LEADING_ON }];
}
