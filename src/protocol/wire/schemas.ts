/**
 * The wire schemas of what chunks and documents share, and with them the types of it.
 *
 * Keeps W25.
 */
import * as z from 'zod';
import type { ShownFailure } from '../errors';
import type { Json } from '../json';
import type { Usage } from '../usage';

/**
 * A schema with a named type, which accepts its own output. Declarations then use the name instead of repeating the
 * fields.
 */
export type SchemaOf<Value> = z.ZodType<Value, Value>;

/** Any JSON. */
export const jsonSchema: z.ZodType<Json> = z.json();

/** What was spent. Unknown prices stay unknown. */
export const usageSchema: SchemaOf<Usage> = z
  .object({
    inputTokens: z.number(),
    outputTokens: z.number(),
    cachedTokens: z.number(),
    cacheWriteTokens: z
      .number()
      .exactOptional()
      .describe('Written to a cache of the provider; only if there were any.'),
    reasoningTokens: z.number(),
    modelCalls: z.number(),
    toolCalls: z.number(),
    costUsd: z.number().exactOptional().describe('US dollars, with at most ten decimals; only if a price is known.'),
    unpricedCalls: z.number().exactOptional().describe('Model calls without a known price; only if there were any.'),
  })
  .readonly();

/** A failure as data. Codes and categories are texts: a reader may be older than who writes. */
export const failureSchema: z.ZodType<ShownFailure> = z.object({
  code: z.string(),
  category: z.string(),
  message: z.string().describe('For a developer or the model: what happened and what to do.'),
  title: z.string().exactOptional().describe('Safe to show to anyone. Missing for a code of another release.'),
  retryable: z.boolean(),
  retryAfterMs: z.number().exactOptional().describe('How long a provider asked to wait, in ms.'),
  details: jsonSchema.exactOptional().describe('Further details for the caller, such as the recorded decision.'),
});

/** A whole number that also comes as text in a query: in plain digits, and in no other way that a number can be written. */
export const wholeNumber = (least: number, most: number) => {
  const number = z.number().int().min(least).max(most);
  const digits = z.string().regex(/^(0|[1-9][0-9]{0,15})$/, 'Write a whole number in plain digits.');
  return z.union([number, digits.transform(Number).pipe(number)]);
};

/** A sequence of the log. */
export const sequenceSchema = wholeNumber(1, Number.MAX_SAFE_INTEGER);
