import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, type Limits, limitsOf } from '../../src/core/definition/limits';
import type { Chunk } from '../../src/core/protocol/chunks';
import type { SessionStatus } from '../../src/core/protocol/status';
import { NO_USAGE } from '../../src/core/protocol/usage';
import { type Admission, type AdmissionRequest, admit, nextAdmissions } from '../../src/core/tree/admission';
import { givenUp, nextDeadline, overdue, withStatus } from '../../src/core/tree/clock';
import { closedUnbegun, merge } from '../../src/core/tree/merge';
import type { TreeNode } from '../../src/core/tree/node';
import { withoutAgents } from '../../src/core/tree/retirement';
import { TreeIndex } from '../../src/core/tree/tree-index';
import { always } from '../support/sizes';

const NOW = 1_000_000;
const ROOT: TreeNode = {
  id: 1,
  parentId: 0,
  sessionId: 's_root',
  address: '/agents/top/one',
  agentType: 'top',
  callId: '',
  task: { childId: 0, task: 0 },
  depth: 1,
  turn: 1,
  place: 'working',
  status: 'running',
  statusText: '',
  number: 0,
  sequence: 0,
  usage: NO_USAGE,
  timeoutMs: 0,
  deadline: 0,
  createdAt: NOW,
  endedAt: 0,
};

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

  request(parent: string, sessionId = `s_${++this.#asked}`): AdmissionRequest {
    const { address, depth } = this.node(parent);
    return {
      sessionId,
      address: `${address}/sub/leaf/${sessionId}`,
      agentType: 'leaf',
      callId: `c_${sessionId}`,
      task: { childId: this.#asked, task: 1 },
      depth: depth + 1,
      timeoutMs: 60_000,
      runNumber: 1,
    };
  }

  admit(parent: string, requests: readonly AdmissionRequest[], now = NOW): Admission[] {
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
    this.tree.set({ ...this.node(sessionId), place: 'ended', status: 'completed', endedAt: now });
    return this.next(now);
  }

  next(now = NOW): string[] {
    const admitted = nextAdmissions(this.tree, this.limits, now);
    for (const node of admitted) this.tree.set(node);
    return admitted.map(({ sessionId }) => sessionId);
  }
}

const chunk = (type: 'step_started' | 'run_started' = 'step_started'): Chunk =>
  ({
    type,
    turn: 1,
    agentId: 's',
    agentType: 'leaf',
    address: '/agents/top/one',
    runId: 'r',
    step: 1,
    attempt: 1,
    timestamp: 1,
  }) as Chunk;
const batch = (sessionId: string, first: number, count: number, status: SessionStatus = 'running') => ({
  sessionId,
  first,
  chunks: Array.from({ length: count }, () => chunk()),
  status,
  usage: { ...NO_USAGE, modelCalls: first },
});

describe('admission', () => {
  it('[TR3, DF3] 48 agents work at once by default; the 49th waits for a place', () => {
    expect(DEFAULT_LIMITS.maxConcurrentChildren).toBe(48);
    const record = new Record();
    const { started, queued } = record.children('s_root', 50);
    expect([started.length, queued.length]).toEqual([48, 2]);
    expect(record.end(started[10] ?? '')).toEqual([queued[0]]);
    expect(record.tree.working()).toBe(48);
    expect(record.node(queued[1] ?? '')).toMatchObject({ place: 'queued', status: 'queued', deadline: 0 });
  });

  it('[TR3] an agent that waits for its children lends them its place, at any limit and depth', () => {
    const record = new Record({ maxConcurrentChildren: 1 });
    const top = record.children('s_root', 2);
    const middle = record.children(top.started[0] ?? '', 2);
    expect(middle.started).toHaveLength(1);
    const leaf = record.children(middle.started[0] ?? '', 2);
    expect(leaf.started).toHaveLength(1);
    expect(record.tree.working()).toBe(1);
    expect(record.end(leaf.started[0] ?? '')).toEqual([leaf.queued[0]]);
    // Its last child gives the place back to the agent that waited.
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

  it('[TR3] nobody overtakes the queue but the first children of one that lends its place', () => {
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
    record.tree.set({ ...record.node('s_a'), number: 3, place: 'ended', status: 'interrupted' });
    expect(record.admit('s_root', [request])).toMatchObject([{ answer: 'start', begun: true }]);
    expect(record.node('s_a')).toMatchObject({ place: 'ended', status: 'interrupted' });
    record.admit('s_root', [{ ...request, runNumber: 2 }]);
    expect(record.node('s_a')).toMatchObject({ place: 'working', status: 'running', runNumber: 2 });
  });

  it('[TR3] a place that has just become free is not for who comes now, as long as others wait', () => {
    const record = new Record({ maxConcurrentChildren: 1 });
    const { started, queued } = record.children('s_root', 2);
    record.tree.set({ ...record.node(started[0] ?? ''), place: 'ended', status: 'completed' });
    const late = record.children('s_root', 1);
    expect(late).toMatchObject({ started: [], queued: [expect.anything()] });
    expect(record.next()).toEqual(queued);
  });

  it('[R17] an agent that is given up before it began is queued until its call is closed, and has failed with its parent', () => {
    const record = new Record();
    const [a = '', b = ''] = record.children('s_root', 2).started;
    expect(givenUp(record.node(a), NOW, false)).toMatchObject({ place: 'ended', status: 'queued', endedAt: 0 });
    expect(givenUp(record.node(a), NOW, true)).toMatchObject({ place: 'ended', status: 'failed', endedAt: NOW });
    const begun = { ...record.node(b), number: 1 };
    expect(givenUp(begun, NOW, false)).toMatchObject({ place: 'ended', status: 'failed', endedAt: NOW });
    const closes = { type: 'subagent_end', subSessionId: a, success: false } as Chunk;
    expect(closedUnbegun(record.tree, [chunk(), closes], NOW)).toMatchObject([{ sessionId: a, status: 'failed' }]);
    record.tree.set(begun);
    expect(closedUnbegun(record.tree, [{ ...closes, subSessionId: b } as Chunk], NOW)).toEqual([]);
  });

  it('[TR5, TM2] a clock that stands at its very end has a moment left, so that it still rings', () => {
    const record = new Record();
    const [a = ''] = record.children('s_root', 1).started;
    const working = { ...record.node(a), deadline: NOW };
    const waits = withStatus(working, 'suspended_client_tool', NOW + 5);
    expect(waits).toMatchObject({ deadline: 0, timeLeft: 1 });
    const goesOn = withStatus(waits, 'running', NOW + 10);
    expect(goesOn.deadline).toBe(NOW + 11);
    record.tree.set(goesOn);
    expect(overdue(record.tree, NOW + 11).map(({ sessionId }) => sessionId)).toEqual([a]);
  });

  it('[TR4] asking again gives the same answer and takes no second place', () => {
    const record = new Record({ maxConcurrentChildren: 2, maxTreeChildren: 3 });
    const requests = Array.from({ length: 4 }, () => record.request('s_root'));
    const first = record.admit('s_root', requests);
    expect(first.map(({ answer }) => answer)).toEqual(['start', 'start', 'queued', 'refused']);
    const { length } = [...record.tree.all()];
    expect(record.admit('s_root', requests)).toEqual(first);
    expect([...record.tree.all()]).toHaveLength(length);
    const [begun] = requests;
    record.tree.set({ ...record.node(begun?.sessionId ?? ''), number: 3 });
    expect(record.admit('s_root', requests)[0]).toMatchObject({ answer: 'start', begun: true });
    record.end(begun?.sessionId ?? '');
    expect(record.admit('s_root', requests)[0]).toMatchObject({ answer: 'start', begun: true });
  });

  it('[DG8, DF3] the 1,001st child of a root run is refused by default, with advice; the next run has its own thousand', () => {
    expect(DEFAULT_LIMITS.maxTreeChildren).toBe(1_000);
    const record = new Record({ maxConcurrentChildren: 1_000 });
    expect(record.children('s_root', 999).started).toHaveLength(999);
    const [parent = ''] = record.children('s_root', 1).started;
    const below = record.admit(parent, [record.request(parent)]);
    expect(below).toMatchObject([
      { answer: 'refused', error: { code: 'max_tree_children', message: expect.stringContaining('1000') } },
    ]);
    for (const node of [...record.tree.all()]) if (node.id !== 1) record.tree.set({ ...node, place: 'ended' });
    expect(record.children('s_root', 1).refused).toHaveLength(1);
    record.tree.set({ ...ROOT, turn: 2 });
    expect(record.children('s_root', 1).started).toHaveLength(1);
  });

  it("[DG8] the depth of the tree is the root's to decide", () => {
    const record = new Record({ maxDepth: 2 });
    const [child = ''] = record.children('s_root', 1).started;
    expect(record.admit(child, [record.request(child)])).toMatchObject([
      { answer: 'refused', error: { code: 'max_depth' } },
    ]);
  });

  it('[DG6] the time of a child begins when it gets a place', () => {
    const record = new Record({ maxConcurrentChildren: 1 });
    const { started, queued } = record.children('s_root', 2);
    expect(record.node(started[0] ?? '').deadline).toBe(NOW + 60_000);
    expect(overdue(record.tree, NOW + 59_999)).toEqual([]);
    expect(nextDeadline(record.tree, NOW)).toBe(NOW + 60_000);
    expect(overdue(record.tree, NOW + 60_000).map(({ sessionId }) => sessionId)).toEqual(started);
    expect(nextDeadline(record.tree, NOW + 60_000)).toBeUndefined();
    record.end(started[0] ?? '', NOW + 100_000);
    expect(record.node(queued[0] ?? '').deadline).toBe(NOW + 160_000);
    expect(overdue(record.tree, NOW + 100_000)).toEqual([]);
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
    expect(record.node(child)).toMatchObject({ number: 7, usage: { modelCalls: 6 } });
  });

  it('[TR5] who is not in the record, or was given up there, is told that it is gone', () => {
    const record = new Record();
    const [child = ''] = record.children('s_root', 1).started;
    expect(merge(record.tree, batch('s_stranger', 1, 1), NOW)).toEqual({ answer: 'gone' });
    const last = merge(record.tree, batch(child, 1, 2, 'completed'), NOW);
    if (last.answer !== 'merged' || last.node === undefined) throw new Error('It was not merged.');
    record.tree.set(last.node);
    expect(record.node(child)).toMatchObject({ place: 'ended', status: 'completed', endedAt: NOW });
    expect(merge(record.tree, batch(child, 1, 2), NOW)).toMatchObject({ answer: 'merged', chunks: [] });
    record.tree.set({ ...record.node(child), givenUp: true });
    expect(merge(record.tree, batch(child, 3, 1), NOW)).toEqual({ answer: 'gone' });
  });

  it('[TR5, TR4] what agents that are taken out had spent stays counted, and their ids are not given again', () => {
    const record = new Record();
    const [a = '', b = ''] = record.children('s_root', 2).started;
    record.tree.set({ ...record.node(a), place: 'ended', usage: { ...NO_USAGE, modelCalls: 2 } });
    record.tree.set({ ...record.node(b), place: 'ended', usage: { ...NO_USAGE, modelCalls: 3 } });
    const root = withoutAgents(record.tree, record.node('s_root'), [record.node(a), record.node(b)]);
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
  it('[TR3, TR4, DG8] keeps the limit, never lets a full tree stand still, and starts everybody in the end', async () => {
    const holds = fc.property(fc.integer({ min: 1, max: 5 }), happenings, (maxConcurrentChildren, events) => {
      const record = new Record({ maxConcurrentChildren, maxTreeChildren: 60 });
      const at = (place: TreeNode['place']) =>
        [...record.tree.all()].filter((node) => node.id !== 1 && node.place === place);
      const idle = () => at('working').filter((node) => record.tree.liveChildren(node.id) === 0);
      const check = () => {
        expect(record.tree.working()).toBeLessThanOrEqual(maxConcurrentChildren);
        expect(record.tree.working()).toBe(idle().length);
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
