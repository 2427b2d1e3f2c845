import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isHeldByCall, keyOf } from '../../src/core/agent/children/child';
import type { Awaits } from '../../src/core/agent/state';
import { DEFAULT_LIMITS, type Limits, limitsOf } from '../../src/core/definition/limits';
import { type Admission, type AdmissionRequest, admit, nextAdmissions } from '../../src/core/tree/admission';
import { abandoned, closed, nextDeadline, overdue, withStatus } from '../../src/core/tree/clocks';
import { closedBy, merge, withParentsWord } from '../../src/core/tree/merge';
import { asChild, type ChildNode, type RootNode, type Schedule, type TreeNode } from '../../src/core/tree/node';
import { createdIn, withoutAgents } from '../../src/core/tree/removed-agents';
import { forgettable, leavingAfter } from '../../src/core/tree/retention';
import { TreeIndex } from '../../src/core/tree/tree-index';
import { isTakenByParent } from '../../src/core/tree/verbs/route';
import { notInRecord, whyUnbegun } from '../../src/core/tree/verbs/unbegun';
import type { Chunk } from '../../src/protocol/chunks';
import { failure } from '../../src/protocol/errors';
import type { SessionStatus } from '../../src/protocol/status';
import { NO_USAGE } from '../../src/protocol/usage';
import { childNode, type NodeFacts, rootNode, STANDS } from '../support/nodes';
import { always } from '../support/sizes';

const NOW = 1_000_000;
const ROOT = rootNode({ schedule: { phase: 'idle' }, lastChunk: 0, createdAt: NOW });

/** A request for a child whose end is a notice. */
function notice(record: Record, parent: string): AdmissionRequest {
  const request = record.request(parent);
  return { ...request, task: { ...request.task, await: 'notice' } };
}

/** The record of a tree, driven as the root drives it. */
class Record {
  readonly tree = new TreeIndex([ROOT]);
  readonly limits: Limits;
  #asked = 0;

  constructor(limits: Partial<Limits> = {}) {
    this.limits = limitsOf(limits);
  }

  node(sessionId: string): TreeNode {
    const node = this.tree.bySession(sessionId);
    if (node === undefined) throw new Error(`${sessionId} is not in the record.`);
    return node;
  }

  child(sessionId: string): ChildNode {
    return asChild(this.node(sessionId));
  }

  request(parent: string, sessionId = `s_${++this.#asked}`): AdmissionRequest {
    const { address, depth } = this.node(parent);
    return {
      sessionId,
      address: `${address}/sub/leaf/${sessionId}`,
      agentType: 'leaf',
      depth: depth + 1,
      childId: this.#asked,
      task: { number: 1, callId: `c_${sessionId}`, await: 'step', timeoutMs: 60_000 },
      runNumber: 1,
      lifetime: 'call',
      placement: 'facet',
    };
  }

  /** Says what an agent awaits, as it does with its chunks. */
  awaits(parent: string, openTasks: readonly Awaits[]): void {
    this.tree.set({ ...this.node(parent), openTasks });
  }

  /** Asks as an agent does that awaits what its calls begin, together with what it awaited before. */
  admit(parent: string, requests: readonly AdmissionRequest[], now = NOW): Admission[] {
    const before = (this.node(parent).openTasks ?? []).filter(({ need }) => need > 0).flatMap(({ tasks }) => tasks);
    const begun = requests.filter(({ task }) => isHeldByCall(task)).map(keyOf);
    const tasks = [...before, ...begun];
    const others = requests.filter(({ task }) => !isHeldByCall(task)).map(keyOf);
    this.awaits(parent, [
      { tasks, need: tasks.length },
      { tasks: others, need: 0 },
    ]);
    const { answers, nodes } = admit(this.tree, this.node(parent), requests, this.limits, now);
    for (const node of nodes) this.tree.set(node);
    return answers;
  }

  /** Asks for so many children and gives the session ids of those that start, and of those that wait. */
  children(parent: string, count: number): { started: string[]; queued: string[]; refused: string[] } {
    const requests = Array.from({ length: count }, () => this.request(parent));
    const answers = this.admit(parent, requests);
    const of = (answer: Admission['answer']) =>
      requests.flatMap(({ sessionId }, index) => (answers[index]?.answer === answer ? [sessionId] : []));
    return { started: of('start'), queued: of('queued'), refused: of('refused') };
  }

  end(sessionId: string, now = NOW): string[] {
    this.tree.set(withStatus(this.child(sessionId), 'completed', now));
    return this.next(now);
  }

  next(now = NOW): string[] {
    const admitted = nextAdmissions(this.tree, this.limits, now);
    for (const node of admitted) this.tree.set(node);
    return admitted.map(({ sessionId }) => sessionId);
  }
}

/** What every chunk says. */
const BASE = {
  agentId: 's',
  agentType: 'leaf',
  address: '/agents/top/one',
  runId: 'r',
  step: 1,
  attempt: 1,
  timestamp: 1,
};
const chunk = (): Chunk => ({ ...BASE, type: 'step_started' });
const batch = (sessionId: string, first: number, count: number, status: SessionStatus = 'running') => ({
  sessionId,
  first,
  chunks: Array.from({ length: count }, () => chunk()),
  status,
  usage: { ...NO_USAGE, modelCalls: first },
});

describe('admission', () => {
  it('[TR3, DF3] 48 agents work at once by default; the 49th waits for a slot', () => {
    expect(DEFAULT_LIMITS.maxConcurrentChildren).toBe(48);
    const record = new Record();
    const { started, queued } = record.children('s_root', 50);
    expect([started.length, queued.length]).toEqual([48, 2]);
    expect(record.end(started[10] ?? '')).toEqual([queued[0]]);
    expect(record.tree.slotsTaken()).toBe(48);
    expect(record.node(queued[1] ?? '')).toMatchObject({ schedule: { phase: 'queued' }, status: 'queued' });
  });

  it('[TR3] an agent that waits for its children lends them its slot, at any limit and depth', () => {
    const record = new Record({ maxConcurrentChildren: 1 });
    const top = record.children('s_root', 2);
    const middle = record.children(top.started[0] ?? '', 2);
    expect(middle.started).toHaveLength(1);
    const leaf = record.children(middle.started[0] ?? '', 2);
    expect(leaf.started).toHaveLength(1);
    expect(record.tree.slotsTaken()).toBe(1);
    expect(record.end(leaf.started[0] ?? '')).toEqual([leaf.queued[0]]);
    // Its last child gives the slot back to the agent that waited.
    expect(record.end(leaf.queued[0] ?? '')).toEqual([]);
    expect(record.end(middle.started[0] ?? '')).toEqual([middle.queued[0]]);
    expect(record.end(middle.queued[0] ?? '')).toEqual([]);
    expect(record.end(top.started[0] ?? '')).toEqual([top.queued[0]]);
  });

  it('[TR3] the parent with the fewest at work comes first, then who has waited longest', () => {
    const record = new Record({ maxConcurrentChildren: 4 });
    const [a = '', b = ''] = record.children('s_root', 2).started;
    const ofA = record.children(a, 5);
    const ofB = record.children(b, 3);
    expect([ofA.started.length, ofB.started.length]).toEqual([3, 1]);
    expect(record.end(ofB.started[0] ?? '')).toEqual([ofB.queued[0]]);
    expect(record.end(ofA.started[0] ?? '')).toEqual([ofB.queued[1]]);
    expect(record.end(ofA.started[1] ?? '')).toEqual([ofA.queued[0]]);
    expect(record.next()).toEqual([]);
  });

  it('[TR12] one that comes to the queue again waits behind those that are in it, also when the record is read anew', () => {
    const record = new Record({ maxConcurrentChildren: 2 });
    const { started, queued } = record.children('s_root', 4);
    const [first = '', second = ''] = started;
    record.tree.set({ ...withStatus(record.child(first), 'interrupted', NOW), lastChunk: 3 });
    expect(record.next()).toEqual([queued[0]]);
    const again = { ...record.request('s_root', first), task: record.child(first).task, runNumber: 2 };
    expect(record.admit('s_root', [again])).toMatchObject([{ answer: 'queued' }]);
    // What else is said of one in the queue is no reason to wait longer.
    record.tree.set({ ...record.child(queued[1] ?? ''), statusText: 'x' });
    const read = new TreeIndex([...record.tree.all()].sort((one, other) => one.id - other.id));
    expect(read.nextPlace).toBe(record.tree.nextPlace);
    for (const tree of [record.tree, read]) {
      tree.set(withStatus(asChild(tree.bySession(second) ?? ROOT), 'completed', NOW));
      tree.set(withStatus(asChild(tree.bySession(queued[0] ?? '') ?? ROOT), 'completed', NOW));
      const next = nextAdmissions(tree, record.limits, NOW).map(({ sessionId }) => sessionId);
      expect(next).toEqual([queued[1], first]);
    }
    const one = nextAdmissions(read, { ...record.limits, maxConcurrentChildren: 1 }, NOW);
    expect(one.map(({ sessionId }) => sessionId)).toEqual([queued[1]]);
  });

  it('[TR3] nobody overtakes the queue but the first children of one that lends its slot', () => {
    const record = new Record({ maxConcurrentChildren: 2 });
    const [a = '', b = ''] = record.children('s_root', 3).started;
    expect(record.children(a, 2)).toMatchObject({ started: [expect.anything()], queued: [expect.anything()] });
    expect(record.children(b, 1).started).toHaveLength(1);
    expect(record.children(b, 1).started).toHaveLength(0);
  });

  it('[TR4, RS7] who was interrupted goes on with a newer entry alone: the old one asked for again changes nothing', () => {
    const record = new Record();
    const request = record.request('s_root', 's_a');
    record.admit('s_root', [request]);
    record.tree.set({ ...withStatus(record.child('s_a'), 'interrupted', NOW), lastChunk: 3 });
    expect(record.admit('s_root', [request])).toMatchObject([{ answer: 'start', begun: true }]);
    expect(record.node('s_a')).toMatchObject({ schedule: { phase: 'ended' }, status: 'interrupted' });
    record.admit('s_root', [{ ...request, runNumber: 2 }]);
    expect(record.node('s_a')).toMatchObject({ schedule: { phase: 'working' }, status: 'running', runNumber: 2 });
  });

  it('[TR3] a slot that has just become free is not for who comes now, as long as others wait', () => {
    const record = new Record({ maxConcurrentChildren: 1 });
    const { started, queued } = record.children('s_root', 2);
    record.tree.set(withStatus(record.child(started[0] ?? ''), 'completed', NOW));
    const late = record.children('s_root', 1);
    expect(late).toMatchObject({ started: [], queued: [expect.anything()] });
    expect(record.next()).toEqual(queued);
  });

  it('[RG4] an agent that has not begun is asked later, until it can begin no more', () => {
    const record = new Record();
    const [started = ''] = record.children('s_root', 1).started;
    const child = record.child(started);
    const withdrawn = abandoned(child, NOW, false);
    expect([child, withdrawn].map((node) => whyUnbegun(node).code)).toEqual(['unavailable', 'unavailable']);
    for (const over of [closed(withdrawn, NOW), abandoned(child, NOW, true)]) {
      expect(whyUnbegun(over)).toMatchObject({ code: 'never_began', retryable: false });
      expect(whyUnbegun(over).message).not.toContain('Ask again');
      expect(isTakenByParent({ ...over, lifetime: 'named' }, whyUnbegun(over))).toBe(true);
    }
    const ended = { is: 'ended', result: { success: true, value: 1 } } as const;
    const states = [{ is: 'working' }, ended, { ...ended, gone: true }] as const;
    expect(states.map((state) => notInRecord({ state }).code)).toEqual(['unavailable', 'never_began', 'gone']);
  });

  it('[R17] an agent that is abandoned before it began is queued until its call is closed, and has failed with its parent', () => {
    const record = new Record();
    const [a = '', b = ''] = record.children('s_root', 2).started;
    const standing = ({ status, schedule }: ChildNode) => [
      status,
      schedule.phase === 'ended' ? schedule.end : schedule,
    ];
    const lost = { by: 'abandoned', at: NOW };
    expect(standing(abandoned(record.child(a), NOW, false))).toEqual(['queued', { by: 'withdrawn' }]);
    expect(standing(abandoned(record.child(a), NOW, true))).toEqual(['failed', lost]);
    const begun = { ...record.child(b), lastChunk: 1 };
    expect(standing(abandoned(begun, NOW, false))).toEqual(['failed', lost]);
    const closes = (subSessionId: string): Chunk => ({
      ...BASE,
      ...{ type: 'subagent_end', subAgentType: 'leaf', subSessionId, callId: 'c', generation: 1, childId: 1, task: 1 },
      ...{ success: false, error: failure('subagent_lost'), usage: NO_USAGE },
    });
    expect(closedBy(record.tree, [chunk(), closes(a)], NOW)).toMatchObject([{ sessionId: a, status: 'failed' }]);
    record.tree.set(begun);
    expect(closedBy(record.tree, [closes(b)], NOW)).toEqual([]);
  });

  it("[DG32] the status text of a child is its own, or its own parent's word, and nobody else's", () => {
    const record = new Record();
    const [a = '', b = ''] = record.children('s_root', 2).started;
    const says = (agentId: string, statusText?: string) => {
      const said = { type: 'subagent_status', subSessionId: a, status: 'unreached' } as const;
      return withParentsWord(record.tree, {
        ...BASE,
        ...said,
        agentId,
        ...(statusText === undefined ? {} : { statusText }),
      });
    };
    record.tree.set({ ...record.child(a), statusText: 'before' });
    expect(says('s_root', 'gone')?.statusText).toBe('gone');
    expect(says('s_root', '')?.statusText).toBe('');
    // A word without a text, or with the same one, writes no row.
    expect([says('s_root'), says('s_root', 'before')]).toEqual([undefined, undefined]);
    expect([says(a, 'own'), says(b, 'gone'), says('s_stranger', 'gone')]).toEqual([undefined, undefined, undefined]);
  });

  it('[TR5, TM2] a clock that stands at its very end has a moment left, so that its time is still up', () => {
    const record = new Record();
    const [a = ''] = record.children('s_root', 1).started;
    const working = { ...record.child(a), schedule: { phase: 'working', deadline: NOW } } as const;
    const waits = withStatus(working, 'suspended_client_tool', NOW + 5);
    expect(waits.schedule).toEqual({ phase: 'waiting', timeLeft: 1 });
    const goesOn = withStatus(waits, 'running', NOW + 10);
    expect(goesOn.schedule).toEqual({ phase: 'working', deadline: NOW + 11 });
    record.tree.set(goesOn);
    expect(overdue(record.tree, NOW + 11).map(({ sessionId }) => sessionId)).toEqual([a]);
  });

  it('[TR4] asking again gives the same answer and takes no second slot', () => {
    const record = new Record({ maxConcurrentChildren: 2, maxTreeChildren: 3 });
    const requests = Array.from({ length: 4 }, () => record.request('s_root'));
    const first = record.admit('s_root', requests);
    expect(first.map(({ answer }) => answer)).toEqual(['start', 'start', 'queued', 'refused']);
    const { length } = [...record.tree.all()];
    expect(record.admit('s_root', requests)).toEqual(first);
    expect([...record.tree.all()]).toHaveLength(length);
    const [begun] = requests;
    record.tree.set({ ...record.child(begun?.sessionId ?? ''), lastChunk: 3 });
    expect(record.admit('s_root', requests)[0]).toMatchObject({ answer: 'start', begun: true });
    record.end(begun?.sessionId ?? '');
    expect(record.admit('s_root', requests)[0]).toMatchObject({ answer: 'start', begun: true });
  });

  it('[DG31, DF3] the 1,001st child of a root run is refused by default, with advice; the next run has its own thousand', () => {
    expect(DEFAULT_LIMITS.maxTreeChildren).toBe(1_000);
    const record = new Record({ maxConcurrentChildren: 1_000 });
    expect(record.children('s_root', 999).started).toHaveLength(999);
    const [parent = ''] = record.children('s_root', 1).started;
    const below = record.admit(parent, [record.request(parent)]);
    expect(below).toMatchObject([
      { answer: 'refused', error: { code: 'max_tree_children', message: expect.stringContaining('1000') } },
    ]);
    for (const node of [...record.tree.allChildren()]) record.tree.set(withStatus(node, 'completed', NOW));
    expect(record.children('s_root', 1).refused).toHaveLength(1);
    record.tree.set({ ...ROOT, turn: 2 });
    expect(record.children('s_root', 1).started).toHaveLength(1);
  });

  it("[DG31] the depth of the tree is the root's to decide", () => {
    const record = new Record({ maxDepth: 2 });
    const [child = ''] = record.children('s_root', 1).started;
    expect(record.admit(child, [record.request(child)])).toMatchObject([
      { answer: 'refused', error: { code: 'max_depth' } },
    ]);
  });

  it('[DG6] the time of a child begins when it gets a slot', () => {
    const record = new Record({ maxConcurrentChildren: 1 });
    const { started, queued } = record.children('s_root', 2);
    expect(record.child(started[0] ?? '').schedule).toEqual({ phase: 'working', deadline: NOW + 60_000 });
    expect(overdue(record.tree, NOW + 59_999)).toEqual([]);
    expect(nextDeadline(record.tree, NOW)).toBe(NOW + 60_000);
    expect(overdue(record.tree, NOW + 60_000).map(({ sessionId }) => sessionId)).toEqual(started);
    expect(nextDeadline(record.tree, NOW + 60_000)).toBeUndefined();
    record.end(started[0] ?? '', NOW + 100_000);
    expect(record.child(queued[0] ?? '').schedule).toEqual({ phase: 'working', deadline: NOW + 160_000 });
    expect(overdue(record.tree, NOW + 100_000)).toEqual([]);
  });
});

describe('a child that its parent hears of in a notice', () => {
  it('[TR7] does not make its parent lend its slot: each takes one', () => {
    const record = new Record({ maxConcurrentChildren: 2 });
    const [parent = ''] = record.children('s_root', 1).started;
    const answers = record.admit(parent, [notice(record, parent), notice(record, parent)]);
    expect(answers.map(({ answer }) => answer)).toEqual(['start', 'queued']);
    expect(record.tree.slotsTaken()).toBe(2);
    expect([record.tree.lends(record.node(parent)), record.next()]).toEqual([false, []]);
  });

  it('[TR7] waits beside one that is awaited, which begins in the slot that the parent lends', () => {
    const record = new Record({ maxConcurrentChildren: 1 });
    const [parent = ''] = record.children('s_root', 1).started;
    const requests = [notice(record, parent), record.request(parent), notice(record, parent)];
    expect(record.admit(parent, requests).map(({ answer }) => answer)).toEqual(['queued', 'start', 'queued']);
    expect(record.tree.slotsTaken()).toBe(1);
    // The awaited child has ended: its parent goes on in the slot, so nobody begins.
    expect(record.end(requests[1]?.sessionId ?? '')).toEqual([]);
    expect(record.tree.slotsTaken()).toBe(1);
    expect(record.end(parent)).toEqual([requests[0]?.sessionId]);
  });
});

describe('a call that awaits what an earlier step began', () => {
  /** An agent with the only slot, and children of its that no call has awaited yet: all in the queue. */
  function queuedBelow(count: number) {
    const record = new Record({ maxConcurrentChildren: 1 });
    const [parent = ''] = record.children('s_root', 1).started;
    const requests = Array.from({ length: count }, () => notice(record, parent));
    expect(record.admit(parent, requests).map(({ answer }) => answer)).toEqual(requests.map(() => 'queued'));
    return { record, parent, tasks: requests.map(keyOf), sessions: requests.map((one) => one.sessionId) };
  }

  it('[TR10] lends the slot of its agent from when it is told until as many have ended as it needs', () => {
    const { record, parent, tasks, sessions } = queuedBelow(3);
    expect(record.next()).toEqual([]);
    record.awaits(parent, [{ tasks, need: 2 }]);
    expect(record.next()).toEqual([sessions[0]]);
    expect(record.end(sessions[0] ?? '')).toEqual([sessions[1]]);
    // Two have ended: the agent goes on in its slot, and the third waits.
    expect([record.end(sessions[1] ?? ''), record.tree.lends(record.node(parent))]).toEqual([[], false]);
    record.awaits(parent, []);
    expect(record.end(parent)).toEqual([sessions[2]]);
  });

  it('[TR10] goes on lending while one that it awaits is interrupted: nobody can tell when that ends', () => {
    const { record, parent, tasks, sessions } = queuedBelow(2);
    record.awaits(parent, [{ tasks, need: 1 }]);
    expect(record.next()).toEqual([sessions[0]]);
    record.tree.set(withStatus(record.child(sessions[0] ?? ''), 'interrupted', NOW));
    expect(record.next()).toEqual([sessions[1]]);
  });
});

describe('a child that is started anew at the address of the one before', () => {
  it('[TR4, DG26] is the one that the address means, whatever becomes of the older record', () => {
    const before = childNode(2, { address: '/agents/top/one/sub/leaf/ada', schedule: STANDS.ended, lifetime: 'named' });
    const anew = childNode(3, { address: before.address, childId: 2, task: { number: 2 }, lifetime: 'named' });
    const tree = new TreeIndex([ROOT, before, anew]);
    tree.set({ ...before, usage: { ...NO_USAGE, modelCalls: 1 } });
    expect([tree.byAddress(before.address)?.id, tree.childOf(1, 2)?.id]).toEqual([3, 3]);
    tree.remove(before.id);
    expect([tree.byAddress(before.address)?.id, tree.childOf(1, 2)?.id]).toEqual([3, 3]);
    tree.remove(anew.id);
    expect([tree.byAddress(before.address), tree.childOf(1, 2)]).toEqual([undefined, undefined]);
  });
});

describe('a child that was deleted', () => {
  it('[A17, TR5] does not come into the record again by a request that was on its way', () => {
    const record = new Record();
    const request = record.request('s_root', 's_gone');
    record.admit('s_root', [request]);
    record.tree.deleted.add('s_gone');
    record.tree.remove(record.node('s_gone').id);
    for (const runNumber of [1, 2])
      expect(record.admit('s_root', [{ ...request, runNumber, keepsSlot: true }])).toMatchObject([
        { answer: 'refused', error: { code: 'subagent_lost' } },
      ]);
    expect(record.tree.bySession('s_gone')).toBeUndefined();
  });
});

describe('a further task', () => {
  /** A named child of the root that has done its first task, and the request for its second. */
  function withDone(limits: Partial<Limits> = {}, status: SessionStatus = 'completed', facts: Partial<ChildNode> = {}) {
    const record = new Record(limits);
    const first = { ...record.request('s_root', 's_named'), lifetime: 'named' } as const;
    record.admit('s_root', [first], NOW - 50_000);
    const child = withStatus(record.child('s_named'), status, NOW);
    record.tree.set({ ...child, lastChunk: 3, task: { ...child.task, hasWaited: true }, ...facts });
    const task = { ...first.task, number: 2, callId: 'c_next', timeoutMs: 70_000 };
    const second: AdmissionRequest = { ...first, task, runNumber: 2 };
    return { record, first, second };
  }

  it.each(['completed', 'failed', 'interrupted'] as const)(
    '[TR9] of a named child that is %s is admitted as work: with a slot, its whole time, and as no further child',
    (status) => {
      const { record, second } = withDone({ maxTreeChildren: 1 }, status);
      record.tree.set({ ...ROOT, turn: 2 });
      const taken = record.tree.slotsTaken();
      expect(record.admit('s_root', [second])).toEqual([{ childId: second.childId, answer: 'start', begun: true }]);
      expect(record.tree.slotsTaken()).toBe(taken + 1);
      const node = record.child('s_named');
      expect(node).toMatchObject({ task: { ...second.task, turn: 2 }, runNumber: 2, createdInTurn: 1 });
      expect(node.schedule).toEqual({ phase: 'working', deadline: NOW + 70_000 });
      expect([node.task.hasWaited, createdIn(record.tree)]).toEqual([undefined, 0]);
      // Asking again gives the same answer, and takes no second slot.
      expect(record.admit('s_root', [second])).toMatchObject([{ answer: 'start', begun: true }]);
      expect(record.tree.slotsTaken()).toBe(taken + 1);
    },
  );

  it.each([
    ['begins anew under its name', 2, 's_anew', 'start'],
    ['is another one that works for the first time', 1, 's_other', 'refused'],
    ['was begun before, and is in the record no more', 2, 's_forgotten', 'refused'],
  ])('[DG31, TR13] of a full run, a child that %s: with task %i, as %s: %s', (_, number, sessionId, answer) => {
    const { record, second } = withDone({ maxTreeChildren: 1 });
    const childId = sessionId === 's_anew' ? second.childId : 7;
    const request = { ...second, sessionId, childId, task: { ...second.task, number }, runNumber: 1 };
    expect(record.admit('s_root', [request])).toMatchObject([{ answer }]);
  });

  it('[TR9, TM2] waits for a slot where none is free; a run that is resumed has only what its task has left', () => {
    const { record, second } = withDone({ maxConcurrentChildren: 1 });
    const [other = ''] = record.children('s_root', 1).started;
    expect(record.admit('s_root', [second])).toMatchObject([{ answer: 'queued' }]);
    expect(record.child('s_named').schedule).toEqual({ phase: 'queued', timeLeft: 70_000, place: 1 });
    expect(record.end(other)).toEqual(['s_named']);
    record.tree.set(withStatus(record.child('s_named'), 'interrupted', NOW + 30_000));
    expect(record.admit('s_root', [{ ...second, runNumber: 3 }], NOW + 40_000)).toMatchObject([{ answer: 'start' }]);
    expect(record.child('s_named').schedule).toEqual({ phase: 'working', deadline: NOW + 80_000 });
    // Also where it has to wait for its slot.
    record.tree.set(withStatus(record.child('s_named'), 'interrupted', NOW + 50_000));
    const [next = ''] = record.children('s_root', 1).started;
    expect(record.admit('s_root', [{ ...second, runNumber: 4 }], NOW + 60_000)).toMatchObject([{ answer: 'queued' }]);
    expect(record.child('s_named').schedule).toMatchObject({ phase: 'queued', timeLeft: 30_000 });
    expect(record.end(next, NOW + 90_000)).toEqual(['s_named']);
    expect(record.child('s_named').schedule).toEqual({ phase: 'working', deadline: NOW + 120_000 });
  });

  it.each([
    ['is at work', withDone({}, 'running'), 'already_running'],
    ['waits for a person', withDone({}, 'suspended_client_tool'), 'already_running'],
    ['was terminated', withDone({}, 'terminated'), 'terminated'],
    ['lives for one call', withDone({}, 'completed', { lifetime: 'call' }), 'terminated'],
    ['has a newer task', withDone({}, 'completed', { task: { ...childNode(2).task, number: 3 } }), 'superseded'],
  ])('[TR9] is refused, and changes nothing, where the child %s', (_, { record, second }, code) => {
    const before = record.child('s_named');
    expect(record.admit('s_root', [second])).toMatchObject([{ answer: 'refused', error: { code } }]);
    expect(record.child('s_named')).toBe(before);
  });

  it('[SAQ13] is refused below an agent that was ended for good, at every level; one at rest there under a parent at rest is no stray', () => {
    const { record, second } = withDone();
    const fresh = record.request('s_named', 's_below');
    const top = record.node('s_root');
    for (const [asker, request] of [
      ['s_root', second],
      ['s_named', fresh],
    ] as const) {
      record.tree.set({ ...top, status: 'terminated', schedule: STANDS.ended });
      expect(record.admit(asker, [request]), asker).toMatchObject([
        { answer: 'refused', error: { code: 'terminated' } },
      ]);
      expect(record.tree.strays(), asker).toEqual([]);
    }
    record.tree.set({ ...top, status: 'completed', schedule: STANDS.ended });
    expect(record.admit('s_named', [fresh])).toMatchObject([{ answer: 'start' }]);
    expect(record.tree.strays()).toEqual([]);
    record.tree.set({ ...top, status: 'terminated', schedule: STANDS.ended });
    expect(record.tree.strays().map(({ sessionId }) => sessionId)).toEqual(['s_below']);
  });

  it('[TR9] is refused where the child is lost', () => {
    const { record, second } = withDone({}, 'running');
    record.tree.set(abandoned(record.child('s_named'), NOW, false));
    expect(record.admit('s_root', [second])).toMatchObject([{ answer: 'refused', error: { code: 'subagent_lost' } }]);
  });

  it('[CR1] keeps a child that is to be removed no longer, whatever the request says', () => {
    const { record, second } = withDone();
    const child = record.child('s_named');
    record.tree.set({ ...child, task: { ...child.task, removal: 'when_idle' } });
    record.admit('s_root', [{ ...second, task: { ...second.task, removal: 'after_run' } }]);
    expect(record.child('s_named').task).toMatchObject({ number: 2, removal: 'when_idle' });
  });

  it('[TR9] takes the rules of its own request: what it may spend, and what its failure means', () => {
    const { record, second } = withDone();
    record.admit('s_root', [{ ...second, task: { ...second.task, budget: { maxSteps: 3 }, onFailure: 'wait' } }]);
    expect(record.child('s_named').task).toMatchObject({ budget: { maxSteps: 3 }, onFailure: 'wait' });
    record.tree.set(withStatus(record.child('s_named'), 'completed', NOW));
    record.admit('s_root', [{ ...second, task: { ...second.task, number: 3 }, runNumber: 3 }]);
    const { budget, onFailure } = record.child('s_named').task;
    expect([budget, onFailure]).toEqual([undefined, undefined]);
  });
});

describe('the task of a child', () => {
  const key = (childId: number) => ({ childId, task: 1 });
  const open = (...ids: number[]) => ({ openTasks: [{ tasks: ids.map(key), need: ids.length }] });
  const rests = { schedule: STANDS.ended, status: 'interrupted' } as const;
  const below = { parentId: 2, depth: 3 } as const;
  /** A root in its third turn with these children of its first. */
  const treeOf = (facts: Partial<RootNode>, ...nodes: ChildNode[]) =>
    new TreeIndex([rootNode({ turn: 3, ...facts }), ...nodes]);
  const isOpen = (tree: TreeIndex, id: number) => tree.hasOpenTask(asChild(tree.get(id) ?? ROOT));

  it('[TR11] is open until its parent has told of its end, whatever turn the root is in', () => {
    expect(isOpen(treeOf(open(2), childNode(2, rests)), 2)).toBe(true);
    expect(isOpen(treeOf({ openTasks: [{ tasks: [key(2)], need: 0 }] }, childNode(2, rests)), 2)).toBe(true);
    expect(isOpen(treeOf({}, childNode(2, rests)), 2)).toBe(false);
    // The parent has told of another task since.
    expect(isOpen(treeOf(open(2), childNode(2, { ...rests, task: { number: 2 } })), 2)).toBe(false);
  });

  it('[TR11] is open below an agent that works in the background, or that was interrupted and goes on', () => {
    for (const above of [STANDS.working, STANDS.waiting, STANDS.ended]) {
      const parent = childNode(2, { task: { await: 'notice' }, schedule: above, ...open(3) });
      expect(isOpen(treeOf(open(2), parent, childNode(3, { ...rests, ...below })), 3)).toBe(true);
    }
  });

  it('[TR11] is not open below an agent that never goes on: what that had told last is no sign of life', () => {
    const closed = childNode(2, { ...rests, ...open(3) });
    expect(isOpen(treeOf({}, closed, childNode(3, { ...rests, ...below })), 3)).toBe(false);
    const named = { ...closed, lifetime: 'named' } as const;
    expect(isOpen(treeOf({}, named, childNode(3, { ...rests, ...below })), 3)).toBe(true);
    const lost = abandoned(childNode(2, { ...open(3), lifetime: 'named' }), NOW, false);
    expect(isOpen(treeOf({}, lost, childNode(3, { ...rests, ...below })), 3)).toBe(false);
  });

  it('[TR11, W7] keeps a child in the record that was interrupted, or waits for a retry, under one that goes on', () => {
    const works = childNode(2, { task: { await: 'notice' }, ...open(3) });
    const failed = { schedule: STANDS.ended, status: 'failed', task: { onFailure: 'wait' } } as const;
    for (const stands of [rests, failed]) {
      const tree = (facts: Partial<ChildNode>) =>
        treeOf({}, { ...works, ...facts }, childNode(3, { ...stands, ...below }));
      expect(forgettable(tree({}), 3)).toEqual([]);
      expect(forgettable(tree({ openTasks: [] }), 3).map(({ id }) => id)).toEqual([3]);
      // Who will never go on keeps nobody.
      expect(forgettable(tree({ schedule: STANDS.ended }), 3).map(({ id }) => id)).toEqual([2, 3]);
    }
  });
});

describe('retention of agents', () => {
  const ended = (id: number, facts: NodeFacts = {}) => childNode(id, { schedule: STANDS.ended, ...facts });
  const gone = (...nodes: ChildNode[]) => forgettable(new TreeIndex([ROOT, ...nodes]), 2).map(({ id }) => id);

  it('[TR8, W7] a child that lived for a call goes with its turn, with all below it; one of a turn that stays does not', () => {
    const below = { parentId: 2, depth: 3 };
    expect(gone(ended(2), ended(3, below), ended(4, { task: { turn: 2 } }))).toEqual([2, 3]);
    expect(gone(childNode(2), ended(3))).toEqual([3]);
  });

  it('[TR8] a named child stays, whatever became of its turn, and goes only with the agent above it', () => {
    const named = { lifetime: 'named' } as const;
    expect(gone(ended(2, named), ended(3, { parentId: 2, depth: 3 }))).toEqual([3]);
    expect(gone(ended(2), ended(3, { ...named, parentId: 2, depth: 3 }))).toEqual([2, 3]);
  });

  it('[CR1] a child that is kept with a run leaves when that ends, and not while it may be resumed', () => {
    const record = new Record();
    const [a = '', b = ''] = record.children('s_root', 2).started;
    const child = record.child(a);
    record.tree.set({ ...child, task: { ...child.task, removal: 'after_run' } });
    expect(record.child(b).task.removal).toBeUndefined();
    const started = { ...BASE, type: 'run_started', turn: 3 } as const;
    const ends: readonly (readonly [Chunk, boolean])[] = [
      [{ ...BASE, type: 'run_completed', output: null }, true],
      [{ ...BASE, type: 'run_failed', error: failure('model_error') }, true],
      [{ ...BASE, type: 'run_terminated', reason: 'x' }, true],
      [{ ...BASE, type: 'run_interrupted', reason: 'x' }, false],
      // What was interrupted before a run of another turn is not resumed any more.
      [{ ...started, chainTurn: 3 }, true],
      [{ ...started, chainTurn: 2, resumedFrom: 'r_2' }, false],
      [chunk(), false],
    ];
    for (const [one, goes] of ends) {
      const leaving = leavingAfter(record.tree, record.node('s_root'), [chunk(), one]);
      expect([one.type, leaving.map(({ sessionId }) => sessionId)]).toEqual([one.type, goes ? [a] : []]);
    }
  });

  it('[TR8] whoever has somebody live below it stays, at any depth', () => {
    const above = ended(2);
    const middle = ended(3, { parentId: 2, depth: 3 });
    for (const schedule of [STANDS.queued, STANDS.working, STANDS.waiting]) {
      const live = childNode(4, { parentId: 3, depth: 4, task: { await: 'notice' }, schedule });
      expect(gone(above, middle, live, ended(5, { parentId: 2, depth: 3 }))).toEqual([5]);
    }
  });
});

describe('merging', () => {
  it('[TR1] a batch is taken once, however often it comes and however it overlaps', () => {
    const record = new Record();
    const [child = ''] = record.children('s_root', 1).started;
    const take = (first: number, count: number) => {
      const merged = merge(record.tree, batch(child, first, count), NOW);
      if (merged.answer === 'merged' && merged.node) record.tree.set(merged.node);
      return merged.answer === 'merged'
        ? { from: merged.first, chunks: merged.chunks.length, upTo: merged.number }
        : 'gone';
    };
    expect(take(1, 3)).toEqual({ from: 1, chunks: 3, upTo: 3 });
    expect(take(1, 3)).toEqual({ from: 4, chunks: 0, upTo: 3 });
    expect(take(2, 4)).toEqual({ from: 4, chunks: 2, upTo: 5 });
    expect(take(7, 1)).toEqual({ from: 6, chunks: 0, upTo: 5 });
    expect(take(6, 2)).toEqual({ from: 6, chunks: 2, upTo: 7 });
    expect(record.node(child)).toMatchObject({ lastChunk: 7, usage: { modelCalls: 6 } });
  });

  it('[TR5] who is not in the record, or was abandoned there, is told that it is gone', () => {
    const record = new Record();
    const [child = ''] = record.children('s_root', 1).started;
    expect(merge(record.tree, batch('s_stranger', 1, 1), NOW)).toEqual({ answer: 'gone' });
    const last = merge(record.tree, batch(child, 1, 2, 'completed'), NOW);
    if (last.answer !== 'merged' || last.node === undefined) throw new Error('It was not merged.');
    record.tree.set(last.node);
    expect(record.node(child)).toMatchObject({
      status: 'completed',
      schedule: { phase: 'ended', end: { by: 'itself', at: NOW } },
    });
    expect(merge(record.tree, batch(child, 1, 2), NOW)).toMatchObject({ answer: 'merged', chunks: [] });
    record.tree.set(abandoned(record.child(child), NOW, false));
    expect(merge(record.tree, batch(child, 3, 1), NOW)).toEqual({ answer: 'gone' });
  });

  it('[TR5, TR4] what agents that are taken out had spent stays counted, and their ids are not given again', () => {
    const record = new Record();
    const [a = '', b = ''] = record.children('s_root', 2).started;
    record.tree.set({ ...withStatus(record.child(a), 'completed', NOW), usage: { ...NO_USAGE, modelCalls: 2 } });
    record.tree.set({ ...withStatus(record.child(b), 'completed', NOW), usage: { ...NO_USAGE, modelCalls: 3 } });
    const root = withoutAgents(record.tree, ROOT, [record.child(a), record.child(b)]);
    record.tree.set(root);
    for (const sessionId of [a, b]) record.tree.remove(record.node(sessionId).id);
    expect(root.top).toMatchObject({ retired: { leaf: { modelCalls: 5 } }, lastId: 3 });
    expect(new TreeIndex(record.tree.all()).nextId).toBe(4);
  });
});

/** What may happen to a tree: an agent asks for children, one ends, one that waits is withdrawn. */
const happenings = fc.array(
  fc.record({
    what: fc.constantFrom('asks', 'asks', 'ends', 'withdrawn'),
    who: fc.nat(1_000),
    count: fc.integer({ min: 1, max: 4 }),
  }),
  { maxLength: 120, size: 'max' },
);

describe('any order of events', () => {
  it('[TR3, TR4, DG31] keeps the limit, never lets a full tree stand still, and starts everybody in the end', async () => {
    const holds = fc.property(fc.integer({ min: 1, max: 5 }), happenings, (maxConcurrentChildren, events) => {
      const record = new Record({ maxConcurrentChildren, maxTreeChildren: 60 });
      const at = (phase: Schedule['phase']) =>
        [...record.tree.allChildren()].filter((node) => node.schedule.phase === phase);
      const idle = () => at('working').filter((node) => !record.tree.lends(node));
      const check = () => {
        expect(record.tree.slotsTaken()).toBeLessThanOrEqual(maxConcurrentChildren);
        expect(record.tree.slotsTaken()).toBe(idle().length);
        if (at('queued').length > 0) expect(idle().length).toBeGreaterThan(0);
        expect(record.next()).toEqual([]);
      };
      for (const { what, who, count } of events) {
        const able = what === 'withdrawn' ? at('queued') : idle();
        const node = able[who % Math.max(1, able.length)];
        if (what === 'asks')
          record.children(node !== undefined && node.depth < 4 && who % 3 > 0 ? node.sessionId : 's_root', count);
        else if (node) record.end(node.sessionId);
        check();
      }
      for (let left = at('working').length + at('queued').length; left > 0; left--) {
        const [node] = idle();
        expect(node, `${left} are left`).toBeDefined();
        if (node) record.end(node.sessionId);
      }
      expect(at('ended')).toHaveLength([...record.tree.all()].length - 1);
    });
    await always(holds, 300);
  });
});
