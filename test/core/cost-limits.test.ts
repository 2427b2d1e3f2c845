/** Limits of money over agents without a price. */
import { expect, it, vi } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../src/core/definition/define-agent';
import { costGapsOf, gapText } from '../../src/core/definition/price';
import { createSubAgentTool } from '../../src/core/definition/relationship';
import { reportUnpriced } from '../../src/engine/settings/report-warnings';
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

it('[BU14] are complete with prices, and nobody asked for the defaults', () => {
  const limits = { maxCostUsd: 1, maxTreeCostUsd: 2 };
  const tools = [createSubAgentTool(leafOf(PRICE), { budget: { maxCostUsd: 0.1 } })];
  expect(costGapsOf(defineAgent({ ...common, name: 'top', limits, price: () => PRICE, tools }))).toEqual([]);
  expect(costGapsOf(defineAgent({ ...common, name: 'top', tools: [createSubAgentTool(leafOf())] }))).toEqual([]);
});

it('[BU14] are reported once of a model that a function of prices does not know', () => {
  const report = vi.fn();
  const usage = { ...NO_USAGE, modelCalls: 1, inputTokens: 5, unpricedCalls: 1 };
  const told = (limits: object, spent = usage, model = 'a/b') =>
    reportUnpriced({ report }, defineAgent({ ...common, name: 'top', limits, price: () => undefined }), {
      model,
      usage: spent,
    });
  told({});
  told({ maxCostUsd: 1 }, { ...usage, costUsd: 1 } as typeof usage);
  expect(report).not.toHaveBeenCalled();
  told({ maxTreeCostUsd: 1 });
  const definition = defineAgent({ ...common, name: 'top', limits: { maxCostUsd: 1 } });
  for (const model of ['a/b', 'a/b', 'a/c']) reportUnpriced({ report }, definition, { model, usage });
  expect(report.mock.calls.map(([text]) => text)).toEqual([
    expect.stringMatching(/^Agent "top" asks a\/b, which has no price: .*`price`\.$/),
    expect.stringContaining('a/b'),
    expect.stringContaining('a/c'),
  ]);
});
