/** Parts of a root and of a parent, each by itself: what they do in the moment in which something is known. */
import { expect, it } from 'vitest';
import { limitsOf } from '../../../src/core/definition/limits';
import type { TreeNode } from '../../../src/core/tree/node';
import { TreeIndex } from '../../../src/core/tree/tree-index';
import { FlushRelay } from '../../../src/engine/final-flush';
import { TreeTurns } from '../../../src/engine/root/model-turns';
import type { TreeRecord } from '../../../src/engine/root/record';
import { RootRequests } from '../../../src/engine/root/take-requests';
import type { AgentMessage, Delivery, RootAnswer, RootRequest } from '../../../src/engine/tree-messages';
import { NO_USAGE } from '../../../src/protocol/usage';
import { chunks } from '../../contract/stores-support';
import { childNode, rootNode } from '../../support/nodes';
import { present } from '../../support/present';
import { VirtualTime } from '../../support/virtual-time';

it('[MT2] an agent has its turn in the moment in which the request of another ends, whatever else changes', async () => {
  const time = new VirtualTime();
  const sent: AgentMessage[] = [];
  const WORKS = { phase: 'working', deadline: time.now * 2 } as const;
  const [root, one, other] = [
    rootNode({ schedule: WORKS }),
    childNode(2, { schedule: WORKS }),
    childNode(3, { schedule: WORKS }),
  ];
  const deps = {
    environment: time.environment,
    limits: limitsOf({ maxConcurrentModelCalls: 1 }),
    send: async (_address: string, message: AgentMessage) => {
      sent.push(message);
      return { answer: 'done' as const };
    },
  };
  const turns = new TreeTurns({ index: new TreeIndex([root, one, other]), deps } as unknown as TreeRecord);
  for (const { sessionId } of [root, one, other]) turns.granted(sessionId);
  expect(turns.ask(one.sessionId, { id: 'first', provider: 'p', afterMs: 0 })).toMatchObject({ go: true });
  expect(turns.ask(other.sessionId, { id: 'second', provider: 'p', afterMs: 0 })).toMatchObject({ go: false });
  turns.ended(one.sessionId, 'first');
  await time.settle();
  expect(sent).toEqual([{ type: 'model_turn', sessionId: other.sessionId, id: 'second' }]);
});

/** The flush of a child that was stopped: its end, and a last chunk that the log lacks. */
function flushOf(name: string): RootRequest {
  const deliver = [{ name }] as unknown as Delivery[];
  const batches = [{ first: 1, chunks: [{}, {}] }] as unknown as RootRequest['batches'];
  return { sessionId: `s_${name}`, batches, admit: [], deliver, withdraw: [], lost: [] };
}

/** A parent that relays, whose root answers so; `taking` resolves when hooks have made what was taken. */
function relaying(answers: () => Promise<RootAnswer[]>, taking: Promise<void> = Promise.resolve()) {
  const time = new VirtualTime();
  const did = { relayed: [] as RootRequest[], ends: [] as unknown[], taken: [] as string[] };
  const agent = {
    environment: time.environment,
    link: {
      relay: (flushes: readonly RootRequest[]) => {
        did.relayed.push(...flushes);
        return answers();
      },
      taken: (flushes: readonly RootRequest[]) => void did.taken.push(...flushes.map(({ sessionId }) => sessionId)),
    },
    takeEnds: (ends: readonly Delivery[]) => {
      did.ends.push(...ends);
      return taking;
    },
  };
  return { time, did, agent };
}

const answer = (merge: RootAnswer['merge'], merged: number): RootAnswer => ({
  merge,
  merged,
  admissions: [],
  withdrawn: [],
});

it('[RT4, OB8] a parent takes the ends of those children alone whose chunks the root has to the last', async () => {
  const answers = [answer('merged', 2), answer('refused', 0), answer('merged', 1), answer('gone', 0)];
  const { time, did, agent } = relaying(async () => answers);
  const relay = new FlushRelay(agent, 4);
  for (const name of ['whole', 'refused', 'a part', 'gone']) void relay.answered(flushOf(name));
  await time.settle();
  expect(did.relayed.map(({ deliver }) => deliver)).toEqual([[], [], [], []]);
  expect(did.ends).toEqual([{ name: 'whole' }]);
  expect(did.taken).toEqual(['s_whole']);
  expect(time.pending).toBe(0);
});

it('[RT4, OB8] a child waits for its relay alone, and no end that hooks are asked about is known as taken before', async () => {
  const hooks = Promise.withResolvers<void>();
  const { time, did, agent } = relaying(async () => [answer('merged', 2)], hooks.promise);
  const relay = new FlushRelay(agent, 2);
  const over: string[] = [];
  void relay.answered(flushOf('first')).then(() => over.push('first'));
  void relay.answered().then(() => over.push('without a flush'));
  await time.settle();
  expect([over, did.ends, did.taken]).toEqual([['without a flush', 'first'], [{ name: 'first' }], []]);
  hooks.resolve();
  await time.settle();
  expect(did.taken).toEqual(['s_first']);
});

it('[SP14] a root that is silent, or fails, holds up no child whose flush is relayed', async () => {
  const silent = relaying(() => new Promise<never>(() => undefined));
  const over: string[] = [];
  void new FlushRelay(silent.agent, 1).answered(flushOf('one')).then(() => over.push('silent'));
  await silent.time.pass(999);
  expect(over).toEqual([]);
  await silent.time.pass(1);
  expect(over).toEqual(['silent']);
  const failing = relaying(() => Promise.reject(new Error('gone')));
  void new FlushRelay(failing.agent, 1).answered(flushOf('one')).then(() => over.push('failed'));
  await failing.time.settle();
  expect([over, failing.time.pending]).toEqual([['silent', 'failed'], 0]);
});

it.each([0, 1, 2])(
  '[RT1, EG1] what a batch of %i chunks tells is in the rows when it is answered, as in memory',
  (count) => {
    const index = new TreeIndex([rootNode(), childNode(2, { schedule: { phase: 'working', deadline: 9_000 } })]);
    const { sessionId, lastChunk } = present(index.get(2));
    const rows = new Map<string, TreeNode>();
    const record = {
      index,
      waiting: { update: () => undefined },
      log: { append: () => 7 },
      put: (node: TreeNode) => {
        index.set(node);
        rows.set(node.sessionId, node);
      },
      leaveAfter: () => undefined,
      end: () => undefined,
      forgetBelow: () => undefined,
      letGo: () => undefined,
      deps: { limits: limitsOf({}) },
    } as unknown as TreeRecord;
    const usage = { ...NO_USAGE, modelCalls: 3 };
    const batch = { sessionId, first: lastChunk + 1, chunks: chunks(count), status: 'running', usage } as const;
    const request = { sessionId, batches: [batch], admit: [], deliver: [], withdraw: [], lost: [] };
    expect(new RootRequests(record).take(request, 5)).toMatchObject({ merge: 'merged', merged: lastChunk + count });
    expect(rows.get(sessionId)).toMatchObject({ usage, lastChunk: lastChunk + count });
    expect(rows.get(sessionId)).toEqual(index.bySession(sessionId));
  },
);
