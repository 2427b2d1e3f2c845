/** Limits of money over agents without a price. */
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { livesElsewhere } from '../../src/core/definition/children/elsewhere';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineAgent } from '../../src/core/definition/define-agent';
import { costGapsOf, gapText } from '../../src/core/definition/price';
import { priced } from '../../src/engine/perform/model-cost';
import { NO_USAGE } from '../../src/protocol/usage';
import { noModel } from '../support/no-model';

const PRICE = { input: 1, output: 2 };
const common = { systemPrompt: 'x', model: noModel } as const;

const leafOf = (price?: typeof PRICE) =>
  defineAgent({ ...common, name: 'leaf', inputSchema: z.object({ q: z.string() }), ...(price ? { price } : {}) });

it('[BU14] of an agent, of its tree and of a budget count no agent without a price', () => {
  const leaf = leafOf();
  const top = defineAgent({
    ...common,
    name: 'top',
    limits: { maxCostUsd: 1, maxTreeCostUsd: 2 },
    tools: [createSubAgentTool(leaf, { budget: { maxCostUsd: 0.1 } })],
  });
  expect(costGapsOf(top)).toEqual([
    { agent: 'top', limit: 'limits.maxCostUsd', unpriced: ['top'] },
    { agent: 'top', limit: 'limits.maxTreeCostUsd', unpriced: ['top', 'leaf'] },
    { agent: 'leaf', limit: 'budget.maxCostUsd', unpriced: ['leaf'] },
  ]);
  expect(costGapsOf(top).map(gapText)[1]).toBe(
    '`limits.maxTreeCostUsd` of the agent "top" does not count the model calls of "top", "leaf": no price is known. Set `price` there.',
  );
});

it('[BU14] count a remote agent by what it reports, and all below an agent of this Worker, however deep', () => {
  const far = { ...leafOf(), name: 'far' };
  const middle = defineAgent({
    ...common,
    name: 'middle',
    inputSchema: z.object({}),
    price: PRICE,
    tools: [createSubAgentTool(leafOf())],
  });
  const top = defineAgent({
    ...{ ...common, name: 'top', price: PRICE, limits: { maxTreeCostUsd: 2 } },
    tools: [createSubAgentTool(middle, { budget: { maxCostUsd: 0.1 } })],
    persistentAgents: [{ agent: far, budget: { maxCostUsd: 1 } }],
  });
  const gaps = () => costGapsOf(top).map(({ agent, limit, unpriced }) => [agent, limit, ...unpriced]);
  expect(gaps()).toEqual([
    ['top', 'limits.maxTreeCostUsd', 'far', 'leaf'],
    ['middle', 'budget.maxCostUsd', 'leaf'],
    ['far', 'budget.maxCostUsd', 'far'],
  ]);
  livesElsewhere(far, () => {
    throw new Error('It is away.');
  });
  expect(gaps()).toEqual([
    ['top', 'limits.maxTreeCostUsd', 'leaf'],
    ['middle', 'budget.maxCostUsd', 'leaf'],
  ]);
});

it('[BU14] are complete with prices, and nobody asked for the defaults', () => {
  const limits = { maxCostUsd: 1, maxTreeCostUsd: 2 };
  const tools = [createSubAgentTool(leafOf(PRICE), { budget: { maxCostUsd: 0.1 } })];
  expect(costGapsOf(defineAgent({ ...common, name: 'top', limits, price: () => PRICE, tools }))).toEqual([]);
  expect(costGapsOf(defineAgent({ ...common, name: 'top', tools: [createSubAgentTool(leafOf())] }))).toEqual([]);
});

it('[BU14] count what each agent of a session spends that prompts hand over, whichever of them sets the limit', () => {
  const leaf = leafOf();
  const taker = defineAgent({
    ...common,
    name: 'taker',
    limits: { maxCostUsd: 3 },
    tools: [createSubAgentTool(leaf, { budget: { maxCostUsd: 0.1 } })],
  });
  const maker = defineAgent({ ...common, name: 'maker', limits: { maxCostUsd: 1 }, price: PRICE });
  expect(costGapsOf({ ...maker, handoffs: [{ name: 'taker', description: '', agent: taker }] })).toEqual([
    { agent: 'maker', limit: 'limits.maxCostUsd', unpriced: ['taker'] },
    { agent: 'taker', limit: 'limits.maxCostUsd', unpriced: ['taker'] },
    { agent: 'leaf', limit: 'budget.maxCostUsd', unpriced: ['leaf'] },
  ]);
});

describe('[BU15] a model without a price', () => {
  const usage = { ...NO_USAGE, modelCalls: 1, inputTokens: 5 };
  const reportsOf = (options: object, models = ['a/b'], spent = usage) => {
    const report = vi.fn();
    const definition = defineAgent({ ...common, name: 'leaf', ...options });
    for (const model of models) priced({ report }, definition, spent, model);
    return report.mock.calls.map(([text]) => text);
  };

  it('[BU15] is reported once where the function of prices does not know it: limits of agents above may count its cost', () => {
    expect(reportsOf({ price: () => undefined }, ['a/b', 'a/b', 'a/c'])).toEqual([
      'Agent "leaf" asks a/b, which has no price: cost limits do not count its calls. Add the model to `price`.',
      expect.stringContaining('a/c'),
    ]);
    expect(reportsOf({ price: (model: string) => (model === 'a/b' ? PRICE : undefined) })).toEqual([]);
  });

  it.each([{ maxCostUsd: 1 }, { maxTreeCostUsd: 1 }])('[BU15] is reported once under its own %o', (limits) => {
    expect(reportsOf({ limits }, ['a/b', 'a/b'])).toEqual([expect.stringMatching(/a\/b, which has no price/)]);
  });

  it('[BU15] is not reported where nobody asked for its cost, or where that is known', () => {
    expect(reportsOf({})).toEqual([]);
    expect(reportsOf({ price: () => undefined }, ['a/b'], { ...usage, costUsd: 1 } as typeof usage)).toEqual([]);
    expect(reportsOf({ price: () => undefined }, ['a/b'], { ...NO_USAGE, modelCalls: 1 })).toEqual([]);
  });
});
