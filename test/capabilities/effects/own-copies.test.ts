/** What an author's code is given of scheduled effects is its own: what it does to that changes nothing that is kept. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineEffect } from '../../../src/capabilities/effects/define-effect';
import { defineTool } from '../../../src/core/definition/define-tool';
import type { Json } from '../../../src/protocol/json';
import { type Tree, type TreeParts, withTree } from '../../support/harness';
import { agentOf } from '../../support/trees';

/** Changes a value in every place. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const each of Object.values(value)) spoil(each);
  if (Array.isArray(value)) value.push('spoilt');
  else Reflect.set(value, 'spoilt', true);
}

const ARGS = { list: ['a', { deep: 'b' }], text: 'c' };

it.each([
  ['any JSON', undefined],
  ['a schema that takes all', z.any()],
  ['a schema with a field that takes all', z.object({ list: z.any(), text: z.string() })],
])('[SF11] an effect is tried with the arguments that it was scheduled with, of %s', async (_what, schema) => {
  const tried: string[] = [];
  const listed: string[] = [];
  const note = async (context: { getScheduledEffects(): Promise<readonly { readonly args: Json }[]> }) => {
    for (const effect of await context.getScheduledEffects()) {
      listed.push(JSON.stringify(effect.args));
      spoil(effect);
    }
  };
  const make = (_tree: Tree): TreeParts => ({
    agents: [
      agentOf('top', {
        tools: [
          defineTool({
            name: 'plan',
            description: 'Plans.',
            inputSchema: z.object({}),
            execute: async (_, context) => {
              const given = structuredClone(ARGS);
              await context.scheduleEffect('work', given);
              spoil(given);
              await note(context);
              await note(context);
              return null;
            },
          }),
        ],
        effects: [
          defineEffect({
            name: 'work',
            description: 'Works.',
            ...(schema ? { schema } : {}),
            execute: async (args, context) => {
              tried.push(JSON.stringify(args));
              spoil(args);
              await note(context);
              if (tried.length < 3) throw new Error('Not yet.');
            },
          }),
        ],
      }),
    ],
    scripts: { top: [{ calls: [{ name: 'plan', input: {} }] }, { text: 'Done.' }] },
  });
  await withTree(make, {}, async (tree) => {
    await tree.start();
    await tree.rest();
    expect(tried).toEqual(Array.from({ length: 3 }, () => JSON.stringify(ARGS)));
    expect(new Set(listed)).toEqual(new Set([JSON.stringify(ARGS)]));
  });
});
