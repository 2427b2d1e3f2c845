/**
 * Keeps a request within its context: where it would be too large, older messages are replaced by a summary, which is
 * committed before the model is asked (CX4).
 */
import { type Compaction, compactionOf, dueCompaction } from '../core/agent/context/compaction';
import { currentStep, type Step } from '../core/agent/state';
import { registryMessage } from '../core/agent/subagent-registry';
import type { ToolSpec } from '../core/definition/model-port';
import { byteLength } from '../protocol/json';
import type { Message } from '../protocol/messages';
import type { Usage } from '../protocol/usage';
import { covered } from './model-cost';
import type { ModelAgent } from './performer';
import { type Asked, summaryOf } from './summarise';

const sizes = new WeakMap<readonly ToolSpec[], number>();

/** How large tools are to a model; they are the same from step to step. */
function toolBytes(tools: readonly ToolSpec[]): number {
  const known = sizes.get(tools) ?? (tools.length === 0 ? 0 : byteLength(JSON.stringify(tools)));
  sizes.set(tools, known);
  return known;
}

/**
 * The messages of the request of a step, within the context of its agent; undefined when nobody waits for it any more.
 * @throws OffshootError `context_too_large`
 */
export async function messagesFor(
  agent: ModelAgent,
  step: Step,
  asked: Asked,
): Promise<readonly Message[] | undefined> {
  const messages = agent.transcript.before(step);
  const { context } = asked.seat.definition;
  if (context === undefined) return messages;
  const { system, tools } = asked.request;
  const now = agent.transcript.now(
    step,
    byteLength(system) + byteLength(registryMessage(asked.registry) ?? '') + toolBytes(tools),
  );
  const due = dueCompaction(now, context);
  if (due === undefined) return messages;
  const made = await summaryOf(agent, { ...asked, context, now, due });
  const spendLate = ({ usage }: { readonly usage?: Usage }): undefined => void (usage && agent.spentLate(usage));
  const { signal } = asked;
  if (signal.aborted) return spendLate(made);
  let compaction: Compaction;
  try {
    compaction = compactionOf(now, due, made, context);
  } catch (error) {
    spendLate(made);
    throw error;
  }
  if (!commit(agent, compaction, asked)) return spendLate(made);
  await covered(agent, signal);
  const next = currentStep(agent.state);
  // What it cost may have ended the run.
  return signal.aborted || next === undefined ? undefined : agent.transcript.before(next);
}

function commit(agent: ModelAgent, compaction: Compaction, { effect }: Asked): boolean {
  const { environment } = agent;
  const { runId, epoch, stepId, attempt } = effect;
  const facts = { at: environment.now(), token: environment.token(), runId, epoch, stepId, attempt };
  return agent.apply({ type: 'context_compacted', ...facts, compaction }).ok;
}
