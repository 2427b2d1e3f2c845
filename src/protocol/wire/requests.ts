/**
 * The requests that change something, and their answers: what verbs check, and what clients are typed by.
 *
 * Keeps A3, A31.
 */
import * as z from 'zod';
import { MAKE_NAME, NAME_FORM, NAME_PATTERN } from '../address';
import { isBlank } from '../content/blank';
import { DATA_LIMITS, VARIABLE_NAME } from '../data-limits';
import { MESSAGE_ROLES } from '../messages';
import { SIDES } from '../sides';
import { actions, json, line, METADATA, sessionStatus } from './shapes';
import { WIRE_LIMITS } from './wire-limits';

/** The code of a refusal, where it is not `invalid_request`. */
const UNPROCESSABLE = { code: 'invalid_input' } as const;
const BLANK = { message: 'It is blank: say something.', params: UNPROCESSABLE };

/** Text for an agent. */
const words = z
  .string()
  .min(1)
  .refine((text) => text === '' || !isBlank(text), BLANK);

const textPart = z.strictObject({ type: z.literal('text'), text: z.string() });

const source = {
  mediaType: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('For a file in `base64`; the type of an image is detected from its bytes.'),
  filename: line(255).optional(),
  base64: z.base64().optional(),
  path: z
    .string()
    .min(1)
    .max(1_024)
    .optional()
    .describe(
      'Instead of `base64`: the current content of a file of the agent; in a start, it may also be one of its `files`.',
    ),
};
const EITHER = { message: 'Give either `base64` or `path`.' };
const isEither = ({ base64, path }: { base64?: string | undefined; path?: string | undefined }): boolean =>
  (base64 === undefined) !== (path === undefined);

const imagePart = z.strictObject({ type: z.literal('image'), ...source }).refine(isEither, EITHER);
const filePart = z
  .strictObject({ type: z.literal('file'), ...source })
  .refine(isEither, EITHER)
  .refine(({ base64, mediaType }) => base64 === undefined || mediaType !== undefined, {
    message: 'Give the `mediaType` of the file.',
    path: ['mediaType'],
  });

/** A part of a message: text, an image, or any other file. */
export const givenPart = z.discriminatedUnion('type', [textPart, imagePart, filePart]);

/** A part of a message, as a client writes it. */
export type MessagePart = z.input<typeof givenPart>;

const givenParts = z
  .array(givenPart)
  .min(1)
  .max(WIRE_LIMITS.maxParts)
  .refine((parts) => parts.some((part) => part.type !== 'text' || !isBlank(part.text)), BLANK);

/** The content of a message: text, or parts with images and files. */
export const givenContent = z.union([words, givenParts]);

/** What a run is begun with. */
const names = {
  displayName: line(200).optional(),
  tags: z.array(line(64)).max(32).optional(),
  metadata: json.optional().describe(METADATA),
};

const file = z.strictObject({
  path: z.string().min(1).max(1_024),
  mediaType: z.string().max(255).optional(),
  base64: z.base64(),
});

/** Files of a start. Of two at one path only one would stay. */
const files = z
  .array(file)
  .max(100)
  .refine((all) => new Set(all.map(({ path }) => path)).size === all.length, 'Two files have the same path.');

/** Values of variables. The names alone are in what a request is refused with. */
const givenValue = z.string().max(DATA_LIMITS.maxVariable).nullable();
const given = <Value extends z.ZodType>(value: Value) =>
  z
    .record(z.string().regex(VARIABLE_NAME), value)
    .refine((all) => Object.keys(all).length <= DATA_LIMITS.maxVariables, {
      message: `At most ${DATA_LIMITS.maxVariables} variables.`,
    });
const env = given(givenValue).describe(
  'Values of variables for the session, stored encrypted and never shown; null removes one.',
);

/** A start. */
export const startInput = z
  .strictObject({
    message: givenContent.optional().describe('Text for the agent, or parts with images and files.'),
    to: z.enum(SIDES).optional().describe('The side that acts first, if the agent has two; side_a by default.'),
    input: json
      .optional()
      .describe("Checked by the agent's `inputSchema`; becomes the first message, and the state if it fits."),
    state: json.optional().describe('Replaces the custom state.'),
    files: files.optional().describe("Stored among the agent's files before the run begins."),
    env: env.optional(),
    ...names,
    wait: z
      .union([z.boolean(), z.number().int().min(1).max(WIRE_LIMITS.maxWaitMs)])
      .optional()
      .describe('true, or the longest time in ms: respond when the run has ended or has to wait for a person.'),
    ifRunning: z
      .literal('same')
      .optional()
      .describe('same: if a start with this body began the current run or a queued one, return that run.'),
  })
  .refine(({ message, input: given }) => message !== undefined || given !== undefined, {
    message: 'Give `message` or `input`.',
  });

/** The response to an accepted start. */
export const startAccepted = z.object({
  sessionId: z.string(),
  runId: z.string(),
  status: sessionStatus,
  address: z.string(),
  streamUrl: z.string(),
});

/** A message. With attachments its text may be blank. */
export const sendInput = z
  .strictObject({
    content: z.union([z.string().min(1), givenParts]),
    role: z.enum(MESSAGE_ROLES).optional().describe('user by default'),
    to: z.enum(SIDES).optional().describe('The side that the message is for, if the agent has two; side_a by default.'),
    attachments: z
      .array(
        z.strictObject({
          mediaType: z.string().min(1).max(255),
          filename: line(255).optional(),
          base64: z.base64(),
        }),
      )
      .max(16)
      .optional(),
    metadata: json.optional().describe(METADATA),
    env: env.optional().describe('As with a start; for roots only.'),
    runId: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe('Only while that run, or its resume, is in progress; otherwise refused with run_superseded.'),
  })
  .refine(
    ({ content, attachments = [] }) =>
      typeof content !== 'string' || content === '' || attachments.length > 0 || !isBlank(content),
    { ...BLANK, path: ['content'] },
  );

/** Which request for variables is meant. */
export const variablesWanted = z.strictObject({ path: z.string().min(1).max(256).describe('The id of the request.') });

/** The values for requested variables. */
export const variablesInput = variablesWanted.extend({
  env: given(z.union([givenValue, z.number().transform(String), z.boolean().transform(String)])).describe(
    'The values by name; numbers and booleans become text, null is ignored.',
  ),
});

/** The variables that a sub-agent is waiting for, without their values. */
export const variablesAsked = z.object({
  request_id: z.string(),
  parent_thread_id: z
    .string()
    .describe('The agent that made the request: its address without /agents/, as in /threads/.'),
  agent_name: z.string().describe('The agent that waits.'),
  registry_agent_name: z.string().describe('The same: an agent is registered under its name.'),
  required: z.array(z.string()),
  missing: z.array(z.string()),
  expires_at: z.number().describe('ms since 1970'),
});

/** The response to the values: the sub-agent starts. */
export const variablesTaken = z.object({
  request_id: z.string(),
  child_thread_id: z.string().describe('The sub-agent: its address without /agents/.'),
  reference: z.string().describe('The reference by which its parent knows it.'),
  address: z.string(),
  status: z.literal('success'),
});

/** A call that waits for a person. */
const callBefore = z.object({
  toolCallId: z.string(),
  toolName: z.string(),
  kind: z.enum(['client-tool', 'approval']),
  address: z.string().describe('The address of the agent that made the call.'),
});

/** The response to an accepted message. */
export const sendAccepted = z.object({
  messageId: z.string(),
  delivery: z.enum(['queued', 'started']),
  behind: z
    .array(callBefore)
    .exactOptional()
    .describe('The calls that a person has to answer before a step reads the message; the first 20.'),
  denied: z.array(callBefore).exactOptional().describe('The approvals that the message has denied.'),
});

/** A stop: interrupt, abort or terminate. */
export const stopInput = z.strictObject({
  reason: z.string().min(1).max(1_000).optional().describe('The reason, for people who read about the stop.'),
  runId: z.string().min(1).max(256).optional().describe('The run to stop; the current one by default.'),
  start: z
    .string()
    .min(1)
    .max(WIRE_LIMITS.maxIdempotencyKey)
    .optional()
    .describe('Instead of `runId`, at a root: the Idempotency-Key of the start.'),
});

/** The response to a stop. */
export const stopAccepted = z.object({
  runId: z.string().exactOptional(),
  status: sessionStatus,
  begun: z.boolean().exactOptional().describe('With `start`: whether that start began; if not, it is cancelled.'),
});

/** A resume, or a retry. */
export const resumeInput = z.strictObject({
  message: givenContent.optional().describe('For its next step: text, or parts as in a start.'),
});

/** The response to an accepted resume or retry. */
export const resumeAccepted = z.object({
  sessionId: z.string(),
  runId: z.string().exactOptional().describe('Missing if a sub-agent has not begun it yet.'),
  status: sessionStatus,
  address: z.string(),
  streamUrl: z.string(),
  messageId: z
    .string()
    .exactOptional()
    .describe('The id of the message. Missing if the message could not be delivered: send it once the agent works.'),
});

/** A copy under another name. */
export const forkInput = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(DATA_LIMITS.maxName)
    .regex(NAME_PATTERN, `${NAME_FORM} ${MAKE_NAME}`)
    .describe('The name of the copy; it must be free.'),
  message: words
    .optional()
    .describe('The first task of a copied companion; required for companions, and only for them.'),
  checkpoint: z
    .string()
    .regex(/^s_[A-Za-z0-9_]+\.[1-9][0-9]{0,8}$/, 'A checkpoint is an id of GET A/checkpoints.')
    .optional()
    .describe('The copy remembers nothing after that step. By default it remembers everything.'),
  resume: z.boolean().optional().describe('For a root: the copy continues the unfinished run at once.'),
});

/** The response to an accepted copy. */
export const forkAccepted = z.object({
  address: z.string().describe('The address of the copy.'),
  streamUrl: z.string().describe('The stream of the copy, from its first event.'),
  sessionId: z.string().exactOptional().describe('Only for the copy of a root, like `status` and `runId`.'),
  status: sessionStatus.exactOptional(),
  runId: z.string().exactOptional().describe('The run that the copy continues.'),
});

/** The error text of a client, or a reason, in bytes of UTF-8. */
export const MAX_ANSWER_TEXT = 8 * 1_024;

const toolCallId = z.string().min(1).max(DATA_LIMITS.maxCallId);

const result = z
  .strictObject({
    kind: z.literal('client-tool-result'),
    toolCallId,
    result: json.optional(),
    error: z.string().min(1).optional().describe(`Why there is no result; at most ${MAX_ANSWER_TEXT} bytes.`),
  })
  .refine(({ result: value, error }) => (value === undefined) !== (error === undefined), {
    message: 'Give either `result` or `error`.',
  });

const approval = z
  .strictObject({
    kind: z.literal('approval-response'),
    toolCallId,
    approved: z.boolean(),
    reason: z.string().optional().describe(`The model reads it; at most ${MAX_ANSWER_TEXT} bytes.`),
    input: json.optional().describe('Other arguments to run with, instead of the requested ones.'),
    inputHash: z
      .string()
      .max(256)
      .optional()
      .describe('The hash of the shown arguments: the answer counts only for them.'),
  })
  .refine(({ approved, input }) => approved || input === undefined, {
    message: 'Only an approval can have an `input`.',
  });

/** A person's answer. */
export const submitInput = z.discriminatedUnion('kind', [result, approval]);

/** The response to an accepted answer. */
export const submitAccepted = z.object({ status: z.literal('accepted'), relation: z.literal('continues') });

/** The permissions and lifetime of a signed token. */
export const tokenInput = z
  .strictObject({
    actions: actions.describe('The actions that it allows. Its creator needs each of them.'),
    ttlSeconds: z
      .number()
      .int()
      .min(1)
      .max(WIRE_LIMITS.maxTokenSeconds)
      .describe('Its lifetime in s, at most 30 days.'),
    toolCallId: toolCallId.optional().describe('The one call that it shows and answers; it allows nothing else.'),
    label: line(200).optional().describe('Its purpose, shown in the list of tokens.'),
  })
  .refine(
    ({ actions: given, toolCallId }) =>
      toolCallId === undefined || given.every((each) => each === 'read' || each === 'answer'),
    { message: 'A token for one call allows only `answer` and `read`.', path: ['actions'] },
  );

/** The permissions of a ticket. */
export const ticketInput = z.strictObject({
  actions: actions.optional().describe('What its socket may do; `read` by default.'),
});

/** A token or ticket; its text is returned only this once. */
export const tokenGiven = z.object({
  token: z.string(),
  id: z.string(),
  expiresAt: z.number().describe('ms since 1970'),
});
