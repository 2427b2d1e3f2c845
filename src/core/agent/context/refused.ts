/**
 * A request that a provider refused as too long, and the smaller one that is asked next.
 *
 * Decides: how often a request is made smaller that a provider refuses, and by how much.
 * Keeps CX13, CX15.
 */
import { OffshootError } from '../../../protocol/errors';
import { isObject } from '../../../protocol/json';
import { type ContextOptions, MIN_CONTEXT_TOKENS } from '../../definition/context';
import { type ContextNow, MIN_ROOM } from './compaction';

/** The most times that a request is made smaller after a provider refused it as too long. */
export const MAX_REFUSALS = 2;

/** The factor by which a refused request counts as larger, where the provider gave no count. */
const MORE = 1.3;

/** The share of its window that a request may have once a provider has reported the window. */
const OF_WINDOW = 0.9;

/** A request that a provider has refused as too long: how many tokens it has found, and how many it takes. */
export interface Refused {
  readonly how: number;
  readonly tokens?: number;
  readonly limit?: number;
}

/** The counts in a refusal of a request that was too long; undefined for any other failure. */
export function refusalOf(error: unknown, how: number): Refused | undefined {
  if (!(error instanceof OffshootError) || error.code !== 'context_too_large') return undefined;
  const { tokens, limit } = isObject(error.failure.details) ? error.failure.details : {};
  return {
    how,
    ...(typeof tokens === 'number' ? { tokens } : {}),
    ...(typeof limit === 'number' ? { limit } : {}),
  };
}

/** A request as it is by what a provider has said of it. */
export function corrected(now: ContextNow, { how, tokens }: Refused, maxTokens: number): ContextNow {
  const counted = tokens ?? Math.max(now.tokens, maxTokens) * MORE ** how;
  const by = Math.max(MORE, counted / now.tokens);
  const tokensPerByte = withRoom(now.tokensPerByte * by, now, maxTokens);
  return { ...now, tokens: Math.ceil(now.tokens * by), tokensPerByte };
}

/**
 * Tokens of a byte as counted, unless the messages would have no room: files count far more than their bytes, and the system
 * prompt and the tools do not.
 */
function withRoom(counted: number, { fixedBytes, tokensPerByte }: ContextNow, maxTokens: number): number {
  return Math.max(tokensPerByte, Math.min(counted, maxTokens / (fixedBytes + MIN_ROOM + 1)));
}

/** A context as large as a provider takes it. */
export function narrowed<Options extends ContextOptions>(context: Options, { limit }: Refused): Options {
  if (limit === undefined || limit >= context.maxTokens) return context;
  return { ...context, maxTokens: Math.max(MIN_CONTEXT_TOKENS, Math.floor(limit * OF_WINDOW)) };
}
