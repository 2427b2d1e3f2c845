import { createTestRuntime } from 'offshoot/testing';
import { expect, it } from 'vitest';
import { checker, review } from './agents';

it('has 30 files checked side by side, also when everything in memory is lost', async () => {
  const runtime = createTestRuntime({ agents: [review, checker] });
  const run = await runtime.execute(review, 'Review pull request 12.');
  for await (const { chunk } of run.stream()) {
    if (chunk.type !== 'subagent_start') continue;
    runtime.crash();
    break;
  }
  expect(await run.result()).toMatchObject({
    status: 'completed',
    output: { files: 30, findings: [5, 15, 25].map((part) => ({ path: `src/part-${part}.ts` })) },
  });
  expect(run.agents()).toHaveLength(31);
  runtime.close();
});
