/**
 * Keeps a request within its context: a summary replaces older messages where the request is too large.
 *
 * The summary is committed before the model is asked.
 *
 * Keeps CX4, CX13.
 */
import { type Compaction, compactionOf, dueCompaction } from '../../core/agent/context/compaction';
import { corrected, MAX_REFUSALS, narrowed, type Refused, refusalOf } from '../../core/agent/context/refused';
import { registryMessage } from '../../core/agent/standard-agents/subagent-registry';
import { currentStep, type Step } from '../../core/agent/state';
import { leadsOn } from '../../core/agent/steps/fallback';
import type { ToolSpec } from '../../core/definition/model-port';
import { failureOf } from '../../protocol/errors';
import { byteLength } from '../../protocol/json';
import type { Message } from '../../protocol/messages';
import type { Usage } from '../../protocol/usage';
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
 * Asks with the messages of the current step. Where the provider says that they are too many, they are made fewer, and it
 * is asked again; undefined when nobody waits for it any more.
 */
export async function smaller<Reply>(
  agent: ModelAgent,
  asked: Asked,
  ask: (messages: readonly Message[]) => Promise<Reply | undefined>,
): Promise<Reply | undefined> {
  let refused: Refused | undefined;
  for (;;) {
    const step = currentStep(agent.state);
    const messages = step && (await messagesFor(agent, step, asked, refused));
    if (messages === undefined || asked.signal.aborted) return undefined;
    try {
      return await ask(messages);
    } catch (error) {
      const how = (refused?.how ?? 0) + 1;
      const { definition, rules } = asked.seat;
      const next = definition.context && refusalOf(error, how);
      // Another model may take it whole.
      if (step && leadsOn(agent.state, step, failureOf(error).code, rules.models)) throw error;
      if (next === undefined || how > MAX_REFUSALS || asked.signal.aborted) throw error;
      refused = next;
    }
  }
}

/**
 * The messages of the request of a step, within the context of its agent; undefined when nobody waits for it any more.
 * @throws OffshootError `context_too_large`
 */
async function messagesFor(
  agent: ModelAgent,
  step: Step,
  asked: Asked,
  refused: Refused | undefined,
): Promise<readonly Message[] | undefined> {
  const messages = agent.transcript.before(step);
  const { context: given } = asked.seat.definition;
  if (given === undefined) return messages;
  const context = refused ? narrowed(given, refused) : given;
  const { system, tools } = asked.request;
  const estimated = agent.transcript.now(
    step,
    byteLength(system) + byteLength(registryMessage(asked.registry) ?? '') + toolBytes(tools),
  );
  const now = refused ? corrected(estimated, refused, context.maxTokens) : estimated;
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
