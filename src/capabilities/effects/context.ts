/**
 * The part of a body's context that schedules effects, lists them and removes them.
 *
 * Keeps SF1, SF5.
 */
import type { AgentEvent } from '../../core/agent/events';
import type { EffectDefinition } from '../../core/definition/definition';
import { checkGiven } from '../../core/definition/invalid';
import type { CapabilityContext, ScheduledEffect } from '../../core/definition/tool-context';
import { parse } from '../../engine/perform/check-calls';
import type { BodyAgent } from '../../engine/perform/performer';
import type { ReadSecrets } from '../../engine/perform/read-secrets';
import { sentence } from '../../protocol/content/sentence';
import { DATA_LIMITS } from '../../protocol/data-limits';
import { OffshootError } from '../../protocol/errors';
import { mintReference } from '../../protocol/ids';
import { type Json, toJson } from '../../protocol/json';
import { effectEvent, type PendingEffect, pendingEffects } from './machine';

/** An effect as an author sees it. */
const shown = ({ effectId, name, args, scheduledAt, dueAt, tries }: PendingEffect): ScheduledEffect => ({
  id: effectId,
  name,
  args: structuredClone(args),
  scheduledAt,
  dueAt,
  tries,
});

/** The effect of a name that the agent may schedule. @throws OffshootError `unknown_effect` */
export function effectNamed(agent: Pick<BodyAgent, 'seat'>, name: string): EffectDefinition {
  const { effects } = agent.seat.definition;
  const found = effects.find((effect) => effect.name === name);
  if (found) return found;
  const names = effects.map((effect) => effect.name).join(', ') || 'none';
  throw new OffshootError('unknown_effect', `This agent has no effect "${name}". Available effects: ${names}.`);
}

function delayOf(given: unknown): number {
  const { maxEffectDelayMs } = DATA_LIMITS;
  if (typeof given === 'number' && Number.isSafeInteger(given) && given >= 0 && given <= maxEffectDelayMs) return given;
  throw new OffshootError(
    'invalid_input',
    `The delay of an effect must be a whole number of ms from 0 to ${maxEffectDelayMs} (a year).`,
  );
}

/** Arguments as they are kept: JSON that the schema of the effect takes. */
async function argumentsFor(agent: BodyAgent, name: string, given: unknown): Promise<Json> {
  const { schema } = effectNamed(agent, name);
  const what = `The arguments of the effect "${name}"`;
  const json = toJson(given, agent.seat.rules.limits.maxEffectBytes);
  if (!json.ok && json.tooLarge)
    throw new OffshootError('payload_too_large', `${what} are too large: ${json.problem}. Give the path of a file.`);
  if (!json.ok) throw new OffshootError('invalid_input', `${what} must be JSON: ${json.problem}.`);
  const fits = schema ? await parse(schema, json.json) : { ok: true as const };
  if (!fits.ok) throw new OffshootError('invalid_input', `${what} do not match its schema: ${sentence(fits.problem)}`);
  return json.json;
}

/** The part of a body's context that schedules effects. */
export function scheduling(
  agent: BodyAgent,
  { by, epoch }: { by: string; epoch: number },
  secrets: ReadSecrets,
): CapabilityContext {
  let count = 0;
  const apply = (event: AgentEvent): void => {
    const answer = agent.apply(event);
    if (!answer.ok) throw new OffshootError(answer.refused.code, answer.refused.message);
  };
  return {
    async scheduleEffect(name, given, delayMs = 0) {
      // Counted before anything is awaited, so that a repeated body gives the same ids in the same order.
      const effectId = mintReference(by, count++);
      checkGiven('The name of an effect', name, 'text');
      const delay = delayOf(delayMs);
      const args = secrets.in(await argumentsFor(agent, name, given));
      const at = agent.environment.now();
      apply(effectEvent(at, { type: 'scheduled', by, epoch, effectId, name, args, dueAt: at + delay }));
      return effectId;
    },
    async getScheduledEffects(name) {
      const all = pendingEffects(agent.state);
      return all.filter((effect) => name === undefined || effect.name === name).map(shown);
    },
    async removeScheduledEffect(effectId) {
      checkGiven('The id of an effect', effectId, 'text');
      const answer = agent.apply(effectEvent(agent.environment.now(), { type: 'removed', by, epoch, effectId }));
      if (!answer.ok && answer.refused.code !== 'not_found')
        throw new OffshootError(answer.refused.code, answer.refused.message);
      return answer.ok;
    },
  };
}
