/** The outbox of an agent: its rows hold what the root lacks, whatever is lost; nobody waits for one that has ended. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AgentStore, OutgoingBatch } from '../../../src/core/ports/agent-store';
import { Outbox, type SenderStatus } from '../../../src/engine/outbox';
import type { Delivery, RootAnswer, RootRequest } from '../../../src/engine/tree-messages';
import type { Chunk } from '../../../src/protocol/chunks';
import { NO_USAGE } from '../../../src/protocol/usage';
import { chunks } from '../../contract/stores-support';
import { VirtualTime } from '../../support/virtual-time';

const facts: SenderStatus = { status: 'running', usage: NO_USAGE };
const owner = { owes: () => true, gone() {}, unsendable() {} };

/** A store that does this with a row. */
const keeping = (keep: AgentStore['keep']) => ({ keep }) as unknown as AgentStore;

it('[OB4] nobody waits for an outbox that has ended, before or during the wait', async () => {
  const time = new VirtualTime();
  const store = keeping(() => undefined);
  const never = () => new Promise<never>(() => undefined);
  const outbox = new Outbox(store, time.environment, 's_1', never, owner, undefined);
  outbox.keep([], facts);
  outbox.flush();
  let done = 0;
  void outbox.flushed().then(() => done++);
  await time.settle();
  expect(done).toBe(0);
  outbox.stop();
  void outbox.flushed().then(() => done++);
  await time.settle();
  expect(done).toBe(2);
});

it('[OB1, OB8] what comes after a final flush is sent soon, with all that was in it', async () => {
  const time = new VirtualTime();
  const store = keeping(() => undefined);
  const sent: number[][] = [];
  const root = async ({ batches }: RootRequest): Promise<RootAnswer> => {
    sent.push(batches.map(({ first }) => first));
    const last = batches.at(-1);
    const merged = last === undefined ? 0 : last.first + last.chunks.length - 1;
    return { merge: 'merged', merged, admissions: [], withdrawn: [] };
  };
  const outbox = new Outbox(store, time.environment, 's_1', root, owner, undefined);
  const commit = (): void => {
    outbox.keep(chunks(1), facts);
    outbox.flush();
    outbox.sendSoon();
  };
  commit();
  expect(outbox.finalFlush({} as Delivery)?.batches).toHaveLength(1);
  await time.pass(60_000);
  expect([sent, time.pending]).toEqual([[], 0]);
  commit();
  await time.pass(10);
  expect(sent).toEqual([[1, 2]]);
});

/** What happens to an outbox: commits of chunks with texts of so many characters, calls to the root, restarts. A row holds 500,000. */
const happening = fc.oneof(
  fc.record({ is: fc.constant('commit'), sizes: fc.array(fc.constantFrom(1, 300_000), { maxLength: 5 }) }),
  fc.record({ is: fc.constantFrom('failed commit', 'commit'), sizes: fc.constantFrom([1], [300_000, 300_000, 1]) }),
  fc.record({ is: fc.constantFrom('root answers', 'answer is lost', 'restart'), sizes: fc.constant([]) }),
);

it('[OB1, OB2, TR1] the rows hold each chunk that the root lacks once, over failed commits, lost answers and restarts', async () => {
  const holds = fc.asyncProperty(fc.array(happening, { maxLength: 12 }), async (all) => {
    const time = new VirtualTime();
    let rows = new Map<number, OutgoingBatch['batch']>();
    const store = keeping(({ position, batch }) => void rows.set(position, batch));
    const merged: number[] = [];
    let root = 'is away';
    const ask = async ({ batches }: RootRequest): Promise<RootAnswer> => {
      if (root === 'is away') throw new Error('It is away.');
      for (const { first, chunks: some } of batches) {
        expect(first).toBeLessThanOrEqual(merged.length + 1);
        merged.push(...some.slice(merged.length + 1 - first).map(({ timestamp }) => timestamp));
      }
      if (root === 'answer is lost') throw new Error('Its answer is lost.');
      return { merge: 'merged', merged: merged.length, admissions: [], withdrawn: [] };
    };
    const open = (kept?: OutgoingBatch[]) => new Outbox(store, time.environment, 's_1', ask, owner, kept);
    let outbox = open();
    let said = 0;
    const commit = (sizes: readonly number[], fails: boolean): void => {
      const before = new Map(rows);
      const text = (size: number, at: number): Chunk[] =>
        chunks(1, 'x'.repeat(size)).map((chunk) => ({ ...chunk, timestamp: said + at + 1 }));
      outbox.keep(sizes.flatMap(text), facts);
      if (fails) {
        rows = before;
        return outbox.abandon();
      }
      outbox.flush();
      said += sizes.length;
    };
    const call = async (answers: string): Promise<void> => {
      root = answers;
      outbox.sendSoon();
      await time.pass(2_000);
      root = 'is away';
    };
    const restart = (): void => {
      outbox.stop();
      outbox = open([...rows].map(([position, batch]) => ({ position, batch })));
    };
    for (const { is, sizes } of all) {
      if (is === 'restart') restart();
      else if (is === 'root answers' || is === 'answer is lost') await call(is);
      else commit(sizes, is === 'failed commit');
      const kept = [...rows.values()].flatMap(({ first, chunks: some }) =>
        some.map(({ timestamp }, at) => ({ number: first + at, timestamp })),
      );
      const lacked = kept
        .filter(({ number }) => number > merged.length)
        .sort((one, other) => one.number - other.number);
      const due = Array.from({ length: said - merged.length }, (_, at) => merged.length + at + 1);
      expect(lacked).toEqual(due.map((number) => ({ number, timestamp: number })));
      expect(outbox.number).toBe(said);
    }
    restart();
    await call('root answers');
    expect(merged).toEqual(Array.from({ length: said }, (_, at) => at + 1));
    outbox.stop();
  });
  await fc.assert(holds, { numRuns: 40 });
});
