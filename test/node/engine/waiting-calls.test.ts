/** What of a tree waits for a person, in memory and in its rows: they must say the same. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WaitingCall } from '../../../src/core/tree/pending';
import { WaitingCalls } from '../../../src/engine/root/waiting-calls';
import type { Chunk } from '../../../src/protocol/chunks';
import { migrate } from '../../../src/store/migrate';
import { AGENT_MIGRATIONS, ROOT_MIGRATIONS } from '../../../src/store/migrations';
import { SqlTreeStore } from '../../../src/store/tree-store';
import { nodeStorage } from '../../../src/testing/node-storage';

const base = { agentId: 's', agentType: 'a', address: '/agents/a/x', runId: 'r', step: 1, attempt: 1, timestamp: 5 };

const asks = (toolCallId: string, text: string): Chunk => ({
  ...base,
  type: 'tool_approval_request',
  ...{ toolCallId, toolName: 'pay', arguments: { text }, inputHash: 'x' },
});
const waits = (toolCallId: string): WaitingCall => ({
  ...{ toolCallId, stepId: 1, kind: 'approval', toolName: 'pay', requestedAt: 5 },
});

function opened() {
  const storage = nodeStorage();
  migrate(storage, { agent: AGENT_MIGRATIONS, root: ROOT_MIGRATIONS });
  const problems: string[] = [];
  const again = () => new WaitingCalls(new SqlTreeStore(storage), (problem) => problems.push(problem));
  return { waiting: again(), again, problems };
}

/** What is open in memory and after a restart. */
const shown = (waiting: WaitingCalls) => waiting.open().map(({ node, item }) => [node, item.toolCallId, item.input]);

describe('calls that wait', () => {
  it('[RM28] one agent cannot take the place of the call of any other; memory and rows agree', () => {
    const { waiting, again, problems } = opened();
    waiting.update(1, [waits('c')], [asks('c', 'everything')]);
    waiting.update(2, [waits('c')], [asks('c', 'a joke')]);
    const first = [[1, 'c', { text: 'everything' }]];
    expect([shown(waiting), shown(again())]).toEqual([first, first]);
    expect(problems).toEqual(['The call "c" of agent 2 is not shown: another agent has that id open.']);
    // What the second one says of it later changes nothing either, and neither does its end.
    waiting.update(2);
    waiting.drop(2);
    expect([shown(waiting), shown(again())]).toEqual([first, first]);
    expect(again().find('c', (node) => node === 2)).toBeUndefined();
    expect(again().find('c', () => true)?.node).toBe(1);
  });

  it('[RM28] once it is answered the id is free, and each of the two is found by its agent', () => {
    const { waiting, again } = opened();
    waiting.update(1, [waits('c')], [asks('c', 'everything')]);
    waiting.update(1);
    waiting.update(2, [waits('c')], [asks('c', 'a joke')]);
    for (const each of [waiting, again()]) {
      expect(shown(each)).toEqual([[2, 'c', { text: 'a joke' }]]);
      expect(each.find('c', (node) => node === 1)).toMatchObject({ node: 1, open: false });
      // One that waits comes before one that was answered.
      expect(each.find('c', () => true)).toMatchObject({ node: 2, open: true });
    }
  });

  const told = fc.record({
    node: fc.integer({ min: 1, max: 3 }),
    ids: fc.subarray(['c', 'd']),
    first: fc.constantFrom('nothing', 'restart', 'reload'),
  });

  it('[RM28] an id is its owner’s until that lets go of it, also for a root that was out of memory or rolled back', () => {
    fc.assert(
      fc.property(fc.array(told, { maxLength: 10 }), (all) => {
        const { waiting: first, again } = opened();
        let waiting = first;
        /** What each agent has or had, by its id and the call's: whether that is open. */
        const had = new Map<string, boolean>();
        const isTaken = (id: string) => [1, 2, 3].some((node) => had.get(`${node} ${id}`));
        for (const { node, ids, first: before } of all) {
          if (before === 'restart') waiting = again();
          // What this one has not heard of has come and gone since.
          if (before === 'reload') {
            again().update(node);
            for (const id of ['c', 'd']) if (had.has(`${node} ${id}`)) had.set(`${node} ${id}`, false);
            waiting.reload();
          }
          waiting.update(
            node,
            ids.map(waits),
            ids.map((id) => asks(id, `${node}`)),
          );
          for (const id of ['c', 'd']) {
            const key = `${node} ${id}`;
            if (had.has(key) && !ids.includes(id)) had.set(key, false);
            else if (ids.includes(id) && !isTaken(id)) had.set(key, true);
          }
          const open = [...had].flatMap(([key, isOpen]) => (isOpen ? [key] : []));
          expect(
            shown(waiting)
              .map(([owner, id]) => `${owner} ${id}`)
              .toSorted(),
          ).toEqual(open.toSorted());
          for (const id of ['c', 'd']) {
            for (const at of [1, 2, 3])
              expect(waiting.find(id, (owner) => owner === at)?.node).toBe(had.has(`${at} ${id}`) ? at : undefined);
            const owner = [1, 2, 3].find((at) => had.get(`${at} ${id}`));
            if (owner !== undefined) expect(waiting.find(id, () => true)).toMatchObject({ node: owner, open: true });
          }
        }
      }),
      { numRuns: 20 },
    );
  });

  it('[RM28] a call that asks again shows what it asks now, and of two questions at once the last one', () => {
    const { waiting, again } = opened();
    waiting.update(1, [waits('c')], [asks('c', 'one')]);
    waiting.update(1, [waits('c')], [asks('c', 'two'), asks('c', 'three')]);
    for (const each of [waiting, again()]) expect(shown(each)).toEqual([[1, 'c', { text: 'three' }]]);
    waiting.update(1, [waits('c')], []);
    expect(shown(waiting)).toEqual([[1, 'c', { text: 'three' }]]);
  });

  it('[AN3] whoever owns a call is woken at its time, with each beat after that, and at its new time where it is asked again', () => {
    const { waiting } = opened();
    const timed = (expiresAt: number) => ({ ...waits('c'), expiresAt });
    const next = (now: number) => waiting.nextExpiry(now, 30);
    for (const start of [0, 1_000]) {
      waiting.update(1, [timed(start + 100)], [asks('c', 'one')]);
      expect([next(start), next(start + 99), next(start + 100)]).toEqual([start + 100, start + 100, start + 100]);
      expect([...waiting.expired(start + 99)]).toEqual([]);
      expect([...waiting.expired(start + 100)]).toEqual([1]);
      expect([next(start + 100), next(start + 120)]).toEqual([start + 130, start + 150]);
      // Its agent is interrupted, and goes on later.
      waiting.update(1);
      expect(next(start + 200)).toBeUndefined();
      waiting.update(1, [timed(start + 900)], [asks('c', 'one')]);
      expect([next(start + 300), next(start + 899)]).toEqual([start + 900, start + 900]);
      waiting.update(1);
    }
  });
});
