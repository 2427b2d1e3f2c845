/** What is left of a companion's rounds: its memory, its state, its own companion, its budget, and what all that cost. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/core/definition/define-tool';
import type { ToolContext } from '../../src/core/definition/tool-context';
import { totalSpent } from '../../src/core/tree/budget';
import { TreeIndex } from '../../src/core/tree/tree-index';
import type { ObjectCall } from '../../src/engine/object/object-calls';
import { unpairedCalls } from '../../src/protocol/messages';
import { addUsage, NO_USAGE } from '../../src/protocol/usage';
import { transcripts } from '../support/examine';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { companion, questions } from '../support/levels';
import { moments } from '../support/sizes';
import { agentOf, answer, toolResults } from '../support/trees';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 13;
const JUDGE = '/agents/top/one/sub/critic/judge';
const FACTS = `${JUDGE}/sub/scout/facts`;

/** A critic that marks each draft in its state, asks a companion of its own about it, and takes all its steps in each round. */
function rounds(tree: Tree): TreeParts {
  const mark = defineTool({
    name: 'mark',
    description: 'Marks a draft as read.',
    inputSchema: z.object({ draft: z.string() }),
    replay: 'safe',
    execute: async ({ draft }, context: ToolContext<{ read: string[] }>) => {
      tree.body(context.idempotencyKey);
      context.recordUsage({ inputTokens: 60, outputTokens: 40, costUsd: 0.5 });
      await context.updateState(({ read }) => ({ read: [...new Set([...read, draft])] }));
      return null;
    },
  });
  const scout = agentOf('scout', { outputSchema: answer });
  const critic = agentOf('critic', {
    tools: [mark],
    stateSchema: z.object({ read: z.array(z.string()).default([]) }),
    persistentAgents: [{ agent: scout }],
    outputSchema: answer,
    maxSteps: 2,
  });
  const send = (message: string) => companion('sendMessage', { name: 'judge', message, wait: true });
  return {
    agents: [agentOf('top', { persistentAgents: [{ agent: critic }] }), critic, scout],
    scripts: {
      top: [
        { calls: [companion('spawnAgent', { agent: 'critic', name: 'judge', initialMessage: 'one' })] },
        { calls: [send('two')] },
        { calls: [send('three')] },
        { text: 'Done.' },
      ],
      critic: ({ step, messages }) => {
        const asked = questions(messages);
        const draft = asked.at(-1) ?? '';
        if (step > 1) return { finish: { answer: asked.join(' ') } };
        const consult =
          asked.length === 1
            ? companion('spawnAgent', { agent: 'scout', name: 'facts', initialMessage: draft })
            : companion('sendMessage', { name: 'facts', message: draft, wait: true });
        return { calls: [{ name: 'mark', input: { draft } }, consult] };
      },
      scout: ({ messages }) => ({ finish: { answer: questions(messages).join(' ') } }),
    },
  };
}

async function ran(crashAt: readonly number[] = []) {
  return withTree(rounds, { crashAt: new Set(crashAt) }, async (tree) => {
    await tree.run();
    await tree.rest();
    const ends = tree.log.flatMap(({ chunk }) => (chunk.type === 'subagent_end' ? [chunk] : []));
    return {
      kinds: tree.kinds,
      problems: tree.time.problems,
      kept: {
        results: toolResults(tree),
        said: transcripts(tree),
        states: [JUDGE, FACTS].map((at) => [tree.state(at).custom, tree.state(at).run?.turn]),
        sessions: tree.nodes.map((node) => [node.address, node.kind === 'child' ? node.runNumber : undefined]),
        unpaired: [JUDGE, FACTS].flatMap((at) => unpairedCalls(tree.transcript(at))),
        record: totalSpent(new TreeIndex(tree.nodes)),
        stores: tree.addresses.reduce((sum, at) => addUsage(sum, tree.state(at).spent), NO_USAGE),
        told: ends.map(({ address, task, usage }) => [address, task, usage.modelCalls, usage.costUsd]),
      },
    };
  });
}

describe('a companion over three rounds', () => {
  it('[CO3, CO4, DG26, ST2] F117, F120, L29: has memory, state, its own companion and all its steps in each, in one session', async () => {
    const { kept, problems } = await ran();
    expect(kept.results).toMatchObject([
      { value: { status: 'completed', task: 1, output: { answer: 'one' } } },
      { value: { status: 'completed', task: 2, result: { answer: 'one two' } } },
      { value: { status: 'completed', task: 3, result: { answer: 'one two three' } } },
    ]);
    expect(kept.states).toEqual([
      [{ read: ['one', 'two', 'three'] }, 3],
      [{}, 3],
    ]);
    expect(kept.sessions).toEqual([
      ['/agents/top/one', undefined],
      [JUDGE, 3],
      [FACTS, 3],
    ]);
    expect(problems).toEqual([]);
  });

  it('[MS1, ST6] F118: has a result for each call of each round, also for the one that finished it', async () => {
    const { kept } = await ran();
    expect(kept.unpaired).toEqual([]);
    expect(JSON.stringify(kept.said[JUDGE]).match(/"tool":"__finish__"/g)).toHaveLength(3);
  });

  it('[US1, US6] F124, F125, F126, L14: what it and those below it spent is counted once at the root, and exact in each end', async () => {
    const { kept } = await ran();
    // The root asks its model 4 times, the critic 6 and the scout 3; each call of the port is 10 tokens in and 5 out.
    expect(kept.record).toMatchObject({ modelCalls: 13, inputTokens: 130 + 180, outputTokens: 65 + 120, costUsd: 1.5 });
    expect(kept.stores).toEqual(kept.record);
    expect(kept.told).toEqual(
      [1, 2, 3].flatMap((task) => [
        [JUDGE, task, 1, undefined],
        ['/agents/top/one', task, 2, 0.5],
      ]),
    );
  });

  it('[CO4, DG26, US2, RC5] F104, F120, F125: all that is the same after a crash at any commit: one round for each message', async () => {
    const calm = await ran();
    for (const commit of moments(calm.kinds, MOST, 1)) {
      const found = await ran([commit]);
      const what = `a crash at ${commit}`;
      expect(found.kept, what).toEqual(calm.kept);
      expect(found.problems, what).toEqual([]);
    }
  });
});

/** Calls between objects and the characters that they bring there and back, of each of so many tasks of one companion. */
async function trafficOf(tasks: number): Promise<{ readonly calls: number; readonly characters: number }[]> {
  const found: { calls: number; characters: number }[] = [];
  const network: NonNullable<TreeOptions['network']> = async <Answered>(
    _address: string,
    call: ObjectCall,
    perform: () => Promise<Answered>,
  ): Promise<Answered> => {
    // Of the task that there was when it was made: the next one may begin before it is answered.
    const of = found.at(-1);
    const answered = await perform();
    if (of) {
      of.calls++;
      of.characters += JSON.stringify([call, answered]).length;
    }
    return answered;
  };
  const parts = (): TreeParts => {
    const critic = agentOf('critic', { outputSchema: answer });
    const first = companion('spawnAgent', { agent: 'critic', name: 'judge', initialMessage: 'a draft' });
    const further = companion('sendMessage', { name: 'judge', message: 'a draft', wait: true });
    return {
      agents: [agentOf('top', { persistentAgents: [{ agent: critic }] }), critic],
      scripts: {
        top: ({ step }) => {
          if (step > tasks) return { text: 'Done.' };
          found.push({ calls: 0, characters: 0 });
          return { calls: [step === 1 ? first : further] };
        },
        critic: () => ({ finish: { answer: 'fix' } }),
      },
    };
  };
  await withTree(parts, { network }, async (tree) => {
    await tree.run();
    await tree.rest();
  });
  return found;
}

it('[B6] L29, L49: a task of a child costs as many calls between objects and as many characters, whatever it remembers', async () => {
  const found = await trafficOf(40);
  expect(found).toHaveLength(40);
  // A task, what is told of it, its end and that it was taken. What is told of one task may go with the next one's.
  for (const tasks of [found.slice(1, 20), found.slice(20)]) {
    expect(tasks.reduce((sum, { calls }) => sum + calls, 0)).toBeLessThanOrEqual(4 * tasks.length);
    expect(tasks.reduce((sum, { characters }) => sum + characters, 0)).toBeLessThanOrEqual(4_096 * tasks.length);
  }
});
