/**
 * What an agent tells of itself: its standing, runs, state, limits and usage.
 *
 * Keeps A7, A11, A14, A43, A100, SU1, VR10.
 */
import * as z from 'zod';
import { type AgentState, type CallPlan, openCalls } from '../../core/agent/state';
import { shownSettings } from '../../core/definition/settings/settings';
import { spentBelow, totalSpent } from '../../core/tree/budget';
import type { RootNode } from '../../core/tree/node';
import { createdIn } from '../../core/tree/removed-agents';
import { ownControlsOf } from '../../engine/object/controls';
import type { RootRuntime } from '../../engine/root/root';
import { lessUsage, usageBy } from '../../protocol/usage';
import { limitsDocument, stateDocument } from '../../protocol/wire/readings';
import * as shape from '../../protocol/wire/shapes';
import { shownControlsOf } from '../routes/controls';
import { variableRequestsOf } from '../variables';
import { fromAgent, steered } from '../verb';
import { cursorOf, limitOf, stepsFrom } from './pages';
import { firstPending } from './pending';
import { agentStanding, listedRun, standingOf, taskOf, withBeginnings } from './standing';

/** How an agent stands. */
export const status = fromAgent({
  name: 'status',
  method: 'GET',
  path: 'status',
  action: 'read',
  summary: 'The status document: session, current or last run with its output or error, sub-agents, usage.',
  status: 200,
  errors: [],
  input: shape.nothing,
  output: shape.statusDocument,
  async handle({ object, agent }) {
    const variableRequests = await variableRequestsOf(object, agent);
    const waits = variableRequests.length === 0 ? {} : { variableRequests };
    return { body: { ...agentStanding(agent.state), ...waits, controls: ownControlsOf(agent) } };
  },
  async complete(context, { controls: own, ...reply }) {
    const { tree, node } = context;
    const controls = await shownControlsOf(context, own);
    return {
      ...standingOf(tree, tree.tree.get(node.id) ?? node),
      ...taskOf(tree.tree.get(node.id) ?? node),
      ...reply,
      ...(reply.run ? { run: withBeginnings(tree, node, [reply.run])[0] } : {}),
      pending: firstPending(tree, node, context.object.ports.definition),
      controls,
    };
  },
  whenQueued: async (context) => ({
    ...standingOf(context.tree, context.node),
    ...taskOf(context.node),
    tags: [],
    pending: [],
    controls: await shownControlsOf(context, undefined),
  }),
});

/** The runs of a session. */
export const runs = fromAgent({
  name: 'runs',
  method: 'GET',
  path: 'runs',
  action: 'read',
  summary: 'The runs of the session, oldest first.',
  status: 200,
  errors: ['invalid_cursor'],
  input: shape.pageInput,
  output: shape.pageOf(shape.listedRun),
  handle({ object, agent, input }) {
    const [after = 0] = cursorOf(input, 1);
    const limit = limitOf(input);
    const rows = object.store.runs({ after, limit: limit + 1 });
    const items = rows.slice(0, limit).map((run, at) => listedRun(object.store, agent.state, run, rows[at + 1]));
    return { body: rows.length > limit ? { items, cursor: String(items.at(-1)?.turn) } : { items } };
  },
  complete: ({ tree, node }, reply) => ({ ...reply, items: withBeginnings(tree, node, reply.items) }),
  whenQueued: () => ({ items: [] }),
});

/** The custom state, and the agent's own number of its last chunk. */
type StateReply = Pick<z.output<typeof stateDocument>, 'state'> & { readonly number: number };

/** The custom state. */
export const state = fromAgent({
  name: 'state',
  method: 'GET',
  path: 'state',
  action: 'read',
  summary: 'The custom state of the session.',
  status: 200,
  errors: ['unavailable', 'never_began'],
  input: shape.nothing,
  output: stateDocument,
  async handle({ agent }) {
    const body: StateReply = { state: agent.state.custom, number: agent.link.sink.number };
    // Answered once everything up to that number is in the log.
    await agent.link.flushed();
    return { body };
  },
  complete({ tree: { log }, node }, { state, number }) {
    const last = log.store.sequenceOf(node.id, number);
    return { state, asOfSequence: last === 0 ? log.first - 1 : last };
  },
});

/** The limits of an agent, and the settings of its model. */
export const limits = fromAgent({
  name: 'limits',
  method: 'GET',
  path: 'limits',
  action: 'read',
  summary: "The agent's limits with their current use, and the settings of its model.",
  status: 200,
  errors: ['unavailable', 'never_began'],
  input: shape.nothing,
  output: limitsDocument,
  handle: ({ agent: { seat, state } }) => ({
    body: { limits: { ...seat.rules.limits }, used: usedBy(state), settings: shownSettings(seat.definition.settings) },
  }),
  complete: ({ tree, node }, reply) =>
    node.kind === 'root' ? { ...reply, used: { ...reply.used, ...usedByTree(tree, node) } } : reply,
});

/** What an agent itself has used of its limits. */
function usedBy({ run, step, session, inbox, queued, children, spent }: AgentState): { [limit: string]: number } {
  const current = run !== undefined && step?.turn === run.turn ? step : undefined;
  const open = run?.phase === 'active' && current?.phase === 'calls' ? openCalls(current) : [];
  const of = (kind: CallPlan['kind']): number => open.filter(({ plan }) => plan.kind === kind).length;
  const own = lessUsage(spent, run?.lineage.usageAtChainStart ?? spent);
  return {
    maxSteps: current?.number ?? 0,
    maxConcurrentCalls: of('tool'),
    maxChildren: children.size,
    maxDepth: session.depth,
    maxInbox: inbox.length,
    maxQueuedStarts: queued.length,
    maxTokens: own.inputTokens + own.outputTokens,
    maxCostUsd: own.costUsd ?? 0,
  };
}

/** What a whole tree has used of the limits of its root. */
function usedByTree(tree: RootRuntime, node: RootNode): { [limit: string]: number } {
  const spent = lessUsage(totalSpent(tree.tree), node.top.usageAtTurnStart);
  return {
    maxConcurrentChildren: tree.tree.slotsTaken(),
    maxTreeChildren: createdIn(tree.tree),
    maxTreeTokens: spent.inputTokens + spent.outputTokens,
    maxTreeCostUsd: spent.costUsd ?? 0,
    maxTreeSteps: spent.modelCalls,
  };
}

/** Usage of an agent, or of its whole subtree. */
export const usage = steered({
  name: 'usage',
  method: 'GET',
  path: 'usage',
  action: 'read',
  summary: 'Tokens, calls and known cost, of the agent alone or with all its sub-agents.',
  status: 200,
  errors: [],
  input: z.strictObject({ includeSubAgents: shape.flag.optional() }),
  output: shape.usageDocument,
  agent: {
    handle({ object, agent }) {
      const parts = [...stepsFrom(object.store, 0)].flatMap((step) =>
        step.phase === 'calls' ? [[step.model, step.usage] as const] : [],
      );
      const byModel = usageBy(parts);
      const { spent, session } = agent.state;
      return { body: { total: spent, byAgent: { [session.agentType]: spent }, byModel } };
    },
    complete: (_context, reply) => reply,
    whenQueued: ({ node }) => ({ total: node.usage, byAgent: { [node.agentType]: node.usage }, byModel: {} }),
  },
  root: { ofAll: ({ tree, node }) => ({ body: spentBelow(tree.tree, node) }) },
  steer: (ways, _object, _call, { includeSubAgents }) => (includeSubAgents ? ways.root('ofAll') : ways.agent()),
});
