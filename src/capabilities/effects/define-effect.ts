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

/** What `defineEffect` takes. */
export interface EffectOptions<Schema extends z.core.$ZodType = z.core.$ZodType> {
  /** As a tool's; a package may put its own name and `/` before it. */
  name: string;
  /** For people. */
  description: string;
  /** The schema of its arguments; any JSON by default. */
  schema?: Schema;
  /** One try, in ms; the agent's `toolTimeoutMs` by default. */
  timeoutMs?: number;
  /**
   * Runs at least once when its time has come, so give `context.idempotencyKey` to each service that it calls. Its result
   * is dropped. Where it throws or takes too long it is tried again, `maxEffectTries` times in all.
   */
  execute: (args: z.output<Schema>, context: EffectContext) => unknown;
}

/**
 * Defines an effect: work for later, which tools and hooks of an agent that lists it (`effects`) schedule by its name.
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
