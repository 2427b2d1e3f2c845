/**
 * The limits of agents and trees, and what may be set as one.
 *
 * Decides: every number that an author can set, with its default.
 * Keeps DF3.
 */
import { DATA_LIMITS } from '../../protocol/data-limits';
import { kindOf } from './invalid';

/**
 * Every limit in one object: name, unit and default. An agent may lower or raise what its definition names;
 * the limits of a whole tree are those of its root.
 */
export interface Limits {
  /** Steps (model calls) of a run and its resumes. */
  readonly maxSteps: number;
  /** Tool calls of one step that execute at once; the others are queued. */
  readonly maxConcurrentCalls: number;
  /** Sub-agents of a whole tree that work at once; others are queued. */
  readonly maxConcurrentChildren: number;
  /** Sub-agents of one parent that are alive (queued, running or waiting) at once. */
  readonly maxChildren: number;
  /** Companions and persistent sub-agents (Standard Agents) of one agent; each counts until it is terminated. */
  readonly maxCompanions: number;
  /** Sub-agents that one run of the root may create in total. */
  readonly maxTreeChildren: number;
  /** Levels of a tree, including the root. */
  readonly maxDepth: number;
  /** Time limit for one execution of a tool, in ms. */
  readonly toolTimeoutMs: number;
  /** Time limit for a sub-agent's whole run, in ms, not counting waits for people. */
  readonly childTimeoutMs: number;
  /** How long a parent tries to start a sub-agent that it cannot reach, in ms; then the sub-agent is lost. */
  readonly childReachMs: number;
  /** How long a stop waits for a sub-agent that needs longer to end, in ms; then the sub-agent is lost. */
  readonly childStopMs: number;
  /** Time until the model's first chunk, in ms. */
  readonly modelFirstChunkMs: number;
  /** Time between two chunks of the model, in ms. */
  readonly modelStallMs: number;
  /** Further attempts of a model call after a retryable error. Rate limits and overload have `modelPatienceMs`. */
  readonly modelRetries: number;
  /** How long a step waits for a rate-limited or overloaded provider, in ms, from the first refusal. */
  readonly modelPatienceMs: number;
  /** Model requests of a whole tree at once; the others are queued. */
  readonly maxConcurrentModelCalls: number;
  /** Steps in a row that fail in the same way, or that reply with text although the agent has an `outputSchema`; then the run fails. */
  readonly maxSameFailures: number;
  /** Wait before the first retry, in ms; doubled each time, except for rate limits and overload. */
  readonly modelRetryBaseMs: number;
  /** Longest wait before a retry that a provider may ask for, in ms; longer waits are shortened to this. */
  readonly modelRetryAfterMs: number;
  /** Recoveries of a run after crashes without a committed step in between. */
  readonly maxRecoveries: number;
  /** Executions of a `replay: 'safe'` call, including the first. */
  readonly maxToolReplays: number;
  /** JSON of a tool's result or arguments, of the custom state or of a custom chunk's data, in bytes of UTF-8. */
  readonly maxToolResultBytes: number;
  /** A message to a companion, in bytes of UTF-8. */
  readonly maxMessageBytes: number;
  /** Bytes of a file that a tool may read at once; a stream has no such limit. */
  readonly maxReadBytes: number;
  /** A file of an agent, in bytes. */
  readonly maxFileBytes: number;
  /** Files that an agent may keep. */
  readonly maxFiles: number;
  /** Bytes of a file that one `workspace_read_file` returns. */
  readonly maxWorkspaceReadBytes: number;
  /** Bytes of files that one call of `workspace_search_files` covers; the next call continues. */
  readonly maxWorkspaceSearchBytes: number;
  /** Tokens (input and output) that one run and its resumes may use, not counting sub-agents. */
  readonly maxTokens: number;
  /** US dollars that one run and its resumes may spend, not counting sub-agents; only known prices count. */
  readonly maxCostUsd: number;
  /** Time limit for a root's run, in ms, not counting waits for people. */
  readonly maxWallMs: number;
  /** Tokens that a root run and all agents below it may use. */
  readonly maxTreeTokens: number;
  /** US dollars that a root run and all agents below it may spend. */
  readonly maxTreeCostUsd: number;
  /** Model calls of a root run and all agents below it. */
  readonly maxTreeSteps: number;
  /** Time that a tool has to end by itself after a stop, in ms; then it is cut off. */
  readonly stopGraceMs: number;
  /** Time limit for one hook, in ms. */
  readonly hookTimeoutMs: number;
  /** Queued starts (`onConcurrentStart`); more are refused. */
  readonly maxQueuedStarts: number;
  /** Messages that wait for an agent's next step; more are refused. */
  readonly maxInbox: number;
  /** Sub-agents of one agent that wait for variables. */
  readonly maxVariableRequests: number;
  /** How long a sub-agent waits for variables, in ms. */
  readonly variableRequestMs: number;
  /** Pending scheduled effects of one agent; more are refused. */
  readonly maxScheduledEffects: number;
  /** Arguments of a scheduled effect as JSON, in bytes of UTF-8. */
  readonly maxEffectBytes: number;
  /** Tries of a scheduled effect that fails; then it is abandoned. */
  readonly maxEffectTries: number;
  /** Newest root runs whose log and ended sub-agents are kept in full. */
  readonly keepRuns: number;
  /** Bytes of log that are kept in full. */
  readonly keepLogBytes: number;
}

/** The maximum that an agent and everything below it may spend. An omitted field sets no limit. */
export interface Budget {
  /** Input and output tokens. */
  readonly maxTokens?: number;
  /** US dollars; needs known prices. */
  readonly maxCostUsd?: number;
  /** Model calls. */
  readonly maxSteps?: number;
  /** Working time of the agent, in ms, without waits for people. */
  readonly maxWallMs?: number;
}

/** The defaults, which docs/guarantees.md lists; each has a test at its edge. */
export const DEFAULT_LIMITS: Limits = {
  maxSteps: 50,
  maxConcurrentCalls: 16,
  maxConcurrentChildren: 48,
  maxChildren: 256,
  maxCompanions: 1_000,
  maxTreeChildren: 1_000,
  maxDepth: 16,
  toolTimeoutMs: 120_000,
  childTimeoutMs: 600_000,
  childReachMs: 30_000,
  childStopMs: 600_000,
  modelFirstChunkMs: 120_000,
  modelStallMs: 60_000,
  modelRetries: 3,
  modelPatienceMs: 300_000,
  maxConcurrentModelCalls: 64,
  maxSameFailures: 3,
  modelRetryBaseMs: 1_000,
  modelRetryAfterMs: 60_000,
  maxRecoveries: 10,
  maxToolReplays: 3,
  maxToolResultBytes: 1_048_576,
  maxMessageBytes: 262_144,
  maxReadBytes: 16 * 1_048_576,
  maxFileBytes: DATA_LIMITS.maxFileBytes,
  maxFiles: 10_000,
  maxWorkspaceReadBytes: 65_536,
  maxWorkspaceSearchBytes: 64 * 1_048_576,
  maxTokens: 20_000_000,
  maxCostUsd: 500,
  maxWallMs: 86_400_000,
  maxTreeTokens: 200_000_000,
  maxTreeCostUsd: 5_000,
  maxTreeSteps: 50_000,
  stopGraceMs: 2_000,
  hookTimeoutMs: 10_000,
  maxQueuedStarts: 100,
  maxInbox: 1_000,
  maxVariableRequests: 64,
  variableRequestMs: 86_400_000,
  maxScheduledEffects: 100,
  maxEffectBytes: 65_536,
  maxEffectTries: 6,
  keepRuns: 20,
  keepLogBytes: 64 * 1_048_576,
};

/** The levels of facets in one top-level object, that one included (workerd; decision 55). */
export const MAX_FACET_LEVELS = 4;

/** The deepest tree: each level lengthens addresses, and the way of what is said to the agents below it. */
const MAX_DEPTH = 16;

/** The longest content that the stored format of a file can hold, in bytes: 4 GiB. */
export const MAX_CONTENT_BYTES = 4_096 * 1_048_576;

/** The limits of an agent: the defaults with what its definition sets. */
export function limitsOf(own: Partial<Limits> | undefined): Limits {
  return own ? { ...DEFAULT_LIMITS, ...own } : DEFAULT_LIMITS;
}

/** The longest time that a timer can wait, in ms: almost 25 days. */
export const MAX_TIMER_MS = 2_147_483_647;

/** What is wrong with the value of a limit, or undefined: limits are whole numbers above 0, times fit a timer. */
export function limitProblem(limit: string, value: unknown): string | undefined {
  if (typeof value !== 'number') return `must be a number, but is ${kindOf(value)}`;
  if (!(value > 0)) return 'must be above 0';
  // Money has parts.
  if (/CostUsd$/.test(limit) && value < Number.POSITIVE_INFINITY) return undefined;
  if (!Number.isSafeInteger(value)) return 'must be a whole number';
  if (limit.endsWith('Ms') && value > MAX_TIMER_MS) return `must be at most ${MAX_TIMER_MS}`;
  if (limit === 'maxFileBytes' && value > MAX_CONTENT_BYTES) return `must be at most ${MAX_CONTENT_BYTES} (4 GiB)`;
  if (limit === 'maxDepth' && value > MAX_DEPTH) return `must be at most ${MAX_DEPTH}`;
  return undefined;
}
