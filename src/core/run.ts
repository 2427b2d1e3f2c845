/**
 * The run machine: taking a run, and its one end.
 *
 * RN1. A run is taken only when no other is active.
 * RN2. Every run ends with exactly one end chunk, and with every call of its last step settled.
 */
import type { Transition } from './changes';
import type { ChunkBody } from './chunks';
import { acceptMessage } from './delivery';
import { type Draft, refuse } from './draft';
import { type ErrorCode, failure } from './errors';
import type { AgentEvent } from './events';
import type { Json } from './json';
import type { Rules } from './rules';
import type { ActiveRun, Outcome } from './state';

type Event<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>;

/** Why a new turn cannot begin now, if it cannot (RN1). */
function whyNotStart(draft: Draft): ErrorCode | undefined {
  const { run } = draft.state;
  if (run?.phase === 'active') return 'already_running';
  if (run?.phase === 'ended' && run.outcome.status === 'terminated') return 'terminated';
  return undefined;
}

function takeRun(draft: Draft, event: { runId: string; at: number }, input?: Json): void {
  const turn = (draft.state.run?.turn ?? 0) + 1;
  draft.setRun({ phase: 'active', runId: event.runId, epoch: 1, turn, startedAt: event.at });
  draft.emit({ type: 'run_started', turn, ...(input === undefined ? {} : { input }) });
}

/** A new turn with its messages. */
export function onStart(draft: Draft, event: Event<'start'>): Transition {
  const refusal = whyNotStart(draft);
  if (refusal) return refuse(refusal);
  if (event.custom !== undefined) {
    draft.state = { ...draft.state, custom: event.custom };
    draft.put({ put: 'custom', custom: event.custom });
  }
  if (event.names !== undefined) {
    draft.state = { ...draft.state, session: { ...draft.state.session, ...event.names } };
    draft.put({ put: 'session', session: draft.state.session });
  }
  takeRun(draft, event, event.input);
  for (const message of event.messages) acceptMessage(draft, message, event.at);
  return draft.done();
}

/** A message for the next step, or the first of a new turn. */
export function onSend(draft: Draft, event: Event<'send'>, { limits }: Rules): Transition {
  const refusal = whyNotStart(draft);
  if (refusal === 'terminated') return refuse(refusal);
  // A message to an agent at rest begins a turn, which sees all that waits.
  if (refusal !== undefined && draft.state.inbox.length >= limits.maxInbox) {
    return refuse(
      'inbox_full',
      `${limits.maxInbox} messages wait for the agent's next step. Send again when it has seen them.`,
    );
  }
  if (refusal === undefined) takeRun(draft, event);
  else draft.emit({ type: 'message_queued', messageId: event.message.messageId, from: event.message.from });
  acceptMessage(draft, event.message, event.at);
  return draft.done();
}

function endChunk(outcome: Outcome): ChunkBody {
  switch (outcome.status) {
    case 'completed':
      return { type: 'run_completed', output: outcome.output };
    case 'failed':
      return outcome.failureReason === undefined
        ? { type: 'run_failed', error: outcome.error }
        : { type: 'run_failed', error: outcome.error, failureReason: outcome.failureReason };
    case 'interrupted':
      return { type: 'run_interrupted', reason: outcome.reason };
    case 'terminated':
      return { type: 'run_terminated', reason: outcome.reason };
  }
}

/** Ends a run, once. Its calls are settled before (RN2). */
export function endRun(draft: Draft, run: ActiveRun, outcome: Outcome, at: number): void {
  const { stop: _stop, ...facts } = run;
  const told = draft.state.session.parent === undefined;
  draft.setRun({ ...facts, phase: 'ended', endedAt: at, outcome, told });
  if (outcome.status === 'completed') draft.emit({ type: 'output', output: outcome.output });
  draft.emit(endChunk(outcome));
}

/** How a run ends that was stopped. */
export function stopOutcome(stop: NonNullable<ActiveRun['stop']>): Outcome {
  if (stop.verb === 'terminate') return { status: 'terminated', reason: stop.reason };
  return {
    status: 'failed',
    error: stop.error ?? failure('aborted', stop.reason),
    failureReason: stop.error?.code ?? 'aborted',
  };
}
