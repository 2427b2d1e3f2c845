/**
 * What comes in for a verb: no more than what its schema knows.
 *
 * Keeps A3, A23.
 */
import type * as z from 'zod';
import { problemsOf } from '../protocol/content/problems';
import { refuse } from '../protocol/errors';

/**
 * What a schema makes of an input: asked once, where it comes in. An object answers what was checked.
 * @throws OffshootError `invalid_request` that names what does not fit, `invalid_input` where that is blank alone
 */
export function checked<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const isUnprocessable = issues.every((issue) => issue.code === 'custom' && issue.params?.code === 'invalid_input');
  refuse(isUnprocessable ? 'invalid_input' : 'invalid_request', problemsOf(parsed.error));
}
