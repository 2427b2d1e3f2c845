/** What agents ask of their root, over a real record: what each row of a request leaves there. */
import { describe, expect, it } from 'vitest';
import { limitsOf } from '../../../src/core/definition/limits';
import type { AtOnce } from '../../../src/core/ports/agent-store';
import type { ChildNode, Schedule, TreeNode } from '../../../src/core/tree/node';
import type { RootDeps } from '../../../src/engine/root/deps';
import { TreeRecord } from '../../../src/engine/root/record';
import { RootRequests } from '../../../src/engine/root/take-requests';
import type { Delivery, RootAnswer, RootRequest } from '../../../src/engine/tree-messages';
import { childRunId } from '../../../src/protocol/ids';
import { NO_USAGE } from '../../../src/protocol/usage';
import { migrate } from '../../../src/store/migrate';
import { AGENT_MIGRATIONS, ROOT_MIGRATIONS } from '../../../src/store/migrations';
import { transact } from '../../../src/store/storage';
import { SqlTreeStore } from '../../../src/store/tree-store';
import { nodeStorage } from '../../../src/testing/node-storage';
import { chunks } from '../../contract/stores-support';
import { childNode, NO_FACTS, rootNode, STANDS } from '../../support/nodes';
import { VirtualTime } from '../../support/virtual-time';

const NOW = 5_000;

/** Takes requests into a record of these agents, each in a transaction. */
function rootOf(...nodes: TreeNode[]) {
  const storage = nodeStorage();
  migrate(storage, { agent: AGENT_MIGRATIONS, root: ROOT_MIGRATIONS });
  const store = new SqlTreeStore(storage);
  const transaction = <Result>(body: () => AtOnce<Result>): Result => transact(storage, body);
  const { environment } = new VirtualTime({ now: () => NOW });
  const record = new TreeRecord({ environment, store, transaction, limits: limitsOf({}) } as unknown as RootDeps);
  transaction(() => {
    for (const node of nodes) record.put(node);
  });
  const requests = new RootRequests(record);
  return {
    ...{ record, store, requests },
    take(sessionId: string, says: Partial<RootRequest>): RootAnswer {
      const nothing = { sessionId, batches: [], admit: [], deliver: [], withdraw: [], lost: [] };
      return transaction(() => requests.take({ ...nothing, ...says }, NOW));
    },
    node: (sessionId: string) => record.index.bySession(sessionId),
    child: (sessionId: string) => record.index.childBySession(sessionId),
  };
}

const { queued, working, waiting, ended } = STANDS;
const deliver: readonly Delivery[] = [
  { type: 'child_waits', task: { childId: 2, task: 1 }, runId: 'r', waits: true } as Delivery,
];
const below = (id: number, parentId: number, facts: Partial<ChildNode> = {}) =>
  childNode(id, { parentId, depth: 3, address: `/agents/top/one/sub/leaf/${parentId}~1/sub/leaf/${id}~1`, ...facts });

describe('what an agent has for its parent', () => {
  it('[OB5, RC5] is owed where the parent does not ask: one at rest, or one that knows the child to wait', () => {
    for (const above of [queued, working, waiting, ended] satisfies Schedule[])
      for (const hasWaited of [false, true])
        for (const says of [[], deliver])
          for (const known of [false, true]) {
            const child = below(3, 2, known ? { undelivered: true } : {});
            const task = { ...child.task, ...(hasWaited ? { hasWaited: true as const } : {}) };
            const root = rootOf(rootNode(), childNode(2, { schedule: above }), { ...child, task });
            root.take('s_3', { deliver: says });
            const owed = known || (says.length > 0 && (above !== working || hasWaited));
            const what = JSON.stringify({ above, hasWaited, says: says.length, known });
            expect(root.child('s_3'), what).toEqual({ ...child, task, ...(owed ? { undelivered: true } : {}) });
          }
    const root = rootOf(rootNode({ schedule: waiting }));
    root.take('s_root', { deliver });
    expect(root.node('s_root')).toEqual(rootNode({ schedule: waiting }));
  });

  it('[RT3, CO32] of a child that it gave up is owed to itself, where it is not at work and the child is its own', () => {
    for (const above of [queued, working, waiting, ended] satisfies Schedule[])
      for (const withdraw of [false, true])
        for (const begun of [0, 1]) {
          const nodes = [
            rootNode(),
            childNode(2, { schedule: above }),
            below(3, 2, { lastChunk: begun, status: 'queued' }),
            below(4, 3),
            childNode(5),
            below(6, 2, { schedule: ended, status: 'completed' }),
          ];
          const lost = ['s_3', 's_4', 's_5', 's_6', 's_none'];
          const root = rootOf(...nodes);
          root.take('s_2', { lost, withdraw: withdraw ? ['s_3'] : [] });
          const what = JSON.stringify({ above, withdraw, begun });
          const owes = (id: string) => root.child(id)?.undelivered === true;
          const stands = (id: string) => root.child(id)?.schedule;
          expect(owes('s_3'), what).toBe(above !== working && !withdraw);
          expect([owes('s_5'), owes('s_6')], what).toEqual([false, false]);
          const by = begun === 0 ? { by: 'withdrawn' } : { by: 'abandoned', at: NOW };
          expect(stands('s_3'), what).toMatchObject({ phase: 'ended', end: by });
          expect(stands('s_5'), what).toMatchObject({ phase: 'ended', end: { by: 'abandoned', at: NOW } });
          expect(stands('s_6'), what).toEqual(ended);
          expect(owes('s_4'), what).toBe(false);
        }
  });
});

describe('children that leave the queue', () => {
  it('[R17, SP9] are interrupted as before where they had begun, and else withdrawn; who has a slot stays', () => {
    for (const schedule of [queued, working, waiting, ended] satisfies Schedule[])
      for (const lastChunk of [0, 4])
        for (const ids of [['s_2'], ['s_2', 's_none']]) {
          const child = childNode(2, { schedule, lastChunk, status: schedule === ended ? 'failed' : 'running' });
          const root = rootOf(rootNode(), child);
          const { withdrawn } = root.take('s_root', { withdraw: ids });
          const leaves = schedule === queued;
          const now = root.child('s_2');
          const what = JSON.stringify({ schedule, lastChunk });
          const unbegun = lastChunk === 0 && (leaves || schedule === ended);
          expect(withdrawn, what).toEqual([...(unbegun ? ['s_2'] : []), ...ids.slice(1)]);
          if (!leaves) expect(now, what).toEqual(child);
          else if (lastChunk > 0)
            expect(now, what).toMatchObject({ status: 'interrupted', schedule: { end: { by: 'itself', at: NOW } } });
          else expect(now, what).toMatchObject({ status: 'queued', schedule: { end: { by: 'withdrawn' } } });
        }
  });

  it('[R17, DG3] or say that their run never began end so for the run that is meant, and for no newer one', () => {
    for (const [runNumber, said, unbegun, lastChunk] of [
      [2, 2, true, 0],
      [2, 1, true, 0],
      [2, 2, false, 0],
      [2, 2, true, 3],
    ] as const) {
      const child = childNode(2, { runNumber, lastChunk, status: 'running' });
      const root = rootOf(rootNode(), child, below(3, 2, { along: true, schedule: ended }));
      const end = {
        ...{ type: 'child_settled', task: { childId: 2, task: 1 }, usage: NO_USAGE, runId: childRunId('s_2', said) },
        ...{ outcome: { status: 'interrupted', reason: 'x' }, ...(unbegun ? { unbegun: true } : {}) },
      } as Delivery;
      root.take('s_2', { deliver: [end] });
      const isEnded = said === runNumber && unbegun && lastChunk === 0;
      const what = JSON.stringify({ runNumber, said, unbegun, lastChunk });
      expect(root.child('s_2')?.schedule.phase, what).toBe(isEnded ? 'ended' : 'working');
      expect(root.child('s_3') === undefined, what).toBe(isEnded);
    }
  });
});

describe('a request for children', () => {
  const wanted = (sessionId: string, awaiting: 'step' | 'notice') => ({
    ...{ sessionId, address: `/agents/top/one/sub/leaf/${sessionId}`, agentType: 'leaf', depth: 2, childId: 9 },
    ...{ task: { number: 1, callId: 'c', await: awaiting, timeoutMs: 5 }, runNumber: 1 },
    ...({ lifetime: 'named', placement: 'object' } as const),
  });

  it('[TR4, A17] of a parent that is live admits all but those that it withdraws, and frees their addresses', () => {
    for (const schedule of [working, waiting, ended] satisfies Schedule[])
      for (const awaiting of ['step', 'notice'] as const)
        for (const withdraw of [[], ['s_9']]) {
          const request = wanted('s_9', awaiting);
          const others = ['/agents/top/one/sub/leaf/x'];
          const top = { ...NO_FACTS, pendingRemovals: [request.address, ...others] };
          const root = rootOf(rootNode({ schedule, top }));
          const { admissions } = root.take('s_root', { admit: [request], withdraw });
          const isAdmitted = withdraw.length === 0 && (schedule !== ended || awaiting === 'notice');
          const what = JSON.stringify({ schedule, awaiting, withdraw });
          expect(admissions, what).toMatchObject(isAdmitted ? [{ childId: 9, answer: 'start', begun: false }] : []);
          expect(root.child('s_9') !== undefined, what).toBe(isAdmitted);
          expect(root.record.pendingRemovals, what).toEqual(isAdmitted ? others : top.pendingRemovals);
        }
  });

  it('[TR13, BU10, US6] of one that begins anew under its name takes out the session before it, with all below', () => {
    const spent = (modelCalls: number) => ({ usage: { ...NO_USAGE, modelCalls } });
    const older = childNode(2, { childId: 9, lifetime: 'named', schedule: ended, status: 'failed', ...spent(3) });
    const root = rootOf(rootNode(), older, below(3, 2, { schedule: ended, ...spent(4) }), childNode(4));
    const request = { ...wanted('s_9', 'notice'), address: older.address };
    root.take('s_root', { admit: [{ ...request, task: { ...request.task, number: 2 } }] });
    expect([...root.record.index.all()].map(({ sessionId }) => sessionId)).toEqual(['s_root', 's_4', 's_9']);
    expect(root.record.self()?.top.retired).toMatchObject({ leaf: { modelCalls: 7 } });
    expect(root.store.nodes().map(({ sessionId }) => sessionId)).toEqual(['s_root', 's_4', 's_9']);
  });
});

describe('what is relayed', () => {
  it('[RT5] is taken of children of whoever relays it, and of nobody else', () => {
    const root = rootOf(rootNode(), childNode(2), below(3, 2), below(4, 3), childNode(5));
    const nothing = { batches: [], admit: [], deliver: [], withdraw: [], lost: [] };
    const relayed = ['s_3', 's_4', 's_5', 's_2', 's_none', 's_root'].map((sessionId) => ({ ...nothing, sessionId }));
    const answers = root.take('s_2', { relayed }).relayed?.map(({ merge }) => merge);
    expect(answers).toEqual(['merged', 'gone', 'gone', 'gone', 'gone', 'gone']);
  });
});

describe('the chunks of a request', () => {
  it.each([1, 63, 64, 65, 130])('[TR1, LG1] share rows of the log, at most 64 in each: %i', (count) => {
    const child = childNode(2, { lastChunk: 7 });
    const root = rootOf(rootNode(), child);
    const batch = { sessionId: 's_2', first: 8, chunks: chunks(count), status: 'running', usage: NO_USAGE } as const;
    expect(root.take('s_2', { batches: [batch] })).toMatchObject({ merge: 'merged', merged: 7 + count });
    const rows = root.store.read(1, 1_000_000, Number.MAX_SAFE_INTEGER);
    const sizes = rows.map(({ chunks: inRow }) => inRow.length);
    expect(sizes).toEqual([...Array.from({ length: Math.floor(count / 64) }, () => 64), count % 64].filter(Boolean));
    expect(rows.map(({ first }) => first)).toEqual(sizes.map((_, at) => 1 + at * 64));
    expect(root.child('s_2')).toMatchObject({ lastChunk: 7 + count, sequence: count });
  });

  it('[TR1, TR6, A83, RM59] of the root itself leave in its record all that it says, and nothing that it says no more', () => {
    const before = rootNode({
      ...{ effectAt: 9, owesElsewhere: true, openTasks: [{ tasks: [], need: 0 }], statusText: 'so far', lastChunk: 4 },
    });
    const openTasks = [{ tasks: [{ childId: 2, task: 1 }], need: 1 }];
    const usage = { ...NO_USAGE, modelCalls: 3 };
    for (const dues of [{}, { effectAt: 12 }, { effectAt: 12, owesElsewhere: true as const }])
      for (const open of [undefined, openTasks])
        for (const consults of [undefined, true as const])
          for (const count of [0, 2]) {
            const root = rootOf(before);
            const said = {
              ...({ status: 'suspended_awaiting_children', usage, pending: [], ...dues } as const),
              ...(open ? { openTasks: open } : {}),
              ...(consults ? { consults } : {}),
            };
            const own = chunks(count);
            root.requests.keepOwn(own, said);
            const { effectAt: _at, owesElsewhere: _owes, openTasks: _open, ...rest } = before;
            const timeLeft = before.schedule.phase === 'working' ? before.schedule.deadline - NOW : 0;
            const now = {
              ...{ ...rest, ...dues, ...(open ? { openTasks: open } : {}) },
              ...{ status: said.status, usage, lastChunk: 4 + count, sequence: count },
              schedule: consults ? before.schedule : { phase: 'waiting', timeLeft },
            };
            const last = own.at(-1);
            expect(root.node('s_root')).toMatchObject({ ...now, ...(last ? { lastAt: last.timestamp } : {}) });
            const known = Object.keys(root.node('s_root') ?? {}).filter((key) => !['lastAt', 'progress'].includes(key));
            expect(known.sort()).toEqual(Object.keys(now).sort());
          }
  });

  it('[TR5] of one that the record does not know, or gave up, are in no log, and it hears so', () => {
    const lost = childNode(2, { schedule: { phase: 'ended', timeLeft: 1, end: { by: 'abandoned', at: 1 } } });
    const root = rootOf(rootNode(), lost);
    const batch = { first: 2, chunks: chunks(2), status: 'running', usage: NO_USAGE } as const;
    expect(root.take('s_none', { batches: [{ sessionId: 's_none', ...batch }] }).merge).toBe('gone');
    expect(root.take('s_2', { batches: [{ sessionId: 's_2', ...batch }], deliver }).merge).toBe('gone');
    expect(root.store.read(1, 100, 1_000_000)).toEqual([]);
    expect(root.child('s_2')).toEqual(lost);
  });
});
