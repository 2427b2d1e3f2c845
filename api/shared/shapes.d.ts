import { z as Json } from "./chunks.js";
import * as z$1 from "zod";
declare namespace shapes_d_exports {
  export { METADATA, TreeShown, child, depth, fileInfo, flag, json, line, listedAgent, listedRoot, nothing, pageInput, pageOf, pendingItem, problem, run, sequence, sessionStatus, statusDocument, time, treeNode, usageDocument };
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
declare const depth: z$1.ZodUnion<readonly [z$1.ZodNumber, z$1.ZodPipe<z$1.ZodPipe<z$1.ZodString, z$1.ZodTransform<number, string>>, z$1.ZodNumber>]>;
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
  }, z$1.core.$strip>>;
  lastSequence: z$1.ZodNumber;
  name: z$1.ZodOptional<z$1.ZodString>;
  task: z$1.ZodOptional<z$1.ZodNumber>;
  displayName: z$1.ZodOptional<z$1.ZodString>;
  tags: z$1.ZodReadonly<z$1.ZodArray<z$1.ZodString>>;
  metadata: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
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
}, z$1.core.$strip>;
/** A sub-agent, as its parent knows it. */
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
  }, z$1.core.$strip>>;
  lastSequence: z$1.ZodNumber;
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
  }, z$1.core.$strip>>;
  lastSequence: z$1.ZodNumber;
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
  }, z$1.core.$strip>>>>;
}, z$1.core.$strip>;
/** An agent type, as it is listed. */
declare const listedAgent: z$1.ZodObject<{
  agentType: z$1.ZodString;
  addressClass: z$1.ZodString;
  description: z$1.ZodString;
  root: z$1.ZodBoolean;
  tools: z$1.ZodReadonly<z$1.ZodArray<z$1.ZodObject<{
    name: z$1.ZodString;
    description: z$1.ZodString;
  }, z$1.core.$strip>>>;
  inputSchema: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  outputSchema: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  stateSchema: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
}, z$1.core.$strip>;
/** A root, as it is listed. */
declare const listedRoot: z$1.ZodObject<{
  address: z$1.ZodString;
  agentType: z$1.ZodString;
  name: z$1.ZodString;
  sessionId: z$1.ZodString;
  status: z$1.ZodString;
  displayName: z$1.ZodOptional<z$1.ZodString>;
  tags: z$1.ZodReadonly<z$1.ZodArray<z$1.ZodString>>;
  createdAt: z$1.ZodNumber;
  lastActivity: z$1.ZodNumber;
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
export { shapes_d_exports as n, TreeShown as t };