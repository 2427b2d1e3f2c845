/**
 * Schemas as models and clients read them. Whether a value fits one is checked in `engine/check-calls.ts`.
 *
 * Keeps CL4.
 */
import * as z from 'zod';
import type { JsonObject } from '../../protocol/json';

/** JSON Schema of what a zod schema takes, or of what it makes of it (`output`). */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output' = 'input'): JsonObject {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest as JsonObject;
}
