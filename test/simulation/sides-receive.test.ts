import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/core/definition/define-agent';
import { notingOf, pairOf, promptOf } from '../support/duals';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { toolResults } from '../support/trees';

const created = z.object({ success: z.literal(true), value: z.object({ reference: z.string() }) });

describe('the side that hears the parent of a sub-agent that stays', () => {
  it.each(['side_a', 'side_b'] as const)(
    '[SA21, SAQ11] is %s where the entry says so: it acts first in each session, also the first, and reads it word for word',
    async (receives_messages) => {
      const heard: unknown[] = [];
      const make = (tree: Tree): TreeParts => {
        const writer = pairOf('writer', { exposeAsTool: true, maxSessionTurns: 1 });
        const entry = { name: 'writer', blocking: false, resumable: { receives_messages } };
        const lead = defineAgent({ name: 'lead', prompt: promptOf('lead', { tools: [entry], agents: [writer] }) });
        const create = { name: 'subagent_create', input: { agent: 'writer', name: 'one', message: 'Do this.' } };
        return {
          agents: [lead, writer],
          env: notingOf(tree),
          scripts: {
            lead: ({ messages }) => {
              const said = messages.filter(({ role }) => role === 'assistant').length;
              if (said === 0) return { calls: [create] };
              const [first] = toolResults(tree);
              const { reference: referenceId } = created.parse(first).value;
              if (said === 2)
                return { calls: [{ name: 'subagent_message', input: { referenceId, message: 'And that.' } }] };
              return { text: 'Well.' };
            },
            writer: ({ side, messages }) => {
              heard.push([side, messages.at(-1)]);
              return { text: 'Done.' };
            },
          },
        };
      };
      await withTree(make, {}, async (tree) => {
        await tree.run();
        await tree.rest();
        expect(heard).toEqual([
          [receives_messages, { role: 'user', content: 'Do this.' }],
          [receives_messages, { role: 'user', content: 'And that.' }],
        ]);
      });
    },
  );
});
