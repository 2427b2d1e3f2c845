/**
 * A run with a sub-agent that has every type of chunk. Beside each chunk is what it becomes: the chunks of AI SDK UI, and
 * the events of AG-UI, by their types.
 */
import type { ChunkBody } from '../../src/protocol/chunks';
import { failure } from '../../src/protocol/errors';
import { STEP_USAGE } from './log';

/** A chunk of the run. */
export interface Recorded {
  /** Default: the root. */
  readonly by?: 'child';
  /** Default: 1. */
  readonly attempt?: number;
  readonly body: ChunkBody;
  readonly ui: string;
  readonly agui: string;
}

/** The agent at the top. */
export const ROOT = { agentId: 's_0', agentType: 'worker', address: '/agents/worker/0' } as const;
/** The agent below. */
export const CHILD = { agentId: 's_1', agentType: 'worker', address: '/agents/worker/0/sub/worker/1~1' } as const;

const TASK = { callId: 'c_sub', generation: 1, childId: 1, task: 1 } as const;
const CALL = 'TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END';
const asked = { toolCallId: 'c_pay', toolName: 'pay', arguments: { euros: 20 } } as const;
const picked = { toolCallId: 'c_pick', toolName: 'pick', arguments: {} } as const;
const noted = { toolCallId: 'c_note', toolName: 'note' } as const;
const committed = { finishReason: 'stop', usage: STEP_USAGE, checkpointId: 's_0.1', model: 'test/model' } as const;
const said = { from: 'caller', role: 'user', text: 'And this.' } as const;

/** Events of the root: from its beginning to its call of the sub-agent. */
const BEFORE: readonly Recorded[] = [
  {
    body: { type: 'session_copied', fromAddress: '/agents/worker/9', fromSessionId: 's_9', status: 'idle' },
    ui: '',
    agui: 'CUSTOM',
  },
  { body: { type: 'run_started', turn: 1, chainTurn: 1, input: 'Go.' }, ui: 'start', agui: '' },
  { body: { type: 'message_queued', messageId: 'm_1', from: 'caller' }, ui: '', agui: 'CUSTOM' },
  { body: { type: 'message_cancelled', messageId: 'm_1' }, ui: '', agui: 'CUSTOM' },
  { body: { type: 'step_started' }, ui: 'start-step', agui: 'STEP_STARTED' },
  {
    body: { type: 'thinking', part: 0, delta: 'Hm.' },
    ui: 'reasoning-start reasoning-delta',
    agui: 'REASONING_START REASONING_MESSAGE_START REASONING_MESSAGE_CONTENT',
  },
  {
    body: { type: 'thinking', part: 0, delta: '', isComplete: true },
    ui: 'reasoning-end',
    agui: 'REASONING_MESSAGE_END REASONING_END',
  },
  {
    body: { type: 'text_delta', part: 1, delta: 'Half.' },
    ui: 'text-start text-delta',
    agui: 'TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT',
  },
  {
    body: { type: 'run_recovered', reason: 'crash' },
    ui: 'data-notice',
    agui: 'TEXT_MESSAGE_END STEP_FINISHED CUSTOM CUSTOM',
  },
  { body: { type: 'step_discarded', reason: 'crash' }, ui: 'reset-step', agui: '' },
  { attempt: 2, body: { type: 'step_started' }, ui: '', agui: 'STEP_STARTED' },
  {
    attempt: 2,
    body: { type: 'text_delta', part: 0, delta: 'Whole.' },
    ui: 'text-start text-delta',
    agui: 'TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT',
  },
  {
    attempt: 2,
    body: { type: 'tool_arg_stream_start', ...noted },
    ui: 'tool-input-start',
    agui: 'TEXT_MESSAGE_END TOOL_CALL_START',
  },
  {
    attempt: 2,
    body: { type: 'tool_arg_stream_delta', toolCallId: 'c_note', delta: '{}' },
    ui: 'tool-input-delta',
    agui: 'TOOL_CALL_ARGS',
  },
  {
    attempt: 2,
    body: { type: 'provider_tool_start', part: 2, providerCallId: 'p_1', toolName: 'search', arguments: {} },
    ui: 'tool-input-available',
    agui: CALL,
  },
  {
    attempt: 2,
    body: { type: 'provider_tool_end', part: 2, providerCallId: 'p_1', toolName: 'search', result: [], success: true },
    ui: 'tool-output-available',
    agui: 'TOOL_CALL_RESULT',
  },
  {
    attempt: 2,
    body: { type: 'reply_source', part: 3, sourceId: 'x', sourceType: 'url', url: 'https://a.test/' },
    ui: 'source-url',
    agui: 'CUSTOM',
  },
  {
    attempt: 2,
    body: { type: 'reply_file', part: 4, mediaType: 'image/png', url: 'https://a.test/a.png' },
    ui: 'file',
    agui: 'CUSTOM',
  },
  { attempt: 2, body: { type: 'step_committed', ...committed }, ui: 'text-end', agui: 'TOOL_CALL_END STEP_FINISHED' },
  { attempt: 2, body: { type: 'tool_start', ...noted, arguments: {} }, ui: 'tool-input-available', agui: '' },
  {
    attempt: 2,
    body: { type: 'tool_end', toolCallId: 'c_note', success: true, result: 'Noted.' },
    ui: 'tool-output-available',
    agui: 'TOOL_CALL_RESULT',
  },
  {
    body: { type: 'state_patch', patch: [{ op: 'add', path: '/a', value: 1 }] },
    ui: 'data-state',
    agui: 'STATE_DELTA',
  },
  { body: { type: 'custom', name: 'weather', data: 'fine' }, ui: 'data-weather', agui: 'CUSTOM' },
  {
    body: { type: 'hook_failed', hook: 'before_step', error: failure('hook_failed'), failsRun: false },
    ui: '',
    agui: 'CUSTOM',
  },
  {
    body: { type: 'context_compacted', by: 'digest', tokensBefore: 2, tokensAfter: 1, summaryBytes: 1 },
    ui: '',
    agui: 'CUSTOM',
  },
  { body: { type: 'message_delivered', messageId: 'm_2', ...said }, ui: 'steering-message', agui: 'CUSTOM' },
  {
    body: { type: 'tool_start', toolCallId: 'c_sub', toolName: 'subagent__worker', arguments: {} },
    ui: 'tool-input-available',
    agui: CALL,
  },
];

const child = { subAgentType: 'worker', subSessionId: 's_1' } as const;

/** The sub-agent: it asks a person, and has the client run a tool. */
const BELOW: readonly Recorded[] = [
  {
    body: {
      ...{ type: 'subagent_start', ...child, subAddress: CHILD.address, ...TASK },
      ...{ mode: 'ephemeral', placement: 'facet' },
    },
    ui: '',
    agui: 'SUBAGENT_STARTED',
  },
  {
    body: { type: 'subagent_message', ...child, callId: 'c_sub', childId: 1, task: 1, messageId: 'm_3' },
    ui: '',
    agui: 'CUSTOM',
  },
  { body: { type: 'subagent_status', subSessionId: 's_1', status: 'running' }, ui: '', agui: 'CUSTOM' },
  { by: 'child', body: { type: 'run_started', turn: 1, chainTurn: 1 }, ui: '', agui: '' },
  { by: 'child', body: { type: 'step_started' }, ui: '', agui: 'STEP_STARTED' },
  {
    by: 'child',
    body: { type: 'tool_approval_request', ...asked, inputHash: 'a'.repeat(64) },
    ui: 'tool-input-available tool-approval-request',
    agui: CALL,
  },
  {
    by: 'child',
    body: { type: 'suspended', status: 'suspended_client_tool', pending: [], children: [] },
    ui: '',
    agui: 'STEP_FINISHED',
  },
  {
    by: 'child',
    body: { type: 'tool_answered', toolCallId: 'c_pay', kind: 'approval-response', approved: true },
    ui: 'tool-approval-response',
    agui: 'CUSTOM',
  },
  { by: 'child', body: { type: 'unsuspended' }, ui: '', agui: '' },
  {
    by: 'child',
    body: { type: 'tool_end', toolCallId: 'c_pay', success: true, result: 'Paid.' },
    ui: 'tool-output-available',
    agui: 'TOOL_CALL_RESULT',
  },
  { by: 'child', body: { type: 'client_tool_request', ...picked }, ui: 'tool-input-available', agui: CALL },
  {
    by: 'child',
    body: { type: 'tool_end', toolCallId: 'c_pick', success: false, error: failure('client_tool_failed') },
    ui: 'tool-output-error',
    agui: 'TOOL_CALL_RESULT',
  },
  { by: 'child', body: { type: 'run_completed', output: 'Done.' }, ui: '', agui: '' },
  {
    body: { type: 'subagent_end', ...child, ...TASK, result: 'Done.', success: true, usage: STEP_USAGE },
    ui: '',
    agui: 'SUBAGENT_FINISHED',
  },
  {
    body: { type: 'tool_end', toolCallId: 'c_sub', success: true, result: 'Done.' },
    ui: 'tool-output-available',
    agui: 'TOOL_CALL_RESULT',
  },
];

/** Ends of the run; `ui` is what follows once the log is read. */
export const ENDS = {
  run_completed: { body: { type: 'run_completed', output: { paid: 20 } }, ui: 'finish-step finish', agui: '' },
  run_failed: { body: { type: 'run_failed', error: failure('model_error') }, ui: 'finish-step error', agui: '' },
  run_interrupted: { body: { type: 'run_interrupted', reason: 'user' }, ui: 'finish-step abort finish', agui: '' },
  run_terminated: { body: { type: 'run_terminated', reason: 'user' }, ui: 'finish-step abort finish', agui: '' },
} as const satisfies Record<string, Recorded>;

/** The run, to its end. */
export const RECORDED: readonly Recorded[] = [
  ...BEFORE,
  ...BELOW,
  { body: { type: 'output', output: { paid: 20 } }, ui: 'data-output', agui: '' },
  { ...ENDS.run_completed, ui: '' },
];
