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
import { keyOf } from '../../core/agent/children/child';
import { stopsNothing } from '../../core/agent/controls';
import { statusOf } from '../../core/agent/runs/status';
import { failureByStop, isResumable, type StopVerb } from '../../core/agent/runs/stop-verb';
import type { AgentState } from '../../core/agent/state';
import { asChild, type ChildNode } from '../../core/tree/node';
import type { ObjectRuntime } from '../../engine/object/object';
import type { VerbAnswer, VerbCall } from '../../engine/object/object-calls';
import { refuse, refuseWith } from '../../protocol/errors';
import { childRunId } from '../../protocol/ids';
import { personOf } from '../../protocol/shown/people';
import { stopAccepted, stopInput } from '../../protocol/wire/requests';
import { actorOf } from '../receipts';
import { byRoute } from '../routes/by-route';
import { type AgentContext, type Answer, steered, type TreeContext } from '../verb';
import { decide, endedAsWaitedFor, restingNamed, tellEnded, waitedFor } from './failed-child';
import { stopStarted, whyNoStart } from './stop-started';

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

/** The run of an agent that has not begun. @throws OffshootError where another one is meant */
function runOf({ sessionId, runNumber }: ChildNode, { runId: meant }: Input): string {
  const runId = childRunId(sessionId, runNumber);
  return meant === undefined || meant === runId
    ? runId
    : refuse('run_superseded', 'That agent has no such run; its status has the current one.');
}

/** At the root, for an agent of which nothing is left to stop. */
function stopNothing({ node: found, input: given }: TreeContext<Input>): Answer<Output> {
  const node = asChild(found);
  return { status: 200, body: { runId: runOf(node, given), status: node.status } };
}

/** At the root, for an agent that has not begun: its parent stops it. */
async function stopUnbegun(
  verb: StopVerb,
  { tree, node: found, object, call, input: given, request }: TreeContext<Input>,
): Promise<Answer<Output>> {
  const node = asChild(found);
  const runId = runOf(node, given);
  const reason = reasonOf(given, verb, call);
  const error = failureByStop(verb, reason);
  const parent = tree.tree.parentOf(node)?.address ?? '';
  const reply = await object.send(parent, { type: 'child_stop', task: keyOf(node), error, verb });
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

/** Whether a stop is for another run than that of the agent that failed: then its parent is not asked about that. */
function isOfAnother({ sessionId, runNumber }: ChildNode, { runId }: Input): boolean {
  return runId !== undefined && runId !== childRunId(sessionId, runNumber);
}

/** The decision of its parent that nobody waits any more for an agent that failed, before a further stop. */
async function givenUp(object: ObjectRuntime, failed: ChildNode): Promise<VerbAnswer> {
  const error = await decide(object, failed, 'give_up');
  return error ? { ok: false, error } : { ok: true, body: {} };
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
    root: {
      unbegun: (context) => stopUnbegun(name, context),
      failed: (context) => giveUp(name, context),
      nothing: stopNothing,
    },
    async steer(ways, object, call, given) {
      const wrong = given.start === undefined ? undefined : whyNoStart(given, call);
      if (wrong) return { ok: false, error: wrong };
      const failed = waitedFor(object, call);
      if (failed && name !== 'interrupt' && isOfAnother(failed, given)) return ways.agent();
      const resting = name === 'terminate' ? restingNamed(object, call) : undefined;
      const reply = await byRoute(
        { object, call, verb: name },
        {
          agent: () => ways.agent(),
          record: () => ways.root('nothing'),
          parent: ({ ask, next }) => {
            if (ask !== 'giveUp' || failed === undefined) return ways.root('unbegun');
            return next ? givenUp(object, failed) : ways.root('failed');
          },
        },
      );
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

/** Stops hard; `retry` continues it. */
export const abort = stopVerb('abort', 'Fails the run and stops all agents below it; `retry` continues it.');

/** Ends the session. */
export const terminate = stopVerb(
  'terminate',
  'Ends the session permanently, with all agents below it; its data stays readable.',
);
