/** Copies and scheduled effects. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineEffect } from '../../../../src/capabilities/effects/define-effect';
import { defineTool } from '../../../../src/core/definition/define-tool';
import { type TreeParts, withTree } from '../../../support/harness';
import { companion } from '../../../support/levels';
import { agentOf } from '../../../support/trees';

const HOUR = 3_600_000;

it('[CP28, SF3] effects of a companion are not those of a copy that is made of it', async () => {
  const done: string[] = [];
  const make = (): TreeParts => {
    const remind = defineEffect({
      name: 'remind',
      description: 'Notes a text.',
      schema: z.object({ text: z.string() }),
      execute: ({ text }) => void done.push(text),
    });
    const plan = defineTool({
      name: 'plan',
      description: 'Plans.',
      inputSchema: z.object({}),
      replay: 'safe',
      execute: (_, context) => context.scheduleEffect('remind', { text: context.agent.address }, HOUR),
    });
    const scout = agentOf('scout', { tools: [plan], effects: [remind] });
    return {
      agents: [agentOf('top', { persistentAgents: [{ agent: scout }] }), scout],
      scripts: {
        top: [
          { calls: [companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: 'one' })] },
          { calls: [companion('forkChild', { name: 'ada', newName: 'bob', message: 'two' })] },
          { text: 'Done.' },
        ],
        scout: ({ messages }) => (messages.length === 1 ? { calls: [{ name: 'plan', input: {} }] } : { text: 'Done.' }),
      },
    };
  };
  await withTree(make, {}, async (tree) => {
    await tree.start();
    await tree.rest();
    const [, ada, bob] = tree.addresses;
    expect([ada, bob]).toEqual(['ada', 'bob'].map((name) => `/agents/top/one/sub/scout/${name}`));
    expect(done).toEqual([ada]);
  });
});
