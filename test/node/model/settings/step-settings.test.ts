/** Settings of single steps: choices that let go, and the hook that sets them. */

import { createAnthropic } from '@ai-sdk/anthropic';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { seatOf } from '../../../../src/core/agent/seat';
import type { Step } from '../../../../src/core/agent/state';
import { defineAgent } from '../../../../src/core/definition/define-agent';
import { defineTool } from '../../../../src/core/definition/define-tool';
import { defineHook, type StandardHookPayloads } from '../../../../src/core/definition/hooks/standard-hooks';
import type { ModelSettings } from '../../../../src/core/definition/settings/settings';
import type { Range } from '../../../../src/core/ports/agent-store';
import { settingsOfStep } from '../../../../src/engine/settings/step-settings';
import { failure } from '../../../../src/protocol/errors';
import { NO_USAGE } from '../../../../src/protocol/usage';
import { createTestRuntime, type TestRun } from '../../../../src/testing';
import type { WorldRun } from '../../../../src/testing/handle';
import { call, type Reply, say } from '../../../providers/replies';
import type { Body } from '../../../providers/rules/anthropic-api';
import { provider } from '../../../providers/server';
import { present } from '../../../support/present';
import { agentOf } from '../../../support/trees';

const toolNamed = (name: string, more: object = {}) =>
  defineTool({ name, description: 'Works.', inputSchema: z.object({}), execute: () => 'ok', ...more });

async function begun(replies: readonly Reply[], settings: ModelSettings, more: object = {}) {
  const api = provider('anthropic', { replies });
  const reports: string[] = [];
  const agent = defineAgent({
    name: 'plain',
    systemPrompt: 'Help.',
    model: createAnthropic({ apiKey: 'k', fetch: api.fetch })('claude-sonnet-4-5'),
    settings,
    tools: [
      toolNamed('work'),
      toolNamed('look', 'look' in more ? { execute: more.look } : {}),
      ...('ends' in more ? [toolNamed('publish', { finishWith: true })] : []),
    ],
    ...('hooks' in more ? { hooks: more.hooks as never } : {}),
  });
  const runtime = createTestRuntime({ agents: [agent], report: (problem) => reports.push(problem) });
  onTestFinished(() => runtime.close());
  const run = await runtime.execute(agent, 'Go.');
  const bodies = () => api.requests.map(({ body }) => body as Body);
  return { api, run, reports, bodies, choices: () => bodies().map((body) => body.tool_choice?.type) };
}

async function ran(...given: Parameters<typeof begun>) {
  const begins = await begun(...given);
  return { ...begins, result: await begins.run.result() };
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

  it('[ST17, RS1] of one tool that was called is not made again by a resume', async () => {
    const looking = Promise.withResolvers<void>();
    const hangs = vi.fn<(input: object, context: { abortSignal: AbortSignal }) => unknown>((_, { abortSignal }) => {
      looking.resolve();
      return new Promise((_answered, fail) => abortSignal.addEventListener('abort', () => fail(abortSignal.reason)));
    });
    const replies = [work(1), look(2), say('Done.')];
    const { run, choices } = await begun(replies, { toolChoice: { tool: 'work' } }, { look: hangs });
    await looking.promise;
    await run.interrupt();
    await run.settled();
    hangs.mockImplementation(() => 'ok');
    await run.resume();
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(choices()).toEqual(['tool', 'auto', 'auto']);
  });

  it('[ST17] `none` forbids calls in every step', async () => {
    const { choices, run } = await ran([say('Yes.'), say('Yes.')], { toolChoice: 'none' });
    await run.send('Again.');
    await run.result();
    expect(choices()).toEqual(['none', 'none']);
  });
});

/** A step of a history: the tools that it called, or nothing where it has no reply. A resume begins a turn and continues the chain. */
interface Past {
  readonly turn: number;
  readonly chain: number;
  readonly side?: 'side_a' | 'side_b';
  readonly called?: readonly string[];
}

const spent = { ...{ messagesUpTo: 0, startedAt: 0, failures: [], spent: NO_USAGE }, token: 't' };

/** The steps of a history, as they are kept. */
const stepsOf = (past: readonly Past[]): Step[] =>
  past.map(({ called, chain, ...whose }, at) => {
    const number = past.slice(0, at + 1).filter((one) => one.chain === chain).length;
    const facts = { id: at + 1, number, attempt: 1, recoveries: 0, ...spent, ...whose };
    if (called === undefined) return { ...facts, phase: 'model', notBefore: 0 };
    const plan = { kind: 'refused', error: failure('unknown_tool') } as const;
    const calls = called.map((name, index) => {
      const id = `${at}_${index}`;
      return { callId: id, providerId: id, name, input: {}, index, plan, bodies: 0 };
    });
    const replied = { model: 'm', finishReason: 'tool-calls', usage: NO_USAGE, repliedAt: 0 } as const;
    return { ...facts, phase: 'calls', reply: [], ...replied, calls };
  });

const pastStep = fc.record(
  {
    begins: fc.constantFrom('step', 'turn', 'resume'),
    side: fc.constantFrom('side_a', 'side_b'),
    called: fc.subarray(['work', 'look', 'publish']),
  },
  { requiredKeys: ['begins'] },
);

describe('the choice of a step', () => {
  it('[ST17] is forced as if each turn of each side, with all that resumes it, stood alone, and lets go of nothing else', () => {
    const tools = [toolNamed('work'), toolNamed('look')];
    const choices = ['auto', 'none', 'required', { tool: 'work' }, { tool: 'look' }, { tool: 'publish' }] as const;
    const seats = [...choices, undefined].flatMap((choice) =>
      [tools, [...tools, toolNamed('publish', { finishWith: true })]].flatMap((offered) => {
        const forced = choice === undefined ? {} : { toolChoice: choice };
        const isThere = typeof choice !== 'object' || offered.some(({ name }) => name === choice.tool);
        const settings = { temperature: 0.5, ...forced };
        return isThere ? [{ choice, offered, seat: seatOf(agentOf('top', { settings, tools: offered })) }] : [];
      }),
    );
    expect(seats).toHaveLength(13);
    fc.assert(
      fc.property(fc.array(pastStep, { minLength: 1, maxLength: 8 }), (drawn) => {
        let [turn, chain] = [1, 1];
        const past = drawn.map(({ begins, ...one }) => {
          if (begins !== 'step') turn++;
          if (begins === 'turn') chain++;
          return { ...one, turn, chain };
        });
        const steps = stepsOf(past);
        const [now, step] = [present(past.at(-1)), present(steps.at(-1))];
        const store = {
          steps: ({ after = 0, upTo = steps.length, limit = steps.length }: Range) =>
            steps.slice(after, upTo).slice(0, limit),
        };
        const called = past
          .slice(0, -1)
          .flatMap((one) => (one.chain === chain && one.side === now.side ? (one.called ?? []) : []));
        for (const { choice, offered, seat } of seats) {
          const isMet = typeof choice === 'object' ? called.includes(choice.tool) : called.length > 0;
          const endsByCall =
            typeof choice === 'object' ? choice.tool === 'publish' : now.side !== undefined || offered.length === 3;
          const isForced = choice === 'none' || (choice !== undefined && choice !== 'auto' && (endsByCall || !isMet));
          expect(settingsOfStep({ deps: { store } }, seat, step)).toEqual({
            temperature: 0.5,
            ...(isForced ? { toolChoice: choice } : {}),
          });
        }
      }),
      { numRuns: 100 },
    );
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
