/** Tools of the AI SDK itself, in agents. */
import { createMCPClient, type MCPTransport } from '@ai-sdk/mcp';
import { createOpenAI } from '@ai-sdk/openai';
import { dynamicTool, jsonSchema, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { seatOf } from '../../src/core/agent/seat';
import type { AiTool } from '../../src/core/definition/ai-tool';
import { defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import { takenResult } from '../../src/core/definition/mcp/result';
import { jsonSchemaOf } from '../../src/core/definition/schemas/schema';
import type { ScriptStep } from '../../src/model/script';
import { scriptedModel } from '../../src/model/scripted';
import { createTestRuntime } from '../../src/testing';
import { noModel } from '../support/no-model';

const q = z.object({ q: z.string() });
const about = { description: 'Repeats.', inputSchema: q };

/** An agent that calls the tool `it` once and then ends. */
function caller(given: AiTool, input: ScriptStep) {
  const model = scriptedModel([input, { text: 'Done.' }]);
  return defineAgent({ name: 'caller', systemPrompt: 'Work.', model, tools: { it: given } });
}

/** What became of one call of the tool: the `tool_end` chunk. */
async function called(given: AiTool, input: { [key: string]: string | number } = { q: 'a' }) {
  const agent = caller(given, { calls: [{ name: 'it', input }] });
  const runtime = createTestRuntime({ agents: [agent] });
  const run = await runtime.execute(agent, { message: 'Go.' });
  expect(await run.result()).toMatchObject({ status: 'completed', output: 'Done.' });
  for await (const { chunk } of run.stream()) if (chunk.type === 'tool_end') return chunk;
  throw new Error('The tool was not called.');
}

describe('tools of the AI SDK', () => {
  it('[DF13] are called by their keys, with the id of the call and its signal', async () => {
    const repeat = tool({
      ...about,
      execute: ({ q: text }, { toolCallId, abortSignal }) => ({
        text,
        toolCallId,
        waits: abortSignal?.aborted === false,
      }),
    });
    const end = await called(repeat);
    expect(end).toMatchObject({ result: { text: 'a', waits: true } });
    expect(end).toMatchObject({ result: { toolCallId: end.toolCallId } });
  });

  it('[DF13] stand beside ours, which have their own names as keys', () => {
    const ours = defineTool({ name: 'ours', ...about, execute: () => null });
    const base = { name: 'a', systemPrompt: 'Work.', model: noModel };
    const { tools } = defineAgent({ ...base, tools: { theirs: tool({ ...about, execute: () => 1 }), ours } });
    expect(tools.map(({ name }) => name)).toEqual(['theirs', 'ours']);
    expect(tools[1]).toBe(ours);
    expect(() => defineAgent({ ...base, tools: { other: ours } })).toThrow('give it the key "ours"');
    expect(() => defineAgent({ ...base, tools: { 'no name': tool({ ...about, execute: () => 1 }) } })).toThrow(
      'no name',
    );
  });

  it('[DF13] without `execute` are worked on by the client, and `needsApproval` is `requireApproval`', () => {
    const needsApproval = ({ q: text }: { q: string }) => text === 'dear';
    const { tools } = defineAgent({
      name: 'a',
      systemPrompt: 'Work.',
      model: noModel,
      tools: {
        asks: tool({ ...about, outputSchema: z.string() }),
        always: tool({ ...about, needsApproval: true, execute: () => 1 }),
        at_times: tool({ ...about, needsApproval, execute: () => 1 }),
      },
    });
    expect(tools).toMatchObject([
      { runsAt: 'client', requireApproval: false },
      { runsAt: 'server', requireApproval: true },
      { runsAt: 'server', requireApproval: expect.any(Function) },
    ]);
  });

  it('[DF13] with `needsApproval` wait for a person', async () => {
    const agent = caller(
      tool({ ...about, needsApproval: ({ q: text }) => text === 'dear', execute: ({ q: text }) => text }),
      { calls: ['cheap', 'dear'].map((text) => ({ name: 'it', input: { q: text } })) },
    );
    const runtime = createTestRuntime({ agents: [agent] });
    const run = await runtime.execute(agent, { message: 'Go.' });
    expect(await run.settled()).toMatchObject({ pending: [{ kind: 'approval', input: { q: 'dear' } }] });
    expect(run.pending()).toHaveLength(1);
  });

  it('[DF13] take JSON Schema as well as zod, with a check of its own', async () => {
    const schema = jsonSchema<{ n: number }>(
      { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] },
      {
        validate: (value) =>
          z.object({ n: z.literal(2) }).safeParse(value).success
            ? { success: true, value: { n: 20 } }
            : { success: false, error: new Error('Two it must be.') },
      },
    );
    const double = tool({ inputSchema: schema, execute: ({ n }) => n * 2 });
    expect(await called(double, { n: 2 })).toMatchObject({ result: 40 });
    expect(await called(double, { n: 3 })).toMatchObject({
      error: { message: expect.stringContaining('Two it must be.') },
    });
    expect(await called(double, { n: 0 })).toMatchObject({ error: { code: 'invalid_arguments' } });
    const { tools } = caller(double, {});
    expect(tools[0] && jsonSchemaOf(tools[0].inputSchema)).toMatchObject({
      properties: { n: { type: 'integer', minimum: 1 } },
      required: ['n'],
    });
  });

  it('[DF13] give their last result where they give several, and may be dynamic', async () => {
    async function* counts() {
      yield 1;
      yield 2;
    }
    expect(await called(tool({ ...about, execute: counts }))).toMatchObject({ result: 2 });
    expect(await called(dynamicTool({ ...about, execute: async (input) => input }))).toMatchObject({
      result: { q: 'a' },
    });
  });

  it('[DF13] that read the messages are told that there are none', async () => {
    const reads = tool({ ...about, execute: (_, { messages }) => messages.length });
    expect(await called(reads)).toMatchObject({ error: { message: expect.stringContaining('`messages`') } });
  });

  it.for<[string, AiTool]>([
    ['needs an `execute`', tool({ ...about, toModelOutput: () => ({ type: 'text', value: '' }) } as never)],
    ['use the hook `beforeTool`', tool({ ...about, execute: () => 1, onInputAvailable: () => undefined })],
    [
      '`strict` is not possible',
      tool({ inputSchema: z.object({ q: z.string().optional() }), strict: true, execute: () => 1 }),
    ],
    ['`description` must be a string, not a function', tool({ ...about, description: () => '', execute: () => 1 })],
    ['await it', tool({ inputSchema: jsonSchema(Promise.resolve({ type: 'object' } as const)), execute: () => 1 })],
    ['Make it with zod 4', { inputSchema: { type: 'object' }, execute: () => 1 }],
    [
      'is not a JSON Schema',
      tool({ inputSchema: jsonSchema({ type: 'object', default: 1n as never }), execute: () => 1 }),
    ],
  ])('[DF13] are refused with advice: %s', ([advice, given]) => {
    expect(() => caller(given, {})).toThrow(advice);
  });

  it('[DF52] are so many, and described so long, as an agent can have; one more is refused', () => {
    const agentWith = (count: number, description = '') =>
      defineAgent({
        name: 'full',
        systemPrompt: 'Work.',
        model: noModel,
        tools: Object.fromEntries(
          Array.from({ length: count }, (_, at) => [`t${at}`, tool({ ...about, description, execute: () => 1 })]),
        ),
      });
    expect(agentWith(1_000).tools).toHaveLength(1_000);
    expect(() => agentWith(1_001)).toThrow(/1001 tools, more than 1000/);
    expect(agentWith(1, 'a'.repeat(32_768)).tools[0]?.description).toHaveLength(32_768);
    expect(() => agentWith(1, 'a'.repeat(32_769))).toThrow(/Tool "t0": `description` has 32769 characters/);
  });

  it('[M75] say what the model reads of their result', async () => {
    const picture = { type: 'content', value: [{ type: 'media', mediaType: 'image/png', data: 'aGk=' }] } as const;
    for (const [read, kept] of [
      [{ type: 'text', value: 'Seen.' }, { result: 'Seen.' }],
      [{ type: 'json', value: { n: 1 } }, { result: { n: 1 } }],
      [picture, { result: picture }],
      [{ type: 'error-text', value: 'No luck.' }, { error: { message: expect.stringContaining('No luck.') } }],
      [{ type: 'odd' }, { error: { message: expect.stringContaining('toModelOutput') } }],
    ] as const) {
      let given: unknown;
      const reads = tool({
        ...about,
        execute: () => 7,
        toModelOutput: (options) => {
          given = options.output;
          return read as never;
        },
      });
      expect(await called(reads)).toMatchObject(kept);
      expect(given).toBe(7);
    }
  });

  it('[RP9] that a provider runs are carried with their ids and settings, under their keys', () => {
    const { tools } = createOpenAI({ apiKey: 'none' });
    const agent = caller(tools.webSearch({ searchContextSize: 'low' }), {});
    expect(agent.tools).toEqual([]);
    expect(agent.providerTools).toEqual([{ name: 'it', id: 'openai.web_search', args: { searchContextSize: 'low' } }]);
    const older = { type: 'provider-defined' as const, id: 'anthropic.web_search_20250305', args: {}, inputSchema: {} };
    expect(caller(older, {}).providerTools).toEqual([{ name: 'it', id: older.id, args: {} }]);
  });

  it('[RP10] that a provider only describes, or has to ask somebody about, are refused with what to write', () => {
    const { tools } = createOpenAI({ apiKey: 'none' });
    const shell = { type: 'provider-defined' as const, id: 'anthropic.bash_20250124', args: {}, inputSchema: {} };
    const cases: readonly [tool: AiTool, says: RegExp][] = [
      [
        tools.applyPatch({}),
        /"it" \(openai\.apply_patch\) is only described by its provider.*`tool\(\{ inputSchema, execute \}\)`/,
      ],
      [shell, /described by its provider/],
      [{ ...shell, id: 'search' }, /has an `id` such as "openai.web_search"/],
      [{ ...shell, id: 'openai.web_search', args: { at: 1n } }, /its settings cannot be sent/],
      [
        tools.mcp({ serverLabel: 'x', serverUrl: 'https://x.test', requireApproval: 'always' }),
        /cannot wait for approval/,
      ],
    ];
    for (const [tool, says] of cases) expect(() => caller(tool, {})).toThrow(says);
  });
});

/** A server of MCP in this process, that says how its tools are and answers every call in the same way. */
const FOUND = { content: [{ type: 'text', text: 'Found.' }] };

function mcpServer(
  tools: readonly object[],
  called: unknown[] = [],
  result: Record<string, unknown> = FOUND,
): MCPTransport {
  const results = (method: string, params: unknown) => {
    if (method === 'initialize')
      return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'here', version: '1' } };
    if (method === 'tools/list') return { tools };
    called.push(params);
    return result;
  };
  const transport: MCPTransport = {
    start: async () => undefined,
    close: async () => undefined,
    send: async (message) => {
      if (!('method' in message && 'id' in message)) return;
      transport.onmessage?.({ jsonrpc: '2.0', id: message.id, result: results(message.method, message.params) });
    },
  };
  return transport;
}

describe('the tools of a client of MCP', () => {
  const inputSchema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { from: { type: 'string', not: { const: 'x' } }, to: { type: 'string', pattern: '(?i)^[a-z]' } },
    dependentRequired: { from: ['to'] },
  };
  const search = { name: 'search', title: 'Search', description: 'Searches.', inputSchema, _meta: { 'x/y': 1 } };
  const odd = { name: 'odd.name', description: 'Has a name that no provider takes.', inputSchema: { type: 'object' } };

  it('[DF13, DF22] go in as they are: the model reads their schemas, and their calls reach the server', async () => {
    const calls: unknown[] = [];
    const client = await createMCPClient({ transport: mcpServer([search], calls) });
    const tools = await client.tools();
    const steps = [
      { calls: [{ name: 'search', input: { from: 'a' } }] },
      { calls: [{ name: 'search', input: { from: 'a', to: 'B' } }] },
      { text: 'Done.' },
    ];
    const agent = defineAgent({ name: 'a', systemPrompt: 'Work.', model: scriptedModel(steps), tools });
    expect(seatOf(agent).tools[0]?.inputSchema).toEqual({ ...inputSchema, additionalProperties: false });
    const run = await createTestRuntime({ agents: [agent] }).execute(agent, 'Go.');
    expect((await run.result()).status).toBe('completed');
    const results = run.messages().flatMap((message) => (message.role === 'tool' ? [message.result] : []));
    expect(results).toMatchObject([
      { success: false, error: { message: expect.stringContaining('to: is missing, because from is there') } },
      { success: true, value: { type: 'content', value: [{ type: 'text', text: 'Found.' }] } },
    ]);
    expect(calls).toEqual([expect.objectContaining({ name: 'search', arguments: { from: 'a', to: 'B' } })]);
    await client.close();
  });

  /** The kept result of a call that the server answers so. */
  async function resultOf(result: Record<string, unknown>, outputSchema?: object): Promise<unknown> {
    const bare = { ...search, inputSchema: { type: 'object' }, ...(outputSchema ? { outputSchema } : {}) };
    const client = await createMCPClient({ transport: mcpServer([bare], [], result) });
    const model = scriptedModel([{ calls: [{ name: 'search', input: {} }] }, { text: 'Done.' }]);
    const agent = defineAgent({ name: 'a', systemPrompt: 'Work.', model, tools: await client.tools() });
    const run = await createTestRuntime({ agents: [agent] }).execute(agent, 'Go.');
    await run.result();
    await client.close();
    return run.messages().flatMap((message) => (message.role === 'tool' ? [message.result] : []))[0];
  }

  // https://github.com/zed-industries/zed/pull/47095, https://github.com/elizaOS/eliza/issues/30037
  it('[DF44] that say `isError` have failed, with or without a schema of their results', async () => {
    const text = (...texts: string[]) => ({
      isError: true,
      content: texts.map((one) => ({ type: 'text', text: one })),
    });
    const failed = { success: false, error: { code: 'tool_failed', message: 'No such file.\n\nLook again.' } };
    expect(await resultOf(text('No such file.', 'Look again.'))).toMatchObject(failed);
    expect(await resultOf(text('No such file.', 'Look again.'), { type: 'object' })).toMatchObject(failed);
    expect(await resultOf(text())).toMatchObject({
      success: false,
      error: { message: expect.stringContaining('without a reason') },
    });
    expect(await resultOf({ ...text('Fine.'), isError: false })).toMatchObject({ success: true });
  });

  it.each([
    ['a resource', { content: [{ type: 'resource', resource: { uri: 'x://a', text: 'No such file.' } }] }],
    ['its value for programs', { content: [], structuredContent: 'No such file.' }],
    ['the result of the first version of the protocol', { toolResult: 'No such file.' }],
    ['a part without a type', { content: [{ text: 'No such file.' }, null] }],
  ])('[DF44] that say `isError` have failed, with the reason in %s', (_, result) => {
    const failed = { code: 'tool_failed', message: 'No such file.' };
    const fails = () => takenResult({ ...result, isError: true });
    expect(fails).toThrow(expect.objectContaining({ failure: expect.objectContaining(failed) }));
    expect(takenResult({ ...result, isError: false })).toEqual({ ...result, isError: false });
  });

  it('[DF44] of the first version of the protocol that say `isError` have failed for the model, too', async () => {
    const failed = { success: false, error: { code: 'tool_failed', message: '{"why":"gone"}' } };
    expect(await resultOf({ isError: true, toolResult: { why: 'gone' } })).toMatchObject(failed);
  });

  // https://github.com/vercel/ai/pull/15285, https://github.com/github/copilot-cli/issues/4916
  it('[DF43] show no bytes as text', async () => {
    const data = btoa('sound'.repeat(100));
    const resource = (mimeType: string, more: object) => ({
      type: 'resource',
      resource: { uri: 'x://a', mimeType, ...more },
    });
    const content = [
      { type: 'audio', data, mimeType: 'audio/wav' },
      { type: 'image', data, mimeType: 'application/zip' },
      resource('application/zip', { blob: data }),
      resource('image/png', { blob: data }),
      resource('application/pdf', { blob: data }),
      resource('text/plain', { blob: data }),
      resource('text/plain', { text: 'Words.' }),
    ];
    expect(await resultOf({ content })).toMatchObject({
      success: true,
      value: {
        type: 'content',
        value: [
          { type: 'text', text: '[audio (audio/wav) was omitted because it is not text.]' },
          { type: 'text', text: '[image (application/zip) was omitted because it is not text.]' },
          { type: 'text', text: '[x://a (application/zip) was omitted because it is not text.]' },
          ...['image/png', 'application/pdf', 'text/plain'].map((mediaType) => ({ type: 'file', mediaType })),
          { type: 'text', text: expect.stringContaining('Words.') },
        ],
      },
    });
  });

  it('[DF43] have all that is no such bytes as the server gave it, at every place of a part that is omitted', async () => {
    const rest = { structuredContent: { seconds: 3 }, isError: false, _meta: { 'x/y': 1 } };
    const text = { type: 'text', text: 'Heard.' };
    const audio = { type: 'audio', data: btoa('sound'), mimeType: 'audio/wav' };
    const line = { type: 'text', text: '[audio (audio/wav) was omitted because it is not text.]' };
    for (const [given, kept] of [
      [[audio], [line]],
      [
        [text, audio, text],
        [text, line, text],
      ],
      [[text], [text]],
    ])
      expect(takenResult({ content: given, ...rest })).toEqual({ content: kept, ...rest });
  });

  it('[DF43, DF44] are left as they are where they are no result of MCP, whatever they hold', () => {
    const audio = { type: 'audio', data: 'x', mimeType: 'audio/wav' };
    const rows: readonly unknown[] = [
      ...[undefined, null, 7, 'text', [audio], audio, {}, { isError: true }, { isError: true, content: 'x' }],
      ...[
        { content: audio },
        { content: [audio, 7] },
        { content: [audio, null] },
        { content: [audio, { mimeType: 'x' }] },
      ],
      ...[{ content: [] }, { content: [{ type: 'resource', resource: 'x' }, { type: 'resource' }] }],
      ...[{ content: [{ type: 'image', data: 'x', mimeType: 'image/png' }] }, { isError: 'true', content: [] }],
      { content: [{ type: 'resource_link', uri: 'x://a', resource: { blob: 'x' } }] },
    ];
    for (const given of rows) expect(takenResult(given)).toBe(given);
  });

  it('[DF43] say of bytes that are omitted what they are, as far as the server says it', () => {
    const line = (what: string) => ({ type: 'text', text: `[${what}) was omitted because it is not text.]` });
    const blob = (more: object) => ({ type: 'resource', resource: { blob: 'x', ...more } });
    const rows: readonly (readonly [part: object, shown: object])[] = [
      [{ type: 'audio', data: 'x' }, line('audio (of an unknown type')],
      [{ type: 'image', data: 'x' }, line('image (of an unknown type')],
      [{ type: 'image', data: 'x', mimeType: 7 }, line('image (of an unknown type')],
      [blob({}), line('resource (of an unknown type')],
      [blob({ uri: 7, mimeType: 7 }), line('resource (of an unknown type')],
      [blob({ uri: 'x://a', mimeType: 'application/zip' }), line('x://a (application/zip')],
      ...['image/webp', 'application/pdf', 'text/csv', 'application/json'].map(
        (mimeType) => [blob({ mimeType }), { type: 'image', data: 'x', mimeType }] as const,
      ),
    ];
    for (const [part, shown] of rows) expect(takenResult({ content: [part] })).toEqual({ content: [shown] });
  });

  it('[DF44] that say `isError` name each of their texts, and else their value as it is or as JSON', () => {
    const said = (result: object) => () => takenResult({ isError: true, ...result });
    const texts = [{ type: 'text', text: 'a' }, { type: 'resource', text: 7, resource: { text: 'b' } }, 'odd'];
    expect(said({ content: texts, structuredContent: 'c' })).toThrow(/^a\n\nb$/);
    expect(said({ content: [], structuredContent: { n: 1 }, toolResult: 'c' })).toThrow('{"n":1}');
    expect(said({ content: [], toolResult: null })).toThrow('null');
    expect(said({ content: [] })).toThrow('without a reason');
  });

  it('[DF1, DF13] whose names no provider takes are refused, and go in under another key', async () => {
    const client = await createMCPClient({ transport: mcpServer([odd]) });
    const tools = await client.tools();
    const base = { name: 'a', systemPrompt: 'Work.', model: noModel };
    expect(() => defineAgent({ ...base, tools })).toThrow('Tool name "odd.name": use a letter or "_" first');
    const { 'odd.name': one } = tools;
    const inherent = Object.fromEntries(one ? [['toString', one]] : []);
    expect(() => defineAgent({ ...base, tools: inherent })).toThrow('Tool name "toString" is reserved');
    expect(defineAgent({ ...base, tools: one ? { odd_name: one } : {} }).tools).toMatchObject([{ name: 'odd_name' }]);
    await client.close();
  });
});
