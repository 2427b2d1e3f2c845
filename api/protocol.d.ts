import { C as MAX_ERROR_TEXT, D as JsonLike, E as Json, O as JsonObject, S as MAX_ERROR_DETAILS, T as ShownFailure, _ as addUsage, a as Chunk, b as ErrorCode, c as ChunkType, d as chunkSchema, f as isQuiet, g as Usage, h as NO_USAGE, i as CHUNKS, l as SequencedChunk, m as SchemaOf, n as AwaitedChild, o as ChunkBase, p as isWireChunk, r as BodyOf, s as ChunkBody, t as AwaitedAnswer, u as chunkBaseSchema, v as ERROR_CODES, w as OffshootError, x as Failure, y as ErrorCategory } from "./shared/chunks.js";
import { A as isEnded, C as RUN_STATUSES, D as SuspendedStatus, E as SessionStatus, O as isAtRest, S as unpairedCalls, T as SUSPENDED_STATUSES, _ as ToolCallPart, a as FINISH_TOOL, c as MESSAGE_ROLES, d as ProviderCallPart, f as ProviderResultPart, g as TextPart, h as SourcePart, j as isSuspended, k as isEndChunk, l as Message, m as ReplyFilePart, n as AssistantPart, o as FilePart, p as ReasoningPart, r as CallResult, s as FurtherPart, u as MessageRole, w as SESSION_STATUSES } from "./shared/sides.js";
import { t as Problem } from "./shared/problem.js";
import { i as stepSources, n as reduce, r as reduceAll, t as Reduction } from "./shared/reduce.js";
import { n as Action, t as ACTIONS } from "./shared/actions.js";
import { A as stepText, C as WaitingCall, D as emptyView, E as currentStep, F as ANSWER_KINDS, I as AnswerKind, L as PENDING_KINDS, M as topAgents, N as treeUsage, O as findAgent, P as viewFrom, R as PendingKind, S as TreeView, T as currentRun, _ as RunEnd, a as CompanionView, c as DelegationView, d as MessageView, f as PartView, g as ReplyFileView, h as RecoveryView, i as CallView, j as stepThinking, k as pendingOf, l as DiscardedAttempt, m as ProviderToolView, n as CallAnswer, o as CustomView, p as PendingView, r as CallBase, s as DelegationOutcome, t as AgentView, u as FurtherView, v as RunView, w as companionsOf, x as StepView, y as SourceView } from "./shared/view.js";
import { n as RootDocuments, t as DocumentFacts } from "./shared/documents.js";
import { C as UnacknowledgedStop, a as resumeAccepted, c as sendInput, d as stopAccepted, f as stopInput, i as forkInput, l as startAccepted, m as submitInput, o as resumeInput, p as submitAccepted, r as forkAccepted, s as sendAccepted, t as MAX_ANSWER_TEXT, u as startInput, x as ChildCounts } from "./shared/requests.js";
import { n as ShownControls } from "./shared/controls.js";
import * as z$1 from "zod";
/**
 * Addresses: `/agents/{class}/{name}` and then any number of `/sub/{class}/{name}`.
 * Classes are kebab-case; an ephemeral child's name is its slot and generation (`7~3`).
 *
 * Decides: the form of an address.
 * Keeps AD1, AD2, SAT1.
 */
/** One level of an address. */
interface Level {
  /** `fact-checker`. */
  readonly addressClass: string;
  /** `FactChecker`. */
  readonly className: string;
  readonly name: string;
}
/** A parsed address and what follows it in a path. */
interface ParsedAddress {
  readonly root: Level;
  readonly below: readonly Level[];
  /** The canonical text of the address. */
  readonly address: string;
  /** The segments that follow, still encoded. */
  readonly rest: readonly string[];
}
/**
 * Reads the address at the beginning of a path. The address ends at the first segment that is not
 * `/sub/{class}/{name}`.
 * @param path as it is in the URL, still percent-encoded: nothing is decoded, so an encoded slash or dot is no address.
 * @throws OffshootError `invalid_address`; `not_found` for a class in another form than its own
 */
export declare function parseAddress(path: string): ParsedAddress;
/** The text of an address. */
export declare function formatAddress(root: Pick<Level, 'addressClass' | 'name'>, below: readonly Pick<Level, 'addressClass' | 'name'>[]): string;
/** Returns true if an address is the other one, or is below it. */
export declare function isWithin(address: string, top: string): boolean;
/** Returns true for a `traceparent` of version 00. */
export declare function isTraceparent(text: string): boolean;
/** The one that a field of a request holds. */
export declare const traceparentSchema: z$1.ZodString;
/**
 * The codes with which the server closes a socket.
 *
 * Keeps W28.
 */
export declare const SOCKET_CLOSES: {
  /** The agent was deleted. */
  readonly deleted: 1001;
  /** The access check failed: open another socket. */
  readonly failed: 1011;
  /** The client reads too slowly, or sends too much at once: open another socket, and continue after the last event. */
  readonly slow: 1013;
  /** The caller has lost access: open another socket with other credentials. */
  readonly right: 4401;
  /** The caller has lost access: other credentials of the same caller would not help. */
  readonly forbidden: 4403;
};
/** A frame from a client: a subscription to chunks from a sequence number on, or a call of an operation. */
export declare const clientFrameSchema: z$1.ZodDiscriminatedUnion<[z$1.ZodObject<{
  type: z$1.ZodLiteral<"offshoot.subscribe">;
  from: z$1.ZodOptional<z$1.ZodUnion<readonly [z$1.ZodNumber, z$1.ZodPipe<z$1.ZodPipe<z$1.ZodString, z$1.ZodTransform<number, string>>, z$1.ZodNumber>]>>;
  address: z$1.ZodOptional<z$1.ZodString>;
  deltas: z$1.ZodOptional<z$1.ZodBoolean>;
  batch: z$1.ZodOptional<z$1.ZodBoolean>;
}, z$1.core.$strict>, z$1.ZodObject<{
  type: z$1.ZodLiteral<"offshoot.unsubscribe">;
  address: z$1.ZodOptional<z$1.ZodString>;
}, z$1.core.$strict>, z$1.ZodObject<{
  type: z$1.ZodLiteral<"offshoot.call">;
  id: z$1.ZodUnion<readonly [z$1.ZodString, z$1.ZodNumber]>;
  verb: z$1.ZodString;
  body: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  traceparent: z$1.ZodOptional<z$1.ZodString>;
  idempotencyKey: z$1.ZodOptional<z$1.ZodString>;
}, z$1.core.$strict>], "type">;
/** A frame from a client. */
type ClientFrame = z$1.output<typeof clientFrameSchema>;
/** A frame from the server. All other frames on the same socket are the agent's own, or the SDK's. */
export declare const serverFrameSchema: z$1.ZodDiscriminatedUnion<[z$1.ZodObject<{
  address: z$1.ZodExactOptional<z$1.ZodString>;
  type: z$1.ZodLiteral<"offshoot.chunk">;
  sequence: z$1.ZodNumber;
  chunk: z$1.ZodType<Chunk, unknown, z$1.core.$ZodTypeInternals<Chunk, unknown>>;
}, z$1.core.$strip>, z$1.ZodObject<{
  address: z$1.ZodExactOptional<z$1.ZodString>;
  type: z$1.ZodLiteral<"offshoot.chunks">;
  chunks: z$1.ZodReadonly<z$1.ZodArray<z$1.ZodObject<{
    sequence: z$1.ZodNumber;
    chunk: z$1.ZodType<Chunk, unknown, z$1.core.$ZodTypeInternals<Chunk, unknown>>;
  }, z$1.core.$strip>>>;
}, z$1.core.$strip>, z$1.ZodObject<{
  address: z$1.ZodExactOptional<z$1.ZodString>;
  type: z$1.ZodLiteral<"offshoot.reset">;
  from: z$1.ZodNumber;
}, z$1.core.$strip>, z$1.ZodObject<{
  address: z$1.ZodExactOptional<z$1.ZodString>;
  type: z$1.ZodLiteral<"offshoot.up-to-date">;
  sequence: z$1.ZodNumber;
}, z$1.core.$strip>, z$1.ZodObject<{
  type: z$1.ZodLiteral<"offshoot.status">;
  status: z$1.ZodObject<{
    sessionId: z$1.ZodString;
    agentType: z$1.ZodString;
    address: z$1.ZodString;
    status: SchemaOf<"completed" | "failed" | "idle" | "interrupted" | "queued" | "running" | "suspended_awaiting_children" | "suspended_client_tool" | "suspended_step_partial" | "terminated">;
    statusText: z$1.ZodOptional<z$1.ZodString>;
    childCounts: SchemaOf<ChildCounts>;
    usage: SchemaOf<Usage>;
    lastSequence: z$1.ZodNumber;
    stopOwed: z$1.ZodOptional<SchemaOf<UnacknowledgedStop>>;
    name: z$1.ZodOptional<z$1.ZodString>;
    task: z$1.ZodOptional<z$1.ZodNumber>;
    displayName: z$1.ZodOptional<z$1.ZodString>;
    tags: z$1.ZodReadonly<z$1.ZodArray<z$1.ZodString>>;
    metadata: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
    activeAgent: z$1.ZodOptional<z$1.ZodString>;
    run: z$1.ZodOptional<z$1.ZodObject<{
      runId: z$1.ZodString;
      epoch: z$1.ZodNumber;
      turn: z$1.ZodNumber;
      chainTurn: z$1.ZodNumber;
      chainRunId: z$1.ZodString;
      resumes: z$1.ZodNumber;
      status: SchemaOf<"completed" | "failed" | "interrupted" | "running" | "suspended_awaiting_children" | "suspended_client_tool" | "suspended_step_partial" | "terminated">;
      startSequence: z$1.ZodOptional<z$1.ZodNumber>;
      chainStartSequence: z$1.ZodOptional<z$1.ZodNumber>;
      traceparent: z$1.ZodOptional<z$1.ZodString>;
      startedAt: z$1.ZodNumber;
      endedAt: z$1.ZodOptional<z$1.ZodNumber>;
      output: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
      error: z$1.ZodOptional<z$1.ZodType<ShownFailure, unknown, z$1.core.$ZodTypeInternals<ShownFailure, unknown>>>;
      failureReason: z$1.ZodOptional<z$1.ZodString>;
      completionReason: z$1.ZodOptional<z$1.ZodString>;
      reason: z$1.ZodOptional<z$1.ZodString>;
      resumedFrom: z$1.ZodOptional<z$1.ZodString>;
      step: z$1.ZodNumber;
    }, z$1.core.$strip>>;
    pending: z$1.ZodReadonly<z$1.ZodArray<z$1.ZodObject<{
      toolCallId: z$1.ZodString;
      kind: z$1.ZodEnum<{
        approval: "approval";
        "client-tool": "client-tool";
      }>;
      toolName: z$1.ZodString;
      input: z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>;
      inputHash: z$1.ZodString;
      address: z$1.ZodString;
      agentType: z$1.ZodString;
      requestedAt: z$1.ZodNumber;
      expiresAt: z$1.ZodOptional<z$1.ZodNumber>;
      invalidFields: z$1.ZodOptional<z$1.ZodReadonly<z$1.ZodArray<z$1.ZodObject<{
        path: z$1.ZodString;
        message: z$1.ZodString;
      }, z$1.core.$strip>>>>;
    }, z$1.core.$strip>>>;
    variableRequests: z$1.ZodOptional<z$1.ZodReadonly<z$1.ZodArray<z$1.ZodObject<{
      requestId: z$1.ZodString;
      agentType: z$1.ZodString;
      requestedAt: z$1.ZodNumber;
      expiresAt: z$1.ZodNumber;
      variables: z$1.ZodReadonly<z$1.ZodArray<z$1.ZodObject<{
        name: z$1.ZodString;
        type: z$1.ZodEnum<{
          secret: "secret";
          text: "text";
        }>;
        description: z$1.ZodOptional<z$1.ZodString>;
        declaredBy: z$1.ZodReadonly<z$1.ZodArray<z$1.ZodString>>;
        required: z$1.ZodBoolean;
        missing: z$1.ZodBoolean;
      }, z$1.core.$strip>>>;
    }, z$1.core.$strip>>>>;
    controls: SchemaOf<ShownControls>;
  }, z$1.core.$strip>;
}, z$1.core.$strip>, z$1.ZodDiscriminatedUnion<[z$1.ZodObject<{
  type: z$1.ZodLiteral<"offshoot.result">;
  id: z$1.ZodUnion<readonly [z$1.ZodString, z$1.ZodNumber]>;
  ok: z$1.ZodLiteral<true>;
  body: z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>;
}, z$1.core.$strip>, z$1.ZodObject<{
  type: z$1.ZodLiteral<"offshoot.result">;
  id: z$1.ZodUnion<readonly [z$1.ZodString, z$1.ZodNumber]>;
  ok: z$1.ZodLiteral<false>;
  body: z$1.ZodObject<{
    code: z$1.ZodString;
    category: z$1.ZodString;
    retryable: z$1.ZodBoolean;
    title: z$1.ZodString;
    detail: z$1.ZodString;
    details: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  }, z$1.core.$strip>;
}, z$1.core.$strip>], "ok">, z$1.ZodObject<{
  code: z$1.ZodString;
  category: z$1.ZodString;
  retryable: z$1.ZodBoolean;
  title: z$1.ZodString;
  detail: z$1.ZodString;
  details: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  type: z$1.ZodLiteral<"offshoot.error">;
}, z$1.core.$strip>], "type">;
/** A frame from the server. */
type ServerFrame = z$1.output<typeof serverFrameSchema>;
/** The same as it is written: what verbs answer is JSON by then. */
type WrittenFrame<Frame = ServerFrame> = Frame extends unknown ? { readonly [Name in keyof Frame]: Name extends 'body' | 'status' ? JsonLike : Frame[Name]; } : never;
/** The same before it was checked: of its fields only the names are known. */
type UnreadFrame<Frame = ServerFrame> = Frame extends {
  readonly type: infer Type;
} ? {
  readonly type: Type;
} & { readonly [Name in Exclude<keyof Frame, 'type'>]?: Json; } : never;
/**
 * The limits of the HTTP and socket surface.
 *
 * Decides: every limit of requests, sockets and streams: `wait`, bodies, frames, heartbeats, metadata, tokens, length of keys.
 * Keeps W16, A49, X33.
 */
export declare const WIRE_LIMITS: {
  /** A request body that is not a file, in bytes. */
  readonly maxBodyBytes: 1048576;
  /** Time limit for a request body that is not a file, in ms. */
  readonly maxBodyMs: 30000;
  /** Longest pause of an upload, in ms. */
  readonly uploadStallMs: 30000;
  /** Longest time for the field `wait` of a start, in ms. */
  readonly maxWaitMs: 60000;
  /** A socket frame from a client, in bytes. */
  readonly maxFrameBytes: 1048576;
  /** Longest lifetime of a signed token, in s: 30 days. */
  readonly maxTokenSeconds: 2592000;
  /** Open sockets of one root and all agents below it. */
  readonly maxSockets: 256;
  /** Open event streams of one root and all agents below it. */
  readonly maxStreams: 512;
  /** Agents to which one socket may subscribe. */
  readonly maxSubscriptions: 16;
  /** JSON of the subscriptions stored with a hibernating socket, in characters. */
  readonly maxKeptSubscriptions: 6000;
  /** Calls in progress on one socket. */
  readonly maxSocketCalls: 32;
  /** Frames of one socket, of any kind, whose handlers are still running. */
  readonly maxSocketFrames: 512;
  /** Frames of one socket whose handlers are still running, in bytes; in characters if a frame is text. */
  readonly maxSocketFrameBytes: number;
  /** Unsent bytes of all sockets of a root; beyond that, sockets that do not read get nothing new. */
  readonly maxUnsentBytes: number;
  /** Unsent bytes of one socket; beyond that, its next request closes it. */
  readonly maxUnreadBytes: number;
  /** How long a socket with unsent bytes may read nothing before it is closed, in ms. */
  readonly socketStallMs: 60000;
  /** An idempotency key, in characters. */
  readonly maxIdempotencyKey: 256;
  /** The metadata of a session or a message, as JSON, in bytes. */
  readonly maxMetadataBytes: 16384;
  /** Longest time that an open socket or stream relies on its last access check, in ms. */
  readonly freshRightMs: 5000;
  /** A file that a message names by its path, in bytes. */
  readonly maxShownFileBytes: number;
  /** Parts of a message. */
  readonly maxParts: 32;
  /** Time between two comments of an idle event stream, in ms. */
  readonly heartbeatMs: 15000;
};
export { ACTIONS, ANSWER_KINDS, type Action, type AgentView, type AnswerKind, type AssistantPart, type AwaitedAnswer, type AwaitedChild, type BodyOf, CHUNKS, type CallAnswer, type CallBase, type CallResult, type CallView, type Chunk, type ChunkBase, type ChunkBody, type ChunkType, type ClientFrame, type CompanionView, type CustomView, type DelegationOutcome, type DelegationView, type DiscardedAttempt, type DocumentFacts, ERROR_CODES, type ErrorCategory, type ErrorCode, FINISH_TOOL, type Failure, type FilePart, type FurtherPart, type FurtherView, type Json, type JsonLike, type JsonObject, type Level, MAX_ANSWER_TEXT, MAX_ERROR_DETAILS, MAX_ERROR_TEXT, MESSAGE_ROLES, type Message, type MessageRole, type MessageView, NO_USAGE, OffshootError, PENDING_KINDS, type ParsedAddress, type PartView, type PendingKind, type PendingView, type Problem, type ProviderCallPart, type ProviderResultPart, type ProviderToolView, RUN_STATUSES, type ReasoningPart, type RecoveryView, type Reduction, type ReplyFilePart, type ReplyFileView, type RootDocuments, type RunEnd, type RunView, SESSION_STATUSES, SUSPENDED_STATUSES, type SequencedChunk, type ServerFrame, type SessionStatus, type ShownFailure, type SourcePart, type SourceView, type StepView, type SuspendedStatus, type TextPart, type ToolCallPart, type TreeView, type UnreadFrame, type Usage, type WaitingCall, type WrittenFrame, addUsage, chunkBaseSchema, chunkSchema, companionsOf, currentRun, currentStep, emptyView, findAgent, forkAccepted, forkInput, isAtRest, isEndChunk, isEnded, isQuiet, isSuspended, isWireChunk, pendingOf, reduce, reduceAll, resumeAccepted, resumeInput, sendAccepted, sendInput, startAccepted, startInput, stepSources, stepText, stepThinking, stopAccepted, stopInput, submitAccepted, submitInput, topAgents, treeUsage, unpairedCalls, viewFrom };