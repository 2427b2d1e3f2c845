import { createSubAgentTool, defineAgent, defineTool } from 'offshoot';
import * as z from 'zod';
import { model } from './model';

const clock = defineTool({
  name: 'time_in',
  description: 'The time of day in a time zone, such as Asia/Tokyo.',
  inputSchema: z.object({ zone: z.string() }),
  replay: 'safe',
  execute: ({ zone }) => new Date().toLocaleTimeString('en-GB', { timeZone: zone }),
});

/** A sub-agent: it has its own store, inside that of its parent. */
export const timekeeper = defineAgent({
  name: 'timekeeper',
  root: false,
  systemPrompt: 'Say what time it is in the zone that you are given.',
  model,
  tools: [clock],
  inputSchema: z.object({ zone: z.string() }),
});

/** The agent that people ask. */
export const planner = defineAgent({
  name: 'planner',
  systemPrompt: 'Help plan calls between cities. Ask the timekeeper for the time in each.',
  model,
  tools: [createSubAgentTool(timekeeper)],
});
