import { E as Json, T as ShownFailure, g as Usage, m as SchemaOf } from "./chunks.js";
import { n as ShownControls } from "./controls.js";
import * as z$1 from "zod";
/** A run in the list of runs. */
declare const listedRun: z$1.ZodObject<{
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
  input: z$1.ZodOptional<z$1.ZodString>;
  usage: z$1.ZodOptional<SchemaOf<Usage>>;
  steps: z$1.ZodOptional<z$1.ZodNumber>;
}, z$1.core.$strip>;
/** Counts of sub-agents below an agent, at any level, by status. */
type ChildCounts = {
  readonly running: number;
  readonly queued: number;
  /** Waiting for a person, directly or through their sub-agents. */
  readonly waiting: number;
  readonly total: number;
};
/** A stop that a remote agent has not acknowledged. Times in ms since 1970. */
type UnacknowledgedStop = {
  readonly verb: 'interrupt' | 'abort' | 'terminate';
  /** The local run that it stops. */
  readonly runId: string;
  readonly since: number;
  readonly attempts: number;
  /** When it is sent again. */
  readonly nextAt: number;
};
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
  invalidFields: z$1.ZodOptional<z$1.ZodReadonly<z$1.ZodArray<z$1.ZodObject<{
    path: z$1.ZodString;
    message: z$1.ZodString;
  }, z$1.core.$strip>>>>;
}, z$1.core.$strip>;
/** The status document. */
declare const statusDocument: z$1.ZodObject<{
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
/** A sub-agent, as the root knows it. */
declare const child: z$1.ZodObject<{
  sessionId: z$1.ZodString;
  agentType: z$1.ZodString;
  address: z$1.ZodString;
  status: SchemaOf<"completed" | "failed" | "idle" | "interrupted" | "queued" | "running" | "suspended_awaiting_children" | "suspended_client_tool" | "suspended_step_partial" | "terminated">;
  statusText: z$1.ZodOptional<z$1.ZodString>;
  childCounts: SchemaOf<ChildCounts>;
  usage: SchemaOf<Usage>;
  lastSequence: z$1.ZodNumber;
  stopOwed: z$1.ZodOptional<SchemaOf<UnacknowledgedStop>>;
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
  lastActivity: z$1.ZodNumber;
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
    status: z$1.ZodString;
    lifecycle: z$1.ZodEnum<{
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
  status: SchemaOf<"completed" | "failed" | "idle" | "interrupted" | "queued" | "running" | "suspended_awaiting_children" | "suspended_client_tool" | "suspended_step_partial" | "terminated">;
  statusText: z$1.ZodOptional<z$1.ZodString>;
  childCounts: SchemaOf<ChildCounts>;
  usage: SchemaOf<Usage>;
  lastSequence: z$1.ZodNumber;
  stopOwed: z$1.ZodOptional<SchemaOf<UnacknowledgedStop>>;
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
/** A file. */
declare const fileInfo: z$1.ZodObject<{
  path: z$1.ZodString;
  size: z$1.ZodNumber;
  mediaType: z$1.ZodString;
  etag: z$1.ZodString;
  updatedAt: z$1.ZodNumber;
}, z$1.core.$strip>;
/** Usage of an agent, or of it and all below it. */
declare const usageDocument: z$1.ZodObject<{
  total: SchemaOf<Usage>;
  byAgent: z$1.ZodRecord<z$1.ZodString, SchemaOf<Usage>>;
  byModel: z$1.ZodOptional<z$1.ZodRecord<z$1.ZodString, SchemaOf<Usage>>>;
}, z$1.core.$strip>;
/** A part of a message: text, an image, or any other file. */
declare const givenPart: z$1.ZodDiscriminatedUnion<[z$1.ZodObject<{
  type: z$1.ZodLiteral<"text">;
  text: z$1.ZodString;
}, z$1.core.$strict>, z$1.ZodObject<{
  mediaType: z$1.ZodOptional<z$1.ZodString>;
  filename: z$1.ZodOptional<z$1.ZodString>;
  base64: z$1.ZodOptional<z$1.ZodBase64>;
  path: z$1.ZodOptional<z$1.ZodString>;
  type: z$1.ZodLiteral<"image">;
}, z$1.core.$strict>, z$1.ZodObject<{
  mediaType: z$1.ZodOptional<z$1.ZodString>;
  filename: z$1.ZodOptional<z$1.ZodString>;
  base64: z$1.ZodOptional<z$1.ZodBase64>;
  path: z$1.ZodOptional<z$1.ZodString>;
  type: z$1.ZodLiteral<"file">;
}, z$1.core.$strict>], "type">;
/** A part of a message, as a client writes it. */
type MessagePart = z$1.input<typeof givenPart>;
/** A start. */
declare const startInput: z$1.ZodObject<{
  displayName: z$1.ZodOptional<z$1.ZodString>;
  tags: z$1.ZodOptional<z$1.ZodArray<z$1.ZodString>>;
  metadata: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  message: z$1.ZodOptional<z$1.ZodUnion<readonly [z$1.ZodString, z$1.ZodArray<z$1.ZodDiscriminatedUnion<[z$1.ZodObject<{
    type: z$1.ZodLiteral<"text">;
    text: z$1.ZodString;
  }, z$1.core.$strict>, z$1.ZodObject<{
    mediaType: z$1.ZodOptional<z$1.ZodString>;
    filename: z$1.ZodOptional<z$1.ZodString>;
    base64: z$1.ZodOptional<z$1.ZodBase64>;
    path: z$1.ZodOptional<z$1.ZodString>;
    type: z$1.ZodLiteral<"image">;
  }, z$1.core.$strict>, z$1.ZodObject<{
    mediaType: z$1.ZodOptional<z$1.ZodString>;
    filename: z$1.ZodOptional<z$1.ZodString>;
    base64: z$1.ZodOptional<z$1.ZodBase64>;
    path: z$1.ZodOptional<z$1.ZodString>;
    type: z$1.ZodLiteral<"file">;
  }, z$1.core.$strict>], "type">>]>>;
  to: z$1.ZodOptional<z$1.ZodEnum<{
    side_a: "side_a";
    side_b: "side_b";
  }>>;
  input: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  state: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  files: z$1.ZodOptional<z$1.ZodArray<z$1.ZodObject<{
    path: z$1.ZodString;
    mediaType: z$1.ZodOptional<z$1.ZodString>;
    base64: z$1.ZodBase64;
  }, z$1.core.$strict>>>;
  env: z$1.ZodOptional<z$1.ZodRecord<z$1.ZodString, z$1.ZodNullable<z$1.ZodString>>>;
  wait: z$1.ZodOptional<z$1.ZodUnion<readonly [z$1.ZodBoolean, z$1.ZodNumber]>>;
  ifRunning: z$1.ZodOptional<z$1.ZodLiteral<"same">>;
}, z$1.core.$strict>;
/** The response to an accepted start. */
declare const startAccepted: z$1.ZodObject<{
  sessionId: z$1.ZodString;
  runId: z$1.ZodString;
  status: SchemaOf<"completed" | "failed" | "idle" | "interrupted" | "queued" | "running" | "suspended_awaiting_children" | "suspended_client_tool" | "suspended_step_partial" | "terminated">;
  address: z$1.ZodString;
  streamUrl: z$1.ZodString;
}, z$1.core.$strip>;
/** A message. With attachments its text may be blank. */
declare const sendInput: z$1.ZodObject<{
  content: z$1.ZodUnion<readonly [z$1.ZodString, z$1.ZodArray<z$1.ZodDiscriminatedUnion<[z$1.ZodObject<{
    type: z$1.ZodLiteral<"text">;
    text: z$1.ZodString;
  }, z$1.core.$strict>, z$1.ZodObject<{
    mediaType: z$1.ZodOptional<z$1.ZodString>;
    filename: z$1.ZodOptional<z$1.ZodString>;
    base64: z$1.ZodOptional<z$1.ZodBase64>;
    path: z$1.ZodOptional<z$1.ZodString>;
    type: z$1.ZodLiteral<"image">;
  }, z$1.core.$strict>, z$1.ZodObject<{
    mediaType: z$1.ZodOptional<z$1.ZodString>;
    filename: z$1.ZodOptional<z$1.ZodString>;
    base64: z$1.ZodOptional<z$1.ZodBase64>;
    path: z$1.ZodOptional<z$1.ZodString>;
    type: z$1.ZodLiteral<"file">;
  }, z$1.core.$strict>], "type">>]>;
  role: z$1.ZodOptional<z$1.ZodEnum<{
    system: "system";
    user: "user";
  }>>;
  to: z$1.ZodOptional<z$1.ZodEnum<{
    side_a: "side_a";
    side_b: "side_b";
  }>>;
  attachments: z$1.ZodOptional<z$1.ZodArray<z$1.ZodObject<{
    mediaType: z$1.ZodString;
    filename: z$1.ZodOptional<z$1.ZodString>;
    base64: z$1.ZodBase64;
  }, z$1.core.$strict>>>;
  metadata: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  env: z$1.ZodOptional<z$1.ZodRecord<z$1.ZodString, z$1.ZodNullable<z$1.ZodString>>>;
  runId: z$1.ZodOptional<z$1.ZodString>;
}, z$1.core.$strict>;
/** The values for requested variables. */
declare const variablesInput: z$1.ZodObject<{
  path: z$1.ZodString;
  env: z$1.ZodRecord<z$1.ZodString, z$1.ZodUnion<readonly [z$1.ZodNullable<z$1.ZodString>, z$1.ZodPipe<z$1.ZodNumber, z$1.ZodTransform<string, number>>, z$1.ZodPipe<z$1.ZodBoolean, z$1.ZodTransform<string, boolean>>]>>;
}, z$1.core.$strict>;
/** The variables that a sub-agent is waiting for, without their values. */
declare const variablesAsked: z$1.ZodObject<{
  request_id: z$1.ZodString;
  parent_thread_id: z$1.ZodString;
  agent_name: z$1.ZodString;
  registry_agent_name: z$1.ZodString;
  required: z$1.ZodArray<z$1.ZodString>;
  missing: z$1.ZodArray<z$1.ZodString>;
  expires_at: z$1.ZodNumber;
}, z$1.core.$strip>;
/** The response to the values: the sub-agent starts. */
declare const variablesTaken: z$1.ZodObject<{
  request_id: z$1.ZodString;
  child_thread_id: z$1.ZodString;
  reference: z$1.ZodString;
  address: z$1.ZodString;
  status: z$1.ZodLiteral<"success">;
}, z$1.core.$strip>;
/** The response to an accepted message. */
declare const sendAccepted: z$1.ZodObject<{
  messageId: z$1.ZodString;
  delivery: z$1.ZodEnum<{
    queued: "queued";
    started: "started";
  }>;
  behind: z$1.ZodExactOptional<z$1.ZodArray<z$1.ZodObject<{
    toolCallId: z$1.ZodString;
    toolName: z$1.ZodString;
    kind: z$1.ZodEnum<{
      approval: "approval";
      "client-tool": "client-tool";
    }>;
    address: z$1.ZodString;
  }, z$1.core.$strip>>>;
  denied: z$1.ZodExactOptional<z$1.ZodArray<z$1.ZodObject<{
    toolCallId: z$1.ZodString;
    toolName: z$1.ZodString;
    kind: z$1.ZodEnum<{
      approval: "approval";
      "client-tool": "client-tool";
    }>;
    address: z$1.ZodString;
  }, z$1.core.$strip>>>;
}, z$1.core.$strip>;
/** A stop: interrupt, abort or terminate. */
declare const stopInput: z$1.ZodObject<{
  reason: z$1.ZodOptional<z$1.ZodString>;
  runId: z$1.ZodOptional<z$1.ZodString>;
  start: z$1.ZodOptional<z$1.ZodString>;
}, z$1.core.$strict>;
/** The response to a stop. */
declare const stopAccepted: z$1.ZodObject<{
  runId: z$1.ZodExactOptional<z$1.ZodString>;
  status: SchemaOf<"completed" | "failed" | "idle" | "interrupted" | "queued" | "running" | "suspended_awaiting_children" | "suspended_client_tool" | "suspended_step_partial" | "terminated">;
  begun: z$1.ZodExactOptional<z$1.ZodBoolean>;
}, z$1.core.$strip>;
/** A resume, or a retry. */
declare const resumeInput: z$1.ZodObject<{
  message: z$1.ZodOptional<z$1.ZodUnion<readonly [z$1.ZodString, z$1.ZodArray<z$1.ZodDiscriminatedUnion<[z$1.ZodObject<{
    type: z$1.ZodLiteral<"text">;
    text: z$1.ZodString;
  }, z$1.core.$strict>, z$1.ZodObject<{
    mediaType: z$1.ZodOptional<z$1.ZodString>;
    filename: z$1.ZodOptional<z$1.ZodString>;
    base64: z$1.ZodOptional<z$1.ZodBase64>;
    path: z$1.ZodOptional<z$1.ZodString>;
    type: z$1.ZodLiteral<"image">;
  }, z$1.core.$strict>, z$1.ZodObject<{
    mediaType: z$1.ZodOptional<z$1.ZodString>;
    filename: z$1.ZodOptional<z$1.ZodString>;
    base64: z$1.ZodOptional<z$1.ZodBase64>;
    path: z$1.ZodOptional<z$1.ZodString>;
    type: z$1.ZodLiteral<"file">;
  }, z$1.core.$strict>], "type">>]>>;
}, z$1.core.$strict>;
/** The response to an accepted resume or retry. */
declare const resumeAccepted: z$1.ZodObject<{
  sessionId: z$1.ZodString;
  runId: z$1.ZodExactOptional<z$1.ZodString>;
  status: SchemaOf<"completed" | "failed" | "idle" | "interrupted" | "queued" | "running" | "suspended_awaiting_children" | "suspended_client_tool" | "suspended_step_partial" | "terminated">;
  address: z$1.ZodString;
  streamUrl: z$1.ZodString;
  messageId: z$1.ZodExactOptional<z$1.ZodString>;
}, z$1.core.$strip>;
/** A copy under another name. */
declare const forkInput: z$1.ZodObject<{
  name: z$1.ZodString;
  message: z$1.ZodOptional<z$1.ZodString>;
  checkpoint: z$1.ZodOptional<z$1.ZodString>;
  resume: z$1.ZodOptional<z$1.ZodBoolean>;
}, z$1.core.$strict>;
/** The response to an accepted copy. */
declare const forkAccepted: z$1.ZodObject<{
  address: z$1.ZodString;
  streamUrl: z$1.ZodString;
  sessionId: z$1.ZodExactOptional<z$1.ZodString>;
  status: z$1.ZodExactOptional<SchemaOf<"completed" | "failed" | "idle" | "interrupted" | "queued" | "running" | "suspended_awaiting_children" | "suspended_client_tool" | "suspended_step_partial" | "terminated">>;
  runId: z$1.ZodExactOptional<z$1.ZodString>;
}, z$1.core.$strip>;
/** The error text of a client, or a reason, in bytes of UTF-8. */
declare const MAX_ANSWER_TEXT: number;
/** A person's answer. */
declare const submitInput: z$1.ZodDiscriminatedUnion<[z$1.ZodObject<{
  kind: z$1.ZodLiteral<"client-tool-result">;
  toolCallId: z$1.ZodString;
  result: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  error: z$1.ZodOptional<z$1.ZodString>;
}, z$1.core.$strict>, z$1.ZodObject<{
  kind: z$1.ZodLiteral<"approval-response">;
  toolCallId: z$1.ZodString;
  approved: z$1.ZodBoolean;
  reason: z$1.ZodOptional<z$1.ZodString>;
  input: z$1.ZodOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  inputHash: z$1.ZodOptional<z$1.ZodString>;
}, z$1.core.$strict>], "kind">;
/** The response to an accepted answer. */
declare const submitAccepted: z$1.ZodObject<{
  status: z$1.ZodLiteral<"accepted">;
  relation: z$1.ZodLiteral<"continues">;
}, z$1.core.$strip>;
/** The permissions and lifetime of a signed token. */
declare const tokenInput: z$1.ZodObject<{
  actions: z$1.ZodArray<SchemaOf<"admin" | "answer" | "read" | "share" | "stop" | "write">>;
  ttlSeconds: z$1.ZodNumber;
  toolCallId: z$1.ZodOptional<z$1.ZodString>;
  label: z$1.ZodOptional<z$1.ZodString>;
}, z$1.core.$strict>;
/** The permissions of a ticket. */
declare const ticketInput: z$1.ZodObject<{
  actions: z$1.ZodOptional<z$1.ZodArray<SchemaOf<"admin" | "answer" | "read" | "share" | "stop" | "write">>>;
}, z$1.core.$strict>;
/** A token or ticket; its text is returned only this once. */
declare const tokenGiven: z$1.ZodObject<{
  token: z$1.ZodString;
  id: z$1.ZodString;
  expiresAt: z$1.ZodNumber;
}, z$1.core.$strip>;
export { UnacknowledgedStop as C, pendingItem as D, listedRun as E, statusDocument as O, TreeShown as S, fileInfo as T, tokenInput as _, resumeAccepted as a, variablesTaken as b, sendInput as c, stopAccepted as d, stopInput as f, tokenGiven as g, ticketInput as h, forkInput as i, usageDocument as k, startAccepted as l, submitInput as m, MessagePart as n, resumeInput as o, submitAccepted as p, forkAccepted as r, sendAccepted as s, MAX_ANSWER_TEXT as t, startInput as u, variablesAsked as v, child as w, ChildCounts as x, variablesInput as y };