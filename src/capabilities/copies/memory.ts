/**
 * A copy of an agent, row by row: what the first transaction in the copy makes of the memory that it was given.
 *
 * Decides: what a copy keeps and what it leaves behind.
 *
 * CP27. It shares no id with the original: session, runs, calls and messages are named anew.
 * CP3. Work in progress does not continue in it: its last run has ended, and each call has its one result.
 * CP4. It has spent nothing yet: the original alone reports what it spent.
 * - Whatever waits to be sent, answered or repeated is not among its rows at all: the store drops those (`inherit`).
 */

import type { Child } from '../../core/agent/children/child';
import { customAt } from '../../core/agent/custom-state';
import type { InboundMessage } from '../../core/agent/inbound';
import type { Lineage } from '../../core/agent/runs/lineage';
import type { ActingSide, Call, CallPlan, CustomBefore, Run, Session, Step } from '../../core/agent/state';
import type { Inheritance, MemoryEnd } from '../../core/ports/agent-store';
import { type Failure, failure } from '../../protocol/errors';
import { childRunId, mintId, runNumberOf } from '../../protocol/ids';
import type { CallResult } from '../../protocol/messages';
import { NO_USAGE } from '../../protocol/usage';

/** The id of a checkpoint: the session, and the number of the step. */
export const CHECKPOINT = /^(s_[A-Za-z0-9_]+)\.([1-9][0-9]{0,8})$/;

/** What a copy is made with. */
export interface CopyFacts {
  /** That of the copy. */
  readonly session: Session;
  /** The session that it was. */
  readonly original: string;
  /** Randomness for the ids of its memory. */
  readonly token: string;
  /** ms since 1970. */
  readonly at: number;
  /** The step that it remembers last, and what of that there was then: all where it is missing. */
  readonly cut?: Cut;
  /** Its children, as it has them. */
  readonly children?: readonly Child[];
}

/** The end of a memory that continues behind it. */
export interface Cut extends MemoryEnd {
  /** The run of that step had further ones, or had not ended. */
  readonly inRun: boolean;
  /** With `inRun`, of an agent with two sides: whose turn it was in that step. */
  readonly sides?: ActingSide;
  /** The calls of that step which awaited children that had not ended, by index. */
  readonly open?: readonly number[];
}

/** What it takes to say where a memory is cut. */
export interface CutFacts {
  readonly step?: Step;
  readonly next?: Step;
  readonly session: Session;
  readonly before?: CustomBefore;
}

/** The step that a checkpoint of a session means; undefined for one that is not of this session. */
export function checkpointOf({ sessionId }: Pick<Session, 'sessionId'>, checkpoint: string): number | undefined {
  const [, session, step] = CHECKPOINT.exec(checkpoint) ?? [];
  return session === sessionId ? Number(step) : undefined;
}

/**
 * Where a memory is cut at a checkpoint, from the step that is named, the one behind it if there is one, the session, and
 * the first custom state that is kept behind that step; or why it cannot be cut there.
 */
export function cutAt(wanted: number, { step, next, session, before }: CutFacts): Cut | Failure {
  if (step?.id !== wanted || !isCommitted(step))
    return failure('not_found', `There is no checkpoint at step ${wanted}: that step is not committed.`);
  const state = customAt(session, wanted, before);
  const cut = { step: wanted, turn: step.turn, message: step.messagesUpTo, inRun: next?.turn === step.turn };
  return state === 'as_now' ? cut : { ...cut, state };
}

/** Whether each call of a step has its result, and none because a newer run took the place of the step's. */
function isCommitted(step: Step): boolean {
  if (step.phase !== 'calls') return false;
  return step.calls.every(
    ({ settled }) => settled && (settled.result.success || settled.result.error.code !== 'superseded'),
  );
}

/** The memory of an original, as its copy takes it over. */
export function inheritanceOf(facts: CopyFacts): Inheritance {
  const { session, children, cut } = facts;
  return {
    session,
    ...(children ? { children } : {}),
    ...(cut ? { end: cut } : {}),
    run: (run) => copiedRun(run, facts),
    step: (step) => copiedStep(step, facts),
    message: (message) => copiedMessage(message, facts),
  };
}

/** A run as the copy remembers it: ended, and nobody's task. */
export function copiedRun(run: Run, facts: CopyFacts): Run {
  const { at } = facts;
  const { turn, startedAt, caller } = run;
  const isCut = facts.cut?.inRun === true && facts.cut.turn === turn;
  const kept = {
    runId: runIdIn(run.runId, facts),
    epoch: run.epoch + 1,
    turn,
    startedAt,
    lineage: lineageIn(run.lineage, facts),
    // The run that continues it closes no part of a step again.
    ...(isCut || !run.closing ? {} : { closing: run.closing }),
    // The trace is that of the original's caller.
    ...(caller?.actor === undefined ? {} : { caller: { actor: caller.actor } }),
    phase: 'ended' as const,
    acknowledged: true,
  };
  if (run.phase === 'ended' && !isCut) {
    const { endedAt, outcome, steps } = run;
    return { ...kept, ...sidesOf(run), endedAt, ...(steps === undefined ? {} : { steps }), outcome };
  }
  const reason = 'The run belongs to the agent that was copied.';
  const sides = sidesOf(isCut ? (facts.cut ?? {}) : run);
  return { ...kept, ...sides, endedAt: at, outcome: { status: 'interrupted', reason, superseded: true } };
}

/** The lineage of a run, with the copy's ids and without usage: a copy has spent nothing. */
function lineageIn(lineage: Lineage, facts: CopyFacts): Lineage {
  const { chainRunId, resumedFrom, usageAtStart } = lineage;
  return {
    ...lineage,
    chainRunId: runIdIn(chainRunId, facts),
    usageAtChainStart: NO_USAGE,
    ...(usageAtStart === undefined ? {} : { usageAtStart: NO_USAGE }),
    ...(resumedFrom === undefined ? {} : { resumedFrom: runIdIn(resumedFrom, facts) }),
  };
}

/** The side whose turn it is, which a run continues with. */
const sidesOf = ({ sides }: Pick<Run, 'sides'>): Pick<Run, 'sides'> => (sides ? { sides } : {});

/** Runs of a child are counted over its session; those of a root have other ids. */
function runIdIn(runId: string, { original, session, token }: CopyFacts): string {
  const number = runNumberOf(original, runId);
  return number > 0 ? childRunId(session.sessionId, number) : `${mintId('run', token)}_${runId.slice('r_'.length)}`;
}

/** A step as the copy remembers it, with a result for each call. */
export function copiedStep(step: Step, facts: CopyFacts): Step {
  const token = `${facts.token}_s${step.id.toString(36)}`;
  const kept = { ...asCut(step, facts), token, spent: NO_USAGE };
  if (kept.phase === 'model') return kept;
  return { ...kept, calls: kept.calls.map((call) => copiedCall(call, token, facts)) };
}

/** The last step of a memory as it was when that was cut, without later calls and results. */
function asCut(step: Step, { cut }: CopyFacts): Step {
  if (step.id !== cut?.step || step.phase === 'model') return step;
  const { unanswered, open = [], message } = cut;
  if (unanswered) {
    const { reply: _reply, model: _model, responseId: _response, finishReason: _reason, ...rest } = step;
    const { usage: _usage, repliedAt: _at, calls: _calls, notes: _notes, ...asked } = rest;
    return { ...asked, phase: 'model', messagesUpTo: Math.min(asked.messagesUpTo, message), notBefore: 0 };
  }
  if (open.length === 0) return step;
  const calls = step.calls.map((call): Call => {
    const { settled: _settled, ...unsettled } = call;
    return open.includes(call.index) ? unsettled : call;
  });
  return { ...step, calls };
}

const NOT_ITS_OWN: CallResult = {
  success: false,
  error: failure('interrupted', 'The call was in progress in the agent that was copied, and has its result there.'),
};

function copiedCall(call: Call, token: string, { at }: CopyFacts): Call {
  const { state: _state, settled, ...facts } = call;
  const callId = mintId('call', token, call.index);
  const { usage: _usage, ...known } = settled ?? { result: NOT_ITS_OWN, at, startedAt: at };
  return { ...facts, callId, plan: copiedPlan(call.plan), settled: known };
}

/** Who worked on a call is a sub-agent of the original. */
function copiedPlan(plan: CallPlan): CallPlan {
  return plan.kind === 'task' ? { kind: 'task', awaits: { tasks: [], need: 0 } } : plan;
}

/** A message as the copy remembers it. */
export function copiedMessage(message: InboundMessage, { token }: CopyFacts): InboundMessage {
  return { ...message, messageId: mintId('message', token, message.id) };
}

/** True where the copy can continue the run that it remembers last: in the original it had not ended, or was interrupted. */
export function goesOn(run: Run, cut: Cut | undefined): boolean {
  if (cut?.inRun === true && cut.turn === run.turn) return true;
  return run.phase === 'active' || run.outcome.status === 'interrupted';
}
