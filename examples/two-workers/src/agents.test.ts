import { createTestRuntime } from 'offshoot/testing';
import { expect, it } from 'vitest';
import { planner } from './planner';
import { researcher } from './researcher/researcher';

/** In place of the binding. */
const absent: unknown = {
  start: async () => ({ ok: false, code: 'not_found', title: 'No agent exists at this address.', status: 404 }),
};

it('answers by itself', async () => {
  const runtime = createTestRuntime({ agents: [researcher] });
  const run = await runtime.execute(researcher, { input: { question: 'When do bees swarm?' } });
  expect(await run.result()).toEqual({ status: 'completed', output: { answer: 'Bees swarm in May.' } });
  runtime.close();
});

it('plans on without the other Worker', async () => {
  const runtime = createTestRuntime({ agents: [planner], env: { RESEARCH: absent as Service } });
  const run = await runtime.execute(planner, 'When do bees swarm?');
  expect(await run.result()).toEqual({ status: 'completed', output: 'The researcher did not answer.' });
  runtime.close();
});
