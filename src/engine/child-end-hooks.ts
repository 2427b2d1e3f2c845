/**
 * The end of a child whose call waits for it, as the hooks for results make it: before its parent takes it.
 *
 * Keeps HK8, SA75.
 */

import type { AgentEvent } from '../core/agent/events';
import { type Call, childOf, currentStep, openCalls } from '../core/agent/state';
import { hooksOf } from '../core/definition/hooks';
import type { StandardHookName } from '../core/definition/standard-hooks';
import type { CallResult } from '../protocol/messages';
import { hookedResult } from './ask-hooks';
import type { BodyAgent } from './performer';

type Settled = Pick<Extract<AgentEvent, { type: 'child_settled' }>, 'task' | 'outcome'>;

const RESULT_HOOKS: readonly StandardHookName[] = [
  'after_tool_call_success',
  'after_tool_call_failure',
  'before_store_tool_result',
];

/**
 * What is taken in place of an end that was told; undefined where that is taken as it is. An end that is told again, because
 * of a crash, is made again, with the same keys.
 */
export function hookedEnd<Told extends Settled>(agent: BodyAgent, told: Told): Promise<Told> | undefined {
  const { outcome } = told;
  if (!RESULT_HOOKS.some((name) => hooksOf(agent.seat.definition.hooks, name).length > 0)) return undefined;
  if (outcome.status !== 'completed' && outcome.status !== 'failed') return undefined;
  const call = callOf(agent, told);
  if (call === undefined) return undefined;
  const own: CallResult =
    outcome.status === 'completed'
      ? { success: true, value: outcome.output }
      : { success: false, error: outcome.error };
  return made(agent, call, own).then((result) => {
    if (result.success && outcome.status === 'completed')
      return { ...told, outcome: { ...outcome, output: result.value } };
    if (!result.success && outcome.status === 'failed')
      return { ...told, outcome: { ...outcome, error: result.error } };
    return told;
  });
}

/** The open call of the step that holds the task which has ended. */
function callOf({ state }: BodyAgent, { task }: Settled): Call | undefined {
  const { run } = state;
  const step = currentStep(state);
  if (run?.phase !== 'active' || run.stop || step?.phase !== 'calls') return undefined;
  return openCalls(step).find((call) => {
    const child = childOf(state, call);
    return child?.childId === task.childId && child.task.number === task.task && call.callId === child.task.callId;
  });
}

async function made(agent: BodyAgent, call: Call, own: CallResult): Promise<CallResult> {
  const { run } = agent.state;
  const fence = {
    by: call.callId,
    runId: run?.runId ?? '',
    epoch: run?.epoch ?? 0,
    signal: agent.runSignal.during(agent.state),
    keepsSuccess: true,
  } as const;
  // One that takes the process down is counted: the sub-agent tells of its end until that is taken.
  agent.apply({ type: 'result_hooks', at: agent.environment.now(), by: fence.by, epoch: fence.epoch });
  await agent.deps.durable();
  return hookedResult(agent, call, own, fence);
}
