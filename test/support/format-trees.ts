/**
 * Trees whose stores are kept for each format: together with those of capabilities they have a row of every kind, and each
 * can be taken to its end from where it was left. They may grow with a new format; what a kept store needs of them stays.
 */
import { expect } from 'vitest';
import * as z from 'zod';
import { createSubAgentTool, relationshipOf } from '../../src/core/definition/children/relationship';
import { defineTool } from '../../src/core/definition/define-tool';
import { RELATIONSHIP, type Relationship, type ToolDefinition } from '../../src/core/definition/definition';
import type { JsonObject } from '../../src/protocol/json';
import type { Tree } from './harness';
import type { KeptTree } from './kept-formats';
import { questions } from './levels';
import { yes } from './people';
import { present } from './present';
import { agentOf, answer, noteTool, question } from './trees';

const TOP = '/agents/top/one';
const LEAF = `${TOP}/sub/middle/1~1/sub/leaf/1~1`;
const HOUR = 3_600_000;
/** Longer than a row: it goes on in others. */
const LONG = 'x'.repeat(700_000);

const call = (name: string, input: JsonObject = { q: name }) => ({ name, input });
const asked = defineTool({
  name: 'asked',
  description: 'Asks.',
  inputSchema: z.object({ n: z.number() }),
  requireApproval: true,
  execute: ({ n }) => ({ n }),
});

/** The tool of a sub-agent with another relationship. */
function related(tool: ToolDefinition, how: Partial<Relationship>): ToolDefinition {
  return { ...tool, [RELATIONSHIP]: { ...present(relationshipOf(tool)), ...how } };
}

/**
 * Its first turn has a child for one call; its second a named one, one in the background, and one whose child asks a person.
 * A third waits behind it.
 */
const waiting: KeptTree = {
  name: 'waiting',
  parts(tree) {
    const leaf = agentOf('leaf', { tools: [noteTool(tree), asked], outputSchema: answer });
    const short = agentOf('short', { outputSchema: answer });
    const middle = agentOf('middle', { tools: [createSubAgentTool(leaf, question)], outputSchema: answer });
    const tools = [
      noteTool(tree),
      asked,
      createSubAgentTool(short, question),
      createSubAgentTool(middle, question),
      related(createSubAgentTool(short, question, { name: 'named' }), { lifetime: 'named', nameOf: () => 'ada' }),
      related(createSubAgentTool(leaf, question, { name: 'behind' }), { await: 'notice', deliver: 'notice' }),
    ];
    const top = agentOf('top', { tools, onConcurrentStart: 'queue', limits: { keepRuns: 1 } });
    return {
      agents: [top, middle, leaf, short],
      scripts: {
        top: ({ messages, step }) => {
          if (messages.at(-1)?.role === 'tool' && step > 2) return { text: 'Done.' };
          if (questions(messages).length === 1)
            return step === 1 ? { calls: [call('subagent__short')] } : { text: 'First.' };
          if (step > 2) return { text: 'Done.' };
          return step === 1
            ? { text: LONG, calls: [call('note', { text: 'n' }), call('subagent__named'), call('subagent__behind')] }
            : { calls: [call('subagent__middle'), call('asked', { n: 1 }), call('asked', { n: 2 })] };
        },
        middle: [{ calls: [call('subagent__leaf')] }, { finish: { answer: 'm' } }],
        leaf: [{ calls: [call('note', { text: 'l' }), call('asked', { n: 3 })] }, { finish: { answer: 'l' } }],
        short: () => ({ finish: { answer: 's' } }),
      },
    };
  },
  async fill(tree) {
    await tree.run('One');
    await tree.start('Two');
    await tree.rest();
    await tree.start('Three');
    const first = present(tree.pending.find(({ address }) => address === TOP));
    await tree.answer(first, yes(first));
    await tree.rest();
    const { store, ports } = tree.world.object(TOP);
    const at = tree.time.now;
    store.transaction(() => {
      store.addReceipt('start k', { body: 'digest', answer: { status: 202, body: { runId: 'r_1' } } }, at, 24 * HOUR);
      store.addAudit({ at, actor: 'ada', action: 'start', runId: 'r_1', detail: { n: 1 } });
      ports.stores.tree().putToken({
        ...{
          id: 'k_1',
          asked: 'digest',
          createdBy: 'ada',
          holder: 'ada',
          label: 'For Ann',
          address: TOP,
          actions: ['read'],
        },
        ...{ createdAt: at, endsAt: at + 24 * HOUR },
      });
    });
    await ports.files.write('notes/small.txt', 'A small file.');
    await ports.files.write('large.bin', new Uint8Array(1_500_000));
  },
  async finish(tree) {
    await tree.rest();
    expect(tree.pending.map(({ address }) => address).sort()).toEqual([TOP, LEAF, `${TOP}/sub/leaf/1~1`].sort());
    await answerAll(tree);
    expect(tree.nodes.map(({ status }) => status)).toEqual(tree.nodes.map(() => 'completed'));
    const turns = tree.store().runs({});
    // The start that waited has had its turn.
    expect(turns.map(({ turn: number }) => number)).toEqual([1, 2, 3]);
    expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
    const { files } = tree.world.object(TOP).ports;
    expect(await new Response(await files.read('notes/small.txt')).text()).toBe('A small file.');
    expect((await files.list()).items.map(({ size }) => size)).toEqual([1_500_000, 13]);
  },
};

/** Answers what waits, until nothing does. */
async function answerAll(tree: Tree): Promise<void> {
  for (let open = tree.pending; open.length > 0; open = tree.pending) {
    // What is said to the root waits for a moment, which comes as time passes.
    const said = open.map((one) => tree.answer(one, yes(one)));
    await tree.rest();
    for (const answered of await Promise.all(said)) expect(answered).toMatchObject({ ok: true });
  }
}

/** Those of the kernel. */
export const KEPT_TREES: readonly KeptTree[] = [waiting];
