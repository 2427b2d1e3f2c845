/**
 * What an agent's steps did: the ledger of calls, and the log of model calls and tools.
 *
 * Keeps A10, A43.
 */
import type * as z from 'zod';
import { type PendingCall, pendingIn } from '../core/agent/calls/answer';
import { bodiesBegun } from '../core/agent/calls/call';
import { MAX_HOOK_FAILURES } from '../core/agent/hooks/hooks';
import { effects } from '../core/agent/owed-effects';
import type { Call, CallPlan, Step } from '../core/agent/state';
import { MAX_CALLS_OF_A_REPLY } from '../core/definition/reply-size';
import { shownFailure } from '../protocol/errors';
import * as reading from '../protocol/wire/readings';
import * as shape from '../protocol/wire/shapes';
import { type Positioned, pageOfSteps } from './reads/pages';
import { fromAgent } from './verb';

const KINDS = {
  tool: 'tool',
  client: 'client-tool',
  task: 'sub-agent',
  immediate: 'built-in',
  refused: 'refused',
} as const satisfies Record<CallPlan['kind'], z.output<typeof reading.ledgerEntry>['kind']>;

function answerOf({ answer, settled }: Call): Pick<z.output<typeof reading.ledgerEntry>, 'answer'> {
  const record = answer ?? settled?.answer;
  if (record === undefined) return {};
  const { order: _order, ...shown } = record;
  return { answer: shown };
}

/** What of an agent goes on now, by the ids of calls: what waits for a person, and what has a body at work. */
interface Now {
  readonly pending: ReadonlyMap<string, PendingCall>;
  readonly running: ReadonlySet<string>;
}

function ledgerOf(step: Step, { pending, running }: Now): Positioned<z.output<typeof reading.ledgerEntry>>[] {
  if (step.phase !== 'calls') return [];
  return step.calls.map((call) => {
    const { plan, settled } = call;
    const result = settled?.result;
    const waits = pending.get(call.callId);
    const facts = {
      toolCallId: call.callId,
      toolName: call.name,
      kind: KINDS[plan.kind],
      input: call.input,
      turn: step.turn,
      step: step.number,
      bodies: bodiesBegun(call, running.has(call.callId)),
      ...(waits?.expiresAt === undefined ? {} : { expiresAt: waits.expiresAt }),
      ...answerOf(call),
      ...(plan.kind === 'task' && plan.began
        ? { subAddress: plan.began.address, subSessionId: plan.began.sessionId }
        : {}),
      startedAt: settled?.startedAt ?? step.repliedAt,
      ...(settled ? { endedAt: settled.at } : {}),
    };
    const position = call.index + 1;
    if (result === undefined) return { position, item: { ...facts, status: waits ? 'pending' : 'open' } };
    return {
      position,
      item: result.success
        ? { ...facts, status: 'succeeded', result: result.value }
        : { ...facts, status: 'failed', error: shownFailure(result.error) },
    };
  });
}

/** The ledger of calls. */
export const calls = fromAgent({
  name: 'calls',
  method: 'GET',
  path: 'calls',
  action: 'read',
  summary: 'The tool calls, each with its one result.',
  status: 200,
  errors: ['invalid_cursor'],
  input: shape.pageInput,
  output: shape.pageOf(reading.ledgerEntry),
  handle({ object, agent, input }) {
    const pending = new Map(pendingIn(agent.state).map((item) => [item.toolCallId, item]));
    const bodies = effects(agent.state, agent.seat.rules).filter((effect) => effect.kind === 'tool');
    const running = new Set(bodies.map(({ call }) => call.callId));
    return { body: pageOfSteps(object.store, input, (step) => ledgerOf(step, { pending, running })) };
  },
  complete: (_context, reply) => reply,
  whenQueued: () => ({ items: [] }),
});

/** Hooks that failed come behind all calls of their step. */
const HOOKS = MAX_CALLS_OF_A_REPLY + 2;

/** The compaction of its request comes last. */
const COMPACTION = HOOKS + MAX_HOOK_FAILURES;

function compactionOf(
  { compaction }: Step,
  at: { turn: number; step: number },
): Positioned<z.output<typeof reading.logEntry>>[] {
  if (compaction === undefined) return [];
  const { summary, by, startedAt, at: endedAt, usage, error } = compaction;
  const item = {
    kind: 'compaction' as const,
    ...at,
    attempts: by === 'model' ? 1 : 0,
    errors: error ? [shownFailure(error)] : [],
    startedAt,
    endedAt,
    ...(usage ? { usage } : {}),
    ...(summary === '' ? {} : { summary }),
    summaryBy: by,
  };
  return [{ position: COMPACTION, item }];
}

function logOf(step: Step): Positioned<z.output<typeof reading.logEntry>>[] {
  const at = { turn: step.turn, step: step.number };
  const entry = {
    kind: 'model' as const,
    ...at,
    attempts: step.attempt,
    errors: step.failures.map(shownFailure),
    startedAt: step.startedAt,
  };
  const hooks = (step.hookFailures ?? []).map(({ hook, hookId, callId, at: time, error }, index) => ({
    position: HOOKS + index,
    item: {
      kind: 'hook' as const,
      hook,
      ...(hookId === undefined ? {} : { hookId }),
      ...at,
      ...(callId === undefined ? {} : { toolCallId: callId }),
      attempts: 1,
      errors: [shownFailure(error)],
      startedAt: time,
      endedAt: time,
    },
  }));
  const last = [...hooks, ...compactionOf(step, at)];
  if (step.phase === 'model') return [{ position: 1, item: entry }, ...last];
  const replied = {
    ...entry,
    model: step.model,
    endedAt: step.repliedAt,
    finishReason: step.finishReason,
    ...(step.notes === undefined ? {} : { notes: [...step.notes] }),
    usage: step.usage,
  };
  const tools = step.calls.flatMap((call) => {
    const { plan, settled } = call;
    if (settled === undefined || plan.kind === 'immediate' || plan.kind === 'refused') return [];
    const item = {
      kind: KINDS[plan.kind],
      ...at,
      toolCallId: call.callId,
      toolName: call.name,
      attempts: bodiesBegun(call, false),
      errors: settled.result.success ? [] : [shownFailure(settled.result.error)],
      startedAt: settled.startedAt,
      endedAt: settled.at,
      ...(settled.usage ? { usage: settled.usage } : {}),
    };
    return [{ position: call.index + 2, item }];
  });
  return [{ position: 1, item: replied }, ...tools, ...last];
}

/** The log of model calls and tools. */
export const logs = fromAgent({
  name: 'logs',
  method: 'GET',
  path: 'logs',
  action: 'read',
  summary: 'Model calls and tools with times, attempts, tokens and errors, and failed hooks.',
  status: 200,
  errors: ['invalid_cursor'],
  input: shape.pageInput,
  output: shape.pageOf(reading.logEntry),
  handle: ({ object, input }) => ({ body: pageOfSteps(object.store, input, logOf) }),
  complete: (_context, reply) => reply,
  whenQueued: () => ({ items: [] }),
});
