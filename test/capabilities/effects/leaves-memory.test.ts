/** An agent at rest whose scheduled effect is due later. */
import { it } from 'vitest';
import { z } from 'zod';
import { defineEffect } from '../../../src/capabilities/effects/define-effect';
import { defineTool } from '../../../src/core/definition/define-tool';
import { agentOf } from '../../support/trees';
import { finished, leavesMemory, MINUTE_MS } from '../../support/waits';

const remind = defineEffect({
  name: 'remind',
  description: 'Reminds.',
  schema: z.object({}),
  execute: () => undefined,
});
const plan = defineTool({
  name: 'plan',
  description: 'Plans.',
  inputSchema: z.object({}),
  replay: 'safe',
  execute: (_, context) => context.scheduleEffect('remind', {}, 60 * MINUTE_MS).then(() => null),
});

it('[B10] leaves memory until its effect is due', () =>
  leavesMemory({
    name: 'a time, at rest',
    parts: () => ({
      agents: [agentOf('top', { tools: [plan], effects: [remind] })],
      scripts: { top: [{ calls: [{ name: 'plan', input: {} }] }, { text: 'Done.' }] },
    }),
    until: finished,
  }));
