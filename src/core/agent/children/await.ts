/**
 * What a call awaits: tasks of children, and how many of them it needs. The call that begins a child and has its result
 * is one case of it (all of one); others await what was begun before them.
 *
 * Decides: how many ends a call needs; when a call that awaits tasks has its result.
 *
 * DG30. A call that awaits tasks has its result in the transaction in which as many have ended as it needs. What has
 *     ended meanwhile is kept with the call, so that nothing which becomes of a child later changes it.
 */

import { failure } from '../../../protocol/errors';
import { byteLength } from '../../../protocol/json';
import type { CallResult } from '../../../protocol/messages';
import { withReturned } from '../calls/enclosures';
import type { Draft } from '../draft';
import type { Rules } from '../rules';
import {
  type AgentState,
  type Awaits,
  awaitedBy,
  type Call,
  type CallPlan,
  currentStep,
  type EndedTask,
  endedOf,
  openCalls,
} from '../state';
import { type Child, keyOf, messageFor, type TaskKey } from './child';

/** Whether two keys name the same task. */
export function isSameTask(one: TaskKey, other: TaskKey | undefined): boolean {
  return one.childId === other?.childId && one.task === other.task;
}

/** The open calls of the current step that await a task, in order. */
export function callsAwaiting(state: AgentState, key: TaskKey): Call[] {
  const step = currentStep(state);
  if (step?.phase !== 'calls') return [];
  return openCalls(step).filter(
    ({ plan }) => plan.kind === 'task' && plan.awaits.tasks.some((task) => isSameTask(task, key)),
  );
}

/**
 * The tasks that are open now, for the root: those that an open call awaits, with how many of them it needs; and those that
 * no call awaits, of which none is needed.
 */
export function openTasks(state: AgentState): readonly Awaits[] {
  if (state.children.size === 0) return [];
  const step = currentStep(state);
  const all: TaskKey[] = [];
  const some: Awaits[] = [];
  const unawaited = new Map([...state.children].map(([childId, child]) => [childId, keyOf(child)]));
  for (const call of step?.phase === 'calls' ? openCalls(step) : []) {
    if (call.plan.kind !== 'task') continue;
    const tasks = awaitedBy(state, call).map(keyOf);
    const { until } = call.plan.awaits;
    const need = call.plan.awaits.need - endedOf(call).length;
    if (until !== undefined) some.push({ tasks, need, until });
    else if (need >= tasks.length) all.push(...tasks);
    else some.push({ tasks, need });
    for (const { childId } of tasks) unawaited.delete(childId);
  }
  // Calls that need all of theirs are as one that needs all.
  if (all.length > 0) some.unshift({ tasks: all, need: all.length });
  if (unawaited.size > 0) some.push({ tasks: [...unawaited.values()], need: 0 });
  return some;
}

/** A wait for tasks that other calls began, and those of them that have ended already. */
interface PlannedWait {
  readonly plan: CallPlan;
  readonly ended: readonly EndedTask[];
}

/** Plans the wait of a call. @param atRest children without an open task that the wait may name */
export function planWait(draft: Draft, asked: Awaits, atRest: readonly Child[]): PlannedWait {
  const { state } = draft;
  const tasks = asked.tasks.filter((key, at) => asked.tasks.findIndex((other) => isSameTask(key, other)) === at);
  const { need, until, others } = asked;
  const ended: EndedTask[] = [];
  const notices: string[] = [];
  for (const key of tasks) {
    if (state.children.get(key.childId)?.task.number === key.task) continue;
    const child = draft.written(key.childId) ?? atRest.find(({ childId }) => childId === key.childId);
    if (child?.state.is !== 'ended' || !isSameTask(keyOf(child), key))
      return refused('not_found', `There is no task ${key.task} of child ${key.childId}.`);
    const end = endKept(draft, child, child.state);
    ended.push(end);
    if (end.notice !== undefined) notices.push(end.notice);
  }
  if (!Number.isInteger(need) || need < 1 || need > tasks.length)
    return refused('invalid_arguments', `\`need\` must be from 1 to ${tasks.length}, not ${need}.`);
  // The call tells it: what no step has seen yet needs not say it again (CO7).
  for (const messageId of notices) draft.dropMessage(messageId);
  return {
    plan: {
      kind: 'task',
      awaits: { tasks, need, ...(until === undefined ? {} : { until }), ...(others ? { others } : {}) },
    },
    ended,
  };
}

/** The end of a task as its child's record keeps it, with the message that tells of it where no step has seen that. */
function endKept({ state }: Draft, child: Child, kept: Extract<Child['state'], { is: 'ended' }>): EndedTask {
  const { notice, unread = 0, result, brought } = kept;
  const untold = notice !== undefined && state.inbox.some(({ messageId }) => messageId === notice);
  return {
    ...endedTask(child, result),
    ...(unread > 0 ? { unread } : {}),
    ...(untold ? { notice } : {}),
    ...(brought ? { brought } : {}),
  };
}

/**
 * The ends of tasks that a call of a reply has begun or waits for, where a later call of that reply has ended them at once:
 * nobody worked on them. They come before the step that would hear of them.
 */
export function endedAtOnce(draft: Draft, { plan }: Call): readonly EndedTask[] {
  if (plan.kind !== 'task') return [];
  const { need, tasks } = plan.awaits;
  const keys = need === 0 && plan.began ? [plan.began] : tasks;
  return keys.flatMap((key) => {
    const child = draft.written(key.childId);
    const isEnded = child?.state.is === 'ended' && isSameTask(keyOf(child), key);
    return isEnded && child.state.is === 'ended' ? endKept(draft, child, child.state) : [];
  });
}

const refused = (code: 'not_found' | 'invalid_arguments', message: string): PlannedWait => ({
  plan: { kind: 'refused', error: failure(code, message) },
  ended: [],
});

/** The end of a child's task, as calls keep it. */
export function endedTask(child: Child, result: CallResult): EndedTask {
  const { agentType, name, terms, registered } = child;
  const wakes = terms.onIdle === undefined ? {} : { wakes: true as const };
  const envelope = registered ? { envelope: registered.reference } : {};
  return { ...keyOf(child), agentType, ...(name === undefined ? {} : { name }), result, ...wakes, ...envelope };
}

/**
 * What a call that awaits tasks has as its result, once as many have ended as it needs: the row that planned it says how.
 * Where it says so, those that have not ended are stopped in that moment.
 */
export function resultOfWait(
  draft: Draft,
  call: Call,
  ended: readonly EndedTask[],
  rules: Rules,
): CallResult | undefined {
  const { name, plan, input } = call;
  const [first] = ended;
  if (plan.kind !== 'task' || first === undefined || ended.length < plan.awaits.need) return undefined;
  const row = rules.builtIns.find((tool) => tool.name === name);
  const open = plan.awaits.others === 'stop' ? stopOthers(draft, call) : [];
  const own = first.envelope === undefined ? first.result : withReturned(first.result, first.brought);
  return toldWithin(call, ended, (ends) => row?.tell?.(ends, { open, input }) ?? own, rules);
}

/**
 * What a call tells of several ends, held to the limit of any result: where all of them are too many, the largest are left
 * out, as few as may be, so that no small one is lost with them.
 */
function toldWithin(
  { name }: Pick<Call, 'name'>,
  ended: readonly EndedTask[],
  tell: (ended: readonly EndedTask[]) => CallResult,
  rules: Rules,
): CallResult {
  const { maxToolResultBytes } = rules.limits;
  const isHeld = (result: CallResult): boolean => result.success && bytesOf(result) <= maxToolResultBytes;
  let result = tell(ended);
  if (ended.length < 2 || !result.success || isHeld(result)) return heldToLimit(result, `the call of ${name}`, rules);
  const left = new Map<EndedTask, EndedTask>();
  let over = bytesOf(result) - maxToolResultBytes;
  const sizes = new Map(ended.map((end) => [end, bytesOf(end.result)]));
  for (const end of ended.toSorted((one, other) => (sizes.get(other) ?? 0) - (sizes.get(one) ?? 0))) {
    const bytes = sizes.get(end) ?? 0;
    const why = `Its result has ${bytes} bytes, too many to return with the others. Read it in its status.`;
    left.set(end, { ...end, leftOut: failure('tool_result_too_large', why) });
    over -= bytes;
    if (over > 0) continue;
    result = tell(ended.map((one) => left.get(one) ?? one));
    if (isHeld(result)) return result;
  }
  return heldToLimit(result, `the call of ${name}`, rules);
}

const bytesOf = (result: CallResult): number => (result.success ? byteLength(JSON.stringify(result.value)) : 0);

/** Stops those that a call awaits and needs no more, as a pause does; gives all of them as they stand then. */
function stopOthers(draft: Draft, call: Call): Child[] {
  const { run } = draft.state;
  const isStopped = run?.phase === 'active' && run.stop !== undefined;
  return awaitedBy(draft.state, call).map((child) => {
    const atWork = child.state.is === 'working' || child.state.is === 'waiting';
    if (isStopped || !atWork || isWaitedForElsewhere(draft.state, child, call)) return child;
    const error = failure('interrupted', 'Its parent continues without it.');
    const state = { is: 'stopping', verb: 'interrupt', error, cause: 'stop', ...messageFor(child) } as const;
    const next = { ...child, state };
    draft.setChild(next);
    return next;
  });
}

/** Whether another call waits for a child, however long that takes. */
function isWaitedForElsewhere(state: AgentState, child: Child, { callId }: Call): boolean {
  const others = callsAwaiting(state, keyOf(child)).filter((call) => call.callId !== callId);
  return others.some((call) => awaitsUntil(call) === undefined);
}

/** When the time of a call is up that awaits tasks, in ms since 1970. */
export function awaitsUntil({ plan }: Pick<Call, 'plan'>): number | undefined {
  return plan.kind === 'task' ? plan.awaits.until : undefined;
}

/** The result of a call whose time is up before as many tasks have ended as it needs: what has ended, and what has not. */
export function resultInTime(state: AgentState, call: Call, rules: Rules): CallResult | undefined {
  const row = rules.builtIns.find((tool) => tool.name === call.name);
  const rest = { open: awaitedBy(state, call), input: call.input };
  const tell = row?.tell;
  return tell && toldWithin(call, endedOf(call), (ended) => tell(ended, rest), rules);
}

/** A result is held to the limit of any: the model reads it, and it stays in the transcript. */
export function heldToLimit(result: CallResult, whose: string, { limits }: Rules): CallResult {
  const bytes = bytesOf(result);
  if (bytes <= limits.maxToolResultBytes) return result;
  const what = `The result of ${whose} has ${bytes} bytes, more than ${limits.maxToolResultBytes}.`;
  const error = failure('tool_result_too_large', `${what} Ask it for less, or to write it to a file.`);
  return { success: false, error };
}

/** The plan of a call that awaits a task, or began it, once another task has taken its place. */
export function replanned(plan: CallPlan, before: TaskKey, after: Child): CallPlan {
  if (plan.kind !== 'task') return plan;
  const key = keyOf(after);
  const { sessionId, address } = after;
  const tasks = plan.awaits.tasks.map((task) => (isSameTask(task, before) ? { ...task, ...key } : task));
  const began =
    plan.began && isSameTask(plan.began, before) ? { ...plan.began, ...key, sessionId, address } : plan.began;
  return { ...plan, ...(began ? { began } : {}), awaits: { ...plan.awaits, tasks } };
}
