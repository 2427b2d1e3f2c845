/** What agents of the tests' Worker have of scheduled effects. */
import { z } from 'zod';
import { defineEffect, defineTool } from '../../../src/index';
import { begins, pass } from '../../support/puppet';

/** Notes that it was done, once its gate is open. */
const later = defineEffect({
  name: 'later',
  description: 'Counts its tries, and those that came to their end.',
  schema: z.object({ text: z.string(), gate: z.string().optional() }),
  execute: async ({ text, gate }) => {
    begins(`later ${text}`);
    if (gate !== undefined) await pass(gate);
    begins(`later ${text} is done`);
  },
});

const putOff = defineTool({
  name: 'put_off',
  description: 'Schedules an effect.',
  inputSchema: z.object({ text: z.string(), gate: z.string().optional(), ms: z.number() }),
  replay: 'safe',
  execute: async ({ ms, ...args }, context) => ({ id: await context.scheduleEffect('later', args, ms) }),
});

/** Options of agents, added to their own. */
export const scheduling = { tools: [putOff], effects: [later] };
