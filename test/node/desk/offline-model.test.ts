import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { generateText, Output, streamText } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { smallestValue } from '../../../src/desk/offline/smallest';
import { createOfflineModel, offlineModel } from '../../../src/desk/offline-model';
import { present } from '../../support/present';
import { Conversation, desk } from './support';

async function partsOf(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamPart[]> {
  const { stream } = await offlineModel.doStream(options);
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

const QUESTION = 'How does a river meander?';
const prompt = (text: string): LanguageModelV4CallOptions => ({
  prompt: [{ role: 'user', content: [{ type: 'text', text }] }],
});
const tool = (name: string, schema: z.ZodType) => ({
  type: 'function' as const,
  name,
  inputSchema: JSON.parse(JSON.stringify(z.toJSONSchema(schema))),
});

describe('the stream', () => {
  it('[D30] has the text and the arguments of each call in small deltas that add up, and ends with usage', async () => {
    const talk = new Conversation(desk.coordinator, QUESTION);
    talk.add(talk.reply(), { added: [], skipped: [], documents: [] });
    const reply = talk.reply();
    const parts = await partsOf(talk.options);
    const texts = parts.flatMap((part) => (part.type === 'text-delta' ? [part.delta] : []));
    expect(texts.join('')).toBe(reply.text);
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(25);
    const calls = parts.filter((part) => part.type === 'tool-call');
    expect(calls.map(({ toolName, input }) => ({ toolName, input: JSON.parse(input) }))).toEqual(reply.calls);
    expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(calls.length);
    for (const { toolCallId, input } of calls) {
      const deltas = parts.flatMap((part) =>
        part.type === 'tool-input-delta' && part.id === toolCallId ? [part.delta] : [],
      );
      expect(deltas.join('')).toBe(input);
    }
    expect([present(parts[0]).type, present(parts.at(-1)).type]).toEqual(['stream-start', 'finish']);
    expect(parts.at(-1)).toMatchObject({
      finishReason: { unified: 'tool-calls' },
      usage: { outputTokens: { total: expect.any(Number) } },
    });
  });

  it('[D30] says the same as one whole reply, and counts its tokens the same', async () => {
    const { options } = new Conversation(desk.coordinator, QUESTION);
    const whole = await offlineModel.doGenerate(options);
    const end = (await partsOf(options)).at(-1);
    expect(end).toEqual({ type: 'finish', finishReason: whole.finishReason, usage: whole.usage });
    expect(whole.usage.inputTokens.total).toBe(0);
  });

  it('[D21] of one prompt is the same each time, down to the ids of its calls', async () => {
    const { options } = new Conversation(desk.coordinator, QUESTION);
    expect(await partsOf(structuredClone(options))).toEqual(await partsOf(options));
  });

  it('[D21] gives the calls of a later step other ids', async () => {
    const talk = new Conversation(desk.coordinator, QUESTION);
    const idsOf = async () =>
      (await partsOf(talk.options)).flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));
    const first = await idsOf();
    talk.add(talk.reply(), { added: [], skipped: [], documents: [] });
    const second = await idsOf();
    expect(new Set([...first, ...second]).size).toBe(first.length + second.length);
  });

  it('[D30] ends with the signal’s reason when it aborts, before or while it streams', async () => {
    const controller = new AbortController();
    const options = { ...prompt(QUESTION), abortSignal: controller.signal };
    const { stream } = await createOfflineModel({ delayMs: 60_000 }).doStream(options);
    const reader = stream.getReader();
    const reading = (async () => {
      while (!(await reader.read()).done);
    })();
    controller.abort(new Error('stopped'));
    await expect(reading).rejects.toThrow('stopped');
    await expect(offlineModel.doStream(options)).rejects.toThrow('stopped');
    await expect(offlineModel.doGenerate(options)).rejects.toThrow('stopped');
  });
});

describe('its role', () => {
  it('[D32] follows the agent’s type, and without one the tools that are offered', () => {
    const { options } = new Conversation(desk.researcher, { question: QUESTION });
    const { providerOptions: _, ...untyped } = options;
    const talk = new Conversation(desk.coordinator, QUESTION);
    expect(present(talk.reply().calls[0]).toolName).toBe('add_to_library');
    return Promise.all(
      [options, untyped, { ...untyped, providerOptions: { offshoot: { agentType: 'something-else' } } }].map(
        async (asked) => {
          const { content } = await offlineModel.doGenerate(asked);
          expect(content).toContainEqual(expect.objectContaining({ toolName: 'search_library' }));
        },
      ),
    );
  });

  it('[D32] is none of the desk’s for an agent of the same name without the desk’s tools', async () => {
    const { content, finishReason } = await offlineModel.doGenerate({
      ...prompt(QUESTION),
      providerOptions: { offshoot: { agentType: 'researcher' } },
    });
    expect(finishReason.unified).toBe('stop');
    expect(content).toEqual([
      { type: 'text', text: expect.stringMatching(/^I am the offline model of Offshoot: a set of rules/) },
    ]);
  });
});

describe('for an agent of the user’s own', () => {
  it('[D31] it says what it is, what it was asked, and how to get a real one', async () => {
    const { text, usage } = await generateText({ model: offlineModel, prompt: QUESTION });
    expect(text).toMatch(/OFFSHOOT_MODEL.*“How does a river meander\?”$/);
    expect(usage).toMatchObject({ inputTokens: 0, outputTokens: 0, totalTokens: 0 });
  });

  it('[D31] it ends with the smallest valid output where __finish__ is offered', async () => {
    const schema = z.object({
      city: z.string().min(3),
      count: z.number().int().min(2),
      tags: z.array(z.enum(['a', 'b'])).min(1),
      note: z.string().optional(),
    });
    const { content } = await offlineModel.doGenerate({
      ...prompt('x'),
      tools: [tool('look', z.object({})), tool('__finish__', schema)],
    });
    const call = present(content.find((part) => part.type === 'tool-call'));
    expect(call.toolName).toBe('__finish__');
    expect(schema.parse(JSON.parse(call.input))).toEqual({ city: '(offline model)', count: 2, tags: ['a'] });
  });

  it('[D31] it follows the choice of a tool', async () => {
    const tools = [tool('look', z.object({ at: z.literal('sky') })), tool('__finish__', z.object({}))];
    const called = async (toolChoice: LanguageModelV4CallOptions['toolChoice'], offered = tools) =>
      (
        await offlineModel.doGenerate({ ...prompt('x'), tools: offered, ...(toolChoice && { toolChoice }) })
      ).content.flatMap((part) => (part.type === 'tool-call' ? [[part.toolName, part.input]] : []));
    expect(await called({ type: 'none' })).toEqual([]);
    expect(await called({ type: 'tool', toolName: 'look' })).toEqual([['look', '{"at":"sky"}']]);
    expect(await called({ type: 'required' }, tools.slice(0, 1))).toEqual([['look', '{"at":"sky"}']]);
    expect(await called(undefined, tools.slice(0, 1))).toEqual([]);
  });

  it('[D31] it works with the AI SDK: streamed text, and an object by a schema', async () => {
    const streamed = streamText({ model: offlineModel, prompt: QUESTION });
    expect(await streamed.text).toMatch(/^I am the offline model/);
    const schema = z.object({
      kind: z.union([z.literal('x'), z.null()]),
      when: z.iso.datetime(),
      nested: z.object({ on: z.boolean() }),
    });
    const { output } = await generateText({ model: offlineModel, prompt: 'x', output: Output.object({ schema }) });
    expect(output).toEqual({ kind: 'x', when: '1970-01-01T00:00:00Z', nested: { on: false } });
  });
});

describe('the smallest value', () => {
  const tree = z.object({
    name: z.string(),
    get children() {
      return z.array(tree);
    },
  });
  it.each([
    z.string().max(5),
    z.string().min(30).max(40),
    z.email(),
    z.uuid(),
    z.url(),
    z.number().gt(3).multipleOf(2),
    z.number().lt(-3),
    z.int().positive(),
    z.boolean(),
    z.null(),
    z.array(z.object({ id: z.string() })).min(2),
    z.tuple([z.string(), z.number()]).or(z.string()),
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('a'), n: z.number() }),
      z.object({ type: z.literal('b') }),
    ]),
    z.object({ a: z.object({ b: z.string().default('c') }), d: z.string().nullable() }),
    z.intersection(z.object({ a: z.string() }), z.object({ b: z.number() })),
    z.record(z.string(), z.number()),
    z.any(),
    tree,
  ])('[D31] of schema %# is valid', (schema) => {
    const value = smallestValue(JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io: 'input' }))));
    expect(schema.safeParse(value)).toMatchObject({ success: true });
  });

  it('[D31] of an endless schema is cut off', () => {
    const endless = {
      $defs: { a: { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, required: ['a'] } },
      $ref: '#/$defs/a',
    };
    expect(JSON.stringify(smallestValue(endless))).toMatch(/^(\{"a":){5,}null\}+$/);
  });
});
