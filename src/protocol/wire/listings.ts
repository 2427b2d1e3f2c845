/**
 * What the lists over all roots hold, and which of it is asked for. No agent is woken by them.
 *
 * Keeps A84, A85, A86.
 */
import * as z from 'zod';
import { LISTED_LIMITS } from '../data-limits';
import { SESSION_STATUSES } from '../status';
import { settingsDocument } from './readings';
import { usageSchema, wholeNumber } from './schemas';
import { child, childCounts, flag, json, pageInput, pageOf, pendingItem, sessionStatus, time } from './shapes';

const agent = z.string().max(128).optional().describe('The class of the root, in addresses.');
const type = z.string().max(128).optional();
const q = z.string().min(1).max(200).optional();

/** Which roots are listed. */
export const rootsInput = pageInput.extend({
  agent,
  status: z
    .string()
    .max(400)
    .transform((text) => text.split(','))
    .pipe(z.array(sessionStatus).max(SESSION_STATUSES.length))
    .optional()
    .describe('One, or several separated by commas.'),
  tag: z.string().max(64).optional(),
  q: q.describe('Text in the name, the title or a tag; the case of ASCII letters does not matter.'),
  sort: z.enum(['createdAt', 'lastActivity']).optional().describe('The latest first; by createdAt by default.'),
});

const error = z.object({
  code: z.string(),
  title: z.string().optional().describe('Safe to show to anyone.'),
  message: z.string().describe('For a developer, at most 500 characters.'),
});

/** A root, as it is listed. */
export const listedRoot = z.object({
  address: z.string(),
  agentType: z.string(),
  name: z.string(),
  sessionId: z.string(),
  status: z.string(),
  displayName: z.string().optional(),
  title: z
    .string()
    .optional()
    .describe(
      `The display name, or else the beginning of its first message, in at most ${LISTED_LIMITS.title} characters.`,
    ),
  preview: z
    .string()
    .optional()
    .describe(`The beginning of the message of its newest turn, in at most ${LISTED_LIMITS.title} characters.`),
  steps: z.number().int().optional().describe('The current or last step of its newest run.'),
  tags: z.array(z.string()).readonly(),
  createdAt: time,
  lastActivity: time.describe(
    'In ms since 1970. For a working tree it is up to 10 s old, like the usage, steps and counts.',
  ),
  pendingCount: z.number().int().optional().describe('The number of pending calls of the tree.'),
  usage: usageSchema.optional().describe('Of the whole tree.'),
  childCounts: childCounts.optional(),
  failedCount: z.number().int().optional().describe('Sub-agents of the tree whose last run failed.'),
  error: error.optional().describe('Why its last run failed.'),
});

/** Which calls that wait for a person are listed. */
export const listedPendingInput = pageInput.extend({
  agent,
  kind: pendingItem.shape.kind.optional(),
  tool: z.string().max(256).optional().describe('The name of the tool.'),
});

/** A call of any root that waits for a person. */
export const listedCall = pendingItem.omit({ input: true, inputHash: true, invalidFields: true }).extend({
  root: z.string().describe('The address of its root.'),
  preview: z
    .string()
    .optional()
    .describe(`The beginning of its arguments, in at most ${LISTED_LIMITS.title} characters.`),
});

/** Which failed runs are listed. */
export const listedErrorsInput = pageInput.extend({
  agent,
  cause: z.string().max(64).optional().describe('The code of the error.'),
  pattern: z.string().max(200).optional().describe('The pattern of its message, as in causes.'),
  type: type.describe('The type of the agent that failed.'),
  since: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional().describe('ms since 1970.'),
});

/** A run that failed. */
export const listedFailure = error.extend({
  runId: z.string(),
  address: z.string(),
  agentType: z.string(),
  pattern: z.string().describe('The message, with … for numbers, ids and quoted texts.'),
  root: z.string().describe('The address of its root.'),
  at: time,
});

/** Failed runs of one agent type with the same code, and messages that differ only in numbers, ids and quoted texts. */
export const listedCause = z.object({
  pattern: z.string().describe('The message, with … for the parts that differ.'),
  code: z.string(),
  title: z.string().optional().describe('Safe to show to anyone.'),
  agentType: z.string(),
  count: z.number().int(),
  lastAt: time,
});

/** A page of failed runs. */
export const errorsPage = pageOf(listedFailure).extend({
  causes: z.array(listedCause).readonly().describe('Of all of them, the most frequent first.'),
});

/** Which sub-agents are listed. */
export const listedChildrenInput = pageInput.extend({
  agent,
  mode: child.shape.mode.optional(),
  placement: child.shape.placement.optional(),
  type: type.describe('The type of the sub-agent.'),
  q: q.describe('Text in its address; the case of ASCII letters does not matter.'),
  owing: flag.optional().describe('Only those that have not acknowledged a stop.'),
});

/** A companion or a remote sub-agent. */
export const listedChild = child
  .pick({
    sessionId: true,
    agentType: true,
    address: true,
    status: true,
    usage: true,
    stopOwed: true,
    name: true,
    mode: true,
    placement: true,
    task: true,
    createdAt: true,
  })
  .extend({ root: z.string().describe('The address of its root.'), lastActivity: time });

const tool = z.object({
  name: z.string(),
  description: z.string(),
  kind: z.enum(['tool', 'client-tool', 'sub-agent']),
  replay: z.enum(['never', 'safe']).describe('Whether a body that a crash cut off may run again.'),
  requiresApproval: z.enum(['always', 'sometimes', 'never']),
  side: z.string().optional().describe('For an agent with two sides: the label of the side that has the tool.'),
  inputSchema: json,
  outputSchema: json.optional(),
});

/** An agent type, as it is listed. */
export const listedAgent = z.object({
  agentType: z.string(),
  addressClass: z.string().describe('The class in addresses.'),
  title: z.string().optional(),
  description: z.string(),
  root: z.boolean().describe('Whether it may be started as a root.'),
  model: z
    .object({
      id: z.string().describe('provider/model, as the provider names them.'),
      offline: z.boolean().describe('The model is rule-based and works in the Worker, without a provider.'),
    })
    .optional()
    .describe('Missing if it is not known, for example without its key.'),
  settings: settingsDocument.describe("The settings of its model. A missing one is the provider's default."),
  examples: z.array(z.string()).readonly().describe('Example messages for a start.'),
  tools: z.array(tool).readonly().describe('All tools that its model may get, including built-in ones.'),
  inputSchema: json.optional(),
  outputSchema: json.optional(),
  stateSchema: json.optional(),
});
