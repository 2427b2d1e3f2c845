/**
 * What an agent's model is told of its companions: how they stand, and how their tasks ended.
 *
 * Decides: the status words of companions.
 * Keeps CO28, CO14, CO20, CO34.
 */
import type { Failure } from '../../../../protocol/errors';
import { isObject, type Json, type JsonObject } from '../../../../protocol/json';
import type { CallResult } from '../../../../protocol/messages';
import { isEnded } from '../../../../protocol/status';
import { toldFiles } from '../../calls/enclosures';
import { type Child, isPaused } from '../../children/child';
import type { Look } from '../../children/child-standing';
import type { EndedTask } from '../../state';

/** How a companion stands, for whoever keeps it. */
export const COMPANION_STATUSES = [
  'queued',
  'running',
  'completed',
  'failed',
  'interrupted',
  'terminated',
  'paused_awaiting_client',
] as const;

/** One of them. */
export type CompanionStatus = (typeof COMPANION_STATUSES)[number];

/** The status of a child whose task was committed just now: `queued`, since its run begins later. */
export function committedStatus(child: Pick<Child, 'state'>): CompanionStatus {
  return child.state.is === 'working' ? 'queued' : companionStatus(child);
}

/** The status of a child by its row, and by the record of its root: `queued` until the run of its task has begun. */
export function seenStatus(
  child: Pick<Child, 'state'>,
  look: Pick<Look, 'status' | 'lastAt'> | undefined,
): CompanionStatus {
  const isBegun = look?.lastAt !== undefined && !['idle', 'queued'].includes(look.status) && !isEnded(look.status);
  return isBegun ? companionStatus(child) : committedStatus(child);
}

/** How a child stands: a projection of its state alone. */
export function companionStatus({ state }: Pick<Child, 'state'>): CompanionStatus {
  switch (state.is) {
    case 'working':
    case 'stopping':
    case 'respawning':
      return 'running';
    case 'waiting':
      return 'paused_awaiting_client';
    case 'interrupted':
      return 'interrupted';
    case 'failed':
      return 'failed';
    case 'ended':
      return endStatus(state.result);
  }
}

/** Whether somebody has stopped it, and it has not come to rest: until then it is `running`. */
export function beingStopped({ state }: Pick<Child, 'state'>): { readonly stopping?: true } {
  return state.is === 'stopping' && !state.goesOn ? { stopping: true } : {};
}

function endStatus(result: CallResult): CompanionStatus {
  if (result.success) return 'completed';
  const { code } = result.error;
  return code === 'terminated' || code === 'interrupted' ? code : 'failed';
}

/** The facts of an end, with the output under the name that a tool gives it. */
export function endFacts(result: CallResult, output: 'output' | 'result' | 'lastOutput'): JsonObject {
  const status = endStatus(result);
  return result.success ? { status, [output]: result.value } : { status, ...failureFacts(result.error) };
}

function failureFacts({ code, message, details }: Failure): JsonObject {
  const { done } = isObject(details) ? details : {};
  return { error: message, code, ...(done === undefined ? {} : { done }) };
}

/** The end of a task of a companion. */
export function endOf(
  { name, agentType, task, result, unread, brought, leftOut }: EndedTask,
  output: 'output' | 'result',
): JsonObject {
  const left = unread === undefined ? {} : { unreadMessages: unread };
  const facts = leftOut ? { status: endStatus(result), ...failureFacts(leftOut) } : endFacts(result, output);
  return { name: name ?? agentType, task, ...facts, ...left, ...toldFiles(brought) };
}

/** A companion whose task had not ended when the time of whoever waited was up. */
export function notEnded(child: Child): JsonObject {
  return {
    name: child.name ?? child.agentType,
    task: child.task.number,
    status: companionStatus(child),
    timedOut: true,
  };
}

/** A companion whose task had not ended when whoever waited went on without it. */
export function leftBehind(child: Child): JsonObject {
  const stopped = isPaused(child);
  const status = stopped ? 'interrupted' : companionStatus(child);
  return { name: child.name ?? child.agentType, task: child.task.number, status, stopped };
}

/** The result of a call that awaited one task. */
export function oneEnd(
  ended: readonly EndedTask[],
  open: readonly Child[],
  output: 'output' | 'result',
  more: JsonObject = {},
): CallResult {
  const [end] = ended;
  const [child] = open;
  const value: Json = end ? endOf(end, output) : child ? notEnded(child) : {};
  return { success: true, value: { ...more, ...value } };
}
