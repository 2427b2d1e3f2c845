/**
 * Agents that play the contract of placements: the child `far`, and a parent for each place where it may live. What they
 * say, and when their naps end, is set by the test.
 */
import { vi } from 'vitest';
import { z } from 'zod';
import { type AgentOptions, type AnyTool, createSubAgentTool, defineAgent, defineTool } from '../../src/index';
import { scriptedModel } from '../../src/model/scripted';
import { napping, type Scenario } from '../contract/delegation';
import { answer, question } from './trees';

let scripts: Scenario['scripts'] = { top: [], far: [] };
const awake = new Set<string>();

/** From now on the agents play this; every nap lasts again. */
export function play(scenario: Scenario): void {
  ({ scripts } = scenario);
  awake.clear();
}

/** Ends the naps that last until then. */
export function wake(until: string): void {
  awake.add(until);
}

const systemPrompt = 'Say what the scenario says.';
const model = scriptedModel(
  ({ agentType, step }) => {
    const script = scripts[agentType === 'far' ? 'far' : 'top'];
    const said = typeof script === 'function' ? script({ step }) : script[step - 1];
    if (said === undefined) throw new TypeError(`Nothing is said at step ${step} of ${agentType}.`);
    return said;
  },
  { record: false },
);

const note = defineTool({
  name: 'note',
  description: 'Notes a text.',
  inputSchema: z.object({ text: z.string() }),
  replay: 'safe',
  execute: ({ text }) => ({ noted: text }),
});
const nap = defineTool({
  name: 'nap',
  description: 'Takes a moment.',
  inputSchema: napping,
  replay: 'safe',
  async execute({ until }, { abortSignal }) {
    await vi.waitUntil(() => abortSignal.aborted || awake.has(until), { interval: 2 });
    if (abortSignal.aborted) throw new Error('It was woken too early.');
    return 'rested';
  },
});

/** It shares its class with others. */
export const far = defineAgent({
  name: 'far',
  systemPrompt,
  model,
  tools: [note, nap],
  inputSchema: question,
  outputSchema: answer,
});

/** A parent with a child `far` by these tools and of this kind. */
export const parentOf = (name: string, child: Pick<AgentOptions, 'persistentAgents'> & { tools: readonly AnyTool[] }) =>
  defineAgent({ name, systemPrompt, model, ...child, tools: [...child.tools, nap] });

const here = (name: string, placement: 'facet' | 'object') =>
  parentOf(name, {
    tools: [
      createSubAgentTool(far, { placement }),
      createSubAgentTool(far, { name: 'later', placement, background: true }),
    ],
    persistentAgents: [{ agent: far, placement }],
  });

export const byFacet = here('by-facet', 'facet');
export const byObject = here('by-object', 'object');
/** The same in the class that agents share, as `far` is. */
export const oneFacet = here('one-facet', 'facet');
export const oneObject = here('one-object', 'object');
