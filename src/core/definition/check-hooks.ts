/** Hooks as people write them, checked wherever they may stand. */
import { type AgentHooks, HOOK_NAMES } from './hook-types';
import { invalidDefinition } from './invalid';

/** @throws OffshootError `invalid_definition` for a hook that is unknown or no function */
export function checkHooks(where: string, hooks: AgentHooks): void {
  for (const [hook, given] of Object.entries(hooks)) {
    if (!HOOK_NAMES.some((name) => name === hook))
      invalidDefinition(`${where} has an unknown hook "${hook}". There are: ${HOOK_NAMES.join(', ')}.`);
    const body: unknown = typeof given === 'object' && given !== null ? given.run : given;
    if (typeof body !== 'function') invalidDefinition(`${where}: the hook "${hook}" must be a function.`);
    if (hook === 'onRunSettled' && typeof given === 'object' && given.failRun === true)
      invalidDefinition(`${where}: the hook "${hook}" cannot fail a run that ends; drop \`failRun\`.`);
  }
}
