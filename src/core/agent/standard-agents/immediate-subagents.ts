/**
 * Sub-agents that begin with a prompt (`immediate`): before its first step, once for each session and prompt. That they
 * were begun is committed with their records, so no crash begins them twice.
 *
 * Decides: which sub-agents begin with a prompt, and when.
 * Keeps SA18, SA24, SA25, SA26, SAW23.
 */
import { type Failure, failure } from '../../../protocol/errors';
import { mintId } from '../../../protocol/ids';
import { isObject } from '../../../protocol/json';
import type { Transition } from '../changes';
import { Given, planChild } from '../children/child-plan';
import { taskOpened } from '../children/task';
import { type Draft, refuse } from '../draft';
import type { AgentEvent, PlannedCall } from '../events';
import type { Rules } from '../rules';
import { endAfterHooks } from '../runs/run';
import { type ActiveRun, type AgentState, currentStep, openCalls } from '../state';
import { isDone, withDone } from '../steps/closing';
import { handingOver } from './handoff';
import { isTerminated, registryOf } from './subagent-registry';

type Event = Extract<AgentEvent, { type: 'activated' }>;
type Planned = Extract<PlannedCall, { kind: 'child' }>;

/** Whether the prompt at work has sub-agents that are still to begin with it. */
export function owesActivation({ session }: Pick<AgentState, 'session'>, { activates }: Rules): boolean {
  return activates !== undefined && !(session.activated ?? []).includes(activates);
}

/** Whether a run waits for that now: it is about to begin a step. */
export function waitsForActivation(state: AgentState, run: ActiveRun, rules: Rules): boolean {
  const step = currentStep(state);
  const isBetween = step === undefined || (step.phase === 'calls' && openCalls(step).length === 0);
  // A step that hands the session over is closed first: what begins, begins with the next prompt.
  if (handingOver(state)) return false;
  return isBetween && run.stop === undefined && run.hooks?.ending === undefined && owesActivation(state, rules);
}

/** A step that would begin waits: for the sub-agents of its prompt, or for hooks. The one before it is closed, once. */
export function deferStep(draft: Draft): void {
  const { run } = draft.state;
  const step = currentStep(draft.state);
  if (run?.phase === 'active' && step && !isDone(run, step.id, 'deferred'))
    draft.setRun(withDone(run, step.id, 'committed', 'deferred'));
}

/**
 * Begins them; where one can not begin, the run fails. Those that lack variables wait for them, each by a request of its
 * own: the run fails with all of these, and each begins when its values are given.
 */
export function onActivated(draft: Draft, event: Event, rules: Rules): Transition {
  const { run, session } = draft.state;
  const isCurrent = run?.phase === 'active' && run.runId === event.runId && event.prompt === rules.activates;
  if (!isCurrent || !waitsForActivation(draft.state, run, rules))
    return refuse('superseded', 'This belongs to a prompt that is no longer about to begin.');
  const given = new Given();
  let { refused } = event;
  const waiting: Failure[] = [];
  for (const [index, planned] of event.begins.entries()) {
    if (refused) break;
    const why = beginOne(draft, planned, { event, index, given }, rules);
    if (why?.code === 'subagent_env_required') waiting.push(why);
    else refused = why;
  }
  refused ??= forVariables(waiting);
  draft.setSession({ ...session, activated: [...(session.activated ?? []), event.prompt] });
  if (refused) endAfterHooks(draft, run, { status: 'failed', error: refused }, event.at, rules);
  return draft.done();
}

/** Why a run fails whose sub-agents wait for variables, with every request that they wait by. */
function forVariables(waiting: readonly Failure[]): Failure | undefined {
  const [first] = waiting;
  if (first === undefined) return undefined;
  const requests = waiting.map(({ details }) => (isObject(details) ? (details.request ?? null) : null));
  const message = `${waiting.map((one) => one.message).join(' ')} Then continue with a new message, or retry.`;
  return failure(first.code, message, false, { requests });
}

function beginOne(
  draft: Draft,
  planned: Planned,
  { event, index, given }: { readonly event: Event; readonly index: number; readonly given: Given },
  rules: Rules,
) {
  const { agentType, registers } = planned;
  if (event.disabled.includes(agentType)) return undefined;
  const known = registryOf({ state: draft.state, written: (id) => draft.written(id) }, event.children.registered ?? []);
  const isThere = known.some(
    (child) => child.agentType === agentType && child.registered.prompt === registers?.prompt && !isTerminated(child),
  );
  // One that waits for variables is there as well, until it need not wait any more.
  const waits = event.lacking?.[agentType]?.waiting.some(({ prompt }) => prompt === registers?.prompt);
  if (isThere || waits) return undefined;
  const callId = mintId('call', event.token, index);
  const plan = planChild(draft, planned, { event, callId, stepId: 0, index, given, written: null }, rules);
  if (plan.kind === 'refused') return plan.error;
  const child = plan.kind === 'task' && plan.began ? draft.state.children.get(plan.began.childId) : undefined;
  if (child) taskOpened(draft, child);
  return undefined;
}
