/**
 * Tells the parent of an agent how its task stands: how its run has ended, or that it waits for a person or goes on.
 *
 * OB5, OB7. Where its parent has just stopped it, that is the answer to the stop.
 */
import { mailFacts } from '../../core/agent/children/child-messages';
import type { Effect } from '../../core/agent/owed-effects';
import { MAX_STEPS_TOLD, workDone } from '../../core/agent/runs/work-done';
import type { AgentStore } from '../../core/ports/agent-store';
import type { JsonObject } from '../../protocol/json';
import type { AgentDeps } from '../agent-deps';
import { pause } from '../environment';
import { bringToParent } from '../files/bring-enclosures';
import { FLUSHED_AGAIN_MS, type StopAnswer } from '../final-flush';
import type { WorkingAgent } from '../perform/performer';
import type { RootLink } from '../root-link';

interface DeliveringAgent extends WorkingAgent {
  readonly deps: Pick<AgentDeps, 'kept' | 'askFiles'> & { readonly store: Pick<AgentStore, 'steps'> };
  readonly link: Pick<RootLink, 'ask' | 'sink'>;
  /** The parent that has stopped it and waits for its end. */
  readonly stopAnswer: StopAnswer;
}

/** Tells how the run has ended, until the parent has taken it. */
export async function deliverOutcome(
  agent: DeliveringAgent,
  { runId, outcome, task }: Extract<Effect, { kind: 'deliver_outcome' }>,
): Promise<void> {
  const { state, link, stopAnswer, environment } = agent;
  const done = outcome.status === 'completed' ? undefined : doneBy(agent);
  const mail = mailFacts(state);
  // Where there is nothing to bring, all this is in the turn of the stop that it ended by, which is answered with it.
  const bringing = bringToParent(agent);
  const brought = bringing && (await bringing);
  const delivery = {
    type: 'child_settled',
    task,
    outcome,
    usage: state.spent,
    runId,
    ...(done ? { done } : {}),
    ...(mail ? { mail } : {}),
    ...(brought ? { brought } : {}),
  } as const;
  const flush = stopAnswer.isAwaited ? link.sink.finalFlush?.(delivery) : undefined;
  stopAnswer.give(flush);
  if (flush) await pause(environment, FLUSHED_AGAIN_MS);
  // What was flushed goes along: one request is the acknowledgement of both.
  await link.ask({ deliver: [delivery] });
  agent.apply({ type: 'outcome_acknowledged', at: environment.now(), runId });
}

/** What was done by the end of the run, and of those that it goes on with. */
function doneBy({ state: { step, run }, deps }: DeliveringAgent): JsonObject | undefined {
  if (step === undefined || run === undefined) return undefined;
  const before =
    step.id > 1 ? deps.store.steps({ after: Math.max(0, step.id - MAX_STEPS_TOLD), upTo: step.id - 1 }) : [];
  return workDone([...before, step].filter(({ turn }) => turn >= run.lineage.chainTurn));
}

/** Tells whether the run waits for a person, and its word on how far it is; `signal` aborts when that has changed. */
export async function deliverWait(
  agent: DeliveringAgent,
  { runId, task, waits, word }: Extract<Effect, { kind: 'deliver_wait' }>,
  signal: AbortSignal,
): Promise<void> {
  const says = word === undefined ? {} : { says: word.text };
  await agent.link.ask({ deliver: [{ type: 'child_waits', task, runId, waits, ...says }] });
  // It has changed since, and the parent is told so after this.
  if (signal.aborted) return;
  const known = word === undefined ? {} : { word: word.number };
  agent.apply({ type: 'wait_acknowledged', at: agent.environment.now(), runId, waits, ...known });
}
