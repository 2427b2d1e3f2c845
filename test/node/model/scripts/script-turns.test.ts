/** Lists of answers over the retries and resumes of a turn: what was done is not asked for again. */
import { expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../../../src/core/definition/define-agent';
import { defineTool } from '../../../../src/core/definition/define-tool';
import type { Script } from '../../../../src/model/script';
import { scriptedModel } from '../../../../src/model/scripted';
import { createTestRuntime } from '../../../../src/testing';

/** An app that books a call; `fail` makes a step fail as often as it is asked. */
function booking(script: Script, requireApproval = false) {
  const booked: string[] = [];
  const book = defineTool({
    name: 'book_call',
    description: 'Books a call.',
    inputSchema: z.object({ at: z.string() }),
    requireApproval,
    execute: ({ at }) => {
      booked.push(at);
      return { booked: at };
    },
  });
  const model = scriptedModel(script);
  const planner = defineAgent({ name: 'script-planner', systemPrompt: 'Plan.', model, tools: [book] });
  const runtime = createTestRuntime({ agents: [planner] });
  return { runtime, planner, booked, model };
}

const CALL = { calls: [{ name: 'book_call', input: { at: '10:00' } }] };

it('[M111] books once where the run failed behind the booking, and is tried again, also after a crash', async () => {
  let failures = 2;
  const { runtime, planner, booked, model } = booking([
    CALL,
    () => (failures-- > 0 ? { fail: { code: 'model_error', message: 'Away.' } } : { text: 'Booked.' }),
  ]);
  const run = await runtime.execute(planner, 'Book.');
  expect(await run.result()).toMatchObject({ status: 'failed' });
  await run.retry();
  expect(await run.result()).toMatchObject({ status: 'failed' });
  runtime.crash();
  await run.retry();
  expect(await run.result()).toEqual({ status: 'completed', output: 'Booked.' });
  expect([booked, model.requests.map(({ step }) => step)]).toEqual([['10:00'], [1, 2, 2, 2]]);
  // The next turn begins with the first entry, and a resume continues.
  await run.send('Again.');
  expect(await run.result()).toEqual({ status: 'completed', output: 'Booked.' });
  expect(booked).toEqual(['10:00', '10:00']);
  runtime.close();
});

it('[M111] counts the replies of a run that was aborted, resumed and tried again', async () => {
  const { runtime, planner, booked, model } = booking([CALL, CALL, { text: 'Over.' }], true);
  const run = await runtime.execute(planner, 'Book.');
  await run.settled();
  await run.interrupt();
  await run.result();
  await run.resume();
  await run.settled();
  await run.abort();
  await run.result();
  await run.retry();
  await run.settled();
  expect(run.pending()).toHaveLength(1);
  await run.interrupt();
  await run.result();
  await run.resume();
  await run.settled();
  const [asked] = run.pending();
  await run.submit({ kind: 'approval-response', toolCallId: asked?.toolCallId ?? '', approved: true });
  expect((await run.settled()).status).toBe('completed');
  expect(await run.result()).toEqual({ status: 'completed', output: 'Over.' });
  expect([booked, model.requests.map(({ step }) => step)]).toEqual([['10:00'], [1, 2, 3]]);
  runtime.close();
});

it('[M23] has an entry that says what came of a call: a denied one is not told as done', async () => {
  const { runtime, planner, booked } = booking(
    [CALL, ({ results }) => ({ text: results.at(-1)?.failed ? 'Nothing is booked.' : 'Booked.' })],
    true,
  );
  for (const [approved, output] of [
    [false, 'Nothing is booked.'],
    [true, 'Booked.'],
  ] as const) {
    const run = await runtime.execute(planner, 'Book.');
    await run.settled();
    const [asked] = run.pending();
    await run.submit({ kind: 'approval-response', toolCallId: asked?.toolCallId ?? '', approved });
    expect(await run.result()).toEqual({ status: 'completed', output });
  }
  expect(booked).toEqual(['10:00']);
  runtime.close();
});
