/** Usage: what was spent is counted once, wherever it was spent and whatever came in between. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import type { AgentOptions } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { Price } from '../../src/core/definition/definition';
import type { ModelPort } from '../../src/core/definition/model-port';
import type { ToolContext } from '../../src/core/definition/tool-context';
import { totalSpent } from '../../src/core/tree/budget';
import { TreeIndex } from '../../src/core/tree/tree-index';
import { addUsage, NO_USAGE, type Usage } from '../../src/protocol/usage';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import type { Answer } from '../support/scripted-port';
import { agentOf, question } from '../support/trees';

/** A call of the scripted port (10 tokens in, 5 out) costs 2 US dollars at this price. */
const PRICE: Price = { input: 100_000, output: 200_000 };

/** A tool that spends elsewhere: 100 tokens and half a dollar. */
function spendTool(tree: Tree, body: (context: ToolContext) => unknown = () => null) {
  return defineTool({
    name: 'spend',
    description: 'Spends.',
    inputSchema: z.object({}),
    replay: 'safe',
    execute: (_, context) => {
      tree.body(context.idempotencyKey);
      context.recordUsage({ inputTokens: 60, outputTokens: 40, costUsd: 0.5 });
      return body(context);
    },
  });
}

const SPEND: Answer = { calls: [{ name: 'spend' }] };
const child = (name: string) => ({ name: `subagent__${name}`, input: { q: 'a' } });

/** Two children that spend below a root that does, too. */
function spenders(tree: Tree, options: Partial<AgentOptions> = {}): TreeParts {
  const leaf = agentOf('leaf', { tools: [spendTool(tree)], price: PRICE });
  const top = agentOf('top', {
    tools: [spendTool(tree), createSubAgentTool(leaf, question)],
    price: PRICE,
    ...options,
  });
  return {
    agents: [top, leaf],
    scripts: {
      top: [{ calls: [child('leaf'), child('leaf'), { name: 'spend' }] }, { text: 'Done.' }],
      leaf: [SPEND, { text: 'Ok.' }],
    },
  };
}

/** What the stores of all agents hold, in all. */
const inStores = (tree: Tree): Usage =>
  tree.addresses.reduce((sum, address) => addUsage(sum, tree.state(address).spent), NO_USAGE);

/** What the root's record holds, those agents included that have left it. */
const inRecord = (tree: Tree): Usage => totalSpent(new TreeIndex(tree.nodes));

/** Model calls, tool calls and dollars of so many of each. */
function sumOf(modelCalls: number, toolCalls: number, price = true): Usage {
  const tokens = { inputTokens: 10 * modelCalls + 60 * toolCalls, outputTokens: 5 * modelCalls + 40 * toolCalls };
  const costUsd = (price ? 2 * modelCalls : 0) + toolCalls / 2;
  const unpriced = price ? {} : { unpricedCalls: modelCalls };
  return { ...NO_USAGE, ...tokens, modelCalls, toolCalls, ...(costUsd > 0 ? { costUsd } : {}), ...unpriced };
}

async function ran(make: (tree: Tree) => TreeParts, options: TreeOptions = {}, reported: unknown[] = []) {
  return withTree(make, options, async (tree) => {
    await tree.run();
    expect(tree.time.problems).toEqual(reported);
    return {
      stores: inStores(tree),
      record: inRecord(tree),
      nodes: tree.nodes,
      log: tree.log,
      commits: tree.commits.length,
      crashes: tree.crashes,
    };
  });
}

describe('usage of a tree', () => {
  it('[US1] counts model calls, tools and what they record, at each agent and in all', async () => {
    const { stores, record, nodes, log } = await ran((tree) => spenders(tree));
    expect(nodes.map(({ usage }) => usage)).toEqual([sumOf(2, 1), sumOf(2, 1), sumOf(2, 1)]);
    expect(record).toEqual(sumOf(6, 3));
    expect(stores).toEqual(record);
    const ends = log.flatMap(({ chunk }) => (chunk.type === 'subagent_end' ? [chunk.usage] : []));
    expect(ends).toEqual([sumOf(2, 1), sumOf(2, 1)]);
  });

  it('[US2] is the same after a crash at any commit', async () => {
    const whole = await ran((tree) => spenders(tree));
    for (let at = 1; at <= whole.commits; at++) {
      const found = await ran((tree) => spenders(tree), { crashAt: new Set([at]) });
      expect(found.crashes, `crash at ${at}`).toBe(1);
      expect(found.record, `record, crash at ${at}`).toEqual(whole.record);
      expect(found.stores, `stores, crash at ${at}`).toEqual(whole.record);
      const ends = found.log.flatMap(({ chunk }) => (chunk.type === 'subagent_end' ? [chunk.usage] : []));
      expect(ends, `ends, crash at ${at}`).toEqual([sumOf(2, 1), sumOf(2, 1)]);
    }
    console.info(`${whole.commits} crashes, ${whole.record.costUsd} US dollars each time`);
  });

  it('[US3, US7] an unknown price stays unknown and its calls are counted, and a known one beside it is counted', async () => {
    const quiet = (tree: Tree): TreeParts => {
      const leaf = agentOf('leaf');
      const top = agentOf('top', { tools: [createSubAgentTool(leaf, question), spendTool(tree)] });
      return {
        agents: [top, leaf],
        scripts: { top: [{ calls: [child('leaf')] }, { text: 'Done.' }], leaf: [{ text: 'Ok.' }] },
      };
    };
    const unknown = await ran(quiet);
    for (const usage of [unknown.record, unknown.stores, ...unknown.nodes.map((node) => node.usage)])
      expect(usage).not.toHaveProperty('costUsd');
    const mixed = await ran((tree) => {
      const { agents, scripts } = quiet(tree);
      const [top, leaf] = agents;
      return {
        agents: [{ ...top, price: (model: string) => (model === 'test/scripted' ? PRICE : undefined) }, leaf ?? top],
        scripts,
      };
    });
    expect(mixed.nodes.map(({ usage }) => usage.costUsd)).toEqual([4, undefined]);
    expect(mixed.record.costUsd).toBe(4);
    const unpriced = ({ record, stores, nodes }: typeof mixed) =>
      [record, stores, ...nodes.map(({ usage }) => usage)].map(({ unpricedCalls }) => unpricedCalls);
    expect(unpriced(unknown)).toEqual([3, 3, 2, 1]);
    expect(unpriced(mixed)).toEqual([1, 1, undefined, 1]);
    const ends = mixed.log.flatMap(({ chunk }) => (chunk.type === 'subagent_end' ? [chunk.usage] : []));
    expect(ends.map(({ unpricedCalls }) => unpricedCalls)).toEqual([1]);
  });

  it.for([
    [{ inputTokens: 10, cachedTokens: 4 }, { input: 100_000, output: 0, cached: 50_000 }, 0.8],
    [{ inputTokens: 10, cachedTokens: 4 }, { input: 100_000, output: 0 }, 1],
    [{ inputTokens: 10, cachedTokens: 40 }, { input: 100_000, output: 0, cached: 0 }, 1],
    [{ outputTokens: 10, reasoningTokens: 4 }, { input: 0, output: 100_000, reasoning: 50_000 }, 0.8],
    [{ outputTokens: 10, reasoningTokens: 4 }, { input: 0, output: 100_000 }, 1],
    [{ costUsd: 7 }, { input: 100_000, output: 0 }, 7],
  ] as const)('[US1, US10] a reply of %o at %o costs %f US dollars', async ([usage, price, costUsd]) => {
    const make = (): TreeParts => ({
      agents: [agentOf('top', { price })],
      scripts: { top: [{ text: 'Done.', usage }] },
    });
    expect((await ran(make)).record.costUsd).toBeCloseTo(costUsd, 9);
  });

  it('[US11] what is no amount counts nothing, and is reported', async () => {
    const make = (tree: Tree): TreeParts => {
      const tool = spendTool(tree, ({ recordUsage }) => {
        recordUsage({ inputTokens: Number.NaN, outputTokens: -5, costUsd: Number.POSITIVE_INFINITY });
        return null;
      });
      return { agents: [agentOf('top', { tools: [tool] })], scripts: { top: [SPEND, { text: 'Done.' }] } };
    };
    const reported = [expect.stringContaining('inputTokens NaN, outputTokens -5, costUsd Infinity')];
    expect((await ran(make, {}, reported)).record).toEqual(sumOf(2, 1, false));
  });
});

/** A root, or a child of one, that works on one step until the tree is stopped. */
function stoppable(tree: Tree, depth: 1 | 2, body: (context: ToolContext) => unknown): TreeParts {
  const worker = agentOf('worker', { tools: [spendTool(tree, body)], price: PRICE });
  const top = agentOf('top', { tools: [createSubAgentTool(worker, question)], price: PRICE });
  const scripts = { top: [{ calls: [child('worker')] }, { text: 'Done.' }], worker: () => SPEND };
  return depth === 1 ? { agents: [worker], scripts } : { agents: [top, worker], scripts };
}

/** Puts something in front of the model of a tree. */
function inFront(
  tree: Tree,
  before: (...asked: Parameters<ModelPort['call']>) => ReturnType<ModelPort['call']> | undefined,
): void {
  const call = tree.port.call.bind(tree.port);
  tree.port.call = (request, options) => before(request, options) ?? call(request, options);
}

describe('spending that follows a stop', () => {
  it.for([
    [1, 'in time', 1_000],
    [1, 'after it was cut off', 5_000],
    [2, 'in time', 1_000],
    [2, 'after it was cut off', 5_000],
  ] as const)('[US4] a tool at level %i that records after its abort, %s', async ([depth, , after]) => {
    let ended = false;
    const make = (tree: Tree) =>
      stoppable(tree, depth, ({ abortSignal, recordUsage }) => {
        queueMicrotask(() => tree.stop());
        return new Promise((resolve) =>
          abortSignal.addEventListener('abort', () =>
            tree.time.environment.timer(after, () => {
              recordUsage({ inputTokens: 7, outputTokens: 1, costUsd: 0.25 });
              ended = true;
              resolve('Late.');
            }),
          ),
        );
      });
    await withTree(make, {}, async (tree) => {
      await tree.run();
      await tree.time.until(() => ended);
      await tree.time.drain();
      expect(tree.outcome).toMatchObject({ status: 'failed', error: { code: 'aborted' } });
      const late = { ...NO_USAGE, inputTokens: 7, outputTokens: 1, costUsd: 0.25 };
      expect(inRecord(tree)).toEqual(addUsage(sumOf(depth, 1), late));
      expect(inStores(tree)).toEqual(inRecord(tree));
    });
  });

  it.for([1, 2] as const)(
    '[US4] a model at level %i that tells what it spent after the abort, or replies in spite of it',
    async (depth) => {
      for (const replies of [false, true]) {
        let told = false;
        await withTree(
          (tree) => stoppable(tree, depth, () => null),
          {},
          async (tree) => {
            inFront(tree, (request, { signal, onLateUsage }) => {
              if (request.agentType !== 'worker') return undefined;
              queueMicrotask(() => tree.stop());
              const usage = { ...NO_USAGE, inputTokens: 30, outputTokens: 20, modelCalls: 1 };
              return new Promise((resolve, reject) =>
                signal.addEventListener('abort', () => {
                  if (!replies) reject(new Error('Aborted.'));
                  tree.time.environment.timer(4_000, () => {
                    told = true;
                    if (!replies) return onLateUsage?.(usage, 'test/late');
                    return resolve({
                      content: [{ type: 'text', text: 'Late.' }],
                      finishReason: 'stop',
                      usage,
                      model: 'test/late',
                    });
                  });
                }),
              );
            });
            await tree.run();
            await tree.time.until(() => told);
            await tree.time.drain();
            const late = { ...NO_USAGE, inputTokens: 30, outputTokens: 20, modelCalls: 1, costUsd: 7 };
            expect(inRecord(tree), `replies: ${replies}`).toEqual(depth === 1 ? late : addUsage(sumOf(1, 0), late));
            expect(inStores(tree)).toEqual(inRecord(tree));
          },
        );
      }
    },
  );

  it('[US5] a reply that cannot be worked on was paid for', async () => {
    const calls = Array.from({ length: 4_097 }, () => ({ name: 'spend' }));
    const make = (tree: Tree): TreeParts => {
      const top = agentOf('top', { tools: [spendTool(tree)], price: PRICE, limits: { modelRetries: 2 } });
      return { agents: [top], scripts: { top: ({ attempt }) => (attempt <= 2 ? { calls } : { text: 'Done.' }) } };
    };
    expect((await ran(make)).record).toEqual(sumOf(3, 0));
  });
});

describe('usage over the life of a tree', () => {
  it('[US6] the sum keeps what deleted agents spent', async () => {
    await withTree(
      (tree) => spenders(tree),
      {},
      async (tree) => {
        await tree.run();
        const before = inRecord(tree);
        await tree.remove(`${tree.address}/sub/leaf/1~1`);
        await tree.time.drain();
        expect(tree.nodes).toHaveLength(2);
        expect(inRecord(tree)).toEqual(before);
        await tree.run();
        expect(inRecord(tree)).toEqual(sumOf(12, 6));
      },
    );
  });

  it('[US6] each try of a run is counted, and an interrupted body as often as it ran', async () => {
    let stops = 2;
    const make = (tree: Tree) =>
      stoppable(tree, 1, ({ abortSignal }) => {
        if (stops === 0) return null;
        queueMicrotask(() =>
          tree.apply((facts) => ({
            type: 'stop',
            ...facts,
            verb: stops-- === 2 ? 'interrupt' : 'abort',
            reason: 'Enough.',
          })),
        );
        return new Promise((_, reject) => abortSignal.addEventListener('abort', () => reject(new Error('Stopped.'))));
      });
    await withTree(make, {}, async (tree) => {
      await tree.run();
      expect(tree.outcome.status).toBe('interrupted');
      expect(inRecord(tree)).toEqual(sumOf(1, 1));
      tree.crash();
      await tree.resume();
      await tree.finish();
      expect(tree.outcome.status).toBe('failed');
      expect(inStores(tree)).toEqual(sumOf(1, 2));
      expect(inRecord(tree)).toEqual(sumOf(1, 2));
      let calls = 0;
      inFront(tree, () => {
        if (calls++ > 0) return Promise.reject(new Error('No more.'));
        return undefined;
      });
      tree.apply((facts) => ({ type: 'retry', ...facts, runId: 'r_again' }));
      await tree.finish();
      expect(inRecord(tree)).toEqual(sumOf(2, 3));
      expect(inStores(tree)).toEqual(inRecord(tree));
    });
  });
});
