/** Limits at their edges, and budgets: what a run, a sub-agent with all below it and a whole tree may spend. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import type { AgentOptions } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { AgentDefinition, Price } from '../../src/core/definition/definition';
import { type Budget, type Limits, limitsOf } from '../../src/core/definition/limits';
import { hold, leaseFor } from '../../src/core/tree/budget';
import { abandoned } from '../../src/core/tree/clocks';
import { covers, type Lease } from '../../src/core/tree/lease';
import type { ChildNode, TreeNode } from '../../src/core/tree/node';
import { TreeIndex } from '../../src/core/tree/tree-index';
import type { ObjectCall } from '../../src/engine/object/object-calls';
import { addUsage, lessUsage, NO_USAGE, type Usage } from '../../src/protocol/usage';
import { examine } from '../support/examine';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { Machine, refusal } from '../support/machine';
import { childNode, rootNode, STANDS } from '../support/nodes';
import type { Answer } from '../support/scripted-port';
import { moments } from '../support/sizes';
import { agentOf, noteTool, question, threeLevels } from '../support/trees';

/** What a call of the scripted port uses: 10 tokens in, 5 out; and at this price, 2 US dollars. */
const CALL_TOKENS = 15;
const PRICE: Price = { input: 100_000, output: 200_000 };

const NOTE: Answer = { calls: [{ name: 'note', input: { text: 'x' } }] };
const spawn = (name: string): Answer => ({ calls: [{ name: `subagent__${name}`, input: { q: 'a' } }] });

/** An agent that never ends by itself. */
function restless(tree: Tree, options: Partial<AgentOptions> = {}): TreeParts {
  const top = agentOf('top', { tools: [noteTool(tree)], ...options });
  return { agents: [top], scripts: { top: () => NOTE } };
}

/** A parent that calls one child after the other, each of which makes one model call. */
function inTurn(limits: Partial<Limits>, price?: Price): TreeParts {
  const priced = price ? { price } : {};
  const leaf = agentOf('leaf', priced);
  const top = agentOf('top', { tools: [createSubAgentTool(leaf, question)], limits, ...priced });
  return { agents: [top, leaf], scripts: { top: () => spawn('leaf'), leaf: () => ({ text: 'Ok.' }) } };
}

/** The same, one level below a root that gives the parent a budget and then ends. */
function budgeted(budget: Budget): TreeParts {
  const leaf = agentOf('leaf', { price: PRICE });
  const middle = agentOf('middle', { tools: [createSubAgentTool(leaf, question)], price: PRICE });
  const top = agentOf('top', { tools: [createSubAgentTool(middle, question, { budget })], price: PRICE });
  return {
    agents: [top, middle, leaf],
    scripts: { top: [spawn('middle'), { text: 'Seen.' }], middle: () => spawn('leaf'), leaf: () => ({ text: 'Ok.' }) },
  };
}

/** Runs a tree to its end; gives how many model calls it made and how it ended. */
async function spentBy(make: (tree: Tree) => TreeParts, options: TreeOptions = {}, problems: unknown[] = []) {
  return withTree(make, options, async (tree) => {
    await tree.run();
    if (tree.state().spent.costUsd === undefined) examine(tree);
    expect(tree.time.problems).toEqual(problems);
    const { outcome } = tree;
    const code = outcome.status === 'failed' ? outcome.error.code : outcome.status;
    const message = outcome.status === 'failed' ? outcome.error.message : '';
    return { calls: tree.port.asked.length, code, message, tree, nodes: tree.nodes };
  });
}

describe('limits of one run', () => {
  it.for([
    [{ maxTokens: 45 }, 3, 'max_tokens'],
    [{ maxTokens: 46 }, 4, 'max_tokens'],
    [{ maxTokens: 1 }, 1, 'max_tokens'],
    [{ maxCostUsd: 6 }, 3, 'max_cost'],
    [{ maxCostUsd: 6.01 }, 4, 'max_cost'],
    [{ maxSteps: 7 }, 7, 'max_steps'],
  ] as const)('[BU4] %o: %i model calls, then %s', async ([limits, calls, code]) => {
    const found = await spentBy((tree) => restless(tree, { limits, price: PRICE }));
    expect(found).toMatchObject({ calls, code, message: expect.stringContaining('ask for less') });
  });

  it('[BU5, BU15] an unknown price is no cost: only the other limits hold, and that is reported once', async () => {
    const limits = { maxCostUsd: 0.01, maxSteps: 9 };
    const found = await spentBy((tree) => restless(tree, { limits }), {}, [expect.stringContaining('has no price')]);
    expect(found).toMatchObject({ calls: 9, code: 'max_steps' });
    expect(found.nodes[0]?.usage).not.toHaveProperty('costUsd');
  });

  it('[BU15] a model that the `price` of a sub-agent does not know is reported', async () => {
    const make = (): TreeParts => {
      const leaf = agentOf('leaf', { price: () => undefined });
      const tools = [createSubAgentTool(leaf, question, { budget: { maxCostUsd: 9 } })];
      const top = agentOf('top', { tools, limits: { maxTreeCostUsd: 9 }, price: PRICE });
      return {
        agents: [top, leaf],
        scripts: { top: [spawn('leaf'), { text: 'Seen.' }], leaf: () => ({ text: 'Ok.' }) },
      };
    };
    await spentBy(make, {}, [expect.stringMatching(/^Agent "leaf" asks test\/scripted, which has no price/)]);
  });

  it.for([
    [{ maxSteps: 6 }, 6, 'max_steps'],
    [{ maxTokens: 90 }, 6, 'max_tokens'],
    [{ maxTokens: 91 }, 7, 'max_tokens'],
  ] as const)('[BU4] %o holds over a chain of resumes', async ([limits, calls, code]) => {
    const make = (tree: Tree): TreeParts => {
      const halt = noteTool(tree, { name: 'halt' });
      const execute = () => {
        tree.apply((facts) => ({ type: 'stop', ...facts, verb: 'interrupt', reason: 'Wait.' }));
        return null;
      };
      return restless(tree, { limits, tools: [{ ...halt, name: 'note', execute }] });
    };
    await withTree(make, {}, async (tree) => {
      await tree.run();
      let resumes = 0;
      for (; tree.outcome.status === 'interrupted'; resumes++) {
        await tree.resume();
        await tree.finish();
      }
      expect(tree.outcome).toMatchObject({ status: 'failed', error: { code } });
      expect(tree.port.asked.length).toBe(calls);
      expect(resumes).toBe(calls);
      // Another try is a run with a budget of its own.
      tree.apply((facts) => ({ type: 'retry', ...facts, runId: 'r_again' }));
      await tree.finish();
      expect(tree.outcome).toMatchObject({ status: 'interrupted' });
      expect(tree.port.asked.length).toBe(calls + 1);
    });
  });

  it('[BU4] maxQueuedStarts: so many wait, the next is refused', () => {
    const machine = new Machine({ onConcurrentStart: 'queue', limits: { maxQueuedStarts: 2 } });
    for (let start = 0; start < 3; start++) expect(refusal(machine.start('Go'))).toBeUndefined();
    const refused = machine.start('Go');
    expect(refusal(refused)).toBe('too_many_starts');
    expect(refused.ok ? '' : refused.refused.message).toContain('Start again when they have run.');
    machine.reply({ text: 'Done.' });
    expect(refusal(machine.start('Go'))).toBeUndefined();
  });
});

describe('budgets of a tree', () => {
  it.for([
    [{ maxTreeTokens: 90 }, 6, 'max_tokens'],
    [{ maxTreeTokens: 91 }, 7, 'max_tokens'],
    [{ maxTreeTokens: 105 }, 7, 'max_tokens'],
    [{ maxTreeSteps: 6 }, 6, 'max_steps'],
    [{ maxTreeSteps: 7 }, 7, 'max_steps'],
    [{ maxTreeCostUsd: 12 }, 6, 'max_cost'],
    [{ maxTreeCostUsd: 12.5 }, 7, 'max_cost'],
  ] as const)('[BU11, BU2, BU6] %o: %i model calls of all agents, then %s', async ([limits, calls, code]) => {
    const found = await spentBy(() => inTurn(limits, PRICE));
    expect(found).toMatchObject({ calls, code, message: expect.stringContaining('The tree has ') });
  });

  it.each(['maxTreeTokens', 'maxTreeSteps', 'maxTreeCostUsd'] as const)(
    '[BU16] a root that reached %s says which limit to raise, and nothing to a model',
    async (limit) => {
      await withTree(
        () => inTurn({ [limit]: 5 }, PRICE),
        {},
        async (tree) => {
          await tree.run();
          const said = new RegExp(`^The tree has .*Raise \`limits.${limit}\` and retry the run, or ask for less`);
          expect(tree.outcome).toMatchObject({
            status: 'failed',
            error: { message: expect.stringMatching(said), details: { limit: `limits.${limit}` } },
          });
        },
      );
    },
  );

  it('[BU6] each run of the root has the whole budget again', async () => {
    await withTree(
      () => inTurn({ maxTreeSteps: 5 }),
      {},
      async (tree) => {
        await tree.run();
        expect(tree.port.asked.length).toBe(5);
        await tree.run();
        expect(tree.port.asked.length).toBe(10);
        expect(tree.outcome).toMatchObject({ error: { code: 'max_steps' } });
      },
    );
  });

  it.for([
    [{ maxTokens: 90 }, 6, 'max_tokens'],
    [{ maxTokens: 91 }, 7, 'max_tokens'],
    [{ maxSteps: 6 }, 6, 'max_steps'],
    [{ maxSteps: 7 }, 7, 'max_steps'],
    [{ maxCostUsd: 12 }, 6, 'max_cost'],
    [{ maxCostUsd: 12.5 }, 7, 'max_cost'],
  ] as const)(
    '[BU11, BU7, BU16] a child’s budget %o is for all below it: %i calls, then a tool error %s',
    async ([budget, calls, code]) => {
      await withTree(
        () => budgeted(budget),
        {},
        async (tree) => {
          await tree.run();
          expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Seen.' });
          expect(tree.port.asked.filter(({ agentType }) => agentType !== 'top').length).toBe(calls);
          const [result] = tree.transcript().flatMap((message) => (message.role === 'tool' ? [message.result] : []));
          expect(result).toMatchObject({
            success: false,
            error: {
              code,
              message: expect.stringMatching(
                /^The sub-agent middle has .*Finish with what you have, or raise that limit\.$/,
              ),
              details: { limit: `budget.${Object.keys(budget)[0]}` },
            },
          });
        },
      );
    },
  );
});

/** A root with so many children at once, all of them restless; the tree has a budget. */
function crowd(tree: Tree, children: number, limits: Partial<Limits>): TreeParts {
  const leaf = agentOf('leaf', { tools: [noteTool(tree)], maxSteps: 100_000 });
  const top = agentOf('top', {
    tools: [noteTool(tree), createSubAgentTool(leaf, question)],
    limits: { maxConcurrentChildren: children, maxChildren: children, ...limits },
  });
  const calls = Array.from({ length: children }, () => ({ name: 'subagent__leaf', input: { q: 'a' } }));
  return { agents: [top, leaf], scripts: { top: ({ step }) => (step === 1 ? { calls } : NOTE), leaf: () => NOTE } };
}

describe('overshoot', () => {
  it.for([
    [40, 300],
    [40, 3_000],
    [100, 30_000],
  ] as const)(
    '[BU11] %i children at once, %i tokens: at most one model call of each is too much',
    async ([children, maxTreeTokens]) => {
      await withTree(
        (tree) => crowd(tree, children, { maxTreeTokens }),
        {},
        async (tree) => {
          await tree.run();
          expect(tree.outcome).toMatchObject({ status: 'failed', error: { code: 'max_tokens' } });
          const used = tree.port.asked.length * CALL_TOKENS;
          console.info(
            `${children} children, ${maxTreeTokens} tokens: ${used - maxTreeTokens} too much, ${(children + 1) * CALL_TOKENS} allowed`,
          );
          expect(used).toBeGreaterThanOrEqual(maxTreeTokens);
          expect(used - maxTreeTokens).toBeLessThanOrEqual((children + 1) * CALL_TOKENS);
          for (const node of tree.nodes.slice(1))
            expect(tree.state(node.address).run).toMatchObject({ outcome: { error: { code: 'max_tokens' } } });
        },
      );
    },
  );
});

describe('steps of many agents at once', () => {
  const holding = (tree: Tree, phase: string) => tree.nodes.filter(({ schedule }) => schedule.phase === phase).length;

  it.for([
    [60, 1],
    [60, 59],
    [60, 60],
    [60, 61],
    [60, 62],
    [20, 1_050],
  ] as const)('[BU12] %i children, maxTreeSteps %i: never one more', ([children, maxTreeSteps]) =>
    withTree(
      (tree) => crowd(tree, children, { maxTreeSteps }),
      {},
      async (tree) => {
        await tree.run();
        expect(tree.time.problems).toEqual([]);
        expect(tree.outcome).toMatchObject({ status: 'failed', error: { code: 'max_steps' } });
        expect(tree.port.asked.length).toBe(maxTreeSteps);
        expect(holding(tree, 'working')).toBe(0);
      },
    ),
  );

  it.for([9, 10, 11] as const)('[BU12] nor of a sub-agent’s budget maxSteps %i, with 10 below it', (maxSteps) =>
    withTree(
      (tree) => {
        const { agents, scripts } = crowd(tree, 10, {});
        const [middle, ...below] = agents;
        const top = agentOf('boss', { tools: [createSubAgentTool(middle, question, { budget: { maxSteps } })] });
        return {
          agents: [top, middle, ...below],
          scripts: { ...scripts, boss: [spawn(middle.name), { text: 'Seen.' }] },
        };
      },
      {},
      async (tree) => {
        await tree.run();
        expect(tree.outcome).toMatchObject({ status: 'completed' });
        expect(tree.port.asked.filter(({ agentType }) => agentType !== 'boss')).toHaveLength(maxSteps);
      },
    ),
  );

  it('[BU12] a call under way is set aside until its agent is stopped, and asked for anew by a resume', () =>
    withTree(
      () => {
        const kid = agentOf('kid');
        const top = agentOf('top', { tools: [createSubAgentTool(kid, question)], limits: { maxTreeSteps: 4 } });
        const scripts = {
          top: [{ calls: [...Array(3)].map(() => ({ name: 'subagent__kid', input: { q: 'a' } })) }, { text: 'Done.' }],
          kid: ({ attempt }: { attempt: number }) => (attempt === 1 ? { hang: true } : { text: 'Ok.' }),
        };
        return { agents: [top, kid], scripts };
      },
      {},
      async (tree) => {
        const refusal = () => {
          const { tree: record } = tree.world.object(tree.address).tree ?? {};
          const root = record?.get(1);
          const grant = record && root && leaseFor(record, root, limitsOf({ maxTreeSteps: 4 }));
          return grant?.ok === false ? grant.error.message : undefined;
        };
        await tree.start();
        await tree.time.pass(1_000);
        expect(refusal()).toContain('The rest is reserved for working agents.');
        expect(tree.stop('interrupt')).toBe(true);
        await tree.time.until(() => tree.ended);
        expect(refusal()).toBeUndefined();
        await tree.resume();
        await tree.finish();
        // The root's one call, and the second attempt of each child: nothing is left for the root's next step.
        expect(tree.outcome).toMatchObject({ status: 'failed', error: { code: 'max_steps' } });
        expect(tree.nodes.map(({ usage }) => usage.modelCalls)).toEqual([1, 1, 1, 1]);
      },
    ));
});

/** An agent that has itself as a sub-agent. */
function selfSpawning(limits: Partial<Limits>, script: (failed: boolean, step: number) => Answer): TreeParts {
  const self = createSubAgentTool(() => again, question, { name: 'again' });
  const again: AgentDefinition = agentOf('again', { tools: [self], limits: { maxSteps: 10_000, ...limits } });
  return {
    agents: [again],
    scripts: {
      again: ({ messages, step }) => {
        const last = messages.at(-1);
        return script(last?.role === 'tool' && !last.result.success, step);
      },
    },
  };
}

const FIVE: Answer = { calls: Array.from({ length: 5 }, () => ({ name: 'subagent__again', input: { q: 'a' } })) };
/** All at once: five children in the first step. */
const parallel = (_failed: boolean, step: number): Answer => (step === 1 ? FIVE : { text: 'Done.' });
/** One child each, down to where there can be none. */
const one = (_failed: boolean, step: number): Answer => (step === 1 ? spawn('again') : { text: 'Done.' });
/** One after the other, until one is refused. */
const sequential = (failed: boolean): Answer => (failed ? { text: 'Done.' } : spawn('again'));

/** The refusals that all models of a tree read, by code, with what they were told. */
function refusals(tree: Tree): { counts: { [code: string]: number }; messages: Set<string> } {
  const counts: { [code: string]: number } = {};
  const messages = new Set<string>();
  for (const address of tree.addresses) {
    for (const message of tree.transcript(address)) {
      if (message.role !== 'tool' || message.result.success) continue;
      const { code, message: text } = message.result.error;
      counts[code] = (counts[code] ?? 0) + 1;
      messages.add(text);
    }
  }
  return { counts, messages };
}

describe('agents that spawn themselves', () => {
  it.for([
    ['maxDepth', { maxDepth: 3 }, parallel, 31, { max_depth: 125 }],
    ['maxDepth', { maxDepth: 4 }, parallel, 156, { max_depth: 625 }],
    ['maxDepth by default', {}, one, 16, { max_depth: 1 }],
    ['maxTreeChildren', { maxDepth: 4, maxTreeChildren: 20 }, parallel, 21, { max_depth: 25, max_tree_children: 60 }],
    ['maxTreeChildren', { maxTreeChildren: 20 }, sequential, 21, undefined],
    ['maxDepth and maxTreeChildren', { maxTreeChildren: 60 }, sequential, 61, undefined],
  ] as const)('[BU8, DF5] are stopped by %s %o, with advice', async ([, limits, script, agents, counts]) => {
    await withTree(
      () => selfSpawning(limits, script),
      {},
      async (tree) => {
        await tree.run();
        expect(tree.outcome).toMatchObject({ status: 'completed' });
        expect(tree.nodes.length).toBe(agents);
        const found = refusals(tree);
        if (counts) expect(found.counts).toEqual(counts);
        for (const message of found.messages) expect(message).toMatch(/Do the (work|rest) yourself/);
      },
    );
  });

  it.for([
    [{ maxTreeSteps: 12 }, sequential, 'max_steps'],
    [{ maxTreeTokens: 12 * CALL_TOKENS }, sequential, 'max_tokens'],
  ] as const)(
    '[BU8] are stopped by the budget %o after exactly 12 model calls, one after the other',
    async ([limits, script, code]) => {
      const found = await spentBy(() => selfSpawning(limits, script));
      expect(found).toMatchObject({ calls: 12, code });
    },
  );

  it.for([{ maxTreeSteps: 40 }, { maxTreeTokens: 40 * CALL_TOKENS }] as const)(
    '[BU8, BU11, BU12] are stopped by the budget %o, all at once',
    async (limits) => {
      await withTree(
        () => selfSpawning(limits, parallel),
        {},
        async (tree) => {
          await tree.run();
          expect(tree.outcome).toMatchObject({ status: 'failed' });
          const calls = tree.port.asked.length;
          expect(calls).toBeGreaterThanOrEqual(40);
          expect(calls).toBeLessThanOrEqual('maxTreeSteps' in limits ? 40 : 40 + 48);
        },
      );
    },
  );
});

describe('agents that were deleted', () => {
  /** A parent that has the child of each step deleted in the next one. */
  function clearing(tree: Tree, options: { budget?: Budget; limits?: Partial<Limits> }): TreeParts {
    const clear = defineTool({
      name: 'clear',
      description: 'Deletes all leaves.',
      inputSchema: z.object({}),
      execute: async (_, { idempotencyKey }) => {
        tree.body(idempotencyKey);
        const leaves = tree.nodes.filter(({ agentType }) => agentType === 'leaf');
        for (const { address } of leaves) await tree.remove(address);
        return leaves.length;
      },
    });
    const leaf = agentOf('leaf');
    const middle = agentOf('middle', { tools: [clear, createSubAgentTool(leaf, question)] });
    const { budget, limits = {} } = options;
    const top = agentOf('top', { tools: [createSubAgentTool(middle, question, budget ? { budget } : {})], limits });
    return {
      agents: [top, middle, leaf],
      scripts: {
        top: [spawn('middle'), { text: 'Seen.' }],
        middle: ({ messages, step }) => {
          const last = messages.at(-1);
          if (last?.role === 'tool' && !last.result.success) return { text: 'Done.' };
          return step % 2 === 0 ? { calls: [{ name: 'clear' }] } : spawn('leaf');
        },
        leaf: [{ text: 'Ok.' }],
      },
    };
  }
  const asked = (tree: Tree, type: string): number =>
    tree.port.asked.filter(({ agentType }) => agentType === type).length;

  it('[BU10] still count for maxTreeChildren', async () => {
    await withTree(
      (tree) => clearing(tree, { limits: { maxTreeChildren: 5 } }),
      {},
      async (tree) => {
        await tree.run();
        expect(tree.outcome).toMatchObject({ status: 'completed' });
        expect(asked(tree, 'leaf')).toBe(4);
        expect(tree.nodes.map(({ agentType }) => agentType)).toEqual(['top', 'middle']);
        // The next run of the root may create as many again.
        await tree.run();
        expect(asked(tree, 'leaf')).toBe(8);
      },
    );
  });

  it('[BU10] still count for the budget of an agent above them, and for that of the tree', async () => {
    await withTree(
      (tree) => clearing(tree, { budget: { maxSteps: 12 } }),
      {},
      async (tree) => {
        await tree.run();
        expect(asked(tree, 'middle') + asked(tree, 'leaf')).toBe(12);
      },
    );
    await withTree(
      (tree) => clearing(tree, { limits: { maxTreeSteps: 13 } }),
      {},
      async (tree) => {
        await tree.run();
        expect(tree.port.asked).toHaveLength(13);
        expect(tree.outcome).toMatchObject({ status: 'failed', error: { code: 'max_steps' } });
      },
    );
  });
});

/** A record of a root with so many agents below it, that spend by leases and tell the root each time that they ask. */
class Spenders {
  readonly tree = new TreeIndex();
  readonly #leases = new Map<number, { lease: Lease; at: Usage }>();
  readonly #spent = new Map<number, Usage>();
  readonly limits: Limits;

  constructor(
    readonly agents: number,
    maxTreeTokens: number,
  ) {
    this.limits = limitsOf({ maxTreeTokens });
    for (let id = 1; id <= agents + 1; id++) this.tree.set(this.#node(id));
  }

  #node(id: number): TreeNode {
    return id === 1 ? rootNode() : childNode(id);
  }

  /** One model call of an agent, if it may make it. */
  call(id: number, tokens: number): boolean {
    const spent = this.#spent.get(id) ?? NO_USAGE;
    const known = this.#leases.get(id);
    if (known === undefined || !covers(known.lease, lessUsage(spent, known.at))) {
      const node = { ...(this.tree.get(id) ?? this.#node(id)), usage: spent };
      this.tree.set(node);
      const grant = leaseFor(this.tree, node, this.limits);
      if (!grant.ok) {
        this.tree.set({ ...node, schedule: STANDS.ended, status: 'failed' });
        return false;
      }
      hold(this.tree, node.sessionId, grant.lease, spent);
      this.#leases.set(id, { lease: grant.lease, at: spent });
    }
    this.#spent.set(id, addUsage(spent, { ...NO_USAGE, inputTokens: tokens, modelCalls: 1 }));
    return true;
  }

  get used(): number {
    return [...this.#spent.values()].reduce((sum, { inputTokens }) => sum + inputTokens, 0);
  }
}

describe('leases that are held for long', () => {
  it.for([
    [10, 60_000],
    [100, 600_000],
    [200, 600_000],
  ] as const)(
    '[BU11] are set aside: %i agents, half of them idle until the others have spent %i tokens',
    ([agents, most]) => {
      const spenders = new Spenders(agents, most);
      for (let id = 2; id <= agents + 1; id++) expect(spenders.call(id, CALL_TOKENS)).toBe(true);
      const spendAll = (first: number, last: number): void => {
        let working = Array.from({ length: last - first + 1 }, (_, index) => first + index);
        while (working.length > 0) working = working.filter((id) => spenders.call(id, CALL_TOKENS));
      };
      const half = 1 + agents / 2;
      spendAll(half + 1, agents + 1);
      const early = most - spenders.used;
      spendAll(2, half);
      const over = spenders.used - most;
      console.info(`${agents} agents, ${most} tokens: stopped ${early} before, ${over} too much in the end`);
      expect(early).toBeLessThanOrEqual((most / 1_000) * (agents / 2));
      expect(over).toBeGreaterThanOrEqual(0);
      expect(over).toBeLessThanOrEqual(agents * CALL_TOKENS);
    },
  );
});

describe('the lease of an agent', () => {
  const ends = ['completed', 'failed', 'terminated', 'interrupted'] as const;
  const limits = limitsOf({ maxTreeTokens: 1_000_000, maxTreeSteps: 10 });
  const recordOf = (other: TreeNode): TreeIndex => {
    const tree = new TreeIndex([rootNode(), childNode(2), other]);
    hold(tree, 's_3', { tokens: 999_999, costUsd: 0, steps: 10 }, NO_USAGE);
    return tree;
  };
  const grantTo = (tree: TreeIndex) => leaseFor(tree, childNode(2), limits);

  it.each(['queued', 'working', 'waiting'] as const)('[BU11, BU12] is set aside while that is %s', (phase) => {
    expect(grantTo(recordOf(childNode(3, { schedule: STANDS[phase] })))).toMatchObject({
      ok: false,
      error: { code: 'max_steps' },
    });
  });

  it.each(ends)(
    '[BU11, BU12] goes back with its end, also where that is `%s`: its siblings are granted it',
    (status) => {
      const tree = recordOf(childNode(3));
      expect(grantTo(tree).ok).toBe(false);
      tree.set(childNode(3, { schedule: STANDS.ended, status }));
      expect(grantTo(tree)).toMatchObject({ ok: true });
      // It was taken back for good: who goes on asks anew.
      tree.set(childNode(3));
      expect(grantTo(tree).ok).toBe(true);
    },
  );

  it('[BU11, BU12] does not stand in its own way: who asks again is granted what it held itself', () => {
    const tree = new TreeIndex([rootNode(), childNode(2), childNode(3)]);
    hold(tree, 's_2', { tokens: 999_999, costUsd: 0, steps: 10 }, NO_USAGE);
    expect(grantTo(tree).ok).toBe(true);
    expect(leaseFor(tree, childNode(3), limits)).toMatchObject({ ok: false, error: { code: 'max_steps' } });
  });

  it('[BU11, BU10] goes back when that is given up, or leaves the record', () => {
    const lost = recordOf(childNode(3));
    lost.set(abandoned(childNode(3), 1, false));
    expect(grantTo(lost).ok).toBe(true);
    const deleted = recordOf(childNode(3));
    deleted.remove(3);
    expect(grantTo(deleted).ok).toBe(true);
    expect(deleted.held.size).toBe(0);
  });
});

describe('the budget of a child', () => {
  const budget = { maxSteps: 5 };
  const spent = (modelCalls: number) => ({ ...NO_USAGE, modelCalls });
  const grantFor = (...nodes: ChildNode[]) =>
    leaseFor(new TreeIndex([rootNode(), ...nodes]), nodes[0] ?? childNode(2), limitsOf({}));

  it('[BU13] holds over its tasks and its sessions, whichever calls they came from', () => {
    const before = childNode(3, { childId: 7, task: { number: 1, callId: 'c_first', budget }, usage: spent(4) });
    const again = childNode(2, { childId: 7, task: { number: 2, callId: 'c_second', budget } });
    expect(grantFor(again, before).ok).toBe(true);
    expect(grantFor({ ...again, usage: spent(1) }, before)).toMatchObject({ ok: false, error: { code: 'max_steps' } });
  });

  it('[BU13] is its own: not that of another child of the same call, nor of another parent', () => {
    const one = childNode(2, { childId: 7, task: { number: 1, callId: 'c', budget } });
    const sibling = childNode(3, { childId: 8, task: { number: 1, callId: 'c', budget }, usage: spent(5) });
    const cousin = childNode(4, { parentId: 3, childId: 7, task: { number: 1, callId: 'c', budget }, usage: spent(5) });
    expect(grantFor(one, sibling, cousin).ok).toBe(true);
  });
});

/** Counts what goes to the root: all requests, and those that ask for a lease. */
function requestsOf(): { counts: { requests: number; leases: number }; network: NonNullable<TreeOptions['network']> } {
  const counts = { requests: 0, leases: 0 };
  const network = <Answered>(
    _address: string,
    call: ObjectCall,
    perform: () => Promise<Answered>,
  ): Promise<Answered> => {
    if (call.kind === 'root') {
      counts.requests++;
      if (call.request.lease) counts.leases++;
    }
    return perform();
  };
  return { counts, network };
}

describe('leases', () => {
  it('[BU9] cost no call in the default configuration, and one for each model call at the end of a budget', async () => {
    const free = requestsOf();
    const { calls } = await spentBy((tree) => threeLevels(tree), { network: free.network });
    expect(free.counts.leases).toBe(0);
    const tight = requestsOf();
    await spentBy((tree) => threeLevels(tree, { maxTreeSteps: 100 }), { network: tight.network });
    // The first model call of a child is covered by the lease that came with its place; those of the root cost no call.
    expect(tight.counts.leases).toBe(6);
    console.info(
      `${calls} model calls: ${free.counts.requests} requests without, ${tight.counts.requests} with leases for one call`,
    );
  });

  it('[BU9, BU11] a crash after any commit changes nothing of what a budget allows', async () => {
    const make = () => inTurn({ maxTreeSteps: 6 });
    const { tree } = await spentBy(make);
    for (const at of moments(tree.kinds, 12)) {
      const { code, nodes } = await spentBy(make, { crashAt: new Set([at]) });
      expect(code, `crash at ${at}`).toBe('max_steps');
      expect(
        nodes.reduce((sum, { usage }) => sum + usage.modelCalls, 0),
        `crash at ${at}`,
      ).toBe(6);
    }
  });

  it('[BU9] are lost in a crash and asked for anew', async () => {
    const { counts, network } = requestsOf();
    let seen = 0;
    const options: TreeOptions = {
      network,
      onCommit: (tree, commit) => {
        // Those at work below have their leases by then.
        const below = tree.nodes.some(({ agentType, lastChunk }) => agentType === 'leaf' && lastChunk > 0);
        if (tree.commits[commit - 1] !== 'tool_settled' || !below || seen++ > 0) return;
        tree.crash();
      },
    };
    await spentBy((tree) => threeLevels(tree), options);
    expect(seen).toBeGreaterThan(1);
    expect(counts.leases).toBeGreaterThan(0);
  });
});

describe('time to end after a stop', () => {
  it.for([
    [1_999, true],
    [2_001, false],
  ] as const)('[BU4] stopGraceMs: a body that ends %i ms after the stop counts: %s', async ([after, counts]) => {
    const make = (tree: Tree): TreeParts => {
      const slow = defineTool({
        name: 'slow',
        description: 'x',
        inputSchema: z.object({}),
        execute: (_, { abortSignal, idempotencyKey }) => {
          tree.body(idempotencyKey);
          queueMicrotask(() => tree.stop());
          const { timer } = tree.time.environment;
          return new Promise((resolve) =>
            abortSignal.addEventListener('abort', () => timer(after, () => resolve('In time.'))),
          );
        },
      });
      return {
        agents: [agentOf('top', { tools: [slow], limits: { stopGraceMs: 2_000 } })],
        scripts: { top: [{ calls: [{ name: 'slow' }] }] },
      };
    };
    await withTree(make, {}, async (tree) => {
      await tree.run();
      expect(tree.outcome).toMatchObject({ status: 'failed', error: { code: 'aborted' } });
      const [result] = tree.transcript().flatMap((message) => (message.role === 'tool' ? [message.result] : []));
      expect(result?.success).toBe(counts);
      examine(tree);
    });
  });
});
