/** A builder of logs as a tree's root would keep them: every chunk gets the next sequence and a later time. */

import { inputHashOf } from '../../src/engine/perform/input-hash';
import type { Chunk, ChunkBody, SequencedChunk } from '../../src/protocol/chunks';
import type { Failure } from '../../src/protocol/errors';
import type { Json } from '../../src/protocol/json';
import type { SuspendedStatus } from '../../src/protocol/status';
import type { Usage } from '../../src/protocol/usage';
import type { AnswerKind, PendingKind } from '../../src/protocol/view/waiting';

/** The hashes of a log in tests: any 64 hexadecimal digits, made without Node, as pages read such logs too. */
export const LOG_HASHES = {
  sha256: (text: string): string =>
    [...text]
      .reduce((sum, letter) => (sum * 31n + BigInt(letter.charCodeAt(0))) % 2n ** 256n, 7n)
      .toString(16)
      .padStart(64, '0'),
};

/** When the logs of tests begin, and how much later each chunk is, in ms. */
export const LOG_START = 1_700_000_000_000;
const TICK_MS = 500;

/** What a step of the tests spends. */
export const STEP_USAGE: Usage = {
  inputTokens: 900,
  outputTokens: 100,
  cachedTokens: 0,
  reasoningTokens: 0,
  modelCalls: 1,
  toolCalls: 1,
};

/** An agent that writes into a log. */
export interface LogAgent {
  readonly agentId: string;
  readonly address: string;
  /** Appends any chunk, at the agent's current run, step and attempt unless it says otherwise. */
  emit(body: ChunkBody & Partial<Pick<Chunk, 'agentId' | 'runId' | 'step' | 'attempt'>>): LogAgent;
  run(runId: string, input?: Json): LogAgent;
  /** Ends the current run as interrupted; its calls and delegations stay open. */
  interrupted(reason?: string): LogAgent;
  /** Starts a run that continues the current one at the same step and attempt. */
  resumed(runId: string): LogAgent;
  step(number: number): LogAgent;
  text(...deltas: string[]): LogAgent;
  /** Throws the current attempt away and goes on with the next one. */
  discard(reason?: string): LogAgent;
  commit(): LogAgent;
  tool(toolCallId: string, toolName: string, args: Json): LogAgent;
  /** Asks a person: for the result of a client's tool, or for the approval of one that runs here. */
  asks(kind: PendingKind, toolCallId: string, toolName: string, args: Json, expiresAt?: number): LogAgent;
  answered(toolCallId: string, answer: { kind: AnswerKind; approved?: boolean; actor?: string }): LogAgent;
  suspended(status: SuspendedStatus): LogAgent;
  toolEnd(toolCallId: string, result: Json): LogAgent;
  toolFailed(toolCallId: string, error: Failure): LogAgent;
  /** Calls a sub-agent; `name` is its slot. */
  spawn(callId: string, type: string, name: string, args: Json): LogAgent;
  /** Settles the call of a sub-agent with its result. */
  settled(callId: string, child: LogAgent, result: Json): LogAgent;
  completed(output: Json): LogAgent;
  failed(error: Failure): LogAgent;
}

/** A log under construction. */
export interface Log {
  readonly entries: SequencedChunk[];
  /** The agent at the top. */
  root(type: string, name: string): LogAgent;
}

/** An empty log. */
export function newLog(): Log {
  const entries: SequencedChunk[] = [];
  const append = (chunk: Omit<Chunk, 'timestamp'> & ChunkBody): void => {
    const sequence = entries.length + 1;
    entries.push({ sequence, chunk: { ...chunk, timestamp: LOG_START + sequence * TICK_MS } });
  };
  return { entries, root: (type, name) => agentOf(append, type, `/agents/${type}/${name}`, `s_${name}`) };
}

type Append = (chunk: Omit<Chunk, 'timestamp'> & ChunkBody) => void;

/** What an agent writes that waits for a person. */
function waitsOf(emit: LogAgent['emit']): Pick<LogAgent, 'asks' | 'answered' | 'suspended'> {
  return {
    asks: (kind, toolCallId, toolName, args, expiresAt) => {
      const request = { toolCallId, toolName, arguments: args, ...(expiresAt === undefined ? {} : { expiresAt }) };
      return kind === 'approval'
        ? emit({ type: 'tool_approval_request', ...request, inputHash: inputHashOf(LOG_HASHES, args) })
        : emit({ type: 'client_tool_request', ...request });
    },
    answered: (toolCallId, answer) => emit({ type: 'tool_answered', toolCallId, ...answer }),
    suspended: (status) => emit({ type: 'suspended', status, pending: [], children: [] }),
  };
}

/** The first task of a parent's first child. */
const FIRST_TASK = { generation: 1, childId: 1, task: 1 } as const;

function agentOf(append: Append, agentType: string, address: string, agentId: string): LogAgent {
  let at = { runId: 'r_none', step: 0, attempt: 0 };
  const agent: LogAgent = {
    agentId,
    address,
    emit(body) {
      append({ agentId, agentType, address, ...at, ...body });
      return agent;
    },
    run(runId, input) {
      at = { runId, step: 0, attempt: 0 };
      return agent.emit({ type: 'run_started', turn: 1, chainTurn: 1, ...(input === undefined ? {} : { input }) });
    },
    interrupted: (reason = 'user') => agent.emit({ type: 'run_interrupted', reason }),
    resumed(runId) {
      const resumedFrom = at.runId;
      at = { ...at, runId };
      return agent.emit({ type: 'run_started', turn: 1, chainTurn: 1, resumedFrom });
    },
    step(number) {
      at = { ...at, step: number, attempt: 1 };
      return agent.emit({ type: 'step_started' });
    },
    text(...deltas) {
      for (const delta of deltas) agent.emit({ type: 'text_delta', part: 0, delta });
      return agent;
    },
    discard(reason = 'recovered') {
      agent.emit({ type: 'step_discarded', reason });
      at = { ...at, attempt: at.attempt + 1 };
      return agent;
    },
    commit: () =>
      agent.emit({
        type: 'step_committed',
        finishReason: 'stop',
        usage: STEP_USAGE,
        checkpointId: `${agentId}.${at.step}`,
        model: 'test/model',
      }),
    tool: (toolCallId, toolName, args) => agent.emit({ type: 'tool_start', toolCallId, toolName, arguments: args }),
    ...waitsOf((body) => agent.emit(body)),
    toolEnd: (toolCallId, result) => agent.emit({ type: 'tool_end', toolCallId, success: true, result }),
    toolFailed: (toolCallId, error) => agent.emit({ type: 'tool_end', toolCallId, success: false, error }),
    spawn(callId, type, name, args) {
      const child = agentOf(append, type, `${address}/sub/${type}/${name}`, `s_${callId}`);
      agent.tool(callId, `subagent__${type}`, args);
      agent.emit({
        type: 'subagent_start',
        subAgentType: type,
        subSessionId: child.agentId,
        subAddress: child.address,
        callId,
        mode: 'ephemeral',
        placement: 'facet',
        ...FIRST_TASK,
      });
      return child;
    },
    settled(callId, child, result) {
      const subAgentType = child.address.split('/').at(-2) ?? '';
      agent.emit({
        type: 'subagent_end',
        subAgentType,
        subSessionId: child.agentId,
        callId,
        ...FIRST_TASK,
        success: true,
        result,
        usage: STEP_USAGE,
      });
      return agent.toolEnd(callId, result);
    },
    completed: (output) => agent.emit({ type: 'output', output }).emit({ type: 'run_completed', output }),
    failed: (error) => agent.emit({ type: 'run_failed', error }),
  };
  return agent;
}

/** A whole run of a desk: a coordinator, two researchers and a fact-checker; one attempt of a step is thrown away. */
export function deskLog(name = 'cedar-3f9k'): Log {
  const log = newLog();
  const root = log.root('coordinator', name).run('r_root', 'How does an interrupt reach a grandchild?').step(1);
  root.text('I split ', 'the question.');
  const first = root.spawn('c_1', 'researcher', '1~1', { question: 'What does an interrupt do?' });
  const second = root.spawn('c_2', 'researcher', '2~1', { question: 'Who tells a grandchild?' });
  first.run('r_1', { question: 'What does an interrupt do?' }).step(1).text('Half a thou').discard('model_overloaded');
  first.text('I search.').tool('c_3', 'search', { query: 'interrupt' });
  second.run('r_2', { question: 'Who tells a grandchild?' }).step(1).text('Looking.');
  first.toolEnd('c_3', { hits: 3 });
  const checker = first.spawn('c_4', 'fact-checker', '1~1', { quotations: ['a', 'b'] });
  checker
    .run('r_3', { quotations: ['a', 'b'] })
    .step(1)
    .text('Both hold.')
    .commit()
    .completed('Both hold.');
  first.settled('c_4', checker, 'Both hold.').commit().completed('It stops every agent below.');
  root.settled('c_1', first, 'It stops every agent below.');
  second.commit().completed('Its parent does.');
  root.settled('c_2', second, 'Its parent does.').commit().step(2).text('# Report\n\nIts parent tells it.').commit();
  root.completed('# Report\n\nIts parent tells it.');
  return log;
}
