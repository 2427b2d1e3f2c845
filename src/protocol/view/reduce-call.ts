/**
 * The reduction of the chunks of one tool call. Its run does not matter: a call that an interrupt left open is settled
 * by a later one. Once it has ended, only another end changes it.
 *
 * Keeps R9, R10.
 */
import type { Chunk, ChunkBody } from '../chunks';
import type { CallAnswer, CallBase, CallView, WaitingCall } from './view';

type Body<Type extends ChunkBody['type']> = Extract<Chunk, { readonly type: Type }>;
type DraftChunk = Body<'tool_arg_stream_start' | 'tool_arg_stream_delta'>;
type RequestChunk = Body<'tool_approval_request' | 'client_tool_request'>;

/** The chunks that tell of one call. */
export type CallChunk = DraftChunk | RequestChunk | Body<'tool_start' | 'tool_answered' | 'tool_end'>;

/** The call after a chunk that names it. `call` is missing when the view has nothing of it yet. */
export function callAfter(call: CallView | undefined, chunk: CallChunk): CallView {
  const base = {
    toolCallId: chunk.toolCallId,
    toolName: 'toolName' in chunk ? chunk.toolName : (call?.toolName ?? ''),
    runId: call?.runId ?? chunk.runId,
    step: call?.step ?? chunk.step,
  };
  if (chunk.type === 'tool_end') return callEnded(base, call, chunk);
  if (call?.status === 'succeeded' || call?.status === 'failed') return call;
  switch (chunk.type) {
    case 'tool_arg_stream_start':
    case 'tool_arg_stream_delta': {
      if (call !== undefined && call.status !== 'drafting') return call;
      const text = (call?.argumentText ?? '') + ('delta' in chunk ? chunk.delta : '');
      return { ...base, status: 'drafting', attempt: chunk.attempt, argumentText: text };
    }
    case 'tool_start': {
      const { arguments: given, timestamp } = chunk;
      return { ...base, status: 'running', arguments: given, startedAt: timestamp, ...answered(call) };
    }
    case 'tool_approval_request':
    case 'client_tool_request':
      return callWaiting(base, call, chunk);
    case 'tool_answered':
      return { ...base, status: 'running', ...begunOf(call, chunk), answer: answerOf(chunk) };
  }
}

/** What a call began with; a log whose begin was compacted away no longer has its arguments. */
function begunOf(call: CallView | undefined, chunk: CallChunk): Pick<WaitingCall, 'arguments' | 'startedAt'> {
  return call === undefined || call.status === 'drafting'
    ? { arguments: null, startedAt: chunk.timestamp }
    : { arguments: call.arguments, startedAt: call.startedAt };
}

function answered(call: CallView | undefined): { readonly answer?: CallAnswer } {
  return call !== undefined && 'answer' in call && call.answer !== undefined ? { answer: call.answer } : {};
}

function answerOf(chunk: Body<'tool_answered'>): CallAnswer {
  const { kind, approved, actor, timestamp: at } = chunk;
  return { kind, at, ...(approved === undefined ? {} : { approved }), ...(actor === undefined ? {} : { actor }) };
}

function callWaiting(base: CallBase, call: CallView | undefined, chunk: RequestChunk): WaitingCall {
  const kind = chunk.type === 'client_tool_request' ? 'client-tool' : 'approval';
  const isAgain = call?.status === 'waiting' && call.kind === kind;
  return {
    ...base,
    status: 'waiting',
    kind,
    arguments: chunk.arguments,
    startedAt: begunOf(call, chunk).startedAt,
    requestedAt: isAgain ? call.requestedAt : chunk.timestamp,
    ...(chunk.expiresAt === undefined ? {} : { expiresAt: chunk.expiresAt }),
    ...('inputHash' in chunk ? { inputHash: chunk.inputHash } : {}),
  };
}

function callEnded(base: CallBase, call: CallView | undefined, chunk: Body<'tool_end'>): CallView {
  const common = { ...base, ...begunOf(call, chunk), endedAt: chunk.timestamp, ...answered(call) };
  if (chunk.success) return { ...common, status: 'succeeded', result: chunk.result ?? null };
  const error = chunk.error === undefined ? {} : { error: chunk.error };
  const result = chunk.result === undefined ? {} : { result: chunk.result };
  return { ...common, status: 'failed', ...error, ...result };
}
