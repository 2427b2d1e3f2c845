/**
 * Who decides about what is asked of an agent of a tree, and what follows for what is shown as legal now. The agent
 * itself where it is at work, its parent where it is at rest or has not begun, the record where its place alone says
 * no.
 *
 * Decides: at whom a verb is asked about an agent: itself, its parent or the record.
 * Keeps A82.
 */
import type { Control, Controls } from '../../protocol/controls';
import { type Failure, failure } from '../../protocol/errors';
import type { Child } from '../agent/child';
import { type ControlsOver, nothingToStop, type OwnControls } from '../agent/controls';
import { isResumable, type StopVerb } from '../agent/stop-verb';
import { OVER_ABOVE } from './admission';
import {
  type ChildNode,
  hasBegun,
  isAbandoned,
  isHalted,
  isLive,
  isWaitedFor,
  isYetToBegin,
  type TreeNode,
} from './node';
import type { TreeIndex } from './tree-index';

/** Whether an agent is at rest, or has not begun: what lets it go on is its parent's to say. */
export function restsUnderParent(node: TreeNode): node is ChildNode {
  return node.kind === 'child' && (!isLive(node) || !hasBegun(node));
}

/** Why the place of a sub-agent alone keeps it from being tried again, if it does. */
export function whyNotRetried(node: ChildNode): Failure | undefined {
  const { status } = node;
  if (node.onFailure !== 'wait') {
    const advice = "Its tool would need the option `onFailure: 'wait'`. Retry or start the root.";
    return failure('owned_by_parent', `The failure of this sub-agent is the result of its parent's call. ${advice}`);
  }
  if (isLive(node)) return failure('already_running');
  if (isWaitedFor(node)) return undefined;
  return failure('not_retryable', `Only a sub-agent that failed can be tried again; this one is ${status}.`);
}

/** What is above an agent and has to go on first, if anything. */
function restingAbove(tree: TreeIndex, node: TreeNode): TreeNode | undefined {
  let highest: TreeNode | undefined;
  for (let at = tree.parentOf(node); at; at = tree.parentOf(at)) if (!isLive(at)) highest = at;
  return highest;
}

function ownedBy(tree: TreeIndex, node: TreeNode): Failure {
  if (!isLive(node) && node.status !== 'interrupted' && !isAbandoned(node))
    return failure('not_resumable', `This sub-agent has ended (${node.status}): there is nothing to resume.`);
  const above = restingAbove(tree, node);
  if (above?.status === 'interrupted')
    return failure(
      'owned_by_parent',
      `It goes on with ${above.address}, which was interrupted too: resume that, and this goes on by itself.`,
    );
  return failure('owned_by_parent', 'The agent that asked for this one waits for it no longer. Start the root again.');
}

/**
 * Why a sub-agent does not go on, by what its parent says; nothing where that is not there.
 * @param now the agent as the record has it after its parent has spoken
 */
export function whyNotResumed(
  tree: TreeIndex,
  node: ChildNode,
  now: TreeNode | undefined,
  said: Failure | undefined,
): Failure {
  if (said === undefined || said.code === 'superseded') return ownedBy(tree, node);
  const goesOn = now?.schedule.phase === 'working' || now?.schedule.phase === 'queued';
  return goesOn && said.code === 'not_resumable' ? failure('already_running') : said;
}

/** Why a sub-agent that failed is not tried again, by what its parent says. */
export function whyNotTriedAgain(tree: TreeIndex, node: ChildNode, said: Failure): Failure {
  return said.code === 'superseded' ? ownedBy(tree, { ...node, status: 'interrupted' }) : said;
}

/** Why nothing at rest below an agent that is over for good is given work, if it is below one. */
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

/** Why a sub-agent cannot be copied by a person, if it lives for one call alone. */
export function whyNotCopied({ lifetime }: ChildNode): Failure | undefined {
  if (lifetime === 'named') return undefined;
  return failure('invalid_request', 'Only a companion can be copied, or a root: this one works for one call.');
}

/** Whether what an agent refuses to be told is for its parent to take: a companion that is at rest, or has not begun. */
export function isTakenByParent(node: TreeNode, { code }: Failure): node is ChildNode {
  if (node.kind === 'root' || node.lifetime !== 'named') return false;
  return code === 'owned_by_parent' || ((code === 'unavailable' || code === 'never_began') && !hasBegun(node));
}

/** Whether a stop of an agent that waits for its slot, or never began, changes anything. */
export function stopsUnbegun(verb: StopVerb, tree: TreeIndex, node: ChildNode): boolean {
  if (isLive(node)) return true;
  // An interrupt took it out of the queue, under a parent that waits for it.
  const parent = tree.parentOf(node);
  return !isResumable(verb) && node.status === 'queued' && parent !== undefined && isLive(parent);
}

/** Agents that were interrupted somewhere below one that works or waits, each under a parent that still waits for it. */
export function interruptedBelow(tree: TreeIndex, node: TreeNode): ChildNode[] {
  return tree.subtree(node.id).filter((below): below is ChildNode => {
    if (below.kind === 'root' || below.id === node.id || !tree.hasOpenTask(below)) return false;
    const parent = tree.parentOf(below);
    return isHalted(below) && parent !== undefined && isLive(parent);
  });
}

/** What is known of an agent whose controls are asked for. */
export interface Asked {
  /** What it says itself; missing where it has not begun. */
  readonly own?: OwnControls | undefined;
  /** What its parent says of it. */
  readonly over?: ControlsOver | undefined;
  /** Whether something that was interrupted further below can go on. */
  readonly below: boolean;
  /** Whether something waits for a person at or below it. */
  readonly waits: boolean;
}

/** What is legal now. */
export function controlsOf(tree: TreeIndex, node: TreeNode, asked: Asked): Controls {
  const { own = unbegun(node), waits } = asked;
  const submit: Control = waits || failure('unknown_tool_call', 'Nothing waits for an answer at or below this agent.');
  const resume = goesOn(tree, node, own, asked);
  if (node.kind === 'root') return { ...own, resume, submit, fork: true, remove: true };
  const { over = GONE } = asked;
  return {
    start: whyNotStarted(),
    send: own.send !== true && isTakenByParent(node, own.send) ? (whyNoWork(tree, node) ?? over.tell) : own.send,
    interrupt: stopOf('interrupt', tree, node, own, over),
    abort: stopOf('abort', tree, node, own, over),
    terminate: stopOf('terminate', tree, node, own, over),
    resume,
    retry:
      whyNotRetried(node) ?? whyNoWork(tree, node) ?? (over.retry === true || whyNotTriedAgain(tree, node, over.retry)),
    submit,
    fork: whyNotCopied(node) ?? whyNoWork(tree, node) ?? over.fork,
    remove: true,
  };
}

function goesOn(tree: TreeIndex, node: TreeNode, own: OwnControls, { over = GONE, below }: Asked): Control {
  const ended = restsUnderParent(node) ? whyNoWork(tree, node) : undefined;
  if (ended) return ended;
  if (restsUnderParent(node)) return over.resume === true || whyNotResumed(tree, node, node, over.resume);
  return own.resume !== true && own.resume.code === 'awaiting_input' && below ? true : own.resume;
}

function stopOf(verb: StopVerb, tree: TreeIndex, node: ChildNode, own: OwnControls, over: ControlsOver): Control {
  if (!isResumable(verb) && isWaitedFor(node)) {
    const { giveUp } = over;
    const isOver = giveUp !== true && giveUp.code === 'superseded';
    if (verb === 'abort') return isOver ? nothingToStop() : giveUp;
    if (giveUp !== true && !isOver) return giveUp;
  }
  if (!isYetToBegin(node)) return own[verb];
  return stopsUnbegun(verb, tree, node) ? over[verb] : nothingToStop();
}

/** Why an agent that ended before it began is not asked anything: it has nothing to tell, and asking again brings nothing. */
export function neverBegan(): Failure {
  return failure(
    'never_began',
    'This agent ended before it had begun: it has done nothing, and remembers nothing. Only a new task of its parent begins it.',
  );
}

/** Why a child is not asked that its parent has and the record does not: it is about to begin, or ended before that. */
export function notInRecord({ state }: Pick<Child, 'state'>): Failure {
  if (state.is !== 'ended') return failure('unavailable', 'This agent is about to begin. Ask again.');
  return state.gone ? failure('gone') : neverBegan();
}

/** Why an agent that has not begun is not asked anything: it has yet to begin, or has ended without. */
export function whyUnbegun({ schedule }: TreeNode): Failure {
  // Of one that was withdrawn its parent has the last word, and may let it begin.
  if (schedule.phase === 'ended' && schedule.end.by !== 'withdrawn') return neverBegan();
  return failure('unavailable', 'This agent has not begun yet. Ask again when it runs.');
}

/** What one that has not begun would be answered with. */
function unbegun(node: TreeNode): OwnControls {
  const why = whyUnbegun(node);
  return { start: why, send: why, interrupt: why, abort: why, terminate: why, resume: why, retry: why };
}

const gone = failure('superseded', 'The agent that asked for this one is gone.');
const untold = failure('unavailable', 'The agent that asked for this one could not be told. Try again.');

/** What a parent would say that is not there. */
const GONE: ControlsOver = {
  tell: untold,
  fork: untold,
  resume: gone,
  retry: gone,
  giveUp: gone,
  interrupt: untold,
  abort: untold,
  terminate: untold,
};
