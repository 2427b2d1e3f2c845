import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { PlannedCall } from '../../src/core/agent/events';
import { seatOf } from '../../src/core/agent/seat';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { type AgentOptions, defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { AgentDefinition } from '../../src/core/definition/definition';
import type { ModelReply, ReplyCall } from '../../src/core/definition/model-port';
import { MAX_CALLS_OF_A_REPLY, MAX_CALLS_OF_A_STEP } from '../../src/core/definition/reply-size';
import { planReply } from '../../src/engine/perform/check-calls';
import type { Json } from '../../src/protocol/json';
import { NO_USAGE } from '../../src/protocol/usage';
import { HASHES } from '../support/hashes';
import { noModel } from '../support/no-model';

const note = defineTool({
  name: 'note',
  description: 'Notes.',
  inputSchema: z.object({ text: z.string(), tags: z.array(z.string()).default([]) }),
  execute: () => null,
  replay: 'safe',
  timeoutMs: 7,
});
const kid = defineAgent({ name: 'kid', systemPrompt: 'Work.', model: noModel, limits: { childTimeoutMs: 99 } });
const agent = (options: Partial<AgentOptions> = {}) =>
  defineAgent({
    name: 'top',
    systemPrompt: 'Work.',
    model: noModel,
    tools: [note, createSubAgentTool(kid, z.object({ q: z.string(), depth: z.number().default(1) }))],
    ...options,
  });

const call = (toolName: string, input: Json = {}, malformed?: string): ReplyCall => ({
  type: 'tool-call',
  providerId: 'p_1',
  toolName,
  input,
  ...(malformed === undefined ? {} : { malformed }),
});
const reply = (...content: ModelReply['content']): ModelReply => ({
  content,
  finishReason: 'tool-calls',
  usage: NO_USAGE,
  model: 'm',
});
const NOBODY = { state: {}, env: {}, agent: { type: 'a', sessionId: 's_1', address: '/agents/a/one', runId: 'r_1' } };
const planOne = async (definition: ReturnType<typeof agent>, asked: ReplyCall): Promise<PlannedCall | undefined> =>
  (await planReply(seatOf(definition), reply(asked), NOBODY, HASHES))[0];

describe('the plan of a reply', () => {
  it('[CL1, CL4] sorts calls by kind, in their order, past whatever else is said', async () => {
    const typed = agent({ outputSchema: z.object({ a: z.number() }) });
    const calls = [
      call('subagent__kid', { q: 'x' }),
      call('note', { text: 't' }),
      call('nothing'),
      call('__finish__', { a: 1 }),
    ];
    const planned = await planReply(seatOf(typed), reply({ type: 'text', text: 'So:' }, ...calls), NOBODY, HASHES);
    expect(planned).toMatchObject([
      {
        kind: 'child',
        agentType: 'kid',
        className: 'Kid',
        addressClass: 'kid',
        timeoutMs: 99,
        input: { q: 'x', depth: 1 },
      },
      { kind: 'tool', replay: 'safe', finishWith: false, timeoutMs: 7, input: { text: 't' } },
      { kind: 'refused', error: { code: 'unknown_tool', message: expect.stringContaining('note, subagent__kid') } },
      { kind: 'built_in', args: { a: 1 } },
    ]);
  });

  describe('the task of a sub-agent', () => {
    const inputSchema = z.object({ q: z.string().trim().min(2), depth: z.number().default(1) });
    const child = defineAgent({ name: 'kid', systemPrompt: 'Work.', model: noModel, inputSchema });
    const short = z.object({ word: z.string() }).transform(({ word }) => ({ q: word }));
    const ways = {
      'by its own schema': { tool: createSubAgentTool(child), input: (q: string) => ({ q }) },
      'by a schema of the tool, and then by its own': {
        tool: createSubAgentTool(child, short),
        input: (word: string) => ({ word }),
      },
    };

    it.for(Object.entries(ways))('[DG29, DF9] is checked %s', async ([, { tool, input }]) => {
      const parent = agent({ tools: [tool] });
      const planned = await planOne(parent, call('subagent__kid', input(' ab ')));
      expect(planned).toMatchObject({ kind: 'child', input: { q: 'ab', depth: 1 } });
      const refused = await planOne(parent, call('subagent__kid', input('a ')));
      expect(refused).toMatchObject({
        kind: 'refused',
        error: { code: 'invalid_arguments', message: expect.stringContaining('q: Too small') },
      });
    });

    it('[DG29] of an agent given as a function is checked by what the function returns', async () => {
      const parent = agent({
        tools: [createSubAgentTool((): AgentDefinition => child, z.object({ q: z.number() }), { name: 'late' })],
      });
      expect(await planOne(parent, call('subagent__late', { q: 7 }))).toMatchObject({
        kind: 'refused',
        error: { code: 'invalid_arguments', message: expect.stringContaining('expected string') },
      });
    });
  });

  it('[CL4] arguments that are no JSON, or do not fit, are a result that says what is wrong where', async () => {
    const broken = await planOne(agent(), call('note', {}, '{"text": "unfin'));
    expect(broken).toMatchObject({
      kind: 'refused',
      error: { code: 'invalid_arguments', message: expect.stringContaining('not valid JSON') },
    });
    const wrong = await planOne(agent(), call('note', { text: 1, tags: ['a', 2] }));
    expect(wrong).toMatchObject({
      kind: 'refused',
      error: { code: 'invalid_arguments', message: expect.stringMatching(/text: .*tags\.1: /) },
    });
    const strange: Json[] = [null, 'text', 7, [], { ['__proto__']: { text: 'x' } }];
    for (const input of strange)
      expect(await planOne(agent(), call('note', input))).toMatchObject({
        kind: 'refused',
        error: { code: 'invalid_arguments' },
      });
    const child = await planOne(agent(), call('subagent__kid', { q: 5 }));
    expect(child).toMatchObject({ kind: 'refused', error: { code: 'invalid_arguments' } });
  });

  it('[CL4] a schema that throws is one that does not fit', async () => {
    const throwing = defineTool({
      name: 'throwing',
      description: 'Works.',
      inputSchema: z.object({ a: z.string() }).transform(() => {
        throw new Error('not today');
      }),
      execute: () => null,
    });
    const planned = await planOne(agent({ tools: [throwing] }), call('throwing', { a: 'x' }));
    expect(planned).toMatchObject({
      kind: 'refused',
      error: { code: 'invalid_arguments', message: expect.stringContaining('not today') },
    });
  });

  it('[CL4] checks of a schema may take their time', async () => {
    const slow = defineTool({
      name: 'slow',
      description: 'Works.',
      inputSchema: z.object({ a: z.string().refine(async (a) => a === 'good', 'is not good') }),
      execute: () => null,
    });
    const definition = agent({ tools: [slow] });
    expect(await planOne(definition, call('slow', { a: 'good' }))).toMatchObject({ kind: 'tool' });
    expect(await planOne(definition, call('slow', { a: 'bad' }))).toMatchObject({
      kind: 'refused',
      error: { message: expect.stringContaining('a: is not good') },
    });
  });

  it('[CL4] calls past the 1,024th are refused one by one, and a reply with more than 4,096 as a whole', async () => {
    const calls = (count: number) => Array.from({ length: count }, () => call('note', { text: 't' }));
    const planned = await planReply(seatOf(agent()), reply(...calls(MAX_CALLS_OF_A_STEP + 1)), NOBODY, HASHES);
    expect(planned.slice(0, -1).every(({ kind }) => kind === 'tool')).toBe(true);
    expect(planned.at(-1)).toMatchObject({ kind: 'refused', error: { code: 'invalid_arguments' } });
    expect(await planReply(seatOf(agent()), reply(...calls(MAX_CALLS_OF_A_REPLY)), NOBODY, HASHES)).toHaveLength(
      MAX_CALLS_OF_A_REPLY,
    );
    await expect(
      planReply(seatOf(agent()), reply(...calls(MAX_CALLS_OF_A_REPLY + 1)), NOBODY, HASHES),
    ).rejects.toMatchObject({
      code: 'model_bad_reply',
      failure: { retryable: true },
    });
  });
});

describe('the approval of a call', () => {
  const asks: readonly (readonly [string, unknown, boolean])[] = [
    ['never', false, false],
    ['always', true, true],
    ...([true, false, undefined, null, 0, 'no'] as const).flatMap((answer) => [
      [`a function that says ${answer}`, () => answer, answer !== false] as const,
      [`one that says ${answer} later`, async () => answer, answer !== false] as const,
    ]),
    [
      'a function that throws',
      () => {
        throw new Error('No.');
      },
      true,
    ],
    ['one that fails later', () => Promise.reject(new Error('No.')), true],
  ];

  it('[A35, A36, A37, ST10, AN3] is asked for unless its tool says `false`, for exactly these arguments and so long', async () => {
    for (const [name, requireApproval, isAsked] of asks)
      for (const answerWithinMs of [undefined, 50])
        for (const client of [false, true])
          for (const timeoutMs of [undefined, 8]) {
            if (!client && requireApproval === false && answerWithinMs !== undefined) continue;
            const tool = defineTool({
              ...{
                name: 'pay',
                description: 'Pays.',
                inputSchema: z.object({ n: z.number().default(2) }),
                replay: 'safe',
              },
              ...(client ? { execute: 'client' } : { execute: () => null, requireApproval }),
              ...(answerWithinMs === undefined ? {} : { answerWithinMs }),
              ...(timeoutMs === undefined || client ? {} : { timeoutMs }),
            } as never);
            const definition = agent({ tools: [tool], limits: { toolTimeoutMs: 77 } });
            const planned = await planOne(definition, call('pay', { n: 1, other: 3 }));
            const time = answerWithinMs === undefined ? {} : { answerWithinMs };
            const base = { providerId: 'p_1', name: 'pay', input: { n: 1, other: 3 } };
            const own = { kind: 'tool', replay: 'safe', finishWith: false, timeoutMs: timeoutMs ?? 77 };
            const inputHash = HASHES.sha256('{"n":1,"other":3}');
            const approval = isAsked ? { approval: { inputHash, ...time } } : {};
            const what = JSON.stringify({ name, answerWithinMs, client, timeoutMs });
            expect(planned, what).toEqual(
              client ? { ...base, kind: 'client', ...time } : { ...base, ...own, ...approval },
            );
          }
  });

  it('[ST10, CL13] is decided by what the schema makes of the arguments, and changes neither these nor the state', async () => {
    const asked: unknown[] = [];
    const context = { ...NOBODY, state: { list: [1] }, env: { KEY: 'v' } };
    const tool = defineTool({
      ...{
        name: 'pay',
        description: 'Pays.',
        inputSchema: z.object({ n: z.number().default(2) }),
        execute: () => null,
      },
      requireApproval(input, { state, env, agent: who }) {
        asked.push(structuredClone([input, state, env, who]));
        Object.assign(input, { n: 9 });
        (state as { list: number[] }).list.push(2);
        return false;
      },
    });
    const [planned] = await planReply(seatOf(agent({ tools: [tool] })), reply(call('pay', {})), context, HASHES);
    expect(asked).toEqual([[{ n: 2 }, { list: [1] }, { KEY: 'v' }, NOBODY.agent]]);
    expect([planned?.input, context.state]).toEqual([{}, { list: [1] }]);
  });
});

describe('finishing tools', () => {
  it('[ST5] a typed output is asked for by `__finish__`, with what the output itself looks like', async () => {
    const typed = agent({ outputSchema: z.object({ a: z.number().min(1) }) });
    expect(seatOf(typed).rules.finishTools).toEqual(['__finish__']);
    expect(seatOf(typed).tools.at(-1)).toMatchObject({
      name: '__finish__',
      inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
    });
    expect(await planOne(typed, call('__finish__', { a: 0 }))).toMatchObject({
      kind: 'refused',
      error: { code: 'invalid_arguments' },
    });
    expect(await planOne(typed, call('__finish__', { a: 2, b: 3 }))).toMatchObject({
      kind: 'built_in',
      args: { a: 2 },
    });
  });

  it('[ST5] an output that is no object is wrapped for the model', async () => {
    const list = agent({ outputSchema: z.array(z.string()) });
    expect(seatOf(list).tools.at(-1)).toMatchObject({ inputSchema: { type: 'object', required: ['output'] } });
    expect(await planOne(list, call('__finish__', { output: ['a'] }))).toMatchObject({ kind: 'built_in', args: ['a'] });
    expect(await planOne(list, call('__finish__', ['a']))).toMatchObject({ kind: 'refused' });
  });

  it('[ST5, ST6] an agent with finishing tools of its own is offered no `__finish__`, nor one without a typed output', async () => {
    const deliver = defineTool({
      name: 'deliver',
      description: 'Works.',
      inputSchema: z.object({}),
      execute: () => null,
      finishWith: true,
    });
    const own = agent({ tools: [deliver], outputSchema: z.object({ a: z.number() }) });
    expect(seatOf(own).rules.finishTools).toEqual(['deliver']);
    for (const definition of [own, agent()]) {
      expect(seatOf(definition).tools.map(({ name }) => name)).not.toContain('__finish__');
      expect(await planOne(definition, call('__finish__', { a: 1 }))).toMatchObject({
        kind: 'refused',
        error: { code: 'unknown_tool' },
      });
    }
    expect(seatOf(agent()).rules.finishTools).toEqual([]);
  });
});
