import { E as Json, T as ShownFailure, a as Chunk, g as Usage, m as SchemaOf } from "./chunks.js";
import { t as ShownControl } from "./controls.js";
import * as z$1 from "zod";
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
  error: z$1.ZodOptional<z$1.ZodType<ShownFailure, unknown, z$1.core.$ZodTypeInternals<ShownFailure, unknown>>>;
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
  errors: z$1.ZodReadonly<z$1.ZodArray<z$1.ZodType<ShownFailure, unknown, z$1.core.$ZodTypeInternals<ShownFailure, unknown>>>>;
  startedAt: z$1.ZodNumber;
  endedAt: z$1.ZodOptional<z$1.ZodNumber>;
  finishReason: z$1.ZodOptional<z$1.ZodString>;
  notes: z$1.ZodOptional<z$1.ZodArray<z$1.ZodString>>;
  usage: z$1.ZodOptional<SchemaOf<Usage>>;
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
    cancelMessage: SchemaOf<ShownControl>;
  }, z$1.core.$strip>>;
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
  asOfSequence: z$1.ZodNumber;
}, z$1.core.$strip>;
/** The limits of an agent, and what is used of some, with the settings of its model. */
declare const limitsDocument: z$1.ZodObject<{
  limits: z$1.ZodRecord<z$1.ZodString, z$1.ZodNumber>;
  used: z$1.ZodRecord<z$1.ZodString, z$1.ZodNumber>;
  settings: z$1.ZodObject<{
    temperature: z$1.ZodOptional<z$1.ZodNumber>;
    topP: z$1.ZodOptional<z$1.ZodNumber>;
    topK: z$1.ZodOptional<z$1.ZodNumber>;
    maxOutputTokens: z$1.ZodOptional<z$1.ZodNumber>;
    stopSequences: z$1.ZodOptional<z$1.ZodReadonly<z$1.ZodArray<z$1.ZodString>>>;
    seed: z$1.ZodOptional<z$1.ZodNumber>;
    presencePenalty: z$1.ZodOptional<z$1.ZodNumber>;
    frequencyPenalty: z$1.ZodOptional<z$1.ZodNumber>;
    reasoning: z$1.ZodOptional<z$1.ZodObject<{
      effort: z$1.ZodOptional<z$1.ZodString>;
    }, z$1.core.$strip>>;
    toolChoice: z$1.ZodOptional<z$1.ZodUnion<readonly [z$1.ZodEnum<{
      auto: "auto";
      none: "none";
      required: "required";
    }>, z$1.ZodObject<{
      tool: z$1.ZodString;
    }, z$1.core.$strip>]>>;
    parallelToolCalls: z$1.ZodOptional<z$1.ZodBoolean>;
    headers: z$1.ZodOptional<z$1.ZodReadonly<z$1.ZodArray<z$1.ZodString>>>;
    providerOptions: z$1.ZodOptional<z$1.ZodRecord<z$1.ZodString, z$1.ZodReadonly<z$1.ZodArray<z$1.ZodString>>>>;
    promptCache: z$1.ZodOptional<z$1.ZodBoolean>;
    gatewayMetadata: z$1.ZodOptional<z$1.ZodBoolean>;
  }, z$1.core.$strip>;
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
/** A signed token or ticket, as it is listed; never its text. */
declare const listedToken: z$1.ZodObject<{
  id: z$1.ZodString;
  address: z$1.ZodString;
  actions: z$1.ZodArray<SchemaOf<"admin" | "answer" | "read" | "share" | "stop" | "write">>;
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
  actions: z$1.ZodArray<SchemaOf<"admin" | "answer" | "read" | "share" | "stop" | "write">>;
  expiresAt: z$1.ZodOptional<z$1.ZodNumber>;
  toolCallId: z$1.ZodOptional<z$1.ZodString>;
}, z$1.core.$strip>;
export { due as a, listedToken as c, stateDocument as d, transcriptEntry as f, document as i, logEntry as l, checkpoint as n, ledgerEntry as o, chunksPage as r, limitsDocument as s, auditEntry as t, me as u };