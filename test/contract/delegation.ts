/**
 * The contract of a placement: what its parent, its root and readers of the log see of a child is the same wherever it
 * lives. Each scenario is played over a placement, and gives what was seen, which the suites of all placements compare.
 */
import { z } from 'zod';
import type { StopVerb } from '../../src/core/agent/runs/stop-verb';
import type { AgentOptions } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { AnyTool } from '../../src/core/definition/definition';
import type { SequencedChunk } from '../../src/protocol/chunks';
import { isObject, type Json } from '../../src/protocol/json';
import type { Usage } from '../../src/protocol/usage';
import { reduceAll } from '../../src/protocol/view/reduce';
import { findAgent } from '../../src/protocol/view/view';
import type { Tree, TreeParts } from '../support/harness';
import type { Answer } from '../support/scripted-port';
import { agentOf, answer, noteTool, question, toolResults } from '../support/trees';

/** How a child `far` of an agent is placed. */
interface PlacedChild {
  /** Its tools, `far` that awaits it and `later` that does not, and its kind among companions. */
  readonly tools: readonly [awaited: AnyTool, background: AnyTool];
  readonly companion: NonNullable<AgentOptions['persistentAgents']>[number];
}

/** Makes the parts of a tree whose child is placed somewhere. */
export type Place = (tree: Tree, far: ReturnType<typeof agentOf>) => PlacedChild & Pick<TreeParts, 'env'>;

/** What one of them says at a step. */
type Said = Pick<Answer, 'text' | 'calls' | 'finish'>;

/** What a person can do, and wait for, while a scenario is played. */
export interface Stage {
  /** The child, and nobody else, is at work on something that takes long. */
  working(): Promise<void>;
  stop(verb: StopVerb): Promise<void>;
  /** The run of the parent has ended. */
  ended(): Promise<void>;
  resume(): Promise<void>;
}

/** What happens: what the two say at each step, and what a person does meanwhile. */
export interface Scenario {
  readonly scripts: { readonly [who in 'top' | 'far']: readonly Said[] | ((at: { readonly step: number }) => Said) };
  readonly meanwhile?: (stage: Stage) => Promise<void>;
}

/**
 * Until when a nap lasts, by the log of the tree: in virtual time each is long enough for that. One that has no such
 * moment lasts until it is stopped.
 */
export const WAKES: { readonly [until: string]: (log: readonly SequencedChunk[], top: string) => boolean } = {
  'the child has ended': (log) => log.some(({ chunk }) => chunk.type === 'subagent_end'),
  'the child is at work': (log, top) => napsBelow(log, top) >= 1,
  'the child goes on': (log, top) =>
    log.filter(({ chunk }) => chunk.type === 'run_started' && chunk.address !== top).length >= 2,
  'the child was told something': (log) => {
    const sent = log.find(({ chunk }) => chunk.type === 'tool_start' && chunk.toolName === 'companion__sendMessage');
    const call = sent?.chunk.type === 'tool_start' ? sent.chunk.toolCallId : undefined;
    return log.some(({ chunk }) => chunk.type === 'tool_end' && chunk.toolCallId === call);
  },
  'the child has read it': (log, top) => napsBelow(log, top) >= 2,
};

const napsBelow = (log: readonly SequencedChunk[], top: string): number =>
  log.filter(({ chunk }) => chunk.type === 'tool_start' && chunk.toolName === 'nap' && chunk.address !== top).length;

const far = (q: string) => ({ name: 'subagent__far', input: { q } });
const companion = (tool: string, input: object) => ({ name: `companion__${tool}`, input: { name: 'judge', ...input } });
const note = { calls: [{ name: 'note', input: { text: 'n' } }] };
const nap = (until = 'it is stopped') => ({ calls: [{ name: 'nap', input: { until } }] });
const done = { finish: { answer: 'far' } };

const stopped = (verb: StopVerb): Scenario => ({
  scripts: { top: [{ calls: [far('a')] }, { text: 'Done.' }], far: [nap(), done] },
  async meanwhile(stage) {
    await stage.working();
    await stage.stop(verb);
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
    scripts: { top: [{ calls: [far('a')] }, { text: 'Done.' }], far: [nap('the child goes on'), done] },
    async meanwhile(stage) {
      await stage.working();
      await stage.stop('interrupt');
      await stage.ended();
      await stage.resume();
    },
  },
  'it is interrupted': stopped('interrupt'),
  'it is aborted': stopped('abort'),
  'it is ended for good': stopped('terminate'),
  'it works in the background, and its end is a message': {
    scripts: {
      top: [{ calls: [{ name: 'subagent__later', input: { q: 'a' } }] }, nap('the child has ended'), { text: 'Done.' }],
      far: [note, done],
    },
  },
  'a companion works in the background, and its end is a message': {
    scripts: {
      top: [
        { calls: [companion('spawnAgent', { agent: 'far', initialMessage: 'one', mode: 'non-blocking' })] },
        nap('the child has ended'),
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
        nap('the child is at work'),
        { calls: [companion('sendMessage', { message: 'two' })] },
        nap('the child has read it'),
        { calls: [companion('terminateChild', {})] },
        { text: 'Done.' },
      ],
      far: ({ step }) => nap(step === 1 ? 'the child was told something' : undefined),
    },
  },
};

/** What a nap is told. */
export const napping = z.object({ until: z.string() });

/** The parts of a tree for a scenario. */
export function partsOf(tree: Tree, place: Place, { scripts }: Scenario): TreeParts {
  const rests = defineTool({
    name: 'nap',
    description: 'Takes a moment.',
    inputSchema: napping,
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

/** What is known of a tree once a scenario has been played, on the stage that it was played on. */
interface Played {
  /** The address of the parent. */
  readonly address: string;
  readonly log: readonly SequencedChunk[];
  /** The messages that the parent's model reads as the user's. */
  readonly heard: readonly string[];
  /** Of its calls: what came of each, or the code of its failure. */
  readonly results: readonly Json[];
  readonly outcome: unknown;
  readonly nodes: readonly {
    readonly sessionId: string;
    readonly address: string;
    readonly status: string;
    readonly usage: Usage;
  }[];
  readonly pending: number;
}

/** What was seen of a scenario: results, ends, and what each agent told in its order, without what took how long. */
export function seenOf({ address, log, heard, results, nodes, ...others }: Played): object {
  const told: { [address: string]: string[] } = {};
  for (const { chunk } of log) {
    const of = chunk.type === 'suspended' ? ` ${chunk.status}` : '';
    const list = told[chunk.address] ?? [];
    told[chunk.address] = list;
    if (!chunk.type.endsWith('_delta') && chunk.type !== 'thinking') list.push(`${chunk.type}${of}`);
  }
  const view = reduceAll(log);
  const seen = {
    ...others,
    heard,
    results: results.map(withoutDone),
    told,
    nodes: nodes.map(({ address: at, status, usage }) => ({
      ...{ address: at, status },
      usage: { steps: usage.modelCalls, tools: usage.toolCalls },
    })),
    view: nodes.map(({ sessionId }) => findAgent(view, sessionId)?.status),
  };
  return JSON.parse(JSON.stringify(seen).replaceAll(address, ''));
}

/** The same of a tree in virtual time. */
export function seen(tree: Tree): object {
  const heard = tree
    .transcript()
    .flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));
  const results = toolResults(tree).map((result) => (result.success ? result.value : result.error.code));
  const { address, log, outcome, nodes, pending } = tree;
  return seenOf({ address, log, heard, results, outcome, nodes, pending: pending.length });
}

/** A tree in virtual time as a stage. */
export const stageOf = (tree: Tree): Stage => ({
  working: () =>
    tree.time.until(() => tree.log.some(({ chunk }) => chunk.type === 'tool_start' && chunk.toolName === 'nap')),
  async stop(verb) {
    tree.stopSurely(verb);
  },
  async ended() {
    await tree.finish();
  },
  async resume() {
    await tree.resume();
  },
});
