/** The outbox of an agent whose root does not answer any more. */
import { expect, it } from 'vitest';
import type { AgentStore } from '../../../src/core/ports/agent-store';
import { Outbox, type SenderStatus } from '../../../src/engine/outbox';
import { NO_USAGE } from '../../../src/protocol/usage';
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
