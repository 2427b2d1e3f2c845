/** Children: asks the root for their places, starts those that have one, and stops those that must end. */

import { slotName } from '../core/delegation';
import { type Effect, effects } from '../core/effects';
import { failure } from '../core/errors';
import { kebabCase } from '../core/ids';
import type { CallPlan } from '../core/state';
import type { AdmissionRequest } from '../core/tree';
import { NO_USAGE } from '../core/usage';
import type { AgentRuntime } from './agent';
import { pause } from './environment';
import type { AgentAnswer, AgentMessage, Hop, StartChildMessage } from './messages';

type ChildEffect = Extract<Effect, { kind: 'child' }>;
type ChildPlan = Extract<CallPlan, { kind: 'child' }>;

/** A child that cannot be reached is tried again after these waits, in ms; then it counts as lost. */
const REACH_AGAIN_MS = [50, 200, 1_000, 3_000];

/** A child that was told to stop and has not handed over its end after so long, in ms, is given up. */
const END_WITHIN_MS = 10_000;

/** The way to a child from its parent. */
function hopTo(plan: ChildPlan): Hop {
  return {
    className: plan.className,
    addressClass: kebabCase(plan.className),
    name: slotName(plan.slot, plan.generation),
  };
}

function requestOf(agent: AgentRuntime, { call, plan }: ChildEffect): AdmissionRequest {
  return {
    sessionId: plan.sessionId,
    address: plan.address,
    agentType: plan.agentType,
    callId: call.callId,
    generation: plan.generation,
    depth: agent.state.session.depth + 1,
    timeoutMs: plan.timeoutMs,
  };
}

/** Asks for places for all of them at once, and starts those that got one. The others are rung when it is their turn. */
export async function delegate(agent: AgentRuntime, children: readonly ChildEffect[]): Promise<void> {
  if (children.length === 0) return;
  const { admissions } = await agent.link.ask({ admit: children.map((child) => requestOf(agent, child)) });
  const due = new Map<string, number>();
  for (const { plan } of children) due.set(plan.className, (due.get(plan.className) ?? 0) + 1);
  await agent.around
    .prepare(due)
    .catch((error: unknown) =>
      agent.environment.report('Children are made one by one: no template could be prepared.', error),
    );
  const answers = new Map(admissions.map((admission) => [admission.callId, admission]));
  // While the root was asked, a child may have been stopped or settled.
  const owed = new Set(effects(agent.state, agent.rules).map(({ id }) => id));
  await Promise.all(
    children.map(async (child) => {
      if (!owed.has(child.id)) return;
      const admission = answers.get(child.call.callId);
      if (admission?.answer === 'start') {
        const starting = startChild(agent, child, admission.begun).finally(() =>
          agent.starting.delete(child.call.callId),
        );
        agent.starting.set(child.call.callId, starting);
        await starting;
      }
      if (admission?.answer === 'refused') settle(agent, child, admission.error);
    }),
  );
}

function settle(agent: AgentRuntime, { call, plan }: ChildEffect, error: ReturnType<typeof failure>): void {
  const { environment } = agent;
  agent.apply({
    type: 'child_settled',
    at: environment.now(),
    token: environment.token(),
    callId: call.callId,
    generation: plan.generation,
    outcome: { status: 'failed', error },
    usage: NO_USAGE,
  });
}

function startMessage(agent: AgentRuntime, { call, plan }: ChildEffect, begun: boolean): StartChildMessage {
  const { session } = agent.state;
  const parent = {
    sessionId: session.sessionId,
    address: session.address,
    callId: call.callId,
    generation: plan.generation,
  };
  return {
    kind: 'start_child',
    begun,
    input: call.input,
    session: {
      sessionId: plan.sessionId,
      agentType: plan.agentType,
      address: plan.address,
      root: session.root,
      depth: session.depth + 1,
      parent,
      tags: [],
    },
  };
}

/** Sends to a child until it answers; undefined when it cannot be reached at all. */
async function reach(
  agent: AgentRuntime,
  plan: ChildPlan,
  message: AgentMessage,
  signal?: AbortSignal,
): Promise<AgentAnswer | undefined> {
  for (const wait of [0, ...REACH_AGAIN_MS]) {
    await pause(agent.environment, wait, signal);
    if (signal?.aborted === true) return undefined;
    try {
      return await agent.around.toChild(hopTo(plan), message);
    } catch (error) {
      agent.environment.report(`The sub-agent ${plan.address} could not be reached.`, error);
    }
  }
  return undefined;
}

async function startChild(agent: AgentRuntime, child: ChildEffect, begun: boolean): Promise<void> {
  const answer = await reach(agent, child.plan, startMessage(agent, child, begun));
  if (answer?.answer === 'done') return;
  const why = answer?.answer === 'refused' ? answer.error.message : 'It could not be reached.';
  await agent.link.ask({ lost: [child.plan.sessionId] });
  settle(
    agent,
    child,
    failure('subagent_lost', `The sub-agent ${child.plan.agentType} is gone, and its work with it. ${why}`),
  );
}

/** Stops a child: one that still waits for a place leaves the queue, one that works is told, and ends by itself. */
export async function stopChild(
  agent: AgentRuntime,
  effect: Extract<Effect, { kind: 'stop_child' }>,
  signal: AbortSignal,
): Promise<void> {
  const { call, plan } = effect;
  await agent.starting.get(call.callId);
  const { withdrawn } = await agent.link.ask({ withdraw: [plan.sessionId] });
  if (signal.aborted) return;
  if (withdrawn.includes(plan.sessionId))
    return settle(agent, { id: effect.id, kind: 'child', call, plan }, failure('aborted', effect.reason));
  const answer = await reach(agent, plan, { kind: 'stop', verb: 'abort', reason: effect.reason }, signal);
  // Its end, when it comes, settles the call, and so aborts this signal.
  if (answer?.answer === 'done') await pause(agent.environment, END_WITHIN_MS, signal);
  if (signal.aborted) return;
  await agent.link.ask({ lost: [plan.sessionId] });
  settle(agent, { id: effect.id, kind: 'child', call, plan }, failure('subagent_lost', effect.reason));
}
