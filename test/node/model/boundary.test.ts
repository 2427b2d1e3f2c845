/** Agents at the boundary to models, with the real packages against strict stand-ins. */

import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../../src/core/definition/children/relationship';
import { defineAgent } from '../../../src/core/definition/define-agent';
import { defineTool } from '../../../src/core/definition/define-tool';
import type { AgentDefinition } from '../../../src/core/definition/definition';
import { definePrompt } from '../../../src/core/definition/prompt';
import type { Json } from '../../../src/protocol/json';
import { createTestRuntime, type TestRun } from '../../../src/testing';
import type { WorldRun } from '../../../src/testing/handle';
import { call, type Reply, say } from '../../providers/replies';
import { SAMPLES } from '../../providers/rules/pictures';
import { type InProcess, type ProviderKind, type ProviderOptions, provider } from '../../providers/server';
import { present } from '../../support/present';

type Fetch = typeof globalThis.fetch;

/** The real model of each stand-in. */
const MODEL = {
  anthropic: (fetch: Fetch) => createAnthropic({ apiKey: 'k', fetch })('claude-sonnet-4-5'),
  responses: (fetch: Fetch) => createOpenAI({ apiKey: 'k', fetch })('gpt-5'),
  chat: (fetch: Fetch) => createOpenAI({ apiKey: 'k', fetch }).chat('gpt-4o'),
  mistral: (fetch: Fetch) =>
    createOpenAICompatible({ name: 'openai-compatible', baseURL: 'http://there/v1', fetch })('mistral-large-latest'),
  deepseek: (fetch: Fetch) =>
    createOpenAICompatible({ name: 'openai-compatible', baseURL: 'http://there/v1', fetch })('deepseek-v4-flash'),
} as const satisfies Record<ProviderKind, unknown>;
const KINDS = Object.keys(MODEL) as ProviderKind[];

type Options = Omit<Parameters<typeof defineAgent>[0], 'name' | 'systemPrompt' | 'model' | 'prompt'>;

const work = defineTool({
  name: 'work',
  description: 'Works.',
  inputSchema: z.object({ n: z.number().optional() }),
  execute: () => 'ok',
});
const fails = defineTool({
  name: 'fails',
  description: 'Fails.',
  inputSchema: z.object({ n: z.number().optional() }),
  execute: () => {
    throw new Error('No luck.');
  },
});

interface Behind {
  readonly agent: AgentDefinition;
  readonly api: InProcess;
  readonly reports: string[];
  begin(message?: string): Promise<TestRun>;
}

/** An agent whose model answers so, with waits that take no time. */
function behind(
  kind: ProviderKind,
  replies: ProviderOptions['replies'],
  { limits, ...more }: Options & { readonly limits?: ProviderOptions['limits'] } = {},
  of: (api: InProcess) => AgentDefinition | readonly [AgentDefinition, AgentDefinition] = (api) =>
    defineAgent({
      name: 'plain',
      systemPrompt: 'Help.',
      model: MODEL[kind](api.fetch),
      tools: [work, fails],
      limits: { modelRetryBaseMs: 1 },
      ...(more as object),
    }),
): Behind {
  const api = provider(kind, { replies, ...(limits ? { limits } : {}) });
  const agents = [of(api)].flat();
  const [agent] = agents as [AgentDefinition];
  const reports: string[] = [];
  const runtime = createTestRuntime({ agents, report: (problem) => reports.push(problem) });
  onTestFinished(() => runtime.close());
  return { agent, api, reports, begin: (message = 'Go.') => runtime.execute(agent, message) };
}

/** Asks a verb of the root of a run, as HTTP does. */
async function verb(run: TestRun, name: string, input: Json): Promise<unknown> {
  const { world } = run as unknown as WorldRun;
  const call = { kind: 'verb', path: [], verb: name, input, caller: 'person' } as const;
  const answer = await world.object(run.address).call(call);
  return answer.ok ? answer.body : Promise.reject(answer.error);
}

const refusals = ({ requests }: InProcess): unknown[] => requests.flatMap(({ problem }) => problem ?? []);
const textOf = (request: InProcess['requests'][number] | undefined): string => request?.text ?? '';

describe('a blank text', () => {
  it.each(['\n', ' ', '\u3000'])('[A102] is no start, message or resume, and nothing begins: %j', async (blank) => {
    const { begin, api } = behind('anthropic', () => say('Yes.'));
    await expect(begin(blank)).rejects.toMatchObject({ failure: { code: 'invalid_input' } });
    expect(api.requests).toHaveLength(0);
    const run = await begin();
    await run.result();
    await expect(run.send(blank)).rejects.toMatchObject({ failure: { code: 'invalid_input' } });
    await expect(run.resume(blank)).rejects.toMatchObject({ failure: { code: 'invalid_input' } });
    expect(api.requests).toHaveLength(1);
  });

  it('[DF24] is no system prompt', () => {
    const model = MODEL.chat(fetch);
    for (const blank of ['', ' ', '\n']) {
      expect(() => defineAgent({ name: 'plain', systemPrompt: blank, model })).toThrow(
        'Agent "plain": `systemPrompt` is empty. Write what the agent does',
      );
      expect(() => definePrompt({ name: 'plain', prompt: blank, model })).toThrow(
        'Prompt "plain": `prompt` is empty. Write what the model should do',
      );
    }
    expect(() => defineAgent({ name: 'plain', systemPrompt: () => '', model })).not.toThrow();
  });

  it.each(KINDS)('[M62] as a reply is kept, and is no turn of the next request: %s', async (kind) => {
    const { begin, api } = behind(kind, (request) => (request.n === 1 ? say('\n\n') : say('Yes.')));
    const run = await begin();
    expect(await run.result()).toEqual({ status: 'completed', output: '\n\n' });
    await run.send('And now?');
    expect(await run.result()).toEqual({ status: 'completed', output: 'Yes.' });
    expect(refusals(api)).toEqual([]);
    expect(run.messages()[1]).toMatchObject({ role: 'assistant', content: [{ text: '\n\n' }] });
  });
});

describe('a message of the role system', () => {
  it.each(KINDS)('[M69] after a first turn is answered, and the thread goes on: %s', async (kind) => {
    const { begin, api } = behind(kind, () => say('Yes.'));
    const run = await begin();
    await run.result();
    await verb(run, 'send', { role: 'system', content: 'Be short.' });
    expect(await run.result()).toEqual({ status: 'completed', output: 'Yes.' });
    await run.send('Well?');
    expect(await run.result()).toEqual({ status: 'completed', output: 'Yes.' });
    expect(refusals(api)).toEqual([]);
    expect(api.requests).toHaveLength(3);
    for (const request of api.requests.slice(1)) expect(textOf(request)).toContain('Be short.');
  });
});

describe('a reply that says nothing', () => {
  const NOTHING: Readonly<Record<string, Reply>> = {
    'a thought alone': { parts: [{ type: 'reasoning', text: 'Hm.' }] },
    'no parts, with tokens': { parts: [], tokens: { output: 2 } },
    'a pause before anything': { parts: [], tokens: { output: 2 }, finish: 'paused' },
  };
  it.each(Object.keys(NOTHING))('[ST16] is asked again, and then fails the run: %s', async (name) => {
    const { begin, api } = behind('anthropic', () => present(NOTHING[name]));
    const run = await begin();
    expect(await run.result()).toMatchObject({ status: 'failed', error: { code: 'model_bad_reply' } });
    expect(api.requests).toHaveLength(4);
    // Each was paid for.
    expect(run.usage().modelCalls).toBe(4);
  });

  it('[ST16] is forgotten once one says something', async () => {
    const { begin } = behind('anthropic', ({ n }) => (n < 3 ? { parts: [], tokens: { output: 2 } } : say('Yes.')));
    expect(await (await begin()).result()).toEqual({ status: 'completed', output: 'Yes.' });
  });

  it.each(KINDS)('[M62] of a child is said to be blank to its parent: %s', async (kind) => {
    const { begin, api } = behind(
      kind,
      ({ n }) => [call('aB3xK9mP2', 'subagent__kid', { input: 'Go.' }), say('\n'), say('Done.')][n - 1] ?? say('?'),
      {},
      ({ fetch }) => {
        const model = MODEL[kind](fetch);
        const kid = defineAgent({ name: 'kid', systemPrompt: 'Help.', model });
        const top = defineAgent({
          name: 'top',
          systemPrompt: 'Help.',
          model,
          tools: [createSubAgentTool(kid, z.object({ input: z.string() }))],
        });
        return [top, kid];
      },
    );
    expect(await (await begin()).result()).toEqual({ status: 'completed', output: 'Done.' });
    expect(textOf(api.requests[2])).toContain('[It says nothing.]');
  });
});

describe('a reply that is never whole', () => {
  it('[ST8] ends the run at once where a filter stops it beside a call', async () => {
    const { begin, api } = behind('chat', () => call('call_1', 'work', {}, { finish: 'filter' }));
    const run = await begin();
    expect(await run.result()).toMatchObject({ status: 'failed', error: { code: 'model_refused' } });
    expect(api.requests).toHaveLength(1);
    expect(run.usage().toolCalls).toBe(0);
  });

  const cut: Reply = { parts: [{ type: 'call', id: 'call_1', name: 'work', pieces: ['{"n":'] }], finish: 'length' };
  const twice: Reply = { parts: [{ type: 'call', id: 'call_1', name: 'work', pieces: ['{"n":1}{"n":2}'] }] };
  it.each<[string, string, RegExp, (n: number) => Reply]>([
    ['cut off in a call', 'output_limit', /output limit.*3 times in a row/, () => cut],
    ['two objects as arguments', 'repeated_failure', /"work" 3 times in a row.*not valid JSON/, () => twice],
    [
      'the same failing call',
      'repeated_failure',
      /"fails" 3 times in a row.*No luck/,
      () => call('call_1', 'fails', { n: 1 }),
    ],
    ['an unknown tool', 'repeated_failure', /There is no tool "none"/, (n) => call('call_1', 'none', { n })],
  ])('[ST15] fails the run after three in a row: %s', async (_name, code, message, reply) => {
    const { begin, api } = behind('chat', ({ n }) => reply(n));
    const result = await (await begin()).result();
    expect(result).toMatchObject({ status: 'failed', error: { code } });
    expect(result.error?.message).toMatch(message);
    expect(api.requests).toHaveLength(3);
    expect(refusals(api)).toEqual([]);
  });

  it('[ST15] goes on where the failures differ, or one call comes to something', async () => {
    const replies = [1, 2, 1, 2, 1].map((n) => call('call_1', 'fails', { n }));
    const { begin, api } = behind('chat', [...replies, say('Done.')]);
    expect(await (await begin()).result()).toMatchObject({ status: 'completed' });
    expect(api.requests).toHaveLength(6);
    const both: Reply = {
      parts: ['work', 'fails'].map((name, n) => ({ type: 'call', id: `call_${n}`, name, input: {} })),
    };
    const other = behind('chat', [both, both, both, both, say('Done.')]);
    expect(await (await other.begin()).result()).toMatchObject({ status: 'completed' });
  });

  it('[ST23] fails the run where two failures take turns', async () => {
    const { begin, api } = behind('chat', ({ n }) => call('call_1', 'fails', { n: n % 2 }));
    const result = await (await begin()).result();
    expect(result).toMatchObject({ status: 'failed', error: { code: 'repeated_failure' } });
    expect(result.error?.message).toMatch(/"fails" 6 times and failed/);
    expect(api.requests).toHaveLength(11);
  });

  it('[ST22] fails the run after three texts where only a call gives the output', async () => {
    const outputSchema = z.object({ a: z.string() });
    const { begin, api } = behind('chat', () => say('No.'), { outputSchema });
    const result = await (await begin()).result();
    expect(result).toMatchObject({ status: 'failed', error: { code: 'repeated_failure' } });
    expect(result.error?.message).toContain('text 3 times in a row, but the output needs a call of __finish__');
    expect(api.requests).toHaveLength(3);
    const later = behind('chat', [say('No.'), say('No.'), call('call_1', '__finish__', { a: 'x' })], { outputSchema });
    expect(await (await later.begin()).result()).toMatchObject({ output: { a: 'x' } });
  });

  it('[ST15] counts anew in the next turn, and as often as the agent says', async () => {
    const failing = call('call_1', 'fails', {});
    const { begin } = behind('chat', [failing, failing, say('One.'), failing, failing, say('Two.')]);
    const run = await begin();
    expect(await run.result()).toMatchObject({ output: 'One.' });
    await run.send('Again.');
    expect(await run.result()).toMatchObject({ output: 'Two.' });
    const once = behind(
      'chat',
      () => failing,
      { limits: {} } as never,
      ({ fetch }) =>
        defineAgent({
          name: 'plain',
          systemPrompt: 'x',
          model: MODEL.chat(fetch),
          tools: [fails],
          limits: { maxSameFailures: 1 },
        }),
    );
    expect(await (await once.begin()).result()).toMatchObject({ error: { code: 'repeated_failure' } });
    expect(once.api.requests).toHaveLength(1);
  });

  it('[ST8] says so where the output limit cut off a text', async () => {
    const { begin, api } = behind('anthropic', () => say('Once upon', { finish: 'length' }));
    expect(await (await begin()).result()).toMatchObject({ status: 'failed', error: { code: 'output_limit' } });
    expect(api.requests).toHaveLength(1);
  });

  it('[ST17] has to call a tool once, and then may answer', async () => {
    const required = (request: InProcess['requests'][number]): boolean =>
      request.text.includes('"tool_choice":"required"');
    const { begin, api } = behind(
      'chat',
      (request) => (required(request) ? call('call_1', 'work') : say('Done.')),
      {},
      (api) =>
        defineAgent({
          name: 'plain',
          prompt: definePrompt({
            name: 'working',
            prompt: 'Help.',
            model: MODEL.chat(api.fetch),
            tools: [work],
            toolChoice: 'required',
            includeChat: true,
          }),
        }),
    );
    const run = await begin();
    expect(await run.result()).toEqual({ status: 'completed', output: 'Done.' });
    expect(api.requests.map(required)).toEqual([true, false]);
    await run.send('Again.');
    await run.result();
    expect(api.requests.map(required)).toEqual([true, false, true, false]);
  });
});

describe('a request that is too long', () => {
  const TOO_LONG: Readonly<Record<string, Reply>> = {
    'prompt is too long': { status: 400, message: 'prompt is too long: 212000 tokens > 200000 maximum' },
    'a status': { status: 413, type: 'request_too_large', message: 'Request exceeds the maximum size' },
    'an error in a stream': {
      parts: [],
      failure: {
        type: 'invalid_request_error',
        message: 'input length and max_tokens exceed context limit: reduce the length of the prompt',
      },
    },
  };

  it.each(Object.keys(TOO_LONG))('[CX13] has one code, and its title says what to do: %s', async (name) => {
    const { begin, api } = behind('anthropic', () => present(TOO_LONG[name]));
    const run = await begin();
    expect(await run.result()).toMatchObject({
      status: 'failed',
      error: { code: 'context_too_large', retryable: false },
    });
    expect(api.requests).toHaveLength(1);
  });

  it.each(Object.keys(TOO_LONG))('[CX13] is made smaller with `context`, and asked again: %s', async (name) => {
    const history = 6;
    const { begin, api } = behind(
      'anthropic',
      ({ n }) => (n === history + 1 ? present(TOO_LONG[name]) : say(`So it is. ${'word '.repeat(800)}`)),
      { context: { maxTokens: 190_000 } },
    );
    const run = await begin(`Go. ${'word '.repeat(800)}`);
    for (let n = 1; n < history; n++) {
      await run.result();
      await run.send(`More. ${'word '.repeat(800)}`);
    }
    await run.result();
    await run.send('And now?');
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(api.requests).toHaveLength(history + 2);
    const [refused, made] = api.requests.slice(-2).map(({ text }) => text.length);
    expect(made).toBeLessThan((refused ?? 0) / 1.2);
    expect(textOf(api.requests.at(-1))).toContain('And now?');
  });

  it('[CX13] is made smaller twice at most', async () => {
    const { begin, api } = behind(
      'anthropic',
      ({ n }) => (n > 4 ? present(TOO_LONG['a status']) : say(`So it is. ${'word '.repeat(2_000)}`)),
      { context: { maxTokens: 190_000 } },
    );
    const run = await begin(`Go. ${'word '.repeat(2_000)}`);
    for (let n = 1; n < 4; n++) {
      await run.result();
      await run.send(`More. ${'word '.repeat(2_000)}`);
    }
    await run.result();
    await run.send('And now?');
    expect(await run.result()).toMatchObject({ error: { code: 'context_too_large' } });
    expect(api.requests).toHaveLength(7);
    const sizes = api.requests.slice(-3).map(({ text }) => text.length);
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    expect(new Set(sizes).size).toBe(3);
  });

  it('[CX14] leaves the next turn no worse off', async () => {
    const { begin, api } = behind('anthropic', () => say('Yes.'), { limits: { window: 3_000 } } as never);
    const run = await begin();
    await run.result();
    await run.send('x'.repeat(40_000));
    expect(await run.result()).toMatchObject({ error: { code: 'context_too_large' } });
    await run.send('Well?');
    expect(await run.result()).toEqual({ status: 'completed', output: 'Yes.' });
    expect(textOf(api.requests.at(-1))).toMatch(/x \[… cut, 40000 bytes in all …\] x/);
    // What was said is kept.
    expect(JSON.stringify(run.messages())).toContain('x'.repeat(40_000));
  });
});

describe('a file', () => {
  const base64 = (content: string | Uint8Array): string => Buffer.from(content).toString('base64');
  const attached = (mediaType: string, data: string, filename = 'a.bin') => ({
    content: 'Look.',
    attachments: [{ mediaType, filename, base64: data }],
  });

  it.each(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'application/pdf'])(
    '[A103] that is no %s is refused at the door with its name',
    async (mediaType) => {
      const { begin, api } = behind('anthropic', () => say('Yes.'));
      const run = await begin();
      await run.result();
      const zeros = base64(new Uint8Array(64));
      await expect(verb(run, 'send', attached(mediaType, zeros, 'zeros.png'))).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringContaining('zeros.png'),
      });
      expect(api.requests).toHaveLength(1);
    },
  );

  it.each(KINDS)(
    '[M67] that the model takes not is left out, and both the model and people hear of it: %s',
    async (kind) => {
      const { begin, api, reports } = behind(kind, () => say('Yes.'));
      const run = await begin();
      await run.result();
      for (const [mediaType, name, content] of [
        ['application/zip', 'a.zip', base64('PK\u0003\u0004')],
        ['image/heic', 'a.heic', base64('\0\0\0\u0018ftypheic')],
      ] as const) {
        await verb(run, 'send', attached(mediaType, content, name));
        expect(await run.result()).toEqual({ status: 'completed', output: 'Yes.' });
        expect(textOf(api.requests.at(-1))).toContain(`[The file ${name} (${mediaType}) was left out`);
      }
      await run.send('Well?');
      expect(await run.result()).toEqual({ status: 'completed', output: 'Yes.' });
      expect(refusals(api)).toEqual([]);
      expect(reports.filter((one) => one.includes('a.zip'))).toHaveLength(1);
      const { items } = (await verb(run, 'logs', {})) as { items: readonly { readonly notes?: readonly string[] }[] };
      expect(items.flatMap(({ notes = [] }) => notes)).toEqual([
        expect.stringContaining('a.zip'),
        expect.stringContaining('a.heic'),
      ]);
    },
  );

  it.each(['anthropic', 'responses', 'chat'] as const)(
    '[M13][M61] that is a picture is sent as what it is: %s',
    async (kind) => {
      const { begin, api } = behind(kind, () => say('Yes.'));
      const run = await begin();
      await run.result();
      // Called a PNG, and a JPEG by its bytes.
      await verb(run, 'send', attached('image/png', SAMPLES['image/jpeg'], 'a.png'));
      expect(await run.result()).toEqual({ status: 'completed', output: 'Yes.' });
      expect(refusals(api)).toEqual([]);
      expect(textOf(api.requests.at(-1))).toContain(SAMPLES['image/jpeg']);
      expect(textOf(api.requests.at(-1))).toContain('image/jpeg');
    },
  );
});

describe('more tools than a provider takes', () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`t${n}`, { ...work, name: `t${n}` }]));
  const toolsOf = (request: InProcess['requests'][number] | undefined) => {
    const { tools = [] }: { tools?: { function?: { name: string }; name?: string }[] } = JSON.parse(textOf(request));
    return tools.map((tool) => tool.function?.name ?? tool.name);
  };

  it.each(['chat', 'responses', 'mistral'] as const)(
    '[M73] never leave out the one that ends the run: %s',
    async (kind) => {
      const finish = () => call('aB3xK9mP2', '__finish__', { a: 'x' });
      const outputSchema = z.object({ a: z.string() });
      const { begin, api, reports } = behind(kind, finish, { tools: Object.values(many(130)), outputSchema });
      expect(await (await begin()).result()).toMatchObject({ output: { a: 'x' } });
      expect(toolsOf(api.requests[0])).toEqual([...Object.keys(many(127)), '__finish__']);
      expect(reports).toContain('The model accepts at most 128 tools, so these cannot be called: t127, t128, t129.');
    },
  );

  it('[RP9, RP15] of a prompt are sent where the provider runs them, and are named once', async () => {
    const { tools } = createOpenAI({ apiKey: 'k' });
    const { begin, api, reports } = behind(
      'responses',
      () => say('Yes.'),
      {},
      ({ fetch }) => {
        const providerTools = { web_search: tools.webSearch({}) };
        const prompt = definePrompt({
          name: 'searching',
          prompt: 'Help.',
          model: MODEL.responses(fetch),
          tools: [work],
          providerTools,
        });
        return defineAgent({ name: 'plain', prompt });
      },
    );
    expect(await (await begin()).result()).toMatchObject({ output: 'Yes.' });
    expect(refusals(api)).toEqual([]);
    expect(reports).toEqual([]);
    expect(toolsOf(api.requests[0])).toContain('work');
    expect(textOf(api.requests[0])).toContain('"type":"web_search"');
    const refused = (providerTools: object, more = {}) =>
      expect(() =>
        definePrompt({ name: 'p', prompt: 'x', model: MODEL.responses(fetch), ...more, ...{ providerTools } } as never),
      );
    refused([]).toThrow('`providerTools` must be an object with tools by name, but is a list.');
    refused({ work }).toThrow('no provider runs the tool "work": list it in `tools`.');
    refused({ work: tools.webSearch({}) }, { tools: [work] }).toThrow('has "work" twice');
  });

  it('[M73] leave room for those that the provider runs itself', async () => {
    const search = createOpenAI({ apiKey: 'k' }).tools.webSearch({});
    const tools = [...Object.values(many(128))];
    const { begin, api } = behind(
      'responses',
      () => say('Yes.'),
      {},
      ({ fetch }) => {
        const own = Object.fromEntries(tools.map(({ name }) => [name, { ...SEARCHED, execute: () => 'ok' }]));
        const model = MODEL.responses(fetch);
        return defineAgent({ name: 'plain', systemPrompt: 'Help.', model, tools: { ...own, web_search: search } });
      },
    );
    expect(await (await begin()).result()).toMatchObject({ output: 'Yes.' });
    expect(refusals(api)).toEqual([]);
    expect(toolsOf(api.requests[0])).toHaveLength(128);
  });
});

const SEARCHED = { description: 'Works.', inputSchema: z.object({}) };

describe('a system prompt that is a function', () => {
  it.each([
    ['nothing', () => undefined, 'must return a string'],
    [
      'a failure',
      () => {
        throw new Error('No name.');
      },
      'failed: No name.',
    ],
  ])('[DF24] fails the run with what to mend where it gives %s', async (_, systemPrompt, why) => {
    const { begin, api } = behind(
      'chat',
      () => say('Yes.'),
      {},
      ({ fetch }) => Reflect.apply(defineAgent, undefined, [{ name: 'plain', systemPrompt, model: MODEL.chat(fetch) }]),
    );
    const { error } = await (await begin()).result();
    expect(error).toMatchObject({ code: 'invalid_definition', message: expect.stringContaining(why) });
    expect(api.requests).toHaveLength(0);
  });
});
