/** A conversation of many turns with a tool of long results, under a context, and what its requests were. */
import { z } from 'zod';
import type { ContextOptions } from '../../src/core/definition/context';
import { defineTool } from '../../src/core/definition/define-tool';
import type { ModelRequest } from '../../src/core/definition/model-port';
import type { Message } from '../../src/protocol/messages';
import type { Tree, TreeOptions, TreeParts } from './harness';
import { Tree as Runs } from './harness';
import type { Answer, Asked } from './scripted-port';
import { agentOf } from './trees';

/** A request without what is minted anew in each run. */
export const plain = (messages: readonly Message[]): string =>
  JSON.stringify(messages).replaceAll(/"toolCallId":"[^"]*"/g, '"toolCallId":"of the same length each time"');

/** What a provider would count of messages: four characters for a token. */
export const counted = (messages: readonly Message[]): number => Math.ceil(plain(messages).length / 4);

/** What the tool gives for each call. Unit: characters. */
const RESULT = 2_000;

/** Looks something up; the result says what for, and is long. */
const lookTool = (tree: Tree) =>
  defineTool({
    name: 'look',
    description: 'Looks something up.',
    inputSchema: z.object({ what: z.string() }),
    replay: 'safe',
    execute: ({ what }, { idempotencyKey }) => {
      tree.body(idempotencyKey);
      return `${what}: ${'found '.repeat(RESULT / 6)}`;
    },
  });

/** The last thing that a person asked. */
function question(messages: readonly Message[]): string {
  const last = messages.findLast((message) => message.role === 'user');
  return typeof last?.content === 'string' ? last.content : '';
}

/** Looks up what is asked, so often in a turn, and then says so. */
export function answering({ step, messages }: ModelRequest, looks = 1): Answer {
  const usage = { inputTokens: counted(messages) };
  if (step === 0) return { text: `Summary of ${messages.length}.`, usage };
  if (step > looks) return { text: `Answer to ${question(messages).slice(0, 20)}`, usage };
  return { calls: [{ name: 'look', input: { what: `${question(messages).slice(0, 20)} ${step}` } }], usage };
}

/** An agent that does so, within a context where there is one. */
export function talker(context: ContextOptions | undefined, looks = 1) {
  return (tree: Tree): TreeParts => ({
    agents: [agentOf('talker', { tools: [lookTool(tree)], ...(context ? { context } : {}) })],
    scripts: { talker: (request) => answering(request, looks) },
  });
}

/** Asks so many questions, one after the other. */
export async function talked(make: (tree: Tree) => TreeParts, turns: number, options: TreeOptions = {}): Promise<Tree> {
  const tree = new Runs(make, options);
  for (let turn = 1; turn <= turns; turn++) await tree.run(`Question ${turn}`);
  return tree;
}

/** The last request of each step, in order, without those for summaries. */
export function requests({ port }: Tree): Asked[] {
  const last = new Map<string, Asked>();
  for (const asked of port.asked) if (asked.step > 0) last.set(`${asked.runId} ${asked.step}`, asked);
  return [...last.values()];
}

/** What the log tells of compactions, in order. */
export const compactions = (tree: Tree) =>
  tree.log.flatMap(({ chunk }) => (chunk.type === 'context_compacted' ? [chunk] : []));

/** A writer that asks a companion so many times, which stays within its context. */
export function consulting(times: number, context: ContextOptions) {
  return (tree: Tree): TreeParts => {
    const critic = agentOf('critic', { tools: [lookTool(tree)], context });
    const name = 'judge';
    const consult = (step: number) =>
      step === 1
        ? { name: 'companion__spawnAgent', input: { agent: 'critic', name, initialMessage: 'Question 1' } }
        : { name: 'companion__sendMessage', input: { name, message: `Question ${step}`, wait: true } };
    return {
      agents: [agentOf('writer', { persistentAgents: [{ agent: critic }] }), critic],
      scripts: {
        writer: ({ step }) => (step > times ? { text: 'Enough.' } : { calls: [consult(step)] }),
        critic: (request) => answering(request),
      },
    };
  };
}
