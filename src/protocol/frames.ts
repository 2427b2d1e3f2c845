/** What a client says over a socket. */
import { z } from 'zod';
import { jsonSchema, sequenceSchema } from './schemas';
import { traceparentSchema } from './trace';
import { WIRE_LIMITS } from './wire-limits';

/** A frame from a client: the chunks of its agent from a sequence on, or the call of a verb at it. */
export const clientFrameSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('offshoot.subscribe'), from: sequenceSchema.optional() }),
  z.strictObject({
    type: z.literal('offshoot.call'),
    id: z.union([z.string().max(256), z.number()]),
    verb: z.string().max(64),
    body: jsonSchema.optional(),
    traceparent: traceparentSchema.optional(),
    idempotencyKey: z.string().min(1).max(WIRE_LIMITS.maxIdempotencyKey).optional(),
  }),
]);

/** A frame from a client. */
export type ClientFrame = z.output<typeof clientFrameSchema>;
