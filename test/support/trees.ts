/** Trees of agents that tests run, with scripted models. */
import { z } from 'zod';
import { type AgentDefinition, defineAgent, defineTool } from '../../src/core/definition';
import { createSubAgentTool } from '../../src/core/relationship';
import { modelPort } from '../../src/model/adapter';
import type { Script } from '../../src/model/script';
import { routingScriptedModel } from '../../src/model/scripted';
import { World } from '../../src/testing/world';
import type { VirtualTime } from './virtual-time';

const unused = {};
const question = z.object({ q: z.string() });
const answer = z.object({ answer: z.string() });

/** Notes a text; harmless to repeat. */
export const noteTool = defineTool({
  name: 'note',
  description: 'Notes a text.',
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => ({ noted: text }),
  replay: 'safe',
});

/** Three levels: the top has two middles, each middle two leaves; tools at the top and at the leaves. */
export function threeLevels(): { agents: AgentDefinition[]; top: AgentDefinition; scripts: Record<string, Script> } {
  const leaf = defineAgent({
    name: 'leaf',
    systemPrompt: 'leaf',
    model: unused,
    tools: [noteTool],
    outputSchema: answer,
  });
  const middle = defineAgent({
    name: 'middle',
    systemPrompt: 'middle',
    model: unused,
    tools: [createSubAgentTool(leaf, question)],
    outputSchema: answer,
  });
  const top = defineAgent({
    name: 'top',
    systemPrompt: 'top',
    model: unused,
    tools: [noteTool, createSubAgentTool(middle, question)],
  });
  const scripts: Record<string, Script> = {
    top: [
      {
        text: 'Let us see.',
        calls: [
          { name: 'subagent__middle', input: { q: 'a' } },
          { name: 'subagent__middle', input: { q: 'b' } },
          { name: 'note', input: { text: 'x' } },
        ],
      },
      { text: 'All done.' },
    ],
    middle: [
      {
        calls: [
          { name: 'subagent__leaf', input: { q: '1' } },
          { name: 'subagent__leaf', input: { q: '2' } },
        ],
      },
      { finish: { answer: 'm' } },
    ],
    leaf: [{ calls: [{ name: 'note', input: { text: 'l' } }] }, { finish: { answer: 'l' } }],
  };
  return { agents: [top, middle, leaf], top, scripts };
}

/** A world whose agents answer by scripts. */
export function scriptedWorld(time: VirtualTime, agents: readonly AgentDefinition[], scripts: Record<string, Script>) {
  const model = routingScriptedModel(scripts);
  const port = modelPort(model);
  return { world: new World({ agents, environment: time.environment, model: () => port }), model };
}

/** Starts the root at an address with a message. */
export async function begin(world: World, time: VirtualTime, address: string, message = 'Go'): Promise<void> {
  const object = world.object(address);
  const { environment } = time;
  const event = {
    type: 'start',
    at: environment.now(),
    token: environment.token(),
    runId: `r_${environment.token()}`,
    messages: [{ messageId: `m_${environment.token()}`, role: 'user', content: message, from: 'caller' }],
  } as const;
  await object.create(object.newRootSession({ tags: [] }), {}, event);
}

/** Whether the root's latest run has ended. */
export function hasEnded(world: World, address: string): boolean {
  return world.object(address).agent?.state.run?.phase === 'ended';
}
