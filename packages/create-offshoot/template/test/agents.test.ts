import { createTestRuntime, routingScriptedModel } from 'offshoot/testing';
import { expect, it } from 'vitest';
import { planner, timekeeper } from '../src/agents';

it('asks the timekeeper for the time, even after a crash', async () => {
  const zone = 'Asia/Tokyo';
  const model = routingScriptedModel({
    planner: [{ calls: [{ name: 'subagent__timekeeper', input: { zone } }] }, { text: 'Call at ten.' }],
    timekeeper: [{ calls: [{ name: 'time_in', input: { zone } }] }, { text: 'It is nine.' }],
  });
  const runtime = createTestRuntime({ agents: [planner, timekeeper], model });
  const run = await runtime.execute(planner, 'When can I call Tokyo?');
  runtime.crash();
  expect(await run.result()).toEqual({ status: 'completed', output: 'Call at ten.' });
  expect(JSON.stringify(run.messages())).toContain('It is nine.');
  runtime.close();
});
