/**
 * The route of a verb through a tree. The verbs are performed by it, and what is shown as legal is read from it.
 *
 * Decides: who takes a verb that is asked of an agent: itself, its parent, the record of the root, or nobody.
 * Keeps A82.
 */

import { type Failure, failure } from '../../../protocol/errors';
import { childRunId } from '../../../protocol/ids';
import type { Controls } from '../../../protocol/shown/controls';
import type { ControlsOver } from '../../agent/controls';
import { isResumable, type StopVerb } from '../../agent/runs/stop-verb';
import { OVER_ABOVE } from '../admission';
import { type ChildNode, hasBegun, isLive, isWaitedFor, isYetToBegin, type TreeNode } from '../node';
import type { TreeIndex } from '../tree-index';

/** The verbs whose route depends on the agent. An answer always goes to the agent whose call waits, a deletion to the root. */
export type RoutedVerb = Exclude<keyof Controls, 'submit' | 'remove'>;

/** The next of those who are asked. Where `next` is there, it follows once this one has taken the verb. */
export type Route =
  /** The agent itself. Its refusal may lead further (`Refused`). */
  | { readonly to: 'agent'; readonly next?: Route }
  /** Its parent, which is asked that. Nobody is left to give a child up for is as good as giving it up. */
  | { readonly to: 'parent'; readonly ask: keyof ControlsOver; readonly next?: Route }
  /** The root, by its record: nothing changes, or what was interrupted further below is resumed through its parents. */
  | { readonly to: 'record'; readonly does: 'nothing' | 'resume_below' }
  /** Nobody yet: the agent has ended, and its parent or the record has still to hear of it. */
  | { readonly to: 'report' }
  | { readonly to: 'nobody'; readonly why: Failure };

/** The refusal of an agent that was asked itself. */
export interface Refused {
  readonly why: Failure;
  /** Its parent has heard of its end, or did not in time. */
  readonly isReported: boolean;
  /** It has written chunks since it was asked: somebody else lets it continue. */
  readonly continues?: boolean;
}

const AGENT: Route = { to: 'agent' };
const nobody = (why: Failure): Route => ({ to: 'nobody', why });

/** The route of a verb that is asked of an agent, or where it leads after the agent has `refused` it. */
export function routeOf(tree: TreeIndex, node: TreeNode, verb: RoutedVerb, refused?: Refused): Route {
  if (verb === 'resume') return routeOfResume(tree, node, refused);
  if (node.kind === 'root') return refused ? nobody(refused.why) : AGENT;
  switch (verb) {
    case 'start':
      return nobody(whyNotStarted());
    case 'send':
      return refused ? routeOfRefused(tree, node, refused) : AGENT;
    case 'retry':
      return routeOfRetry(tree, node);
    case 'fork':
      return refused ? nobody(refused.why) : routeOfFork(tree, node);
    default:
      return refused ? nobody(refused.why) : routeOfStop(tree, node, verb);
  }
}

function routeOfResume(tree: TreeIndex, node: TreeNode, refused: Refused | undefined): Route {
  if (refused?.why.code === 'awaiting_input') return { to: 'record', does: 'resume_below' };
  if (refused && refused.why.code !== 'superseded') return nobody(refused.why);
  if (node.kind === 'child' && restsUnderParent(node)) return throughParent(tree, node, 'resume');
  if (refused === undefined || refused.continues) return AGENT;
  return node.kind === 'root' || refused.isReported ? nobody(refused.why) : { to: 'report' };
}

/** A message that an agent refuses goes to the parent of a companion that is at rest, or has not begun. */
function routeOfRefused(tree: TreeIndex, node: ChildNode, { why, isReported }: Refused): Route {
  if (node.lifetime !== 'named') return nobody(why);
  if (why.code === 'terminated') return nobody(failure('terminated', ENDED));
  if (!isTakenByParent(node, why)) return nobody(why);
  return isReported ? throughParent(tree, node, 'tell') : { to: 'report' };
}

const ENDED = 'It was terminated. Send the message to its parent, whose model can start a new one under its name.';

function routeOfRetry(tree: TreeIndex, node: ChildNode): Route {
  const why = whyNotRetried(node);
  return why ? nobody(withStanding(node, why)) : throughParent(tree, node, 'retry');
}

/** The agent says whether it can be copied from where that is asked for; its parent copies it. */
function routeOfFork(tree: TreeIndex, node: ChildNode): Route {
  const why = node.placement === 'remote' ? failure('lives_elsewhere') : whyNoWork(tree, node);
  return why ? nobody(why) : { to: 'agent', next: { to: 'parent', ask: 'fork' } };
}

/** An abort ends with what its parent is told; a terminate then ends the session as well. */
function routeOfStop(tree: TreeIndex, node: ChildNode, verb: StopVerb): Route {
  const stop: Route = !isYetToBegin(node)
    ? AGENT
    : stopsUnbegun(verb, tree, node)
      ? { to: 'parent', ask: verb }
      : { to: 'record', does: 'nothing' };
  if (isResumable(verb) || !isWaitedFor(node)) return stop;
  return verb === 'abort' ? { to: 'parent', ask: 'giveUp' } : { to: 'parent', ask: 'giveUp', next: stop };
}

/** By way of its parent, where that may be given work. */
function throughParent(tree: TreeIndex, node: ChildNode, ask: keyof ControlsOver): Route {
  const over = whyNoWork(tree, node);
  return over ? nobody(over) : { to: 'parent', ask };
}

/** Whether an agent is at rest, or has not begun: its parent alone lets it continue. */
export function restsUnderParent(node: TreeNode): boolean {
  return node.kind === 'child' && (!isLive(node) || !hasBegun(node));
}

/** Whether what an agent refuses to be told is for its parent to take: a companion that is at rest, or has not begun. */
export function isTakenByParent(node: TreeNode, { code }: Failure): node is ChildNode {
  if (node.kind === 'root' || node.lifetime !== 'named') return false;
  return code === 'owned_by_parent' || ((code === 'unavailable' || code === 'never_began') && !hasBegun(node));
}

/** Why the place of a sub-agent alone keeps it from being tried again, if it does. */
function whyNotRetried(node: ChildNode): Failure | undefined {
  const { status } = node;
  if (node.task.onFailure !== 'wait') {
    const advice = "Its tool needs the option `onFailure: 'wait'`. Retry or start the root.";
    return failure('owned_by_parent', `The failure of this sub-agent is the result of its parent's call. ${advice}`);
  }
  if (isLive(node)) return failure('already_running');
  if (isWaitedFor(node)) return undefined;
  return failure('not_retryable', `Only a failed sub-agent can be retried; this one is ${status}.`);
}

/** The refusal of a verb because a run is at work, with the status of that agent and its latest run. */
export function withStanding(node: TreeNode, error: Failure): Failure {
  if (error.code !== 'already_running' && error.code !== 'awaiting_input') return error;
  const { status, sessionId } = node;
  const details = node.kind === 'root' ? { status } : { status, runId: childRunId(sessionId, node.runNumber) };
  return failure(error.code, error.message, error.retryable, details);
}

/** Why nothing at rest below an agent that was terminated is given work, if it is below one. */
export function whyNoWork(tree: TreeIndex, node: ChildNode): Failure | undefined {
  const parent = tree.parentOf(node);
  const over = parent && tree.whyOver(parent);
  return over && failure('terminated', OVER_ABOVE[over]);
}

/** Why a sub-agent takes no start from outside. */
export function whyNotStarted(): Failure {
  return failure(
    'owned_by_parent',
    'Its parent starts this agent. Start the root, or send this agent a message while it works.',
  );
}

/** Whether a stop of an agent that waits for its slot, or never began, changes anything. */
function stopsUnbegun(verb: StopVerb, tree: TreeIndex, node: ChildNode): boolean {
  if (isLive(node)) return true;
  // An interrupt took it out of the queue, under a parent that waits for it.
  const parent = tree.parentOf(node);
  return !isResumable(verb) && node.status === 'queued' && parent !== undefined && isLive(parent);
}
