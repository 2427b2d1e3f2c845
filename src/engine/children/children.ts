/**
 * Children: asks the root to admit them, gives those that may start their task, and stops those that must end.
 *
 * Decides: how long it is tried to reach a child that has to stop; from how many children on a stop is answered first.
 * Keeps DG1, DG12, SP9, SP12, SP13, SP16, SP17.
 *
 * Both flows are drawn in design/flows.md, with what a crash means at each point: a delegation over parent, root and child
 * (decision 3), and a stop whose answer is the child's end and final flush (decision 19).
 */

import { type Child, keyOf, messageFor, runIdOf } from '../../core/agent/children/child';
import { answersWithin, waitsFor } from '../../core/agent/children/child-stop-time';
import type { Effect } from '../../core/agent/owed-effects';
import { unbegunOutcome } from '../../core/agent/runs/stop';
import { isResumable, ownCause } from '../../core/agent/runs/stop-verb';
import { needOf, type Outcome } from '../../core/agent/state';
import type { Admission } from '../../core/tree/admission';
import { type Failure, failure } from '../../protocol/errors';
import { NO_USAGE } from '../../protocol/usage';
import { pause, within } from '../environment';
import { FlushRelay } from '../final-flush';
import type { ParentAgent } from '../perform/performer';
import type { AgentAnswer, AssignMessage, EventMessage } from '../tree-messages';
import { admissionRequest } from './admission-request';
import { sessionOf } from './child-session';
import { reach, reachShown, refTo } from './reach-child';
import { bringMail, mailFor, mailTaken, sendRest, withoutFiles } from './send-child-messages';

type ChildEffect = Extract<Effect, { kind: 'child' }>;
type StopEffect = Extract<Effect, { kind: 'stop_child' }>;

/** It is tried to stop a child for so long, in ms, and so long one that could not be reached to begin. */
const REACH_TO_STOP_MS = 4_250;
const REACH_UNANSWERED_MS = 250;
/** With more children than these, a stop is known to its caller and to readers of the log before the children are told. */
const FEW_TO_STOP = 4;
/** That takes so many turns of the event loop, each of about 1 ms; counted, because a busy machine has longer ones. */
const SAY_TURNS = 4;
/**
 * Children that have not begun leave the queue before others are stopped: each stopped child frees a slot, which would start
 * one of them. After this many ms without an answer from the root, the others are stopped all the same.
 */
const QUEUE_FIRST_MS = 500;
/** The reason of the stop that an agent receives when its parent was given up. */
const GIVEN_UP_ABOVE = 'The agent above it was abandoned.';

/**
 * Children in groups that begin separately: all that wait for nothing together, and each that waits for a capability alone.
 */
export function begunTogether(agent: ParentAgent, children: readonly ChildEffect[]): ChildEffect[][] {
  agent.preparing.prepare(agent);
  const waits = ({ child }: ChildEffect): boolean => agent.preparing.awaited(child).length > 0;
  const together = children.filter((effect) => !waits(effect));
  return [...(together.length > 0 ? [together] : []), ...children.filter(waits).map((effect) => [effect])];
}

/** Asks for slots for all of them at once, and starts those that got one. The others are told when it is their turn. */
export async function delegate(agent: ParentAgent, children: readonly ChildEffect[]): Promise<void> {
  const awaited = children.flatMap(({ child }) => agent.preparing.awaited(child));
  await agent.beginnings.after(
    awaited,
    children.map(({ child }) => child),
  );
  // While they were prepared, children may have been stopped: the root is not asked for one that it was told to withdraw.
  const wanted: ChildEffect[] = [];
  for (const effect of children.filter(({ id }) => agent.owes(id))) {
    const made = agent.preparing.prepared(effect.child);
    if (made?.is === 'refused') await neverBegins(agent, effect.child, made.error);
    else if (made?.is === 'lost') await loseChild(agent, effect.child, made.why);
    else wanted.push(effect);
  }
  if (wanted.length === 0) return;
  const asked = wanted.map(({ child }) => {
    const made = agent.preparing.prepared(child);
    return admissionRequest(agent, child, made?.is === 'made' ? made.below : []);
  });
  const { admissions } = await agent.link.ask({ admit: asked });
  await agent.deps.children
    .prepare(wanted.map(({ child }) => refTo(child)))
    .catch((error: unknown) =>
      agent.environment.report('Children are made one by one: no template could be prepared.', error),
    );
  const answers = new Map(admissions.map((admission) => [admission.childId, admission]));
  agent.beginnings.keepOnly(agent.state);
  await Promise.all(
    wanted.map(async (effect) => {
      // While the root was asked, a child may have been stopped, or its task may have ended.
      if (!agent.owes(effect.id)) return;
      const { child } = effect;
      const admission = answers.get(child.childId);
      if (admission?.answer === 'start') await agent.turns.take(child.sessionId, () => begin(agent, effect, admission));
      if (admission?.answer === 'refused') await endRefused(agent, child, admission.error);
    }),
  );
}

/** A child that the root does not admit, or that does not begin as it was asked to; what was prepared for it goes. */
async function endRefused(
  agent: ParentAgent,
  child: Child,
  error: Failure,
  isPrepared = needOf(agent.state, child) !== undefined,
): Promise<void> {
  if (isPrepared) await agent.deps.children.remove(refTo(child));
  settle(agent, child, error);
}

/** A child that begins neither now nor later: its root forgets it, if it has heard of it. */
async function neverBegins(agent: ParentAgent, child: Child, error: Failure): Promise<void> {
  // A stop may end its task, and so drop the need, while the root is asked.
  const isPrepared = needOf(agent.state, child) !== undefined;
  await forget(agent, child);
  await endRefused(agent, child, error, isPrepared);
}

/** Begins a child, if it still is to begin when its turn has come (SP13). */
async function begin(agent: ParentAgent, effect: ChildEffect, admission: Begun): Promise<void> {
  if (!agent.owes(effect.id)) return;
  const { id, child } = effect;
  const signal = agent.signalOf(id);
  await agent.beginnings.begin(child, startChild(agent, effect, admission, signal));
  if (signal && agent.beginnings.hasBegun(child)) await sendRest(agent, child, signal);
}

/** The child is not there, or has not begun: this is its end. */
function settle(agent: ParentAgent, child: Child, error: Failure): void {
  end(agent, child, { status: 'failed', error });
}

function end(agent: ParentAgent, child: Child, outcome: Outcome): void {
  const { environment } = agent;
  const moment = { at: environment.now(), token: environment.token() };
  agent.apply({ type: 'child_settled', ...moment, task: keyOf(child), outcome, usage: NO_USAGE });
}

type Begun = Extract<Admission, { answer: 'start' }>;

/** What lets a child work: its task, or where it has begun that before, the next of its runs. */
function workMessage(agent: ParentAgent, { child, message }: ChildEffect, { begun, lease }: Begun) {
  const { run } = agent.state;
  const { runNumber, task } = child;
  const { actor, traceparent } = task.by ?? run?.caller ?? {};
  const first = needOf(agent.state, child);
  const facts = {
    task: keyOf(child),
    runId: runIdOf(child),
    ...(actor === undefined ? {} : { actor }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  if (runNumber > task.firstRun && begun)
    return { type: 'resume', ...facts, ...(message ? { message } : {}), ...mailFor(child) } satisfies EventMessage;
  return {
    type: 'assign',
    begun,
    ...facts,
    ...givenTo(agent, child),
    ...(lease ? { lease } : {}),
    ...(child.variables ? { variables: child.variables } : {}),
    session: sessionOf(agent, child),
    ...(first ? { first } : {}),
  } satisfies AssignMessage;
}

/** What a child's task is: its arguments, or what it is told. */
function givenTo({ state: { step } }: ParentAgent, child: Child): Pick<AssignMessage, 'input' | 'mail'> {
  const { callId, told, input } = child.task;
  const call = step?.phase === 'calls' ? step.calls.find((one) => one.callId === callId) : undefined;
  return { ...(told ? {} : { input: input ?? call?.input ?? null }), ...mailFor(child) };
}

/** Whether a child has had a task before, and may not know of this one yet. */
const isFurtherTask = ({ task, runNumber }: Child): boolean => task.number > 1 && runNumber === task.firstRun;

async function startChild(
  agent: ParentAgent,
  effect: ChildEffect,
  admission: Begun,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { child } = effect;
  const refused = await bringMail(agent, child, signal);
  if (signal?.aborted) return;
  if (refused !== undefined) return stopUngiven(agent, child, refused.why);
  const { childReachMs: ms } = agent.seat.rules.limits;
  const message = workMessage(agent, effect, admission);
  // One that is there and silent has its own time.
  const reached = await reachShown(agent, child, message, { ms, answerMs: child.terms.timeoutMs, signal });
  const { answer } = reached;
  if (answer?.answer === 'done') {
    agent.beginnings.begun(child);
    return mailTaken(agent, child);
  }
  // Whoever stops it, or has settled its call, goes on from here.
  if (signal?.aborted === true) return;
  // What never begins with what it was given is not lost.
  if (answer?.answer === 'refused' && (needOf(agent.state, child) || answer.error.code === 'invalid_input'))
    return neverBegins(agent, child, answer.error);
  const why =
    answer === undefined ? reached.why : answer.answer === 'refused' ? answer.error.message : 'It does not exist.';
  await loseChild(agent, child, why);
}

/** What a child is to begin with cannot be given to it: its task ends, and it stays as it was. */
function stopUngiven(agent: ParentAgent, child: Child, why: string): void {
  const { environment } = agent;
  const error = failure('subagent_failed', `Its task was not delivered, because its files could not be copied: ${why}`);
  agent.apply({ type: 'child_stop', at: environment.now(), token: environment.token(), task: keyOf(child), error });
}

/** A root that does not hear of it asks the child itself, and finds nobody. */
async function forget({ link, environment }: ParentAgent, { sessionId }: Child): Promise<void> {
  await link
    .ask({ lost: [sessionId] })
    .catch((error: unknown) => environment.report('The loss of a sub-agent could not be reported to the root.', error));
}

/** Gives a child up: its root forgets it, and its task fails. */
export async function loseChild(agent: ParentAgent, child: Child, why: string): Promise<void> {
  const { agentType } = child;
  await forget(agent, child);
  settle(agent, child, failure('subagent_lost', `The sub-agent ${agentType} is gone, and so is its work. ${why}`));
}

/**
 * Stops children: those that still wait for a slot leave the queue, all at once; those that work are told side by side,
 * and end by themselves.
 */
export async function stopChildren(agent: ParentAgent, stops: readonly StopEffect[]): Promise<void> {
  if (agent.state.session.parent === undefined && stops.length > FEW_TO_STOP) await sayFirst(agent);
  const { beginnings, environment, stoppedBy } = agent;
  const { limits } = agent.seat.rules;
  // A stop that is not sent yet counts like one that is: the parent above asks how long this stop takes.
  for (const { id, child } of stops) stoppedBy.set(id, environment.now() + answersWithin(child.placement.via, limits));
  const relay = new FlushRelay(agent, stops.length);
  const queued = withdraw(
    agent,
    stops.filter(({ child }) => beginnings.starting(child) === undefined),
  );
  const queue = { all: queued, soon: within(environment, QUEUE_FIRST_MS, queued) };
  // All are awaited, also if one fails: a stop that is performed again must not meet one at work.
  const ends = await Promise.allSettled(
    stops.map((stop) => stopInTurn(agent, stop, queue, relay).finally(() => stoppedBy.delete(stop.id))),
  );
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
}

/** The sessions that are out of the queue, as the root says: its whole answer, and what it says within `QUEUE_FIRST_MS`. */
interface Queue {
  readonly all: Promise<ReadonlySet<string>>;
  readonly soon: Promise<ReadonlySet<string> | undefined>;
}

/**
 * Stops one child, or ends it where it never began. Only one to which nothing was sent waits for the root as long as that
 * takes: any other may be at work.
 */
async function stopInTurn(agent: ParentAgent, stop: StopEffect, queue: Queue, relay: FlushRelay): Promise<void> {
  const { beginnings, environment } = agent;
  const { child } = stop;
  const starting = beginnings.starting(child);
  await starting;
  const isUnanswered = starting !== undefined && !beginnings.hasBegun(child);
  const withdrawn = isUnanswered
    ? within(environment, QUEUE_FIRST_MS, withdraw(agent, [stop]))
    : beginnings.isUnsent(child)
      ? queue.all
      : queue.soon;
  const isWithdrawn = (await withdrawn)?.has(child.sessionId) === true;
  const signal = agent.signalOf(stop.id);
  const isPending = signal !== undefined && !signal.aborted;
  const ms = isUnanswered ? REACH_UNANSWERED_MS : REACH_TO_STOP_MS;
  if (isPending && !isWithdrawn) return stopChild(agent, stop, { ms, signal, queue }, relay);
  relay.answered();
  if (isPending) await endUnbegun(agent, stop);
}

/** An agent that was given up stops the children that have begun: nobody else sends them a stop. */
export function stopBelow({ state, beginnings, deps, environment }: ParentAgent): void {
  for (const child of state.children.values()) {
    if (!isAtWork(child) || beginnings.isUnsent(child)) continue;
    const fence = { runId: runIdOf(child), task: keyOf(child) };
    const message = { type: 'stop', verb: 'abort', reason: GIVEN_UP_ABOVE, ...fence } as const;
    deps.children
      .send(refTo(child), { kind: 'agent', path: [], message })
      .catch((error: unknown) => environment.report(`${child.address} could not be stopped with its parent.`, error));
  }
}

const isAtWork = ({ state }: Child): boolean =>
  state.is === 'working' || state.is === 'waiting' || state.is === 'stopping';

/** Lets go out first what the root has just committed. The children's answers would keep it waiting. */
async function sayFirst({ environment }: ParentAgent): Promise<void> {
  for (let turn = 0; turn < SAY_TURNS; turn++) await pause(environment, 1);
}

/** Takes those out of the record that have not begun: that may still wait for a slot, or have one and were not tried. */
async function withdraw(agent: ParentAgent, stops: readonly StopEffect[]): Promise<ReadonlySet<string>> {
  const unsure = stops.filter(({ child }) => !agent.beginnings.hasBegun(child));
  if (unsure.length === 0) return new Set();
  const untried = unsure.filter(({ child }) => agent.beginnings.isUnsent(child));
  const answer = await agent.link.ask({ withdraw: unsure.map(sessionIdOf), lost: untried.map(sessionIdOf) });
  return new Set(answer.withdrawn);
}

const sessionIdOf = ({ child }: StopEffect): string => child.sessionId;

/** A child that never began, or not again: under an interrupt it begins when its parent goes on. */
async function endUnbegun(agent: ParentAgent, { id, child, verb, error }: StopEffect): Promise<void> {
  // What was prepared goes first: a crash between the two ends the child once more.
  if (!isResumable(verb)) await agent.preparing.giveUp(agent, child);
  if (agent.owes(id)) end(agent, child, unbegunOutcome(verb, error));
}

async function stopChild(
  agent: ParentAgent,
  stop: StopEffect,
  { ms, signal, queue }: { ms: number; signal: AbortSignal; queue: Queue },
  relay: FlushRelay,
): Promise<void> {
  const { child, error } = stop;
  const { sessionId } = child;
  const answer = await askedToStop(agent, stop, { ms, signal }, relay);
  const isAbsent = answer?.answer === 'absent';
  const wasQueued = isAbsent && (await queue.all).has(sessionId);
  if (signal.aborted) return;
  if (wasQueued) return endUnbegun(agent, stop);
  // Nobody is there, and nothing was ever heard of it: it had a slot, and was not begun in it.
  const absent = isAbsent ? { withdraw: [sessionId] } : {};
  const { withdrawn } = await agent.link.ask({ lost: [sessionId], ...absent });
  if (signal.aborted) return;
  if (withdrawn.includes(sessionId)) return endUnbegun(agent, stop);
  settle(agent, child, failure('subagent_lost', error.message));
}

/**
 * Tells a child to stop until it has ended, which settles its call and so aborts the signal, or is given up (SP14). Gives
 * what it answered last.
 */
async function askedToStop(
  agent: ParentAgent,
  { id, child, verb, error }: StopEffect,
  { ms, signal }: { ms: number; signal: AbortSignal },
  relay: FlushRelay,
): Promise<AgentAnswer | undefined> {
  const { environment, stoppedBy } = agent;
  const { limits } = agent.seat.rules;
  const fence = { runId: runIdOf(child), task: keyOf(child) };
  const message = {
    type: 'stop',
    verb,
    reason: error.message,
    ...fence,
    ...ownCause(verb, error),
    ...messageFor(child),
    ...(isFurtherTask(child) ? givenTo(agent, withoutFiles(child)) : {}),
  } as const;
  const answerMs = answersWithin(child.placement.via, limits);
  const toldAt = environment.now();
  for (let again = false; ; again = true) {
    stoppedBy.set(id, environment.now() + answerMs);
    const { answer } = await reach(agent, child, message, { ms, answerMs, signal });
    const done = answer?.answer === 'done' ? answer : undefined;
    const relayed = again ? undefined : relay.answered(done?.flush);
    if (done === undefined || signal.aborted) return answer;
    const now = environment.now();
    const wait = waitsFor(
      { toldAt, now, endsWithinMs: done.endsWithinMs, ended: done.flush !== undefined, again },
      limits,
    );
    if (wait === 0) return answer;
    stoppedBy.set(id, now + wait);
    // Its end is taken with its flush, mostly; and then there is nothing to wait for.
    if (done.flush) await relayed;
    if (!signal.aborted) await pause(environment, now + wait - environment.now(), signal);
    if (signal.aborted) return answer;
  }
}

/** Clears a child away, so that it can be started anew in its place. */
export async function respawnChild(
  agent: ParentAgent,
  { child }: Extract<Effect, { kind: 'respawn_child' }>,
): Promise<void> {
  const { environment } = agent;
  await agent.deps.children.remove(refTo(child));
  agent.apply({ type: 'child_respawn', at: environment.now(), token: environment.token(), task: keyOf(child) });
}
