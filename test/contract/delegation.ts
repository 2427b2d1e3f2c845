/**
 * The contract of a placement: what its parent, its root and readers of the log see of a child is the same wherever it
 * lives. Each scenario is played over a placement, and gives what was seen, which the suites of all placements compare.
 */
import { z } from 'zod';
import type { StopVerb } from '../../src/core/agent/stop-verb';
import type { AgentOptions } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { AnyTool } from '../../src/core/definition/definition';
import { isObject, type Json } from '../../src/protocol/json';
import { reduceAll } from '../../src/protocol/reduce';
import { findAgent } from '../../src/protocol/view';
import type { Tree, TreeOptions, TreeParts } from '../support/harness';
import { agentOf, answer, noteTool, question, toolResults } from '../support/trees';

/** How a child `far` of an agent is placed. */
interface PlacedChild {
  /** Its tools, `far` that awaits it and `later` that does not, and its kind among companions. */
  readonly tools: readonly [awaited: AnyTool, background: AnyTool];
  readonly companion: NonNullable<AgentOptions['persistentAgents']>[number];
}

/** Makes the parts of a tree whose child is placed somewhere. */
export type Place = (tree: Tree, far: ReturnType<typeof agentOf>) => PlacedChild & Pick<TreeParts, 'env'>;

type Scripts = TreeParts['scripts'];

/** What happens: what the two say, and what a person does meanwhile. */
export interface Scenario {
  readonly scripts: Scripts;
  readonly options?: TreeOptions;
  readonly meanwhile?: (tree: Tree) => Promise<void>;
}

const far = (q: string) => ({ name: 'subagent__far', input: { q } });
const companion = (tool: string, input: object) => ({ name: `companion__${tool}`, input: { name: 'judge', ...input } });
const note = { calls: [{ name: 'note', input: { text: 'n' } }] };
const nap = { calls: [{ name: 'nap', input: {} }] };
const done = { finish: { answer: 'far' } };

/** The child, and nobody else, is at work on something that takes long. */
const working = (tree: Tree): Promise<void> =>
  tree.time.until(() => tree.log.some(({ chunk }) => chunk.type === 'tool_start' && chunk.toolName === 'nap'));

const stopped = (verb: StopVerb): Scenario => ({
  scripts: { top: [{ calls: [far('a')] }, { text: 'Done.' }], far: [nap, done] },
  async meanwhile(tree) {
    await working(tree);
    tree.stopSurely(verb);
  },
});

/** Every scenario, by its name. */
export const SCENARIOS: { readonly [name: string]: Scenario } = {
  'it works, and its output is the result': {
    scripts: { top: [{ calls: [far('a')] }, { text: 'Done.' }], far: [note, done] },
  },
  'it fails, and its failure is the result': {
    scripts: { top: [{ calls: [far('a')] }, { text: 'Done.' }], far: [note, { finish: { wrong: true } }] },
  },
  'two of them work side by side': {
    scripts: { top: [{ calls: [far('a'), far('b')] }, { text: 'Done.' }], far: [note, done] },
  },
  'it is interrupted with its parent, and goes on with it': {
    scripts: { top: [{ calls: [far('a')] }, { text: 'Done.' }], far: [nap, done] },
    async meanwhile(tree) {
      await working(tree);
      tree.stopSurely('interrupt');
      await tree.finish();
      await tree.resume();
    },
  },
  'it is interrupted': stopped('interrupt'),
  'it is aborted': stopped('abort'),
  'it is ended for good': stopped('terminate'),
  'it works in the background, and its end is a message': {
    scripts: {
      top: [
        { calls: [{ name: 'subagent__later', input: { q: 'a' } }] },
        { calls: [{ name: 'nap', input: {} }] },
        { text: 'Done.' },
      ],
      far: [note, done],
    },
  },
  'a companion works in the background, and its end is a message': {
    scripts: {
      top: [
        { calls: [companion('spawnAgent', { agent: 'far', initialMessage: 'one', mode: 'non-blocking' })] },
        { calls: [{ name: 'nap', input: {} }] },
        { text: 'Done.' },
      ],
      far: [note, done],
    },
  },
  'a companion has two tasks': {
    scripts: {
      top: [
        { calls: [companion('spawnAgent', { agent: 'far', initialMessage: 'one' })] },
        { calls: [companion('sendMessage', { message: 'two', wait: true })] },
        { text: 'Done.' },
      ],
      far: [note, done],
    },
  },
  'a companion is told something while it works, and ended for good': {
    scripts: {
      top: [
        { calls: [companion('spawnAgent', { agent: 'far', initialMessage: 'one', mode: 'non-blocking' })] },
        { calls: [{ name: 'nap', input: {} }] },
        { calls: [companion('sendMessage', { message: 'two' })] },
        { calls: [{ name: 'nap', input: {} }] },
        { calls: [companion('terminateChild', {})] },
        { text: 'Done.' },
      ],
      far: () => nap,
    },
  },
};

/** The parts of a tree for a scenario. */
export function partsOf(tree: Tree, place: Place, { scripts }: Scenario): TreeParts {
  const rests = defineTool({
    name: 'nap',
    description: 'Takes a moment.',
    inputSchema: z.object({}),
    replay: 'safe',
    execute: async () => {
      await new Promise<void>((resolve) => tree.time.environment.timer(2_000, resolve));
      return 'rested';
    },
  });
  const child = agentOf('far', { inputSchema: question, outputSchema: answer, tools: [noteTool(tree), rests] });
  const { tools, companion: kind, env } = place(tree, child);
  const top = agentOf('top', { tools: [...tools, rests], persistentAgents: [kind] });
  return { agents: [top, child], scripts, ...(env === undefined ? {} : { env }) };
}

/** What a child had done that did not complete is known of those that live here. */
const withoutDone = (value: Json): Json => {
  if (!isObject(value)) return value;
  const { done: _done, ...rest } = value;
  return rest;
};

/** The ends that its parent was told of in messages. */
const noticesIn = (tree: Tree): string[] =>
  tree.transcript().flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));

/** What was seen of a scenario: results, ends, and what each agent told in its order, without what took how long. */
export function seen(tree: Tree): object {
  const told: { [address: string]: string[] } = {};
  for (const { chunk } of tree.log) {
    const of = chunk.type === 'suspended' ? ` ${chunk.status}` : '';
    const list = told[chunk.address] ?? [];
    told[chunk.address] = list;
    if (!chunk.type.endsWith('_delta') && chunk.type !== 'thinking') list.push(`${chunk.type}${of}`);
  }
  const view = reduceAll(tree.log);
  return {
    heard: noticesIn(tree),
    results: toolResults(tree).map((result) => (result.success ? withoutDone(result.value) : result.error.code)),
    outcome: tree.outcome,
    told,
    nodes: tree.nodes.map(({ address, status, usage, kind }) => ({
      ...{ address, kind, status },
      usage: { steps: usage.modelCalls, tools: usage.toolCalls },
    })),
    view: tree.nodes.map(({ sessionId }) => findAgent(view, sessionId)?.status),
    pending: tree.pending.length,
  };
}
