/** The agents that are stopped: parents that ask for children in their first step, and children whose model calls never end. */
import { z } from 'zod';
import { createSubAgentTool } from '../src/core/definition/children/relationship';
import { defineAgent } from '../src/core/definition/define-agent';
import type { AgentDefinition } from '../src/core/definition/definition';
import type { ModelPort, ModelReply, ModelRequest } from '../src/core/definition/model-port';
import { NO_USAGE } from '../src/protocol/usage';

/** Model calls that never end: how many were begun, and how many have not heard of their abort. */
export const hanging = { begun: 0, now: 0 };

/** As a real call does with its connection, it keeps its object in memory. */
const FOR_EVER_MS = 3_600_000;

/** Hangs until it is aborted. */
const hangs: ModelPort = {
  call(_request, { signal }) {
    hanging.begun++;
    hanging.now++;
    return new Promise((_, reject) => {
      const waiting = setTimeout(() => undefined, FOR_EVER_MS);
      signal.addEventListener('abort', () => {
        clearTimeout(waiting);
        hanging.now--;
        reject(new Error('aborted'));
      });
    });
  },
};

/** Hangs, whatever its signal says. */
const deafToAborts: ModelPort = {
  call() {
    hanging.begun++;
    return new Promise(() => void setTimeout(() => undefined, FOR_EVER_MS));
  },
};

const task = z.object({ number: z.number(), below: z.number() });

/** What the latest user message asks for. */
function asked(request: ModelRequest): z.output<typeof task> {
  const message = request.messages.findLast(({ role }) => role === 'user');
  return task.parse(JSON.parse(message?.role === 'user' ? String(message.content) : '{}'));
}

/** Asks for `number` children at once, each of which is told to ask for `below`. */
function asksFor(child: string): ModelPort {
  return {
    async call(request): Promise<ModelReply> {
      const { number, below } = asked(request);
      const content = Array.from({ length: number }, (_, n) => ({
        type: 'tool-call' as const,
        providerId: `p${n}`,
        toolName: `subagent__${child}`,
        input: { number: below, below: 0 },
      }));
      return { content, finishReason: 'tool-calls', usage: NO_USAGE, model: 'bench/asks' };
    },
  };
}

/** Also for model calls that never end: each is under way at once. */
const wide = {
  maxConcurrentChildren: 10_000,
  maxChildren: 10_000,
  maxTreeChildren: 1_000_000,
  maxConcurrentModelCalls: 10_000,
};

function parent(name: string, child: AgentDefinition, limits: object): AgentDefinition {
  const tools = [createSubAgentTool(child, task)];
  return defineAgent({ name, systemPrompt: name, model: asksFor(child.name), tools, limits });
}

/** Its model calls end when they are aborted. */
export const bed = defineAgent({ name: 'bed', systemPrompt: 'bed', model: hangs });
/** Its model calls never end. */
export const deaf = defineAgent({ name: 'deaf', systemPrompt: 'deaf', model: deafToAborts });
/** Between a root and its beds. */
export const ward = parent('ward', bed, wide);
/** Roots: over beds, over wards, over the deaf, and over beds of which 48 work at once. */
export const house = parent('house', bed, wide);
export const hospital = parent('hospital', ward, wide);
export const asylum = parent('asylum', deaf, wide);
export const inn = parent('inn', bed, {});
