/**
 * Scheduled effects as people define them, checked: work for later that no model waits for or hears of.
 *
 * Decides: what a scheduled effect may be called.
 * Keeps SF5.
 */
import type * as z from 'zod';
import type { EffectDefinition } from './definition';
import { checkNeeded, invalidDefinition, labelOf, refuseUnknown } from './invalid';
import { limitProblem } from './limits';
import { checkSchema } from './schemas/check-schema';
import type { EffectContext } from './tool-context';

const EFFECT_OPTIONS = ['name', 'description', 'schema', 'timeoutMs', 'execute'];

/** The name of an effect, alone or behind that of the package that it is from. */
const EFFECT_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}(\/[A-Za-z_][A-Za-z0-9_-]{0,63})?$/;

/** What `defineEffect` takes. */
export interface EffectOptions<Schema extends z.ZodType = z.ZodType> {
  /** As a tool's; a package may put its own name and `/` before it. */
  name: string;
  /** What it does, for people. */
  description: string;
  /** What it is scheduled with; any JSON by default. */
  schema?: Schema;
  /** One try, in ms; the agent's `toolTimeoutMs` by default. */
  timeoutMs?: number;
  /**
   * What it does when its time has come: at least once, so give `context.idempotencyKey` to whatever it calls. What it
   * gives back is dropped; where it throws or takes too long it is tried again, `maxEffectTries` times in all.
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
export function defineEffect<Schema extends z.ZodType = z.ZodType<unknown>>(
  options: EffectOptions<Schema>,
): EffectDefinition {
  refuseUnknown(labelOf('Effect', options), options, EFFECT_OPTIONS);
  const { name, description, schema, timeoutMs, execute } = options;
  const where = `Effect "${name}"`;
  if (typeof name !== 'string' || !EFFECT_NAME.test(name))
    invalidDefinition(
      `${where}: use a letter or "_" first, then at most 63 letters, digits, "_" or "-"; a package and "/" may stand before it.`,
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

/** The effects of an agent, each name once. @throws OffshootError `invalid_definition` */
export function checkEffects(where: string, effects: readonly EffectDefinition[]): readonly EffectDefinition[] {
  if (!Array.isArray(effects))
    invalidDefinition(`${where}: \`effects\` must be a list of what \`defineEffect\` returns.`);
  const seen = new Set<string>();
  for (const effect of effects) {
    if (typeof effect !== 'object' || effect === null || typeof effect.execute !== 'function')
      invalidDefinition(`${where}: make each of its \`effects\` with \`defineEffect\`.`);
    if (seen.has(effect.name)) invalidDefinition(`${where} has "${effect.name}" twice in \`effects\`; list it once.`);
    seen.add(effect.name);
  }
  return Object.freeze([...effects]);
}
