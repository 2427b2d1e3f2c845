/** Schemas of tools and agents: what is refused when it is defined, what a model is shown, and what a body gets. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { z as older } from 'zod/v3';
import { seatOf } from '../../src/core/agent/seat';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { AgentDefinition } from '../../src/core/definition/definition';
import { defineDualAgent } from '../../src/core/definition/dual-agent';
import { definePrompt } from '../../src/core/definition/prompt';
import { isOfArguments, jsonSchemaOf } from '../../src/core/definition/schemas/schema';
import { agentsPage } from '../../src/gateway/directory-route';
import { scriptedModel } from '../../src/model/scripted';
import type { Json, JsonObject } from '../../src/protocol/json';
import { createTestRuntime } from '../../src/testing';
import { noModel } from '../support/no-model';

type Schema = z.ZodType;
const zod3: unknown = older.object({ a: older.string() });
const wrong = zod3 as Schema;

const toolOf = (inputSchema: Schema, more: object = {}) =>
  defineTool({
    name: 'it',
    description: 'Does it.',
    inputSchema,
    execute: (input) => ({ got: input ?? null }),
    ...more,
  });
const agentOf = (options: object = {}): AgentDefinition =>
  defineAgent({ name: 'a', systemPrompt: 'Work.', model: noModel, ...options });
/** Whatever the compiler says of it. */
const subAgentOf: (definition: AgentDefinition, schema: unknown) => unknown = createSubAgentTool as never;
const specOf = (definition: AgentDefinition) => seatOf(definition).tools[0];

/** What became of one call of a tool. */
async function called(
  inputSchema: Schema,
  input: JsonObject,
  requireApproval: boolean | ((given: never) => boolean) = false,
) {
  const model = scriptedModel([{ calls: [{ name: 'it', input }] }, { text: 'Done.' }]);
  const agent = agentOf({ model, tools: [toolOf(inputSchema, { requireApproval })] });
  const run = await createTestRuntime({ agents: [agent] }).execute(agent, 'Go.');
  await run.settled();
  return run;
}
const resultIn = (run: Awaited<ReturnType<typeof called>>) =>
  run.messages().flatMap((message) => (message.role === 'tool' ? [message.result] : []))[0];

describe('a schema of zod 3', () => {
  const agent = agentOf({ inputSchema: z.object({}) });
  it.for<[string, string, () => unknown]>([
    ['a tool', '`inputSchema`', () => toolOf(wrong)],
    ['what a tool gives', '`outputSchema`', () => toolOf(z.object({}), { outputSchema: wrong })],
    ['an agent', '`inputSchema`', () => agentOf({ inputSchema: wrong })],
    ['an output', '`outputSchema`', () => agentOf({ outputSchema: wrong })],
    ['a state', '`stateSchema`', () => agentOf({ stateSchema: wrong })],
    ['a sub-agent', 'inputSchema)`', () => subAgentOf(agent, wrong)],
    [
      'a prompt',
      '`requiredSchema`',
      () => definePrompt({ name: 'p', prompt: 'Work.', model: noModel, requiredSchema: wrong }),
    ],
    [
      'a tool of the AI SDK',
      '`inputSchema`',
      () => agentOf({ tools: { x: { inputSchema: wrong, execute: () => 1 } } }),
    ],
    [
      'two sides',
      '`inputSchema`',
      () => defineDualAgent({ name: 'd', sideA: side, sideB: side, inputSchema: wrong } as never),
    ],
  ])('[DF18] is refused of %s, by its field and with zod 4', ([, field, define]) => {
    expect(define).toThrow('is a schema of zod 3. Make it with zod 4');
    expect(define).toThrow(field);
  });
  const side = { prompt: definePrompt({ name: 's', prompt: 'Work.', model: noModel }) };

  it('[DF18] and what is none at all is refused as well, while zod/mini is taken', async () => {
    expect(() => toolOf({ type: 'object' } as never)).toThrow('`inputSchema` is not a zod schema');
    expect(() => toolOf(undefined as never)).toThrow('`inputSchema` is missing');
    const mini = await import('zod/mini');
    expect(specOf(agentOf({ tools: [toolOf(mini.object({ a: mini.string() }) as never)] }))?.inputSchema).toMatchObject(
      {
        properties: { a: { type: 'string' } },
      },
    );
  });

  it('[DF18] put into a tool by hand is refused with the agent, so the directory answers for all', async () => {
    const made = { ...toolOf(z.object({})), inputSchema: wrong };
    expect(() => agentOf({ tools: [made] })).toThrow('Agent "a", tool "it": `inputSchema` is a schema of zod 3');
    const definitions = new Map([['a', agentOf({ tools: [toolOf(z.union([z.string(), z.number()]))] })]]);
    expect((await agentsPage(definitions, {}, {})).items).toHaveLength(1);
  });
});

describe('a type that JSON has no value for', () => {
  it.for<[string, Schema, string, string]>([
    ['a date', z.object({ at: z.date() }), 'at at a date', 'z.iso.datetime()'],
    ['a coerced date', z.object({ at: z.coerce.date() }), 'a date', 'z.iso.datetime().pipe(z.coerce.date())'],
    ['a bigint', z.object({ a: z.array(z.object({ n: z.bigint() })) }), 'at a.items.n a bigint', 'z.string()'],
    ['a map', z.object({ m: z.map(z.string(), z.string()) }), 'a map', 'z.record(z.string(), …)'],
    ['a set', z.object({ s: z.set(z.string()) }), 'a set', 'z.array(…)'],
    ['undefined', z.object({ u: z.string().or(z.undefined()) }), 'a undefined', '.optional()'],
    ['an instance', z.object({ u: z.instanceof(URL) }), 'a custom', '.meta('],
    ['a big literal', z.object({ u: z.literal(1n) }), 'a literal', 'literals of texts'],
  ])('[DF19] as %s is refused of what a model reads, with what to write', ([, schema, said, advice]) => {
    for (const define of [
      () => toolOf(schema),
      () => agentOf({ inputSchema: schema }),
      () => agentOf({ outputSchema: schema }),
      () => createSubAgentTool(agentOf(), schema),
      () => definePrompt({ name: 'p', prompt: 'Work.', model: noModel, requiredSchema: schema }),
    ]) {
      expect(define).toThrow(said);
      expect(define).toThrow(advice);
    }
  });

  it('[DF19] is taken where it is made of one that JSON has, where it says itself what a model reads, and of results', async () => {
    const at = z.iso.datetime().pipe(z.coerce.date());
    const run = await called(z.object({ at }), { at: '2026-11-26T00:00:00Z' });
    expect(resultIn(run)).toMatchObject({ value: { got: { at: '2026-11-26T00:00:00.000Z' } } });
    expect(() => toolOf(z.object({ u: z.custom<string>(() => true).meta({ type: 'string' }) }))).not.toThrow();
    expect(() => toolOf(z.object({}), { outputSchema: z.object({ at: z.date() }) })).not.toThrow();
    const ends = toolOf(z.object({}), { finishWith: true });
    expect(() => agentOf({ tools: [ends], outputSchema: z.object({ at: z.date() }) })).not.toThrow();
  });
});

type Tree = string | Tree[];
const tree: z.ZodType<Tree> = z.lazy(() => z.union([z.string(), z.array(tree)]));

describe('a tool whose schema is no object', () => {
  const union = z.union([z.object({ a: z.string() }), z.object({ b: z.number() })]);
  it.for<[string, Schema, Json, Json]>([
    ['a union', union, { b: 1 }, { b: 1 }],
    ['a choice by a field', z.discriminatedUnion('k', [z.object({ k: z.literal('x') })]), { k: 'x' }, { k: 'x' }],
    ['a text', z.string().transform((text) => text.length), 'abc', 3],
    ['a list', z.array(z.number()), [1, 2], [1, 2]],
    ['a reference to itself', tree, ['x', ['y', []]], ['x', ['y', []]]],
    ['anything', z.json(), { x: [null] }, { x: [null] }],
  ])(
    '[DF21] %s is carried by an object, and its body gets what its own schema makes',
    async ([, schema, value, got]) => {
      const spec = specOf(agentOf({ tools: [toolOf(schema)] }));
      expect(spec?.inputSchema).toMatchObject({ type: 'object', required: ['value'] });
      expect(isOfArguments(spec?.inputSchema ?? {})).toBe(true);
      expect(resultIn(await called(schema, { value }))).toEqual({ success: true, value: { got } });
      expect(resultIn(await called(schema, { value, more: 1 }))).toMatchObject({
        error: { code: 'invalid_arguments' },
      });
      expect(resultIn(await called(schema, { other: value }))).toMatchObject({ error: { code: 'invalid_arguments' } });
    },
  );

  it('[DF21] is shown to a person as the model wrote it, its approval is asked with its own type, and runs as edited', async () => {
    const asked: unknown[] = [];
    const run = await called(
      z.string().transform((text) => `${text}!`),
      { value: 'a' },
      (given) => asked.push(given) > 0,
    );
    expect(asked).toEqual(['a!']);
    expect(run.pending()).toMatchObject([{ input: { value: 'a' } }]);
    const [call] = run.pending();
    await run.submit({
      kind: 'approval-response',
      toolCallId: call?.toolCallId ?? '',
      approved: true,
      input: { value: 'b' },
    });
    await run.result();
    expect(resultIn(run)).toEqual({ success: true, value: { got: 'b!' } });
  });

  it('[DF21] of a sub-agent gives it what the schema makes', async () => {
    const child = agentOf({ name: 'child', model: scriptedModel([{ text: 'Ok.' }]), inputSchema: union });
    const model = scriptedModel([
      { calls: [{ name: 'subagent__child', input: { value: { b: 1 } } }] },
      { text: 'Done.' },
    ]);
    const top = agentOf({ model, tools: [createSubAgentTool(child)] });
    const run = await createTestRuntime({ agents: [top, child] }).execute(top, 'Go.');
    expect((await run.result()).status).toBe('completed');
    expect(resultIn(run)).toMatchObject({ success: true });
  });

  it('[DF21] leaves objects, records and transformed objects as they are', () => {
    for (const schema of [
      z.object({ a: z.string() }),
      z.record(z.string(), z.number()),
      z.object({}).transform(() => 1),
    ])
      expect(specOf(agentOf({ tools: [toolOf(schema)] }))?.inputSchema).toEqual(jsonSchemaOf(schema));
  });
});

describe('an approval', () => {
  it('[AN7] with changed arguments runs with what was agreed to, where the schema would change it twice', async () => {
    const grows = z.object({ text: z.string().transform((text) => `${text}!`) });
    const run = await called(grows, { text: 'a' }, true);
    const [call] = run.pending();
    await run.submit({
      kind: 'approval-response',
      toolCallId: call?.toolCallId ?? '',
      approved: true,
      input: { text: 'b' },
    });
    await run.result();
    expect(resultIn(run)).toEqual({ success: true, value: { got: { text: 'b!' } } });
  });
});

describe('what a tool says beside its schema', () => {
  it('[DF23] goes to the model: strictness, examples and options of a provider', () => {
    const about = { strict: true, providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } };
    const tool = toolOf(z.object({ a: z.string().nullable() }), { ...about, inputExamples: [{ a: 'x' }] });
    const spec = specOf(agentOf({ tools: [tool] }));
    expect(spec).toMatchObject({ ...about, inputExamples: [{ input: { a: 'x' } }] });
    expect(spec?.inputSchema.additionalProperties).toBe(false);
    const text = toolOf(z.string(), { inputExamples: ['x'] });
    expect(specOf(agentOf({ tools: [text] }))).toMatchObject({ inputExamples: [{ input: { value: 'x' } }] });
    expect(Object.keys(specOf(agentOf({ tools: [toolOf(z.object({}))] })) ?? {})).toEqual([
      'name',
      'description',
      'inputSchema',
    ]);
  });

  it('[DF23] `strictOutput` asks for the output exactly, and is refused of a schema that no provider decodes', () => {
    const spec = specOf(
      agentOf({ outputSchema: z.object({ a: z.array(z.object({ b: z.string() })) }), strictOutput: true }),
    );
    expect(spec).toMatchObject({ name: '__finish__', strict: true, inputSchema: { additionalProperties: false } });
    expect(JSON.stringify(spec?.inputSchema).match(/"additionalProperties":false/g)).toHaveLength(2);
    const optional = z.object({ a: z.array(z.object({ b: z.string().optional() })) });
    expect(() => agentOf({ outputSchema: optional, strictOutput: true })).toThrow(
      'a.b may be missing; write `.nullable()`',
    );
    expect(() => toolOf(z.looseObject({}), { strict: true })).toThrow('allows arbitrary property names');
    expect(() => agentOf({ strictOutput: true })).toThrow('needs an `outputSchema`');
    expect(() => toolOf(z.object({}), { providerOptions: { openai: 1 } })).toThrow(
      '`providerOptions` must be an object',
    );
    expect(() => toolOf(z.object({}), { inputExamples: [{ a: 1n }] })).toThrow('`inputExamples` must be JSON');
  });
});
