/**
 * What is asked of an agent that lives elsewhere at its address here. How it stands is known here; what it has done and
 * kept it is asked for there, with the right of the way that leads there.
 *
 * Keeps RM13, RM26, RM27.
 */

import { nothingToStop } from '../../core/agent/controls';
import { STOP_VERBS, type StopVerb } from '../../core/agent/stop-verb';
import { transportOf } from '../../core/definition/elsewhere';
import type { RemoteRefusal } from '../../core/definition/remote-transport';
import { localDocument, remoteId } from '../../core/tree/remote/ids';
import { failureFrom, type RemoteRun, withStop } from '../../core/tree/remote-run';
import { ERROR_CODES, type Failure, failure, failureOf, isErrorCode, shownFailure } from '../../protocol/errors';
import { isObject, type JsonLike, toJson } from '../../protocol/json';
import type { RemoteParent } from '../children-elsewhere';
import type { VerbAnswer, VerbCall } from '../object-calls';
import { checkedAnswer } from './checked-answer';
import type { RemoteRunner } from './runner';

/** The verbs that an agent elsewhere answers itself when it is asked here. */
const PASSED_ON = [
  'submit',
  'send',
  'state',
  'audit',
  'checkpoints',
  'calls',
  'logs',
  'usage',
  'messages',
  'runs',
  'limits',
];

const no = (error: Failure): VerbAnswer => ({ ok: false, error });

/** Answers a verb for an agent that lives elsewhere. */
export async function askedHere(parent: RemoteParent, runner: RemoteRunner, call: VerbCall): Promise<VerbAnswer> {
  const { run } = runner;
  // Those below it are agents of its own tree, and have addresses there alone.
  if (call.path.length > 0 || !(PASSED_ON.includes(call.verb) || call.verb === 'status' || isStop(call.verb)))
    return no(failure('lives_elsewhere'));
  if (call.verb === 'status') return { ok: true, body: standing(run) };
  if (isStop(call.verb)) return stopped(runner, call.verb, call.input, parent.environment.now());
  if (call.verb === 'send' && run.outcome) return no(failure('owned_by_parent'));
  const body = toJson(call.input);
  if (!body.ok) return no(failure('invalid_request', body.problem));
  const given = isObject(body.json) ? body.json : {};
  // A message that comes too late would begin a turn there that nobody here knows of.
  const fence = call.verb === 'send' ? { runId: run.theirs?.chainRunId ?? '-' } : {};
  const toolCallId = call.verb === 'submit' ? remoteId(run, String(given.toolCallId)) : '';
  if (toolCallId === undefined) return no(failure('unknown_tool_call'));
  const meant = call.verb === 'submit' ? { toolCallId } : {};
  try {
    const there = parent.agentBy(run.way);
    const transport = there && transportOf(there, parent.environment.bindings);
    if (transport === undefined) return no(failure('subagent_lost', 'Its transport is gone.'));
    const { idempotencyKey, caller: subject, traceparent } = call;
    const answer = await checkedAnswer(transport, {
      verb: call.verb,
      agent: { addressClass: run.addressClass, name: run.name },
      body: { ...given, ...fence, ...meant },
      ...{ idempotencyKey, subject, traceparent },
      signal: new AbortController().signal,
    });
    if (!answer.ok) return no(refusedThere(answer));
    if (call.verb === 'submit') runner.answered();
    const document = localDocument(run, answer.body);
    return { ok: true, body: call.verb === 'messages' ? withNumber(document, run) : document };
  } catch (error) {
    return no(failure('unavailable', notReached(run, call.verb, failureOf(error).message)));
  }
}

/** Nothing of what is passed on is kept here, so whoever has sent it is told to send it again. */
function notReached({ addressClass, name }: RemoteRun, verb: string, why: string): string {
  const sends = verb === 'submit' || verb === 'send';
  const kept = sends ? ' Your request was not stored: send it again' : ' Try again';
  return `The remote agent /agents/${addressClass}/${name} could not be reached: ${why}${kept} in a moment.`;
}

/** What was refused there, as a refusal here. */
function refusedThere({ code, title, detail, details }: RemoteRefusal): Failure {
  const said = detail ?? title;
  if (!isErrorCode(code)) return failureFrom(code, said);
  // It is not whoever asks here that lacks a right there.
  if (ERROR_CODES[code].category === 'access')
    return failure('lives_elsewhere', `The transport lacks the right to that: ${said}`);
  return failure(code, said, undefined, details);
}

/** A page of its messages, with the number of its last chunk here, and the step that is not in them as a whole. */
function withNumber(body: JsonLike, { last, runId, step, outcome }: RemoteRun): JsonLike {
  const open = outcome ? {} : { open: { runId, step } };
  return isObject(body) ? { ...body, number: last, ...open } : body;
}

const isStop = (verb: string): verb is StopVerb => STOP_VERBS.some((stop) => stop === verb);

/** A person stops it here: it is told so there, and ends by itself. */
function stopped(runner: RemoteRunner, verb: StopVerb, input: JsonLike, now: number): VerbAnswer {
  const { run } = runner;
  const { runId, reason }: { runId?: JsonLike; reason?: JsonLike } = isObject(input) ? input : {};
  if (runId !== undefined && runId !== run.runId)
    return no(failure('run_superseded', 'That agent has no such run; read its status.'));
  const body = { runId: run.runId, status: run.status };
  if (run.outcome) return { ok: true, status: 200, body };
  runner.change(withStop(run, verb, typeof reason === 'string' ? reason : `A person has said ${verb}.`, now));
  return { ok: true, status: 202, body };
}

/** What the child says of how it stands, as an agent here would. */
function standing({ task, runId, startedAt, step, status, outcome, usage, traceparent }: RemoteRun): JsonLike {
  const error = outcome?.status === 'failed' ? { error: shownFailure(outcome.error) } : {};
  const output = outcome?.status === 'completed' ? { output: outcome.output } : {};
  const reason = outcome && 'reason' in outcome ? { reason: outcome.reason } : {};
  const trace = traceparent === undefined ? {} : { traceparent };
  const chain = { epoch: 1, turn: task.task, chainTurn: task.task, chainRunId: runId, resumes: 0 };
  return {
    tags: [],
    run: { runId, ...chain, status, startedAt, step, ...trace, ...output, ...error, ...reason },
    usage,
    controls: controlsOf(outcome !== undefined),
  };
}

/** What it takes itself now; what lets it go on once it rests is its parent's to say. */
function controlsOf(ended: boolean): JsonLike {
  const stop = ended ? nothingToStop() : true;
  const goesOn = failure(ended ? 'owned_by_parent' : 'already_running');
  return {
    ...{ start: failure('owned_by_parent'), send: !ended || failure('owned_by_parent'), resume: goesOn, retry: goesOn },
    ...{ interrupt: stop, abort: stop, terminate: stop },
  };
}
