/**
 * What the committed state still owes. Level-triggered: the host starts what is owed and not in flight, and aborts what
 * is in flight and no longer owed. Ids come from run, step, call and attempt, so performing one again is harmless.
 */

import type { Failure } from '../protocol/errors';
import { runningTools } from './call';
import { entryOf, messageFor, waitsForPerson } from './cascade';
import type { ChildPlan } from './delegation-calls';
import { awaitsHook } from './hooks';
import type { NewMessage } from './inbound';
import type { Rules } from './rules';
import {
  type ActiveRun,
  type AgentState,
  type Call,
  currentStep,
  type Outcome,
  type OwedHook,
  openCalls,
  type ParentLink,
  type RepliedStep,
  type StopVerb,
} from './state';
import { suspensionOf } from './status';
import { stopFailure, underWay } from './stop';

/** Something to do outside the transaction. */
export type Effect = { readonly id: string } & (
  | {
      readonly kind: 'model';
      readonly runId: string;
      readonly epoch: number;
      readonly stepId: number;
      readonly number: number;
      readonly attempt: number;
      /** Not before this time, in ms since 1970. */
      readonly notBefore: number;
    }
  | {
      readonly kind: 'tool';
      readonly runId: string;
      readonly epoch: number;
      readonly call: Call;
      readonly timeoutMs: number;
      /** The run is being stopped: the body is told, and has a short time to end by itself. */
      readonly stopping: boolean;
    }
  | { readonly kind: 'hook'; readonly runId: string; readonly epoch: number; readonly owed: OwedHook }
  /** A child is to be at work in the run that `entry` names. */
  | {
      readonly kind: 'child';
      readonly call: Call;
      readonly plan: ChildPlan;
      readonly entry: number;
      /** For the child, with that run. */
      readonly message?: NewMessage;
    }
  | {
      readonly kind: 'stop_child';
      readonly call: Call;
      readonly plan: ChildPlan;
      readonly entry: number;
      readonly verb: StopVerb;
      readonly error: Failure;
      /** For the child, where that run has not begun. */
      readonly message?: NewMessage;
    }
  /** A child is to be cleared away, and started anew. */
  | { readonly kind: 'respawn_child'; readonly call: Call; readonly plan: ChildPlan }
  | { readonly kind: 'tell_wait'; readonly runId: string; readonly parent: ParentLink; readonly waits: boolean }
  | { readonly kind: 'tell_parent'; readonly runId: string; readonly parent: ParentLink; readonly outcome: Outcome }
);

function toolEffects(run: ActiveRun, step: RepliedStep, rules: Rules): Effect[] {
  const { stop } = run;
  const bodies = stop
    ? underWay(step, stop).filter(({ plan }) => plan.kind === 'tool')
    : runningTools(step, rules).filter(({ callId }) => !awaitsHook(run, callId));
  return bodies.map((call) => ({
    id: `${call.callId} body ${call.bodies} epoch ${run.epoch}`,
    kind: 'tool',
    runId: run.runId,
    epoch: run.epoch,
    call,
    timeoutMs: call.plan.kind === 'tool' ? call.plan.timeoutMs : rules.limits.toolTimeoutMs,
    stopping: stop !== undefined,
  }));
}

/** What is owed for a child depends on its call alone, and a step of many children is looked at after each of them. */
const ofChildren = new WeakMap<Call, readonly Effect[]>();

function childEffects(call: Call): readonly Effect[] {
  const known = ofChildren.get(call);
  if (known) return known;
  const effects = newChildEffects(call);
  ofChildren.set(call, effects);
  return effects;
}

function newChildEffects(call: Call): Effect[] {
  const { plan, stand } = call;
  if (plan.kind !== 'child') return [];
  const entry = entryOf(call);
  // A child that is being stopped is not begun any more, so that no start can come after the stop.
  if (stand?.is === 'stopping') return [stopEffect(call, plan, stand.verb, stand.error)];
  if (stand !== undefined && stand.is !== 'working') return [];
  return [
    { id: `${call.callId} child ${plan.generation}.${entry}`, kind: 'child', call, plan, entry, ...messageFor(call) },
  ];
}

function stopEffect(call: Call, plan: ChildPlan, verb: StopVerb, error: Failure): Effect {
  const entry = entryOf(call);
  const id = `${call.callId} ${verb} ${plan.generation}.${entry}`;
  return { id, kind: 'stop_child', call, plan, entry, verb, error, ...messageFor(call) };
}

function callEffects(state: AgentState, run: ActiveRun, step: RepliedStep, rules: Rules): Effect[] {
  const effects = toolEffects(run, step, rules);
  const { stop } = run;
  if (stop) {
    for (const call of underWay(step, stop))
      if (call.plan.kind === 'child') effects.push(stopEffect(call, call.plan, stop.verb, stopFailure(stop)));
    return effects;
  }
  const waits = waitsForPerson(state);
  for (const call of openCalls(step)) {
    effects.push(...childEffects(call));
    if (call.plan.kind === 'child' && call.stand?.is === 'respawning' && !waits)
      effects.push({ id: `${call.callId} respawn`, kind: 'respawn_child', call, plan: call.plan });
  }
  return effects;
}

/** What a child's run owes its parent while it goes on: whether it waits for a person. */
function waitEffect(state: AgentState, run: ActiveRun): Effect[] {
  const { parent } = state.session;
  const waits = suspensionOf(state) !== undefined;
  const told = waits ? run.waitTold === true : run.waitTold === undefined;
  if (parent === undefined || run.stop || told) return [];
  return [{ id: `${run.runId} ${waits ? 'waits' : 'goes on'}`, kind: 'tell_wait', runId: run.runId, parent, waits }];
}

function modelEffect(run: ActiveRun, step: Exclude<AgentState['step'], undefined>): Effect[] {
  if (step.phase !== 'model' || run.stop || run.hooks?.ending) return [];
  const { runId, epoch } = run;
  const { id: stepId, number, attempt, notBefore } = step;
  const id = `${runId} step ${stepId} attempt ${attempt} epoch ${epoch}`;
  return [{ id, kind: 'model', runId, epoch, stepId, number, attempt, notBefore }];
}

/** Everything that a state owes, in a stable order. */
export function effects(state: AgentState, rules: Rules): Effect[] {
  const { run, session } = state;
  if (run === undefined) return [];
  if (run.phase === 'ended') {
    if (run.told || session.parent === undefined) return [];
    return [
      { id: `${run.runId} tell`, kind: 'tell_parent', runId: run.runId, parent: session.parent, outcome: run.outcome },
    ];
  }
  const step = currentStep(state);
  const [owed] = run.hooks?.owed ?? [];
  const hooks: Effect[] = owed
    ? [{ id: `${owed.id} epoch ${run.epoch}`, kind: 'hook', runId: run.runId, epoch: run.epoch, owed }]
    : [];
  const own = waitEffect(state, run);
  if (step === undefined) return [...hooks, ...own];
  if (step.phase === 'calls') return [...hooks, ...callEffects(state, run, step, rules), ...own];
  // The model is asked when every hook before it is done.
  return [...(owed ? hooks : modelEffect(run, step)), ...own];
}
