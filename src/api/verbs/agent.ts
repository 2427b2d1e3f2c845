/** What an agent tells of itself: its standing, runs, calls, logs, state and limits. */
import { z } from 'zod';
import { type CallPlan, openCalls, type Step } from '../../core/state';
import { addUsage, NO_USAGE, type Usage } from '../../core/usage';
import * as shape from '../schemas';
import { fromAgent, fromTree, type Verb } from '../verb';
import { cursorOf, limitOf, type Placed, pageOfSteps, stepsFrom } from './pages';
import { agentStanding, rolledUp, runView, standingOf } from './standing';

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
  handle: ({ agent }) => ({ body: agentStanding(agent.state) }),
  complete: ({ tree, node }, said) => ({ ...standingOf(tree, tree.tree.get(node.id) ?? node), ...said, pending: [] }),
  whenQueued: ({ tree, node }) => ({ ...standingOf(tree, node), tags: [], pending: [] }),
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
  output: shape.pageOf(shape.run),
  handle({ object, input }) {
    const [after = 0] = cursorOf(input, 1);
    const limit = limitOf(input);
    const rows = object.store.runs({ after, limit: limit + 1 });
    const items = rows.slice(0, limit).map(runView);
    return { body: rows.length > limit ? { items, cursor: String(items.at(-1)?.turn) } : { items } };
  },
  complete: (_asked, said) => said,
  whenQueued: () => ({ items: [] }),
});

const ledgerEntry = z.object({
  toolCallId: z.string(),
  toolName: z.string(),
  kind: z.enum(['tool', 'sub-agent', 'finish', 'refused']),
  input: shape.json,
  turn: z.number().int(),
  step: z.number().int(),
  status: z.enum(['open', 'succeeded', 'failed']),
  bodies: z.number().int().describe('How often its body was begun; above 1 only after a crash.'),
  result: shape.json.optional(),
  error: shape.failureShape.optional(),
  startedAt: shape.time.optional(),
  endedAt: shape.time.optional(),
  subAddress: z.string().optional(),
  subSessionId: z.string().optional(),
});

const KINDS: Record<CallPlan['kind'], z.output<typeof ledgerEntry>['kind']> = {
  tool: 'tool',
  child: 'sub-agent',
  finish: 'finish',
  refused: 'refused',
};

function ledgerOf(step: Step): Placed<z.output<typeof ledgerEntry>>[] {
  if (step.phase !== 'calls') return [];
  return step.calls.map((call) => {
    const { plan, settled } = call;
    const result = settled?.result;
    const facts = {
      toolCallId: call.callId,
      toolName: call.name,
      kind: KINDS[plan.kind],
      input: call.input,
      turn: step.turn,
      step: step.number,
      bodies: call.bodies,
      ...(plan.kind === 'child' ? { subAddress: plan.address, subSessionId: plan.sessionId } : {}),
      ...(settled ? { startedAt: settled.startedAt, endedAt: settled.at } : {}),
    };
    const place = call.index + 1;
    if (result === undefined) return { place, item: { ...facts, status: 'open' } };
    return {
      place,
      item: result.success
        ? { ...facts, status: 'succeeded', result: result.value }
        : { ...facts, status: 'failed', error: result.error },
    };
  });
}

/** The ledger of calls. */
export const calls = fromAgent({
  name: 'calls',
  method: 'GET',
  path: 'calls',
  action: 'read',
  summary: 'The ledger of tool calls, each with its one result.',
  status: 200,
  errors: ['invalid_cursor'],
  input: shape.pageInput,
  output: shape.pageOf(ledgerEntry),
  handle: ({ object, input }) => ({ body: pageOfSteps(object.store, input, ledgerOf) }),
  complete: (_asked, said) => said,
  whenQueued: () => ({ items: [] }),
});

const logEntry = z.object({
  kind: z.enum(['model', 'tool', 'sub-agent']),
  turn: z.number().int(),
  step: z.number().int(),
  model: z.string().optional().describe('provider/model, as the provider names them'),
  toolCallId: z.string().optional(),
  toolName: z.string().optional(),
  attempts: z.number().int(),
  errors: z.array(shape.failureShape).readonly().describe('What went wrong, oldest first.'),
  startedAt: shape.time,
  endedAt: shape.time.optional(),
  finishReason: z.string().optional(),
  usage: shape.usage.optional(),
});

function logOf(step: Step): Placed<z.output<typeof logEntry>>[] {
  const at = { turn: step.turn, step: step.number };
  const asked = {
    kind: 'model' as const,
    ...at,
    attempts: step.attempt,
    errors: step.failures,
    startedAt: step.startedAt,
  };
  if (step.phase === 'model') return [{ place: 1, item: asked }];
  const replied = {
    ...asked,
    model: step.model,
    endedAt: step.repliedAt,
    finishReason: step.finishReason,
    usage: step.usage,
  };
  const tools = step.calls.flatMap((call) => {
    const { plan, settled } = call;
    if (settled === undefined || (plan.kind !== 'tool' && plan.kind !== 'child')) return [];
    const item = {
      kind: KINDS[plan.kind] as 'tool' | 'sub-agent',
      ...at,
      toolCallId: call.callId,
      toolName: call.name,
      attempts: call.bodies,
      errors: settled.result.success ? [] : [settled.result.error],
      startedAt: settled.startedAt,
      endedAt: settled.at,
      ...(settled.usage ? { usage: settled.usage } : {}),
    };
    return [{ place: call.index + 2, item }];
  });
  return [{ place: 1, item: replied }, ...tools];
}

/** The log of model calls and tools. */
export const logs = fromAgent({
  name: 'logs',
  method: 'GET',
  path: 'logs',
  action: 'read',
  summary: 'Model calls and tools with their times, attempts, tokens and errors.',
  status: 200,
  errors: ['invalid_cursor'],
  input: shape.pageInput,
  output: shape.pageOf(logEntry),
  handle: ({ object, input }) => ({ body: pageOfSteps(object.store, input, logOf) }),
  complete: (_asked, said) => said,
  whenQueued: () => ({ items: [] }),
});

/** The custom state. */
export const state = fromAgent({
  name: 'state',
  method: 'GET',
  path: 'state',
  action: 'read',
  summary: 'The custom state of the session.',
  status: 200,
  errors: ['unavailable'],
  input: shape.nothing,
  output: z.object({ state: shape.json }),
  handle: ({ agent }) => ({ body: { state: agent.state.custom } }),
  complete: (_asked, said) => said,
});

const limited = z.record(z.string(), z.number());

/** The limits of an agent. */
export const limits = fromAgent({
  name: 'limits',
  method: 'GET',
  path: 'limits',
  action: 'read',
  summary: 'The limits of the agent, and how much of some is used.',
  status: 200,
  errors: ['unavailable'],
  input: shape.nothing,
  output: z.object({ limits: limited, used: limited }),
  handle({ agent }) {
    const { run, step, session } = agent.state;
    const current = run !== undefined && step?.turn === run.turn ? step : undefined;
    const open = run?.phase === 'active' && current?.phase === 'calls' ? openCalls(current) : [];
    const of = (kind: CallPlan['kind']): number => open.filter(({ plan }) => plan.kind === kind).length;
    const used = {
      maxSteps: current?.number ?? 0,
      maxConcurrentCalls: of('tool'),
      maxChildren: of('child'),
      maxDepth: session.depth,
      maxInbox: agent.state.inbox.length,
    };
    return { body: { limits: { ...agent.rules.limits }, used } };
  },
  complete({ tree, node }, said) {
    if (node.id !== 1) return said;
    const nodes = [...tree.tree.all()].filter((other) => other.id !== node.id);
    const maxTreeChildren = nodes.filter((other) => other.turn === node.turn).length;
    return { ...said, used: { ...said.used, maxConcurrentChildren: tree.tree.working(), maxTreeChildren } };
  },
});

const usageOutput = z.object({
  total: shape.usage,
  byAgent: z.record(z.string(), shape.usage),
  byModel: z.record(z.string(), shape.usage).optional().describe('Without sub-agents only.'),
});
const usageFacts = {
  name: 'usage',
  method: 'GET' as const,
  path: 'usage',
  action: 'read' as const,
  summary: 'Tokens, calls and known cost, of the agent alone or with all of its sub-agents.',
  status: 200,
  errors: [],
  input: z.strictObject({ includeSubAgents: shape.flag.optional() }),
  output: usageOutput,
};

const usageOfAll = fromTree({
  ...usageFacts,
  handle: ({ tree, node }) => ({ body: rolledUp(tree, node) }),
});

const usageOfOne = fromAgent({
  ...usageFacts,
  handle({ object, agent }) {
    const byModel: { [model: string]: Usage } = {};
    for (const step of stepsFrom(object.store, 0)) {
      if (step.phase === 'calls') byModel[step.model] = addUsage(byModel[step.model] ?? NO_USAGE, step.usage);
    }
    const { spent, session } = agent.state;
    return { body: { total: spent, byAgent: { [session.agentType]: spent }, byModel } };
  },
  complete: (_asked, said) => said,
  whenQueued: ({ node }) => ({ total: node.usage, byAgent: { [node.agentType]: node.usage }, byModel: {} }),
});

/** What was spent. */
export const usage: Verb = {
  ...usageOfOne,
  answer: (object, call) =>
    (usageFacts.input.parse(call.input).includeSubAgents ? usageOfAll : usageOfOne).answer(object, call),
};
