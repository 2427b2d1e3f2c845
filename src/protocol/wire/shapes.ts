/**
 * The shapes of what goes in and out, shared by the verbs. They are also what `/openapi.json` shows.
 *
 * Keeps A27.
 */

import * as z from 'zod';
import { LISTED_LIMITS, PAGE_LIMITS } from '../data-limits';
import { ACTIONS, type Action } from '../shown/actions';
import { controlsDocument } from '../shown/controls';
import { isDeceiving } from '../shown/names';
import { RUN_STATUSES, type RunStatus, SESSION_STATUSES, type SessionStatus } from '../status';
import { PENDING_KINDS } from '../view/waiting';
import { failureSchema, jsonSchema, type SchemaOf, sequenceSchema, usageSchema, wholeNumber } from './schemas';
import { WIRE_LIMITS } from './wire-limits';

/** Any JSON. */
export const json = jsonSchema;

/** A text that people read as one line, of 1 to so many characters. */
export const line = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => !isDeceiving(text), 'Leave out control and text-direction characters.');

/** Text about metadata in the description of the API. */
export const METADATA = `At most ${WIRE_LIMITS.maxMetadataBytes} bytes as JSON.`;

/** A yes or no that also comes as text in a query. */
export const flag = z
  .union([z.boolean(), z.enum(['1', '0', 'true', 'false'])])
  .transform((value) => value === true || value === '1' || value === 'true');

/** A sequence of the log. */
export const sequence = sequenceSchema;

/** Levels of a tree. */
export const depth = wholeNumber(0, 64);

/** Options for a page of a list. */
export const pageInput = z.strictObject({
  cursor: z.string().max(4_096).optional().describe('From the previous page.'),
  limit: wholeNumber(1, PAGE_LIMITS.maxSize).optional().describe(`Items; ${PAGE_LIMITS.size} by default.`),
});

/** A page of a list. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item).readonly(),
    cursor: z.string().optional().describe('Where the next page continues; missing on the last one.'),
  });

/** No input. */
export const nothing = z.strictObject({});

/** A time. */
export const time = z.number().describe('ms since 1970');

/** A right. */
export const action: SchemaOf<Action> = z.enum(ACTIONS);

/** Rights. */
export const actions = z.array(action).min(1).max(ACTIONS.length);

/** Status of a session. */
export const sessionStatus: SchemaOf<SessionStatus> = z.enum(SESSION_STATUSES);

const runStatus: SchemaOf<RunStatus> = z.enum(RUN_STATUSES);

/** One run. */
export const run = z.object({
  runId: z.string(),
  epoch: z.number().int(),
  turn: z.number().int(),
  chainTurn: z
    .number()
    .int()
    .describe(
      'The turn of the first run in its chain of resumes: `{sessionId}.{chainTurn}` is the same for all of them.',
    ),
  chainRunId: z.string().describe('The run of that turn.'),
  resumes: z
    .number()
    .int()
    .describe('How often its chain was resumed, including this run; 0 for the first run of a chain.'),
  status: runStatus,
  startSequence: z
    .number()
    .int()
    .optional()
    .describe('Where the run begins in the log; missing if the log no longer has it.'),
  chainStartSequence: z
    .number()
    .int()
    .optional()
    .describe('Where its chain begins in the log; missing if the log no longer has it.'),
  traceparent: z.string().optional().describe('Its W3C trace, if the caller named one.'),
  startedAt: time,
  endedAt: time.optional(),
  output: json.optional(),
  error: failureSchema.optional(),
  failureReason: z.string().optional(),
  completionReason: z.string().optional(),
  reason: z.string().optional().describe('Why it was interrupted or terminated.'),
  resumedFrom: z.string().optional(),
});

/** A run in the list of runs. */
export const listedRun = run.extend({
  input: z
    .string()
    .optional()
    .describe(
      `The beginning of the message that started it, in at most ${LISTED_LIMITS.title} characters; for a resume or a retry, that of the first run.`,
    ),
  usage: usageSchema
    .optional()
    .describe('What the agent itself spent from the beginning of this run to that of the next.'),
  steps: z.number().int().optional().describe('Its current or last step; 0 before the first.'),
});

/** Counts of sub-agents below an agent, at any level, by status. */
export type ChildCounts = {
  readonly running: number;
  readonly queued: number;
  /** Waiting for a person, directly or through their sub-agents. */
  readonly waiting: number;
  readonly total: number;
};

/** Sub-agents by status. */
export const childCounts: SchemaOf<ChildCounts> = z
  .object({
    running: z.number().int(),
    queued: z.number().int(),
    waiting: z.number().int().describe('Those that wait for a person, directly or through their own sub-agents.'),
    total: z.number().int(),
  })
  .describe('The sub-agents below it, at any level.');

/** A stop that a remote agent has not acknowledged. Times in ms since 1970. */
export type UnacknowledgedStop = {
  readonly verb: 'interrupt' | 'abort' | 'terminate';
  /** The local run that it stops. */
  readonly runId: string;
  readonly since: number;
  readonly attempts: number;
  /** When it is sent again. */
  readonly nextAt: number;
};

const unacknowledgedStop: SchemaOf<UnacknowledgedStop> = z.object({
  verb: z.enum(['interrupt', 'abort', 'terminate']),
  runId: z.string().describe('The local run that it is for.'),
  since: time,
  attempts: z.number().int(),
  nextAt: time.describe('When it is sent again, in ms since 1970.'),
});

/** An agent, as its own state and the root's record describe it. */
const standing = {
  sessionId: z.string(),
  agentType: z.string(),
  address: z.string(),
  status: sessionStatus,
  statusText: z.string().optional(),
  childCounts,
  usage: usageSchema.describe('Its own, without its sub-agents.'),
  lastSequence: z.number().int().describe('The last sequence in the log at or below it.'),
  stopOwed: unacknowledgedStop.optional().describe('A stop that a remote agent has not acknowledged.'),
};

/** A call that waits for a person. */
export const pendingItem = z.object({
  toolCallId: z.string(),
  kind: z.enum(PENDING_KINDS),
  toolName: z.string(),
  input: json.describe('The exact arguments.'),
  inputHash: z.string().describe('SHA-256 of the arguments (JSON with its keys in order), in hex.'),
  address: z.string().describe('The agent that made the call.'),
  agentType: z.string(),
  requestedAt: time,
  expiresAt: time.optional().describe('The deadline of an answer; missing if there is none.'),
  invalidFields: z
    .array(z.object({ path: z.string(), message: z.string() }))
    .readonly()
    .optional()
    .describe("Arguments that no longer match the tool's schema, as after a deploy: a plain approval is refused."),
});

/** A sub-agent that has not begun because nobody has given the variables that it must have. */
export const variableRequest = z.object({
  requestId: z.string().describe('`A/variables/{requestId}` takes the values.'),
  agentType: z.string().describe('The sub-agent that waits.'),
  requestedAt: time,
  expiresAt: time.describe('When it is forgotten, in ms since 1970.'),
  variables: z
    .array(
      z.object({
        name: z.string(),
        type: z.enum(['text', 'secret']),
        description: z.string().optional().describe('What it is for, in at most 1,000 characters.'),
        declaredBy: z.array(z.string()).readonly().describe('The agents that ask for it, and tools, as `agent/tool`.'),
        required: z.boolean(),
        missing: z.boolean().describe('It has no value, and the sub-agent does not begin without one.'),
      }),
    )
    .readonly()
    .describe('All variables that the sub-agent and those below it need; never a value.'),
});

/** The status document. */
export const statusDocument = z.object({
  ...standing,
  name: z.string().optional().describe('For a sub-agent: its slot, or its name.'),
  task: z.number().int().optional().describe('For a sub-agent: the number of its task, from 1.'),
  displayName: z.string().optional(),
  tags: z.array(z.string()).readonly(),
  metadata: json.optional(),
  activeAgent: z.string().optional().describe('The agent that works for the session, if it was handed over.'),
  run: run.extend({ step: z.number().int() }).optional(),
  pending: z
    .array(pendingItem)
    .readonly()
    .describe(`The pending calls at or below it: the first ${PAGE_LIMITS.size}. \`pending\` lists all.`),
  variableRequests: z
    .array(variableRequest)
    .readonly()
    .optional()
    .describe('Its sub-agents that wait for variables; missing if there are none.'),
  controls: controlsDocument,
});

/** The registry entry of a sub-agent of a prompt. */
export const registryEntry = z.object({
  reference: z.string().describe('The reference that its parent uses for messages.'),
  name: z.string().describe('The name of the agent.'),
  title: z.string().optional(),
  description: z.string(),
  resumable: z.boolean(),
  blocking: z.boolean(),
  threadName: z.string().optional(),
  spawnGroupId: z.string().optional().describe('The same for all sub-agents that one step made.'),
  createdAt: z.number().int().describe('In microseconds since 1970.'),
  status: z.string().describe('Its last progress text while it works; otherwise its lifecycle state.'),
  lifecycle: z.enum(['running', 'idle', 'failed', 'awaiting_input', 'terminated']),
});

/** A sub-agent, as the root knows it. */
export const child = z.object({
  ...standing,
  name: z.string(),
  mode: z.enum(['ephemeral', 'persistent']),
  placement: z.enum(['facet', 'object', 'remote']),
  callId: z.string(),
  childId: z.number().int().describe('Its number among the children of its parent, from 1.'),
  task: z.number().int().describe('The number of its task, from 1; a restarted task has the next number.'),
  generation: z.number().int().describe('The generation in its address: 3 in 7~3.'),
  createdAt: time,
  lastActivity: time.describe('The time of its last event, or of its creation before the first; ms since 1970.'),
  endedAt: time.optional(),
  entry: registryEntry.optional().describe('Its entry in the registry of its parent, if a prompt names it.'),
});

/** A facet that an author's code has made beside the sub-agents. */
export const ownFacet = z.object({
  className: z.string(),
  name: z.string().describe('Its name in the SDK; it has no address.'),
  createdAt: time,
});

const treeFacts = z.object({
  ...standing,
  name: z.string(),
  mode: z.enum(['root', 'ephemeral', 'persistent']),
  placement: z.enum(['facet', 'object', 'remote']),
  callId: z.string().optional(),
  task: z.number().int().optional().describe('For a sub-agent: the number of its task, from 1.'),
  generation: z.number().int().optional().describe('For a sub-agent: the generation in its address, 3 in 7~3.'),
  createdAt: time,
  startedAt: time.optional().describe('When its newest run began, in ms since 1970; missing before its first.'),
  endedAt: time.optional().describe('When that run ended or was lost; missing while it continues.'),
  step: z.number().int().describe('The current step of its newest run, from 1; 0 before the first.'),
  recoveries: z.number().int().describe('How often that run was recovered after a crash.'),
  pendingCount: z.number().int().describe('Its pending calls, not counting those of its descendants.'),
  error: z
    .object({ code: z.string(), title: z.string().optional(), message: z.string() })
    .optional()
    .describe('Why that run failed; the message, for a developer, in at most 500 characters.'),
});

/** An agent with all below it, as it is shown. */
export type TreeShown = z.output<typeof treeFacts> & { readonly nodes: readonly TreeShown[] };

/** An agent with all below it. */
export const treeNode: z.ZodType<TreeShown> = treeFacts
  .extend({
    get nodes(): z.ZodType<readonly TreeShown[]> {
      return z.array(treeNode).readonly();
    },
  })
  .meta({ id: 'TreeNode' });

/** A file. */
export const fileInfo = z.object({
  path: z.string(),
  size: z.number().int().describe('Bytes.'),
  mediaType: z.string(),
  etag: z.string().describe('SHA-256 of the content, in hex.'),
  updatedAt: time,
});

/** Usage of an agent, or of it and all below it. */
export const usageDocument = z.object({
  total: usageSchema,
  byAgent: z.record(z.string(), usageSchema),
  byModel: z
    .record(z.string(), usageSchema)
    .optional()
    .describe('Missing with sub-agents, because the root stores only one total for each agent.'),
});
/** The shape of an error. */
export const problem = z
  .object({
    type: z.string(),
    title: z.string().describe('Safe to show to anyone.'),
    status: z.number().int(),
    code: z.string().describe('Stable: handle errors by it.'),
    category: z.string().describe('The category, such as `input` or `limit`.'),
    retryable: z.boolean().describe('Whether the same request may succeed later.'),
    detail: z.string().describe('For a developer: what happened and what to do.'),
    requestId: z.string(),
    details: json.optional().describe('Further details, such as the recorded decision.'),
  })
  .meta({ id: 'Problem' });
