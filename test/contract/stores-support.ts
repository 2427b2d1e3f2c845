/** Storages for the contract suites of the stores, and records to put into them. */

import type { Child } from '../../src/core/agent/children/child';
import type { InboundMessage } from '../../src/core/agent/inbound';
import type { AgentState, Call, RepliedStep, Run, Settlement, Step } from '../../src/core/agent/state';
import type { Chunk } from '../../src/protocol/chunks';
import { failure } from '../../src/protocol/errors';
import { NO_USAGE } from '../../src/protocol/usage';
import type { ObjectStorage } from '../../src/store/storage';

/** One storage, and a way to open it again, as after a restart: what was prepared or remembered before is gone. */
export interface Opened {
  readonly storage: ObjectStorage;
  reopen(): ObjectStorage;
}

/** Runs a body over an empty storage. */
export type WithStorage = (body: (opened: Opened) => void | Promise<void>) => Promise<void>;

/** More characters than a row holds, of which some are two halves that must stay together wherever a text is cut. */
export const LONG_TEXTS: readonly { readonly name: string; readonly text: string }[] = [
  { name: 'of one byte each', text: 'x'.repeat(1_300_000) },
  { name: 'of three bytes each', text: '\u4e2d'.repeat(700_000) },
  { name: 'that JSON escapes', text: '"\n\u0000'.repeat(250_000) },
  ...['', 'x'].map((before) => ({
    name: `of two halves each, after "${before}"`,
    text: before + '\u{1f600}'.repeat(620_000),
  })),
  { name: 'of halves that stand alone', text: '\ud83d'.repeat(110_000) + '\ude00'.repeat(110_000) },
];

export const RUN: Run = {
  phase: 'active',
  runId: 'r_1',
  epoch: 1,
  turn: 1,
  startedAt: 5,
  lineage: { chainTurn: 1, chainRunId: 'r_1', usageAtChainStart: NO_USAGE },
};

export const STEP: Extract<Step, { phase: 'model' }> = {
  phase: 'model',
  id: 1,
  turn: 1,
  number: 1,
  attempt: 1,
  recoveries: 0,
  token: 'token',
  messagesUpTo: 1,
  startedAt: 5,
  failures: [failure('model_overloaded')],
  spent: NO_USAGE,
  notBefore: 6,
};

/** A call of a step. */
export function call(
  index: number,
  plan: Call['plan'] = { kind: 'tool', replay: 'safe', finishWith: false, timeoutMs: 1 },
): Call {
  return { callId: `c_${index}`, providerId: 'p', name: 'note', input: { n: index }, index, plan, bodies: 1 };
}

/** A call that a child works on. */
export function childCall(index: number, className: string, slot: number, generation = 1): Call {
  const sessionId = `s_${className}_${slot}_${generation}`;
  return call(index, {
    kind: 'task',
    began: { childId: slot, task: 1, agentType: 'leaf', sessionId, address: '/a' },
    awaits: { tasks: [{ childId: slot, task: 1 }], need: 1 },
  });
}

/** The record of a child. */
export function childRecord(childId: number, className: string, segment: string, facts: Partial<Child> = {}): Child {
  return {
    childId,
    sessionId: `s_${className}_${segment}`,
    agentType: 'leaf',
    address: `/a/sub/leaf/${segment}`,
    lifetime: 'call',
    placement: { via: 'facet', className, segment },
    terms: { timeoutMs: 1, onParentSuspend: 'continue', onFailure: 'result' },
    setup: {},
    task: { number: 1, callId: `c_${childId}`, stepId: 1, await: 'step', deliver: 'result', firstRun: 1 },
    runNumber: 1,
    state: { is: 'working' },
    ...facts,
  };
}

/** A step with its reply. */
export function replied(id: number, calls: readonly Call[], facts: Partial<RepliedStep> = {}): RepliedStep {
  const { notBefore: _notBefore, ...step } = STEP;
  const reply = {
    reply: [{ type: 'text' as const, text: `step ${id}` }],
    model: 'm',
    finishReason: 'stop' as const,
    usage: NO_USAGE,
    repliedAt: 7,
  };
  return { ...step, ...reply, phase: 'calls', id, calls, ...facts };
}

export const SETTLED: Settlement = { result: { success: true, value: { n: 1 } }, at: 9, startedAt: 8 };

/** A message that arrived. */
export function message(id: number, content = `message ${id}`): InboundMessage {
  return { id, messageId: `m_${id}`, role: 'user', content, from: 'caller', at: id };
}

/** The state that a session begins with. */
export function state(facts: Partial<AgentState> = {}): AgentState {
  const session = {
    sessionId: 's_1',
    agentType: 'top',
    address: '/agents/top/one',
    root: { className: 'Top', name: 'one' },
    depth: 1,
    createdAt: 1,
    tags: ['a'],
  };
  return {
    session,
    custom: { some: 'state' },
    lastMessage: 0,
    inbox: [],
    children: new Map(),
    queued: [],
    slices: new Map(),
    spent: NO_USAGE,
    ...facts,
  };
}

/** Chunks of one agent, with texts of their own. */
export function chunks(count: number, delta = 'x'): Chunk[] {
  const base = { agentId: 's_1', agentType: 'top', address: '/a', runId: 'r', step: 1, attempt: 1 };
  return Array.from(
    { length: count },
    (_, index): Chunk => ({ ...base, type: 'text_delta', part: 0, delta: `${delta}${index}`, timestamp: index }),
  );
}
