/** Pages of lists over a real tree: however small they are, they hold what one page has. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/core/definition/define-tool';
import type { VerbCall } from '../../src/engine/object/object-calls';
import { isObject, type JsonLike } from '../../src/protocol/json';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { agentOf, noteTool } from '../support/trees';

/** Asks a person. */
const askTool = defineTool({
  name: 'ask',
  description: 'Asks.',
  inputSchema: z.object({ text: z.string() }),
  requireApproval: true,
  execute: () => null,
});

const calls = (name: string, many: number) =>
  Array.from({ length: many }, (_, at) => ({ name, input: { text: `${at}` } }));

/** A tree whose root has made many calls of one reply, and waits with as many others. */
const busy = (tree: Tree): TreeParts => ({
  agents: [
    agentOf('top', {
      tools: [noteTool(tree), askTool],
      hooks: {
        afterTool: () => {
          throw new Error('It is broken.');
        },
      },
    }),
  ],
  scripts: { top: [{ calls: calls('note', 12) }, { text: 'So far.', calls: calls('ask', 40) }] },
});

async function itemsOf(tree: Tree, verb: string, limit: number): Promise<JsonLike[]> {
  const items: JsonLike[] = [];
  let cursor: JsonLike | undefined;
  do {
    const input = { limit, ...(typeof cursor === 'string' ? { cursor } : {}) };
    const call: VerbCall = { kind: 'verb', path: [], verb, input, caller: 'ada', idempotencyKey: '' };
    const answer = await tree.soon(tree.world.object(tree.address).call(call));
    const body = answer.ok && isObject(answer.body) ? answer.body : {};
    const page = Array.isArray(body.items) ? body.items : [];
    expect([verb, limit, page.length <= limit && (page.length > 0 || cursor === undefined)]).toEqual([
      verb,
      limit,
      true,
    ]);
    items.push(...page);
    cursor = body.cursor;
  } while (cursor !== undefined);
  return items;
}

it('[A9, A10, A35] pages of any size hold each item of a list once, in one order', () =>
  withTree(busy, {}, async (tree) => {
    await tree.start();
    await tree.rest();
    const lists = { calls: 52, logs: 26, messages: 15, pending: 40, runs: 1 };
    for (const [verb, many] of Object.entries(lists)) {
      const whole = await itemsOf(tree, verb, 500);
      expect([verb, whole.length >= many]).toEqual([verb, true]);
      for (const limit of [1, 2, 5, 13]) expect(await itemsOf(tree, verb, limit)).toEqual(whole);
    }
    const inputs = (await itemsOf(tree, 'pending', 5)).map((item) => (isObject(item) ? item.input : item));
    expect(inputs).toEqual(calls('ask', 40).map(({ input }) => input));
  }));
