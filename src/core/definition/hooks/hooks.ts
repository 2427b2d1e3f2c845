/**
 * The hooks of an agent or a prompt as people write them, checked and made one list.
 *
 * Keeps HK1, SA75.
 */

import { invalidDefinition } from '../invalid';
import type { AuthorsFunction } from '../types';
import type { AgentHooks, HookBody, HookContext, HookName, HookPayloads } from './hook-types';
import { HOOK_NAMES } from './hook-types';
import {
  type HookDefinition,
  STANDARD_HOOK_NAMES,
  type StandardHookName,
  type StandardHookPayloads,
} from './standard-hooks';

/** The `hooks` option: hooks by name, or a list that may also have hooks made by `defineHook`. */
export type HooksOption<Hooks = AgentHooks> = Hooks | readonly (Hooks | HookDefinition)[];

/** The name of a hook of either kind. */
export type AnyHookName = HookName | StandardHookName;

/** A hook of either kind, as it is called. */
export interface AnyHook {
  readonly hook: AnyHookName;
  /** The id of a hook made by `defineHook`. */
  readonly id?: string;
  readonly run: AuthorsFunction<
    [payload: HookPayloads[HookName] | StandardHookPayloads[StandardHookName], context: HookContext],
    unknown
  >;
  /** Whether its failure fails the run. */
  readonly failRun: boolean;
}

const isDefined = (given: AgentHooks | HookDefinition): given is HookDefinition =>
  'execute' in given && typeof given.execute === 'function';

/** The hooks of an agent or a prompt, in their order. @throws OffshootError `invalid_definition` */
export function compiledHooks(where: string, given: HooksOption | undefined): readonly AnyHook[] {
  if (given === undefined) return [];
  if (typeof given !== 'object' || given === null)
    invalidDefinition(`${where}: \`hooks\` must be an object with hooks by name, or a list.`);
  const list = Array.isArray(given) ? given : [given];
  const hooks = list.flatMap((one) => {
    if (typeof one !== 'object' || one === null)
      invalidDefinition(
        `${where}: a list of \`hooks\` contains hooks from \`defineHook\`, or objects with hooks by name.`,
      );
    return isDefined(one) ? [{ hook: one.hook, id: one.id, run: one.execute, failRun: false }] : byName(where, one);
  });
  refuseTwice(where, hooks);
  return Object.freeze(hooks);
}

function byName(where: string, hooks: AgentHooks): AnyHook[] {
  const names: readonly string[] = HOOK_NAMES;
  for (const hook of Object.keys(hooks)) {
    if (STANDARD_HOOK_NAMES.some((name) => name === hook))
      invalidDefinition(`${where}: make the hook "${hook}" with \`defineHook\`, and list it in \`hooks\`.`);
    if (!names.includes(hook))
      invalidDefinition(`${where} has an unknown hook "${hook}". Available hooks: ${names.join(', ')}.`);
  }
  return HOOK_NAMES.flatMap((hook) => {
    const given = hooks[hook];
    if (given === undefined) return [];
    const body: HookBody | undefined = typeof given === 'object' && given !== null ? given.run : given;
    if (typeof body !== 'function') invalidDefinition(`${where}: the hook "${hook}" must be a function.`);
    const failRun = typeof given === 'object' && given.failRun === true;
    if (hook === 'onRunSettled' && failRun)
      invalidDefinition(`${where}: the hook "${hook}" cannot fail a run that is ending; remove \`failRun\`.`);
    return [{ hook, run: body, failRun }];
  });
}

/** An id is that of one hook, and a hook by name is there once. */
function refuseTwice(where: string, hooks: readonly AnyHook[]): void {
  const seen = new Set<string>();
  for (const { hook, id } of hooks) {
    const key = id === undefined ? `by name ${hook}` : `id ${id}`;
    if (seen.has(key))
      invalidDefinition(
        id === undefined
          ? `${where} has the hook "${hook}" twice in \`hooks\`; list it once.`
          : `${where} has two hooks with the id "${id}"; give each its own \`id\`.`,
      );
    seen.add(key);
  }
}

/** Those of an agent that works by a prompt: those of the prompt take the place of the agent's of the same names. */
export function hooksWith(where: string, own: readonly AnyHook[], prompts: readonly AnyHook[]): readonly AnyHook[] {
  const replaced = new Set(prompts.map(({ hook }) => hook));
  const hooks = [...own.filter(({ hook }) => !replaced.has(hook)), ...prompts];
  refuseTwice(where, hooks);
  return Object.freeze(hooks);
}

/** The hooks of a name, in their order. */
export const hooksOf = (hooks: readonly AnyHook[], name: AnyHookName): readonly AnyHook[] =>
  hooks.filter(({ hook }) => hook === name);
