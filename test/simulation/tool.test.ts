/** What a tool's body can do, and what becomes of what it does: one agent, one tool, one step. */

import fc from 'fast-check';
import { applyPatch } from 'rfc6902';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AgentOptions } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { ToolContext } from '../../src/core/definition/tool-context';
import { OffshootError } from '../../src/protocol/errors';
import { isObject, type Json } from '../../src/protocol/json';
import type { CallResult } from '../../src/protocol/messages';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { agentOf } from '../support/trees';

interface Given extends TreeOptions, Partial<Pick<AgentOptions, 'limits' | 'stateSchema'>> {
  readonly execute: (input: { a?: Json }, context: ToolContext) => unknown;
  readonly tool?: Partial<
    Pick<Parameters<typeof defineTool>[0], 'inputSchema' | 'outputSchema' | 'timeoutMs' | 'replay'>
  >;
  readonly input?: Json;
}

const parts =
  ({ execute, tool = {}, limits = {}, input = {}, stateSchema }: Given) =>
  (): TreeParts => {
    const act = defineTool({
      name: 'act',
      description: 'Works.',
      inputSchema: z.object({ a: z.json().optional() }),
      ...tool,
      execute: execute as never,
    });
    return {
      agents: [agentOf('top', { tools: [act], limits, ...(stateSchema ? { stateSchema } : {}) })],
      scripts: { top: [{ calls: [{ name: 'act', input }] }, { text: 'done' }] },
    };
  };

/** Runs the tool once and gives its result, and the tree to look at. */
function ran(given: Given): Promise<CallResult | undefined>;
function ran<Result>(given: Given, look: (tree: Tree) => Result): Promise<Result>;
async function ran(given: Given, look: (tree: Tree) => unknown = resultOf): Promise<unknown> {
  return withTree(parts(given), given, async (tree) => {
    await tree.run();
    expect(tree.outcome).toMatchObject({ status: 'completed', output: 'done' });
    return look(tree);
  });
}

function resultOf(tree: Tree): CallResult | undefined {
  const [step] = tree.store().steps({});
  return step?.phase === 'calls' ? step.calls[0]?.settled?.result : undefined;
}

const failed = (code: string, text: string | RegExp = '') => ({
  success: false,
  error: { code, message: expect.stringMatching(text) },
});

/** Arguments that types forbid, and JavaScript does not. */
const ODD = [
  ['nothing', undefined],
  ['null', null],
  ['a number', 7],
  ['a text', 'x'],
  ['a list', []],
  ['an object', {}],
  ['an object of nulls', { role: null, content: null, attachments: null, size: null, delayMs: null }],
  ['a function', () => 1],
  ['a symbol', Symbol('s')],
  ['a large number', 2n ** 70n],
] as const;

/** All that a body may call, each argument in its turn. */
const CALLS: { readonly [name: string]: (context: ToolContext, odd: never) => unknown } = {
  updateState: (context, odd) => context.updateState(odd),
  emit: (context, odd) => context.emit(odd),
  'emitCustom, its name': (context, odd) => context.emitCustom(odd, 1),
  'emitCustom, its data': (context, odd) => context.emitCustom('a', odd),
  variable: (context, odd) => context.variable(odd),
  recordUsage: (context, odd) => context.recordUsage(odd),
  'recordUsage, an amount': (context, odd) => context.recordUsage({ inputTokens: odd, costUsd: odd }),
  'scheduleEffect, its name': (context, odd) => context.scheduleEffect(odd, {}),
  'scheduleEffect, its delay': (context, odd) => context.scheduleEffect('a', {}, odd),
  getScheduledEffects: (context, odd) => context.getScheduledEffects(odd),
  removeScheduledEffect: (context, odd) => context.removeScheduledEffect(odd),
  'files.list': (context, odd) => context.files.list(odd),
  'files.stat': (context, odd) => context.files.stat(odd),
  'files.read': (context, odd) => context.files.read(odd),
  'files.read, its range': (context, odd) => context.files.read('there.txt', odd),
  'files.readText': (context, odd) => context.files.readText(odd),
  'files.stream': (context, odd) => context.files.stream(odd),
  'files.write, its path': (context, odd) => context.files.write(odd, 'x'),
  'files.write, its content': (context, odd) => context.files.write('there.txt', odd),
  'files.write, its options': (context, odd) => context.files.write('there.txt', 'x', odd),
  'files.remove': (context, odd) => context.files.remove(odd),
  'files.remove, its options': (context, odd) => context.files.remove('there.txt', odd),
  'thread.getChildThread': (context, odd) => context.thread.getChildThread(odd),
  'thread.queueMessage': (context, odd) => context.thread.queueMessage(odd),
  'thread.queueMessage, its files': (context, odd) =>
    context.thread.queueMessage({ role: 'user', content: 'x', attachments: odd }),
  'thread.updateMessage, its id': (context, odd) => context.thread.updateMessage(odd, { content: 'x' }),
  'thread.updateMessage': (context, odd) => context.thread.updateMessage('m_1', odd),
};

/** The parts of a patch, as RFC 6902 has them. */
const patchSchema = z.array(
  z.union([
    z.object({ op: z.enum(['add', 'replace']), path: z.string(), value: z.unknown() }),
    z.object({ op: z.literal('remove'), path: z.string() }),
  ]),
);

describe('the result of a tool', () => {
  it('[CL4] is what the body returns, as JSON', async () => {
    const cases: [unknown, Json][] = [
      [undefined, null],
      ['text', 'text'],
      [
        { at: new Date(0), none: undefined, list: [null] },
        { at: '1970-01-01T00:00:00.000Z', list: [null] },
      ],
      [Promise.resolve([1]), [1]],
    ];
    for (const [value, json] of cases)
      expect(await ran({ execute: () => value })).toEqual({ success: true, value: json });
  });

  it('[CL4] that is no JSON, or does not fit the schema of the tool, is an error that says so', async () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    expect(await ran({ execute: () => circle })).toMatchObject(failed('tool_result_invalid', 'not JSON'));
    expect(await ran({ execute: () => 1n })).toMatchObject(failed('tool_result_invalid', 'bigint'));
    const outputSchema = z.object({ n: z.number(), when: z.date().optional() });
    expect(await ran({ execute: () => ({ n: 'x' }), tool: { outputSchema } })).toMatchObject(
      failed('tool_result_invalid', 'n: '),
    );
    const fits = await ran({ execute: () => ({ n: 1, extra: 2, when: new Date(0) }), tool: { outputSchema } });
    expect(fits).toEqual({ success: true, value: { n: 1, when: '1970-01-01T00:00:00.000Z' } });
  });

  it('[CL4, DF3] has at most 1 MB of JSON: at the edge and one byte past it, in bytes, not characters', async () => {
    const quotes = 2;
    const most = 1_048_576 - quotes;
    expect(await ran({ execute: () => 'x'.repeat(most) })).toMatchObject({ success: true });
    expect(await ran({ execute: () => 'x'.repeat(most + 1) })).toMatchObject(
      failed('tool_result_too_large', 'more than 1048576 bytes'),
    );
    expect(await ran({ execute: () => 'ü'.repeat(most / 2 + 1) })).toMatchObject(failed('tool_result_too_large'));
    expect(await ran({ execute: () => 'xx', limits: { maxToolResultBytes: 4 } })).toMatchObject({ success: true });
    expect(await ran({ execute: () => 'xxx', limits: { maxToolResultBytes: 4 } })).toMatchObject(
      failed('tool_result_too_large', 'more than 4'),
    );
  });

  it('[CL4] of a body that throws is an error with its text, whatever it throws', async () => {
    const hostile: object = Object.create(null);
    for (const thrown of [new Error('it broke'), 'it broke', { toString: () => 'it broke' }]) {
      const throws = () => {
        throw thrown;
      };
      expect(await ran({ execute: throws })).toMatchObject(failed('tool_failed', 'it broke'));
    }
    expect(await ran({ execute: () => Promise.reject(hostile) })).toMatchObject(
      failed('tool_failed', 'The tool failed'),
    );
    expect(await ran({ execute: () => Promise.reject(new Error('x'.repeat(20_000))) })).toMatchObject(
      failed('tool_failed', /… \(cut\)$/),
    );
  });

  it('[CL4, DF3] of a body that outlasts its time is an error, and the body is aborted; 2 minutes by default', async () => {
    let aborted = 0;
    const hang = (_: unknown, { abortSignal }: ToolContext) => {
      abortSignal.addEventListener('abort', () => aborted++);
      return new Promise(() => undefined);
    };
    const took = (tree: Tree) => {
      expect(resultOf(tree)).toMatchObject(failed('tool_timeout', /act/));
      const [start, end] = tree.log.flatMap(({ chunk }) =>
        chunk.type === 'tool_start' || chunk.type === 'tool_end' ? [chunk.timestamp] : [],
      );
      return (end ?? 0) - (start ?? 0);
    };
    expect(await ran({ execute: hang }, took)).toBe(120_000);
    expect(await ran({ execute: hang, limits: { toolTimeoutMs: 30 } }, took)).toBe(30);
    expect(await ran({ execute: hang, limits: { toolTimeoutMs: 30 }, tool: { timeoutMs: 70 } }, took)).toBe(70);
    expect(aborted).toBe(3);
  });

  it('[CL4] of an unknown tool or of arguments that do not fit goes to the model, and the run goes on', async () => {
    const bad = await ran({ execute: () => 1, tool: { inputSchema: z.object({ n: z.number() }) }, input: { n: 'x' } });
    expect(bad).toMatchObject(failed('invalid_arguments', 'n: '));
  });
});

describe('what a body can use', () => {
  it('[CL5, EG1] a change of the state is committed and shown as a patch before updateState returns', async () => {
    const seen: unknown[] = [];
    await withTree(
      (tree) =>
        parts({
          execute: (_, context) => {
            context.updateState(() => ({ n: 1, list: ['a'] }));
            seen.push(tree.state().custom, context.getState());
            context.updateState((state) => ({ ...(isObject(state) && state), n: 2 }));
            seen.push(tree.state().custom);
          },
        })(),
      {},
      async (tree) => {
        await tree.run();
        expect(seen).toEqual([
          { n: 1, list: ['a'] },
          { n: 1, list: ['a'] },
          { n: 2, list: ['a'] },
        ]);
        expect(tree.log.flatMap(({ chunk }) => (chunk.type === 'state_patch' ? [chunk.patch] : []))).toHaveLength(2);
      },
    );
  });

  it('[CL5] replaying the patches rebuilds the state, for any states', async () => {
    // This library loses the key `__proto__` of every value that it copies.
    const states = fc.array(
      fc.json({ maxDepth: 3 }).map((text) => JSON.parse(text.replaceAll('__proto__', 'proto'))),
      { minLength: 1, maxLength: 6 },
    );
    const holds = fc.asyncProperty(states, async (given) => {
      const rebuilt = await ran(
        { execute: (_, context) => given.forEach((state) => void context.updateState(() => state)) },
        (tree) => {
          const root: { state: unknown } = { state: {} };
          const patches = tree.log.flatMap(({ chunk }) => (chunk.type === 'state_patch' ? [chunk.patch] : []));
          for (const patch of patches) {
            const moved = patchSchema.parse(patch).map((each) => ({ ...each, path: `/state${each.path}` }));
            expect(applyPatch(root, moved)).toEqual(moved.map(() => null));
          }
          return [root.state, tree.state().custom];
        },
      );
      expect(rebuilt).toEqual([given.at(-1), given.at(-1)]);
    });
    await fc.assert(holds, { numRuns: 40 });
  });

  it('[CL5, SE1] what a body does to the state that it was given changes nothing', async () => {
    const custom = await ran(
      {
        execute: (_, context) => {
          context.updateState(() => ({ list: ['a'] }));
          (context.getState() as { list: string[] }).list.push('b');
          context.updateState((state) => ({ ...(isObject(state) && state), more: true }));
          context.updateState((state) => {
            (state as { list: string[] }).list.push('c');
            return { list: ['a'], more: true };
          });
        },
      },
      (tree) => [tree.state().custom, tree.world.object(tree.address).agent?.state.custom],
    );
    expect(custom).toEqual([
      { list: ['a'], more: true },
      { list: ['a'], more: true },
    ]);
  });

  it('[CL5] a change that is no state is refused and changes nothing', async () => {
    for (const change of [
      async () => ({}),
      () => undefined,
      () => 1n,
      () => {
        throw new Error('mine');
      },
    ]) {
      const [result, custom] = await ran(
        { execute: (_, context) => context.updateState(change as never) },
        (tree) => [resultOf(tree), tree.state().custom] as const,
      );
      expect(result).toMatchObject({ success: false });
      expect(custom).toEqual({});
    }
  });

  const tally = z.object({ n: z.number().max(3).default(0), by: z.string().trim().optional() });

  it('[CL9] a change up to the edge of the schema is kept as the schema makes it', async () => {
    const states = await ran(
      {
        stateSchema: tally,
        execute: (_, context) => {
          context.updateState(() => ({ n: 3, by: ' me ', more: true }));
          context.updateState(() => ({}));
        },
      },
      (tree) => [
        tree.state().custom,
        ...tree.log.flatMap(({ chunk }) => (chunk.type === 'state_patch' ? [chunk.patch] : [])),
      ],
    );
    const made = [
      { op: 'add', path: '/n', value: 3 },
      { op: 'add', path: '/by', value: 'me' },
    ];
    expect(states).toEqual([{ n: 0 }, expect.arrayContaining(made), expect.any(Array)]);
  });

  it('[CL9] one past it is a result that the model can act on, and changes nothing', async () => {
    const [result, custom, patches] = await ran(
      { stateSchema: tally, execute: (_, context) => context.updateState(() => ({ n: 4 })) },
      (tree) =>
        [resultOf(tree), tree.state().custom, tree.log.filter(({ chunk }) => chunk.type === 'state_patch')] as const,
    );
    expect(result).toMatchObject(failed('invalid_input', /does not match the schema of this agent: n: Too big/));
    expect([custom, patches]).toEqual([{}, []]);
  });

  it('[CL9] a schema that throws or waits lets no change through', async () => {
    const schemas = {
      mine: z.object({}).refine((state) => {
        if ('n' in state) throw new Error('mine');
        return true;
      }),
      asynchronous: z.object({}).refine(async () => true),
    };
    for (const [said, stateSchema] of Object.entries(schemas)) {
      const given = {
        stateSchema: stateSchema.loose(),
        execute: (_: unknown, context: ToolContext) => context.updateState(() => ({ n: 1 })),
      };
      expect(await ran(given)).toMatchObject(failed('invalid_input', said));
    }
  });

  it('[CL5] custom chunks and status text are shown in order; what is no JSON is refused', async () => {
    const chunks = await ran(
      {
        execute: (_, context) => {
          context.emit('reading');
          context.emitCustom('progress', { done: 1 });
          expect(() => context.emitCustom('progress', 1n as never)).toThrow('JSON');
          context.emit('x'.repeat(5_000));
        },
      },
      (tree) =>
        tree.log.flatMap(({ chunk }) => (chunk.type === 'custom' || chunk.type === 'subagent_status' ? [chunk] : [])),
    );
    expect(chunks).toMatchObject([
      { statusText: 'reading' },
      { name: 'progress', data: { done: 1 } },
      { statusText: 'x'.repeat(1_000) },
    ]);
  });

  it('[CL5] the key stays the same when the body is repeated after a crash, and is the id of the call', async () => {
    const keys: string[] = [];
    await withTree(
      (tree) =>
        parts({
          tool: { replay: 'safe' },
          execute: (_, { idempotencyKey }) => {
            if (keys.push(idempotencyKey) === 1) tree.crash();
            return keys.length - 1;
          },
        })(),
      {},
      async (tree) => {
        await tree.run();
        expect(resultOf(tree)).toEqual({ success: true, value: 1 });
        const [step] = tree.store().steps({});
        expect(keys).toEqual(Array(2).fill(step?.phase === 'calls' ? step.calls[0]?.callId : ''));
      },
    );
  });

  it('[CL5, SE1] what a body does to its arguments changes nothing', async () => {
    const call = await ran(
      {
        input: { a: { list: [1] } },
        execute: ({ a }) => (a as { list: number[] }).list.push(2),
      },
      (tree) => tree.store().steps({})[0],
    );
    expect(call).toMatchObject({ calls: [{ input: { a: { list: [1] } } }] });
  });

  it('[CL5] it knows who it works for, and what it spent is counted, but for what is no amount', async () => {
    let who: unknown;
    const spent = await ran(
      {
        execute: (_, context) => {
          who = context.agent;
          context.recordUsage({ inputTokens: 3, costUsd: 0.25 });
          context.recordUsage({ inputTokens: Number.NaN, outputTokens: -1, costUsd: Number.POSITIVE_INFINITY });
        },
      },
      (tree) => [tree.state().spent, tree.state().run?.runId, tree.state().session.sessionId] as const,
    );
    expect(who).toEqual({ type: 'top', sessionId: spent[2], address: '/agents/top/one', runId: spent[1] });
    expect(spent[0]).toMatchObject({ inputTokens: 23, outputTokens: 10, toolCalls: 1, modelCalls: 2, costUsd: 0.25 });
  });

  it.each(ODD)('[CL11] what it is not made for is refused by a code, never by a TypeError: %s', async (_, odd) => {
    const untyped: [string, unknown][] = [];
    await ran({
      execute: async (_input, context) => {
        await context.files.write('there.txt', 'x');
        for (const [name, call] of Object.entries(CALLS)) {
          try {
            await Reflect.apply(call, undefined, [context, odd]);
          } catch (error) {
            if (!(error instanceof OffshootError) || error.code === 'internal') untyped.push([name, String(error)]);
          }
        }
      },
    });
    expect(untyped).toEqual([]);
  });

  it('[CL5, ST1] a body whose call is over can neither change the state nor emit', async () => {
    let late: ToolContext | undefined;
    const problems = await ran(
      {
        limits: { toolTimeoutMs: 10 },
        execute: (_, context) => {
          late = context;
          return new Promise(() => undefined);
        },
      },
      (tree) => {
        expect(() => late?.updateState(() => ({ late: true }))).toThrow(
          expect.objectContaining({ code: 'superseded' }),
        );
        expect(() => late?.emitCustom('late', 1)).toThrow(expect.objectContaining({ code: 'superseded' }));
        return tree.state().custom;
      },
    );
    expect(problems).toEqual({});
  });

  it('[SP9, EG2] a stop aborts it through its signal; one that comes before it begins keeps it from beginning', async () => {
    const heard: string[] = [];
    const waits = {
      execute: (_: unknown, { abortSignal }: ToolContext) => {
        abortSignal.addEventListener('abort', () => heard.push('aborted'));
        return new Promise(() => undefined);
      },
    };
    await withTree(parts(waits), {}, async (tree) => {
      await tree.start();
      await tree.time.settle();
      tree.stop();
      expect(heard).toEqual(['aborted']);
      await tree.finish();
      expect(resultOf(tree)).toMatchObject(failed('aborted'));
    });
    let begun = 0;
    const checks = z.object({}).refine(async () => {
      // The check of the plan comes first; the one before the body meets the stop.
      if (begun++ === 1) stop();
      return true;
    });
    let stop = (): void => undefined;
    const never = { tool: { inputSchema: checks }, execute: () => void heard.push('began') };
    await withTree(parts(never), {}, async (tree) => {
      stop = () => void tree.stop();
      await tree.start();
      await tree.finish();
      expect(begun).toBe(2);
      expect(heard).toEqual(['aborted']);
    });
  });
});
