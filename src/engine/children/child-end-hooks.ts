/**
 * The end of a child is taken as the hooks for results make it, where a call waits for it.
 *
 * Keeps HK8, SA75.
 * HK25. What they are told is the whole result that the parent's model is going to have, also under a stop.
 */

import type { Transition } from '../../core/agent/changes';
import { type ChildEnd, resultToCome } from '../../core/agent/children/delegation';
import { hooksResult } from '../../core/agent/hooks/hooks';
import { type Call, childOf, currentStep, openCalls } from '../../core/agent/state';
import { hooksOf } from '../../core/definition/hooks/hooks';
import type { StandardHookName } from '../../core/definition/hooks/standard-hooks';
import type { CallResult } from '../../protocol/messages';
import { hookedResult, withheld } from '../perform/ask-hooks';
import type { BodyAgent } from '../perform/performer';
import { type Delivery, type EventMessage, eventOf } from '../tree-messages';
import { graceLeft } from './stop-grace';

/** What a child tells of its task; its end may also come of its parent, which has none of its runs. */
type Told = Extract<EventMessage, { type: Delivery['type'] }>;

const RESULT_HOOKS: readonly StandardHookName[] = [
  'after_tool_call_success',
  'after_tool_call_failure',
  'before_store_tool_result',
];

/** Takes what a child tells, as soon as the hooks have answered that are asked about it. */
export async function takeEnd(agent: BodyAgent, end: Told): Promise<Transition> {
  return taken(agent, end, madeOf(agent, end));
}

/** The same for what came together: as one event, but for ends that hooks are asked about. */
export async function takeEnds(agent: BodyAgent, deliveries: readonly Delivery[]): Promise<void> {
  const { environment } = agent;
  const made = deliveries.map((end) => madeOf(agent, end));
  const ends = deliveries.flatMap((end, at) =>
    end.type === 'child_settled' && !made[at] ? [eventOf(end, environment)] : [],
  );
  if (ends.length > 0)
    agent.apply({ type: 'children_settled', at: environment.now(), token: environment.token(), ends });
  await Promise.all(
    deliveries.map((end, at) => (end.type === 'child_settled' && !made[at] ? [] : taken(agent, end, made[at]))),
  );
}

const madeOf = (agent: BodyAgent, end: Told): Promise<CallResult> | undefined =>
  end.type === 'child_settled' ? hookedEnd(agent, end) : undefined;

async function taken(agent: BodyAgent, end: Told, made: Promise<CallResult> | undefined): Promise<Transition> {
  const result = made && { result: await made };
  return agent.apply({ ...eventOf(end, agent.environment), ...result });
}

/**
 * What the end that was told is for its call; undefined where no hook is asked about it. An end that is told again, because
 * of a crash, is made again, with the same keys.
 */
function hookedEnd(agent: BodyAgent, told: ChildEnd): Promise<CallResult> | undefined {
  if (!RESULT_HOOKS.some((name) => hooksOf(agent.seat.definition.hooks, name).length > 0)) return undefined;
  const call = callOf(agent, told);
  const own = call && resultToCome(agent.state, told);
  return call && own ? onceAtATime(agent, call, own) : undefined;
}

/** What is being made of the ends of an agent's children, by the calls that hold them. */
const underWay = new WeakMap<BodyAgent, Map<string, Promise<CallResult>>>();

/** An end that is told again while its hooks are asked, as by a child that is stopped meanwhile, asks no others. */
function onceAtATime(agent: BodyAgent, call: Call, own: CallResult): Promise<CallResult> {
  const known = underWay.get(agent) ?? new Map<string, Promise<CallResult>>();
  underWay.set(agent, known);
  const { callId } = call;
  const result = known.get(callId) ?? made(agent, call, own).finally(() => known.delete(callId));
  known.set(callId, result);
  return result;
}

/** The open call of the step that holds the task which has ended. */
function callOf({ state }: BodyAgent, { task }: ChildEnd): Call | undefined {
  const step = currentStep(state);
  if (state.run?.phase !== 'active' || step?.phase !== 'calls') return undefined;
  return openCalls(step).find((call) => {
    const child = childOf(state, call);
    return child?.childId === task.childId && child.task.number === task.task && call.callId === child.task.callId;
  });
}

async function made(agent: BodyAgent, call: Call, own: CallResult): Promise<CallResult> {
  const { run } = agent.state;
  const { runId = '', epoch = 0 } = run ?? {};
  const isStopped = run?.phase === 'active' && run.stop !== undefined;
  const late = { success: false, error: withheld('The sub-agent') } as const;
  // Those that a crash has cut off begin no more under a stop, like bodies.
  if (isStopped && (graceLeft(agent, runId) === 0 || hooksResult(agent.state, call.callId))) return late;
  const signal = isStopped ? AbortSignal.abort() : agent.runSignal.during(agent.state);
  const fence = { by: call.callId, runId, epoch, signal, keepsSuccess: true } as const;
  // One that takes the process down is counted: the sub-agent tells of its end until that is taken.
  agent.apply({ type: 'result_hooks', at: agent.environment.now(), by: fence.by, epoch });
  await agent.deps.durable();
  return (await hookedResult(agent, call, own, fence)) ?? late;
}
