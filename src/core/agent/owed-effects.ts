/**
 * What the committed state still owes. Level-triggered: the host starts what is owed and not in flight, and aborts what
 * is in flight and no longer owed. Ids come from run, step, call and attempt, so performing one again is harmless.
 *
 * Decides: what may begin now, and what must not.
 * Keeps SE2, SP4, SU3, SU4.
 */

import type { Failure } from '../../protocol/errors';
import { runningTools } from './calls/call';
import { type CapabilityMachine, pendingWork } from './capability';
import { isRespawnDue } from './children/cascade';
import { type Child, messageFor, type TaskKey } from './children/child';
import { untaken } from './children/child-messages';
import { knownAs } from './delivery';
import { awaitsHook } from './hooks/hooks';
import type { NewMessage } from './inbound';
import type { Rules } from './rules';
import { isAtRest } from './runs/status';
import { bodiesUnderWay, childrenUnderWay, stopFailure } from './runs/stop';
import { endsSession, type StopVerb } from './runs/stop-verb';
import { waitsForActivation } from './standard-agents/immediate-subagents';
import {
  type ActiveRun,
  type AgentState,
  type Call,
  currentStep,
  type Outcome,
  type OwedHook,
  type RepliedStep,
  type SliceRow,
  type StopRecord,
  type Word,
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
      /** The run is being stopped: the body is told, and has a short time to end by itself. */
      readonly stopping: boolean;
    }
  /** The prompt at work begins, and its sub-agents with it. */
  | { readonly kind: 'activate'; readonly runId: string; readonly prompt: string }
  | { readonly kind: 'hook'; readonly runId: string; readonly epoch: number; readonly owed: OwedHook }
  /** The conditions of `stopWhen` are to be asked; `owed` is the id of the question. */
  | { readonly kind: 'stop_when'; readonly epoch: number; readonly owed: string }
  /** A child is to be at work, in the run that is meant. The message is for it, with that run. */
  | { readonly kind: 'child'; readonly child: Child; readonly message?: NewMessage }
  | {
      readonly kind: 'stop_child';
      readonly child: Child;
      readonly verb: StopVerb;
      readonly error: Failure;
      /** For the child, where that run has not begun. */
      readonly message?: NewMessage;
    }
  /** What a child at work was told, and has not taken yet. */
  | { readonly kind: 'mail'; readonly child: Child }
  /** A child is to be cleared away, and started anew. */
  | { readonly kind: 'respawn_child'; readonly child: Child }
  /** Work of a capability. */
  | { readonly kind: 'capability'; readonly capability: string; readonly row: SliceRow }
  | {
      readonly kind: 'deliver_wait';
      readonly runId: string;
      readonly task: TaskKey;
      readonly waits: boolean;
      readonly word?: Word;
    }
  | { readonly kind: 'deliver_outcome'; readonly runId: string; readonly task: TaskKey; readonly outcome: Outcome }
);

function toolEffects(run: ActiveRun, step: RepliedStep, rules: Rules): Effect[] {
  const { stop } = run;
  const bodies = stop
    ? bodiesUnderWay(step, stop)
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

/** What is owed for a child depends on its record alone, and many children are looked at after each event. */
const ofChildren = new WeakMap<Child, readonly Effect[]>();

function childEffects(child: Child): readonly Effect[] {
  const known = ofChildren.get(child);
  if (known) return known;
  const effects = newChildEffects(child);
  ofChildren.set(child, effects);
  return effects;
}

function newChildEffects(child: Child): Effect[] {
  const { state } = child;
  switch (state.is) {
    case 'working':
      return [{ id: workId(child), kind: 'child', child, ...messageFor(child) }, ...untakenEffect(child)];
    case 'stopping':
      // It is not begun any more, so that no start can come after the stop.
      return [stopEffect(child, state.verb, state.error)];
    case 'waiting':
      return untakenEffect(child);
    case 'interrupted':
    case 'failed':
    case 'respawning':
    case 'ended':
      return [];
  }
}

/**
 * Messages that a child has not taken. A child that its parent has yet to begin gets them as it begins. One that waits
 * before that is not begun any more: its messages are another effect.
 */
function untakenEffect(child: Child): Effect[] {
  if (untaken(child).length === 0) return [];
  const waits = child.state.is === 'waiting' ? ' while it waits' : '';
  return [{ id: `${nameOf(child)} mail ${child.mailbox?.last}${waits}`, kind: 'mail', child }];
}

const nameOf = ({ childId, task, runNumber }: Child): string => `child ${childId} task ${task.number} run ${runNumber}`;

/** The effect by which a child is to be at work, in the run that is meant. */
export const workId = (child: Child): string => `${nameOf(child)} work`;

function stopEffect(child: Child, verb: StopVerb, error: Failure): Effect {
  return { id: `${nameOf(child)} ${verb}`, kind: 'stop_child', child, verb, error, ...messageFor(child) };
}

/** A child is stopped with its parent's run, but for one that somebody ends for good: that is still owed. */
function stopOf(child: Child, stop: StopRecord): readonly Effect[] {
  if (child.state.is === 'stopping' && endsSession(child.state.verb)) return childEffects(child);
  return [stopEffect(child, stop.verb, stopFailure(stop))];
}

/** What is owed for all children: a stop of the run is theirs as well. */
function effectsOfChildren(state: AgentState): Effect[] {
  const { children, run } = state;
  if (children.size === 0) return [];
  const stop = run?.phase === 'active' ? run.stop : undefined;
  if (stop) return childrenUnderWay(state, stop).flatMap((child) => stopOf(child, stop));
  const effects: Effect[] = [];
  for (const child of children.values()) {
    effects.push(...childEffects(child));
    if (child.state.is === 'respawning' && isRespawnDue(state, child.state))
      effects.push({ id: `${nameOf(child)} anew`, kind: 'respawn_child', child });
  }
  return effects;
}

/** Whether a task of a child is to be at work in that run. */
export function owesWork({ children, run }: AgentState, { childId, task }: TaskKey, runNumber: number): boolean {
  const child = children.get(childId);
  if (child?.task.number !== task || child.runNumber !== runNumber || child.state.is !== 'working') return false;
  return run?.phase !== 'active' || run.stop === undefined;
}

/** What a child's run owes its parent while it goes on: whether it waits for a person, and its word on how far it is. */
function waitEffect(state: AgentState, run: ActiveRun): Effect[] {
  const { task, runId, word } = run;
  const waits = isAtRest(state);
  if (task === undefined || run.stop || run.knownToParent === knownAs(waits)) return [];
  const said = word === undefined ? '' : ` word ${word.number}`;
  const id = `${runId} ${waits ? 'waits' : 'goes on'}${said}`;
  return [{ id, kind: 'deliver_wait', runId, task, waits, ...(word ? { word } : {}) }];
}

function modelEffect(run: ActiveRun, step: Exclude<AgentState['step'], undefined>): Effect[] {
  if (step.phase !== 'model' || run.stop || run.hooks?.ending) return [];
  const { runId, epoch } = run;
  const { id: stepId, number, attempt, notBefore } = step;
  const id = `${runId} step ${stepId} attempt ${attempt} epoch ${epoch}`;
  return [{ id, kind: 'model', runId, epoch, stepId, number, attempt, notBefore }];
}

/** The one of an author's functions that a run waits for, if it does. */
function hookEffects({ runId, epoch, hooks }: ActiveRun): Effect[] {
  const [owed] = hooks?.owed ?? [];
  if (owed === undefined) return [];
  const id = `${owed.id} epoch ${epoch}`;
  if (owed.hook === 'stopWhen') return [{ id, kind: 'stop_when', epoch, owed: owed.id }];
  return [{ id, kind: 'hook', runId, epoch, owed }];
}

function activateEffect(state: AgentState, run: ActiveRun, rules: Rules): Effect[] {
  const { activates: prompt } = rules;
  if (prompt === undefined || !waitsForActivation(state, run, rules)) return [];
  return [{ id: `${run.runId} epoch ${run.epoch} begins ${prompt}`, kind: 'activate', runId: run.runId, prompt }];
}

/** The pending work of capabilities by a time, in ms since 1970. Each keeps its id over all its tries. */
export function capabilityEffects(
  state: AgentState,
  by: number,
  rules: Rules,
  capabilities: readonly CapabilityMachine[],
): Effect[] {
  return pendingWork(capabilities, state, by, rules).map(({ capability, work: { id, row } }) => ({
    id: `${capability} ${id}`,
    kind: 'capability',
    capability,
    row,
  }));
}

/** Everything that a state owes but the work of capabilities, in a stable order. */
export function effects(state: AgentState, rules: Rules): Effect[] {
  const { run } = state;
  if (run === undefined) return [];
  const children = effectsOfChildren(state);
  if (run.phase === 'ended') {
    const { runId, task, outcome, acknowledged } = run;
    if (acknowledged || task === undefined) return children;
    return [{ id: `${runId} outcome`, kind: 'deliver_outcome', runId, task, outcome }, ...children];
  }
  const step = currentStep(state);
  const hooks = hookEffects(run);
  const begins = hooks.length > 0 ? [] : activateEffect(state, run, rules);
  const rest = [...begins, ...children, ...waitEffect(state, run)];
  if (step === undefined) return [...hooks, ...rest];
  if (step.phase === 'calls') return [...hooks, ...toolEffects(run, step, rules), ...rest];
  // The model is asked when every hook before it is done.
  return [...(hooks.length > 0 ? hooks : modelEffect(run, step)), ...rest];
}
