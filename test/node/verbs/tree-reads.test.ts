/** Reads of a tree from the record of its root: each field of each agent, what is due, and what waits, in pages. */
import { describe, expect, it } from 'vitest';
import type { PendingCall } from '../../../src/core/agent/calls/answer';
import { endedAt, type TreeNode } from '../../../src/core/tree/node';
import { belowEach } from '../../../src/core/tree/subtree-sums';
import { TreeIndex } from '../../../src/core/tree/tree-index';
import type { Segment } from '../../../src/engine/tree-messages';
import { titleOf } from '../../../src/protocol/errors';
import { NO_USAGE } from '../../../src/protocol/usage';
import { children } from '../../../src/verbs/reads/children';
import type { Page } from '../../../src/verbs/reads/pages';
import { firstPending, pending } from '../../../src/verbs/reads/pending';
import { schedules, tree } from '../../../src/verbs/reads/tree';
import { childNode, rootNode, STANDS } from '../../support/nodes';
import { agentOf } from '../../support/trees';

const AT = '/agents/top/one';
const ERROR = { code: 'tool_failed', message: 'No.' };
const ran = { runId: 'r', startedAt: 5, step: 3, recoveries: 2 };
const OWED = { verb: 'abort', runId: 'r_1', since: 1, attempts: 1, nextAt: 2 } as const;
const lost = { phase: 'ended', timeLeft: 1, end: { by: 'withdrawn' } } as const;

/** A root with agents at three levels, of which each has something that the others have not. */
const NODES: readonly TreeNode[] = [
  rootNode({ progress: { ...ran, step: 1 }, sequence: 40, statusText: 'Top.', effectAt: 60 }),
  childNode(2, { usage: { ...NO_USAGE, inputTokens: 3 }, statusText: 'Reads.', sequence: 12, effectAt: 50 }),
  childNode(3, {
    schedule: STANDS.queued,
    status: 'queued',
    lastChunk: 0,
    task: { number: 4, callId: '' },
    createdAt: 7,
  }),
  childNode(4, { lifetime: 'named', placement: 'object', address: `${AT}/sub/leaf/ada`, schedule: STANDS.waiting }),
  childNode(5, { schedule: STANDS.ended, status: 'failed', progress: { ...ran, endedAt: 9, error: ERROR } }),
  childNode(6, { schedule: STANDS.ended, status: 'completed' }),
  childNode(7, { schedule: lost, progress: { ...ran, error: { code: 'of a newer version', message: 'x' } } }),
  childNode(8, { placement: 'remote', stopOwed: OWED, effectAt: 55, task: { timeoutMs: 1 } }),
  childNode(9, { parentId: 2, address: `${AT}/sub/leaf/2~1/sub/twig/1~7`, agentType: 'twig', depth: 3, sequence: 33 }),
  childNode(11, { parentId: 2, childId: 2, address: `${AT}/sub/leaf/2~1/sub/twig/2~1`, agentType: 'twig', depth: 3 }),
  childNode(10, { parentId: 9, address: `${AT}/sub/leaf/2~1/sub/twig/1~7/sub/bud/1~1`, depth: 4, effectAt: 70 }),
];
const deadline = (at: number) => ({ phase: 'working', deadline: at }) as const;
const WORKING = NODES.map((node) =>
  node.schedule.phase === 'working' ? { ...node, schedule: deadline(100 - node.id) } : node,
);
const index = new TreeIndex(WORKING);

const waiting = (facts: Partial<PendingCall> & { readonly node: number }) => {
  const { node, ...item } = facts;
  const call: PendingCall = {
    ...{ toolCallId: 'c_1', stepId: 1, kind: 'approval', toolName: 'send', input: { to: 'ann' }, requestedAt: 1 },
    ...item,
  };
  return { node, item: call };
};

/** The root, with calls that wait. */
function rootOf(calls: readonly ReturnType<typeof waiting>[] = []) {
  const within = (node: TreeNode) => new Set(index.subtree(node.id).map(({ id }) => id));
  return {
    tree: index,
    deps: { environment: { sha256: (text: string) => `sha256 of ${text.slice(0, 20)}` } },
    pending: (node: TreeNode) =>
      calls.flatMap((one) =>
        within(node).has(one.node) ? [{ node: index.get(one.node) as TreeNode, item: one.item }] : [],
      ),
    pendingCounts: () => new Map([...Map.groupBy(calls, ({ node }) => node)].map(([id, { length }]) => [id, length])),
  };
}

const handled = <Body>(verb: object, context: object): Body =>
  (verb as { handle(context: never): { body: Body } }).handle(context as never).body;
const nodeAt = (id: number): TreeNode => index.get(id) as TreeNode;

/** An agent as the tree shows it, by the promise: what is missing of it is missing there. */
function shown(node: TreeNode, counts: ReadonlyMap<number, number>, depth: number): object {
  const below = WORKING.filter((one) => one.kind === 'child' && one.parentId === node.id);
  const { childCounts, lastSequence } = belowEach(index.subtree(node.id)).get(node.id) ?? {};
  const { progress, statusText } = node;
  const name = node.address.split('/').at(-1);
  const place =
    node.kind === 'root'
      ? { mode: 'root', placement: 'object' }
      : {
          ...{ mode: node.lifetime === 'named' ? 'persistent' : 'ephemeral', placement: node.placement },
          ...{ callId: node.task.callId, task: node.task.number, generation: Number(name?.split('~')[1] ?? 1) },
        };
  const end = progress?.endedAt ?? endedAt(node);
  return {
    ...{ sessionId: node.sessionId, agentType: node.agentType, address: node.address, status: node.status, name },
    ...(statusText ? { statusText } : {}),
    ...(node.kind === 'child' && node.stopOwed ? { stopOwed: OWED } : {}),
    ...{ usage: node.usage, childCounts, lastSequence, ...place, createdAt: node.createdAt },
    ...{ step: progress?.step ?? 0, recoveries: progress?.recoveries ?? 0, pendingCount: counts.get(node.id) ?? 0 },
    ...(progress ? { startedAt: progress.startedAt } : {}),
    ...(end === undefined ? {} : { endedAt: end }),
    ...(progress?.error ? { error: { ...progress.error, ...titleOf(progress.error.code) } } : {}),
    nodes: depth === 0 ? [] : below.map((child) => shown(child, counts, depth - 1)),
  };
}

describe('the tree', () => {
  it('[A8, A83] has every agent below one, as it stands, down to a depth', () => {
    const root = rootOf([waiting({ node: 2 }), waiting({ node: 2 }), waiting({ node: 10 })]);
    for (const node of WORKING)
      for (const depth of [0, 1, 2, undefined]) {
        const input = depth === undefined ? {} : { depth };
        const found = handled(tree, { tree: root, node, input });
        expect(found).toEqual(shown(node, root.pendingCounts(), depth ?? Number.POSITIVE_INFINITY));
      }
  });
});

describe('what is due', () => {
  it('[A109] has the end of each time at work, of each answer, and the next effect of each agent here, the earliest first', () => {
    const root = rootOf([
      waiting({ node: 2, toolCallId: 'c_9', expiresAt: 65 }),
      waiting({ node: 10, toolCallId: 'c_8', expiresAt: 94 }),
      waiting({ node: 2, toolCallId: 'c_7' }),
    ]);
    for (const top of WORKING) {
      const below = index.subtree(top.id);
      const expected = [
        ...below.flatMap(({ schedule, ...node }) =>
          schedule.phase === 'working'
            ? [{ kind: 'timeout', node, callId: 'task' in node ? node.task.callId : '', dueAt: schedule.deadline }]
            : [],
        ),
        ...root
          .pending(top)
          .flatMap(({ node, item: { expiresAt: dueAt, toolCallId: callId } }) =>
            dueAt === undefined ? [] : [{ kind: 'answer', node, callId, dueAt }],
          ),
        ...below.flatMap((node) =>
          node.effectAt !== undefined && !('placement' in node && node.placement === 'remote')
            ? [{ kind: 'effect', node, callId: '', dueAt: node.effectAt }]
            : [],
        ),
      ].map(({ node: { address, sessionId }, ...due }) => ({ ...due, address, sessionId }));
      for (const limit of [1, 3, 100]) {
        const found: object[] = [];
        for (let cursor: string | undefined = ''; cursor !== undefined; ) {
          const input = { limit, ...(cursor === '' ? {} : { cursor }) };
          const page: Page<{ dueAt: number }> = handled(schedules, { tree: root, node: top, input });
          found.push(...page.items);
          cursor = page.cursor;
        }
        const times = found.map((one) => (one as { dueAt: number }).dueAt);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
        const sorted = (all: readonly object[]) => all.map((one) => JSON.stringify(Object.entries(one).sort())).sort();
        expect([top.id, sorted(found)]).toEqual([top.id, sorted(expected)]);
      }
    }
  });
});

describe('what waits for a person', () => {
  const top = agentOf('top');
  const read = (
    root: ReturnType<typeof rootOf>,
    node: TreeNode,
    input: object,
    call: object = {},
  ): Page<{ toolCallId: string }> =>
    handled(pending, { object: { ports: { definition: top } }, tree: root, node, call, input });

  it('[A35, SU1] is told with all that it asks, of the agent that asks, the first one first', () => {
    const at = { address: '/agents/far/two', agentType: 'far' };
    const calls = [
      waiting({ node: 4, toolCallId: 'c_2', requestedAt: 9, kind: 'client-tool', expiresAt: 30 }),
      waiting({ node: 8, toolCallId: 'c_3', requestedAt: 3, at }),
      waiting({ node: 1, toolCallId: 'c_4', requestedAt: 4, toolName: 'publish', input: [1] }),
    ];
    const facts = { kind: 'approval', toolName: 'send', input: { to: 'ann' }, inputHash: 'sha256 of {"to":"ann"}' };
    const expected = [
      { ...facts, toolCallId: 'c_3', requestedAt: 3, ...at },
      {
        ...{ ...facts, toolCallId: 'c_4', requestedAt: 4, toolName: 'publish', input: [1], inputHash: 'sha256 of [1]' },
        ...{ address: AT, agentType: 'top' },
      },
      {
        ...{ ...facts, toolCallId: 'c_2', requestedAt: 9, kind: 'client-tool', expiresAt: 30 },
        ...{ address: `${AT}/sub/leaf/ada`, agentType: 'leaf' },
      },
    ];
    const root = rootOf(calls);
    expect(read(root, nodeAt(1), {})).toEqual({ items: expected });
    expect(firstPending(root as never, nodeAt(1), top)).toEqual(expected);
    expect(read(root, nodeAt(4), {})).toEqual({ items: expected.slice(2) });
    // Who was let in for one call sees that one.
    for (const { toolCallId } of expected)
      expect(read(root, nodeAt(1), {}, { token: { id: 't', endsAt: 1, call: toolCallId } }).items).toEqual(
        expected.filter((one) => one.toolCallId === toolCallId),
      );
    expect(read(root, nodeAt(1), {}, { token: { id: 't', endsAt: 1 } }).items).toHaveLength(3);
  });

  it('[A35, A9] is on one page each, calls of one time in the order of their step, also where some are answered between two pages', () => {
    // Ids of one step get longer: `c_2` comes before `c_10`.
    const ids = ['c_2', 'c_9', 'c_10', 'c_11', 'd_1', 'c_1\n2', 'c_100'];
    const calls = ids.map((toolCallId, at) =>
      waiting({ node: 1, toolCallId, requestedAt: at === 4 ? 0 : at === 6 ? 2 : 1 }),
    );
    const expected = ['d_1', 'c_2', 'c_9', 'c_10', 'c_11', 'c_1\n2', 'c_100'];
    const inOrder = expected.toSorted((a, b) => {
      const of = (id: string) => calls.find(({ item }) => item.toolCallId === id)?.item.requestedAt ?? 0;
      return of(a) - of(b) || a.length - b.length || (a < b ? -1 : 1);
    });
    for (const limit of [1, 2, 3, 7, 8])
      for (const answered of [undefined, ...ids]) {
        const found: string[] = [];
        let given = calls.toReversed();
        for (let cursor: string | undefined = ''; cursor !== undefined; ) {
          const page = read(rootOf(given), nodeAt(1), { limit, ...(cursor === '' ? {} : { cursor }) });
          found.push(...page.items.map((item) => item.toolCallId));
          given = given.filter(({ item }) => item.toolCallId !== answered);
          cursor = page.cursor;
        }
        const rest = inOrder.filter((id) => id !== answered);
        const isFirst = answered !== undefined && inOrder.indexOf(answered) < limit;
        expect([limit, answered, found]).toEqual([limit, answered, isFirst || answered === undefined ? inOrder : rest]);
      }
    for (const cursor of ['', 'x', '1', '1.', '.c_2', '01.c_2', '-1.c_2'])
      expect(() => read(rootOf(calls), nodeAt(1), { cursor })).toThrow(/not from this list/);
  });

  it('[A35] takes no more than 8,000,000 characters of arguments on a page, and 1,000,000 in a status, but always one', () => {
    const text = 'x'.repeat(999_990);
    const calls = (count: number, input: string) =>
      Array.from({ length: count }, (_one, at) => waiting({ node: 1, toolCallId: `c_${at}`, input }));
    const root = rootOf(calls(9, text));
    const page = read(root, nodeAt(1), { limit: 20 });
    expect([page.items.length, page.cursor]).toEqual([8, '1.c_7']);
    expect(read(root, nodeAt(1), { limit: 20, ...(page.cursor ? { cursor: page.cursor } : {}) })).toEqual({
      items: [expect.anything()],
    });
    expect(firstPending(root as never, nodeAt(1), top)).toHaveLength(1);
    expect(firstPending(rootOf(calls(3, 'x'.repeat(499_998))) as never, nodeAt(1), top)).toHaveLength(2);
    expect(firstPending(rootOf(calls(3, 'x'.repeat(499_999))) as never, nodeAt(1), top)).toHaveLength(1);
    expect(firstPending(rootOf(calls(101, 'x')) as never, nodeAt(1), top)).toHaveLength(100);
  });
});

describe('the facets of an author', () => {
  /** The children of an agent whose author made so many facets: a root has them at hand, an agent below says them. */
  const asked = async (path: readonly Segment[], count: number, input: object, ports: object = {}, reply?: object) => {
    const facets = Array.from({ length: count }, (_, at) => ({ className: 'Note', name: `n${at}`, createdAt: at }));
    const object = {
      isRoot: true,
      tree: { ...rootOf(), self: () => nodeAt(1) },
      agent: { state: {} },
      ports: { definition: agentOf('top'), ownFacets: () => facets, mayHaveFacets: () => true, ...ports },
      down: async () => reply ?? { ok: true, body: { facets, entries: [] } },
    };
    const answered = await children.answer(object as never, { verb: 'children', path, input } as never);
    if (!answered.ok) throw new TypeError(answered.error.message);
    return { facets, body: answered.body as unknown as Page<{ address: string }> & { facets?: object } };
  };

  it.each([
    ['a root', 1, []],
    ['an agent below it', 2, [{ className: 'Leaf', addressClass: 'leaf', name: '2~1' }]],
  ])(
    '[A115] of %s are with the first page of its children alone, at most 500, whatever its size',
    async (_whose, id, path) => {
      const below = index.children(id).map(({ address }) => address);
      for (const count of [0, 1, 501])
        for (const limit of [1, 3, 100]) {
          const found: string[] = [];
          for (let cursor: string | undefined = ''; cursor !== undefined; ) {
            const { facets, body } = await asked(path, count, { limit, ...(cursor === '' ? {} : { cursor }) });
            const expected = count > 0 && cursor === '' ? facets.slice(0, 500) : undefined;
            expect([count, limit, cursor, body.facets]).toEqual([count, limit, cursor, expected]);
            found.push(...body.items.map(({ address }) => address));
            cursor = body.cursor;
          }
          expect(found).toEqual(below);
        }
    },
  );

  it('[A115] of a root are not those of agents below it: not of one without any, one that has not begun, or one that cannot be asked', async () => {
    const at = (id: number) => [{ className: 'Leaf', addressClass: 'leaf', name: `${id}~1` }];
    const noneOf = async (...given: Parameters<typeof asked>) => {
      const { body } = await asked(...given);
      expect(body).toEqual({ items: expect.anything(), total: expect.any(Number) });
    };
    await noneOf(at(2), 2, {}, { mayHaveFacets: () => false });
    await noneOf(at(3), 2, {});
    for (const code of ['unavailable', 'newer_format', 'gone', 'not_found'])
      await noneOf(at(2), 2, {}, {}, { ok: false, error: { code, message: 'No.' } });
  });
});
