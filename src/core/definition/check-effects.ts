/**
 * The `effects` of an agent, checked.
 *
 * Keeps SF5.
 */
import type { EffectDefinition } from './definition';
import { invalidDefinition } from './invalid';

/** The effects of an agent, each name once. @throws OffshootError `invalid_definition` */
export function checkEffects(where: string, effects: readonly EffectDefinition[]): readonly EffectDefinition[] {
  if (!Array.isArray(effects))
    invalidDefinition(`${where}: \`effects\` must be a list of effects from \`defineEffect\`.`);
  const seen = new Set<string>();
  for (const effect of effects) {
    if (typeof effect !== 'object' || effect === null || typeof effect.execute !== 'function')
      invalidDefinition(`${where}: make each of its \`effects\` with \`defineEffect\`.`);
    if (seen.has(effect.name)) invalidDefinition(`${where} has "${effect.name}" twice in \`effects\`; list it once.`);
    seen.add(effect.name);
  }
  return Object.freeze([...effects]);
}
