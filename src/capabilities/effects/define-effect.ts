/**
 * Definitions of scheduled effects, checked: work for later that no model waits for or hears of.
 *
 * Decides: the names of scheduled effects.
 * Keeps SF5.
 */
import type * as z from 'zod';
import type { EffectDefinition } from '../../core/definition/definition';
import { checkNeeded, invalidDefinition, labelOf, refuseUnknown } from '../../core/definition/invalid';
import { limitProblem } from '../../core/definition/limits';
import { checkSchema } from '../../core/definition/schemas/check-schema';
import type { EffectContext } from '../../core/definition/tool-context';

const EFFECT_OPTIONS = ['name', 'description', 'schema', 'timeoutMs', 'execute'];

/** The name of an effect, alone or behind that of the package that it is from. */
const EFFECT_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}(\/[A-Za-z_][A-Za-z0-9_-]{0,63})?$/;

/** Options of `defineEffect`. */
export interface EffectOptions<Schema extends z.core.$ZodType = z.core.$ZodType> {
  /** Its name, by the rules for tools. A package may prefix its own name and `/`. */
  name: string;
  /** Description for people. */
  description: string;
  /** The schema of its arguments; any JSON by default. */
  schema?: Schema;
  /** Time of one try, in ms; the agent's `toolTimeoutMs` by default. */
  timeoutMs?: number;
  /**
   * The function, which runs at least once when it is due. So pass `context.idempotencyKey` to each service that it
   * calls. Its result is ignored. If it throws or takes too long, it is tried again, `maxEffectTries` times in total.
   */
  execute: (args: z.output<Schema>, context: EffectContext) => unknown;
}

/**
 * Defines an effect: code that runs later. Tools and hooks of an agent that lists it in `effects` schedule it by name.
 * @throws OffshootError `invalid_definition` that says what to change.
 * @example
 * const remind = defineEffect({
 *   name: 'remind',
 *   description: 'Reminds whoever asked.',
 *   schema: z.object({ text: z.string() }),
 *   execute: ({ text }, { idempotencyKey }) =>
 *     fetch('https://mail.example/send', { method: 'POST', headers: { 'idempotency-key': idempotencyKey }, body: text }),
 * });
 */
export function defineEffect<Schema extends z.core.$ZodType = z.core.$ZodType<unknown>>(
  options: EffectOptions<Schema>,
): EffectDefinition {
  refuseUnknown(labelOf('Effect', options), options, EFFECT_OPTIONS);
  const { name, description, schema, timeoutMs, execute } = options;
  const where = `Effect "${name}"`;
  if (typeof name !== 'string' || !EFFECT_NAME.test(name))
    invalidDefinition(
      `${where}: use a letter or "_" first, then at most 63 letters, digits, "_" or "-"; a package and "/" may precede it.`,
    );
  checkNeeded(where, 'description', description, 'what it does, such as "Reminds the customer."');
  if (typeof execute !== 'function') invalidDefinition(`${where} needs an \`execute\` function.`);
  if (schema !== undefined) checkSchema(where, 'schema', schema);
  const problem = timeoutMs === undefined ? undefined : limitProblem('timeoutMs', timeoutMs);
  if (problem !== undefined) invalidDefinition(`${where}: \`timeoutMs\` ${problem}.`);
  return Object.freeze({
    name,
    description,
    ...(schema ? { schema } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    execute,
  });
}
