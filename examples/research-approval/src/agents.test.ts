import { createTestRuntime } from 'offshoot/testing';
import { expect, it } from 'vitest';
import { editor, searcher } from './agents';

async function askedToPublish() {
  const runtime = createTestRuntime({ agents: [editor, searcher] });
  const run = await runtime.execute(editor, 'Swarms and honey?');
  await run.settled();
  const [asked] = run.pending();
  if (asked === undefined) throw new Error('No call is pending.');
  return { runtime, run, asked };
}

it('publishes what two searchers found, once a person approves', async () => {
  const { runtime, run, asked } = await askedToPublish();
  expect(asked.input).toMatchObject({ text: expect.stringContaining('Bees swarm in May.') });
  expect(await run.files()).toEqual([]);
  await run.submit({ kind: 'approval-response', toolCallId: asked.toolCallId, approved: true });
  expect(await run.result()).toEqual({ status: 'completed', output: 'The report is published.' });
  expect(await run.files()).toMatchObject([{ path: 'report.md' }]);
  runtime.close();
});

it('publishes nothing after a no', async () => {
  const { runtime, run, asked } = await askedToPublish();
  await run.submit({ kind: 'approval-response', toolCallId: asked.toolCallId, approved: false });
  expect(await run.result()).toEqual({ status: 'completed', output: 'The report is not published.' });
  expect(await run.files()).toEqual([]);
  runtime.close();
});
