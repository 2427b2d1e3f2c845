/**
 * Scheduled effects: what an author's code has put off. They belong to the session and to no run; the root's alarm says
 * when they are due. In docs a scheduled effect, here an errand: an effect is what a state owes.
 *
 * Decides: delays and tries of an effect that fails; how many may be scheduled.
 *
 * SF1. One is kept until it is done, taken back or given up, and begun again where nobody knows how it ended.
 * SF2. Each try is counted before it begins, so that one which never comes back is given up as well.
 * SF3. A session that has ended for good, or is about to, has none.
 */
import { failure } from '../../protocol/errors';
import type { Transition } from './changes';
import { type Draft, refuse } from './draft';
import type { AgentEvent } from './events';
import type { Rules } from './rules';
import type { AgentState, Errand } from './state';
import { endsSession } from './stop-verb';

/** How long after its first, second … failure an effect is tried again, in ms; the last one again and again. */
const ERRAND_AGAIN_MS = [1_000, 10_000, 60_000, 600_000, 3_600_000] as const;

type EventOf<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>;

/** Whether a session has ended for good, or is about to (SF3). */
function isOver({ session, run }: AgentState): boolean {
  if (session.terminated !== undefined) return true;
  return run?.phase === 'active' && run.stop !== undefined && endsSession(run.stop.verb);
}

const byTime = (one: Errand, other: Errand): number => one.dueAt - other.dueAt || one.id - other.id;

/** When the next effect of a session is due, in ms since 1970; what is under way is due since it began. */
export function nextErrandAt(state: AgentState): number | undefined {
  return isOver(state) ? undefined : [...state.errands].sort(byTime)[0]?.dueAt;
}

/** The effects that are due by a time and to be done now: as many at once as bodies of tools. */
export function dueErrands(state: AgentState, by: number, rules: Rules): readonly Errand[] {
  if (state.errands.length === 0 || isOver(state)) return [];
  const due = state.errands.filter(({ dueAt }) => dueAt <= by).sort(byTime);
  return due.slice(0, rules.limits.maxConcurrentCalls);
}

/** The effect of an id, where it is not done. */
export function errandOf({ errands }: Pick<AgentState, 'errands'>, effectId: string): Errand | undefined {
  return errands.find((errand) => errand.effectId === effectId);
}

/** What happens to an effect. `mayBody` says why the body of a tool or a hook may not do it, where nobody waits for it any more. */
export function onErrand(
  draft: Draft,
  event: EventOf<'errand_scheduled' | 'errand_removed' | 'errand_begun' | 'errand_done'>,
  rules: Rules,
  mayBody: (body: { readonly by: string; readonly epoch: number }) => Transition,
): Transition {
  if (event.type === 'errand_begun') return begin(draft, event, rules);
  if (event.type === 'errand_done') return end(draft, event, rules);
  // The body of an effect is waited for as long as that is not done.
  const allowed = errandOf(draft.state, event.by) ? undefined : mayBody(event);
  if (allowed?.ok === false) return allowed;
  return event.type === 'errand_scheduled' ? schedule(draft, event, rules) : remove(draft, event);
}

/** An author's code schedules an effect; a body that is repeated schedules the same again. */
function schedule(draft: Draft, event: EventOf<'errand_scheduled'>, rules: Rules): Transition {
  const { effectId, name, args, dueAt, at } = event;
  const { errands } = draft.state;
  if (isOver(draft.state)) return refuse('terminated', 'The agent has ended for good: nothing is scheduled any more.');
  if (errandOf(draft.state, effectId)) return draft.done();
  const { maxScheduledEffects: most } = rules.limits;
  if (errands.length >= most)
    return refuse(
      'too_many_effects',
      `${most} effects of this agent are scheduled, as many as may be. Take one back, or wait until one is done.`,
    );
  const id = (errands.at(-1)?.id ?? 0) + 1;
  draft.setErrand({ id, effectId, name, args, scheduledAt: at, dueAt, tries: 0 });
  return draft.done();
}

/** An effect is taken back. */
function remove(draft: Draft, event: EventOf<'errand_removed'>): Transition {
  const errand = errandOf(draft.state, event.effectId);
  if (errand === undefined) return refuse('not_found', 'No effect of this id is scheduled.');
  draft.dropErrand(errand);
  return draft.done();
}

/** A try begins (SF2). */
function begin(draft: Draft, { effectId }: EventOf<'errand_begun'>, rules: Rules): Transition {
  const errand = errandOf(draft.state, effectId);
  if (errand === undefined || isOver(draft.state))
    return refuse('superseded', 'This effect is not to be done any more.');
  const { tries } = errand;
  if (tries >= rules.limits.maxEffectTries) {
    draft.dropErrand(errand);
    draft.givenUp = failure('outcome_unknown', `It was begun ${tries} times, and never came to an end.`);
    return draft.done();
  }
  draft.setErrand({ ...errand, tries: tries + 1 });
  return draft.done();
}

/** A try has ended: what failed is tried again later, or given up. */
function end(draft: Draft, event: EventOf<'errand_done'>, rules: Rules): Transition {
  const errand = errandOf(draft.state, event.effectId);
  if (errand === undefined || errand.tries !== event.attempt) return refuse('superseded', 'Another try has begun.');
  const { tries } = errand;
  if (event.error === undefined) draft.dropErrand(errand);
  else if (tries >= rules.limits.maxEffectTries) {
    draft.dropErrand(errand);
    draft.givenUp = event.error;
  } else {
    const wait = ERRAND_AGAIN_MS[Math.min(tries, ERRAND_AGAIN_MS.length) - 1] ?? 0;
    draft.setErrand({ ...errand, dueAt: event.at + wait });
  }
  return draft.done();
}

/** A session ends for good: nothing of it is done any more. */
export function dropErrands(draft: Draft): void {
  for (const errand of draft.state.errands) draft.dropErrand(errand);
}
