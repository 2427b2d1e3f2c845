/** What people do to trees, step by step: each play ends the same, whenever the process is lost on the way. */
import { expect } from 'vitest';
import type { StopVerb } from '../../src/core/agent/runs/stop-verb';
import type { ParentSuspendRule } from '../../src/core/definition/definition';
import { deafTree, deepWait, failsFirst, manyWaits, ownWait, slowTree } from './control';
import { examine, transcripts } from './examine';
import { Tree, type TreeOptions, type TreeParts } from './harness';
import { AGAIN, People, type Plan, type Wish } from './people';
import { COMPLETED } from './trees';

/** A play. */
export interface Play {
  readonly name: string;
  make(tree: Tree): TreeParts;
  /** Fresh for each run. */
  plan(): Plan;
  /** How often an effect may be cut off by what people do, and run again for it. */
  readonly cuts: number;
  /** Whether all transcripts are the same whatever is lost; false where a stop cuts off what had happened by then. */
  readonly same: boolean;
  /** How the root ends. */
  readonly outcome: object;
}

/** How often a tool's body was begun in all, or one of this tree's tools. */
const bodies = (tree: Tree): number => [...tree.bodies.values()].reduce((sum, count) => sum + count, 0);

const asked = (tree: Tree, agentType: string, step: number): boolean =>
  tree.port.asked.some((one) => one.agentType === agentType && one.step === step);

/** Once so many bodies have begun. */
const begun = (count: number) => (tree: Tree) => bodies(tree) >= count;

const stops = (verb: StopVerb, when: Wish['when'], later = 0): Wish => ({
  when,
  later,
  ask: (tree) => tree.stopSurely(verb),
});

/** A stop of an agent below the root, as people ask for it: one that has ended meanwhile is left as it is. */
const stopsAt = (address: string, verb: StopVerb, when: Wish['when']): Wish => ({
  when,
  ask: (tree) => stopSurelyAt(tree, address, verb),
});

async function stopSurelyAt(tree: Tree, address: string, verb: StopVerb): Promise<void> {
  const said = await tree.stopAt(address, verb);
  expect(said.ok || ['gone', 'not_found'].includes(said.error.code), `${address}: ${JSON.stringify(said)}`).toBe(true);
}

const ENDS: { readonly [Verb in StopVerb]: object } = {
  interrupt: COMPLETED,
  abort: { status: 'failed', error: { code: 'aborted' } },
  terminate: { status: 'terminated' },
};

/** A stop of the whole tree while its leaves are in slow tools; an interrupt is resumed. */
function stopped(verb: StopVerb, count: number, options: { one?: true } = {}): Play {
  const limits = options.one ? { maxConcurrentChildren: 1 } : {};
  return {
    name: `${verb} after ${count} bodies${options.one ? ', children in the queue' : ''}`,
    make: (tree) => slowTree(tree, limits),
    plan: () => ({ wishes: [stops(verb, begun(count))] }),
    cuts: 1,
    same: verb === 'interrupt',
    outcome: ENDS[verb],
  };
}

const MIDDLE = '/agents/top/one/sub/middle/1~1';
const INNER = `${MIDDLE}/sub/inner/1~1`;
const LEAF = `${INNER}/sub/leaf/1~1`;

/** A stop of one agent of a deep tree, or of the whole, while its leaf waits for a person. */
function stoppedWaiting(verb: StopVerb, address: string): Play {
  const waits = (tree: Tree): boolean => tree.nodes.some(({ status }) => status === 'suspended_client_tool');
  return {
    name: `${verb} of ${address} while an agent three levels down waits`,
    make: (tree) => deepWait(tree),
    plan: () => ({ wishes: [stopsAt(address, verb, waits)], choose: (open) => open[0] }),
    cuts: 1,
    // What was said before the stop is in the ledger or is not.
    same: verb === 'interrupt',
    outcome: address === '/agents/top/one' ? ENDS[verb] : COMPLETED,
  };
}

/** A parent that waits itself, answered in the midst of what its children do, or when nothing else goes on. */
function suspended(rule: ParentSuspendRule, early: boolean): Play {
  const inTheMidst: Wish = {
    when: (tree) => tree.nodes.some(({ kind, status }) => kind === 'root' && status === 'suspended_step_partial'),
    later: 4,
    ask: async (tree) => {
      const [own] = tree.pending;
      if (own) await tree.answer(own, { kind: 'approval-response', approved: true });
    },
  };
  return {
    name: `${rule}: a parent that waits is answered ${early ? 'at once' : 'late'}`,
    make: (tree) => ownWait(tree, rule),
    plan: () => (early ? { wishes: [inTheMidst] } : {}),
    cuts: 1,
    same: true,
    outcome: COMPLETED,
  };
}

/** An agent is deleted so many commits after it asked for its children. */
function deleted(later: number): Play {
  const spawns = (tree: Tree, commit: string): boolean => commit === 'model_replied' && asked(tree, 'middle', 2);
  return {
    name: `an agent is deleted ${later} commits after it asked for children`,
    make: (tree) => slowTree(tree),
    plan: () => ({ wishes: [{ when: spawns, later, ask: (tree) => tree.remove(MIDDLE) }] }),
    cuts: 0,
    same: false,
    outcome: COMPLETED,
  };
}

const waiting = (name: string, make: Play['make'], plan: Plan = {}): Play => ({
  name,
  make,
  plan: () => plan,
  cuts: 0,
  same: true,
  outcome: COMPLETED,
});

const ONE = '/agents/top/one/sub/kid/1~1/sub/leaf/1~1';
const TWO = '/agents/top/one/sub/kid/1~1/sub/leaf/2~1';

/** Two agents fail three levels down, and ask again what failed: both are tried again, one is given up, or somebody stops the tree meanwhile. */
function failed(name: string, plan: Plan, facts: Partial<Play> = {}): Play {
  return {
    name,
    make: (tree) => failsFirst(tree),
    plan: () => plan,
    cuts: 1,
    same: true,
    outcome: COMPLETED,
    ...facts,
  };
}

const oneFailed = (tree: Tree): boolean => tree.nodes.some(({ status, depth }) => depth === 3 && status === 'failed');
const bothDecide: Wish = {
  when: (tree) => tree.nodes.some(({ kind, status }) => kind === 'root' && status === 'suspended_awaiting_children'),
  ask: async (tree) => {
    const said = await Promise.all([tree.decide(ONE, 'retry', AGAIN), tree.decide(ONE, 'give_up')]);
    expect(said.filter(({ answer }) => answer === 'done').length, 'who decided').toBeLessThanOrEqual(1);
  },
};

const allFailed = (tree: Tree): boolean =>
  tree.nodes.some(({ kind, status }) => kind === 'root' && status === 'suspended_awaiting_children');

/** Both failed agents are tried again at once, where one may work at a time: this is who waits in the queue for it. */
const bothRetry: Wish = {
  when: allFailed,
  ask: (tree) => {
    const there = tree.nodes.map(({ address }) => address).filter((address) => address === ONE || address === TWO);
    return Promise.all(there.map((address) => tree.decide(address, 'retry', AGAIN)));
  },
};
const oneQueued = (address: string) => (tree: Tree) =>
  tree.nodes.some(
    (node) =>
      node.kind === 'child' && node.address === address && node.schedule.phase === 'queued' && node.runNumber > 1,
  );

/** A retry that waits in the queue, and what becomes of its agent there. */
function queuedRetry(name: string, ask: (tree: Tree) => Promise<void>, facts: Partial<Play> = {}): Play {
  const plan = { wishes: [bothRetry, { when: oneQueued(TWO), ask, mayPass: true } satisfies Wish] };
  return failed(name, plan, { make: (tree) => failsFirst(tree, { maxConcurrentChildren: 1 }), ...facts });
}

const removes = (address: string, when: Wish['when']): Wish => ({ when, ask: (tree) => tree.remove(address) });

/** All plays. */
export const PLAYS: readonly Play[] = [
  stopped('interrupt', 1),
  stopped('interrupt', 6),
  stopped('interrupt', 3, { one: true }),
  stopped('abort', 6),
  stopped('abort', 3, { one: true }),
  stopped('terminate', 6),
  waiting('an approval, then a client tool, three levels down', (tree) => deepWait(tree)),
  waiting('an approval and a client tool in one step, three levels down', (tree) => deepWait(tree, true)),
  waiting('several calls in different children, answered in order', manyWaits),
  waiting('several calls in different children, answered from the last', manyWaits, { choose: (open) => open.at(-1) }),
  stoppedWaiting('interrupt', '/agents/top/one'),
  stoppedWaiting('interrupt', INNER),
  stoppedWaiting('interrupt', LEAF),
  stoppedWaiting('abort', LEAF),
  stoppedWaiting('abort', MIDDLE),
  stoppedWaiting('terminate', INNER),
  ...(['continue', 'pause', 'respawn'] as const).flatMap((rule) => [suspended(rule, true), suspended(rule, false)]),
  failed('agents that failed try again', {}),
  failed('one that failed tries again, the other is given up', {
    failed: (address) => (address === ONE ? 'give_up' : 'retry'),
  }),
  failed('a retry and a giving up at once', { wishes: [bothDecide] }, { same: false }),
  failed('interrupt while one has failed', { wishes: [stops('interrupt', oneFailed)] }, { cuts: 2 }),
  failed(
    'abort while one has failed',
    { wishes: [stops('abort', oneFailed)] },
    {
      cuts: 1,
      same: false,
      outcome: ENDS.abort,
    },
  ),
  failed(
    'interrupt right after a retry',
    {
      wishes: [stops('interrupt', (_tree, commit) => commit === 'child_decided')],
    },
    { cuts: 2 },
  ),
  queuedRetry('a retry in the queue is interrupted alone', (tree) => stopSurelyAt(tree, TWO, 'interrupt')),
  queuedRetry('a retry in the queue is aborted', (tree) => stopSurelyAt(tree, TWO, 'abort'), { same: false }),
  queuedRetry('an agent is deleted whose retry is in the queue', (tree) => tree.remove(TWO), { same: false }),
  failed('an agent is deleted that failed and is waited for', { wishes: [removes(ONE, allFailed)] }),
  failed('an agent is deleted right after it failed', { wishes: [removes(ONE, oneFailed)] }, { same: false }),
  failed(
    'an agent is deleted right after its retry',
    { wishes: [removes(ONE, (_tree, commit) => commit === 'child_decided')] },
    { same: false },
  ),
  deleted(0),
  deleted(3),
  {
    name: 'tools that hear no abort are interrupted',
    make: deafTree,
    plan: () => ({ wishes: [stops('interrupt', begun(4))] }),
    cuts: 1,
    same: false,
    outcome: COMPLETED,
  },
  {
    name: 'tools that hear no abort are aborted',
    make: deafTree,
    plan: () => ({ wishes: [stops('abort', begun(4))] }),
    cuts: 0,
    same: false,
    outcome: ENDS.abort,
  },
];

/** What was run more than once in one schedule: how much, and the most of one effect. */
export interface Repeats {
  readonly bodies: number;
  readonly models: number;
  readonly most: number;
}

/** Counts what was run again: bodies by their call, model calls by the step of their agent. */
function repeats(tree: Tree): Repeats {
  const models = new Map<string, number>();
  for (const { sessionId, step } of tree.port.asked) {
    const key = `${sessionId} ${step}`;
    models.set(key, (models.get(key) ?? 0) + 1);
  }
  const again = (counts: Iterable<number>): number => [...counts].reduce((sum, count) => sum + count - 1, 0);
  const most = Math.max(0, ...tree.bodies.values(), ...models.values()) - 1;
  return { bodies: again(tree.bodies.values()), models: again(models.values()), most };
}

/** Runs a play to its end, checks what holds of every run, and gives what can be compared. */
export async function played(play: Play, options: TreeOptions = {}, what = '') {
  const people = new People(play.plan());
  const onCommit = (tree: Tree, commit: number): void => {
    people.committed(tree, tree.commits.at(-1) ?? '');
    options.onCommit?.(tree, commit);
  };
  const tree = new Tree((made) => play.make(made), { ...options, onCommit });
  try {
    await tree.start();
    await people.attend(tree);
    examine(tree, `${play.name}, ${what}`);
    const again = repeats(tree);
    expect(again.most, `${play.name}, ${what}: repeats of one effect`).toBeLessThanOrEqual(tree.crashes + play.cuts);
    expect(people.isContent(tree), `${play.name}, ${what}: everything was asked`).toBe(true);
    expect(tree.outcome, `${play.name}, ${what}`).toMatchObject(play.outcome);
    const { crashes, kinds, outcome, time } = tree;
    const { problems } = time;
    return { transcripts: transcripts(tree), kinds, crashes, outcome, problems, again };
  } catch (error) {
    if (error instanceof Error) error.message = `${play.name}, ${what}: ${error.message}`;
    throw error;
  } finally {
    tree.close();
  }
}
