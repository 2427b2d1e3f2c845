/** What every store of a tree must do: over `node:sqlite`, and over a Durable Object's own storage. */

import { describe, expect, it } from 'vitest';
import type { TreeStore } from '../../src/core/ports/tree-store';
import type { PendingRow } from '../../src/core/tree/pending';
import type { Chunk } from '../../src/protocol/chunks';
import { migrate } from '../../src/store/migrate';
import { AGENT_MIGRATIONS, ROOT_MIGRATIONS } from '../../src/store/migrations';
import type { ObjectStorage } from '../../src/store/storage';
import { SqlTreeStore } from '../../src/store/tree-store';
import { childNode, NO_FACTS, rootNode } from '../support/nodes';
import { present } from '../support/present';
import { chunks, LONG_TEXTS, type WithStorage } from './stores-support';

type WithStore = (
  body: (stores: { store: TreeStore; storage: ObjectStorage; reopen(): TreeStore }) => void,
) => Promise<void>;

const ALL = Number.MAX_SAFE_INTEGER;

/** The contract of a tree's store. */
export function treeStoreContract(name: string, withStorage: WithStorage): void {
  const withStore: WithStore = (body) =>
    withStorage(({ storage, reopen }) => {
      migrate(storage, { agent: AGENT_MIGRATIONS, root: ROOT_MIGRATIONS });
      body({ store: new SqlTreeStore(storage), storage, reopen: () => new SqlTreeStore(reopen()) });
    });
  describe(`the tree's store over ${name}`, () => {
    recordSuite(withStore);
    pendingSuite(withStore);
    logSuite(withStore);
    beginningsSuite(withStore);
    longSuite(withStore);
    retentionSuite(withStore);
  });
}

function recordSuite(withStore: WithStore): void {
  it('[SO4] gives back the record of each agent, as it was written last, in the order of ids', () =>
    withStore(({ store, reopen }) => {
      expect(store.nodes()).toEqual([]);
      const later = rootNode({ top: { ...NO_FACTS, lastId: 9, reported: 'x', removing: { key: 'k' } } });
      for (const each of [childNode(3), rootNode(), childNode(2), later, later]) store.put(each);
      const opened = reopen();
      expect(opened.nodes()).toEqual([later, childNode(2), childNode(3)]);
      opened.removeNodes([2, 7]);
      expect(opened.nodes().map(({ id }) => id)).toEqual([1, 3]);
    }));
}

function pendingSuite(withStore: WithStore): void {
  const row = (toolCallId: string, owner: number, text = 'x', open = true): PendingRow => ({
    toolCallId,
    node: owner,
    open,
    item: { toolCallId, stepId: 1, kind: 'approval', toolName: 'pay', requestedAt: 5, input: { text } },
  });

  it('[SO4, AN1] gives back the calls that wait, each as it was written last, and finds those that wait no more', () =>
    withStore(({ store, reopen }) => {
      expect([store.openPending(), store.pending('a')]).toEqual([[], []]);
      for (const each of [row('b', 2), row('a', 1), row('c', 2), row('b', 2, 'y'), row('c', 2, '', false)])
        store.putPending(each);
      const opened = reopen();
      const inOrder = (rows: PendingRow[]) =>
        rows.toSorted((one, other) => one.toolCallId.localeCompare(other.toolCallId));
      expect(inOrder(opened.openPending())).toEqual([row('a', 1), row('b', 2, 'y')]);
      expect(opened.pending('c')).toEqual([row('c', 2, '', false)]);
      for (let times = 0; times < 2; times++) opened.dropPending(2);
      expect([opened.openPending(), opened.pending('b'), opened.pending('c')]).toEqual([[row('a', 1)], [], []]);
    }));

  it('[RM28] keeps calls of one id that two agents have apart', () =>
    withStore(({ store, reopen }) => {
      for (const each of [row('a', 1), row('a', 2, 'y', false), row('a', 1, 'z')]) store.putPending(each);
      const opened = reopen();
      expect(opened.openPending()).toEqual([row('a', 1, 'z')]);
      expect(opened.pending('a')).toEqual([row('a', 1, 'z'), row('a', 2, 'y', false)]);
      opened.dropPending(1);
      expect(opened.pending('a')).toEqual([row('a', 2, 'y', false)]);
    }));

  it('[SO2, SO4] keeps arguments of any length', () =>
    withStore(({ store, reopen }) => {
      const long = row('a', 1, 'x'.repeat(1_300_000));
      store.putPending(long);
      expect(reopen().openPending()).toEqual([long]);
    }));

  it('[SO2, SO4] leaves nothing of what long rows had beside them: of calls, nor of an agent that is removed', () =>
    withStore(({ store, storage }) => {
      const text = 'x'.repeat(1_300_000);
      const owners = () => storage.sql.exec('SELECT DISTINCT owner FROM overflow ORDER BY owner').toArray();
      const all = ['pending 1 a', 'pending 1 b', 'pending 12 a', 'pending 2 a', 'tree 2', 'tree 3'];
      for (const each of [row('a', 1, text), row('b', 1, text), row('a', 12, text), row('a', 2, text)])
        store.putPending(each);
      for (const id of [2, 3]) store.put(childNode(id, { statusText: text }));
      expect(owners()).toEqual(all.map((owner) => ({ owner })));
      store.dropPending(1);
      store.removeNodes([3]);
      expect(owners()).toEqual(['pending 12 a', 'pending 2 a', 'tree 2'].map((owner) => ({ owner })));
      expect([store.openPending().length, store.nodes().length]).toEqual([2, 1]);
    }));
}

/** Rows of 1, 2, 3, 4 chunks of agents 1, 2, 1, 2: sequences 1, 2-3, 4-6, 7-10. */
function fill(store: TreeStore): void {
  const rows = [
    { first: 1, node: 1, number: 1 },
    { first: 2, node: 2, number: 1 },
    { first: 4, node: 1, number: 2 },
    { first: 7, node: 2, number: 3 },
  ];
  rows.forEach((row, index) => void store.append({ ...row, chunks: chunks(index + 1, `${row.first} `) }));
}

function logSuite(withStore: WithStore): void {
  it('[LG1, SO4] gives back rows from the one that holds a sequence on', () =>
    withStore(({ store, reopen }) => {
      expect([store.extent(), store.read(1, 10, ALL)]).toEqual([{ first: 1, last: 0 }, []]);
      fill(store);
      const opened = reopen();
      expect(opened.extent()).toEqual({ first: 1, last: 10 });
      expect(opened.read(1, 1, ALL)).toEqual([{ first: 1, node: 1, number: 1, chunks: chunks(1, '1 ') }]);
      const from = (sequence: number, limit = 10) => opened.read(sequence, limit, ALL).map(({ first }) => first);
      expect([from(1), from(2), from(3), from(5), from(10), from(11), from(3, 2)]).toEqual([
        [1, 2, 4, 7],
        [2, 4, 7],
        [2, 4, 7],
        [4, 7],
        [7],
        [7],
        [2, 4],
      ]);
    }));

  it('[LG2] gives at least one row, and no more than hold so many characters', () =>
    withStore(({ store }) => {
      fill(store);
      const sizes = store.read(1, 10, ALL).map((row) => JSON.stringify(row.chunks).length);
      const sum = (count: number) => sizes.slice(0, count).reduce((total, size) => total + size, 0);
      expect(
        [0, sum(1), sum(2) - 1, sum(2), sum(3), sum(4), ALL].map((most) => store.read(1, 10, most).length),
      ).toEqual([1, 1, 1, 2, 3, 4, 4]);
      expect(store.size(1, 7)).toBe(sum(3));
      expect(store.size(1, 1)).toBe(0);
      expect(store.size(4, ALL)).toBe(sum(4) - sum(2));
    }));

  it('[LG1] a sequence that is taken is not given again', () =>
    withStore(({ store }) => {
      fill(store);
      expect(() => store.append({ first: 7, node: 1, number: 9, chunks: chunks(1) })).toThrow();
      expect(store.extent()).toEqual({ first: 1, last: 10 });
    }));

  it("[LG1, TR1] finds the sequence of an agent's own number, and its newest rows backwards", () =>
    withStore(({ store }) => {
      fill(store);
      const found = (id: number, numbers: number[]) => numbers.map((number) => store.sequenceOf(id, number));
      expect(found(1, [1, 2, 3, 4, 5])).toEqual([1, 4, 5, 6, 0]);
      expect(found(2, [1, 2, 3, 6, 7])).toEqual([2, 3, 7, 10, 0]);
      expect(found(3, [1])).toEqual([0]);
      const back = (before: number, limit = 9) => store.readBack(1, before, limit).map(({ first }) => first);
      expect([back(11), back(4), back(1), back(11, 1)]).toEqual([[4, 1], [1], [], [4]]);
    }));
}

function beginningsSuite(withStore: WithStore): void {
  it('[LG1, SO2] finds where the runs of an agent begin, from a sequence on, also in rows of any length', () =>
    withStore(({ store, reopen }) => {
      const [chunk] = chunks(1);
      const begins = (runId: string): Chunk => ({
        ...present(chunk),
        type: 'run_started',
        runId,
        turn: 1,
        chainTurn: 1,
      });
      store.append({ first: 1, node: 1, number: 1, chunks: [begins('r_1'), ...chunks(1)] });
      store.append({ first: 3, node: 2, number: 1, chunks: [begins('r_other')] });
      store.append({ first: 4, node: 1, number: 3, chunks: [...chunks(2, 'x'.repeat(1_300_000)), begins('r_2')] });
      store.append({ first: 7, node: 1, number: 6, chunks: chunks(1, '"run_started"') });
      const opened = reopen();
      expect(Object.fromEntries(opened.beginnings(1, 1))).toEqual({ r_1: 1, r_2: 6 });
      expect(Object.fromEntries(opened.beginnings(1, 2))).toEqual({ r_2: 6 });
    }));
}

function longSuite(withStore: WithStore): void {
  it.for(LONG_TEXTS)('[SO2, SO4] keeps chunks and records of any length: $name', ({ text }) =>
    withStore(({ store, reopen }) => {
      store.append({ first: 1, node: 1, number: 1, chunks: chunks(3, text) });
      store.append({ first: 4, node: 1, number: 4, chunks: chunks(1) });
      store.put(rootNode({ statusText: text }));
      const opened = reopen();
      expect(opened.read(2, 1, 0)).toEqual([{ first: 1, node: 1, number: 1, chunks: chunks(3, text) }]);
      expect(opened.nodes()).toEqual([rootNode({ statusText: text })]);
    }),
  );
}

function retentionSuite(withStore: WithStore): void {
  it('[SO4, SO2] removes the log before a sequence, with all that long rows had beside it', () =>
    withStore(({ store, storage, reopen }) => {
      store.append({ first: 1, node: 1, number: 1, chunks: chunks(2, 'x'.repeat(700_000)) });
      store.append({ first: 3, node: 1, number: 3, chunks: chunks(2, 'y'.repeat(700_000)) });
      store.beginTurn(1, 1);
      store.beginTurn(2, 3);
      store.beginTurn(2, 99);
      expect(store.turns()).toEqual([
        { turn: 1, first: 1 },
        { turn: 2, first: 3 },
      ]);
      const parts = () => Number(storage.sql.exec('SELECT count(*) AS n FROM overflow').toArray()[0]?.n);
      const before = parts();
      store.compact(3, 2);
      expect(parts()).toBe(before / 2);
      const opened = reopen();
      expect([opened.turns(), opened.extent()]).toEqual([[{ turn: 2, first: 3 }], { first: 3, last: 4 }]);
      expect(opened.read(1, 9, ALL)).toEqual([
        { first: 3, node: 1, number: 3, chunks: chunks(2, 'y'.repeat(700_000)) },
      ]);
    }));
}
