import { createTestRuntime } from 'offshoot/testing';
import { expect, it } from 'vitest';
import { pair } from './agents';

it('ends with the text that the reviewer approves', async () => {
  const runtime = createTestRuntime({ agents: [pair] });
  const run = await runtime.execute(pair, 'A line on rain, please.');
  expect(await run.result()).toEqual({ status: 'completed', output: 'Rain falls.' });
  const said = run.messages().flatMap((message) => (message.role === 'assistant' ? message.content : []));
  expect(JSON.stringify(said)).toContain('It is spelt');
  runtime.close();
});
