/** Agents whose models have tools of their providers, and agents of several models, against the stand-ins. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/core/definition/define-agent';
import { defineTool } from '../../../src/core/definition/define-tool';
import type { AgentDefinition } from '../../../src/core/definition/definition';
import { defineHook } from '../../../src/core/definition/hooks/standard-hooks';
import { withOptions } from '../../../src/model/provider';
import type { Chunk } from '../../../src/protocol/chunks';
import { createTestRuntime, type TestRun } from '../../../src/testing';
import { WorldRun } from '../../../src/testing/handle';
import { call, type Part, type Reply, say } from '../../providers/replies';
import { png } from '../../providers/rules/pictures';
import { type InProcess, provider } from '../../providers/server';
import { present } from '../../support/present';
import { FINISH, fakeModel, streamOf, textParts } from './fake-model';

const PAGES = [{ url: 'https://a.test/', title: 'A' }];
const searched = (id: string): readonly Part[] => [
  { type: 'search', id, query: 'a', results: PAGES },
  { type: 'text', text: 'Found.', sources: PAGES },
];

/** Both providers, with what they answer. */
function both(replies: { readonly anthropic: readonly Reply[]; readonly openai: readonly Reply[] }) {
  const anthropic = provider('anthropic', { replies: replies.anthropic });
  const openai = provider('responses', { replies: replies.openai });
  const claude = createAnthropic({ apiKey: 'k', fetch: anthropic.fetch })('claude-sonnet-4-5');
  const gpt = withOptions(createOpenAI({ apiKey: 'k', fetch: openai.fetch })('gpt-5'), { openai: { store: false } });
  const thinking = { thinking: { type: 'enabled', budgetTokens: 1_024 } };
  return { anthropic, openai, claude: withOptions(claude, { anthropic: thinking }), gpt };
}

function begin(agent: AgentDefinition) {
  const reports: string[] = [];
  const runtime = createTestRuntime({ agents: [agent], report: (problem) => reports.push(problem) });
  onTestFinished(() => runtime.close());
  return { reports, runtime };
}

const refusals = (...apis: InProcess[]): unknown[] =>
  apis.flatMap(({ requests }) => requests.flatMap(({ problem }) => problem ?? []));
const sent = (api: InProcess, n: number): string => api.requests[n]?.text ?? '';

/** A page of what a verb of the root of a run lists. */
const listed = z.object({ items: z.array(z.record(z.string(), z.unknown())) });

async function verb(run: TestRun, name: string): Promise<z.output<typeof listed>> {
  if (!(run instanceof WorldRun)) throw new TypeError('The run has no world.');
  const asked = { kind: 'verb', path: [], verb: name, input: {}, caller: 'person' } as const;
  const answer = await run.world.object(run.address).call(asked);
  return listed.parse(answer.ok ? answer.body : undefined);
}

async function chunksOf(run: TestRun): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const { chunk } of run.stream()) chunks.push(chunk);
  return chunks;
}

const partTypes = z.array(z.looseObject({ type: z.string() }));

/** The kinds of parts of the replies of a run. */
async function partsOf(run: TestRun): Promise<string[][]> {
  const { items } = await verb(run, 'messages');
  return items.flatMap(({ role, content }) =>
    role === 'assistant' ? [partTypes.parse(content).map(({ type }) => type)] : [],
  );
}

const search = createAnthropic({ apiKey: 'k' }).tools.webSearch_20250305({ maxUses: 2 });
const openaiSearch = createOpenAI({ apiKey: 'k' }).tools.webSearch({});

describe('a search that the provider runs', () => {
  it('[RP1, RP6, RP9, RP12] of Anthropic is sent, kept, and goes back with its result and citations', async () => {
    const { claude, anthropic } = both({ anthropic: [{ parts: searched('srvtoolu_1') }, say('Yes.')], openai: [] });
    const agent = defineAgent({ name: 'seeker', systemPrompt: 'Help.', model: claude, tools: { find: search } });
    const { runtime } = begin(agent);
    const run = await runtime.execute(agent, 'Search.');
    expect(await run.result()).toEqual({ status: 'completed', output: 'Found.' });
    await run.send('Sure?');
    expect(await run.result()).toEqual({ status: 'completed', output: 'Yes.' });
    expect(refusals(anthropic)).toEqual([]);
    expect(JSON.parse(sent(anthropic, 0)).tools).toMatchObject([
      { type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
    ]);
    const { messages } = JSON.parse(sent(anthropic, 1));
    expect(messages[1].content).toMatchObject([
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'a' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [{ encrypted_content: 'c2VlbQ==' }] },
      { type: 'text', text: 'Found.', citations: [{ url: 'https://a.test/' }] },
    ]);
    expect((await partsOf(run))[0]?.filter((type) => type !== 'source')).toEqual([
      'provider-call',
      'provider-result',
      'text',
    ]);
    expect((await partsOf(run))[0]).toContain('source');
    expect(await verb(run, 'calls')).toMatchObject({ items: [] });
    const types = (await chunksOf(run)).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['provider_tool_start', 'provider_tool_end', 'reply_source']));
    expect(types).not.toContain('tool_start');
  });

  it('[RP6, RP9] of OpenAI goes back as its item where nothing is stored', async () => {
    const { gpt, openai } = both({ anthropic: [], openai: [{ parts: searched('ws_1') }, say('Yes.')] });
    const agent = defineAgent({ name: 'seeker', systemPrompt: 'Help.', model: gpt, tools: { find: openaiSearch } });
    const { runtime } = begin(agent);
    const run = await runtime.execute(agent, 'Search.');
    await run.result();
    await run.send('Sure?');
    expect(await run.result()).toEqual({ status: 'completed', output: 'Yes.' });
    expect(refusals(openai)).toEqual([]);
    expect(JSON.parse(sent(openai, 1)).input).toContainEqual(
      expect.objectContaining({
        type: 'web_search_call',
        id: 'ws_1',
        action: { type: 'search', query: 'a', sources: [{ type: 'url', url: 'https://a.test/' }] },
      }),
    );
  });

  it('[RP11, ST2] that takes long pauses the reply, and the next step continues it', async () => {
    const paused: Reply = { parts: [{ type: 'search', id: 'srvtoolu_1', query: 'a' }], finish: 'paused' };
    const { claude, anthropic } = both({ anthropic: [paused, { parts: searched('srvtoolu_2') }], openai: [] });
    const agent = defineAgent({ name: 'seeker', systemPrompt: 'Help.', model: claude, tools: { find: search } });
    const { runtime } = begin(agent);
    const run = await runtime.execute(agent, 'Search.');
    expect(await run.result()).toEqual({ status: 'completed', output: 'Found.' });
    expect(anthropic.requests).toHaveLength(2);
    expect(refusals(anthropic)).toEqual([]);
  });

  it('[RP7] that a hook has changed is sent as text, and no run fails for it', async () => {
    const { claude, anthropic } = both({ anthropic: [{ parts: searched('srvtoolu_1') }, say('Yes.')], openai: [] });
    const agent = defineAgent({
      name: 'seeker',
      systemPrompt: 'Help.',
      model: claude,
      tools: { find: search },
      hooks: [
        defineHook({
          hook: 'prefilter_llm_history',
          id: 'aged',
          // The package insists on an age in words.
          execute: ({ messages }) => JSON.parse(JSON.stringify(messages).replace('"pageAge":null', '"pageAge":7')),
        }),
      ],
    });
    const { runtime, reports } = begin(agent);
    const run = await runtime.execute(agent, 'Search.');
    await run.result();
    await run.send('Sure?');
    expect(await run.result()).toEqual({ status: 'completed', output: 'Yes.' });
    expect(refusals(anthropic)).toEqual([]);
    expect(reports).toEqual([]);
    expect(sent(anthropic, 1)).toContain('[find, which the provider of the model ran, gave: ');
  });
});

describe('several models', () => {
  it('[FM7, RP6, RP9] from Anthropic to OpenAI and back: each gets what it takes, and its own goes back to it', async () => {
    const limited: Reply = { status: 429, message: 'Slow down.', retryAfter: 60 };
    const thought: Part = { type: 'reasoning', text: 'Hm.' };
    const { anthropic, openai, claude, gpt } = both({
      anthropic: [{ parts: [thought, ...searched('srvtoolu_1')] }, limited, say('Back.')],
      openai: [{ parts: [thought, ...searched('ws_1')] }],
    });
    const agent = defineAgent({
      name: 'seeker',
      systemPrompt: 'Help.',
      models: [claude, gpt],
      tools: { find: search, look: openaiSearch },
    });
    const { runtime, reports } = begin(agent);
    const run = await runtime.execute(agent, 'Search.');
    await run.result();
    await run.send('Again.');
    expect(await run.result()).toEqual({ status: 'completed', output: 'Found.' });
    await run.send('And now?');
    expect(await run.result()).toEqual({ status: 'completed', output: 'Back.' });
    expect(refusals(anthropic, openai)).toEqual([]);
    // OpenAI gets neither Anthropic's thinking nor its blocks, and its own tool alone.
    expect(JSON.parse(sent(openai, 0)).tools.map(({ type }: { type: string }) => type)).toEqual(['web_search']);
    expect(sent(openai, 0)).toContain('[find, which the provider of the model ran, gave: ');
    expect(sent(openai, 0)).not.toMatch(/srvtoolu_1|c2VlbQ==|Hm\./);
    // Anthropic gets its own back as it was.
    expect(sent(anthropic, 2)).toContain('"id":"srvtoolu_1"');
    expect(sent(anthropic, 2)).toContain('"thinking":"Hm."');
    expect(sent(anthropic, 2)).toContain('[look, which the provider of the model ran, gave: ');
    expect(sent(anthropic, 2)).not.toContain('ws_1');
    expect(reports).toContainEqual(
      expect.stringMatching(/model 2 of 2 is used in place of model 1.*model_rate_limited/),
    );
    expect(reports).toContainEqual(
      expect.stringContaining('The tool find (anthropic.web_search_20250305) is not in the request'),
    );
    const committed = (await chunksOf(run)).flatMap((chunk) => (chunk.type === 'step_committed' ? [chunk] : []));
    expect(committed.map(({ model, passedOver }) => [model.split('/')[0], passedOver?.[0]?.code])).toEqual([
      ['anthropic', undefined],
      ['openai', 'model_rate_limited'],
      ['anthropic', undefined],
    ]);
  });

  it('[FM3] does not wait for a rate limit of a minute where another model is free', async () => {
    const limited: Reply = { status: 429, message: 'Slow down.', retryAfter: 300 };
    const { claude, gpt, anthropic } = both({ anthropic: [limited], openai: [call('c1', 'nothing'), say('Done.')] });
    const agent = defineAgent({ name: 'quick', systemPrompt: 'Help.', models: [claude, gpt] });
    const { runtime } = begin(agent);
    const run = await runtime.execute(agent, 'Go.');
    expect(await run.result()).toEqual({ status: 'completed', output: 'Done.' });
    expect(anthropic.requests).toHaveLength(1);
  });
});

describe('files that a model makes', () => {
  /** A model of Google, which makes a picture and then is asked again. */
  function painter(): { readonly model: LanguageModelV4; readonly asked: LanguageModelV4CallOptions[] } {
    let n = 0;
    const made = { type: 'file' as const, mediaType: 'image/png', data: { type: 'data' as const, data: png(3, 2) } };
    const { model, asked } = fakeModel(
      () => {
        n += 1;
        const parts = n === 1 ? [...textParts('Here.'), made, FINISH] : [...textParts('Yes.'), FINISH];
        return new ReadableStream({
          start(controller) {
            for (const part of parts) controller.enqueue(part);
            controller.close();
          },
        });
      },
      { provider: 'google.generative-ai', modelId: 'gemini-image' },
    );
    return { model, asked };
  }

  it('[RP4, RP8] are files of the agent, and a Google model is shown its own', async () => {
    const { model, asked } = painter();
    const agent = defineAgent({ name: 'painter', systemPrompt: 'Paint.', model });
    const { runtime } = begin(agent);
    const run = await runtime.execute(agent, 'A house.');
    await run.result();
    const [file] = (await chunksOf(run)).flatMap((chunk) => (chunk.type === 'reply_file' ? [chunk] : []));
    expect(file).toMatchObject({ mediaType: 'image/png', path: expect.stringMatching(/^generated\/.+-1-1\.png$/) });
    expect(file?.bytes).toBe(Buffer.from(png(3, 2), 'base64').length);
    const kept = await verb(run, 'files');
    expect(kept.items).toMatchObject([{ path: file?.path, etag: file?.etag, mediaType: 'image/png' }]);
    await run.send('Bigger.');
    await run.result();
    const reply = asked[1]?.prompt.find(({ role }) => role === 'assistant');
    expect(reply?.content).toEqual([
      { type: 'text', text: 'Here.' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: png(3, 2) } },
    ]);
  });

  it('[RP8] are not shown to it once they are others', async () => {
    const data = { type: 'data' as const, data: png(3, 2) };
    const replies: readonly (readonly LanguageModelV4StreamPart[])[] = [
      [...textParts('Here.'), { type: 'file', mediaType: 'image/png', data }, FINISH],
      [{ type: 'tool-call', toolCallId: 'c1', toolName: 'spoil', input: '{}' }, FINISH],
      [...textParts('Yes.'), FINISH],
    ];
    let n = 0;
    const { model, asked } = fakeModel(() => streamOf(replies[n++] ?? []), { provider: 'google.generative-ai' });
    const spoil = defineTool({
      name: 'spoil',
      description: 'Writes over the picture.',
      inputSchema: z.object({}),
      execute: async (_input, { files }) => {
        const [file] = await files.list('generated/');
        await files.write(present(file).path, Buffer.from(png(5, 5), 'base64'));
      },
    });
    const agent = defineAgent({ name: 'painter', systemPrompt: 'Paint.', model, tools: [spoil] });
    const { runtime } = begin(agent);
    const run = await runtime.execute(agent, 'A house.');
    await run.result();
    await run.send('Spoil it.');
    expect(await run.result()).toEqual({ status: 'completed', output: 'Yes.' });
    const first = (at: number) => JSON.stringify(asked[at]?.prompt.find(({ role }) => role === 'assistant'));
    expect(first(1)).toContain(png(3, 2));
    expect(first(2)).toContain('(image/png) was made here.]');
    expect(first(2)).not.toContain('"file"');
  });

  it('[RP4] beyond `maxFileBytes` are not kept, and the reply says so', async () => {
    const { model } = painter();
    const agent = defineAgent({ name: 'painter', systemPrompt: 'Paint.', model, limits: { maxFileBytes: 10 } });
    const { runtime, reports } = begin(agent);
    const run = await runtime.execute(agent, 'A house.');
    expect(await run.result()).toEqual({ status: 'completed', output: 'Here.' });
    const [file] = (await chunksOf(run)).flatMap((chunk) => (chunk.type === 'reply_file' ? [chunk] : []));
    expect(file?.omitted).toContain('10');
    expect(file).not.toHaveProperty('path');
    expect((await verb(run, 'files')).items).toEqual([]);
    expect(reports).toContainEqual(expect.stringContaining('A file of the reply (image/png) was not kept'));
  });

  it('[RP4, RP8] of OpenAI are files, and a line replaces them in the next request', async () => {
    const parts: Part[] = [
      { type: 'image', id: 'ig_1', data: png(3, 2) },
      { type: 'text', text: 'Here.' },
    ];
    const { gpt, openai } = both({ anthropic: [], openai: [{ parts }, say('Yes.')] });
    const tools = { image_generation: createOpenAI({ apiKey: 'k' }).tools.imageGeneration() };
    const agent = defineAgent({ name: 'painter', systemPrompt: 'Paint.', model: gpt, tools });
    const { runtime, reports } = begin(agent);
    const run = await runtime.execute(agent, 'A house.');
    expect(await run.result()).toEqual({ status: 'completed', output: 'Here.' });
    await run.send('Bigger.');
    expect(await run.result()).toEqual({ status: 'completed', output: 'Yes.' });
    expect(refusals(openai)).toEqual([]);
    expect((await verb(run, 'files')).items).toHaveLength(1);
    expect(sent(openai, 1)).toMatch(/\[The file generated\/[^ ]+\.png \(image\/png\) was made here\.\]/);
    expect(sent(openai, 1)).not.toContain(png(3, 2));
    expect(reports).toContainEqual(expect.stringContaining('is not in the request: the model is not shown files'));
  });
});
