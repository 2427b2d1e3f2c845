import { defineAgent, defineTool, scriptedModel } from 'offshoot';
import { AgentObject, createWorker, OffshootDirectory } from 'offshoot/worker';
import * as z from 'zod';

const clock = defineTool({
  name: 'time_in',
  description: 'The time of day in a time zone.',
  inputSchema: z.object({ zone: z.string() }),
  execute: ({ zone }) => new Date().toLocaleTimeString('en-GB', { timeZone: zone }),
});

export const timekeeper = defineAgent({
  name: 'timekeeper',
  systemPrompt: 'Tell the time in the zone that you are asked for.',
  // A script in place of a model: it needs no key. Any model of the AI SDK goes here.
  model: scriptedModel([{ calls: [{ name: 'time_in', input: { zone: 'UTC' } }] }, { text: 'It is time.' }]),
  tools: [clock],
});

export class Timekeeper extends AgentObject.of(timekeeper) {}
export { OffshootDirectory };
export default createWorker({ agents: [Timekeeper] });
