import { z as Json } from "./chunks.js";
import * as z from "zod";
declare namespace shapes_d_exports {
  export { METADATA, TreeShown, child, depth, fileInfo, flag, json, line, listedAgent, listedRoot, nothing, pageInput, pageOf, pendingItem, problem, run, sequence, sessionStatus, statusDocument, time, treeNode, usageDocument };
}
/** Any JSON. */
declare const json: z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>;
/** A text that people read as one line, of 1 to so many characters. */
declare const line: (most: number) => z.ZodString;
/** What the description of the API says about metadata. */
declare const METADATA: string;
/** A yes or no that also comes as text in a query. */
declare const flag: z.ZodPipe<z.ZodUnion<readonly [z.ZodBoolean, z.ZodEnum<{
  0: "0";
  1: "1";
  false: "false";
  true: "true";
}>]>, z.ZodTransform<boolean, "0" | "1" | "false" | "true" | boolean>>;
/** A sequence of the log. */
declare const sequence: z.ZodUnion<readonly [z.ZodNumber, z.ZodPipe<z.ZodPipe<z.ZodString, z.ZodTransform<number, string>>, z.ZodNumber>]>;
/** Levels of a tree. */
declare const depth: z.ZodUnion<readonly [z.ZodNumber, z.ZodPipe<z.ZodPipe<z.ZodString, z.ZodTransform<number, string>>, z.ZodNumber>]>;
/** Which page of a list. */
declare const pageInput: z.ZodObject<{
  cursor: z.ZodOptional<z.ZodString>;
  limit: z.ZodOptional<z.ZodUnion<readonly [z.ZodNumber, z.ZodPipe<z.ZodPipe<z.ZodString, z.ZodTransform<number, string>>, z.ZodNumber>]>>;
}, z.core.$strict>;
/** A page of a list. */
declare const pageOf: <Item extends z.ZodType>(item: Item) => z.ZodObject<{
  items: z.ZodReadonly<z.ZodArray<Item>>;
  cursor: z.ZodOptional<z.ZodString>;
}, z.core.$strip>;
/** No input. */
declare const nothing: z.ZodObject<{}, z.core.$strict>;
/** A time. */
declare const time: z.ZodNumber;
/** How a session stands. */
declare const sessionStatus: z.ZodEnum<{
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
declare const run: z.ZodObject<{
  runId: z.ZodString;
  epoch: z.ZodNumber;
  turn: z.ZodNumber;
  chainTurn: z.ZodNumber;
  chainRunId: z.ZodString;
  status: z.ZodEnum<{
    completed: "completed";
    failed: "failed";
    interrupted: "interrupted";
    running: "running";
    suspended_awaiting_children: "suspended_awaiting_children";
    suspended_client_tool: "suspended_client_tool";
    suspended_step_partial: "suspended_step_partial";
    terminated: "terminated";
  }>;
  startSequence: z.ZodOptional<z.ZodNumber>;
  chainStartSequence: z.ZodOptional<z.ZodNumber>;
  traceparent: z.ZodOptional<z.ZodString>;
  startedAt: z.ZodNumber;
  endedAt: z.ZodOptional<z.ZodNumber>;
  output: z.ZodOptional<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
  error: z.ZodOptional<z.ZodObject<{
    code: z.ZodString;
    category: z.ZodString;
    message: z.ZodString;
    title: z.ZodExactOptional<z.ZodString>;
    retryable: z.ZodBoolean;
    retryAfterMs: z.ZodExactOptional<z.ZodNumber>;
    details: z.ZodExactOptional<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
  }, z.core.$strip>>;
  failureReason: z.ZodOptional<z.ZodString>;
  completionReason: z.ZodOptional<z.ZodString>;
  reason: z.ZodOptional<z.ZodString>;
  resumedFrom: z.ZodOptional<z.ZodString>;
}, z.core.$strip>;
/** A call that waits for a person. */
declare const pendingItem: z.ZodObject<{
  toolCallId: z.ZodString;
  kind: z.ZodEnum<{
    approval: "approval";
    "client-tool": "client-tool";
  }>;
  toolName: z.ZodString;
  input: z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>;
  inputHash: z.ZodString;
  address: z.ZodString;
  agentType: z.ZodString;
  requestedAt: z.ZodNumber;
  expiresAt: z.ZodOptional<z.ZodNumber>;
}, z.core.$strip>;
/** The status document. */
declare const statusDocument: z.ZodObject<{
  sessionId: z.ZodString;
  agentType: z.ZodString;
  address: z.ZodString;
  status: z.ZodEnum<{
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
  statusText: z.ZodOptional<z.ZodString>;
  childCounts: z.ZodObject<{
    running: z.ZodNumber;
    queued: z.ZodNumber;
    waiting: z.ZodNumber;
    total: z.ZodNumber;
  }, z.core.$strip>;
  usage: z.ZodReadonly<z.ZodObject<{
    inputTokens: z.ZodNumber;
    outputTokens: z.ZodNumber;
    cachedTokens: z.ZodNumber;
    cacheWriteTokens: z.ZodExactOptional<z.ZodNumber>;
    reasoningTokens: z.ZodNumber;
    modelCalls: z.ZodNumber;
    toolCalls: z.ZodNumber;
    costUsd: z.ZodExactOptional<z.ZodNumber>;
  }, z.core.$strip>>;
  lastSequence: z.ZodNumber;
  displayName: z.ZodOptional<z.ZodString>;
  tags: z.ZodReadonly<z.ZodArray<z.ZodString>>;
  metadata: z.ZodOptional<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
  run: z.ZodOptional<z.ZodObject<{
    runId: z.ZodString;
    epoch: z.ZodNumber;
    turn: z.ZodNumber;
    chainTurn: z.ZodNumber;
    chainRunId: z.ZodString;
    status: z.ZodEnum<{
      completed: "completed";
      failed: "failed";
      interrupted: "interrupted";
      running: "running";
      suspended_awaiting_children: "suspended_awaiting_children";
      suspended_client_tool: "suspended_client_tool";
      suspended_step_partial: "suspended_step_partial";
      terminated: "terminated";
    }>;
    startSequence: z.ZodOptional<z.ZodNumber>;
    chainStartSequence: z.ZodOptional<z.ZodNumber>;
    traceparent: z.ZodOptional<z.ZodString>;
    startedAt: z.ZodNumber;
    endedAt: z.ZodOptional<z.ZodNumber>;
    output: z.ZodOptional<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
    error: z.ZodOptional<z.ZodObject<{
      code: z.ZodString;
      category: z.ZodString;
      message: z.ZodString;
      title: z.ZodExactOptional<z.ZodString>;
      retryable: z.ZodBoolean;
      retryAfterMs: z.ZodExactOptional<z.ZodNumber>;
      details: z.ZodExactOptional<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
    }, z.core.$strip>>;
    failureReason: z.ZodOptional<z.ZodString>;
    completionReason: z.ZodOptional<z.ZodString>;
    reason: z.ZodOptional<z.ZodString>;
    resumedFrom: z.ZodOptional<z.ZodString>;
    step: z.ZodNumber;
  }, z.core.$strip>>;
  pending: z.ZodReadonly<z.ZodArray<z.ZodObject<{
    toolCallId: z.ZodString;
    kind: z.ZodEnum<{
      approval: "approval";
      "client-tool": "client-tool";
    }>;
    toolName: z.ZodString;
    input: z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>;
    inputHash: z.ZodString;
    address: z.ZodString;
    agentType: z.ZodString;
    requestedAt: z.ZodNumber;
    expiresAt: z.ZodOptional<z.ZodNumber>;
  }, z.core.$strip>>>;
}, z.core.$strip>;
/** A sub-agent, as its parent knows it. */
declare const child: z.ZodObject<{
  sessionId: z.ZodString;
  agentType: z.ZodString;
  address: z.ZodString;
  status: z.ZodEnum<{
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
  statusText: z.ZodOptional<z.ZodString>;
  childCounts: z.ZodObject<{
    running: z.ZodNumber;
    queued: z.ZodNumber;
    waiting: z.ZodNumber;
    total: z.ZodNumber;
  }, z.core.$strip>;
  usage: z.ZodReadonly<z.ZodObject<{
    inputTokens: z.ZodNumber;
    outputTokens: z.ZodNumber;
    cachedTokens: z.ZodNumber;
    cacheWriteTokens: z.ZodExactOptional<z.ZodNumber>;
    reasoningTokens: z.ZodNumber;
    modelCalls: z.ZodNumber;
    toolCalls: z.ZodNumber;
    costUsd: z.ZodExactOptional<z.ZodNumber>;
  }, z.core.$strip>>;
  lastSequence: z.ZodNumber;
  name: z.ZodString;
  mode: z.ZodEnum<{
    ephemeral: "ephemeral";
    persistent: "persistent";
  }>;
  placement: z.ZodEnum<{
    facet: "facet";
    object: "object";
    remote: "remote";
  }>;
  callId: z.ZodString;
  childId: z.ZodNumber;
  task: z.ZodNumber;
  generation: z.ZodNumber;
  createdAt: z.ZodNumber;
  endedAt: z.ZodOptional<z.ZodNumber>;
}, z.core.$strip>;
declare const treeFacts: z.ZodObject<{
  sessionId: z.ZodString;
  agentType: z.ZodString;
  address: z.ZodString;
  status: z.ZodEnum<{
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
  statusText: z.ZodOptional<z.ZodString>;
  childCounts: z.ZodObject<{
    running: z.ZodNumber;
    queued: z.ZodNumber;
    waiting: z.ZodNumber;
    total: z.ZodNumber;
  }, z.core.$strip>;
  usage: z.ZodReadonly<z.ZodObject<{
    inputTokens: z.ZodNumber;
    outputTokens: z.ZodNumber;
    cachedTokens: z.ZodNumber;
    cacheWriteTokens: z.ZodExactOptional<z.ZodNumber>;
    reasoningTokens: z.ZodNumber;
    modelCalls: z.ZodNumber;
    toolCalls: z.ZodNumber;
    costUsd: z.ZodExactOptional<z.ZodNumber>;
  }, z.core.$strip>>;
  lastSequence: z.ZodNumber;
  name: z.ZodString;
  mode: z.ZodEnum<{
    ephemeral: "ephemeral";
    persistent: "persistent";
    root: "root";
  }>;
  placement: z.ZodEnum<{
    facet: "facet";
    object: "object";
    remote: "remote";
  }>;
  callId: z.ZodOptional<z.ZodString>;
}, z.core.$strip>;
/** An agent with all below it, as it is shown. */
type TreeShown = z.output<typeof treeFacts> & {
  readonly nodes: readonly TreeShown[];
};
/** An agent with all below it. */
declare const treeNode: z.ZodType<TreeShown>;
/** A file. */
declare const fileInfo: z.ZodObject<{
  path: z.ZodString;
  size: z.ZodNumber;
  mediaType: z.ZodString;
  etag: z.ZodString;
  updatedAt: z.ZodNumber;
}, z.core.$strip>;
/** What was spent at an agent, or at and below it. */
declare const usageDocument: z.ZodObject<{
  total: z.ZodReadonly<z.ZodObject<{
    inputTokens: z.ZodNumber;
    outputTokens: z.ZodNumber;
    cachedTokens: z.ZodNumber;
    cacheWriteTokens: z.ZodExactOptional<z.ZodNumber>;
    reasoningTokens: z.ZodNumber;
    modelCalls: z.ZodNumber;
    toolCalls: z.ZodNumber;
    costUsd: z.ZodExactOptional<z.ZodNumber>;
  }, z.core.$strip>>;
  byAgent: z.ZodRecord<z.ZodString, z.ZodReadonly<z.ZodObject<{
    inputTokens: z.ZodNumber;
    outputTokens: z.ZodNumber;
    cachedTokens: z.ZodNumber;
    cacheWriteTokens: z.ZodExactOptional<z.ZodNumber>;
    reasoningTokens: z.ZodNumber;
    modelCalls: z.ZodNumber;
    toolCalls: z.ZodNumber;
    costUsd: z.ZodExactOptional<z.ZodNumber>;
  }, z.core.$strip>>>;
  byModel: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodReadonly<z.ZodObject<{
    inputTokens: z.ZodNumber;
    outputTokens: z.ZodNumber;
    cachedTokens: z.ZodNumber;
    cacheWriteTokens: z.ZodExactOptional<z.ZodNumber>;
    reasoningTokens: z.ZodNumber;
    modelCalls: z.ZodNumber;
    toolCalls: z.ZodNumber;
    costUsd: z.ZodExactOptional<z.ZodNumber>;
  }, z.core.$strip>>>>;
}, z.core.$strip>;
/** An agent type, as it is listed. */
declare const listedAgent: z.ZodObject<{
  agentType: z.ZodString;
  addressClass: z.ZodString;
  description: z.ZodString;
  root: z.ZodBoolean;
  tools: z.ZodReadonly<z.ZodArray<z.ZodObject<{
    name: z.ZodString;
    description: z.ZodString;
  }, z.core.$strip>>>;
  inputSchema: z.ZodOptional<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
  outputSchema: z.ZodOptional<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
  stateSchema: z.ZodOptional<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
}, z.core.$strip>;
/** A root, as it is listed. */
declare const listedRoot: z.ZodObject<{
  address: z.ZodString;
  agentType: z.ZodString;
  name: z.ZodString;
  sessionId: z.ZodString;
  status: z.ZodString;
  displayName: z.ZodOptional<z.ZodString>;
  tags: z.ZodReadonly<z.ZodArray<z.ZodString>>;
  createdAt: z.ZodNumber;
  lastActivity: z.ZodNumber;
}, z.core.$strip>;
/** The shape of an error. */
declare const problem: z.ZodObject<{
  type: z.ZodString;
  title: z.ZodString;
  status: z.ZodNumber;
  code: z.ZodString;
  detail: z.ZodString;
  requestId: z.ZodString;
  details: z.ZodOptional<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
}, z.core.$strip>;
export { shapes_d_exports as n, TreeShown as t };