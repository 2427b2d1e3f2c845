/**
 * What comes in for a verb: JSON of a shape that is safe to look at, and no more than what its schema knows.
 *
 * Keeps A3, A23.
 */
import * as z from 'zod';
import { DATA_LIMITS } from '../protocol/data-limits';
import { refuse } from '../protocol/errors';
import { isObject, type Json } from '../protocol/json';

/**
 * JSON from a text. `around` levels of it are no part of what is bounded: 0 by default.
 * @throws OffshootError `invalid_json`, `invalid_request`
 */
export function parseJson(text: string, around = 0): Json {
  let json: Json;
  try {
    json = JSON.parse(text);
  } catch {
    refuse('invalid_json', 'The body is not valid JSON. Look for a missing quotation mark, comma or bracket.');
  }
  checkShape(json, DATA_LIMITS.maxDepth + around);
  return json;
}

/** Refuses what is nested too deep to be looked at, and keys that would change how objects behave. */
function checkShape(json: Json, maxDepth: number): void {
  const open: { value: Json; depth: number }[] = [{ value: json, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > maxDepth) refuse('invalid_request', `The body is nested deeper than ${DATA_LIMITS.maxDepth} levels.`);
    if (isObject(value) && Object.hasOwn(value, '__proto__'))
      refuse('invalid_request', 'The key "__proto__" is not taken, at any level of a body.');
    for (const inner of Object.values(value)) open.push({ value: inner, depth: depth + 1 });
  }
}

/**
 * What a schema makes of an input: asked once, where it comes in. An object answers what was checked.
 * @throws OffshootError `invalid_request` that names what does not fit
 */
export function checked<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  refuse('invalid_request', z.prettifyError(parsed.error).replaceAll('✖ ', '').replaceAll(/\s+/g, ' ').slice(0, 1_000));
}
