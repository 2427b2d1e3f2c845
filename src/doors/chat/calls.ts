/**
 * The calls of one agent as tool parts: which chunks announce one, ask for an answer, and settle it.
 *
 * CH6. A part that is asked about, answered or settled was announced before, and once.
 */
import type { Chunk } from '../../protocol/chunks';
import type { Json, JsonObject } from '../../protocol/json';
import { FINISH_TOOL } from '../../protocol/messages';
import type { UiChunk } from './ui';

/** The progress of a part of a call is. */
type CallStatus = 'drafting' | 'running' | 'asked' | 'answered' | 'settled';

/** A call, as its part shows it. */
interface Call {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly metadata: JsonObject;
  readonly input: Json;
  /** True where the client works on it. */
  readonly isClients: boolean;
  readonly status: CallStatus;
  /** Of an approval: what the answer is bound to, and what it was. */
  readonly descriptor?: JsonObject;
  readonly approved?: boolean;
  /** Its end. */
  readonly end?: readonly UiChunk[];
}

/** A chunk about a call of its emitter. */
export type CallChunk = Extract<
  Chunk,
  {
    readonly type:
      | 'tool_arg_stream_start'
      | 'tool_arg_stream_delta'
      | 'tool_start'
      | 'tool_end'
      | 'tool_approval_request'
      | 'client_tool_request'
      | 'tool_answered';
  }
>;

const CALL_CHUNKS: readonly string[] = [
  'tool_arg_stream_start',
  'tool_arg_stream_delta',
  'tool_start',
  'tool_end',
  'tool_approval_request',
  'client_tool_request',
  'tool_answered',
] satisfies CallChunk['type'][];

/** True for a chunk about a call. */
export const isCallChunk = (chunk: Chunk): chunk is CallChunk => CALL_CHUNKS.includes(chunk.type);

/** The text for people of an error that has none. */
const FAILED = 'The tool failed.';

/** The calls that have parts in one message. */
export class CallParts {
  readonly #calls = new Map<string, Call>();

  /** The ids of those that wait for a person, or whose answer has no result yet. */
  get open(): string[] {
    return [...this.#calls.values()].filter(({ status }) => status !== 'settled').map(({ toolCallId }) => toolCallId);
  }

  has(toolCallId: string): boolean {
    return this.#calls.has(toolCallId);
  }

  /** Changes of the message by a chunk. */
  after(chunk: CallChunk, agentType: string, parentCallId?: string): UiChunk[] {
    const { toolCallId } = chunk;
    const known = this.#calls.get(toolCallId);
    switch (chunk.type) {
      case 'tool_arg_stream_start': {
        const { toolName } = chunk;
        if (toolName === FINISH_TOOL || known) return [];
        const call = this.#keep(chunk, null, agentType, parentCallId, { status: 'drafting' });
        return [{ type: 'tool-input-start', ...partOf(call) }];
      }
      case 'tool_arg_stream_delta':
        return known?.status === 'drafting'
          ? [{ type: 'tool-input-delta', toolCallId, inputTextDelta: chunk.delta }]
          : [];
      case 'tool_start':
        if (chunk.toolName === FINISH_TOOL || (known && known.status !== 'drafting')) return [];
        return [available(this.#keep(chunk, chunk.arguments, agentType, parentCallId, { status: 'running' }))];
      case 'client_tool_request':
        if (known && known.status !== 'drafting' && known.status !== 'running') return [];
        return [
          available(this.#keep(chunk, chunk.arguments, agentType, parentCallId, { status: 'asked', isClients: true })),
        ];
      case 'tool_approval_request': {
        if (known?.status === 'asked' || known?.status === 'settled') return [];
        const { inputHash, expiresAt, address } = chunk;
        const descriptor = { inputHash, address, agentType, ...(expiresAt === undefined ? {} : { expiresAt }) };
        const call = this.#keep(chunk, chunk.arguments, agentType, parentCallId, { status: 'asked', descriptor });
        const announced = known && known.status !== 'drafting' ? [] : [available(call)];
        return [...announced, requestOf(call, descriptor)];
      }
      case 'tool_answered':
        return this.#answered(known, chunk);
      case 'tool_end':
        return this.#ended(known, chunk);
    }
  }

  /** Announces again a part that a client does not have, in its present state. */
  again(toolCallId: string): UiChunk[] {
    const call = this.#calls.get(toolCallId);
    if (call === undefined) return [];
    if (call.status === 'drafting') return [{ type: 'tool-input-start', ...partOf(call) }];
    const { descriptor, approved, end = [] } = call;
    return [
      available(call),
      ...(descriptor ? [requestOf(call, descriptor)] : []),
      ...(descriptor && approved !== undefined ? [responseOf(call, approved)] : []),
      ...end,
    ];
  }

  /** Drops what was only drafted: its attempt is discarded. */
  discard(): void {
    for (const [id, { status }] of this.#calls) if (status === 'drafting') this.#calls.delete(id);
  }

  /** Settles what nobody will settle any more. */
  giveUp(toolCallId: string): UiChunk[] {
    const call = this.#calls.get(toolCallId);
    if (call === undefined || call.status === 'settled') return [];
    return this.#settle(call, failedParts(call, 'It is no longer pending.'));
  }

  /** Settles a call with an output in place of its result. */
  settle(toolCallId: string, output: Json): UiChunk[] {
    const call = this.#calls.get(toolCallId);
    if (call === undefined || call.status === 'settled' || call.status === 'drafting') return [];
    return this.#settle(call, [{ type: 'tool-output-available', toolCallId, output }]);
  }

  #settle(call: Call, end: readonly UiChunk[]): UiChunk[] {
    this.#calls.set(call.toolCallId, { ...call, status: 'settled', end });
    return [...end];
  }

  #keep(
    { toolCallId, toolName, address }: { toolCallId: string; toolName: string; address: string },
    input: Json,
    agentType: string,
    parentCallId: string | undefined,
    more: Pick<Call, 'status'> & Partial<Call>,
  ): Call {
    const metadata = { address, agentType, ...(parentCallId === undefined ? {} : { parentCallId }) };
    const call = { toolCallId, toolName, metadata, input, isClients: false, ...more };
    this.#calls.set(toolCallId, call);
    return call;
  }

  #answered(call: Call | undefined, { kind, approved }: Extract<CallChunk, { type: 'tool_answered' }>): UiChunk[] {
    if (call?.status !== 'asked' || kind !== 'approval-response' || call.descriptor === undefined) return [];
    const answered = { ...call, status: 'answered' as const, approved: approved === true };
    this.#calls.set(call.toolCallId, answered);
    return [responseOf(answered, answered.approved)];
  }

  #ended(call: Call | undefined, chunk: Extract<CallChunk, { type: 'tool_end' }>): UiChunk[] {
    if (call === undefined || call.status === 'settled' || call.status === 'drafting') return [];
    const { toolCallId } = call;
    const isAllowed = call.descriptor === undefined || call.approved;
    return this.#settle(
      call,
      chunk.success && isAllowed
        ? [{ type: 'tool-output-available', toolCallId, output: chunk.result ?? null }]
        : failedParts(call, chunk.error?.title ?? FAILED),
    );
  }
}

function partOf({ toolCallId, toolName, metadata, isClients }: Call) {
  return { toolCallId, toolName, dynamic: true, providerExecuted: !isClients, toolMetadata: metadata } as const;
}

const available = (call: Call): UiChunk => ({ type: 'tool-input-available', ...partOf(call), input: call.input });

const requestOf = ({ toolCallId }: Call, approvalDescriptor: JsonObject): UiChunk => ({
  ...{ type: 'tool-approval-request', approvalId: toolCallId, toolCallId },
  approvalDescriptor,
});

const responseOf = ({ toolCallId }: Call, approved: boolean): UiChunk => ({
  ...{ type: 'tool-approval-response', approvalId: toolCallId },
  approved,
});

/** A call that has failed. What was not allowed is denied: a part with an error keeps no such answer. */
function failedParts(call: Call, errorText: string): UiChunk[] {
  const { toolCallId, descriptor, approved } = call;
  if (descriptor === undefined || approved) return [{ type: 'tool-output-error', toolCallId, errorText }];
  const denied = { type: 'tool-output-denied', toolCallId } as const;
  return approved === false
    ? [denied]
    : [{ ...{ type: 'tool-approval-response', approvalId: toolCallId }, approved: false, reason: errorText }, denied];
}
