import { a as Chunk, l as SequencedChunk, m as Json } from "./chunks.js";
import { y as TreeView, z as requests_d_exports } from "./reduce.js";
import "./status.js";
import * as z$1 from "zod";
/**
 * Whatever this client says that it could not do. What is aborted throws the signal's reason instead.
 * @example
 * const shown = (error: unknown): string => (error instanceof ClientError ? error.message : 'It was stopped.');
 */
declare class ClientError extends Error {
  readonly name: string;
}
/**
 * Nothing answers, or something that is no Offshoot server. May pass.
 * @example
 * const isAway = (error: unknown): boolean => error instanceof Unreachable;
 */
declare class Unreachable extends ClientError {
  readonly name = "Unreachable";
}
/**
 * The server answered, but not as the protocol says.
 * @example
 * const isOtherRelease = (error: unknown): boolean => error instanceof ProtocolError;
 */
declare class ProtocolError extends ClientError {
  readonly name = "ProtocolError";
  constructor(message: string);
}
/** What the problem document of a refusal says. */
interface Problem {
  /** Of the HTTP answer. */
  readonly status: number;
  /** Stable: handle errors by it. */
  readonly code: string;
  /** Safe to show to anyone. */
  readonly title: string;
  /** For a developer; empty where it says no more than the title. */
  readonly detail: string;
  /** What is known beyond it, for example the decision that was recorded; null for nothing. */
  readonly details: Json;
  /** Names the request in the server's log; empty where the server named none. */
  readonly requestId: string;
}
/**
 * The server refused a request: all that its problem document says.
 * @example
 * const isGone = (error: unknown): boolean => error instanceof Refused && error.code === 'gone';
 */
declare class Refused extends ClientError implements Problem {
  readonly name = "Refused";
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly details: Json;
  readonly requestId: string;
  constructor({ status, code, title, detail, details, requestId }: Problem);
}
/** What a client needs of time. */
interface Clock {
  /** ms since 1970. */
  now(): number;
  /** Settles after that time, at once when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}
declare namespace listings_d_exports {
  export { errorsPage, listedAgent, listedCall, listedCause, listedChild, listedChildrenInput, listedErrorsInput, listedFailure, listedPendingInput, listedRoot, rootsInput };
}
/** Which roots are listed. */
declare const rootsInput: z$1.ZodObject<{
  cursor: z$1.ZodOptional<z$1.ZodString>;
  limit: z$1.ZodOptional<z$1.ZodUnion<readonly [z$1.ZodNumber, z$1.ZodPipe<z$1.ZodPipe<z$1.ZodString, z$1.ZodTransform<number, string>>, z$1.ZodNumber>]>>;
  agent: z$1.ZodOptional<z$1.ZodString>;
  status: z$1.ZodOptional<z$1.ZodPipe<z$1.ZodPipe<z$1.ZodString, z$1.ZodTransform<string[], string>>, z$1.ZodArray<z$1.ZodEnum<{
    completed: "completed";
    failed: "failed";
    idle: "idle";
    interrupted: "interrupted";
    queued: "queued";
    running: "running";
    suspended_awaiting_children: "suspended_awaiting_children";
    suspended_client_tool: "suspended_client_tool";
    suspended_step_partial: "suspended_step_partial";
    terminated: "terminated";
  }>>>>;
  tag: z$1.ZodOptional<z$1.ZodString>;
  q: z$1.ZodOptional<z$1.ZodString>;
  sort: z$1.ZodOptional<z$1.ZodEnum<{
    createdAt: "createdAt";
    lastActivity: "lastActivity";
  }>>;
}, z$1.core.$strict>;
/** A root, as it is listed. */
declare const listedRoot: z$1.ZodObject<{
  address: z$1.ZodString;
  agentType: z$1.ZodString;
  name: z$1.ZodString;
  sessionId: z$1.ZodString;
  status: z$1.ZodString;
  displayName: z$1.ZodOptional<z$1.ZodString>;
  title: z$1.ZodOptional<z$1.ZodString>;
  preview: z$1.ZodOptional<z$1.ZodString>;
  steps: z$1.ZodOptional<z$1.ZodNumber>;
  tags: z$1.ZodReadonly<z$1.ZodArray<z$1.ZodString>>;
  createdAt: z$1.ZodNumber;
  lastActivity: z$1.ZodNumber;
  pendingCount: z$1.ZodOptional<z$1.ZodNumber>;
  usage: z$1.ZodOptional<z$1.ZodReadonly<z$1.ZodObject<{
    inputTokens: z$1.ZodNumber;
    outputTokens: z$1.ZodNumber;
    cachedTokens: z$1.ZodNumber;
    cacheWriteTokens: z$1.ZodExactOptional<z$1.ZodNumber>;
    reasoningTokens: z$1.ZodNumber;
    modelCalls: z$1.ZodNumber;
    toolCalls: z$1.ZodNumber;
    costUsd: z$1.ZodExactOptional<z$1.ZodNumber>;
    unpricedCalls: z$1.ZodExactOptional<z$1.ZodNumber>;
  }, z$1.core.$strip>>>;
  childCounts: z$1.ZodOptional<z$1.ZodObject<{
    running: z$1.ZodNumber;
    queued: z$1.ZodNumber;
    waiting: z$1.ZodNumber;
    total: z$1.ZodNumber;
  }, z$1.core.$strip>>;
  failedCount: z$1.ZodOptional<z$1.ZodNumber>;
  error: z$1.ZodOptional<z$1.ZodObject<{
    code: z$1.ZodString;
    title: z$1.ZodOptional<z$1.ZodString>;
    message: z$1.ZodString;
  }, z$1.core.$strip>>;
}, z$1.core.$strip>;
/** Which calls that wait for a person are listed. */
declare const listedPendingInput: z$1.ZodObject<{
  cursor: z$1.ZodOptional<z$1.ZodString>;
  limit: z$1.ZodOptional<z$1.ZodUnion<readonly [z$1.ZodNumber, z$1.ZodPipe<z$1.ZodPipe<z$1.ZodString, z$1.ZodTransform<number, string>>, z$1.ZodNumber>]>>;
  agent: z$1.ZodOptional<z$1.ZodString>;
  kind: z$1.ZodOptional<z$1.ZodEnum<{
    approval: "approval";
    "client-tool": "client-tool";
  }>>;
  tool: z$1.ZodOptional<z$1.ZodString>;
}, z$1.core.$strict>;
/** A call that waits for a person, whatever root it is of. */
declare const listedCall: z$1.ZodObject<{
  toolCallId: z$1.ZodString;
  kind: z$1.ZodEnum<{
    approval: "approval";
    "client-tool": "client-tool";
  }>;
  toolName: z$1.ZodString;
  address: z$1.ZodString;
  agentType: z$1.ZodString;
  requestedAt: z$1.ZodNumber;
  expiresAt: z$1.ZodOptional<z$1.ZodNumber>;
  root: z$1.ZodString;
  preview: z$1.ZodOptional<z$1.ZodString>;
}, z$1.core.$strip>;
/** Which failed runs are listed. */
declare const listedErrorsInput: z$1.ZodObject<{
  cursor: z$1.ZodOptional<z$1.ZodString>;
  limit: z$1.ZodOptional<z$1.ZodUnion<readonly [z$1.ZodNumber, z$1.ZodPipe<z$1.ZodPipe<z$1.ZodString, z$1.ZodTransform<number, string>>, z$1.ZodNumber>]>>;
  agent: z$1.ZodOptional<z$1.ZodString>;
  cause: z$1.ZodOptional<z$1.ZodString>;
  pattern: z$1.ZodOptional<z$1.ZodString>;
  type: z$1.ZodOptional<z$1.ZodString>;
  since: z$1.ZodOptional<z$1.ZodUnion<readonly [z$1.ZodNumber, z$1.ZodPipe<z$1.ZodPipe<z$1.ZodString, z$1.ZodTransform<number, string>>, z$1.ZodNumber>]>>;
}, z$1.core.$strict>;
/** A run that failed. */
declare const listedFailure: z$1.ZodObject<{
  code: z$1.ZodString;
  title: z$1.ZodOptional<z$1.ZodString>;
  message: z$1.ZodString;
  runId: z$1.ZodString;
  address: z$1.ZodString;
  agentType: z$1.ZodString;
  pattern: z$1.ZodOptional<z$1.ZodString>;
  root: z$1.ZodString;
  at: z$1.ZodNumber;
}, z$1.core.$strip>;
/** Failed runs of one agent type with the same code, and messages that differ only in numbers, ids and quoted texts. */
declare const listedCause: z$1.ZodObject<{
  pattern: z$1.ZodString;
  code: z$1.ZodString;
  title: z$1.ZodOptional<z$1.ZodString>;
  agentType: z$1.ZodString;
  count: z$1.ZodNumber;
  lastAt: z$1.ZodNumber;
}, z$1.core.$strip>;
/** A page of failed runs. */
declare const errorsPage: z$1.ZodObject<{
  items: z$1.ZodReadonly<z$1.ZodArray<z$1.ZodObject<{
    code: z$1.ZodString;
    title: z$1.ZodOptional<z$1.ZodString>;
    message: z$1.ZodString;
    runId: z$1.ZodString;
    address: z$1.ZodString;
    agentType: z$1.ZodString;
    pattern: z$1.ZodOptional<z$1.ZodString>;
    root: z$1.ZodString;
    at: z$1.ZodNumber;
  }, z$1.core.$strip>>>;
  cursor: z$1.ZodOptional<z$1.ZodString>;
  causes: z$1.ZodReadonly<z$1.ZodArray<z$1.ZodObject<{
    pattern: z$1.ZodString;
    code: z$1.ZodString;
    title: z$1.ZodOptional<z$1.ZodString>;
    agentType: z$1.ZodString;
    count: z$1.ZodNumber;
    lastAt: z$1.ZodNumber;
  }, z$1.core.$strip>>>;
}, z$1.core.$strip>;
/** Which sub-agents are listed. */
declare const listedChildrenInput: z$1.ZodObject<{
  cursor: z$1.ZodOptional<z$1.ZodString>;
  limit: z$1.ZodOptional<z$1.ZodUnion<readonly [z$1.ZodNumber, z$1.ZodPipe<z$1.ZodPipe<z$1.ZodString, z$1.ZodTransform<number, string>>, z$1.ZodNumber>]>>;
  agent: z$1.ZodOptional<z$1.ZodString>;
  mode: z$1.ZodOptional<z$1.ZodEnum<{
    ephemeral: "ephemeral";
    persistent: "persistent";
  }>>;
  placement: z$1.ZodOptional<z$1.ZodEnum<{
    facet: "facet";
    object: "object";
    remote: "remote";
  }>>;
  type: z$1.ZodOptional<z$1.ZodString>;
  q: z$1.ZodOptional<z$1.ZodString>;
  owing: z$1.ZodOptional<z$1.ZodPipe<z$1.ZodUnion<readonly [z$1.ZodBoolean, z$1.ZodEnum<{
    0: "0";
    1: "1";
    false: "false";
    true: "true";
  }>]>, z$1.ZodTransform<boolean, "0" | "1" | "false" | "true" | boolean>>>;
}, z$1.core.$strict>;
/** A sub-agent that stays, or lives elsewhere. */
declare const listedChild: z$1.ZodObject<{
  sessionId: z$1.ZodString;
  agentType: z$1.ZodString;
  address: z$1.ZodString;
  status: z$1.ZodEnum<{
    completed: "completed";
    failed: "failed";
    idle: "idle";
    interrupted: "interrupted";
    queued: "queued";
    running: "running";
    suspended_awaiting_children: "suspended_awaiting_children";
    suspended_client_tool: "suspended_client_tool";
    suspended_step_partial: "suspended_step_partial";
    terminated: "terminated";
  }>;
  usage: z$1.ZodReadonly<z$1.ZodObject<{
    inputTokens: z$1.ZodNumber;
    outputTokens: z$1.ZodNumber;
    cachedTokens: z$1.ZodNumber;
    cacheWriteTokens: z$1.ZodExactOptional<z$1.ZodNumber>;
    reasoningTokens: z$1.ZodNumber;
    modelCalls: z$1.ZodNumber;
    toolCalls: z$1.ZodNumber;
    costUsd: z$1.ZodExactOptional<z$1.ZodNumber>;
    unpricedCalls: z$1.ZodExactOptional<z$1.ZodNumber>;
  }, z$1.core.$strip>>;
  stopOwed: z$1.ZodOptional<z$1.ZodObject<{
    verb: z$1.ZodEnum<{
      abort: "abort";
      interrupt: "interrupt";
      terminate: "terminate";
    }>;
    runId: z$1.ZodString;
    since: z$1.ZodNumber;
    attempts: z$1.ZodNumber;
    nextAt: z$1.ZodNumber;
  }, z$1.core.$strip>>;
  name: z$1.ZodString;
  mode: z$1.ZodEnum<{
    ephemeral: "ephemeral";
    persistent: "persistent";
  }>;
  placement: z$1.ZodEnum<{
    facet: "facet";
    object: "object";
    remote: "remote";
  }>;
  task: z$1.ZodNumber;
  createdAt: z$1.ZodNumber;
  root: z$1.ZodString;
  lastActivity: z$1.ZodNumber;
}, z$1.core.$strip>;
/** An agent type, as it is listed. */
declare const listedAgent: z$1.ZodObject<{
  agentType: z$1.ZodString;
  addressClass: z$1.ZodString;
  title: z$1.ZodOptional<z$1.ZodString>;
  description: z$1.ZodString;
  root: z$1.ZodBoolean;
  model: z$1.ZodOptional<z$1.ZodObject<{
    id: z$1.ZodString;
    offline: z$1.ZodBoolean;
  }, z$1.core.$strip>>;
  examples: z$1.ZodReadonly<z$1.ZodArray<z$1.ZodString>>;
  tools: z$1.ZodReadonly<z$1.ZodArray<z$1.ZodObject<{
    name: z$1.ZodString;
    description: z$1.ZodString;
    kind: z$1.ZodEnum<{
      "client-tool": "client-tool";
      "sub-agent": "sub-agent";
      tool: "tool";
    }>;
    replay: z$1.ZodEnum<{
      never: "never";
      safe: "safe";
    }>;
    requiresApproval: z$1.ZodEnum<{
      always: "always";
      never: "never";
      sometimes: "sometimes";
    }>;
    side: z$1.ZodOptional<z$1.ZodString>;
    inputSchema: z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>;
    outputSchema: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  }, z$1.core.$strip>>>;
  inputSchema: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  outputSchema: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  stateSchema: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
}, z$1.core.$strip>;
declare namespace readings_d_exports {
  export { auditEntry, checkpoint, chunksPage, document, documentList, due, ledgerEntry, limitsDocument, listedToken, logEntry, me, stateDocument, transcriptEntry, transcriptPage };
}
/** A call of the ledger, with its one result. */
declare const ledgerEntry: z$1.ZodObject<{
  toolCallId: z$1.ZodString;
  toolName: z$1.ZodString;
  kind: z$1.ZodEnum<{
    "built-in": "built-in";
    "client-tool": "client-tool";
    refused: "refused";
    "sub-agent": "sub-agent";
    tool: "tool";
  }>;
  input: z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>;
  turn: z$1.ZodNumber;
  step: z$1.ZodNumber;
  status: z$1.ZodEnum<{
    failed: "failed";
    open: "open";
    pending: "pending";
    succeeded: "succeeded";
  }>;
  expiresAt: z$1.ZodOptional<z$1.ZodNumber>;
  answer: z$1.ZodOptional<z$1.ZodObject<{
    kind: z$1.ZodEnum<{
      "approval-response": "approval-response";
      "client-tool-result": "client-tool-result";
    }>;
    at: z$1.ZodNumber;
    approved: z$1.ZodOptional<z$1.ZodBoolean>;
    actor: z$1.ZodOptional<z$1.ZodString>;
    reason: z$1.ZodOptional<z$1.ZodString>;
    input: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  }, z$1.core.$strip>>;
  bodies: z$1.ZodNumber;
  result: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  error: z$1.ZodOptional<z$1.ZodObject<{
    code: z$1.ZodString;
    category: z$1.ZodString;
    message: z$1.ZodString;
    title: z$1.ZodExactOptional<z$1.ZodString>;
    retryable: z$1.ZodBoolean;
    retryAfterMs: z$1.ZodExactOptional<z$1.ZodNumber>;
    details: z$1.ZodExactOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  }, z$1.core.$strip>>;
  startedAt: z$1.ZodOptional<z$1.ZodNumber>;
  endedAt: z$1.ZodOptional<z$1.ZodNumber>;
  subAddress: z$1.ZodOptional<z$1.ZodString>;
  subSessionId: z$1.ZodOptional<z$1.ZodString>;
}, z$1.core.$strip>;
/** An entry of the log: a model call, a tool, or a hook that failed. */
declare const logEntry: z$1.ZodObject<{
  kind: z$1.ZodEnum<{
    "client-tool": "client-tool";
    compaction: "compaction";
    hook: "hook";
    model: "model";
    "sub-agent": "sub-agent";
    tool: "tool";
  }>;
  hook: z$1.ZodOptional<z$1.ZodString>;
  hookId: z$1.ZodOptional<z$1.ZodString>;
  turn: z$1.ZodNumber;
  step: z$1.ZodNumber;
  model: z$1.ZodOptional<z$1.ZodString>;
  toolCallId: z$1.ZodOptional<z$1.ZodString>;
  toolName: z$1.ZodOptional<z$1.ZodString>;
  attempts: z$1.ZodNumber;
  errors: z$1.ZodReadonly<z$1.ZodArray<z$1.ZodObject<{
    code: z$1.ZodString;
    category: z$1.ZodString;
    message: z$1.ZodString;
    title: z$1.ZodExactOptional<z$1.ZodString>;
    retryable: z$1.ZodBoolean;
    retryAfterMs: z$1.ZodExactOptional<z$1.ZodNumber>;
    details: z$1.ZodExactOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  }, z$1.core.$strip>>>;
  startedAt: z$1.ZodNumber;
  endedAt: z$1.ZodOptional<z$1.ZodNumber>;
  finishReason: z$1.ZodOptional<z$1.ZodString>;
  notes: z$1.ZodOptional<z$1.ZodArray<z$1.ZodString>>;
  usage: z$1.ZodOptional<z$1.ZodReadonly<z$1.ZodObject<{
    inputTokens: z$1.ZodNumber;
    outputTokens: z$1.ZodNumber;
    cachedTokens: z$1.ZodNumber;
    cacheWriteTokens: z$1.ZodExactOptional<z$1.ZodNumber>;
    reasoningTokens: z$1.ZodNumber;
    modelCalls: z$1.ZodNumber;
    toolCalls: z$1.ZodNumber;
    costUsd: z$1.ZodExactOptional<z$1.ZodNumber>;
    unpricedCalls: z$1.ZodExactOptional<z$1.ZodNumber>;
  }, z$1.core.$strip>>>;
  summary: z$1.ZodOptional<z$1.ZodString>;
  summaryBy: z$1.ZodOptional<z$1.ZodEnum<{
    digest: "digest";
    function: "function";
    model: "model";
  }>>;
}, z$1.core.$strip>;
/** An entry of the audit. */
declare const auditEntry: z$1.ZodObject<{
  at: z$1.ZodNumber;
  actor: z$1.ZodString;
  action: z$1.ZodString;
  runId: z$1.ZodOptional<z$1.ZodString>;
  detail: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
}, z$1.core.$strip>;
/** A committed step. */
declare const checkpoint: z$1.ZodObject<{
  checkpointId: z$1.ZodString;
  turn: z$1.ZodNumber;
  step: z$1.ZodNumber;
  at: z$1.ZodNumber;
  finishReason: z$1.ZodString;
}, z$1.core.$strip>;
/** A message of the transcript. */
declare const transcriptEntry: z$1.ZodObject<{
  role: z$1.ZodEnum<{
    assistant: "assistant";
    system: "system";
    tool: "tool";
    user: "user";
  }>;
  content: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  messageId: z$1.ZodOptional<z$1.ZodString>;
  from: z$1.ZodOptional<z$1.ZodEnum<{
    agent: "agent";
    caller: "caller";
    child: "child";
    offshoot: "offshoot";
    parent: "parent";
  }>>;
  toolCallId: z$1.ZodOptional<z$1.ZodString>;
  toolName: z$1.ZodOptional<z$1.ZodString>;
  result: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  turn: z$1.ZodOptional<z$1.ZodNumber>;
  step: z$1.ZodOptional<z$1.ZodNumber>;
  at: z$1.ZodNumber;
  metadata: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  silent: z$1.ZodOptional<z$1.ZodLiteral<true>>;
  controls: z$1.ZodOptional<z$1.ZodObject<{
    cancelMessage: z$1.ZodUnion<readonly [z$1.ZodLiteral<true>, z$1.ZodObject<{
      code: z$1.ZodString;
      title: z$1.ZodString;
      detail: z$1.ZodString;
    }, z$1.core.$strip>]>;
  }, z$1.core.$strip>>;
}, z$1.core.$strip>;
/** A page of the transcript. */
declare const transcriptPage: z$1.ZodObject<{
  items: z$1.ZodReadonly<z$1.ZodArray<z$1.ZodObject<{
    role: z$1.ZodEnum<{
      assistant: "assistant";
      system: "system";
      tool: "tool";
      user: "user";
    }>;
    content: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
    messageId: z$1.ZodOptional<z$1.ZodString>;
    from: z$1.ZodOptional<z$1.ZodEnum<{
      agent: "agent";
      caller: "caller";
      child: "child";
      offshoot: "offshoot";
      parent: "parent";
    }>>;
    toolCallId: z$1.ZodOptional<z$1.ZodString>;
    toolName: z$1.ZodOptional<z$1.ZodString>;
    result: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
    turn: z$1.ZodOptional<z$1.ZodNumber>;
    step: z$1.ZodOptional<z$1.ZodNumber>;
    at: z$1.ZodNumber;
    metadata: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
    silent: z$1.ZodOptional<z$1.ZodLiteral<true>>;
    controls: z$1.ZodOptional<z$1.ZodObject<{
      cancelMessage: z$1.ZodUnion<readonly [z$1.ZodLiteral<true>, z$1.ZodObject<{
        code: z$1.ZodString;
        title: z$1.ZodString;
        detail: z$1.ZodString;
      }, z$1.core.$strip>]>;
    }, z$1.core.$strip>>;
  }, z$1.core.$strip>>>;
  cursor: z$1.ZodOptional<z$1.ZodString>;
  asOfSequence: z$1.ZodNumber;
}, z$1.core.$strip>;
/** A page of the log. */
declare const chunksPage: z$1.ZodObject<{
  items: z$1.ZodReadonly<z$1.ZodArray<z$1.ZodObject<{
    sequence: z$1.ZodNumber;
    chunk: z$1.ZodType<Chunk, unknown, z$1.core.$ZodTypeInternals<Chunk, unknown>>;
  }, z$1.core.$strip>>>;
  first: z$1.ZodNumber;
  last: z$1.ZodNumber;
  next: z$1.ZodOptional<z$1.ZodNumber>;
  previous: z$1.ZodOptional<z$1.ZodNumber>;
}, z$1.core.$strip>;
/** The custom state. */
declare const stateDocument: z$1.ZodObject<{
  state: z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>;
}, z$1.core.$strip>;
/** The limits of an agent, and what is used of some. */
declare const limitsDocument: z$1.ZodObject<{
  limits: z$1.ZodRecord<z$1.ZodString, z$1.ZodNumber>;
  used: z$1.ZodRecord<z$1.ZodString, z$1.ZodNumber>;
}, z$1.core.$strip>;
/** What is due: the end of work, or of a wait for an answer, or a scheduled effect. */
declare const due: z$1.ZodObject<{
  kind: z$1.ZodEnum<{
    answer: "answer";
    effect: "effect";
    timeout: "timeout";
  }>;
  address: z$1.ZodString;
  sessionId: z$1.ZodString;
  callId: z$1.ZodString;
  dueAt: z$1.ZodNumber;
}, z$1.core.$strip>;
/** A document that the agents of a root search. */
declare const document: z$1.ZodObject<{
  name: z$1.ZodString;
  title: z$1.ZodString;
  origin: z$1.ZodEnum<{
    own: "own";
    shared: "shared";
    shipped: "shipped";
  }>;
  bytes: z$1.ZodNumber;
}, z$1.core.$strip>;
/** All of them. */
declare const documentList: z$1.ZodObject<{
  items: z$1.ZodReadonly<z$1.ZodArray<z$1.ZodObject<{
    name: z$1.ZodString;
    title: z$1.ZodString;
    origin: z$1.ZodEnum<{
      own: "own";
      shared: "shared";
      shipped: "shipped";
    }>;
    bytes: z$1.ZodNumber;
  }, z$1.core.$strip>>>;
}, z$1.core.$strip>;
/** A signed token or ticket, as it is listed; never its text. */
declare const listedToken: z$1.ZodObject<{
  id: z$1.ZodString;
  address: z$1.ZodString;
  actions: z$1.ZodArray<z$1.ZodEnum<{
    admin: "admin";
    answer: "answer";
    read: "read";
    share: "share";
    stop: "stop";
    write: "write";
  }>>;
  toolCallId: z$1.ZodOptional<z$1.ZodString>;
  label: z$1.ZodOptional<z$1.ZodString>;
  createdAt: z$1.ZodNumber;
  createdBy: z$1.ZodString;
  expiresAt: z$1.ZodNumber;
  ticket: z$1.ZodBoolean;
  revokedAt: z$1.ZodOptional<z$1.ZodNumber>;
}, z$1.core.$strip>;
/** Who asks, and what may be done at an address. */
declare const me: z$1.ZodObject<{
  subject: z$1.ZodString;
  address: z$1.ZodString;
  actions: z$1.ZodArray<z$1.ZodEnum<{
    admin: "admin";
    answer: "answer";
    read: "read";
    share: "share";
    stop: "stop";
    write: "write";
  }>>;
  expiresAt: z$1.ZodOptional<z$1.ZodNumber>;
  toolCallId: z$1.ZodOptional<z$1.ZodString>;
}, z$1.core.$strip>;
declare namespace shapes_d_exports {
  export { METADATA, TreeShown, actions, child, childCounts, depth$1 as depth, fileInfo, flag, json, line, listedRun, nothing, pageInput, pageOf, pendingItem, problem, registryEntry, run, sequence, sessionStatus, statusDocument, time, treeNode, usageDocument, variableRequest };
}
/** Any JSON. */
declare const json: z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>;
/** A text that people read as one line, of 1 to so many characters. */
declare const line: (most: number) => z$1.ZodString;
/** What the description of the API says about metadata. */
declare const METADATA: string;
/** A yes or no that also comes as text in a query. */
declare const flag: z$1.ZodPipe<z$1.ZodUnion<readonly [z$1.ZodBoolean, z$1.ZodEnum<{
  0: "0";
  1: "1";
  false: "false";
  true: "true";
}>]>, z$1.ZodTransform<boolean, "0" | "1" | "false" | "true" | boolean>>;
/** A sequence of the log. */
declare const sequence: z$1.ZodUnion<readonly [z$1.ZodNumber, z$1.ZodPipe<z$1.ZodPipe<z$1.ZodString, z$1.ZodTransform<number, string>>, z$1.ZodNumber>]>;
/** Levels of a tree. */
declare const depth$1: z$1.ZodUnion<readonly [z$1.ZodNumber, z$1.ZodPipe<z$1.ZodPipe<z$1.ZodString, z$1.ZodTransform<number, string>>, z$1.ZodNumber>]>;
/** Which page of a list. */
declare const pageInput: z$1.ZodObject<{
  cursor: z$1.ZodOptional<z$1.ZodString>;
  limit: z$1.ZodOptional<z$1.ZodUnion<readonly [z$1.ZodNumber, z$1.ZodPipe<z$1.ZodPipe<z$1.ZodString, z$1.ZodTransform<number, string>>, z$1.ZodNumber>]>>;
}, z$1.core.$strict>;
/** A page of a list. */
declare const pageOf: <Item extends z$1.ZodType>(item: Item) => z$1.ZodObject<{
  items: z$1.ZodReadonly<z$1.ZodArray<Item>>;
  cursor: z$1.ZodOptional<z$1.ZodString>;
}, z$1.core.$strip>;
/** No input. */
declare const nothing: z$1.ZodObject<{}, z$1.core.$strict>;
/** A time. */
declare const time: z$1.ZodNumber;
/** Rights. */
declare const actions: z$1.ZodArray<z$1.ZodEnum<{
  admin: "admin";
  answer: "answer";
  read: "read";
  share: "share";
  stop: "stop";
  write: "write";
}>>;
/** How a session stands. */
declare const sessionStatus: z$1.ZodEnum<{
  completed: "completed";
  failed: "failed";
  idle: "idle";
  interrupted: "interrupted";
  queued: "queued";
  running: "running";
  suspended_awaiting_children: "suspended_awaiting_children";
  suspended_client_tool: "suspended_client_tool";
  suspended_step_partial: "suspended_step_partial";
  terminated: "terminated";
}>;
/** One run. */
declare const run: z$1.ZodObject<{
  runId: z$1.ZodString;
  epoch: z$1.ZodNumber;
  turn: z$1.ZodNumber;
  chainTurn: z$1.ZodNumber;
  chainRunId: z$1.ZodString;
  status: z$1.ZodEnum<{
    completed: "completed";
    failed: "failed";
    interrupted: "interrupted";
    running: "running";
    suspended_awaiting_children: "suspended_awaiting_children";
    suspended_client_tool: "suspended_client_tool";
    suspended_step_partial: "suspended_step_partial";
    terminated: "terminated";
  }>;
  startSequence: z$1.ZodOptional<z$1.ZodNumber>;
  chainStartSequence: z$1.ZodOptional<z$1.ZodNumber>;
  traceparent: z$1.ZodOptional<z$1.ZodString>;
  startedAt: z$1.ZodNumber;
  endedAt: z$1.ZodOptional<z$1.ZodNumber>;
  output: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  error: z$1.ZodOptional<z$1.ZodObject<{
    code: z$1.ZodString;
    category: z$1.ZodString;
    message: z$1.ZodString;
    title: z$1.ZodExactOptional<z$1.ZodString>;
    retryable: z$1.ZodBoolean;
    retryAfterMs: z$1.ZodExactOptional<z$1.ZodNumber>;
    details: z$1.ZodExactOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  }, z$1.core.$strip>>;
  failureReason: z$1.ZodOptional<z$1.ZodString>;
  completionReason: z$1.ZodOptional<z$1.ZodString>;
  reason: z$1.ZodOptional<z$1.ZodString>;
  resumedFrom: z$1.ZodOptional<z$1.ZodString>;
}, z$1.core.$strip>;
/** A run in the list of runs. */
declare const listedRun: z$1.ZodObject<{
  runId: z$1.ZodString;
  epoch: z$1.ZodNumber;
  turn: z$1.ZodNumber;
  chainTurn: z$1.ZodNumber;
  chainRunId: z$1.ZodString;
  status: z$1.ZodEnum<{
    completed: "completed";
    failed: "failed";
    interrupted: "interrupted";
    running: "running";
    suspended_awaiting_children: "suspended_awaiting_children";
    suspended_client_tool: "suspended_client_tool";
    suspended_step_partial: "suspended_step_partial";
    terminated: "terminated";
  }>;
  startSequence: z$1.ZodOptional<z$1.ZodNumber>;
  chainStartSequence: z$1.ZodOptional<z$1.ZodNumber>;
  traceparent: z$1.ZodOptional<z$1.ZodString>;
  startedAt: z$1.ZodNumber;
  endedAt: z$1.ZodOptional<z$1.ZodNumber>;
  output: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  error: z$1.ZodOptional<z$1.ZodObject<{
    code: z$1.ZodString;
    category: z$1.ZodString;
    message: z$1.ZodString;
    title: z$1.ZodExactOptional<z$1.ZodString>;
    retryable: z$1.ZodBoolean;
    retryAfterMs: z$1.ZodExactOptional<z$1.ZodNumber>;
    details: z$1.ZodExactOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  }, z$1.core.$strip>>;
  failureReason: z$1.ZodOptional<z$1.ZodString>;
  completionReason: z$1.ZodOptional<z$1.ZodString>;
  reason: z$1.ZodOptional<z$1.ZodString>;
  resumedFrom: z$1.ZodOptional<z$1.ZodString>;
  input: z$1.ZodOptional<z$1.ZodString>;
  usage: z$1.ZodOptional<z$1.ZodReadonly<z$1.ZodObject<{
    inputTokens: z$1.ZodNumber;
    outputTokens: z$1.ZodNumber;
    cachedTokens: z$1.ZodNumber;
    cacheWriteTokens: z$1.ZodExactOptional<z$1.ZodNumber>;
    reasoningTokens: z$1.ZodNumber;
    modelCalls: z$1.ZodNumber;
    toolCalls: z$1.ZodNumber;
    costUsd: z$1.ZodExactOptional<z$1.ZodNumber>;
    unpricedCalls: z$1.ZodExactOptional<z$1.ZodNumber>;
  }, z$1.core.$strip>>>;
  steps: z$1.ZodOptional<z$1.ZodNumber>;
}, z$1.core.$strip>;
/** Sub-agents by how they stand. */
declare const childCounts: z$1.ZodObject<{
  running: z$1.ZodNumber;
  queued: z$1.ZodNumber;
  waiting: z$1.ZodNumber;
  total: z$1.ZodNumber;
}, z$1.core.$strip>;
/** A call that waits for a person. */
declare const pendingItem: z$1.ZodObject<{
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
}, z$1.core.$strip>;
/** A sub-agent that has not begun because nobody has given the variables that it must have. */
declare const variableRequest: z$1.ZodObject<{
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
}, z$1.core.$strip>;
/** The status document. */
declare const statusDocument: z$1.ZodObject<{
  sessionId: z$1.ZodString;
  agentType: z$1.ZodString;
  address: z$1.ZodString;
  status: z$1.ZodEnum<{
    completed: "completed";
    failed: "failed";
    idle: "idle";
    interrupted: "interrupted";
    queued: "queued";
    running: "running";
    suspended_awaiting_children: "suspended_awaiting_children";
    suspended_client_tool: "suspended_client_tool";
    suspended_step_partial: "suspended_step_partial";
    terminated: "terminated";
  }>;
  statusText: z$1.ZodOptional<z$1.ZodString>;
  childCounts: z$1.ZodObject<{
    running: z$1.ZodNumber;
    queued: z$1.ZodNumber;
    waiting: z$1.ZodNumber;
    total: z$1.ZodNumber;
  }, z$1.core.$strip>;
  usage: z$1.ZodReadonly<z$1.ZodObject<{
    inputTokens: z$1.ZodNumber;
    outputTokens: z$1.ZodNumber;
    cachedTokens: z$1.ZodNumber;
    cacheWriteTokens: z$1.ZodExactOptional<z$1.ZodNumber>;
    reasoningTokens: z$1.ZodNumber;
    modelCalls: z$1.ZodNumber;
    toolCalls: z$1.ZodNumber;
    costUsd: z$1.ZodExactOptional<z$1.ZodNumber>;
    unpricedCalls: z$1.ZodExactOptional<z$1.ZodNumber>;
  }, z$1.core.$strip>>;
  lastSequence: z$1.ZodNumber;
  stopOwed: z$1.ZodOptional<z$1.ZodObject<{
    verb: z$1.ZodEnum<{
      abort: "abort";
      interrupt: "interrupt";
      terminate: "terminate";
    }>;
    runId: z$1.ZodString;
    since: z$1.ZodNumber;
    attempts: z$1.ZodNumber;
    nextAt: z$1.ZodNumber;
  }, z$1.core.$strip>>;
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
    status: z$1.ZodEnum<{
      completed: "completed";
      failed: "failed";
      interrupted: "interrupted";
      running: "running";
      suspended_awaiting_children: "suspended_awaiting_children";
      suspended_client_tool: "suspended_client_tool";
      suspended_step_partial: "suspended_step_partial";
      terminated: "terminated";
    }>;
    startSequence: z$1.ZodOptional<z$1.ZodNumber>;
    chainStartSequence: z$1.ZodOptional<z$1.ZodNumber>;
    traceparent: z$1.ZodOptional<z$1.ZodString>;
    startedAt: z$1.ZodNumber;
    endedAt: z$1.ZodOptional<z$1.ZodNumber>;
    output: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
    error: z$1.ZodOptional<z$1.ZodObject<{
      code: z$1.ZodString;
      category: z$1.ZodString;
      message: z$1.ZodString;
      title: z$1.ZodExactOptional<z$1.ZodString>;
      retryable: z$1.ZodBoolean;
      retryAfterMs: z$1.ZodExactOptional<z$1.ZodNumber>;
      details: z$1.ZodExactOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
    }, z$1.core.$strip>>;
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
  controls: z$1.ZodObject<{
    start: z$1.ZodUnion<readonly [z$1.ZodLiteral<true>, z$1.ZodObject<{
      code: z$1.ZodString;
      title: z$1.ZodString;
      detail: z$1.ZodString;
    }, z$1.core.$strip>]>;
    send: z$1.ZodUnion<readonly [z$1.ZodLiteral<true>, z$1.ZodObject<{
      code: z$1.ZodString;
      title: z$1.ZodString;
      detail: z$1.ZodString;
    }, z$1.core.$strip>]>;
    interrupt: z$1.ZodUnion<readonly [z$1.ZodLiteral<true>, z$1.ZodObject<{
      code: z$1.ZodString;
      title: z$1.ZodString;
      detail: z$1.ZodString;
    }, z$1.core.$strip>]>;
    abort: z$1.ZodUnion<readonly [z$1.ZodLiteral<true>, z$1.ZodObject<{
      code: z$1.ZodString;
      title: z$1.ZodString;
      detail: z$1.ZodString;
    }, z$1.core.$strip>]>;
    terminate: z$1.ZodUnion<readonly [z$1.ZodLiteral<true>, z$1.ZodObject<{
      code: z$1.ZodString;
      title: z$1.ZodString;
      detail: z$1.ZodString;
    }, z$1.core.$strip>]>;
    resume: z$1.ZodUnion<readonly [z$1.ZodLiteral<true>, z$1.ZodObject<{
      code: z$1.ZodString;
      title: z$1.ZodString;
      detail: z$1.ZodString;
    }, z$1.core.$strip>]>;
    retry: z$1.ZodUnion<readonly [z$1.ZodLiteral<true>, z$1.ZodObject<{
      code: z$1.ZodString;
      title: z$1.ZodString;
      detail: z$1.ZodString;
    }, z$1.core.$strip>]>;
    submit: z$1.ZodUnion<readonly [z$1.ZodLiteral<true>, z$1.ZodObject<{
      code: z$1.ZodString;
      title: z$1.ZodString;
      detail: z$1.ZodString;
    }, z$1.core.$strip>]>;
    fork: z$1.ZodUnion<readonly [z$1.ZodLiteral<true>, z$1.ZodObject<{
      code: z$1.ZodString;
      title: z$1.ZodString;
      detail: z$1.ZodString;
    }, z$1.core.$strip>]>;
    remove: z$1.ZodUnion<readonly [z$1.ZodLiteral<true>, z$1.ZodObject<{
      code: z$1.ZodString;
      title: z$1.ZodString;
      detail: z$1.ZodString;
    }, z$1.core.$strip>]>;
  }, z$1.core.$strip>;
}, z$1.core.$strip>;
/** What Standard Agents know of a sub-agent of a prompt. */
declare const registryEntry: z$1.ZodObject<{
  reference: z$1.ZodString;
  name: z$1.ZodString;
  title: z$1.ZodOptional<z$1.ZodString>;
  description: z$1.ZodString;
  resumable: z$1.ZodBoolean;
  blocking: z$1.ZodBoolean;
  threadName: z$1.ZodOptional<z$1.ZodString>;
  spawnGroupId: z$1.ZodOptional<z$1.ZodString>;
  createdAt: z$1.ZodNumber;
  status: z$1.ZodEnum<{
    awaiting_input: "awaiting_input";
    failed: "failed";
    idle: "idle";
    running: "running";
    terminated: "terminated";
  }>;
}, z$1.core.$strip>;
/** A sub-agent, as the root knows it. */
declare const child: z$1.ZodObject<{
  sessionId: z$1.ZodString;
  agentType: z$1.ZodString;
  address: z$1.ZodString;
  status: z$1.ZodEnum<{
    completed: "completed";
    failed: "failed";
    idle: "idle";
    interrupted: "interrupted";
    queued: "queued";
    running: "running";
    suspended_awaiting_children: "suspended_awaiting_children";
    suspended_client_tool: "suspended_client_tool";
    suspended_step_partial: "suspended_step_partial";
    terminated: "terminated";
  }>;
  statusText: z$1.ZodOptional<z$1.ZodString>;
  childCounts: z$1.ZodObject<{
    running: z$1.ZodNumber;
    queued: z$1.ZodNumber;
    waiting: z$1.ZodNumber;
    total: z$1.ZodNumber;
  }, z$1.core.$strip>;
  usage: z$1.ZodReadonly<z$1.ZodObject<{
    inputTokens: z$1.ZodNumber;
    outputTokens: z$1.ZodNumber;
    cachedTokens: z$1.ZodNumber;
    cacheWriteTokens: z$1.ZodExactOptional<z$1.ZodNumber>;
    reasoningTokens: z$1.ZodNumber;
    modelCalls: z$1.ZodNumber;
    toolCalls: z$1.ZodNumber;
    costUsd: z$1.ZodExactOptional<z$1.ZodNumber>;
    unpricedCalls: z$1.ZodExactOptional<z$1.ZodNumber>;
  }, z$1.core.$strip>>;
  lastSequence: z$1.ZodNumber;
  stopOwed: z$1.ZodOptional<z$1.ZodObject<{
    verb: z$1.ZodEnum<{
      abort: "abort";
      interrupt: "interrupt";
      terminate: "terminate";
    }>;
    runId: z$1.ZodString;
    since: z$1.ZodNumber;
    attempts: z$1.ZodNumber;
    nextAt: z$1.ZodNumber;
  }, z$1.core.$strip>>;
  name: z$1.ZodString;
  mode: z$1.ZodEnum<{
    ephemeral: "ephemeral";
    persistent: "persistent";
  }>;
  placement: z$1.ZodEnum<{
    facet: "facet";
    object: "object";
    remote: "remote";
  }>;
  callId: z$1.ZodString;
  childId: z$1.ZodNumber;
  task: z$1.ZodNumber;
  generation: z$1.ZodNumber;
  createdAt: z$1.ZodNumber;
  endedAt: z$1.ZodOptional<z$1.ZodNumber>;
  entry: z$1.ZodOptional<z$1.ZodObject<{
    reference: z$1.ZodString;
    name: z$1.ZodString;
    title: z$1.ZodOptional<z$1.ZodString>;
    description: z$1.ZodString;
    resumable: z$1.ZodBoolean;
    blocking: z$1.ZodBoolean;
    threadName: z$1.ZodOptional<z$1.ZodString>;
    spawnGroupId: z$1.ZodOptional<z$1.ZodString>;
    createdAt: z$1.ZodNumber;
    status: z$1.ZodEnum<{
      awaiting_input: "awaiting_input";
      failed: "failed";
      idle: "idle";
      running: "running";
      terminated: "terminated";
    }>;
  }, z$1.core.$strip>>;
}, z$1.core.$strip>;
declare const treeFacts: z$1.ZodObject<{
  sessionId: z$1.ZodString;
  agentType: z$1.ZodString;
  address: z$1.ZodString;
  status: z$1.ZodEnum<{
    completed: "completed";
    failed: "failed";
    idle: "idle";
    interrupted: "interrupted";
    queued: "queued";
    running: "running";
    suspended_awaiting_children: "suspended_awaiting_children";
    suspended_client_tool: "suspended_client_tool";
    suspended_step_partial: "suspended_step_partial";
    terminated: "terminated";
  }>;
  statusText: z$1.ZodOptional<z$1.ZodString>;
  childCounts: z$1.ZodObject<{
    running: z$1.ZodNumber;
    queued: z$1.ZodNumber;
    waiting: z$1.ZodNumber;
    total: z$1.ZodNumber;
  }, z$1.core.$strip>;
  usage: z$1.ZodReadonly<z$1.ZodObject<{
    inputTokens: z$1.ZodNumber;
    outputTokens: z$1.ZodNumber;
    cachedTokens: z$1.ZodNumber;
    cacheWriteTokens: z$1.ZodExactOptional<z$1.ZodNumber>;
    reasoningTokens: z$1.ZodNumber;
    modelCalls: z$1.ZodNumber;
    toolCalls: z$1.ZodNumber;
    costUsd: z$1.ZodExactOptional<z$1.ZodNumber>;
    unpricedCalls: z$1.ZodExactOptional<z$1.ZodNumber>;
  }, z$1.core.$strip>>;
  lastSequence: z$1.ZodNumber;
  stopOwed: z$1.ZodOptional<z$1.ZodObject<{
    verb: z$1.ZodEnum<{
      abort: "abort";
      interrupt: "interrupt";
      terminate: "terminate";
    }>;
    runId: z$1.ZodString;
    since: z$1.ZodNumber;
    attempts: z$1.ZodNumber;
    nextAt: z$1.ZodNumber;
  }, z$1.core.$strip>>;
  name: z$1.ZodString;
  mode: z$1.ZodEnum<{
    ephemeral: "ephemeral";
    persistent: "persistent";
    root: "root";
  }>;
  placement: z$1.ZodEnum<{
    facet: "facet";
    object: "object";
    remote: "remote";
  }>;
  callId: z$1.ZodOptional<z$1.ZodString>;
  task: z$1.ZodOptional<z$1.ZodNumber>;
  generation: z$1.ZodOptional<z$1.ZodNumber>;
  createdAt: z$1.ZodNumber;
  startedAt: z$1.ZodOptional<z$1.ZodNumber>;
  endedAt: z$1.ZodOptional<z$1.ZodNumber>;
  step: z$1.ZodNumber;
  recoveries: z$1.ZodNumber;
  pendingCount: z$1.ZodNumber;
  error: z$1.ZodOptional<z$1.ZodObject<{
    code: z$1.ZodString;
    title: z$1.ZodOptional<z$1.ZodString>;
    message: z$1.ZodString;
  }, z$1.core.$strip>>;
}, z$1.core.$strip>;
/** An agent with all below it, as it is shown. */
type TreeShown = z$1.output<typeof treeFacts> & {
  readonly nodes: readonly TreeShown[];
};
/** An agent with all below it. */
declare const treeNode: z$1.ZodType<TreeShown>;
/** A file. */
declare const fileInfo: z$1.ZodObject<{
  path: z$1.ZodString;
  size: z$1.ZodNumber;
  mediaType: z$1.ZodString;
  etag: z$1.ZodString;
  updatedAt: z$1.ZodNumber;
}, z$1.core.$strip>;
/** What was spent at an agent, or at and below it. */
declare const usageDocument: z$1.ZodObject<{
  total: z$1.ZodReadonly<z$1.ZodObject<{
    inputTokens: z$1.ZodNumber;
    outputTokens: z$1.ZodNumber;
    cachedTokens: z$1.ZodNumber;
    cacheWriteTokens: z$1.ZodExactOptional<z$1.ZodNumber>;
    reasoningTokens: z$1.ZodNumber;
    modelCalls: z$1.ZodNumber;
    toolCalls: z$1.ZodNumber;
    costUsd: z$1.ZodExactOptional<z$1.ZodNumber>;
    unpricedCalls: z$1.ZodExactOptional<z$1.ZodNumber>;
  }, z$1.core.$strip>>;
  byAgent: z$1.ZodRecord<z$1.ZodString, z$1.ZodReadonly<z$1.ZodObject<{
    inputTokens: z$1.ZodNumber;
    outputTokens: z$1.ZodNumber;
    cachedTokens: z$1.ZodNumber;
    cacheWriteTokens: z$1.ZodExactOptional<z$1.ZodNumber>;
    reasoningTokens: z$1.ZodNumber;
    modelCalls: z$1.ZodNumber;
    toolCalls: z$1.ZodNumber;
    costUsd: z$1.ZodExactOptional<z$1.ZodNumber>;
    unpricedCalls: z$1.ZodExactOptional<z$1.ZodNumber>;
  }, z$1.core.$strip>>>;
  byModel: z$1.ZodOptional<z$1.ZodRecord<z$1.ZodString, z$1.ZodReadonly<z$1.ZodObject<{
    inputTokens: z$1.ZodNumber;
    outputTokens: z$1.ZodNumber;
    cachedTokens: z$1.ZodNumber;
    cacheWriteTokens: z$1.ZodExactOptional<z$1.ZodNumber>;
    reasoningTokens: z$1.ZodNumber;
    modelCalls: z$1.ZodNumber;
    toolCalls: z$1.ZodNumber;
    costUsd: z$1.ZodExactOptional<z$1.ZodNumber>;
    unpricedCalls: z$1.ZodExactOptional<z$1.ZodNumber>;
  }, z$1.core.$strip>>>>;
}, z$1.core.$strip>;
/** The shape of an error. */
declare const problem: z$1.ZodObject<{
  type: z$1.ZodString;
  title: z$1.ZodString;
  status: z$1.ZodNumber;
  code: z$1.ZodString;
  detail: z$1.ZodString;
  requestId: z$1.ZodString;
  details: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
}, z$1.core.$strip>;
/** A request. `timeoutMs` bounds the wait for the whole answer (for `openStream`: for its first byte). */
interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Sent as JSON. What cannot be JSON is refused by the server with the field's name. */
  readonly body?: object;
  /** Sent as they are, in the place of `body`. */
  readonly bytes?: Blob | ArrayBuffer | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}
/** What is told of a log that is followed. Nothing is told twice. */
type FollowEvent =
/** The next chunk. `missing` is how many sequences before it the server does not give any more. */
{
  readonly type: 'chunk';
  readonly entry: SequencedChunk;
  readonly missing: number;
} |
/** What was held before `from` is void: the log begins there now. */
{
  readonly type: 'reset';
  readonly from: number;
} |
/** All that has happened so far was told. */
{
  readonly type: 'up-to-date';
} |
/** The connection was lost, with the reason, or is there (again). */
{
  readonly type: 'connection';
  readonly problem?: string;
} |
/** The run has ended or is suspended, and all of it was told; the last event unless it is followed on. */
{
  readonly type: 'rest';
  readonly status: string;
};
/** How a log is followed. Times are in ms. */
interface FollowOptions {
  /** The first sequence; after a cut of one's own, the last one held plus 1. Default 1. */
  readonly from?: number;
  /** Ends it: the iteration throws the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Whether to follow on when the run has ended or is suspended. `true` follows until the signal aborts or the agent is
   * gone; a function is asked at each suspension, and the end of the run is the end. Default false.
   */
  readonly stay?: boolean | ((status: string) => Promise<boolean>);
  /** Without a sign of life for so long, a connection counts as lost: three heartbeats of the server. Default 45 s. */
  readonly stallMs?: number;
  /** Without a connection for so long, the server counts as gone; Infinity waits for ever. Default 60 s. */
  readonly giveUpMs?: number;
  /** A check of each chunk that is stricter than that of its envelope; what it refuses ends the iteration. */
  readonly isChunk?: (chunk: Json) => boolean;
  /**
   * `false` leaves out the pieces of texts, thinking and arguments that are still being written. A view that is made
   * without them has no text of steps. Default true.
   */
  readonly deltas?: boolean;
  /** Time, for tests. */
  readonly clock?: Clock;
}
/** What makes a socket: the constructor of browsers, of Node from 22 on, and of packages such as `ws`. */
type SocketClass = new (url: string, protocols: string[]) => {
  /** 1 where it is open, more where it closes or has closed. */
  readonly readyState: number;
  send(text: string): void;
  close(): void;
  addEventListener(type: 'message', listener: (event: {
    readonly data: unknown;
  }) => void): void;
  addEventListener(type: 'close', listener: (event: {
    readonly code: number;
  }) => void): void;
  addEventListener(type: 'error' | 'open', listener: () => void): void;
};
/** Where a server is, and as whom it is asked. */
interface ClientOptions {
  /** Such as `https://agents.example`; empty for a page that the server itself has sent. */
  readonly baseUrl: string;
  /** The bearer token, or what gives it: asked anew for each request, so that one that has run out can be replaced. */
  readonly token?: string | (() => string | Promise<string>);
  /** Default: `fetch` of the platform. */
  readonly fetch?: typeof fetch;
  /** Default: `WebSocket` of the platform, which Node has from 22 on. Only following over a socket needs it. */
  readonly WebSocket?: SocketClass;
  /** Time, for tests. */
  readonly clock?: Clock;
}
/** How a request is made. */
interface CallOptions {
  /** Ends the wait; what was asked for may be done all the same. */
  readonly signal?: AbortSignal;
}
/** How a request that changes something is made. */
interface ChangeOptions extends CallOptions {
  /**
   * The same key again never does anything twice, for 24 hours. Default: one for each call of this client, which repeats
   * it by itself for a minute where no answer comes.
   */
  readonly idempotencyKey?: string;
}
/** How a log is followed, and by which connection. */
interface ClientFollowOptions extends FollowOptions {
  /** `sse` goes wherever `fetch` goes; `socket` takes none of the few connections that a page has. Default `sse`. */
  readonly over?: 'sse' | 'socket';
}
/** What has happened, and what is held after it. */
interface Watched {
  readonly event: FollowEvent;
  readonly view: TreeView;
}
type Shape = typeof shapes_d_exports;
type Reading = typeof readings_d_exports;
type Listing = typeof listings_d_exports;
type Requests = typeof requests_d_exports;
/** A document of the API: status, tree, run and the others, as `/openapi.json` describes them. */
type Document<Name extends keyof Documents> = Documents[Name];
interface Documents {
  readonly status: z$1.output<Shape['statusDocument']>;
  readonly tree: TreeShown;
  readonly run: z$1.output<Shape['listedRun']>;
  readonly pendingItem: z$1.output<Shape['pendingItem']>;
  readonly usage: z$1.output<Shape['usageDocument']>;
  readonly child: z$1.output<Shape['child']>;
  readonly call: z$1.output<Reading['ledgerEntry']>;
  readonly log: z$1.output<Reading['logEntry']>;
  readonly chunks: z$1.output<Reading['chunksPage']>;
  readonly message: z$1.output<Reading['transcriptEntry']>;
  readonly checkpoint: z$1.output<Reading['checkpoint']>;
  readonly audit: z$1.output<Reading['auditEntry']>;
  readonly state: z$1.output<Reading['stateDocument']>;
  readonly limits: z$1.output<Reading['limitsDocument']>;
  readonly due: z$1.output<Reading['due']>;
  readonly document: z$1.output<Reading['document']>;
  readonly file: z$1.output<Shape['fileInfo']>;
  readonly root: z$1.output<Listing['listedRoot']>;
  readonly agent: z$1.output<Listing['listedAgent']>;
  readonly listedCall: z$1.output<Listing['listedCall']>;
  readonly listedFailure: z$1.output<Listing['listedFailure']>;
  readonly listedCause: z$1.output<Listing['listedCause']>;
  readonly listedChild: z$1.output<Listing['listedChild']>;
  readonly token: z$1.output<Reading['listedToken']>;
  readonly me: z$1.output<Reading['me']>;
}
/** A page of a list; `cursor` asks for the next one. */
interface Page<Item> {
  readonly items: readonly Item[];
  readonly cursor?: string | undefined;
}
/** A page of sub-agents. */
interface Children extends Page<Document<'child'>> {
  /** How many there are on all pages. */
  readonly total: number;
}
/** A page of failed runs. */
interface Failures extends Page<Document<'listedFailure'>> {
  /** Of those on all pages, the most frequent first. */
  readonly causes: readonly Document<'listedCause'>[];
}
/** A page of the transcript. */
interface Transcript extends Page<Document<'message'>> {
  readonly asOfSequence: number;
}
/** The body of each request that changes something. */
interface Bodies {
  readonly start: z$1.input<Requests['startInput']>;
  readonly send: z$1.input<Requests['sendInput']>;
  readonly stop: z$1.input<Requests['stopInput']>;
  readonly resume: z$1.input<Requests['resumeInput']>;
  readonly fork: z$1.input<Requests['forkInput']>;
  readonly giveVariables: Omit<z$1.input<Requests['variablesInput']>, 'path'>;
  readonly answer: z$1.input<Requests['submitInput']>;
  readonly createToken: z$1.input<Requests['tokenInput']>;
  readonly createTicket: z$1.input<Requests['ticketInput']>;
}
/** What each of them is accepted with. */
interface Acceptances {
  readonly start: z$1.output<Requests['startAccepted']>;
  readonly send: z$1.output<Requests['sendAccepted']>;
  readonly stop: z$1.output<Requests['stopAccepted']>;
  readonly resume: z$1.output<Requests['resumeAccepted']>;
  readonly fork: z$1.output<Requests['forkAccepted']>;
  readonly variables: z$1.output<Requests['variablesAsked']>;
  readonly giveVariables: z$1.output<Requests['variablesTaken']>;
  readonly answer: z$1.output<Requests['submitAccepted']>;
  readonly createToken: z$1.output<Requests['tokenGiven']>;
}
/** Which page of a list. */
interface PageOptions extends CallOptions {
  readonly cursor?: string;
  /** Items; 100 by default, at most 500. */
  readonly limit?: number;
}
/**
 * Makes a client of one server. Every method throws `Refused` with what the server's problem document says,
 * `Unreachable` when nothing answers, and the signal's reason when it aborts.
 * @example
 * const offshoot = createClient({ baseUrl: 'http://localhost:8787' });
 * await offshoot.start('/agents/planner/q1', { message: 'Plan a call.' });
 * for await (const { view } of offshoot.watch('/agents/planner/q1')) console.log(topAgents(view)[0]?.status);
 */
declare function createClient(options: ClientOptions): Client;
/**
 * A client of one server.
 * @example
 * const statusOf = async (offshoot: Client, address: string) => (await offshoot.status(address)).status;
 */
declare class Client {
  #private;
  constructor({ baseUrl, token, fetch, WebSocket, clock }: ClientOptions);
  /** Starts a run; with `wait`, the status document at its end where it ends in time. */
  start(address: string, body: Bodies['start'], options?: ChangeOptions): Promise<Acceptances['start'] | Document<'status'>>;
  /** Sends a message: seen by the next step of a working agent, the first of a new turn otherwise. */
  send(address: string, body: Bodies['send'], options?: ChangeOptions): Promise<Acceptances['send']>;
  /** Stops a run so that it can be resumed. */
  interrupt(address: string, body?: Bodies['stop'], options?: ChangeOptions): Promise<Acceptances['stop']>;
  /** Stops a run as failed. */
  abort(address: string, body?: Bodies['stop'], options?: ChangeOptions): Promise<Acceptances['stop']>;
  /** Ends a session for good. */
  terminate(address: string, body?: Bodies['stop'], options?: ChangeOptions): Promise<Acceptances['stop']>;
  /** Goes on with an interrupted run. */
  resume(address: string, body?: Bodies['resume'], options?: ChangeOptions): Promise<Acceptances['resume']>;
  /** Tries a failed run again. */
  retry(address: string, body?: Bodies['resume'], options?: ChangeOptions): Promise<Acceptances['resume']>;
  /** Copies a root under another name; or a companion, with a first task for the copy. */
  fork(address: string, body: Bodies['fork'], options?: ChangeOptions): Promise<Acceptances['fork']>;
  /** Answers a call that waits for a person, at its agent or at any one above it. */
  answer(address: string, body: Bodies['answer'], options?: ChangeOptions): Promise<Acceptances['answer']>;
  /** Removes an agent with everything below it. */
  remove(address: string, options?: ChangeOptions): Promise<void>;
  /** The status document. */
  status(address: string, options?: CallOptions): Promise<Document<'status'>>;
  /** The agent and all below it. */
  tree(address: string, { depth, ...options }?: CallOptions & {
    depth?: number;
  }): Promise<Document<'tree'>>;
  /** The runs of the session, oldest first. */
  runs(address: string, options?: PageOptions): Promise<Page<Document<'run'>>>;
  /** The sub-agents of the agent, oldest first; those of prompts with their entries of its registry. */
  children(address: string, options?: PageOptions): Promise<Children>;
  /** The transcript, oldest first. With its last page a stream from `asOfSequence` + 1 goes on without a gap. */
  messages(address: string, options?: PageOptions): Promise<Transcript>;
  /** The tool calls of the session, oldest first, each with its one result. */
  calls(address: string, options?: PageOptions): Promise<Page<Document<'call'>>>;
  /** Model calls and tools with their times, attempts, tokens and errors, and the hooks that failed; oldest first. */
  logs(address: string, options?: PageOptions): Promise<Page<Document<'log'>>>;
  /** The steps that are committed, oldest first. */
  checkpoints(address: string, options?: PageOptions): Promise<Page<Document<'checkpoint'>>>;
  /** Who did what to the agent, oldest first. */
  audit(address: string, options?: PageOptions): Promise<Page<Document<'audit'>>>;
  /** What is due at and below the agent, by time: ends of work, and ends of waits for an answer. */
  schedules(address: string, options?: PageOptions): Promise<Page<Document<'due'>>>;
  /** The custom state of the session. */
  state(address: string, options?: CallOptions): Promise<Document<'state'>>;
  /** The limits of the agent, and how much of some is used. */
  limits(address: string, options?: CallOptions): Promise<Document<'limits'>>;
  /** What waits for a person at or below an address. */
  pending(address: string, options?: PageOptions): Promise<Page<Document<'pendingItem'>>>;
  /** The variables that a sub-agent waits for, by the id of the request that its call was told. */
  variables(address: string, requestId: string, options?: CallOptions): Promise<Acceptances['variables']>;
  /** Gives them: the sub-agent begins. */
  giveVariables(address: string, requestId: string, body: Bodies['giveVariables'], options?: ChangeOptions): Promise<Acceptances['giveVariables']>;
  /** What was spent. */
  usage(address: string, { includeSubAgents, ...options }?: CallOptions & {
    includeSubAgents?: boolean;
  }): Promise<Document<'usage'>>;
  /** The files of an agent. */
  files(address: string, options?: PageOptions & {
    prefix?: string;
  }): Promise<Page<Document<'file'>>>;
  /** The content of a file, unread: the caller reads or cancels it. */
  readFile(address: string, path: string, options?: CallOptions): Promise<Response>;
  /** Writes a file. */
  writeFile(address: string, path: string, content: NonNullable<ApiRequest['bytes']>, { mediaType, signal }?: CallOptions & {
    mediaType?: string;
  }): Promise<Document<'file'>>;
  /** Removes a file. */
  removeFile(address: string, path: string, options?: ChangeOptions): Promise<void>;
  /** Takes back a message by its id, as `send` gave it, that no step of the agent has seen yet. */
  cancelMessage(address: string, messageId: string, options?: ChangeOptions): Promise<void>;
  /** The documents that the agents of a root search: its own, the shared ones and those that are shipped. */
  documents(address: string, options?: CallOptions): Promise<{
    readonly items: readonly Document<'document'>[];
  }>;
  /** Removes one of the root's own documents. */
  removeDocument(address: string, name: string, options?: ChangeOptions): Promise<void>;
  /** Puts a copy of one of the root's own documents where the agents of every root find it; it has a new name there. */
  shareDocument(address: string, document: string, options?: ChangeOptions): Promise<Document<'document'>>;
  /** Takes a shared document away from every root. */
  unshareDocument(address: string, name: string, options?: ChangeOptions): Promise<void>;
  /** Makes a signed token for an agent and what is below it. Its text is given this once. */
  createToken(address: string, body: Bodies['createToken'], options?: ChangeOptions): Promise<Acceptances['createToken']>;
  /** The tokens and tickets that were given for an agent and what is below it. */
  tokens(address: string, options?: PageOptions): Promise<Page<Document<'token'>>>;
  /** Takes a token back, with those that were made by it. */
  revokeToken(address: string, id: string, options?: ChangeOptions): Promise<void>;
  /** Makes a ticket that opens one socket within 60 s, as the parameter `ticket` of its URL. */
  createTicket(address: string, body?: Bodies['createTicket'], options?: ChangeOptions): Promise<Acceptances['createToken']>;
  /** Who the server takes this client for, and what it may do at an address. Default: at `/directory`, or at its token's. */
  me({ address, ...options }?: CallOptions & {
    address?: string;
  }): Promise<Document<'me'>>;
  /** A page of the log at and below the agent: from a sequence on, or back from one with `before` alone. */
  chunks(address: string, options?: CallOptions & {
    from?: number;
    before?: number;
    limit?: number;
    types?: readonly string[];
  }): Promise<Document<'chunks'>>;
  /** The roots, the latest first by `sort`; `status` is one, or several with commas between them. */
  roots(options?: PageOptions & {
    agent?: string;
    status?: string;
    tag?: string;
    q?: string;
    sort?: 'createdAt' | 'lastActivity';
  }): Promise<Page<Document<'root'>>>;
  /** What waits for a person under any root, the one asked first at the front; `pending` of a root has the arguments. */
  allPending(options?: PageOptions & {
    agent?: string;
    kind?: string;
    tool?: string;
  }): Promise<Page<Document<'listedCall'>>>;
  /** Runs that failed under any root, the newest first, with their causes; `since` is in ms since 1970. */
  allErrors(options?: PageOptions & {
    agent?: string;
    cause?: string;
    type?: string;
    pattern?: string;
    since?: number;
  }): Promise<Failures>;
  /** Sub-agents under any root that stay or live elsewhere, the one that was active last first. */
  allChildren(options?: PageOptions & {
    agent?: string;
    mode?: string;
    placement?: string;
    type?: string;
    q?: string;
    owing?: boolean;
  }): Promise<Page<Document<'listedChild'>>>;
  /** The types of agents, by name. */
  agents(options?: PageOptions): Promise<Page<Document<'agent'>>>;
  /**
   * Follows the log of a subtree, each chunk once and in order, over any cut. Leave the iteration, or abort the signal,
   * to close the connection.
   */
  follow(address: string, { over, ...options }?: ClientFollowOptions): AsyncGenerator<FollowEvent, void, void>;
  /** Follows the log of a subtree and reduces it: after each event, what a client holds. */
  watch(address: string, options?: ClientFollowOptions): AsyncGenerator<Watched, void, void>;
}
export { Refused as C, ProtocolError as S, FollowOptions as _, Children as a, ClientError as b, ClientOptions as c, PageOptions as d, Transcript as f, FollowEvent as g, SocketClass as h, ChangeOptions as i, Document as l, createClient as m, Bodies as n, Client as o, Watched as p, CallOptions as r, ClientFollowOptions as s, Acceptances as t, Page as u, TreeShown as v, Unreachable as w, Problem as x, Clock as y };