/** What the other side took of a companion there, where the answer to it was lost: it counts once. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../src/core/definition/define-tool';
import { RemoteError } from '../../../src/core/definition/remote-transport';
import type { CallResult } from '../../../src/protocol/messages';
import { Tree, type TreeOptions, type TreeParts } from '../../support/harness';
import { sample } from '../../support/sizes';
import { agentOf, answer, toolResults } from '../../support/trees';
import { companion, kind, questions, type Script, spawn, tell } from './support/critic-elsewhere';
import { type Between, elsewhere } from './support/elsewhere';

const MOST = 20;

/** As long as the critic works after a message, in ms: less than the first wait before it is sent again. */
const QUICK_MS = 20;

const resultOf = (result: CallResult): unknown => (result.success ? result.value : result.error.code);

/** What the other side was asked, and which of its answers are lost. */
interface Net {
  readonly asked: string[];
  loses?(verb: string, number: number): boolean;
}

/** A critic that works until it has heard so many things, or hangs at one, and then tells all of them. */
interface Critic {
  readonly hears: number;
  readonly hangsAt?: string;
}

function parts(tree: Tree, net: Net, writer: Script, { hears, hangsAt }: Critic): TreeParts {
  const nap = defineTool({
    name: 'nap',
    description: 'Naps.',
    inputSchema: z.object({}),
    replay: 'safe',
    execute: async () => {
      await new Promise<void>((resolve) => tree.time.environment.timer(QUICK_MS, resolve));
      return 'rested';
    },
  });
  const critic: Script = ({ messages }) => {
    const heard = questions(messages);
    if (hangsAt !== undefined && heard.at(-1) === hangsAt) return { hang: true };
    return heard.length < hears ? { calls: [{ name: 'nap', input: {} }] } : { finish: { answer: heard.join(' and ') } };
  };
  const between: Between = {
    async call({ verb }, perform) {
      net.asked.push(verb);
      const number = net.asked.filter((one) => one === verb).length;
      const said = await perform();
      if (net.loses?.(verb, number)) throw new RemoteError('remote_unreachable', 'The answer was lost.');
      return said;
    },
  };
  return {
    agents: [
      agentOf('writer', { persistentAgents: [{ agent: kind }] }),
      agentOf('critic', { tools: [nap], outputSchema: answer }),
    ],
    scripts: { writer, critic },
    env: { transport: elsewhere(tree, between) },
  };
}

async function ran(writer: Script, critic: Critic, net: Partial<Net> = {}, options: TreeOptions = {}): Promise<Tree> {
  const known: Net = { asked: [], ...net };
  const tree = new Tree((it) => parts(it, known, writer, critic), options);
  await tree.run();
  await tree.rest();
  return tree;
}

const results = (tree: Tree): unknown[] => toolResults(tree).map(resultOf);

/** How many tasks began there. */
const tasks = (tree: Tree): number =>
  tree.log.filter(({ chunk }) => chunk.type === 'run_started' && chunk.address.includes('/sub/critic/')).length;

describe('a message whose answer is lost as its run ends', () => {
  const TALK: Script = [
    { calls: [spawn('one', { mode: 'non-blocking' })] },
    { calls: [tell('two')] },
    { calls: [companion('waitForResult', { names: ['judge'] })] },
    { text: 'Published.' },
  ];
  const losesFirst: Partial<Net> = { loses: (verb, number) => verb === 'send' && number === 1 };

  function heardOnce(tree: Tree, what = ''): void {
    expect(results(tree).at(-1), what).toMatchObject({
      children: [{ task: 1, status: 'completed', result: { answer: 'one and two' } }],
    });
    expect(tasks(tree), what).toBe(1);
    expect(tree.time.problems, what).toEqual([]);
    expect(tree.outcome, what).toMatchObject({ status: 'completed', output: 'Published.' });
  }

  it('[RM11, RM90, CO4, CO5] is no further task', async () => {
    const tree = await ran(TALK, { hears: 2 }, losesFirst);
    heardOnce(tree);
    tree.close();
  });

  it('[RM11, RM90, CO4, CO5] is no further task, whatever commit everything is lost after', async () => {
    const calm = await ran(TALK, { hears: 2 }, losesFirst);
    const { length } = calm.commits;
    calm.close();
    for (const commit of sample(length, MOST, 1)) {
      const tree = await ran(TALK, { hears: 2 }, losesFirst, { crashAt: new Set([commit]) });
      heardOnce(tree, `commit ${commit}`);
      tree.close();
    }
  });
});

describe('a stop of a companion whose answer was lost', () => {
  const PAUSED: Script = [
    { calls: [spawn('one', { mode: 'non-blocking' })] },
    { calls: [companion('stopChild', { name: 'judge', how: 'pause' })] },
    { calls: [tell('two', { wait: true })] },
    { text: 'Published.' },
  ];

  it('[RM11, RM90, RM12] its first message is not sent again as it continues', async () => {
    const tree = await ran(PAUSED, { hears: 2, hangsAt: 'one' }, { loses: (verb) => verb === 'start' });
    expect(results(tree).at(-1)).toMatchObject({ status: 'completed', task: 1, result: { answer: 'one and two' } });
    tree.close();
  });

  it('[RM11, RM90, RM47] the message that let it continue is not sent again as it continues once more', async () => {
    const tree = await ran(
      [
        { calls: [spawn('one', { mode: 'non-blocking' })] },
        { calls: [companion('stopChild', { name: 'judge', how: 'pause' })] },
        { calls: [tell('two')] },
        { calls: [companion('waitForResult', { names: ['judge'], timeout: 50 })] },
        { calls: [companion('stopChild', { name: 'judge', how: 'pause' })] },
        { calls: [tell('three', { wait: true })] },
        { text: 'Published.' },
      ],
      { hears: 3, hangsAt: 'two' },
      { loses: (verb, number) => verb === 'resume' && number <= 2 },
    );
    expect(results(tree).at(-1)).toMatchObject({ status: 'completed', result: { answer: 'one and two and three' } });
    tree.close();
  });
});
