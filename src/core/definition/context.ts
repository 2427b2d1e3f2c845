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

/** What a `compact` function is given beside the messages. */
export interface CompactContext<State = unknown, Env = unknown>
  extends Pick<ToolContext<State, Env>, 'abortSignal' | 'agent' | 'env' | 'getState' | 'recordUsage'> {
  /** The digest of the messages, as it would stand there without the function. */
  readonly digest: string;
  /** What the summary may have, in tokens by the estimate; a longer one is cut. */
  readonly maxTokens: number;
}

/**
 * Gives the summary that takes the place of messages: text. The first of them is the last summary, where there is one.
 * One that throws, gives no text or takes longer than `timeoutMs` is told of, and the digest takes its place. After a
 * crash it may be asked again for the same messages.
 */
export type CompactFunction<State = unknown, Env = unknown> = AuthorsFunction<
  [messages: readonly Message[], context: CompactContext<State, Env>],
  string | PromiseLike<string>
>;

/** Who summarises: rules (`digest`), the agent's own model, or a function of the author. */
export type Compact<State = unknown, Env = unknown> = 'digest' | 'model' | CompactFunction<State, Env>;

/** The context of an agent's model. */
export interface ContextOptions<State = unknown, Env = unknown> {
  /**
   * What a request may have at most: system prompt, tools and messages, in tokens, by an estimate; at least 1,000. Past
   * it older messages are replaced by a summary. Leave room for the reply below the window of the model.
   */
  readonly maxTokens: number;
  /** What of the newest messages is kept word for word, in tokens; half of `maxTokens` by default, and less than it. */
  readonly keepRecentTokens?: number;
  /** Who summarises; `digest` by default. */
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
