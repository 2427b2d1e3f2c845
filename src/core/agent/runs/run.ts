/**
 * The run machine: taking a run, taking up one that was interrupted (decision 12), and the one end of each.
 *
 * Decides: when a run may begin; how a run ends; what a run leaves to the one that resumes it: which budget of steps,
 * tokens and cost a resume, a retry and a start have.
 *
 * RN7. A resume or another try that names no trace continues in that of the run before it.
 * RN6. A run is taken only when no other is active; nothing begins on a terminated session.
 * RN4. Every run ends with exactly one end chunk. Every call of its last step is settled by then, unless it was
 *     interrupted: then its open calls belong to the run that resumes it, or are closed by the start that comes instead.
 */

import type { ChunkBody } from '../../../protocol/chunks';
import { failure } from '../../../protocol/errors';
import type { Json } from '../../../protocol/json';
import { settleCall, unrunFacts } from '../calls/call';
import { givenStill } from '../calls/enclosures';
import { resumeChildren } from '../children/cascade';
import type { TaskKey } from '../children/child';
import type { Draft } from '../draft';
import { oweHook, oweLastHook, withoutHooks } from '../hooks/hooks';
import type { Rules } from '../rules';
import { type ActiveRun, currentStep, type Outcome, openCalls, type RepliedStep, type Run, type Step } from '../state';
import { firstTryOf, type Lineage, type RunCaller } from './lineage';

/** A run that has ended. */
export type EndedRun = Extract<Run, { phase: 'ended' }>;

interface NextRun extends RunCaller {
  readonly runId: string;
  readonly at: number;
  /** The task that the parent means; that of the run before it, where it goes on with one. */
  readonly task?: TaskKey;
}

/** The caller of a run. What a start leaves out is as for the run before. */
function askedBy(next: RunCaller, before: RunCaller = {}): Pick<Run, 'caller'> {
  const { actor = before.actor, traceparent = before.traceparent } = next;
  const caller = { ...(actor === undefined ? {} : { actor }), ...(traceparent === undefined ? {} : { traceparent }) };
  return Object.keys(caller).length === 0 ? {} : { caller };
}

/** The trace of a run, as its first chunk has it. */
const traceOf = ({ caller }: Pick<Run, 'caller'>): RunCaller =>
  caller?.traceparent === undefined ? {} : { traceparent: caller.traceparent };

const mailOf = (before: Run | undefined): Pick<Run, 'mailTaken'> =>
  before?.mailTaken === undefined ? {} : { mailTaken: before.mailTaken };

/** The first try of a run that has just failed, for the run that tries it again: a question that failed has no reply. */
function firstTryFor({ lineage }: EndedRun, step: Step | undefined): NonNullable<Lineage['firstTry']> {
  const { turn, replies } = firstTryOf(lineage);
  const { phase, number } = step ?? { phase: 'model', number: 1 };
  return { turn, replies: replies + (phase === 'calls' ? number : number - 1) };
}

/** What a run gives, the one that goes on with it gives too. */
const givesOf = ({ gives = [] }: Pick<Run, 'gives'> = {}): Pick<Run, 'gives'> => (gives.length > 0 ? { gives } : {});

/** The same of one that tries a run again. */
const givesStill = ({ gives = [] }: Pick<Run, 'gives'> = {}): Pick<Run, 'gives'> =>
  givesOf({ gives: givenStill(gives) });

/** Takes a run with a budget of its own. `tries` is the failed run that it tries again. */
export function startRun(
  draft: Draft,
  next: NextRun,
  rules: Rules,
  facts: { input?: Json; tries?: EndedRun } = {},
): void {
  const { runId, at, task: given } = next;
  const { tries } = facts;
  const before = draft.state.run;
  const turn = (before?.turn ?? 0) + 1;
  // Another try is in the trace of the first; who asked for that one asked for no other.
  const asked = askedBy(next, tries && traceOf(tries));
  const task = given ?? tries?.task;
  const resumedFrom = tries ? { resumedFrom: tries.runId } : {};
  const askedAfter = tries ? tries.lineage.askedAfter : (draft.state.step?.messagesUpTo ?? 0);
  draft.setRun({
    phase: 'active',
    runId,
    epoch: 1,
    turn,
    startedAt: at,
    lineage: {
      chainTurn: turn,
      chainRunId: runId,
      usageAtChainStart: draft.state.spent,
      ...(askedAfter === undefined ? {} : { askedAfter }),
      ...resumedFrom,
      ...(tries ? { firstTry: firstTryFor(tries, currentStep(draft.state)) } : {}),
    },
    ...asked,
    ...(task ? { task, knownToParent: 'working' as const } : {}),
    ...mailOf(before),
    // Another try begins with the side whose turn it was.
    ...(tries?.sides ? { sides: { ...tries.sides, turns: 0 } } : {}),
    ...givesStill(tries),
  });
  const input = facts.input === undefined ? {} : { input: facts.input };
  if (before === undefined) oweHook(draft, rules, 'after_thread_created');
  draft.emit({ type: 'run_started', turn, chainTurn: turn, ...input, ...resumedFrom, ...traceOf(asked) });
  oweHook(draft, rules, 'onAgentStart', input);
  tellMade(draft, rules, before);
}

/** The hooks of a run are told of the children that were made since the one before it had ended. */
function tellMade(draft: Draft, rules: Rules, before: Run | undefined): void {
  for (const about of before?.madeSince ?? []) oweHook(draft, rules, 'after_subagent_created', about);
}

/** Takes a run that goes on where an interrupted one stopped, with its step, its calls and its budget. */
export function resumeRun(draft: Draft, ended: EndedRun, next: NextRun, rules: Rules): void {
  const { runId, at, task = ended.task } = next;
  const step = currentStep(draft.state);
  const turn = ended.turn + 1;
  const lineage = { ...ended.lineage, usageAtStart: draft.state.spent, resumedFrom: ended.runId };
  const { chainTurn, resumedFrom } = lineage;
  // Its calls keep their ids, so what a body of the old run still does must have an older epoch.
  const epoch = ended.epoch + 1;
  const asked = askedBy(next, ended.caller);
  draft.setRun({
    phase: 'active',
    runId,
    epoch,
    turn,
    startedAt: at,
    lineage,
    ...(ended.closing ? { closing: ended.closing } : {}),
    ...asked,
    ...(task ? { task, knownToParent: 'working' as const } : {}),
    ...mailOf(ended),
    ...(ended.sides ? { sides: ended.sides } : {}),
    ...givesOf(ended),
  });
  if (step) draft.setStep(rehomed(step, turn, at));
  draft.emit({ type: 'run_started', turn, chainTurn, resumedFrom, ...traceOf(asked) });
  if (step?.phase === 'model') draft.emit({ type: 'step_discarded', reason: 'interrupted' }, step);
  oweHook(draft, rules, 'onAgentStart');
  tellMade(draft, rules, ended);
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
  // Its provider may have patience again.
  const { refusals: _refusals, unasked: _unasked, ...asking } = step;
  return { ...asking, ...facts, attempt: step.attempt + 1, notBefore: at };
}

/**
 * Takes a run that begins anew, with a budget of its own. What an interrupted run left open is closed by it; no hook is
 * told of that.
 */
export function startAnew(draft: Draft, next: NextRun, rules: Rules, input?: Json): void {
  const left = currentStep(draft.state);
  startRun(draft, next, rules, input === undefined ? {} : { input });
  if (left?.phase === 'calls') closeLeftovers(draft, left, { ...rules, hooks: new Map() }, next.at);
  // Those that work for nobody's step go on with their parent.
  resumeChildren(draft);
}

function closeLeftovers(draft: Draft, left: RepliedStep, rules: Rules, at: number): void {
  let step = left;
  for (const call of openCalls(step)) {
    const error = failure('superseded', 'The run was interrupted, and another one began in its place.');
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
  const { stop: _stop, knownToParent: _known, word: _word, ...facts } = withoutHooks(run);
  const acknowledged = run.task === undefined;
  const steps = currentStep(draft.state)?.number ?? 0;
  draft.setRun({ ...facts, phase: 'ended', endedAt: at, steps, outcome, acknowledged });
  if (outcome.status === 'completed') draft.emit({ type: 'output', output: outcome.output });
  draft.emit(endChunk(outcome));
}

/** Ends a run, after its last hook where it has one. */
export function endAfterHooks(draft: Draft, run: ActiveRun, outcome: Outcome, at: number, rules: Rules): void {
  if (!oweLastHook(draft, rules, run, outcome)) endRun(draft, run, outcome, at);
}
