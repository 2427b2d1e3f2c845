import { E as Json, g as Usage, m as SchemaOf } from "./chunks.js";
import { C as UnacknowledgedStop, D as pendingItem, E as listedRun, O as statusDocument, S as TreeShown, T as fileInfo, _ as tokenInput, a as resumeAccepted, b as variablesTaken, c as sendInput, d as stopAccepted, f as stopInput, g as tokenGiven, h as ticketInput, i as forkInput, k as usageDocument, l as startAccepted, m as submitInput, o as resumeInput, p as submitAccepted, r as forkAccepted, s as sendAccepted, u as startInput, v as variablesAsked, w as child, x as ChildCounts, y as variablesInput } from "./requests.js";
import { a as due, c as listedToken, d as stateDocument, f as transcriptEntry, i as document, l as logEntry, n as checkpoint, o as ledgerEntry, r as chunksPage, s as limitsDocument, t as auditEntry, u as me } from "./readings.js";
import * as z$1 from "zod";
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
  usage: z$1.ZodOptional<SchemaOf<Usage>>;
  childCounts: z$1.ZodOptional<SchemaOf<ChildCounts>>;
  failedCount: z$1.ZodOptional<z$1.ZodNumber>;
  error: z$1.ZodOptional<z$1.ZodObject<{
    code: z$1.ZodString;
    title: z$1.ZodOptional<z$1.ZodString>;
    message: z$1.ZodString;
  }, z$1.core.$strip>>;
}, z$1.core.$strip>;
/** A call of any root that waits for a person. */
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
/** A run that failed. */
declare const listedFailure: z$1.ZodObject<{
  code: z$1.ZodString;
  title: z$1.ZodOptional<z$1.ZodString>;
  message: z$1.ZodString;
  runId: z$1.ZodString;
  address: z$1.ZodString;
  agentType: z$1.ZodString;
  pattern: z$1.ZodString;
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
/** A companion or a remote sub-agent. */
declare const listedChild: z$1.ZodObject<{
  sessionId: z$1.ZodString;
  agentType: z$1.ZodString;
  address: z$1.ZodString;
  status: SchemaOf<"completed" | "failed" | "idle" | "interrupted" | "queued" | "running" | "suspended_awaiting_children" | "suspended_client_tool" | "suspended_step_partial" | "terminated">;
  usage: SchemaOf<Usage>;
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
/** A document of the API: status, tree, run and the others, as `/openapi.json` describes them. */
type Document<Name extends keyof Documents> = Documents[Name];
interface Documents {
  readonly status: z$1.output<typeof statusDocument>;
  readonly tree: TreeShown;
  readonly run: z$1.output<typeof listedRun>;
  readonly pendingItem: z$1.output<typeof pendingItem>;
  readonly usage: z$1.output<typeof usageDocument>;
  readonly child: z$1.output<typeof child>;
  readonly call: z$1.output<typeof ledgerEntry>;
  readonly log: z$1.output<typeof logEntry>;
  readonly chunks: z$1.output<typeof chunksPage>;
  readonly message: z$1.output<typeof transcriptEntry>;
  readonly checkpoint: z$1.output<typeof checkpoint>;
  readonly audit: z$1.output<typeof auditEntry>;
  readonly state: z$1.output<typeof stateDocument>;
  readonly limits: z$1.output<typeof limitsDocument>;
  readonly due: z$1.output<typeof due>;
  readonly document: z$1.output<typeof document>;
  readonly file: z$1.output<typeof fileInfo>;
  readonly root: z$1.output<typeof listedRoot>;
  readonly agent: z$1.output<typeof listedAgent>;
  readonly listedCall: z$1.output<typeof listedCall>;
  readonly listedFailure: z$1.output<typeof listedFailure>;
  readonly listedCause: z$1.output<typeof listedCause>;
  readonly listedChild: z$1.output<typeof listedChild>;
  readonly token: z$1.output<typeof listedToken>;
  readonly me: z$1.output<typeof me>;
}
/** A page of a list; `cursor` asks for the next one. */
interface Page<Item> {
  readonly items: readonly Item[];
  readonly cursor?: string | undefined;
}
/** A page of sub-agents. */
interface Children extends Page<Document<'child'>> {
  /** Items on all pages. */
  readonly total: number;
  /** Facets that the agent's own code created with `subAgent`: on the first page, at most 500. */
  readonly facets?: readonly {
    readonly className: string;
    readonly name: string;
    readonly createdAt: number;
  }[] | undefined;
}
/** A page of failed runs. */
interface Failures extends Page<Document<'listedFailure'>> {
  /** The causes of failures on all pages, the most frequent first. */
  readonly causes: readonly Document<'listedCause'>[];
}
/** A page of the transcript. */
interface Transcript extends Page<Document<'message'>> {
  readonly asOfSequence: number;
}
/** The bodies of requests that change something. */
interface Bodies {
  readonly start: z$1.input<typeof startInput>;
  readonly send: z$1.input<typeof sendInput>;
  readonly stop: z$1.input<typeof stopInput>;
  readonly resume: z$1.input<typeof resumeInput>;
  readonly fork: z$1.input<typeof forkInput>;
  readonly giveVariables: Omit<z$1.input<typeof variablesInput>, 'path'>;
  readonly answer: z$1.input<typeof submitInput>;
  readonly createToken: z$1.input<typeof tokenInput>;
  readonly createTicket: z$1.input<typeof ticketInput>;
}
/** The response bodies of such requests. */
interface Acceptances {
  readonly start: z$1.output<typeof startAccepted>;
  readonly send: z$1.output<typeof sendAccepted>;
  readonly stop: z$1.output<typeof stopAccepted>;
  readonly resume: z$1.output<typeof resumeAccepted>;
  readonly fork: z$1.output<typeof forkAccepted>;
  readonly variables: z$1.output<typeof variablesAsked>;
  readonly giveVariables: z$1.output<typeof variablesTaken>;
  readonly answer: z$1.output<typeof submitAccepted>;
  readonly createToken: z$1.output<typeof tokenGiven>;
}
export { Failures as a, Document as i, Bodies as n, Page as o, Children as r, Transcript as s, Acceptances as t };