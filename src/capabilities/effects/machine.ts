/**
 * Decides when a scheduled effect is tried, how often, and how many there may be. Effects belong to the session and to no
 * run; the root's alarm says when they are due.
 *
 * Keeps SF1, SF2, SF3.
 */
import { type CapabilityMachine, isTerminating, type KernelAnswers, Slice } from '../../core/agent/capability';
import type { Transition } from '../../core/agent/changes';
import { type Draft, refuse } from '../../core/agent/draft';
import type { AgentEvent } from '../../core/agent/events';
import type { Rules } from '../../core/agent/rules';
import type { AgentState } from '../../core/agent/state';
import type { Failure } from '../../protocol/errors';
import type { Json } from '../../protocol/json';

/** Its rows are stored under this name. */
const EFFECTS = 'effects';

/** The wait after the first, second … failure, in ms; the last one again and again. */
const RETRY_AFTER_MS = [1_000, 10_000, 60_000, 600_000, 3_600_000] as const;

/** An effect that an author's code has scheduled, and that is not done. */
export interface PendingEffect {
  /** From 1; order of arrival among those that are not done. */
  readonly id: number;
  /** The id that authors know. */
  readonly effectId: string;
  readonly name: string;
  readonly args: Json;
  /** In ms since 1970, like `dueAt`. */
  readonly scheduledAt: number;
  /** When it is to be done, or tried again. */
  readonly dueAt: number;
  /** The number of tries so far. */
  readonly tries: number;
}

/** The events of scheduled effects. `by` is the call, the hook or the effect whose body acts. */
export type EffectEvent =
  | {
      readonly type: 'scheduled';
      readonly by: string;
      readonly epoch: number;
      readonly effectId: string;
      readonly name: string;
      readonly args: Json;
      readonly dueAt: number;
    }
  | { readonly type: 'removed'; readonly by: string; readonly epoch: number; readonly effectId: string }
  | { readonly type: 'begun'; readonly effectId: string }
  /** `attempt` counts from 1. */
  | { readonly type: 'done'; readonly effectId: string; readonly attempt: number; readonly error?: Failure };

type EventOf<Type extends EffectEvent['type']> = Extract<EffectEvent, { type: Type }> & { readonly at: number };

const slice = new Slice<PendingEffect>(EFFECTS);

/** An event of scheduled effects, as the agent's machine takes it. `at` is in ms since 1970. */
export function effectEvent(at: number, event: EffectEvent): AgentEvent {
  return { type: 'capability', capability: EFFECTS, at, event };
}

const byTime = (one: PendingEffect, other: PendingEffect): number => one.dueAt - other.dueAt || one.id - other.id;

/** The effects of a session that are not done, the earliest first; none where it is terminated or about to be. */
export function pendingEffects(state: AgentState): readonly PendingEffect[] {
  return isTerminating(state) ? [] : [...slice.rows(state)].sort(byTime);
}

/** The effect of an id, where it is not done. */
export function effectOf(state: Pick<AgentState, 'slices'>, effectId: string): PendingEffect | undefined {
  return slice.rows(state).find((effect) => effect.effectId === effectId);
}

/** The effects that are due by a time and to be done now: as many at once as bodies of tools. */
export function dueEffects(state: AgentState, by: number, rules: Rules): readonly PendingEffect[] {
  const due = pendingEffects(state).filter(({ dueAt }) => dueAt <= by);
  return due.slice(0, rules.limits.maxConcurrentCalls);
}

/** The machine of scheduled effects. */
export const effectsMachine: CapabilityMachine = {
  name: EFFECTS,
  on(draft, event: EffectEvent & { readonly at: number }, kernel) {
    switch (event.type) {
      case 'scheduled':
        return ofBody(draft, event, kernel) ?? schedule(draft, event, kernel.rules);
      case 'removed':
        return ofBody(draft, event, kernel) ?? remove(draft, event);
      case 'begun':
        return begin(draft, event, kernel.rules);
      case 'done':
        return end(draft, event, kernel.rules);
    }
  },
  pending: (state, by, rules) => dueEffects(state, by, rules).map((row) => ({ id: row.effectId, row })),
  // An effect under way is due since it began, so the root asks again until it is done.
  nextAt: (state) => pendingEffects(state)[0]?.dueAt,
  ownsBody: (state, by) => effectOf(state, by) !== undefined,
};

/** Why a body may not act; undefined where it may. The body of an effect is waited for until that is done. */
function ofBody(
  draft: Draft,
  event: { readonly by: string; readonly epoch: number },
  { mayBody }: KernelAnswers,
): Transition | undefined {
  if (effectOf(draft.state, event.by)) return undefined;
  const allowed = mayBody(event);
  return allowed.ok ? undefined : allowed;
}

/** Schedules an effect; a body that is repeated schedules the same again. */
function schedule(draft: Draft, event: EventOf<'scheduled'>, rules: Rules): Transition {
  const { effectId, name, args, dueAt, at } = event;
  const effects = slice.rows(draft.state);
  if (isTerminating(draft.state)) return refuse('terminated', 'The agent is terminated, so it schedules nothing more.');
  if (effectOf(draft.state, effectId)) return draft.done();
  const { maxScheduledEffects: most } = rules.limits;
  if (effects.length >= most)
    return refuse(
      'too_many_effects',
      `${most} effects of this agent are scheduled, the maximum. Remove one, or wait until one is done.`,
    );
  const id = (effects.at(-1)?.id ?? 0) + 1;
  slice.put(draft, { id, effectId, name, args, scheduledAt: at, dueAt, tries: 0 });
  return draft.done();
}

function remove(draft: Draft, event: EventOf<'removed'>): Transition {
  const effect = effectOf(draft.state, event.effectId);
  if (effect === undefined) return refuse('not_found', 'No effect with this id is scheduled.');
  slice.drop(draft, effect);
  return draft.done();
}

/** Counts a try before it begins (SF2). One that never ended `maxEffectTries` times is dropped. */
function begin(draft: Draft, { effectId }: EventOf<'begun'>, rules: Rules): Transition {
  const effect = effectOf(draft.state, effectId);
  if (effect === undefined || isTerminating(draft.state))
    return refuse('superseded', 'This effect is no longer scheduled.');
  const { tries } = effect;
  if (tries >= rules.limits.maxEffectTries) slice.drop(draft, effect);
  else slice.put(draft, { ...effect, tries: tries + 1 });
  return draft.done();
}

/** Ends a try. One that failed is tried again later, or dropped after `maxEffectTries`. */
function end(draft: Draft, event: EventOf<'done'>, rules: Rules): Transition {
  const effect = effectOf(draft.state, event.effectId);
  if (effect === undefined || effect.tries !== event.attempt) return refuse('superseded', 'Another try has begun.');
  const { tries } = effect;
  if (event.error === undefined || tries >= rules.limits.maxEffectTries) slice.drop(draft, effect);
  else {
    const wait = RETRY_AFTER_MS[Math.min(tries, RETRY_AFTER_MS.length) - 1] ?? 0;
    slice.put(draft, { ...effect, dueAt: event.at + wait });
  }
  return draft.done();
}
