/**
 * The run machine: taking a run, taking up one that was interrupted (decision 12), and the one end of each.
 *
 * RN6. A run is taken only when no other is active; nothing begins on a terminated session.
 * RN4. Every run ends with exactly one end chunk. Every call of its last step is settled by then, unless it was
 *     interrupted: then its open calls belong to the run that resumes it, or are closed by the start that comes instead.
 */

import type { ChunkBody } from '../../protocol/chunks';
import { failure } from '../../protocol/errors';
import type { Json } from '../../protocol/json';
import { settleCall, unrunFacts } from './call';
import { resumeChildren } from './cascade';
import type { TaskKey } from './child';
import type { Draft } from './draft';
import { oweHook, oweLastHook, withoutHooks } from './hooks';
import type { Rules } from './rules';
import { type ActiveRun, currentStep, type Outcome, openCalls, type RepliedStep, type Run, type Step } from './state';

/** A run that has ended. */
export type EndedRun = Extract<Run, { phase: 'ended' }>;

interface NextRun {
  readonly runId: string;
  readonly at: number;
  readonly actor?: string;
  /** The task that the parent means; that of the run before it, where it goes on with one. */
  readonly task?: TaskKey;
}

const askedBy = (actor: string | undefined): { actor?: string } => (actor === undefined ? {} : { actor });

/** Takes a run with a budget of its own. `tries` is the failed run that it tries again. */
export function startRun(
  draft: Draft,
  { runId, at, actor, task: given }: NextRun,
  rules: Rules,
  facts: { input?: Json; tries?: EndedRun } = {},
): void {
  const turn = (draft.state.run?.turn ?? 0) + 1;
  const resumedFrom = facts.tries ? { resumedFrom: facts.tries.runId } : {};
  const asked = askedBy(actor);
  const task = given ?? facts.tries?.task;
  draft.setRun({
    phase: 'active',
    runId,
    epoch: 1,
    turn,
    startedAt: at,
    chainTurn: turn,
    usageAtChainStart: draft.state.spent,
    ...resumedFrom,
    ...asked,
    ...(task ? { task, knownToParent: 'working' as const } : {}),
  });
  const input = facts.input === undefined ? {} : { input: facts.input };
  draft.emit({ type: 'run_started', turn, chainTurn: turn, ...input, ...resumedFrom });
  oweHook(draft, rules, 'onAgentStart', input);
}

/** Takes a run that goes on where an interrupted one stopped, with its step, its calls and its budget. */
export function resumeRun(
  draft: Draft,
  ended: EndedRun,
  { runId, at, actor, task = ended.task }: NextRun,
  rules: Rules,
): void {
  const step = currentStep(draft.state);
  const turn = ended.turn + 1;
  const resumedFrom = ended.runId;
  const { chainTurn, usageAtChainStart, committedStep } = ended;
  // Its calls keep their ids, so what a body of the old run still does must have an older epoch.
  const epoch = ended.epoch + 1;
  const closed = committedStep === undefined ? {} : { committedStep };
  const asked = askedBy(actor ?? ended.actor);
  draft.setRun({
    phase: 'active',
    runId,
    epoch,
    turn,
    startedAt: at,
    chainTurn,
    usageAtChainStart,
    ...closed,
    resumedFrom,
    ...asked,
    ...(task ? { task, knownToParent: 'working' as const } : {}),
  });
  if (step) draft.setStep(rehomed(step, turn, at));
  draft.emit({ type: 'run_started', turn, chainTurn, resumedFrom });
  if (step?.phase === 'model') draft.emit({ type: 'step_discarded', reason: 'interrupted' }, step);
  oweHook(draft, rules, 'onAgentStart');
  if (step?.phase === 'model') oweHook(draft, rules, 'onStepStart');
}

/** Takes a run that tries a failed one again: a question that failed is asked again (RS3). */
export function retryRun(draft: Draft, failed: EndedRun, next: NextRun, rules: Rules): void {
  const step = currentStep(draft.state);
  startRun(draft, next, rules, { tries: failed });
  if (step?.phase !== 'model') return;
  draft.setStep({ ...rehomed(step, failed.turn + 1, next.at), number: 1, failures: [] });
  draft.emit({ type: 'step_discarded', reason: 'retried' }, step);
  oweHook(draft, rules, 'onStepStart');
}

/** The step as the run of another turn has it: a question that was open is asked again. */
function rehomed(step: Step, turn: number, at: number): Step {
  const facts = { turn, recoveries: 0 };
  if (step.phase === 'calls') return { ...step, ...facts };
  return { ...step, ...facts, attempt: step.attempt + 1, notBefore: at };
}

/**
 * Takes a run that begins anew, with a budget of its own. What an interrupted run left open is closed by it; no hook is
 * told of that.
 */
export function startAnew(draft: Draft, next: NextRun, rules: Rules, input?: Json): void {
  const left = currentStep(draft.state);
  startRun(draft, next, rules, input === undefined ? {} : { input });
  if (left?.phase === 'calls') closeLeftovers(draft, left, { ...rules, hooks: new Set() }, next.at);
  // Those that work for nobody's step go on with their parent.
  resumeChildren(draft);
}

function closeLeftovers(draft: Draft, left: RepliedStep, rules: Rules, at: number): void {
  let step = left;
  for (const call of openCalls(step)) {
    const error = failure('superseded', 'The run was interrupted, and another one was begun in its place.');
    const facts = { at, startedAt: step.repliedAt, ...unrunFacts(call) };
    step = settleCall(draft, step, call, { success: false, error }, facts, rules);
  }
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

/** Ends a run, once (RN4). */
export function endRun(draft: Draft, run: ActiveRun, outcome: Outcome, at: number): void {
  const { stop: _stop, knownToParent: _known, ...facts } = withoutHooks(run);
  const acknowledged = run.task === undefined;
  draft.setRun({ ...facts, phase: 'ended', endedAt: at, outcome, acknowledged });
  if (outcome.status === 'completed') draft.emit({ type: 'output', output: outcome.output });
  draft.emit(endChunk(outcome));
}

/** Ends a run, after its last hook where it has one. */
export function finish(draft: Draft, run: ActiveRun, outcome: Outcome, at: number, rules: Rules): void {
  if (!oweLastHook(draft, rules, run, outcome)) endRun(draft, run, outcome, at);
}
