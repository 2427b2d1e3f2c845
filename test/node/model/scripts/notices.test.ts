import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../../src/core/definition/define-agent';
import { defineTool } from '../../../../src/core/definition/define-tool';
import type { ScriptRequest } from '../../../../src/index';
import { modelPort } from '../../../../src/model/adapter';
import type { Message } from '../../../../src/protocol/messages';
import { createTestRuntime, scriptedModel } from '../../../../src/testing';
import { ask } from '../ask';
import { ALL_MODELS, taken } from '../request/asked';

const publish = defineTool({
  name: 'publish',
  description: 'Publishes.',
  inputSchema: z.object({ title: z.string() }),
  requireApproval: true,
  execute: ({ title }) => ({ published: title }),
});

it('[M37, M114, AN4] an approval with other arguments is no message of the user to a script', async () => {
  const asked: Pick<ScriptRequest, 'message' | 'results' | 'notices'>[] = [];
  const model = scriptedModel(({ message, results, notices }) => {
    asked.push({ message, results, notices });
    return results.length === 0 ? { calls: [{ name: 'publish', input: { title: 'Bees' } }] } : { text: 'Published.' };
  });
  const notified = defineAgent({ name: 'notified', systemPrompt: 'x', model, tools: [publish] });
  const runtime = createTestRuntime({ agents: [notified] });
  const run = await runtime.execute(notified, 'Publish it.');
  await run.settled();
  const [call] = run.pending();
  await run.submit({
    kind: 'approval-response',
    toolCallId: call?.toolCallId ?? '',
    approved: true,
    input: { title: 'Wasps' },
  });
  expect(await run.result()).toEqual({ status: 'completed', output: 'Published.' });
  expect(asked).toEqual([
    { message: 'Publish it.', results: [], notices: [] },
    {
      message: 'Publish it.',
      results: [{ name: 'publish', value: { published: 'Wasps' }, failed: false }],
      notices: [expect.stringMatching(/^The arguments of your call of "publish" were changed.*\{"title":"Wasps"\}$/)],
    },
  ]);
  expect(run.messages().map((message) => ('from' in message ? message.from : message.role))).toEqual([
    'user',
    'assistant',
    'tool',
    'offshoot',
    'assistant',
  ]);
  runtime.close();
});

it('[M114, ST5] a reminder is none, and what it reminds of is still the message', async () => {
  const asked: unknown[] = [];
  const model = scriptedModel(({ step, message, notices }) => {
    asked.push([message, notices.length]);
    return step === 1 ? { text: 'Forty-two.' } : { finish: { answer: 42 } };
  });
  const outputSchema = z.object({ answer: z.number() });
  const reminded = defineAgent({ name: 'reminded', systemPrompt: 'x', model, outputSchema });
  const runtime = createTestRuntime({ agents: [reminded] });
  const run = await runtime.execute(reminded, 'How many?');
  expect(await run.result()).toMatchObject({ output: { answer: 42 } });
  expect(asked).toEqual([
    ['How many?', 0],
    ['How many?', 1],
  ]);
  runtime.close();
});

const READ = {
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId: 'c_1', providerId: 'p_1', toolName: 'search', input: {} }],
} as const;
const FOUND = { role: 'tool', toolCallId: 'c_1', toolName: 'search', result: { success: true, value: 1 } } as const;
const HISTORY = (from: { from?: 'offshoot' }): Message[] => [
  { role: 'user', content: 'Search.' },
  READ,
  FOUND,
  { role: 'user', content: 'A notice.', ...from },
];

it.each(ALL_MODELS)('[M115] %s gets the same request whoever wrote a message', (name) => {
  expect(taken(HISTORY({ from: 'offshoot' }), name)).toEqual(taken(HISTORY({}), name));
});

it('[M114, CO9] a turn that a notice began answers that notice, with the results behind it', async () => {
  const script = vi.fn((_request: ScriptRequest) => ({ text: 'Read.' }));
  const port = modelPort(scriptedModel(script));
  const ended: Message = { role: 'user', content: 'The sub-agent has ended.', from: 'offshoot' };
  const reply: Message = { role: 'assistant', content: [{ type: 'text', text: 'Later.' }] };
  const later: Message = { role: 'user', content: 'Another one.', from: 'offshoot' };
  await ask(port, { step: 1, messages: [...HISTORY({}), reply, ended] });
  await ask(port, { step: 2, messages: [...HISTORY({}), reply, ended, READ, FOUND, later] });
  await ask(port, { step: 1, messages: [ended, ...HISTORY({}).slice(0, 1), later] });
  await ask(port, { step: 9, messages: [ended] });
  expect(script.mock.calls.map(([{ message, results, notices }]) => [message, results.length, notices])).toEqual([
    ['The sub-agent has ended.', 0, []],
    ['The sub-agent has ended.', 1, ['Another one.']],
    ['Search.', 0, ['Another one.']],
    ['The sub-agent has ended.', 0, []],
  ]);
});
