/** The agents under the benchmark. Their models answer at once, so that what is measured is everything else. */
import { z } from 'zod';
import { createSubAgentTool } from '../src/core/definition/children/relationship';
import { defineAgent } from '../src/core/definition/define-agent';
import { defineTool } from '../src/core/definition/define-tool';
import type { ModelPort, ModelReply, ModelRequest } from '../src/core/definition/model-port';
import type { Json } from '../src/protocol/json';
import { NO_USAGE } from '../src/protocol/usage';
import { helperOf, task, teamOf } from './streaming';

const usage = { ...NO_USAGE, inputTokens: 10, outputTokens: 5, modelCalls: 1 };

function reply(content: ModelReply['content']): ModelReply {
  return { content, finishReason: 'stop', usage, model: 'bench/instant' };
}

const text = reply([{ type: 'text', text: 'done' }]);
const toolCall = reply([{ type: 'tool-call', providerId: 'p', toolName: 'echo', input: { text: 'x' } }]);

/** The number that the latest user message asks for. */
function asked(request: ModelRequest): number {
  const message = request.messages.findLast(({ role }) => role === 'user');
  return Number(message?.role === 'user' ? message.content : 0);
}

/** As many children as the message says, at once; then a text. */
const fanOut: ModelPort = {
  async call(request) {
    if (request.step > 1) return text;
    const width = asked(request);
    return reply(
      Array.from({ length: width }, (_, n) => ({
        type: 'tool-call',
        providerId: `p${n}`,
        toolName: `subagent__${CHILD[request.agentType]}`,
        input: { n },
      })),
    );
  },
};

/** Which children each parent has. */
const CHILD: { readonly [parent: string]: string } = {
  fan: 'kid',
  queue: 'kid',
  inn: 'kid',
  dormitory: 'sleeper',
  lobby: 'guest',
};

/** As many steps with one tool call as the message says; then a text. */
const steps: ModelPort = {
  async call(request) {
    return request.step <= asked(request) ? toolCall : text;
  },
};

const twoSteps: ModelPort = {
  async call(request) {
    return request.step === 1 ? toolCall : text;
  },
};

/** How many model calls hang now. */
export const hanging = { calls: 0 };

const hangs: ModelPort = {
  call(_request, { signal }) {
    hanging.calls++;
    return new Promise((_, reject) => {
      // As a real call does with its connection, it keeps its object in memory.
      const waiting = setTimeout(() => undefined, 3_600_000);
      signal.addEventListener('abort', () => {
        clearTimeout(waiting);
        hanging.calls--;
        reject(new Error('aborted'));
      });
    });
  },
};

/** What a host does for its message, where that is no number of companions to begin. */
const HOST_CALLS: { readonly [message: number]: { readonly tool: string; readonly input: { [key: string]: Json } } } = {
  [-1]: { tool: 'listChildren', input: {} },
  [-2]: { tool: 'getChildStatus', input: { name: 'kid-1' } },
  [-3]: { tool: 'sendMessage', input: { name: 'kid-1', message: 'again', wait: true } },
};

/** Begins as many companions as the message says and waits for them, or does one thing with those that it has; then a text. */
const keepsCompanions: ModelPort = {
  async call(request) {
    const number = asked(request);
    if (request.step > 1 || number === 0) return text;
    const one = HOST_CALLS[number];
    const calls = one ? [one] : Array.from({ length: number }, () => SPAWN);
    return reply(
      calls.map(({ tool, input }, n) => ({
        type: 'tool-call',
        providerId: `p${n}`,
        toolName: `companion__${tool}`,
        input,
      })),
    );
  },
};

const SPAWN = { tool: 'spawnAgent', input: { agent: 'kid', initialMessage: 'begin' } };

const fansOutThenHangs: ModelPort = {
  call: (request, options) => (request.step > 1 ? hangs : fanOut).call(request, options),
};

const echo = defineTool({
  name: 'echo',
  description: 'Echoes.',
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});
/** How many calls have begun to wait for a person. */
export const waiting = { calls: 0 };

/** A tool that waits for a person. */
const asksFirst = defineTool({
  name: 'echo',
  description: 'Echoes, once a person allows it.',
  inputSchema: z.object({ text: z.string() }),
  requireApproval: () => {
    waiting.calls++;
    return true;
  },
  execute: ({ text }) => text,
});
/** All may work at once. */
export const wide = { maxConcurrentChildren: 10_000, maxChildren: 10_000, maxTreeChildren: 1_000_000 };

/** A child with two steps: one tool call, then a text. */
export const kid = defineAgent({ name: 'kid', systemPrompt: 'kid', model: twoSteps, tools: [echo] });
/** Parents of kids: with limits that let all work at once, and with the default ones. */
export const fan = defineAgent({
  name: 'fan',
  systemPrompt: 'fan',
  model: fanOut,
  tools: [createSubAgentTool(kid, task)],
  limits: wide,
});
export const queue = defineAgent({
  name: 'queue',
  systemPrompt: 'queue',
  model: fanOut,
  tools: [createSubAgentTool(kid, task)],
});
/** A parent that keeps its kids. */
export const host = defineAgent({
  name: 'host',
  systemPrompt: 'host',
  model: keepsCompanions,
  persistentAgents: [{ agent: kid }],
  limits: wide,
});
/** The same with models of the AI SDK, as users have them. */
export const helper = helperOf(echo);
export const team = teamOf(createSubAgentTool(helper, task), wide);
/** A child whose model call never ends, and its parent. */
export const sleeper = defineAgent({ name: 'sleeper', systemPrompt: 'sleeper', model: hangs, tools: [echo] });
export const dormitory = defineAgent({
  name: 'dormitory',
  systemPrompt: 'dormitory',
  model: fanOut,
  tools: [createSubAgentTool(sleeper, task)],
  limits: wide,
});
/** A child that waits for a person, and its parent. */
export const guest = defineAgent({ name: 'guest', systemPrompt: 'guest', model: twoSteps, tools: [asksFirst] });
export const lobby = defineAgent({
  name: 'lobby',
  systemPrompt: 'lobby',
  model: fanOut,
  tools: [createSubAgentTool(guest, task)],
  limits: wide,
});
/** A parent that goes on working when its kids have ended. */
export const inn = defineAgent({
  name: 'inn',
  systemPrompt: 'inn',
  model: fansOutThenHangs,
  tools: [createSubAgentTool(kid, task)],
  limits: wide,
});
/** An agent for long conversations: `0` is answered at once, a number by so many steps. */
export const talker = defineAgent({
  name: 'talker',
  systemPrompt: 'talker',
  model: steps,
  tools: [echo],
  limits: { maxSteps: 10_000 },
});

/** The same, which is sent no more than so much of what was said. */
export const keeper = defineAgent({
  name: 'keeper',
  systemPrompt: 'keeper',
  model: steps,
  tools: [echo],
  limits: { maxSteps: 10_000 },
  context: { maxTokens: 4_000 },
});
