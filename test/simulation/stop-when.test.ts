/** `stopWhen`, with conditions of the AI SDK as they are imported from it, and with those that look at one step alone. */

import { type StopCondition as AiStopCondition, hasToolCall, isLoopFinished, isStepCount, stepCountIs } from 'ai';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { type AgentOptions, defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { StopCondition, StopFacts } from '../../src/core/definition/hooks/stop-when';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { agentOf } from '../support/trees';

const note = defineTool({
  name: 'note',
  description: 'Works.',
  inputSchema: z.object({ n: z.number().max(2) }),
  replay: 'safe',
  execute: ({ n }) => ({ noted: n }),
});
const publish = defineTool({ name: 'publish', description: 'Works.', inputSchema: z.object({}), execute: () => 'out' });

const script = [
  { text: 'one', calls: [{ name: 'note', input: { n: 1 } }] },
  { text: 'two', calls: [{ name: 'note', input: { n: 3 } }] },
  { text: 'three', calls: [{ name: 'publish', input: {} }] },
  { text: 'four' },
];

const parts =
  (stopWhen: AgentOptions['stopWhen'], options: Partial<AgentOptions> = {}) =>
  (): TreeParts => ({
    agents: [agentOf('top', { tools: [note, publish], ...options, ...(stopWhen ? { stopWhen } : {}) })],
    scripts: { top: script },
  });

/** Runs it to its end, and gives how it ended. */
async function ended(stopWhen: AgentOptions['stopWhen'], look: (tree: Tree) => void = () => undefined) {
  return withTree(parts(stopWhen), {}, async (tree) => {
    await tree.run();
    look(tree);
    return tree.outcome;
  });
}

const stoppedAt = (output: string) => ({ status: 'completed', output, completionReason: 'stop_when' });
const wholeWay = { status: 'completed', output: 'four', completionReason: 'text' };

describe('conditions of the AI SDK', () => {
  it('[ST7] are taken as they are, alone or in a list, of which any one ends the run', async () => {
    const cases: [AgentOptions['stopWhen'], object][] = [
      [isStepCount(2), stoppedAt('two')],
      [stepCountIs(1), stoppedAt('one')],
      [hasToolCall('publish'), stoppedAt('three')],
      [hasToolCall('nothing', 'publish'), stoppedAt('three')],
      [[isStepCount(9), hasToolCall('note')], stoppedAt('one')],
      [[isLoopFinished(), isStepCount(9)], wholeWay],
      [[], wholeWay],
    ];
    for (const [stopWhen, outcome] of cases) expect(await ended(stopWhen)).toEqual(outcome);
  });

  it('[ST14] are given every step of the turn with its text, thinking, calls, results, failures, usage and model', async () => {
    const seen: unknown[] = [];
    await ended([
      isLoopFinished(),
      ({ steps }) => {
        if (steps.length === 4)
          seen.push(
            ...steps.map((step) => [step.stepNumber, step.text, step.toolCalls.map(({ toolName }) => toolName)]),
          );
        return false;
      },
    ]);
    expect(seen).toEqual([
      [0, 'one', ['note']],
      [1, 'two', ['note']],
      [2, 'three', ['publish']],
      [3, 'four', []],
    ]);
  });

  it('[ST14] read the content as the AI SDK has it, and are told of what a session does not keep', async () => {
    const said: unknown[] = [];
    await ended(({ steps }) => {
      const step = steps.at(-1);
      if (steps.length !== 2 || step === undefined) return false;
      const { content, toolResults, dynamicToolCalls, staticToolCalls, finishReason, usage, model, reasoningText } =
        step;
      said.push(
        content,
        toolResults,
        dynamicToolCalls.length,
        staticToolCalls,
        finishReason,
        usage,
        model,
        reasoningText,
      );
      for (const member of ['response', 'files', 'warnings', 'callId'] as const)
        expect(() => step[member]).toThrow(member);
      return true;
    });
    const call = { toolCallId: expect.any(String), toolName: 'note', input: { n: 3 }, dynamic: true };
    expect(said).toEqual([
      [
        { type: 'text', text: 'two' },
        { type: 'tool-call', ...call },
        { type: 'tool-error', ...call, error: expect.objectContaining({ code: 'invalid_arguments' }) },
      ],
      [],
      1,
      [],
      expect.any(String),
      expect.objectContaining({ totalTokens: expect.any(Number) }),
      { provider: expect.any(String), modelId: expect.any(String) },
      undefined,
    ]);
  });

  it('[ST14] fit by type, those for one set of tools too, and one function may look at both shapes', () => {
    expectTypeOf<AiStopCondition<{ note: never }>>().toExtend<StopCondition>();
    expectTypeOf(isStepCount(1)).toExtend<StopCondition>();
    expectTypeOf(hasToolCall('x')).toExtend<StopCondition>();
    defineAgent({
      name: 'x',
      systemPrompt: 'Work.',
      model: { call: () => Promise.reject(new Error('never asked')) },
      stopWhen: [
        isStepCount(1),
        ({ text, steps }) => text === (steps.at(-1)?.text ?? ''),
        async (facts) => facts.step > 3,
      ],
    });
  });
});

describe('a condition', () => {
  it('[ST7] of one step sees it as it was closed, and may answer later', async () => {
    const seen: unknown[] = [];
    const outcome = await ended(async ({ step, text, calls }: StopFacts) => {
      seen.push({ step, text, calls });
      return step === 2;
    });
    expect(outcome).toEqual(stoppedAt('two'));
    expect(seen).toEqual([
      { step: 1, text: 'one', calls: [{ name: 'note', success: true, result: { noted: 1 } }] },
      {
        step: 2,
        text: 'two',
        calls: [{ name: 'note', success: false, result: expect.objectContaining({ code: 'invalid_arguments' }) }],
      },
    ]);
  });

  it('[ST7] that throws, or is not there in time, fails the run and says so', async () => {
    const thrown = await ended(() => {
      throw new Error('my mistake');
    });
    expect(thrown).toMatchObject({
      status: 'failed',
      error: { code: 'invalid_definition', message: expect.stringContaining('my mistake') },
    });
    const late = await ended([isStepCount(1), () => new Promise<boolean>(() => undefined)]);
    expect(late).toMatchObject({
      status: 'failed',
      error: { code: 'invalid_definition', message: expect.stringContaining('10000 ms') },
    });
  });

  it('[ST7, HK11] is asked again after a crash at any commit, and the run ends as without one', async () => {
    let commits = 0;
    await ended([isStepCount(9), hasToolCall('publish')], (tree) => {
      commits = tree.commits.length;
    });
    expect(commits).toBeGreaterThan(5);
    for (let at = 1; at <= commits; at++) {
      const outcome = await withTree(parts(hasToolCall('publish')), { crashAt: new Set([at]) }, async (tree) => {
        await tree.run();
        return tree.outcome;
      });
      expect(outcome).toEqual(stoppedAt('three'));
    }
  });

  it('[ST14] that is asked in a resumed run is given the steps of the run before it, too', async () => {
    const lengths: number[] = [];
    let stopped = false;
    const outcome = await withTree(
      (tree) =>
        parts(async ({ steps }) => {
          lengths.push(steps.length);
          if (steps.length === 2 && !stopped) {
            stopped = true;
            await tree.stopAt(tree.address, 'interrupt');
          }
          return steps.length === 3;
        })(),
      {},
      async (tree) => {
        await tree.run();
        expect(tree.outcome).toMatchObject({ status: 'interrupted' });
        await tree.resume();
        await tree.finish();
        return tree.outcome;
      },
    );
    expect(outcome).toEqual(stoppedAt('three'));
    expect(lengths).toEqual([1, 2, 2, 3]);
  });
});

describe('a definition', () => {
  it('[DF14] refuses what is no condition', () => {
    const wrong = [true, ['x'], [isStepCount(1), undefined]];
    for (const stopWhen of wrong)
      expect(() => agentOf('x', Object.fromEntries([['stopWhen', stopWhen]]))).toThrow('stopWhen');
  });
});
