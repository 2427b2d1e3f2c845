/**
 * Retention: how much of the tree's log stays whole, and which agents stay in its record.
 *
 * Decides: what is removed by `keepRuns` and `keepLogBytes`.
 * Keeps TR8.
 *
 * W7. The last `keepRuns` runs of the root stay whole, the one that begins included, or as many of the newest as hold
 *     `keepLogBytes`, whichever is less. What is older goes, at the beginning of a run.
 * TR8. With it go the agents that have ended and live no longer than their call; what keeps others is decided here.
 * CR1. Named children that are kept with a run of their parent go when that has ended, and they rest.
 * TR11. One whose task is open stays, of whatever turn it is: what an old turn began may go on in the background, or wait
 *     for a person.
 */
import type { Chunk } from '../../protocol/chunks';
import type { Limits } from '../definition/limits';
import { type ChildNode, isLive, type TreeNode } from './node';
import { goesWithItsTurn } from './relationship-rules';
import type { TreeIndex } from './tree-index';

/** A run of the root that has ended: where its log begins, and its size in characters. */
export interface EndedTurn {
  readonly turn: number;
  readonly first: number;
  readonly size: number;
}

/** Where the log begins from now on. */
export interface Kept {
  /** The oldest run that stays. */
  readonly turn: number;
  /** The first sequence that stays. */
  readonly first: number;
}

/**
 * Decides what stays when a run begins.
 * @param ended the runs before it, oldest first
 * @param begins the run that begins, and the sequence that its log begins at
 * @returns what stays, or undefined when everything does
 */
export function retain(
  ended: readonly EndedTurn[],
  begins: Kept,
  limits: Pick<Limits, 'keepRuns' | 'keepLogBytes'>,
): Kept | undefined {
  let kept = begins;
  let size = 0;
  let runs = 1;
  for (const turn of ended.toReversed()) {
    size += turn.size;
    runs++;
    if (runs > limits.keepRuns || size > limits.keepLogBytes) return kept;
    kept = { turn: turn.turn, first: turn.first };
  }
  return undefined;
}

/**
 * The agents that leave the record with the turns before one: those that have ended, with their tasks, live no longer than
 * their call, and have nobody below them who stays for that; each with all that lies below it.
 */
export function forgettable(tree: TreeIndex, turn: number): ChildNode[] {
  const children = [...tree.allChildren()];
  const goesOn = (node: ChildNode): boolean => isLive(node) || tree.hasOpenTask(node);
  const needed = new Set<number>();
  // A parent comes before its children.
  for (const node of children.toReversed()) if (goesOn(node) || needed.has(node.id)) needed.add(node.parentId);
  const gone = new Set<number>();
  return children.filter((node) => {
    const rests = !goesOn(node) && !needed.has(node.id);
    const goes = gone.has(node.parentId) || (rests && node.task.turn < turn && goesWithItsTurn(node));
    if (goes) gone.add(node.id);
    return goes;
  });
}

/** The children of an agent that were kept with a run of it which these chunks of it end: they leave from now on. */
export function leavingAfter(tree: TreeIndex, { id }: TreeNode, chunks: readonly Chunk[]): ChildNode[] {
  if (!chunks.some(endsRun)) return [];
  return tree.children(id).flatMap((node): ChildNode[] => {
    const { task } = node;
    return task.removal === undefined ? [] : [{ ...node, task: { ...task, removal: 'when_idle' } }];
  });
}

/** Whether a run that may be interrupted before, and is not to be resumed any more, has ended. */
function endsRun(chunk: Chunk): boolean {
  switch (chunk.type) {
    case 'run_completed':
    case 'run_failed':
    case 'run_terminated':
      return true;
    case 'run_started':
      return chunk.turn === chunk.chainTurn;
    default:
      return false;
  }
}

/** Those who leave now: they rest, and their parent has told of the end of their task. */
export function departing(tree: TreeIndex): ChildNode[] {
  return [...tree.toRemove.values()].filter((node) => !isLive(node) && !tree.hasOpenTask(node));
}
