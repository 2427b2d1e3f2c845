/** The outbox of an agent whose root does not answer any more. */
import { expect, it } from 'vitest';
import type { AgentStore } from '../../../src/core/ports/agent-store';
import { Outbox, type SenderStatus } from '../../../src/engine/outbox';
import type { Delivery, RootAnswer, RootRequest } from '../../../src/engine/tree-messages';
import { NO_USAGE } from '../../../src/protocol/usage';
import { chunks } from '../../contract/stores-support';
import { VirtualTime } from '../../support/virtual-time';

const facts: SenderStatus = { status: 'running', usage: NO_USAGE };
const owner = { owes: () => true, gone() {}, unsendable() {} };

it('[OB4] nobody waits for an outbox that has ended, before or during the wait', async () => {
  const time = new VirtualTime();
  const store = { keep() {} } as unknown as AgentStore;
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
  const store = { keep() {} } as unknown as AgentStore;
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
