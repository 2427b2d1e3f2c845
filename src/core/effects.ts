/**
 * What the committed state still owes. Level-triggered: the host starts what is owed and not in flight, and aborts what
 * is in flight and no longer owed. Ids come from run, step, call and attempt, so performing one again is harmless.
 */
import { runningTools } from './call';
import type { Rules } from './rules';
import {
  type AgentState,
  type Call,
  type CallPlan,
  currentStep,
  type Outcome,
  openCalls,
  type ParentLink,
  type RepliedStep,
} from './state';

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
    }
  | { readonly kind: 'child'; readonly call: Call; readonly plan: Extract<CallPlan, { kind: 'child' }> }
  | {
      readonly kind: 'stop_child';
      readonly call: Call;
      readonly plan: Extract<CallPlan, { kind: 'child' }>;
      readonly reason: string;
    }
  | { readonly kind: 'tell_parent'; readonly runId: string; readonly parent: ParentLink; readonly outcome: Outcome }
);

function callEffects(step: RepliedStep, run: { runId: string; epoch: number }, rules: Rules): Effect[] {
  const effects: Effect[] = runningTools(step, rules).map((call) => ({
    id: `${call.callId} body ${call.bodies} epoch ${run.epoch}`,
    kind: 'tool',
    runId: run.runId,
    epoch: run.epoch,
    call,
    timeoutMs: call.plan.kind === 'tool' ? call.plan.timeoutMs : rules.limits.toolTimeoutMs,
  }));
  for (const call of openCalls(step)) effects.push(...childEffects(call));
  return effects;
}

/** What is owed for a child depends on its call alone, and a step of many children is looked at after each of them. */
const ofChildren = new WeakMap<Call, readonly Effect[]>();

function childEffects(call: Call): readonly Effect[] {
  const known = ofChildren.get(call);
  if (known) return known;
  const { plan, stopping } = call;
  const effects: Effect[] = [];
  if (plan.kind === 'child') {
    // A child that is being stopped is not begun any more, so that no start can come after the stop.
    if (stopping) effects.push({ id: `${call.callId} stop`, kind: 'stop_child', call, plan, reason: stopping.message });
    else effects.push({ id: `${call.callId} child`, kind: 'child', call, plan });
  }
  ofChildren.set(call, effects);
  return effects;
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
  if (step === undefined) return [];
  if (step.phase === 'calls') return callEffects(step, run, rules);
  const { runId, epoch } = run;
  return [
    {
      id: `${runId} step ${step.id} attempt ${step.attempt} epoch ${epoch}`,
      kind: 'model',
      runId,
      epoch,
      stepId: step.id,
      number: step.number,
      attempt: step.attempt,
      notBefore: step.notBefore,
    },
  ];
}
