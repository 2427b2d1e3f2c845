/**
 * How much of a conversation an agent's model is sent, and who summarises the rest.
 *
 * Decides: the bounds of `context`, and the time of a summary.
 * Keeps CX12.
 */
import type { Message } from '../../protocol/messages';
import { invalidDefinition, refuseUnknown } from './invalid';
import { limitProblem } from './limits';
import type { ToolContext } from './tool-context';
import type { AuthorsFunction } from './types';

/** The context of a `compact` function. */
export interface CompactContext<State = unknown, Env = unknown>
  extends Pick<ToolContext<State, Env>, 'abortSignal' | 'agent' | 'env' | 'getState' | 'recordUsage'> {
  /** The digest of the messages, which is used without the function. */
  readonly digest: string;
  /** The maximum size of the summary in estimated tokens; a longer one is cut. */
  readonly maxTokens: number;
}

/**
 * Returns a summary that replaces messages: text. The first message is the last summary, if there is one. If the
 * function throws, returns no text or takes longer than `timeoutMs`, the failure is reported, and the digest is used.
 * After a crash it may be called again for the same messages.
 */
export type CompactFunction<State = unknown, Env = unknown> = AuthorsFunction<
  [messages: readonly Message[], context: CompactContext<State, Env>],
  string | PromiseLike<string>
>;

/** The author of the summary: rules (`digest`), the agent's own model, or your function. */
export type Compact<State = unknown, Env = unknown> = 'digest' | 'model' | CompactFunction<State, Env>;

/** Options that limit the conversation in a request. */
export interface ContextOptions<State = unknown, Env = unknown> {
  /**
   * The maximum size of a request (system prompt, tools and messages) in estimated tokens; at least 1,000. Beyond it, a
   * summary replaces older messages. Leave room for the reply in the model's window.
   */
  readonly maxTokens: number;
  /** Tokens of the newest messages that stay unchanged: less than `maxTokens`; half of it by default. */
  readonly keepRecentTokens?: number;
  /** The author of the summary; `digest` by default. */
  readonly compact?: Compact<State, Env>;
  /** How long `compact` may take, in ms; 1 minute by default. */
  readonly timeoutMs?: number;
}

const CONTEXT_OPTIONS = ['maxTokens', 'keepRecentTokens', 'compact', 'timeoutMs'];

/** The least that a context may have. Unit: tokens. */
export const MIN_CONTEXT_TOKENS = 1_000;

/** How long a summary may take by default, in ms. */
export const COMPACT_TIMEOUT_MS = 60_000;

/** @throws OffshootError `invalid_definition` that says what to change */
export function checkContext(agent: string, context: ContextOptions): void {
  refuseUnknown(`The context of agent "${agent}"`, context, CONTEXT_OPTIONS);
  const { maxTokens, keepRecentTokens, compact, timeoutMs } = context;
  for (const [name, value] of Object.entries({ maxTokens, keepRecentTokens, timeoutMs })) {
    if (value === undefined && name !== 'maxTokens') continue;
    const problem = limitProblem(name, value);
    if (problem !== undefined) invalidDefinition(`Agent "${agent}": \`context.${name}\` ${problem}.`);
  }
  if (maxTokens < MIN_CONTEXT_TOKENS)
    invalidDefinition(`Agent "${agent}": \`context.maxTokens\` must be at least ${MIN_CONTEXT_TOKENS}.`);
  if (keepRecentTokens !== undefined && keepRecentTokens >= maxTokens)
    invalidDefinition(`Agent "${agent}": \`context.keepRecentTokens\` must be less than \`maxTokens\`.`);
  if (compact !== undefined && compact !== 'digest' && compact !== 'model' && typeof compact !== 'function')
    invalidDefinition(`Agent "${agent}": \`context.compact\` must be 'digest', 'model' or a function.`);
}
