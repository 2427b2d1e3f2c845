/**
 * Chunks: the events of the stream. An object numbers its own chunks from 1; the root gives each a sequence in the
 * tree's one log. `schema` below is the wire contract; inside, chunks are built by code and not validated again.
 */
import { z } from 'zod';
import type { Failure } from './errors';
import type { Json } from './json';
import { failureSchema, usageSchema } from './schemas';
import { SUSPENDED_STATUSES, type SuspendedStatus } from './status';
import type { Usage } from './usage';

/** What every chunk carries. `agentId` is the emitter's session id, `timestamp` is ms since 1970. */
export interface ChunkBase {
  readonly agentId: string;
  readonly agentType: string;
  readonly address: string;
  readonly runId: string;
  readonly step: number;
  readonly attempt: number;
  readonly timestamp: number;
}

/** The end of a sub-agent's work, as its parent's stream tells it. */
export interface SubAgentEnd {
  readonly type: 'subagent_end';
  readonly subAgentType: string;
  readonly subSessionId: string;
  readonly callId: string;
  readonly generation: number;
  readonly childId: number;
  readonly task: number;
  readonly result?: Json;
  readonly success: boolean;
  readonly error?: Failure;
  readonly usage: Usage;
}

/** What waits for a person: a tool that runs at the client, or the approval of one that runs here. */
export const PENDING_KINDS = ['client-tool', 'approval'] as const;

/** Which of the two. */
export type PendingKind = (typeof PENDING_KINDS)[number];

/** How a person's answer came: the result of a client's tool, or a yes or no. */
export const ANSWER_KINDS = ['client-tool-result', 'approval-response'] as const;

/** Which of the two. */
export type AnswerKind = (typeof ANSWER_KINDS)[number];

/** A call that keeps a run waiting for a person. */
export interface AwaitedAnswer {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly kind: PendingKind;
}

/** A sub-agent that a suspended run waits for. `waiting`: it waits for a person itself, or for somebody to resume it. */
export interface AwaitedChild {
  readonly callId: string;
  readonly subSessionId: string;
  /** `failed`: until a person lets it try again, or gives it up. */
  readonly status: 'working' | 'waiting' | 'failed';
}

/** The fields of each chunk beyond its base. */
export type ChunkBody =
  | { readonly type: 'run_started'; readonly turn: number; readonly input?: Json; readonly resumedFrom?: string }
  | { readonly type: 'run_recovered'; readonly reason: string }
  | { readonly type: 'text_delta'; readonly delta: string }
  | { readonly type: 'thinking'; readonly delta: string; readonly isComplete?: boolean }
  | { readonly type: 'tool_arg_stream_start'; readonly toolCallId: string; readonly toolName: string }
  | { readonly type: 'tool_arg_stream_delta'; readonly toolCallId: string; readonly delta: string }
  | { readonly type: 'tool_start'; readonly toolCallId: string; readonly toolName: string; readonly arguments: Json }
  | {
      readonly type: 'tool_end';
      readonly toolCallId: string;
      readonly result?: Json;
      readonly success: boolean;
      readonly error?: Failure;
    }
  | {
      readonly type: 'tool_approval_request' | 'client_tool_request';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly arguments: Json;
      /** Until when an answer is taken, in ms since 1970; missing where it may take any time. */
      readonly expiresAt?: number;
    }
  | {
      readonly type: 'tool_answered';
      readonly toolCallId: string;
      readonly kind: AnswerKind;
      readonly approved?: boolean;
      /** Who answered, as the access check named them. */
      readonly actor?: string;
    }
  | {
      readonly type: 'subagent_start';
      readonly subAgentType: string;
      readonly subSessionId: string;
      readonly subAddress: string;
      readonly callId: string;
      readonly mode: 'ephemeral' | 'persistent';
      readonly placement: 'facet' | 'object' | 'remote';
      /** Of its slot, as its address says it. */
      readonly generation: number;
      /** Which child of the parent it is, from 1, and which task of it. */
      readonly childId: number;
      readonly task: number;
    }
  | {
      readonly type: 'subagent_status';
      readonly subSessionId: string;
      readonly status: string;
      readonly statusText?: string;
    }
  | SubAgentEnd
  | { readonly type: 'message_queued'; readonly messageId: string; readonly from: string }
  | { readonly type: 'message_delivered'; readonly messageId: string; readonly from: string }
  | { readonly type: 'step_started' }
  | {
      readonly type: 'step_committed';
      readonly finishReason: string;
      readonly usage: Usage;
      readonly checkpointId: string;
    }
  | { readonly type: 'step_discarded'; readonly reason: string }
  | { readonly type: 'state_patch'; readonly patch: readonly Json[] }
  | { readonly type: 'custom'; readonly name: string; readonly data: Json }
  | {
      readonly type: 'hook_failed';
      readonly hook: string;
      readonly toolCallId?: string;
      readonly error: Failure;
      /** Whether the run fails with it. */
      readonly failsRun: boolean;
    }
  | { readonly type: 'output'; readonly output: Json }
  | {
      readonly type: 'suspended';
      readonly status: SuspendedStatus;
      readonly pending: readonly AwaitedAnswer[];
      readonly children: readonly AwaitedChild[];
    }
  | { readonly type: 'unsuspended' }
  | { readonly type: 'run_completed'; readonly output: Json }
  | { readonly type: 'run_failed'; readonly error: Failure; readonly failureReason?: string }
  | { readonly type: 'run_interrupted'; readonly reason: string }
  | { readonly type: 'run_terminated'; readonly reason: string };

/** One event of the stream. */
export type Chunk = ChunkBase & ChunkBody;

/** A chunk with its place in the tree's log (from 1). */
export interface SequencedChunk {
  readonly sequence: number;
  readonly chunk: Chunk;
}

/** The chunks that end a run; every run has exactly one. */
const END_CHUNKS = ['run_completed', 'run_failed', 'run_interrupted', 'run_terminated'] as const;

/** Whether a chunk ends its run. */
export function isEndChunk(chunk: { readonly type: string }): boolean {
  return (END_CHUNKS as readonly string[]).includes(chunk.type);
}

const base = {
  agentId: z.string().min(1),
  agentType: z.string(),
  address: z.string(),
  runId: z.string(),
  step: z.number().int().nonnegative(),
  attempt: z.number().int().nonnegative(),
  timestamp: z.number(),
};
const callId = z.string().min(1);
const request = { toolCallId: callId, toolName: z.string(), arguments: z.json(), expiresAt: z.number().optional() };
const chunk = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.object({ type: z.literal(type), ...base, ...shape });

/** The wire schema of a chunk; also what `/openapi.json` shows. */
export const chunkSchema = z.discriminatedUnion('type', [
  chunk('run_started', { turn: z.number().int(), input: z.json().optional(), resumedFrom: z.string().optional() }),
  chunk('run_recovered', { reason: z.string() }),
  chunk('text_delta', { delta: z.string() }),
  chunk('thinking', { delta: z.string(), isComplete: z.boolean().optional() }),
  chunk('tool_arg_stream_start', { toolCallId: callId, toolName: z.string() }),
  chunk('tool_arg_stream_delta', { toolCallId: callId, delta: z.string() }),
  chunk('tool_start', { toolCallId: callId, toolName: z.string(), arguments: z.json() }),
  chunk('tool_end', {
    toolCallId: callId,
    result: z.json().optional(),
    success: z.boolean(),
    error: failureSchema.optional(),
  }),
  chunk('tool_approval_request', { ...request }),
  chunk('client_tool_request', { ...request }),
  chunk('tool_answered', {
    toolCallId: callId,
    kind: z.enum(ANSWER_KINDS),
    approved: z.boolean().optional(),
    actor: z.string().optional(),
  }),
  chunk('subagent_start', {
    subAgentType: z.string(),
    subSessionId: z.string(),
    subAddress: z.string(),
    callId,
    mode: z.enum(['ephemeral', 'persistent']),
    placement: z.enum(['facet', 'object', 'remote']),
    generation: z.number().int(),
    childId: z.number().int(),
    task: z.number().int(),
  }),
  chunk('subagent_status', { subSessionId: z.string(), status: z.string(), statusText: z.string().optional() }),
  chunk('subagent_end', {
    subAgentType: z.string(),
    subSessionId: z.string(),
    callId,
    generation: z.number().int(),
    childId: z.number().int(),
    task: z.number().int(),
    result: z.json().optional(),
    success: z.boolean(),
    error: failureSchema.optional(),
    usage: usageSchema,
  }),
  chunk('message_queued', { messageId: z.string(), from: z.string() }),
  chunk('message_delivered', { messageId: z.string(), from: z.string() }),
  chunk('step_started', {}),
  chunk('step_committed', { finishReason: z.string(), usage: usageSchema, checkpointId: z.string() }),
  chunk('step_discarded', { reason: z.string() }),
  chunk('state_patch', { patch: z.array(z.json()) }),
  chunk('custom', { name: z.string(), data: z.json() }),
  chunk('hook_failed', {
    hook: z.string(),
    toolCallId: callId.optional(),
    error: failureSchema,
    failsRun: z.boolean(),
  }),
  chunk('output', { output: z.json() }),
  chunk('suspended', {
    status: z.enum(SUSPENDED_STATUSES),
    pending: z.array(z.object({ toolCallId: callId, toolName: z.string(), kind: z.enum(PENDING_KINDS) })),
    children: z.array(z.object({ callId, subSessionId: z.string(), status: z.enum(['working', 'waiting', 'failed']) })),
  }),
  chunk('unsuspended', {}),
  chunk('run_completed', { output: z.json() }),
  chunk('run_failed', { error: failureSchema, failureReason: z.string().optional() }),
  chunk('run_interrupted', { reason: z.string() }),
  chunk('run_terminated', { reason: z.string() }),
]);
