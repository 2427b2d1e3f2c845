/**
 * Stopping a run. The answer comes with the commit of the stop: what it stops ends after it.
 *
 * Decides: what is said of a stop for which nobody gave a reason, which the model of a parent reads, too.
 *
 * Keeps A32, A45, SP8, SP10.
 *
 * A32. A stop goes to the agent itself, which tells its parent how it ended. One that has not begun is stopped through
 *      its parent, which alone can take it out of the queue.
 */

import type * as z from 'zod';
import { stopsNothing } from '../core/agent/controls';
import type { AgentState } from '../core/agent/state';
import { statusOf } from '../core/agent/status';
import { failureByStop, isResumable, type StopVerb } from '../core/agent/stop-verb';
import { stopsUnbegun } from '../core/tree/controls';
import { asChild, type ChildNode, isYetToBegin } from '../core/tree/node';
import type { ObjectRuntime } from '../engine/object';
import type { VerbCall } from '../engine/object-calls';
import { refuse, refuseWith } from '../protocol/errors';
import { childRunId } from '../protocol/ids';
import { personOf } from '../protocol/people';
import { stopAccepted, stopInput } from '../protocol/requests';
import { decide, endedAsWaitedFor, restingNamed, tellEnded, waitedFor } from './failed-child';
import { locate } from './locate';
import { actorOf } from './receipts';
import { stopStarted, whyNoStart } from './stop-started';
import { type AgentContext, type Answer, steered, type TreeContext } from './verb';

type Input = z.output<typeof stopInput>;

type Output = z.output<typeof stopAccepted>;

const WHAT = { interrupt: 'interrupt it', abort: 'abort it', terminate: 'terminate it' } as const;

function reasonOf({ reason }: Input, verb: StopVerb, call: VerbCall): string {
  if (reason !== undefined) return reason;
  const said = `${personOf(actorOf(call))} asked to ${WHAT[verb]}.`;
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}`;
}

function standing(state: AgentState): Output {
  const status = statusOf(state);
  return state.run === undefined ? { status } : { runId: state.run.runId, status };
}

/** At the agent. Asking again is harmless. */
function stopHere(verb: StopVerb, context: AgentContext<Input>): Answer<Output> {
  const { agent, object, call, input: given, request } = context;
  const { environment } = object;
  // What a crash left is taken up first, so that only the stop itself counts as a change.
  agent.resume();
  if (given.start !== undefined)
    return stopStarted({ verb, reason: reasonOf(given, verb, call) }, given.start, context);
  const before = agent.state;
  let answer: Answer<Output> = { body: standing(before) };
  const applied = agent.apply(
    {
      type: 'stop',
      at: environment.now(),
      token: environment.token(),
      verb,
      reason: reasonOf(given, verb, call),
      ...(given.runId === undefined ? {} : { runId: given.runId }),
    },
    () => {
      const body = standing(agent.state);
      const unchanged = agent.state === before;
      const status = stopsNothing(before, agent.state) ? 200 : 202;
      answer = { body, status };
      if (unchanged) request.keep(status, body);
      else request.remember(status, body, { runId: body.runId, detail: { reason: reasonOf(given, verb, call) } });
    },
  );
  return applied.ok ? answer : refuseWith(applied.refused);
}

/** At the root, for an agent that has not begun. */
async function stopUnbegun(
  verb: StopVerb,
  { tree, node: found, object, call, input: given, request }: TreeContext<Input>,
): Promise<Answer<Output>> {
  const node = asChild(found);
  const runId = childRunId(node.sessionId, node.runNumber);
  if (given.runId !== undefined && given.runId !== runId)
    refuse('run_superseded', 'That agent has no such run; its status has the current one.');
  if (!stopsUnbegun(verb, tree.tree, node)) return { status: 200, body: { runId, status: node.status } };
  const { task } = node;
  const reason = reasonOf(given, verb, call);
  const error = failureByStop(verb, reason);
  const parent = tree.tree.parentOf(node)?.address ?? '';
  const reply = await object.send(parent, { type: 'child_stop', task, error, verb });
  if (reply.answer === 'refused') refuseWith(reply.error);
  if (reply.answer === 'absent') refuse('unavailable', 'The parent of this agent could not be reached. Try again.');
  const { status } = tree.tree.get(node.id) ?? node;
  // What is taken from the queue is halted for a moment before a hard stop ends it: no interrupt that could be resumed.
  const body = { runId, status: status === 'interrupted' && !isResumable(verb) ? node.status : status };
  object.store.transaction(() => request.remember(202, body, { runId, detail: { reason } }));
  return { status: 202, body };
}

/** At the root, for an agent that failed and is waited for: its failure is the result of its call. */
async function giveUp(
  verb: StopVerb,
  { node: found, object, call, input: given, request }: TreeContext<Input>,
): Promise<Answer<Output>> {
  const node = asChild(found);
  const runId = childRunId(node.sessionId, node.runNumber);
  const body = { runId, status: node.status };
  const refused = await decide(object, node, 'give_up');
  // Nobody waits for it.
  if (refused?.code === 'superseded') return { status: 200, body };
  if (refused) refuseWith(refused);
  const detail = { reason: reasonOf(given, verb, call) };
  object.store.transaction(() => request.remember(202, body, { runId, detail }));
  return { status: 202, body };
}

/** Whether its parent alone can stop an agent, because it has no run to stop. */
function isUnbegun(object: ObjectRuntime, { path }: VerbCall): boolean {
  if (!object.isRoot || path.length === 0) return false;
  const found = locate(object, path);
  return found.at === 'record' && isYetToBegin(found.node);
}

/** The agent of a call to end it, where it failed and its parent waits for a person. */
function failedOf(verb: StopVerb, object: ObjectRuntime, call: VerbCall, { runId }: Input): ChildNode | undefined {
  const node = verb === 'interrupt' ? undefined : waitedFor(object, call);
  if (node === undefined) return undefined;
  return runId === undefined || runId === childRunId(node.sessionId, node.runNumber) ? node : undefined;
}

function stopVerb<Name extends StopVerb>(name: Name, summary: string) {
  return steered({
    name,
    method: 'POST',
    path: name,
    action: 'stop',
    summary,
    status: 202,
    errors: ['invalid_input', 'run_superseded', 'idempotency_conflict', 'unavailable'],
    input: stopInput,
    output: stopAccepted,
    agent: { handle: (context) => stopHere(name, context), complete: (_context, reply: Output) => reply },
    root: { unbegun: (context) => stopUnbegun(name, context), failed: (context) => giveUp(name, context) },
    async steer(ways, object, call, given) {
      const wrong = given.start === undefined ? undefined : whyNoStart(given, call);
      if (wrong) return { ok: false, error: wrong };
      const failed = failedOf(name, object, call, given);
      if (failed && name === 'abort') return ways.root('failed');
      // An abort ends with what its parent is told; a terminate then ends the session as well.
      const resting = name === 'terminate' ? restingNamed(object, call) : undefined;
      const refused = await (failed ? decide(object, failed, 'give_up') : undefined);
      if (refused && refused.code !== 'superseded') return { ok: false, error: refused };
      const reply = await (isUnbegun(object, call) ? ways.root('unbegun') : ways.agent());
      // It may have failed right before, and nobody could decide about it any more.
      const ended = name === 'terminate' && reply.ok ? endedAsWaitedFor(object, call) : undefined;
      if (ended) await decide(object, ended, 'give_up');
      if (resting && reply.ok) await tellEnded(object, resting, failureByStop(name, reasonOf(given, name, call)));
      return reply;
    },
  });
}

/** Stops softly; `resume` goes on. */
export const interrupt = stopVerb('interrupt', 'Pauses the run and all agents below it; `resume` continues it.');

/** Stops hard; `retry` tries it again. */
export const abort = stopVerb('abort', 'Fails the run and stops all agents below it; `retry` tries it again.');

/** Ends the session. */
export const terminate = stopVerb(
  'terminate',
  'Ends the session permanently, with all agents below it; its data stays readable.',
);
