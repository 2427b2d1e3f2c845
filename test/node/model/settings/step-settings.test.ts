/** Settings of single steps: choices that let go, and the hook that sets them. */

import { createAnthropic } from '@ai-sdk/anthropic';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../../src/core/definition/define-agent';
import { defineTool } from '../../../../src/core/definition/define-tool';
import { defineHook, type StandardHookPayloads } from '../../../../src/core/definition/hooks/standard-hooks';
import type { ModelSettings } from '../../../../src/core/definition/settings/settings';
import { createTestRuntime, type TestRun } from '../../../../src/testing';
import type { WorldRun } from '../../../../src/testing/handle';
import { call, type Reply, say } from '../../../providers/replies';
import type { Body } from '../../../providers/rules/anthropic-api';
import { provider } from '../../../providers/server';

const toolNamed = (name: string, more: object = {}) =>
  defineTool({ name, description: 'Works.', inputSchema: z.object({}), execute: () => 'ok', ...more });

async function ran(replies: readonly Reply[], settings: ModelSettings, more: object = {}) {
  const api = provider('anthropic', { replies });
  const reports: string[] = [];
  const agent = defineAgent({
    name: 'plain',
    systemPrompt: 'Help.',
    model: createAnthropic({ apiKey: 'k', fetch: api.fetch })('claude-sonnet-4-5'),
    settings,
    tools: [toolNamed('work'), toolNamed('look'), toolNamed('publish', { finishWith: true })].slice(
      0,
      'ends' in more ? 3 : 2,
    ),
    ...('hooks' in more ? { hooks: more.hooks as never } : {}),
  });
  const runtime = createTestRuntime({ agents: [agent], report: (problem) => reports.push(problem) });
  onTestFinished(() => runtime.close());
  const run = await runtime.execute(agent, 'Go.');
  const result = await run.result();
  const bodies = () => api.requests.map(({ body }) => body as Body);
  return { api, run, result, reports, bodies, choices: () => bodies().map((body) => body.tool_choice?.type) };
}

const work = (n: number) => call(`toolu_${n}`, 'work');
const look = (n: number) => call(`toolu_${n}`, 'look');

describe('a forced choice', () => {
  it('[ST17] of any tool lets go once one was called, and is made again in the next turn', async () => {
    const replies = [work(1), work(2), say('Done.'), work(3), say('Done.')];
    const { run, result, choices } = await ran(replies, { toolChoice: 'required' });
    expect(result).toEqual({ status: 'completed', output: 'Done.' });
    expect(choices()).toEqual(['any', 'auto', 'auto']);
    await run.send('Again.');
    expect(await run.result()).toEqual({ status: 'completed', output: 'Done.' });
    expect(choices()).toEqual(['any', 'auto', 'auto', 'any', 'auto']);
  });

  it('[ST17] of one tool holds until that one was called', async () => {
    const { choices } = await ran([look(1), look(2), work(3), look(4), say('Done.')], { toolChoice: { tool: 'work' } });
    expect(choices()).toEqual(['tool', 'tool', 'tool', 'auto', 'auto']);
  });

  it('[ST17] holds where only a call can end the run, and so does that of the tool that ends it', async () => {
    const end = call('toolu_9', 'publish');
    const any = await ran([work(1), work(2), end], { toolChoice: 'required' }, { ends: true });
    expect(any.choices()).toEqual(['any', 'any', 'any']);
    const one = await ran([work(1), end], { toolChoice: { tool: 'publish' } }, { ends: true });
    expect(one.choices()).toEqual(['tool', 'tool']);
    const other = await ran([work(1), end], { toolChoice: { tool: 'work' } }, { ends: true });
    expect(other.choices()).toEqual(['tool', 'auto']);
  });

  it('[ST17] `none` forbids calls in every step', async () => {
    const { choices, run } = await ran([say('Yes.'), say('Yes.')], { toolChoice: 'none' });
    await run.send('Again.');
    await run.result();
    expect(choices()).toEqual(['none', 'none']);
  });
});

type Payload = StandardHookPayloads['prepare_step'];
const preparing = (execute: (payload: Payload) => unknown, id = 'prepare') =>
  defineHook({ hook: 'prepare_step', id, execute: execute as never });

describe('prepare_step', () => {
  it('[HK26] gives settings for its step alone, each in place of the definition’s', async () => {
    const told: Payload[] = [];
    const hook = preparing((payload) => {
      told.push(payload);
      return payload.step === 2 ? { settings: { temperature: 0.5, toolChoice: { tool: 'look' } } } : undefined;
    });
    const settings = { temperature: 1, maxOutputTokens: 500 };
    const { bodies, result } = await ran([work(1), look(2), say('Done.')], settings, { hooks: [hook] });
    expect(result).toEqual({ status: 'completed', output: 'Done.' });
    expect(
      bodies().map(({ temperature, max_tokens, tool_choice }) => [temperature, max_tokens, tool_choice?.name]),
    ).toEqual([
      [1, 500, undefined],
      [0.5, 500, 'look'],
      [1, 500, undefined],
    ]);
    expect(told).toEqual([1, 2, 3].map((step) => ({ step, attempt: 1, settings })));
  });

  it('[HK26] several have what the one before gave', async () => {
    const first = preparing(() => ({ settings: { temperature: 0.5 } }), 'first');
    const second = preparing(
      ({ settings }) => ({ settings: { temperature: (settings.temperature ?? 0) / 2 } }),
      'second',
    );
    const { bodies } = await ran([say('Done.')], {}, { hooks: [first, second] });
    expect(bodies()[0]?.temperature).toBe(0.25);
  });

  it.each<[unknown, RegExp]>([
    [{ settings: { temperature: 7 } }, /`settings.temperature` must be a number from 0 to 2/],
    [{ settings: { toolChoice: { tool: 'find' } } }, /"find", which does not exist/],
    [{ settings: { headers: { authorization: 'k' } } }, /may not have "authorization"/],
    [{ temperature: 0.5 }, /a value other than an object with only `settings`/],
    [7, /a value other than an object with only `settings`/],
  ])('[HK26] what cannot be taken is reported, and the definition’s settings stay: %j', async (given, why) => {
    const { bodies, reports, run, result } = await ran(
      [say('Done.')],
      { temperature: 0.75 },
      { hooks: [preparing(() => given)] },
    );
    expect(result).toEqual({ status: 'completed', output: 'Done.' });
    expect(bodies()[0]?.temperature).toBe(0.75);
    expect(reports).toEqual(['The hook prepare_step "prepare" failed.']);
    const failed: unknown[] = [];
    for await (const { chunk } of run.stream()) if (chunk.type === 'hook_failed') failed.push(chunk.error.message);
    expect(failed).toEqual([expect.stringMatching(why)]);
  });

  it('[HK26] is asked again with each attempt of a step, with its number', async () => {
    const told: Payload[] = [];
    const hook = preparing((payload) => void told.push(payload));
    const { result } = await ran([{ status: 529 }, say('Done.')], {}, { hooks: [hook] });
    expect(result).toEqual({ status: 'completed', output: 'Done.' });
    expect(told.map(({ step, attempt }) => [step, attempt])).toEqual([
      [1, 1],
      [1, 2],
    ]);
  });
});

async function verb(run: TestRun, name: string): Promise<unknown> {
  const { world } = run as unknown as WorldRun;
  const answer = await world
    .object(run.address)
    .call({ kind: 'verb', path: [], verb: name, input: {}, caller: 'person' });
  return answer.ok ? answer.body : Promise.reject(answer.error);
}

describe('the settings of an agent', () => {
  it('[A104] are in its limits, of headers and options the names alone', async () => {
    const settings = {
      temperature: 0.5,
      headers: { 'x-team': 'secret words' },
      providerOptions: { anthropic: { metadata: { userId: 'hidden' } } },
    };
    const { run } = await ran([say('Done.')], settings);
    const shown = await verb(run, 'limits');
    expect(shown).toMatchObject({
      settings: { temperature: 0.5, headers: ['x-team'], providerOptions: { anthropic: ['metadata'] } },
    });
    expect(JSON.stringify(shown)).not.toMatch(/secret|hidden/);
  });
});
