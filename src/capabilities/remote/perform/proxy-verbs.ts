/**
 * The verbs at the local address of a remote agent. Its status is known here; what it has done and kept it is asked for on
 * the other side, with the right of its transport.
 *
 * Keeps A82, RM13, RM26, RM27, RM37, RM90, RM93, RM94.
 */

import { nothingToStop, type OwnControls } from '../../../core/agent/controls';
import { STOP_VERBS, type StopVerb } from '../../../core/agent/runs/stop-verb';
import { transportOf } from '../../../core/definition/children/elsewhere';
import type { RemoteRefusal } from '../../../core/definition/remote-transport';
import type { RemoteParent } from '../../../engine/children/children-elsewhere';
import type { VerbAnswer, VerbCall } from '../../../engine/object/object-calls';
import {
  codeFacts,
  ERROR_CODES,
  type Failure,
  failure,
  failureOf,
  isErrorCode,
  shownFailure,
} from '../../../protocol/errors';
import { mintId } from '../../../protocol/ids';
import { isObject, type JsonLike, type JsonObject, toJson } from '../../../protocol/json';
import { sendAccepted } from '../../../protocol/wire/requests';
import { failureFrom } from '../machine/ends';
import { localDocument, remoteId } from '../machine/ids';
import { chainOf, withStop } from '../machine/run';
import type { PlacedRun } from '../machine/state';
import { checkedAnswer } from './checked-answer';
import { freePassed, keepPassed, type PassedOn, passedBefore } from './passed-on';
import type { RemoteRunner } from './runner';

/** The verbs that an agent elsewhere answers itself when it is asked here. */
const PASSED_ON = ['submit', 'state', 'audit', 'checkpoints', 'calls', 'logs', 'usage', 'messages', 'runs', 'limits'];

const no = (error: Failure): VerbAnswer => ({ ok: false, error });

/** A remote agent that has a place here. */
type Proxy = RemoteRunner & { readonly placed: PlacedRun };

/** Answers a verb for a remote agent. */
export async function answerAtProxy(parent: RemoteParent, runner: Proxy, call: VerbCall): Promise<VerbAnswer> {
  const run = runner.placed;
  // Those below it are agents of its own tree, and have addresses there alone.
  if (call.path.length > 0) return no(failure('lives_elsewhere'));
  if (call.verb === 'status') return { ok: true, body: standing(run) };
  if (isStop(call.verb)) return stopped(runner, call.verb, call.input, parent.environment.now());
  const body = toJson(call.input);
  if (!body.ok) return no(failure('invalid_request', body.problem));
  const given = isObject(body.json) ? body.json : {};
  if (call.verb === 'send') return messageTo(parent, runner, call, given);
  const legal = isOwn(call.verb)
    ? controlsOf(run)[call.verb]
    : PASSED_ON.includes(call.verb) || failure('lives_elsewhere');
  if (legal !== true) return no(legal);
  if (call.verb !== 'submit') return asked(parent, run, call, given);
  const toolCallId = remoteId(run, String(given.toolCallId));
  if (toolCallId === undefined) return no(failure('unknown_tool_call'));
  if (call.isTrial) return triedAnswer(run, given.toolCallId);
  const answer = await asked(parent, run, call, { ...given, toolCallId });
  if (answer.ok) runner.answered();
  return answer;
}

/** The trial of an answer. The other side has no trials: it would take the answer. */
function triedAnswer({ status, held }: PlacedRun, toolCallId: JsonLike | undefined): VerbAnswer {
  if (status === 'interrupted') return no(failure(status, 'The agent was interrupted. Resume it, then answer.'));
  return held.waiting.some((call) => call.toolCallId === toolCallId)
    ? { ok: true, body: { status: 'accepted', relation: 'continues' } }
    : no(failure('late_answer'));
}

/** The answer of the remote server, with local ids. */
async function asked(
  parent: RemoteParent,
  run: PlacedRun,
  call: VerbCall,
  body: JsonObject,
  { subject = call.caller }: Pick<PassedOn, 'subject'> = {},
): Promise<VerbAnswer> {
  try {
    const there = parent.agentBy(run.transport);
    const transport = there && transportOf(there, parent.environment.bindings);
    if (transport === undefined) return no(failure('subagent_lost', 'Its transport is gone.'));
    const { idempotencyKey, traceparent } = call;
    const answer = await checkedAnswer(transport, {
      verb: call.verb,
      agent: { addressClass: run.addressClass, name: run.name },
      body,
      ...{ idempotencyKey, subject, traceparent },
      signal: new AbortController().signal,
    });
    if (!answer.ok) return no(refusedThere(answer));
    const document = localDocument(run, answer.body);
    return { ok: true, body: call.verb === 'messages' ? withNumber(document, run) : document };
  } catch (error) {
    return no(failure('unavailable', notReached(run, call, failureOf(error).message)));
  }
}

const NO_SUCH_RUN = 'That agent has no such run; read its status.';

/**
 * A message of a person. One that was sent on before is asked for again at the run that it was for: that knows whether it
 * was taken, also once it has ended. A message that it refuses is like any other.
 */
async function messageTo(parent: RemoteParent, runner: Proxy, call: VerbCall, given: JsonObject): Promise<VerbAnswer> {
  const before = passedBefore(parent, runner.placed, call);
  if (before === 'other')
    return no(failure('idempotency_conflict', 'This Idempotency-Key was used for another request. Use a new key.'));
  if (before?.answer !== undefined) return { ok: true, body: before.answer };
  if (before && !call.isTrial) {
    const again = await sent(parent, runner.placed, call, given, before);
    if (again.ok || again.error.code !== 'run_superseded') return again;
  }
  const run: PlacedRun | undefined = runner.placed;
  if (run === undefined) return no(failure('not_found'));
  const chainRunId = chainOf(run)?.chainRunId;
  const isAtWork = controlsOf(run).send;
  // A message for one run begins no task.
  if (given.runId !== undefined && (given.runId !== run.runId || isAtWork !== true))
    return no(failure('run_superseded', NO_SUCH_RUN));
  if (given.env !== undefined) return no(failure('owned_by_parent', 'Only a root accepts variables with a message.'));
  if (isAtWork !== true) return no(isAtWork);
  const { token } = parent.environment;
  if (call.isTrial) return { ok: true, body: { messageId: mintId('message', token()), delivery: 'queued' } };
  if (chainRunId === undefined)
    return no(failure('unavailable', 'Its task has not begun on the other side. Send the message again in a moment.'));
  const subject = call.caller === undefined ? {} : { subject: call.caller };
  const said =
    before?.chainRunId === chainRunId
      ? no(failure('run_superseded'))
      : await sent(parent, run, call, given, { chainRunId, ...subject });
  // The end of that run is on its way here: the parent sends the message as the next task (RM52).
  const isLate = !said.ok && said.error.code === 'run_superseded' && given.runId === undefined;
  return isLate ? no(failure('owned_by_parent', 'Its task has ended on the other side.')) : said;
}

/** Refusals after which the message may have been taken before: a right or the agent may be gone since. */
const IN_DOUBT: readonly string[] = ['lives_elsewhere', 'idempotency_conflict', 'not_found', 'gone'];

/** Sends a message on. It names the run: if it came too late, it would begin a turn that this tree does not know. */
async function sent(
  parent: RemoteParent,
  run: PlacedRun,
  call: VerbCall,
  given: JsonObject,
  to: PassedOn,
): Promise<VerbAnswer> {
  keepPassed(parent, run, call, to);
  const said = await asked(parent, run, call, { ...given, runId: to.chainRunId }, to);
  if (said.ok) {
    const { data: answer } = sendAccepted.safeParse(said.body);
    if (answer === undefined) return no(failure('unavailable', notReached(run, call, 'Its answer is invalid.')));
    keepPassed(parent, run, call, { ...to, answer });
    return { ok: true, body: answer };
  }
  const { code } = said.error;
  if (codeFacts(code).status < 500 && !IN_DOUBT.includes(code)) freePassed(parent, run, call);
  return said;
}

/** Nothing of what is passed on is kept here but the keys of messages, so its sender has to repeat it. */
function notReached({ addressClass, name }: PlacedRun, { verb, idempotencyKey }: VerbCall, why: string): string {
  const counts = verb === 'send' && idempotencyKey !== undefined ? ' with the same Idempotency-Key' : '';
  const sends = verb === 'submit' || verb === 'send';
  const again = sends ? ` Your request was not stored: send it again${counts}` : ' Try again';
  return `The remote agent /agents/${addressClass}/${name} could not be reached: ${why}${again} in a moment.`;
}

/** What was refused there, as a refusal here. */
function refusedThere({ code, title, detail, details }: RemoteRefusal): Failure {
  const said = detail ?? title;
  if (!isErrorCode(code)) return failureFrom(code, said);
  // It is not whoever asks here that lacks a right there.
  if (ERROR_CODES[code].category === 'access')
    return failure('lives_elsewhere', `The transport does not have permission for that: ${said}`);
  return failure(code, said, undefined, details);
}

/** A page of its messages, with the number of its last chunk here, and the step that is not in them as a whole. */
function withNumber(body: JsonLike, { last, runId, step, local }: PlacedRun): JsonLike {
  const open = local.is === 'ended' ? {} : { open: { runId, step } };
  return isObject(body) ? { ...body, number: last, ...open } : body;
}

const isStop = (verb: string): verb is StopVerb => STOP_VERBS.some((stop) => stop === verb);

const OWN: readonly string[] = ['start', 'resume', 'retry'];

const isOwn = (verb: string): verb is 'start' | 'resume' | 'retry' => OWN.includes(verb);

/** A person stops it here: its stop is sent there, and it ends by itself. */
function stopped(runner: Proxy, verb: StopVerb, input: JsonLike, now: number): VerbAnswer {
  const run = runner.placed;
  const { runId, reason }: { runId?: JsonLike; reason?: JsonLike } = isObject(input) ? input : {};
  if (runId !== undefined && runId !== run.runId) return no(failure('run_superseded', NO_SUCH_RUN));
  const body = { runId: run.runId, status: run.status };
  if (run.local.is === 'ended') return { ok: true, status: 200, body };
  runner.change(withStop(run, verb, typeof reason === 'string' ? reason : `A person asked to ${verb} it.`, now));
  return { ok: true, status: 202, body };
}

/** The status of the child, as a local agent would give it. */
function standing(run: PlacedRun): JsonLike {
  const { task, runId, startedAt, step, status, local, usage, caller } = run;
  const { traceparent } = caller;
  const outcome = local.is === 'ended' ? local.outcome : undefined;
  const error = outcome?.status === 'failed' ? { error: shownFailure(outcome.error) } : {};
  const output = outcome?.status === 'completed' ? { output: outcome.output } : {};
  const reason = outcome && 'reason' in outcome ? { reason: outcome.reason } : {};
  const trace = traceparent === undefined ? {} : { traceparent };
  const chain = { epoch: 1, turn: task.task, chainTurn: task.task, chainRunId: runId, resumes: 0 };
  return {
    tags: [],
    run: { runId, ...chain, status, startedAt, step, ...trace, ...output, ...error, ...reason },
    usage,
    controls: controlsOf(run),
  };
}

/** What it takes itself now; at rest its parent alone lets it continue. */
function controlsOf({ local }: PlacedRun): OwnControls {
  const hasEnded = local.is === 'ended';
  const stop = hasEnded ? nothingToStop() : true;
  const goesOn = failure(hasEnded ? 'owned_by_parent' : 'already_running');
  const owned = failure('owned_by_parent');
  return {
    ...{ start: owned, send: !hasEnded || owned, resume: goesOn, retry: goesOn },
    ...{ interrupt: stop, abort: stop, terminate: stop },
  };
}
