/** Many sub-agents of one parent: none is lost from the registry, and what the parent is told and asked stays bounded. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/core/definition/define-tool';
import type { ModelRequest } from '../../src/core/definition/model-port';
import { command } from '../../src/verbs/command';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { dualOf, envelopesIn, lasting, leadOf, referencesIn, registryIn } from '../support/prompts';
import { figures, sized } from '../support/sizes';
import { PATIENT } from '../support/trees';

/** Sub-agents of one parent; a night makes as many as a root run may have. */
const MANY = sized(120, 1_000);

/** Calls of one reply, and bodies that write to the registry at once. */
const TOGETHER = 40;
const WRITERS = 8;

/** All of them may be alive at once. */
const LIMITS = { limits: { ...PATIENT, maxChildren: MANY } };

const reply = ({ messages }: Pick<ModelRequest, 'messages'>): number =>
  messages.filter(({ role }) => role === 'assistant').length + 1;
const create = (at: number) => ({
  name: 'subagent_create',
  input: { agent: 'worker', message: `${at}`, name: `w${at}` },
});

/** A lead that begins so many, and whose code then tells and ends them, eight bodies at once. */
const crowd =
  (many: number, together = TOGETHER) =>
  (): TreeParts => {
    const worker = dualOf('worker');
    const write = defineTool({
      name: 'write',
      description: 'Tells every eighth one something, or ends it.',
      inputSchema: z.object({ writer: z.number(), end: z.boolean() }),
      replay: 'safe',
      async execute({ writer, end }, { thread }) {
        const mine = thread.children.filter((_, at) => at % WRITERS === writer);
        for (const { reference } of mine) {
          const child = await thread.getChildThread(reference);
          if (end) await child?.terminate();
          else await child?.queueMessage({ role: 'user', content: `by ${writer}` });
        }
        return mine.length;
      },
    });
    const writers = (end: boolean) =>
      Array.from({ length: WRITERS }, (_, writer) => ({ name: 'write', input: { writer, end } }));
    const steps = Math.ceil(many / together);
    return {
      agents: [leadOf([write, lasting('worker', { blocking: false })], [worker], {}, LIMITS), worker],
      scripts: {
        lead: ({ messages }) => {
          const number = reply({ messages });
          if (number <= steps) {
            const length = Math.min(together, many - (number - 1) * together);
            return { calls: Array.from({ length }, (_, at) => create((number - 1) * together + at)) };
          }
          const isWritten = JSON.stringify(messages).includes('"writer"');
          return isWritten ? { text: 'Done.' } : { calls: writers(false) };
        },
        worker: ({ messages }) => ({ text: `Told ${messages.filter(({ role }) => role === 'user').length}.` }),
      },
    };
  };

/** The list of the parent, all of its pages. */
async function listed(tree: Tree) {
  const items = [];
  const totals = new Set<number>();
  let cursor: string | undefined;
  do {
    const input = { limit: 200, ...(cursor === undefined ? {} : { cursor }) };
    const page = await tree.soon(command(tree.world.object(tree.address), tree.address, 'children', input));
    items.push(...page.items);
    if (page.total !== undefined) totals.add(page.total);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return { items, totals: [...totals] };
}

let seconds = 0;
figures('sub-agents of one parent', () => `${MANY} in ${seconds} s`);

describe('many sub-agents', () => {
  it('[SAW16, SAW41] of one parent are all there, each with all that it was told and what it spent, and its parent reads of 50', async () => {
    const began = performance.now();
    await withTree(crowd(MANY), {}, async (tree) => {
      await tree.start();
      await tree.rest();
      const { items, totals } = await listed(tree);
      expect(totals).toEqual([MANY]);
      expect(items.map(({ entry }) => entry?.threadName)).toEqual(Array.from({ length: MANY }, (_, at) => `w${at}`));
      expect(new Set(items.map(({ entry }) => entry?.status))).toEqual(new Set(['idle']));
      const last = tree.port.asked.filter(({ agentType }) => agentType === 'lead').at(-1)?.messages ?? [];
      expect(referencesIn(last).length).toBe(50);
      expect(registryIn(last)?.length).toBeLessThan(5_000);
      // Each has had two sessions, or one that saw both messages: every end is told once.
      const envelopes = envelopesIn(tree.transcript());
      const runs = items.map(({ address }) => tree.store(String(address)).runs({ limit: 10 }).length);
      expect(envelopes.length).toBe(runs.reduce((sum, one) => sum + one, 0));
      for (const { address } of items) expect(tree.store(String(address)).messages({}).length).toBe(2);
      const usage = await tree.soon(
        command(tree.world.object(tree.address), tree.address, 'usage', { includeSubAgents: true }),
      );
      expect(usage.total.modelCalls).toBe(tree.port.asked.length);
      expect(tree.time.problems).toEqual([]);
    });
    seconds = Math.round((performance.now() - began) / 1_000);
  });
});

describe('what is asked to begin one', () => {
  it('[SAW32] is asked of objects of its own tree alone, and as often for the last as for the first', async () => {
    const called = async (many: number) => {
      const calls: string[] = [];
      const network = async <Given>(address: string, call: object, perform: () => Promise<Given>): Promise<Given> => {
        const { kind } = { kind: '', ...call };
        calls.push(`${address} ${kind}`);
        return perform();
      };
      await withTree(crowd(many, 10), { network }, async (tree) => {
        await tree.start();
        await tree.finish();
        await tree.rest();
      });
      return calls;
    };
    const [few, more] = [await called(10), await called(40)];
    for (const calls of [few, more]) for (const call of calls) expect(call.startsWith('/agents/lead/one')).toBe(true);
    expect(more.length / 40).toBeLessThanOrEqual((few.length / 10) * 1.2);
  });
});
