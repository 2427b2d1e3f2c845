/**
 * The answers of a parent to what is asked of its child through it.
 *
 * Decides: what a refusal of a parent means at its child, and what is answered for a parent that is gone.
 * Keeps A82.
 */

import { type Failure, failure } from '../../../protocol/errors';
import type { Control } from '../../../protocol/shown/controls';
import type { ControlsOver } from '../../agent/controls';
import { isAbandoned, isLive, type TreeNode } from '../node';
import type { TreeIndex } from '../tree-index';

/** What is above an agent and has to continue first, if anything. */
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
      `It continues with ${above.address}, which was interrupted, too: resume that agent, and this one continues by itself.`,
    );
  return failure('owned_by_parent', 'The parent of this agent no longer waits for it. Start the root again.');
}

const gone = failure('superseded', 'The parent of this agent is gone.');
const notReached = failure('unavailable', 'The parent of this agent could not be reached. Try again.');

/** The answers for a parent that is gone. */
export const GONE: ControlsOver = {
  tell: notReached,
  fork: notReached,
  resume: gone,
  retry: gone,
  giveUp: gone,
  interrupt: notReached,
  abort: notReached,
  terminate: notReached,
};

/**
 * The answer about a child, by what its parent answered.
 * @param now the child as the record has it after that
 */
export function answerOfParent(
  tree: TreeIndex,
  node: TreeNode,
  { ask, said, now = node }: { readonly ask: keyof ControlsOver; readonly said: Control; readonly now?: TreeNode },
): Control {
  if (said === true) return true;
  if (ask === 'retry') return said.code === 'superseded' ? ownedBy(tree, { ...node, status: 'interrupted' }) : said;
  if (ask !== 'resume') return said;
  if (said.code === 'superseded') return ownedBy(tree, node);
  const continues = now.schedule.phase === 'working' || now.schedule.phase === 'queued';
  return continues && said.code === 'not_resumable' ? failure('already_running') : said;
}
