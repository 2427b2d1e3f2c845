/**
 * People at a tree: they answer what waits for them, resume what was interrupted, and ask for stops at given moments.
 * What is not acknowledged they ask again; what was acknowledged they never ask twice, so that a tree which forgets it
 * stands still, and the test fails.
 */

import type { PersonsAnswer } from '../../src/core/agent/events';
import { childOf } from '../../src/core/agent/state';
import { type ChildNode, isHalted, isWaitedFor } from '../../src/core/tree/node';
import type { Tree } from './harness';

/** A call that waits. */
export type Waiting = Tree['pending'][number];

/** Something that people ask once, right after a commit at which they see what they wait for. */
export interface Wish {
  /** Whether the moment has come, after this commit. */
  when(tree: Tree, commit: string): boolean;
  /** So many commits later; 0 by default. */
  readonly later?: number;
  /** Where the process is lost twice, the moment may be over before anybody has seen it. */
  readonly mayPass?: true;
  /** Asks; throws or is never answered where the process is lost. */
  ask(tree: Tree): unknown;
}

/** What people do. */
export interface Plan {
  readonly wishes?: readonly Wish[];
  /** What they say to a call; yes, or `given` for a client's tool. */
  readonly say?: (waiting: Waiting) => PersonsAnswer;
  /** Which of the calls that wait is answered next; the first by default. */
  readonly choose?: (waiting: readonly Waiting[]) => Waiting | undefined;
  /** Whether they resume what was interrupted; true by default. */
  readonly resume?: boolean;
  /** What they do about an agent that failed and is waited for; they retry it, with a message, by default. */
  readonly failed?: (address: string) => 'retry' | 'give_up';
}

/** The yes, or the result, that a call waits for. */
export function yes({ item }: Waiting): PersonsAnswer {
  return item.kind === 'approval'
    ? { kind: 'approval-response', approved: true }
    : { kind: 'client-tool-result', result: { success: true, value: { given: item.toolName } } };
}

interface Asking {
  readonly wish: Wish;
  stage: 'waits' | 'seen' | 'asked' | 'unanswered' | 'done';
  left: number;
}

/** What people say to an agent that they let try again. */
export const AGAIN = 'Try again.';

/** How often people look at a tree that is at rest. */
const ROUNDS = 400;

/** The people at one tree. */
export class People {
  readonly #asking: Asking[];
  /** Calls whose answer was acknowledged. */
  readonly #heard = new Set<string>();
  /** Runs of agents that failed and were decided about. */
  readonly #decided = new Set<string>();

  /** Whose resume was refused, with how many commits there were then. */
  readonly #refused = new Map<string, number>();

  constructor(readonly plan: Plan) {
    this.#asking = (plan.wishes ?? []).map((wish) => ({ wish, stage: 'waits', left: wish.later ?? 0 }));
  }

  /** Whether everything was asked and acknowledged whose moment has come. */
  isContent({ crashes }: Pick<Tree, 'crashes'>): boolean {
    return this.#asking.every(
      ({ stage, wish }) => stage === 'done' || (stage === 'waits' && wish.mayPass === true && crashes > 1),
    );
  }

  /** Looks after each commit. */
  committed(tree: Tree, commit: string): void {
    for (const asking of this.#asking) {
      if (asking.stage === 'waits' && asking.wish.when(tree, commit)) asking.stage = 'seen';
      if (asking.stage === 'seen' && asking.left-- <= 0) {
        asking.stage = 'asked';
        queueMicrotask(() => this.#ask(tree, asking));
      }
    }
  }

  #ask(tree: Tree, asking: Asking): void {
    asking.stage = 'asked';
    Promise.resolve()
      .then(() => asking.wish.ask(tree))
      .then(
        () => {
          asking.stage = 'done';
        },
        (error: unknown) => {
          asking.stage = 'unanswered';
          if (!isLost(error)) tree.time.problems.push(`A wish: ${String(error)}`);
        },
      );
  }

  /** Does what there is to do until the tree has ended. */
  async attend(tree: Tree): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      await tree.rest();
      if (!(await this.#act(tree))) {
        if (tree.ended) return;
        throw new Error(`The tree stands still. ${standing(tree)}`);
      }
    }
    throw new Error(`The tree goes on and on. ${standing(tree)}`);
  }

  async #act(tree: Tree): Promise<boolean> {
    const open = this.#asking.filter(({ stage }) => stage === 'asked' || stage === 'unanswered');
    for (const asking of open) this.#ask(tree, asking);
    if (open.length > 0) return true;
    const waiting = tree.pending.filter(({ toolCallId }) => !this.#heard.has(toolCallId));
    const next = this.plan.choose ? this.plan.choose(waiting) : waiting[0];
    if (next) {
      this.#answer(tree, next);
      return true;
    }
    if (this.plan.resume !== false && this.#resume(tree)) return true;
    return this.#decide(tree);
  }

  /** Decides about an agent that failed and whose parent waits for it. */
  #decide(tree: Tree): boolean {
    const live = new Map(tree.nodes.map((node) => [node.id, node]));
    const runOf = ({ address, runNumber }: ChildNode): string => `${address} ${runNumber}`;
    const found = tree.nodes.find((node): node is ChildNode => {
      if (!isWaitedFor(node)) return false;
      return live.get(node.parentId)?.schedule.phase !== 'ended' && !this.#decided.has(runOf(node));
    });
    if (found === undefined) return false;
    const decision = this.plan.failed?.(found.address) ?? 'retry';
    tree.decide(found.address, decision, decision === 'retry' ? AGAIN : undefined).then(
      // A refusal says that it was decided before, and the answer got lost.
      () => void this.#decided.add(runOf(found)),
      (error: unknown) => {
        if (!isLost(error)) tree.time.problems.push(`A decision: ${String(error)}`);
      },
    );
    return true;
  }

  #answer(tree: Tree, waiting: Waiting): void {
    const { toolCallId } = waiting;
    tree.answer(waiting, (this.plan.say ?? yes)(waiting)).then(
      (answer) => {
        if (answer.ok || answer.error.code === 'already_answered') this.#heard.add(toolCallId);
      },
      (error: unknown) => {
        if (!isLost(error)) tree.time.problems.push(`An answer: ${String(error)}`);
      },
    );
  }

  /** Resumes the highest agent that was interrupted. */
  #resume(tree: Tree): boolean {
    const live = new Map(tree.nodes.map((node) => [node.id, node]));
    const found = tree.nodes.find((node) => {
      const above = node.kind === 'child' ? live.get(node.parentId) : undefined;
      const refused = this.#refused.get(node.address) === tree.commits.length;
      return isHalted(node) && !refused && (above === undefined || above.schedule.phase !== 'ended');
    });
    if (found === undefined) return false;
    tree.resume(found.address).then(
      // Whose task has ended since does not go on: it is asked again only when something has changed.
      (goesOn) => void (goesOn || this.#refused.set(found.address, tree.commits.length)),
      (error: unknown) => {
        if (!isLost(error)) tree.time.problems.push(`A resume: ${String(error)}`);
      },
    );
    return true;
  }
}

function isLost(error: unknown): boolean {
  return error instanceof Error && error.message.includes('lost from memory');
}

/** How a tree stands, for a failure. */
function standing(tree: Tree): string {
  const nodes = tree.nodes.map(({ address, schedule, status }) => `${address}: ${schedule.phase} ${status}`);
  const own = tree.addresses.map((address) => {
    const state = tree.state(address);
    const { run, step } = state;
    const stop = run?.phase === 'active' && run.stop ? ` ${run.stop.verb}` : '';
    const calls =
      step?.phase === 'calls'
        ? step.calls.map(
            (call) =>
              `${call.name} ${call.settled ? 'settled' : JSON.stringify(childOf(state, call)?.state ?? call.state ?? 'open')}`,
          )
        : [];
    return `${address}: run ${run?.phase}${stop}, step ${step?.id} ${step?.phase} ${calls.join(', ')}`;
  });
  const pending = tree.pending.map(({ address, item }) => `${address} waits for ${item.toolName}`);
  const { time } = tree;
  return [...nodes, ...own, ...pending, `commits: ${tree.commits.slice(-8).join(' ')}`, ...time.problems].join('\n');
}
