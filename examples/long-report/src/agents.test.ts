import { createTestRuntime } from 'offshoot/testing';
import { expect, it } from 'vitest';
import { reporter } from './agents';

it('waits for the title over a crash, and writes no chapter again', async () => {
  const runtime = createTestRuntime({ agents: [reporter] });
  const run = await runtime.execute(reporter, 'A year of bees.');
  expect((await run.settled()).status).toBe('suspended_client_tool');
  runtime.crash();
  const [asked] = run.pending();
  if (asked === undefined) throw new Error('No call is pending.');
  expect(asked).toMatchObject({ toolName: 'ask_reader', input: { question: 'Which title?' } });
  await run.submit({ kind: 'client-tool-result', toolCallId: asked.toolCallId, result: 'Bees' });
  expect(await run.result()).toEqual({ status: 'completed', output: 'The report is in report.md.' });
  expect(run.state()).toEqual({ written: ['Spring', 'Summer', 'Winter'] });
  expect((await run.files()).map(({ path }) => path)).toContain('report.md');
  runtime.close();
});
