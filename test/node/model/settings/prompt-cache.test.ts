/** The prompt cache of Anthropic, as the stand-in keeps it, and the marks that fill it. */

import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../../src/core/definition/define-agent';
import { defineTool } from '../../../../src/core/definition/define-tool';
import type { ModelSettings } from '../../../../src/core/definition/settings/settings';
import { createTestRuntime, type TestRun } from '../../../../src/testing';
import { call, type Part, type Reply, say } from '../../../providers/replies';
import { allBlocks, type Body, blocksOf } from '../../../providers/rules/anthropic-api';
import { type InProcess, provider } from '../../../providers/server';
import { present } from '../../../support/present';

const LONG = 'Words that fill a part of the window. '.repeat(50);
const MARK = { anthropic: { cacheControl: { type: 'ephemeral' } } };

const toolNamed = (name: string, more: object = {}) =>
  defineTool({
    name,
    description: LONG,
    inputSchema: z.object({ n: z.number().optional() }),
    execute: () => LONG,
    ...more,
  });

interface Ran {
  readonly api: InProcess;
  readonly run: TestRun;
  readonly reports: readonly string[];
}

interface More {
  readonly settings?: ModelSettings;
  readonly marks?: number;
  readonly systemPrompt?: () => string;
  readonly context?: { readonly maxTokens: number };
  /** Models that are asked before it. */
  readonly before?: readonly LanguageModelV4[];
}

async function ran(
  replies: readonly Reply[],
  { settings = {}, marks = 0, before = [], ...more }: More = {},
): Promise<Ran> {
  const api = provider('anthropic', { replies, cache: true });
  const reports: string[] = [];
  const agent = defineAgent({
    name: 'plain',
    systemPrompt: LONG,
    models: [...before, createAnthropic({ apiKey: 'k', fetch: api.fetch })('claude-sonnet-4-5')],
    settings,
    tools: ['one', 'two', 'three', 'four', 'five', 'work'].map((name, at) =>
      toolNamed(name, at < marks ? { providerOptions: MARK } : {}),
    ),
    ...more,
  });
  const runtime = createTestRuntime({ agents: [agent], report: (problem) => reports.push(problem) });
  onTestFinished(() => runtime.close());
  const run = await runtime.execute(agent, LONG);
  await run.result();
  return { api, run, reports };
}

const bodyOf = (api: InProcess, at: number) => present(api.requests[at]).body as Body;

/** The places of the marks of a request. */
function marksOf(body: Body): string[] {
  const isMarked = ({ cache_control }: { cache_control?: unknown }) => cache_control !== undefined;
  return [
    ...(body.tools ?? []).flatMap((tool) => (isMarked(tool) ? [`tool ${tool.name}`] : [])),
    ...blocksOf(body.system).flatMap((block) => (isMarked(block) ? ['system'] : [])),
    ...allBlocks(body).flatMap(({ at, block }) => (isMarked(block) ? [`${at} ${block.type}`] : [])),
  ];
}

const work = (n: number): Reply => call(`toolu_${n}`, 'work', { n });

describe('the prompt cache', () => {
  it('[M84] each step reads all of the step before from it', async () => {
    const { api, run } = await ran([...[1, 2, 3, 4, 5].map(work), say('Done.'), say('Yes.')]);
    await run.send('And now?');
    expect(await run.result()).toEqual({ status: 'completed', output: 'Yes.' });
    expect(api.requests.map(({ problem }) => problem?.rule)).toEqual(Array(7).fill(undefined));
    const cached = api.requests.map((request) => present(request.cached));
    expect(cached[0]).toMatchObject({ readBlocks: 0 });
    for (const [at, before] of cached.slice(0, -1).entries()) expect(cached[at + 1]?.readBlocks).toBe(before.blocks);
    expect(run.usage().cachedTokens).toBeGreaterThan(0);
  });

  it('[M84] also where a step made more calls than a mark looks back', async () => {
    const parts: Part[] = Array.from({ length: 30 }, (_, n) => ({
      type: 'call',
      id: `toolu_${n}`,
      name: 'work',
      input: { n },
    }));
    const { api } = await ran([{ parts }, say('Done.')]);
    const [first, second] = api.requests.map((request) => present(request.cached));
    expect(second?.blocks).toBeGreaterThan((first?.blocks ?? 0) + 50);
    expect(second?.readBlocks).toBe(first?.blocks);
  });

  it('[M84] marks the last tool, the system prompt, the end of the history and that of the step before', async () => {
    const { api } = await ran([work(1), work(2), say('Done.')]);
    const fixed = ['tool work', 'system'];
    expect(api.requests.map(({ body }) => marksOf(body as Body))).toEqual([
      [...fixed, 'messages.0.content.0 text'],
      [...fixed, 'messages.0.content.0 text', 'messages.2.content.0 tool_result'],
      [...fixed, 'messages.2.content.0 tool_result', 'messages.4.content.0 tool_result'],
    ]);
  });

  it('[M84] marks no thought, and nothing where there is no text', async () => {
    const thinking: Reply = {
      parts: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'call', id: 'toolu_1', name: 'work', input: {} },
      ],
    };
    const { api } = await ran([thinking, say('\n')], {
      systemPrompt: () => '',
      settings: { reasoning: { effort: 'high' } },
    });
    expect(api.requests.map(({ problem }) => problem?.rule)).toEqual([undefined, undefined]);
    expect(marksOf(bodyOf(api, 1))).toEqual([
      'tool work',
      'messages.0.content.0 text',
      'messages.2.content.0 tool_result',
    ]);
  });

  it.each([
    [1, ['tool one', 'system', 'messages.0.content.0 text', 'messages.2.content.0 tool_result']],
    [3, ['tool one', 'tool two', 'tool three', 'messages.2.content.0 tool_result']],
    [5, ['tool one', 'tool two', 'tool three', 'tool four', 'tool five']],
  ])('[M85] an author who marks %i tools gets fewer of ours', async (marks, places) => {
    const { api } = await ran([work(1), say('Done.')], { marks });
    // The package leaves out what is beyond four.
    expect(marksOf(bodyOf(api, 1))).toEqual(marks > 4 ? expect.arrayContaining([]) : places);
    expect(marksOf(bodyOf(api, 1)).length).toBeLessThanOrEqual(4);
    expect(api.requests.map(({ problem }) => problem?.rule)).toEqual([undefined, undefined]);
  });

  it('[M85] `promptCache: false` marks nothing, and nothing is kept of marks', async () => {
    const { api, run } = await ran([work(1), say('Done.')], { settings: { promptCache: false } });
    expect(api.requests.flatMap(({ body }) => marksOf(body as Body))).toEqual([]);
    expect(JSON.stringify(run.messages())).not.toContain('cacheControl');
    const { run: marked } = await ran([work(1), say('Done.')]);
    expect(JSON.stringify(marked.messages())).not.toContain('cacheControl');
  });

  it('[M84, CX5] each step reads all of the step before, but where older steps are newly left out', async () => {
    const steps = Array.from({ length: 24 }, (_, n) => work(n + 1));
    const { api, run } = await ran([...steps, say('Done.')], { context: { maxTokens: 8_000 } });
    expect(api.requests.map(({ problem }) => problem?.rule)).toEqual(Array(25).fill(undefined));
    const compacted: number[] = [];
    for await (const { chunk } of run.stream()) if (chunk.type === 'context_compacted') compacted.push(chunk.step);
    expect(compacted.length).toBeGreaterThan(1);
    const cached = api.requests.map((request) => present(request.cached));
    for (const [at, before] of cached.slice(0, -1).entries()) {
      const read = cached[at + 1]?.readBlocks;
      // Tools and the system prompt stay.
      if (compacted.includes(at + 2)) expect(read).toBe(7);
      else expect(read).toBe(before.blocks);
    }
    for (const { body } of api.requests) expect(marksOf(body as Body).length).toBeLessThanOrEqual(4);
  });

  it('[M84, FM7] begins anew at the model that takes over, and then each step reads the one before', async () => {
    let asked = 0;
    const other = provider('chat', {
      replies: () => (++asked < 3 ? call(`call_${asked}`, 'work', { n: asked }) : { status: 401, message: 'No.' }),
    });
    const before = [createOpenAI({ apiKey: 'k', fetch: other.fetch }).chat('gpt-4o')];
    const { api } = await ran([work(3), work(4), say('Done.')], { before });
    expect(api.requests.map(({ problem }) => problem?.rule)).toEqual([undefined, undefined, undefined]);
    const [first, second, third] = api.requests.map((request) => present(request.cached));
    expect([first?.readBlocks, second?.readBlocks, third?.readBlocks]).toEqual([0, first?.blocks, second?.blocks]);
    for (const { body } of api.requests) expect(marksOf(body as Body)).toHaveLength(4);
  });
});
