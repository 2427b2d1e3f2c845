/** What model calls cost, and what counts of what others say that they spent. */

import type { LanguageModelV2, LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../src/core/definition/define-agent';
import type { Price } from '../../src/core/definition/definition';
import { priced } from '../../src/engine/perform/model-cost';
import { reportUncounted, reportUnpricedRemote } from '../../src/engine/settings/report-warnings';
import { countedUsage, NO_USAGE, type Usage } from '../../src/protocol/usage';
import { createTestRuntime } from '../../src/testing';
import { noModel } from '../support/no-model';

type OldFinish = Extract<LanguageModelV2StreamPart, { type: 'finish' }>;

/** A model of the AI SDK 5 whose one reply ends like this. */
function oldModel(finish: Pick<OldFinish, 'usage' | 'providerMetadata'>, provider = 'hand'): LanguageModelV2 {
  const parts: LanguageModelV2StreamPart[] = [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'Yes.' },
    { type: 'text-end', id: 't' },
    { type: 'finish', finishReason: 'stop', ...finish },
  ];
  return {
    specificationVersion: 'v2',
    provider,
    modelId: 'made',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('It streams.')),
    doStream: async () => ({
      stream: new ReadableStream<LanguageModelV2StreamPart>({
        start(to) {
          for (const part of parts) to.enqueue(part);
          to.close();
        },
      }),
    }),
  };
}

const PRICE = { input: 3, cached: 0.3, cacheWrite: 3.75, output: 15 };

async function spentBy(model: LanguageModelV2, price: Price = PRICE): Promise<Usage> {
  const agent = defineAgent({ name: 'plain', systemPrompt: 'Help.', model, price });
  const run = await createTestRuntime({ agents: [agent] }).execute(agent, 'Go.');
  await run.result();
  return run.usage();
}

const tokens = (inputTokens: number, outputTokens: number, more: object = {}) => ({
  usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, ...more },
});

describe('what a model of the AI SDK 5 counts', () => {
  it('[US10] holds what came from a cache, where more came from it than its total says', async () => {
    const usage = await spentBy(oldModel(tokens(5, 10, { cachedInputTokens: 100_000 })));
    expect(usage).toMatchObject({ inputTokens: 100_005, outputTokens: 10, cachedTokens: 100_000 });
    expect(usage.costUsd).toBeCloseTo((5 * 3 + 100_000 * 0.3 + 10 * 15) / 1e6, 12);
  });

  it('[US10] holds it also where that is less, of a provider that leaves it out', async () => {
    const finish = tokens(5_000, 10, { cachedInputTokens: 3_000 });
    const written = { anthropic: { cacheCreationInputTokens: 400 } };
    for (const provider of ['anthropic.messages', 'vertex.anthropic.messages']) {
      const usage = await spentBy(oldModel({ ...finish, providerMetadata: written }, provider));
      expect(usage, provider).toMatchObject({ inputTokens: 8_400, cachedTokens: 3_000, cacheWriteTokens: 400 });
      expect(usage.costUsd, provider).toBeCloseTo((5_000 * 3 + 3_000 * 0.3 + 400 * 3.75 + 150) / 1e6, 12);
    }
    const bedrock = { bedrock: { usage: { cacheWriteInputTokens: 7 } } };
    expect(await spentBy(oldModel({ ...finish, providerMetadata: bedrock }, 'amazon-bedrock'))).toMatchObject({
      inputTokens: 8_007,
      cacheWriteTokens: 7,
    });
    expect((await spentBy(oldModel(finish, 'openai.responses'))).inputTokens).toBe(5_000);
  });

  it('[US10] holds thoughts in its output, where all tokens are more than input and output', async () => {
    const thought = { usage: { inputTokens: 10, outputTokens: 20, totalTokens: 130, reasoningTokens: 100 } };
    const price = { input: 0, output: 1_000, reasoning: 100_000 };
    const google = await spentBy(oldModel(thought, 'google.generative-ai'), price);
    expect(google).toMatchObject({ outputTokens: 120, reasoningTokens: 100 });
    expect(google.costUsd).toBeCloseTo((20 * 1_000 + 100 * 100_000) / 1e6, 9);
    const openai = await spentBy(oldModel(tokens(10, 120, { reasoningTokens: 100 }), 'openai.responses'), price);
    expect(openai.outputTokens).toBe(120);
  });
});

describe('a price', () => {
  const define = (price: unknown) => () =>
    defineAgent({ name: 'a', systemPrompt: 'Work.', model: noModel, price: price as Price });

  it('[US8] has five parts, each of 0 or more, and input and output are needed', () => {
    expect(define({ input: 0, output: 1, cached: 2, cacheWrite: 3, reasoning: 4 })).not.toThrow();
    expect(define({ input: 1, output: 1, cacheRead: 1 })).toThrow(
      'has the unknown part "cacheRead". Available parts: input',
    );
    expect(define({ input: 1 })).toThrow('its `price` needs `output` in US dollars');
    expect(define({ input: 1, output: '1' })).toThrow('needs `output`');
    expect(define({ input: 1, output: 1, cached: -1 })).toThrow('needs `cached`');
    expect(define({ input: 1, output: 1, reasoning: Number.NaN })).toThrow('needs `reasoning`');
    expect(define(5)).toThrow('must be an object, or a function');
  });

  const reports: string[] = [];
  const reporting = { report: (problem: string) => void reports.push(problem) };
  const costOf = (price: unknown, usage: Partial<Usage>) =>
    priced(
      reporting,
      { name: 'a', price } as Parameters<typeof priced>[1],
      { ...NO_USAGE, modelCalls: 1, ...usage },
      'm',
    );

  it('[US9] that says nothing of writes to a cache gives a part of the cost, and says so', () => {
    const usage = { inputTokens: 10, cacheWriteTokens: 4 };
    expect(costOf({ input: 100_000, output: 0 }, usage)).toMatchObject({ costUsd: 1, unpricedCalls: 1 });
    const whole = costOf({ input: 100_000, output: 0, cacheWrite: 200_000 }, usage);
    expect(whole.costUsd).toBeCloseTo(1.4, 9);
    expect(whole).not.toHaveProperty('unpricedCalls');
  });

  it('[US14] of 0 makes a call without tokens free; with any other its cost is unknown', () => {
    expect(costOf({ input: 0, output: 0 }, {})).toEqual({ ...NO_USAGE, modelCalls: 1, costUsd: 0 });
    expect(costOf(() => ({ input: 0, output: 0 }), {}).costUsd).toBe(0);
    for (const price of [{ input: 0, output: 0, cacheWrite: 1 }, { input: 1, output: 0 }, () => undefined])
      expect(costOf(price, {})).toEqual({ ...NO_USAGE, modelCalls: 1, unpricedCalls: 1 });
  });

  it('[US14] is not needed by a model that reports its cost itself, and nothing is reported of its tokens', () => {
    const usage = { ...NO_USAGE, modelCalls: 1, costUsd: 0.5 };
    expect(costOf({ input: 1, output: 1 }, usage)).toEqual(usage);
    const definition = { name: 'a' } as Parameters<typeof reportUncounted>[1];
    reportUncounted(reporting, definition, { model: 'm', usage });
    expect(reports.splice(0)).toEqual([]);
    reportUncounted(reporting, definition, { model: 'm', usage: { ...NO_USAGE, modelCalls: 1 } });
    expect(reports.splice(0)).toEqual([expect.stringContaining('reports no tokens')]);
  });

  it('[US7, US8] of a function that is none leaves the call without a price, and is reported', () => {
    for (const price of [() => ({ input: 1, output: 'x' }), () => ({ input: 1, output: 1, other: 1 }), fails]) {
      const usage = { ...NO_USAGE, modelCalls: 1, inputTokens: 1 };
      expect(costOf(price, usage)).toEqual({ ...usage, unpricedCalls: 1 });
      expect(reports.splice(0)).toEqual([expect.stringContaining('count as calls without a price')]);
    }
  });

  it('[US11] is taken of amounts alone: whole tokens from 0 to 2^53 − 1, and others are reported', () => {
    const huge = Number.MAX_SAFE_INTEGER + 1;
    for (const inputTokens of [-1, 0.5, huge, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(costOf({ input: 1, output: 1 }, { inputTokens, outputTokens: 2 })).toEqual({
        ...NO_USAGE,
        modelCalls: 1,
        outputTokens: 2,
        costUsd: 2 / 1e6,
      });
      expect(reports.splice(0)).toEqual([expect.stringContaining(`inputTokens ${inputTokens}`)]);
    }
    const all = { ...NO_USAGE, inputTokens: Number.MAX_SAFE_INTEGER, costUsd: 0.5 };
    expect(countedUsage(all)).toEqual({ usage: all, ignored: [] });
    expect(countedUsage({ ...all, costUsd: -1 })).toMatchObject({ ignored: ['costUsd -1'] });
    expect(countedUsage({ ...all, costUsd: -1 }).usage).not.toHaveProperty('costUsd');
    const text: Usage = Object.assign({}, all, { costUsd: '5', inputTokens: '7'.repeat(999) });
    expect(countedUsage(text).usage).toEqual(NO_USAGE);
    expect(countedUsage(text).ignored).toEqual([`inputTokens ${'7'.repeat(48)}`, 'costUsd 5']);
  });
});

describe('what a remote agent says that it spent', () => {
  const reports: string[] = [];
  const reporting = { report: (problem: string) => void reports.push(problem) };
  const called = (modelCalls: number, more: Partial<Usage> = {}): Usage => ({ ...NO_USAGE, modelCalls, ...more });
  it.each([
    ['no calls, of a whole task', called(0), true, 'no model calls'],
    ['no calls, of a part', called(0), false, undefined],
    ['one call without a cost', called(1), true, 'without a price'],
    ['one call without a cost, of a part', called(1), false, 'without a price'],
    ['calls of which one has no price', called(3, { costUsd: 1, unpricedCalls: 1 }), true, 'without a price'],
    ['one call that has no price', called(1, { unpricedCalls: 1 }), true, 'without a price'],
    ['calls with a cost', called(3, { costUsd: 1 }), true, undefined],
    ['calls that cost nothing', called(1, { costUsd: 0 }), true, undefined],
    ['calls of which none lacks a price', called(2, { costUsd: 1, unpricedCalls: 0 }), true, undefined],
  ])('[BU15] is reported once where cost limits cannot count it: %s', (_what, usage, isWhole, told) => {
    const definition = { name: 'a' } as Parameters<typeof reportUncounted>[1];
    for (const report of [told, undefined]) {
      reportUnpricedRemote(reporting, definition, usage, isWhole);
      expect(reports.splice(0)).toEqual(report === undefined ? [] : [expect.stringContaining(report)]);
    }
  });
});

function fails(): Price {
  throw new Error('no');
}
