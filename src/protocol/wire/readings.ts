/**
 * What the verbs that look back answer: calls, the log, the transcript, steps, the audit, what is due, documents.
 *
 * Keeps A10, A12, A39, A40.
 */
import * as z from 'zod';
import { chunkSchema } from '../chunks';
import { MESSAGE_ROLES } from '../messages';
import { control } from '../shown/controls';
import { ANSWER_KINDS } from '../view/waiting';
import { failureSchema, usageSchema, wholeNumber } from './schemas';
import { action, json, pageInput, pageOf, time } from './shapes';

/** A call of the ledger, with its one result. */
export const ledgerEntry = z.object({
  toolCallId: z.string(),
  toolName: z.string(),
  kind: z.enum(['tool', 'client-tool', 'sub-agent', 'built-in', 'refused']),
  input: json,
  turn: z.number().int(),
  step: z.number().int(),
  status: z.enum(['open', 'pending', 'succeeded', 'failed']).describe('`pending`: it waits for a person.'),
  expiresAt: time.optional().describe('The deadline of an answer.'),
  answer: z
    .object({
      kind: z.enum(ANSWER_KINDS),
      at: time,
      approved: z.boolean().optional(),
      actor: z.string().optional(),
      reason: z.string().optional(),
      input: json.optional().describe('The approved arguments, if they were changed.'),
    })
    .optional()
    .describe('What a person said.'),
  bodies: z
    .number()
    .int()
    .describe('How often the body of a tool began, above 1 only after a crash; 0 for other calls.'),
  result: json.optional(),
  error: failureSchema.optional(),
  startedAt: time.optional().describe('When it began; for an open call, the time of the reply that made it.'),
  endedAt: time.optional(),
  subAddress: z.string().optional(),
  subSessionId: z.string().optional(),
});

/** An entry of the log: a model call, a tool, or a hook that failed. */
export const logEntry = z.object({
  kind: z.enum(['model', 'tool', 'client-tool', 'sub-agent', 'hook', 'compaction']),
  hook: z.string().optional().describe('Which hook failed; the first 20 of a step are kept.'),
  hookId: z.string().optional().describe('Its id, where `defineHook` made it.'),
  turn: z.number().int(),
  step: z.number().int(),
  model: z.string().optional().describe('provider/model, as the provider names them'),
  toolCallId: z.string().optional(),
  toolName: z.string().optional(),
  attempts: z.number().int().describe('Attempts of a model call, or executions of a tool; otherwise 0.'),
  errors: z.array(failureSchema).readonly().describe('What went wrong, oldest first.'),
  startedAt: time,
  endedAt: time.optional(),
  finishReason: z.string().optional(),
  notes: z.array(z.string()).optional().describe('Files and tools that were omitted from the request, and why.'),
  usage: usageSchema.optional(),
  summary: z.string().optional().describe('The summary that replaces older messages in the request of the step.'),
  summaryBy: z.enum(['digest', 'model', 'function']).optional(),
});

/** An entry of the audit. */
export const auditEntry = z.object({
  at: time,
  actor: z.string().describe('The caller, as the access check named it; `anonymous` if it named none.'),
  action: z.string().describe('The name of the verb.'),
  runId: z.string().optional(),
  detail: json.optional(),
});

/** A committed step. */
export const checkpoint = z.object({
  checkpointId: z.string().describe('As in `step_committed`.'),
  turn: z.number().int(),
  step: z.number().int(),
  at: time,
  finishReason: z.string(),
});

/** A message of the transcript. */
export const transcriptEntry = z.object({
  role: z.enum([...MESSAGE_ROLES, 'assistant', 'tool']),
  content: json.optional().describe('Text or parts; a tool message has `result` instead.'),
  messageId: z.string().optional(),
  from: z.enum(['caller', 'parent', 'child', 'agent', 'offshoot']).optional(),
  toolCallId: z.string().optional(),
  toolName: z.string().optional(),
  result: json.optional(),
  turn: z.number().int().optional(),
  step: z.number().int().optional(),
  at: time,
  metadata: json.optional(),
  silent: z.literal(true).optional().describe('For the model, not for people who read the transcript.'),
  controls: z
    .object({ cancelMessage: control })
    .optional()
    .describe('For a message that no step has read: whether it can be cancelled, or why not.'),
});

/** Which page of the transcript. */
export const transcriptInput = pageInput.extend({
  last: wholeNumber(1, 1_000_000)
    .optional()
    .describe('Instead of a cursor: begins this many messages before the end, or at the step before them.'),
});

/** A page of the transcript. */
export const transcriptPage = pageOf(transcriptEntry).extend({
  asOfSequence: z.number().int().describe('A stream from the next sequence continues without a gap.'),
});

/** A page of the log. */
export const chunksPage = z.object({
  items: z.array(z.object({ sequence: z.number().int(), chunk: chunkSchema })).readonly(),
  first: z.number().int().describe('The oldest sequence of the log; older ones were removed.'),
  last: z.number().int().describe('The newest; 0 if there is none.'),
  next: z
    .number()
    .int()
    .optional()
    .describe('`from` of the next page, even if this one has fewer chunks than `limit`; missing at the end.'),
  previous: z.number().int().optional().describe('`before` of the previous page; missing at the beginning.'),
});

/** The custom state. */
export const stateDocument = z.object({
  state: json,
  asOfSequence: z.number().int().describe('It includes every change up to this sequence of the log.'),
});

const limited = z.record(z.string(), z.number());

/** The settings of an agent's model, as its definition has them. A missing one is the provider's default. */
export const settingsDocument = z.object({
  temperature: z.number().optional(),
  topP: z.number().optional(),
  topK: z.number().int().optional(),
  maxOutputTokens: z.number().int().optional(),
  stopSequences: z.array(z.string()).readonly().optional(),
  seed: z.number().int().optional(),
  presencePenalty: z.number().optional(),
  frequencyPenalty: z.number().optional(),
  reasoning: z.object({ effort: z.string().optional() }).optional(),
  toolChoice: z.union([z.enum(['auto', 'none', 'required']), z.object({ tool: z.string() })]).optional(),
  parallelToolCalls: z.boolean().optional(),
  headers: z.array(z.string()).readonly().optional().describe('Only their names.'),
  providerOptions: z
    .record(z.string(), z.array(z.string()).readonly())
    .optional()
    .describe('The names of the options, by provider.'),
  promptCache: z.boolean().optional(),
  gatewayMetadata: z.boolean().optional(),
});

/** Settings as people are shown them, without values that may be secret. */
export type ShownSettings = z.output<typeof settingsDocument>;

/** The limits of an agent, and what is used of some, with the settings of its model. */
export const limitsDocument = z.object({ limits: limited, used: limited, settings: settingsDocument });

/** What is due: the end of work, or of a wait for an answer, or a scheduled effect. */
export const due = z.object({
  kind: z.enum(['timeout', 'answer', 'effect']),
  address: z.string(),
  sessionId: z.string(),
  callId: z
    .string()
    .describe('The call that a sub-agent works on, or that waits for an answer; empty for a root and an effect.'),
  dueAt: time,
});

/** A document that the agents of a root search. */
export const document = z.object({
  name: z.string().describe('Shared ones begin with `shared/`.'),
  title: z.string(),
  origin: z.enum(['own', 'shared', 'shipped']),
  bytes: z.number().int().min(0),
});

/** All of them. */
export const documentList = z.object({ items: z.array(document).readonly() });

/** A signed token or ticket, as it is listed; never its text. */
export const listedToken = z.object({
  id: z.string(),
  address: z.string(),
  actions: z.array(action),
  toolCallId: z.string().optional(),
  label: z.string().optional(),
  createdAt: time,
  createdBy: z.string(),
  expiresAt: time,
  ticket: z.boolean(),
  revokedAt: time.optional(),
});

/** Who asks, and what may be done at an address. */
export const me = z.object({
  subject: z.string(),
  address: z.string(),
  actions: z.array(action),
  expiresAt: time.optional(),
  toolCallId: z.string().optional().describe('For a token for one call: it may only show and answer that call.'),
});
