/** The wire schemas of what chunks and documents share, each held to its type. */
import { z } from 'zod';
import type { ShownFailure } from './errors';
import type { Json } from './json';
import type { Usage } from './usage';

/** A schema with a field for each of the type's: one that is missing does not compile, nor does one too many. */
type FieldsOf<Type> = { readonly [Field in keyof Required<Type>]: z.ZodType };

/** Any JSON. */
export const jsonSchema: z.ZodType<Json> = z.json();

/** What was spent. */
export const usageSchema = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedTokens: z.number(),
  reasoningTokens: z.number(),
  modelCalls: z.number(),
  toolCalls: z.number(),
  costUsd: z.number().optional().describe('Only where a price is known.'),
} satisfies FieldsOf<Usage>);

/** A failure as data. Codes and categories are texts: a reader may be older than who writes. */
export const failureSchema = z.object({
  code: z.string(),
  category: z.string(),
  message: z.string().describe('For a developer.'),
  title: z.string().optional().describe('Safe to show to anyone.'),
  retryable: z.boolean(),
  retryAfterMs: z.number().optional().describe('How long a provider asked to wait, in ms.'),
  details: jsonSchema.optional().describe('What is known beyond it.'),
} satisfies FieldsOf<ShownFailure>);
