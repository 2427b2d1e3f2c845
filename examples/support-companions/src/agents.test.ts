import { createTestRuntime } from 'offshoot/testing';
import { expect, it } from 'vitest';
import { billing, desk, orders } from './agents';

it('has one companion for each subject, and each remembers the order', async () => {
  const runtime = createTestRuntime({ agents: [desk, orders, billing] });
  const run = await runtime.execute(desk, 'Where is order 7?');
  expect(await run.result()).toMatchObject({ output: 'Order 7 is on its way.' });
  await run.send('What does order 8 cost?');
  expect(await run.result()).toMatchObject({ output: 'Order 8 costs 20 euros.' });
  await run.send('And where is it now?');
  expect(await run.result()).toMatchObject({ output: 'Order 7 is on its way.' });
  const below = [`${run.address}/sub/orders/orders`, `${run.address}/sub/billing/billing`];
  expect(run.agents().sort()).toEqual([run.address, ...below].sort());
  runtime.close();
});
